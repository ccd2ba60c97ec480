//! Recovery after every stage of a run.

use std::ops::ControlFlow;

use ndarray::Array2;

use super::recovery::correlation_error;
use crate::Real;
use crate::fit::{Observer, StageView};

/// An observer that records the relative total correlation error against a known truth after every stage.
///
/// Solvers never see the truth, and the time spent here does not count as solver time.
#[derive(Debug, Clone)]
pub struct RecoveryObserver<T: Real> {
    truth: Array2<T>,
    /// The relative total correlation error after each stage; NaN if components and truth differ in their number of
    /// features.
    pub errors: Vec<f64>,
}

impl<T: Real> RecoveryObserver<T> {
    /// Creates an observer for these true components (rank × features).
    #[must_use]
    pub fn new(truth: Array2<T>) -> Self {
        Self { truth, errors: Vec::new() }
    }
}

impl<T: Real> Observer<T> for RecoveryObserver<T> {
    fn stage(&mut self, view: &StageView<'_, T>) -> ControlFlow<()> {
        let error = correlation_error(view.components().view(), self.truth.view());
        self.errors.push(error.map_or(f64::NAN, |error| error.relative_total()));
        ControlFlow::Continue(())
    }
}

//! The theory's error norms after every stage of a run.

use std::ops::ControlFlow;

use ndarray::Array2;

use super::{Decomposition, ErrorNorms, MatrixError, StageLemmaReport};
use crate::Real;
use crate::fit::{Observer, StageView};

/// An observer that records ‖Σ−I‖, ‖E‖ and ‖N‖ against a known truth, at the start and after every stage.
#[derive(Debug, Clone)]
pub struct DecompositionObserver<T: Real> {
    truth: Array2<T>,
    /// The norms at the start, then after each stage.
    pub norms: Vec<ErrorNorms>,
}

impl<T: Real> DecompositionObserver<T> {
    /// Creates an observer of a run from `start` to `truth` (both rank × features, components in the same order).
    ///
    /// # Errors
    /// If the shapes differ or an entry is not finite.
    pub fn new(truth: Array2<T>, start: &Array2<T>) -> Result<Self, MatrixError> {
        let norms = vec![Decomposition::of(start.view(), truth.view())?.norms];
        Ok(Self { truth, norms })
    }

    /// Compares the run so far with the stage lemma.
    #[must_use]
    pub fn stage_lemma(&self) -> StageLemmaReport {
        StageLemmaReport::from_norms(&self.norms)
    }
}

impl<T: Real> Observer<T> for DecompositionObserver<T> {
    fn stage(&mut self, view: &StageView<'_, T>) -> ControlFlow<()> {
        // A stage that cannot be compared gets an infinite error.
        let infinite = ErrorNorms {
            scale_error: f64::INFINITY,
            mixing_error: f64::INFINITY,
            outside_error: f64::INFINITY,
        };
        let parts = Decomposition::of(view.components().view(), self.truth.view());
        self.norms.push(parts.map_or(infinite, |parts| parts.norms));
        ControlFlow::Continue(())
    }
}

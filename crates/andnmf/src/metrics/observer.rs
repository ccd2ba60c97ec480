//! Recovery after every stage of a run.

use std::ops::ControlFlow;

use ndarray::Array2;

use super::recovery::correlation_error;
use crate::Real;
use crate::fit::{Observer, StageView};

/// An observer that records the relative total correlation error against a known truth after every stage.
///
/// Solvers never see the truth, and the time spent here does not count as solver time.
///
/// ```
/// use andnmf::and::AndParams;
/// use andnmf::fit::{Run, Solver, Start};
/// use andnmf::metrics::RecoveryObserver;
/// use andnmf::samples::DenseSamples;
/// use andnmf::synth::{DatasetKind, DatasetSpec};
///
/// let spec = DatasetSpec { n_features: 60, rank: 4, n_samples: 300, ..DatasetSpec::new(DatasetKind::Dir) };
/// let data = spec.generate()?;
/// let samples = DenseSamples::new(data.samples.view())?;
/// let mut observer = RecoveryObserver::new(data.truth.clone());
/// let fit = AndParams::new(4).check()?.fit(&samples, Start::Auto, &mut Run::new().observe(&mut observer))?;
/// assert_eq!(observer.errors.len(), fit.trace.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

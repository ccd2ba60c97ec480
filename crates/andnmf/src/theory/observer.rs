//! The theory's error norms after every stage of a run.

use std::ops::ControlFlow;

use ndarray::Array2;

use super::{Decomposition, ErrorNorms, MatrixError, StageLemmaReport};
use crate::Real;
use crate::fit::{Observer, StageView};

/// An observer that records ‖Σ−I‖, ‖E‖ and ‖N‖ against a known truth, at the start and after every stage.
///
/// ```
/// use andnmf::and::AndParams;
/// use andnmf::fit::{Run, Solver, Start};
/// use andnmf::samples::DenseSamples;
/// use andnmf::theory::DecompositionObserver;
/// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])?;
/// let (truth, start) = (ndarray::Array2::eye(2), ndarray::array![[1.0, 0.1], [0.1, 1.0]]);
/// let and = AndParams { max_stages: 5, ..AndParams::scheduled(2) }.check()?;
/// let mut observer = DecompositionObserver::new(truth, &start)?;
/// let fit = and.fit(&samples, Start::Given(start), &mut Run::new().observe(&mut observer))?;
/// assert_eq!(observer.norms.len(), 1 + fit.stages);
/// assert!(observer.norms[fit.stages].mixing_error < 0.1 * observer.norms[0].mixing_error);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

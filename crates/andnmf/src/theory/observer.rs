//! The theory's error norms measured along a run.

use std::ops::ControlFlow;

use ndarray::Array2;

use super::{Decomposition, ErrorNorms, MatrixError, StageLemmaReport};
use crate::Real;
use crate::fit::{Observer, StageView};

/// An observer that knows the truth: ‖Σ−I‖, ‖E‖ and ‖N‖ at the start and after every stage.
#[derive(Debug, Clone)]
pub struct DecompositionObserver<T: Real> {
    truth: Array2<T>,
    /// Norms of the start, then of each stage seen.
    pub norms: Vec<ErrorNorms>,
}

impl<T: Real> DecompositionObserver<T> {
    /// Watches a run from `start` towards `truth` (both rank × features, in the same order).
    ///
    /// # Errors
    /// Where the two do not fit together.
    pub fn new(truth: Array2<T>, start: &Array2<T>) -> Result<Self, MatrixError> {
        let norms = vec![Decomposition::of(start.view(), truth.view())?.norms];
        Ok(Self { truth, norms })
    }

    /// What the stage lemma says of the run so far.
    #[must_use]
    pub fn stage_lemma(&self) -> StageLemmaReport {
        StageLemmaReport::over(&self.norms)
    }
}

impl<T: Real> Observer<T> for DecompositionObserver<T> {
    fn stage(&mut self, view: &StageView<'_, T>) -> ControlFlow<()> {
        // A stage that cannot be compared still has its place, as infinitely wrong.
        let lost = ErrorNorms {
            scale_error: f64::INFINITY,
            mixing_error: f64::INFINITY,
            outside_error: f64::INFINITY,
        };
        let parts = Decomposition::of(view.components().view(), self.truth.view());
        self.norms.push(parts.map_or(lost, |parts| parts.norms));
        ControlFlow::Continue(())
    }
}

//! Observers: progress reports after each stage, and the request to stop.

use std::ops::ControlFlow;

use ndarray::Array2;

use super::{Checkpoint, StageRecord};
use crate::Real;

/// Receives every finished stage. A known truth reaches a run only as an observer, so no solver can use it.
///
/// Any `FnMut(&StageView<'_, T>) -> ControlFlow<()>` is an observer.
pub trait Observer<T: Real> {
    /// Called after each stage, while the solver's clock is paused. `Break` cancels the run.
    fn stage(&mut self, view: &StageView<'_, T>) -> ControlFlow<()>;
}

impl<T: Real, F: FnMut(&StageView<'_, T>) -> ControlFlow<()>> Observer<T> for F {
    fn stage(&mut self, view: &StageView<'_, T>) -> ControlFlow<()> {
        self(view)
    }
}

/// The state of a solver between stages, computed on request.
pub trait Snapshot<T: Real> {
    /// The components in the space of the samples, rank × features.
    fn components(&self) -> Array2<T>;

    /// A checkpoint from which the run can be resumed.
    fn checkpoint(&self) -> Checkpoint<T>;
}

/// A finished stage, as observers receive it.
pub struct StageView<'a, T: Real> {
    /// The record of the stage.
    pub record: &'a StageRecord,
    /// The threshold of each component; empty if the method has none.
    pub thresholds: &'a [f64],
    snapshot: &'a dyn Snapshot<T>,
}

impl<'a, T: Real> StageView<'a, T> {
    /// A view of a finished stage, for solvers.
    pub fn new(record: &'a StageRecord, thresholds: &'a [f64], snapshot: &'a dyn Snapshot<T>) -> Self {
        Self { record, thresholds, snapshot }
    }

    /// The components after the stage, rank × features.
    #[must_use]
    pub fn components(&self) -> Array2<T> {
        self.snapshot.components()
    }

    /// The checkpoint after the stage, to be resumed with [`Start::Resume`](super::Start::Resume).
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint<T> {
        self.snapshot.checkpoint()
    }
}

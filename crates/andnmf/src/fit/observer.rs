//! How a run tells its progress and can be told to stop.

use std::ops::ControlFlow;

use ndarray::Array2;

use super::{Checkpoint, StageRecord};
use crate::Real;

/// Sees every finished stage. A known truth reaches a run only this way: as someone who watches.
///
/// Any `FnMut(&StageView<'_, T>) -> ControlFlow<()>` is an observer.
pub trait Observer<T: Real> {
    /// Called after each stage, off the solver's clock. `Break` ends the run as cancelled.
    fn stage(&mut self, view: &StageView<'_, T>) -> ControlFlow<()>;
}

impl<T: Real, F: FnMut(&StageView<'_, T>) -> ControlFlow<()>> Observer<T> for F {
    fn stage(&mut self, view: &StageView<'_, T>) -> ControlFlow<()> {
        self(view)
    }
}

/// What a solver can show of itself between stages; computed only when asked for.
pub trait Snapshot<T: Real> {
    /// The components in the space of the samples, rank × features.
    fn components(&self) -> Array2<T>;

    /// Everything needed to go on from here.
    fn checkpoint(&self) -> Checkpoint<T>;
}

/// A finished stage as its observers see it.
pub struct StageView<'a, T: Real> {
    /// The figures of the stage.
    pub record: &'a StageRecord,
    /// The threshold of each component; empty where the method has none.
    pub thresholds: &'a [f64],
    snapshot: &'a dyn Snapshot<T>,
}

impl<'a, T: Real> StageView<'a, T> {
    /// A view for solvers to hand out.
    pub fn new(record: &'a StageRecord, thresholds: &'a [f64], snapshot: &'a dyn Snapshot<T>) -> Self {
        Self { record, thresholds, snapshot }
    }

    /// The components after the stage, rank × features.
    #[must_use]
    pub fn components(&self) -> Array2<T> {
        self.snapshot.components()
    }

    /// The state after the stage, to be resumed with [`Start::Resume`](super::Start::Resume).
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint<T> {
        self.snapshot.checkpoint()
    }
}

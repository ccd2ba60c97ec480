//! Observers: progress reports after each stage, and the request to stop.

use std::ops::ControlFlow;

use ndarray::Array2;

use super::{Checkpoint, StageRecord};
use crate::Real;

/// Receives every finished stage. A known truth reaches a run only as an observer, so no solver can use it.
///
/// Any `FnMut(&StageView<'_, T>) -> ControlFlow<()>` is an observer.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use andnmf::fit::{Run, StageView, Start, StopReason};
/// use andnmf::samples::DenseSamples;
/// use andnmf::{Method, MethodParams};
///
/// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [2.0, 3.0, 4.0]])?;
/// let mut stop_after_two = |view: &StageView<'_, f64>| match view.record.stage {
///     0 => ControlFlow::Continue(()),
///     _ => ControlFlow::Break(()),
/// };
/// let hals = MethodParams::new(Method::Hals, 2).with_tolerance(0.0).check()?;
/// let fit = hals.fit(&samples, Start::Auto, &mut Run::new().observe(&mut stop_after_two))?;
/// assert_eq!((fit.stages, fit.stop), (2, StopReason::Cancelled));
/// # Ok::<(), andnmf::FitError>(())
/// ```
pub trait Observer<T: Real> {
    /// Called after each stage, while the solver's clock is paused. `Break` cancels the run.
    fn stage(&mut self, view: &StageView<'_, T>) -> ControlFlow<()>;

    /// Called after each stage of the refit that checks a finished fit; stages and seconds are those of the refit. `Break` ends
    /// the checks; the fit stays what it is.
    fn refit_stage(&mut self, record: &StageRecord) -> ControlFlow<()> {
        let _ = record;
        ControlFlow::Continue(())
    }
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

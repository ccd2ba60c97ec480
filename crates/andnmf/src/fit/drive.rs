//! The loop over stages (outer iterations), shared by all methods: limits, cancellation, observer, convergence check.

use std::ops::ControlFlow;

use super::{Header, Limits, Run, Snapshot, StageInterrupt, StageView, StopMonitor, StopReason};
use crate::{FitError, Real};

/// A run of a method, one stage at a time.
pub(crate) trait StagedRun<'a, T: Real>: Snapshot<T> {
    /// The header after the last finished stage.
    fn header(&self) -> &Header;

    /// The thresholds of the last stage; empty if the method has none.
    fn thresholds(&self) -> &[f64] {
        &[]
    }

    fn monitor(&mut self) -> &mut StopMonitor<'a>;

    /// The reason to stop before the next stage; `None` if there is a next stage.
    fn stop_reason(&self, limits: &Limits) -> Option<StopReason> {
        (self.header().stages >= limits.max_stages).then_some(StopReason::MaxStages)
    }

    /// Runs one stage and records it; an interrupted stage leaves the state unchanged. Returns true if the run may
    /// converge now, provided that the components no longer change.
    fn stage(&mut self) -> Result<bool, StageInterrupt>;
}

/// Runs stages until convergence, a limit or cancellation.
pub(crate) fn drive<'a, T: Real, S: StagedRun<'a, T>>(
    method: &mut S,
    limits: &Limits,
    run: &mut Run<'_, T>,
) -> Result<StopReason, FitError> {
    // Changes at the level of rounding count as convergence, whatever the tolerance.
    let unchanged = limits.tolerance.max(4.0 * T::EPSILON.as_f64());
    loop {
        if let Some(reason) = method.stop_reason(limits) {
            return Ok(reason);
        }
        if let Some(reason) = method.monitor().reason() {
            return Ok(reason);
        }
        let may_converge = match method.stage() {
            Ok(may_converge) => may_converge,
            Err(StageInterrupt::Stop(reason)) => return Ok(reason),
            Err(StageInterrupt::Error(error)) => return Err(error),
        };
        method.monitor().clock.pause();
        let record = *method.header().trace.last().expect("a finished stage has a record");
        let answer = run.notify(&StageView::new(&record, method.thresholds(), method));
        method.monitor().clock.resume();
        if answer == ControlFlow::Break(()) {
            return Ok(StopReason::Cancelled);
        }
        if may_converge && record.change <= unchanged {
            return Ok(StopReason::Converged);
        }
    }
}

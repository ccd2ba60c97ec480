//! The loop over stages, the same for every method.

use std::ops::ControlFlow;

use super::{Halt, Header, Limits, Run, Snapshot, StageView, StopReason, Watch};
use crate::{FitError, Real};

/// A method in the middle of a run.
pub(crate) trait StagedRun<'a, T: Real>: Snapshot<T> {
    /// What is known of the run after the last finished stage.
    fn header(&self) -> &Header;

    /// The thresholds of the last stage; empty where the method has none.
    fn thresholds(&self) -> &[f64] {
        &[]
    }

    fn watch(&mut self) -> &mut Watch<'a>;

    /// Why there is no further stage to do, where that does not depend on the last one.
    fn over(&self, limits: &Limits) -> Option<StopReason> {
        (self.header().stages >= limits.max_stages).then_some(StopReason::MaxStages)
    }

    /// Does one stage and records it in the state; a stage that is halted leaves the state as it was. True
    /// where the run may end once the components stand still.
    fn stage(&mut self) -> Result<bool, Halt>;
}

/// Runs stages until one of the reasons to stop.
pub(crate) fn drive<'a, T: Real, S: StagedRun<'a, T>>(
    method: &mut S,
    limits: &Limits,
    run: &mut Run<'_, T>,
) -> Result<StopReason, FitError> {
    // Changes of a few units of rounding are none, whatever is asked.
    let unchanged = limits.tolerance.max(4.0 * T::EPSILON.as_f64());
    loop {
        if let Some(reason) = method.over(limits) {
            return Ok(reason);
        }
        if let Some(reason) = method.watch().reason() {
            return Ok(reason);
        }
        let may_end = match method.stage() {
            Ok(may_end) => may_end,
            Err(Halt::Stop(reason)) => return Ok(reason),
            Err(Halt::Error(error)) => return Err(error),
        };
        method.watch().clock.stop();
        let record = *method.header().trace.last().expect("the stage just recorded itself");
        let told = run.tell(&StageView::new(&record, method.thresholds(), method));
        method.watch().clock.go_on();
        if told == ControlFlow::Break(()) {
            return Ok(StopReason::Cancelled);
        }
        if may_end && record.change <= unchanged {
            return Ok(StopReason::Converged);
        }
    }
}

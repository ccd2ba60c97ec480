//! Limits of a run and the check for cancellation and time limit, shared by all methods.

use std::sync::atomic::AtomicBool;

use super::{Clock, Run, StopReason, is_cancelled};
use crate::{FitError, Real, SamplesError};

/// The settings that all methods share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) rank: usize,
    pub(crate) max_stages: usize,
    pub(crate) tolerance: f64,
    pub(crate) time_limit: Option<f64>,
}

/// The reason why a stage was interrupted.
#[derive(Debug)]
pub(crate) enum StageInterrupt {
    Stop(StopReason),
    Error(FitError),
}

impl From<SamplesError> for StageInterrupt {
    fn from(error: SamplesError) -> Self {
        Self::Error(error.into())
    }
}

impl From<FitError> for StageInterrupt {
    fn from(error: FitError) -> Self {
        Self::Error(error)
    }
}

/// Monitors the cancel flag and the time limit of a run, also within a stage.
#[derive(Debug)]
pub(crate) struct StopMonitor<'a> {
    cancel: Option<&'a AtomicBool>,
    time_limit: Option<f64>,
    pub(crate) clock: Clock,
}

impl<'a> StopMonitor<'a> {
    /// Starts the clock at `seconds`, the time of an earlier part of the run. The time limit counts from now on: a
    /// resumed run has all of it again.
    pub(crate) fn new<'r: 'a, T: Real>(run: &Run<'r, T>, time_limit: Option<f64>, seconds: f64) -> Self {
        let time_limit = time_limit.map(|limit| limit + seconds);
        Self { cancel: run.cancel_flag(), time_limit, clock: Clock::starting_at(seconds) }
    }

    /// The reason to stop now; `None` if the run may continue.
    pub(crate) fn reason(&self) -> Option<StopReason> {
        if is_cancelled(self.cancel) {
            return Some(StopReason::Cancelled);
        }
        self.time_limit.filter(|&limit| self.clock.seconds() >= limit).map(|_| StopReason::TimeLimit)
    }

    /// [`reason`](Self::reason) as an interrupt of the stage.
    pub(crate) fn check(&self) -> Result<(), StageInterrupt> {
        self.reason().map_or(Ok(()), |reason| Err(StageInterrupt::Stop(reason)))
    }

    /// Converts an error of work on [`CancellableSamples`](crate::samples::CancellableSamples): reading that this
    /// monitor cancelled becomes the reason to stop.
    pub(crate) fn interrupt(&self, error: impl Into<FitError>) -> StageInterrupt {
        match (error.into(), self.reason()) {
            (FitError::Samples(SamplesError::Cancelled), Some(reason)) => StageInterrupt::Stop(reason),
            (error, _) => StageInterrupt::Error(error),
        }
    }
}

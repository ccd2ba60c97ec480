//! What ends a run, whatever the method.

use std::sync::atomic::AtomicBool;

use super::{Clock, Run, StopReason, is_cancelled};
use crate::{FitError, Real, SamplesError};

/// The settings that every method shares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) rank: usize,
    pub(crate) max_stages: usize,
    pub(crate) tolerance: f64,
    pub(crate) time_limit: Option<f64>,
}

/// Why a stage gave no result.
#[derive(Debug)]
pub(crate) enum Halt {
    Stop(StopReason),
    Error(FitError),
}

impl From<SamplesError> for Halt {
    fn from(error: SamplesError) -> Self {
        Self::Error(error.into())
    }
}

impl From<FitError> for Halt {
    fn from(error: FitError) -> Self {
        Self::Error(error)
    }
}

/// Knows when a run has to stop in the middle of a stage.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    cancel: Option<&'a AtomicBool>,
    time_limit: Option<f64>,
    pub(crate) clock: Clock,
}

impl<'a> Watch<'a> {
    /// Starts the clock with the time that an earlier part of the run took; the limit counts from now on, so that
    /// each part has all of it.
    pub(crate) fn new<'r: 'a, T: Real>(run: &Run<'r, T>, time_limit: Option<f64>, seconds: f64) -> Self {
        let time_limit = time_limit.map(|limit| limit + seconds);
        Self { cancel: run.cancel_flag(), time_limit, clock: Clock::resume(seconds) }
    }

    /// Whether to stop now, and why.
    pub(crate) fn reason(&self) -> Option<StopReason> {
        if is_cancelled(self.cancel) {
            return Some(StopReason::Cancelled);
        }
        self.time_limit.filter(|&limit| self.clock.seconds() >= limit).map(|_| StopReason::TimeLimit)
    }

    /// [`reason`](Self::reason) as the end of a stage.
    pub(crate) fn check(&self) -> Result<(), Halt> {
        self.reason().map_or(Ok(()), |reason| Err(Halt::Stop(reason)))
    }

    /// An error of work on [`Watched`](crate::samples::Watched) samples that this watch stops: where it did, the end of the
    /// stage.
    pub(crate) fn halt(&self, error: impl Into<FitError>) -> Halt {
        match (error.into(), self.reason()) {
            (FitError::Samples(SamplesError::Cancelled), Some(reason)) => Halt::Stop(reason),
            (error, _) => Halt::Error(error),
        }
    }
}

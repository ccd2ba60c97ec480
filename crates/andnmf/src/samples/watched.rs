//! Samples whose reading can be cancelled.

use std::ops::Range;

use super::{Block, Executor, Reply, Request, Samples, same_shape_as};
use crate::{Real, SamplesError};

/// Other samples, readable until `stop` says so: every computation that reads them ends soon after.
pub struct Watched<'a, T: Real> {
    /// The samples that are read.
    pub samples: &'a dyn Samples<T>,
    /// Called before every block and query; once it is true, reading fails with [`SamplesError::Cancelled`].
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl<T: Real> Samples<T> for Watched<'_, T> {
    same_shape_as!(samples);

    fn executor(&self) -> Option<&dyn Executor> {
        self.samples.executor().map(|_| self as &dyn Executor)
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        self.go_on()?;
        self.samples.block(rows)
    }
}

impl<T: Real> Executor for Watched<'_, T> {
    fn execute(&self, request: &Request) -> Result<Reply, SamplesError> {
        self.go_on()?;
        match self.samples.executor() {
            Some(executor) => executor.execute(request),
            None => Err(SamplesError::Executor { reason: "the samples have no executor any more".into() }),
        }
    }
}

impl<T: Real> Watched<'_, T> {
    fn go_on(&self) -> Result<(), SamplesError> {
        if (self.stop)() { Err(SamplesError::Cancelled) } else { Ok(()) }
    }
}

//! Samples whose reading can be called off.

use std::ops::Range;

use super::{Block, Samples, same_shape_as};
use crate::elsewhere::{Answer, Elsewhere, Question, ask_through};
use crate::{Real, SamplesError};

/// Other samples, read only as long as nobody wants to stop: everything that reads them ends soon after.
pub struct Watched<'a, T: Real> {
    /// The samples that are read.
    pub samples: &'a dyn Samples<T>,
    /// Asked before every block and question; from the first yes on, reading fails with [`SamplesError::CalledOff`].
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl<T: Real> Samples<T> for Watched<'_, T> {
    same_shape_as!(samples);

    fn elsewhere(&self) -> Option<&dyn Elsewhere<T>> {
        self.samples.elsewhere().map(|_| self as &dyn Elsewhere<T>)
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        self.go_on()?;
        self.samples.block(rows)
    }
}

impl<T: Real> Elsewhere<T> for Watched<'_, T> {
    fn ask(&self, question: &Question<'_, T>) -> Result<Answer<T>, SamplesError> {
        self.go_on()?;
        ask_through(self.samples, question)
    }
}

impl<T: Real> Watched<'_, T> {
    fn go_on(&self) -> Result<(), SamplesError> {
        if (self.stop)() { Err(SamplesError::CalledOff) } else { Ok(()) }
    }
}

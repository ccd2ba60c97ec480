//! Samples whose reading can be called off.

use std::ops::Range;

use super::{Block, Samples, same_shape_as};
use crate::{Real, SamplesError};

/// Other samples, read only as long as nobody wants to stop: everything that reads them ends soon after.
pub struct Watched<'a, T: Real> {
    /// The samples that are read.
    pub samples: &'a dyn Samples<T>,
    /// Asked before every block; from the first yes on, reading fails with [`SamplesError::CalledOff`].
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl<T: Real> Samples<T> for Watched<'_, T> {
    same_shape_as!(samples);

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        if (self.stop)() {
            return Err(SamplesError::CalledOff);
        }
        self.samples.block(rows)
    }
}

//! Samples whose reading can be cancelled.

use std::ops::Range;

use super::{Block, Executor, Reply, Request, Samples, same_shape_as};
use crate::{Real, SamplesError};

/// A wrapper of samples with a cancellation check: when `stop` returns true, every computation that reads them ends
/// soon.
///
/// ```
/// use andnmf::SamplesError;
/// use andnmf::samples::{CancellableSamples, DenseSamples, read};
///
/// let samples = DenseSamples::new(ndarray::array![[1.0, 2.0]])?;
/// let cancelled = CancellableSamples { samples: &samples, stop: &|| true };
/// assert!(matches!(read(&cancelled, 0..1), Err(SamplesError::Cancelled)));
/// # Ok::<(), SamplesError>(())
/// ```
pub struct CancellableSamples<'a, T: Real> {
    /// The wrapped samples.
    pub samples: &'a dyn Samples<T>,
    /// The cancellation check, called before every block and query; if it returns true, reading fails with
    /// [`SamplesError::Cancelled`].
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl<T: Real> Samples<T> for CancellableSamples<'_, T> {
    same_shape_as!(samples);

    fn executor(&self) -> Option<&dyn Executor> {
        self.samples.executor().map(|_| self as &dyn Executor)
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        self.check()?;
        self.samples.block(rows)
    }
}

impl<T: Real> Executor for CancellableSamples<'_, T> {
    fn execute(&self, request: &Request) -> Result<Reply, SamplesError> {
        self.check()?;
        match self.samples.executor() {
            Some(executor) => executor.execute(request),
            None => Err(SamplesError::Executor { reason: "the samples no longer have an executor".into() }),
        }
    }
}

impl<T: Real> CancellableSamples<'_, T> {
    fn check(&self) -> Result<(), SamplesError> {
        if (self.stop)() { Err(SamplesError::Cancelled) } else { Ok(()) }
    }
}

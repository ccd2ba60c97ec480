//! The surroundings of a run: threads, observer, cancellation.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Observer, StageView};
use crate::{FitError, Real};

/// More would only wait: the samples are cut into fewer parts than that.
const MOST_THREADS: usize = 256;

/// How a fit is run, as opposed to what is fitted: none of this changes the result.
#[derive(Default)]
pub struct Run<'a, T: Real> {
    observer: Option<&'a mut dyn Observer<T>>,
    cancel: Option<&'a AtomicBool>,
    threads: Option<usize>,
}

impl<'a, T: Real> Run<'a, T> {
    /// All available threads, nobody watching.
    #[must_use]
    pub fn new() -> Self {
        Self { observer: None, cancel: None, threads: None }
    }

    /// Calls the observer after every stage.
    #[must_use]
    pub fn observe(mut self, observer: &'a mut dyn Observer<T>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Stops soon after the flag is set, in the middle of a stage if need be; the last finished stage counts.
    #[must_use]
    pub fn cancel_with(mut self, flag: &'a AtomicBool) -> Self {
        self.cancel = Some(flag);
        self
    }

    /// The same threads and the same flag, with nobody watching, for numbers of any type.
    pub(crate) fn unobserved<U: Real>(&self) -> Run<'a, U> {
        Run { observer: None, cancel: self.cancel, threads: self.threads }
    }

    /// The same threads, with nobody watching and nobody to stop it.
    pub(crate) fn unwatched(&self) -> Self {
        Self { observer: None, cancel: None, threads: self.threads }
    }

    /// Uses this many threads: at least one, and at most 256, since no run can use more. The result is the same
    /// for any number.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.clamp(1, MOST_THREADS));
        self
    }

    /// The threads asked for.
    pub(crate) fn workers(&self) -> Result<Workers, FitError> {
        let Some(threads) = self.threads else { return Ok(Workers(None)) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        match pool {
            Ok(pool) => Ok(Workers(Some(Arc::new(pool)))),
            Err(error) => Err(FitError::Threads { threads, reason: error.to_string() }),
        }
    }

    pub(crate) fn cancel_flag(&self) -> Option<&'a AtomicBool> {
        self.cancel
    }

    pub(crate) fn tell(&mut self, view: &StageView<'_, T>) -> ControlFlow<()> {
        match &mut self.observer {
            Some(observer) => observer.stage(view),
            None => ControlFlow::Continue(()),
        }
    }
}

/// The threads that share the blocks of samples: those of a run, or those of the process.
#[derive(Debug, Clone)]
pub(crate) struct Workers(Option<Arc<rayon::ThreadPool>>);

impl Workers {
    pub(crate) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Some(pool) => pool.install(work),
            // Within the pool that all threads share: from outside, every step that uses it would wait for its threads
            // to wake up.
            None => rayon::scope(|_| work()),
        }
    }
}

/// Whether the flag is set.
pub(crate) fn is_cancelled(flag: Option<&AtomicBool>) -> bool {
    flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
}

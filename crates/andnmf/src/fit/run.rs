//! The surroundings of a run: threads, observer, cancellation.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::Yield;

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

    /// The same for a stage, which hands out work again and again: the threads stay awake in between, since to wake them
    /// up takes as long as many a step.
    pub(crate) fn run_stage<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        if rayon::current_thread_index().is_some() {
            // Within a pool this may be one of several runs side by side, which have other work to wait with.
            return self.run(work);
        }
        let (mut work, mut result) = (Some(work), None);
        self.run(|| {
            let others = rayon::current_num_threads().min(MOST_AWAKE + 1) - 1;
            let mut once = || result = work.take().map(|work| work());
            with_others_awake(others, &mut once, &AtomicBool::new(false));
        });
        result.expect("the work was done")
    }
}

/// Threads beside the first that are kept awake.
const MOST_AWAKE: usize = 7;
/// A thread that has found nothing to do for so long may sleep.
const MOST_IDLE: Duration = Duration::from_micros(500);

/// Does the work while so many other threads look out for what it hands out.
fn with_others_awake(others: usize, work: &mut (dyn FnMut() + Send), done: &AtomicBool) {
    if others == 0 {
        work();
        done.store(true, Ordering::Relaxed);
    } else {
        rayon::join(|| with_others_awake(others - 1, work, done), || stay_awake(done));
    }
}

/// Takes up work of the pool until all is done.
fn stay_awake(done: &AtomicBool) {
    let mut idle_since = Instant::now();
    while !done.load(Ordering::Relaxed) {
        if rayon::yield_now() == Some(Yield::Executed) {
            idle_since = Instant::now();
        } else if idle_since.elapsed() > MOST_IDLE {
            return;
        } else {
            std::thread::yield_now();
        }
    }
}

/// Whether the flag is set.
pub(crate) fn is_cancelled(flag: Option<&AtomicBool>) -> bool {
    flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use rayon::prelude::*;

    use super::*;

    #[test]
    fn the_work_of_a_stage_is_done_once_whoever_stays_awake() {
        let done = AtomicUsize::new(0);
        let work = || {
            done.fetch_add(1, Ordering::Relaxed);
            // A gap long enough that the others give up, then work for all.
            std::thread::sleep(2 * MOST_IDLE);
            (0..10_000_u64).into_par_iter().sum::<u64>()
        };
        for threads in [1, 2, MOST_AWAKE + 3] {
            let workers = Run::<f64>::new().threads(threads).workers().unwrap();
            assert_eq!(workers.run_stage(work), 49_995_000);
            // A stage within the threads of another run.
            assert_eq!(workers.run(|| workers.run_stage(work)), 49_995_000);
        }
        assert_eq!(Workers(None).run_stage(work), 49_995_000);
        assert_eq!(done.into_inner(), 7);
    }

    #[test]
    fn a_thread_stays_awake_for_work_until_all_is_done_or_nothing_comes() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let begun = Instant::now();
        pool.install(|| stay_awake(&AtomicBool::new(false)));
        assert!(begun.elapsed() >= MOST_IDLE);
        let (done, helped) = (AtomicBool::new(false), AtomicBool::new(false));
        // One thread for both: the work is taken up by the one that stays awake, which then sees that all is done.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.scope(|scope| {
            scope.spawn(|_| {
                helped.store(true, Ordering::Relaxed);
                done.store(true, Ordering::Relaxed);
            });
            stay_awake(&done);
            assert!(helped.load(Ordering::Relaxed));
        });
    }
}

//! The execution of a run: threads, observer, cancellation.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::Yield;

use super::{Observer, StageRecord, StageView};
use crate::{FitError, Real};

/// The most threads that a run uses. More would be idle: the samples are split into fewer parts than that.
pub const MAX_THREADS: usize = 256;

/// Execution options of a fit. They do not change the result.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use andnmf::fit::Run;
///
/// let cancel = AtomicBool::new(false); // set it from another thread to stop the fit
/// let run: Run<'_, f64> = Run::new().threads(2).cancel_with(&cancel);
/// ```
#[derive(Default)]
pub struct Run<'a, T: Real> {
    observer: Option<&'a mut dyn Observer<T>>,
    cancel: Option<&'a AtomicBool>,
    threads: Option<usize>,
}

impl<'a, T: Real> Run<'a, T> {
    /// All available threads, no observer.
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

    /// Stops soon after the flag is set, also within a stage; the fit returns the last finished stage.
    #[must_use]
    pub fn cancel_with(mut self, flag: &'a AtomicBool) -> Self {
        self.cancel = Some(flag);
        self
    }

    /// The same threads and cancel flag without the observer, for numbers of any type.
    pub(crate) fn without_observer<'b, U: Real>(&self) -> Run<'b, U>
    where
        'a: 'b,
    {
        Run { observer: None, cancel: self.cancel, threads: self.threads }
    }

    /// The same threads, without observer and cancel flag.
    pub(crate) fn with_same_threads(&self) -> Self {
        Self { observer: None, cancel: None, threads: self.threads }
    }

    /// Uses this many threads, from 1 to 256 (no run can use more). The result does not depend on the number.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.clamp(1, MAX_THREADS));
        self
    }

    /// The worker threads of the run.
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

    pub(crate) fn notify(&mut self, view: &StageView<'_, T>) -> ControlFlow<()> {
        match &mut self.observer {
            Some(observer) => observer.stage(view),
            None => ControlFlow::Continue(()),
        }
    }

    pub(crate) fn notify_refit(&mut self, record: &StageRecord) -> ControlFlow<()> {
        match &mut self.observer {
            Some(observer) => observer.refit_stage(record),
            None => ControlFlow::Continue(()),
        }
    }
}

/// The worker threads that process blocks of samples: a pool of the run, or that of the process.
#[derive(Debug, Clone)]
pub(crate) struct Workers(Option<Arc<rayon::ThreadPool>>);

impl Workers {
    pub(crate) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Some(pool) => pool.install(work),
            // Run inside the global pool: from outside, every parallel step would wait for its threads to wake up.
            None => rayon::scope(|_| work()),
        }
    }

    /// [`run`](Self::run) for a stage, which has many short parallel steps: the threads spin in between, since waking
    /// them takes as long as some of the steps.
    pub(crate) fn run_stage<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        if rayon::current_thread_index().is_some() {
            // Already inside a pool: there may be other concurrent runs, whose work should get the threads.
            return self.run(work);
        }
        let (mut work, mut result) = (Some(work), None);
        self.run(|| {
            let others = rayon::current_num_threads().min(MAX_AWAKE + 1) - 1;
            let mut once = || result = work.take().map(|work| work());
            with_others_awake(others, &mut once, &AtomicBool::new(false));
        });
        result.expect("the work was done")
    }
}

/// The number of threads beside the first that are kept awake.
const MAX_AWAKE: usize = 7;
/// A thread that has been idle for this long may sleep.
const MAX_IDLE: Duration = Duration::from_micros(500);

/// Runs `work` while `others` threads spin, ready to take its parallel tasks.
fn with_others_awake(others: usize, work: &mut (dyn FnMut() + Send), done: &AtomicBool) {
    if others == 0 {
        work();
        done.store(true, Ordering::Relaxed);
    } else {
        rayon::join(|| with_others_awake(others - 1, work, done), || stay_awake(done));
    }
}

/// Executes tasks of the pool until `done` is set, or there has been no task for [`MAX_IDLE`].
fn stay_awake(done: &AtomicBool) {
    let mut idle_since = Instant::now();
    while !done.load(Ordering::Relaxed) {
        if rayon::yield_now() == Some(Yield::Executed) {
            idle_since = Instant::now();
        } else if idle_since.elapsed() > MAX_IDLE {
            return;
        } else {
            std::thread::yield_now();
        }
    }
}

/// Returns true if there is a flag and it is set.
pub(crate) fn is_cancelled(flag: Option<&AtomicBool>) -> bool {
    flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use rayon::prelude::*;

    use super::*;

    #[test]
    fn the_work_of_a_stage_is_done_once_on_any_number_of_threads() {
        let done = AtomicUsize::new(0);
        let work = || {
            done.fetch_add(1, Ordering::Relaxed);
            // A pause long enough that the other threads go to sleep, then parallel work.
            std::thread::sleep(2 * MAX_IDLE);
            (0..10_000_u64).into_par_iter().sum::<u64>()
        };
        for threads in [1, 2, MAX_AWAKE + 3] {
            let workers = Run::<f64>::new().threads(threads).workers().unwrap();
            assert_eq!(workers.run_stage(work), 49_995_000);
            // A stage within the threads of another run.
            assert_eq!(workers.run(|| workers.run_stage(work)), 49_995_000);
        }
        assert_eq!(Workers(None).run_stage(work), 49_995_000);
        assert_eq!(done.into_inner(), 7);
    }

    #[test]
    fn a_thread_stays_awake_until_the_work_is_done_or_it_is_idle_for_too_long() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let started = Instant::now();
        pool.install(|| stay_awake(&AtomicBool::new(false)));
        assert!(started.elapsed() >= MAX_IDLE);
        let (done, helped) = (AtomicBool::new(false), AtomicBool::new(false));
        // A pool of one thread: the spinning thread itself executes the task, which sets `done`.
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

//! Runs library code from Python: releases the GIL, gives each call its own thread pool, handles Ctrl-C.

use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use pyo3::prelude::*;

use crate::error::CallError;

/// Interval between checks for Ctrl-C.
const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A task for the thread that made the call, which alone handles signals and owns much of Python's state.
type CallerTask = Box<dyn FnOnce(Python<'_>) -> PyResult<()> + Send>;

thread_local! {
    /// The channel by which worker threads send tasks to the caller; the message `None` says that the call has ended.
    static CALLER_TASKS: RefCell<Option<Sender<Option<CallerTask>>>> = const { RefCell::new(None) };
}

/// Runs a task on the thread that made the call and waits for its result. If the task raises, the call ends with that
/// exception and this function returns `None`.
pub(crate) fn run_on_caller<R: Send + 'static>(
    task: impl FnOnce(Python<'_>) -> PyResult<R> + Send + 'static,
) -> Option<R> {
    let (done, wait) = channel();
    let task: CallerTask = Box::new(move |py| {
        // Sending fails only if the waiting thread has panicked.
        let _ = done.send(task(py)?);
        Ok(())
    });
    let sent = CALLER_TASKS.with_borrow(|tasks| tasks.as_ref().map(|tasks| tasks.send(Some(task))));
    sent?.ok()?;
    wait.recv().ok()
}

/// Runs `work` on `threads` threads (`None`: one per core) while other Python threads continue.
///
/// Each call has its own thread pool: rayon's global pool does not survive a fork, which copies memory but no threads.
/// Signal handlers run meanwhile; if one raises, the cancellation flag passed to `work` is set, and the exception is
/// raised once `work` has returned.
pub(crate) fn interruptible<R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&AtomicBool) -> Result<R, CallError> + Send,
) -> PyResult<R> {
    let (tasks, wait) = channel::<Option<CallerTask>>();
    let for_workers = Mutex::new(tasks.clone());
    // Zero: rayon uses one thread per core.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).start_handler(move |_| {
        if let Ok(tasks) = for_workers.lock() {
            CALLER_TASKS.set(Some(tasks.clone()));
        }
    });
    let pool = pool.thread_name(|i| format!("andnmf-{i}")).build();
    let pool =
        pool.map_err(|error| CallError::Runtime(format!("cannot start the worker threads: {error}")))?;
    let cancel = AtomicBool::new(false);
    py.detach(move || {
        let result = Mutex::new(None);
        let mut raised = None;
        pool.in_place_scope(|scope| {
            let (cancel, result) = (&cancel, &result);
            scope.spawn(move |_| {
                // Ends the loop below however the work ends, also by a panic, which the scope propagates.
                let _close = CloseOnDrop(tasks);
                let outcome = work(cancel);
                if let Ok(mut result) = result.lock() {
                    *result = Some(outcome);
                }
            });
            loop {
                let done = match wait.recv_timeout(SIGNAL_CHECK_INTERVAL) {
                    Ok(Some(task)) => Python::attach(task),
                    Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()),
                    Ok(None) | Err(RecvTimeoutError::Disconnected) => break,
                };
                if let Err(error) = done {
                    cancel.store(true, Ordering::Relaxed);
                    raised.get_or_insert(error);
                }
            }
        });
        match (raised, result.into_inner().unwrap_or_default()) {
            (Some(error), _) => Err(error),
            (None, Some(result)) => result.map_err(PyErr::from),
            (None, None) => {
                Err(CallError::Runtime("internal error: the computation ended without a result".to_owned())
                    .into())
            }
        }
    })
}

/// Tells the caller, when dropped, that no more tasks will come.
struct CloseOnDrop(Sender<Option<CallerTask>>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        let _ = self.0.send(None);
    }
}

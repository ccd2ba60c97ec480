//! Runs library code from Python: releases the GIL, gives each call its own thread pool, handles Ctrl-C.

use std::cell::{Cell, RefCell};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use andnmf::fit::MAX_THREADS;
use pyo3::prelude::*;

use crate::error::CallError;

/// Interval between checks for Ctrl-C.
const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// The names of the threads of calls begin with this.
const THREAD_NAME: &str = "andnmf-";

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
    let threads = threads.unwrap_or(0).min(MAX_THREADS);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(move |_| {
        if let Ok(tasks) = for_workers.lock() {
            CALLER_TASKS.set(Some(tasks.clone()));
        }
    });
    let pool = pool.thread_name(|i| format!("{THREAD_NAME}{i}")).build();
    let pool =
        pool.map_err(|error| CallError::Runtime(format!("cannot start the worker threads: {error}")))?;
    let cancel = AtomicBool::new(false);
    py.detach(move || {
        let result = Mutex::new(None);
        let mut raised = None;
        pool.in_place_scope(|scope| {
            let (cancel, result) = (&cancel, &result);
            scope.spawn(move |_| {
                // Ends the loop below however the work ends.
                let _close = CloseOnDrop(tasks);
                let outcome = without_panic(|| work(cancel));
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

thread_local! {
    /// The message of the last panic on this thread.
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    /// True while this thread runs work whose panics become errors.
    static CATCHES_PANICS: Cell<bool> = const { Cell::new(false) };
}

/// Keeps the messages of panics in calls from standard error: they are part of the exceptions that calls raise.
pub(crate) fn quiet_panics() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let worker = std::thread::current().name().is_some_and(|name| name.starts_with(THREAD_NAME));
        if worker || CATCHES_PANICS.get() {
            LAST_PANIC.set(Some(panic.to_string()));
        } else {
            default(panic);
        }
    }));
}

/// Turns a panic, which is an error in the library, into an error that Python code can catch.
pub(crate) fn without_panic<R>(work: impl FnOnce() -> Result<R, CallError>) -> Result<R, CallError> {
    let before = CATCHES_PANICS.replace(true);
    // What the work leaves half done belongs to this call, which ends.
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    CATCHES_PANICS.set(before);
    result.unwrap_or_else(|panic| {
        let payload = panic.downcast_ref::<String>().cloned();
        let payload = payload.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        let message = LAST_PANIC.take().or(payload).unwrap_or_else(|| "of unknown cause".to_owned());
        Err(CallError::Runtime(format!("internal error in andnmf, please report it: {message}")))
    })
}

/// Tells the caller, when dropped, that no more tasks will come.
struct CloseOnDrop(Sender<Option<CallerTask>>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        let _ = self.0.send(None);
    }
}

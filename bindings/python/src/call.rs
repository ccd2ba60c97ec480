//! How the library is called: interpreter released, threads of the call's own, Ctrl-C listened for.

use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use pyo3::prelude::*;

use crate::failure::Failure;

/// How long Ctrl-C may wait until it is seen.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Something that only the thread that made the call can do, since signals and much of Python belong to it.
type Errand = Box<dyn FnOnce(Python<'_>) -> PyResult<()> + Send>;

thread_local! {
    /// Where threads of a call leave errands; nothing where there are none, which says that the call has ended.
    static ERRANDS: RefCell<Option<Sender<Option<Errand>>>> = const { RefCell::new(None) };
}

/// Has the thread that made the call do something, and waits for it. What is raised there is raised by the call, and
/// ends it; here it is then nothing.
pub(crate) fn by_caller<R: Send + 'static>(
    errand: impl FnOnce(Python<'_>) -> PyResult<R> + Send + 'static,
) -> Option<R> {
    let (done, wait) = channel();
    let errand: Errand = Box::new(move |py| {
        // Whoever waits has gone away only after a panic.
        let _ = done.send(errand(py)?);
        Ok(())
    });
    let left = ERRANDS.with_borrow(|errands| errands.as_ref().map(|errands| errands.send(Some(errand))));
    left?.ok()?;
    wait.recv().ok()
}

/// Runs `work` on `threads` threads (all of the machine's where none are given) while other Python threads go on.
///
/// The threads are made for the call and end with it: the library's usual pool would not survive a fork, after which
/// a process has its memory but none of its threads. Signals are looked for meanwhile; one that raises sets the flag
/// that `work` is handed, and is raised once `work` has come to its end.
pub(crate) fn interruptible<R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&AtomicBool) -> Result<R, Failure> + Send,
) -> PyResult<R> {
    let (errands, wait) = channel::<Option<Errand>>();
    let for_threads = Mutex::new(errands.clone());
    // Zero lets rayon count the cores.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).start_handler(move |_| {
        if let Ok(errands) = for_threads.lock() {
            ERRANDS.set(Some(errands.clone()));
        }
    });
    let pool = pool.thread_name(|i| format!("andnmf-{i}")).build();
    let failed = |error| Failure::Machine(format!("worker threads could not be started: {error}"));
    let pool = pool.map_err(failed)?;
    let cancel = AtomicBool::new(false);
    py.detach(move || {
        let result = Mutex::new(None);
        let mut raised = None;
        pool.in_place_scope(|scope| {
            let (cancel, result) = (&cancel, &result);
            scope.spawn(move |_| {
                // Sent however the work ends, also by a panic, which the scope passes on.
                let _at_the_end = AtTheEnd(errands);
                let found = work(cancel);
                if let Ok(mut result) = result.lock() {
                    *result = Some(found);
                }
            });
            loop {
                let done = match wait.recv_timeout(BETWEEN_LOOKS) {
                    Ok(Some(errand)) => Python::attach(errand),
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
            (None, None) => Err(Failure::Machine("the work ended without a result".to_owned()).into()),
        }
    })
}

/// Says that there will be no more errands, when it goes.
struct AtTheEnd(Sender<Option<Errand>>);

impl Drop for AtTheEnd {
    fn drop(&mut self) {
        let _ = self.0.send(None);
    }
}

//! How the library is called: interpreter released, threads of the call's own, Ctrl-C listened for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;

use crate::failure::Failure;

/// How long Ctrl-C may wait until it is seen.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

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
    // Zero lets rayon count the cores.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
    let pool = pool.thread_name(|i| format!("andnmf-{i}")).build();
    let failed = |error| Failure::Machine(format!("worker threads could not be started: {error}"));
    let pool = pool.map_err(failed)?;
    let cancel = AtomicBool::new(false);
    py.detach(|| {
        let (done, wait) = channel();
        pool.in_place_scope(|scope| {
            let cancel = &cancel;
            scope.spawn(move |_| {
                // The other end only goes away after a panic, which the scope passes on.
                let _ = done.send(work(cancel));
            });
            let mut raised = None;
            loop {
                match wait.recv_timeout(BETWEEN_LOOKS) {
                    Ok(result) => break raised.map_or_else(|| result.map_err(PyErr::from), Err),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            cancel.store(true, Ordering::Relaxed);
                            raised.get_or_insert(error);
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        let message = "the work ended without a result".to_owned();
                        break Err(raised.unwrap_or_else(|| Failure::Machine(message).into()));
                    }
                }
            }
        })
    })
}

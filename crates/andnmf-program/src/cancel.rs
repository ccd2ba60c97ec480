//! Ctrl-C: the first one requests a stop, the second one ends the process.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of a command that was stopped by Ctrl-C, as shells have it: 128 and the number of the signal.
pub const STOPPED: u8 = 130;

static REQUESTED: AtomicBool = AtomicBool::new(false);
static LISTEN: Once = Once::new();

/// The flag that Ctrl-C (or the signal to terminate) sets, from the first call of this on: for
/// [`Run::cancel_with`](andnmf::fit::Run::cancel_with). Before that, Ctrl-C ends the process.
pub fn flag() -> &'static AtomicBool {
    LISTEN.call_once(|| {
        // Where no handler can be set, Ctrl-C ends the process, as it does without us.
        let _ = ctrlc::set_handler(|| {
            if REQUESTED.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(STOPPED));
            }
        });
    });
    &REQUESTED
}

/// Whether a stop was requested.
#[must_use]
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

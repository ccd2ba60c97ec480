//! Ctrl-C: the first one requests cancellation, the second one ends the process.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of a command cancelled by Ctrl-C: 128 plus the number of the signal, as in shells.
pub const EXIT_CANCELLED: u8 = 130;

static REQUESTED: AtomicBool = AtomicBool::new(false);
static INSTALL_HANDLER: Once = Once::new();

/// Installs the handler for Ctrl-C (and SIGTERM) on the first call and returns the flag that it sets, for
/// [`Run::cancel_with`](andnmf::fit::Run::cancel_with). Before the first call, Ctrl-C ends the process.
pub fn flag() -> &'static AtomicBool {
    INSTALL_HANDLER.call_once(|| {
        // If no handler can be installed, Ctrl-C ends the process as usual.
        let _ = ctrlc::set_handler(|| {
            if REQUESTED.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(EXIT_CANCELLED));
            }
        });
    });
    &REQUESTED
}

/// Returns true if cancellation was requested.
#[must_use]
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

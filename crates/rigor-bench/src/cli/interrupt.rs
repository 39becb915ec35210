//! Ctrl-C and requests to terminate.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flag that Ctrl-C or a request to terminate sets; a run then finishes its step and stops.
///
/// The first call installs the handler. A second signal ends the process at once.
pub fn flag() -> &'static AtomicBool {
    static FLAG: AtomicBool = AtomicBool::new(false);
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let handler = || {
            if FLAG.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        };
        // Without a handler Ctrl-C ends the process at once; the run can be resumed in that case too.
        let _ = ctrlc::set_handler(handler);
    });
    &FLAG
}

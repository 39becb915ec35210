//! Ctrl-C.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by Ctrl-C (and by a request to terminate): whoever runs finishes its step and stops. A second one ends the process.
pub fn flag() -> &'static AtomicBool {
    static FLAG: AtomicBool = AtomicBool::new(false);
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let handler = || {
            if FLAG.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        };
        // Without a handler Ctrl-C ends the process at once, which leaves a resumable run as well.
        let _ = ctrlc::set_handler(handler);
    });
    &FLAG
}

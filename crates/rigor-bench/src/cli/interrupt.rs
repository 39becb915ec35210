//! Ctrl-C and requests to terminate.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a run may take to end by itself after the first signal. A step or a frame before the judges may take longer; what is
/// left of a second is for the end of the process on a machine that is busy.
const PATIENCE: Duration = Duration::from_millis(600);

/// The flag that Ctrl-C or a request to terminate sets; a run then finishes its step and stops.
///
/// The first call installs the handler. A second signal ends the process at once, and so does the end of [`PATIENCE`]: a run
/// resumes from its last checkpoint, and a study makes again the runs that were under way.
pub fn flag() -> &'static AtomicBool {
    static FLAG: AtomicBool = AtomicBool::new(false);
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let handler = || {
            if FLAG.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
            std::thread::spawn(end_after_patience);
        };
        // Without a handler Ctrl-C ends the process at once; the run can be resumed in that case too.
        let _ = ctrlc::set_handler(handler);
    });
    &FLAG
}

#[allow(clippy::print_stderr, reason = "the process ends here")]
fn end_after_patience() {
    std::thread::sleep(PATIENCE);
    eprintln!(
        "interrupted: what is finished is kept by `run`, `compare` and `study`, which go on with `--resume` or again, and by `reproduce`, again in the same folder"
    );
    std::process::exit(130);
}

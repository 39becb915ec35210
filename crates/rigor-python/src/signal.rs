//! Ctrl-C during long work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How long to wait between looks at signals.
const PATIENCE: Duration = Duration::from_millis(30);

/// Does the work in a thread, while this one looks at signals, which set the flag that the work is given. The caller has
/// released the interpreter.
///
/// # Errors
/// The exception of a signal, such as `KeyboardInterrupt`, once the work has ended; or a panic in the work.
pub fn interruptible<T: Send>(work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| work(&stop));
        let mut signal = None;
        while !worker.is_finished() {
            std::thread::sleep(PATIENCE);
            if signal.is_none() {
                signal = Python::attach(|py: Python<'_>| -> PyResult<()> { py.check_signals() }).err();
                stop.store(signal.is_some(), Ordering::Relaxed);
            }
        }
        let made = worker.join().map_err(|_| PyRuntimeError::new_err("a panic in a run"))?;
        signal.map_or(Ok(made), Err)
    })
}

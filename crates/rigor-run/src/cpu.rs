//! Processor time.

/// The kind of time that [`seconds`] returns on this system.
pub const WHAT: &str =
    if cfg!(unix) { "CPU time" } else { "wall time, as CPU time is not available on this system" };

/// Returns the processor time (s) of all threads of this process together, including system calls.
#[cfg(unix)]
pub fn seconds() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    spent.tv_sec as f64 + 1e-9 * spent.tv_nsec as f64
}

/// Returns the seconds since an arbitrary start; the processor clock is read on Unix only.
#[cfg(not(unix))]
pub fn seconds() -> f64 {
    (crate::clock::clock().0)()
}

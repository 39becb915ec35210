//! Time on the processor.

/// What [`seconds`] tells here.
pub const WHAT: &str = if cfg!(unix) { "CPU time" } else { "wall time, for want of CPU time on this system" };

/// Seconds that all threads of this process together have spent on a processor, system calls included.
#[cfg(unix)]
pub fn seconds() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    spent.tv_sec as f64 + 1e-9 * spent.tv_nsec as f64
}

/// Seconds since an arbitrary start: the clock of the processor is read on Unix alone.
#[cfg(not(unix))]
pub fn seconds() -> f64 {
    (crate::clock::clock().0)()
}

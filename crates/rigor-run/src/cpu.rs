//! Processor time.

use rigor_peers::process::peer::{ENGINE, TRANSPORT};
use rigor_scene::StepReport;

/// The phase of a step of an engine in a process of its own in which it was started and its world made.
const LOAD: &str = "load";

/// The kind of time that [`seconds`] returns on this system.
pub const WHAT: &str =
    if cfg!(unix) { "CPU time" } else { "wall time, as CPU time is not available on this system" };

/// Returns the processor time (s) of all threads of this process together, including system calls.
#[cfg(unix)]
pub fn seconds() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    spent.tv_sec as f64 + 1e-9 * spent.tv_nsec as f64
}

/// Returns the processor time (s) of the work done here: of this thread if work runs on one thread, else of the process.
///
/// Runs side by side in one process must have one thread each, so that each is charged for its own work only.
#[cfg(unix)]
pub fn here() -> f64 {
    if rayon::current_num_threads() > 1 {
        return seconds();
    }
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    spent.tv_sec as f64 + 1e-9 * spent.tv_nsec as f64
}

/// Returns the processor time (s) of a step that an engine in a process of its own took, without transport; `None` for a
/// step that was taken here.
pub fn elsewhere(report: &StepReport) -> Option<f64> {
    report.phases.iter().find(|phase| phase.phase == ENGINE).map(|phase| phase.seconds)
}

/// Returns the wall time (s) in which an engine in a process of its own was started and its world made: no part of a step.
pub fn loading(report: &StepReport) -> f64 {
    let load = report.phases.iter().find(|phase| phase.phase == LOAD);
    elsewhere(report).and(load).map_or(0.0, |phase| phase.seconds)
}

/// Adds the CPU time (s) of this process for a step to that which its transport took in the process of an engine, and
/// returns their sum; `None` for a step that was taken here.
pub fn add_transport(report: &mut StepReport, here: f64) -> Option<f64> {
    let transport = report.quantities.iter_mut().find(|quantity| quantity.name == TRANSPORT)?;
    transport.value += here;
    Some(transport.value)
}

/// Returns the seconds since an arbitrary start; see [`seconds`].
#[cfg(not(unix))]
pub fn here() -> f64 {
    seconds()
}

/// Returns the seconds since an arbitrary start; the processor clock is read on Unix only.
#[cfg(not(unix))]
pub fn seconds() -> f64 {
    (crate::clock::clock().0)()
}

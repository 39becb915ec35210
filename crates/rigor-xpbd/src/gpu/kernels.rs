//! The kernels of `bonds.wgsl`.

use rigor_gpu::{Binding, DeviceError, Program, Session};

/// A kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kernel {
    Predict,
    Separate,
    Project,
    Note,
    Gather,
    Finish,
}

/// Names of the kernels, in their order.
const NAMES: [&str; 6] = ["predict", "separate", "project", "note", "gather", "finish"];

/// Bytes of the structure that names the bonds of a dispatch.
pub(crate) const PART: u64 = 16;

/// Arrays, in the order of their bindings.
const BINDINGS: [Binding; 9] = [
    Binding::Settings,
    Binding::Part(PART),
    Binding::Written,
    Binding::Written,
    Binding::Read,
    Binding::Written,
    Binding::Written,
    Binding::Written,
    Binding::Read,
];

/// Number of arrays of a kernel, without settings.
pub(crate) const N_BUFFERS: u32 = BINDINGS.len() as u32 - 2;

/// Stages of a substep, as they are timed.
pub(crate) const STAGES: &[&str] = &["predict", "solve", "velocities"];

/// Compiles all kernels.
pub(crate) fn compile(session: &Session) -> Result<Program, DeviceError> {
    Program::compile(session, include_str!("bonds.wgsl").to_owned(), &NAMES, &BINDINGS)
}

//! The kernels of bodies, and the arrays that they share.

use rigor_gpu::{Binding, DeviceError, Program, Session};

/// The program.
const SOURCE: [&str; 4] = [
    include_str!("body.wgsl"),
    include_str!("joint.wgsl"),
    include_str!("detect.wgsl"),
    include_str!("push.wgsl"),
];

/// A kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kernel {
    Predict,
    UpdateVelocities,
    HoldJoints,
    NoteJoints,
    GatherBodies,
    SettleJoints,
    Detect,
    PushPairs,
    SlowPairs,
}

/// Names of the kernels, in their order.
const NAMES: [&str; 9] = [
    "predict",
    "update_velocities",
    "hold_joints",
    "note_joints",
    "gather_bodies",
    "settle_joints",
    "detect",
    "push_pairs",
    "slow_pairs",
];

/// Bytes of the structure that names the constraints of a dispatch.
pub(super) const PART: u64 = 16;

/// Arrays, in the order of their bindings.
const BINDINGS: [Binding; 10] = [
    Binding::Settings,
    Binding::Part(PART),
    Binding::Written,
    Binding::Written,
    Binding::Written,
    Binding::Read,
    Binding::Written,
    Binding::Written,
    Binding::Read,
    Binding::Written,
];

/// Number of arrays of a kernel, without settings.
pub(super) const N_BUFFERS: u32 = BINDINGS.len() as u32 - 2;

/// Stages of a substep, as they are timed.
pub(super) const STAGES: &[&str] = &["predict", "contacts", "solve", "velocities"];

/// Compiles all kernels.
pub(super) fn compile(session: &Session) -> Result<Program, DeviceError> {
    Program::compile(session, SOURCE.join("\n"), &NAMES, &BINDINGS)
}

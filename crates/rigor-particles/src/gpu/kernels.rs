//! Kernels and the arrays that they share.

use rigor_gpu::wgpu::{BindGroup, Buffer, ComputePass};
use rigor_gpu::{Binding, DeviceError, Program, Session};

/// The program, in the order of its stages.
const SOURCE: [&str; 7] = [
    include_str!("types.wgsl"),
    include_str!("values.wgsl"),
    include_str!("grid.wgsl"),
    include_str!("wall.wgsl"),
    include_str!("collision.wgsl"),
    include_str!("momenta.wgsl"),
    include_str!("pose.wgsl"),
];
/// Maximum number of workgroups per dimension, on every adapter; few in tests, which so have rows of workgroups.
const WIDEST: u32 = if cfg!(test) { 7 } else { 65_535 };

/// Bindings: the settings, then arrays of which some are only read.
pub(crate) const N_BINDINGS: usize = 10;
/// Number of arrays of a kernel.
pub(crate) const N_BUFFERS: u32 = N_BINDINGS as u32 - 1;
const ONLY_READ: [usize; 3] = [2, 4, 9];

/// A kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kernel {
    Begin,
    ParticleValues,
    Clear,
    Count,
    SumBlocks,
    SumSums,
    AddSums,
    Scatter,
    Order,
    Collide,
    SumForces,
    ChooseSubstep,
    MoveBodies,
}

use Kernel::{
    AddSums, Begin, ChooseSubstep, Clear, Collide, Count, MoveBodies, Order, ParticleValues, Scatter,
    SumBlocks, SumForces, SumSums,
};

/// All kernels, with the names of their entry points.
const ALL: [(Kernel, &str); 13] = [
    (Begin, "begin"),
    (ParticleValues, "particle_values"),
    (Clear, "clear"),
    (Count, "count"),
    (SumBlocks, "sum_blocks"),
    (SumSums, "sum_sums"),
    (AddSums, "add_sums"),
    (Scatter, "scatter"),
    (Order, "order"),
    (Collide, "collide"),
    (SumForces, "sum_forces"),
    (ChooseSubstep, "choose_substep"),
    (MoveBodies, "move_bodies"),
];

/// The five stages of \[Harada2007\], by name.
pub(crate) const STAGES: [(&str, &[Kernel]); 5] = [
    ("particle values", &[ParticleValues]),
    ("grid", &[Clear, Count, SumBlocks, SumSums, AddSums, Scatter, Order]),
    ("collision", &[Collide]),
    ("momenta", &[SumForces, ChooseSubstep]),
    ("position and quaternion", &[MoveBodies]),
];

/// Numbers of what kernels run over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    pub bodies: u32,
    pub particles: u32,
    pub buckets: u32,
}

/// Compiled kernels.
#[derive(Debug)]
pub(crate) struct Kernels {
    program: Program,
}

impl Kernels {
    pub fn compile(session: &Session) -> Result<Self, DeviceError> {
        let binding = |i| match i {
            0 => Binding::Settings,
            i if ONLY_READ.contains(&i) => Binding::Read,
            _ => Binding::Written,
        };
        let bindings: [Binding; N_BINDINGS] = std::array::from_fn(binding);
        let names = ALL.map(|(_, name)| name);
        Ok(Self { program: Program::compile(session, SOURCE.concat(), &names, &bindings)? })
    }

    /// Binds the arrays, in the order of `types.wgsl`.
    pub fn bind(&self, session: &Session, buffers: [&Buffer; N_BINDINGS]) -> BindGroup {
        self.program.bind(session, &buffers)
    }

    /// Adds a kernel to `pass`.
    pub fn run(&self, kernel: Kernel, counts: Counts, pass: &mut ComputePass<'_>) {
        let Counts { bodies, particles, buckets } = counts;
        let groups = match kernel {
            Begin | MoveBodies => bodies.div_ceil(64),
            ParticleValues | Count | Scatter | Collide => particles.div_ceil(64),
            Clear | AddSums => buckets.div_ceil(256),
            SumBlocks => buckets.div_ceil(1024),
            Order => buckets.div_ceil(64),
            SumSums | ChooseSubstep => 1,
            // One workgroup for each body.
            SumForces => bodies,
        };
        self.program.run_in_rows(kernel as usize, groups, WIDEST, pass);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_lie_in_the_order_of_their_names() {
        assert!(ALL.iter().enumerate().all(|(i, (kernel, _))| *kernel as usize == i));
        let in_stages: Vec<Kernel> = STAGES.iter().flat_map(|(_, kernels)| kernels.iter().copied()).collect();
        let substep: Vec<Kernel> = ALL[1..].iter().map(|(kernel, _)| *kernel).collect();
        assert_eq!(in_stages, substep, "every kernel but the first one is in a stage");
    }
}

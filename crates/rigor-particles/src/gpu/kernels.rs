//! Kernels and the arrays that they share.

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingType, Buffer, BufferBindingType, ComputePass, ComputePipeline,
    ComputePipelineDescriptor, PipelineCompilationOptions, PipelineLayoutDescriptor, ShaderModuleDescriptor,
    ShaderSource, ShaderStages,
};

use crate::gpu::error::GpuError;
use crate::gpu::session::Session;

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
    layout: BindGroupLayout,
    pipelines: Vec<ComputePipeline>,
}

impl Kernels {
    pub fn compile(session: &Session) -> Result<Self, GpuError> {
        let device = &session.device;
        let entry = |binding: usize| BindGroupLayoutEntry {
            binding: binding as u32,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer {
                ty: if binding == 0 {
                    BufferBindingType::Uniform
                } else {
                    BufferBindingType::Storage { read_only: ONLY_READ.contains(&binding) }
                },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let entries: Vec<_> = (0..N_BINDINGS).map(entry).collect();
        let layout =
            device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: None, entries: &entries });
        let pipeline_layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&layout)],
            ..PipelineLayoutDescriptor::default()
        });
        let source = ShaderSource::Wgsl(SOURCE.concat().into());
        let module = device.create_shader_module(ShaderModuleDescriptor { label: None, source });
        let compile = |(_, name): &(Kernel, &str)| {
            device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: Some(name),
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(name),
                compilation_options: PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        let pipelines = ALL.iter().map(compile).collect();
        session.check()?;
        Ok(Self { layout, pipelines })
    }

    /// Binds the arrays, in the order of `types.wgsl`.
    pub fn bind(&self, session: &Session, buffers: [&Buffer; N_BINDINGS]) -> BindGroup {
        let entries: Vec<_> = buffers
            .iter()
            .enumerate()
            .map(|(i, buffer)| BindGroupEntry { binding: i as u32, resource: buffer.as_entire_binding() })
            .collect();
        let (layout, entries) = (&self.layout, entries.as_slice());
        session.device.create_bind_group(&BindGroupDescriptor { label: None, layout, entries })
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
        pass.set_pipeline(&self.pipelines[kernel as usize]);
        // In rows, where there are more than fit into one.
        pass.dispatch_workgroups(groups.min(WIDEST), groups.div_ceil(WIDEST), 1);
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

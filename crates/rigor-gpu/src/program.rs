//! Kernels and the arrays that they share.

use std::num::NonZeroU64;

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingResource, BindingType, Buffer, BufferBinding, BufferBindingType,
    ComputePass, ComputePipeline, ComputePipelineDescriptor, PipelineCompilationOptions,
    PipelineLayoutDescriptor, ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use crate::error::DeviceError;
use crate::session::Session;

/// Maximum number of workgroups per dimension, on every adapter.
const WIDEST: u32 = 65_535;

/// What a kernel sees of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// Settings: a uniform structure.
    Settings,
    /// A part of so many bytes of an array of settings, which each dispatch chooses.
    Part(u64),
    /// An array that is only read.
    Read,
    /// An array that is read and written.
    Written,
}

/// Compiled kernels, which share one layout of arrays: group 0, in the order of the bindings.
#[derive(Debug)]
pub struct Program {
    layout: BindGroupLayout,
    pipelines: Vec<ComputePipeline>,
    bindings: Vec<Binding>,
}

impl Program {
    /// Compiles the kernels with these `names` in `source` (WGSL).
    ///
    /// # Errors
    /// [`DeviceError::Lost`] if the device refuses them.
    pub fn compile(
        session: &Session,
        source: String,
        names: &[&str],
        bindings: &[Binding],
    ) -> Result<Self, DeviceError> {
        let device = &session.device;
        let entries: Vec<_> = bindings.iter().enumerate().map(|(i, binding)| entry(i, *binding)).collect();
        let layout =
            device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: None, entries: &entries });
        let pipeline_layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&layout)],
            ..PipelineLayoutDescriptor::default()
        });
        let source = ShaderSource::Wgsl(source.into());
        let module = device.create_shader_module(ShaderModuleDescriptor { label: None, source });
        let compile = |name: &&str| {
            device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: Some(name),
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(name),
                compilation_options: PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        let pipelines = names.iter().map(compile).collect();
        session.check()?;
        Ok(Self { layout, pipelines, bindings: bindings.to_vec() })
    }

    /// Binds arrays, one for each binding.
    pub fn bind(&self, session: &Session, buffers: &[&Buffer]) -> BindGroup {
        let entries: Vec<_> = (0..).zip(self.bindings.iter().zip(buffers)).map(bound).collect();
        let (layout, entries) = (&self.layout, entries.as_slice());
        session.device.create_bind_group(&BindGroupDescriptor { label: None, layout, entries })
    }

    /// Adds the kernel at place `kernel` of the names to `pass`, in rows of at most `widest` workgroups.
    pub fn run_in_rows(&self, kernel: usize, groups: u32, widest: u32, pass: &mut ComputePass<'_>) {
        pass.set_pipeline(&self.pipelines[kernel]);
        pass.dispatch_workgroups(groups.min(widest), groups.div_ceil(widest), 1);
    }

    /// Adds the kernel at place `kernel` of the names to `pass`. Where there are more workgroups than fit into one row,
    /// there are several rows.
    pub fn run(&self, kernel: usize, groups: u32, pass: &mut ComputePass<'_>) {
        self.run_in_rows(kernel, groups, WIDEST, pass);
    }
}

fn bound<'a>((i, (binding, buffer)): (u32, (&Binding, &&'a Buffer))) -> BindGroupEntry<'a> {
    let resource = match binding {
        Binding::Part(size) => {
            BindingResource::Buffer(BufferBinding { buffer, offset: 0, size: NonZeroU64::new(*size) })
        }
        _ => buffer.as_entire_binding(),
    };
    BindGroupEntry { binding: i, resource }
}

fn entry(i: usize, binding: Binding) -> BindGroupLayoutEntry {
    let (ty, size) = match binding {
        Binding::Settings => (BufferBindingType::Uniform, None),
        Binding::Part(size) => (BufferBindingType::Uniform, NonZeroU64::new(size)),
        Binding::Read => (BufferBindingType::Storage { read_only: true }, None),
        Binding::Written => (BufferBindingType::Storage { read_only: false }, None),
    };
    let has_dynamic_offset = matches!(binding, Binding::Part(_));
    BindGroupLayoutEntry {
        binding: i as u32,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: size },
        count: None,
    }
}

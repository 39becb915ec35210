//! Doubles three numbers on every adapter of this machine: `cargo run -p rigor-gpu --features wgpu --example double`.

#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use rigor_gpu::wgpu::BufferUsages;
use rigor_gpu::{Binding, Bytes, DeviceError, Program, Session, float_at};

const SOURCE: &str = "
@group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
@compute @workgroup_size(64)
fn double(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&numbers) { numbers[id.x] *= 2.0; }
}";

/// Doubles `three` numbers on an adapter.
fn double(adapter: Option<&str>, three: [f64; 3]) -> Result<[f64; 3], DeviceError> {
    let session = Session::open(adapter, 1)?;
    let program = Program::compile(&session, SOURCE.into(), &["double"], &[Binding::Written])?;
    let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
    let numbers = session.buffer("numbers", 12, storage)?;
    let staging = session.buffer("staging", 12, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
    let mut bytes = Bytes::default();
    bytes.floats(three);
    session.queue.write_buffer(&numbers, 0, &bytes.0);
    let group = program.bind(&session, &[&numbers]);
    let mut encoder = session.device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_bind_group(0, &group, &[]);
    program.run(0, 1, &mut pass);
    drop(pass);
    encoder.copy_buffer_to_buffer(&numbers, 0, &staging, 0, 12);
    session.queue.submit([encoder.finish()]);
    let bytes = session.read(&staging, 12)?;
    Ok([0, 1, 2].map(|i| float_at(&bytes, i)))
}

fn main() -> Result<(), DeviceError> {
    for adapter in rigor_gpu::adapters() {
        println!("{adapter}: {:?}", double(Some(&adapter), [1.0, 2.5, -3.0])?);
    }
    Ok(())
}

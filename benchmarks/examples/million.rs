//! Boxes of 5 × 4 × 5 particles each that fall onto a floor: time and memory of a long run.
//!
//! `RAYON_NUM_THREADS=1 cargo run --release -p rigor-benchmarks --example million -- [bodies] [steps] [finer]`; the defaults are 10 000
//! bodies, hence 10⁶ particles, and 1000 steps of 1 ms. With `finer` = 2, the same boxes have 10 × 8 × 10 particles. Prints rows in CSV, the first after ten steps: memory of the process, now and
//! at its peak (Linux only), and means over the steps since the row before.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::time::Instant;

use rigor_math::{Pose, Vec3};
use rigor_particles::{Config, Particles};
use rigor_scene::{BodySpec, Clock, Friction, Method, PartKind, PlacedShape, Role, Scene, State};
use rigor_shapes::Cuboid;

/// Diameter of a particle (m), unless finer ones are asked for.
const D: f64 = 0.1;
/// Length of a step (s).
const DT: f64 = 1e-3;
/// Steps per row.
const EVERY: u64 = 50;

/// `n` boxes of 5 × 4 × 5 particles in a loose block of 16 layers above a floor, turned a little.
fn scene(n: usize) -> Result<Scene, Box<dyn Error>> {
    let side = (1..).find(|side| 16 * side * side >= n).unwrap_or(1);
    let shape = |size: Vec3| -> Result<PlacedShape, Box<dyn Error>> {
        let mesh = Cuboid::new(size).mesh()?;
        Ok(PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() })
    };
    let width = 0.7 * side as f64;
    let below = Pose::translation(Vec3::new(0.5 * width, -0.5, 0.5 * width));
    let friction = Friction::uniform(0.5);
    let floor = vec![shape(Vec3::new(width + 20.0, 1.0, width + 20.0))?];
    let spec = BodySpec { role: Role::Static, friction, pose: below, ..BodySpec::new("floor", floor) };
    let mut bodies = vec![spec.build()?];
    // Parts of multiples of these numbers fill an interval evenly.
    let part = |i: usize, step: f64| ((i + 1) as f64 * step).fract() - 0.5;
    for i in 0..n {
        let cell = Vec3::new((i % side) as f64, (i / (side * side)) as f64, (i / side % side) as f64);
        let turn = Vec3::new(0.754_877_666, 0.569_840_291, 0.430_159_709).map(|step| 0.1 * part(i, step));
        let at = Vec3::new(0.7 * cell.x, 0.25 + 0.47 * cell.y, 0.7 * cell.z);
        let pose = Pose::from_rotation_vector(at, &turn);
        let boxes = vec![shape(Vec3::new(5.0 * D, 4.0 * D, 5.0 * D))?];
        let spec =
            BodySpec { friction, pose, group: i as u32 + 1, ..BodySpec::new(format!("box {i}"), boxes) };
        bodies.push(spec.build()?);
    }
    Ok(Scene { gravity: -9.81 * Vec3::y(), bodies, ..Scene::default() })
}

/// Memory (MB) of this process in `/proc/self/status`.
fn memory(key: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib: f64 =
        status.lines().find_map(|line| line.strip_prefix(key))?.split_whitespace().next()?.parse().ok()?;
    Some(1.024e-3 * kib)
}

fn main() -> Result<(), Box<dyn Error>> {
    let argument = |k: usize| std::env::args().nth(k).map(|word| word.parse::<usize>()).transpose();
    let (n, steps) = (argument(1)?.unwrap_or(10_000), argument(2)?.unwrap_or(1000) as u64);
    let spacing = D / argument(3)?.unwrap_or(1) as f64;
    let scene = scene(n)?;
    let config =
        Config { spacing: Some(spacing), max_particles: 20_000_000, speed: Some(1.0), ..Config::default() };
    let mut method = Particles::new(config, Clock::default())?;
    let mut state = State::initial(&scene);
    println!("step,time_s,resident_mb,peak_mb,ms_per_step,substeps_per_step,particles,contacts,kinetic_j");
    let (mut began, mut substeps, mut last) = (Instant::now(), 0, 0);
    for step in 1..=steps {
        let report = method.step(&scene, &mut state, DT)?;
        (state.step, state.time) = (step, step as f64 * DT);
        substeps += report.iterations;
        if step == 10 || step % EVERY == 0 || step == steps {
            let ms = 1e3 * began.elapsed().as_secs_f64() / (step - last) as f64;
            let mean = substeps as f64 / (step - last) as f64;
            let particles = report.quantities.iter().find(|q| q.name == "particles").map_or(0.0, |q| q.value);
            let kinetic = scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic());
            let kinetic: f64 =
                kinetic.map(|(b, now)| 0.5 * b.mass * now.linear_velocity.norm_squared()).sum();
            let contacts = report.contacts.len();
            let [resident, peak] = ["VmRSS:", "VmHWM:"].map(|key| memory(key).unwrap_or(f64::NAN));
            println!(
                "{step},{:.3},{resident:.0},{peak:.0},{ms:.0},{mean:.1},{particles},{contacts},{kinetic:.0}",
                state.time
            );
            (began, substeps, last) = (Instant::now(), 0, step);
        }
    }
    Ok(())
}

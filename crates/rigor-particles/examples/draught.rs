//! Draught of a floating box against the spacing of the water and its smoothing length, beside Archimedes.
//!
//! `cargo run --release -p rigor-particles --example draught -- 0.02 1.2` has a spacing (m) and a smoothing length over it.

#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use std::error::Error;

use rigor_math::{Pose, Vec3};
use rigor_particles::{Config, Particles};
use rigor_scene::trajectory::Run;
use rigor_scene::{
    Body, BodySpec, Clock, Fluid, PartKind, Particle, PlacedShape, Role, Scene, State, Weight,
};
use rigor_shapes::Cuboid;

const G: f64 = 9.81;
const RHO: f64 = 1000.0;
/// Edge of the box, inner edge of the tank, depth of the water with the box in it, and draught of the box (m).
const EDGE: f64 = 0.16;
const TANK: f64 = 0.28;
const DEPTH: f64 = 0.22;
const DRAUGHT: f64 = 0.12;
/// Steps of 10 ms, of which the last half is averaged.
const STEPS: u64 = 100;

fn body(name: &str, role: Role, size: Vec3, centre: Vec3, density: f64) -> Result<Body, Box<dyn Error>> {
    let shape =
        PlacedShape { mesh: Cuboid::new(size).mesh()?, kind: PartKind::Convex, pose: Pose::identity() };
    let group = u32::from(role == Role::Dynamic) + 1;
    let (pose, weight) = (Pose::translation(centre), Weight::Density(density));
    Ok(BodySpec { role, pose, weight, group, ..BodySpec::new(name, vec![shape]) }.build()?)
}

fn scene(spacing: f64) -> Result<Scene, Box<dyn Error>> {
    let t = 3.0 * spacing;
    let (x, height) = (0.5 * (TANK + t), 0.3);
    let wall = |name, size, centre| body(name, Role::Static, size, centre, RHO);
    let (side, end) = (Vec3::new(t, height, TANK), Vec3::new(TANK + 2.0 * t, height, t));
    let centre = (DEPTH - DRAUGHT + 0.5 * EDGE) * Vec3::y();
    let bodies = vec![
        wall("floor", Vec3::new(TANK + 2.0 * t, t, TANK + 2.0 * t), -0.5 * t * Vec3::y())?,
        wall("left", side, Vec3::new(-x, 0.5 * height, 0.0))?,
        wall("right", side, Vec3::new(x, 0.5 * height, 0.0))?,
        wall("back", end, Vec3::new(0.0, 0.5 * height, -x))?,
        wall("front", end, Vec3::new(0.0, 0.5 * height, x))?,
        body("box", Role::Dynamic, Vec3::repeat(EDGE), centre, RHO * DRAUGHT / EDGE)?,
    ];
    let mut particles = Vec::new();
    let [across, up] = [TANK, DEPTH].map(|length| (length / spacing).round() as u32);
    for (i, j, k) in (0..across).flat_map(|i| (0..up).flat_map(move |j| (0..across).map(move |k| (i, j, k))))
    {
        let cell = Vec3::new(f64::from(i), f64::from(j), f64::from(k)) + Vec3::repeat(0.5);
        let x = spacing * cell - 0.5 * TANK * Vec3::new(1.0, 0.0, 1.0);
        if (x - centre).amax() > 0.5 * EDGE {
            let mass = RHO * spacing.powi(3);
            particles.push(Particle { radius: 0.5 * spacing, group: Some(0), ..Particle::new(mass, x) });
        }
    }
    let all = 0..particles.len();
    let (density, viscosity) = (RHO, 0.0);
    let water = Fluid { name: "water".into(), particles: all, density, viscosity, spacing };
    let gravity = -G * Vec3::y();
    Ok(Scene { gravity, bodies, particles, fluids: vec![water], ..Scene::default() })
}

/// Where the pressure below would vanish (m): the mean of y + p/(ρ g) at least two spacings above the floor and below the surface.
fn level(state: &State, sound: f64, spacing: f64) -> f64 {
    let Some(densities) = state.memory.numbers.get("particles/density") else { return f64::NAN };
    let heights = state.particles.iter().map(|particle| particle.position.y).zip(densities);
    let inside = heights.filter(|(y, _)| *y > 2.0 * spacing && *y < DEPTH - 3.0 * spacing);
    let (sum, n) = inside.fold((0.0, 0.0), |(sum, n), (y, density)| {
        let pressure = RHO * sound * sound / 7.0 * ((density / RHO).powi(7) - 1.0);
        (sum + y + pressure.max(0.0) / (RHO * G), n + 1.0)
    });
    sum / n
}

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<f64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let (spacing, smoothing) = (given.first().copied().unwrap_or(0.02), given.get(1).copied().unwrap_or(1.2));
    let scene = scene(spacing)?;
    let config = Config { smoothing, compression: 0.02, courant: 0.4, ..Config::default() };
    let run = Run::record(&scene, &mut Particles::new(config, Clock::default())?, 0.01, STEPS);
    let sound = run.reports[0].quantity("sound_speed").unwrap_or(f64::NAN);
    let frames = &run.trajectory.frames[STEPS as usize / 2..];
    let mean = |of: &dyn Fn(&State) -> f64| frames.iter().map(of).sum::<f64>() / frames.len() as f64;
    let rise = mean(&|state| state.bodies[5].pose.position.y) - scene.bodies[5].initial.pose.position.y;
    let level = mean(&|state| level(state, sound, spacing)) - DEPTH;
    let lowest = mean(&|state| state.particles.iter().map(|p| p.position.y).fold(f64::INFINITY, f64::min));
    println!("spacing {spacing} m, smoothing {smoothing}: {:?}", run.outcome);
    println!("  box risen by {:.2} mm, level by {:.2} mm", 1e3 * rise, 1e3 * level);
    println!("  draught off by {:+.2} %", 100.0 * (level - rise) / DRAUGHT);
    println!("  lowest particle {:.3} spacings above the floor", lowest / spacing);
    Ok(())
}

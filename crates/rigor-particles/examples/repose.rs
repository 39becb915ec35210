//! The angle of repose of grains on a rough disc; with the argument `all`, for several coefficients of friction.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::f64::consts::TAU;

use rigor_math::{Pose, Vec3};
use rigor_particles::{Config, Particles};
use rigor_scene::{BodySpec, Clock, Friction, Method, PartKind, Particle, PlacedShape, Role, Scene, State};
use rigor_shapes::Cuboid;

/// Diameter of a grain (m).
const D: f64 = 0.02;
/// Radius of the disc of pinned grains (m).
const DISC: f64 = 10.0 * D;
/// A floor below catches what falls off the disc.
const FLOOR: f64 = -4.0 * D;

fn grain(mass: f64, position: Vec3, mu: f64) -> Particle {
    let friction = Friction::uniform(mu);
    Particle { radius: 0.5 * D, friction, restitution: 0.3, ..Particle::new(mass, position) }
}

/// Grains in layers `pitch` (m) apart from the height `low` to `high` (m), within `radius` (m) of the axis.
fn cylinder(radius: f64, low: f64, high: f64, pitch: f64) -> Vec<Vec3> {
    let n = (radius / pitch).ceil() as i32;
    let layers = ((high - low) / pitch).ceil() as i32;
    let mut all = Vec::new();
    for layer in 0..layers {
        for i in -n..=n {
            for k in -n..=n {
                // Layers do not stand on each other.
                let shift = 0.3 * f64::from(layer % 2);
                let at = Vec3::new(f64::from(i) + shift, f64::from(layer), f64::from(k) + 0.7 * shift);
                if at.x.hypot(at.z) * pitch <= radius {
                    all.push(pitch * at + low * Vec3::y());
                }
            }
        }
    }
    all
}

/// A column of grains above the disc.
fn column(mu: f64) -> Result<Scene, Box<dyn Error>> {
    let mut particles: Vec<Particle> =
        cylinder(DISC, 0.0, 0.5 * D, D).into_iter().map(|x| grain(f64::INFINITY, x, mu)).collect();
    let falling = cylinder(0.8 * DISC, D, 13.0 * D, 1.02 * D);
    particles.extend(falling.into_iter().map(|x| grain(0.01, x, mu)));
    let mesh = Cuboid::new(Vec3::new(4.0, 0.1, 4.0)).mesh()?;
    let shape = PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() };
    let (role, friction) = (Role::Static, Friction::uniform(mu));
    let pose = Pose::translation(Vec3::y() * (FLOOR - 0.05));
    let floor = BodySpec { role, friction, pose, ..BodySpec::new("floor", vec![shape]) }.build()?;
    Ok(Scene { gravity: -9.81 * Vec3::y(), particles, bodies: vec![floor], ..Scene::default() })
}

/// Rings a diameter wide, and sectors of each.
const RINGS: usize = 10;
const SECTORS: usize = 8;

/// The slope angle (degrees) and its standard error: a line through the heights of rings, each the mean over
/// sectors of the highest grain.
fn angle(state: &State) -> (f64, f64) {
    let mut tops = [[0.0_f64; SECTORS]; RINGS];
    for particle in &state.particles {
        let x = particle.position;
        let sector = (x.z.atan2(x.x) / TAU + 0.5) * SECTORS as f64;
        if let Some(ring) = tops.get_mut((x.x.hypot(x.z) / D) as usize) {
            let top = &mut ring[(sector as usize).min(SECTORS - 1)];
            *top = top.max(x.y / D);
        }
    }
    let highest = tops.map(|ring| ring.iter().sum::<f64>() / SECTORS as f64);
    // The top of the cone is round.
    let points: Vec<(f64, f64)> =
        highest.iter().enumerate().skip(1).map(|(k, y)| (k as f64 + 0.5, *y)).collect();
    let n = points.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (r, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let spread = mean(&|p| (p.0 - r).powi(2));
    let slope = mean(&|p| (p.0 - r) * (p.1 - y)) / spread;
    let rest = mean(&|p| (p.1 - y - slope * (p.0 - r)).powi(2));
    let error = (rest / spread / (n - 2.0)).sqrt();
    ((-slope).atan().to_degrees(), (error / (1.0 + slope * slope)).to_degrees())
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("friction   rolling   angle [°]   error [°]   grains   mean speed [m/s]");
    let all = [(0.05, 0.0), (0.1, 0.0), (0.2, 0.0), (0.4, 0.0), (0.8, 0.0), (0.4, 0.1), (0.4, 0.3)];
    let is_all = std::env::args().nth(1).is_some_and(|argument| argument == "all");
    for (mu, rolling) in if is_all { &all[..] } else { &all[3..4] } {
        let (mu, rolling) = (*mu, *rolling);
        let scene = column(mu)?;
        let config = Config { speed: Some(0.5), rolling, ..Config::default() };
        let mut method = Particles::new(config, Clock::default())?;
        let mut state = State::initial(&scene);
        for step in 1..=150_u64 {
            method.step(&scene, &mut state, 0.01)?;
            (state.step, state.time) = (step, step as f64 * 0.01);
        }
        let (found, error) = angle(&state);
        let is_free = |i: &usize| !scene.particles[*i].is_pinned();
        let all = (0..scene.particles.len()).filter(is_free).map(|i| &state.particles[i]);
        let is_on_disc = |x: &Vec3| x.y > 0.0 && x.x.hypot(x.z) < DISC;
        let on_disc: Vec<_> = all.filter(|particle| is_on_disc(&particle.position)).collect();
        let speed = on_disc.iter().map(|p| p.velocity.norm()).sum::<f64>() / on_disc.len() as f64;
        println!("{mu:8}   {rolling:7}   {found:9.1}   {error:9.1}   {:6}   {speed:10.4}", on_disc.len());
    }
    Ok(())
}

//! Particles and bonds shared by tests.

use rigor_math::Vec3;
use rigor_scene::{Bond, BondKind, Clock, Particle, ParticleId, Run, Scene, State};
use rigor_xpbd::{Config, Xpbd};

pub fn distance(a: usize, b: usize, rest: f64, compliance: f64) -> Bond {
    bond(BondKind::Distance { rest }, &[a, b], compliance)
}

pub fn bond(kind: BondKind, particles: &[usize], compliance: f64) -> Bond {
    Bond { kind, particles: particles.iter().map(|&i| ParticleId(i)).collect(), compliance }
}

pub fn pinned(position: Vec3) -> Particle {
    Particle::new(f64::INFINITY, position)
}

/// Particles of one kilogram along −y, one metre apart, the first pinned, under gravity of 10 m/s².
pub fn chain(n: usize, compliance: f64) -> Scene {
    let at = |i: usize| Vec3::new(0.0, -(i as f64), 0.0);
    let mut particles: Vec<Particle> = (0..n).map(|i| Particle::new(1.0, at(i))).collect();
    particles[0] = pinned(at(0));
    let bonds = (1..n).map(|i| distance(i - 1, i, 1.0, compliance)).collect();
    Scene { gravity: Vec3::new(0.0, -10.0, 0.0), particles, bonds, ..Scene::default() }
}

pub fn record(scene: &Scene, config: Config, dt: f64, steps: u64) -> Run {
    Run::record(scene, &mut xpbd(config), dt, steps)
}

pub fn xpbd(config: Config) -> Xpbd {
    Xpbd::new(config, Clock::default()).expect("valid settings")
}

pub fn momenta(scene: &Scene, state: &State) -> (Vec3, Vec3) {
    let moving = scene.particles.iter().zip(&state.particles).filter(|(p, _)| !p.is_pinned());
    moving.fold((Vec3::zeros(), Vec3::zeros()), |(linear, angular), (p, s)| {
        let momentum = p.mass * s.velocity;
        (linear + momentum, angular + s.position.cross(&momentum))
    })
}

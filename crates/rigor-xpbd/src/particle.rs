//! Particles as the solver sees them within a step.

pub(crate) mod positions;

use rigor_math::Vec3;
use rigor_scene::{ParticleState, Scene, State};

use crate::config::Integrator;

/// Current position and velocity of a particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SolverParticle {
    /// x (m, world): the current position.
    pub x: Vec3,
    /// w = 1/m (1/kg); 0 for a pinned particle.
    pub w: f64,
    /// x_prev (m, world): the position before the substep.
    pub x_prev: Vec3,
    /// v (m/s, world).
    pub v: Vec3,
}

impl SolverParticle {
    /// Applies an impulse `p` (N s) at the fraction `t` of the substep `h` (s). From then on the particle
    /// follows its new velocity; x_prev is moved back along it, so that v = (x − x_prev)/h stays true.
    pub fn blow(&mut self, p: &Vec3, t: f64, h: f64) {
        let v = self.w * p;
        self.v += v;
        self.x += (1.0 - t) * h * v;
        self.x_prev -= t * h * v;
    }
}

/// Memory key of the state that marks that [`Integrator::Verlet`] has started: the velocities are then those
/// of the last displacement.
const STARTED: &str = "xpbd/verlet";

/// Returns whether the velocities of `state` come from Verlet displacements.
pub(crate) fn has_started(state: &State) -> bool {
    state.memory.numbers.contains_key(STARTED)
}

/// Copies positions and velocities from `state` into the solver. A pinned particle has no velocity.
pub(crate) fn load(scene: &Scene, state: &State, particles: &mut Vec<SolverParticle>) {
    particles.clear();
    particles.extend(scene.particles.iter().zip(&state.particles).map(|(particle, now)| SolverParticle {
        x: now.position,
        w: particle.inverse_mass(),
        x_prev: now.position,
        v: if particle.is_pinned() { Vec3::zeros() } else { now.velocity },
    }));
}

/// Copies positions and velocities back to `state`.
pub(crate) fn store(particles: &[SolverParticle], integrator: Integrator, state: &mut State) {
    for (particle, state) in particles.iter().zip(&mut state.particles) {
        *state = ParticleState { position: particle.x, velocity: particle.v };
    }
    if integrator == Integrator::Verlet && !has_started(state) {
        state.memory.numbers.insert(STARTED.into(), Vec::new());
    }
}

/// Moves every particle under `gravity` (m/s²) alone during the substep `h` (s).
///
/// | integrator | x(t + h) |
/// | --- | --- |
/// | symplectic Euler | x + h (v + h g) |
/// | Verlet | 2x(t) − x(t − h) + h² g, where v = (x(t) − x(t − h))/h; at the start x(−h) = x − h v + ½h² g |
/// | velocity Verlet | x + h v + ½h² g |
///
/// Source: \[Mueller2007\] §3.1, lines 5 and 7; \[Verlet1967\]; \[Swope1982\].
pub(crate) fn integrate(
    particles: &mut [SolverParticle],
    integrator: Integrator,
    started: bool,
    gravity: &Vec3,
    h: f64,
) {
    let half = match integrator {
        Integrator::SymplecticEuler => false,
        Integrator::Verlet => !started,
        Integrator::VelocityVerlet => true,
    };
    let fall = if half { 0.5 * h * gravity } else { h * gravity };
    for particle in particles {
        particle.x_prev = particle.x;
        if particle.w > 0.0 {
            particle.v += fall;
            particle.x += h * particle.v;
        }
    }
}

/// Returns the fraction of h g by which the velocity of a state is ahead of (x − x_prev)/h.
pub(crate) fn lead(integrator: Integrator) -> f64 {
    if integrator == Integrator::VelocityVerlet { 0.5 } else { 0.0 }
}

/// Computes v ← (x − x_prev)/h; velocity Verlet adds the second half of gravity's gain, ½ h g.
///
/// Source: \[Mueller2007\] §3.1, line 13; \[Swope1982\].
pub(crate) fn update_velocities(
    particles: &mut [SolverParticle],
    integrator: Integrator,
    gravity: &Vec3,
    h: f64,
) {
    let rest = lead(integrator) * h * gravity;
    let per_h = 1.0 / h;
    for particle in particles.iter_mut().filter(|p| p.w > 0.0) {
        particle.v = (particle.x - particle.x_prev) * per_h + rest;
    }
}

//! Bounds on the position and speed of constrained particles.

use rigor_math::Vec3;
use rigor_scene::{Bond, BondKind, ParticleFault, ParticleId, Scene, State, StepError, Stretched};

use crate::particle::SolverParticle;

/// Factor on the scene's size and speed beyond which constraints count as broken down.
///
/// A projection moves particles by lengths found in the scene, at most by its size per substep; a factor of
/// 1000 leaves room for light particles among heavy ones and for drives that build up speed.
const LEEWAY: f64 = 1e3;

/// Distance from the origin, relative to the scene's size, beyond which floating-point positions resolve less
/// than 1e-7 of that size.
const FAR: f64 = 1e9;

/// Bounds on positions and velocities, derived from a scene.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    /// Maximum length (m) in the scene at time 0: a distance from the origin, or a rest length. Infinite if
    /// nothing holds a particle, because then only gravity and contact move it.
    size: f64,
    /// Speed (m/s) that particles and bodies can reach without constraints: initial speed, prescribed motion,
    /// and free fall.
    speed: f64,
}

impl Reach {
    /// Computes the bounds in `scene` for the end of the step that starts at `state` and lasts `dt` (s).
    pub fn of(scene: &Scene, state: &State, dt: f64) -> Self {
        let is_free = scene.bonds.is_empty() && scene.attachments.is_empty();
        let places = scene.particles.iter().map(|p| p.position.norm());
        let bodies = scene.bodies.iter().map(|b| b.initial.pose.position.norm() + b.radius);
        let size = places.chain(bodies).chain(scene.bonds.iter().map(rest_length)).fold(0.0, f64::max);

        let of_particles = scene.particles.iter().map(|p| p.velocity.norm());
        let of_bodies = scene.bodies.iter().zip(&state.bodies).map(|(body, now)| {
            let start = if body.is_dynamic() { &body.initial } else { now };
            start.linear_velocity.norm() + body.radius * start.angular_velocity.norm()
        });
        let pull = scene.bodies.iter().map(|b| b.force.norm() * b.inverse_mass()).fold(0.0, f64::max);
        let fall = (scene.gravity.norm() + pull) * (state.time + dt);
        Self {
            size: if is_free || size == 0.0 { f64::INFINITY } else { size },
            speed: of_particles.chain(of_bodies).fold(0.0, f64::max) + fall,
        }
    }

    /// Checks that position and speed of all `particles` after a substep of `h` (s) are within the bounds.
    ///
    /// # Errors
    /// [`StepError::BrokenDown`] with the first particle out of bounds, and its bond that has grown most.
    pub fn check(&self, scene: &Scene, particles: &[SolverParticle], h: f64) -> Result<(), StepError> {
        let limit = LEEWAY * (self.size / h + self.speed);
        let found = particles.iter().enumerate().find_map(|(i, p)| Some((i, self.fault(p, limit)?)));
        let Some((i, fault)) = found else { return Ok(()) };
        let (particle, stretched) = (ParticleId(i), stretched(scene, particles, i));
        Err(StepError::BrokenDown { particle, name: scene.particle_name(particle), fault, stretched })
    }

    fn fault(&self, p: &SolverParticle, limit: f64) -> Option<ParticleFault> {
        let (distance, speed, size) = (p.x.norm(), p.v.norm(), self.size);
        if !(distance.is_finite() && speed.is_finite()) {
            return Some(ParticleFault::NotFinite);
        }
        if distance > FAR * size {
            return Some(ParticleFault::TooFar { distance, size, factor: FAR });
        }
        (speed > limit).then_some(ParticleFault::TooFast { speed, limit, size, factor: LEEWAY })
    }
}

/// Returns the maximum rest length (m) of a bond, besides the distances between its particles at time 0.
fn rest_length(bond: &Bond) -> f64 {
    match &bond.kind {
        BondKind::Distance { rest } => *rest,
        BondKind::Shape { rest } => rest.iter().map(Vec3::norm).fold(0.0, f64::max),
        BondKind::Bending { .. }
        | BondKind::Volume { .. }
        | BondKind::Tetrahedron { .. }
        | BondKind::QuadraturePoint { .. } => 0.0,
    }
}

/// Returns the bond of particle `i` that has grown most since time 0.
fn stretched(scene: &Scene, particles: &[SolverParticle], i: usize) -> Option<Stretched> {
    let growth = |bond: &Bond| {
        let start = extent(bond, |id| scene.particles[id.0].position).max(rest_length(bond));
        extent(bond, |id| particles[id.0].x) / start
    };
    let bonds = scene.bonds.iter().enumerate().filter(|(_, bond)| bond.particles.contains(&ParticleId(i)));
    let most = bonds.map(|(index, bond)| (growth(bond), index)).max_by(|a, b| a.0.total_cmp(&b.0));
    most.map(|(growth, bond)| Stretched { bond, name: scene.bond_name(bond), growth })
}

/// Returns the maximum distance (m) of a bond's particles from its first.
fn extent(bond: &Bond, place: impl Fn(ParticleId) -> Vec3) -> f64 {
    let first = place(bond.particles[0]);
    bond.particles.iter().map(|id| (place(*id) - first).norm()).max_by(f64::total_cmp).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use rigor_scene::{Particle, SoftBody};

    use super::*;

    /// Two ropes of one link each; the second is 2 m long.
    fn ropes() -> Scene {
        let link = |a: usize, rest: f64| Bond {
            kind: BondKind::Distance { rest },
            particles: vec![ParticleId(a), ParticleId(a + 1)],
            compliance: 0.0,
        };
        let rope = |name: &str, particles| SoftBody {
            name: name.into(),
            particles,
            edges: Vec::new(),
            triangles: Vec::new(),
        };
        Scene {
            gravity: Vec3::y() * -10.0,
            particles: [0.0, 1.0, 0.0, 2.0].map(|x| Particle::new(1.0, Vec3::x() * x)).to_vec(),
            bonds: vec![link(0, 1.0), link(2, 2.0)],
            soft_bodies: vec![rope("short", 0..2), rope("long", 2..4)],
            ..Scene::default()
        }
    }

    /// Returns the error of the scene once the last particle is at `x` with `v`, after a substep of 0.01 s at
    /// time 1 s.
    fn said(scene: &Scene, x: Vec3, v: Vec3) -> Option<StepError> {
        let mut particles: Vec<SolverParticle> = scene
            .particles
            .iter()
            .map(|p| SolverParticle { x: p.position, w: 1.0, x_prev: p.position, v: Vec3::zeros() })
            .collect();
        (particles[3].x, particles[3].v) = (x, v);
        let state = State { time: 0.99, ..State::initial(scene) };
        Reach::of(scene, &state, 0.01).check(scene, &particles, 0.01).err()
    }

    #[test]
    fn a_thousand_times_across_the_scene_in_a_substep_is_the_most() {
        let scene = ropes();
        // 1000 (2 m/0.01 s + 10 m/s)
        assert!(said(&scene, Vec3::x(), Vec3::y() * 2.09e5).is_none());
        let error = said(&scene, Vec3::x() * 20.0, Vec3::y() * 2.11e5).unwrap();
        assert_eq!(
            error.to_string(),
            "particle 1 of \"long\" has 2.1e5 m/s, more than 1000 times the speed that crosses the scene (2.000 m) in a \
             substep; bond 1 (distance: particle 0 of \"long\", particle 1 of \"long\") is 1.0e1 times its size"
        );
        assert_eq!(error.particles(), [ParticleId(3)]);
    }

    #[test]
    fn too_far_for_its_digits_and_not_finite_are_errors() {
        let scene = ropes();
        assert!(said(&scene, Vec3::x() * 1.9e9, Vec3::zeros()).is_none());
        assert!(said(&scene, Vec3::x() * 2.1e9, Vec3::zeros()).is_some());
        for x in [f64::NAN, f64::INFINITY] {
            let error = said(&scene, Vec3::x() * x, Vec3::zeros()).unwrap().to_string();
            assert!(error.contains("not a finite number") && error.contains("bond 1"), "{error}");
        }
    }

    #[test]
    fn what_nothing_holds_may_go_anywhere() {
        let scene = Scene { bonds: Vec::new(), ..ropes() };
        assert!(said(&scene, Vec3::x() * 1e20, Vec3::x() * 1e20).is_none());
    }
}

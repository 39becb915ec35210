//! Broad phase of particles: pairs that may touch during a step.

use std::collections::BTreeSet;

use rigor_geometry::{Aabb, Bvh};
use rigor_scene::{Attribute, Body, BodyId, ParticleId, Scene, StepError};

use crate::body::SolverBody;
use crate::particle::SolverParticle;

/// Factor on the motion by which boxes are grown.
const SAFETY: f64 = 1.5;
/// Margin of particle boxes, as a fraction of the radius, so that slow particles need no second search.
const MARGIN: f64 = 0.25;

/// Two particles that may touch, i < j.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ParticlePair {
    pub i: usize,
    pub j: usize,
    /// Distance between the centres at contact (m).
    pub distance: f64,
}

/// Pairs of a particle and a body, and of two particles, whose swept boxes overlap.
#[derive(Debug, Default)]
pub(super) struct ParticleCandidates {
    with_bodies: Vec<(usize, usize)>,
    with_particles: Vec<ParticlePair>,
    /// Boxes in which particles and bodies are expected to stay.
    particle_boxes: Vec<Aabb>,
    body_boxes: Vec<Aabb>,
    /// Particles with a radius, ascending.
    spheres: Vec<usize>,
    /// Pairs of particles with a bond, and pairs of particle and body with an attachment.
    bonded: BTreeSet<(usize, usize)>,
    attached: BTreeSet<(usize, usize)>,
}

impl ParticleCandidates {
    /// Returns pairs of particle and body, ascending.
    pub fn with_bodies(&self) -> &[(usize, usize)] {
        &self.with_bodies
    }

    /// Returns pairs of particles, ascending.
    pub fn with_particles(&self) -> &[ParticlePair] {
        &self.with_particles
    }

    /// Returns the box in which the sphere of particle `i` is expected to stay.
    pub fn particle_box(&self, i: usize) -> Aabb {
        self.particle_boxes[i]
    }

    /// Returns the box in which body `b` is expected to stay.
    pub fn body_box(&self, b: usize) -> &Aabb {
        &self.body_boxes[b]
    }

    /// Returns whether an attachment holds particle `i` to body `b`.
    pub fn is_attached(&self, i: usize, b: usize) -> bool {
        self.attached.contains(&(i, b))
    }

    /// Excludes pairs that bonds and attachments hold together.
    pub fn exclude(&mut self, scene: &Scene) {
        self.spheres.clear();
        self.spheres.extend((0..scene.particles.len()).filter(|&i| scene.particles[i].radius > 0.0));
        let bonds = if self.spheres.is_empty() { &[] } else { &scene.bonds[..] };
        let bonded = bonds.iter().filter_map(|bond| match bond.particles[..] {
            [a, b] => Some((a.0.min(b.0), a.0.max(b.0))),
            _ => None,
        });
        self.bonded = bonded.collect();
        self.attached = scene.attachments.iter().map(|a| (a.particle.0, a.body.0)).collect();
    }

    /// Finds candidates for the next `dt` (s); the pairs `kept`, ascending, are candidates wherever they are.
    ///
    /// # Errors
    /// Returns an error if a position is not finite.
    pub fn collect(
        &mut self,
        scene: &Scene,
        particles: &[SolverParticle],
        bodies: &[SolverBody],
        kept: impl Iterator<Item = (usize, usize)>,
        dt: f64,
    ) -> Result<(), StepError> {
        self.sweep(scene, particles, bodies, dt);
        let of_particles =
            Bvh::new(&self.particle_boxes).map_err(|error| lost_particle(scene, error.index))?;
        let of_bodies = Bvh::new(&self.body_boxes)
            .map_err(|error| StepError::not_finite(scene, BodyId(error.index), Attribute::Extent))?;
        let pairs = of_particles.overlapping_pairs_with(&of_bodies);
        let attached = &self.attached;
        self.with_bodies.clear();
        self.with_bodies.extend(pairs.into_iter().map(|[i, b]| (i as usize, b as usize)).filter(|pair| {
            (particles[pair.0].w > 0.0 || scene.bodies[pair.1].is_dynamic()) && !attached.contains(pair)
        }));
        let n_found = self.with_bodies.len();
        self.with_bodies.extend(kept);
        if self.with_bodies.len() > n_found {
            self.with_bodies.sort_unstable();
            self.with_bodies.dedup();
        }
        self.with_particles.clear();
        if self.spheres.is_empty() {
            return Ok(());
        }
        let can_touch = |&(i, j): &(usize, usize)| {
            let (a, b) = (&scene.particles[i], &scene.particles[j]);
            let same_group = a.group.is_some() && a.group == b.group;
            !same_group && particles[i].w + particles[j].w > 0.0 && !self.bonded.contains(&(i, j))
        };
        let boxes: Vec<Aabb> = self.spheres.iter().map(|&i| self.particle_boxes[i]).collect();
        let tree = Bvh::new(&boxes).map_err(|error| lost_particle(scene, self.spheres[error.index]))?;
        let pairs = tree.overlapping_pairs();
        let pairs = pairs.into_iter().map(|pair| pair.map(|i| self.spheres[i as usize]).into());
        let pair = |(i, j)| ParticlePair { i, j, distance: distance(scene, i, j) };
        self.with_particles.extend(pairs.filter(can_touch).map(pair));
        Ok(())
    }

    /// Returns whether everything is still in its expected box.
    pub fn hold(&self, scene: &Scene, particles: &[SolverParticle], bodies: &[SolverBody]) -> bool {
        let of_particles = scene.particles.iter().zip(particles).zip(&self.particle_boxes);
        let of_bodies = scene.bodies.iter().zip(bodies).zip(&self.body_boxes);
        of_particles
            .map(|((data, p), b)| (*b, Aabb::new(p.x, p.x).grow(data.radius)))
            .all(|(b, now)| b.contains(&now))
            && of_bodies
                .filter(|((body, _), _)| body.is_dynamic())
                .map(|((body, at), b)| (*b, body.mesh.bounds().transformed(&at.pose)))
                .all(|(b, now)| b.contains(&now))
    }

    fn sweep(&mut self, scene: &Scene, particles: &[SolverParticle], bodies: &[SolverBody], dt: f64) {
        let fall = scene.gravity.norm() * dt;
        self.particle_boxes.clear();
        self.particle_boxes.extend(scene.particles.iter().zip(particles).map(|(data, p)| {
            let speed = if p.w > 0.0 { p.v.norm() + fall } else { 0.0 };
            Aabb::new(p.x, p.x_prev).grow((1.0 + MARGIN) * data.radius + SAFETY * speed * dt)
        }));
        self.body_boxes.clear();
        let boxes =
            scene.bodies.iter().zip(bodies).map(|(body, at)| {
                body.mesh.bounds().transformed(&at.pose).grow(body_reach(scene, body, at, dt))
            });
        self.body_boxes.extend(boxes);
    }
}

/// Returns the distance (m) that points of a body may move within `dt` (s), with a safety factor.
pub(super) fn body_reach(scene: &Scene, body: &Body, at: &SolverBody, dt: f64) -> f64 {
    let turning = at.angular_velocity.norm() * body.radius;
    let fall = scene.gravity.norm() * dt;
    let force = if body.is_dynamic() { fall + body.force.norm() / body.mass * dt } else { 0.0 };
    SAFETY * (at.linear_velocity.norm() + turning + force) * dt
}

fn lost_particle(scene: &Scene, i: usize) -> StepError {
    StepError::particle_not_finite(scene, ParticleId(i), Attribute::Extent)
}

/// Returns r_i + r_j (m), or the distance at time 0 if that is less and both belong to one soft body, whose
/// neighbours may be closer.
fn distance(scene: &Scene, i: usize, j: usize) -> f64 {
    let (a, b) = (&scene.particles[i], &scene.particles[j]);
    let sum = a.radius + b.radius;
    let together = |soft: &rigor_scene::SoftBody| soft.particles.contains(&i) && soft.particles.contains(&j);
    if scene.soft_bodies.iter().any(together) { sum.min((a.position - b.position).norm()) } else { sum }
}

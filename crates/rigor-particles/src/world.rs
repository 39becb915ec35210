//! Everything that takes part in a step.

use std::collections::BTreeMap;

use rigor_math::Vec3;
use rigor_scene::{BodyId, BodyState, ParticleId, ParticleState, Scene, State};

use crate::config::{Config, Model};
use crate::contact::{ContactPartner, Patch};
use crate::mover::{Material, Mover, Obstacle, Origin};
use crate::population::{Population, Prepared};
use crate::{restitution, stiffness};

/// The particles of all movers, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Particles {
    /// By which the state knows it.
    pub name: Vec<u32>,
    /// Index of the mover.
    pub owner: Vec<u32>,
    /// Centre (m) in the frame of the mover.
    pub local: Vec<Vec3>,
    pub radius: Vec<f64>,
    /// Centre (m, world), of active movers only.
    pub position: Vec<Vec3>,
}

/// Movers, obstacles and particles.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub movers: Vec<Mover>,
    pub obstacles: Vec<Obstacle>,
    pub particles: Particles,
    /// Time (s) now.
    pub time: f64,
    /// Diameters (m) of the smallest and the largest particle.
    pub smallest: f64,
    pub largest: f64,
    /// Speed of impact (m/s) for which stiffness is derived.
    pub speed: f64,
    /// Number of movers and of particles that belong to bodies. Grains that need a mover come after them.
    pub n_bodies: usize,
    pub n_body_particles: usize,
    pub dampers: Dampers,
}

/// ζ of coefficients of restitution, by their bits; kept, as it depends on the model only.
#[derive(Debug, Default)]
pub(crate) struct Dampers {
    known: BTreeMap<(u64, bool), f64>,
}

impl Dampers {
    /// Computes ζ for contacts of all pairs of these materials.
    pub fn prepare(&mut self, scene: &Scene, materials: &[Material], model: Model) {
        let distinct: BTreeMap<u64, &Material> =
            materials.iter().map(|m| (m.restitution.to_bits(), m)).collect();
        for a in distinct.values() {
            for b in distinct.values() {
                let e = combined(scene, a, b).1;
                let zeta = self.ratio(e, model);
                self.known.insert(Self::key(e, model), zeta);
            }
        }
    }

    /// ζ for the coefficient `e`.
    pub fn ratio(&self, e: f64, model: Model) -> f64 {
        let known = self.known.get(&Self::key(e, model)).copied();
        known.unwrap_or_else(|| restitution::damping_ratio(e, model))
    }

    fn key(e: f64, model: Model) -> (u64, bool) {
        (e.to_bits(), model == Model::Hertz)
    }
}

impl World {
    /// Loads the bodies of `scene` as they are in `state`.
    pub fn load(&mut self, scene: &Scene, state: &State, population: &Population, config: &Config) {
        self.movers.clear();
        self.obstacles.clear();
        let particles = &mut self.particles;
        particles.name.clear();
        particles.owner.clear();
        particles.local.clear();
        particles.radius.clear();
        particles.position.clear();
        (self.smallest, self.largest) = (f64::INFINITY, 0.0);
        for (id, prepared) in scene.body_ids().zip(&population.shapes) {
            let (body, now) = (&scene.bodies[id.0], &state.bodies[id.0]);
            match prepared {
                Prepared::Particles(shape, voxels) => {
                    let mover = Mover::of_body(scene, id, now, *voxels);
                    let centres = shape.centres.iter().map(|c| mover.local(c)).collect::<Vec<_>>();
                    self.add(mover, &centres, shape.diameter);
                }
                Prepared::Triangles { tree, is_solid } => self.obstacles.push(Obstacle {
                    id,
                    material: Obstacle::material_of(body),
                    mesh: body.mesh.clone(),
                    tree: tree.clone(),
                    is_solid: *is_solid,
                    now: body.prescribed(state.time).unwrap_or(*now),
                    radius: body.radius,
                }),
            }
        }
        (self.n_bodies, self.n_body_particles) = (self.movers.len(), self.particles.owner.len());
        for particle in scene.dry_particles() {
            let diameter = 2.0 * particle.radius;
            (self.smallest, self.largest) = (self.smallest.min(diameter), self.largest.max(diameter));
        }
        self.time = state.time;
        self.stiffen(scene, config);
        let movers = self.movers.iter().map(|mover| mover.material);
        let materials: Vec<Material> = movers.chain(self.obstacles.iter().map(|o| o.material)).collect();
        self.dampers.prepare(scene, &materials, config.model);
    }

    /// Adds a mover for the grain `id`, as it moves now, with the stiffness κ.
    pub fn admit(&mut self, scene: &Scene, id: ParticleId, now: &ParticleState, omega: Vec3, kappa: f64) {
        let mut grain = Mover::of_grain(scene, id, now, omega);
        (grain.kappa, grain.is_active) = (kappa, true);
        self.add(grain, &[Vec3::zeros()], 2.0 * scene.particles[id.0].radius);
        if let Some(name) = self.particles.name.last_mut() {
            *name = (self.n_body_particles + id.0) as u32;
        }
    }

    /// Removes the movers of grains.
    pub fn dismiss(&mut self) {
        self.movers.truncate(self.n_bodies);
        let particles = &mut self.particles;
        particles.name.truncate(self.n_body_particles);
        particles.owner.truncate(self.n_body_particles);
        particles.local.truncate(self.n_body_particles);
        particles.radius.truncate(self.n_body_particles);
        particles.position.truncate(self.n_body_particles);
    }

    fn add(&mut self, mut mover: Mover, centres: &[Vec3], diameter: f64) {
        let particles = &mut self.particles;
        let index = self.movers.len() as u32;
        mover.first = particles.owner.len() as u32;
        mover.end = mover.first + centres.len() as u32;
        mover.radius = centres.iter().map(Vec3::norm).fold(0.0, f64::max) + 0.5 * diameter;
        particles.name.extend(mover.first..mover.end);
        particles.owner.extend(std::iter::repeat_n(index, centres.len()));
        particles.position.resize(particles.owner.len(), Vec3::zeros());
        particles.local.extend_from_slice(centres);
        particles.radius.extend(std::iter::repeat_n(0.5 * diameter, centres.len()));
        (self.smallest, self.largest) = (self.smallest.min(diameter), self.largest.max(diameter));
        self.movers.push(mover);
    }

    fn stiffen(&mut self, scene: &Scene, config: &Config) {
        self.speed = config.speed.unwrap_or_else(|| {
            stiffness::impact_speed(scene, if self.smallest.is_finite() { self.smallest } else { 0.0 })
        });
        for mover in &mut self.movers {
            let n = (mover.end - mover.first) as usize;
            let diameter = 2.0 * self.particles.radius[mover.first as usize];
            mover.kappa = stiffness::of_body(config, scene, mover.mass, n, diameter, self.speed);
        }
    }

    /// Moves obstacles to `time` (s).
    pub fn set_time(&mut self, scene: &Scene, time: f64) {
        self.time = time;
        for obstacle in &mut self.obstacles {
            if let Some(now) = scene.bodies[obstacle.id.0].prescribed(time) {
                obstacle.now = now;
            }
        }
    }

    /// The origin of the second side of a contact.
    pub fn origin(&self, other: ContactPartner) -> Origin {
        match other {
            ContactPartner::Mover(b) => self.movers[b as usize].origin,
            ContactPartner::Obstacle(b) => Origin::Body(self.obstacles[b as usize].id),
        }
    }

    /// What the contacts of a mover and another side have in common.
    pub fn patch(&self, scene: &Scene, config: &Config, a: u32, b: ContactPartner) -> Patch {
        let first = &self.movers[a as usize];
        let radius_of = |mover: &Mover| self.particles.radius[mover.first as usize];
        let (material, kappa, radius) = match b {
            ContactPartner::Mover(b) => {
                let other = &self.movers[b as usize];
                (other.material, Some(other.kappa), Some(radius_of(other)))
            }
            ContactPartner::Obstacle(b) => (self.obstacles[b as usize].material, None, None),
        };
        let kappa = stiffness::of_pair(config, (first.kappa, kappa), (radius_of(first), radius));
        let (friction, e) = combined(scene, &first.material, &material);
        let zeta = self.dampers.ratio(e, config.model);
        let origins = (self.movers[a as usize].origin, self.origin(b));
        let zero = Vec3::zeros();
        Patch { a, b, origins, kappa, zeta, friction, count: 0, points: zero, normals: zero, mass: 0.0 }
    }

    /// Stores poses and velocities of bodies in `state`, with bodies that are not dynamic as the scene prescribes at
    /// `end` (s).
    pub fn store(&self, scene: &Scene, state: &mut State, end: f64) {
        for (body, state) in scene.bodies.iter().zip(&mut state.bodies) {
            if let Some(prescribed) = body.prescribed(end) {
                *state = prescribed;
            }
        }
        for mover in &self.movers {
            if let Origin::Body(BodyId(i)) = mover.origin {
                state.bodies[i] = mover.body_state();
            }
        }
    }

    /// Velocity (m/s, world) of the second side's material point at `point` (m, world), and its spin (rad/s).
    pub fn motion_of(&self, other: ContactPartner, point: &Vec3) -> (Vec3, Vec3) {
        match other {
            ContactPartner::Mover(b) => {
                let mover = &self.movers[b as usize];
                (mover.velocity_at(point), mover.omega)
            }
            ContactPartner::Obstacle(b) => {
                let BodyState { angular_velocity, .. } = self.obstacles[b as usize].now;
                (self.obstacles[b as usize].now.velocity_at(point), angular_velocity)
            }
        }
    }
}

/// Coulomb coefficients (μ_s, μ_d) and restitution of a contact.
pub(crate) fn combined(scene: &Scene, a: &Material, b: &Material) -> ((f64, f64), f64) {
    let friction = |x: f64, y: f64| scene.friction_rule.combine(x, y);
    let static_ = friction(a.friction.static_, b.friction.static_);
    let dynamic = friction(a.friction.dynamic, b.friction.dynamic);
    ((static_, dynamic), scene.restitution_rule.combine(a.restitution, b.restitution))
}

//! Everything that takes part in a step.

use std::collections::BTreeMap;

use rigor_math::Vec3;
use rigor_scene::{BodyId, BodyState, ParticleId, Scene, State};

use crate::config::{Config, Model};
use crate::contact::{Other, Patch};
use crate::mover::{Material, Mover, Obstacle, Origin};
use crate::population::{Population, Prepared};
use crate::{restitution, stiffness};

/// Key of the spins of grains in the state's memory: ω (rad/s, world) of each, three numbers.
const SPIN: &str = "particles/spin";

/// The particles of all movers, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Particles {
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
    /// ζ of each coefficient of restitution, by its bits; kept, as it depends on the model only.
    zetas: BTreeMap<(u64, bool), f64>,
}

impl World {
    /// Loads the bodies and particles of `scene` as they are in `state`.
    pub fn load(&mut self, scene: &Scene, state: &State, population: &Population, config: &Config) {
        self.movers.clear();
        self.obstacles.clear();
        let particles = &mut self.particles;
        particles.owner.clear();
        particles.local.clear();
        particles.radius.clear();
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
        let spins = state.memory.numbers.get(SPIN).map_or(&[][..], Vec::as_slice);
        for (i, now) in state.particles.iter().enumerate() {
            let spin = spins.get(3 * i..3 * i + 3).map_or_else(Vec3::zeros, Vec3::from_column_slice);
            let grain = Mover::of_grain(scene, ParticleId(i), now, spin);
            self.add(grain, &[Vec3::zeros()], 2.0 * scene.particles[i].radius);
        }
        self.particles.position.clear();
        self.particles.position.resize(self.particles.owner.len(), Vec3::zeros());
        self.time = state.time;
        self.stiffen(scene, config);
    }

    fn add(&mut self, mut mover: Mover, centres: &[Vec3], diameter: f64) {
        let particles = &mut self.particles;
        let index = self.movers.len() as u32;
        mover.first = particles.owner.len() as u32;
        mover.end = mover.first + centres.len() as u32;
        mover.radius = centres.iter().map(Vec3::norm).fold(0.0, f64::max) + 0.5 * diameter;
        particles.owner.extend(std::iter::repeat_n(index, centres.len()));
        particles.local.extend_from_slice(centres);
        particles.radius.extend(std::iter::repeat_n(0.5 * diameter, centres.len()));
        (self.smallest, self.largest) = (self.smallest.min(diameter), self.largest.max(diameter));
        self.movers.push(mover);
    }

    fn stiffen(&mut self, scene: &Scene, config: &Config) {
        let speed = config.speed.unwrap_or_else(|| {
            stiffness::impact_speed(scene, if self.smallest.is_finite() { self.smallest } else { 0.0 })
        });
        let grains = scene.particles.iter().map(|p| p.mass).filter(|m| m.is_finite()).fold(0.0, f64::max);
        for mover in &mut self.movers {
            let n = (mover.end - mover.first) as usize;
            let diameter = 2.0 * self.particles.radius[mover.first as usize];
            // A pinned grain is as stiff as the heaviest free one.
            let mass = if mover.mass.is_finite() { mover.mass } else { grains };
            mover.kappa = stiffness::of_body(config, scene, mass, n, diameter, speed);
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
    pub fn origin(&self, other: Other) -> Origin {
        match other {
            Other::Mover(b) => self.movers[b as usize].origin,
            Other::Obstacle(b) => Origin::Body(self.obstacles[b as usize].id),
        }
    }

    /// What the contacts of a mover and another side have in common.
    pub fn patch(&mut self, scene: &Scene, config: &Config, a: u32, b: Other) -> Patch {
        let first = &self.movers[a as usize];
        let radius_of = |mover: &Mover| self.particles.radius[mover.first as usize];
        let (material, kappa, radius) = match b {
            Other::Mover(b) => {
                let other = &self.movers[b as usize];
                (other.material, Some(other.kappa), Some(radius_of(other)))
            }
            Other::Obstacle(b) => (self.obstacles[b as usize].material, None, None),
        };
        let kappa = stiffness::of_pair(config, (first.kappa, kappa), (radius_of(first), radius));
        let (friction, e) = combined(scene, &first.material, &material);
        let zeta = *self
            .zetas
            .entry((e.to_bits(), config.model == Model::Hertz))
            .or_insert_with(|| restitution::damping_ratio(e, config.model));
        let origins = (self.movers[a as usize].origin, self.origin(b));
        let zero = Vec3::zeros();
        Patch { a, b, origins, kappa, zeta, friction, count: 0, points: zero, normals: zero, mass: 0.0 }
    }

    /// Stores poses and velocities in `state`, with bodies that are not dynamic as the scene prescribes at
    /// `end` (s).
    pub fn store(&self, scene: &Scene, state: &mut State, end: f64) {
        for (body, state) in scene.bodies.iter().zip(&mut state.bodies) {
            if let Some(prescribed) = body.prescribed(end) {
                *state = prescribed;
            }
        }
        let mut spins = Vec::with_capacity(3 * state.particles.len());
        for mover in &self.movers {
            match mover.origin {
                Origin::Body(BodyId(i)) => state.bodies[i] = mover.body_state(),
                Origin::Grain(ParticleId(i)) => {
                    state.particles[i].velocity = mover.v;
                    state.particles[i].position = mover.x;
                    spins.extend_from_slice(mover.omega.as_slice());
                }
            }
        }
        if !spins.is_empty() {
            state.memory.numbers.insert(SPIN.into(), spins);
        }
    }

    /// Velocity (m/s, world) of the second side's material point at `point` (m, world), and its spin (rad/s).
    pub fn motion_of(&self, other: Other, point: &Vec3) -> (Vec3, Vec3) {
        match other {
            Other::Mover(b) => {
                let mover = &self.movers[b as usize];
                (mover.velocity_at(point), mover.omega)
            }
            Other::Obstacle(b) => {
                let BodyState { angular_velocity, .. } = self.obstacles[b as usize].now;
                (self.obstacles[b as usize].now.velocity_at(point), angular_velocity)
            }
        }
    }
}

/// Coulomb coefficients (μ_s, μ_d) and restitution of a contact.
fn combined(scene: &Scene, a: &Material, b: &Material) -> ((f64, f64), f64) {
    let friction = |x: f64, y: f64| scene.friction_rule.combine(x, y);
    let static_ = friction(a.friction.static_, b.friction.static_);
    let dynamic = friction(a.friction.dynamic, b.friction.dynamic);
    ((static_, dynamic), scene.restitution_rule.combine(a.restitution, b.restitution))
}

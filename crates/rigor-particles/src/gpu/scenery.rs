//! What the device knows of a scene, as bytes.

use std::collections::BTreeMap;

use rigor_geometry::Aabb;
use rigor_gpu::Bytes;
use rigor_math::{Vec3, rotation_vector};
use rigor_scene::Scene;

use crate::config::{Config, Rotation};
use crate::gpu::tree;
use crate::mover::{Material, Mover, Origin};
use crate::world::{World, combined};

/// Maximum advance of a particle per substep, as a fraction of the smallest diameter, as on the processor.
const ADVANCE: f64 = 0.1;
/// The group of grains that touch all others.
const NO_GROUP: u32 = u32::MAX;
/// The flag of a grain.
const GRAIN: u32 = 64;
/// Bytes of a motion, and of those of its parts that a state has: x, q, v, ω, and what rounding takes from x and v.
pub(crate) const MOTION: usize = 144;
pub(crate) const MOTION_OF_STATE: usize = 96;

/// Everything that the device needs for a step.
#[derive(Debug, Default)]
pub(crate) struct DeviceInput {
    pub n_bodies: u32,
    pub n_particles: u32,
    pub n_buckets: u32,
    pub settings: Bytes,
    pub bodies: Bytes,
    pub motions: Bytes,
    pub particles: Bytes,
    /// Obstacles, which may move; then what stays as it is: damping ratios, trees and triangles.
    pub obstacles: Bytes,
    pub rest: Bytes,
}

/// Numbers of groups and materials in the order in which they appear.
#[derive(Debug, Default)]
struct MaterialIds {
    groups: BTreeMap<(bool, u32), u32>,
    materials: BTreeMap<u64, u32>,
    all: Vec<Material>,
}

impl MaterialIds {
    fn group(&mut self, scene: &Scene, origin: Origin) -> u32 {
        let key = match origin {
            Origin::Body(id) => Some((false, scene.bodies[id.0].group)),
            Origin::Grain(id) => scene.particles[id.0].group.map(|group| (true, group)),
        };
        let next = self.groups.len() as u32;
        key.map_or(NO_GROUP, |key| *self.groups.entry(key).or_insert(next))
    }

    /// Materials differ by their restitution alone: friction is not used.
    fn material(&mut self, material: Material) -> u32 {
        let next = self.all.len() as u32;
        *self.materials.entry(material.restitution.to_bits()).or_insert_with(|| {
            self.all.push(material);
            next
        })
    }
}

impl DeviceInput {
    /// Describes `world` for a step of `dt` (s).
    pub fn new(world: &World, scene: &Scene, config: &Config, dt: f64) -> Self {
        let mut names = MaterialIds::default();
        let n_particles = world.particles.owner.len() as u32;
        let mut scenery = Self {
            n_bodies: world.movers.len() as u32,
            n_particles,
            n_buckets: n_particles.max(1).next_power_of_two(),
            ..Self::default()
        };
        for mover in &world.movers {
            let (group, material) = (names.group(scene, mover.origin), names.material(mover.material));
            add_body(&mut scenery.bodies, mover, world, group, material);
            add_motion(&mut scenery.motions, mover);
        }
        for (local, owner) in world.particles.local.iter().zip(&world.particles.owner) {
            scenery.particles.vector_and_bits(local, *owner);
        }
        let zeta = scenery.add_obstacles(world, scene, config, &mut names, dt);
        scenery.add_settings(world, config, (names.all.len() as u32, zeta), dt);
        scenery
    }

    /// Adds obstacles, their trees and triangles, and the damping ratios. Returns the place of the latter.
    fn add_obstacles(
        &mut self,
        world: &World,
        scene: &Scene,
        config: &Config,
        names: &mut MaterialIds,
        dt: f64,
    ) -> u32 {
        let start = 5 * world.obstacles.len() as u32;
        let mut at = start;
        for obstacle in &world.obstacles {
            let (mesh, now) = (&obstacle.mesh, &obstacle.now);
            let n = mesh.triangles().len();
            let boxes: Vec<Aabb> = (0..n).map(|t| Aabb::of_points(&mesh.corners(t))).collect();
            let nodes = tree::build(&boxes);
            let first = at;
            let triangles = first + 2 * nodes.len() as u32;
            for node in &nodes {
                let place = node.triangle.map_or(u32::MAX, |t| triangles + 4 * t as u32);
                let (low, high) = (node.bounds.min, node.bounds.max);
                self.rest.vector_and_bits(&rounded(&low, f32::next_down), first + 2 * node.next as u32);
                self.rest.vector_and_bits(&rounded(&high, f32::next_up), place);
            }
            for t in 0..n {
                let [a, b, c] = mesh.corners(t);
                let normal = (b - a).cross(&(c - a)).normalize();
                [a, b, c].iter().for_each(|corner| self.rest.vector(corner, 0.0));
                self.rest.vector(&normal, normal.dot(&a));
            }
            at = triangles + 4 * n as u32;
            let end = scene.bodies[obstacle.id.0].prescribed(world.time + dt).unwrap_or(*now);
            let turn = rotation_vector::log(&(end.pose.rotation * now.pose.rotation.inverse()));
            let velocity = (end.pose.position - now.pose.position) / dt;
            let q = now.pose.rotation.coords;
            self.obstacles.vector_and_bits(&now.pose.position, first);
            self.obstacles.floats([q.x, q.y, q.z, q.w]);
            self.obstacles.vector_and_bits(&velocity, triangles);
            self.obstacles.vector(&(turn / dt), 0.0);
            let group = names.group(scene, Origin::Body(obstacle.id));
            let material = names.material(obstacle.material);
            self.obstacles.integers([group, material, u32::from(obstacle.is_solid), 0]);
        }
        let ratios: Vec<f64> = names
            .all
            .iter()
            .flat_map(|a| names.all.iter().map(move |b| combined(scene, a, b).1))
            .map(|e| world.dampers.ratio(e, config.model))
            .collect();
        ratios.iter().for_each(|ratio| self.rest.float(*ratio));
        (ratios.len()..ratios.len().div_ceil(4).max(1) * 4).for_each(|_| self.rest.float(0.0));
        at
    }

    fn add_settings(&mut self, world: &World, config: &Config, (n_materials, zeta): (u32, u32), dt: f64) {
        let margin = 2.0 * ADVANCE * world.largest;
        // Rounding must not make a cell smaller than what it has to reach.
        let edge = 1.0001 * (world.largest + margin);
        let speeds = self.obstacle_speeds(world);
        let settings = &mut self.settings;
        let n_obstacles = world.obstacles.len() as u32;
        settings.integers([self.n_bodies, self.n_particles, self.n_buckets, n_obstacles]);
        settings.floats([1.0 / edge, margin, ADVANCE * world.smallest, config.steps_per_contact]);
        settings.float(config.stiffness.unwrap_or(0.0));
        settings.floats([config.damping.unwrap_or(-1.0), config.shear.unwrap_or(-1.0), dt]);
        let rotation = u32::from(config.rotation == Rotation::Quaternion);
        settings.integers([rotation, n_materials, config.max_substeps, zeta]);
        settings.float(speeds);
        settings.integers([0; 3]);
    }

    /// The maximum speed (m/s) of any point of an obstacle in the step.
    fn obstacle_speeds(&self, world: &World) -> f64 {
        let speed = |(k, obstacle): (usize, &crate::mover::Obstacle)| {
            let vector = |at: usize| {
                let part = |i| rigor_gpu::float_at(&self.obstacles.0, 20 * k + at + i);
                Vec3::new(part(0), part(1), part(2))
            };
            vector(8).norm() + vector(12).norm() * obstacle.radius
        };
        world.obstacles.iter().enumerate().map(speed).fold(0.0, f64::max)
    }
}

/// A vector whose components are rounded to single precision, then moved on by `push`.
fn rounded(v: &Vec3, push: fn(f32) -> f32) -> Vec3 {
    v.map(|x| f64::from(push(x as f32)))
}

fn add_body(bytes: &mut Bytes, mover: &Mover, world: &World, group: u32, material: u32) {
    let fixed = mover.fixed;
    let turns = mover.inverse_mass > 0.0 && fixed.rotation != [true; 3];
    let inverse = mover.moments.map(|moment| if turns && moment > 0.0 { 1.0 / moment } else { 0.0 });
    let radius = world.particles.radius[mover.first as usize];
    bytes.vector(&inverse, mover.inverse_mass);
    bytes.vector(&mover.moments, mover.kappa);
    bytes.vector(&mover.acceleration, radius);
    bytes.vector(&mover.torque, mover.radius);
    bytes.integers([mover.first, mover.end, group, material]);
    let bits = |axes: [bool; 3]| (0..3).map(|k| u32::from(axes[k]) << k).sum::<u32>();
    let grain = if matches!(mover.origin, Origin::Grain(_)) { GRAIN } else { 0 };
    bytes.integer(bits(fixed.translation) | bits(fixed.rotation) << 3 | grain);
    let n = mover.end - mover.first;
    let side = (1..).find(|k: &u32| k * k * k >= n).unwrap_or(1);
    bytes.float(f64::from(side * side));
    bytes.integers([0; 2]);
}

fn add_motion(bytes: &mut Bytes, mover: &Mover) {
    let q = mover.q.coords;
    bytes.vector(&mover.x, 0.0);
    bytes.floats([q.x, q.y, q.z, q.w]);
    bytes.vector(&mover.v, 0.0);
    bytes.vector(&mover.omega, 0.0);
    [mover.x, mover.v].iter().for_each(|v| bytes.vector(&(v - rounded(v, |x| x)), 0.0));
    bytes.floats([0.0; 12]);
}

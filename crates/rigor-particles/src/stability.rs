//! The longest stable substep.

use rigor_math::{Mat3, Vec3};

use crate::config::{Config, Model};
use crate::contact::{ContactPartner, Link};
use crate::grain::granular::{Granular, NearbyGrain};
use crate::grain::vibration::{Bounds, norm};
use crate::neighbours::Neighbours;
use crate::stiffness;
use crate::world::World;

/// Maximum advance of a particle per substep, as a fraction of the smallest diameter.
const ADVANCE: f64 = 0.1;

/// Stiffness that the near particles of a mover can exert on it.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// Σ S (N/m), and Σ [r] S [r]ᵀ (N m).
    linear: Mat3,
    angular: Mat3,
}

/// Returns a stable substep (s) while the lists of `near` and of `grains` hold; infinity if nothing is near.
///
/// A grain with a mover has contacts in both lists, so that its bounds are added.
pub(crate) fn substep(
    world: &World,
    near: &Neighbours,
    grains: &Bounds,
    guests: &[NearbyGrain],
    config: &Config,
) -> f64 {
    let movers = bounds(world, near, config);
    let mut omega_sq = movers[..world.n_bodies].iter().copied().fold(0.0, f64::max);
    omega_sq = grains.omega_sq.iter().copied().fold(omega_sq, f64::max);
    for (guest, bound) in guests.iter().zip(&movers[world.n_bodies..]) {
        omega_sq = omega_sq.max(bound + grains.omega_sq[guest.place as usize]);
    }
    let zeta = near.patches.iter().map(|patch| patch.zeta).fold(grains.zeta, f64::max);
    let omega = omega_sq.sqrt();
    let elastic = std::f64::consts::PI / (config.steps_per_contact * omega);
    let damped = if zeta > 0.0 { 0.25 / (zeta * omega) } else { f64::INFINITY };
    elastic.min(damped).min(given_damping(world, near, grains, config))
}

/// Bounds ω² (1/s²) of each mover.
///
/// ω² is bounded by λ(M⁻¹K) ≤ λ(K_xx/m) + λ(I⁻¹K_θθ) for each mover, with the stiffness of all near
/// contacts as if all touched, doubled where both sides move (since (u − v)² ≤ 2u² + 2v²), and with the
/// ∞-norm above each λ. The half period π/ω is divided by `steps_per_contact`. Explicit damping asks for h
/// ≤ 1/(2 ζ ω) in addition; half of that is used. Symplectic Euler is stable for h < 2/ω.
fn bounds(world: &World, near: &Neighbours, config: &Config) -> Vec<f64> {
    let zero = Block { linear: Mat3::zeros(), angular: Mat3::zeros() };
    let mut blocks = vec![zero; world.movers.len()];
    for link in &near.links[..near.n_pairs] {
        let patch = &near.patches[link.patch as usize];
        let (p, q) = (position(world, link.particle), position(world, link.other));
        let normal = (p - q).try_normalize(0.0).unwrap_or_else(Vec3::x);
        let stiffness = stiffness_of(world, link, config, patch.kappa, (p - q).norm());
        let ContactPartner::Mover(b) = patch.b else { continue };
        for k in [patch.a, b] {
            // Both sides move, unless one is pinned.
            let both = world.movers[patch.a as usize].inverse_mass > 0.0
                && world.movers[b as usize].inverse_mass > 0.0;
            let factor = if both { 2.0 } else { 1.0 };
            add(&mut blocks[k as usize], world, k, factor * stiffness, config, &normal, &(0.5 * (p + q)));
        }
    }
    for wall in &near.walls {
        let link = &near.links[wall.link as usize];
        let patch = &near.patches[link.patch as usize];
        let p = position(world, link.particle);
        let obstacle = &world.obstacles[wall.obstacle as usize];
        let [a, b, c] = obstacle.mesh.corners(near.triangles[wall.triangles.start] as usize);
        let normal = obstacle.now.pose.vector(&(b - a).cross(&(c - a)).normalize());
        let stiffness = stiffness_of(world, link, config, patch.kappa, f64::INFINITY);
        add(&mut blocks[patch.a as usize], world, patch.a, stiffness, config, &normal, &p);
    }
    blocks.iter().enumerate().map(|(k, block)| bound(world, k, block)).collect()
}

/// Returns the longest time (s) in which no active particle advances by more than a part of its diameter.
pub(crate) fn advance_limit(world: &World, grains: &Granular, gravity: &Vec3) -> f64 {
    time_to_move(ADVANCE * world.smallest, world, grains, gravity)
}

/// Returns a time (s) in which nothing that is active moves by more than `distance` (m) but for contact.
pub(crate) fn time_to_move(distance: f64, world: &World, grains: &Granular, gravity: &Vec3) -> f64 {
    let speed = fastest(world).max(grains.fastest());
    // The positive root of h v + h² a = distance.
    let strongest = strongest(world).max(if grains.x.is_empty() { 0.0 } else { gravity.norm() });
    let root = speed + (speed * speed + 4.0 * strongest * distance).sqrt();
    if root > 0.0 { 2.0 * distance / root } else { f64::INFINITY }
}

/// Returns the maximum acceleration (m/s²) of active movers without contact.
pub(crate) fn strongest(world: &World) -> f64 {
    let movers = world.movers.iter().filter(|mover| mover.is_active);
    movers.map(|mover| mover.acceleration.norm()).fold(0.0, f64::max)
}

/// Returns the maximum speed (m/s) of active movers and of obstacles.
pub(crate) fn fastest(world: &World) -> f64 {
    let movers = world.movers.iter().filter(|mover| mover.is_active).map(crate::mover::Mover::speed);
    movers.chain(world.obstacles.iter().map(crate::mover::Obstacle::speed)).fold(0.0, f64::max)
}

/// Returns the longest substep (s) for a given η: h ≤ m/(2 N η) for each mover.
fn given_damping(world: &World, near: &Neighbours, grains: &Bounds, config: &Config) -> f64 {
    let shear = if config.model == Model::Harada { config.shear } else { None };
    let eta = config.damping.unwrap_or(0.0) + shear.unwrap_or(0.0);
    if eta <= 0.0 {
        return f64::INFINITY;
    }
    let mut counts = vec![0_u32; world.movers.len()];
    let pairs = near.links[..near.n_pairs].iter().map(|link| link.patch);
    let walls = near.walls.iter().map(|wall| near.links[wall.link as usize].patch);
    for patch in pairs.chain(walls).map(|patch| &near.patches[patch as usize]) {
        counts[patch.a as usize] += 1;
        if let ContactPartner::Mover(b) = patch.b {
            counts[b as usize] += 1;
        }
    }
    let most = world
        .movers
        .iter()
        .zip(counts)
        .map(|(mover, n)| f64::from(n) * mover.inverse_mass)
        .fold(0.0, f64::max);
    let most = most + grains.per_mass;
    // 3: translation and the two rotations of a lever as long as the radius of gyration; 2: normal and shear.
    1.0 / (2.0 * 3.0 * 2.0 * eta * most)
}

fn position(world: &World, particle: u32) -> Vec3 {
    world.particles.position[particle as usize]
}

/// The slope of the spring (N/m) at twice the overlap that the stiffness was derived from, or at the
/// present one.
fn stiffness_of(world: &World, link: &Link, config: &Config, kappa: f64, distance: f64) -> f64 {
    let radius = world.particles.radius[link.particle as usize];
    let expected = 4.0 * config.overlap * radius;
    let present = if distance.is_finite() { 2.0 * radius - distance } else { 0.0 };
    stiffness::slope(config.model, kappa, expected.max(present))
}

fn add(
    block: &mut Block,
    world: &World,
    k: u32,
    stiffness: f64,
    config: &Config,
    normal: &Vec3,
    point: &Vec3,
) {
    let ratio = if config.model == Model::Harada { 0.0 } else { config.tangential_ratio() };
    let arm = point - world.movers[k as usize].x;
    let square = if config.rolling > 0.0 { world.smallest * world.smallest } else { 0.0 };
    for axis in 0..3 {
        let e = Vec3::ith(axis, 1.0);
        let mut column = block.linear.column_mut(axis);
        column += stiffness::apply(stiffness, ratio, normal, &e);
        // [r] S [r]ᵀ e = r × S (e × r).
        let turned = arm.cross(&stiffness::apply(stiffness, ratio, normal, &e.cross(&arm)));
        let mut column = block.angular.column_mut(axis);
        column += turned + 0.25 * ratio * stiffness * square * e;
    }
}

fn bound(world: &World, k: usize, block: &Block) -> f64 {
    let mover = &world.movers[k];
    let mut turned = Mat3::zeros();
    for axis in 0..3 {
        turned.set_column(axis, &mover.turn(&block.angular.column(axis).into_owned()));
    }
    norm(&block.linear) * mover.inverse_mass + norm(&turned)
}

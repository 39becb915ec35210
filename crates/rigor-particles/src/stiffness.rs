//! Stiffness of contacts, from the overlap that a user accepts.

use rigor_math::Vec3;
use rigor_scene::{Body, PartKind, Scene};

use crate::config::{Config, Model};

/// κ of the spring f = κ δ^p of one body, against a rigid one (N/m, or N/m^{3/2} for `hertz`).
///
/// A body of mass m that hits a rigid one at the speed v with N = n^{2/3} of its n particles at once comes
/// to rest at the overlap δ if N κ δ^{p+1}/(p+1) = ½ m v². The weight of the body on one particle is a
/// lower bound: κ δ^p = m g.
pub(crate) fn of_body(config: &Config, scene: &Scene, mass: f64, n: usize, diameter: f64, speed: f64) -> f64 {
    let overlap = config.overlap * diameter;
    // n^{2/3} of a cube is the number on one face; the square of the integer cube root is close enough.
    let side = (1..).find(|k: &usize| k * k * k >= n).unwrap_or(1);
    let face = (side * side) as f64;
    let (power, to_p) = match config.model {
        Model::Hertz => (1.5, overlap * overlap.sqrt()),
        Model::Hooke | Model::Harada => (1.0, overlap),
    };
    let stops = 0.5 * (power + 1.0) * mass * speed * speed / (face * to_p * overlap);
    stops.max(mass * scene.gravity.norm() / to_p)
}

/// κ of a contact between particles of two bodies with radii `radii` (m); `None` is a rigid obstacle.
///
/// Springs in series. With `stiffness` or `young` given, those: κ = 4/3 E* √R*, E* = E/(2 (1 − ν²)), for
/// `hertz`.
pub(crate) fn of_pair(config: &Config, kappas: (f64, Option<f64>), radii: (f64, Option<f64>)) -> f64 {
    let effective = effective_radius(radii.0, radii.1);
    match (config.model, config.stiffness, config.young) {
        (Model::Hooke | Model::Harada, Some(k), _) => k,
        (Model::Hertz, _, Some(e)) => {
            4.0 / 3.0 * e / (2.0 * (1.0 - config.poisson * config.poisson)) * effective.sqrt()
        }
        _ => kappas.1.map_or(kappas.0, |b| kappas.0 * b / (kappas.0 + b)),
    }
}

/// The slope p κ δ^{p−1} (N/m) of the spring at the overlap `delta` (m).
pub(crate) fn slope(model: Model, kappa: f64, delta: f64) -> f64 {
    match model {
        Model::Hertz => 1.5 * kappa * delta.sqrt(),
        Model::Hooke | Model::Harada => kappa,
    }
}

/// Speed of impact (m/s) that a scene suggests: v² = v₀² + 2 g H + 2 a R.
///
/// v₀ is the maximum initial speed, H the height from which a body can fall onto the lowest surface, at
/// least `least` (m), and a the acceleration by a body's own force and torque, over its radius R. The speed
/// is at least `least` per second, so that bodies at rest without gravity have a stiffness.
pub(crate) fn impact_speed(scene: &Scene, least: f64) -> f64 {
    let reach = |body: &Body| {
        body.initial.linear_velocity.norm() + body.initial.angular_velocity.norm() * body.radius
    };
    let of_bodies = scene.bodies.iter().map(reach);
    let of_grains = scene.particles.iter().map(|particle| particle.velocity.norm());
    let start = of_bodies.chain(of_grains).fold(0.0, f64::max);
    let driven = |body: &Body| {
        let turn = if body.torque == Vec3::zeros() { 0.0 } else { body.torque.norm() / body.inertia.min() };
        2.0 * (body.force.norm() / body.mass + turn * body.radius) * body.radius
    };
    let pushed = scene.bodies.iter().filter(|b| b.is_dynamic()).map(driven).filter(|x| x.is_finite());
    let height = fall(scene).max(least);
    let square = start * start + 2.0 * scene.gravity.norm() * height + pushed.fold(0.0, f64::max);
    square.sqrt().max(least)
}

/// Height (m) between the highest underside of a dynamic body or grain and the lowest surface that may stop
/// it.
fn fall(scene: &Scene) -> f64 {
    let Some(up) = (-scene.gravity).try_normalize(0.0) else { return 0.0 };
    let (mut highest, mut floor, mut lowest) = (f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY);
    for body in &scene.bodies {
        let heights = |range: std::ops::Range<usize>| {
            let vertices = &body.mesh.vertices()[range];
            vertices.iter().map(|v| up.dot(&body.initial.pose.point(v))).collect::<Vec<_>>()
        };
        if body.is_dynamic() {
            let underside = heights(0..body.mesh.vertices().len()).into_iter().fold(f64::INFINITY, f64::min);
            (highest, lowest) = (highest.max(underside), lowest.min(underside));
        } else {
            for part in &body.parts {
                let of_part = heights(part.vertices.clone());
                // A bowl stops bodies at its bottom, a convex part at its top.
                let stop = match part.kind {
                    PartKind::Concave => of_part.into_iter().fold(f64::INFINITY, f64::min),
                    PartKind::Box { .. }
                    | PartKind::Ball { .. }
                    | PartKind::Capsule { .. }
                    | PartKind::Convex => of_part.into_iter().fold(f64::NEG_INFINITY, f64::max),
                };
                floor = floor.min(stop);
            }
        }
    }
    for particle in &scene.particles {
        let height = up.dot(&particle.position) - particle.radius;
        highest = highest.max(height);
        lowest = lowest.min(height);
    }
    let ground = if floor.is_finite() { floor } else { lowest };
    if highest.is_finite() { (highest - ground).max(0.0) } else { 0.0 }
}

/// Returns Σ 1/R over the two sides as an effective radius (m).
pub(crate) fn effective_radius(a: f64, b: Option<f64>) -> f64 {
    b.map_or(a, |b| a * b / (a + b))
}

/// Returns the tensor S (n nᵀ + ρ (1 − n nᵀ)) applied to `v`.
pub(crate) fn apply(stiffness: f64, ratio: f64, n: &Vec3, v: &Vec3) -> Vec3 {
    stiffness * (ratio * v + (1.0 - ratio) * n.dot(v) * n)
}

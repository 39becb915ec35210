//! Lengths, speeds and masses of a scene, from which default settings are derived.

use rigor_geometry::Aabb;
use rigor_scene::{Body, Scene};

use crate::config::{Config, Ending};
use crate::prediction::weight;

/// Numerical settings of a scene.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// Mean mass (kg) of the moving bodies.
    pub mass: f64,
    /// d̂ (m): as given, or its default, which is smaller if bodies start closer.
    pub d_hat: f64,
    /// ε_v (m/s).
    pub eps_v: f64,
    /// Maximum speed (m/s) that the unbalanced forces may give a point in one step.
    pub tolerance: f64,
    /// Tolerance (m/s) given in the settings.
    pub asked: Option<f64>,
    /// Diagonal (m) of the box around all bodies at the start.
    pub diagonal: f64,
}

/// Largest and smallest default of d̂, relative to the diagonal of the smallest moving body.
const MAX_D_HAT: f64 = 1e-3;
const MIN_D_HAT: f64 = 1e-6;
/// Tolerance, relative to the scene's characteristic acceleration.
const BALANCED: f64 = 1e-4;
/// Largest displacement by unbalanced forces in one step, relative to d̂.
const OFF: f64 = 0.1;

impl Scale {
    /// Limits d̂ to the initial distance `near` (m) of bodies beyond `d_min`, so that the barrier does not
    /// throw them apart.
    pub fn starting_at(self, near: f64, d_min: f64) -> Self {
        let lowest = MIN_D_HAT / MAX_D_HAT * self.d_hat;
        Self { d_hat: self.d_hat.min((near - d_min).max(lowest)), ..self }
    }

    /// Derives the settings; `bounds` are the boxes of the bodies in their own frames (m), `dt` is the step
    /// (s).
    pub fn new(scene: &Scene, bounds: &[Aabb], config: &Config, dt: f64) -> Self {
        let all = || scene.bodies.iter().zip(bounds);
        let moving = || all().filter(|(body, _)| body.is_dynamic());
        let sizes = moving().map(|(_, bounds)| bounds.diagonal()).filter(|size| *size > 0.0);
        let span = diagonal(moving());
        let n = moving().count().max(1) as f64;
        let diagonal = diagonal(all());
        let unit = if config.velocity_tolerance_is_absolute { 1.0 } else { diagonal };
        let asked = config.velocity_tolerance.map(|given| given * unit);
        let d_hat = config.d_hat.unwrap_or(MAX_D_HAT * sizes.fold(span, f64::min));
        let largest = (BALANCED * dt * acceleration(scene, span)).min(OFF * d_hat / dt);
        Self {
            mass: moving().map(|(body, _)| body.mass).sum::<f64>() / n,
            d_hat,
            eps_v: config.eps_v.unwrap_or(1e-4 * span),
            tolerance: match (config.ending, asked) {
                (Ending::Reference, Some(asked)) => asked,
                (_, asked) => asked.map_or(largest, |asked| asked.min(largest)),
            },
            asked,
            diagonal,
        }
    }
}

/// Returns the characteristic acceleration (m/s²) of `scene`, whose moving bodies span `span` (m).
///
/// It is the largest acceleration by gravity and constant forces and torques; without any, the largest
/// initial speed squared over the span; if nothing moves either, the span per second squared.
fn acceleration(scene: &Scene, span: f64) -> f64 {
    let dynamic = || scene.bodies.iter().filter(|body| body.is_dynamic());
    let weights = dynamic().map(|body| weight(body, &scene.gravity).norm());
    let turns = dynamic().filter(|body| body.torque.norm() > 0.0 && body.inertia.max() > 0.0);
    let turns = turns.map(|body| body.radius * body.torque.norm() / body.inertia.max());
    let forced = weights.chain(turns).fold(0.0, f64::max);
    if forced > 0.0 {
        return forced;
    }
    let speed = |body: &Body| {
        body.initial.linear_velocity.norm() + body.radius * body.initial.angular_velocity.norm()
    };
    let fastest = scene.bodies.iter().map(speed).fold(0.0, f64::max);
    if fastest > 0.0 { fastest * fastest / span } else { span }
}

/// Returns the diagonal (m) of the box around bodies in their initial poses; 1 without bodies.
fn diagonal<'a>(bodies: impl Iterator<Item = (&'a Body, &'a Aabb)>) -> f64 {
    let placed = bodies.map(|(body, bounds)| bounds.transformed(&body.initial.pose));
    let bounds = placed.fold(Aabb::EMPTY, |all, bounds| all.union(&bounds));
    if bounds.is_empty() { 1.0 } else { bounds.diagonal() }
}

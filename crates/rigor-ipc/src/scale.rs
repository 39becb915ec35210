//! Lengths, speeds and masses of a scene, from which settings that are not given are derived.

use rigor_geometry::Aabb;
use rigor_scene::{Body, Scene};

use crate::config::Config;

/// The settings of a scene, in numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// Their mean mass (kg).
    pub mass: f64,
    /// d̂ (m) as given; else at most this, and less where bodies begin nearer.
    pub d_hat: f64,
    /// ε_v (m/s).
    pub eps_v: f64,
    /// How far (m) a point may move in the Newton iteration that is not done any more.
    pub tolerance: f64,
    is_tolerance_given: bool,
}

/// The widest and the narrowest d̂ that is chosen, against the diagonal of the smallest moving body.
const WIDEST: f64 = 1e-3;
const NARROWEST: f64 = 1e-6;
/// The part of d̂ up to which places are found, if no tolerance is given.
const RESOLVED: f64 = 1e-2;
/// The part of ε_v up to which speeds are.
const STUCK: f64 = 0.1;

impl Scale {
    /// With d̂ no more than the distance (m) at which bodies begin, beyond `d_min`: the barrier throws nothing off.
    pub fn starting_at(self, near: f64, d_min: f64) -> Self {
        let narrowest = NARROWEST / WIDEST * self.d_hat;
        Self { d_hat: self.d_hat.min((near - d_min).max(narrowest)), ..self }
    }

    /// With a tolerance, if it is not given, that tells places within d̂ from each other, and what sticks from what
    /// slides in a step of `dt` (s).
    pub fn resolving(self, dt: f64) -> Self {
        if self.is_tolerance_given {
            return self;
        }
        let tolerance = self.tolerance.min(RESOLVED * self.d_hat).min(STUCK * self.eps_v * dt);
        Self { tolerance, ..self }
    }

    /// Of bodies with these boxes around them, each in its own frame (m).
    pub fn new(scene: &Scene, bounds: &[Aabb], config: &Config, dt: f64) -> Self {
        let all = || scene.bodies.iter().zip(bounds);
        let moving = || all().filter(|(body, _)| body.is_dynamic());
        let sizes = moving().map(|(_, bounds)| bounds.diagonal()).filter(|size| *size > 0.0);
        let span = diagonal(moving());
        let n = moving().count().max(1) as f64;
        let gravity = scene.gravity.norm();
        let tolerance = if gravity > 0.0 { 1e-3 * dt * gravity } else { 1e-5 * span };
        Self {
            mass: moving().map(|(body, _)| body.mass).sum::<f64>() / n,
            d_hat: config.d_hat.unwrap_or(WIDEST * sizes.fold(span, f64::min)),
            eps_v: config.eps_v.unwrap_or(1e-4 * span),
            tolerance: dt
                * match config.velocity_tolerance {
                    Some(given) if config.velocity_tolerance_is_absolute => given,
                    Some(given) => given * diagonal(all()),
                    None => tolerance,
                },
            is_tolerance_given: config.velocity_tolerance.is_some(),
        }
    }
}

/// The diagonal (m) of the box around bodies as they stand at the start; 1 without bodies.
fn diagonal<'a>(bodies: impl Iterator<Item = (&'a Body, &'a Aabb)>) -> f64 {
    let placed = bodies.map(|(body, bounds)| bounds.transformed(&body.initial.pose));
    let bounds = placed.fold(Aabb::EMPTY, |all, bounds| all.union(&bounds));
    if bounds.is_empty() { 1.0 } else { bounds.diagonal() }
}

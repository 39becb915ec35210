//! The energy that one minimization made: impulses act where bodies end, and may drive on what they should stop.

use rigor_math::Vec3;
use rigor_scene::energy::kinetic;
use rigor_scene::{Body, BodyState, Role, Scene};

use crate::flight::Span;
use crate::prediction::weight;

/// Energy that a minimization may make, relative to the kinetic energy of the bodies that take part.
const MADE: f64 = 0.01;

/// Returns by what factor a span from `before` to `after`, in which the barrier `released` some energy (J), makes more than a
/// first-order step may: at most 1 if all is well.
///
/// The sum of kinetic energy, the potentials of gravity and of constant forces, and the barrier does not rise where friction
/// and inelastic impacts only take. What it may rise by is `MADE` of the kinetic energy, and the work of the weights in one
/// span, by which a first-order step errs. Where kinematic bodies or torques give energy, the factor is 0.
pub(crate) fn excess(
    scene: &Scene,
    before: &[BodyState],
    after: &[BodyState],
    span: &Span,
    released: Option<f64>,
) -> f64 {
    let bodies = || scene.bodies.iter().zip(before.iter().zip(after)).enumerate();
    let mut part = bodies().filter(|(b, _)| span.has(*b)).map(|(_, body)| body);
    let gives = |(body, (now, then)): (&Body, (&BodyState, &BodyState))| match body.role {
        Role::Static => false,
        Role::Kinematic(_) => now.pose != then.pose,
        Role::Dynamic => body.torque != Vec3::zeros(),
    };
    if part.any(gives) {
        return 0.0;
    }
    let (mut made, mut allowed) = (-released.unwrap_or(0.0), 0.0);
    for (_, (body, (now, then))) in bodies().filter(|(b, (body, _))| body.is_dynamic() && span.has(*b)) {
        let (start, end) = (kinetic(body, now), kinetic(body, then));
        let weight = weight(body, &scene.gravity);
        let falls = span.h * weight.norm();
        made += end - start - body.mass * weight.dot(&(then.pose.position - now.pose.position));
        allowed += MADE * start + body.mass * falls * (now.linear_velocity.norm() + falls);
    }
    if allowed > 0.0 { made / allowed } else { 0.0 }
}

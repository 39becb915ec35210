//! The energy that one minimization made: impulses act where bodies end, and may drive on what they should stop.

use rigor_math::inertia;
use rigor_scene::{Body, BodyState, Role, Scene, State};

use crate::flight::Span;
use crate::memory;
use crate::prediction::weight;

/// Energy that a minimization may make, relative to the kinetic energy of the bodies that take part.
const MADE: f64 = 0.01;

/// Returns by what factor a span from `before` to `after` makes more energy than a first-order step may: at most 1 if all
/// is well. `barrier` is the energy (J) of the barrier at the end.
///
/// The sum of kinetic energy, the potentials of gravity and of constant forces, and the barrier does not rise where friction
/// and inelastic impacts only take. What it may rise by is `MADE` of the kinetic energy, and the work of the weights in one
/// span, by which a first-order step errs. Where kinematic bodies, torques or the first step give energy, the factor is 0.
pub(crate) fn excess(scene: &Scene, before: &State, after: &State, span: &Span, barrier: f64) -> f64 {
    let Some(stored) = memory::barrier(before) else { return 0.0 };
    let bodies = || scene.bodies.iter().zip(before.bodies.iter().zip(&after.bodies)).enumerate();
    let mut part = bodies().filter(|(b, _)| span.has(*b));
    let gives = |(_, (body, (now, then))): (usize, (&Body, (&BodyState, &BodyState)))| match body.role {
        Role::Static => false,
        Role::Kinematic(_) => now.pose != then.pose,
        Role::Dynamic => body.torque != rigor_math::Vec3::zeros(),
    };
    if part.any(gives) {
        return 0.0;
    }
    let (mut made, mut allowed) = (barrier - stored, 0.0);
    for (_, (body, (now, then))) in bodies().filter(|(b, (body, _))| body.is_dynamic() && span.has(*b)) {
        let (start, end) = (kinetic(body, now), kinetic(body, then));
        let weight = weight(body, &scene.gravity);
        let falls = span.h * weight.norm();
        made += end - start - body.mass * weight.dot(&(then.pose.position - now.pose.position));
        allowed += MADE * start + body.mass * falls * (now.linear_velocity.norm() + falls);
    }
    if allowed > 0.0 { made / allowed } else { 0.0 }
}

fn kinetic(body: &Body, at: &BodyState) -> f64 {
    let (v, omega) = (&at.linear_velocity, &at.angular_velocity);
    inertia::kinetic_energy(body.mass, v, &body.inertia, &at.pose.rotation, omega)
}

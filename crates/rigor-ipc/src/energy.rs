//! The energy that one minimization made: impulses act where bodies end, and may drive on what they should stop.

use rigor_math::Vec3;
use rigor_scene::energy::kinetic;
use rigor_scene::{Body, BodyState, Role, Scene};

use crate::joined::is_driven;
use crate::partition::Partition;
use crate::prediction::weight;
use crate::span::Span;

/// Energy that a minimization may make, relative to the kinetic energy of the bodies that take part.
const MADE: f64 = 0.01;

/// The energy (J) that the barrier gave in a span.
pub(crate) struct Released {
    pub all: f64,
    /// By pair of bodies that touched at its start or its end, where energy [may be given](may_be_given).
    pub by_pair: Vec<([usize; 2], f64)>,
}

/// Returns whether kinematic bodies or torques may give energy to others.
pub(crate) fn may_be_given(scene: &Scene) -> bool {
    let by_body = scene.bodies.iter().any(|body| match body.role {
        Role::Static => false,
        Role::Kinematic(_) => true,
        Role::Dynamic => body.torque != Vec3::zeros(),
    });
    by_body || scene.joints.iter().any(is_driven)
}

/// Returns by what factor a span from `before` to `after`, in which the barrier `released` some energy, makes more than a
/// first-order step may: at most 1 if all is well.
///
/// The sum of kinetic energy, the potentials of gravity and of constant forces, and the barrier does not rise where friction
/// and inelastic impacts only take. What it may rise by is `MADE` of the kinetic energy, and the work of the weights in one
/// span, by which a first-order step errs. Bodies to which kinematic bodies or torques give energy, be it through others, do not count.
pub(crate) fn excess(
    scene: &Scene,
    before: &[BodyState],
    after: &[BodyState],
    span: &Span,
    released: &Released,
) -> f64 {
    let n = scene.bodies.len();
    let bodies = || scene.bodies.iter().zip(before.iter().zip(after)).enumerate();
    let gives = |(b, (body, (now, then))): (usize, (&Body, (&BodyState, &BodyState)))| {
        span.has(b)
            && match body.role {
                Role::Static => false,
                Role::Kinematic(_) => now.pose != then.pose,
                Role::Dynamic => body.torque != Vec3::zeros(),
            }
    };
    let mut gives: Vec<bool> = bodies().map(gives).collect();
    let ends = |joint: &rigor_scene::Joint| rigor_joint::ends_of(joint).bodies().map(|end| end.0);
    for body in scene.joints.iter().filter(|joint| is_driven(joint)).flat_map(ends) {
        gives[body] |= span.has(body) && scene.bodies[body].is_dynamic();
    }
    let (is_given, mut made) = if gives.contains(&true) {
        // A static body passes nothing on.
        let moves = |pair: &[usize; 2]| pair.iter().all(|&b| scene.bodies[b].is_dynamic() || gives[b]);
        let joined = scene.joints.iter().filter_map(|joint| match ends(joint).collect::<Vec<_>>()[..] {
            [a, b] => Some([a.min(b), a.max(b)]),
            _ => None,
        });
        let ties = released.by_pair.iter().map(|(pair, _)| *pair).chain(joined).filter(moves);
        let is_given = Partition::of(n, ties).fold(&gives, |a, b| a || b);
        let kept = released.by_pair.iter().filter(|(pair, _)| !pair.iter().any(|&b| is_given[b]));
        let kept: f64 = kept.map(|(_, released)| released).sum();
        (is_given, -kept)
    } else {
        (gives, -released.all)
    };
    let mut allowed = 0.0;
    let counts = |b: usize, body: &Body| body.is_dynamic() && span.has(b) && !is_given[b];
    for (_, (body, (now, then))) in bodies().filter(|(b, (body, _))| counts(*b, body)) {
        let (start, end) = (kinetic(body, now), kinetic(body, then));
        let weight = weight(body, &scene.gravity);
        let falls = span.h * weight.norm();
        made += end - start - body.mass * weight.dot(&(then.pose.position - now.pose.position));
        allowed += MADE * start + body.mass * falls * (now.linear_velocity.norm() + falls);
    }
    if allowed > 0.0 { made / allowed } else { 0.0 }
}

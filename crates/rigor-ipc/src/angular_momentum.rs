//! Angular momentum of bodies that touch only each other.
//!
//! An impulse J acts where bodies end, with the levers that they have there. Of bodies that pass each other at v, the angular momentum
//! changes by h v × J: much where they turn fast in a step of h. Such a step is too long, and what a shorter one still changes is
//! given back, by one rotation of all of them, which no contact feels.

use rigor_math::{Mat3, Vec3};
use rigor_scene::{BodyState, Scene};

use crate::flight::Span;
use crate::partition::Partition;

/// Change of angular momentum in a step or substep, relative to what it could be, that is given back.
pub(crate) const MAX_CHANGE: f64 = 0.01;

/// Gives the bodies of each set that touch only each other, by these pairs, the angular momentum of `before`. Returns the largest change that
/// was given back, relative to what it could be.
pub(crate) fn restore(
    scene: &Scene,
    before: &[BodyState],
    after: &mut [BodyState],
    span: &Span,
    touching: impl Iterator<Item = [usize; 2]>,
) -> f64 {
    let n = scene.bodies.len();
    let pairs: Vec<[usize; 2]> = touching.collect();
    let is_free = |b: usize| {
        let body = &scene.bodies[b];
        let is_driven = body.force != Vec3::zeros() || body.torque != Vec3::zeros();
        span.has(b) && body.is_dynamic() && body.fixed.is_none() && !is_driven
    };
    let sets = Partition::of(n, pairs.iter().copied().filter(|pair| pair.iter().all(|&b| is_free(b))));
    let mut is_held = vec![false; n];
    for &[a, b] in pairs.iter().filter(|pair| !pair.iter().all(|&b| is_free(b))) {
        (is_held[sets.names()[a]], is_held[sets.names()[b]]) = (true, true);
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); n];
    (0..n).filter(|&b| is_free(b)).for_each(|b| members[sets.names()[b]].push(b));
    let mut largest = 0.0_f64;
    for (_, set) in members.iter().enumerate().filter(|(name, set)| set.len() > 1 && !is_held[*name]) {
        let (was, is) = (Spin::of(scene, before, set), Spin::of(scene, after, set));
        let change = was.momentum - is.momentum;
        let Some(inverse) = is.inertia.try_inverse().filter(|_| was.size > 0.0) else { continue };
        largest = largest.max(change.norm() / was.size);
        let omega = inverse * change;
        for &b in set {
            after[b].linear_velocity += omega.cross(&(after[b].pose.position - is.center));
            after[b].angular_velocity += omega;
        }
    }
    largest
}

/// Angular momentum of a set of bodies about its centre of mass.
struct Spin {
    center: Vec3,
    /// L (kg m²/s, world).
    momentum: Vec3,
    /// Σ m (‖x − c‖ + r) ‖v − v_c‖ + ‖I ω‖ (kg m²/s) for bodies of radius r: what L could be.
    size: f64,
    /// Inertia (kg m², world) of all as one body.
    inertia: Mat3,
}

impl Spin {
    fn of(scene: &Scene, states: &[BodyState], set: &[usize]) -> Self {
        let bodies = || set.iter().map(|&b| (&scene.bodies[b], &states[b]));
        let mass: f64 = bodies().map(|(body, _)| body.mass).sum();
        let mean = |of: &dyn Fn(&BodyState) -> Vec3| {
            bodies().map(|(body, at)| body.mass * of(at)).sum::<Vec3>() / mass
        };
        let (center, velocity) = (mean(&|at| at.pose.position), mean(&|at| at.linear_velocity));
        let mut spin = Self { center, momentum: Vec3::zeros(), size: 0.0, inertia: Mat3::zeros() };
        for (body, at) in bodies() {
            let (arm, own) = (at.pose.position - center, body.inertia_world(&at.pose));
            let parts = [body.mass * arm.cross(&(at.linear_velocity - velocity)), own * at.angular_velocity];
            spin.momentum += parts[0] + parts[1];
            let (reach, speed) = (arm.norm() + body.radius, (at.linear_velocity - velocity).norm());
            spin.size += body.mass * reach * speed + parts[1].norm();
            spin.inertia +=
                own + body.mass * (Mat3::from_diagonal_element(arm.norm_squared()) - arm * arm.transpose());
        }
        spin
    }
}

//! Angular momentum of bodies that touch only each other.
//!
//! An impulse J acts where bodies end, with the levers that they have there. Of bodies that pass each other at v, the angular momentum
//! changes by h v × J: much where they turn fast in a step of h. What a step changes is given back, by one rotation of all of them, which
//! no contact feels; and where it is much, the step is too long.

use rigor_math::Vec3;
use rigor_math::spin::{MovingMass, Spin};
use rigor_scene::{BodyState, Scene};

use crate::joined::Joined;
use crate::partition::Partition;
use crate::span::Span;

/// Largest change of angular momentum in a step or substep, relative to [what it could be](largest), that is not too much.
pub(crate) const MAX_CHANGE: f64 = 0.01;

/// Gives the bodies of each set that touch only each other, by these pairs, or are joined, and one of which `is_pushed`, the angular momentum of `before`. Returns the largest change that
/// was given back, relative to [what it could be](largest), and two bodies of that set.
pub(crate) fn restore(
    scene: &Scene,
    before: &[BodyState],
    after: &mut [BodyState],
    span: &Span,
    touching: impl Iterator<Item = [usize; 2]>,
    (joined, is_pushed): (&Joined, &[bool]),
) -> Option<(f64, [usize; 2])> {
    let n = scene.bodies.len();
    let pairs: Vec<[usize; 2]> = touching.collect();
    let is_free = |b: usize| {
        let body = &scene.bodies[b];
        let is_driven = body.force != Vec3::zeros() || body.torque != Vec3::zeros();
        span.has(b) && body.is_dynamic() && body.fixed.is_none() && !is_driven
    };
    let ties = pairs.iter().copied().chain(joined.ties.ties());
    let sets = Partition::of(n, ties.filter(|pair| pair.iter().all(|&b| is_free(b))));
    // Joined bodies that nothing pushes keep it in their flight.
    let is_pushed = sets.fold(is_pushed, |a, b| a || b);
    let mut is_held = vec![false; n];
    for &[a, b] in pairs.iter().filter(|pair| !pair.iter().all(|&b| is_free(b))) {
        (is_held[sets.names()[a]], is_held[sets.names()[b]]) = (true, true);
    }
    (0..n).filter(|&b| joined.is_anchored(b)).for_each(|b| is_held[sets.names()[b]] = true);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); n];
    (0..n).filter(|&b| is_free(b)).for_each(|b| members[sets.names()[b]].push(b));
    let mut most: Option<(f64, [usize; 2])> = None;
    for (name, set) in members.iter().enumerate() {
        let &[first, second, ..] = &set[..] else { continue };
        let (was, is) = (spin(scene, before, set), spin(scene, after, set));
        let Some(omega) = is.turn_to(&was.momentum).filter(|_| is_pushed[name] && !is_held[name]) else {
            continue;
        };
        let change = (was.momentum - is.momentum).norm() / largest(scene, before, set, &was);
        // 0/0 where nothing moves.
        if change > most.map_or(0.0, |(most, _)| most) {
            most = Some((change, [first, second]));
        }
        for &b in set {
            after[b].linear_velocity += omega.cross(&(after[b].pose.position - is.center));
            after[b].angular_velocity += omega;
        }
    }
    most
}

fn spin(scene: &Scene, states: &[BodyState], set: &[usize]) -> Spin {
    Spin::about_center(set.iter().map(|&b| {
        let (body, at) = (&scene.bodies[b], &states[b]);
        MovingMass {
            mass: body.mass,
            position: at.pose.position,
            velocity: at.linear_velocity,
            inertia: body.inertia_world(&at.pose),
            omega: at.angular_velocity,
        }
    }))
}

/// Returns what the angular momentum (kg m²/s) of a set could be: Σ m (‖x − c‖ + r) ‖v − v_c‖ + ‖I ω‖ for bodies of radius r.
fn largest(scene: &Scene, states: &[BodyState], set: &[usize], spin: &Spin) -> f64 {
    let bodies = || set.iter().map(|&b| (&scene.bodies[b], &states[b]));
    let mass: f64 = bodies().map(|(body, _)| body.mass).sum();
    let velocity = bodies().map(|(body, at)| body.mass * at.linear_velocity).sum::<Vec3>() / mass;
    let of_body = |(body, at): (&rigor_scene::Body, &BodyState)| {
        let reach = (at.pose.position - spin.center).norm() + body.radius;
        let own = (body.inertia_world(&at.pose) * at.angular_velocity).norm();
        body.mass * reach * (at.linear_velocity - velocity).norm() + own
    };
    bodies().map(of_body).sum()
}

//! Bodies that contact gave more energy than what met them.
//!
//! A minimum takes the directions of contact from where a span ends. A heavy body that presses on a light one is slow to stop, while the light one is
//! quick to move: where the heavy one turns a little in the span, or there is room beside it, the light one is pushed out, at up to √(M/m) times the
//! speed of approach. In an impact along the directions that contacts have when they close, it gets no faster than what hit it. The shorter the span,
//! the nearer these directions are to each other.

use rigor_math::Vec3;
use rigor_scene::energy::kinetic;
use rigor_scene::{BodyState, Role, Scene};

use crate::partition::Partition;
use crate::span::Span;

/// Speed that contact may add to that of a body, over the speed of what it touches.
const GAIN: f64 = 1.2;

/// Part of its own energy that contact may add to it: what a span errs by.
const OWN: f64 = 0.05;

/// Way in a whole step that this speed may make in any case, over the thickness of the body.
const PART: f64 = 0.005;

/// This speed in any case, over what gravity gives in a whole step: what falls pushes what it leans on aside.
const FALL: f64 = 3.0;

/// Thickness of a thin body, over its radius.
const THIN: f64 = 0.1;

/// Returns the body to which contact gave more speed than its span allows, by the largest factor (> 1), after it and with a body that touches it.
///
/// Contact may give a body of mass m and thickness b, beyond 1.05 times what it had or flies with, the kinetic energy ½ m max(1.2 w, 0.005 b/Δt, 3 Δt ‖g‖)². The speed w = ‖v‖ + r ‖ω‖ + h ‖g‖ is the largest, at the
/// start of the step (`begun`) or of the span, of the bodies that touch it, themselves or through others: what has met in one part of a step is driven apart
/// by the barrier in the next, and more so the shorter the parts are. Joined bodies are left out, as what moves them need not touch them, and so are those with a torque of their own.
pub(crate) fn find(
    scene: &Scene,
    [begun, before, after]: [&[BodyState]; 3],
    span: &Span,
    touching: impl Iterator<Item = [usize; 2]>,
    is_joined: impl Fn(usize) -> bool,
) -> Option<(f64, [usize; 2])> {
    let n = scene.bodies.len();
    let pairs: Vec<[usize; 2]> = touching.collect();
    let flies = |b: usize| scene.bodies[b].is_dynamic() && span.has(b);
    let sets = Partition::of(n, pairs.iter().copied().filter(|pair| pair.iter().all(|&b| flies(b))));
    let speed = |b: usize| {
        let of =
            |at: &BodyState| at.linear_velocity.norm() + scene.bodies[b].radius * at.angular_velocity.norm();
        match scene.bodies[b].role {
            Role::Static => 0.0,
            Role::Kinematic(_) => of(&before[b]).max(of(&after[b])),
            Role::Dynamic => of(&begun[b]).max(of(&before[b])) + span.h * scene.gravity.norm(),
        }
    };
    let both = || pairs.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).filter(|&[one, _]| flies(one));
    // The fastest two of each set and of what touches it.
    let mut fastest = vec![[(0.0_f64, usize::MAX); 2]; n];
    for [one, other] in both() {
        for b in [one, other] {
            let [most, second] = &mut fastest[sets.names()[one]];
            let own = (speed(b), b);
            if most.1 == b || second.1 == b {
                continue;
            }
            if own.0 > most.0 {
                (*second, *most) = (*most, own);
            } else if own.0 > second.0 {
                *second = own;
            }
        }
    }
    let excess = |[one, other]: [usize; 2]| {
        let body = &scene.bodies[one];
        // What it would have had without contact.
        let pull = span.h * (scene.gravity + body.force / body.mass);
        let flown = BodyState { linear_velocity: before[one].linear_velocity + pull, ..before[one] };
        let own = kinetic(body, &before[one]).max(kinetic(body, &flown));
        let gained = kinetic(body, &after[one]) - (1.0 + OWN) * own;
        let [most, second] = fastest[sets.names()[one]];
        let of_others = if most.1 == one { second.0 } else { most.0 };
        let part = PART * body.thickness().max(THIN * body.radius) / span.dt;
        let free = part.max(FALL * span.dt * scene.gravity.norm());
        let added = (2.0 * gained.max(0.0) / body.mass).sqrt();
        (added / (GAIN * of_others).max(free), [one, other])
    };
    let is_judged = |one: usize| !is_joined(one) && scene.bodies[one].torque == Vec3::zeros();
    let found = both().filter(|&[one, _]| is_judged(one)).map(excess).filter(|(excess, _)| *excess > 1.0);
    found.reduce(|most, next| if next.0 > most.0 { next } else { most })
}

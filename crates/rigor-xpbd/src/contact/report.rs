//! Reports of a step on its contacts.

use rayon::prelude::*;
use rigor_contact::Frame;
use rigor_math::Vec3;
use rigor_scene::ContactReport;

use super::PushedContact;
use super::frames::PairFrames;
use super::pair::{PARALLEL, Pair};
use super::solve::warm_start;
use crate::body::SolverBody;

/// Keeps what a substep of `h` (s) did at the contacts of all pairs. Returns their smallest separation (m);
/// infinity without contacts.
pub(crate) fn end_substep(pairs: &mut [Pair], bodies: &[SolverBody], h: f64) -> f64 {
    let end = |pair: &mut Pair| {
        warm_start::remember(pair, bodies);
        collect(pair, h);
        smallest_distance(pair)
    };
    if pairs.len() < PARALLEL {
        pairs.iter_mut().map(end).fold(f64::INFINITY, f64::min)
    } else {
        let distances = pairs.par_iter_mut().with_min_len(PARALLEL / 4).map(end);
        distances.reduce(|| f64::INFINITY, f64::min)
    }
}

/// Returns the smallest separation (m) of the pair in the current substep; infinity without contacts.
pub(crate) fn smallest_distance(pair: &Pair) -> f64 {
    pair.contacts.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min)
}

/// Returns the maximum overlap (m) that remains at the contacts of the last substep.
pub(crate) fn residual(pairs: &[Pair], bodies: &[SolverBody]) -> f64 {
    let touching = pairs.iter().filter(|pair| !pair.contacts.is_empty());
    let overlaps = touching.flat_map(|pair| {
        let placed = PairFrames::new(&bodies[pair.a.0], &bodies[pair.b.0]);
        pair.contacts.iter().map(move |contact| {
            let (gap, n) = placed.gap(contact);
            -gap.dot(&n)
        })
    });
    overlaps.fold(0.0, f64::max)
}

/// Adds the impulses of a substep of length `h` (s): λ_n/h and λ_t/h, plus those of the velocity solve.
///
/// Source: f = λ n/h² of \[Mueller2020\] §3.2.1, times h.
pub(crate) fn collect(pair: &mut Pair, h: f64) {
    for contact in pair.contacts.iter().filter(|c| c.lambda_n > 0.0) {
        let known = pair.history.pushed.iter().position(|p| p.key == contact.key);
        let (normal_impulse, friction_impulse) = known.map_or((0.0, Vec3::zeros()), |i| {
            (pair.history.pushed[i].normal_impulse, pair.history.pushed[i].friction_impulse)
        });
        let pushed = PushedContact {
            key: contact.key,
            point_a_local: contact.point_a_local,
            point_b_local: contact.point_b_local,
            feature: contact.feature,
            normal_impulse: normal_impulse + contact.lambda_n / h + contact.normal_impulse,
            friction_impulse: friction_impulse + contact.lambda_t / h + contact.friction_impulse,
        };
        match known {
            Some(i) => pair.history.pushed[i] = pushed,
            None => pair.history.pushed.push(pushed),
        }
    }
}

/// Returns the contacts that pushed in a step of length `dt` (s), with their mean forces over it.
pub(crate) fn contacts(pairs: &[Pair], bodies: &[SolverBody], dt: f64) -> Vec<ContactReport> {
    let mut reports = Vec::with_capacity(pairs.iter().map(|pair| pair.history.pushed.len()).sum());
    for pair in pairs.iter().filter(|pair| !pair.history.pushed.is_empty()) {
        let (a, b) = (&bodies[pair.a.0], &bodies[pair.b.0]);
        let frames = (Frame::of(&a.pose), Frame::of(&b.pose));
        reports.extend(pair.history.pushed.iter().map(|pushed| report(pair, pushed, (a, b), &frames, dt)));
    }
    reports
}

/// Returns the separation (m) of a contact at the current poses of its bodies.
#[cfg(feature = "gpu")]
pub(crate) fn gap(contact: &PushedContact, a: &SolverBody, b: &SolverBody) -> f64 {
    let normal = contact.feature.normal_posed(&a.pose, &b.pose);
    (a.point(&contact.point_a_local) - b.point(&contact.point_b_local)).dot(&normal)
}

fn report(
    pair: &Pair,
    pushed: &PushedContact,
    (a, b): (&SolverBody, &SolverBody),
    (frame_a, frame_b): &(Frame, Frame),
    dt: f64,
) -> ContactReport {
    let normal_world = pushed.feature.normal(frame_a, frame_b);
    let (p_a, p_b) = (frame_a.point(&pushed.point_a_local), frame_b.point(&pushed.point_b_local));
    let point_world = 0.5 * (p_a + p_b);
    let slip = a.velocity_at(&point_world) - b.velocity_at(&point_world);
    ContactReport {
        body_a: pair.a,
        body_b: pair.b,
        point_world,
        normal_world,
        distance: (p_a - p_b).dot(&normal_world),
        normal_force: pushed.normal_impulse / dt,
        friction_force_world: pushed.friction_impulse / dt,
        slip_velocity_world: slip - slip.dot(&normal_world) * normal_world,
        friction: (pair.law.friction.static_, pair.law.friction.dynamic),
    }
}

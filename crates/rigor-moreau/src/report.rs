//! Reports of a step on its contacts.

use rigor_contact::{Frame, Pushed};
use rigor_joint::FlyingBody;
use rigor_math::Vec3;
use rigor_scene::ContactReport;

use crate::pair::{Pair, Pairs};

/// Returns the contacts that pushed in a step of `dt` (s), with their mean forces over it.
pub(crate) fn contacts(pairs: &Pairs, bodies: &[FlyingBody], dt: f64) -> Vec<ContactReport> {
    let of_pair = |pair: &Pair| {
        let ends = [pair.a.0, pair.b.0].map(|i| &bodies[i]);
        let frames = ends.map(|body| Frame::of(&body.end.pose));
        let velocity = |end: usize, point: &Vec3| {
            let at = ends[end].end_velocity();
            at.linear + at.angular.cross(&(point - ends[end].end.pose.position))
        };
        let report = |pushed: &Pushed| {
            pushed.report((pair.a, pair.b), &pair.friction, frames.each_ref(), velocity, dt)
        };
        pair.own.pushed.iter().map(report).collect::<Vec<_>>()
    };
    pairs.meetings.list.iter().flat_map(of_pair).collect()
}

/// The smallest gap (m) of the contacts of a substep at its end; infinity without contacts.
pub(crate) fn smallest_gap(pairs: &Pairs, bodies: &[FlyingBody]) -> f64 {
    let gap = |pair: &Pair, contact: &crate::pair::Contact| {
        let frames = [pair.a, pair.b].map(|id| Frame::of(&bodies[id.0].end.pose));
        contact.found.touch(&frames[0], &frames[1]).gap
    };
    pairs.contacts().map(|(pair, contact)| gap(pair, contact)).fold(f64::INFINITY, f64::min)
}

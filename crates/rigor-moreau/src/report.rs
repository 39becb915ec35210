//! Reports of a step on its contacts.

use rigor_contact::Frame;
use rigor_scene::ContactReport;

use crate::body::FlyingBody;
use crate::pair::Pairs;

/// Returns the contacts that pushed in a step of `dt` (s), with their mean forces over it.
pub(crate) fn contacts(pairs: &Pairs, bodies: &[FlyingBody], dt: f64) -> Vec<ContactReport> {
    let mut reports = Vec::new();
    for pair in &pairs.meetings.list {
        let (a, b) = (&bodies[pair.a.0], &bodies[pair.b.0]);
        let frames = [a, b].map(|body| Frame::of(&body.end.pose));
        for pushed in &pair.own.pushed {
            let touch = pushed.found.touch(&frames[0], &frames[1]);
            let at = |body: &FlyingBody| {
                let velocity = body.end_velocity();
                velocity.linear + velocity.angular.cross(&(touch.point - body.end.pose.position))
            };
            let slip = at(a) - at(b);
            let n = touch.normal;
            reports.push(ContactReport {
                body_a: pair.a,
                body_b: pair.b,
                point_world: touch.point,
                normal_world: n,
                distance: touch.gap,
                normal_force: pushed.normal / dt,
                friction_force_world: pushed.tangential / dt,
                slip_velocity_world: slip - slip.dot(&n) * n,
                friction: (pair.friction.static_, pair.friction.dynamic),
            });
        }
    }
    reports
}

/// The smallest gap (m) of the contacts of a substep at its end; infinity without contacts.
pub(crate) fn smallest_gap(pairs: &Pairs, bodies: &[FlyingBody]) -> f64 {
    let gap = |pair: &crate::pair::Pair, contact: &crate::pair::Contact| {
        let frames = [pair.a, pair.b].map(|id| Frame::of(&bodies[id.0].end.pose));
        contact.found.touch(&frames[0], &frames[1]).gap
    };
    pairs.contacts().map(|(pair, contact)| gap(pair, contact)).fold(f64::INFINITY, f64::min)
}

//! Contacts of a step, for judges.

use rigor_math::Vec3;
use rigor_scene::{ContactReport, ParticleContactReport};

use crate::contact::{Link, Patch};
use crate::mover::Origin;
use crate::neighbours::Neighbours;

/// Contacts of bodies, and of grains with bodies, that pushed in the step.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    pub bodies: Vec<ContactReport>,
    pub grains: Vec<ParticleContactReport>,
}

/// Collects the contacts that pushed in a step of `dt` (s), with their mean forces over it.
///
/// Contacts of a grain with a body are summed; contacts of grains with each other have no place in a report.
pub(crate) fn collect(near: &Neighbours, dt: f64) -> Reports {
    let mut reports = Reports::default();
    let here = near.links.iter().map(|link| (link, &near.patches[link.patch as usize]));
    let gone = near.gone.iter().map(|(link, patch)| (link, patch));
    for (link, patch) in gone.chain(here).filter(|(link, _)| link.tally.normal_impulse > 0.0) {
        match patch.origins {
            (Origin::Body(_), Origin::Body(_)) => reports.bodies.extend(of_bodies(link, patch, dt)),
            (Origin::Grain(_), Origin::Grain(_)) => {}
            _ => add_grain(&mut reports.grains, link, patch, dt),
        }
    }
    reports
}

fn of_bodies(link: &Link, patch: &Patch, dt: f64) -> Option<ContactReport> {
    let (Origin::Body(body_a), Origin::Body(body_b)) = patch.origins else { return None };
    let tally = &link.tally;
    Some(ContactReport {
        body_a,
        body_b,
        point_world: tally.point,
        normal_world: tally.normal,
        distance: tally.gap,
        normal_force: tally.normal_impulse / dt,
        friction_force_world: tally.friction_impulse / dt,
        slip_velocity_world: tally.slip,
        friction: patch.friction,
    })
}

fn add_grain(reports: &mut Vec<ParticleContactReport>, link: &Link, patch: &Patch, dt: f64) {
    // The normal points to the first side; forces of a report are those on the grain.
    let (particle, body, sign) = match patch.origins {
        (Origin::Grain(particle), Origin::Body(body)) => (particle, body, 1.0),
        (Origin::Body(body), Origin::Grain(particle)) => (particle, body, -1.0),
        _ => return,
    };
    let tally = &link.tally;
    let force: Vec3 = (sign * tally.normal_impulse / dt) * tally.normal;
    let friction_force_world = sign * tally.friction_impulse / dt;
    if let Some(known) = reports.iter_mut().rev().find(|r| r.particle == particle && r.body == body) {
        let sum = known.normal_force * known.normal_world + force;
        known.normal_force = sum.norm();
        known.normal_world = sum.try_normalize(0.0).unwrap_or(known.normal_world);
        known.friction_force_world += friction_force_world;
        known.distance = known.distance.min(tally.gap);
        return;
    }
    reports.push(ParticleContactReport {
        particle,
        body,
        point_world: tally.point,
        normal_world: sign * tally.normal,
        distance: tally.gap,
        normal_force: tally.normal_impulse / dt,
        friction_force_world,
        slip_velocity_world: sign * tally.slip,
        friction: patch.friction,
    });
}

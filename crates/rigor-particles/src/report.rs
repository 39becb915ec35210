//! Contacts of a step, for judges.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rigor_scene::{BodyId, ContactReport, Flaw, FlawKind, ParticleContactReport, ParticleId, Subject};

use crate::contact::{Link, Patch, Tally};
use crate::grain::granular::Granular;
use crate::mover::Origin;
use crate::neighbours::Neighbours;
use crate::world::World;

/// Overlap, as a fraction of the diameter, above which a step is flawed.
const DEEP: f64 = 0.5;

/// Contacts of grains with bodies.
type Grains = BTreeMap<(ParticleId, BodyId), ParticleContactReport>;

/// Contacts of bodies, and of grains with bodies, that pushed in the step.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    pub bodies: Vec<ContactReport>,
    pub grains: Vec<ParticleContactReport>,
}

/// The flaw of a step in which particles overlapped by `relative` diameters.
pub(crate) fn flaws(relative: f64) -> Vec<Flaw> {
    let deep = Flaw::new(FlawKind::DeepOverlap, Subject::Scene, relative);
    if relative > DEEP { vec![deep] } else { Vec::new() }
}

/// Collects the contacts that pushed in a step of `dt` (s), with their mean forces over it.
///
/// Contacts of a grain with a body are summed; contacts of grains with each other have no place in a report.
pub(crate) fn collect(near: &Neighbours, granular: &Granular, world: &World, dt: f64) -> Reports {
    let mut reports = Reports::default();
    let mut grains = Grains::new();
    let here = near.links.iter().map(|link| (link, &near.patches[link.patch as usize]));
    let gone = near.gone.iter().map(|(link, patch)| (link, patch));
    for (link, patch) in gone.chain(here).filter(|(link, _)| link.tally.normal_impulse != 0.0) {
        match patch.origins {
            (Origin::Body(_), Origin::Body(_)) => reports.bodies.extend(of_bodies(link, patch, dt)),
            (Origin::Grain(_), Origin::Grain(_)) => {}
            _ => add_link(&mut grains, link, patch, dt),
        }
    }
    granular.each_tally(world, |id, body, friction, tally| {
        add_grain(&mut grains, (ParticleId(id as usize), body), friction, tally, (1.0, dt));
    });
    reports.grains = grains.into_values().collect();
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

fn add_link(grains: &mut Grains, link: &Link, patch: &Patch, dt: f64) {
    // The normal points to the first side; forces of a report are those on the grain.
    match patch.origins {
        (Origin::Grain(particle), Origin::Body(body)) => {
            add_grain(grains, (particle, body), patch.friction, &link.tally, (1.0, dt));
        }
        (Origin::Body(body), Origin::Grain(particle)) => {
            add_grain(grains, (particle, body), patch.friction, &link.tally, (-1.0, dt));
        }
        _ => {}
    }
}

fn add_grain(
    grains: &mut Grains,
    (particle, body): (ParticleId, BodyId),
    friction: (f64, f64),
    tally: &Tally,
    (sign, dt): (f64, f64),
) {
    let friction_force_world = sign * tally.friction_impulse / dt;
    let normal_force = tally.normal_impulse / dt;
    match grains.entry((particle, body)) {
        Entry::Occupied(mut known) => {
            let known = known.get_mut();
            let sum = known.normal_force * known.normal_world + (sign * normal_force) * tally.normal;
            known.normal_force = sum.norm();
            known.normal_world = sum.try_normalize(0.0).unwrap_or(known.normal_world);
            known.friction_force_world += friction_force_world;
            known.distance = known.distance.min(tally.gap);
        }
        Entry::Vacant(place) => {
            place.insert(ParticleContactReport {
                particle,
                body,
                point_world: tally.point,
                normal_world: sign * tally.normal,
                distance: tally.gap,
                normal_force,
                friction_force_world,
                slip_velocity_world: sign * tally.slip,
                friction,
            });
        }
    }
}

//! Translation of single bonds and attachments.

use rigor_geometry::dihedral;
use rigor_math::Vec3;

use super::super::at::At;
use super::super::document::{AttachmentEntry, BondEntry, BondName};
use super::super::error::SceneError;
use super::Names;
use super::blueprint::{distance, volume};
use super::particle::Particles;
use rigor_scene::attachment::Attachment;
use rigor_scene::body::Body;
use rigor_scene::bond::{Bond, BondKind};
use rigor_scene::particle::ParticleId;

/// Converts `entry`, written at `at`, to a bond.
///
/// # Errors
/// Unknown particles, a wrong number of them, a repeated one, or positions for which the bond has no
/// direction.
pub fn bond(entry: &BondEntry, at: &At<'_>, all: &Particles<'_>) -> Result<Bond, SceneError> {
    let particles = among(entry, at, all)?;
    let x: Vec<Vec3> = particles.iter().map(|id| all.particles[id.0].position).collect();
    let compliance = at.join("compliance").non_negative(entry.compliance)?;
    let at_particles = at.join("particles");
    let kind = match (entry.kind, &x[..]) {
        (BondName::Distance, [a, b]) => {
            let found = distance(a, b, &at_particles)?;
            BondKind::Distance { rest: at.join("rest").non_negative(entry.rest.unwrap_or(found))? }
        }
        (BondName::Bending, &[a, b, c, d]) => {
            let has_area = |w: Vec3| (b - a).cross(&(w - a)).norm() > 0.0;
            if !(has_area(c) && has_area(d)) {
                return Err(at_particles.error("expected two triangles, found three particles on one line"));
            }
            BondKind::Bending { rest: entry.rest.unwrap_or_else(|| dihedral::angle(&[a, b, c, d])) }
        }
        (_, &[a, b, c, d]) => BondKind::Volume { rest: entry.rest.unwrap_or_else(|| volume(&[a, b, c, d])) },
        (_, other) => unreachable!("{} particles were counted before", other.len()),
    };
    Ok(Bond { kind, particles, compliance })
}

fn among(entry: &BondEntry, at: &At<'_>, all: &Particles<'_>) -> Result<Vec<ParticleId>, SceneError> {
    let at = at.join("particles");
    let expected = if entry.kind == BondName::Distance { 2 } else { 4 };
    if entry.particles.len() != expected {
        let message = format!("expected {expected} particles, found {}", entry.particles.len());
        return Err(at.error(message));
    }
    let mut particles = Vec::with_capacity(expected);
    for (k, choice) in entry.particles.iter().enumerate() {
        let id = all.find_one(choice, &at.join(k))?;
        if particles.contains(&id) {
            return Err(at.join(k).error("expected a particle that is not yet listed"));
        }
        particles.push(id);
    }
    Ok(particles)
}

/// Converts `entries`, written at `at`, to attachments.
///
/// # Errors
/// An unknown body or particle, or a pinned particle.
pub fn attachments(
    entries: &[AttachmentEntry],
    at: &At<'_>,
    names: &Names<'_>,
    bodies: &[Body],
    all: &Particles<'_>,
) -> Result<Vec<Attachment>, SceneError> {
    let mut made = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        let at = at.join(i);
        let body = names.find(&entry.body, &at.join("body"))?;
        let compliance = at.join("compliance").non_negative(entry.compliance)?;
        let pose = bodies[body.0].initial.pose;
        for particle in all.find(&entry.particles, &at.join("particles"))? {
            let data = &all.particles[particle.0];
            if data.is_pinned() {
                return Err(at.join("particles").error("a pinned particle cannot be attached to a body"));
            }
            let point_local = pose.inverse_point(&data.position);
            made.push(Attachment { particle, body, point_local, compliance });
        }
    }
    Ok(made)
}

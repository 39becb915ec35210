//! Translation of fluids.

use rigor_geometry::intersection::containment::winding;
use rigor_math::Vec3;
use rigor_scene::{Body, Fluid, Particle};

use super::super::at::At;
use super::super::document::FluidEntry;
use super::super::error::SceneError;
use super::particle::Particles;

/// How far, as a fraction of the spacing, an edge of a block may be from a whole multiple of the spacing.
const ROUNDING: f64 = 1e-6;

/// Adds the fluid `entry`, written at `at`, to `all`, without the particles inside of `bodies`.
///
/// # Errors
/// An edge that is no multiple of the spacing, too many particles, none at all, or invalid numbers.
pub fn add<'a>(
    entry: &'a FluidEntry,
    at: &At<'a>,
    bodies: &[Body],
    all: &mut Particles<'a>,
) -> Result<(), SceneError> {
    let spacing = at.join("spacing").positive(entry.spacing)?;
    let density = at.join("density").positive(entry.density)?;
    let viscosity = at.join("viscosity").non_negative(entry.viscosity)?;
    if all.fluids.first().is_some_and(|first| first.spacing != spacing) {
        let message = format!("expected {}, as of the first fluid, found {spacing}", all.fluids[0].spacing);
        return Err(at.join("spacing").error(message));
    }
    let counts = counts(entry, at)?;
    let n = counts.iter().fold(1_usize, |product, n| product.saturating_mul(*n));
    all.check_total(n, at)?;
    let mass = density * spacing * spacing * spacing;
    if !(mass > 0.0 && mass.is_finite() && (1.0 / mass).is_finite()) {
        return Err(at.error("a particle's mass is too small or too large for floating-point numbers"));
    }
    let group = u32::try_from(all.soft_bodies.len() + all.fluids.len()).expect("there are few of them");
    let start = all.particles.len();
    let prototype = Particle {
        radius: 0.5 * spacing,
        velocity: entry.velocity.into(),
        group: Some(group),
        ..Particle::new(mass, Vec3::zeros())
    };
    let outside = lattice(entry, counts).filter(|point| !bodies.iter().any(|body| contains(body, point)));
    all.particles.extend(outside.map(|position| Particle { position, ..prototype.clone() }));
    let range = start..all.particles.len();
    if range.is_empty() {
        return Err(at.error("no particle of this fluid lies outside of all bodies"));
    }
    if !all.particles[start..].iter().all(|p| p.position.iter().all(|c| c.is_finite())) {
        return Err(at.error("it is too large or too far away for floating-point numbers"));
    }
    all.register(&entry.name, range.clone(), super::blueprint::Places::new(), at)?;
    all.fluids.push(Fluid { name: entry.name.clone(), particles: range, density, viscosity, spacing });
    Ok(())
}

/// Number of particles along each axis.
fn counts(entry: &FluidEntry, at: &At<'_>) -> Result<[usize; 3], SceneError> {
    let mut counts = [0; 3];
    for (k, count) in counts.iter_mut().enumerate() {
        let at = at.join("size").join(k);
        let size = at.positive(entry.size[k])?;
        let ratio = size / entry.spacing;
        let whole = ratio.round().max(1.0);
        // A ratio that overflows is no multiple.
        if !ratio.is_finite() || (ratio - whole).abs() > ROUNDING * whole {
            let nearest = whole * entry.spacing;
            let message = format!("expected a multiple of the spacing, such as {nearest}, found {size}");
            return Err(at.error(message));
        }
        *count = whole as usize;
    }
    Ok(counts)
}

/// Centres of the cells of the block: along z first, then y, then x.
fn lattice(entry: &FluidEntry, [nx, ny, nz]: [usize; 3]) -> impl Iterator<Item = Vec3> {
    let (spacing, centre) = (entry.spacing, Vec3::from(entry.position));
    let middle = [nx, ny, nz].map(|n| 0.5 * (n as f64 - 1.0));
    let cells = (0..nx).flat_map(move |i| (0..ny).flat_map(move |j| (0..nz).map(move |k| [i, j, k])));
    cells.map(move |cell| {
        let offset = Vec3::from_fn(|axis, _| cell[axis] as f64 - middle[axis]);
        centre + spacing * offset
    })
}

/// Whether a solid body contains `point` (m, world), or has it on its surface, at time 0.
fn contains(body: &Body, point: &Vec3) -> bool {
    let local = body.initial.pose.inverse_point(point);
    body.mesh.surface().is_solid()
        && body.mesh.bounds().contains_point(&local)
        && winding(&local, body.mesh.vertices(), body.mesh.triangles()) != Some(0)
}

//! Translation of soft blocks.

use rigor_shapes::lattice::Block;

use super::super::at::At;
use super::super::document::{SoftElement, SoftEntry, SoftLaw};
use super::super::error::SceneError;
use super::blueprint::{Blueprint, Places};
use super::particle::{Particles, SoftMaterial, Weight, weight};
use super::placement;
use rigor_scene::bond::{Law, Material};

/// Maximum number of cells along an edge.
const MAX_CELLS: u32 = 256;

/// Adds the block `entry`, written at `at`, to `all`.
///
/// # Errors
/// Counts out of range, keys of another law, or invalid numbers.
pub fn add<'a>(entry: &'a SoftEntry, at: &At<'a>, all: &mut Particles<'a>) -> Result<(), SceneError> {
    let block = block(entry, at)?;
    let n_vertices = block.cells.iter().fold(1_usize, |n, c| n.saturating_mul(*c as usize + 1));
    let n_middles = match entry.element {
        SoftElement::Linear => 0,
        // Of the edges of a lattice twice as fine, all that lie in no cell's middle.
        SoftElement::Quadratic => block.cells.iter().fold(7_usize, |n, c| n.saturating_mul(*c as usize + 1)),
    };
    all.check_total(n_vertices.saturating_add(n_middles), at)?;
    let pose = placement::pose(&entry.placement(), at)?;
    let mut blueprint = Blueprint {
        positions: block.vertices().iter().map(|x| pose.point(x)).collect(),
        shares: block.volumes(),
        triangles: block.surface(),
        places: places(&block),
        ..Blueprint::default()
    };
    resist(&mut blueprint, &block, entry, at)?;
    let matter = SoftMaterial {
        name: &entry.name,
        weight: match (entry.mass, entry.density) {
            (None, None) => Weight::Density(1000.0),
            (mass, density) => weight(mass, density, at)?,
        },
        radius: entry.radius,
        pinned: &entry.pinned,
        velocity: entry.velocity,
        friction: &entry.friction,
        restitution: entry.restitution,
        self_contact: entry.self_contact,
    };
    all.add(blueprint, &matter, at)
}

fn block(entry: &SoftEntry, at: &At<'_>) -> Result<Block, SceneError> {
    for k in 0..3 {
        at.join("size").join(k).positive(entry.size[k])?;
        let n = entry.cells[k];
        if !(1..=MAX_CELLS).contains(&n) {
            let message = format!("expected a whole number from 1 to {MAX_CELLS}, found {n}");
            return Err(at.join("cells").join(k).error(message));
        }
    }
    Ok(Block { size: entry.size.into(), cells: entry.cells })
}

/// Adds the bonds of the block's law.
fn resist(
    blueprint: &mut Blueprint,
    block: &Block,
    entry: &SoftEntry,
    at: &At<'_>,
) -> Result<(), SceneError> {
    check_keys(entry, at)?;
    let alpha = at.join("compliance").non_negative(entry.compliance.unwrap_or(0.0))?;
    let law = match entry.law {
        SoftLaw::NeoHookean => Law::NeoHookean,
        SoftLaw::StVenantKirchhoff => Law::StVenantKirchhoff,
        SoftLaw::DistanceAndVolume => {
            let of_volume = entry.volume_compliance.unwrap_or(0.0);
            let of_volume = at.join("volume_compliance").non_negative(of_volume)?;
            blueprint.keep_distances(&block.edges(), alpha, at)?;
            block.tetrahedra().into_iter().for_each(|t| blueprint.keep_volume(t, of_volume));
            return Ok(());
        }
        SoftLaw::Shape => {
            blueprint.keep_shape(alpha);
            return Ok(());
        }
    };
    let material = material(entry, law, at)?;
    match entry.element {
        SoftElement::Linear => {
            block.tetrahedra().into_iter().try_for_each(|t| blueprint.fill(t, material, at))
        }
        SoftElement::Quadratic => {
            blueprint.fill_quadratically(&block.tetrahedra(), &block.edges(), material, at)
        }
    }
}

/// Rejects keys that do not apply to the block's law.
fn check_keys(entry: &SoftEntry, at: &At<'_>) -> Result<(), SceneError> {
    let is_matter = matches!(entry.law, SoftLaw::NeoHookean | SoftLaw::StVenantKirchhoff);
    let of_volume = entry.law == SoftLaw::DistanceAndVolume;
    let keys = [
        ("young", entry.young, is_matter),
        ("poisson", entry.poisson, is_matter),
        ("compliance", entry.compliance, !is_matter),
        ("volume_compliance", entry.volume_compliance, of_volume),
    ];
    if entry.element == SoftElement::Quadratic && !is_matter {
        let message = "`quadratic` elements have one of the laws `neo_hookean` and `st_venant_kirchhoff`";
        return Err(at.join("element").error(message));
    }
    match keys.iter().find(|(_, value, has_meaning)| value.is_some() && !has_meaning) {
        Some((key, ..)) => Err(at.join(*key).error(format!("`{key}` does not apply to this law"))),
        None => Ok(()),
    }
}

fn material(entry: &SoftEntry, law: Law, at: &At<'_>) -> Result<Material, SceneError> {
    let young = at.join("young").positive(entry.young.unwrap_or(1e5))?;
    let poisson = entry.poisson.unwrap_or(0.3);
    if !(poisson > -1.0 && poisson < 0.5) {
        let message = format!("expected a number between -1 and 0.5, found {poisson:?}");
        return Err(at.join("poisson").error(message));
    }
    let material = Material::from_young(law, young, poisson);
    if !(material.lambda.is_finite() && material.mu.is_finite() && material.mu > 0.0) {
        return Err(at.join("young").error("the block is too stiff or too soft for floating-point numbers"));
    }
    Ok(material)
}

/// The six faces.
fn places(block: &Block) -> Places {
    let face = |axis: usize, at: u32| {
        let numbered = block.places().zip(0..);
        numbered.filter(|(place, _)| place[axis] == at).map(|(_, i)| i).collect::<Vec<u32>>()
    };
    let [nx, ny, nz] = block.cells;
    Places::from([
        ("x_min", face(0, 0)),
        ("x_max", face(0, nx)),
        ("y_min", face(1, 0)),
        ("y_max", face(1, ny)),
        ("z_min", face(2, 0)),
        ("z_max", face(2, nz)),
    ])
}

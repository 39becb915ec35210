//! Translation of cloths.

use rigor_shapes::lattice::Sheet;

use super::super::at::At;
use super::super::document::{ClothBending, ClothEntry};
use super::super::error::SceneError;
use super::blueprint::{Blueprint, Places};
use super::particle::{Particles, SoftMaterial, weight};

/// Maximum number of vertices along an edge.
const MAX_VERTICES: u32 = 2048;
/// Minimum sine of the angle between u and v.
const MIN_SINE: f64 = 1e-6;

/// Adds the cloth `entry`, written at `at`, to `all`.
///
/// # Errors
/// Edges without length or parallel to each other, counts out of range, or invalid numbers.
pub fn add<'a>(entry: &'a ClothEntry, at: &At<'a>, all: &mut Particles<'a>) -> Result<(), SceneError> {
    let sheet = sheet(entry, at)?;
    let [n, m] = sheet.vertices;
    all.check_total(n as usize * m as usize, at)?;
    let mut blueprint = Blueprint {
        positions: sheet.positions(),
        shares: sheet.areas(),
        triangles: sheet.triangles(),
        places: places(&sheet),
        ..Blueprint::default()
    };
    let alpha = at.join("stretch_compliance").non_negative(entry.stretch_compliance)?;
    blueprint.keep_distances(&sheet.edges(), alpha, at)?;
    if let Some(alpha) = entry.shear_compliance {
        let alpha = at.join("shear_compliance").non_negative(alpha)?;
        blueprint.keep_distances(&sheet.diagonals(), alpha, at)?;
    }
    if let Some(alpha) = entry.bending_compliance {
        let alpha = at.join("bending_compliance").non_negative(alpha)?;
        keep_flat(&mut blueprint, &sheet, entry.bending, alpha, at)?;
    }
    let matter = SoftMaterial {
        name: &entry.name,
        weight: weight(entry.mass, entry.density, at)?,
        radius: entry.radius,
        pinned: &entry.pinned,
        velocity: entry.velocity,
        friction: &entry.friction,
        restitution: entry.restitution,
        self_contact: entry.self_contact,
    };
    all.add(blueprint, &matter, at)
}

fn sheet(entry: &ClothEntry, at: &At<'_>) -> Result<Sheet, SceneError> {
    for (k, n) in entry.vertices.iter().enumerate() {
        if !(2..=MAX_VERTICES).contains(n) {
            let message = format!("expected a whole number from 2 to {MAX_VERTICES}, found {n}");
            return Err(at.join("vertices").join(k).error(message));
        }
    }
    let sheet =
        Sheet { corner: entry.corner.into(), u: entry.u.into(), v: entry.v.into(), vertices: entry.vertices };
    for (key, edge) in [("u", sheet.u), ("v", sheet.v)] {
        let length = edge.norm();
        if !(length > 0.0 && length.is_finite()) {
            return Err(at.join(key).error("expected an edge of finite length greater than 0"));
        }
    }
    if sheet.u.normalize().cross(&sheet.v.normalize()).norm() < MIN_SINE {
        return Err(at.join("v").error("expected an edge that is not parallel to `u`"));
    }
    Ok(sheet)
}

fn keep_flat(
    blueprint: &mut Blueprint,
    sheet: &Sheet,
    bending: ClothBending,
    alpha: f64,
    at: &At<'_>,
) -> Result<(), SceneError> {
    match bending {
        ClothBending::Distance => blueprint.keep_distances(&sheet.second_neighbours(), alpha, at),
        ClothBending::Angle => {
            for hinge in sheet.hinges() {
                let ([a, b], [c, d]) = (hinge.edge, hinge.wings);
                blueprint.keep_angle([a, b, c, d], alpha);
            }
            Ok(())
        }
    }
}

fn places(sheet: &Sheet) -> Places {
    let [i_max, j_max] = sheet.vertices.map(|n| n - 1);
    let along_u = |j: u32| (0..=i_max).map(|i| sheet.number(i, j)).collect::<Vec<_>>();
    let along_v = |i: u32| (0..=j_max).map(|j| sheet.number(i, j)).collect::<Vec<_>>();
    Places::from([
        ("corner", vec![sheet.number(0, 0)]),
        ("corner_u", vec![sheet.number(i_max, 0)]),
        ("corner_v", vec![sheet.number(0, j_max)]),
        ("corner_uv", vec![sheet.number(i_max, j_max)]),
        ("u_min", along_v(0)),
        ("u_max", along_v(i_max)),
        ("v_min", along_u(0)),
        ("v_max", along_u(j_max)),
    ])
}

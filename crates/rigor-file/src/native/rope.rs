//! Translation of ropes.

use rigor_math::Vec3;

use super::super::at::At;
use super::super::document::RopeEntry;
use super::super::error::SceneError;
use super::blueprint::{Blueprint, distance};
use super::particle::{Particles, SoftMaterial, weight};

/// Maximum number of segments of one rope.
const MAX_SEGMENTS: u32 = 100_000;

/// Adds the rope `entry`, written at `at`, to `all`.
///
/// # Errors
/// Positions given twice or not at all, segments without length, or invalid numbers.
pub fn add<'a>(entry: &'a RopeEntry, at: &At<'a>, all: &mut Particles<'a>) -> Result<(), SceneError> {
    let positions = positions(entry, at)?;
    all.check_total(positions.len(), at)?;
    let n = positions.len() as u32;
    let mut blueprint = Blueprint {
        shares: shares(&positions, at)?,
        edges: (1..n).map(|i| [i - 1, i]).collect(),
        places: [("first", vec![0]), ("last", vec![n - 1])].into(),
        positions,
        ..Blueprint::default()
    };
    let alpha = at.join("stretch_compliance").non_negative(entry.stretch_compliance)?;
    blueprint.keep_distances(&blueprint.edges.clone(), alpha, at)?;
    if let Some(alpha) = entry.bending_compliance {
        let alpha = at.join("bending_compliance").non_negative(alpha)?;
        let second: Vec<[u32; 2]> = (2..n).map(|i| [i - 2, i]).collect();
        blueprint.keep_distances(&second, alpha, at)?;
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

fn positions(entry: &RopeEntry, at: &At<'_>) -> Result<Vec<Vec3>, SceneError> {
    match (entry.from, entry.to, entry.segments) {
        (Some(from), Some(to), Some(n)) if entry.points.is_empty() => {
            if !(1..=MAX_SEGMENTS).contains(&n) {
                let message = format!("expected a whole number from 1 to {MAX_SEGMENTS}, found {n}");
                return Err(at.join("segments").error(message));
            }
            let (from, to) = (Vec3::from(from), Vec3::from(to));
            Ok((0..=n).map(|i| from.lerp(&to, f64::from(i) / f64::from(n))).collect())
        }
        (None, None, None) if entry.points.len() >= 2 => {
            Ok(entry.points.iter().copied().map(Vec3::from).collect())
        }
        (None, None, None) if entry.points.len() == 1 => {
            Err(at.join("points").error("expected at least 2 points, found 1"))
        }
        _ => Err(at.error("expected either `from`, `to` and `segments`, or `points`")),
    }
}

/// Assigns half of each segment's length (m) to each of its ends.
fn shares(positions: &[Vec3], at: &At<'_>) -> Result<Vec<f64>, SceneError> {
    let mut shares = vec![0.0; positions.len()];
    for (i, ends) in positions.windows(2).enumerate() {
        let half = 0.5 * distance(&ends[0], &ends[1], at)?;
        shares[i] += half;
        shares[i + 1] += half;
    }
    Ok(shares)
}

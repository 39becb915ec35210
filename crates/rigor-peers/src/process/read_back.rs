//! What the engine says that it uses, compared with what it was told.

use rigor_math::{Mat3, UnitQuaternion, Vec3};

use super::capabilities::Capabilities;
use super::fault::FaultKind;
use super::message::{Load, Loaded, LoadedBody, UsedBody};

/// Compares gravity, Δt, masses, inertias and friction with what was sent.
///
/// # Errors
/// [`FaultKind::ReadBack`] with the first number that differs by more than the engine's precision explains,
/// [`FaultKind::Untold`] or [`FaultKind::Count`] if a number or a body is missing.
pub(super) fn check(sent: &Load, used: &Loaded, can: &Capabilities) -> Result<(), FaultKind> {
    let tolerance = can.precision.tolerance();
    compare("gravity", &sent.gravity, &used.gravity, tolerance)?;
    compare("the time step", &[sent.dt], &[used.dt], tolerance)?;
    if sent.bodies.len() != used.bodies.len() {
        return Err(FaultKind::Count { found: used.bodies.len(), expected: sent.bodies.len() });
    }
    sent.bodies.iter().zip(&used.bodies).try_for_each(|(body, used)| check_body(body, used, tolerance))
}

fn check_body(sent: &LoadedBody, used: &UsedBody, tolerance: f64) -> Result<(), FaultKind> {
    let named = |what: &str| format!("{what} of {:?}", sent.name);
    if let Some(friction) = used.friction {
        compare(&named("the friction"), &[sent.friction], &[friction], tolerance)?;
    }
    if sent.role != "dynamic" {
        return Ok(());
    }
    let untold = |what| FaultKind::Untold { quantity: named(what) };
    let mass = used.mass.ok_or_else(|| untold("the mass"))?;
    let com = used.com.ok_or_else(|| untold("the centre of mass"))?;
    let inertia = used.inertia.ok_or_else(|| untold("the inertia"))?;
    compare(&named("the mass"), &[sent.mass], &[mass], tolerance)?;
    compare(&named("the inertia"), &tensor(sent), &inertia, tolerance)?;
    // A centre of mass near the origin is compared with the size of the body.
    let gyration = (sent.inertia[2] / sent.mass).sqrt();
    let lengths = |com: [f64; 3]| [com[0], com[1], com[2], gyration];
    compare(&named("the centre of mass"), &lengths(sent.com), &lengths(com), tolerance)
}

/// I = q diag(I) qᵀ in author's axes: xx, yy, zz, xy, xz, yz.
fn tensor(body: &LoadedBody) -> [f64; 6] {
    let [w, x, y, z] = body.axes;
    let q = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(w, x, y, z));
    let r = q.to_rotation_matrix().into_inner();
    let i = r * Mat3::from_diagonal(&Vec3::from(body.inertia)) * r.transpose();
    [i[(0, 0)], i[(1, 1)], i[(2, 2)], i[(0, 1)], i[(0, 2)], i[(1, 2)]]
}

/// Compares numbers of one quantity, relative to the largest of them.
fn compare(quantity: &str, asked: &[f64], used: &[f64], tolerance: f64) -> Result<(), FaultKind> {
    let scale = asked.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    // NaN agrees with nothing.
    let agrees = |asked: &f64, used: &f64| (asked - used).abs() <= tolerance * scale;
    match asked.iter().zip(used).find(|(asked, used)| !agrees(asked, used)) {
        None => Ok(()),
        Some((asked, used)) => {
            Err(FaultKind::ReadBack { quantity: quantity.to_owned(), asked: *asked, used: *used })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_with_the_largest_of_their_quantity() {
        let check = |used: [f64; 2]| compare("x", &[1e6, 0.0], &used, 1e-9);
        assert!(check([1e6, 1e-4]).is_ok());
        assert!(check([1e6, 1e-2]).is_err() && check([f64::NAN, 0.0]).is_err());
    }
}

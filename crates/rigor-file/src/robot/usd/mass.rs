//! Masses of bodies.
//!
//! A mass of the body goes before masses of its colliders, and a mass before a density; the density of a collider goes before
//! that of its body, and this before that of its material.

use openusd::usd::Prim;
use rigor_math::{Mat3, Pose, Vec3, inertia, quaternion};

use super::place::{self, Affine};
use super::prim::Sheet;
use super::{Body, Units};
use crate::document::RoleName;
use crate::error::SceneError;
use crate::robot::model::Mass;

/// Density (kg/m³) where the file gives none.
const DENSITY: f64 = 1000.0;

impl Units {
    /// Density (kg/m³).
    pub fn density(self) -> f64 {
        self.mass / (self.length * self.length * self.length)
    }

    /// Moment of inertia (kg m²).
    pub fn moment(self) -> f64 {
        self.mass * self.length * self.length
    }

    /// Force (N).
    pub fn force(self) -> f64 {
        self.mass * self.length
    }
}

/// The mass of a body in its frame.
///
/// # Errors
/// A mass, a density or an inertia is not possible.
pub fn of(sheet: &Sheet, body: &Body, units: &Units) -> Result<Mass, SceneError> {
    let own = density(sheet, &body.prim, units)?;
    let mut whole = Mass::NONE;
    for collider in &body.colliders {
        let is_body = collider.prim.path() == body.prim.path();
        let of_collider = if is_body { None } else { density(sheet, &collider.prim, units)? };
        let of_material = collider.material.and_then(|material| material.density);
        let computed = collider.mass(of_collider.or(own).or(of_material).unwrap_or(DENSITY));
        let part =
            if is_body { computed } else { given(sheet, &collider.prim, computed, &collider.place, units)? };
        whole = whole.and(&part);
    }
    let place = body.place.seen_from(&body.pose);
    let mut mass = given(sheet, &body.prim, whole, &place, units)?;
    if body.role == RoleName::Dynamic && !mass.is_solid() {
        let what = if mass.mass > 0.0 { "physics:diagonalInertia" } else { "physics:mass" };
        let why = if mass.mass > 0.0 {
            "without one and without a solid collider, that of a ball of 1000 kg/m³ is used"
        } else {
            "without one and without a solid collider, 1 g is used"
        };
        sheet.drop(&body.prim, what, why);
        if mass.mass > 0.0 {
            mass.inertia = Mass::ball(mass.mass);
        }
    }
    Ok(mass)
}

fn density(sheet: &Sheet, prim: &Prim, units: &Units) -> Result<Option<f64>, SceneError> {
    Ok(positive(sheet, prim, "physics:density")?.map(|density| density * units.density()))
}

/// A number that counts if it is not 0.
fn positive(sheet: &Sheet, prim: &Prim, name: &str) -> Result<Option<f64>, SceneError> {
    match sheet.number(prim, name)? {
        None => Ok(None),
        Some(value) if value >= 0.0 && value.is_finite() => Ok((value > 0.0).then_some(value)),
        Some(value) => Err(sheet.error(prim, format!("{name} is {value}: it must be at least 0 and finite"))),
    }
}

/// A mass with what the file gives of it instead; `place` takes the axes of the prim to those of the body.
fn given(
    sheet: &Sheet,
    prim: &Prim,
    computed: Mass,
    place: &Affine,
    units: &Units,
) -> Result<Mass, SceneError> {
    let mass = positive(sheet, prim, "physics:mass")?.map_or(computed.mass, |mass| mass * units.mass);
    let ratio = if computed.mass > 0.0 { mass / computed.mass } else { 0.0 };
    let mut given = Mass { mass, inertia: computed.inertia * ratio, ..computed };
    let center = sheet.vector(prim, "physics:centerOfMass")?.filter(|c| c.iter().all(|x| x.is_finite()));
    if let Some(center) = center {
        given.center = place.point(&center.into());
    }
    let moments = sheet.finite_vector(prim, "physics:diagonalInertia")?.map(Vec3::from);
    let axes = sheet.quaternion(prim, "physics:principalAxes")?.filter(|q| q.iter().any(|x| *x != 0.0));
    if let Some(moments) = moments.filter(|moments| *moments != Vec3::zeros()) {
        inertia::check_moments(&(moments * units.moment()))
            .map_err(|error| sheet.error(prim, format!("physics:diagonalInertia: {error}")))?;
        let turn = match axes {
            None => Pose::identity().rotation,
            Some(axes) => {
                quaternion::from_wxyz(axes).map_err(|error| sheet.error(prim, error.to_string()))?
            }
        };
        let (pose, _) = place::split(sheet, prim, place)?;
        let turn = pose.rotation * turn;
        given.inertia = inertia::rotated(&Mat3::from_diagonal(&(moments * units.moment())), &turn);
    }
    Ok(given)
}

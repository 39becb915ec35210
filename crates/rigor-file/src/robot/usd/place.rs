//! Places of prims: stacks of operations.

use openusd::usd::Prim;
use rigor_math::{Mat3, Pose, Vec3, elementary, quaternion};

use super::prim::Sheet;
use super::value;
use crate::error::SceneError;

/// Largest deviation of axes from a right angle, of numbers in single precision.
const SHEAR: f64 = 1e-5;

/// An affine map.
#[derive(Clone, Copy)]
pub struct Affine {
    linear: Mat3,
    position: Vec3,
}

impl Affine {
    /// A factor for all axes.
    pub fn scaled(factor: f64) -> Self {
        Self { linear: Mat3::identity() * factor, position: Vec3::zeros() }
    }

    /// The map of a point.
    pub fn point(&self, point: &Vec3) -> Vec3 {
        self.position + self.linear * point
    }

    /// The map of a difference of points.
    pub fn vector(&self, vector: &Vec3) -> Vec3 {
        self.linear * vector
    }

    /// Whether it mirrors.
    pub fn is_mirror(&self) -> bool {
        self.linear.determinant() < 0.0
    }

    /// First `inner`, then this.
    pub fn after(&self, inner: &Self) -> Self {
        Self { linear: self.linear * inner.linear, position: self.point(&inner.position) }
    }

    /// The same place in a frame.
    pub fn seen_from(&self, frame: &Pose) -> Self {
        let turn = frame.rotation_matrix().transpose();
        Self { linear: turn * self.linear, position: turn * (self.position - frame.position) }
    }

    fn inverse(&self) -> Option<Self> {
        let linear = self.linear.try_inverse()?;
        Some(Self { linear, position: -(linear * self.position) })
    }

    /// A pose after factors along the axes; the first is negative in a mirror. `None` if the axes are not perpendicular.
    pub fn split(&self) -> Option<(Pose, Vec3)> {
        let mut factors = Vec3::from_fn(|i, _| self.linear.column(i).norm());
        if self.is_mirror() {
            factors.x = -factors.x;
        }
        let turn = self.linear * Mat3::from_diagonal(&factors.map(|factor| 1.0 / factor));
        let rotation = quaternion::from_matrix(&turn, SHEAR).ok()?;
        let pose = Pose::new(self.position, rotation);
        pose.is_finite().then_some((pose, factors))
    }
}

/// The pose and the factors along the axes of a place.
///
/// # Errors
/// The axes are not perpendicular, or one has no length.
pub fn split(sheet: &Sheet, prim: &Prim, place: &Affine) -> Result<(Pose, Vec3), SceneError> {
    place.split().ok_or_else(|| sheet.error(prim, "its axes are sheared, flat or not finite"))
}

/// The place of a prim in the world.
///
/// # Errors
/// An operation has a value of the wrong type, or has no inverse although the file asks for it.
pub fn of(sheet: &Sheet, prim: &Prim, above: &Affine, world: &Affine) -> Result<Affine, SceneError> {
    let mut place = *above;
    for name in sheet.words(prim, "xformOpOrder")? {
        if name == "!resetXformStack!" {
            place = *world;
            continue;
        }
        let plain = name.strip_prefix("!invert!").unwrap_or(&name);
        let mut operation = operation(sheet, prim, plain)?;
        if plain.len() < name.len() {
            let inverse = operation.inverse();
            operation = inverse.ok_or_else(|| sheet.error(prim, format!("{plain} has no inverse")))?;
        }
        place = place.after(&operation);
    }
    Ok(place)
}

fn operation(sheet: &Sheet, prim: &Prim, name: &str) -> Result<Affine, SceneError> {
    let identity = Affine::scaled(1.0);
    let kind = name.strip_prefix("xformOp:").unwrap_or(name).split(':').next().unwrap_or_default();
    let Some(value) = sheet.value(prim, name)? else { return Ok(identity) };
    let wrong =
        || sheet.error(prim, format!("{name} has a value of the wrong type, or one that is not finite"));
    let number = || value::number(&value).filter(|x| x.is_finite()).ok_or_else(wrong);
    let vector = || value::vector(&value).filter(|v| v.iter().all(|x| x.is_finite())).ok_or_else(wrong);
    let moved = |by: Vec3| Affine { position: by, ..identity };
    let along = |axis: usize, x: f64, or: f64| Vec3::from_fn(|i, _| if i == axis { x } else { or });
    let linear = |linear: Mat3| Affine { linear, ..identity };
    let axis = |letter: char| "XYZ".find(letter);
    Ok(match kind {
        "translate" => moved(vector()?.into()),
        "scale" => linear(Mat3::from_diagonal(&vector()?.into())),
        "orient" => {
            let parts = value::quaternion(&value).ok_or_else(wrong)?;
            let turn = quaternion::from_wxyz(parts).map_err(|error| sheet.error(prim, error.to_string()))?;
            linear(Pose::new(Vec3::zeros(), turn).rotation_matrix())
        }
        "transform" => {
            // A row vector times the matrix: the columns of the map are its rows.
            let m = value::matrix(&value).ok_or_else(wrong)?;
            let linear = Mat3::from_fn(|i, j| m[4 * j + i]);
            Affine { linear, position: Vec3::new(m[12], m[13], m[14]) }
        }
        _ => {
            let (verb, letters) = kind.split_at(kind.find(['X', 'Y', 'Z']).unwrap_or(kind.len()));
            let axes: Vec<usize> = letters.chars().filter_map(axis).collect();
            match (verb, axes.as_slice()) {
                ("translate", &[i]) => moved(along(i, number()?, 0.0)),
                ("scale", &[i]) => linear(Mat3::from_diagonal(&along(i, number()?, 1.0))),
                ("rotate", &[i]) => linear(turn(i, number()?)),
                ("rotate", &[i, j, k]) => {
                    // The first axis of the name acts first.
                    let degrees = vector()?;
                    linear(turn(k, degrees[k]) * turn(j, degrees[j]) * turn(i, degrees[i]))
                }
                _ => return Err(sheet.error(prim, format!("there is no operation {name:?}"))),
            }
        }
    })
}

/// The rotation by an angle (degrees) about an axis.
fn turn(axis: usize, degrees: f64) -> Mat3 {
    let (sin, cos) = elementary::sin_cos_degrees(degrees);
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut turn = Mat3::identity();
    turn[(i, i)] = cos;
    turn[(j, j)] = cos;
    turn[(i, j)] = -sin;
    turn[(j, i)] = sin;
    turn
}

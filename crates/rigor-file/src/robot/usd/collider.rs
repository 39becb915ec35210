//! Colliders: shapes in the frame of their body.

use openusd::usd::Prim;
use rigor_geometry::Mesh;
use rigor_math::{Mat3, Pose, Vec3, quaternion};

use super::Units;
use super::material::Material;
use super::place::Affine;
use super::polygon;
use super::prim::Sheet;
use crate::error::SceneError;
use crate::robot::model::{Geometry, Mass, Shape};

/// Size (m) of a plane, which is endless in the file.
const ENDLESS: f64 = 20.0;

/// A collider of a body.
pub struct Collider {
    pub prim: Prim,
    pub shape: Shape,
    /// From the axes of the prim to those of the body.
    pub place: Affine,
    pub material: Option<Material>,
}

impl Collider {
    /// Reads a collider at `place` in its body; `None` if it was left out.
    ///
    /// # Errors
    /// A size is not positive.
    pub fn of(
        sheet: &Sheet,
        prim: &Prim,
        kind: &str,
        place: &Affine,
        units: &Units,
    ) -> Result<Option<Self>, SceneError> {
        let shape = if kind == "Mesh" {
            polygon::mesh(sheet, prim, place)?.map(|mesh| surface(&mesh))
        } else {
            solid(sheet, prim, kind, place)?
        };
        let Some(shape) = shape else { return Ok(None) };
        let material = Material::of(sheet, prim, units)?;
        Ok(Some(Self { prim: prim.clone(), shape, place: *place, material }))
    }

    /// Mass properties in the frame of the body; none for a plane or a mesh that bounds no volume.
    pub fn mass(&self, density: f64) -> Mass {
        self.shape.geometry.mass(density, None).at(&self.shape.pose)
    }
}

fn surface(mesh: &Mesh) -> Shape {
    let (vertices, triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
    Shape { geometry: Geometry::Surface { vertices, triangles }, pose: Pose::identity() }
}

/// A shape with an axis, in the frame of the body; the axis turns to z.
fn solid(sheet: &Sheet, prim: &Prim, kind: &str, place: &Affine) -> Result<Option<Shape>, SceneError> {
    let Some((pose, factors)) = place.split() else {
        sheet.drop(prim, format!("<{kind}>"), "its axes are sheared");
        return Ok(None);
    };
    let factors = factors.abs();
    let has_axis = !matches!(kind, "Cube" | "Sphere");
    let letter = if has_axis { sheet.text(prim, "axis")? } else { None };
    let axis = match letter.as_deref() {
        None | Some("Z") => 2,
        Some("X") => 0,
        Some("Y") => 1,
        Some(other) => return Err(sheet.error(prim, format!("there is no axis {other:?}"))),
    };
    let (along, across) = (factors[axis], factors[(axis + 1) % 3].max(factors[(axis + 2) % 3]));
    let is_round = (factors[(axis + 1) % 3] - factors[(axis + 2) % 3]).abs() <= 1e-6 * across;
    if has_axis && kind != "Plane" && !is_round {
        sheet.drop(prim, "xformOpOrder", "it stretches a round section: the longer radius is used");
    }
    let radius = |or: f64| Ok::<f64, SceneError>(sheet.positive(prim, "radius", or)? * across);
    let height = |or: f64| Ok::<f64, SceneError>(sheet.positive(prim, "height", or)? * along);
    let geometry = match kind {
        "Cube" => Geometry::Box { size: factors * sheet.positive(prim, "size", 2.0)? },
        "Sphere" => {
            let radii = factors * sheet.positive(prim, "radius", 1.0)?;
            if radii.max() - radii.min() <= 1e-6 * radii.max() {
                Geometry::Sphere { radius: radii.max() }
            } else {
                Geometry::Ellipsoid { radii }
            }
        }
        "Cylinder" => Geometry::Cylinder { radius: radius(1.0)?, length: height(2.0)? },
        "Capsule" => {
            if (along - across).abs() > 1e-6 * across {
                sheet.drop(prim, "xformOpOrder", "it stretches a capsule: its ends stay round");
            }
            Geometry::Capsule { radius: radius(0.5)?, length: height(1.0)? }
        }
        "Cone" => Geometry::Cone { radius: radius(1.0)?, height: height(2.0)? },
        _ => {
            // The width and length are those of the picture: planes collide without end.
            sheet.mark(prim, "width");
            sheet.mark(prim, "length");
            Geometry::Plane { size: [ENDLESS; 2] }
        }
    };
    let standing = Pose::new(Vec3::zeros(), turned(axis));
    let shape = Shape { geometry, pose: if has_axis { pose.compose(&standing) } else { pose } };
    Ok(Some(shape))
}

/// The rotation that takes z to an axis, and permutes the others.
fn turned(axis: usize) -> rigor_math::UnitQuaternion {
    let column = |j: usize| Vec3::from_fn(|i, _| if i == (axis + 1 + j) % 3 { 1.0 } else { 0.0 });
    let turn = Mat3::from_columns(&[column(0), column(1), column(2)]);
    quaternion::from_matrix(&turn, 1e-12).unwrap_or_default()
}

//! Geoms: shapes with mass.

use std::collections::BTreeMap;

use rigor_geometry::MassProperties;
use rigor_math::{Pose, Vec3};

use super::super::model::{Geometry, Mass, Shape};
use super::super::xml::Element;
use super::default::Defaults;
use super::pose::{Compiler, standing};
use crate::error::SceneError;

/// Size (m) of a plane without end.
const ENDLESS: f64 = 20.0;

/// A mesh of `asset`.
pub struct Asset {
    pub file: String,
    pub scale: Vec3,
    pub mass: Option<MassProperties>,
}

/// A geom: its shape for contact, if it has one, and its mass in the frame of its body.
pub struct Geom {
    pub shape: Option<Shape>,
    pub mass: Mass,
    pub friction: f64,
    /// `contype` and `conaffinity`.
    pub masks: (i64, i64),
}

impl Geom {
    /// Reads a geom.
    ///
    /// # Errors
    /// A number is invalid.
    pub fn of<'a>(
        element: &Element<'a>,
        class: &str,
        defaults: &Defaults<'a>,
        compiler: &Compiler,
        assets: &BTreeMap<String, Asset>,
    ) -> Result<Self, SceneError> {
        let get = |name: &str| defaults.text(element, class, name);
        let number = |name: &str, or: f64| defaults.number(element, class, name, or);
        let masks = (number("contype", 1.0)? as i64, number("conaffinity", 1.0)? as i64);
        let friction = number("friction", 1.0)?.max(0.0);
        let none = Self { shape: None, mass: Mass::NONE, friction, masks };
        let (ends, size) =
            (defaults.numbers(element, class, "fromto")?, defaults.numbers(element, class, "size")?);
        let mut size = size.unwrap_or_default();
        let mut pose = compiler.pose(element, &get)?;
        if let Some(&[a, b, c, d, e, f]) = ends.as_deref() {
            let (from, to) = (Vec3::new(a, b, c), Vec3::new(d, e, f));
            let way = to - from;
            let Some(along) = way.try_normalize(0.0) else {
                return Err(element.error("fromto has the length 0"));
            };
            pose = Pose::new((from + to) * 0.5, standing(&along));
            size.truncate(if get("type") == Some("box") || get("type") == Some("ellipsoid") { 2 } else { 1 });
            size.push(0.5 * way.norm());
        }
        let mesh = get("mesh").and_then(|name| assets.get(name));
        let kind = get("type").unwrap_or(if get("mesh").is_some() { "mesh" } else { "sphere" });
        let part = |i: usize| match size.get(i) {
            Some(x) if *x > 0.0 => Ok(*x),
            _ => Err(element.error(format!("a {kind} needs {} positive size(s)", i + 1))),
        };
        let geometry = match kind {
            "sphere" => Geometry::Sphere { radius: part(0)? },
            "box" => Geometry::Box { size: 2.0 * Vec3::new(part(0)?, part(1)?, part(2)?) },
            "ellipsoid" => Geometry::Ellipsoid { radii: Vec3::new(part(0)?, part(1)?, part(2)?) },
            "capsule" => Geometry::Capsule { radius: part(0)?, length: 2.0 * part(1)? },
            "cylinder" => Geometry::Cylinder { radius: part(0)?, length: 2.0 * part(1)? },
            "plane" => {
                let side = |i: usize| size.get(i).copied().filter(|x| *x > 0.0).map_or(ENDLESS, |x| 2.0 * x);
                Geometry::Plane { size: [side(0), side(1)] }
            }
            "mesh" => match mesh {
                Some(asset) => Geometry::Mesh { file: asset.file.clone(), scale: asset.scale },
                None => {
                    element.drop("<geom>", "its mesh is missing");
                    return Ok(none);
                }
            },
            other => {
                element.drop(format!("<geom type={other:?}>"), "this type is not supported");
                return Ok(none);
            }
        };
        let mesh = mesh.and_then(|asset| asset.mass.as_ref());
        let solid = geometry.mass(number("density", 1000.0)?.max(0.0), mesh);
        let mass = match defaults.numbers(element, class, "mass")?.and_then(|m| m.first().copied()) {
            Some(mass) if solid.mass > 0.0 => solid.share(mass.max(0.0) / solid.mass),
            Some(_) => unit_density(&geometry, mesh, number("mass", 0.0)?),
            None => solid,
        };
        let is_for_contact = masks != (0, 0);
        if !is_for_contact {
            element.drop("<geom contype=\"0\" conaffinity=\"0\">", "for display and mass only");
        }
        let shape = is_for_contact.then_some(Shape { geometry, pose });
        Ok(Self { shape, mass: mass.at(&pose), friction, masks })
    }
}

/// The mass of a geom whose density is 0 but whose mass is given.
fn unit_density(geometry: &Geometry, mesh: Option<&MassProperties>, mass: f64) -> Mass {
    let solid = geometry.mass(1.0, mesh);
    if solid.mass > 0.0 { solid.share(mass.max(0.0) / solid.mass) } else { Mass::NONE }
}

//! Masses of geometries, and the files of meshes.

use std::f64::consts::PI;
use std::path::{Path, PathBuf};

use rigor_geometry::mass::MassModel;
use rigor_geometry::{MassProperties, Mesh};
use rigor_math::{Mat3, Vec3};

use super::account::why;
use super::model::{Geometry, Mass};
use crate::{Files, mesh};

impl Geometry {
    /// Mass properties of the solid of this density (kg/m³) in its own frame; a plane has none, and a mesh those of its file.
    pub fn mass(&self, density: f64, mesh: Option<&MassProperties>) -> Mass {
        let of = |volume: f64, moments_by_mass: Vec3| {
            let mass = density * volume;
            Mass { mass, center: Vec3::zeros(), inertia: Mat3::from_diagonal(&(moments_by_mass * mass)) }
        };
        let around = |a: f64, b: f64, c: f64| Vec3::new(b + c, a + c, a + b);
        match *self {
            Self::Cone { radius, height } => cone(density, radius, height),
            Self::Surface { ref vertices, ref triangles } => {
                let mesh = Mesh::new(vertices.clone(), triangles.clone(), Vec::new()).ok();
                let solid = mesh.and_then(|mesh| MassProperties::of(&mesh, density).ok());
                let solid = solid.filter(|solid| solid.model == MassModel::Volume);
                solid.map_or(Mass::NONE, |s| Mass { mass: s.mass, center: s.center, inertia: s.inertia })
            }
            Self::Box { size } => {
                let s = size.component_mul(&size) / 12.0;
                of(size.product(), around(s.x, s.y, s.z))
            }
            Self::Sphere { radius } => {
                of(4.0 / 3.0 * PI * radius * radius * radius, Vec3::repeat(0.4 * radius * radius))
            }
            Self::Ellipsoid { radii } => {
                let s = radii.component_mul(&radii) / 5.0;
                of(4.0 / 3.0 * PI * radii.product(), around(s.x, s.y, s.z))
            }
            Self::Cylinder { radius, length } => {
                let (r, l) = (radius * radius / 4.0, length * length / 12.0);
                of(PI * radius * radius * length, around(r, r, l))
            }
            Self::Capsule { radius, length } => capsule(density, radius, length),
            Self::Plane { .. } => Mass::NONE,
            Self::Mesh { scale, .. } => mesh.map_or(Mass::NONE, |mesh| scaled(mesh, &scale, density)),
        }
    }
}

impl Geometry {
    /// Mass properties of its surface at 1 kg/m², in its own frame; `None` if they have no simple form.
    pub fn shell(&self) -> Option<Mass> {
        // Parts of the surface with their mass and ∫x², ∫y², ∫z² by mass.
        let parts: Vec<(f64, Vec3)> = match *self {
            Self::Box { size } => {
                let s = size.component_mul(&size);
                let side = |i: usize| {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    let second =
                        Vec3::from_fn(|axis, _| if axis == i { s[axis] / 4.0 } else { s[axis] / 12.0 });
                    (2.0 * size[j] * size[k], second)
                };
                vec![side(0), side(1), side(2)]
            }
            Self::Sphere { radius } => {
                vec![(4.0 * PI * radius * radius, Vec3::repeat(radius * radius / 3.0))]
            }
            Self::Cylinder { radius, length } => {
                let (r, l) = (radius * radius, length * length);
                let discs = (2.0 * PI * r, Vec3::new(r / 4.0, r / 4.0, l / 4.0));
                vec![(2.0 * PI * radius * length, Vec3::new(r / 2.0, r / 2.0, l / 12.0)), discs]
            }
            Self::Capsule { radius, length } => {
                let (r, l) = (radius * radius, length * length);
                let caps = Vec3::new(r / 3.0, r / 3.0, l / 4.0 + length * radius / 2.0 + r / 3.0);
                let wall = Vec3::new(r / 2.0, r / 2.0, l / 12.0);
                vec![(2.0 * PI * radius * length, wall), (4.0 * PI * r, caps)]
            }
            Self::Ellipsoid { .. }
            | Self::Plane { .. }
            | Self::Mesh { .. }
            | Self::Cone { .. }
            | Self::Surface { .. } => return None,
        };
        let mass = parts.iter().map(|(mass, _)| mass).sum();
        let second = parts.iter().map(|(mass, second)| *mass * second).sum::<Vec3>();
        let inertia = rigor_math::inertia::from_second_moment(&Mat3::from_diagonal(&second));
        Some(Mass { mass, center: Vec3::zeros(), inertia })
    }
}

/// A cone: its centre of mass is a quarter of the height above the base, 3/10 m r² about the axis and 3/20 m r² + 3/80 m h²
/// across it.
fn cone(density: f64, radius: f64, height: f64) -> Mass {
    let mass = density * PI * radius * radius * height / 3.0;
    let (r2, h2) = (radius * radius, height * height);
    let across = 3.0 / 20.0 * r2 + 3.0 / 80.0 * h2;
    let inertia = Mat3::from_diagonal(&(Vec3::new(across, across, 0.3 * r2) * mass));
    Mass { mass, center: Vec3::new(0.0, 0.0, -0.25 * height), inertia }
}

/// A capsule along z.
fn capsule(density: f64, radius: f64, length: f64) -> Mass {
    let along_y = MassProperties::capsule(radius, length, density);
    along_y.map_or(Mass::NONE, |solid| {
        let (across, along) = (solid.inertia.m11, solid.inertia.m22);
        let inertia = Mat3::from_diagonal(&Vec3::new(across, across, along));
        Mass { mass: solid.mass, center: Vec3::zeros(), inertia }
    })
}

/// Mass properties of density 1, stretched along the axes: second moments scale with the factors.
pub fn scaled(mesh: &MassProperties, scale: &Vec3, density: f64) -> Mass {
    let volume = scale.product().abs() * density;
    let second = rigor_math::inertia::to_second_moment(&mesh.inertia);
    let stretch = Mat3::from_diagonal(scale);
    let second = stretch * second * stretch * volume;
    Mass {
        mass: mesh.mass * volume,
        center: mesh.center.component_mul(scale),
        inertia: rigor_math::inertia::from_second_moment(&second),
    }
}

/// A mesh file that can be used.
pub struct Found {
    /// Its path relative to the robot's file.
    pub name: String,
    /// What it holds, with parts inside of others as they are.
    pub mesh: Mesh,
    /// Its mass properties at density 1, if it bounds a volume.
    pub mass: Option<MassProperties>,
    /// What was decided about it and left out, as reasons of entries of the account.
    pub notes: Vec<String>,
}

/// Finds and reads a mesh. `package://NAME/REST` is looked for as `REST` and as `NAME/REST` in the folder of the robot's file and
/// in all above it.
///
/// # Errors
/// The reason why it cannot be used.
pub fn find(name: &str, robot: &Path, files: &dyn Files) -> Result<Found, String> {
    let own = robot.parent().unwrap_or(Path::new(""));
    let plain = name.strip_prefix("file://").unwrap_or(name);
    let packaged = ["package://", "model://"].iter().find_map(|prefix| plain.strip_prefix(prefix));
    let mut places: Vec<PathBuf> = Vec::new();
    match packaged {
        None => places.push(PathBuf::from(plain)),
        Some(path) => {
            let rest = path.split_once('/').map_or(path, |(_, rest)| rest);
            for up in 0..=own.components().count().min(8) {
                let above: PathBuf = std::iter::repeat_n("..", up).collect();
                places.extend([above.join(path), above.join(rest)]);
            }
        }
    }
    for place in &places {
        let path = crate::include::tidy(&own.join(place));
        let Ok(bytes) = files.read(&path) else { continue };
        let read = mesh::read(&path, &bytes, files).map_err(|error| error.to_string())?;
        let (mesh, nested) =
            mesh::resolve(&read.mesh, mesh::Nested::Solid).map_err(|error| error.to_string())?;
        let solid = MassProperties::of(&mesh, 1.0).ok();
        let mass = solid.filter(|solid| solid.model == MassModel::Volume);
        let notes =
            read.warnings.iter().chain(&nested).map(|note| why(note.grade(), &note.to_string())).collect();
        return Ok(Found { name: place.to_string_lossy().into_owned(), mesh: read.mesh, mass, notes });
    }
    Err(format!("there is no file {name:?}"))
}

//! Meshes of `asset`, and the mass that MuJoCo gives them.

use std::path::Path;

use rigor_geometry::hull::convex_hull;
use rigor_geometry::mass::MassModel;
use rigor_geometry::{MassProperties, Mesh};
use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3, inertia};

use super::super::account::RULE;
use super::super::geometry::{self, scaled};
use super::super::model::{Geometry, Mass};
use super::super::xml::Element;
use super::default::Defaults;
use super::pose::Compiler;
use crate::Files;
use crate::error::SceneError;

/// Masses that differ by more than this part are told.
const TOLD: f64 = 1e-6;

/// A mesh of `asset`.
pub struct Asset {
    pub geometry: Geometry,
    /// Mass properties at density 1, if it has any.
    pub mass: Option<Mass>,
    /// Mass properties of its surface at 1 kg/m².
    pub shell: Option<Mass>,
    /// Where the mesh's own frame is in that of the asset.
    pub pose: Pose,
    /// Whether it is another body than its convex hull.
    pub is_hollowed: bool,
}

/// How `inertia` of a mesh asks for its mass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Exact,
    Convex,
    Legacy,
    Shell,
}

impl Asset {
    /// Reads a mesh; the inner error is the reason why it cannot be used.
    ///
    /// # Errors
    /// A number is invalid.
    pub fn of<'a>(
        element: &Element<'a>,
        compiler: &Compiler,
        defaults: &Defaults<'a>,
        path: &Path,
        files: &dyn Files,
    ) -> Result<Result<Self, String>, SceneError> {
        let scale: Vec3 = defaults.vector(element, "main", "scale")?.unwrap_or([1.0; 3]).into();
        let origin: Vec3 = element.vector("refpos")?.unwrap_or_default().into();
        let turn =
            compiler.pose(element, &|name| if name == "quat" { element.text("refquat") } else { None })?;
        // A vertex v is at R(refquat)ᵀ (v − refpos).
        let pose = Pose::new(Vec3::zeros(), turn.rotation)
            .inverse()
            .compose(&Pose::translation(-origin.component_mul(&scale)));
        if turn.rotation != UnitQuaternion::identity() && scale != Vec3::repeat(scale.x) {
            return Ok(Err("`refquat` with different scales along the axes is not supported".into()));
        }
        let (geometry, mesh, solid) = match element.text("file") {
            Some(file) => match geometry::find(&compiler.path_of(file), path, files) {
                Ok(found) => {
                    found.notes.iter().for_each(|why| element.drop(format!("<mesh {file}>"), why));
                    let solid = found.mass.map(|mass| scaled(&mass, &scale, 1.0));
                    (Geometry::Mesh { file: found.name, scale }, found.mesh.stretched(&scale), solid)
                }
                Err(why) => return Ok(Err(why)),
            },
            None => match inline(element, &scale)? {
                Ok(mesh) => {
                    let solid = solid_of(&mesh);
                    let (vertices, triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
                    (Geometry::Surface { vertices, triangles }, mesh, solid)
                }
                Err(why) => return Ok(Err(why)),
            },
        };
        let way = match defaults.text(element, "main", "inertia") {
            Some("exact") => Way::Exact,
            Some("convex") => Way::Convex,
            Some("shell") => Way::Shell,
            None if compiler.is_exact => Way::Exact,
            Some("legacy") | None => Way::Legacy,
            Some(other) => return Err(element.error(format!("there is no inertia {other:?} of meshes"))),
        };
        let hull = solid_of_hull(&mesh);
        let is_hollowed = !same(hull, solid);
        let shell = MassProperties::of_shell(&mesh, 1.0).ok().map(|s| mass_of(&s));
        let mass = match way {
            Way::Exact => solid,
            Way::Convex => hull,
            Way::Legacy => legacy(&mesh),
            Way::Shell => shell,
        };
        if let (Way::Legacy, Some(mass)) = (way, mass)
            && !same(Some(mass), solid)
        {
            let exact = solid.map_or_else(
                || "bounds no volume".to_owned(),
                |solid| format!("has {:.4} of it", solid.mass / mass.mass),
            );
            let why = format!(
                "{RULE}its mass is what MuJoCo's `legacy` counts, {:.4e} m³; as it is, it {exact}",
                mass.mass
            );
            element.drop("<mesh inertia=\"legacy\">", why);
        }
        let mass = mass.filter(|mass| mass.mass > 0.0);
        Ok(Ok(Self { geometry, mass, shell, pose, is_hollowed }))
    }
}

/// Reads the vertices and faces in the element; without faces it is the hull of the vertices.
///
/// # Errors
/// A number is invalid.
fn inline(element: &Element<'_>, scale: &Vec3) -> Result<Result<Mesh, String>, SceneError> {
    let Some(vertex) = element.numbers("vertex")? else {
        return Ok(Err("it has neither a file nor vertices".into()));
    };
    let face = element.numbers("face")?;
    let place = |v: &[f64]| Vec3::new(v[0], v[1], v[2]).component_mul(scale);
    let vertices: Vec<Vec3> = vertex.chunks_exact(3).map(place).collect();
    let is_corner = |x: &f64| *x >= 0.0 && *x < vertices.len() as f64 && *x == x.trunc();
    let face_is_right = face.as_ref().is_none_or(|face| face.len() % 3 == 0 && face.iter().all(is_corner));
    if vertex.len() % 3 != 0 || !face_is_right {
        return Err(element.error("vertices have three numbers, and faces three indices of vertices"));
    }
    let Some(face) = face.filter(|face| !face.is_empty()) else {
        element.drop("<mesh vertex>", format!("{RULE}without faces, it is the convex hull of its vertices"));
        let hull = convex_hull(&vertices);
        return Ok(hull.ok_or_else(|| "its vertices lie in a plane: they have no hull".to_owned()));
    };
    let triangles = face.chunks_exact(3).map(|f| [f[0] as u32, f[1] as u32, f[2] as u32]).collect();
    let mesh = Mesh::new(vertices, triangles, Vec::new());
    Ok(mesh.map(|mesh| if scale.product() < 0.0 { mesh.flipped() } else { mesh }).map_err(|e| e.to_string()))
}

fn mass_of(of: &MassProperties) -> Mass {
    Mass { mass: of.mass, center: of.center, inertia: of.inertia }
}

fn solid_of(mesh: &Mesh) -> Option<Mass> {
    let solid = MassProperties::of(mesh, 1.0).ok().filter(|solid| solid.model == MassModel::Volume)?;
    Some(mass_of(&solid))
}

fn solid_of_hull(mesh: &Mesh) -> Option<Mass> {
    solid_of(&convex_hull(mesh.vertices())?)
}

/// Whether two masses agree.
fn same(a: Option<Mass>, b: Option<Mass>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => {
            let moments = a.inertia.amax().max(b.inertia.amax());
            (a.mass - b.mass).abs() <= TOLD * a.mass.max(b.mass)
                && (a.inertia - b.inertia).amax() <= 100.0 * TOLD * moments
        }
        _ => false,
    }
}

/// The mass of MuJoCo's algorithm `legacy`: pyramids from the mean of the surface to each triangle, all of them counted as
/// positive. It equals the solid if that mean sees all of the surface from inside.
///
/// Source: MuJoCo, XML reference, `asset/mesh/inertia`; checked against MuJoCo 4.0.
fn legacy(mesh: &Mesh) -> Option<Mass> {
    let corners = || (0..mesh.triangles().len()).map(|t| (mesh.corners(t), mesh.area_vector(t)));
    let middle = |c: &[Vec3; 3]| (c[0] + c[1] + c[2]) / 3.0;
    let area: f64 = corners().map(|(_, normal)| normal.norm()).sum();
    let face = corners().map(|(c, normal)| middle(&c) * normal.norm()).sum::<Vec3>() / area;
    let pyramid = |from: &Vec3, c: &[Vec3; 3], normal: &Vec3| (middle(c) - from).dot(normal).abs() / 3.0;
    let volume: f64 = corners().map(|(c, normal)| pyramid(&face, &c, &normal)).sum();
    let moment: Vec3 =
        corners().map(|(c, n)| (middle(&c) * 0.75 + face * 0.25) * pyramid(&face, &c, &n)).sum();
    let center = moment / volume;
    // The second moments, and the mass, of pyramids from that centre.
    let (mut mass, mut second) = (0.0, Mat3::zeros());
    for (c, normal) in corners() {
        let part = pyramid(&center, &c, &normal);
        let [a, b, d] = c.map(|corner| corner - center);
        let sum = a + b + d;
        let squares = [a, b, d, sum].iter().map(|v| v * v.transpose()).sum::<Mat3>();
        mass += part;
        second += squares * (part / 20.0);
    }
    let whole = Mass { mass, center, inertia: inertia::from_second_moment(&second) };
    (mass > 0.0 && whole.inertia.iter().chain(&whole.center).all(|x| x.is_finite())).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legacy_is_the_solid_of_a_convex_mesh_and_more_of_others() {
        let points: Vec<Vec3> =
            (0..8).map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
        let cube = convex_hull(&points).unwrap();
        let (a, b) = (legacy(&cube).unwrap(), solid_of(&cube).unwrap());
        assert!((a.mass - 1.0).abs() < 1e-14 && (a.inertia - b.inertia).amax() < 1e-14);
        // The inside of a cube of half the size, turned to a hollow, counts as matter.
        let inner = cube.map_vertices(|v| v * 0.5 + Vec3::repeat(0.25)).flipped();
        let n = cube.vertices().len() as u32;
        let vertices = [cube.vertices(), inner.vertices()].concat();
        let turned = inner.triangles().iter().map(|t| t.map(|corner| corner + n));
        let triangles = cube.triangles().iter().copied().chain(turned).collect();
        let hollow = Mesh::new(vertices, triangles, Vec::new()).unwrap();
        assert!((legacy(&hollow).unwrap().mass - 1.125).abs() < 1e-14);
        assert!((solid_of(&hollow).unwrap().mass - 0.875).abs() < 1e-14);
    }
}

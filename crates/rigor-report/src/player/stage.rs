//! What a player shows of a scene besides the motion: meshes, colours and the camera.

use std::sync::Arc;

use rigor_geometry::Mesh;
use rigor_math::Vec3;
use rigor_run::output::palette::{self, Color};
use rigor_scene::{Role, Scene, SoftBody};
use serde_json::{Value, json};

use super::crease::creases;
use super::pack::{Pack, STEPS, Span};
use super::rotation;
use super::simplify::simplified;
use crate::render::Camera;

/// Maximum number of triangles of all different meshes of a scene: 1/4 MB before compression.
const MAX_TRIANGLES: usize = 24_000;
/// Minimum number of triangles that a mesh keeps.
const MIN_TRIANGLES: usize = 400;

/// A scene as a player shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayerScene {
    /// Names of the bodies that move, in the order of a film.
    pub(crate) moving: Vec<String>,
    /// Whether meshes have fewer triangles than the scene's.
    pub(crate) is_simplified: bool,
    /// All else, for the script.
    pub(crate) data: Value,
}

/// One of the different meshes of a scene.
struct Shape {
    mesh: Arc<Mesh>,
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    lines: Vec<[u32; 2]>,
    dots: Vec<u32>,
}

impl Shape {
    fn new(mesh: &Arc<Mesh>, most: usize) -> Self {
        let is_large = mesh.triangles().len() > most;
        let whole = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
        let (vertices, triangles) = simplified(whole, most);
        let mut lines = creases(&vertices, &triangles);
        let mut dots = Vec::new();
        if !is_large {
            lines.extend(mesh.wires());
            dots.extend(mesh.points());
        }
        Self { mesh: mesh.clone(), vertices, triangles, lines, dots }
    }

    /// Writes its numbers and returns their counts and the box of its vertices, as the script reads them.
    fn pack(&self, pack: &mut Pack) -> Value {
        let axis = |k: usize| self.vertices.iter().map(move |x| x[k]);
        let spans: [Span; 3] = std::array::from_fn(|k| Span::of(axis(k)));
        (0..3).for_each(|k| pack.track(axis(k).map(|x| spans[k].step(x))));
        let indices: Vec<u32> =
            self.triangles.iter().flatten().chain(self.lines.iter().flatten()).copied().collect();
        let indices: Vec<u32> = indices.into_iter().chain(self.dots.iter().copied()).collect();
        pack.track(indices.iter().map(|index| *index as u16));
        pack.track(indices.iter().map(|index| (*index >> 16) as u16));
        let counts = [self.vertices.len(), self.triangles.len(), self.lines.len(), self.dots.len()];
        json!({ "n": counts, "low": spans.map(|s| s.low), "step": spans.map(|s| f64::from(s.extent) / STEPS) })
    }
}

impl PlayerScene {
    /// Prepares `scene` as seen by `camera`.
    pub fn new(scene: &Scene, camera: &Camera) -> Self {
        let mut meshes: Vec<Arc<Mesh>> = Vec::new();
        let place = |meshes: &mut Vec<Arc<Mesh>>, mesh: &Arc<Mesh>| {
            let same = |other: &Arc<Mesh>| Arc::ptr_eq(other, mesh) || other == mesh;
            meshes.iter().position(same).unwrap_or_else(|| {
                meshes.push(mesh.clone());
                meshes.len() - 1
            })
        };
        let of_body: Vec<usize> = scene.bodies.iter().map(|body| place(&mut meshes, &body.mesh)).collect();
        let total: usize = meshes.iter().map(|mesh| mesh.triangles().len()).sum();
        let share = |mesh: &Arc<Mesh>| match total {
            total if total <= MAX_TRIANGLES => usize::MAX,
            total => (MAX_TRIANGLES * mesh.triangles().len() / total).max(MIN_TRIANGLES),
        };
        let shapes: Vec<Shape> = meshes.iter().map(|mesh| Shape::new(mesh, share(mesh))).collect();
        let is_simplified = shapes.iter().any(|s| s.triangles.len() < s.mesh.triangles().len());
        let mut pack = Pack::default();
        let of_shapes: Vec<Value> = shapes.iter().map(|shape| shape.pack(&mut pack)).collect();
        let colors = palette::of_scene(scene);
        let is_moving = |index: &usize| scene.bodies[*index].role != Role::Static;
        let moving: Vec<usize> = (0..scene.bodies.len()).filter(is_moving).collect();
        let (still, n_bodies) = (statics(scene, &of_body, &colors), scene.bodies.len());
        let soft: Vec<Value> = scene
            .soft_bodies
            .iter()
            .zip(&colors[n_bodies..])
            .map(|(soft, color)| of_soft(soft, *color))
            .collect();
        let loose = colors.last().copied().unwrap_or(palette::PARTICLE);
        let data = json!({
            "shapes": of_shapes, "meshes": pack.text(), "still": still,
            "names": moving.iter().map(|k| &scene.bodies[*k].name).collect::<Vec<_>>(),
            "shape": moving.iter().map(|k| of_body[*k]).collect::<Vec<_>>(),
            "color": moving.iter().map(|k| hex(colors[*k])).collect::<Vec<_>>(),
            "mass": moving.iter().map(|k| finite(scene.bodies[*k].mass)).collect::<Vec<_>>(),
            "size": moving.iter().map(|k| scene.bodies[*k].radius as f32).collect::<Vec<_>>(),
            "radii": scene.particles.iter().map(|p| p.radius as f32).collect::<Vec<_>>(),
            "soft": soft, "loose": hex(loose), "camera": of_camera(camera),
        });
        Self { moving: moving.iter().map(|k| scene.bodies[*k].name.clone()).collect(), is_simplified, data }
    }
}

/// Static bodies: the shape, colour, position and rotation of each.
fn statics(scene: &Scene, shape: &[usize], colors: &[Color]) -> Vec<Value> {
    let still = scene.bodies.iter().enumerate().filter(|(_, body)| body.role == Role::Static);
    let of = |(k, body): (usize, &rigor_scene::Body)| {
        let x = body.initial.pose.position;
        json!([shape[k], hex(colors[k]), [x.x, x.y, x.z], rotation::numbers(&body.initial.pose.rotation)])
    };
    still.map(of).collect()
}

fn of_soft(soft: &SoftBody, color: Color) -> Value {
    let triangles: Vec<usize> = soft.triangles.iter().flatten().map(|id| id.0).collect();
    let edges: Vec<usize> = soft.edges.iter().flatten().map(|id| id.0).collect();
    json!({
        "name": soft.name, "color": hex(color), "triangles": triangles, "edges": edges,
        "from": soft.particles.start, "to": soft.particles.end,
    })
}

fn of_camera(camera: &Camera) -> Value {
    let three = |x: &Vec3| [x.x, x.y, x.z];
    json!({
        "eye": three(&camera.eye), "axes": camera.axes.map(|axis| three(&axis)), "up": three(&camera.up),
        "focus": three(&camera.focus), "radius": camera.radius, "near": camera.near_static,
    })
}

/// The mass of a body (kg); 0 for an infinite one, whose energy is not shown.
fn finite(mass: f64) -> f32 {
    if mass.is_finite() { mass as f32 } else { 0.0 }
}

fn hex(color: Color) -> u32 {
    color.iter().fold(0, |all, part| all << 8 | (255.0 * part).round().clamp(0.0, 255.0) as u32)
}

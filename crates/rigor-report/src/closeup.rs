//! A moment of a run from near: the triangles of two bodies that intersect, or their smallest gap, and a picture.

mod nearest;

use rigor_geometry::intersection::{Relation, triangle_triangle};
use rigor_geometry::{Aabb, Mesh};
use rigor_math::{Pose, Vec3};
use rigor_scene::{Role, Scene, State};

use crate::render::{Camera, Image, Png};

/// Maximum number of triangles that are shown as intersecting.
const MAX_TRIANGLES: usize = 60;
/// Maximum number of pairs of triangles that are tested: more would take longer than the rest of the page.
const PAIRS: usize = 1_000_000;
/// Size of a picture in pixels.
const PICTURE: [usize; 2] = [480, 300];

/// What two bodies do at a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Closeup {
    /// The time (s) of the state that is looked at.
    pub time: f64,
    /// The bodies.
    pub bodies: Vec<usize>,
    /// Triangles of one that cross the other (m, world).
    pub triangles: Vec<[Vec3; 3]>,
    /// The nearest points of both (m, world), if they do not intersect.
    pub gap: Option<[Vec3; 2]>,
    /// How it looks.
    pub picture: Option<Png>,
}

impl Closeup {
    /// Looks at `bodies` of `state`, by index, from the side from which `camera` looks.
    pub fn of(scene: &Scene, state: &State, bodies: &[usize], camera: Option<&Camera>) -> Self {
        let (triangles, gap) = match bodies {
            [a, b] => between(scene, state, *a, *b),
            _ => (Vec::new(), None),
        };
        let is_moving = |k: &usize| scene.bodies.get(*k).is_some_and(|body| body.role != Role::Static);
        let moving: Vec<usize> = bodies.iter().copied().filter(is_moving).collect();
        let picture = camera.map(|camera| {
            let near = near(scene, state, bodies, camera);
            Image::marked(scene, state, &near, PICTURE, &moving).png()
        });
        Self { time: state.time, bodies: bodies.to_vec(), triangles, gap, picture }
    }
}

/// The camera moved towards the smallest of the bodies.
fn near(scene: &Scene, state: &State, bodies: &[usize], camera: &Camera) -> Camera {
    let smallest = bodies.iter().min_by(|a, b| scene.bodies[**a].radius.total_cmp(&scene.bodies[**b].radius));
    let Some((body, at)) = smallest.and_then(|k| Some((scene.bodies.get(*k)?, state.bodies.get(*k)?))) else {
        return *camera;
    };
    if at.pose.is_finite() { camera.towards(at.pose.position, 2.2 * body.radius) } else { *camera }
}

/// The triangles of either body that cross the other; without any, the nearest points.
fn between(scene: &Scene, state: &State, a: usize, b: usize) -> (Vec<[Vec3; 3]>, Option<[Vec3; 2]>) {
    let body = |k: usize| Some((&*scene.bodies.get(k)?.mesh, state.bodies.get(k)?.pose));
    let (Some((mesh_a, pose_a)), Some((mesh_b, pose_b))) = (body(a), body(b)) else {
        return (Vec::new(), None);
    };
    if !(pose_a.is_finite() && pose_b.is_finite()) {
        return (Vec::new(), None);
    }
    let [box_a, box_b] =
        [(mesh_a, &pose_a), (mesh_b, &pose_b)].map(|(mesh, pose)| mesh.bounds().transformed(pose));
    let (near_a, near_b) = (triangles(mesh_a, &pose_a, &box_b), triangles(mesh_b, &pose_b, &box_a));
    if near_a.len().saturating_mul(near_b.len()) <= PAIRS {
        let mut crossing = Vec::new();
        for (from, to) in [(&near_a, &near_b), (&near_b, &near_a)] {
            let meets = |one: &&[Vec3; 3]| {
                to.iter().any(|other| triangle_triangle::contact(one, other) == Relation::Crossing)
            };
            crossing.extend(from.iter().filter(meets).take(MAX_TRIANGLES / 2));
        }
        if !crossing.is_empty() {
            return (crossing, None);
        }
    }
    let everywhere = |mesh: &Mesh, pose: &Pose| {
        triangles(mesh, pose, &Aabb::new(Vec3::repeat(f64::MIN), Vec3::repeat(f64::MAX)))
    };
    let (all_a, all_b) = (everywhere(mesh_a, &pose_a), everywhere(mesh_b, &pose_b));
    if all_a.is_empty() || all_b.is_empty() || all_a.len().saturating_mul(all_b.len()) > PAIRS / 10 {
        return (Vec::new(), None);
    }
    (Vec::new(), nearest::points(&all_a, &all_b))
}

/// The triangles of a mesh in the world whose boxes meet `place`.
fn triangles(mesh: &Mesh, pose: &Pose, place: &Aabb) -> Vec<[Vec3; 3]> {
    let world = (0..mesh.triangles().len()).map(|k| mesh.corners(k).map(|x| pose.point(&x)));
    world.filter(|corners| Aabb::of_points(corners).overlaps(place)).collect()
}

#[cfg(test)]
mod tests {
    use rigor_scene::{BodySpec, PartKind, PlacedShape};
    use rigor_shapes::Cuboid;

    use super::*;

    fn look(height: f64) -> Closeup {
        let mesh = Cuboid::cube(1.0).mesh().expect("a cube is a mesh");
        let shape = PlacedShape { mesh, kind: PartKind::Concave, pose: Pose::identity() };
        let body = |name: &str, x: f64, y: f64| {
            let pose = Pose::translation(Vec3::new(x, y, 0.0));
            BodySpec { pose, ..BodySpec::new(name, vec![shape.clone()]) }.build().expect("a cube is a body")
        };
        let scene = Scene { bodies: vec![body("a", 0.0, 0.0), body("b", 0.3, height)], ..Scene::default() };
        Closeup::of(&scene, &State::initial(&scene), &[0, 1], None)
    }

    #[test]
    fn cubes_in_each_other_show_triangles_and_cubes_apart_their_gap() {
        let inside = look(0.9);
        assert!(!inside.triangles.is_empty() && inside.gap.is_none());
        let apart = look(1.25);
        let [p, q] = apart.gap.expect("they are apart");
        assert!(apart.triangles.is_empty() && ((p - q).norm() - 0.25).abs() < 1e-12, "{p} {q}");
    }
}

//! How thick walls are.

use rigor_math::Vec3;
use rigor_scene::{Body, Scene};

use crate::fluid::boundary::contains;

/// Largest number of faces of a body from which its thickness is measured.
const FACES: usize = 256;

/// Returns the smallest depth (m) of solid behind the middle of a face of `body`, at time 0, where it is less than `enough` (m);
/// solid of other bodies counts. Of bodies with many triangles every k-th one is measured.
pub(crate) fn thinnest(scene: &Scene, body: &Body, enough: f64) -> Option<f64> {
    let mesh = &body.mesh;
    let n = mesh.triangles().len();
    let mut least: Option<f64> = None;
    for t in (0..n).step_by(n.div_ceil(FACES).max(1)) {
        let Some(normal) = mesh.area_vector(t).try_normalize(0.0) else { continue };
        let [a, b, c] = mesh.corners(t);
        let middle = (a + b + c) / 3.0;
        let mut exits: Vec<f64> =
            (0..n).filter(|k| *k != t).filter_map(|k| exit(&mesh.corners(k), &middle, &-normal)).collect();
        exits.retain(|depth| *depth < enough * (1.0 - 1e-6));
        exits.sort_by(f64::total_cmp);
        let is_out = |depth: f64| {
            let point = body.initial.pose.point(&(middle - depth * normal));
            !scene.bodies.iter().any(|other| contains(other, &point))
        };
        // There is no fluid in front of a face that another body covers.
        let slightly = 1e-3 * enough;
        if exits.is_empty() || !is_out(-slightly) {
            continue;
        }
        if let Some(depth) = exits.into_iter().find(|depth| is_out(depth + slightly)) {
            least = Some(least.map_or(depth, |least| least.min(depth)));
        }
    }
    least
}

/// Returns the distance (m) from `from` (m) at which a ray along the unit vector `along` leaves a solid through this triangle.
fn exit([a, b, c]: &[Vec3; 3], from: &Vec3, along: &Vec3) -> Option<f64> {
    let (u, v) = (b - a, c - a);
    let normal = u.cross(&v);
    let speed = normal.dot(along);
    if speed <= 0.0 {
        return None;
    }
    let distance = normal.dot(&(a - from)) / speed;
    let hit = from + distance * along - a;
    let area = normal.norm_squared();
    let (s, t) = (hit.cross(&v).dot(&normal) / area, u.cross(&hit).dot(&normal) / area);
    // A ray through an edge leaves through one of its triangles, whatever the rounding.
    let edge = -1e-9;
    (distance > 0.0 && s >= edge && t >= edge && s + t <= 1.0 - edge).then_some(distance)
}

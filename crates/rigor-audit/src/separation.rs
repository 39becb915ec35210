//! The shortest vector between two primitives and its length, rounded.

use rigor_geometry::distance::{edge_edge, point_edge, point_triangle};
use rigor_math::Vec3;

use crate::primitive::Primitive;

/// Returns the vector (m, world) from the nearest point of `b` to that of `a`, for primitives that do not
/// cross.
pub(crate) fn separation(a: &Primitive, b: &Primitive) -> Vec3 {
    let from_a = corners(a).iter().map(|p| from(p, b));
    let from_b = corners(b).iter().map(|p| -from(p, a));
    let edges_a = edges(a);
    let crossed = edges(b)
        .into_iter()
        .flat_map(|f| edges_a.iter().map(move |e| edge_edge::closest(&e[0], &e[1], &f[0], &f[1]).separation));
    let shortest =
        from_a.chain(from_b).chain(crossed).min_by(|u, v| u.norm_squared().total_cmp(&v.norm_squared()));
    shortest.expect("a primitive has a corner")
}

/// Returns the distance (m) between two primitives; 0 if they have a common point.
pub(crate) fn distance(a: &Primitive, b: &Primitive) -> f64 {
    use Primitive::{Point, Triangle, Wire};
    let may_cross = match (a, b) {
        (Triangle(_), Triangle(_) | Wire(_)) | (Wire(_), Triangle(_)) => true,
        (Point(_), _) | (_, Point(_)) | (Wire(_), Wire(_)) => false,
    };
    if may_cross && a.contact(b).is_contact() { 0.0 } else { separation(a, b).norm() }
}

/// Returns the vector from the nearest point of the primitive to `p`.
fn from(p: &Vec3, primitive: &Primitive) -> Vec3 {
    match primitive {
        Primitive::Point(q) => p - q,
        Primitive::Wire([a, b]) => point_edge::closest(p, a, b).separation,
        Primitive::Triangle([a, b, c]) => point_triangle::closest(p, a, b, c).separation,
    }
}

fn corners(primitive: &Primitive) -> &[Vec3] {
    match primitive {
        Primitive::Point(p) => std::slice::from_ref(p),
        Primitive::Wire(ends) => ends,
        Primitive::Triangle(corners) => corners,
    }
}

fn edges(primitive: &Primitive) -> Vec<[Vec3; 2]> {
    match *primitive {
        Primitive::Point(_) => vec![],
        Primitive::Wire(ends) => vec![ends],
        Primitive::Triangle([a, b, c]) => vec![[a, b], [b, c], [c, a]],
    }
}

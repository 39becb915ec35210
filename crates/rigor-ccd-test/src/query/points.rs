//! The points of a query: measured, exchanged, and written as Rust code.

use rigor_ccd::Kind;
use rigor_math::Vec3;

use super::length;

pub fn longest(vectors: impl Iterator<Item = Vec3>) -> f64 {
    vectors.map(|v| length(&v)).fold(0.0, f64::max)
}

/// Formats the points of A and of B as Rust code: a single point, or an array.
pub fn paste_parts(kind: Kind, paste: impl Fn(usize) -> String) -> [String; 2] {
    let (n_a, n) = (kind.sizes().0, kind.n_points());
    [0..n_a, n_a..n].map(|points| {
        let each: Vec<String> = points.map(&paste).collect();
        if each.len() == 1 {
            each.concat()
        } else {
            format!("[\n        {},\n    ]", each.join(",\n        "))
        }
    })
}

pub const fn constructor(kind: Kind) -> &'static str {
    match kind {
        Kind::PointPoint => "point_point",
        Kind::PointEdge => "point_edge",
        Kind::PointTriangle => "point_triangle",
        Kind::EdgeEdge => "edge_edge",
    }
}

pub fn paste_vector(v: &Vec3) -> String {
    format!("Vec3::new({:?}, {:?}, {:?})", v.x, v.y, v.z)
}

/// Reverses the points of A and those of B.
pub fn backwards(kind: Kind, points: &[Vec3; 4]) -> [Vec3; 4] {
    let mut points = *points;
    let (n_a, n) = (kind.sizes().0, kind.n_points());
    points[..n_a].reverse();
    points[n_a..n].reverse();
    points
}

pub fn exchanged(kind: Kind, points: &[Vec3; 4]) -> Option<[Vec3; 4]> {
    let [a, b, c, d] = *points;
    match kind {
        Kind::PointPoint => Some([b, a, c, d]),
        Kind::EdgeEdge => Some([c, d, a, b]),
        Kind::PointEdge | Kind::PointTriangle => None,
    }
}

pub fn with_garbage(kind: Kind, points: &[Vec3; 4]) -> [Vec3; 4] {
    std::array::from_fn(|i| if i < kind.n_points() { points[i] } else { Vec3::repeat(f64::NAN) })
}

/// x becomes y, y becomes z, z becomes x.
pub fn cycled(v: &Vec3) -> Vec3 {
    Vec3::new(v.z, v.x, v.y)
}

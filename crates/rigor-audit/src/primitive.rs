//! Primitives of surfaces, and how two of them meet.

use rigor_geometry::Aabb;
use rigor_geometry::distance::{point_edge, point_point, point_triangle};
use rigor_geometry::intersection::{self, Relation};
use rigor_math::Vec3;

/// A primitive of a surface, by its corners in the world (m).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Primitive {
    /// A vertex without edges.
    Point(Vec3),
    /// An edge without triangles.
    Wire([Vec3; 2]),
    /// A triangle.
    Triangle([Vec3; 3]),
}

impl Primitive {
    /// Returns the squared distance (m²) from a point (m).
    pub fn distance_sq(&self, p: &Vec3) -> f64 {
        match self {
            Self::Point(q) => point_point::distance_sq(p, q),
            Self::Wire([a, b]) => point_edge::distance_sq(p, a, b),
            Self::Triangle([a, b, c]) => point_triangle::distance_sq(p, a, b, c),
        }
    }

    /// Determines how two primitives meet.
    pub fn contact(&self, other: &Self) -> Relation {
        use Primitive::{Point, Triangle, Wire};
        match (self, other) {
            (Point(p), Point(q)) => intersection::point_point::contact(p, q),
            (Point(p), Wire(e)) | (Wire(e), Point(p)) => intersection::point_edge::contact(p, e),
            (Point(p), Triangle(t)) | (Triangle(t), Point(p)) => intersection::point_triangle::contact(p, t),
            (Wire(e), Wire(f)) => intersection::edge_edge::contact(e, f),
            (Wire(e), Triangle(t)) | (Triangle(t), Wire(e)) => intersection::edge_triangle::contact(e, t),
            (Triangle(t), Triangle(u)) => intersection::triangle_triangle::contact(t, u),
        }
    }

    pub(crate) fn bounds(&self) -> Aabb {
        match self {
            Self::Point(q) => Aabb::of_points([q]),
            Self::Wire(ends) => Aabb::of_points(ends),
            Self::Triangle(corners) => Aabb::of_points(corners),
        }
    }
}

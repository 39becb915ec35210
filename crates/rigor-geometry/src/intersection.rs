//! Exact tests of whether points, edges and triangles meet, with coordinates taken as exact reals.
//!
//! | module | between |
//! | --- | --- |
//! | [`point_point`] | two points |
//! | [`point_edge`] | a point and a segment |
//! | [`edge_edge`] | two segments |
//! | [`point_triangle`] | a point and a triangle |
//! | [`edge_triangle`] | a segment and a triangle |
//! | [`triangle_triangle`] | two triangles |
//! | [`mesh_mesh`] | two meshes |
//! | [`within_mesh`] | the triangles of one mesh |
//! | [`containment`] | a point and the solid inside a mesh |
//!
//! Each of the first seven provides `contact`. Edges may degenerate to points, and triangles to segments or
//! points: a degenerate triangle is the hull of its corners. The answers are those of real arithmetic on the
//! given coordinates, within the range of [`crate::predicates`].

pub mod containment;
pub mod edge_edge;
pub mod edge_triangle;
pub mod mesh_mesh;
pub mod point_edge;
pub mod point_point;
pub mod point_triangle;
pub mod triangle_triangle;
pub mod within_mesh;

use rigor_math::Vec3;

/// How two closed convex sets A and B meet.
///
/// With A − B = {a − b}, the origin lies outside, on the boundary of, or inside A − B. So no small motion can
/// undo a crossing, but some motion, however small, can undo touching: a shared vertex or edge, a vertex or
/// edge in the other's face, edges that meet in a point, and any coplanar overlap, up to identical triangles.
/// Only two triangles, or an edge and a triangle, can cross in space. They do so if and only if they span
/// three dimensions and their relative interiors meet, as when an edge passes through the inside of a
/// triangle from one side to the other. Neighbours in a mesh share a corner, so they are never `Disjoint`,
/// and may even cross elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// No common point: there is a gap.
    Disjoint,
    /// A common point, but an arbitrarily small translation can open a gap.
    Touching,
    /// A common point, and no sufficiently small motion opens a gap.
    Crossing,
}

impl Relation {
    #[inline]
    fn touching_if(condition: bool) -> Self {
        if condition { Self::Touching } else { Self::Disjoint }
    }

    /// Whether there is a common point.
    #[inline]
    pub fn is_contact(self) -> bool {
        self != Self::Disjoint
    }
}

/// The three edges of a triangle, in order.
#[inline]
fn edges(t: &[Vec3; 3]) -> [[Vec3; 2]; 3] {
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
}

/// Whether the bounding boxes have no common point.
#[inline]
fn boxes_are_disjoint(a: &[Vec3], b: &[Vec3]) -> bool {
    let bounds = |points: &[Vec3]| {
        points.iter().fold((points[0], points[0]), |(low, high), p| (low.inf(p), high.sup(p)))
    };
    let ((low_a, high_a), (low_b, high_b)) = (bounds(a), bounds(b));
    (0..3).any(|i| high_a[i] < low_b[i] || high_b[i] < low_a[i])
}

#[cfg(test)]
mod tests;

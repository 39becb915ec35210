//! The penetration depth of one surface in a solid, or through a sheet.

use rigor_geometry::distance::point_triangle;
use rigor_geometry::intersection::{Relation, edge_triangle};
use rigor_math::Vec3;

use crate::surface::{Primitive, Surface};

/// Returns the larger of [`deepest`] of each body in the other (m).
pub fn between(a: &Surface, b: &Surface) -> f64 {
    deepest(a, b).max(deepest(b, a))
}

/// Returns a lower bound on max { dist(p, ∂S) : p on the surface of `inner`, inside the solid S of `outer` }
/// (m); 0 if no point is found inside or `outer` bounds no volume.
///
/// The maximum is taken over some points p only: the vertices of `inner`, the centroids of its triangles,
/// and, for each edge that passes through `outer`, the midpoints of the pieces between its ends and
/// crossings. The distance to ∂S is exact up to rounding, a few ε of the coordinates, which is also the
/// distance of centroids and midpoints from the surface.
///
/// This is a depth of points, not the translation that would separate the bodies, which is at least as long.
/// Where parts of `outer` overlap, ∂S includes the walls between them, and the depth is less than the depth
/// below the outer skin.
pub fn deepest(inner: &Surface, outer: &Surface) -> f64 {
    if !outer.is_solid() || !inner.bounds().overlaps(outer.bounds()) {
        return 0.0;
    }
    let triangles = (0..inner.mesh().triangles().len()).map(|t| inner.triangle(t));
    let centroids = triangles.map(|[a, b, c]| (a + b + c) / 3.0);
    let places = inner.vertices().iter().copied().chain(centroids).chain(chords(inner, outer));
    places.map(|p| depth_of(&p, outer)).fold(0.0, f64::max)
}

/// Returns the distance (m) of `p` from the surface of `outer` if it is inside, else 0.
pub fn depth_of(p: &Vec3, outer: &Surface) -> f64 {
    if !outer.contains(p) {
        return 0.0;
    }
    // Wires and points outside of the skin are at least as far from p as the skin.
    outer.nearest(p, f64::INFINITY).map_or(0.0, |(_, d_sq)| d_sq.sqrt())
}

/// Returns the midpoints of the pieces into which the triangles of `outer` cut the edges of `inner`.
fn chords(inner: &Surface, outer: &Surface) -> Vec<Vec3> {
    let pairs = inner.edges().overlapping_pairs_with(outer.primitives());
    let mut middles = Vec::new();
    for of_edge in pairs.chunk_by(|x, y| x[0] == y[0]) {
        let edge = inner.edge(of_edge[0][0]);
        let primitives = of_edge.iter().map(|pair| outer.primitive(pair[1]));
        let mut cuts: Vec<f64> = primitives.filter_map(|primitive| cut(&edge, &primitive)).collect();
        if cuts.is_empty() {
            continue;
        }
        cuts.extend([0.0, 1.0]);
        cuts.sort_by(f64::total_cmp);
        middles.extend(cuts.windows(2).map(|t| edge[0] + (edge[1] - edge[0]) * (0.5 * (t[0] + t[1]))));
    }
    middles
}

/// Returns where along `edge`, from 0 to 1, it passes through the triangle, if it does.
fn cut(edge: &[Vec3; 2], primitive: &Primitive) -> Option<f64> {
    let Primitive::Triangle(triangle) = primitive else { return None };
    if edge_triangle::contact(edge, triangle) == Relation::Disjoint {
        return None;
    }
    let [a, b, c] = triangle;
    let normal = (b - a).cross(&(c - a));
    let (from, to) = (normal.dot(&(edge[0] - a)), normal.dot(&(edge[1] - a)));
    (from != to).then(|| (from / (from - to)).clamp(0.0, 1.0))
}

/// The position of a point relative to a sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side {
    /// In front of the nearest triangle, where its corners appear counter-clockwise, at this distance (m).
    Front(f64),
    /// Behind it, at this distance (m).
    Back(f64),
    /// On the sheet itself.
    On,
    /// Closest to the border of the sheet, so on neither side.
    Beyond,
}

/// Returns the position of `p` (m) relative to the closest point of `sheet`.
///
/// That point may belong to several triangles. The one whose plane is farthest from p decides, which is
/// correct at edges. A point that is closest to the border is on neither side.
pub fn side_of(p: &Vec3, sheet: &Surface) -> Side {
    let Some((_, d_sq)) = sheet.nearest(p, f64::INFINITY) else { return Side::Beyond };
    let tolerance_sq = d_sq * (1.0 + 1e-9);
    if sheet.border_distance_sq(p) <= tolerance_sq {
        return Side::Beyond;
    }
    let reach = tolerance_sq.sqrt().next_up();
    let ball = rigor_geometry::Aabb::of_points([p]).grow(reach);
    let nearby = sheet.primitives().overlapping(&ball);
    let heights = nearby.into_iter().filter_map(|index| match sheet.primitive(index) {
        Primitive::Triangle([a, b, c]) if point_triangle::distance_sq(p, &a, &b, &c) <= tolerance_sq => {
            Some((b - a).cross(&(c - a)).normalize().dot(&(p - a)))
        }
        _ => None,
    });
    let height = heights.fold(0.0, |most: f64, h| if h.abs() > most.abs() { h } else { most });
    match height {
        h if h > 0.0 => Side::Front(d_sq.sqrt()),
        h if h < 0.0 => Side::Back(d_sq.sqrt()),
        _ => Side::On,
    }
}

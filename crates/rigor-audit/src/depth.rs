//! The penetration depth of one body in a solid, or through a sheet.

mod cluster;
mod round;
pub(crate) mod segment;

use rigor_geometry::Aabb;
use rigor_geometry::distance::point_triangle;
use rigor_geometry::intersection::{Relation, edge_triangle};
use rigor_math::Vec3;

use crate::surface::{Primitive, Surface};

/// Returns the largest of [`deepest`] of each body in the other and the depth of their round parts (m).
///
/// A round part of offset ρ_a overlaps a part of the other body, at a distance d of the skeletons and with the offset ρ_b, by
/// ρ_a + ρ_b − d. In a solid that contains the point p of its centre or axis, it is ρ_a deeper than p: the deepest p counts. Exact
/// up to rounding. Between two balls, or a ball and a convex solid, that is the length of the shortest translation
/// that separates them.
pub fn between(a: &Surface, b: &Surface) -> f64 {
    between_above(0.0, a, b).unwrap_or(0.0)
}

/// As [`between`], if that is more than `floor` (m), which settles most points by a single near primitive.
pub(crate) fn between_above(floor: f64, a: &Surface, b: &Surface) -> Option<f64> {
    let of_rounds = round::above(floor, a, b);
    enclosed_above(of_rounds.unwrap_or(floor), a, b).or(of_rounds)
}

/// As [`between_above`] without round parts.
pub(crate) fn enclosed_above(floor: f64, a: &Surface, b: &Surface) -> Option<f64> {
    // A little less, so that the rounding of the square leaves out no greater depth.
    let floor_sq = floor * floor * (1.0 - 8.0 * f64::EPSILON);
    let is_promising = |inner: &Surface, outer: &Surface| {
        inner.bounds().overlaps(&core(outer, floor, inner.noise_with(outer)))
    };
    let has_solid = a.is_solid() || b.is_solid();
    if !has_solid || !is_promising(a, b) && !is_promising(b, a) {
        return None;
    }
    let met = met(a, b);
    let turned: Vec<[u32; 2]> = met.iter().map(|[i, j]| [*j, *i]).collect();
    let found = deepest_sq(b, a, &turned, deepest_sq(a, b, &met, floor_sq)).sqrt();
    (found > floor).then_some(found)
}

/// Returns a superset of the pairs of a primitive of `a` and one of `b` that have a common point: just these, where it pays to
/// know.
fn met(a: &Surface, b: &Surface) -> Vec<[u32; 2]> {
    let is_asked = [a, b].iter().any(|surface| !surface.is_small());
    let mut met = Vec::new();
    a.touching_pairs(b, &mut |i, j| {
        let (p, q) = (a.primitive(i), b.primitive(j));
        if p.bounds().overlaps(&q.bounds()) && (!is_asked || p.contact(&q).is_contact()) {
            met.push([i, j]);
        }
    });
    met
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
    deepest_sq(inner, outer, &met(inner, outer), 0.0).sqrt()
}

/// Returns the square (m²) of [`deepest`] if that is more than `least_sq` (m²), else `least_sq`. `met` are pairs of primitives
/// as [`met`] returns them.
fn deepest_sq(inner: &Surface, outer: &Surface, met: &[[u32; 2]], least_sq: f64) -> f64 {
    let near = core(outer, least_sq.sqrt(), inner.noise_with(outer));
    if !outer.is_solid() || !inner.bounds().overlaps(&near) {
        return least_sq;
    }
    let deeper = |deepest_sq: f64, p: Vec3| deeper_sq(&p, outer, deepest_sq).unwrap_or(deepest_sq);
    let deepest_sq = places(inner, outer, met, &near).fold(least_sq, deeper);
    chords(inner, outer, met).into_iter().fold(deepest_sq, deeper)
}

/// Returns a box of all points that are deeper than `depth` (m) in the solid `outer`: the straight line out of the box around
/// it passes its surface, so that a point at the distance d from a face of that box is no deeper than d. `noise` (m) is
/// more than the rounding error of a depth.
fn core(outer: &Surface, depth: f64, noise: f64) -> Aabb {
    let (bounds, margin) = (outer.bounds(), Vec3::repeat(depth - 2.0 * noise));
    Aabb { min: bounds.min + margin, max: bounds.max - margin }
}

/// Returns the distance (m) of `p` from the surface of the solid that the triangles of `outer` bound if it is inside, else 0.
pub fn depth_of(p: &Vec3, outer: &Surface) -> f64 {
    // No depth is less than −1, so the nearest primitive is sought to the end.
    deeper_sq(p, outer, -1.0).map_or(0.0, f64::sqrt)
}

/// Returns the squared depth (m²) of `p` in `outer` if it is inside and deeper than that.
fn deeper_sq(p: &Vec3, outer: &Surface, deepest_sq: f64) -> Option<f64> {
    if !outer.bounds().contains_point(p)
        || !core(outer, deepest_sq.max(0.0).sqrt(), outer.noise(p)).contains_point(p)
    {
        return None;
    }
    // Wires and points outside of the skin are at least as far from p as the skin.
    let (_, d_sq) = outer.nearest_beyond(p, f64::INFINITY, deepest_sq)?;
    (d_sq > deepest_sq && outer.encloses(p)).then_some(d_sq)
}

/// Returns the vertices of the primitives of `inner` that come into the box `near`, and the centroids of its triangles, without
/// those that are outside of `outer`. The box has a margin for a centroid that is rounded out of the box of its triangle.
fn places<'a>(
    inner: &'a Surface,
    outer: &Surface,
    met: &[[u32; 2]],
    near: &Aabb,
) -> impl Iterator<Item = Vec3> + use<'a> {
    let mut meeting: Vec<u32> = met.iter().map(|[i, _]| *i).collect();
    meeting.sort_unstable();
    meeting.dedup();
    let all = inner.overlapping(near).into_iter();
    let (mut near, apart): (Vec<u32>, Vec<u32>) = all.partition(|i| meeting.binary_search(i).is_ok());
    near.extend(cluster::inside(inner, outer, apart));
    let mut vertices: Vec<u32> = near.iter().flat_map(|i| inner.corners(*i)).copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let centroids = near.into_iter().filter_map(|i| match inner.primitive(i) {
        Primitive::Triangle([a, b, c]) => Some((a + b + c) / 3.0),
        Primitive::Point(_) | Primitive::Wire(_) => None,
    });
    vertices.into_iter().map(|v| inner.vertex(v)).chain(centroids)
}

/// Returns the midpoints of the pieces into which the triangles of `outer` cut the edges of `inner`.
fn chords(inner: &Surface, outer: &Surface, met: &[[u32; 2]]) -> Vec<Vec3> {
    let mut cuts: Vec<(u32, f64)> = Vec::new();
    for [i, j] in met {
        let primitive = outer.primitive(*j);
        let bounds = primitive.bounds();
        let of_edge = |e: &u32| {
            let edge = Some(inner.edge(*e)).filter(|ends| Aabb::of_points(ends).overlaps(&bounds))?;
            Some((*e, cut(&edge, &primitive)?))
        };
        cuts.extend(inner.own_edges(*i).iter().filter_map(of_edge));
    }
    cuts.sort_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)));
    let mut middles = Vec::new();
    for of_edge in cuts.chunk_by(|x, y| x.0 == y.0) {
        let edge = inner.edge(of_edge[0].0);
        let ends: Vec<f64> =
            std::iter::once(0.0).chain(of_edge.iter().map(|cut| cut.1)).chain(std::iter::once(1.0)).collect();
        middles.extend(ends.windows(2).map(|t| edge[0] + (edge[1] - edge[0]) * (0.5 * (t[0] + t[1]))));
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
    /// In front of the sheet, where the corners of its first triangle appear counter-clockwise, at this distance (m).
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
    let ball = Aabb::of_points([p]).grow(reach);
    let nearby = sheet.overlapping(&ball);
    let heights = nearby.into_iter().filter_map(|index| match sheet.primitive(index) {
        Primitive::Triangle([a, b, c]) if point_triangle::distance_sq(p, &a, &b, &c) <= tolerance_sq => {
            let height = (b - a).cross(&(c - a)).normalize().dot(&(p - a));
            Some(if sheet.is_turned(index) { -height } else { height })
        }
        Primitive::Triangle(_) | Primitive::Point(_) | Primitive::Wire(_) => None,
    });
    let height = heights.fold(0.0, |most: f64, h| if h.abs() > most.abs() { h } else { most });
    match height {
        h if h > 0.0 => Side::Front(d_sq.sqrt()),
        h if h < 0.0 => Side::Back(d_sq.sqrt()),
        _ => Side::On,
    }
}

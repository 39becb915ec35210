//! Splits polygons in space into triangles.

use std::collections::BTreeMap;

use rigor_math::Vec3;
use rigor_shapes::tile_polygon;

/// Largest distance of a corner from the plane of its polygon, relative to the polygon's size, that is not told.
///
/// Exporters print six digits, so a corner is off by 10⁻⁶ of the mesh size, which is up to 10⁻⁴ of a polygon
/// 100 times smaller.
pub(super) const FLATNESS: f64 = 1e-4;

/// Number of corners of which each is tried as the apex of a fan.
const MOST_APEXES: usize = 64;

/// A polygon as triangles.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Split {
    /// Corners of the triangles, as indices of the polygon's corners.
    pub triangles: Vec<[usize; 3]>,
    /// Distance (m) of the farthest corner from the plane of the polygon.
    pub height: f64,
    /// Distance (m) of the farthest corner from the mean of the corners.
    pub size: f64,
    /// Whether the outline crosses itself, seen along the normal.
    pub crosses: bool,
}

/// Splits the polygon with these corners, at least four, without adding any.
///
/// A polygon that is convex, seen along the normal ½ Σ xᵢ × xᵢ₊₁, becomes a fan around its first corner, as other programs
/// split it; one that is not is tiled by Delaunay triangles in the plane. A polygon whose outline crosses itself becomes a fan, too.
pub(super) fn split(positions: &[Vec3]) -> Split {
    let n = positions.len();
    let polygon = Polygon::of(positions);
    let height = polygon.corners.iter().map(|corner| corner.dot(&polygon.normal).abs()).fold(0.0, f64::max);
    let fan = |apex: usize| (1..n - 1).map(move |i| [apex, (apex + i) % n, (apex + i + 1) % n]);
    // Prefer an apex that is on no straight run of corners, so that all triangles have area.
    let sees_beyond =
        |least: f64| (0..n.min(MOST_APEXES)).find(|&apex| fan(apex).all(|t| polygon.area(t) >= least));
    let done = |triangles, crosses| Split { triangles, height, size: polygon.size, crosses };
    if polygon.normal == Vec3::zeros() {
        return done(fan(0).collect(), fan(0).any(|t| polygon.span(t) > 1e-12));
    }
    if polygon.winds_once()
        && let Some(apex) = sees_beyond(1e-12).or_else(|| sees_beyond(-FLATNESS))
    {
        return done(fan(apex).collect(), false);
    }
    match polygon.tiled() {
        Some(triangles) => done(triangles, false),
        None => done(fan(0).collect(), true),
    }
}

/// A polygon about the mean of its corners.
struct Polygon {
    /// Corners (m) relative to their mean.
    corners: Vec<Vec3>,
    /// Unit normal; 0 if the polygon has no area.
    normal: Vec3,
    /// Distance (m) of the farthest corner from the mean.
    size: f64,
}

impl Polygon {
    fn of(positions: &[Vec3]) -> Self {
        let n = positions.len();
        let mean = positions.iter().map(|v| v / n as f64).sum::<Vec3>();
        let corners: Vec<Vec3> = positions.iter().map(|v| v - mean).collect();
        let size = corners.iter().map(Vec3::norm).fold(0.0, f64::max);
        let area_vector: Vec3 =
            (0..n).map(|i| (corners[i] / size).cross(&(corners[(i + 1) % n] / size))).sum();
        let normal = area_vector.try_normalize(1e-12).unwrap_or_default();
        Self { corners, normal, size }
    }

    /// Returns twice the area of a triangle of corners divided by size², negative if its orientation is
    /// opposite to that of the polygon.
    fn area(&self, triangle: [usize; 3]) -> f64 {
        let [a, b, c] = triangle.map(|i| self.corners[i] / self.size);
        (b - a).cross(&(c - a)).dot(&self.normal)
    }

    /// Returns twice the area of a triangle of corners divided by size².
    fn span(&self, triangle: [usize; 3]) -> f64 {
        let [a, b, c] = triangle.map(|i| self.corners[i] / self.size);
        (b - a).cross(&(c - a)).norm()
    }

    /// Whether the outline turns by one full turn: a pentagram turns by two.
    fn winds_once(&self) -> bool {
        let n = self.corners.len();
        let Some([u, v]) = self.plane() else { return true };
        let side = |i: usize| {
            let along = self.corners[(i + 1) % n] - self.corners[i];
            [along.dot(&u), along.dot(&v)]
        };
        // A convex outline changes the sign of a coordinate of its sides twice.
        let signs: Vec<bool> = (0..n).map(side).filter(|[x, _]| *x != 0.0).map(|[x, _]| x > 0.0).collect();
        let changes = (0..signs.len()).filter(|&i| signs[i] != signs[(i + 1) % signs.len()]).count();
        changes <= 2
    }

    /// Two unit vectors across the normal, of a right-handed frame.
    fn plane(&self) -> Option<[Vec3; 2]> {
        let axis = self.normal.iamin();
        let u = self.normal.cross(&Vec3::ith(axis, 1.0)).try_normalize(1e-12)?;
        Some([u, self.normal.cross(&u)])
    }

    /// Delaunay triangles in the plane; `None` if the outline crosses itself there.
    fn tiled(&self) -> Option<Vec<[usize; 3]>> {
        let [u, v] = self.plane()?;
        let flat: Vec<[f64; 2]> =
            self.corners.iter().map(|c| [c.dot(&u) / self.size, c.dot(&v) / self.size]).collect();
        let tiles = tile_polygon(&flat).ok()?;
        let tiles: Vec<[usize; 3]> = tiles.into_iter().map(|t| t.map(|i| i as usize)).collect();
        has_outline(&tiles, flat.len()).then_some(tiles)
    }
}

/// Whether the sides that triangles leave over are those of a polygon with `n` corners: where a corner lies on another side up to
/// rounding, the tiles may be those of another outline.
fn has_outline(triangles: &[[usize; 3]], n: usize) -> bool {
    let mut excess: BTreeMap<(usize, usize), i32> = BTreeMap::new();
    let sides = triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    for (a, b) in sides.chain((0..n).map(|i| ((i + 1) % n, i))) {
        *excess.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
    }
    excess.values().all(|excess| *excess == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(corners: &[[f64; 3]]) -> Vec<Vec3> {
        corners.iter().map(|c| Vec3::from(*c)).collect()
    }

    fn area(corners: &[[f64; 3]], [a, b, c]: [usize; 3]) -> f64 {
        let [a, b, c] = [a, b, c].map(|i| Vec3::from(corners[i]));
        (b - a).cross(&(c - a)).z / 2.0
    }

    #[test]
    fn convex_polygons_become_fans_from_the_first_corner() {
        let square = points(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
        assert_eq!(split(&square).triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn corners_on_a_straight_side_leave_no_empty_triangle() {
        let corners = [[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.9, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let triangles = split(&points(&corners)).triangles;
        assert!(triangles.iter().all(|t| area(&corners, *t) > 0.01), "{triangles:?}");
        assert!((triangles.iter().map(|t| area(&corners, *t)).sum::<f64>() - 0.95).abs() < 1e-15);
    }

    #[test]
    fn concave_polygons_are_tiled() {
        // An L of area 3, from a corner that does not see all of it.
        let corners = [
            [0.0, 2.0, 0.0],
            [0.0, 0.0, 0.0],
            [2.0, 0.0, 0.0],
            [2.0, 1.0, 0.0],
            [1.0, 1.0, 0.0],
            [1.0, 2.0, 0.0],
        ];
        let found = split(&points(&corners));
        assert!(!found.crosses && found.triangles.len() == 4);
        assert!(found.triangles.iter().all(|t| area(&corners, *t) > 0.0));
        assert!((found.triangles.iter().map(|t| area(&corners, *t)).sum::<f64>() - 3.0).abs() < 1e-15);
    }

    #[test]
    fn the_bend_is_measured() {
        let bent = points(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.04], [0.0, 1.0, 0.0]]);
        let found = split(&bent);
        assert_eq!(found.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert!((found.height - 0.01).abs() < 1e-4, "a quarter of the corner's height: {}", found.height);
    }

    #[test]
    fn outlines_that_cross_themselves_are_told() {
        let star =
            [(0.0, 1.0), (-0.6, -0.8), (0.95, 0.3), (-0.95, 0.3), (0.6, -0.8)].map(|(x, y)| [x, y, 0.0]);
        let bow = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert!(split(&points(&star)).crosses);
        assert!(split(&points(&bow)).crosses);
    }
}

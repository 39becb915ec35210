//! Regions of the x–y plane, and triangles that tile them.

use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use super::ShapeError;
use super::check::{Check, SEGMENTS};
use super::circle::circle;

/// A closed curve in the x–y plane that does not intersect itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Outline {
    /// Straight lines between successive points (m), and from the last to the first; either orientation.
    Polygon(Vec<[f64; 2]>),
    /// A circle.
    Circle {
        /// Its centre (m).
        center: [f64; 2],
        /// Its radius (m).
        radius: f64,
        /// Vertices around, from 3 to 4096.
        segments: u32,
    },
}

impl Outline {
    /// The points (m), counter-clockwise seen from +z.
    pub(super) fn points(&self, check: Check) -> Result<Vec<[f64; 2]>, ShapeError> {
        match self {
            Self::Polygon(points) => {
                let all = points.iter().flatten();
                let bad = all.copied().find(|x| !x.is_finite());
                check.that(bad.is_none(), "points", bad.unwrap_or(0.0), "finite")?;
                check.count("points", points.len() as u32, 3..=65_536)?;
                let mut points = points.clone();
                if area(&points) < 0.0 {
                    points.reverse();
                }
                Ok(points)
            }
            Self::Circle { center: [x, y], radius, segments } => {
                check.positive("radius", *radius)?;
                check.count("segments", *segments, SEGMENTS)?;
                Ok(circle(*segments).into_iter().map(|[c, s]| [x + radius * c, y + radius * s]).collect())
            }
        }
    }
}

/// Half of Σ x_i y_{i+1} − x_{i+1} y_i (m²): positive if `points` run counter-clockwise.
pub(super) fn area(points: &[[f64; 2]]) -> f64 {
    let next = points.iter().cycle().skip(1);
    0.5 * points.iter().zip(next).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum::<f64>()
}

/// Counter-clockwise triangles that tile a polygon of the plane; their corners are indices of its points.
///
/// ```
/// let dart = [[0.0, 0.0], [2.0, -1.0], [1.0, 0.0], [2.0, 1.0]];
/// assert_eq!(rigor_shapes::tile_polygon(&dart)?.len(), 2);
/// # Ok::<(), rigor_shapes::ShapeError>(())
/// ```
///
/// # Errors
/// [`ShapeError`] if the outline intersects itself or runs clockwise, or a coordinate is not finite.
pub fn tile_polygon(points: &[[f64; 2]]) -> Result<Vec<[u32; 3]>, ShapeError> {
    let check = Check("polygon");
    let bad = points.iter().flatten().copied().find(|x| !x.is_finite());
    check.that(bad.is_none(), "points", bad.unwrap_or(0.0), "finite")?;
    check.that(points.len() >= 3 && area(points) > 0.0, "points", area(points), "counter-clockwise")?;
    tile(check, &[points.to_vec()])
}

/// Counter-clockwise triangles that tile the region inside the first loop and outside the others.
///
/// Their corners are indices into the concatenated loops; no vertex is added or left out, so that every edge
/// of a loop is an edge of one triangle. Uses a Delaunay triangulation with the loops as constraints and
/// exact predicates.
///
/// # Errors
/// [`ShapeError`] if loops intersect themselves or each other, or a hole lies outside the first loop.
pub(super) fn tile(check: Check, loops: &[Vec<[f64; 2]>]) -> Result<Vec<[u32; 3]>, ShapeError> {
    let points: Vec<[f64; 2]> = loops.concat();
    let simple =
        |holds, at: usize| check.that(holds, "outline", at as f64, "a point whose edges meet no others");
    let mut plane: ConstrainedDelaunayTriangulation<Point2<f64>> = ConstrainedDelaunayTriangulation::new();
    let mut handles = Vec::with_capacity(points.len());
    for (i, [x, y]) in points.iter().enumerate() {
        let handle = plane.insert(Point2::new(*x, *y));
        simple(handle.as_ref().is_ok_and(|handle| handle.index() == i), i)?;
        handles.extend(handle);
    }
    for (start, i, next) in edges(loops) {
        let [a, b] = [start + i, start + next];
        simple(plane.can_add_constraint(handles[a], handles[b]), a)?;
        plane.add_constraint(handles[a], handles[b]);
        // A constraint through a third point is split there, because that point lies on the line.
        simple(plane.exists_constraint(handles[a], handles[b]), a)?;
    }
    let triangles = plane.inner_faces().map(|face| face.vertices().map(|v| v.index() as u32));
    let tiles: Vec<[u32; 3]> = triangles.filter(|t| is_inside(loops, &centroid(&points, t))).collect();
    // On a disc with h holes, n points make n + 2 (h − 1) triangles.
    let expected = points.len() + 2 * loops.len() - 4;
    let within = loops[1..].iter().all(|hole| is_inside(&loops[..1], &hole[0]));
    check.that(
        within && tiles.len() == expected,
        "holes",
        (loops.len() - 1) as f64,
        "disjoint and inside the outline",
    )?;
    Ok(tiles)
}

/// The edges of all loops: the index of the loop's first point, and the two ends relative to it.
fn edges(loops: &[Vec<[f64; 2]>]) -> impl Iterator<Item = (usize, usize, usize)> {
    let starts = loops.iter().scan(0, |start, points| {
        *start += points.len();
        Some(*start - points.len())
    });
    starts.zip(loops).flat_map(|(start, points)| {
        let n = points.len();
        (0..n).map(move |i| (start, i, (i + 1) % n))
    })
}

fn centroid(points: &[[f64; 2]], triangle: &[u32; 3]) -> [f64; 2] {
    let corners = triangle.map(|v| points[v as usize]);
    [0, 1].map(|k| (corners[0][k] + corners[1][k] + corners[2][k]) / 3.0)
}

/// Whether a ray from `p` to +x meets the loops an odd number of times.
fn is_inside(loops: &[Vec<[f64; 2]>], p: &[f64; 2]) -> bool {
    let crosses = |a: &[f64; 2], b: &[f64; 2]| {
        (a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
    };
    let n_crossings = |points: &Vec<[f64; 2]>| {
        let next = points.iter().cycle().skip(1);
        points.iter().zip(next).filter(|(a, b)| crosses(a, b)).count()
    };
    loops.iter().map(n_crossings).sum::<usize>() % 2 == 1
}

//! The point of a segment that is farthest from a surface.

use rigor_geometry::Aabb;
use rigor_math::Vec3;

use super::cut;
use crate::surface::Surface;

/// Maximum number of points at which the distance is computed. A few dozen suffice but for wildly curved surfaces.
const MAX_POINTS: usize = 1 << 12;
/// A piece is divided no nearer to its ends than this fraction of its length.
const MARGIN: f64 = 0.01;

/// A point of the segment.
#[derive(Clone, Copy)]
struct Place {
    x: Vec3,
    /// Its distance (m) from the surface.
    d: f64,
    /// The nearest primitive.
    nearest: u32,
}

/// Returns a point (m) of the segment with the greatest distance from the surface, up to rounding, among those pieces between
/// crossings of triangles whose middle `counts`; `None` if no middle does.
///
/// Let A be the primitive nearest to one end p of a piece, and B that nearest to the other, q. The distance from A is a convex
/// function along the piece, since A is convex, so it is no more than its chord from d(p) to d_A(q); and likewise for B. No
/// point of the piece is farther from the surface than the lower of both chords. Where that is more than the greatest distance found, the
/// piece is divided where the chords meet, which is the maximum itself between two planes.
pub(crate) fn farthest(ends: &[Vec3; 2], surface: &Surface, counts: impl Fn(&Vec3) -> bool) -> Option<Vec3> {
    if !surface.bounds().overlaps(&Aabb::of_points(ends)) {
        return None;
    }
    let place = |x: Vec3| {
        let (nearest, d_sq) = surface.nearest(&x, f64::INFINITY)?;
        Some(Place { x, d: d_sq.sqrt(), nearest })
    };
    let mut waiting: Vec<[Place; 2]> = Vec::new();
    let mut best: Option<Place> = None;
    let mut raise = |at: Place| {
        let is_farther = best.is_none_or(|best| at.d > best.d);
        best = if is_farther { Some(at) } else { best };
        best.map_or(0.0, |best| best.d)
    };
    let mut most = 0.0;
    for [from, to] in pieces(ends, surface) {
        if counts(&from.lerp(&to, 0.5)) {
            let piece = [place(from)?, place(to)?];
            most = piece.iter().map(|at| raise(*at)).fold(most, f64::max);
            waiting.push(piece);
        }
    }
    let noise = surface.noise(&ends[0]).max(surface.noise(&ends[1]));
    let mut n_points = 0;
    while let Some([p, q]) = waiting.pop() {
        let (bound, t) = bound(&p, &q, surface);
        if bound <= most + noise || n_points >= MAX_POINTS {
            continue;
        }
        n_points += 1;
        let t = if t > MARGIN && t < 1.0 - MARGIN { t } else { 0.5 };
        let middle = place(p.x.lerp(&q.x, t))?;
        most = raise(middle);
        waiting.extend([[p, middle], [middle, q]]);
    }
    best.map(|best| best.x)
}

/// Returns the pieces (m) into which triangles of the surface cut the segment.
fn pieces(ends: &[Vec3; 2], surface: &Surface) -> Vec<[Vec3; 2]> {
    let near = surface.overlapping(&Aabb::of_points(ends)).into_iter();
    let cuts = near.filter_map(|index| cut(ends, &surface.primitive(index)));
    let mut times: Vec<f64> = cuts.chain([0.0, 1.0]).collect();
    times.sort_by(f64::total_cmp);
    let at = |t: f64| ends[0] + (ends[1] - ends[0]) * t;
    times.windows(2).filter(|t| t[0] < t[1]).map(|t| [at(t[0]), at(t[1])]).collect()
}

/// Returns the maximum (m) of the lower of both chords, and where along the piece, from 0 to 1, they meet.
fn bound(p: &Place, q: &Place, surface: &Surface) -> (f64, f64) {
    let to = |of: &Place, at: &Place| surface.primitive(of.nearest).distance_sq(&at.x).sqrt();
    // Each is at least the distance from the nearest primitive there.
    let (of_p, of_q) = (to(p, q), to(q, p));
    let (below, above) = ((of_q - p.d).max(0.0), (of_p - q.d).max(0.0));
    let t = if below + above > 0.0 { below / (below + above) } else { 0.5 };
    (p.d.max(q.d).max(p.d + t * (of_p - p.d)), t)
}

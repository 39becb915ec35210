//! The linking number of two closed curves.

use rigor_geometry::Aabb;
use rigor_geometry::predicates::{Sign, orient_3d};
use rigor_math::Vec3;

/// Maximum number of cones tried.
const MAX_TRIALS: u64 = 16;

/// Returns the linking number of two closed polygons (m) without a common point: the signed number of times
/// that `a` passes through a surface bounded by `b`. `None` if it cannot be determined, for example because
/// they have a common point.
///
/// It is an integer, which no motion changes in which the curves never meet. The surface is the cone over `b`
/// from a point in general position. Exact predicates decide whether an edge of `a` passes through one of its
/// triangles, so the result is exact for the vertices as given.
pub(super) fn linking(a: &[Vec3], b: &[Vec3]) -> Option<i32> {
    // Curves in disjoint boxes are not linked.
    if !Aabb::of_points(a).overlaps(&Aabb::of_points(b)) {
        return Some(0);
    }
    let centre = b.iter().sum::<Vec3>() / b.len() as f64;
    let size = b.iter().map(|p| (p - centre).amax()).fold(0.0, f64::max);
    (0..MAX_TRIALS).find_map(|trial| passes(a, b, &(centre + size * scattered(trial))))
}

/// Returns a vector in general position, with each coordinate in (−½, ½).
fn scattered(trial: u64) -> Vec3 {
    // Multiples of irrational numbers, modulo 1: Weyl's sequence.
    let part = |step: f64| (step * (trial + 1) as f64).fract() - 0.5;
    Vec3::new(part(0.754_877_666_246_692_7), part(0.569_840_290_998_053_2), part(0.618_033_988_749_894_9))
}

/// Returns the signed number of times that `a` passes through the cone over `b` from `apex`; `None` if it
/// meets an edge of the cone.
fn passes(a: &[Vec3], b: &[Vec3], apex: &Vec3) -> Option<i32> {
    let next = |curve: &[Vec3], i: usize| curve[(i + 1) % curve.len()];
    let mut sum = 0;
    for j in 0..b.len() {
        let triangle = [*apex, b[j], next(b, j)];
        let bounds = Aabb::of_points(&triangle);
        for i in 0..a.len() {
            let edge = [a[i], next(a, i)];
            if bounds.overlaps(&Aabb::of_points(&edge)) {
                sum += passage(&edge, &triangle)?;
            }
        }
    }
    Some(sum)
}

/// Returns 1 or −1 if the edge passes through the triangle (apex, q, r), 0 if it does not; `None` if it meets
/// one of its sides.
///
/// A vertex in the plane counts as in front of it, so that a curve that passes through the plane in a vertex
/// counts once.
fn passage([p, s]: &[Vec3; 2], [apex, q, r]: &[Vec3; 3]) -> Option<i32> {
    let is_behind = |point: &Vec3| orient_3d(apex, q, r, point) == Sign::Negative;
    let (was_behind, is_behind) = (is_behind(p), is_behind(s));
    if was_behind == is_behind {
        return Some(0);
    }
    // The line of the edge meets the plane in one point, which is inside if the line passes all sides in the
    // same sense.
    let sides = [orient_3d(p, s, apex, q), orient_3d(p, s, q, r), orient_3d(p, s, r, apex)];
    let has = |sign: Sign| sides.contains(&sign);
    if has(Sign::Positive) && has(Sign::Negative) {
        return Some(0);
    }
    if has(Sign::Zero) {
        return None;
    }
    Some(if was_behind { 1 } else { -1 })
}

#[cfg(test)]
mod tests {
    use rigor_math::elementary;

    use super::*;

    /// A polygon of `n` corners around `centre` in the plane of `u` and `v`.
    fn circle(n: usize, centre: Vec3, u: Vec3, v: Vec3) -> Vec<Vec3> {
        let at = |k: usize| {
            let angle = std::f64::consts::TAU * k as f64 / n as f64;
            let (sin, cos) = elementary::sin_cos(angle);
            centre + u * cos + v * sin
        };
        (0..n).map(at).collect()
    }

    fn square(centre: Vec3, u: Vec3, v: Vec3) -> Vec<Vec3> {
        [u + v, v - u, -u - v, u - v].map(|corner| centre + corner).to_vec()
    }

    #[test]
    fn linked_rings_are_linked_once_and_rings_apart_not() {
        let (x, y, z) = (Vec3::x(), Vec3::y(), Vec3::z());
        let ring = circle(32, Vec3::zeros(), x, y);
        for (shift, expected) in [(0.9, 1), (-0.9, -1), (2.1, 0), (0.0, 0)] {
            let other = circle(17, x * shift, x * 0.5, z * 0.5);
            let number = linking(&ring, &other).unwrap();
            assert_eq!(number.abs(), i32::abs(expected), "{shift}");
            assert_eq!(linking(&other, &ring).unwrap(), number, "{shift}: it is symmetric");
        }
        let opposite = |shift: f64| linking(&ring, &circle(17, x * shift, x * 0.5, z * 0.5)).unwrap();
        assert_eq!(opposite(0.9), -opposite(-0.9));
    }

    #[test]
    fn squares_with_sides_in_common_planes_and_lines_are_no_exception() {
        let (x, y, z) = (Vec3::x(), Vec3::y(), Vec3::z());
        let frame = square(Vec3::zeros(), x, y);
        assert_eq!(linking(&frame, &square(x, x * 0.5, z)).unwrap().abs(), 1);
        assert_eq!(linking(&frame, &square(x, x * 0.5, z * 1.0)).unwrap().abs(), 1);
        // In the same plane; with a corner on the line of a side.
        assert_eq!(linking(&frame, &square(x * 3.0, x, y)), Some(0));
        assert_eq!(linking(&frame, &square(Vec3::zeros(), x * 0.5, y * 0.5)), Some(0));
        assert_eq!(linking(&frame, &square(x * 2.5 + y, x, z)), Some(0));
        // Curves with a common point have no linking number.
        assert_eq!(linking(&frame, &square(x * 2.0, x, z)), None);
    }

    #[test]
    fn a_curve_around_twice_is_linked_twice() {
        let wound: Vec<Vec3> = (0..40)
            .map(|k| {
                let angle = 2.0 * std::f64::consts::TAU * f64::from(k) / 40.0;
                let ((sin, cos), (half_sin, half_cos)) =
                    (elementary::sin_cos(angle), elementary::sin_cos(0.5 * angle));
                let r = 1.0 + 0.3 * half_cos;
                Vec3::new(r * cos, r * sin, 0.3 * half_sin)
            })
            .collect();
        let pole = square(Vec3::new(2.5, 0.0, 0.0), Vec3::x() * 2.5, Vec3::z() * 3.0);
        assert_eq!(linking(&wound, &pole).unwrap().abs(), 2);
    }
}

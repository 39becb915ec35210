//! Another unit of length, for queries whose numbers are so large or small that squares overflow or underflow.
//!
//! All lengths are divided by the same power of two, which changes no time of contact. The quotients are exact, except where
//! they fall below the smallest normal number: by less than 2⁻¹⁰⁷⁴, while the largest is about 1, which is part of what
//! `TINY` covers. d_min is rounded up.

use rigor_math::Vec3;

use crate::{LinearQuery, RigidMotion, RigidQuery};

/// Exponents of the largest length of a query, from which its fourth power may underflow or overflow.
const PLAIN: std::ops::Range<i32> = -200..200;

/// Returns the query in a unit in which its largest length is about 1; `None` if it is plain as it is.
#[cold]
pub(super) fn linear(query: &LinearQuery) -> Option<LinearQuery> {
    let n = query.kind.n_points();
    let factor = factor(query.start[..n].iter().chain(&query.end[..n]), query.d_min)?;
    let scaled =
        |points: &[Vec3; 4]| std::array::from_fn(|i| if i < n { points[i] * factor } else { points[i] });
    let (start, end) = (scaled(&query.start), scaled(&query.end));
    Some(LinearQuery { start, end, d_min: distance(query.d_min, factor), ..*query })
}

/// Same as [`linear`], for rigid bodies.
#[cold]
pub(super) fn rigid(query: &RigidQuery) -> Option<RigidQuery> {
    let n = query.kind.n_points();
    let (a, b) = (&query.motion_a, &query.motion_b);
    let positions = [&a.position_t0, &a.position_t1, &b.position_t0, &b.position_t1];
    let factor = factor(query.points_local[..n].iter().chain(positions), query.d_min)?;
    let motion = |motion: &RigidMotion| RigidMotion {
        position_t0: motion.position_t0 * factor,
        position_t1: motion.position_t1 * factor,
        ..*motion
    };
    let mut points_local = query.points_local;
    points_local[..n].iter_mut().for_each(|x| *x *= factor);
    let d_min = distance(query.d_min, factor);
    Some(RigidQuery { motion_a: motion(a), motion_b: motion(b), points_local, d_min, ..*query })
}

/// Returns the power of two that brings the largest of these lengths to about 1.
fn factor<'a>(vectors: impl Iterator<Item = &'a Vec3>, d_min: f64) -> Option<f64> {
    let largest = vectors.map(Vec3::amax).fold(d_min, f64::max);
    let exponent = (largest.to_bits() >> 52) as i32 - 1023;
    let is_normal = exponent > -1023;
    (is_normal && !PLAIN.contains(&exponent)).then(|| f64::from_bits(((1023 - exponent).max(1) as u64) << 52))
}

/// Returns `d_min` times `factor`, rounded up.
fn distance(d_min: f64, factor: f64) -> f64 {
    let scaled = d_min * factor;
    if d_min > 0.0 && scaled < f64::MIN_POSITIVE { scaled.next_up() } else { scaled }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn query(size: f64, d_min: f64) -> LinearQuery {
        let point = |x: f64| [Vec3::x() * x, Vec3::y() * x, Vec3::repeat(f64::NAN), Vec3::zeros()];
        LinearQuery { kind: Kind::PointPoint, start: point(size), end: point(-0.5 * size), d_min }
    }

    #[test]
    fn the_largest_length_becomes_about_one() {
        for size in [f64::MAX, 1e200, 1e-200, f64::MIN_POSITIVE, 3.0 * f64::MIN_POSITIVE] {
            let scaled = linear(&query(size, 0.0)).unwrap();
            assert!((1.0..=4.0).contains(&scaled.start[0].x.abs()), "{size:e}: {:e}", scaled.start[0].x);
            assert_eq!(scaled.end[1].y, -0.5 * scaled.start[1].y);
        }
        assert_eq!(linear(&query(1.0, 0.0)), None);
        assert_eq!(linear(&query(5e-324, 0.0)), None);
    }

    /// A distance that is lost beside the largest length is still one.
    #[test]
    fn d_min_is_rounded_up() {
        assert_eq!(linear(&query(f64::MAX, f64::MIN_POSITIVE)).unwrap().d_min, 5e-324);
        let halves = f64::MIN_POSITIVE * 1.5;
        let factor = 0.25;
        assert!(distance(halves + 5e-324, factor) / factor >= halves + 5e-324);
        assert_eq!(distance(0.0, factor), 0.0);
        assert_eq!(distance(1e-3, factor), 0.25e-3);
    }
}

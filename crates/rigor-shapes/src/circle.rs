//! Evenly spaced, exactly symmetric points on a circle.

use std::f64::consts::TAU;

use rigor_math::Vec3;
use rigor_math::elementary::sin_cos;

/// (cos, sin) of 2π k/n for k = 0, …, n − 1.
///
/// Guarantee: points that are mirror images of each other in an axis or a diagonal are so bit for bit.
/// Multiples of a quarter turn are exact.
pub(super) fn circle(n: u32) -> Vec<[f64; 2]> {
    (0..n).map(|k| at(k, n)).collect()
}

/// The point at the angle 2π k/n, for any 0 ≤ k ≤ n.
pub(super) fn at(k: u32, n: u32) -> [f64; 2] {
    // 4k = quarter · n + rest: the angle beyond whole quarter turns is (rest/n) · π/2.
    let (quarter, rest) = (4 * k / n, 4 * k % n);
    let beyond_diagonal = 2 * rest > n;
    let eighth = if beyond_diagonal { n - rest } else { rest };
    let (s, c) = if 2 * eighth == n {
        (0.5_f64.sqrt(), 0.5_f64.sqrt())
    } else {
        sin_cos(TAU * f64::from(eighth) / f64::from(4 * n))
    };
    let [c, s] = if beyond_diagonal { [s, c] } else { [c, s] };
    match quarter % 4 {
        0 => [c, s],
        1 => [-s, c],
        2 => [-c, -s],
        _ => [s, -c],
    }
}

/// A horizontal circle about the y axis, counter-clockwise seen from above: (r cos φ, y, −r sin φ).
pub(super) fn ring(radius: f64, y: f64, n: u32) -> Vec<Vec3> {
    circle(n).into_iter().map(|[c, s]| Vec3::new(radius * c, y, -radius * s)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_on_the_circle_and_symmetric() {
        for n in [3, 4, 5, 6, 8, 12, 48, 100, 4096] {
            let points = circle(n);
            for (k, [c, s]) in points.iter().enumerate() {
                let (sin, cos) = sin_cos(TAU * k as f64 / f64::from(n));
                assert!((c - cos).abs() < 1e-15 && (s - sin).abs() < 1e-15, "{k} of {n}");
                let [mc, ms] = points[(n as usize - k) % n as usize];
                assert_eq!((*c, *s), (mc, -ms));
                if n % 4 == 0 {
                    assert_eq!(points[(k + n as usize / 4) % n as usize], [-s, *c]);
                }
            }
        }
    }
}

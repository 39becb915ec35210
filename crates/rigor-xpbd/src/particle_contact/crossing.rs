//! Times at which four moving points become coplanar.

use rigor_math::Vec3;

/// Bisection steps: enough for the last bit of numbers in [0, 1].
const HALVINGS: usize = 60;

/// Returns (p₁ − p₀) × (p₂ − p₀)·(p₃ − p₀): six times the signed volume of the four points (m³).
pub(super) fn volume(p: &[Vec3; 4]) -> f64 {
    (p[1] - p[0]).cross(&(p[2] - p[0])).dot(&(p[3] - p[0]))
}

/// Returns the t in [0, 1], ascending, at which the volume of four points that move straight from `from` to
/// `to` changes its sign.
///
/// The volume is a cubic in t. It is monotone between the zeros of its derivative, so bisection finds every
/// root.
pub(super) fn times(from: &[Vec3; 4], to: &[Vec3; 4]) -> impl Iterator<Item = f64> + use<> {
    let cubic = cubic(from, to);
    let value = move |t: f64| ((cubic[3] * t + cubic[2]) * t + cubic[1]) * t + cubic[0];
    let [low, high] = turning_points(&cubic);
    let bounds = [0.0, low.clamp(0.0, 1.0), high.clamp(0.0, 1.0), 1.0];
    (0..3).filter_map(move |k| {
        let (mut a, mut b) = (bounds[k], bounds[k + 1]);
        let is_negative = value(a) < 0.0;
        if a >= b || (value(b) < 0.0) == is_negative {
            return None;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (a + b);
            if (value(middle) < 0.0) == is_negative {
                a = middle;
            } else {
                b = middle;
            }
        }
        Some(a)
    })
}

/// Returns the coefficients of the volume in t.
fn cubic(from: &[Vec3; 4], to: &[Vec3; 4]) -> [f64; 4] {
    let start = |k: usize| from[k] - from[0];
    let change = |k: usize| (to[k] - to[0]) - start(k);
    let (a, b, c) = (start(1), start(2), start(3));
    let (p, q, r) = (change(1), change(2), change(3));
    let (ab, pq) = (a.cross(&b), p.cross(&q));
    let mixed = a.cross(&q) + p.cross(&b);
    [ab.dot(&c), ab.dot(&r) + mixed.dot(&c), mixed.dot(&r) + pq.dot(&c), pq.dot(&r)]
}

/// Returns the zeros of the derivative, ascending; 0 and 1 if there are none.
fn turning_points(&[_, linear, square, cube]: &[f64; 4]) -> [f64; 2] {
    let (a, b, c) = (3.0 * cube, square, linear);
    let discriminant = b * b - a * c;
    if discriminant < 0.0 {
        return [0.0, 1.0];
    }
    // Roots of a t² + 2 b t + c without cancellation.
    let q = -(b + b.signum() * discriminant.sqrt());
    let (one, two) = (if a == 0.0 { 0.0 } else { q / a }, if q == 0.0 { 0.0 } else { c / q });
    [one.min(two), one.max(two)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_that_falls_through_another_is_seen_once() {
        let from = [[-1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, 1.0]].map(Vec3::from);
        let mut to = from;
        to[0].y = -3.0;
        to[1].y = -3.0;
        let times: Vec<f64> = times(&from, &to).collect();
        assert_eq!(times.len(), 1);
        assert!((times[0] - 0.25).abs() < 1e-15, "{times:?}");
    }

    #[test]
    fn a_triangle_that_turns_over_a_point_passes_it_up_to_three_times() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut most = 0;
        for _ in 0..2000 {
            let [from, to] = [(); 2].map(|()| [(); 4].map(|()| Vec3::from_fn(|_, _| random())));
            let at = |t: f64| [0, 1, 2, 3].map(|k| from[k].lerp(&to[k], t));
            let found: Vec<f64> = times(&from, &to).collect();
            most = most.max(found.len());
            assert!(found.iter().all(|t| volume(&at(*t)).abs() < 1e-12), "{found:?}");
            let changes = (0..1000)
                .map(|k| f64::from(k) / 1000.0)
                .filter(|t| (volume(&at(*t)) < 0.0) != (volume(&at(t + 1e-3)) < 0.0));
            let changes = changes.count();
            assert!(
                found.len() >= changes && (found.len() - changes).is_multiple_of(2),
                "{found:?} {changes}"
            );
        }
        assert_eq!(most, 3);
    }
}

//! Decides whether two points of straight motions, or of bodies that do not turn, coincide, if every
//! operation involved is exact.

use rigor_math::{UnitQuaternion, Vec3};

use super::hint::Hint;
use rigor_ccd::{LinearQuery, RigidMotion, RigidQuery};

/// Returns a b if an f64 represents it exactly.
///
/// The fused operation computes the rounding error itself unless that underflows; such products are refused.
fn product(a: f64, b: f64) -> Option<f64> {
    let product = a * b;
    let is_exact = a.mul_add(b, -product) == 0.0;
    let is_normal = product.abs() > 1e-200 || a == 0.0 || b == 0.0;
    (is_exact && is_normal).then_some(product)
}

/// Returns a + b if an f64 represents it exactly; the error of a sum always is an f64.
fn sum(a: f64, b: f64) -> Option<f64> {
    let sum = a + b;
    let b_back = sum - a;
    let error = (a - (sum - b_back)) + (b - b_back);
    (error == 0.0).then_some(sum)
}

/// Whether Σ wᵢ xᵢ over the points of A equals that over those of B, where xᵢ = (1 − t) xᵢ(0) + t xᵢ(1),
/// wᵢ ≥ 0 and Σ wᵢ = 1 for each of A and B.
pub(super) fn coincide(query: &LinearQuery, hint: &Hint) -> bool {
    (0..3).all(|axis| difference(query, hint, axis) == Some(0.0)) && are_weights(query, hint) == Some(true)
}

fn are_weights(query: &LinearQuery, hint: &Hint) -> Option<bool> {
    let (n_a, n) = (query.kind.sizes().0, query.kind.n_points());
    let total = |weights: &[f64]| weights.iter().try_fold(0.0, |total, &w| sum(total, w));
    let is_inside = hint.weights[..n].iter().all(|&w| w >= 0.0) && (0.0..=1.0).contains(&hint.t);
    Some(is_inside && total(&hint.weights[..n_a])? == 1.0 && total(&hint.weights[n_a..n])? == 1.0)
}

fn difference(query: &LinearQuery, hint: &Hint, axis: usize) -> Option<f64> {
    let (n_a, n) = (query.kind.sizes().0, query.kind.n_points());
    let rest = sum(1.0, -hint.t)?;
    (0..n).try_fold(0.0, |total, i| {
        let x = sum(product(rest, query.start[i][axis])?, product(hint.t, query.end[i][axis])?)?;
        let part = product(hint.weights[i], x)?;
        sum(total, if i < n_a { part } else { -part })
    })
}

/// Returns the same query with straight motions, if no body is rotated and every point is exactly an f64.
pub(super) fn straight(query: &RigidQuery) -> Option<LinearQuery> {
    let is_upright = |motion: &RigidMotion| {
        let is_still = motion.theta_t0 == Vec3::zeros() && motion.theta_t1 == Vec3::zeros();
        is_still && motion.orientation == UnitQuaternion::identity()
    };
    let n_a = query.kind.sizes().0;
    let (mut start, mut end) = ([Vec3::zeros(); 4], [Vec3::zeros(); 4]);
    for i in 0..query.kind.n_points() {
        let motion = if i < n_a { &query.motion_a } else { &query.motion_b };
        is_upright(motion).then_some(())?;
        for axis in 0..3 {
            start[i][axis] = sum(motion.position_t0[axis], query.points_local[i][axis])?;
            end[i][axis] = sum(motion.position_t1[axis], query.points_local[i][axis])?;
        }
    }
    Some(LinearQuery::new(query.kind, start, end, query.d_min))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inexact_operations_are_refused() {
        assert_eq!(product(3.0, 0.5), Some(1.5));
        assert_eq!(product(0.1, 0.1), None);
        assert_eq!(product(1e-300, 1e-300), None);
        assert_eq!(sum(1.0, 0.25), Some(1.25));
        assert_eq!(sum(1.0, 1e-17), None);
        assert_eq!(sum(f64::NAN, 1.0), None);
    }
}

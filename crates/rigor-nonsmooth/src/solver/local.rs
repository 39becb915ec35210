//! One contact with Coulomb friction, solved exactly.

use nalgebra::Matrix2;

use crate::{Mat3, Vec3};

/// Maximum number of steps of the search for the slip ratio.
const STEPS: usize = 100;

/// The impulse r of one contact with velocities u = W r + q under Coulomb's law.
///
/// If q_N ≥ 0 the contact opens, r = 0. It sticks with r = −W⁻¹ q if that is in K. Else it slides: u_N = 0 and u_T = −s r_T with the
/// slip ratio s > 0. Eliminating r_N leaves (A + s) r_T = −b with A = W_TT − W_TN W_NT/W_NN and b = q_T − W_TN q_N/W_NN, and g(s) =
/// ‖r_T‖ − μ r_N = 0. g is positive at s = 0, where the contact does not stick, and −μ r_N < 0 at ∞, so that there is a root.
///
/// Source: the cases are those of \[Jean1999\]; the search for s is ours.
pub(super) fn solve(w: &Mat3, q: &Vec3, mu: f64, now: &Vec3) -> Vec3 {
    if (q.x >= 0.0 && now.x <= 0.0) || w[(0, 0)] <= 0.0 {
        return Vec3::zeros();
    }
    let wn = w[(0, 0)];
    let wt = [w[(0, 1)], w[(0, 2)]];
    let across = [[w[(1, 1)], w[(1, 2)]], [w[(2, 1)], w[(2, 2)]]];
    let a = Matrix2::from_fn(|i, j| 0.5 * (across[i][j] + across[j][i]) - wt[i] * wt[j] / wn);
    let b = [q.y - wt[0] * q.x / wn, q.z - wt[1] * q.x / wn];
    let normal = |y: f64, z: f64| -(q.x + wt[0] * y + wt[1] * z) / wn;
    if mu == 0.0 {
        return Vec3::new(normal(0.0, 0.0).max(0.0), 0.0, 0.0);
    }
    // A = Σ λ e eᵀ.
    let half = 0.5 * (a[(0, 0)] - a[(1, 1)]);
    let mean = 0.5 * (a[(0, 0)] + a[(1, 1)]);
    let spread = (half * half + a[(0, 1)] * a[(0, 1)]).sqrt();
    let lambda = [mean + spread, (mean - spread).max(0.0)];
    let e = if spread > 0.0 {
        let (x, y) = if half >= 0.0 { (half + spread, a[(0, 1)]) } else { (a[(0, 1)], spread - half) };
        let norm = (x * x + y * y).sqrt();
        if norm > 0.0 { [x / norm, y / norm] } else { [1.0, 0.0] }
    } else {
        [1.0, 0.0]
    };
    let beta = [e[0] * b[0] + e[1] * b[1], e[0] * b[1] - e[1] * b[0]];
    // Along the directions e and e⊥.
    let omega = [e[0] * wt[0] + e[1] * wt[1], e[0] * wt[1] - e[1] * wt[0]];
    let at = |s: f64| {
        let part = |k: usize| {
            let stiff = lambda[k] + s;
            if stiff > 0.0 {
                -beta[k] / stiff
            } else if beta[k] == 0.0 {
                0.0
            } else {
                f64::INFINITY
            }
        };
        [part(0), part(1)]
    };
    let point = |t: [f64; 2]| {
        let (y, z) = (e[0] * t[0] - e[1] * t[1], e[1] * t[0] + e[0] * t[1]);
        Vec3::new(normal(y, z), y, z)
    };
    let excess = |t: [f64; 2]| {
        (t[0] * t[0] + t[1] * t[1]).sqrt() + mu * (q.x + omega[0] * t[0] + omega[1] * t[1]) / wn
    };
    let stuck = at(0.0);
    if stuck.iter().all(|t| t.is_finite()) && excess(stuck) <= 0.0 {
        return point(stuck);
    }
    if q.x >= 0.0 {
        return Vec3::zeros();
    }
    let scale = lambda[0].max(wn);
    let (mut low, mut high) = (0.0, scale);
    while excess(at(high)) > 0.0 && high < 1e18 * scale {
        low = high;
        high *= 8.0;
    }
    let slip = {
        let t = [e[0] * now.y + e[1] * now.z, e[0] * now.z - e[1] * now.y];
        let u = [0, 1].map(|k| lambda[k] * t[k] + beta[k]);
        -(u[0] * t[0] + u[1] * t[1]) / (t[0] * t[0] + t[1] * t[1])
    };
    let mut s = if slip > low && slip < high { slip } else { 0.5 * (low + high) };
    for _ in 0..STEPS {
        let t = at(s);
        let g = excess(t);
        if g > 0.0 {
            low = s
        } else {
            high = s
        }
        let rate = [0, 1].map(|k| -t[k] / (lambda[k] + s));
        let norm = (t[0] * t[0] + t[1] * t[1]).sqrt();
        let slope =
            (t[0] * rate[0] + t[1] * rate[1]) / norm + mu * (omega[0] * rate[0] + omega[1] * rate[1]) / wn;
        // Newton's method on 1/‖r_T‖ = 1/(μ r_N), which is nearly linear in s.
        let reach = mu * -(q.x + omega[0] * t[0] + omega[1] * t[1]) / wn;
        let next = if reach > 0.0 && norm > 0.0 {
            let value = 1.0 / norm - 1.0 / reach;
            let norm_rate = (t[0] * rate[0] + t[1] * rate[1]) / norm;
            let reach_rate = norm_rate - slope;
            s - value / (-norm_rate / (norm * norm) + reach_rate / (reach * reach))
        } else {
            f64::NAN
        };
        let next = if next > low && next < high { next } else { 0.5 * (low + high) };
        if (next - s).abs() <= 4.0 * f64::EPSILON * s.abs() || high - low <= 4.0 * f64::EPSILON * high {
            s = next;
            break;
        }
        s = next;
    }
    // On the cone to rounding.
    let r = point(at(s));
    let across = (r.y * r.y + r.z * r.z).sqrt();
    if across > 0.0 && r.x > 0.0 {
        let part = mu * r.x / across;
        Vec3::new(r.x, part * r.y, part * r.z)
    } else {
        r
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Cone, Delassus, Problem};

    proptest! {
        #[test]
        fn the_law_holds_for_one_contact(
            entries in proptest::array::uniform9(-1.0f64..1.0),
            q in proptest::array::uniform3(-2.0f64..2.0),
            mu in prop_oneof![Just(0.0), 0.01f64..3.0],
            rank in 1usize..4,
            size in -3i32..4,
        ) {
            let factor = Mat3::from_column_slice(&entries);
            let factor = Mat3::from_fn(|i, j| if j < rank { factor[(i, j)] } else { 0.0 });
            let w = factor * factor.transpose() * 10f64.powi(size);
            prop_assume!(w[(0, 0)] > 1e-3 * w.trace());
            let q = Vec3::from(q);
            let r = solve(&w, &q, mu, &Vec3::zeros());
            let scale = r.norm() * w.norm() + q.norm();
            let problem =
                Problem::new(Delassus::new(1, vec![(0, 0, w)]), vec![q], vec![Cone::Friction(mu)]).unwrap();
            // In units in which W is 1.
            let u = problem.velocities(&[r])[0];
            let y = r * w.norm();
            let natural = Cone::Friction(mu).project(&(y - crate::law::desaxce(&Cone::Friction(mu), &u)));
            // A rank below three may have no solution beside a very large one.
            prop_assume!(rank == 3 || r.norm() * w.norm() < 1e4 * q.norm());
            prop_assert!((y - natural).norm() <= 1e-9 * scale, "{} {} {}", (y - natural).norm() / scale, r, u);
        }
    }
}

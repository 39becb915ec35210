//! One contact with Coulomb friction, solved exactly.

use crate::{Mat3, Vec3};

/// Maximum number of steps of the search for the slip ratio.
const STEPS: usize = 100;

/// Relative size of a Newton step whose square is rounding.
const QUADRATIC: f64 = 1e-8;

/// Eigenvalue of A over the trace of W up to which it is 0.
const ROUNDING: f64 = 1e-14;

/// A contact with velocities u = W r + q, prepared for many q.
///
/// The impulse r under Coulomb's law: if q_N ≥ 0 the contact opens, r = 0. It sticks with r = −W⁻¹ q if that is in K. Else it slides:
/// u_N = 0 and u_T = −s r_T with the slip ratio s > 0. Eliminating r_N leaves (A + s) r_T = −b with A = W_TT − W_TN W_NT/W_NN and b = q_T −
/// W_TN q_N/W_NN, and g(s) = ‖r_T‖ − μ r_N = 0. g is positive at s = 0, where the contact does not stick, and −μ r_N < 0 at ∞, so that there is
/// a root. Where several impulses obey the law, the kind of the last one is kept.
///
/// Source: the cases are those of \[Jean1999\]; the search for s is ours.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    mu: f64,
    /// W_NN; 0 if the contact cannot be moved along its normal.
    wn: f64,
    /// W_NT.
    wt: [f64; 2],
    /// A = λ₀ e eᵀ + λ₁ e⊥ e⊥ᵀ with e⊥ = (−e₁, e₀).
    e: [f64; 2],
    lambda: [f64; 2],
    /// W_NT along e and e⊥.
    omega: [f64; 2],
}

impl Contact {
    pub fn new(w: &Mat3, mu: f64) -> Self {
        let wn = w[(0, 0)].max(0.0);
        let wt = [w[(0, 1)], w[(0, 2)]];
        let part = if wn > 0.0 { 1.0 / wn } else { 0.0 };
        let entry = |i: usize, j: usize| 0.5 * (w[(i + 1, j + 1)] + w[(j + 1, i + 1)]) - wt[i] * wt[j] * part;
        let (a, b, c) = (entry(0, 0), entry(0, 1), entry(1, 1));
        let (half, mean) = (0.5 * (a - c), 0.5 * (a + c));
        let spread = (half * half + b * b).sqrt();
        let (x, y) = if half >= 0.0 { (half + spread, b) } else { (b, spread - half) };
        let norm = (x * x + y * y).sqrt();
        let e = if norm > 0.0 { [x / norm, y / norm] } else { [1.0, 0.0] };
        let omega = along(&e, wt);
        // What is left of an eigenvalue 0 is rounding.
        let zero = ROUNDING * w.trace().abs();
        let lambda = [mean + spread, mean - spread].map(|x| if x > zero { x } else { 0.0 });
        Self { mu, wn, wt, e, lambda, omega }
    }

    /// The impulse at velocities `q` (m/s) without it; `now` is the last one (N s).
    pub fn solve(&self, q: &Vec3, now: &Vec3) -> Vec3 {
        let (mu, wn) = (self.mu, self.wn);
        if (q.x >= 0.0 && now.x <= 0.0) || wn <= 0.0 {
            return Vec3::zeros();
        }
        if mu == 0.0 {
            return Vec3::new((-q.x / wn).max(0.0), 0.0, 0.0);
        }
        let b = [q.y - self.wt[0] * q.x / wn, q.z - self.wt[1] * q.x / wn];
        let beta = along(&self.e, b);
        let at = |s: f64| {
            let part = |k: usize| {
                let stiff = self.lambda[k] + s;
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
        let normal = |t: [f64; 2]| -(q.x + self.omega[0] * t[0] + self.omega[1] * t[1]) / wn;
        let size = |t: [f64; 2]| (t[0] * t[0] + t[1] * t[1]).sqrt();
        let excess = |t: [f64; 2]| size(t) - mu * normal(t);
        let point = |t: [f64; 2]| {
            let [c, s] = self.e;
            Vec3::new(normal(t), c * t[0] - s * t[1], s * t[0] + c * t[1])
        };
        let stuck = at(0.0);
        if stuck.iter().all(|t| t.is_finite()) && excess(stuck) <= 0.0 {
            return point(stuck);
        }
        if q.x >= 0.0 {
            return Vec3::zeros();
        }
        let t = self.slide(&at, &excess, &normal, beta, now);
        // On the cone to rounding.
        let r = point(t);
        let across = size(t);
        if across > 0.0 && r.x > 0.0 {
            let part = mu * r.x / across;
            Vec3::new(r.x, part * r.y, part * r.z)
        } else {
            r
        }
    }

    /// r_T along e and e⊥ of a contact that slides: Newton's method on 1/‖r_T‖ = 1/(μ r_N), which is nearly linear in s, within a bracket
    /// of the root.
    fn slide(
        &self,
        at: &impl Fn(f64) -> [f64; 2],
        excess: &impl Fn([f64; 2]) -> f64,
        normal: &impl Fn([f64; 2]) -> f64,
        beta: [f64; 2],
        now: &Vec3,
    ) -> [f64; 2] {
        let Self { mu, wn, lambda, omega, .. } = *self;
        let last = along(&self.e, [now.y, now.z]);
        let slip = [0, 1].map(|k| lambda[k] * last[k] + beta[k]);
        let s = -(slip[0] * last[0] + slip[1] * last[1]) / (last[0] * last[0] + last[1] * last[1]);
        let scale = lambda[0].max(wn);
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut s = if s > 0.0 && s < 1e12 * scale { s } else { 0.5 * scale };
        for _ in 0..STEPS {
            let t = at(s);
            if excess(t) > 0.0 {
                low = s;
            } else {
                high = s;
            }
            let size = (t[0] * t[0] + t[1] * t[1]).sqrt();
            let rate = [0, 1].map(|k| -t[k] / (lambda[k] + s));
            let size_rate = (t[0] * rate[0] + t[1] * rate[1]) / size;
            let reach = mu * normal(t);
            let reach_rate = -mu * (omega[0] * rate[0] + omega[1] * rate[1]) / wn;
            let value = 1.0 / size - 1.0 / reach;
            let newton = s - value / (reach_rate / (reach * reach) - size_rate / (size * size));
            let is_inside = reach > 0.0 && newton > low && newton < high;
            let middle = if high.is_finite() { 0.5 * (low + high) } else { 8.0 * s };
            let next = if is_inside { newton } else { middle };
            let is_narrow = high.is_finite() && high - low <= 4.0 * f64::EPSILON * high;
            // The next Newton step would be below rounding.
            let is_done = (is_inside && (next - s).abs() <= QUADRATIC * s) || is_narrow;
            s = next;
            if is_done {
                break;
            }
        }
        at(s)
    }
}

/// The components of `x` along e and e⊥.
fn along(e: &[f64; 2], x: [f64; 2]) -> [f64; 2] {
    [e[0] * x[0] + e[1] * x[1], e[0] * x[1] - e[1] * x[0]]
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
            now in proptest::array::uniform3(-1.0f64..1.0),
            mu in prop_oneof![Just(0.0), 0.01f64..3.0],
            rank in 1usize..4,
            size in -3i32..4,
        ) {
            let factor = Mat3::from_column_slice(&entries);
            let factor = Mat3::from_fn(|i, j| if j < rank { factor[(i, j)] } else { 0.0 });
            let w = factor * factor.transpose() * 10f64.powi(size);
            prop_assume!(w[(0, 0)] > 1e-3 * w.trace());
            let q = Vec3::from(q);
            let r = Contact::new(&w, mu).solve(&q, &Vec3::from(now));
            let scale = r.norm() * w.norm() + q.norm();
            let cone = Cone::Friction(mu);
            let problem = Problem::new(Delassus::new(1, vec![(0, 0, w)]), vec![q], vec![cone]).unwrap();
            // In units in which W is 1.
            let u = problem.velocities(&[r])[0];
            let y = r * w.norm();
            let natural = cone.project(&(y - crate::law::desaxce(&cone, &u)));
            // A rank below three may have no solution beside a very large one.
            prop_assume!(rank == 3 || r.norm() * w.norm() < 1e4 * q.norm());
            prop_assert!((y - natural).norm() <= 1e-9 * scale, "{} {} {}", (y - natural).norm() / scale, r, u);
        }
    }
}

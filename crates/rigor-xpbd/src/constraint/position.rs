//! The positional projection.

use rigor_math::{Mat3, Vec3};

use super::delta_lambda;
use crate::body::SolverBody;

/// Moves a against b along the unit vector `n`, in proportion to their generalised inverse masses, to bring
/// the distance `c` (m) along `n` to 0 up to compliance; returns Δλ (kg m). The impulse acts at `point`, its
/// position before the substep (m, world).
///
/// Source: \[Mueller2020\] §3.2.1: p = Δλ n, Δλ = (−c − α̃ λ)/(w₁ + w₂ + α̃).
pub(crate) fn project(
    a: &mut SolverBody,
    b: &mut SolverBody,
    point: &Vec3,
    n: &Vec3,
    (c, lambda, alpha_tilde): (f64, f64, f64),
) -> f64 {
    let (r_a, r_b) = (a.lever(point), b.lever(point));
    let w = a.generalized_inverse_mass(&r_a, n) + b.generalized_inverse_mass(&r_b, n);
    let delta = delta_lambda(c, lambda, w, alpha_tilde);
    if delta != 0.0 {
        let p = delta * n;
        a.apply_positional(&r_a, &p);
        b.apply_positional(&r_b, &-p);
    }
    delta
}

/// Levers (m, world) at which an impulse acts on two bodies, before the substep and now.
///
/// Impulses use the levers before the substep, to a point shared by both bodies, so that angular momentum is
/// exact; points move with the current levers. If a body has [turned far](SolverBody::turned_far), impulses
/// use the current levers too, as in \[Mueller2020\]: otherwise K would be neither symmetric nor positive,
/// and an impulse meant to pull two points together could push them apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Levers {
    pub a_prev: Vec3,
    pub b_prev: Vec3,
    pub a_now: Vec3,
    pub b_now: Vec3,
}

impl Levers {
    /// Returns the levers to the material point `local` (m) of a.
    pub fn at_point_of_a(a: &SolverBody, b: &SolverBody, local: &Vec3) -> Self {
        let (before, now) = (a.point_prev(local), a.point(local));
        if a.turned_far(&a.pose_prev) || b.turned_far(&b.pose_prev) {
            return Self::now(a, b, &now);
        }
        Self {
            a_prev: a.lever(&before),
            b_prev: b.lever(&before),
            a_now: now - a.pose.position,
            b_now: now - b.pose.position,
        }
    }

    /// Returns the current levers to `point` (m, world).
    pub fn now(a: &SolverBody, b: &SolverBody, point: &Vec3) -> Self {
        let (r_a, r_b) = (point - a.pose.position, point - b.pose.position);
        Self { a_prev: r_a, b_prev: r_b, a_now: r_a, b_now: r_b }
    }

    /// Applies the impulse `p` (N s) to the velocity of a and −p to that of b.
    pub fn push(&self, a: &mut SolverBody, b: &mut SolverBody, p: &Vec3) {
        a.apply_impulse(&self.a_now, p);
        b.apply_impulse(&self.b_now, &-p);
    }

    /// Returns K (1/kg), the motion of a's point against b's per impulse: w_a + w_b − Σ \[r_now\] I⁻¹
    /// \[r_prev\].
    ///
    /// nᵀKn is w₁ + w₂ of \[Mueller2020\] §3.2.1 if both levers agree.
    pub fn mobility(&self, a: &SolverBody, b: &SolverBody) -> Mat3 {
        // [r] M, column by column; M [r] is −([r] Mᵀ)ᵀ for symmetric M.
        let across = |r: &Vec3, m: &Mat3| {
            Mat3::from_columns(&[r.cross(&m.column(0)), r.cross(&m.column(1)), r.cross(&m.column(2))])
        };
        let turning = |now: &Vec3, i: &Mat3, prev: &Vec3| -across(now, &across(prev, i).transpose());
        Mat3::from_diagonal(&(a.w + b.w))
            - turning(&self.a_now, &a.inverse_inertia, &self.a_prev)
            - turning(&self.b_now, &b.inverse_inertia, &self.b_prev)
    }

    /// Applies the positional impulse `p` (kg m) to a and −p to b.
    pub fn apply(&self, a: &mut SolverBody, b: &mut SolverBody, p: &Vec3) {
        a.apply_positional(&self.a_prev, p);
        b.apply_positional(&self.b_prev, &-p);
    }
}

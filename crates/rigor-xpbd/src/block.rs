//! The contacts of two bodies solved together.
//!
//! Gauss–Seidel over single contacts gives the first corner of a resting box nearly all its weight and the last one
//! none, which turns and shifts the box a little at every substep. Here the contacts of a pair form one problem,
//! linear in the motion of the two bodies: find λ ≥ 0 and ‖λ_t‖ ≤ μ λ such that no contact overlaps and none slips that
//! could hold. The pairs follow one another as single contacts did.

use rigor_math::{Mat3, Vec3, skew};

use crate::body::SolverBody;
use crate::broad_phase::Pair;
use crate::contact::Contact;
use crate::project::two;
use crate::velocity::rebound;

/// Sweeps over the contacts of one pair at the most.
const MAX_SWEEPS: usize = 50;

/// Sweeps end when no multiplier changes by more than this part of the largest.
const TOLERANCE: f64 = 1e-7;

/// A contact at the poses around which the problem is linear.
struct Row {
    n: Vec3,
    r_a: Vec3,
    r_b: Vec3,
    /// K (1/kg): the relative motion of the points per impulse, K = Σ w − [r] I⁻¹ [r].
    k: Mat3,
    /// 1/(nᵀ K n) (kg).
    mass_n: f64,
    /// C (m) for positions; v_n less its target (m/s) for velocities.
    c: f64,
    /// Δp (m): motion of a against b since the substep began.
    slip: Vec3,
}

/// The motion of a pair: translations and rotation vectors.
#[derive(Default)]
struct Motion {
    x_a: Vec3,
    theta_a: Vec3,
    x_b: Vec3,
    theta_b: Vec3,
}

impl Motion {
    /// Motion of a's point against b's.
    fn at(&self, row: &Row) -> Vec3 {
        self.x_a + self.theta_a.cross(&row.r_a) - self.x_b - self.theta_b.cross(&row.r_b)
    }

    /// Adds what the impulse `p` on a and −p on b do.
    fn push(&mut self, row: &Row, p: &Vec3, a: &SolverBody, b: &SolverBody) {
        self.x_a += a.w.component_mul(p);
        self.theta_a += a.inverse_inertia * row.r_a.cross(p);
        self.x_b -= b.w.component_mul(p);
        self.theta_b -= b.inverse_inertia * row.r_b.cross(p);
    }
}

/// K = diag(w_a + w_b) − [r_a] I_a⁻¹ [r_a] − [r_b] I_b⁻¹ [r_b] (1/kg): nᵀKn is w₁ + w₂ of [Mueller2020] §3.2.1 for any n.
fn mobility(a: &SolverBody, b: &SolverBody, r_a: &Vec3, r_b: &Vec3) -> Mat3 {
    let turning = |r: &Vec3, inverse_inertia: &Mat3| {
        let r = skew(r);
        r * inverse_inertia * r
    };
    Mat3::from_diagonal(&(a.w + b.w)) - turning(r_a, &a.inverse_inertia) - turning(r_b, &b.inverse_inertia)
}

/// One sweep over all pairs.
///
/// Source: [Mueller2020] §3.4 for the constraints, C = (p_a − p_b)·n ≥ 0 and Δp_t = 0 within the friction cone.
/// Deviations: the contacts of a pair are solved together; multipliers may shrink again down to 0, as complementarity
/// has it; a contact that cannot hold slides under μ_d λ_n at once, which is the impulse μ_d f_n h that the source
/// applies among the velocities.
pub(crate) fn solve_positions(pairs: &mut [Pair], bodies: &mut [SolverBody]) {
    let mut rows = Vec::new();
    for pair in pairs.iter_mut().filter(|p| !p.contacts.is_empty()) {
        let (a, b) = two(bodies, pair.a.0, pair.b.0);
        rows.clear();
        rows.extend(pair.contacts.iter_mut().map(|contact| position_row(contact, a, b)));
        let is_needed = pair.contacts.iter().zip(&rows).any(|(c, row)| row.c < 0.0 || c.lambda_n > 0.0);
        if !is_needed {
            continue;
        }
        let before: Vec<(f64, Vec3)> = pair.contacts.iter().map(|c| (c.lambda_n, c.lambda_t)).collect();
        let mut motion = Motion::default();
        for _ in 0..MAX_SWEEPS {
            let mut change = 0.0_f64;
            let mut largest = 0.0_f64;
            for (contact, row) in pair.contacts.iter_mut().zip(&rows) {
                change = change.max(push_apart(contact, row, &mut motion, a, b));
                change = change.max(hold(contact, row, &mut motion, a, b, pair.friction));
                largest = largest.max(contact.lambda_n);
            }
            if change <= TOLERANCE * largest {
                break;
            }
        }
        for ((contact, row), (lambda_n, lambda_t)) in pair.contacts.iter().zip(&rows).zip(before) {
            let p = (contact.lambda_n - lambda_n) * row.n + (contact.lambda_t - lambda_t);
            a.apply_positional(&row.r_a, &p);
            b.apply_positional(&row.r_b, &-p);
        }
    }
}

fn position_row(contact: &mut Contact, a: &SolverBody, b: &SolverBody) -> Row {
    let n = contact.normal(a, b);
    let (p_a, p_b) = (a.point(&contact.point_a_local), b.point(&contact.point_b_local));
    let c = (p_a - p_b).dot(&n);
    contact.distance = contact.distance.min(c);
    let slip = (p_a - a.point_prev(&contact.point_a_local)) - (p_b - b.point_prev(&contact.point_b_local));
    let point = 0.5 * (p_a + p_b);
    row(a, b, (a.lever(&point), b.lever(&point)), n, c, slip)
}

fn row(a: &SolverBody, b: &SolverBody, (r_a, r_b): (Vec3, Vec3), n: Vec3, c: f64, slip: Vec3) -> Row {
    let k = mobility(a, b, &r_a, &r_b);
    let w = n.dot(&(k * n));
    Row { n, r_a, r_b, k, mass_n: if w > 0.0 { 1.0 / w } else { 0.0 }, c, slip }
}

/// λ_n ← max(λ_n − C/(w₁ + w₂), 0); returns by how much it changed.
fn push_apart(contact: &mut Contact, row: &Row, motion: &mut Motion, a: &SolverBody, b: &SolverBody) -> f64 {
    let c = row.c + motion.at(row).dot(&row.n);
    let lambda_n = (contact.lambda_n - c * row.mass_n).max(0.0);
    let change = lambda_n - contact.lambda_n;
    contact.lambda_n = lambda_n;
    motion.push(row, &(change * row.n), a, b);
    change.abs()
}

/// λ_t ← what undoes the slip, if the cone of μ_s holds it, else that direction cut down to μ_d λ_n.
fn hold(
    contact: &mut Contact,
    row: &Row,
    motion: &mut Motion,
    a: &SolverBody,
    b: &SolverBody,
    friction: rigor_scene::Friction,
) -> f64 {
    if friction.static_ == 0.0 && friction.dynamic == 0.0 {
        return 0.0;
    }
    let slip = row.slip + motion.at(row);
    let slip_t = slip - slip.dot(&row.n) * row.n;
    let slip_sq = slip_t.norm_squared();
    let w = slip_t.dot(&(row.k * slip_t));
    let mut lambda_t = if w > 0.0 { contact.lambda_t - slip_t * (slip_sq / w) } else { contact.lambda_t };
    lambda_t -= lambda_t.dot(&row.n) * row.n;
    let norm = lambda_t.norm();
    if norm > friction.static_ * contact.lambda_n {
        lambda_t *= friction.dynamic * contact.lambda_n / norm;
    }
    let change = lambda_t - contact.lambda_t;
    contact.lambda_t = lambda_t;
    motion.push(row, &change, a, b);
    change.norm()
}

/// One sweep over all pairs: the normal velocity of every contact that pushed becomes max(−e v̄_n, 0).
///
/// Source: [Mueller2020] §3.5. Deviation: the contacts of a pair are solved together.
pub(crate) fn solve_velocities(pairs: &mut [Pair], bodies: &mut [SolverBody], resting_speed: f64) {
    let mut rows = Vec::new();
    for pair in pairs {
        let (a, b) = two(bodies, pair.a.0, pair.b.0);
        rows.clear();
        rows.extend(
            pair.contacts.iter().filter(|c| c.lambda_n > 0.0).map(|contact| {
                velocity_row(contact, a, b, rebound(contact, pair.restitution, resting_speed))
            }),
        );
        let mut motion = Motion::default();
        let mut impulses = vec![0.0; rows.len()];
        for _ in 0..MAX_SWEEPS {
            let (mut change, mut largest) = (0.0_f64, 0.0_f64);
            for (impulse, row) in impulses.iter_mut().zip(&rows) {
                let step = -(row.c + motion.at(row).dot(&row.n)) * row.mass_n;
                *impulse += step;
                motion.push(row, &(step * row.n), a, b);
                change = change.max(step.abs());
                largest = largest.max(impulse.abs());
            }
            if change <= TOLERANCE * largest {
                break;
            }
        }
        for (impulse, row) in impulses.iter().zip(&rows) {
            a.apply_impulse(&row.r_a, &(row.n * *impulse));
            b.apply_impulse(&row.r_b, &(row.n * -impulse));
        }
    }
}

fn velocity_row(contact: &Contact, a: &SolverBody, b: &SolverBody, target: f64) -> Row {
    let n = contact.normal(a, b);
    let point = contact.point(a, b);
    let v = a.velocity_at(&point) - b.velocity_at(&point);
    let levers = (point - a.pose.position, point - b.pose.position);
    row(a, b, levers, n, v.dot(&n) - target, Vec3::zeros())
}

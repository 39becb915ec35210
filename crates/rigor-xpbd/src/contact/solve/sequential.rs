//! Sequential solver: contact and static friction, one contact after another.

use crate::body::SolverBody;
use crate::constraint::position;
use crate::contact::Contact;
use crate::contact::pair::Pair;

/// Solves the contacts of one pair, one after another.
pub(crate) fn solve_pair(pair: &mut Pair, a: &mut SolverBody, b: &mut SolverBody) {
    let mu_s = pair.law.friction.static_;
    for contact in &mut pair.contacts {
        push_apart(contact, a, b);
        hold(contact, a, b, mu_s);
    }
}

/// Enforces C = (p_a − p_b)·n ≥ 0: if the surfaces overlap, applies Δλ = −C/(w₁ + w₂) along n.
///
/// Source: \[Mueller2020\] §3.4 and Δλ of §3.2.1 with α = 0. Deviation: n points from b to a, so that C < 0
/// is penetration and λ_n ≥ 0 pushes (the source has d > 0 and λ < 0). Points and normal are taken at the
/// current poses.
fn push_apart(contact: &mut Contact, a: &mut SolverBody, b: &mut SolverBody) {
    let n = contact.normal(a, b);
    let (p_a, p_b) = (a.point(&contact.point_a_local), b.point(&contact.point_b_local));
    let c = (p_a - p_b).dot(&n);
    contact.distance = contact.distance.min(c);
    if c >= 0.0 || !contact.mobility.yields(&n) {
        return;
    }
    contact.lambda_n += position::project(a, b, &contact.point_prev(a, b), &n, (c, 0.0, 0.0));
}

/// Cancels the tangential motion Δp_t of the contact since the substep began, if λ_t stays below μ_s λ_n.
///
/// Source: \[Mueller2020\] §3.4.
fn hold(contact: &mut Contact, a: &mut SolverBody, b: &mut SolverBody, mu_s: f64) {
    if contact.lambda_n == 0.0 || mu_s == 0.0 {
        return;
    }
    let n = contact.normal(a, b);
    let (p_a, p_b) = (a.point(&contact.point_a_local), b.point(&contact.point_b_local));
    let slip = (p_a - a.point_prev(&contact.point_a_local)) - (p_b - b.point_prev(&contact.point_b_local));
    let slip_t = slip - slip.dot(&n) * n;
    let c = slip_t.norm();
    if c == 0.0 {
        return;
    }
    let t = slip_t / c;
    let point = contact.point_prev(a, b);
    let (r_a, r_b) = (a.lever(&point), b.lever(&point));
    let w = a.generalized_inverse_mass(&r_a, &t) + b.generalized_inverse_mass(&r_b, &t);
    let lambda_t = contact.lambda_t - t * (c / w);
    if lambda_t.norm() < mu_s * contact.lambda_n {
        contact.lambda_t = lambda_t;
        position::project(a, b, &point, &t, (c, 0.0, 0.0));
    }
}

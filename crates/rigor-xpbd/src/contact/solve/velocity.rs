//! Dynamic friction and restitution, one contact after another.

use rigor_scene::Scene;

use super::precedence::{Direction, Precedence};
use crate::body::SolverBody;
use crate::contact::Contact;
use crate::contact::pair::Pair;

/// Returns 2‖g‖h (m/s): contacts that approach no faster are at rest.
///
/// Source: \[Mueller2020\] §3.5.
pub(crate) fn resting_speed(scene: &Scene, h: f64) -> f64 {
    2.0 * scene.gravity.norm() * h
}

/// Sweeps once over the contacts that pushed in this substep: dynamic friction, then restitution.
///
/// Source: \[Mueller2020\] §3.5.
pub(crate) fn solve_velocities(
    precedence: &mut Precedence,
    pairs: &mut [Pair],
    bodies: &mut [SolverBody],
    resting_speed: f64,
    h: f64,
) {
    precedence.run(pairs, bodies, Direction::Ascending, |_, pair, a, b| {
        let restitution = pair.law.restitution;
        let mu_d = pair.law.friction.dynamic;
        let (contacts, taken) = (&mut pair.contacts, &mut pair.budget.taken);
        for contact in contacts.iter_mut().filter(|c| c.lambda_n > 0.0) {
            slow_sliding(contact, a, b, mu_d, h);
            restore((contact, taken), a, b, (restitution, resting_speed, h));
        }
    });
}

/// Applies dynamic friction: Δv = −(v_t/‖v_t‖) min(μ_d f_n h (w₁ + w₂), ‖v_t‖) with f_n = λ_n/h².
///
/// Source: \[Mueller2020\] §3.5. Deviation: the copy bounds the change of *velocity* by μ_d f_n h; that bound
/// applies to the *impulse*, hence the factor w₁ + w₂ (1/kg). Without it heavy bodies stop sooner than light
/// ones.
fn slow_sliding(contact: &mut Contact, a: &mut SolverBody, b: &mut SolverBody, mu_d: f64, h: f64) {
    let n = contact.normal(a, b);
    let point = contact.point(a, b);
    let v = a.velocity_at(&point) - b.velocity_at(&point);
    let v_t = v - v.dot(&n) * n;
    let speed = v_t.norm();
    if speed == 0.0 || mu_d == 0.0 {
        return;
    }
    let t = v_t / speed;
    let (r_a, r_b) = (point - a.pose.position, point - b.pose.position);
    let w = a.generalized_inverse_mass(&r_a, &t) + b.generalized_inverse_mass(&r_b, &t);
    let p = -t * (mu_d * contact.lambda_n / h).min(speed / w);
    contact.friction_impulse += p;
    a.apply_impulse(&r_a, &p);
    b.apply_impulse(&r_b, &-p);
}

/// Applies restitution: Δv = n (−v_n + max(−e v̄_n, 0)).
///
/// Source: \[Mueller2020\] §3.5. Deviations: the total impulse of the contact does not pull, and restitution
/// returns at most the energy that the contacts of the pair have `taken`. An impulse that changes v_n to v′
/// adds ½(v′² − v_n²)/w. Without the limit, the contacts of a box bring v_n to −e v̄_n one after another, and
/// each rotates the box; the next contact finds the box already rotating and adds to what the first returned:
/// up to 36 % more energy than there was.
fn restore(
    (contact, taken): (&mut Contact, &mut f64),
    a: &mut SolverBody,
    b: &mut SolverBody,
    (e, resting_speed, h): (f64, f64, f64),
) {
    let n = contact.normal(a, b);
    if !contact.mobility.yields(&n) {
        return;
    }
    let point = contact.point(a, b);
    let v_n = (a.velocity_at(&point) - b.velocity_at(&point)).dot(&n);
    let (r_a, r_b) = (point - a.pose.position, point - b.pose.position);
    let w = a.generalized_inverse_mass(&r_a, &n) + b.generalized_inverse_mass(&r_b, &n);
    let most = (v_n * v_n + 2.0 * w * taken.max(0.0)).sqrt();
    let target = contact.rebound(e, resting_speed).min(most);
    let p = ((target - v_n) / w).max(-contact.impulses(h).0);
    *taken -= p * (v_n + 0.5 * w * p);
    contact.normal_impulse += p;
    let p = p * n;
    a.apply_impulse(&r_a, &p);
    b.apply_impulse(&r_b, &-p);
}

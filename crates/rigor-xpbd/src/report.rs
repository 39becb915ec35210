//! What a step tells about its contacts.

use rigor_scene::ContactReport;

use crate::body::SolverBody;
use crate::broad_phase::Pair;

/// The smallest separation (m) met in the last substep; infinity without contacts.
pub(crate) fn smallest_distance(pairs: &[Pair]) -> f64 {
    pairs.iter().flat_map(|p| &p.contacts).map(|c| c.distance).fold(f64::INFINITY, f64::min)
}

/// The deepest overlap (m) that is left at the contacts of the last substep.
pub(crate) fn residual(pairs: &[Pair], bodies: &[SolverBody]) -> f64 {
    let overlaps = pairs.iter().flat_map(|pair| {
        let (a, b) = (&bodies[pair.a.0], &bodies[pair.b.0]);
        pair.contacts.iter().map(move |c| -c.separation(a, b))
    });
    overlaps.fold(0.0, f64::max)
}

/// The contacts that pushed in the last substep of length `h` (s).
pub(crate) fn contacts(pairs: &[Pair], bodies: &[SolverBody], h: f64) -> Vec<ContactReport> {
    pairs.iter().flat_map(|pair| of_pair(pair, bodies, h)).collect()
}

/// f_n = λ_n/h², f_t = λ_t/h² + p_t/h.
///
/// Source: [Mueller2020] §3.2.1, §3.5.
fn of_pair<'a>(pair: &'a Pair, bodies: &'a [SolverBody], h: f64) -> impl Iterator<Item = ContactReport> + 'a {
    let (a, b) = (&bodies[pair.a.0], &bodies[pair.b.0]);
    pair.contacts.iter().filter(|c| c.lambda_n > 0.0).map(move |c| {
        let normal_world = c.normal(a, b);
        let point_world = c.point(a, b);
        let slip = a.velocity_at(&point_world) - b.velocity_at(&point_world);
        ContactReport {
            body_a: pair.a,
            body_b: pair.b,
            point_world,
            normal_world,
            distance: c.separation(a, b),
            normal_force: c.lambda_n / (h * h),
            friction_force_world: c.lambda_t / (h * h) + c.friction_impulse / h,
            slip_velocity_world: slip - slip.dot(&normal_world) * normal_world,
            friction: (pair.friction.static_, pair.friction.dynamic),
        }
    })
}

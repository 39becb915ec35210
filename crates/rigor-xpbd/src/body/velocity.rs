//! Velocities from the position solve.

use rigor_math::{Vec3, inertia};
use rigor_scene::Scene;

use super::{SolverBody, for_each};

/// Computes v ← (x − x_prev)/h and ω ← 2 vec(q q_prev⁻¹)/h.
///
/// Source: \[Mueller2020\] Procedure 1. Deviation: the velocities are computed as those before the
/// constraints plus the impulses of the constraints, v ← v + Σp/(m h), L ← L + Σ(r × p)/h, ω = I⁻¹ L. This
/// equals the printed update to first order in h, avoids cancellation, and conserves linear and angular
/// momentum to rounding. A body that the constraints have [turned far](SolverBody::turned_far) gets the
/// printed ω: large rotations do not add up, and impulses that its pose did not follow must not become
/// velocity.
pub(crate) fn update_velocities(scene: &Scene, bodies: &mut [SolverBody], h: f64) {
    for_each(&scene.bodies, bodies, |body, solver| {
        if !body.is_dynamic()
            || solver.rests
            || (solver.impulse == Vec3::zeros() && solver.angular_impulse == Vec3::zeros())
        {
            return;
        }
        solver.linear_velocity += solver.w.component_mul(&solver.impulse) / h;
        let rotation = &solver.free.pose.rotation;
        let momentum = inertia::angular_momentum(&body.inertia, rotation, &solver.free.angular_velocity);
        solver.inverse_inertia = body.inverse_inertia_world(&solver.pose.rotation);
        solver.angular_velocity = if solver.turned_far(&solver.free.pose) {
            let turn = solver.pose.rotation * solver.pose_prev.rotation.inverse();
            turn.imag() * (2.0 * turn.w.signum() / h)
        } else {
            solver.inverse_inertia * (momentum + solver.angular_impulse / h)
        };
    });
}

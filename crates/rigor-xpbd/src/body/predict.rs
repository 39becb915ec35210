//! Prediction: velocities and poses after external forces, before any constraint.

use rigor_math::{Vec3, free_rotation, inertia};
use rigor_scene::{Body, BodyState, Scene};

use crate::body::{SolverBody, for_each, inverse_inertia_world};

/// Integrates one substep without constraints: v ← v + h f/m, x ← x + h v; L ← L + h τ, q ← the free rotation
/// with angular momentum L.
///
/// Source: \[Mueller2020\] Procedure 3. Deviation: the printed ω ← ω + h I⁻¹(τ − ω × Iω), q ← q + ½ h [ω, 0]
/// q loses angular momentum and energy at a rate proportional to h; here L is exact and the energy error is
/// bounded ([`free_rotation`]). Bodies with prescribed motion take their prescribed state at `time` (s).
pub(crate) fn integrate(scene: &Scene, bodies: &mut [SolverBody], h: f64, time: f64) {
    for_each(&scene.bodies, bodies, |body, solver| {
        if solver.rests {
            return;
        }
        solver.pose_prev = solver.pose;
        solver.impulse = Vec3::zeros();
        solver.angular_impulse = Vec3::zeros();
        match body.prescribed(time) {
            Some(state) => set(solver, &state),
            None => predict(body, solver, &scene.gravity, h),
        }
        solver.free = BodyState {
            pose: solver.pose,
            linear_velocity: solver.linear_velocity,
            angular_velocity: solver.angular_velocity,
        };
    });
}

fn set(solver: &mut SolverBody, state: &BodyState) {
    solver.pose = state.pose;
    solver.linear_velocity = state.linear_velocity;
    solver.angular_velocity = state.angular_velocity;
}

fn predict(body: &Body, solver: &mut SolverBody, gravity: &Vec3, h: f64) {
    let free_axes = solver.w.map(|w| if w > 0.0 { 1.0 } else { 0.0 });
    let velocity = solver.linear_velocity + h * (gravity + body.force / body.mass);
    solver.linear_velocity = velocity.component_mul(&free_axes);
    solver.pose.position += h * solver.linear_velocity;
    if body.fixed.rotation == [false; 3] {
        turn_freely(body, solver, h);
    } else {
        turn_about_free_axes(body, solver, h);
    }
    solver.inverse_inertia = inverse_inertia_world(body, &solver.pose.rotation);
}

fn turn_freely(body: &Body, solver: &mut SolverBody, h: f64) {
    let rotation = &solver.pose.rotation;
    let momentum =
        inertia::angular_momentum(&body.inertia, rotation, &solver.angular_velocity) + h * body.torque;
    let (rotation, omega) = free_rotation::step(&solver.pose.rotation, &momentum, &body.inertia, h);
    solver.pose.rotation = rotation;
    solver.angular_velocity = omega;
}

/// Updates ω ← ω + h I_free⁻¹ (τ − ω × Iω) about the free axes, then q ← exp(hω) q.
fn turn_about_free_axes(body: &Body, solver: &mut SolverBody, h: f64) {
    let omega = Vec3::from_fn(|i, _| if body.fixed.rotation[i] { 0.0 } else { solver.angular_velocity[i] });
    let gyroscopic = omega.cross(&(body.inertia_world(&solver.pose) * omega));
    let inverse = inverse_inertia_world(body, &solver.pose.rotation);
    solver.angular_velocity = omega + h * (inverse * (body.torque - gyroscopic));
    solver.pose.rotation =
        rigor_math::rotation_vector::exp(&(h * solver.angular_velocity)) * solver.pose.rotation;
}

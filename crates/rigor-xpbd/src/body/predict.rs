//! Prediction: velocities and poses after external forces, before any constraint.

use rigor_math::driven_rotation::DrivenRotation;
use rigor_math::{Vec3, free_rotation, inertia};
use rigor_scene::{Body, BodyState, Scene};

use crate::body::{SolverBody, for_each};

/// Integrates one substep without constraints: v ← v + h f/m, x ← x + h v; L ← L + h τ, q ← the free rotation
/// with angular momentum L.
///
/// Source: \[Mueller2020\] Procedure 3. Deviation: the printed ω ← ω + h I⁻¹(τ − ω × Iω), q ← q + ½ h [ω, 0]
/// q loses angular momentum and energy at a rate proportional to h; here L is exact and the energy error is
/// bounded, or zero where a body turns by more than 0.1 rad per substep ([`free_rotation`]). Bodies with prescribed motion take their prescribed state at `time` (s).
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

/// Turn per substep (rad) above which a rotation is computed by its closed form: the splitting is unstable from about 1 rad and has
/// an energy error of the order of the square of the turn before.
const FAST: f64 = 0.1;

/// Returns whether a body with angular momentum L may turn by more than [`FAST`] in `h` (s), about any axis and at any later time: no
/// component of ω exceeds √(2E/least moment), 2E = ω·L.
fn is_fast(body: &Body, omega: &Vec3, momentum: &Vec3, h: f64) -> bool {
    h * h * omega.dot(momentum) > FAST * FAST * body.inertia.min()
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
    solver.inverse_inertia = body.inverse_inertia_world(&solver.pose.rotation);
}

fn turn_freely(body: &Body, solver: &mut SolverBody, h: f64) {
    let rotation = &solver.pose.rotation;
    let momentum =
        inertia::angular_momentum(&body.inertia, rotation, &solver.angular_velocity) + h * body.torque;
    let omega = inertia::apply(&body.inertia.map(f64::recip), rotation, &momentum);
    let (rotation, omega) = if is_fast(body, &omega, &momentum, h) {
        let gained = inertia::apply(&body.inertia.map(f64::recip), rotation, &(h * body.torque));
        free_rotation::fly(rotation, &(solver.angular_velocity + gained), &body.inertia, h)
    } else {
        free_rotation::step(rotation, &momentum, &body.inertia, h)
    };
    solver.pose.rotation = rotation;
    solver.angular_velocity = omega;
}

/// Turns a body that some world axes do not let turn, as [`DrivenRotation`]. With one free axis, about which the moment is constant, ω ← ω + h I_free⁻¹ τ is exact but for the
/// order of rotation and torque. With two, P L(t) = P L₀ + t P τ along the free axes is known, since the torques that hold the body act along the fixed one: the orientation takes one step of order
/// four, and ω follows from it. So energy does not depend on ω × Iω, whose explicit step gains h ‖ω‖³ I of it.
fn turn_about_free_axes(body: &Body, solver: &mut SolverBody, h: f64) {
    let omega = Vec3::from_fn(|i, _| if body.fixed.rotation[i] { 0.0 } else { solver.angular_velocity[i] });
    let momentum = body.inertia_world(&solver.pose) * omega;
    let has_two_free = body.fixed.rotation.iter().filter(|is_fixed| !**is_fixed).count() == 2;
    if has_two_free || is_fast(body, &omega, &momentum, h) {
        let q = solver.pose.rotation;
        let law = DrivenRotation::new(body.inertia, body.fixed.rotation, &q, &omega, body.torque);
        if is_fast(body, &omega, &momentum, h) {
            let arrival = law.fly(&q, &omega, h);
            (solver.pose.rotation, solver.angular_velocity) = (arrival.rotation, arrival.angular_velocity);
        } else {
            solver.pose.rotation = law.advance(&q, 0.0, h);
            solver.angular_velocity = law.angular_velocity(&solver.pose.rotation, h);
        }
        return;
    }
    let inverse = body.inverse_inertia_world(&solver.pose.rotation);
    let gyroscopic = omega.cross(&momentum);
    solver.angular_velocity = omega + h * (inverse * (body.torque - gyroscopic));
    solver.pose.rotation =
        rigor_math::rotation_vector::exp(&(h * solver.angular_velocity)) * solver.pose.rotation;
}

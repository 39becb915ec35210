//! No features of two bodies cross unnoticed, and bouncing bodies gain no energy.

mod edges;
mod flush;
mod impacts;
mod links;
mod threads;

use rigor_math::{Vec3, inertia};
use rigor_scene::{Run, Scene, State};

/// Linear momentum (kg m/s) and kinetic energy (J).
fn motion(scene: &Scene, state: &State) -> (Vec3, f64) {
    let mut sum = (Vec3::zeros(), 0.0);
    for (body, s) in scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic()) {
        let spin = inertia::angular_momentum(&body.inertia, &s.pose.rotation, &s.angular_velocity);
        sum.0 += body.mass * s.linear_velocity;
        sum.1 += 0.5 * (body.mass * s.linear_velocity.norm_squared() + s.angular_velocity.dot(&spin));
    }
    sum
}

/// Position (m) of a body in every frame.
fn places(run: &Run, body: usize) -> Vec<Vec3> {
    run.trajectory.frames.iter().map(|frame| frame.bodies[body].pose.position).collect()
}
mod thrown;

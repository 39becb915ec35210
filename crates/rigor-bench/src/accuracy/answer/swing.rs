//! Exact answers for pendula, a spring, and a ladder against a wall.

use rigor_math::{Pose, Vec3, elementary, quaternion};
use rigor_scene::{Body, JointKind, Scene, State};

use crate::accuracy::error::AnswerError;
use crate::accuracy::extrapolation::integrate;
use crate::accuracy::reading::Value;

/// The period of each moving body, released from rest, about its own horizontal axis along z (s).
///
/// T = 4 √(I/(m g d)) K(sin(θ₀/2)), with I about the axis, d the distance of the centre of mass from the axis
/// and θ₀ the initial angle; K by the arithmetic–geometric mean, K(k) = π/(2 M(1, √(1 − k²))).
///
/// Source: \[Landau1976\] §11, problem 1.
///
/// `axes` are points on the axes (m, world), one per moving body.
///
/// # Errors
/// The numbers of points and of moving bodies differ.
pub fn periods(scene: &Scene, axes: &[[f64; 3]]) -> Result<Vec<Value>, AnswerError> {
    let moving: Vec<&Body> = scene.bodies.iter().filter(|body| body.is_dynamic()).collect();
    if moving.len() != axes.len() {
        return Err(AnswerError::Axes { axes: axes.len(), bodies: moving.len() });
    }
    let period = |(body, axis): (&&Body, &[f64; 3])| {
        let mut arm = body.initial.pose.position - Vec3::from(*axis);
        arm.z = 0.0;
        let own = body.inertia_world(&body.initial.pose)[(2, 2)];
        let (d, g) = (arm.norm(), scene.gravity.norm());
        let inertia = own + body.mass * d * d;
        let cosine = arm.dot(&scene.gravity) / (d * g);
        // cos(θ₀/2) = √((1 + cos θ₀)/2) = √(1 − k²)
        let quarter = complete_elliptic((0.5 * (1.0 + cosine)).sqrt());
        Value::Number(4.0 * (inertia / (body.mass * g * d)).sqrt() * quarter)
    };
    Ok(moving.iter().zip(axes).map(period).collect())
}

/// K(k), given the complementary modulus k′ = √(1 − k²).
fn complete_elliptic(complement: f64) -> f64 {
    let (mut a, mut b) = (1.0, complement);
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// The final state of a body on a spring from its centre of mass to the world, released at rest without
/// gravity.
///
/// The length of the spring is L + A cos(t √(k/m)), with L its rest length and A its initial extension.
///
/// # Errors
/// The first joint of the scene is not such a spring.
pub fn spring(scene: &Scene) -> Result<State, AnswerError> {
    let joint = scene.joints.first().ok_or(AnswerError::NoSpring)?;
    let JointKind::Distance { min, max, drive: None } = joint.kind else { return Err(AnswerError::NoSpring) };
    if min < max || joint.compliance <= 0.0 || joint.body_b.is_some() {
        return Err(AnswerError::NoSpring);
    }
    let body = &scene.bodies[joint.body_a.0];
    let arm = body.initial.pose.position - joint.frame_b.position;
    let rate = 1.0 / (joint.compliance * body.mass).sqrt();
    let (s, c) = elementary::sin_cos(rate * scene.time.duration);
    let (stretch, along) = (arm.norm() - max, arm.normalize());
    let mut end = State::initial(scene);
    end.time = scene.time.duration;
    end.bodies[joint.body_a.0].pose.position = joint.frame_b.position + along * (max + stretch * c);
    end.bodies[joint.body_a.0].linear_velocity = along * (-stretch * rate * s);
    Ok(end)
}

/// The final state of a ladder that leans with two edges of one face on the wall x = 0 and the floor y = 0.
///
/// Let θ be its angle from the wall, L the length of that face and w the thickness. The centre of mass is at
/// x = ½ (L sin θ + w cos θ), y = ½ (L cos θ + w sin θ). With A(θ) = m (x′² + y′²) + I, conservation of the
/// energy ½ A θ̇² + m g y gives A θ̈ = −½ A′ θ̇² − m g y′. This holds while the wall pushes, ẍ > 0, which is
/// checked at the end.
///
/// # Errors
/// No body moves, the ladder does not start in this position, or it leaves the wall.
pub fn ladder(scene: &Scene, length: f64, thickness: f64) -> Result<State, AnswerError> {
    let found = scene.bodies.iter().position(Body::is_dynamic).ok_or(AnswerError::NothingMoves)?;
    let body = &scene.bodies[found];
    let start = body.authored_pose(&body.initial.pose);
    // The ladder's own y axis points up along it, towards the wall.
    let up = start.vector(&Vec3::y());
    let theta_0 = elementary::atan2(-up.x, up.y);
    let place = |theta: f64| {
        let (s, c) = elementary::sin_cos(theta);
        0.5 * Vec3::new(length * s + thickness * c, length * c + thickness * s, 0.0)
    };
    let offset = (start.position - place(theta_0)).xy().norm();
    if offset > 1e-3 * length {
        return Err(AnswerError::LadderApart { offset });
    }
    let inertia = body.inertia_world(&body.initial.pose)[(2, 2)];
    let (m, g) = (body.mass, scene.gravity.norm());
    let acceleration = |theta: f64, rate: f64| {
        let (s, c) = elementary::sin_cos(theta);
        let (l, w) = (length, thickness);
        let slope = [0.5 * (l * c - w * s), 0.5 * (w * c - l * s)];
        let a = m * (0.25 * (l * l + w * w) - l * w * s * c) + inertia;
        let a_slope = -m * l * w * (c * c - s * s);
        let theta_ddot = (-0.5 * a_slope * rate * rate - m * g * slope[1]) / a;
        let x_curve = -0.5 * (l * s + w * c);
        (theta_ddot, slope[0] * theta_ddot + x_curve * rate * rate)
    };
    let mut y = [theta_0, 0.0];
    let time = scene.time.duration;
    integrate(|_, y, dy| dy.copy_from_slice(&[y[1], acceleration(y[0], y[1]).0]), &mut y, 0.0, time, 200);
    if acceleration(y[0], y[1]).1 <= 0.0 {
        return Err(AnswerError::LadderLeaves);
    }
    let mut end = State::initial(scene);
    end.time = time;
    let mut position = place(y[0]);
    position.z = start.position.z;
    let rotation = quaternion::from_axis_angle(&Vec3::z_axis(), y[0] - theta_0) * start.rotation;
    end.bodies[found].pose = Pose::new(position, rotation).compose(&body.frame);
    end.bodies[found].angular_velocity = Vec3::z() * y[1];
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::complete_elliptic;

    #[test]
    fn the_quarter_period_is_that_of_the_tables() {
        // K(0) = π/2, K(sin 45°) = Γ(1/4)²/(4 √π) = 1.854074677301372.
        assert!((complete_elliptic(1.0) - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
        assert!((complete_elliptic(0.5_f64.sqrt()) - 1.854_074_677_301_372).abs() < 1e-14);
    }
}

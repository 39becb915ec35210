//! Exact answers for rolling bodies, and for a rack and its wheel.

use rigor_math::{Pose, Vec3, elementary, rotation_vector};
use rigor_scene::{Body, BodyId, BodyState, Scene, State};

use crate::accuracy::error::AnswerError;

/// Index of the body `plane`, and the normal of its upper face: its own y axis.
fn plane_normal(scene: &Scene, plane: &str) -> Result<(usize, Vec3), AnswerError> {
    let index = super::body(scene, plane)?;
    let ground = &scene.bodies[index];
    Ok((index, ground.authored_pose(&ground.initial.pose).vector(&Vec3::y())))
}

/// The body's moment of inertia about a world axis at the start (kg m²).
fn moment(body: &Body, axis: &Vec3) -> f64 {
    axis.dot(&(body.inertia_world(&body.initial.pose) * axis))
}

/// The final state of a round body of radius r that is thrown at speed v along a level floor without spin.
///
/// Friction μ m g slows the body, v(t) = v − μ g t, and turns it, ω(t) = μ m g r t/I, until v(t) = r ω(t) at
/// t₁ = v/(μ g (1 + m r²/I)). From then on it rolls at v/(1 + I/(m r²)), which is 5/7 v for a ball.
///
/// # Errors
/// The body `plane` does not exist.
pub fn slip_to_roll(scene: &Scene, plane: &str, radius: f64) -> Result<State, AnswerError> {
    let (index, normal) = plane_normal(scene, plane)?;
    let mut end = State::initial(scene);
    end.time = scene.time.duration;
    for (i, body) in scene.bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
        let v = body.initial.linear_velocity;
        let axis = normal.cross(&v).normalize();
        let ratio = body.mass * radius * radius / moment(body, &axis);
        let a = scene.friction_between(BodyId(index), BodyId(i)).dynamic * scene.gravity.norm();
        let rolls_at = v.norm() / (a * (1.0 + ratio));
        let slips = rolls_at.min(end.time);
        let (speed, omega) = (v.norm() - a * slips, ratio * a * slips / radius);
        let travel = 0.5 * (v.norm() + speed) * slips + speed * (end.time - slips);
        end.bodies[i].pose.position += v.normalize() * travel;
        end.bodies[i].linear_velocity = v.normalize() * speed;
        end.bodies[i].angular_velocity = axis * omega;
    }
    Ok(end)
}

/// The final state of a round body that rolls from rest down a slope with a = g sin θ/(1 + I/(m r²)).
///
/// Rolling needs the friction m g sin θ/(1 + m r²/I), which must be at most μ m g cos θ.
///
/// # Errors
/// The body `plane` does not exist, or the round body would slip.
pub fn roll_down(scene: &Scene, plane: &str, radius: f64) -> Result<State, AnswerError> {
    let (index, normal) = plane_normal(scene, plane)?;
    let mut end = State::initial(scene);
    let time = scene.time.duration;
    end.time = time;
    let pressure = -scene.gravity.dot(&normal);
    let pull = scene.gravity + normal * pressure;
    for (i, body) in scene.bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
        let axis = normal.cross(&pull).normalize();
        let ratio = moment(body, &axis) / (body.mass * radius * radius);
        let needed = pull.norm() / (1.0 + 1.0 / ratio);
        if needed > scene.friction_between(BodyId(index), BodyId(i)).static_ * pressure {
            return Err(AnswerError::Slips { body: body.name.clone() });
        }
        let a = pull / (1.0 + ratio);
        end.bodies[i].pose.position += a * (0.5 * time * time);
        end.bodies[i].linear_velocity = a * time;
        end.bodies[i].angular_velocity = axis * (a.norm() * time / radius);
    }
    Ok(end)
}

/// The final state of a ball of radius r that rolls without slipping on a level turntable with angular velocity Ω.
///
/// With the velocity of the contact point, v − r ω × n = Ω × (x − x₀), and m v̇ = F, I ω̇ = −r n × F, the velocity turns:
/// (1 + m r²/I) v̇ = Ω × v. The ball goes in a circle, and its spin about n stays.
///
/// # Errors
/// The table does not exist or is moved by forces, or the ball slips at the start.
pub fn roll_on_turntable(scene: &Scene, table: &str, radius: f64) -> Result<State, AnswerError> {
    let index = super::body(scene, table)?;
    let time = scene.time.duration;
    let prescribed = |time: f64| {
        let state = scene.bodies[index].prescribed(time);
        state.ok_or_else(|| AnswerError::NotPrescribed { body: table.to_owned() })
    };
    let (from, to) = (prescribed(0.0)?, prescribed(time)?);
    let n = -scene.gravity.normalize();
    let spin = from.angular_velocity.dot(&n);
    let mut end = State::initial(scene);
    end.time = time;
    end.bodies[index] = to;
    for (i, body) in scene.bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
        let BodyState { pose, linear_velocity: v, angular_velocity: omega } = body.initial;
        let ground = |x: &Vec3| spin * n.cross(&(x - from.pose.position));
        let slip = v - radius * omega.cross(&n) - ground(&pose.position);
        if slip.norm() > 1e-9 * (radius * omega.norm() + v.norm()) {
            return Err(AnswerError::Slips { body: body.name.clone() });
        }
        let moment = moment(body, &n);
        let rate = spin * moment / (moment + body.mass * radius * radius);
        let (sine, cosine) = elementary::sin_cos(rate * time);
        let now = &mut end.bodies[i];
        now.pose.position += (sine * v + (1.0 - cosine) * n.cross(&v)) / rate;
        now.linear_velocity = cosine * v + sine * n.cross(&v);
        let rolls = now.linear_velocity - ground(&now.pose.position);
        now.angular_velocity = n.cross(&rolls) / radius + omega.dot(&n) * n;
    }
    Ok(end)
}

/// The final state of a rack of mass m that falls along a wheel with moment of inertia I and pitch radius r.
///
/// Their accelerations are a = m g/(m + I/r²) and α = a/r: involute teeth transmit motion uniformly.
/// Backlash, which lets the rack fall freely for a moment, is ignored.
///
/// # Errors
/// The rack or the wheel does not exist.
pub fn rack(scene: &Scene, rack: &str, wheel: &str, radius: f64) -> Result<State, AnswerError> {
    let [falls, turns] = [super::body(scene, rack)?, super::body(scene, wheel)?];
    let time = scene.time.duration;
    let mut end = State::initial(scene);
    end.time = time;
    let arm = scene.bodies[falls].initial.pose.position - scene.bodies[turns].initial.pose.position;
    let down = scene.gravity.normalize();
    let axis = arm.cross(&down).normalize();
    let inertia = moment(&scene.bodies[turns], &axis);
    let mass = scene.bodies[falls].mass;
    let a = mass * scene.gravity.norm() / (mass + inertia / (radius * radius));
    end.bodies[falls].pose.position += down * (0.5 * a * time * time);
    end.bodies[falls].linear_velocity = down * (a * time);
    let turn = rotation_vector::exp(&(axis * (0.5 * a * time * time / radius)));
    let pose = end.bodies[turns].pose;
    end.bodies[turns].pose = Pose::new(pose.position, turn * pose.rotation);
    end.bodies[turns].angular_velocity = axis * (a * time / radius);
    Ok(end)
}

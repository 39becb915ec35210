//! A ball whose centre of mass is not its centre, on a level floor with friction.

use rigor_math::{Mat3, Pose, Vec3, rotation_vector};
use rigor_scene::{Body, BodyId, BodyState, Scene, State};

use crate::accuracy::error::AnswerError;

/// Steps of the Runge–Kutta method in the whole time.
const STEPS: u32 = 1 << 16;

/// The final state of balls of radius R, each with its centre at the origin of its authored frame, that stay on the floor `plane`
/// and slip or roll there.
///
/// With the vector ρ from the centre of mass to the centre of the ball, r = ρ − R n to the point of contact, and the force F there,
///
/// ```text
/// m v̇ = m g + F        I ω̇ = r × F − ω × I ω        n·(v̇ + ω̇ × ρ + ω × (ω × ρ)) = 0
/// slipping: F = N (n − μ u/‖u‖), u = v + ω × r        rolling: v̇ + ω̇ × r + ω × (ω × ρ) = 0
/// ```
///
/// It rolls from when the slip u ends, as long as that takes no more friction than μ N. Integrated by the classical
/// Runge–Kutta method in 2¹⁶ steps.
///
/// # Errors
/// The body `plane` does not exist.
pub fn ball_on_floor(scene: &Scene, plane: &str, radius: f64) -> Result<State, AnswerError> {
    let index = super::body(scene, plane)?;
    let mut end = State::initial(scene);
    end.time = scene.time.duration;
    let h = end.time / f64::from(STEPS);
    for (i, body) in scene.bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
        let top = Top {
            body,
            gravity: scene.gravity,
            n: -scene.gravity.normalize(),
            friction: scene.friction_between(BodyId(index), BodyId(i)).dynamic,
            radius,
            center: body.frame.inverse().position,
        };
        let mut now = body.initial;
        let mut rolls = false;
        for _ in 0..STEPS {
            (now, rolls) = top.advanced(&now, rolls, h);
        }
        end.bodies[i] = now;
    }
    Ok(end)
}

/// What does not change.
struct Top<'a> {
    body: &'a Body,
    gravity: Vec3,
    /// Normal of the floor.
    n: Vec3,
    friction: f64,
    radius: f64,
    /// The centre of the ball (m, body's frame).
    center: Vec3,
}

/// Accelerations (m/s², rad/s²), and whether the friction that they take is available.
struct Accelerations {
    linear: Vec3,
    angular: Vec3,
    is_held: bool,
}

impl Top<'_> {
    /// Vector (m) from the centre of mass to the point of contact.
    fn lever(&self, state: &BodyState) -> Vec3 {
        state.pose.vector(&self.center) - self.radius * self.n
    }

    /// Velocity (m/s) of the point of contact along the floor.
    fn slip(&self, state: &BodyState) -> Vec3 {
        let u = state.linear_velocity + state.angular_velocity.cross(&self.lever(state));
        u - u.dot(&self.n) * self.n
    }

    fn accelerations(&self, state: &BodyState, rolls: bool) -> Accelerations {
        let (omega, r) = (state.angular_velocity, self.lever(state));
        let rho = state.pose.vector(&self.center);
        let inertia = self.body.inertia_world(&state.pose);
        let inverse = inertia.try_inverse().unwrap_or_else(Mat3::zeros);
        let gyroscopic = omega.cross(&(inertia * omega));
        // The acceleration of the point of contact without a force there, but for that of its motion through the ball.
        let free = self.gravity - (inverse * gyroscopic).cross(&r) + omega.cross(&omega.cross(&rho));
        let cross = r.cross_matrix();
        let mobility = Mat3::identity() / self.body.mass - cross * inverse * cross;
        let force = if rolls {
            -(mobility.try_inverse().unwrap_or_else(Mat3::zeros) * free)
        } else {
            let slip = self.slip(state);
            let direction = self.n - self.friction * slip.try_normalize(0.0).unwrap_or_default();
            direction * (-self.n.dot(&free) / self.n.dot(&(mobility * direction)))
        };
        let normal = force.dot(&self.n);
        Accelerations {
            linear: self.gravity + force / self.body.mass,
            angular: inverse * (r.cross(&force) - gyroscopic),
            is_held: (force - normal * self.n).norm() <= self.friction * normal,
        }
    }

    /// Returns the state after `h` (s), and whether the ball rolls from there on.
    fn advanced(&self, state: &BodyState, rolls: bool, h: f64) -> (BodyState, bool) {
        let rolls = rolls && self.accelerations(state, true).is_held;
        let mut stage = *state;
        let [mut x, mut turn, mut v, mut omega] = [Vec3::zeros(); 4];
        for (weight, next) in [(1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)] {
            let rates = self.accelerations(&stage, rolls);
            // Rotations are vectors from the start of the step: their rate is ω − ½ φ × ω + φ × (φ × ω)/12 up to fourth order.
            let from_start = rotation_vector::log(&(stage.pose.rotation * state.pose.rotation.inverse()));
            let spin = stage.angular_velocity;
            let of_turn =
                spin - 0.5 * from_start.cross(&spin) + from_start.cross(&from_start.cross(&spin)) / 12.0;
            x += weight / 6.0 * stage.linear_velocity;
            turn += weight / 6.0 * of_turn;
            v += weight / 6.0 * rates.linear;
            omega += weight / 6.0 * rates.angular;
            stage =
                self.moved(state, next * h, &[stage.linear_velocity, of_turn, rates.linear, rates.angular]);
        }
        let next = self.moved(state, h, &[x, turn, v, omega]);
        if rolls {
            return (next, true);
        }
        // Friction opposes the slip until it ends.
        let (before, after) = (self.slip(state), self.slip(&next));
        if before.dot(&after) > 0.0 || !self.accelerations(&next, true).is_held {
            return (next, false);
        }
        (BodyState { linear_velocity: next.linear_velocity - after, ..next }, true)
    }

    /// Returns `state` moved for `h` (s) at the rates of position, turn, velocity and angular velocity.
    fn moved(&self, state: &BodyState, h: f64, [x, turn, v, omega]: &[Vec3; 4]) -> BodyState {
        BodyState {
            pose: Pose::new(
                state.pose.position + h * x,
                rotation_vector::exp(&(h * turn)) * state.pose.rotation,
            ),
            linear_velocity: state.linear_velocity + h * v,
            angular_velocity: state.angular_velocity + h * omega,
        }
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::elementary;

    use super::*;
    use crate::accuracy::scene::load_scene;

    /// Jellett's constant L·r is kept by any force at the point of contact; slip and energy fall until the top rolls.
    #[test]
    fn a_top_keeps_jelletts_constant_and_ends_in_rolling() {
        let scene = load_scene("tippe-top", &[]).expect("a scene of the program").scene;
        let (plane, radius) = ("floor", 0.02);
        let end = ball_on_floor(&scene, plane, radius).expect("it has a floor");
        let body = &scene.bodies[1];
        let lever = |at: &BodyState| at.pose.vector(&body.frame.inverse().position) - radius * Vec3::y();
        let jellett = |at: &BodyState| (body.inertia_world(&at.pose) * at.angular_velocity).dot(&lever(at));
        let (before, after) = (&body.initial, &end.bodies[1]);
        let drift = (jellett(after) - jellett(before)).abs() / jellett(before).abs();
        assert!(drift < 1e-9, "{drift:e}");
        let slip = |at: &BodyState| (at.linear_velocity + at.angular_velocity.cross(&lever(at))).norm();
        assert!(slip(before) > 0.1 && slip(after) < 1e-6, "{} {}", slip(before), slip(after));
        let tilt = |at: &BodyState| elementary::acos(body.authored_pose(&at.pose).vector(&Vec3::y()).y);
        assert!((tilt(after).to_degrees() - 5.39).abs() < 0.02, "{}", tilt(after).to_degrees());
        let (kinetic, potential) = rigor_scene::energy::of_state(&scene, &end);
        let (k, p) = rigor_scene::energy::of_state(&scene, &State::initial(&scene));
        assert!(kinetic + potential < k + p);
    }
}

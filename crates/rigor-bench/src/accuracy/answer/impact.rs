//! Exact answers for impacts.

use rigor_math::Vec3;
use rigor_scene::{BodyId, Scene, State};

use crate::accuracy::error::AnswerError;
use crate::accuracy::reading::Value;

/// The maximum height of the centre of the moving body after its first rebound (m).
///
/// The lowest point of the body, `below` its centre, falls the height h to the floor at `level` and rises to
/// e² h.
///
/// # Errors
/// The floor does not exist, or no body moves.
pub fn bounce(scene: &Scene, plane: &str, level: f64, below: f64) -> Result<Vec<Value>, AnswerError> {
    let floor = super::body(scene, plane)?;
    let falls = |(_, body): &(usize, &rigor_scene::Body)| body.is_dynamic();
    let (i, ball) = scene.bodies.iter().enumerate().find(falls).ok_or(AnswerError::NothingMoves)?;
    let e = scene.restitution_between(BodyId(floor), BodyId(i));
    let h = ball.initial.pose.position.y - below - level;
    Ok(vec![Value::Number(level + below + e * e * h)])
}

/// The velocities after all impacts in a row of equal bodies: the initial ones in reverse order.
///
/// Two equal bodies that collide with e = 1 exchange their velocities.
pub fn cradle(scene: &Scene) -> State {
    let mut end = State::initial(scene);
    end.time = scene.time.duration;
    let moving: Vec<usize> = (0..scene.bodies.len()).filter(|&i| scene.bodies[i].is_dynamic()).collect();
    for (&to, &from) in moving.iter().zip(moving.iter().rev()) {
        end.bodies[to].linear_velocity = scene.bodies[from].initial.linear_velocity;
    }
    end
}

/// The velocities after a round body has hit a wall obliquely, without gravity.
///
/// With the unit normal n and the approach speed u = −v·n, the impulses are m (1 + e) u along n and μ m (1 +
/// e) u against the slip; the moment of the latter about the centre is r × impulse. The point of contact
/// slips throughout if its initial tangential speed exceeds (1/m + r²/I) times the tangential impulse, which
/// is checked.
///
/// # Errors
/// The wall does not exist, or a body stops slipping.
pub fn oblique(scene: &Scene, plane: &str, radius: f64) -> Result<State, AnswerError> {
    let index = super::body(scene, plane)?;
    let wall = &scene.bodies[index];
    let n = wall.authored_pose(&wall.initial.pose).vector(&Vec3::y());
    let mut end = State::initial(scene);
    end.time = scene.time.duration;
    for (i, body) in scene.bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
        let (v, w) = (body.initial.linear_velocity, body.initial.angular_velocity);
        let arm = n * -radius;
        let approach = -v.dot(&n);
        let at = v + w.cross(&arm);
        let slip = at - n * at.dot(&n);
        let e = scene.restitution_between(BodyId(index), BodyId(i));
        let mu = scene.friction_between(BodyId(index), BodyId(i)).dynamic;
        let push = body.mass * (1.0 + e) * approach;
        let drag = slip.normalize() * (-mu * push);
        // The body is round: its principal moments of inertia are equal.
        let moment = body.inertia.mean();
        if slip.norm() <= mu * push * (1.0 / body.mass + radius * radius / moment) {
            return Err(AnswerError::Sticks { body: body.name.clone() });
        }
        end.bodies[i].linear_velocity = v + (n * push + drag) / body.mass;
        end.bodies[i].angular_velocity = w + arm.cross(&drag) / moment;
    }
    Ok(end)
}

/// The velocities after bodies have met head-on with e = 0, without gravity: Σ mᵢ vᵢ/Σ mᵢ.
pub fn head_on(scene: &Scene) -> State {
    let moving = || scene.bodies.iter().filter(|body| body.is_dynamic());
    let momentum: Vec3 = moving().map(|body| body.initial.linear_velocity * body.mass).sum();
    let common = momentum / moving().map(|body| body.mass).sum::<f64>();
    let mut end = State::initial(scene);
    end.time = scene.time.duration;
    for (state, _) in end.bodies.iter_mut().zip(&scene.bodies).filter(|(_, body)| body.is_dynamic()) {
        state.linear_velocity = common;
    }
    end
}

/// The velocities of a rod after it has met the edge of a fixed post with e = 0, without friction and gravity.
///
/// The rod turns at ω₀ about its centre, which rests, until its face meets the edge at the distance s₀ from the
/// centre along the rod. It then slides along the edge, with its face on it, until the edge passes its end, at s =
/// ½ ℓ. With a half its thickness, k² = I/m, ω its angular velocity and p the velocity of its centre along the rod,
/// the velocity of the rod's point at the edge is along the rod, so that that of the centre has the component −s ω
/// across it. The force goes through the edge and does no work, so that
///
/// ```text
/// (k² + s²) ω + a p  = k² ω₀                       (angular momentum about the edge)
/// (k² + s²) ω² + p²  = (k² + s₀²) ω₁²,   ω₁ = k² ω₀/(k² + s₀²)
/// ```
///
/// where the right side of the second is what the impact leaves, which has no component along the rod. At s = ½ ℓ
/// the solution with p ≤ 0 moves away from the post.
///
/// # Errors
/// The rod does not exist.
pub fn rod_and_post(
    scene: &Scene,
    rod: &str,
    length: f64,
    thickness: f64,
    edge: Vec3,
) -> Result<State, AnswerError> {
    let index = super::body(scene, rod)?;
    let body = &scene.bodies[index];
    let initial = &body.initial;
    let a = 0.5 * thickness;
    let arm = edge - initial.pose.position;
    let met = arm.x * arm.x + arm.y * arm.y - a * a;
    let k = body.inertia_world(&initial.pose)[(2, 2)] / body.mass;
    let momentum = k * initial.angular_velocity.z;
    let left = k + 0.25 * length * length;
    // (1 + a²/l) p² − 2 a h p/l + h²/l − h²/(k² + s₀²) = 0, with l = k² + ¼ ℓ² and h = k² ω₀.
    let (first, half) = (1.0 + a * a / left, -a * momentum / left);
    let last = momentum * momentum * (1.0 / left - 1.0 / (k + met));
    let along = -(half + (half * half - first * last).sqrt()) / first;
    let spin = (momentum - a * along) / left;
    let mut end = State::initial(scene);
    end.time = scene.time.duration;
    end.bodies[index].angular_velocity = Vec3::new(0.0, 0.0, spin);
    Ok(end)
}

//! Coulomb friction of blocks, turntables and grips.

use rigor_math::Vec3;
use rigor_scene::{BodyId, Scene, State};

use crate::accuracy::error::AnswerError;
use crate::accuracy::extrapolation::integrate;
use crate::accuracy::reading::Value;

/// The final state of all moving blocks on the body `plane`; the normal n of the plane is that body's own y
/// axis.
///
/// With gravity g the normal force is N = −m g·n. Along the plane, a block with velocity v has the
/// acceleration g_t − μ |g·n| v/‖v‖. A block that has stopped stays if ‖g_t‖ ≤ μ_s |g·n|. If v and g_t are
/// parallel, the answer is a formula; otherwise the motion is integrated until converged, and the block must
/// not come to rest.
///
/// # Errors
/// The body does not exist.
pub fn block(scene: &Scene, plane: &str) -> Result<State, AnswerError> {
    let index = super::body(scene, plane)?;
    let ground = &scene.bodies[index];
    let normal = ground.authored_pose(&ground.initial.pose).vector(&Vec3::y());
    let pressure = -scene.gravity.dot(&normal);
    let pull = scene.gravity + normal * pressure;
    let mut end = State::initial(scene);
    end.time = scene.time.duration;
    for (i, body) in scene.bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
        let mu = scene.friction_between(BodyId(index), BodyId(i));
        let start = body.initial.linear_velocity;
        let drag = mu.dynamic * pressure;
        let (travel, velocity) = if start.cross(&pull).norm() > 1e-9 * start.norm() * pull.norm() {
            curve(start, pull, drag, end.time)
        } else {
            let line = if start.norm() > 0.0 { start } else { pull };
            let line = if line.norm() > 0.0 { line.normalize() } else { Vec3::x() };
            let hold = mu.static_ * pressure;
            let (travel, speed) = slide(start.dot(&line), pull.dot(&line), [hold, drag], end.time);
            (line * travel, line * speed)
        };
        end.bodies[i].pose.position += travel;
        end.bodies[i].linear_velocity = velocity;
    }
    Ok(end)
}

/// Displacement and velocity after `time` of a block with initial velocity `v`, under the pull `g` along the
/// plane and the friction `drag` (both per mass).
fn curve(v: Vec3, g: Vec3, drag: f64, time: f64) -> (Vec3, Vec3) {
    let mut y = [0.0, 0.0, 0.0, v.x, v.y, v.z];
    let rate = |_: f64, y: &[f64], dy: &mut [f64]| {
        let v = Vec3::new(y[3], y[4], y[5]);
        dy[..3].copy_from_slice(v.as_slice());
        dy[3..].copy_from_slice((g - v.normalize() * drag).as_slice());
    };
    integrate(rate, &mut y, 0.0, time, 400);
    (Vec3::new(y[0], y[1], y[2]), Vec3::new(y[3], y[4], y[5]))
}

/// Displacement and velocity after `time` along a line, from velocity `v` ≥ 0, under the pull `g` along the
/// line.
///
/// Friction is at most `hold` at rest and `drag` in motion (all per mass).
fn slide(v: f64, g: f64, [hold, drag]: [f64; 2], time: f64) -> (f64, f64) {
    if v == 0.0 && g.abs() <= hold {
        return (0.0, 0.0);
    }
    let sign = if v > 0.0 { 1.0 } else { g.signum() };
    let a = g - sign * drag;
    let stop = if a * v < 0.0 { -v / a } else { f64::INFINITY };
    if stop >= time {
        return (v * time + 0.5 * a * time * time, v + a * time);
    }
    let (further, speed) = slide(0.0, g, [hold, drag], time - stop);
    (v * stop + 0.5 * a * stop * stop + further, speed)
}

/// The final state of small bodies on a level turntable.
///
/// A body that moves with the table keeps its place if friction can supply the force m ω² r, that is if
/// ω² r ≤ μ_s g. A body that slips has the acceleration −μ g (v − ω × r)/‖v − ω × r‖, integrated until
/// converged; it must not come to rest on the table.
///
/// # Errors
/// The table does not exist or is moved by forces, or a body that rests on it would start to slip.
pub fn turntable(scene: &Scene, table: &str) -> Result<State, AnswerError> {
    let index = super::body(scene, table)?;
    let turn = |time: f64| {
        let state = scene.bodies[index].prescribed(time);
        state.ok_or_else(|| AnswerError::NotPrescribed { body: table.to_owned() })
    };
    let (from, to) = (turn(0.0)?, turn(scene.time.duration)?);
    let mut end = State::initial(scene);
    end.time = scene.time.duration;
    end.bodies[index] = to;
    for (i, body) in scene.bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
        let friction = scene.friction_between(BodyId(index), BodyId(i));
        let (mu, start) = (friction.static_, body.initial.pose.position);
        if (body.initial.linear_velocity - from.velocity_at(&start)).norm() > 1e-9 {
            let drag = friction.dynamic * scene.gravity.norm();
            let arm = start - from.pose.position;
            let v = body.initial.linear_velocity;
            let (travel, velocity) = spiral(arm, v, &from.angular_velocity, drag, end.time);
            end.bodies[i].pose.position += travel;
            end.bodies[i].linear_velocity = velocity;
            continue;
        }
        let omega = from.angular_velocity.norm();
        let arm = body.initial.pose.position - from.pose.position;
        let radius = (arm - scene.gravity.normalize() * arm.dot(&scene.gravity.normalize())).norm();
        if omega * omega * radius > mu * scene.gravity.norm() {
            return Err(AnswerError::Slips { body: body.name.clone() });
        }
        let carried = to.pose.compose(&from.pose.inverse());
        let position = carried.point(&body.initial.pose.position);
        end.bodies[i].pose.position = position;
        end.bodies[i].pose.rotation = carried.rotation * body.initial.pose.rotation;
        end.bodies[i].linear_velocity = to.velocity_at(&position);
        end.bodies[i].angular_velocity = to.angular_velocity;
    }
    Ok(end)
}

/// Returns displacement and velocity after `time` of a small body that slips on a turntable.
///
/// The body starts at `arm` (m) from the axis with velocity `v`. The table turns with `omega`; the friction
/// `drag` is per mass.
fn spiral(arm: Vec3, v: Vec3, omega: &Vec3, drag: f64, time: f64) -> (Vec3, Vec3) {
    let mut y = [arm.x, arm.y, arm.z, v.x, v.y, v.z];
    let rate = |_: f64, y: &[f64], dy: &mut [f64]| {
        let (r, v) = (Vec3::new(y[0], y[1], y[2]), Vec3::new(y[3], y[4], y[5]));
        dy[..3].copy_from_slice(v.as_slice());
        dy[3..].copy_from_slice((-(v - omega.cross(&r)).normalize() * drag).as_slice());
    };
    integrate(rate, &mut y, 0.0, time, 400);
    (Vec3::new(y[0], y[1], y[2]) - arm, Vec3::new(y[3], y[4], y[5]))
}

/// The rise of a gripped body (m): the distance that the body `by` moves beyond the play, or 0 if the grip
/// slips.
///
/// # Errors
/// The body `by` does not exist, or forces move it.
pub fn grip(scene: &Scene, by: &str, play: f64, holds: bool) -> Result<Vec<Value>, AnswerError> {
    let puller = &scene.bodies[super::body(scene, by)?];
    let is_free = || AnswerError::NotPrescribed { body: by.to_owned() };
    let end = puller.prescribed(scene.time.duration).ok_or_else(is_free)?;
    let moved = (end.pose.position - puller.initial.pose.position).norm();
    Ok(vec![Value::Number(if holds { (moved - play).max(0.0) } else { 0.0 })])
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;

    use super::{curve, slide, spiral};

    #[test]
    fn friction_takes_drag_times_the_length_of_the_path() {
        // The energy ½ v² − g·x decreases by drag × length; the length is summed over a finely sampled path.
        let (v, g, drag) = (Vec3::new(0.0, 0.0, 2.0), Vec3::new(4.0, 0.0, 0.0), 2.5);
        let at = |k: i32| curve(v, g, drag, 1e-3 * f64::from(k)).0;
        let length: f64 = (1..1000).map(|k| (at(k + 1) - at(k)).norm()).sum::<f64>() + at(1).norm();
        let (travel, end) = curve(v, g, drag, 1.0);
        let lost = 0.5 * (v.norm_squared() - end.norm_squared()) + g.dot(&travel);
        assert!((lost - drag * length).abs() < 1e-5, "{lost} {}", drag * length);
    }

    #[test]
    fn a_table_at_rest_stops_a_body_and_a_turning_one_does_work_on_it() {
        let (arm, v) = (Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.0, 0.0, 2.0));
        let (travel, end) = spiral(arm, v, &Vec3::zeros(), 0.5, 1.0);
        let (straight, speed) = slide(2.0, 0.0, [0.5, 0.5], 1.0);
        assert!((travel.z - straight).abs() < 1e-11 && (end.z - speed).abs() < 1e-11);
        // Relative to the table, friction is opposite to the motion, and the centrifugal force has the
        // potential −½ ω² r²: the energy ½ u² − ½ ω² r² decreases by drag times the length of the path on the
        // table.
        let (omega, drag) = (Vec3::new(0.0, 1.5, 0.0), 0.4);
        let slip = |r: Vec3, v: Vec3| v - omega.cross(&r);
        let energy = |r: Vec3, v: Vec3| 0.5 * slip(r, v).norm_squared() - 0.5 * 1.5 * 1.5 * r.norm_squared();
        let n = 2000;
        let at = |k: i32| {
            let (travel, v) = spiral(arm, Vec3::zeros(), &omega, drag, f64::from(k) / f64::from(n));
            (arm + travel, v)
        };
        let speeds: Vec<f64> = (1..n).map(at).map(|(r, v)| slip(r, v).norm()).collect();
        let ends = [slip(arm, Vec3::zeros()).norm(), slip(at(n).0, at(n).1).norm()];
        let length = (speeds.iter().sum::<f64>() + 0.5 * (ends[0] + ends[1])) / f64::from(n);
        let lost = energy(arm, Vec3::zeros()) - energy(at(n).0, at(n).1);
        assert!((lost - drag * length).abs() < 1e-6, "{lost} {}", drag * length);
    }

    #[test]
    fn work_of_friction_is_the_energy_lost() {
        for (v, g, drag, time) in [(10.0, 0.0, 0.5, 0.25), (2.0, -1.0, 4.0, 0.3), (1.0, 3.0, 1.0, 2.0)] {
            let (travel, speed) = slide(v, g, [drag, drag], time);
            let lost = 0.5 * (v * v - speed * speed);
            assert!((lost - (drag - g) * travel).abs() < 1e-12, "{v} {g} {drag}");
        }
    }

    #[test]
    fn a_block_that_stops_stays_unless_the_slope_is_too_steep() {
        let (travel, speed) = slide(2.0, 0.0, [5.0, 5.0], 10.0);
        assert!((travel - 0.4).abs() < 1e-12 && speed == 0.0);
        // Up a steep slope, at rest after ¼ s, then down again with 4 − 2 m/s².
        let (travel, speed) = slide(1.5, -4.0, [2.0, 2.0], 1.25);
        assert!((travel - (0.1875 - 1.0)).abs() < 1e-12 && (speed + 2.0).abs() < 1e-12, "{travel} {speed}");
        assert_eq!(slide(0.0, 1.0, [2.0, 2.0], 1.0), (0.0, 0.0));
    }
}

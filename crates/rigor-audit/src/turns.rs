//! The turns of joints, counted over whole turns from frame to frame.

use rigor_scene::joint::unwrapped;
use rigor_scene::{BodyState, Joint, JointFrames, Scene, State};

/// The turn of each joint in the frames seen so far.
///
/// Between two frames a turn changes by its mean rate times the time, up to half a turn: faster rotations are counted too, as
/// long as their rate is steady.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turns {
    /// Per joint its turn (rad) and the rate (rad/s) of it.
    last: Vec<[f64; 2]>,
    time: f64,
}

impl Turns {
    /// Counts the turns in the next frame.
    pub fn follow(&mut self, scene: &Scene, state: &State) {
        let dt = state.time - self.time;
        let is_first = self.last.len() != scene.joints.len();
        if is_first {
            self.last.clear();
            self.last.resize(scene.joints.len(), [0.0; 2]);
        }
        for (joint, last) in scene.joints.iter().zip(&mut self.last) {
            let (seen, rate) = seen(joint, state);
            let turn = if is_first {
                joint.kind.turn_range().start(seen)
            } else {
                unwrapped(seen, last[0] + 0.5 * dt * (last[1] + rate))
            };
            *last = [turn, rate];
        }
        self.time = state.time;
    }

    /// Returns the turn (rad) of joint `i` in the last frame.
    pub fn of(&self, i: usize) -> f64 {
        self.last[i][0]
    }
}

/// Returns the turn of a joint in (−π, π], and its rate.
fn seen(joint: &Joint, state: &State) -> (f64, f64) {
    let frames = JointFrames::of(joint, |body| state.bodies[body.0].pose);
    let omega = |body: rigor_scene::BodyId| {
        let BodyState { angular_velocity, .. } = &state.bodies[body.0];
        *angular_velocity
    };
    let relative = omega(joint.body_a) - joint.body_b.map_or_else(Default::default, omega);
    (frames.turn(), frames.turn_gradient().map_or(0.0, |g| g.dot(&relative)))
}

#[cfg(test)]
mod tests {
    use rigor_math::{Pose, Vec3, rotation_vector};
    use rigor_scene::{BodyId, JointKind};

    use super::*;
    use crate::testing::{cube, scene};

    #[test]
    fn turns_are_counted_at_any_rate() {
        let mut scene = scene(vec![cube("a", Vec3::zeros())]);
        let ends = ((BodyId(0), Pose::identity()), (None, Pose::identity()));
        scene.joints.push(Joint::new("j", JointKind::HINGE, ends.0, ends.1));
        for rate in [0.5, 3.0, 50.0, -400.0] {
            let mut turns = Turns::default();
            for k in 0..100 {
                let mut state = State { time: 0.1 * f64::from(k), ..State::initial(&scene) };
                state.bodies[0].pose.rotation = rotation_vector::exp(&(Vec3::x() * (rate * state.time)));
                state.bodies[0].angular_velocity = Vec3::x() * rate;
                turns.follow(&scene, &state);
                assert!((turns.of(0) - rate * state.time).abs() < 1e-10, "{rate} rad/s: {}", turns.of(0));
            }
        }
    }
}

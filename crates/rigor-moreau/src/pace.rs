//! The number of substeps that fast bodies need.

use rigor_contact::Moving;
use rigor_joint::FlyingBody;
use rigor_math::{Pose, Vec3};
use rigor_scene::{Flaw, FlawKind, Scene, Subject};

use crate::config::Config;
use crate::pair::Pairs;

/// Largest turn (rad) of a body with a joint in a substep.
const TURN: f64 = 0.5;

/// A body with its velocities at the start of a step.
struct Starting<'a>(&'a FlyingBody);

impl Moving for Starting<'_> {
    fn pose(&self) -> &Pose {
        &self.0.end.pose
    }

    fn pose_prev(&self) -> &Pose {
        &self.0.end.pose
    }

    fn linear_velocity(&self) -> &Vec3 {
        &self.0.end.linear_velocity
    }

    fn angular_velocity(&self) -> &Vec3 {
        &self.0.end.angular_velocity
    }
}

/// Returns the number of substeps of a step of `dt` (s): at least that of `config`, and enough that no pair that may meet moves by more than
/// `max_motion` radii of its smaller body in one, and no body with a joint turns by more than ½ rad; and the flaw of a step that would need more than `max_substeps`.
pub(crate) fn substeps(
    scene: &Scene,
    pairs: &Pairs,
    bodies: &[FlyingBody],
    config: &Config,
    dt: f64,
) -> (u32, Option<Flaw>) {
    let (mut most, mut subject) = (f64::from(config.substeps), Subject::Scene);
    let (n, pair) = pairs.meetings.substeps(|body| Starting(&bodies[body]), dt, config.max_motion);
    if let Some((a, b)) = pair.filter(|_| n > most) {
        (most, subject) = (n, Subject::Pair(a, b));
    }
    let (n, joint) = rigor_joint::substeps(scene, |body| bodies[body].end.angular_velocity.norm(), dt, TURN);
    if let Some(joint) = joint.filter(|_| n > most) {
        (most, subject) = (n, Subject::Joint(joint));
    }
    let limit = f64::from(config.max_substeps.max(config.substeps));
    if most <= limit {
        return (most as u32, None);
    }
    (limit as u32, Some(Flaw::new(FlawKind::TooFast, subject, most / limit)))
}

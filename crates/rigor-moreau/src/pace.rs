//! The number of substeps that fast bodies need.

use rigor_contact::Moving;
use rigor_joint::FlyingBody;
use rigor_math::{Pose, Vec3};
use rigor_scene::{Flaw, FlawKind, Scene, Subject};

use crate::config::Config;
use crate::pair::Pairs;

/// Largest turn (rad) of a body with a joint in a substep.
const TURN: f64 = 0.1;

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

/// Turn of joined bodies in a substep, over the largest, from which a step is made again in more substeps.
const FASTER: f64 = 1.5;

/// The number of substeps of a step, and its flaw if it would need more than `max_substeps`.
#[derive(Debug, Clone)]
pub(crate) struct Pace {
    /// The number.
    pub substeps: u32,
    /// The flaw.
    pub flaw: Option<Flaw>,
}

/// Returns the number of substeps of a step of `dt` (s): at least that of `config`, and enough that no pair that may meet moves by more than
/// `max_motion` radii of its smaller body in one, and nothing turns about a joint by more than 0.1 rad.
pub(crate) fn substeps(
    scene: &Scene,
    pairs: &Pairs,
    bodies: &[FlyingBody],
    config: &Config,
    dt: f64,
) -> Pace {
    let (mut most, mut subject) = (f64::from(config.substeps), Subject::Scene);
    let (n, pair) = pairs.meetings.substeps(|body| Starting(&bodies[body]), dt, config.max_motion);
    if let Some((a, b)) = pair.filter(|_| n > most) {
        (most, subject) = (n, Subject::Pair(a, b));
    }
    let (rate, joint) = rigor_joint::turning(scene, |body| &bodies[body].end);
    let n = (dt * rate / TURN).ceil();
    if let Some(joint) = joint.filter(|_| n > most) {
        (most, subject) = (n, Subject::Joint(joint));
    }
    within(most, subject, config)
}

fn within(most: f64, subject: Subject, config: &Config) -> Pace {
    let limit = f64::from(config.max_substeps.max(config.substeps));
    if most <= limit {
        return Pace { substeps: most as u32, flaw: None };
    }
    Pace { substeps: limit as u32, flaw: Some(Flaw::new(FlawKind::TooFast, subject, most / limit)) }
}

/// Returns the pace with which to make a step of `dt` (s) again, in which bodies turned this fast (rad/s) about a joint: drives, forces, prescribed bodies and
/// impacts speed them up. `None` if the step may stay.
pub(crate) fn again(
    pace: &Pace,
    (rate, joint): (f64, Option<usize>),
    config: &Config,
    dt: f64,
) -> Option<Pace> {
    let n = (dt * rate / TURN).ceil();
    let joint = joint.filter(|_| pace.flaw.is_none() && n > FASTER * f64::from(pace.substeps))?;
    Some(within(n, Subject::Joint(joint), config))
}

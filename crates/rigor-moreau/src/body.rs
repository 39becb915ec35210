//! Bodies on their way through a substep.

use rigor_contact::Moving;
use rigor_joint::FlyingBody;
use rigor_math::{Pose, Vec3};
use rigor_scene::{Scene, State};

/// Memory key: the purse of each body (J).
const PURSES: &str = "nonsmooth/purses";

/// A body on its way from the start of a substep to where it is without impulses.
pub(crate) struct Flown<'a>(pub &'a FlyingBody);

impl Moving for Flown<'_> {
    fn pose(&self) -> &Pose {
        &self.0.free.pose
    }

    fn pose_prev(&self) -> &Pose {
        &self.0.start.pose
    }

    fn linear_velocity(&self) -> &Vec3 {
        &self.0.free.linear_velocity
    }

    fn angular_velocity(&self) -> &Vec3 {
        &self.0.free.angular_velocity
    }
}

/// A body on its way from the start to the end of a substep.
pub(crate) struct Arrived<'a>(pub &'a FlyingBody);

impl Moving for Arrived<'_> {
    fn pose(&self) -> &Pose {
        &self.0.end.pose
    }

    fn pose_prev(&self) -> &Pose {
        &self.0.start.pose
    }

    fn linear_velocity(&self) -> &Vec3 {
        &self.0.end.linear_velocity
    }

    fn angular_velocity(&self) -> &Vec3 {
        &self.0.end.angular_velocity
    }
}

/// Loads the bodies of a step, and what each has left of the energy that may lift it out of an old overlap (J).
pub(crate) fn load(scene: &Scene, state: &State, bodies: &mut Vec<FlyingBody>, purses: &mut Vec<f64>) {
    bodies.clear();
    bodies.extend(scene.bodies.iter().zip(&state.bodies).map(|(body, state)| FlyingBody::new(body, state)));
    let known = state.memory.numbers.get(PURSES).filter(|known| known.len() == bodies.len());
    purses.clear();
    match known {
        Some(known) => purses.extend(known),
        // A state without memory is a start, whose overlaps may be pushed apart.
        None => purses.resize(bodies.len(), f64::INFINITY),
    }
}

/// Stores where they end.
pub(crate) fn store(bodies: &[FlyingBody], purses: &[f64], state: &mut State) {
    for (body, state) in bodies.iter().zip(&mut state.bodies) {
        *state = body.end;
    }
    state.memory.store(PURSES, purses.iter().copied());
}

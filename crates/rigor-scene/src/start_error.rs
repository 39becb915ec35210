//! Joints that do not hold at time 0.

use std::fmt;

use crate::joint::{Drive, Goal, JointFrames, JointKind, Misfit, Range};
use crate::scene::Scene;

/// Angle (rad), and length over the radius of the larger body or the lever of the joint, above which a start error is told.
const TOLD: f64 = 1e-6;

/// A joint whose frames at time 0 are not where it holds them.
#[derive(Debug, Clone, PartialEq)]
pub struct StartError {
    /// Index in [`Scene::joints`].
    pub joint: usize,
    /// Its name.
    pub name: String,
    /// What does not hold.
    pub fault: StartFault,
    /// By how much (m or rad, > 0).
    pub amount: f64,
}

/// What does not hold at time 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StartFault {
    /// The ends of the joint are apart (m).
    Apart,
    /// The axes of its frames are askew (rad).
    Askew,
    /// The slide is outside of its bound (m).
    Slide {
        /// The bound (m).
        bound: f64,
    },
    /// The distance is outside of its bound (m).
    Distance {
        /// The bound (m).
        bound: f64,
    },
    /// The turn is outside of its bound (rad).
    Turn {
        /// The bound (rad).
        bound: f64,
    },
    /// The swing is outside of its bound (rad).
    Swing {
        /// The bound (rad).
        bound: f64,
    },
    /// The slide is not at the goal of its rigid drive (m).
    SlideDrive {
        /// The goal (m).
        goal: f64,
    },
    /// The distance is not at the goal of its rigid drive (m).
    DistanceDrive {
        /// The goal (m).
        goal: f64,
    },
    /// The turn is not at the goal of its rigid drive (rad).
    TurnDrive {
        /// The goal (rad).
        goal: f64,
    },
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, amount) = (&self.name, self.amount);
        let degrees = amount.to_degrees();
        write!(f, "joint {name:?} starts ")?;
        match self.fault {
            StartFault::Apart => write!(f, "with its ends {amount:.4} m apart"),
            StartFault::Askew => write!(f, "with its axes {degrees:.4}° askew"),
            StartFault::Slide { bound } => {
                write!(f, "with its slide {amount:.4} m outside of its bound at {bound} m")
            }
            StartFault::Distance { bound } => {
                write!(f, "with its ends {amount:.4} m outside of the distance {bound} m")
            }
            StartFault::Turn { bound } => {
                write!(f, "with its turn {degrees:.4}° outside of its bound at {:.4}°", bound.to_degrees())
            }
            StartFault::Swing { bound } => {
                write!(f, "with its swing {degrees:.4}° outside of its bound at {:.4}°", bound.to_degrees())
            }
            StartFault::SlideDrive { goal } => {
                write!(f, "with its slide {amount:.4} m from the goal {goal} m of its rigid drive")
            }
            StartFault::DistanceDrive { goal } => {
                write!(f, "with its distance {amount:.4} m from the goal {goal} m of its rigid drive")
            }
            StartFault::TurnDrive { goal } => {
                write!(
                    f,
                    "with its turn {degrees:.4}° from the goal {:.4}° of its rigid drive",
                    goal.to_degrees()
                )
            }
        }
    }
}

impl Scene {
    /// Returns the frames of the joint number `index` at time 0, and its turn (rad) counted from there.
    pub fn joint_at_start(&self, index: usize) -> (JointFrames, f64) {
        let joint = &self.joints[index];
        let frames = JointFrames::of(joint, |body| self.bodies[body.0].initial.pose);
        (frames, joint.kind.turn_range().start(frames.turn()))
    }

    /// Returns what does not hold at time 0: ends apart, axes askew, coordinates outside of rigid bounds or away from the
    /// goals of rigid drives, each by more than 1e-6 rad or 1e-6 radii of the larger body.
    ///
    /// ```
    /// use rigor_scene::Scene;
    /// assert!(Scene::default().start_errors().is_empty());
    /// ```
    pub fn start_errors(&self) -> Vec<StartError> {
        (0..self.joints.len()).flat_map(|index| self.start_errors_of(index)).collect()
    }

    fn start_errors_of(&self, index: usize) -> Vec<StartError> {
        let joint = &self.joints[index];
        let (frames, turn) = self.joint_at_start(index);
        let misfit = Misfit::of(joint, &frames, turn);
        let ends = std::iter::once(joint.body_a).chain(joint.body_b);
        // A body without shapes has no radius, but its joint has a lever.
        let lever = joint.frame_a.position.norm().max(joint.frame_b.position.norm());
        let size = ends.map(|body| self.bodies[body.0].radius).fold(lever, f64::max);
        let least = |is_length: bool| if is_length { TOLD * size } else { TOLD };
        let bound = |range: Range, excess: f64| if excess > 0.0 { range.max } else { range.min };
        let kind = &joint.kind;
        let length_goal = goal(kind.length_drive());
        let (length, length_drive) = match kind {
            JointKind::Distance { .. } => (
                StartFault::Distance { bound: bound(kind.length_range(), misfit.length) },
                StartFault::DistanceDrive { goal: length_goal },
            ),
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Gear { .. } => (
                StartFault::Slide { bound: bound(kind.length_range(), misfit.length) },
                StartFault::SlideDrive { goal: length_goal },
            ),
        };
        let found = [
            (StartFault::Apart, misfit.gap.norm(), true),
            (StartFault::Askew, misfit.rotation.norm(), false),
            (length, misfit.length.abs(), true),
            (StartFault::Turn { bound: bound(kind.turn_range(), misfit.turn) }, misfit.turn.abs(), false),
            (StartFault::Swing { bound: bound(kind.swing_range(), misfit.swing) }, misfit.swing.abs(), false),
            (length_drive, misfit.slide_drive.abs(), true),
            (StartFault::TurnDrive { goal: goal(kind.turn_drive()) }, misfit.turn_drive.abs(), false),
        ];
        let told = found.into_iter().filter(|(_, amount, is_length)| *amount > least(*is_length));
        told.map(|(fault, amount, _)| StartError { joint: index, name: joint.name.clone(), fault, amount })
            .collect()
    }
}

/// The goal of a drive to a position; 0 without one.
fn goal(drive: Option<&Drive>) -> f64 {
    match drive.map(|drive| drive.goal) {
        Some(Goal::Position(goal)) => goal,
        Some(Goal::Velocity(_)) | None => 0.0,
    }
}

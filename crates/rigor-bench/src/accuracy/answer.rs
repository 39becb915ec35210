//! The exact answers: functions of the scene, or data, but independent of the method.

pub mod eccentric;
pub mod friction;
pub mod impact;
pub mod measured;
pub mod motion;
pub mod rolling;
pub mod swing;

use std::path::Path;

use rigor_math::Vec3;
use rigor_scene::{Scene, State};
use serde::Deserialize;

use super::error::AnswerError;
use super::reading::{Reading, Value};
use super::scene::load_scene;

/// The exact answer of a case.
///
/// Its numbers come from the scene, so that an override changes the simulation and the answer alike.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// The initial state: nothing moves.
    Start,
    /// Newton's and Euler's equations of free or jointed bodies without contact, integrated until converged.
    Motion {
        /// Another scene to integrate, with a joint in place of a contact; by default that of the case.
        scene: Option<String>,
    },
    /// A block under Coulomb friction on a level or sloping plane.
    Block {
        /// The body whose upper face (normal: its own y axis) is the plane.
        plane: String,
    },
    /// A body at rest on a turntable.
    Turntable {
        /// The turntable.
        table: String,
    },
    /// A round body thrown along a level floor without spin, which slips until it rolls.
    SlipToRoll {
        /// The body it rolls on.
        plane: String,
        /// Its radius (m).
        radius: f64,
    },
    /// A round body that rolls down a slope without slipping.
    RollDown {
        /// The body it rolls on.
        plane: String,
        /// Its radius (m).
        radius: f64,
    },
    /// A ball that rolls on a turntable without slipping.
    RollOnTurntable {
        /// The turntable.
        table: String,
        /// Radius of the ball (m).
        radius: f64,
    },
    /// A ball whose centre of mass is not its centre, on a level floor.
    BallOnFloor {
        /// The floor.
        plane: String,
        /// Radius of the ball (m).
        radius: f64,
    },
    /// A falling rack that turns a wheel by its teeth.
    Rack {
        /// The body that falls.
        rack: String,
        /// The body that turns.
        wheel: String,
        /// Pitch radius of the wheel (m).
        radius: f64,
    },
    /// The periods of pendula, each about its own axis.
    Periods {
        /// Points (m, world) of the axes, one per body of the reading.
        axes: Vec<[f64; 3]>,
    },
    /// A body on a spring without gravity, released at rest.
    Spring,
    /// The rebound of a body that falls on a floor.
    Bounce {
        /// The floor.
        plane: String,
        /// Height of its upper face (m).
        level: f64,
        /// Depth of the body's lowest point below its centre (m).
        below: f64,
    },
    /// Equal bodies in a row that exchange their velocities.
    Cradle,
    /// A round body that hits a wall obliquely and slips throughout the impact.
    Oblique {
        /// The wall, whose upper face (normal: its own y axis) is hit.
        plane: String,
        /// Distance of the point of contact from the centre (m).
        radius: f64,
    },
    /// Bodies that meet head-on, without gravity, and stay together.
    HeadOn,
    /// A free rod, turning about the world's z axis, whose face meets the edge of a fixed post.
    RodAndPost {
        /// The rod, along its own x axis.
        rod: String,
        /// Its length (m).
        length: f64,
        /// Its thickness (m).
        thickness: f64,
        /// A point of the edge (m, world).
        edge: [f64; 3],
    },
    /// A body that rises with the body that grips it, less the play of the grip; not at all if the grip
    /// slips.
    Grip {
        /// The body that pulls.
        by: String,
        /// Distance that it moves before the grip closes (m).
        play: f64,
        /// Whether the grip holds.
        holds: bool,
    },
    /// A ladder that slides down a frictionless wall (x = 0) and along a frictionless floor (y = 0).
    Ladder {
        /// Length of the face whose two edges touch wall and floor (m).
        length: f64,
        /// Thickness of the ladder (m).
        thickness: f64,
    },
    /// A trajectory of MSC ADAMS, from the folder given by `--data`.
    Adams {
        /// Name of the file in the folder `joints-adams`.
        file: String,
    },
    /// Measured tosses of a cube, from the folder given by `--data`.
    Tosses {
        /// One toss out of this many is simulated.
        every: usize,
    },
}

/// A scene to run, and its exact answer; a case has one instance, or one per measured toss.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// The scene; the run starts from its initial state.
    pub scene: Scene,
    /// Simulated time (s).
    pub duration: f64,
    /// The exact answer.
    pub truth: Truth,
}

/// An exact answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Truth {
    /// The final state, from which the values are read as from a run.
    End(State),
    /// The values of the reading.
    Values(Vec<Value>),
    /// States at increasing times after 0; the error is the mean over them.
    Course(Vec<State>),
}

impl Answer {
    /// Returns whether the answer needs data that do not come with the program.
    pub fn needs_data(&self) -> bool {
        matches!(self, Self::Adams { .. } | Self::Tosses { .. })
    }

    /// Returns the scenes to run with their exact answers.
    ///
    /// `set` are the changes to the scene, which also apply to the other scene of [`Answer::Motion`]; `data`
    /// is the folder of the measurements.
    ///
    /// # Errors
    /// The scene does not fit the answer, or data are missing.
    pub fn instances(
        &self,
        scene: &Scene,
        set: &[String],
        data: Option<&Path>,
    ) -> Result<Vec<Instance>, AnswerError> {
        let duration = scene.time.duration;
        let one = |truth| Ok(vec![Instance { scene: scene.clone(), duration, truth }]);
        match self {
            Self::Start => one(Truth::End(State::initial(scene))),
            Self::Motion { scene: None } => one(Truth::End(motion::end(scene, duration)?)),
            Self::Motion { scene: Some(other) } => {
                let reference = load_scene(other, set)?.scene;
                one(Truth::End(motion::end(&reference, duration)?))
            }
            Self::Block { plane } => one(Truth::End(friction::block(scene, plane)?)),
            Self::Turntable { table } => one(Truth::End(friction::turntable(scene, table)?)),
            Self::SlipToRoll { plane, radius } => {
                one(Truth::End(rolling::slip_to_roll(scene, plane, *radius)?))
            }
            Self::RollDown { plane, radius } => one(Truth::End(rolling::roll_down(scene, plane, *radius)?)),
            Self::RollOnTurntable { table, radius } => {
                one(Truth::End(rolling::roll_on_turntable(scene, table, *radius)?))
            }
            Self::BallOnFloor { plane, radius } => {
                one(Truth::End(eccentric::ball_on_floor(scene, plane, *radius)?))
            }
            Self::Rack { rack, wheel, radius } => {
                one(Truth::End(rolling::rack(scene, rack, wheel, *radius)?))
            }
            Self::Periods { axes } => one(Truth::Values(swing::periods(scene, axes)?)),
            Self::Spring => one(Truth::End(swing::spring(scene)?)),
            Self::Bounce { plane, level, below } => {
                one(Truth::Values(impact::bounce(scene, plane, *level, *below)?))
            }
            Self::Cradle => one(Truth::End(impact::cradle(scene))),
            Self::Oblique { plane, radius } => one(Truth::End(impact::oblique(scene, plane, *radius)?)),
            Self::HeadOn => one(Truth::End(impact::head_on(scene))),
            Self::RodAndPost { rod, length, thickness, edge } => {
                one(Truth::End(impact::rod_and_post(scene, rod, *length, *thickness, Vec3::from(*edge))?))
            }
            Self::Grip { by, play, holds } => one(Truth::Values(friction::grip(scene, by, *play, *holds)?)),
            Self::Ladder { length, thickness } => one(Truth::End(swing::ladder(scene, *length, *thickness)?)),
            Self::Adams { file } => measured::adams(scene, file, needed(data)?),
            Self::Tosses { every } => measured::tosses(scene, *every, needed(data)?),
        }
    }
}

fn needed(data: Option<&Path>) -> Result<&Path, AnswerError> {
    data.ok_or(AnswerError::NoData)
}

/// Computes the error of a run in the unit of the reading: the maximum over the bodies.
///
/// # Errors
/// The states do not determine the quantity, or none is at a time of the exact answer.
pub fn error(reading: &Reading, scene: &Scene, states: &[State], truth: &Truth) -> Result<f64, AnswerError> {
    let largest = |found: &[Value], truth: &[Value]| {
        found.iter().zip(truth).map(|(a, b)| a.distance(b)).fold(0.0, f64::max)
    };
    match truth {
        Truth::End(end) => {
            let truth = [State::initial(scene), end.clone()];
            Ok(largest(&reading.read(scene, states)?, &reading.read(scene, &truth)?))
        }
        Truth::Values(values) => Ok(largest(&reading.read(scene, states)?, values)),
        Truth::Course(course) => {
            let first = State::initial(scene);
            let at = |exact: &State| -> Result<f64, AnswerError> {
                let seen = [first.clone(), at_time(states, exact.time)?];
                Ok(largest(
                    &reading.read(scene, &seen)?,
                    &reading.read(scene, &[first.clone(), exact.clone()])?,
                ))
            };
            let errors = course.iter().map(at).collect::<Result<Vec<f64>, AnswerError>>()?;
            Ok(errors.iter().sum::<f64>() / errors.len().max(1) as f64)
        }
    }
}

/// Returns the state at `time`, to within 1 µs.
fn at_time(states: &[State], time: f64) -> Result<State, AnswerError> {
    let k = states.partition_point(|state| state.time < time - 1e-6);
    let state = states.get(k).filter(|state| (state.time - time).abs() <= 1e-6);
    state.cloned().ok_or(AnswerError::NoStateAt { time })
}

/// Returns the index of a body.
fn body(scene: &Scene, name: &str) -> Result<usize, AnswerError> {
    scene.find_body(name).map(|id| id.0).ok_or_else(|| AnswerError::NoBody { name: name.to_owned() })
}

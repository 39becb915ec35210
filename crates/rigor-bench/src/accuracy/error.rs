//! Errors in tables of cases, methods or results, and in exact answers.

use std::path::PathBuf;

use rigor_file::SceneError;
use rigor_math::quaternion::QuaternionError;

/// An error in a table of cases, methods or results.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A built-in table is invalid.
    #[error("{file}: {source}")]
    Toml {
        /// The file.
        file: &'static str,
        /// The mistake and its place.
        source: toml::de::Error,
    },
    /// The first line is not the heading of a table of results.
    #[error("the first line is not that of a table of results")]
    Heading,
    /// A line is not a row of results.
    #[error("line {line}: not a row of results")]
    Row {
        /// The number of the line, counted from 1.
        line: usize,
    },
}

/// The reason why a case has no exact answer, or why the error of a run cannot be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// A body that the case names is not in the scene.
    #[error("there is no body {name:?}")]
    NoBody {
        /// Its name.
        name: String,
    },
    /// Every body is static or has a prescribed motion.
    #[error("nothing moves")]
    NothingMoves,
    /// A body must have a prescribed motion.
    #[error("{body:?} is moved by forces")]
    NotPrescribed {
        /// Its name.
        body: String,
    },
    /// A body slips although the answer assumes sticking.
    #[error("{body:?} slips")]
    Slips {
        /// Its name.
        body: String,
    },
    /// A body sticks although the answer assumes slipping.
    #[error("{body:?} stops slipping")]
    Sticks {
        /// Its name.
        body: String,
    },
    /// A body has fixed axes, which the reference does not support.
    #[error("the reference has no fixed axes (of {body:?})")]
    FixedAxes {
        /// The name of the body.
        body: String,
    },
    /// A joint has a type that the reference does not support.
    #[error("the reference has no joint like {joint:?}")]
    UnknownJoint {
        /// Its name.
        joint: String,
    },
    /// The number of axes differs from the number of moving bodies.
    #[error("{axes} axes for {bodies} bodies")]
    Axes {
        /// The number of axes.
        axes: usize,
        /// The number of moving bodies.
        bodies: usize,
    },
    /// The first joint is not a spring to the world.
    #[error("the first joint must be a spring to the world")]
    NoSpring,
    /// The ladder does not touch both wall and floor.
    #[error("the ladder starts {offset} m off wall and floor")]
    LadderApart {
        /// The distance (m) from the position in which it touches both.
        offset: f64,
    },
    /// The ladder leaves the wall within the duration.
    #[error("the ladder leaves the wall")]
    LadderLeaves,
    /// A run kept no states.
    #[error("there is no state")]
    NoState,
    /// A run has no state at a time of the data.
    #[error("no state at {time} s: the step must divide that of the data")]
    NoStateAt {
        /// The time (s).
        time: f64,
    },
    /// A body passes through the middle of its swing too rarely to determine the period.
    #[error("it swings through its middle {passages} times: a period needs two")]
    NoPeriod {
        /// The number of passages.
        passages: usize,
    },
    /// The folder of the data is not given.
    #[error("the folder of the data is not given (--data)")]
    NoData,
    /// The scene of the reference cannot be loaded.
    #[error(transparent)]
    Scene {
        /// The cause.
        #[from]
        source: SceneError,
    },
    /// A file of the data cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The cause, with the line.
        source: csv::Error,
    },
    /// A column of the data is missing.
    #[error("there is no column {name:?}")]
    NoColumn {
        /// Its name.
        name: String,
    },
    /// An orientation in the data is not a unit quaternion.
    #[error(transparent)]
    Orientation {
        /// The cause.
        #[from]
        source: QuaternionError,
    },
}

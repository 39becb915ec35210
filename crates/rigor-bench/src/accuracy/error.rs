//! What is wrong with a table of cases, methods or results, and why there is no exact answer.

use std::path::PathBuf;

use rigor_file::SceneError;
use rigor_math::quaternion::QuaternionError;

/// What is wrong with a table of cases, methods or results.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A table that comes with the program is wrong.
    #[error("{file}: {source}")]
    Toml {
        /// Its file.
        file: &'static str,
        /// What is wrong, and where.
        source: toml::de::Error,
    },
    /// The first line is not the heading.
    #[error("the first line is not that of a table of results")]
    Heading,
    /// A line is no row.
    #[error("line {line}: not a row of results")]
    Row {
        /// Which, counted from 1.
        line: usize,
    },
}

/// Why a case has no exact answer, or a run no error against it.
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
    /// A body slips that the answer assumes to stick.
    #[error("{body:?} slips")]
    Slips {
        /// Its name.
        body: String,
    },
    /// A body sticks that the answer assumes to slip.
    #[error("{body:?} stops slipping")]
    Sticks {
        /// Its name.
        body: String,
    },
    /// The reference integrates no bodies with fixed axes.
    #[error("the reference has no fixed axes (of {body:?})")]
    FixedAxes {
        /// The name of the body.
        body: String,
    },
    /// The reference integrates no such joints.
    #[error("the reference has no joint like {joint:?}")]
    UnknownJoint {
        /// Its name.
        joint: String,
    },
    /// The number of axes is not that of the moving bodies.
    #[error("{axes} axes for {bodies} bodies")]
    Axes {
        /// The number of axes.
        axes: usize,
        /// The number of moving bodies.
        bodies: usize,
    },
    /// The first joint is no spring to the world.
    #[error("the first joint must be a spring to the world")]
    NoSpring,
    /// The ladder does not touch both wall and floor.
    #[error("the ladder starts {offset} m off wall and floor")]
    LadderApart {
        /// Its distance (m) from where it should be.
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
    /// A body swings too little to have a period.
    #[error("it swings through its middle {passages} times: a period needs two")]
    NoPeriod {
        /// The number of passages.
        passages: usize,
    },
    /// The folder of the data was not given.
    #[error("the data were not given (--data)")]
    NoData,
    /// The scene of the reference cannot be loaded.
    #[error(transparent)]
    Scene {
        /// Why.
        #[from]
        source: SceneError,
    },
    /// A file of the data cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// Why, with the line.
        source: csv::Error,
    },
    /// The data lack a column.
    #[error("there is no column {name:?}")]
    NoColumn {
        /// Its name.
        name: String,
    },
    /// An orientation in the data is no unit quaternion.
    #[error(transparent)]
    Orientation {
        /// Why.
        #[from]
        source: QuaternionError,
    },
}

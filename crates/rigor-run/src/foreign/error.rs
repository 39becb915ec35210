//! What is wrong with a trajectory of another program.

use std::path::PathBuf;

/// A trajectory that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ForeignError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not of its format.
    #[error("{}: this is not a readable {format} file: {what}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The format.
        format: &'static str,
        /// The mistake.
        what: String,
    },
    /// A field is missing.
    #[error("there is no {field}: looked for {tried}; the file has {found}; name it with --map {field}=NAME")]
    NoField {
        /// The field.
        field: &'static str,
        /// The names tried.
        tried: String,
        /// The names in the file.
        found: String,
    },
    /// A field with another shape.
    #[error("{name} has the shape ({}), expected {expected}", found.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    Shape {
        /// Its name in the file.
        name: String,
        /// Its shape.
        found: Vec<u64>,
        /// The shape expected, in words.
        expected: String,
    },
    /// A name of a body that occurs twice at one time.
    #[error("body {body:?} occurs twice at {time} s: each body has one state at a time")]
    Twice {
        /// The body.
        body: String,
        /// The time (s).
        time: f64,
    },
    /// No time.
    #[error("the trajectory has no frame")]
    Empty,
    /// A time that is not later than the one before, or not finite.
    #[error("frame {index} is at {time} s, which is not later than the frame before")]
    Times {
        /// Index of the frame.
        index: usize,
        /// Its time (s).
        time: f64,
    },
    /// Without names, the number of bodies must be that of the scene.
    #[error("the file has {found} bodies without names; the scene has {bodies}, of which {moving} move")]
    Count {
        /// Number of bodies in the file.
        found: usize,
        /// Number of bodies of the scene.
        bodies: usize,
        /// Number of those that forces move.
        moving: usize,
    },
    /// A moving body is missing.
    #[error("the file has no body {body:?}; it has {found}")]
    NoBody {
        /// The body.
        body: String,
        /// The names in the file.
        found: String,
    },
    /// A body at a time without a state.
    #[error("body {body:?} has no row at {time} s")]
    NoRow {
        /// The body.
        body: String,
        /// The time (s).
        time: f64,
    },
    /// A quaternion that is not a unit one.
    #[error(
        "the quaternion of {body:?} at {time} s has norm {norm}: it must be 1; is the order of its components right (--quaternion)?"
    )]
    Quaternion {
        /// The body.
        body: String,
        /// The time (s).
        time: f64,
        /// Its norm.
        norm: f64,
    },
    /// A number that is NaN or infinite.
    #[error("the state of {body:?} at {time} s is not finite")]
    NotFinite {
        /// The body.
        body: String,
        /// The time (s).
        time: f64,
    },
}

//! Trajectories computed by other programs: positions and orientations of named bodies, from NumPy or CSV files.
//!
//! The file gives, for each time and body, a position (m, world), a unit quaternion of the author's frame, and optionally
//! linear and angular velocity (m/s, rad/s, world). The position is that of the centre of mass, or of the origin of the
//! author's frame: see [`Origin`]. Static bodies may be left out.
//!
//! | field | names tried | shape in an `.npz` file | columns of a `.csv` file |
//! | --- | --- | --- | --- |
//! | time | `time`, `t` | n | one |
//! | body | `body_name`, `body`, `name`, `names` | b (text) | one |
//! | position | `position`, `pos`, `xipos`, `origin`, `xpos` | n × b × 3 | with `_x`, `_y`, `_z` or `.x`, … appended |
//! | quaternion | `quaternion`, `quat`, `xquat`, `orientation` | n × b × 4 | with `_w`, `_x`, `_y`, `_z` appended |
//! | velocity | `linear_velocity`, `velocity`, `v` | n × b × 3 | with `_x`, `_y`, `_z` appended |
//! | angular velocity | `angular_velocity`, `omega`, `w` | n × b × 3 | with `_x`, `_y`, `_z` appended |
//!
//! A position called `origin` or `xpos` is that of the author's frame.

mod csv;
mod error;
mod npz;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rigor_math::rotation_vector::log;
use rigor_math::{Pose, UnitQuaternion, Vec3};
use rigor_scene::{Body, BodyState, Scene, State};

pub use error::ForeignError;

/// How to read a trajectory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// Names that replace those tried, by field.
    pub names: BTreeMap<Field, String>,
    /// Order of the components of a quaternion.
    pub order: QuaternionOrder,
    /// The point that positions are of; `None` follows from the name of the position.
    pub origin: Option<Origin>,
}

/// What a file gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// Time (s).
    Time,
    /// Names of bodies.
    Body,
    /// Position (m, world).
    Position,
    /// Unit quaternion: author's frame → world.
    Quaternion,
    /// Velocity of the centre of mass (m/s, world).
    Velocity,
    /// Angular velocity (rad/s, world).
    AngularVelocity,
}

impl Field {
    /// All fields.
    pub const ALL: [Self; 6] =
        [Self::Time, Self::Body, Self::Position, Self::Quaternion, Self::Velocity, Self::AngularVelocity];

    /// What the field is called on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Body => "body",
            Self::Position => "position",
            Self::Quaternion => "quaternion",
            Self::Velocity => "velocity",
            Self::AngularVelocity => "angular_velocity",
        }
    }

    /// Names that are tried.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Time => &["time", "t"],
            Self::Body => &["body_name", "body", "name", "names"],
            Self::Position => &["position", "pos", "xipos", "origin", "xpos"],
            Self::Quaternion => &["quaternion", "quat", "xquat", "orientation"],
            Self::Velocity => &["linear_velocity", "velocity", "v"],
            Self::AngularVelocity => &["angular_velocity", "omega", "w"],
        }
    }
}

/// Order of the components of a quaternion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QuaternionOrder {
    /// w, x, y, z: Rigor, MuJoCo, Drake.
    #[default]
    ScalarFirst,
    /// x, y, z, w: ROS, PyBullet, SciPy.
    ScalarLast,
}

/// The point of a body that positions are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The centre of mass.
    CentreOfMass,
    /// The origin of the author's frame.
    Author,
}

/// A trajectory of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreign {
    /// The states, ascending in time; their step is their index.
    pub states: Vec<State>,
    /// Whether velocities are differences of positions, as the file has none.
    pub has_differences: bool,
    /// The bodies of the file that the scene lacks, which are left out.
    pub left_out: Vec<String>,
}

/// Intervals that differ by more than this, relative to the longest, are uneven: more than the rounding of times as text.
const UNEVEN: f64 = 1e-3;

impl Foreign {
    /// What a reader of the results must know: bodies that are left out, times that are uneven, an end before that of `scene`.
    pub fn warnings(&self, scene: &Scene) -> Vec<String> {
        let left_out =
            |name: &String| format!("the scene has no body {name:?} of the trajectory: it is left out");
        let mut all: Vec<String> = self.left_out.iter().map(left_out).collect();
        let times = || self.states.iter().map(|state| state.time);
        let intervals = || times().zip(times().skip(1)).map(|(a, b)| b - a);
        let (least, most) = intervals().fold((f64::INFINITY, 0.0_f64), |(a, b), dt| (a.min(dt), b.max(dt)));
        if least < most * (1.0 - UNEVEN) {
            all.push(format!(
                "the frames are {least} to {most} s apart: Δt of the record is the mean, and times in findings are those of the file"
            ));
        }
        if let Some(end) = times().next_back().filter(|end| *end < scene.time.duration * (1.0 - 1e-9)) {
            all.push(format!(
                "the trajectory ends at {end} s, and the scene at {} s: only bounds that are broken already are judged",
                scene.time.duration
            ));
        }
        all
    }
}

/// A file as read, before it is matched with a scene.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Sheet {
    times: Vec<f64>,
    /// Names of the bodies; empty if the file has none.
    names: Vec<String>,
    /// The name under which positions were found.
    position_name: String,
    /// n × b × 3.
    position: Vec<f64>,
    /// n × b × 4.
    quaternion: Vec<f64>,
    /// n × b × 3 each.
    velocity: Option<[Vec<f64>; 2]>,
}

/// Reads the trajectory of `scene` at `path`, an `.npz` or a `.csv` file.
///
/// # Errors
/// [`ForeignError`] when the file cannot be read, lacks a field or a moving body, or holds a number that is not finite, a
/// quaternion that is not a unit one, or times that do not ascend.
pub fn read(path: &Path, scene: &Scene, layout: &Layout) -> Result<Foreign, ForeignError> {
    let is_csv = path.extension().is_some_and(|extension| extension == "csv");
    let sheet = if is_csv { csv::read(path, layout)? } else { npz::read(path, scene, layout)? };
    sheet.states(scene, layout)
}

impl Sheet {
    fn states(&self, scene: &Scene, layout: &Layout) -> Result<Foreign, ForeignError> {
        let is_later = |k: usize| k == 0 || self.times[k] > self.times[k - 1];
        if let Some(index) = (0..self.times.len()).find(|k| !(self.times[*k].is_finite() && is_later(*k))) {
            return Err(ForeignError::Times { index, time: self.times[index] });
        }
        if self.times.is_empty() {
            return Err(ForeignError::Empty);
        }
        let mut known = BTreeSet::new();
        if let Some(body) = self.names.iter().find(|name| !known.insert(*name)) {
            return Err(ForeignError::Twice { body: body.clone(), time: self.times[0] });
        }
        let columns = columns(&self.names, self.position.len() / (3 * self.times.len()), scene)?;
        let origin = layout.origin.unwrap_or(match self.position_name.as_str() {
            "origin" | "xpos" => Origin::Author,
            _ => Origin::CentreOfMass,
        });
        let mut states = Vec::new();
        for (k, time) in self.times.iter().enumerate() {
            let body = |(body, column): (&Body, &Option<usize>)| match (column, body.prescribed(*time)) {
                (Some(column), _) => self.body(k, *column, body, layout.order, origin),
                (None, prescribed) => Ok(prescribed.unwrap_or(body.initial)),
            };
            let bodies = scene.bodies.iter().zip(&columns).map(body).collect::<Result<_, _>>()?;
            states.push(State { step: k as u64, time: *time, bodies, ..State::initial(scene) });
        }
        let has_differences = self.velocity.is_none();
        if has_differences {
            differentiate(&mut states);
        }
        let of_scene: BTreeSet<&String> = scene.bodies.iter().map(|body| &body.name).collect();
        let left_out = self.names.iter().filter(|name| !of_scene.contains(name)).cloned().collect();
        Ok(Foreign { states, has_differences, left_out })
    }

    fn body(
        &self,
        k: usize,
        column: usize,
        body: &Body,
        order: QuaternionOrder,
        origin: Origin,
    ) -> Result<BodyState, ForeignError> {
        let n = self.position.len() / (3 * self.times.len());
        let at = k * n + column;
        let vector = |list: &[f64]| Vec3::new(list[3 * at], list[3 * at + 1], list[3 * at + 2]);
        let q = &self.quaternion[4 * at..4 * at + 4];
        let q = match order {
            QuaternionOrder::ScalarFirst => [q[0], q[1], q[2], q[3]],
            QuaternionOrder::ScalarLast => [q[3], q[0], q[1], q[2]],
        };
        let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        let (time, name) = (self.times[k], body.name.clone());
        if (norm - 1.0).abs() > 1e-3 || !norm.is_finite() {
            return Err(ForeignError::Quaternion { body: name, time, norm });
        }
        let quaternion = nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]);
        // A quaternion that is a unit one to rounding keeps its bits.
        let rotation = if (norm - 1.0).abs() < 1e-14 {
            UnitQuaternion::new_unchecked(quaternion)
        } else {
            UnitQuaternion::new_normalize(quaternion)
        };
        let position = vector(&self.position);
        let authored = Pose::new(position, rotation);
        let pose = match origin {
            Origin::Author => authored.compose(&body.frame),
            Origin::CentreOfMass => Pose::new(position, rotation * body.frame.rotation),
        };
        let [linear_velocity, angular_velocity] = match &self.velocity {
            Some([linear, angular]) => [vector(linear), vector(angular)],
            None => [Vec3::zeros(); 2],
        };
        let state = BodyState { pose, linear_velocity, angular_velocity };
        if state.is_finite() { Ok(state) } else { Err(ForeignError::NotFinite { body: name, time }) }
    }
}

/// The column of each body of the scene among `n` with these names, or without names; `None` for bodies whose motion the scene
/// prescribes.
fn columns(names: &[String], n: usize, scene: &Scene) -> Result<Vec<Option<usize>>, ForeignError> {
    if names.is_empty() {
        let moving = scene.bodies.iter().filter(|body| body.is_dynamic()).count();
        if n == scene.bodies.len() {
            return Ok((0..n).map(Some).collect());
        }
        if n != moving {
            return Err(ForeignError::Count { found: n, bodies: scene.bodies.len(), moving });
        }
        let mut next = 0..n;
        return Ok(scene
            .bodies
            .iter()
            .map(|body| body.is_dynamic().then(|| next.next()).flatten())
            .collect());
    }
    let places: BTreeMap<&String, usize> = names.iter().enumerate().map(|(k, name)| (name, k)).collect();
    let column = |body: &Body| match places.get(&body.name) {
        None if body.is_dynamic() => {
            Err(ForeignError::NoBody { body: body.name.clone(), found: names.join(", ") })
        }
        found => Ok(found.copied()),
    };
    scene.bodies.iter().map(column).collect()
}

/// Sets velocities to central differences of poses; one-sided at the ends.
fn differentiate(states: &mut [State]) {
    let poses: Vec<Vec<Pose>> =
        states.iter().map(|state| state.bodies.iter().map(|body| body.pose).collect()).collect();
    let times: Vec<f64> = states.iter().map(|state| state.time).collect();
    let last = states.len() - 1;
    for (k, state) in states.iter_mut().enumerate() {
        let (before, after) = (k.saturating_sub(1), (k + 1).min(last));
        let span = times[after] - times[before];
        if span <= 0.0 {
            continue;
        }
        for (i, body) in state.bodies.iter_mut().enumerate() {
            let (from, to) = (&poses[before][i], &poses[after][i]);
            body.linear_velocity = (to.position - from.position) / span;
            body.angular_velocity = log(&(to.rotation * from.rotation.inverse())) / span;
        }
    }
}

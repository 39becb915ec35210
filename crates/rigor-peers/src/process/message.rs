//! Requests to an engine and its replies: one JSON object per line each.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rigor_math::UnitQuaternion;
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::capabilities::{Capabilities, JointType};
use super::config::{Concave, Parameter, Setting};

/// A request; its kind is the key `do`.
#[derive(Debug, Serialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request<'a> {
    /// Introduce yourself.
    Hello {
        /// The version of the protocol.
        protocol: u32,
    },
    /// Build a world.
    Load(&'a Load),
    /// Take `n` steps; the reply has the dynamic bodies and the contacts after each.
    Advance {
        /// The number of steps.
        n: u64,
        /// Kinematic bodies at the end of the last step.
        goals: &'a [Goal],
        /// Whether contacts are wanted.
        contacts: bool,
    },
    /// The dynamic bodies.
    State,
    /// The contacts of the last step.
    Contacts,
    /// End.
    Bye,
}

/// A kinematic body at the end of a step.
#[derive(Debug, Clone, Serialize)]
pub struct Goal {
    /// Its index in the scene.
    pub body: usize,
    /// Its row.
    pub state: Row,
}

/// Position of the centre of mass (m, world), orientation of the author's frame (quaternion w, x, y, z),
/// velocity of the centre of mass (m/s, world), angular velocity (rad/s, world).
pub type Row = [f64; 13];

/// Rows of numbers as an engine sends them.
#[derive(Debug, Clone)]
pub enum Numbers {
    /// All numbers: from an engine in this process, or the base64 text of their bytes, as f64 with the least significant
    /// byte first.
    Plain(Vec<f64>),
    /// Digits; null for a number that is not finite.
    Digits(Vec<Vec<Option<f64>>>),
}

impl Default for Numbers {
    fn default() -> Self {
        Self::Digits(Vec::new())
    }
}

impl Numbers {
    /// Returns the rows, with NaN for null; `None` if they are not rows of `N` numbers.
    ///
    /// ```
    /// use rigor_peers::process::message::Numbers;
    /// let one: Numbers = serde_json::from_str("\"AAAAAAAA8D8=\"").unwrap();
    /// assert_eq!(one.rows(), Some(vec![[1.0]]));
    /// assert_eq!(one.rows::<2>(), None);
    /// assert_eq!(Numbers::Plain(vec![1.0, 2.0]).rows(), Some(vec![[1.0], [2.0]]));
    /// assert_eq!(Numbers::Digits(vec![vec![Some(1.0), Some(2.0)]]).rows(), Some(vec![[1.0, 2.0]]));
    /// ```
    pub fn rows<const N: usize>(&self) -> Option<Vec<[f64; N]>> {
        match self {
            Self::Plain(numbers) => chunks(numbers),
            Self::Digits(rows) => {
                let row = |row: &Vec<Option<f64>>| {
                    let numbers: Vec<f64> = row.iter().map(|x| x.unwrap_or(f64::NAN)).collect();
                    numbers.try_into().ok()
                };
                rows.iter().map(row).collect()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(NumbersVisitor)
    }
}

/// Reads a text without a copy of it, since texts are long.
struct NumbersVisitor;

impl<'de> Visitor<'de> for NumbersVisitor {
    type Value = Numbers;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("rows of numbers, or the base64 text of the bytes of all numbers")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Numbers, E> {
        let bytes = BASE64_STANDARD.decode(text).map_err(E::custom)?;
        match bytes.as_chunks::<8>() {
            (words, []) => Ok(Numbers::Plain(words.iter().map(|word| f64::from_le_bytes(*word)).collect())),
            _ => Err(E::custom("the bytes of its base64 text are not those of numbers")),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Numbers, A::Error> {
        let mut found = Vec::new();
        while let Some(row) = rows.next_element()? {
            found.push(row);
        }
        Ok(Numbers::Digits(found))
    }
}

/// Returns the rows of `N` numbers; `None` if some are left.
fn chunks<const N: usize>(numbers: &[f64]) -> Option<Vec<[f64; N]>> {
    let (rows, left) = numbers.as_chunks::<N>();
    left.is_empty().then(|| rows.to_vec())
}

/// A scene in the author's frame.
#[derive(Debug, Clone, Serialize)]
pub struct Load {
    /// Δt (s).
    pub dt: f64,
    /// Gravity (m/s², world).
    pub gravity: [f64; 3],
    /// The set of settings.
    pub setting: Setting,
    /// Parameters in place of those of the set.
    pub tuning: BTreeMap<String, Parameter>,
    /// The representation of concave surfaces.
    pub concave: Concave,
    /// The bodies.
    pub bodies: Vec<LoadedBody>,
    /// Pairs of bodies without contact, in addition to those of equal groups.
    pub apart: Vec<[usize; 2]>,
    /// The joints.
    pub joints: Vec<LoadedJoint>,
}

/// A joint between a frame of one body and a frame of another or of the world, which coincide as far as its kind
/// demands.
#[derive(Debug, Clone, Serialize)]
pub struct LoadedJoint {
    /// Its name.
    pub name: String,
    /// Which relative motion is allowed.
    pub kind: JointType,
    /// The index of the first body.
    pub body_a: usize,
    /// The index of the second body; null is the world.
    pub body_b: Option<usize>,
    /// The frame of the first body, in its author's frame.
    pub frame_a: LoadedFrame,
    /// The frame of the second body, in its author's frame or in the world.
    pub frame_b: LoadedFrame,
    /// The distance (m) of the origins, for a joint of that kind.
    pub distance: Option<f64>,
}

/// A frame.
#[derive(Debug, Clone, Serialize)]
pub struct LoadedFrame {
    /// Its origin (m).
    pub position: [f64; 3],
    /// Its rotation, as a quaternion (w, x, y, z).
    pub rotation: [f64; 4],
}

/// A body. Lengths are in its author's frame.
#[derive(Debug, Clone, Serialize)]
pub struct LoadedBody {
    /// Its name.
    pub name: String,
    /// `static`, `dynamic` or `kinematic`.
    pub role: &'static str,
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass (m).
    pub com: [f64; 3],
    /// Principal frame → author's frame, as a quaternion (w, x, y, z).
    pub axes: [f64; 4],
    /// Principal moments of inertia (kg m²).
    pub inertia: [f64; 3],
    /// Coefficient of friction, so that the engine's rule gives that of the scene.
    pub friction: f64,
    /// Coefficient of static friction, likewise; used by engines that have one.
    pub static_friction: f64,
    /// Coefficient of restitution, likewise.
    pub restitution: f64,
    /// Bodies of equal groups do not collide.
    pub group: u32,
    /// Locked translations along world x, y, z.
    pub fixed_translation: [bool; 3],
    /// Locked rotations about world x, y, z.
    pub fixed_rotation: [bool; 3],
    /// Constant force (N, world).
    pub force: [f64; 3],
    /// Constant torque (N m, world).
    pub torque: [f64; 3],
    /// The surface.
    pub parts: Vec<LoadedPart>,
    /// Its state at the start.
    pub state: Row,
}

/// One shape of a body.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LoadedPart {
    /// A box with its centre and axes.
    Box {
        /// Half of each side (m).
        half_extents: [f64; 3],
        /// Its centre (m).
        position: [f64; 3],
        /// Its rotation, as a quaternion (w, x, y, z).
        rotation: [f64; 4],
    },
    /// A ball, for an engine that has them.
    Ball {
        /// Its radius (m).
        radius: f64,
        /// Its centre (m).
        position: [f64; 3],
    },
    /// All points within a radius of a segment, for an engine that has them.
    Capsule {
        /// The radius (m).
        radius: f64,
        /// Half of the length of the segment (m), which is along y of the part.
        half_length: f64,
        /// The middle of the segment (m).
        position: [f64; 3],
        /// The rotation of the part, as a quaternion (w, x, y, z).
        rotation: [f64; 4],
    },
    /// A convex polyhedron.
    Convex(Surface),
    /// A closed surface that is not convex.
    Concave(Surface),
    /// A surface with a boundary.
    Open(Surface),
}

/// Triangles.
#[derive(Debug, Clone, Serialize)]
pub struct Surface {
    /// Positions (m).
    pub vertices: Vec<[f64; 3]>,
    /// Corners, as indices of vertices, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// The reply when the engine cannot do what was asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// Why.
    pub error: String,
    /// The bodies involved.
    #[serde(default)]
    pub bodies: Vec<usize>,
}

/// The reply to `hello`.
#[derive(Debug, Clone, Deserialize)]
pub struct Hello {
    /// The version of the protocol.
    pub protocol: u32,
    /// The engine.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// What it can do.
    pub capabilities: Capabilities,
}

/// The reply to `load`: what the engine says that it uses.
#[derive(Debug, Clone, Deserialize)]
pub struct Loaded {
    /// Gravity (m/s², world).
    pub gravity: [f64; 3],
    /// Δt (s).
    pub dt: f64,
    /// Each body of the scene.
    pub bodies: Vec<UsedBody>,
    /// CPU time (s) of the process since it started, if it is known.
    #[serde(default)]
    pub process: Option<f64>,
}

/// What an engine uses for a body.
#[derive(Debug, Clone, Deserialize)]
pub struct UsedBody {
    /// Mass (kg); null for a body without.
    pub mass: Option<f64>,
    /// Centre of mass (m, author's frame); null for a body without mass.
    pub com: Option<[f64; 3]>,
    /// Inertia about the centre of mass in author's axes (kg m²): xx, yy, zz, xy, xz, yz; null for a body
    /// without.
    pub inertia: Option<[f64; 6]>,
    /// Coefficient of friction; null for a body without shapes, or if the engine does not tell.
    pub friction: Option<f64>,
}

/// The reply to `advance`.
#[derive(Debug, Deserialize)]
pub struct AdvanceReply {
    /// CPU time of the engine's own steps (s), without transport: one number per step.
    #[serde(default)]
    pub cpu: Vec<f64>,
    /// Peak memory of the process (bytes), if it is known.
    #[serde(default)]
    pub memory: Option<f64>,
    /// CPU time (s) of the process since it started, if it is known.
    #[serde(default)]
    pub process: Option<f64>,
    /// Every dynamic body, in the order of the scene, after each step: rows of 13 numbers.
    pub bodies: Numbers,
    /// The contacts of each step, if they were asked for: rows of 14 numbers.
    #[serde(default)]
    pub contacts: Numbers,
    /// The number of contacts of each step; may be empty if there are none.
    #[serde(default)]
    pub contact_counts: Vec<usize>,
}

/// A contact as an engine sends it: body a, body b, point (m, world), unit normal from b towards a, gap (m;
/// negative for penetration), normal force on a (N), friction force on a (N, world), coefficient of friction.
pub type SentContact = [f64; 14];

/// Returns the numbers of a quaternion, the real part first.
pub(crate) fn wxyz(q: &UnitQuaternion) -> [f64; 4] {
    [q.w, q.i, q.j, q.k]
}

//! The scene file as its author writes it.
//!
//! Every struct here is one table of the file. The docs of the fields become the descriptions of the JSON
//! schema, so they state units and defaults.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub mod body;
pub mod either;
pub mod fluid;
pub mod geometry;
pub mod joint;
pub mod particle;
pub mod placement;
pub mod shape;
pub mod soft;

pub use body::{BodyEntry, Copies, Fixed, InertiaEntry, Keyframe, MotionEntry, RoleName};
pub use either::{FrictionEntry, FrictionPair, Group, Scale};
pub use fluid::FluidEntry;
pub use geometry::MeshShape;
pub use joint::{JointCopies, JointEntry, JointName, LengthEntry, SlideEntry, SwingEntry, TurnEntry};
pub use particle::{AttachmentEntry, BondEntry, BondName, ParticleChoice, ParticleCopies, ParticleEntry};
pub use placement::Placement;
pub use shape::ShapeEntry;
pub use soft::{ClothBending, ClothEntry, RopeEntry, SoftElement, SoftEntry, SoftLaw};

/// The format version that this program reads and writes.
pub const FORMAT: u32 = 1;

/// A scene file. Lengths are in metres, masses in kilograms, times in seconds; y points up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "Rigor scene")]
pub struct Document {
    /// Format version; must be 1.
    pub format: u32,
    /// Short name, such as `erleben/wedges`. Default: the file name without its extension.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// One paragraph on what the scene shows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Scene files to read first, by paths relative to this one. Their arrays of tables (bodies, particles,
    /// ropes, joints, …, expectations) precede those of this file; any other key of theirs applies unless
    /// this file sets it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// The origin of the scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceEntry>,
    /// Gravity (m/s², world).
    pub gravity: [f64; 3],
    /// Suggested time step and duration.
    pub time: TimeEntry,
    /// Factor of all lengths; density, gravity, speeds and times stay as they are, settings of methods too. A run at another
    /// size is judged by expectations of zero only.
    #[serde(skip_serializing_if = "is_one")]
    pub scale: f64,
    /// How the friction coefficients of two bodies are combined for their contact.
    pub friction_rule: CombineName,
    /// How the restitution coefficients of two bodies are combined for their contact.
    pub restitution_rule: CombineName,
    /// Rigid bodies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<BodyEntry>,
    /// Point masses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub particle: Vec<ParticleEntry>,
    /// Ropes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rope: Vec<RopeEntry>,
    /// Cloths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cloth: Vec<ClothEntry>,
    /// Soft blocks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub soft: Vec<SoftEntry>,
    /// Blocks of liquid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fluid: Vec<FluidEntry>,
    /// Elastic constraints between particles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bond: Vec<BondEntry>,
    /// Particles tied to bodies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachment: Vec<AttachmentEntry>,
    /// Joints between two bodies, or between a body and the world.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<JointEntry>,
    /// Pairs of bodies between which contact is disabled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contact_free: Vec<ContactFreeEntry>,
    /// Settings of each method under its name; the method validates them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub method: BTreeMap<String, serde_json::Map<String, serde_json::Value>>,
    /// What judges must find in a run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<ExpectEntry>,
}

impl Default for Document {
    fn default() -> Self {
        Self {
            format: FORMAT,
            name: String::new(),
            description: String::new(),
            include: Vec::new(),
            source: None,
            gravity: [0.0, -9.81, 0.0],
            time: TimeEntry::default(),
            scale: 1.0,
            friction_rule: CombineName::default(),
            restitution_rule: CombineName::default(),
            body: Vec::new(),
            particle: Vec::new(),
            rope: Vec::new(),
            cloth: Vec::new(),
            soft: Vec::new(),
            fluid: Vec::new(),
            bond: Vec::new(),
            attachment: Vec::new(),
            joint: Vec::new(),
            contact_free: Vec::new(),
            method: BTreeMap::new(),
            expect: Vec::new(),
        }
    }
}

/// Suggested time step and duration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Time")]
pub struct TimeEntry {
    /// Time step (s).
    pub dt: f64,
    /// Simulated time (s).
    pub duration: f64,
}

impl Default for TimeEntry {
    fn default() -> Self {
        Self { dt: 0.01, duration: 1.0 }
    }
}

/// The origin of a scene.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Source")]
pub struct SourceEntry {
    /// Key in `docs/references.md`, such as `Ferguson2021`.
    pub key: String,
    /// Figure, table, section or file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// Further information, such as deviations from the source.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// How the coefficients a and b of two bodies are combined for their contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CombineRule")]
pub enum CombineName {
    /// (a + b)/2.
    #[default]
    Average,
    /// min(a, b).
    Min,
    /// max(a, b).
    Max,
    /// a·b.
    Product,
    /// √(a·b).
    GeometricMean,
}

/// A pair of bodies between which contact is disabled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ContactFree")]
pub struct ContactFreeEntry {
    /// The names of the two bodies.
    pub bodies: [String; 2],
}

/// What a judge must find: a figure and one bound on it (`at_most`, `at_least`, or `near` with `tolerance`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Expectation")]
pub struct ExpectEntry {
    /// The judge's figure, as `judge.figure`, for example `penetration.deepest`.
    pub figure: String,
    /// The body that the figure describes. Default: the whole scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Upper bound of the figure (in its unit).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Lower bound of the figure (in its unit).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// Target of the figure (in its unit), to be met within `tolerance`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<f64>,
    /// Maximum deviation of the figure from `near` (in its unit).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// The methods that claim to meet it. Default: all. Others are measured against it for information.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<String>,
    /// The reason why only these methods claim it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub methods_because: String,
    /// The reason, in a sentence with its source.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
}

/// Whether a factor changes nothing and therefore need not be written.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(factor: &f64) -> bool {
    *factor == 1.0
}

/// Whether a value equals its type's default and therefore need not be written.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

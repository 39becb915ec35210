//! `[[particle]]`, `[[bond]]` and `[[attachment]]`: single point masses, constraints between them, and ties
//! to bodies.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::either::FrictionEntry;
use super::is_default;

/// A point mass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Particle")]
pub struct ParticleEntry {
    /// Unique among the particles, ropes, cloths and soft blocks, without `.`. Default: no name.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = null))]
    pub name: String,
    /// Mass (kg).
    pub mass: f64,
    /// Whether the particle never moves; its mass is then ignored.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = false))]
    pub pinned: bool,
    /// Contact radius (m).
    pub radius: f64,
    /// Coulomb coefficient μ ≥ 0 (dimensionless), or `{ static = …, dynamic = … }`.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub friction: FrictionEntry,
    /// Coefficient of restitution e in [0, 1] (dimensionless).
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub restitution: f64,
    /// Position at time 0 (m, world).
    pub position: [f64; 3],
    /// Velocity at time 0 (m/s, world).
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub velocity: [f64; 3],
    /// A grid of identical particles instead of one, by the numbers `NAME.0`, `NAME.1` and so on, along z first,
    /// then y, then x.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<ParticleCopies>,
}

/// A grid of identical particles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParticleCopies {
    /// Number along the world's x, y, z; each at least 1.
    pub count: [u32; 3],
    /// Distance between neighbours along x, y, z (m).
    pub spacing: [f64; 3],
    /// Displacement (m, world) of every second layer along y, so that grains do not stand on each other.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub stagger: [f64; 3],
}

impl Default for ParticleEntry {
    fn default() -> Self {
        Self {
            name: String::new(),
            mass: 1.0,
            pinned: false,
            radius: 0.0,
            friction: FrictionEntry::default(),
            restitution: 0.0,
            position: [0.0; 3],
            velocity: [0.0; 3],
            copies: None,
        }
    }
}

/// An elastic constraint C between particles, with energy C²/(2α).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Bond")]
pub struct BondEntry {
    /// The constrained quantity.
    #[serde(default)]
    pub kind: BondName,
    /// The constrained particles: each a number among the `particle` tables, a name, or a particle of a rope,
    /// a cloth or a soft block such as `NAME.3`.
    pub particles: Vec<ParticleChoice>,
    /// Rest value (m, rad or m³). Default: the value at time 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<f64>,
    /// Compliance α ≥ 0 (m/N, rad/(N m) or m⁶/J), the inverse of the stiffness; 0 is rigid.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub compliance: f64,
}

/// The quantity that a bond constrains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BondKind")]
pub enum BondName {
    /// The distance between two particles (m).
    #[default]
    Distance,
    /// The angle (rad) between the triangles of particles 1, 2, 3 and 1, 2, 4 about their common edge 1 2; 0
    /// where they lie flat.
    Bending,
    /// The volume of the tetrahedron of four particles (m³), positive if 2, 3, 4 are counter-clockwise seen
    /// from the side away from 1.
    Volume,
}

/// Particles tied to a body, each to the point of the body that coincides with it at time 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Attachment")]
pub struct AttachmentEntry {
    /// The particles: a number among the `particle` tables, a name, or a part of a rope, a cloth or a soft
    /// block such as `rope.last`, `rope.3`, `cloth.corner_u`, `block.x_min`.
    pub particles: ParticleChoice,
    /// Name of the body.
    pub body: String,
    /// Compliance α ≥ 0 (m/N) of each tie, the inverse of its stiffness; 0 is rigid.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub compliance: f64,
}

/// Particles by number or name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ParticleChoice {
    /// One particle, by its number from 0.
    Number(u32),
    /// By name.
    Name(String),
}

impl<'de> Deserialize<'de> for ParticleChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = ParticleChoice;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name or a whole number from 0 to 4294967295")
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<ParticleChoice, E> {
                let out_of_range = |_| E::invalid_value(Unexpected::Unsigned(value), &self);
                u32::try_from(value).map(ParticleChoice::Number).map_err(out_of_range)
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<ParticleChoice, E> {
                let out_of_range = |_| E::invalid_value(Unexpected::Signed(value), &self);
                u32::try_from(value).map(ParticleChoice::Number).map_err(out_of_range)
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<ParticleChoice, E> {
                Ok(ParticleChoice::Name(value.to_owned()))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

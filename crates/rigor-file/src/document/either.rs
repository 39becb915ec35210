//! Values that may be written in two ways, deserialised so that errors keep their place.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// One coefficient for sticking and sliding, or one for each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Friction")]
pub enum FrictionEntry {
    /// μ for both (dimensionless, ≥ 0).
    Uniform(f64),
    /// One coefficient for each.
    Pair(FrictionPair),
}

/// Static and dynamic Coulomb coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrictionPair {
    /// μ_s: the largest tangential force that holds a contact, divided by the normal force (≥ 0).
    #[serde(rename = "static")]
    pub static_: f64,
    /// μ_d: the tangential force of a sliding contact, divided by the normal force (≥ 0).
    pub dynamic: f64,
}

impl Default for FrictionEntry {
    fn default() -> Self {
        Self::Uniform(0.0)
    }
}

/// One factor for all axes, or one for each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Scale {
    /// The same along x, y and z (not 0; a negative factor mirrors).
    Uniform(f64),
    /// Along x, y, z (not 0; negative factors mirror).
    Axes([f64; 3]),
}

impl Scale {
    /// Returns the factors along x, y, z.
    pub fn axes(self) -> [f64; 3] {
        match self {
            Self::Uniform(s) => [s; 3],
            Self::Axes(axes) => axes,
        }
    }
}

impl Default for Scale {
    fn default() -> Self {
        Self::Uniform(1.0)
    }
}

/// A closed curve in the x–y plane.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Outline")]
pub enum OutlineEntry {
    /// Vertices of a polygon (m), at least three; the last is joined to the first.
    Polygon(Vec<[f64; 2]>),
    /// A circle.
    Circle(Circle),
}

/// A circle in the x–y plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Circle {
    /// Centre (m).
    #[serde(default, skip_serializing_if = "super::is_default")]
    #[schemars(extend("default" = [0.0, 0.0]))]
    pub center: [f64; 2],
    /// Radius (m).
    pub radius: f64,
    /// Number of vertices, 3 to 4096.
    #[serde(default = "round")]
    pub segments: u32,
}

fn round() -> u32 {
    32
}

/// A group by name or by number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Group {
    /// By number.
    Number(u32),
    /// By name.
    Name(String),
}

impl<'de> Deserialize<'de> for FrictionEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = FrictionEntry;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or { static = …, dynamic = … }")
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<FrictionEntry, E> {
                Ok(FrictionEntry::Uniform(value))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<FrictionEntry, E> {
                Ok(FrictionEntry::Uniform(value as f64))
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<FrictionEntry, E> {
                Ok(FrictionEntry::Uniform(value as f64))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FrictionEntry, A::Error> {
                FrictionPair::deserialize(MapAccessDeserializer::new(map)).map(FrictionEntry::Pair)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl<'de> Deserialize<'de> for Scale {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Scale;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or an array of 3 numbers")
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Scale, E> {
                Ok(Scale::Uniform(value))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Scale, E> {
                Ok(Scale::Uniform(value as f64))
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<Scale, E> {
                Ok(Scale::Uniform(value as f64))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Scale, A::Error> {
                <[f64; 3]>::deserialize(SeqAccessDeserializer::new(seq)).map(Scale::Axes)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl<'de> Deserialize<'de> for OutlineEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = OutlineEntry;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of points or { radius = … }")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<OutlineEntry, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(OutlineEntry::Polygon)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OutlineEntry, A::Error> {
                Circle::deserialize(MapAccessDeserializer::new(map)).map(OutlineEntry::Circle)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl<'de> Deserialize<'de> for Group {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Group;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name or a whole number from 0 to 4294967295")
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<Group, E> {
                let out_of_range = || E::invalid_value(serde::de::Unexpected::Unsigned(value), &self);
                u32::try_from(value).map(Group::Number).map_err(|_| out_of_range())
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Group, E> {
                let out_of_range = || E::invalid_value(serde::de::Unexpected::Signed(value), &self);
                u32::try_from(value).map(Group::Number).map_err(|_| out_of_range())
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<Group, E> {
                Ok(Group::Name(value.to_owned()))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

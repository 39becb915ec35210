//! Friction and restitution under an engine's own rule of combination.

use rigor_scene::{Body, BodyId, Scene};
use serde::{Deserialize, Serialize};

/// How an engine combines the coefficients of two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// (a + b)/2.
    Average,
    /// min(a, b).
    Minimum,
    /// max(a, b).
    Maximum,
    /// a·b.
    Product,
    /// √(a·b).
    GeometricMean,
    /// 2ab/(a + b).
    Harmonic,
}

impl Rule {
    /// Returns the coefficient of a contact between surfaces with coefficients `a` and `b`.
    ///
    /// ```
    /// use rigor_peers::process::coefficient::Rule;
    /// assert_eq!(Rule::Harmonic.combine(0.2, 0.6), 0.3);
    /// assert_eq!(Rule::Harmonic.combine(0.0, 0.0), 0.0);
    /// ```
    pub fn combine(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Average => 0.5 * (a + b),
            Self::Minimum => a.min(b),
            Self::Maximum => a.max(b),
            Self::Product => a * b,
            Self::GeometricMean => (a * b).sqrt(),
            Self::Harmonic if a + b > 0.0 => 2.0 * a * b / (a + b),
            Self::Harmonic => 0.0,
        }
    }

    /// Returns the coefficient that, combined with itself, gives `c`.
    pub fn own(self, c: f64) -> f64 {
        if self == Self::Product { c.sqrt() } else { c }
    }

    /// The rule in one or two words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Average => "average",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::Product => "product",
            Self::GeometricMean => "geometric mean",
            Self::Harmonic => "harmonic mean",
        }
    }
}

/// Coefficients for an engine, one per body.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The coefficient of each body.
    pub values: Vec<f64>,
    /// The pair whose coefficient differs most from the scene's; `None` if all agree.
    pub worst: Option<Mismatch>,
}

/// A pair of bodies whose coefficient is not that of the scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mismatch {
    /// The bodies.
    pub bodies: [BodyId; 2],
    /// The coefficient of the scene.
    pub asked: f64,
    /// The coefficient under the engine's rule.
    pub used: f64,
}

/// Chooses coefficients that, under the engine's `rule`, give each pair of bodies that can collide the
/// coefficient `pair` of the scene, if there are any.
///
/// If all pairs have the same coefficient, one value for all bodies gives it under every rule; otherwise the
/// bodies keep their `own` coefficients, and the worst pair is returned.
pub fn choose(
    scene: &Scene,
    rule: Rule,
    own: impl Fn(&Body) -> f64,
    pair: impl Fn(BodyId, BodyId) -> f64,
) -> Chosen {
    let values: Vec<f64> = scene.bodies.iter().map(own).collect();
    let pairs = || scene.body_ids().flat_map(|a| (a.0 + 1..scene.bodies.len()).map(move |b| (a, BodyId(b))));
    let mut asked = pairs().filter(|(a, b)| scene.can_collide(*a, *b));
    if let Some(first) = asked.next().map(|(a, b)| pair(a, b))
        && asked.all(|(a, b)| pair(a, b).to_bits() == first.to_bits())
    {
        return Chosen { values: vec![rule.own(first); scene.bodies.len()], worst: None };
    }
    let mismatch = |(a, b): (BodyId, BodyId)| Mismatch {
        bodies: [a, b],
        asked: pair(a, b),
        used: rule.combine(values[a.0], values[b.0]),
    };
    let size = |m: &Mismatch| (m.asked - m.used).abs();
    let worst = pairs()
        .filter(|(a, b)| scene.can_collide(*a, *b))
        .map(mismatch)
        .filter(|m| size(m) > 1e-12)
        .max_by(|a, b| size(a).total_cmp(&size(b)));
    Chosen { values, worst }
}

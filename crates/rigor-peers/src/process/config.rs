//! The settings of a peer.

use std::collections::BTreeMap;

use rigor_scene::{Allowed, ConfigError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of an engine in a process of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Program and arguments that start the engine; empty for the adapter that `rigor peers install` puts in
    /// place. Any program that speaks the protocol of docs/peer-protocol.md can be given.
    pub command: Vec<String>,
    /// The settings of the engine; docs/peers.md lists both sets in full.
    pub setting: Setting,
    /// Parameters of the engine in place of those of the set, by the names that its adapter has.
    pub tuning: BTreeMap<String, Parameter>,
    /// The representation of a concave surface in an engine that has only convex shapes.
    pub concave: Concave,
    /// Whether contacts are read from the engine after each step. Without them judges of forces have nothing to judge.
    pub contacts: bool,
    /// Maximum time (s) to start the engine and to load a scene, convex decomposition included.
    pub start_timeout: f64,
    /// Maximum time (s) of one step.
    pub step_timeout: f64,
}

/// A parameter of an engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Parameter {
    /// A number.
    Number(f64),
    /// A word.
    Text(String),
}

/// A set of settings of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// Those that a newcomer gets.
    Default,
    /// Those that the engine's documentation recommends for accuracy, with parameters that it leaves open chosen by the rule of docs/peers.md.
    Best,
}

/// The representation of a concave surface in an engine that has only convex shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Concave {
    /// Convex pieces, by CoACD where docs/peers.md names nothing else.
    Pieces,
    /// The convex hull.
    Hull,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            setting: Setting::Default,
            tuning: BTreeMap::new(),
            concave: Concave::Pieces,
            contacts: true,
            start_timeout: 300.0,
            step_timeout: 60.0,
        }
    }
}

impl Config {
    /// Checks the ranges of the settings.
    ///
    /// # Errors
    /// [`ConfigError`] with the setting, its value and the allowed range.
    ///
    /// ```
    /// use rigor_peers::process::Config;
    /// assert!(Config::default().validate().is_ok());
    /// let never = Config { step_timeout: 0.0, ..Config::default() };
    /// assert_eq!(never.validate().unwrap_err().setting, "step_timeout");
    /// ```
    pub fn validate(&self) -> Result<(), ConfigError> {
        let allowed =
            Allowed::numbers(std::ops::Bound::Excluded(0.0), std::ops::Bound::Included(MAX_TIMEOUT));
        allowed.check("start_timeout", self.start_timeout)?;
        allowed.check("step_timeout", self.step_timeout)
    }
}

/// The longest time limit (s): a day.
const MAX_TIMEOUT: f64 = 86_400.0;

//! Settings.

use serde::{Deserialize, Serialize};

/// Settings of the `free` method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Substeps of the rotation per step: h = Δt / substeps. Translation is exact and needs none.
    pub substeps: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { substeps: 1 }
    }
}

impl Config {
    /// Checks that each setting is in its range.
    ///
    /// # Errors
    /// A message that names the setting, its value and the allowed range.
    ///
    /// ```
    /// assert!(rigor_free::Config { substeps: 0 }.validate().is_err());
    /// ```
    pub fn validate(&self) -> Result<(), String> {
        if (1..=1_000_000).contains(&self.substeps) {
            Ok(())
        } else {
            Err(format!("substeps is {}: it must be between 1 and 1000000", self.substeps))
        }
    }
}

//! Settings.

use rigor_scene::{Allowed, ConfigError};
use serde::{Deserialize, Serialize};

/// Settings of the `free` method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Parts in which a step is computed. The motion is exact in each, so that more of them change rounding only.
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
    /// [`ConfigError`] with the setting, its value and the allowed range.
    ///
    /// ```
    /// let error = rigor_free::Config { substeps: 0 }.validate().unwrap_err();
    /// assert_eq!(error.to_string(), "substeps is 0: it must be between 1 and 1000000");
    /// ```
    pub fn validate(&self) -> Result<(), ConfigError> {
        Allowed::integers(1, 1_000_000).check("substeps", self.substeps)
    }
}

//! The methods of the comparison, each with its settings.

use serde::Deserialize;

use super::error::TableError;

/// A method with settings; a method may have several variants.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Name in tables and plots.
    pub label: String,
    /// The method, by its name in the registry.
    pub method: String,
    /// Its settings, such as `substeps=1`.
    #[serde(default)]
    pub set: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    variant: Vec<Variant>,
}

/// All variants, in the order of the tables.
///
/// # Errors
/// The built-in `methods.toml` is invalid.
pub fn all() -> Result<Vec<Variant>, TableError> {
    let table: Table = toml::from_str(include_str!("../../accuracy/methods.toml"))
        .map_err(|source| TableError::Toml { file: "methods.toml", source })?;
    Ok(table.variant)
}

impl Variant {
    /// The settings in the form of changes to a scene.
    pub fn overrides(&self) -> Vec<String> {
        self.set.iter().map(|setting| format!("method.{}.{setting}", self.method)).collect()
    }
}

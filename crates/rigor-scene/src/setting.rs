//! Settings of a method as a scene gives them, whatever the format of its file.

use std::collections::BTreeMap;

/// The settings of one method, by key.
pub type Settings = BTreeMap<String, Setting>;

/// The value of one setting.
///
/// ```
/// use rigor_scene::{Setting, Settings};
/// let settings = Settings::from([("substeps".into(), Setting::Integer(20))]);
/// assert_eq!(settings["substeps"].as_f64(), Some(20.0));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// True or false.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Any other finite number.
    Number(f64),
    /// A word or a sentence.
    Text(String),
    /// Values in order.
    List(Vec<Setting>),
    /// Values by key.
    Table(Settings),
}

impl Setting {
    /// The number, whole or not; `None` for anything else.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(n) => Some(*n as f64),
            Self::Number(x) => Some(*x),
            _ => None,
        }
    }
}

impl From<bool> for Setting {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Setting {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Setting {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Setting {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

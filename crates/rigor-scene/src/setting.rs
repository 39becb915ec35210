//! Settings of a method as a scene gives them, whatever the format of its file.

use std::collections::BTreeMap;
use std::fmt;

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
            Self::Bool(_) | Self::Text(_) | Self::List(_) | Self::Table(_) => None,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(n) => write!(f, "{n}"),
            Self::Number(x) => write!(f, "{x}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(values) => {
                let values: Vec<String> = values.iter().map(Self::to_string).collect();
                write!(f, "[{}]", values.join(", "))
            }
            Self::Table(values) => {
                let values: Vec<String> =
                    values.iter().map(|(key, value)| format!("{key} = {value}")).collect();
                write!(f, "{{ {} }}", values.join(", "))
            }
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

impl From<i32> for Setting {
    fn from(value: i32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<u32> for Setting {
    fn from(value: u32) -> Self {
        Self::Integer(value.into())
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

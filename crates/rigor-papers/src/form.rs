//! The two forms of a method: as its paper prints it, and as it is here.

use serde::Deserialize;

/// The form of a method in which a figure is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// With the settings that select every form that the paper prints.
    Printed,
    /// With the settings of the scene.
    Here,
}

impl Form {
    /// Both, in the order of tables.
    pub const BOTH: [Self; 2] = [Self::Printed, Self::Here];

    /// Returns its name in headings.
    pub fn words(self) -> &'static str {
        match self {
            Self::Printed => "as printed",
            Self::Here => "as here",
        }
    }

    /// Returns what a method in this form is called in tables.
    pub fn label(self, method: &str) -> String {
        match self {
            Self::Printed => format!("{method}, {}", self.words()),
            Self::Here => method.to_owned(),
        }
    }
}

/// The settings that select every form that the paper prints.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Printed {
    /// Changes to every scene, `KEY=VALUE`.
    pub set: Vec<String>,
    /// What differs from the paper even so, in a sentence.
    pub remaining: String,
}

impl Printed {
    /// Whether there is something to run in a form: without printed settings there is no printed form.
    pub(crate) fn has(&self, form: Form) -> bool {
        form == Form::Here || !self.set.is_empty()
    }

    /// Returns the changes for a method in a form.
    pub(crate) fn of<'a>(&'a self, form: Form, method: &str) -> impl Iterator<Item = &'a String> {
        let prefix = format!("method.{method}.");
        self.set.iter().filter(move |line| form == Form::Printed && line.starts_with(&prefix))
    }

    /// Returns the printed settings to which one of the `changes` gives another value.
    pub(crate) fn replaced<'a>(&self, changes: impl Iterator<Item = &'a String> + Clone) -> Vec<String> {
        let key = |line: &str| line.split('=').next().unwrap_or_default().trim().to_owned();
        let bare = |line: &str| line.replace([' ', '"'], "");
        let is_other =
            |line: &&String| changes.clone().any(|own| key(own) == key(line) && bare(own) != bare(line));
        self.set.iter().filter(is_other).cloned().collect()
    }
}

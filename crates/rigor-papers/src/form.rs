//! The two forms of a method: as its paper prints it, and as it is here.

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

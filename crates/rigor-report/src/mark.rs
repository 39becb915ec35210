//! The mark of a judged cell, claim or table.

/// The mark of a judged cell, claim or table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Not judged, or nothing to judge.
    Plain,
    /// Correct.
    Good,
    /// Slightly off.
    Slight,
    /// Wrong.
    Bad,
}

impl Mark {
    /// Returns the style class.
    pub fn class(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Good => "good",
            Self::Slight => "slight",
            Self::Bad => "bad",
        }
    }

    /// Returns a sign that gives the same information without colour.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Good => "✓",
            Self::Slight => "≈",
            Self::Bad => "✗",
        }
    }
}

//! How a cell, a claim or a table is judged.

/// How a cell is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Not judged, or nothing to judge.
    Plain,
    /// As it should be.
    Good,
    /// A little off.
    Slight,
    /// Wrong.
    Bad,
}

impl Mark {
    /// Its style class.
    pub fn class(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Good => "good",
            Self::Slight => "slight",
            Self::Bad => "bad",
        }
    }

    /// A sign that says the same without colour.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Good => "✓",
            Self::Slight => "≈",
            Self::Bad => "✗",
        }
    }
}

//! Colours of a terminal.

/// A colour.
#[derive(Debug, Clone, Copy)]
pub enum Colour {
    /// Of errors.
    Red,
    /// Of warnings.
    Yellow,
    /// Of marked places.
    Magenta,
    /// Of advice and names of files.
    Cyan,
    /// Of line numbers.
    Dim,
}

impl Colour {
    /// Parameter of "select graphic rendition" (ECMA-48, 8.3.117).
    fn code(self) -> u8 {
        match self {
            Self::Red => 31,
            Self::Yellow => 33,
            Self::Magenta => 35,
            Self::Cyan => 36,
            Self::Dim => 2,
        }
    }
}

/// Adds colours, or leaves text as it is.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    /// Whether to add colours.
    pub is_coloured: bool,
}

impl Paint {
    /// Returns `text` in a colour.
    pub fn with(self, colour: Colour, text: &str) -> String {
        if !self.is_coloured {
            return text.to_owned();
        }
        format!("\u{1b}[{}m{text}\u{1b}[0m", colour.code())
    }
}

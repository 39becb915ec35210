//! What a note about a file means for the scene.

/// What an entry means for the scene, the most serious first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Masses, bodies, joints, forces or contacts are not those of the file.
    Physics,
    /// A rule decided what the file leaves open.
    Rule,
    /// The scene looks otherwise.
    Look,
    /// Nothing in a scene corresponds to it, and motion does not depend on it.
    Unused,
}

impl Grade {
    /// All grades, the most serious first.
    pub const ALL: [Self; 4] = [Self::Physics, Self::Rule, Self::Look, Self::Unused];

    /// The words for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Physics => "changes the physics",
            Self::Rule => "rule",
            Self::Look => "changes the look",
            Self::Unused => "unused",
        }
    }
}

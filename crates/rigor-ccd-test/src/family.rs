//! Families of queries, by what makes them hard.

use std::fmt;

/// Queries that are hard in one particular way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Plain hits: the primitives meet in their interiors at a moderate speed.
    Transversal,
    /// Plain misses.
    Far,
    /// At contact they move past each other, hardly towards each other.
    Grazing,
    /// They slide along each other at a distance just below or above d_min.
    Sliding,
    /// Many turns during the step; for straight motions, points that overtake each other.
    Spinning,
    /// Nearly parallel edges; triangles approached nearly in their plane.
    NearParallel,
    /// Everything stays in one plane.
    Coplanar,
    /// Needle triangles and very short edges.
    Needle,
    /// Sizes from 1e-8 to 1e8.
    Scaled,
    /// d_min from a hundredth to a tenth of the size.
    Separated,
    /// Contact shortly after the start.
    AtStart,
    /// Contact at the end or shortly before.
    AtEnd,
    /// Gaps of 1e-12 to 1e-3 that hardly close.
    TinyGap,
    /// Approach at 1e2 to 1e5 sizes per step.
    Fast,
    /// 1e4 sizes away from the origin.
    Distant,
    /// Turns, arms and the distance from the origin, each between 1e-9 and 1e9 and drawn for each body by itself; for
    /// straight motions, lengths, speeds and the distance.
    Independent,
    /// The tip of a turning body dips below d_min at the bottom of its circle, by a small part of what it accelerates; for
    /// straight motions, a corner passes the other primitive as closely.
    Tip,
    /// Sizes or distances grow from 1e-6 to 1e6 in the step, or shrink; contact at the large end, by its last digits.
    Growing,
    /// Both primitives turn by the same angle about the same axis, close to each other.
    Together,
    /// 1e2 to 1e4 radians, by different angles about different axes; for straight motions, as many overtakings.
    ManyTurns,
    /// Contact at 1e-12 of the step, at any speed.
    Immediate,
    /// Coordinates from the smallest to the largest numbers.
    Largest,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 22] = [
        Self::Transversal,
        Self::Far,
        Self::Grazing,
        Self::Sliding,
        Self::Spinning,
        Self::NearParallel,
        Self::Coplanar,
        Self::Needle,
        Self::Scaled,
        Self::Separated,
        Self::AtStart,
        Self::AtEnd,
        Self::TinyGap,
        Self::Fast,
        Self::Distant,
        Self::Independent,
        Self::Tip,
        Self::Growing,
        Self::Together,
        Self::ManyTurns,
        Self::Immediate,
        Self::Largest,
    ];

    /// The name used in labels, files and tables, such as `near-parallel`.
    ///
    /// ```
    /// use rigor_ccd_test::Family;
    /// assert_eq!(Family::named("at-start"), Some(Family::AtStart));
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transversal => "transversal",
            Self::Far => "far",
            Self::Grazing => "grazing",
            Self::Sliding => "sliding",
            Self::Spinning => "spinning",
            Self::NearParallel => "near-parallel",
            Self::Coplanar => "coplanar",
            Self::Needle => "needle",
            Self::Scaled => "scaled",
            Self::Separated => "separated",
            Self::AtStart => "at-start",
            Self::AtEnd => "at-end",
            Self::TinyGap => "tiny-gap",
            Self::Fast => "fast",
            Self::Distant => "distant",
            Self::Independent => "independent",
            Self::Tip => "tip",
            Self::Growing => "growing",
            Self::Together => "together",
            Self::ManyTurns => "many-turns",
            Self::Immediate => "immediate",
            Self::Largest => "largest",
        }
    }

    /// Returns the family with this [`name`](Self::name).
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

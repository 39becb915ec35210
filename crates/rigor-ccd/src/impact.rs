//! What a query answers.

/// Whether, and when, two primitives come within the minimum separation of each other.
///
/// Times are fractions of the step. Whatever the variant, the primitives stay farther apart than d_min on all of
/// [0, `t_safe`], where `t_safe` is the horizon for [`Impact::Free`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Impact {
    /// Proven: they stay apart up to the horizon of the search.
    Free,
    /// They meet, or come too close to be told apart from those that meet.
    At {
        /// Proven: they stay apart on [0, `t_safe`]. 0 if nothing is proven, or only the start.
        t_safe: f64,
        /// Where the first impact is thought to be, `t_safe` ≤ `t_hit`; an estimate.
        t_hit: f64,
    },
    /// The search ended by its limit, or the question was no question: a number that is not finite, a negative d_min.
    Undecided {
        /// Proven: they stay apart on [0, `t_safe`].
        t_safe: f64,
        /// How many boxes, pieces or steps were spent.
        boxes: usize,
    },
}

impl Impact {
    /// The answer to a question that is none.
    pub const NO_QUESTION: Self = Self::Undecided { t_safe: 0.0, boxes: 0 };

    /// Up to where the primitives are proven to stay apart: `horizon` if free.
    ///
    /// ```
    /// use rigor_ccd::Impact;
    /// assert_eq!(Impact::Free.t_safe(1.0), 1.0);
    /// assert_eq!(Impact::At { t_safe: 0.4, t_hit: 0.5 }.t_safe(1.0), 0.4);
    /// ```
    pub fn t_safe(&self, horizon: f64) -> f64 {
        match *self {
            Self::Free => horizon,
            Self::At { t_safe, .. } | Self::Undecided { t_safe, .. } => t_safe,
        }
    }

    /// Whether the primitives are proven to stay apart up to the horizon.
    pub fn is_free(&self) -> bool {
        matches!(self, Self::Free)
    }
}

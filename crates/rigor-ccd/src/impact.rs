//! The answer to a query.

/// Whether and when two primitives come within the minimum separation d_min of each other.
///
/// Times are fractions of the step. Whatever the variant, if `t_safe` > 0 the primitives stay farther apart
/// than d_min on all of [0, `t_safe`], where `t_safe` is the horizon for [`Impact::Free`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Impact {
    /// Proven: the primitives stay apart up to the horizon of the search.
    Free,
    /// The primitives meet, or come so close that the method cannot rule out an impact.
    At {
        /// Proven: they stay apart on [0, `t_safe`]. 0 if nothing is proven, or only that they start apart.
        t_safe: f64,
        /// Estimated time of the first impact, `t_safe` ≤ `t_hit`.
        t_hit: f64,
    },
    /// The search reached its limit, or the query is beyond the range of the method.
    Undecided {
        /// Proven if positive: they stay apart on [0, `t_safe`].
        t_safe: f64,
        /// Number of boxes, pieces or steps spent.
        boxes: usize,
    },
}

impl Impact {
    /// The answer to a query beyond the range of the method; promises nothing.
    pub(crate) const NOTHING: Self = Self::Undecided { t_safe: 0.0, boxes: 0 };

    /// Returns the time up to which the primitives are proven to stay apart: `horizon` for [`Impact::Free`].
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

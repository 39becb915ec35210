//! What is known of the answer to a query.

/// The true answer to a query with the horizon 1, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Truth {
    /// The primitives stay farther apart than d_min on all of [0, 1].
    Free,
    /// The first time at which they are at most d_min apart lies in [`lo`, `hi`] ⊂ [0, 1].
    First {
        /// Up to here they are proven to stay apart.
        lo: f64,
        /// By here they have proven to have met.
        hi: f64,
    },
    /// They come as near as d_min, at a time that is not known.
    Hit,
    /// Not known: no proof either way within the limits of precision and work; up to `lo` they are proven to stay apart.
    Unknown {
        /// Proven free up to here.
        lo: f64,
    },
}

/// A query with the truth about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Labelled<Q> {
    /// The question.
    pub query: Q,
    /// Its answer.
    pub truth: Truth,
    /// Where it comes from: a file and row, or a family and seed.
    pub label: String,
}

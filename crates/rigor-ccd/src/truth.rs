//! Knowledge about the correct answer to a query.

/// The correct answer to a query with horizon 1, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Truth {
    /// The primitives stay farther apart than d_min on all of [0, 1].
    Free,
    /// The first time at which they are at most d_min apart lies in [`lo`, `hi`] ⊂ [0, 1].
    First {
        /// They are proven to stay apart up to this time.
        lo: f64,
        /// They are proven to have met by this time.
        hi: f64,
    },
    /// They come within d_min of each other at an unknown time.
    Hit,
    /// Unknown: no proof either way within the limits of precision and work. They are proven to stay apart up
    /// to `lo`.
    Unknown {
        /// Proven free up to this time.
        lo: f64,
    },
}

/// A query with its ground truth.
#[derive(Debug, Clone, PartialEq)]
pub struct Labelled<Q> {
    /// The query.
    pub query: Q,
    /// The correct answer.
    pub truth: Truth,
    /// Origin: a file and row, or a family and seed.
    pub label: String,
}

//! Faults of the values of a key.

/// What is wrong with the values of a key.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AxisFault {
    /// No value.
    #[error("it has no value")]
    Empty,
    /// An unknown or missing key of a range.
    #[error("a range is {{ from = 0.4, to = 0.6, count = 21 }}, with scale = \"log\" for equal ratios")]
    NotARange,
    /// A number of values that is not allowed.
    #[error("count is {count}: it must be a whole number from 1 to 1000000")]
    Count {
        /// The number, as written.
        count: String,
    },
    /// Bounds that are no range.
    #[error("from is {from}, to is {to}: both must be finite, and positive on a logarithmic scale")]
    Bounds {
        /// Lower bound.
        from: f64,
        /// Upper bound.
        to: f64,
    },
    /// Lists of different lengths side by side.
    #[error("it has {found} values, the keys zipped with it have {expected}")]
    Lengths {
        /// Number of its values.
        found: usize,
        /// Number of the others' values.
        expected: usize,
    },
}

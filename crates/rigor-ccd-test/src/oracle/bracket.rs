//! Bounds on a distance.

/// `lower` ≤ distance ≤ `upper` (m), adjacent or nearly adjacent f64 numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// A lower bound (m).
    pub lower: f64,
    /// An upper bound (m).
    pub upper: f64,
}

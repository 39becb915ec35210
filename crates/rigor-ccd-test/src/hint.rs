//! Where and when two primitives may meet.

/// Where to look for a proof: a time, and the points Σ wᵢ xᵢ of A and of B that meet, with wᵢ ≥ 0 and sum 1
/// for each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hint {
    /// The time.
    pub t: f64,
    /// The weights w.
    pub weights: [f64; 4],
}

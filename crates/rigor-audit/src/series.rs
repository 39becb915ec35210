//! A quantity frame by frame, for plots.

/// One number per observed frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// `judge.quantity`, such as `energy.total`.
    pub name: &'static str,
    /// Unit of the values.
    pub unit: &'static str,
    /// Pairs of time (s) and value.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// Creates a series without points.
    pub fn new(name: &'static str, unit: &'static str) -> Self {
        Self { name, unit, points: Vec::new() }
    }
}

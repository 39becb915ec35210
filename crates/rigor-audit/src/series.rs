//! A quantity frame by frame, for plots.

use std::borrow::Cow;

/// One number per observed frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// `judge.quantity`, such as `energy.total`.
    pub name: Cow<'static, str>,
    /// Unit of the values.
    pub unit: Cow<'static, str>,
    /// Pairs of time (s) and value.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// Creates a series without points.
    pub fn new(name: impl Into<Cow<'static, str>>, unit: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), unit: unit.into(), points: Vec::new() }
    }
}

//! The separations at which features touch.

/// Range of separations (m) that make a contact: from −depth to reach.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Window {
    pub depth: f64,
    pub reach: f64,
}

impl Window {
    pub fn admits(&self, separation: f64) -> bool {
        -self.depth <= separation && separation <= self.reach
    }

    /// Returns the distance (m) beyond which nothing touches.
    pub fn far(&self) -> f64 {
        self.depth.max(self.reach)
    }

    /// Returns this window, wider by `by` (m) on either side.
    pub fn grown(&self, by: f64) -> Self {
        Self { depth: self.depth + by, reach: self.reach + by }
    }
}

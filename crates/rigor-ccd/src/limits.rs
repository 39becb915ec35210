//! When a search stops.

/// When a search stops; what the tolerance measures is said at each method, which also has its defaults.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// How close to an impact the search goes before it answers [`Impact::At`](crate::Impact::At).
    pub tolerance: f64,
    /// How many boxes, pieces or steps may be spent; then the answer is
    /// [`Impact::Undecided`](crate::Impact::Undecided).
    pub max_boxes: usize,
}

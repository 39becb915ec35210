//! Tolerance and work limit of a search.

/// Stopping criteria of a search. Each method documents what its tolerance measures, and its defaults.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// How close to an impact the search gets before it answers [`Impact::At`](crate::Impact::At).
    pub tolerance: f64,
    /// Maximum number of boxes, pieces or steps. When they are spent the answer is
    /// [`Impact::Undecided`](crate::Impact::Undecided), unless the method says otherwise.
    pub max_boxes: usize,
}

//! Tolerance and work limit of a search.

/// Stopping criteria of a search. `T` says what the tolerance measures: [`MarginShare`], [`Length`] or
/// [`BoxSide`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits<T> {
    /// How close to an impact the search gets before it answers [`Impact::At`](crate::Impact::At).
    pub tolerance: T,
    /// Maximum number of boxes, pieces or steps. When they are spent the answer is
    /// [`Impact::Undecided`](crate::Impact::Undecided), unless the method says otherwise.
    pub max_boxes: usize,
}

/// A fraction of the initial margin, which is the distance at the start minus d_min: an impact is reported
/// when less than this is left.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct MarginShare(pub f64);

/// A length (m): an impact is reported where primitives or their motion are not resolved beyond it.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Length(pub f64);

/// The side of a box of time and parameters, as a fraction of the step, of an edge, or of a side of the
/// triangle: an impact is reported when a box with no longer side cannot be excluded.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct BoxSide(pub f64);

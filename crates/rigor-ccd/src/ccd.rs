//! The trait through which every implementation is called and tested.

use crate::Impact;

/// An implementation of continuous collision detection for queries of type `Q`.
///
/// The search covers [0, `horizon`] only, `horizon` ∈ (0, 1].
///
/// Every function or closure from a query and a horizon to an [`Impact`] implements this trait.
pub trait Ccd<Q> {
    /// Returns whether and when the primitives of `query` meet.
    fn impact(&self, query: &Q, horizon: f64) -> Impact;
}

impl<Q, F: Fn(&Q, f64) -> Impact> Ccd<Q> for F {
    fn impact(&self, query: &Q, horizon: f64) -> Impact {
        self(query, horizon)
    }
}

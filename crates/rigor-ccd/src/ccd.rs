//! The trait that every implementation is called and tested through.

use crate::Impact;

/// An implementation of continuous collision detection for queries of type `Q`.
///
/// `horizon` ∈ (0, 1] ends the search: only what happens on [0, `horizon`] is asked.
///
/// A function or closure from a query and a horizon to an [`Impact`] is one.
pub trait Ccd<Q> {
    /// Whether and when the primitives of `query` meet.
    fn impact(&self, query: &Q, horizon: f64) -> Impact;
}

impl<Q, F: Fn(&Q, f64) -> Impact> Ccd<Q> for F {
    fn impact(&self, query: &Q, horizon: f64) -> Impact {
        self(query, horizon)
    }
}

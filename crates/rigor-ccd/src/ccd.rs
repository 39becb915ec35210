//! The trait through which every implementation is called and tested.

use crate::{Impact, InvalidQuery};

/// The answer of an implementation: an [`Impact`], or the reason why the query is invalid.
pub type Answer = Result<Impact, InvalidQuery>;

/// An implementation of continuous collision detection for queries of type `Q`.
///
/// The search covers [0, `horizon`] only, `horizon` ∈ (0, 1].
///
/// Every function or closure from a query and a horizon to an [`Answer`] implements this trait.
pub trait Ccd<Q> {
    /// Returns whether and when the primitives of `query` meet.
    ///
    /// # Errors
    /// [`InvalidQuery`], with the invalid number, for an invalid query or horizon, and never for a valid one.
    fn impact(&self, query: &Q, horizon: f64) -> Answer;
}

impl<Q, F: Fn(&Q, f64) -> Answer> Ccd<Q> for F {
    fn impact(&self, query: &Q, horizon: f64) -> Answer {
        self(query, horizon)
    }
}

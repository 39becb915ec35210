//! Points that move along straight lines: two published methods, both with every rounding error bounded.
//!
//! | module | method |
//! | --- | --- |
//! | [`tight_inclusion`] | bisection of time and of the primitives' parameters, excluding boxes without an impact |
//! | [`additive`] | conservative advancement by the distance and a bound on the speed |

pub mod additive;
pub(crate) mod search;
pub mod tight_inclusion;

#[cfg(test)]
mod tests;

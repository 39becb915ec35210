//! Points that move along straight lines: two published ways to search them, both with every rounding counted.
//!
//! | module | how |
//! | --- | --- |
//! | [`tight_inclusion`] | bisection of time and of the primitives, excluding boxes in which they cannot meet |
//! | [`additive`] | conservative advancement by the distance and a bound on the speed |

pub mod additive;
pub(crate) mod search;
pub mod tight_inclusion;

#[cfg(test)]
mod tests;

//! The two methods on curves that \[Ferguson2021\] compares with, kept as baselines for measurements.
//!
//! | module | method |
//! | --- | --- |
//! | [`snyder`] | interval subdivision of time and of the primitives' parameters at once |
//! | [`redon`] | interval subdivision of time alone, for the times at which the points are coplanar; **has blind spots** |

pub mod redon;
pub mod snyder;

#[cfg(test)]
mod tests;

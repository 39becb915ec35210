//! The two methods on curves that [Ferguson2021] compares with, to be measured against.
//!
//! | module | how |
//! | --- | --- |
//! | [`snyder`] | interval subdivision of time and of the primitives' parameters at once |
//! | [`redon`] | interval subdivision of time alone, for when the points are coplanar; **has blind spots** |

pub mod redon;
pub mod snyder;

#[cfg(test)]
mod tests;

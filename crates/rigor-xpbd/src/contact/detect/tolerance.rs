//! Tolerances that several searches for contacts share.

/// Relative slack with which nearest points count as inside a feature: exactly aligned boxes touch corner on corner.
pub(super) const INSIDE: f64 = 1e-6;

/// Overlaps deeper than so many slops are looked at: whether there is matter all the way.
pub(super) const DEEP: f64 = 4.0;

/// How far past a hollow edge a foot still counts, in depths of the corner.
pub(super) const GROOVE: f64 = 4.0;

/// Squared sine of the angle under which two edges count as parallel.
pub(super) const PARALLEL: f64 = 1e-6;

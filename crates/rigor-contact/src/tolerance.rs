//! Tolerances shared by several contact searches.

/// Relative tolerance for nearest points to count as inside a feature: exactly aligned boxes touch corner on
/// corner.
pub(crate) const INSIDE: f64 = 1e-6;

/// Depth, in slops, beyond which an overlap is checked for matter all the way.
pub(crate) const DEEP: f64 = 4.0;

/// Maximum distance past a concave edge at which a foot still counts, in depths of the corner.
pub(crate) const GROOVE: f64 = 4.0;

/// Squared sine of the angle below which two edges count as parallel.
pub(crate) const PARALLEL: f64 = 1e-6;

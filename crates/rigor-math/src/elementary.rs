//! Elementary functions with the same bits on every platform.
//!
//! The standard library calls the system's mathematical library, whose last bit differs between systems; these call
//! `pxfm`, which is correctly rounded at nearly every point. Reliance is on an error of at most one unit in the
//! last place.

/// Sine and cosine of `x` (rad).
///
/// ```
/// let (s, c) = rigor_math::elementary::sin_cos(0.0);
/// assert_eq!((s, c), (0.0, 1.0));
/// ```
pub fn sin_cos(x: f64) -> (f64, f64) {
    (pxfm::f_sin(x), pxfm::f_cos(x))
}

/// Sine of `x` (rad).
pub fn sin(x: f64) -> f64 {
    pxfm::f_sin(x)
}

/// Cosine of `x` (rad).
pub fn cos(x: f64) -> f64 {
    pxfm::f_cos(x)
}

/// The angle (rad, in (−π, π]) of the point (`x`, `y`).
pub fn atan2(y: f64, x: f64) -> f64 {
    pxfm::f_atan2(y, x)
}

/// The angle (rad, in [0, π]) whose cosine is `x`; NaN outside [−1, 1].
pub fn acos(x: f64) -> f64 {
    pxfm::f_acos(x)
}

/// The angle (rad, in [−π/2, π/2]) whose sine is `x`; NaN outside [−1, 1].
pub fn asin(x: f64) -> f64 {
    pxfm::f_asin(x)
}

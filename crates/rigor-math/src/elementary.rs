//! Elementary functions with the same bits on every platform.
//!
//! The standard library calls the system's mathematical library, whose last bit differs between systems;
//! these functions call `pxfm`, which is correctly rounded at nearly every point. The workspace relies on an
//! error of at most one unit in the last place.

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

/// The angle (rad, in [−π, π]) of the point (`x`, `y`).
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

/// The natural logarithm of `x`; −∞ at 0, NaN below.
pub fn ln(x: f64) -> f64 {
    pxfm::f_log(x)
}

/// e to the power of `x`.
pub fn exp(x: f64) -> f64 {
    pxfm::f_exp(x)
}

/// Sine and cosine of `x` (degrees), exact at every multiple of 90°.
///
/// The angle is reduced exactly to [−45°, 45°] before conversion to radians, so that a quarter turn typed in
/// a file leaves no residue of 6·10⁻¹⁷.
///
/// ```
/// use rigor_math::elementary::sin_cos_degrees;
/// assert_eq!(sin_cos_degrees(90.0), (1.0, 0.0));
/// assert_eq!(sin_cos_degrees(-540.0), (0.0, -1.0));
/// ```
pub fn sin_cos_degrees(x: f64) -> (f64, f64) {
    let quarter_turns = (x % 360.0 / 90.0).round();
    let (s, c) = sin_cos((x % 360.0 - 90.0 * quarter_turns).to_radians());
    match quarter_turns.rem_euclid(4.0) {
        1.0 => (c, 0.0 - s),
        2.0 => (0.0 - s, -c),
        3.0 => (-c, s),
        _ => (s, c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn degrees_agree_with_radians() {
        for tenth in -9000..9000 {
            let degrees = f64::from(tenth) * 0.1;
            let (s, c) = sin_cos_degrees(degrees);
            // 15.7 rad · ε: rounding in the reference's conversion to radians.
            assert!((s - sin(degrees / 360.0 * TAU)).abs() < 6e-15);
            assert!((c - cos(degrees / 360.0 * TAU)).abs() < 6e-15);
        }
    }

    #[test]
    fn degrees_that_are_no_number_stay_none() {
        assert!(sin_cos_degrees(f64::NAN).0.is_nan());
        assert!(sin_cos_degrees(f64::INFINITY).1.is_nan());
    }
}

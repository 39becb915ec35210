//! Conversion of fractions of long integers to f64, exact or rounded.

use dashu_base::Approximation;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// Maximum number of digits of an integer; no finite f64 needs more.
const MAX_DIGITS: usize = 4096;

/// A fraction as f64.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fraction {
    /// The fraction equals this f64.
    Exact(f64),
    /// The fraction is not an f64; this is the nearest one.
    Rounded(f64),
}

/// The reason why two texts do not form a valid fraction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FractionError {
    /// A text is not an integer.
    #[error("an integer was expected, not `{found}`")]
    NoInteger {
        /// The beginning of the text.
        found: String,
    },
    /// An integer is too long.
    #[error("an integer has {digits} digits; at most {MAX_DIGITS} are read")]
    Digits {
        /// The number of its digits.
        digits: usize,
    },
    /// The denominator is zero or negative.
    #[error("a positive denominator was expected, not `{found}`")]
    Denominator {
        /// The beginning of the denominator.
        found: String,
    },
}

/// Converts the fraction of two decimal integers to f64.
///
/// # Errors
/// [`FractionError`] if a text is not an integer, has more than 4096 digits, or the denominator is not positive.
///
/// ```
/// use rigor_bench::ccd::rational::{Fraction, fraction};
/// assert_eq!(fraction("-3", "8"), Ok(Fraction::Exact(-0.375)));
/// assert_eq!(fraction("1", "3"), Ok(Fraction::Rounded(1.0 / 3.0)));
/// assert!(fraction("1", "0").is_err());
/// ```
pub fn fraction(numerator: &str, denominator: &str) -> Result<Fraction, FractionError> {
    let above = integer(numerator)?;
    let below = UBig::try_from(integer(denominator)?).ok().filter(|n| !n.is_zero());
    let below = below.ok_or_else(|| FractionError::Denominator { found: beginning(denominator) })?;
    Ok(match RBig::from_parts(above, below).to_f64() {
        Approximation::Exact(x) => Fraction::Exact(x),
        Approximation::Inexact(x, _) => Fraction::Rounded(x),
    })
}

fn integer(text: &str) -> Result<IBig, FractionError> {
    let no_integer = || FractionError::NoInteger { found: beginning(text) };
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(no_integer());
    }
    if digits.len() > MAX_DIGITS {
        return Err(FractionError::Digits { digits: digits.len() });
    }
    text.parse().map_err(|_| no_integer())
}

/// The first 40 characters of a text, for messages.
pub(super) fn beginning(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_fractions_are_cancelled_and_tiny_ones_are_exact() {
        let huge = format!("1{}", "0".repeat(400));
        assert_eq!(fraction(&huge, &huge), Ok(Fraction::Exact(1.0)));
        let below = (UBig::ONE << 1074).to_string();
        assert_eq!(fraction("-1", &below), Ok(Fraction::Exact(-f64::from_bits(1))));
        let below = (UBig::ONE << 1075).to_string();
        assert!(matches!(fraction("1", &below), Ok(Fraction::Rounded(_))));
        assert!(matches!(fraction(&huge, "1"), Ok(Fraction::Rounded(x)) if x.is_infinite()));
    }

    #[test]
    fn what_is_no_fraction_is_refused() {
        for (above, below) in
            [("", "1"), ("1", "-2"), ("+1", "2"), ("0x1", "2"), ("1", "1.5"), ("-", "1"), ("1_0", "1")]
        {
            assert!(fraction(above, below).is_err(), "{above}/{below}");
        }
        let digits = MAX_DIGITS + 1;
        assert_eq!(fraction(&"9".repeat(digits), "1"), Err(FractionError::Digits { digits }));
    }
}

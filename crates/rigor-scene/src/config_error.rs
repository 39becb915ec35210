//! Checks of numeric settings.

use std::fmt;
use std::ops::{Bound, RangeBounds};

use crate::setting::Setting;

/// A setting with a value that is not allowed.
///
/// ```
/// use rigor_scene::{Allowed, Setting};
/// let error = Allowed::integers(1, 100).check("substeps", 0_u32).unwrap_err();
/// assert_eq!((error.setting, &error.value), ("substeps", &Setting::Integer(0)));
/// assert_eq!(error.to_string(), "substeps is 0: it must be between 1 and 100");
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{setting} is {value}: it must be {allowed}")]
pub struct ConfigError {
    /// The key of the setting.
    pub setting: &'static str,
    /// Its value.
    pub value: Setting,
    /// The allowed values.
    pub allowed: Allowed,
}

/// The allowed values of a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Allowed {
    /// Whole numbers from `min` to `max`, both included; [`i64::MAX`] if there is no maximum.
    Integers {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// Finite numbers between two bounds.
    Numbers {
        /// The lower bound.
        min: Bound<f64>,
        /// The upper bound; unbounded numbers must still be finite.
        max: Bound<f64>,
    },
    /// One of these words.
    Words {
        /// The words.
        words: &'static [&'static str],
        /// Under which condition, to be read after the words; may be empty.
        when: &'static str,
    },
}

impl Allowed {
    /// Finite numbers above 0.
    pub const POSITIVE: Self = Self::numbers(Bound::Excluded(0.0), Bound::Unbounded);

    /// Finite numbers of at least 0.
    pub const NOT_NEGATIVE: Self = Self::numbers(Bound::Included(0.0), Bound::Unbounded);

    /// Whole numbers from `min` to `max`, both included.
    pub const fn integers(min: i64, max: i64) -> Self {
        Self::Integers { min, max }
    }

    /// Finite numbers between `min` and `max`.
    pub const fn numbers(min: Bound<f64>, max: Bound<f64>) -> Self {
        Self::Numbers { min, max }
    }

    /// Whether `value` is allowed; NaN never is.
    pub fn contains(&self, value: &Setting) -> bool {
        match (self, value) {
            (Self::Integers { min, max }, Setting::Integer(n)) => (min..=max).contains(&n),
            (Self::Words { words, .. }, Setting::Text(word)) => words.contains(&word.as_str()),
            (Self::Numbers { min, max }, value) => {
                value.as_f64().is_some_and(|x| x.is_finite() && (*min, *max).contains(&x))
            }
            _ => false,
        }
    }

    /// Checks the value of `setting`.
    ///
    /// # Errors
    /// [`ConfigError`] if it is not allowed.
    pub fn check(self, setting: &'static str, value: impl Into<Setting>) -> Result<(), ConfigError> {
        let value = value.into();
        if self.contains(&value) { Ok(()) } else { Err(ConfigError { setting, value, allowed: self }) }
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Bound::{Excluded, Included, Unbounded};
        match *self {
            Self::Integers { min, max: i64::MAX } => write!(f, "at least {min}"),
            Self::Integers { min, max } => write!(f, "between {min} and {max}"),
            Self::Words { words, when } => {
                for (i, word) in words.iter().enumerate() {
                    write!(f, "{}{word:?}", if i > 0 { " or " } else { "" })?;
                }
                if when.is_empty() { Ok(()) } else { write!(f, " {when}") }
            }
            Self::Numbers { min, max } => match (min, max) {
                (Included(min), Included(max)) => write!(f, "between {min} and {max}"),
                (Included(min), Excluded(max)) => write!(f, "at least {min} and below {max}"),
                (Excluded(min), Included(max)) => write!(f, "above {min} and at most {max}"),
                (Excluded(min), Excluded(max)) => write!(f, "above {min} and below {max}"),
                (Included(min), Unbounded) => write!(f, "a finite number of at least {min}"),
                (Excluded(min), Unbounded) => write!(f, "a finite number above {min}"),
                (Unbounded, Included(max)) => write!(f, "a finite number of at most {max}"),
                (Unbounded, Excluded(max)) => write!(f, "a finite number below {max}"),
                (Unbounded, Unbounded) => f.write_str("a finite number"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_closed_or_open_as_stated() {
        let allowed = Allowed::numbers(Bound::Excluded(0.0), Bound::Included(1.0));
        assert!(allowed.check("overlap", 1.0).is_ok() && allowed.check("overlap", 1e-300).is_ok());
        for x in [0.0, 1.0_f64.next_up(), f64::NAN, f64::INFINITY] {
            assert!(allowed.check("overlap", x).is_err(), "{x}");
        }
        assert!(Allowed::POSITIVE.check("kappa", f64::INFINITY).is_err());
        assert!(Allowed::integers(-1, i64::MAX).check("rounds", -1_i32).is_ok());
        assert!(Allowed::integers(1, 2).check("substeps", 1.0).is_err(), "a number with a fraction");
    }

    #[test]
    fn errors_name_the_setting_its_value_and_what_is_allowed() {
        let text = |allowed: Allowed, value: f64| allowed.check("x", value).unwrap_err().to_string();
        let open = Allowed::numbers(Bound::Excluded(0.0), Bound::Excluded(2.0));
        assert_eq!(text(open, 2.0), "x is 2: it must be above 0 and below 2");
        assert_eq!(text(Allowed::POSITIVE, f64::NAN), "x is NaN: it must be a finite number above 0");
        assert_eq!(text(Allowed::NOT_NEGATIVE, -0.5), "x is -0.5: it must be a finite number of at least 0");
        let rounds = Allowed::integers(-1, i64::MAX).check("rounds", -2_i32).unwrap_err();
        assert_eq!(rounds.to_string(), "rounds is -2: it must be at least -1");
        let words = Allowed::Words { words: &["hooke", "hertz"], when: "with adhesion" };
        assert!(words.check("model", "hertz").is_ok() && words.check("model", 1.0).is_err());
        let model = words.check("model", "harada").unwrap_err();
        assert_eq!(model.to_string(), "model is \"harada\": it must be \"hooke\" or \"hertz\" with adhesion");
    }
}

//! Axes of a study: the values that a key takes.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rigor_math::elementary;
use toml::Value;

use crate::axis_fault::AxisFault;
use crate::error::PlanError;

/// A key and the values that it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The key, such as `time.dt`.
    pub key: String,
    /// The values, in the order of the plan.
    pub values: Vec<Value>,
}

impl Axis {
    /// Reads the values of `key`: a list, or a range `{ from, to, count }` with `scale = "linear"` or `"log"`.
    ///
    /// # Errors
    /// [`PlanError`] if there is no value, or the range is invalid.
    pub fn read(key: &str, value: &Value) -> Result<Self, PlanError> {
        let values = match value {
            Value::Array(values) => values.clone(),
            Value::Table(table) => Range::read(key, table)?.grid(),
            other => vec![other.clone()],
        };
        if values.is_empty() {
            return Err(PlanError::Axis { key: key.to_owned(), fault: AxisFault::Empty });
        }
        Ok(Self { key: key.to_owned(), values })
    }
}

/// An interval of numbers, on a linear or a logarithmic scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// First value.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// Number of values of a grid.
    pub count: usize,
    /// Whether values have equal ratios instead of equal differences.
    pub is_log: bool,
}

impl Range {
    /// Reads `{ from, to, count, scale }`; `count` is 1 if absent.
    ///
    /// # Errors
    /// [`PlanError`] if a key is unknown, missing or invalid.
    pub fn read(key: &str, table: &toml::Table) -> Result<Self, PlanError> {
        let fail = |fault| PlanError::Axis { key: key.to_owned(), fault };
        let number = |name: &str| table.get(name).and_then(number);
        let is_known = |name: &String| ["from", "to", "count", "scale"].contains(&name.as_str());
        let (Some(from), Some(to)) = (number("from"), number("to")) else {
            return Err(fail(AxisFault::NotARange));
        };
        let is_log = match table.get("scale").map(|scale| scale.as_str()) {
            None | Some(Some("linear")) => false,
            Some(Some("log")) => true,
            _ => return Err(fail(AxisFault::NotARange)),
        };
        let count = match table.get("count").map(Value::as_integer) {
            None => 1,
            Some(Some(count)) if (1..=1_000_000).contains(&count) => count as usize,
            Some(_) => {
                let count = table.get("count").map(Value::to_string).unwrap_or_default();
                return Err(fail(AxisFault::Count { count }));
            }
        };
        if !table.keys().all(is_known) {
            return Err(fail(AxisFault::NotARange));
        }
        let is_valid = from.is_finite() && to.is_finite() && !(is_log && from.min(to) <= 0.0);
        if is_valid {
            Ok(Self { from, to, count, is_log })
        } else {
            Err(fail(AxisFault::Bounds { from, to }))
        }
    }

    /// Returns the value at `part` in [0, 1] of the range.
    pub fn at(&self, part: f64) -> f64 {
        if self.is_log {
            self.from * elementary::exp(part * elementary::ln(self.to / self.from))
        } else {
            self.from + part * (self.to - self.from)
        }
    }

    /// Returns `count` values, the first and the last of which are the bounds.
    fn grid(&self) -> Vec<Value> {
        let last = self.count - 1;
        let at = |k: usize| match k {
            0 => self.from,
            k if k == last => self.to,
            k => self.at(k as f64 / last as f64),
        };
        (0..self.count).map(|k| Value::Float(at(k))).collect()
    }
}

/// Returns the number in a value; `None` for other types.
pub fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|n| n as f64))
}

/// How points are drawn from several ranges at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Draw {
    /// Independent and uniform, from a generator (ChaCha8) with the seed of the plan.
    Random,
    /// The low-discrepancy sequence of Halton: the k-th coordinate of point n is the radical inverse of n + 1 in the k-th
    /// prime base. With a seed other than 0 all points are shifted by a random vector, modulo 1 (Cranley and Patterson).
    #[default]
    Halton,
}

const PRIMES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

impl Draw {
    /// Maximum number of coordinates.
    pub const MAX: usize = PRIMES.len();

    /// Returns `count` points in the unit cube of dimension `n`, at most [`Draw::MAX`].
    pub fn points(self, count: usize, n: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let mut random = || (generator.next_u64() >> 11) as f64 * (0.5 * f64::EPSILON);
        let shift: Vec<f64> = match self {
            Self::Halton if seed != 0 => (0..n).map(|_| random()).collect(),
            Self::Halton | Self::Random => vec![0.0; n],
        };
        let mut point = |i: usize| match self {
            Self::Random => (0..n).map(|_| random()).collect(),
            Self::Halton => {
                let at = |(base, shift): (&u64, &f64)| {
                    let sum = radical_inverse(i as u64 + 1, *base) + shift;
                    if sum < 1.0 { sum } else { sum - 1.0 }
                };
                PRIMES[..n].iter().zip(&shift).map(at).collect()
            }
        };
        (0..count).map(&mut point).collect()
    }
}

/// Returns Σ dᵢ b^(−i−1) for the digits dᵢ of `n` in the base b.
fn radical_inverse(mut n: u64, base: u64) -> f64 {
    let (mut value, mut scale) = (0.0, 1.0 / base as f64);
    while n > 0 {
        value += (n % base) as f64 * scale;
        n /= base;
        scale /= base as f64;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Axis, PlanError> {
        let table: toml::Table = text.parse().unwrap();
        Axis::read("a", &table["a"])
    }

    fn numbers(text: &str) -> Vec<f64> {
        read(text).unwrap().values.iter().filter_map(number).collect()
    }

    #[test]
    fn lists_ranges_and_single_values_are_axes() {
        assert_eq!(numbers("a = [1, 2.5]"), [1.0, 2.5]);
        assert_eq!(numbers("a = 3"), [3.0]);
        assert_eq!(numbers("a = { from = 0.4, to = 0.6, count = 3 }"), [0.4, 0.5, 0.6]);
        let ratios = numbers("a = { from = 1e-3, to = 1e-1, count = 3, scale = \"log\" }");
        assert!((ratios[1] - 1e-2).abs() < 1e-15 && ratios[2] == 1e-1, "{ratios:?}");
    }

    #[test]
    fn invalid_ranges_are_errors_with_their_key() {
        for text in [
            "a = []",
            "a = { from = 1 }",
            "a = { from = 1, to = 2, count = 0 }",
            "a = { from = 1, to = 2, by = 3 }",
        ] {
            assert!(read(text).unwrap_err().to_string().starts_with("a: "), "{text}");
        }
        let error = read("a = { from = 0, to = 1, count = 2, scale = \"log\" }").unwrap_err();
        assert!(error.to_string().contains("positive"), "{error}");
    }

    #[test]
    fn halton_points_fill_the_square_evenly_and_random_ones_depend_on_the_seed() {
        let points = Draw::Halton.points(7, 2, 0);
        let first: Vec<f64> = points.iter().map(|p| p[0]).collect();
        assert_eq!(first, [0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875]);
        assert_eq!(points[0][1], 1.0 / 3.0);
        // Another seed moves all points by one vector.
        let moved = Draw::Halton.points(7, 2, 5);
        assert_ne!(moved, Draw::Halton.points(7, 2, 6));
        for k in 0..2 {
            let by = |i: usize| (moved[i][k] - points[i][k]).rem_euclid(1.0);
            assert!((0..7).all(|i| (0.0..1.0).contains(&moved[i][k]) && (by(i) - by(0)).abs() < 1e-12));
        }
        let draw = |seed| Draw::Random.points(3, 2, seed);
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert!(draw(1).iter().flatten().all(|x| (0.0..1.0).contains(x)));
    }
}

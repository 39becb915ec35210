//! The position of a point, to far more digits than an f64 has.

use rigor_math::Vec3;

use super::ball::{Ball, PLACES, Vector, minus};
use super::integer::{round_down, round_up};

/// The position of a point, with an error far below that of any f64 arithmetic.
#[derive(Debug, Clone)]
pub struct Place {
    position: Vector,
    exponent: i32,
}

impl Place {
    pub(super) fn new(position: Vector, exponent: i32) -> Self {
        Self { position, exponent }
    }

    /// Returns this position relative to another of the same result (m), so that errors of differences can be
    /// tested.
    pub fn seen_from(&self, other: &Self) -> Self {
        debug_assert_eq!(self.exponent, other.exponent);
        Self { position: minus(&self.position, &other.position), exponent: self.exponent }
    }

    /// Returns the position (m, world), rounded down.
    pub fn rounded(&self) -> Vec3 {
        Vec3::from_fn(|i, _| round_down(&self.position[i].mid, self.exponent - PLACES))
    }

    /// Returns an upper bound on the error (m) of any component of `x`, which exceeds the error by at most
    /// [`Place::uncertainty`].
    pub fn error_of(&self, x: &Vec3) -> f64 {
        let off = |i: usize| (&Ball::new(x[i], self.exponent) - &self.position[i]).magnitude();
        let largest = (0..3).map(off).max().expect("three components");
        round_up(&largest, self.exponent - PLACES)
    }

    /// Returns an upper bound on the error (m) of any component of this position.
    pub fn uncertainty(&self) -> f64 {
        let largest = self.position.iter().map(|c| &c.rad).max().expect("three components");
        round_up(largest, self.exponent - PLACES)
    }
}

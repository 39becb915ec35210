//! Where a point is, to far more digits than an f64 has.

use rigor_math::Vec3;

use super::ball::{Ball, PLACES, Vector, minus};
use super::integer::{round_down, round_up};

/// Where a point is, but for an error that no f64 arithmetic comes near.
#[derive(Debug, Clone)]
pub struct Place {
    position: Vector,
    exponent: i32,
}

impl Place {
    pub(super) fn new(position: Vector, exponent: i32) -> Self {
        Self { position, exponent }
    }

    /// This place as seen from another of the same answer (m): the error of a difference can be tested, too.
    pub fn seen_from(&self, other: &Self) -> Self {
        debug_assert_eq!(self.exponent, other.exponent);
        Self { position: minus(&self.position, &other.position), exponent: self.exponent }
    }

    /// The position (m, world), rounded downwards.
    pub fn rounded(&self) -> Vec3 {
        Vec3::from_fn(|i, _| round_down(&self.position[i].mid, self.exponent - PLACES))
    }

    /// Not below how far any component (m) of `x` lies off, and no more above it than [`Place::uncertainty`].
    pub fn error_of(&self, x: &Vec3) -> f64 {
        let off = |i: usize| (&Ball::new(x[i], self.exponent) - &self.position[i]).magnitude();
        let largest = (0..3).map(off).max().expect("three components");
        round_up(&largest, self.exponent - PLACES)
    }

    /// Not below the error (m) of any component of the place itself.
    pub fn uncertainty(&self) -> f64 {
        let largest = self.position.iter().map(|c| &c.rad).max().expect("three components");
        round_up(largest, self.exponent - PLACES)
    }
}

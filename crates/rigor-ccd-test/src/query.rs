//! The trait through which the kit accesses a query, independent of the type of motion. It shares no code
//! with the methods that it judges.

use std::fmt;

use rigor_ccd::{Kind, Truth};
use rigor_math::Vec3;

use super::hint::Hint;
use super::simpler::Numbers;

mod linear;
mod points;
mod rigid;

/// u = 2⁻⁵³: a rounded operation has an error of at most u times its result.
pub(super) const U: f64 = 0.5 * f64::EPSILON;

/// An upper bound on what underflow adds to anything computed here.
pub(super) const TINY: f64 = 1e-290;

/// Returns ‖v‖ with a relative error of 8 u, also where the squares of its coordinates underflow or overflow.
pub(super) fn length(v: &Vec3) -> f64 {
    let (plain, largest) = (v.norm(), v.amax());
    let is_extreme = !(1e-140..1e140).contains(&largest) && largest > 0.0 && largest.is_finite();
    if is_extreme { (v / largest).norm() * largest } else { plain }
}

/// A query that the kit can generate, judge and simplify.
pub trait Query: Copy + fmt::Debug + PartialEq + Send + Sync + Numbers + 'static {
    /// The types of the primitives.
    fn kind(&self) -> Kind;
    /// The distance (m) that they must exceed.
    fn d_min(&self) -> f64;
    /// Whether the query is valid.
    fn is_valid(&self) -> bool;
    /// Returns the points at `t` (m, world), rounded.
    fn place(&self, t: f64) -> [Vec3; 4];
    /// Returns bounds that hold for [`place`](Self::place).
    fn bounds(&self) -> Bounds;
    /// Returns the truth by exact arithmetic; slow.
    fn truth(&self) -> Truth;
    /// Whether the points of `hint` coincide at its time, in exact arithmetic; `false` if that is hard to
    /// decide.
    fn coincide(&self, hint: &Hint) -> bool;
    /// Returns the query as Rust code to paste into a test.
    fn paste(&self) -> String;
    /// Returns the query with A and B exchanged, for two points or two edges.
    fn swapped(&self) -> Option<Self>;
    /// Returns the query with the points of each primitive in reverse order.
    fn reversed(&self) -> Self;
    /// Returns the query with the axes of the world, and of the bodies, exchanged: x becomes y, y becomes z, z becomes x.
    fn cycled(&self) -> Self;
    /// Returns the query with all lengths multiplied by `factor`.
    fn scaled(&self, factor: f64) -> Self;
    /// Returns the query with an orientation that is not a unit quaternion, for each body and each kind of mistake: one
    /// component NaN or infinite, all 0, of length 2. None if it has no orientations.
    fn disoriented(&self) -> Vec<Self>;
    /// Returns the query with NaN for the points that its kind does not use.
    fn with_garbage(&self) -> Self;
}

/// Bounds that hold for all t ∈ [0, 1].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Maximum distance (m) between a computed and the exact point.
    pub error: f64,
    /// Maximum relative speed (m per step) of a point of A and a point of B.
    pub speed: f64,
    /// Maximum distance (m) of a point from the origin.
    pub reach: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Family, generate};

    /// Two formulas for the same motion, each within its error bound.
    #[test]
    fn places_are_those_of_the_motion() {
        for family in Family::ALL {
            for index in 0..200 {
                let query = generate::rigid(family, 7, index).query;
                let error = query.bounds().error;
                let t = index as f64 / 199.0;
                for (x, y) in query.place(t).iter().zip(query.points(t)).take(query.kind.n_points()) {
                    let off = length(&(x - y));
                    assert!(off <= 2.0 * error, "{family} {index}: {off:e} {error:e}");
                }
            }
        }
    }

    #[test]
    fn nothing_moves_faster_than_its_bound() {
        for family in Family::ALL {
            for index in 0..100 {
                let rigid = generate::rigid(family, 9, index).query;
                assert_slow(&rigid);
                assert_slow(&generate::linear(family, 9, index).query);
            }
        }
    }

    fn assert_slow<Q: Query>(query: &Q) {
        let Bounds { error, speed, .. } = query.bounds();
        let (n_a, n) = (query.kind().sizes().0, query.kind().n_points());
        let (dt, n_steps) = (1.0 / 64.0, 64);
        let mut before = query.place(0.0);
        for step in 1..=n_steps {
            let after = query.place(f64::from(step) * dt);
            for i in 0..n_a {
                for j in n_a..n {
                    let moved = length(&((after[i] - after[j]) - (before[i] - before[j])));
                    assert!(moved <= speed * dt + 4.0 * error, "{query:?}");
                }
            }
            before = after;
        }
    }
}

//! How far a body reaches along a direction: plain floating-point numbers, with a bound on their error.

use rigor_math::Vec3;

use super::interval::Vector;

/// A direction n, known to within an interval, in the frame of a body all of whose vertices x̂ have ‖x̂‖ ≤ r.
///
/// Let m be the middle of the intervals and wₖ ≥ |nₖ − mₖ|. In floating-point numbers with unit roundoff u the sum
/// m · x̂ has an error of at most 3u/(1 − 3u) Σ|mₖ x̂ₖ|, and |mₖ x̂ₖ| ≤ |mₖ| r. So the computed value differs from
/// n · x̂ by at most (Σ wₖ + 4u Σ|mₖ|) r, plus what underflows. One bound thus serves all vertices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Support {
    middle: Vec3,
    /// The bound on the error (m); infinite if there is none.
    error: f64,
    /// r Σ|mₖ| (m).
    size: f64,
}

impl Support {
    /// The direction `n` in the frame of a body of this radius (m).
    pub fn new(n: &Vector, radius: f64) -> Self {
        let middle = Vec3::from(n.map(|x| 0.5 * x.lo + 0.5 * x.hi));
        let off = |k: usize| (n[k].hi - middle[k]).max(middle[k] - n[k].lo);
        let sum = (0..3).map(|k| off(k) + 2.0 * f64::EPSILON * middle[k].abs()).sum::<f64>();
        // Nonnegative numbers in a dozen operations: this is more than their roundings.
        let error = sum * radius * (1.0 + 16.0 * f64::EPSILON) + f64::MIN_POSITIVE;
        let size = radius * middle.abs().sum();
        Self { middle, error: if error.is_finite() { error } else { f64::INFINITY }, size }
    }

    /// Returns a lower bound on min n · x̂ over `vertices` (m); −∞ if there are none.
    pub fn least<'a>(&self, vertices: impl Iterator<Item = &'a Vec3>) -> f64 {
        let least = vertices.map(|x| self.middle.dot(x)).fold(f64::INFINITY, f64::min);
        if least.is_finite() && self.error.is_finite() {
            (least - self.error).next_down()
        } else {
            f64::NEG_INFINITY
        }
    }

    /// Returns a lower bound on min (n · x̂ − ρ l) over vertices x̂ (m) with offsets ρ (m) of at most `most` (m), for every length
    /// l ≤ `length`; −∞ if there are none.
    ///
    /// To the error of m · x̂, of which |m · x̂| is at most twice r Σ|mₖ|, the product and the difference add at most u (ρ l + |m · x̂| + ρ l).
    pub fn least_grown<'a>(
        &self,
        vertices: impl Iterator<Item = (&'a Vec3, f64)>,
        most: f64,
        length: f64,
    ) -> f64 {
        let least = vertices.map(|(x, rho)| self.middle.dot(x) - rho * length).fold(f64::INFINITY, f64::min);
        let roundings = 4.0 * f64::EPSILON * (self.size + most * length) + f64::MIN_POSITIVE;
        if least.is_finite() && (self.error + roundings).is_finite() {
            (least - (self.error + roundings).next_up()).next_down()
        } else {
            f64::NEG_INFINITY
        }
    }
}

#[cfg(test)]
mod tests {
    use dashu::rational::RBig;
    use proptest::prelude::*;

    use super::super::interval::{Interval, points};
    use super::*;

    fn exact(x: f64) -> RBig {
        RBig::try_from(x).expect("a number")
    }

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    proptest! {
        #[test]
        fn no_vertex_is_below_the_bound_which_is_tight(
            n in vector(1.0), off in 0.0..1e-12f64, at in prop::array::uniform3(0.0..=1.0f64), x in vector(3.0), k in 0..60i32,
        ) {
            let x = x * 0.25_f64.powi(k);
            let wide: Vector = std::array::from_fn(|i| Interval { lo: n[i], hi: n[i] + off });
            let bound = Support::new(&wide, x.norm() * (1.0 + 1e-15)).least([x].iter());
            let any: [f64; 3] = std::array::from_fn(|i| (n[i] + at[i] * off).clamp(wide[i].lo, wide[i].hi));
            let value = (0..3).map(|i| exact(any[i]) * exact(x[i])).fold(RBig::ZERO, |sum, term| sum + term);
            prop_assert!(exact(bound) <= value);
            prop_assert!(n.dot(&x) - bound <= (4.0 * off + 8.0 * f64::EPSILON) * x.norm() + 1e-300);
        }
    }

    /// Half of the bound would be too little: n may lie at either end of its interval.
    #[test]
    fn the_bound_is_reached_at_an_end_of_the_interval() {
        let wide = [Interval { lo: 1.0, hi: 1.5 }, Interval::ZERO, Interval::ZERO];
        let bound = Support::new(&wide, 2.0).least([Vec3::x() * 2.0].iter());
        assert!(bound <= 2.0 && bound > 2.0 - 1e-14, "{bound}");
    }

    #[test]
    fn what_is_no_number_bounds_nothing() {
        let x = [Vec3::x()];
        let of = |n: &Vector| Support::new(n, 1.0).least(x.iter());
        assert_eq!(of(&points(&Vec3::repeat(f64::NAN))), f64::NEG_INFINITY);
        assert_eq!(of(&[Interval::ENTIRE; 3]), f64::NEG_INFINITY);
        assert_eq!(Support::new(&points(&Vec3::x()), 1.0).least([].iter()), f64::NEG_INFINITY);
    }
}

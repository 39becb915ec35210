//! The arithmetic of [`crate::Interval`]: [`Portable`], and in tests the crate `inari`, with the same bits.

#[cfg(all(test, target_arch = "x86_64", target_feature = "avx", target_feature = "fma"))]
mod inari;
mod portable;

pub(crate) use portable::Portable;

/// Intervals with ends rounded outward to the nearest `f64`; operations on sets follow IEEE 1788.
pub(crate) trait Backend: Copy {
    /// The empty interval.
    const EMPTY: Self;
    /// All real numbers.
    const ENTIRE: Self;
    /// The smallest interval around π.
    const PI: Self;
    /// [`inf`, `sup`], for `inf` ≤ `sup`, `inf` < ∞, `sup` > −∞.
    fn from_ends(inf: f64, sup: f64) -> Self;
    /// The lower end, ∞ if empty.
    fn inf(self) -> f64;
    /// The upper end, −∞ if empty.
    fn sup(self) -> f64;
    /// {−x}.
    fn neg(self) -> Self;
    /// {x + y}.
    fn add(self, other: Self) -> Self;
    /// {x − y}.
    fn sub(self, other: Self) -> Self;
    /// {x y}.
    fn mul(self, other: Self) -> Self;
    /// {x / y : y ≠ 0}.
    fn div(self, other: Self) -> Self;
    /// {x²}.
    fn sqr(self) -> Self;
    /// {√x : x ≥ 0}.
    fn sqrt(self) -> Self;
}

#[cfg(all(test, target_arch = "x86_64", target_feature = "avx", target_feature = "fma"))]
mod tests {
    use super::*;
    use crate::oracle::{SPECIAL, interval};
    use ::inari::Interval as Inari;
    use proptest::prelude::*;

    /// The ends of every result, with −0 turned into 0.
    fn results<B: Backend>(x: [f64; 2], y: [f64; 2]) -> [[f64; 2]; 8] {
        let make = |[inf, sup]: [f64; 2]| if inf <= sup { B::from_ends(inf, sup) } else { B::EMPTY };
        let (x, y) = (make(x), make(y));
        [x.add(y), x.sub(y), x.mul(y), x.div(y), x.sqr(), x.sqrt(), x.neg(), x]
            .map(|z| [z.inf() + 0.0, z.sup() + 0.0])
    }

    fn assert_same(x: [f64; 2], y: [f64; 2]) {
        let bits = |r: [[f64; 2]; 8]| r.map(|ends| ends.map(f64::to_bits));
        let (ours, theirs) = (results::<Portable>(x, y), results::<Inari>(x, y));
        assert_eq!(bits(ours), bits(theirs), "{x:?} and {y:?}: {ours:?} or {theirs:?}");
    }

    #[test]
    fn every_pair_of_special_intervals_gives_the_same_bits() {
        let mut ends = vec![f64::NEG_INFINITY];
        ends.extend(SPECIAL);
        ends.push(f64::INFINITY);
        let pairs = ends.iter().flat_map(|&a| ends.iter().map(move |&b| [a, b]));
        let valid = |[a, b]: &[f64; 2]| a <= b && *a < f64::INFINITY && *b > f64::NEG_INFINITY;
        let mut all: Vec<[f64; 2]> = pairs.filter(valid).collect();
        all.push([f64::INFINITY, f64::NEG_INFINITY]);
        assert_eq!(all.len(), 151 + 1);
        for &x in &all {
            for &y in &all {
                assert_same(x, y);
            }
        }
    }

    #[test]
    fn constants_are_the_same() {
        let ends = |inf: f64, sup: f64| [inf, sup];
        assert_eq!(ends(Portable::PI.inf(), Portable::PI.sup()), ends(Inari::PI.inf(), Inari::PI.sup()));
        assert!(
            <Inari as Backend>::ENTIRE.inf() == f64::NEG_INFINITY && Portable::ENTIRE.sup() == f64::INFINITY
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn any_two_intervals_give_the_same_bits(x in interval(), y in interval()) {
            assert_same([x.inf(), x.sup()], [y.inf(), y.sup()]);
        }
    }
}

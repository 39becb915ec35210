//! A closed interval of real numbers.

use std::fmt;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::backend::{Backend, Portable};
use crate::rounding;

/// The real numbers x with inf ≤ x ≤ sup; may be empty or unbounded on either side.
///
/// Every operation returns a set that contains all results of that operation on members of its operands, as
/// IEEE 1788 requires: ends are rounded outward, each to the nearest valid `f64`. Members for which an
/// operation is undefined (x/0, √−1) have no result: [0, 1] / [0, 0] is empty, and √[−1, 4] = [0, 2].
///
/// Results have the same bits on every target. Infinite ends mean “unbounded”; ∞ itself is never a member.
///
/// ```
/// use rigor_interval::Interval;
/// let x = Interval::new(1.0, 2.0);
/// assert_eq!(x - x, Interval::new(-1.0, 1.0));
/// assert_eq!(x / Interval::new(0.0, 4.0), Interval::new(0.25, f64::INFINITY));
/// let third = Interval::point(1.0) / 3.0;
/// assert!((third * 3.0).contains(1.0) && third.width() == third.sup() - third.inf());
/// assert_eq!(x.to_string(), "[1.0, 2.0]");
/// ```
#[derive(Clone, Copy)]
pub struct Interval(Portable);

impl Interval {
    /// The empty interval.
    pub const EMPTY: Self = Self(<Portable as Backend>::EMPTY);
    /// All real numbers.
    pub const ENTIRE: Self = Self(<Portable as Backend>::ENTIRE);
    /// The smallest interval around π.
    pub const PI: Self = Self(<Portable as Backend>::PI);

    /// The numbers from `inf` to `sup`; empty if `inf` > `sup`.
    ///
    /// A NaN end carries no information, and the unknown must not be taken for impossible: the result is then
    /// [`Self::ENTIRE`]. A lower end of ∞ or an upper end of −∞ comes from overflow and is moved back to the
    /// last finite `f64`.
    ///
    /// ```
    /// use rigor_interval::Interval;
    /// assert_eq!(Interval::new(f64::NAN, 1.0), Interval::ENTIRE);
    /// assert!(Interval::new(2.0, 1.0).is_empty());
    /// assert_eq!(Interval::new(f64::INFINITY, f64::INFINITY), Interval::new(f64::MAX, f64::INFINITY));
    /// ```
    #[inline]
    pub fn new(inf: f64, sup: f64) -> Self {
        if inf <= sup {
            Self(Backend::from_ends(inf.min(f64::MAX), sup.max(f64::MIN)))
        } else if inf > sup {
            Self::EMPTY
        } else {
            Self::ENTIRE
        }
    }

    /// {x}; NaN and ±∞ are treated as in [`Self::new`].
    #[inline]
    pub fn point(x: f64) -> Self {
        Self::new(x, x)
    }

    /// [−`radius`, `radius`]; empty for a negative radius.
    #[inline]
    pub fn symmetric(radius: f64) -> Self {
        Self::new(-radius, radius)
    }

    /// The lower end: −∞ if unbounded, ∞ if empty; −0 is returned as 0.
    #[inline]
    pub fn inf(self) -> f64 {
        Backend::inf(self.0) + 0.0
    }

    /// The upper end: ∞ if unbounded, −∞ if empty; −0 is returned as 0.
    #[inline]
    pub fn sup(self) -> f64 {
        Backend::sup(self.0) + 0.0
    }

    /// Whether it has no members.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.inf() > self.sup()
    }

    /// Whether both ends are finite; an empty interval is not bounded.
    #[inline]
    pub fn is_bounded(self) -> bool {
        self.inf().is_finite() && self.sup().is_finite()
    }

    /// Whether it has exactly one member.
    #[inline]
    pub fn is_point(self) -> bool {
        self.inf() == self.sup()
    }

    /// A member near the middle: 0 for [`Self::ENTIRE`], ±[`f64::MAX`] for a half line; NaN if empty.
    ///
    /// ```
    /// use rigor_interval::Interval;
    /// assert_eq!(Interval::new(1.0, 2.0).mid(), 1.5);
    /// assert_eq!(Interval::new(f64::MIN, f64::MAX).mid(), 0.0);
    /// assert!(Interval::EMPTY.mid().is_nan());
    /// ```
    pub fn mid(self) -> f64 {
        let (inf, sup) = (self.inf(), self.sup());
        match (inf == f64::NEG_INFINITY, sup == f64::INFINITY) {
            (true, true) => 0.0,
            (true, false) => f64::MIN,
            (false, true) => f64::MAX,
            (false, false) if self.is_empty() => f64::NAN,
            (false, false) => f64::midpoint(inf, sup).clamp(inf, sup),
        }
    }

    /// sup − inf, rounded upwards; NaN if empty.
    #[inline]
    pub fn width(self) -> f64 {
        if self.is_empty() { f64::NAN } else { rounding::add_up(self.sup(), -self.inf()) }
    }

    /// max |x|; NaN if empty.
    #[inline]
    pub fn mag(self) -> f64 {
        if self.is_empty() { f64::NAN } else { self.sup().abs().max(self.inf().abs()) }
    }

    /// min |x|; NaN if empty.
    #[inline]
    pub fn mig(self) -> f64 {
        if self.is_empty() { f64::NAN } else { self.inf().max(-self.sup()).max(0.0) }
    }

    /// Whether `x` is a member; NaN and ±∞ never are.
    #[inline]
    pub fn contains(self, x: f64) -> bool {
        self.inf() <= x && x <= self.sup() && x.is_finite()
    }

    /// Whether every member of `other` is a member of `self`.
    #[inline]
    pub fn contains_interval(self, other: Self) -> bool {
        other.is_empty() || (self.inf() <= other.inf() && other.sup() <= self.sup())
    }

    /// The intersection: the numbers in both.
    #[inline]
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self::new(self.inf().max(other.inf()), self.sup().min(other.sup()))
    }

    /// The smallest interval that contains both.
    #[inline]
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self::new(self.inf().min(other.inf()), self.sup().max(other.sup()))
    }

    /// {x²}, which is never negative, unlike {x y : x, y ∈ X}.
    ///
    /// ```
    /// use rigor_interval::Interval;
    /// assert_eq!(Interval::new(-2.0, 1.0).sqr(), Interval::new(0.0, 4.0));
    /// ```
    #[inline]
    #[must_use]
    pub fn sqr(self) -> Self {
        Self(Backend::sqr(self.0))
    }

    /// {√x : x ≥ 0}.
    #[inline]
    #[must_use]
    pub fn sqrt(self) -> Self {
        Self(Backend::sqrt(self.0))
    }

    /// {|x|}.
    #[inline]
    #[must_use]
    pub fn abs(self) -> Self {
        if self.is_empty() { self } else { Self::new(self.mig(), self.mag()) }
    }

    /// {min(x, y)}.
    #[inline]
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        self.ends_of_both(other, f64::min)
    }

    /// {max(x, y)}.
    #[inline]
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        self.ends_of_both(other, f64::max)
    }

    fn ends_of_both(self, other: Self, choose: fn(f64, f64) -> f64) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        Self::new(choose(self.inf(), other.inf()), choose(self.sup(), other.sup()))
    }
}

/// The point {x}.
impl From<f64> for Interval {
    #[inline]
    fn from(x: f64) -> Self {
        Self::point(x)
    }
}

/// Equality as sets.
impl PartialEq for Interval {
    fn eq(&self, other: &Self) -> bool {
        self.inf() == other.inf() && self.sup() == other.sup()
    }
}

/// `[inf, sup]` with enough digits to distinguish the ends from other numbers, `∅` if empty.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() { f.write_str("∅") } else { write!(f, "[{:?}, {:?}]", self.inf(), self.sup()) }
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Neg for Interval {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(Backend::neg(self.0))
    }
}

/// Implements an operator for intervals and for numbers, which stand for points, on either side.
macro_rules! operator {
    ($Trait:ident, $method:ident, $Assign:ident, $assign:ident) => {
        impl $Trait for Interval {
            type Output = Self;

            #[inline]
            fn $method(self, other: Self) -> Self {
                Self(Backend::$method(self.0, other.0))
            }
        }

        impl $Trait<f64> for Interval {
            type Output = Self;

            #[inline]
            fn $method(self, other: f64) -> Self {
                self.$method(Self::point(other))
            }
        }

        impl $Trait<Interval> for f64 {
            type Output = Interval;

            #[inline]
            fn $method(self, other: Interval) -> Interval {
                Interval::point(self).$method(other)
            }
        }

        impl<T> $Assign<T> for Interval
        where
            Self: $Trait<T, Output = Self>,
        {
            #[inline]
            fn $assign(&mut self, other: T) {
                *self = self.$method(other);
            }
        }
    };
}

operator!(Add, add, AddAssign, add_assign);
operator!(Sub, sub, SubAssign, sub_assign);
operator!(Mul, mul, MulAssign, mul_assign);
operator!(Div, div, DivAssign, div_assign);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{exact, holds, interval};
    use proptest::prelude::*;

    /// Some finite members: the ends, the middle and 0, as far as each is a member.
    fn members(x: Interval) -> impl Iterator<Item = f64> {
        [x.inf(), x.mid(), x.sup(), 0.0].into_iter().filter(move |&m| x.contains(m))
    }

    #[test]
    fn what_is_no_interval_is_everything_or_nothing() {
        assert_eq!(Interval::new(f64::NAN, f64::NAN), Interval::ENTIRE);
        assert_eq!(Interval::new(0.0, f64::NAN), Interval::ENTIRE);
        assert_eq!(Interval::point(f64::NAN), Interval::ENTIRE);
        assert_eq!(Interval::point(f64::NEG_INFINITY), Interval::new(f64::NEG_INFINITY, f64::MIN));
        assert_eq!(Interval::new(1.0, -1.0), Interval::EMPTY);
        assert_eq!(Interval::new(f64::INFINITY, f64::NEG_INFINITY), Interval::EMPTY);
    }

    #[test]
    fn nothing_comes_of_nothing() {
        let (e, x) = (Interval::EMPTY, Interval::new(-1.0, 2.0));
        assert!(
            [e + x, x - e, e * x, x / e, e.sqr(), e.sqrt(), -e, e.abs(), e.min(x), x.max(e)]
                .iter()
                .all(|r| r.is_empty())
        );
        assert!(
            e.intersection(x).is_empty()
                && e.hull(x) == x
                && x.contains_interval(e)
                && !e.contains_interval(x)
        );
        assert!([e.mid(), e.width(), e.mag(), e.mig()].iter().all(|m| m.is_nan()));
        assert!(!e.contains(0.0) && !e.is_bounded() && !e.is_point());
    }

    #[test]
    fn numbers_that_are_none_are_no_members() {
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!Interval::ENTIRE.contains(x));
        }
    }

    #[test]
    fn measures_are_as_defined() {
        let x = Interval::new(-3.0, 1.0);
        assert_eq!((x.mid(), x.width(), x.mag(), x.mig()), (-1.0, 4.0, 3.0, 0.0));
        assert_eq!((-x.abs()).mig(), 0.0);
        assert_eq!(Interval::new(-3.0, -2.0).mig(), 2.0);
        assert_eq!(Interval::new(-3.0, -2.0).abs(), Interval::new(2.0, 3.0));
        assert_eq!(Interval::ENTIRE.width(), f64::INFINITY);
        assert_eq!(x.min(Interval::new(-4.0, 0.5)), Interval::new(-4.0, 0.5));
        assert_eq!(x.max(Interval::new(-4.0, 0.5)), Interval::new(-3.0, 1.0));
    }

    #[test]
    fn a_divisor_with_zero_opens_the_quotient() {
        let one = Interval::point(1.0);
        assert_eq!(one / Interval::new(-1.0, 1.0), Interval::ENTIRE);
        assert_eq!(-one / Interval::new(0.0, 2.0), Interval::new(f64::NEG_INFINITY, -0.5));
        assert!((one / 0.0).is_empty());
        assert_eq!(0.0 / Interval::ENTIRE, Interval::point(0.0));
    }

    #[test]
    fn zero_has_no_sign_and_the_text_reads_back() {
        assert_eq!(Interval::new(-0.0, -0.0).inf().to_bits(), 0);
        assert_eq!((-Interval::point(0.0)).to_string(), "[0.0, 0.0]");
        assert_eq!(
            format!("{:?} {:?}", Interval::EMPTY, Interval::new(-1e300, f64::INFINITY)),
            "∅ [-1e300, inf]"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn results_on_members_are_members_of_results(x in interval(), y in interval()) {
            let [sum, difference, product, quotient] = [x + y, x - y, x * y, x / y];
            for a in members(x) {
                prop_assert!(holds(x.sqr(), &(exact(a) * exact(a))));
                prop_assert!(x.abs().contains(a.abs()));
                if a >= 0.0 {
                    let root = x.sqrt();
                    prop_assert!(exact(root.inf()) * exact(root.inf()) <= exact(a));
                    prop_assert!(root.sup().is_infinite() || exact(root.sup()) * exact(root.sup()) >= exact(a));
                }
                for b in members(y) {
                    prop_assert!(holds(sum, &(exact(a) + exact(b))));
                    prop_assert!(holds(difference, &(exact(a) - exact(b))));
                    prop_assert!(holds(product, &(exact(a) * exact(b))));
                    prop_assert!(x.min(y).contains(a.min(b)) && x.max(y).contains(a.max(b)));
                    if b != 0.0 {
                        let (a, b) = (exact(a * b.signum()), exact(b.abs()));
                        prop_assert!(quotient.inf().is_infinite() || exact(quotient.inf()) * &b <= a);
                        prop_assert!(quotient.sup().is_infinite() || exact(quotient.sup()) * &b >= a);
                    }
                }
            }
        }

        #[test]
        fn sets_are_sets(x in interval(), y in interval()) {
            let (both, either) = (x.intersection(y), x.hull(y));
            prop_assert!(x.contains_interval(both) && y.contains_interval(both));
            prop_assert!(either.contains_interval(x) && either.contains_interval(y));
            for a in members(x) {
                prop_assert_eq!(both.contains(a), y.contains(a));
            }
            prop_assert!(x.contains(x.mid()) && x.contains_interval(x));
            prop_assert!(!x.is_bounded() || exact(x.sup()) - exact(x.inf()) <= exact(x.width().min(f64::MAX)) || x.width().is_infinite());
        }
    }
}

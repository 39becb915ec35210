//! Boxes: three intervals, one for each component of a vector.

use std::ops::{Add, Index, Mul, Neg, Sub};

use crate::Interval;
use rigor_math::Vec3;

/// The vectors whose components lie in three intervals.
///
/// ```
/// use rigor_interval::{IVec3, Interval};
/// use rigor_math::Vec3;
/// let a = IVec3::new(Interval::new(0.0, 1.0), Interval::point(3.0), Interval::point(4.0));
/// assert_eq!(a.norm_sq(), Interval::new(25.0, 26.0));
/// assert!(a.contains(&Vec3::new(0.5, 3.0, 4.0)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IVec3(pub [Interval; 3]);

impl IVec3 {
    /// The zero vector.
    pub fn zeros() -> Self {
        Self([Interval::point(0.0); 3])
    }

    /// All vectors.
    pub const ENTIRE: Self = Self([Interval::ENTIRE; 3]);

    /// From the three components.
    #[inline]
    pub fn new(x: Interval, y: Interval, z: Interval) -> Self {
        Self([x, y, z])
    }

    /// The vectors from `low` to `high` in each component.
    pub fn between(low: &Vec3, high: &Vec3) -> Self {
        Self(std::array::from_fn(|i| Interval::new(low[i], high[i])))
    }

    #[inline]
    fn zip(self, other: Self, f: impl Fn(Interval, Interval) -> Interval) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    /// {a · b}.
    #[inline]
    pub fn dot(self, other: Self) -> Interval {
        let [x, y, z] = self.zip(other, Interval::mul).0;
        x + y + z
    }

    /// {a × b}.
    #[inline]
    #[must_use]
    pub fn cross(self, other: Self) -> Self {
        let ([a, b, c], [p, q, r]) = (self.0, other.0);
        Self([b * r - c * q, c * p - a * r, a * q - b * p])
    }

    /// {‖a‖²}.
    #[inline]
    pub fn norm_sq(self) -> Interval {
        let [x, y, z] = self.0.map(Interval::sqr);
        x + y + z
    }

    /// {‖a‖}.
    #[inline]
    pub fn norm(self) -> Interval {
        self.norm_sq().sqrt()
    }

    /// The midpoint of each component.
    pub fn mid(self) -> Vec3 {
        Vec3::from(self.0.map(Interval::mid))
    }

    /// The maximum width of a component; NaN if empty.
    pub fn width(self) -> f64 {
        if self.is_empty() { f64::NAN } else { self.0.map(Interval::width).into_iter().fold(0.0, f64::max) }
    }

    /// Whether some component is empty, so that the box contains no vector.
    pub fn is_empty(self) -> bool {
        self.0.into_iter().any(Interval::is_empty)
    }

    /// Whether `v` is in the box.
    pub fn contains(self, v: &Vec3) -> bool {
        (0..3).all(|i| self.0[i].contains(v[i]))
    }

    /// Whether every vector of `other` is in `self`.
    pub fn contains_box(self, other: Self) -> bool {
        other.is_empty() || (0..3).all(|i| self.0[i].contains_interval(other.0[i]))
    }

    /// The smallest box that contains both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() { self } else { self.zip(other, Interval::hull) }
    }

    /// The intersection: the vectors in both.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        self.zip(other, Interval::intersection)
    }
}

/// The point {v}.
impl From<Vec3> for IVec3 {
    #[inline]
    fn from(v: Vec3) -> Self {
        Self([v.x, v.y, v.z].map(Interval::point))
    }
}

impl Index<usize> for IVec3 {
    type Output = Interval;

    #[inline]
    fn index(&self, i: usize) -> &Interval {
        &self.0[i]
    }
}

impl Add for IVec3 {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        self.zip(other, Interval::add)
    }
}

impl Sub for IVec3 {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self.zip(other, Interval::sub)
    }
}

impl Neg for IVec3 {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(self.0.map(Interval::neg))
    }
}

/// {a c}.
impl Mul<Interval> for IVec3 {
    type Output = Self;

    #[inline]
    fn mul(self, scale: Interval) -> Self {
        Self(self.0.map(|x| x * scale))
    }
}

/// {a c}.
impl Mul<f64> for IVec3 {
    type Output = Self;

    #[inline]
    fn mul(self, scale: f64) -> Self {
        self * Interval::point(scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{exact, holds};
    use proptest::prelude::*;

    fn component() -> impl Strategy<Value = Interval> {
        (-10.0..10.0f64, 0.0..2.0f64).prop_map(|(a, w)| Interval::new(a, a + w))
    }

    fn vector() -> impl Strategy<Value = IVec3> {
        [component(), component(), component()].prop_map(IVec3)
    }

    /// The corner of a box that the three lowest bits of `i` select.
    fn corner(a: IVec3, i: u8) -> Vec3 {
        Vec3::from_fn(|j, _| if i >> j & 1 == 0 { a[j].inf() } else { a[j].sup() })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn products_of_members_are_members_of_products(a in vector(), b in vector(), i in 0..8u8, j in 0..8u8) {
            let (p, q) = (corner(a, i), corner(b, j));
            let (x, y) = ([p.x, p.y, p.z].map(exact), [q.x, q.y, q.z].map(exact));
            let dot = &x[0] * &y[0] + &x[1] * &y[1] + &x[2] * &y[2];
            let square = &x[0] * &x[0] + &x[1] * &x[1] + &x[2] * &x[2];
            prop_assert!(holds(a.dot(b), &dot) && holds(a.norm_sq(), &square));
            prop_assert!(exact(a.norm().inf()) * exact(a.norm().inf()) <= square);
            prop_assert!(exact(a.norm().sup()) * exact(a.norm().sup()) >= square);
            for k in 0..3 {
                let (l, m) = ((k + 1) % 3, (k + 2) % 3);
                prop_assert!(holds(a.cross(b)[k], &(&x[l] * &y[m] - &x[m] * &y[l])));
                prop_assert!(holds((a + b)[k], &(&x[k] + &y[k])) && holds((a - b)[k], &(&x[k] - &y[k])));
                prop_assert!(holds((-a)[k], &-x[k].clone()) && holds((a * b[0])[k], &(&x[k] * &y[0])));
            }
            prop_assert!(a.contains(&p) && a.hull(b).contains(&p) && a.hull(b).contains_box(b));
            prop_assert_eq!(a.intersection(b).contains(&p), b.contains(&p));
        }
    }

    #[test]
    fn one_empty_component_empties_the_box() {
        let full = IVec3::from(Vec3::new(1.0, 2.0, 3.0));
        let empty = IVec3::new(Interval::EMPTY, full[1], full[2]);
        assert!(empty.is_empty() && empty.width().is_nan() && !empty.contains(&Vec3::new(1.0, 2.0, 3.0)));
        assert_eq!(empty.hull(full), full);
        assert!(full.contains_box(empty) && !empty.contains_box(full));
        assert_eq!(IVec3::between(&Vec3::zeros(), &full.mid()).width(), 3.0);
        assert!(IVec3::ENTIRE.contains_box(IVec3::zeros()));
    }
}

//! Exact signs: on which side of a plane or line a point lies, with coordinates taken as exact reals.
//!
//! Built on the adaptive arithmetic of the `robust` crate, which is exact unless a product of three
//! differences overflows or underflows. So the signs are exact if every coordinate is 0 or has a magnitude in
//! [1e-90, 1e100] ([`is_in_range`]): such numbers are multiples of 2⁻³⁵², and no part of a determinant falls
//! below 2⁻¹⁰⁵⁶ or above 2¹⁰²³. Outside this range, a sign that depends on the lost part may come out as
//! `Zero`.

use rigor_math::Vec3;
use robust::{Coord, Coord3D};

/// The sign of a real number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sign {
    /// Less than 0.
    Negative,
    /// Exactly 0.
    Zero,
    /// Greater than 0.
    Positive,
}

impl Sign {
    /// The sign of `x`.
    #[inline]
    pub fn of(x: f64) -> Self {
        if x > 0.0 {
            Self::Positive
        } else if x < 0.0 {
            Self::Negative
        } else {
            Self::Zero
        }
    }

    /// The sign of −x.
    #[inline]
    pub fn opposite(self) -> Self {
        match self {
            Self::Negative => Self::Positive,
            Self::Zero => Self::Zero,
            Self::Positive => Self::Negative,
        }
    }

    /// Whether all are positive or all are negative.
    #[inline]
    pub(crate) fn are_strictly_equal(signs: &[Self]) -> bool {
        signs[0] != Self::Zero && signs.iter().all(|s| *s == signs[0])
    }

    /// Whether one is positive and one is negative.
    #[inline]
    pub(crate) fn are_mixed(signs: &[Self]) -> bool {
        signs.contains(&Self::Positive) && signs.contains(&Self::Negative)
    }
}

/// Whether the predicates are exact for this point: each |coordinate| is 0 or in [1e-90, 1e100].
pub fn is_in_range(p: &Vec3) -> bool {
    p.iter().all(|x| *x == 0.0 || (1e-90..=1e100).contains(&x.abs()))
}

/// The sign of ((b − a) × (c − a))·(d − a): positive if d lies on the side of the plane from which a, b, c run
/// counter-clockwise.
///
/// ```
/// use rigor_geometry::predicates::{Sign, orient_3d};
/// use rigor_math::Vec3;
/// assert_eq!(orient_3d(&Vec3::zeros(), &Vec3::x(), &Vec3::y(), &Vec3::z()), Sign::Positive);
/// ```
#[inline]
pub fn orient_3d(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> Sign {
    let coord = |p: &Vec3| Coord3D { x: p.x, y: p.y, z: p.z };
    // `robust` takes differences from d, which flips the sign of the determinant.
    Sign::of(-robust::orient3d(coord(a), coord(b), coord(c), coord(d)))
}

/// The sign of component `axis` (0, 1 or 2) of (b − a) × (c − a): whether the points run counter-clockwise seen from
/// the positive end of that axis.
///
/// Projecting along an axis drops a coordinate without rounding. On a plane whose normal has a component
/// along the axis the projection is one-to-one, so that questions about coplanar points reduce to their
/// projections.
///
/// ```
/// use rigor_geometry::predicates::{Sign, orient_2d};
/// use rigor_math::Vec3;
/// assert_eq!(orient_2d(2, &Vec3::zeros(), &Vec3::x(), &Vec3::y()), Sign::Positive);
/// assert_eq!(orient_2d(0, &Vec3::zeros(), &Vec3::x(), &Vec3::y()), Sign::Zero);
/// ```
#[inline]
pub fn orient_2d(axis: usize, a: &Vec3, b: &Vec3, c: &Vec3) -> Sign {
    let coord = |p: &Vec3| Coord { x: p[(axis + 1) % 3], y: p[(axis + 2) % 3] };
    Sign::of(robust::orient2d(coord(a), coord(b), coord(c)))
}

/// An axis along which the normal (b − a) × (c − a) has a component, or `None` if the points lie on one line.
#[inline]
pub fn normal_axis(a: &Vec3, b: &Vec3, c: &Vec3) -> Option<usize> {
    // Starting with the largest rounded component succeeds at the first try, except for needles.
    let n = (b - a).cross(&(c - a));
    let first = n.iamax();
    (first..first + 3).map(|i| i % 3).find(|&axis| orient_2d(axis, a, b, c) != Sign::Zero)
}

/// Whether the points lie on one line, as they do if two of them coincide.
#[inline]
pub fn are_collinear(a: &Vec3, b: &Vec3, c: &Vec3) -> bool {
    normal_axis(a, b, c).is_none()
}

/// Whether the points lie in one plane.
#[inline]
pub fn are_coplanar(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> bool {
    orient_3d(a, b, c, d) == Sign::Zero
}

/// Whether the points are the same.
#[inline]
pub fn are_coincident(a: &Vec3, b: &Vec3) -> bool {
    a == b
}

#[cfg(test)]
mod tests;

//! The arithmetic of the crate `inari`, which switches the processor's rounding mode.

use inari::Interval;

use super::Backend;

impl Backend for Interval {
    const EMPTY: Self = Self::EMPTY;
    const ENTIRE: Self = Self::ENTIRE;
    const PI: Self = Self::PI;

    #[inline]
    fn from_ends(inf: f64, sup: f64) -> Self {
        Self::try_from((inf, sup)).unwrap_or(Self::ENTIRE)
    }

    #[inline]
    fn inf(self) -> f64 {
        self.inf()
    }

    #[inline]
    fn sup(self) -> f64 {
        self.sup()
    }

    #[inline]
    fn neg(self) -> Self {
        -self
    }

    #[inline]
    fn add(self, other: Self) -> Self {
        self + other
    }

    #[inline]
    fn sub(self, other: Self) -> Self {
        self - other
    }

    #[inline]
    fn mul(self, other: Self) -> Self {
        self * other
    }

    #[inline]
    fn div(self, other: Self) -> Self {
        self / other
    }

    #[inline]
    fn sqr(self) -> Self {
        self.sqr()
    }

    #[inline]
    fn sqrt(self) -> Self {
        self.sqrt()
    }
}

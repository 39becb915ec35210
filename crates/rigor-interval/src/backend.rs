//! The arithmetic under [`crate::Interval`]: two implementations with the same bits.

#[cfg(all(target_arch = "x86_64", target_feature = "avx", target_feature = "fma"))]
mod inari;
mod portable;

/// Intervals with ends rounded outward to the nearest `f64`, as IEEE 1788 defines the operations on sets.
pub(crate) trait Backend: Copy {
    /// No number.
    const EMPTY: Self;
    /// Every real number.
    const ENTIRE: Self;
    /// The two `f64` around π.
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

/// The implementation that this target gets.
#[cfg(all(target_arch = "x86_64", target_feature = "avx", target_feature = "fma"))]
pub(crate) type Chosen = ::inari::Interval;
/// The implementation that this target gets.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx", target_feature = "fma")))]
pub(crate) type Chosen = portable::Portable;

//! Finite differences, against which every derivative in the workspace is checked.
//!
//! A central difference (f(x + h) − f(x − h))/2h is taken at h = step, step/2, …, step/512 and extrapolated
//! to h = 0 (Richardson; the errors are powers of h²). Of the whole table of extrapolants, the one that
//! agrees best with its two parents is kept (Ridders). So truncation and rounding need not be balanced by
//! hand, and the first, widest differences may even leave the domain of f (return NaN).
//!
//! **Step.** Choose the scale over which f varies noticeably, in the unit of x: the default 1/8 suits angles
//! and lengths around 1; for a feature of size ℓ take ℓ/8. Never below 10⁻⁸ |x|.
//!
//! **Accuracy.** For smooth f that vary over the step's size: about 10⁻¹³ of (|f| + |f′|) for first
//! derivatives and 10⁻¹¹ for [`Differences::hessian`], which differentiates twice. Check a Hessian against an
//! analytic gradient with [`Differences::check_jacobian`] to keep the better figure. Second derivatives must
//! exist: at a kink or a jump the result is that of one side or neither.
//!
//! ```
//! use nalgebra::{Matrix2, Vector2};
//! use rigor_math::finite_difference::{check_gradient, check_jacobian};
//! let x = Vector2::new(0.3, 2.0);
//! let f = |x: &Vector2<f64>| x[0] * x[0] * x[1];
//! let gradient = |x: &Vector2<f64>| Vector2::new(2.0 * x[0] * x[1], x[0] * x[0]);
//! let hessian = Matrix2::new(2.0 * x[1], 2.0 * x[0], 2.0 * x[0], 0.0);
//! check_gradient(f, &gradient(&x), &x).assert_within(1e-12);
//! check_jacobian(gradient, &hessian, &x).assert_within(1e-12);
//! ```

use nalgebra::allocator::Allocator;
use nalgebra::{DefaultAllocator, Dim, OMatrix, OVector};
use std::ops::{Div, Sub};

pub use report::{Mismatch, Report};
mod report;

/// Number of half-widths; the step is halved one time fewer.
const LEVELS: usize = 10;

/// Central differences extrapolated to a vanishing step; see [the module](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Differences {
    /// The widest half-width h, in the unit of the argument.
    pub step: f64,
}

impl Default for Differences {
    fn default() -> Self {
        Self { step: 0.125 }
    }
}

impl Differences {
    /// Differences whose widest half-width is `step`, in the unit of the argument.
    pub fn with_step(step: f64) -> Self {
        Self { step }
    }

    /// f′(x).
    ///
    /// ```
    /// use rigor_math::finite_difference::Differences;
    /// assert!((Differences::default().derivative(|x| x.exp(), 0.0) - 1.0).abs() < 1e-13);
    /// ```
    pub fn derivative(&self, f: impl Fn(f64) -> f64, x: f64) -> f64 {
        extrapolate(self.differences(f, x))
    }

    /// ∇f(x).
    pub fn gradient<D: Dim>(
        &self,
        f: impl Fn(&OVector<f64, D>) -> f64,
        x: &OVector<f64, D>,
    ) -> OVector<f64, D>
    where
        DefaultAllocator: Allocator<D>,
    {
        let partial = |i| self.derivative(|x_i| f(&with_component(x, i, x_i)), x[i]);
        OVector::from_fn_generic(x.shape_generic().0, nalgebra::U1, |i, _| partial(i))
    }

    /// The matrix ∂fᵢ/∂xⱼ.
    pub fn jacobian<R: Dim, C: Dim>(
        &self,
        f: impl Fn(&OVector<f64, C>) -> OVector<f64, R>,
        x: &OVector<f64, C>,
    ) -> OMatrix<f64, R, C>
    where
        DefaultAllocator: Allocator<R> + Allocator<C> + Allocator<R, C>,
    {
        let rows = f(x).shape_generic().0;
        let columns: Vec<_> =
            (0..x.len()).map(|j| self.differences(|x_j| f(&with_component(x, j, x_j)), x[j])).collect();
        let entry = |i: usize, j: usize| extrapolate(std::array::from_fn(|level| columns[j][level][i]));
        OMatrix::from_fn_generic(rows, x.shape_generic().0, entry)
    }

    /// The matrix ∂²f/∂xᵢ∂xⱼ, from values of f alone.
    pub fn hessian<D: Dim>(
        &self,
        f: impl Fn(&OVector<f64, D>) -> f64,
        x: &OVector<f64, D>,
    ) -> OMatrix<f64, D, D>
    where
        DefaultAllocator: Allocator<D> + Allocator<D, D>,
    {
        self.jacobian(|x| self.gradient(&f, x), x)
    }

    /// Compares the `analytic` gradient at `x` with that of `f`.
    pub fn check_gradient<D: Dim>(
        &self,
        f: impl Fn(&OVector<f64, D>) -> f64,
        analytic: &OVector<f64, D>,
        x: &OVector<f64, D>,
    ) -> Report
    where
        DefaultAllocator: Allocator<D>,
    {
        Report::compare(analytic, &self.gradient(&f, x), self.noise(f(x).abs()))
    }

    /// Compares the `analytic` Jacobian at `x` with that of `f`; if `f` is a gradient, a Hessian.
    pub fn check_jacobian<R: Dim, C: Dim>(
        &self,
        f: impl Fn(&OVector<f64, C>) -> OVector<f64, R>,
        analytic: &OMatrix<f64, R, C>,
        x: &OVector<f64, C>,
    ) -> Report
    where
        DefaultAllocator: Allocator<R> + Allocator<C> + Allocator<R, C>,
    {
        Report::compare(analytic, &self.jacobian(&f, x), self.noise(f(x).amax()))
    }

    /// A generous bound on the effect of rounding in values of this size on a difference at the widest step.
    fn noise(&self, value: f64) -> f64 {
        64.0 * f64::EPSILON * value / self.step
    }

    /// The central differences at all half-widths, widest first, each over the actual distance of its points.
    fn differences<V>(&self, f: impl Fn(f64) -> V, x: f64) -> [V; LEVELS]
    where
        V: Sub<Output = V> + Div<f64, Output = V>,
    {
        let mut h = 2.0 * self.step;
        std::array::from_fn(|_| {
            h *= 0.5;
            let (left, right) = (x - h, x + h);
            (f(right) - f(left)) / (right - left)
        })
    }
}

/// Extrapolates numbers given at h, h/2, h/4, …, whose errors are a series in h², to h = 0.
fn extrapolate(differences: [f64; LEVELS]) -> f64 {
    let mut column = differences;
    let (mut best, mut smallest_gap) = (f64::NAN, f64::INFINITY);
    let mut weight = 1.0;
    for order in 1..LEVELS {
        weight *= 4.0;
        for i in 0..LEVELS - order {
            let (wide, narrow) = (column[i], column[i + 1]);
            let value = narrow + (narrow - wide) / (weight - 1.0);
            let gap = (value - wide).abs().max((value - narrow).abs());
            if gap < smallest_gap {
                (best, smallest_gap) = (value, gap);
            }
            column[i] = value;
        }
    }
    best
}

fn with_component<D: Dim>(x: &OVector<f64, D>, i: usize, value: f64) -> OVector<f64, D>
where
    DefaultAllocator: Allocator<D>,
{
    let mut moved = x.clone();
    moved[i] = value;
    moved
}

/// ∇f(x) with the default step.
///
/// ```
/// use nalgebra::Vector2;
/// let g = rigor_math::finite_difference::gradient(|x: &Vector2<f64>| x[0] * x[1], &Vector2::new(2.0, 3.0));
/// assert!((g - Vector2::new(3.0, 2.0)).amax() < 1e-13);
/// ```
pub fn gradient<D: Dim>(f: impl Fn(&OVector<f64, D>) -> f64, x: &OVector<f64, D>) -> OVector<f64, D>
where
    DefaultAllocator: Allocator<D>,
{
    Differences::default().gradient(f, x)
}

/// The matrix ∂fᵢ/∂xⱼ with the default step.
pub fn jacobian<R: Dim, C: Dim>(
    f: impl Fn(&OVector<f64, C>) -> OVector<f64, R>,
    x: &OVector<f64, C>,
) -> OMatrix<f64, R, C>
where
    DefaultAllocator: Allocator<R> + Allocator<C> + Allocator<R, C>,
{
    Differences::default().jacobian(f, x)
}

/// The matrix ∂²f/∂xᵢ∂xⱼ with the default step, from values of f alone.
pub fn hessian<D: Dim>(f: impl Fn(&OVector<f64, D>) -> f64, x: &OVector<f64, D>) -> OMatrix<f64, D, D>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    Differences::default().hessian(f, x)
}

/// [`Differences::check_gradient`] with the default step.
pub fn check_gradient<D: Dim>(
    f: impl Fn(&OVector<f64, D>) -> f64,
    analytic: &OVector<f64, D>,
    x: &OVector<f64, D>,
) -> Report
where
    DefaultAllocator: Allocator<D>,
{
    Differences::default().check_gradient(f, analytic, x)
}

/// [`Differences::check_jacobian`] with the default step.
pub fn check_jacobian<R: Dim, C: Dim>(
    f: impl Fn(&OVector<f64, C>) -> OVector<f64, R>,
    analytic: &OMatrix<f64, R, C>,
    x: &OVector<f64, C>,
) -> Report
where
    DefaultAllocator: Allocator<R> + Allocator<C> + Allocator<R, C>,
{
    Differences::default().check_jacobian(f, analytic, x)
}

#[cfg(test)]
mod tests;

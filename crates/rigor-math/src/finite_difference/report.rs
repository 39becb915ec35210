//! Comparison of an analytic derivative with a numeric one.

use nalgebra::allocator::Allocator;
use nalgebra::{DefaultAllocator, Dim, OMatrix};

/// The entry in which an analytic derivative differs most from the numeric one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// |analytic − numeric| over the largest magnitude of an entry of either; 0 if the difference is within the
    /// noise, infinite if it is NaN.
    pub relative_error: f64,
    /// Row and column of that entry; for a gradient, component and 0.
    pub index: (usize, usize),
    /// The analytic entry.
    pub analytic: f64,
    /// The numeric entry.
    pub numeric: f64,
}

/// An analytic derivative whose error exceeds the tolerance.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "entry {:?}: analytic {:e}, numeric {:e}, relative error {:e}, allowed {tolerance:e}",
    report.index, report.analytic, report.numeric, report.relative_error
)]
pub struct Mismatch {
    /// The worst entry.
    pub report: Report,
    /// The allowed relative error.
    pub tolerance: f64,
}

impl Report {
    /// The entry in which `analytic` differs most from `numeric`.
    ///
    /// A difference of at most `noise` counts as zero, because no finite difference could resolve it.
    pub fn compare<R: Dim, C: Dim>(
        analytic: &OMatrix<f64, R, C>,
        numeric: &OMatrix<f64, R, C>,
        noise: f64,
    ) -> Self
    where
        DefaultAllocator: Allocator<R, C>,
    {
        let largest = analytic.iter().chain(numeric.iter()).fold(0.0, |m: f64, e| m.max(e.abs()));
        let entry = |(column, row): (usize, usize)| {
            let (a, n) = (analytic[(row, column)], numeric[(row, column)]);
            let relative_error = relative_error((a - n).abs(), noise, largest);
            Self { relative_error, index: (row, column), analytic: a, numeric: n }
        };
        let entries = (0..analytic.ncols()).flat_map(|c| (0..analytic.nrows()).map(move |r| (c, r)));
        entries
            .map(entry)
            .reduce(|worst, e| if e.relative_error > worst.relative_error { e } else { worst })
            .expect("a derivative has at least one entry")
    }

    /// Whether the error is at most `tolerance`.
    ///
    /// # Errors
    /// [`Mismatch`] if it is more.
    pub fn within(self, tolerance: f64) -> Result<(), Mismatch> {
        if self.relative_error <= tolerance { Ok(()) } else { Err(Mismatch { report: self, tolerance }) }
    }

    /// Panics with the numbers if the error exceeds `tolerance`; for tests.
    ///
    /// # Panics
    /// If the error exceeds `tolerance`.
    #[track_caller]
    pub fn assert_within(self, tolerance: f64) {
        if let Err(mismatch) = self.within(tolerance) {
            panic!("the derivative is wrong: {mismatch}");
        }
    }
}

fn relative_error(difference: f64, noise: f64, largest: f64) -> f64 {
    if difference <= noise {
        0.0
    } else if difference.is_nan() {
        f64::INFINITY
    } else {
        difference / largest
    }
}

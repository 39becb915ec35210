//! Observed order of convergence: the error as a function of the time step.

use rigor_math::elementary;
use rigor_report::number::significant;

/// Relative errors up to this value count as rounding.
pub const ROUNDING: f64 = 1e-11;
/// Maximum factor by which a point may miss the fit of a power law.
const MAX_SCATTER: f64 = 1.6;
/// Errors are level if they differ by at most the ratio of the time steps to this power.
const LEVEL: f64 = 0.25;

/// The dependence of the error on the time step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trend {
    /// All errors are rounding.
    Exact,
    /// The error is C Δtᵖ.
    Power {
        /// The order p.
        order: f64,
        /// Maximum factor by which a point misses the fit.
        scatter: f64,
    },
    /// The error hardly depends on Δt: minimum and maximum.
    Level([f64; 2]),
    /// The error grows with shorter steps or follows no power law.
    Irregular {
        /// Slope of the least-squares line through the logarithms.
        order: f64,
        /// Maximum factor by which a point misses it.
        scatter: f64,
    },
    /// There are too few errors above rounding.
    Unknown,
}

/// Determines the trend of `points`, pairs of time step (s) and relative error in any order.
///
/// Errors up to [`ROUNDING`] are excluded from the fit of a power law, and so are points that are not finite.
pub fn trend(points: &[(f64, f64)]) -> Trend {
    let points = &finite(points)[..];
    let errors = || points.iter().map(|point| point.1);
    let (least, largest) = (errors().fold(f64::INFINITY, f64::min), errors().fold(0.0, f64::max));
    let above: Vec<(f64, f64)> = points.iter().copied().filter(|point| point.1 > ROUNDING).collect();
    if points.len() < 2 {
        return if points.len() == 1 && largest <= ROUNDING { Trend::Exact } else { Trend::Unknown };
    }
    if largest <= ROUNDING {
        return Trend::Exact;
    }
    let steps = || points.iter().map(|point| elementary::ln(point.0));
    let span = steps().fold(f64::NEG_INFINITY, f64::max) - steps().fold(f64::INFINITY, f64::min);
    // Steps of one length have no slope.
    if span <= 0.0 {
        return Trend::Unknown;
    }
    if elementary::ln(largest / least) <= LEVEL * span {
        return Trend::Level([least, largest]);
    }
    if !has_two_steps(&above) {
        return Trend::Unknown;
    }
    let (order, scatter) = fit(&above);
    // Two points always fit exactly.
    if scatter <= MAX_SCATTER && order > 0.0 {
        Trend::Power { order, scatter }
    } else {
        Trend::Irregular { order, scatter }
    }
}

/// The points that are finite.
fn finite(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    points.iter().copied().filter(|(dt, error)| dt.is_finite() && *dt > 0.0 && error.is_finite()).collect()
}

fn has_two_steps(points: &[(f64, f64)]) -> bool {
    points.first().is_some_and(|first| points.iter().any(|other| other.0.to_bits() != first.0.to_bits()))
}

/// Slope of the least-squares line through (ln Δt, ln error), and the maximum factor by which a point misses
/// it.
fn fit(points: &[(f64, f64)]) -> (f64, f64) {
    let logs: Vec<(f64, f64)> =
        points.iter().map(|(dt, error)| (elementary::ln(*dt), elementary::ln(*error))).collect();
    let n = logs.len() as f64;
    let (x_mean, y_mean) =
        (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let covariance: f64 = logs.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    let variance: f64 = logs.iter().map(|(x, _)| (x - x_mean) * (x - x_mean)).sum();
    let order = covariance / variance;
    let off = |(x, y): &(f64, f64)| (y - y_mean - order * (x - x_mean)).abs();
    (order, elementary::exp(logs.iter().map(off).fold(0.0, f64::max)))
}

/// Returns half of the width of the 95 % confidence interval of the slope of ln error over ln Δt, by Student's t distribution;
/// `None` with fewer than three errors above [`ROUNDING`].
pub fn confidence(points: &[(f64, f64)]) -> Option<f64> {
    let above: Vec<(f64, f64)> = finite(points).into_iter().filter(|point| point.1 > ROUNDING).collect();
    let n = above.len();
    if n < 3 || !has_two_steps(&above) {
        return None;
    }
    let logs: Vec<(f64, f64)> =
        above.iter().map(|(dt, e)| (elementary::ln(*dt), elementary::ln(*e))).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n as f64;
    let (x_mean, y_mean) = (mean(|p| p.0), mean(|p| p.1));
    let (slope, _) = fit(&above);
    let square = |off: f64| off * off;
    let residual: f64 = logs.iter().map(|(x, y)| square(y - y_mean - slope * (x - x_mean))).sum();
    let spread: f64 = logs.iter().map(|(x, _)| square(x - x_mean)).sum();
    let error = (residual / (n - 2) as f64 / spread).sqrt();
    Some(student(n - 2) * error)
}

/// The 97.5 % quantile of Student's t distribution for 1, 2, … degrees of freedom.
const STUDENT: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/// Returns the 97.5 % quantile of Student's t distribution for `freedom` ≥ 1 degrees of freedom: from a table up to ten, then by the
/// expansion of \[Abramowitz1964\] 26.7.5 about the normal quantile, to 4 digits. Without freedom it is infinite.
///
/// ```
/// use rigor_study::order::student;
/// assert_eq!((student(1), student(10)), (12.706, 2.228));
/// assert!((student(30) - 2.0423).abs() < 1e-3 && (student(1_000_000) - 1.95996).abs() < 1e-4);
/// ```
pub fn student(freedom: usize) -> f64 {
    match freedom.checked_sub(1) {
        None => f64::INFINITY,
        Some(k) if k < STUDENT.len() => STUDENT[k],
        Some(_) => {
            let (z, n) = (1.959_963_985, freedom as f64);
            let (cube, fifth) = (z * z * z, z * z * z * z * z);
            z + (cube + z) / (4.0 * n) + (5.0 * fifth + 16.0 * cube + 3.0 * z) / (96.0 * n * n)
        }
    }
}

impl Trend {
    /// Returns the trend in words.
    pub fn words(&self) -> String {
        match self {
            Self::Exact => "exact to rounding".into(),
            Self::Power { order, scatter } => format!("order {order:.2} (fit within ×{scatter:.2})"),
            Self::Level([least, largest]) if significant(*least) == significant(*largest) => {
                format!("does not depend on Δt: {}", significant(*least))
            }
            Self::Level([least, largest]) => {
                format!("hardly depends on Δt: {} to {}", significant(*least), significant(*largest))
            }
            Self::Irregular { order, .. } if *order < 0.0 => "grows with shorter steps".into(),
            Self::Irregular { order, scatter } => {
                format!("no clear order: slope {order:.1}, points off by up to ×{scatter:.1}")
            }
            Self::Unknown => "too few runs to tell".into(),
        }
    }

    /// Returns the trend for a cell of a table.
    pub fn cell(&self) -> String {
        match self {
            Self::Exact => "exact".into(),
            Self::Power { order, .. } => format!("{order:.1}"),
            Self::Level(_) => "0".into(),
            Self::Irregular { order, .. } => format!("~{order:.1}"),
            Self::Unknown => "–".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_levels_and_rounding_are_told_apart() {
        let points = |error: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
            (0..5).map(|k| 0.1 * 0.5_f64.powi(k)).map(|dt| (dt, error(dt))).collect()
        };
        let Trend::Power { order, scatter } = trend(&points(&|dt| 3.0 * dt * dt)) else { panic!() };
        assert!((order - 2.0).abs() < 1e-12 && scatter < 1.0 + 1e-12);
        assert_eq!(trend(&points(&|_| 1e-14)), Trend::Exact);
        assert_eq!(trend(&points(&|_| 0.02)), Trend::Level([0.02, 0.02]));
        assert!(matches!(trend(&points(&|dt| 1e-3 / dt)), Trend::Irregular { order, .. } if order < 0.0));
        let jumps = [(0.1, 0.1), (0.05, 0.001), (0.025, 0.05), (0.0125, 5e-4)];
        assert!(matches!(trend(&jumps), Trend::Irregular { scatter, .. } if scatter > 2.0));
        assert_eq!(trend(&[]), Trend::Unknown);
        // One length of the step, however often, has no order.
        for points in [
            &[(0.01, 1e-3)][..],
            &[(0.01, 1e-3), (0.01, 2e-3), (0.01, 4e-3)],
            &[(0.01, f64::NAN), (0.02, 1.0)],
        ] {
            assert_eq!((trend(points), confidence(points)), (Trend::Unknown, None), "{points:?}");
        }
    }

    #[test]
    fn the_confidence_interval_covers_the_order_where_errors_scatter() {
        let noise = [1.1, 0.9, 1.05, 0.95, 1.0];
        let points: Vec<(f64, f64)> = noise
            .iter()
            .enumerate()
            .map(|(k, noise)| (0.1 * 0.5_f64.powi(k as i32), noise * 0.01 * 0.25_f64.powi(k as i32)))
            .collect();
        let half = confidence(&points).unwrap();
        assert!((fit(&points).0 - 2.0).abs() < half && half < 0.2, "{half}");
        assert!(confidence(&points[..2]).is_none());
    }
}

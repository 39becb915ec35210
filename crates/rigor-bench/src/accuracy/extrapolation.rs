//! An integrator of order 12 for the converged answers.
//!
//! It extrapolates the results of the modified midpoint rule with 2, 4, …, 12 substeps to zero step size. It
//! shares no code with any method.

/// Numbers of substeps of the modified midpoint rule; each column of the extrapolation table gains two
/// orders.
const SUBSTEPS: [usize; 6] = [2, 4, 6, 8, 10, 12];

/// Integrates y' = f(t, y) from `time` to `time + duration` in `n_steps` equal steps, updating `y` in place.
///
/// `f(t, y, y')` writes the derivative to its last argument. The extrapolation is that of Gragg, Bulirsch and
/// Stoer \[Hairer1993\] §II.9: with η(h) the midpoint rule smoothed at its end, whose error has only even
/// powers of h,
///
/// T_{j,1} = η(H/n_j), T_{j,k+1} = T_{j,k} + (T_{j,k} − T_{j−1,k})/((n_j/n_{j−k})² − 1).
///
/// Steps are fixed, so that the result is bit-for-bit the same everywhere; halving them tests convergence.
pub fn integrate(
    mut f: impl FnMut(f64, &[f64], &mut [f64]),
    y: &mut [f64],
    time: f64,
    duration: f64,
    n_steps: usize,
) {
    let h = duration / n_steps as f64;
    for k in 0..n_steps {
        step(&mut f, y, time + h * k as f64, h);
    }
}

fn step(f: &mut impl FnMut(f64, &[f64], &mut [f64]), y: &mut [f64], time: f64, h: f64) {
    let mut row: Vec<Vec<f64>> = Vec::new();
    for (j, &n) in SUBSTEPS.iter().enumerate() {
        let mut next = vec![midpoint(f, y, time, h, n)];
        for k in 0..j {
            let ratio = n as f64 / SUBSTEPS[j - 1 - k] as f64;
            let factor = 1.0 / (ratio * ratio - 1.0);
            let better = next[k].iter().zip(&row[k]).map(|(new, old)| new + factor * (new - old)).collect();
            next.push(better);
        }
        row = next;
    }
    if let Some(best) = row.last() {
        y.copy_from_slice(best);
    }
}

/// The modified midpoint rule with `n` substeps over `h`, smoothed at the end.
fn midpoint(f: &mut impl FnMut(f64, &[f64], &mut [f64]), y: &[f64], time: f64, h: f64, n: usize) -> Vec<f64> {
    let h_sub = h / n as f64;
    let mut slope = vec![0.0; y.len()];
    let along = |from: &[f64], slope: &[f64], by: f64| -> Vec<f64> {
        from.iter().zip(slope).map(|(y, dy)| y + by * dy).collect()
    };
    f(time, y, &mut slope);
    let mut before = y.to_vec();
    let mut now = along(y, &slope, h_sub);
    for m in 1..n {
        f(time + h_sub * m as f64, &now, &mut slope);
        let after = along(&before, &slope, 2.0 * h_sub);
        before = std::mem::replace(&mut now, after);
    }
    f(time + h, &now, &mut slope);
    now.iter()
        .zip(&before)
        .zip(&slope)
        .map(|((now, before), slope)| 0.5 * (now + before + h_sub * slope))
        .collect()
}

#[cfg(test)]
mod tests {
    use rigor_math::elementary;

    use super::*;

    /// The error at t = 4 of x″ = −x with `n` steps.
    fn error(n: usize) -> f64 {
        let mut y = [1.0, 0.0];
        integrate(|_, y, dy| dy.copy_from_slice(&[y[1], -y[0]]), &mut y, 0.0, 4.0, n);
        (y[0] - elementary::cos(4.0)).abs().max((y[1] + elementary::sin(4.0)).abs())
    }

    #[test]
    fn it_is_of_order_twelve() {
        let ratio = error(2) / error(4);
        assert!((ratio / 4096.0 - 1.0).abs() < 0.5, "{ratio}");
        assert!(error(32) < 1e-14);
    }

    #[test]
    fn the_time_of_the_derivative_is_right() {
        let mut y = [0.0];
        integrate(|t, _, dy| dy[0] = 7.0 * t.powi(6), &mut y, 1.0, 1.0, 3);
        assert!((y[0] - 127.0).abs() < 1e-12, "{}", y[0]);
    }
}

//! Integration of an ordinary differential equation to rounding, by extrapolation.

/// Columns of the extrapolation: the last is of order 16.
const COLUMNS: usize = 8;
/// A substep is accepted if its last two columns differ by no more than this part of the size of the unknowns.
const TOLERANCE: f64 = 1e-13;
/// The difference is of order 15: below this part of the tolerance, twice the substep is accepted too.
const EASY: f64 = 1.0 / 65536.0;

/// How far [`integrate`] came.
pub(super) struct Progress<const N: usize> {
    /// The unknowns.
    pub y: [f64; N],
    /// The time, from 0 towards the end (s).
    pub t: f64,
    /// Sum of the estimated errors, as parts of the size of the unknowns.
    pub error: f64,
}

/// Integrates ẏ = `rate`(t, y) from 0 to `end` (s, of either sign), in at most `most` substeps.
///
/// Each substep extrapolates the modified midpoint rule with 2, 4, …, 16 intervals to the limit of none, and is
/// halved until the last two columns of the tableau agree to 10⁻¹³. `size` gives the size of a difference of two
/// values y, as a part; `tidy` removes what the equation forbids, such as a change of the norm of a quaternion.
/// `first` (s) is the first substep tried.
///
/// Source: \[Hairer1993\] §II.9 (the method of Gragg, Bulirsch and Stoer, with the harmonic sequence of even numbers).
/// Deviation: the order is fixed, and substeps are halved and doubled only, so that no power is computed.
pub(super) fn integrate<const N: usize>(
    y: [f64; N],
    end: f64,
    first: f64,
    most: u32,
    rate: impl Fn(f64, &[f64; N]) -> [f64; N],
    size: impl Fn(&[f64; N], &[f64; N]) -> f64,
    tidy: impl Fn(&mut [f64; N]),
) -> Progress<N> {
    let mut at = Progress { y, t: 0.0, error: 0.0 };
    let mut h = first.abs().min(end.abs()).copysign(end);
    for _ in 0..most {
        let rest = end - at.t;
        if rest == 0.0 || !at.y.iter().all(|c| c.is_finite()) {
            break;
        }
        let is_last = h.abs() >= rest.abs();
        let step = if is_last { rest } else { h };
        let (next, difference) = extrapolate(&at.y, at.t, step, &rate);
        let error = size(&difference, &next);
        if error <= TOLERANCE || at.t + 0.5 * step == at.t {
            at.y = next;
            tidy(&mut at.y);
            at.t = if is_last { end } else { at.t + step };
            at.error += error;
            if error < EASY * TOLERANCE {
                h = 2.0 * step;
            }
        } else {
            h = 0.5 * step;
        }
    }
    at
}

/// y after one substep of `h` (s) from `t`, and the difference of the last two columns.
fn extrapolate<const N: usize>(
    y: &[f64; N],
    t: f64,
    h: f64,
    rate: &impl Fn(f64, &[f64; N]) -> [f64; N],
) -> ([f64; N], [f64; N]) {
    let start = rate(t, y);
    let mut row = [[0.0; N]; COLUMNS];
    let mut difference = [0.0; N];
    for j in 0..COLUMNS {
        let intervals = 2 * (j + 1);
        let mut value = midpoint(y, &start, t, h, intervals, rate);
        // Row j of the tableau replaces row j − 1.
        for (k, entry) in row.iter_mut().enumerate().take(j + 1) {
            let kept = *entry;
            *entry = value;
            if k < j {
                let ratio = intervals as f64 / (2 * (j - k)) as f64;
                difference = std::array::from_fn(|i| (value[i] - kept[i]) / (ratio * ratio - 1.0));
                value = std::array::from_fn(|i| value[i] + difference[i]);
            }
        }
    }
    (row[COLUMNS - 1], difference)
}

/// The modified midpoint rule with a last smoothing step.
fn midpoint<const N: usize>(
    y: &[f64; N],
    start: &[f64; N],
    t: f64,
    h: f64,
    intervals: usize,
    rate: &impl Fn(f64, &[f64; N]) -> [f64; N],
) -> [f64; N] {
    let step = h / intervals as f64;
    let (mut before, mut now) = (*y, std::array::from_fn(|i| y[i] + step * start[i]));
    for m in 1..intervals {
        let slope = rate(t + step * m as f64, &now);
        let next = std::array::from_fn(|i| before[i] + 2.0 * step * slope[i]);
        (before, now) = (now, next);
    }
    let slope = rate(t + h, &now);
    std::array::from_fn(|i| 0.5 * (now[i] + before[i] + step * slope[i]))
}

//! Timing of calls that are shorter than the resolution of the clock.

use std::time::Instant;

/// Target duration of a bundle of calls (s), about a hundred times the cost of reading the clock.
const BUNDLE: f64 = 5e-6;
/// A call longer than this (s) is timed once.
const LONG: f64 = 0.02;
/// Number of bundles; odd, so that the median is one of them.
const BUNDLES: usize = 5;

/// Measures the time of a call of `f` (s) as the median over several bundles of calls, after a warm-up.
pub fn seconds<T>(f: impl Fn() -> T) -> f64 {
    let first = bundle(&f, 1);
    if first > LONG {
        return first;
    }
    // The second call runs with warm caches.
    let n = (BUNDLE / bundle(&f, 1)).ceil().clamp(1.0, 1000.0) as u32;
    let mut times = [0.0; BUNDLES].map(|_: f64| bundle(&f, n));
    times.sort_by(f64::total_cmp);
    times[BUNDLES / 2]
}

fn bundle<T>(f: &impl Fn() -> T, n: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..n {
        std::hint::black_box(f());
    }
    start.elapsed().as_secs_f64() / f64::from(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_work_takes_more_time() {
        let work = |n: u64| move || (0..n).fold(1u64, |x, k| std::hint::black_box(x.wrapping_mul(k | 1)));
        let ratio = seconds(work(100_000)) / seconds(work(1000));
        // The true ratio is 100; other programs may disturb the measurement.
        assert!(ratio > 5.0, "{ratio}");
    }
}

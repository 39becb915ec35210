//! How long a call takes that takes less than the clock can tell.

use std::time::Instant;

/// Calls are bundled until a bundle takes so long (s): a hundred times what the clock itself takes.
const BUNDLE: f64 = 5e-6;
/// Calls longer than this (s) are taken once.
const LONG: f64 = 0.02;
/// Odd, so that there is a middle one.
const BUNDLES: usize = 5;

/// Seconds that a call of `f` takes: the median of several bundles of calls, after one that warms up.
pub fn seconds<T>(f: impl Fn() -> T) -> f64 {
    let first = bundle(&f, 1);
    if first > LONG {
        return first;
    }
    // Of two calls the second has its memory at hand.
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
        // It is 100; other programs may run.
        assert!(ratio > 5.0, "{ratio}");
    }
}

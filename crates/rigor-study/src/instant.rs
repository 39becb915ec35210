//! Instants at which all runs of a scene keep a frame, so that trajectories are compared without interpolation.

/// Intervals are equal, or multiples of each other, up to this part of them.
const SAME: f64 = 1e-9;
/// Maximum number of the longest steps between two common instants.
const MAX_STEPS: u32 = 32;

/// Returns the interval (s) at which steps of all lengths `steps` (s) end, as near to `wanted` (s) as can be; `None` if there is none within
/// 32 of the longest steps.
///
/// ```
/// use rigor_study::instant::interval;
/// assert_eq!(interval(&[0.02, 0.01, 0.0025], 0.01), Some(0.02));
/// assert_eq!(interval(&[0.004, 0.0001], 0.01), Some(0.012));
/// assert_eq!(interval(&[0.01, 0.01 / 2.0_f64.sqrt()], 0.01), None);
/// ```
pub fn interval(steps: &[f64], wanted: f64) -> Option<f64> {
    let longest = steps.iter().copied().fold(0.0, f64::max);
    let is_multiple = |interval: f64, step: f64| {
        let n = (interval / step).round();
        n >= 1.0 && (interval - n * step).abs() <= SAME * step
    };
    let of = |n: u32| f64::from(n) * longest;
    let least = (1..=MAX_STEPS).map(of).find(|i| steps.iter().all(|step| is_multiple(*i, *step)))?;
    Some(least * (wanted / least).round().max(1.0))
}

/// Returns the interval of kept frames, in steps of `dt` (s): one per `wanted` (s), and so that a frame ends at every multiple of `common`
/// (s), a multiple of `dt`.
///
/// ```
/// use rigor_study::instant::every;
/// assert_eq!(every(0.004, 0.01, None), 3);
/// assert_eq!(every(0.004, 0.01, Some(0.02)), 1); // 5 steps: 3 do not divide them
/// assert_eq!(every(1e-4, 0.01, Some(0.012)), 60);
/// ```
pub fn every(dt: f64, wanted: f64, common: Option<f64>) -> u64 {
    let near = (wanted / dt).round().max(1.0);
    let steps = common.map_or(near, |common| (common / dt).round());
    // Beyond these numbers a step is no part of an interval that anybody compares at.
    let (near, steps) = (near.min(1e15) as u64, steps.clamp(1.0, 1e15) as u64);
    (1..=near.min(steps)).rev().find(|n| steps.is_multiple_of(*n)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_all_runs_meet() {
        for steps in
            [&[1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0, 2e-4 / 0.96][..], &[0.01, 1.0 / 60.0], &[0.004, 1e-4]]
        {
            let common = interval(steps, 0.01).unwrap_or_else(|| panic!("{steps:?}"));
            for dt in steps {
                let n = common / dt / every(*dt, 0.01, Some(common)) as f64;
                assert!((n - n.round()).abs() < 1e-9, "{dt} {common}");
            }
        }
    }

    #[test]
    fn a_step_alone_and_steps_that_divide_the_interval_are_kept_as_before() {
        for dt in [0.0005, 0.001, 0.003, 0.004, 0.006, 0.007, 0.01, 0.02, 0.05] {
            let before = (0.01_f64 / dt).round().max(1.0) as u64;
            assert_eq!(every(dt, 0.01, interval(&[dt], 0.01)), before, "{dt}");
        }
        let steps = [0.01, 0.005, 0.0025, 1e-4];
        let common = interval(&steps, 0.01);
        assert_eq!(steps.map(|dt| every(dt, 0.01, common)), [1, 2, 4, 100]);
    }
}

//! The clock that methods receive, and the timing of their steps.

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use rigor_scene::{Clock, Method, Notice, Scene, State, StepError, StepReport, Unsupported};

use crate::notice::FlawCounter;

/// The wall clock (s), which starts at 0 when it is first read.
pub fn clock() -> Clock {
    static START: OnceLock<Instant> = OnceLock::new();
    Clock(|| START.get_or_init(Instant::now).elapsed().as_secs_f64())
}

/// Current date and time in the form `2026-03-01 12:00 UTC`.
pub fn date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (days, minutes) = (seconds / 86_400, seconds % 86_400 / 60);
    let [year, month, day] = civil(days as i64);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

/// Year, month and day in the Gregorian calendar of the day `days` after 1970-01-01.
///
/// Years are counted from March, so that the leap day comes last: month m of such a year starts on its day
/// ⌊(153 m + 2)/5⌋, and 400 years have 146 097 days.
fn civil(days: i64) -> [i64; 3] {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let m = (5 * day_of_year + 2) / 153;
    let month = if m < 10 { m + 3 } else { m - 9 };
    let year = year_of_era + 400 * era + i64::from(month <= 2);
    [year, month, day_of_year - (153 * m + 2) / 5 + 1]
}

/// A method that measures the wall time of its steps and counts their flaws.
pub struct Timed {
    method: Box<dyn Method>,
    /// Wall time of all steps so far (s).
    pub seconds: f64,
    /// Number of steps so far.
    pub steps: u64,
    /// Flaws of the steps so far.
    pub flaws: FlawCounter,
    /// Wall time of each step (s), if kept.
    laps: Option<Vec<f64>>,
}

impl Timed {
    /// Times `method` in total only.
    pub fn new(method: Box<dyn Method>) -> Self {
        Self { method, seconds: 0.0, steps: 0, flaws: FlawCounter::default(), laps: None }
    }

    /// Times `method` and keeps the time of every step.
    pub fn lap_by_lap(method: Box<dyn Method>) -> Self {
        Self { laps: Some(Vec::new()), ..Self::new(method) }
    }

    /// Median wall time per step (s); `None` if step times are not kept, or before the first step.
    pub fn median(&self) -> Option<f64> {
        let mut laps = self.laps.clone()?;
        laps.sort_by(f64::total_cmp);
        laps.get(laps.len() / 2).copied()
    }

    /// Mean wall time per step (s); `None` before the first step.
    pub fn seconds_per_step(&self) -> Option<f64> {
        (self.steps > 0).then(|| self.seconds / self.steps as f64)
    }
}

impl Method for Timed {
    fn name(&self) -> &str {
        self.method.name()
    }

    fn supports(&self, scene: &Scene) -> Result<(), Unsupported> {
        self.method.supports(scene)
    }

    fn notices(&self, scene: &Scene, dt: f64) -> Vec<Notice> {
        self.method.notices(scene, dt)
    }

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        let start = Instant::now();
        let report = self.method.step(scene, state, dt);
        let seconds = start.elapsed().as_secs_f64();
        self.seconds += seconds;
        self.laps.iter_mut().for_each(|laps| laps.push(seconds));
        self.steps += 1;
        if let Ok(report) = &report {
            self.flaws.push(report);
        }
        report
    }

    fn save(&mut self, state: &mut State) -> Result<(), StepError> {
        self.method.save(state)
    }
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn days_of_the_calendar() {
        assert_eq!(civil(0), [1970, 1, 1]);
        assert_eq!(civil(59), [1970, 3, 1]);
        assert_eq!(civil(11_016), [2000, 2, 29]);
        assert_eq!(civil(20_778), [2026, 11, 21]);
    }
}

//! The reports of a method as series over the steps.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rigor_audit::Series;
use rigor_scene::{State, StepReport};

use crate::account::Account;
use crate::error::{Fault, RunError};
use crate::folder::steps::HEADER;

/// The series of all steps so far: a value per step of what the method reported.
#[derive(Debug)]
pub struct ReportSeries {
    contacts: Series,
    iterations: Series,
    seconds: Series,
    normal_force: Series,
    quantities: Vec<Series>,
    /// Cumulative wall time (s) of each phase.
    phases: Vec<Series>,
}

impl Default for ReportSeries {
    fn default() -> Self {
        Self::new()
    }
}

impl ReportSeries {
    /// Creates series without points.
    pub fn new() -> Self {
        Self {
            contacts: Series::new("step.contacts", "1"),
            iterations: Series::new("step.iterations", "1"),
            seconds: Series::new("step.seconds", "s"),
            normal_force: Series::new("step.normal_force", "N"),
            quantities: Vec::new(),
            phases: Vec::new(),
        }
    }

    /// Reads the series of the steps in the first `length` bytes of `steps.csv`, whose columns of quantities and phases are those of
    /// `account`. What follows may be part of a line.
    ///
    /// Times of phases have the four digits that the file keeps; all else is as it was, bit for bit.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be read, or has other columns.
    pub fn read(path: &Path, account: &Account, length: u64) -> Result<Self, RunError> {
        let other = || RunError::new(path, Fault::OtherColumns);
        let mut series = Self::new();
        series.quantities =
            account.quantities.iter().map(|(name, unit)| Series::new(name.clone(), unit.clone())).collect();
        series.phases = account.phases.iter().map(|name| Series::new(name.clone(), "s")).collect();
        if account.taken == 0 {
            // A process that was killed in its first step may have left any part of a heading.
            return Ok(series);
        }
        let file = File::open(path).map_err(|error| RunError::new(path, error))?;
        let mut rows = csv::ReaderBuilder::new().from_reader(file.take(length));
        let head = rows.headers().map_err(|_| other())?.clone();
        let at = |name: &str| head.iter().position(|column| column == name).ok_or_else(other);
        let [time, contacts, iterations, force] =
            ["time_s", "contacts", "iterations", "normal_force_n"].map(at);
        let (time, contacts, iterations, force) = (time?, contacts?, iterations?, force?);
        let quantities = HEADER.split(',').count();
        let phases = quantities + series.quantities.len();
        for row in rows.records() {
            let row = row.map_err(|_| other())?;
            let number = |k: usize| row.get(k).and_then(|cell| cell.parse::<f64>().ok()).ok_or_else(other);
            let time = number(time)?;
            let mut seconds = 0.0;
            for (k, phase) in series.phases.iter_mut().enumerate() {
                let lap = number(phases + k)?;
                seconds += lap;
                let before = phase.points.last().map_or(0.0, |point| point.1);
                phase.points.push((time, before + lap));
            }
            for (k, quantity) in series.quantities.iter_mut().enumerate() {
                quantity.points.push((time, number(quantities + k)?));
            }
            series.contacts.points.push((time, number(contacts)?));
            series.iterations.points.push((time, number(iterations)?));
            series.seconds.points.push((time, seconds));
            series.normal_force.points.push((time, number(force)?));
        }
        Ok(series)
    }

    /// Adds the report of the step that ended in `state`.
    pub fn step(&mut self, state: &State, report: &StepReport) {
        let time = state.time;
        let seconds: f64 = report.phases.iter().map(|phase| phase.seconds).sum();
        self.contacts.points.push((time, report.contacts.len() as f64));
        self.iterations.points.push((time, report.iterations as f64));
        self.seconds.points.push((time, seconds));
        let force = report.contacts.iter().fold(0.0, |sum, contact| sum + contact.normal_force);
        self.normal_force.points.push((time, force));
        for quantity in &report.quantities {
            series(&mut self.quantities, quantity.name, quantity.unit).points.push((time, quantity.value));
        }
        for phase in &report.phases {
            let points = &mut series(&mut self.phases, phase.phase, "s").points;
            let before = points.last().map_or(0.0, |point| point.1);
            points.push((time, before + phase.seconds));
        }
    }

    /// Returns the series to plot with a line per run, and the phases, with a line per phase.
    pub fn into_series(self) -> (Vec<Series>, Vec<Series>) {
        let mut all = vec![self.contacts, self.iterations, self.seconds];
        // Without any force, there are no contacts or the method does not report them.
        all.extend(Some(self.normal_force).filter(|series| series.points.iter().any(|p| p.1 > 0.0)));
        all.extend(self.quantities);
        (all, self.phases)
    }
}

/// Returns the series of this name, created for its first value.
fn series<'a>(all: &'a mut Vec<Series>, name: &'static str, unit: &'static str) -> &'a mut Series {
    let at = all.iter().position(|series| series.name == name).unwrap_or(all.len());
    if at == all.len() {
        all.push(Series::new(name, unit));
    }
    &mut all[at]
}

#[cfg(test)]
mod tests {
    use rigor_scene::{PhaseTime, Quantity};

    use super::*;

    #[test]
    fn phases_are_added_up_and_quantities_are_not() {
        let mut series_of_run = ReportSeries::new();
        for (step, value) in [(1, 3.0), (2, 5.0)] {
            let report = StepReport {
                phases: vec![PhaseTime { phase: "solve", seconds: value }],
                quantities: vec![Quantity { name: "kappa", unit: "1", value }],
                ..StepReport::default()
            };
            series_of_run.step(&State { step, time: step as f64, ..State::default() }, &report);
        }
        let (series, phases) = series_of_run.into_series();
        let names: Vec<&str> = series.iter().map(|series| &*series.name).collect();
        assert_eq!(names, ["step.contacts", "step.iterations", "step.seconds", "kappa"]);
        assert_eq!(series[3].points, [(1.0, 3.0), (2.0, 5.0)]);
        assert_eq!(phases[0].points, [(1.0, 3.0), (2.0, 8.0)]);
    }
}

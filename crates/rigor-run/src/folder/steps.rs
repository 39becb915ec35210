//! `steps.csv`: the method's reports, one line per step.
//!
//! | column | content |
//! | --- | --- |
//! | `step`, `time_s` | number of the step that ended, and its time (s) |
//! | `iterations`, `residual` | as defined by the method, in its own unit |
//! | `contacts` | number of contact points at the end of the step |
//! | `min_distance_m` | smallest distance that the method computed (m); empty if nothing is near |
//! | `normal_force_n`, `friction_force_n` | magnitudes of the forces (N), summed over the contacts |
//! | `energy_j` | kinetic and potential energy (J), including bonds and compliant joints |
//! | `ccd_queries` | continuous-collision queries |
//! | `seconds` | wall time of the step (s) |
//! | `flaws` | names of the step's flaws, joined by `+`; usually empty |
//! | `flaw_amounts` | their amounts, each in the unit of its kind, joined by `;` |
//! | one for each of the method's quantities | see the method's page: `kappa`, `joint_error`, `bond_error`, … |
//! | one for each of its phases, `NAME_s` | wall time of the phase (s): `linear_solve_s`, … |

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use rigor_scene::{ContactReport, StepReport};

use super::append::FileMark;
use super::table::{self, number};
use crate::error::{Fault, RunError};
use crate::live::Live;

/// The columns of every method.
pub(crate) const HEADER: &str = "step,time_s,iterations,residual,contacts,min_distance_m,normal_force_n,friction_force_n,energy_j,ccd_queries,seconds,flaws,flaw_amounts";

/// Appends lines to a file.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    /// `None` when the file is made again: it is resumed where no step was taken.
    table: Option<table::Writer>,
    /// The complete header; `None` before the first step, whose report determines the method's columns.
    header: Option<String>,
}

impl Writer {
    /// Creates a file.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be written.
    pub fn create(path: &Path) -> Result<Self, RunError> {
        Ok(Self { path: path.to_owned(), table: Some(table::Writer::create(path, HEADER)?), header: None })
    }

    /// Resumes behind the lines of `mark`, without a change of the file before [`Writer::cut`].
    ///
    /// Where no step was taken, the file may have the columns of a step that is lost, and is made again.
    ///
    /// # Errors
    /// [`RunError`] when the file is damaged, or cannot be read or written.
    pub fn resume(path: &Path, mark: &FileMark) -> Result<Self, RunError> {
        if *mark == FileMark::of(format!("{HEADER}\n").as_bytes()) {
            return Ok(Self { path: path.to_owned(), table: None, header: None });
        }
        let table = table::Writer::resume(path, mark)?;
        let file = File::open(path).map_err(|error| RunError::new(path, error))?;
        let mut lines = BufReader::new(file).lines();
        let header = lines.next().transpose().map_err(|error| RunError::new(path, error))?;
        Ok(Self { path: path.to_owned(), table: Some(table), header })
    }

    /// Drops what follows the mark.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written.
    pub fn cut(&mut self) -> Result<(), RunError> {
        match &mut self.table {
            Some(table) => table.cut(),
            None => self.table.insert(table::Writer::create(&self.path, HEADER)?).flush().map(|_| ()),
        }
    }

    /// Appends the line of a step.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written, or when the method reports other quantities than in
    /// previous steps.
    pub fn push(&mut self, live: &Live) -> Result<(), RunError> {
        let header = header(live.report);
        match &self.header {
            Some(known) if *known == header => {}
            Some(_) => {
                return Err(RunError::new(&self.path, Fault::OtherColumns));
            }
            None => {
                self.table = Some(table::Writer::create(&self.path, &header)?);
                self.header = Some(header);
            }
        }
        self.table()?.push(&line(live))
    }

    /// Flushes all lines to the file and returns what it then holds.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<FileMark, RunError> {
        self.table()?.flush()
    }

    fn table(&mut self) -> Result<&mut table::Writer, RunError> {
        let table = match self.table.take() {
            Some(table) => table,
            None => table::Writer::create(&self.path, HEADER)?,
        };
        Ok(self.table.insert(table))
    }
}

fn header(report: &StepReport) -> String {
    let quantities = report.quantities.iter().map(|quantity| format!(",{}", quantity.name));
    let phases = report.phases.iter().map(|time| format!(",{}_s", time.phase.replace(' ', "_")));
    std::iter::once(HEADER.to_owned()).chain(quantities).chain(phases).collect()
}

fn line(live: &Live) -> String {
    let Live { state, report, energy, seconds, .. } = *live;
    let optional = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:e}"));
    // An empty sum would be −0.
    let sum = |force: fn(&ContactReport) -> f64| report.contacts.iter().map(force).fold(0.0, |a, b| a + b);
    let (normal, friction) = (sum(|c| c.normal_force), sum(|c| c.friction_force_world.norm()));
    let own = format!(
        "{},{},{},{},{},{},{normal:e},{friction:e},{energy:e},{},{seconds:.3e},{},{}",
        state.step,
        state.time,
        report.iterations,
        optional(report.residual),
        report.contacts.len(),
        optional(report.min_distance),
        report.ccd_queries,
        report.flaws.iter().map(|flaw| flaw.kind.name()).collect::<Vec<_>>().join("+"),
        report.flaws.iter().map(|flaw| format!("{:e}", flaw.amount)).collect::<Vec<_>>().join(";"),
    );
    let quantities = report.quantities.iter().map(|quantity| format!(",{}", number(quantity.value)));
    let phases = report.phases.iter().map(|time| format!(",{:.3e}", time.seconds));
    std::iter::once(own).chain(quantities).chain(phases).collect()
}

#[cfg(test)]
mod tests {
    use rigor_scene::{Flaw, FlawKind, PhaseTime, Quantity, State, Subject};

    use super::*;

    const ALL_FLAWS: [Flaw; 2] = [
        Flaw { kind: FlawKind::TooFast, subject: Subject::Scene, amount: 2.5 },
        Flaw { kind: FlawKind::EnergyMade, subject: Subject::Scene, amount: 0.5 },
    ];

    fn report(value: f64) -> StepReport {
        StepReport {
            iterations: 4,
            phases: vec![PhaseTime { phase: "linear solve", seconds: 0.5 }],
            quantities: vec![Quantity { name: "kappa", unit: "1", value }],
            flaws: if value > 1.0 { ALL_FLAWS.to_vec() } else { Vec::new() },
            ..StepReport::default()
        }
    }

    /// Appends the line of a step, at four steps per second and 1.5 J.
    fn push(writer: &mut Writer, step: u64, report: &StepReport) -> Result<(), RunError> {
        let state = State { step, time: 0.25 * step as f64, ..State::default() };
        writer.push(&Live { state: &state, report, energy: 1.5, seconds: 1.0, steps: 4 })
    }

    #[test]
    fn quantities_become_columns_and_a_resumed_file_goes_on_behind_its_mark() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("steps.csv");
        let read = || std::fs::read_to_string(&path).unwrap();
        let mut writer = Writer::create(&path).unwrap();
        let mut marks = vec![writer.flush().unwrap()];
        assert_eq!(read(), format!("{HEADER}\n"), "a run without a step");
        push(&mut writer, 1, &report(0.5)).unwrap();
        marks.push(writer.flush().unwrap());
        push(&mut writer, 2, &report(2.0)).unwrap();
        marks.push(writer.flush().unwrap());
        let whole = read();
        let lines = "1,0.25,4,,0,,0e0,0e0,1.5e0,0,1.000e0,,,5e-1,5.000e-1\n2,0.5,4,,0,,0e0,0e0,1.5e0,0,1.000e0,too_fast+energy_made,2.5e0;5e-1,2,5.000e-1\n";
        assert_eq!(whole, format!("{HEADER},kappa,linear_solve_s\n{lines}"));
        let mut writer = Writer::resume(&path, &marks[1]).unwrap();
        writer.cut().unwrap();
        push(&mut writer, 2, &report(2.0)).unwrap();
        writer.flush().unwrap();
        assert_eq!(read(), whole);
        let mut writer = Writer::resume(&path, &marks[2]).unwrap();
        assert!(push(&mut writer, 3, &StepReport::default()).is_err());
        // Killed in its second step, after no step was kept.
        let mut writer = Writer::resume(&path, &marks[0]).unwrap();
        assert_eq!(read(), whole);
        writer.cut().unwrap();
        assert_eq!(read(), format!("{HEADER}\n"));
        push(&mut writer, 1, &report(0.5)).unwrap();
        push(&mut writer, 2, &report(2.0)).unwrap();
        writer.flush().unwrap();
        assert_eq!(read(), whole);
    }
}

//! `steps.csv`: what the method reported, one line per step.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;

use rigor_scene::{State, StepReport};

use super::RunError;

const HEADER: &str =
    "step,time_s,iterations,residual,contacts,min_distance_m,normal_force_n,ccd_queries,seconds,phases";

/// Appends lines.
#[derive(Debug)]
pub struct Writer {
    file: BufWriter<File>,
    path: std::path::PathBuf,
}

impl Writer {
    /// A new file.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be written.
    pub fn create(path: &Path) -> Result<Self, RunError> {
        let fail = |error| RunError::new(path, error);
        let mut file = BufWriter::new(File::create(path).map_err(fail)?);
        writeln!(file, "{HEADER}").map_err(fail)?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Goes on after the line of `step`; later ones are dropped.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be read or written.
    pub fn resume(path: &Path, step: u64) -> Result<Self, RunError> {
        let fail = |error: std::io::Error| RunError::new(path, error);
        let text = std::fs::read_to_string(path).map_err(fail)?;
        let is_kept = |line: &&str| {
            line.split(',').next().and_then(|s| s.parse::<u64>().ok()).is_none_or(|s| s <= step)
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let kept: Vec<&str> = whole.lines().take_while(is_kept).collect();
        std::fs::write(path, kept.join("\n") + "\n").map_err(fail)?;
        let file = OpenOptions::new().append(true).open(path).map_err(fail)?;
        Ok(Self { file: BufWriter::new(file), path: path.to_owned() })
    }

    /// Appends the line of the step that ended in `state`, which took `seconds`.
    ///
    /// # Errors
    /// [`RunError`] when the disk is full, for one.
    pub fn push(&mut self, state: &State, report: &StepReport, seconds: f64) -> Result<(), RunError> {
        let optional = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:e}"));
        let force: f64 = report.contacts.iter().map(|c| c.normal_force).sum();
        let phases: Vec<String> =
            report.phases.iter().map(|p| format!("{}={:.3e}", p.phase, p.seconds)).collect();
        writeln!(
            self.file,
            "{},{},{},{},{},{},{force:e},{},{seconds:.3e},{}",
            state.step,
            state.time,
            report.iterations,
            optional(report.residual),
            report.contacts.len(),
            optional(report.min_distance),
            report.ccd_queries,
            phases.join(" "),
        )
        .map_err(|error| RunError::new(&self.path, error))
    }

    /// Sees to it that all lines are on disk.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.file.flush().map_err(|error| RunError::new(&self.path, error))
    }
}

//! `series.bin`: values over time, from judges and from the method's reports, for plots.
//!
//! The file is written once, at the end of a run, in the format of the crate `postcard`.

use std::path::Path;

use rigor_audit::Series;
use serde::{Deserialize, Serialize};

use super::write_whole;
use crate::error::{Fault, RunError};

/// All series of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AllSeries {
    /// A line per quantity: of the judges, frame by frame, and of the method, step by step.
    pub quantities: Vec<Series>,
    /// Cumulative wall time (s) of each phase of a step.
    pub phases: Vec<Series>,
}

/// A series as stored: name, unit, pairs of time (s) and value.
type Stored = (String, String, Vec<(f64, f64)>);

#[derive(Serialize, Deserialize)]
struct File {
    quantities: Vec<Stored>,
    phases: Vec<Stored>,
}

/// Writes all series.
///
/// # Errors
/// [`RunError`] when the file cannot be written.
pub fn write(path: &Path, all: &AllSeries) -> Result<(), RunError> {
    let stored = |series: &Series| (series.name.to_string(), series.unit.to_string(), series.points.clone());
    let list = |series: &[Series]| series.iter().map(stored).collect();
    let file = File { quantities: list(&all.quantities), phases: list(&all.phases) };
    let bytes = postcard::to_stdvec(&file).map_err(|error| RunError::new(path, error))?;
    write_whole(path, &bytes)
}

/// Reads all series; empty if there is no file.
///
/// # Errors
/// [`RunError`] when the file is damaged or cannot be read.
pub fn read(path: &Path) -> Result<AllSeries, RunError> {
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(AllSeries::default()),
        bytes => bytes.map_err(|error| RunError::new(path, error))?,
    };
    let file: File = postcard::from_bytes(&bytes).map_err(|_| RunError::new(path, Fault::DamagedSeries))?;
    let of = |(name, unit, points): Stored| Series { points, ..Series::new(name, unit) };
    let list = |stored: Vec<Stored>| stored.into_iter().map(of).collect();
    Ok(AllSeries { quantities: list(file.quantities), phases: list(file.phases) })
}

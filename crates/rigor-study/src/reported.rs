//! Series of a run that still goes on, from its table of steps.

use rigor_audit::Series;
use rigor_run::{Folder, RunError};

/// Columns of `steps.csv` that are plotted, with the names and units of their series.
const COLUMNS: [(&str, &str, &str); 6] = [
    ("contacts", "step.contacts", "1"),
    ("iterations", "step.iterations", "1"),
    ("seconds", "step.seconds", "s"),
    ("normal_force_n", "step.normal_force", "N"),
    ("kappa", "kappa", "J s²/m⁴"),
    ("energy_j", "energy.total", "J"),
];

/// The series of what the method reported, step by step; empty where there is no `steps.csv`.
pub fn series(folder: &Folder) -> Result<Vec<Series>, RunError> {
    let path = folder.steps();
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path).map_err(|error| RunError::new(&path, error))?;
    let mut rows = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let Ok(head) = rows.headers().cloned() else { return Ok(Vec::new()) };
    let at = |name: &str| head.iter().position(|column| column == name);
    let Some(time) = at("time_s") else { return Ok(Vec::new()) };
    let column = |(column, name, unit): &(&str, &'static str, &'static str)| {
        Some((at(column)?, Series::new(*name, *unit)))
    };
    let mut columns: Vec<(usize, Series)> = COLUMNS.iter().filter_map(column).collect();
    // The last line of a run that goes on may be cut.
    for row in rows.records().map_while(Result::ok).filter(|row| row.len() == head.len()) {
        let number = |k: usize| row.get(k).and_then(|cell| cell.parse::<f64>().ok());
        for (k, series) in &mut columns {
            series.points.extend(number(time).zip(number(*k)));
        }
    }
    let is_told =
        |series: &Series| series.name != "step.normal_force" || series.points.iter().any(|p| p.1 > 0.0);
    Ok(columns.into_iter().map(|(_, series)| series).filter(is_told).collect())
}

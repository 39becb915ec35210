//! The table of results: one row per run, as CSV.

use std::collections::BTreeMap;

use csv::{Position, ReaderBuilder, StringRecord};
use rigor_run::machine::{Machine, Versions};
use serde_json::{Value, json};

use super::case::Case;
use super::error::TableError;
use super::variant::Variant;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All steps were taken, and the error is known.
    Completed,
    /// A step failed.
    Stopped,
    /// The run exceeded the time limit, or did not start because a run with a longer step exceeded it.
    CutOff,
    /// The method cannot run the case, or its data are missing.
    Skipped,
    /// Another failure: invalid settings, a panic, a quantity that cannot be measured.
    Failed,
}

const OUTCOMES: [(Outcome, &str); 5] = [
    (Outcome::Completed, "completed"),
    (Outcome::Stopped, "stopped"),
    (Outcome::CutOff, "cut off"),
    (Outcome::Skipped, "skipped"),
    (Outcome::Failed, "failed"),
];

impl Outcome {
    /// Name of the outcome in tables.
    pub fn word(self) -> &'static str {
        OUTCOMES.iter().find(|(outcome, _)| *outcome == self).map_or("", |(_, word)| word)
    }
}

/// One run, or the reason why it did not start.
#[derive(Debug, Clone, PartialEq)]
pub struct AccuracyRow {
    /// The case.
    pub case: String,
    /// The label of the variant.
    pub variant: String,
    /// Its settings, separated by semicolons.
    pub settings: String,
    /// Time step Δt (s); 0 if the row is for all time steps.
    pub dt: f64,
    /// Number of steps over the duration of the case; 0 if the row is for all time steps.
    pub steps: u64,
    /// How the run ended.
    pub outcome: Outcome,
    /// The error over the scale of the case (dimensionless).
    pub error: Option<f64>,
    /// CPU time of the run (s).
    pub cpu: Option<f64>,
    /// The reason why the run did not complete.
    pub why: String,
    /// Program version, processor and day of the run.
    pub origin: Origin,
}

/// Program version, processor and day of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// The commit.
    pub commit: String,
    /// The processor.
    pub processor: String,
    /// The day, as `2026-03-01`.
    pub day: String,
}

impl Origin {
    /// Returns the origin of runs made now by this program.
    pub fn here() -> Self {
        Self {
            commit: Versions::here().commit,
            processor: Machine::here().processor,
            day: rigor_run::clock::date().chars().take(10).collect(),
        }
    }
}

impl AccuracyRow {
    /// Creates a row for a case that a variant did not run, at any time step.
    pub fn without_run(case: &Case, variant: &Variant, outcome: Outcome, why: impl Into<String>) -> Self {
        Self {
            case: case.name.clone(),
            variant: variant.label.clone(),
            settings: variant.set.join("; "),
            dt: 0.0,
            steps: 0,
            outcome,
            error: None,
            cpu: None,
            why: why.into(),
            origin: Origin::default(),
        }
    }

    fn cells(&self) -> [String; HEAD.len()] {
        let number = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:e}"));
        let Origin { commit, processor, day } = self.origin.clone();
        [
            self.case.clone(),
            self.variant.clone(),
            self.settings.clone(),
            number(Some(self.dt)),
            self.steps.to_string(),
            self.outcome.word().to_owned(),
            number(self.error),
            number(self.cpu),
            self.why.replace(['\n', '\r'], " "),
            commit,
            processor,
            day,
        ]
    }

    /// Parses the row from the cells of `record`; `None` if they are invalid.
    fn of(record: &StringRecord) -> Option<Self> {
        let cells: Vec<&str> = record.iter().collect();
        let [case, variant, settings, dt, steps, outcome, error, cpu, why, commit, processor, day] =
            <[&str; HEAD.len()]>::try_from(cells).ok()?;
        let number = |text: &str| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) };
        let (outcome, _) = OUTCOMES.into_iter().find(|(_, word)| *word == outcome)?;
        let [case, variant, settings, why] = [case, variant, settings, why].map(str::to_owned);
        let [commit, processor, day] = [commit, processor, day].map(str::to_owned);
        Some(Self {
            case,
            variant,
            settings,
            dt: dt.parse().ok()?,
            steps: steps.parse().ok()?,
            outcome,
            error: number(error)?,
            cpu: number(cpu)?,
            why,
            origin: Origin { commit, processor, day },
        })
    }

    /// Returns the row as JSON.
    pub fn json(&self) -> Value {
        json!({
            "case": self.case, "variant": self.variant, "settings": self.settings, "dt": self.dt, "steps": self.steps,
            "outcome": self.outcome.word(), "error": self.error, "cpu_seconds": self.cpu, "why": self.why,
        })
    }
}

const HEAD: [&str; 12] = [
    "case",
    "variant",
    "settings",
    "dt [s]",
    "steps",
    "outcome",
    "error [1]",
    "cpu [s]",
    "why",
    "commit",
    "processor",
    "day",
];

/// Formats rows as CSV.
pub fn csv(rows: &[AccuracyRow]) -> String {
    rigor_study::results::text(&HEAD, rows.iter().map(AccuracyRow::cells))
}

/// Reads the rows of a CSV file that [`csv()`] wrote.
///
/// # Errors
/// The heading differs, or a line (the error has its number) is not a row.
pub fn read(text: &str) -> Result<Vec<AccuracyRow>, TableError> {
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    if !reader.headers().is_ok_and(|head| head.iter().eq(HEAD)) {
        return Err(TableError::Heading);
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| TableError::Row { line: line(error.position()) })?;
        let row = AccuracyRow::of(&record);
        rows.push(row.ok_or_else(|| TableError::Row { line: line(record.position()) })?);
    }
    Ok(rows)
}

fn line(position: Option<&Position>) -> usize {
    position.map_or(0, |position| position.line() as usize)
}

/// Merges tables: all rows of a case and variant come from the last table that has any.
pub fn merge(tables: Vec<Vec<AccuracyRow>>) -> Vec<AccuracyRow> {
    let mut newest: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (k, table) in tables.iter().enumerate() {
        for row in table {
            newest.insert((row.case.clone(), row.variant.clone()), k);
        }
    }
    let is_newest =
        |k: usize, row: &AccuracyRow| newest.get(&(row.case.clone(), row.variant.clone())) == Some(&k);
    let rows = tables.into_iter().enumerate();
    rows.flat_map(|(k, table)| table.into_iter().map(move |row| (k, row)))
        .filter(|(k, row)| is_newest(*k, row))
        .map(|(_, row)| row)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(variant: &str, error: f64) -> AccuracyRow {
        AccuracyRow {
            case: "a-case".into(),
            variant: variant.into(),
            settings: "a=1; b=\"x\"".into(),
            dt: 0.0125,
            steps: 80,
            outcome: Outcome::Completed,
            error: Some(error),
            cpu: Some(2.5e-3),
            why: "none, \"really\"".into(),
            origin: Origin { commit: "abc".into(), processor: "A, B".into(), day: "2026-01-02".into() },
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let rows = vec![
            sample("ipc, implicit", 1.5e-3),
            AccuracyRow { error: None, cpu: None, outcome: Outcome::Skipped, ..sample("free", 0.0) },
        ];
        assert_eq!(read(&csv(&rows)).unwrap(), rows);
        assert!(read("case,variant\n").is_err());
        let line = |text: &str| match read(text) {
            Err(TableError::Row { line }) => line,
            other => panic!("{other:?}"),
        };
        assert_eq!(line(&format!("{}x,y\n", csv(&rows))), 4);
    }

    #[test]
    fn a_later_table_replaces_all_rows_of_a_case_and_variant() {
        let old = vec![sample("xpbd", 1.0), sample("xpbd", 2.0), sample("ipc", 3.0)];
        let merged = merge(vec![old, vec![sample("xpbd", 4.0)]]);
        let errors: Vec<_> = merged.iter().map(|row| row.error).collect();
        assert_eq!(errors, [Some(3.0), Some(4.0)]);
    }
}

//! Tables across methods: a plan of runs per table, on the driver of studies.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rigor_report::Drawing;
use rigor_report::mark::Mark;
use rigor_report::number::quantity;
use rigor_report::table::Table;
use rigor_study::conduct::{conduct, quantities};
use rigor_study::quantity::Quantity;
use rigor_study::{Plan, PlanError, Results, report, row};
use serde::Deserialize;

use crate::form::{Form, Printed};
use crate::request::Request;

/// A table of runs of several methods.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodTable {
    /// The plan, as TOML; in the file of a paper, the name of the plan's file. The table shows the quantities of its
    /// plots, or the critical values of its search.
    pub plan: String,
    /// The claim about its runs.
    #[serde(default)]
    pub claim: Agreement,
}

/// A claim about the runs of a plan.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// No claim: the numbers are only reported.
    #[default]
    Told,
    /// Each critical value of the method with this label is this number, to within the tolerance.
    Critical {
        /// The method.
        label: String,
        /// The number.
        near: f64,
        /// The tolerance.
        tolerance: f64,
    },
    /// The quantity is zero in each run of the method with this label.
    Zero {
        /// The method.
        label: String,
        /// The quantity.
        of: String,
    },
    /// The quantity has the same bits in all runs of a scene with a method.
    Same(String),
    /// On timed runs, the quantity, a time, falls from run to run, and another one has the same bits in all.
    Faster {
        /// The time.
        time: String,
        /// The quantity with the same bits.
        same: String,
    },
}

/// The results of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableResults {
    /// The table with its claim.
    pub across: MethodTable,
    /// The form of the paper's method.
    pub form: Form,
    /// The table of numbers, with the complaints.
    pub tables: Vec<Table>,
    /// The plots.
    pub drawings: Vec<Drawing>,
    /// Why the claim fails; empty if it holds, was not judged, or there is none.
    pub complaints: Vec<String>,
    /// Whether the claim needs times that were not measured.
    pub is_untimed: bool,
}

/// Makes the runs of a table, with the paper's method in one form. As printed, only the methods of the claim are run.
///
/// # Errors
/// The plan is invalid. What goes wrong with a run is among the complaints.
pub fn gather(
    across: &MethodTable,
    (printed, method): (&Printed, &str),
    form: Form,
    request: Request,
    stop: &AtomicBool,
) -> Result<TableResults, PlanError> {
    let mut plan = Plan::parse(&across.plan, Path::new("a plan of rigor-papers"))?;
    if form == Form::Printed {
        print(&mut plan, &across.claim, printed, method);
    }
    let needs_time = matches!(across.claim, Agreement::Faster { .. });
    let is_timed = request.is_timed && needs_time;
    plan.study.timed = request.is_timed;
    let results = conduct(&plan, &request.options(), stop, &|_, _| {})?;
    let is_whole = results.is_complete() && !stop.load(Ordering::Relaxed);
    let lost =
        results.errors.iter().map(|(task, error)| format!("{} with {}: {error}", task.scene, task.label));
    let mut complaints: Vec<String> = lost.collect();
    if is_whole {
        complaints.extend(across.claim.complaints(&results, is_timed)?);
    }
    let mark = match &across.claim {
        _ if !complaints.is_empty() => Mark::Bad,
        Agreement::Told => Mark::Plain,
        Agreement::Faster { .. } if !is_timed => Mark::Plain,
        _ => Mark::Good,
    };
    let mut tables = report::tables(&plan, &results);
    if plan.bisect.is_none() {
        tables.insert(0, numbers(&plan, &results, request.is_timed)?);
    }
    if let Some(first) = tables.first_mut() {
        first.title = match form {
            Form::Printed => format!("{}: {}", plan.study.title, form.words()),
            Form::Here => plan.study.title.clone(),
        };
        first.mark = mark;
        first.complaints.clone_from(&complaints);
    }
    let drawings = report::drawings(&plan, &results);
    Ok(TableResults {
        across: across.clone(),
        form,
        tables,
        drawings,
        complaints,
        is_untimed: needs_time && !is_timed,
    })
}

/// Leaves the methods of the claim in the plan, and gives that of the paper its printed settings.
fn print(plan: &mut Plan, claim: &Agreement, printed: &Printed, method: &str) {
    if let Some(label) = claim.label() {
        plan.method.retain(|contender| contender.label() == label);
    }
    for contender in plan.method.iter_mut().filter(|contender| contender.name == method) {
        for line in printed.of(Form::Printed, method) {
            let setting = line.strip_prefix("method.").and_then(|line| line.strip_prefix(method));
            let setting = setting.and_then(|line| line.strip_prefix('.'));
            let Some((key, value)) = setting.and_then(|line| line.split_once('=')) else { continue };
            let read = format!("value={value}").parse::<toml::Table>().ok();
            let read = read.and_then(|mut table| table.remove("value"));
            let value = read.unwrap_or_else(|| toml::Value::String(value.to_owned()));
            contender.set.entry(key).or_insert(value);
        }
    }
}

impl Agreement {
    /// Returns the label of the method of which it is a claim.
    pub(crate) fn label(&self) -> Option<&str> {
        match self {
            Self::Critical { label, .. } | Self::Zero { label, .. } => Some(label),
            Self::Told | Self::Same(_) | Self::Faster { .. } => None,
        }
    }

    /// Returns the reasons why `results` violate the claim; empty if they do not.
    fn complaints(&self, results: &Results, is_timed: bool) -> Result<Vec<String>, PlanError> {
        match self {
            Self::Told => Ok(vec![]),
            Self::Critical { label, near, tolerance } => {
                let wrong = results.criticals.iter().filter(|critical| critical.task.label == *label);
                let wrong = wrong.filter(|critical| {
                    critical.found.value().is_none_or(|value| (value - near).abs() > *tolerance)
                });
                let told = |critical: &rigor_study::bisect::Critical| {
                    let found = critical.found.words();
                    let at = &critical.task;
                    format!("{} with {}: {found}, expected {near} ± {tolerance}", at.scene, at.label)
                };
                Ok(wrong.map(told).collect())
            }
            Self::Zero { label, of } => {
                let of = read(of)?;
                let own = results.rows.iter().filter(|row| row.task.label == *label);
                let wrong = own.filter(|row| row.value(&of).is_none_or(|value| value.abs() > 0.0));
                Ok(wrong.map(|row| told(row, &of, "expected 0")).collect())
            }
            Self::Same(of) => unlike(results, &read(of)?),
            Self::Faster { time, same } => {
                let mut all = unlike(results, &read(same)?)?;
                let time = read(time)?;
                for pair in results.rows.windows(2).filter(|_| is_timed) {
                    let is_next = pair[0].scene == pair[1].scene && pair[0].task.label == pair[1].task.label;
                    let times = pair[0].value(&time).zip(pair[1].value(&time));
                    if is_next && times.is_none_or(|(before, now)| now >= before) {
                        all.push(told(&pair[1], &time, "expected less than in the run before"));
                    }
                }
                Ok(all)
            }
        }
    }
}

fn read(name: &str) -> Result<Quantity, PlanError> {
    Quantity::read(name, &[])
}

/// The runs whose quantity has other bits than in the first run of their scene and method.
fn unlike(results: &Results, of: &Quantity) -> Result<Vec<String>, PlanError> {
    let first = |row: &row::Row| {
        let same = |other: &&row::Row| other.scene == row.scene && other.task.label == row.task.label;
        results.rows.iter().find(same).and_then(|row| row.value(of))
    };
    let bits = |value: Option<f64>| value.map(f64::to_bits);
    let wrong =
        results.rows.iter().filter(|row| row.value(of).is_none() || bits(row.value(of)) != bits(first(row)));
    Ok(wrong.map(|row| told(row, of, "expected the same in all runs")).collect())
}

fn told(row: &row::Row, of: &Quantity, expected: &str) -> String {
    let found = row.value(of).map_or("not measured".into(), |value| quantity(value, of.unit()));
    let at = [format!("Δt = {}", quantity(row.record.dt, "s")), row.point()].join(", ");
    let at = at.trim_end_matches(", ");
    format!("{} with {}, {at}: {} is {found}, {expected}", row.scene, row.task.label, of.label())
}

/// The quantities of the plan's plots, run by run, with CPU time if the runs were timed.
fn numbers(plan: &Plan, results: &Results, is_timed: bool) -> Result<Table, PlanError> {
    let tasks: Vec<_> = results.rows.iter().map(|row| row.task.clone()).collect();
    let keys = rigor_study::task::keys(&tasks);
    let mut asked: Vec<Quantity> = quantities(plan, &tasks)?
        .into_iter()
        .filter(|of| of.name() != "time.dt" && !keys.contains(&of.name()))
        .collect();
    let time = read("cost.cpu_per_step")?;
    if is_timed && !asked.contains(&time) {
        asked.push(time);
    }
    let heading = ["Scene", "Method", "Δt", "At", "Outcome"].map(str::to_owned).into_iter();
    let cells = |row: &row::Row| {
        let found = |of: &Quantity| row.value(of).map_or("–".into(), |value| quantity(value, of.unit()));
        let outcome = row::outcome(&row.record);
        let fixed =
            [row.scene.clone(), row.task.label.clone(), quantity(row.record.dt, "s"), row.point(), outcome];
        fixed.into_iter().chain(asked.iter().map(found)).collect()
    };
    Ok(Table {
        title: String::new(),
        note: plan.study.description.clone(),
        mark: Mark::Plain,
        complaints: Vec::new(),
        heading: heading.chain(asked.iter().map(Quantity::words)).collect(),
        rows: results.rows.iter().map(cells).collect(),
        plot: None,
    })
}

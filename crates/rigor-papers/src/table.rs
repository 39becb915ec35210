//! A study as a table that compares the paper's numbers with ours.

use rigor_report::mark::Mark;
use rigor_report::plot::{Layout, Line, Plot};
use rigor_report::table::Table;
use rigor_run::machine::Machine;

use crate::form::Form;
use crate::study::{Column, StudyResults, Trend, lines};

/// Creates the table of a study, with a plot if the study has an axis for one.
pub fn of(studied: &StudyResults) -> Table {
    let study = &studied.study;
    let complaints = studied.complaints();
    let row = |k: usize| -> Vec<String> {
        let trial = &study.trials[k];
        let ours = studied.columns.iter().map(|column| studied.ours(column, k));
        let first = [trial.label.clone(), studied.theirs(k), studied.exact(k)].into_iter();
        first.chain(ours).chain([trial.case.clone()]).collect()
    };
    let is_bad =
        studied.columns.iter().any(|column| column.form == Form::Here && !column.complaints.is_empty());
    let mark = match study.claim {
        _ if is_bad => Mark::Bad,
        _ if !complaints.is_empty() => Mark::Slight,
        Trend::Told => Mark::Plain,
        _ if studied.is_untimed => Mark::Plain,
        _ => Mark::Good,
    };
    Table {
        title: study.title.clone(),
        note: note(studied) + &replaced(studied),
        mark,
        complaints,
        heading: heading(studied),
        rows: (0..study.trials.len()).map(row).collect(),
        plot: (!study.across.is_empty()).then(|| plot(studied)),
    }
}

fn heading(studied: &StudyResults) -> Vec<String> {
    let column = |column: &Column| match column.form {
        Form::Printed => "As printed",
        Form::Here => "Here",
    };
    let first = ["Run", "The paper", "Exact"].into_iter();
    first.chain(studied.columns.iter().map(column)).chain(["Case"]).map(str::to_owned).collect()
}

/// Returns the note below the title: the source of the paper's numbers and, for times, the machine of ours.
pub fn note(studied: &StudyResults) -> String {
    let theirs = &studied.study.theirs;
    if studied.study.measure.is_time() {
        let mut changes = studied.study.trials.iter().flat_map(|trial| &trial.set);
        let here = if changes.any(|change| change.ends_with("device=\"gpu\"")) {
            "the first graphics adapter of this machine, or one in software".to_owned()
        } else {
            format!("one thread of {}", Machine::here().processor)
        };
        format!("The paper: {theirs}. Here: {here}, median step. The machines differ: no parity is claimed.")
    } else {
        format!("The paper: {theirs}.")
    }
}

/// What the runs set in place of the printed form; empty if nothing.
fn replaced(studied: &StudyResults) -> String {
    let has_printed = studied.columns.iter().any(|column| column.form == Form::Printed);
    match &studied.replaced[..] {
        [] => String::new(),
        _ if !has_printed => String::new(),
        all => format!(" Not as printed, since runs set it themselves: {}.", all.join(", ")),
    }
}

/// The plot: curves as here, or in the only form that was made.
fn plot(studied: &StudyResults) -> Plot {
    let study = &studied.study;
    let column = studied.columns.last();
    let line = |(i, name): (usize, &&str)| Line {
        class: format!("c{} d{}", i % 7, i / 7),
        name: (*name).to_owned(),
        points: column.map_or(vec![], |column| points(studied, column, name)),
    };
    Plot {
        title: format!("{}, against {}", study.title, study.across),
        across: (study.across.clone().into(), "1"),
        unit: study.measure.unit(),
        layout: Layout::Decades,
        lines: lines(study).iter().enumerate().map(line).collect(),
    }
}

/// Returns the points on the curve `name`.
fn points(studied: &StudyResults, column: &Column, name: &str) -> Vec<(f64, f64)> {
    let trials = studied.study.trials.iter().zip(&column.values);
    let mine = trials.filter(|(trial, _)| trial.line == name);
    mine.filter_map(|(trial, value)| Some((trial.at, *value.as_ref().ok()?))).collect()
}

//! A study as a table that compares the paper's numbers with ours.

use rigor_report::mark::Mark;
use rigor_report::plot::{Layout, Line, Plot};
use rigor_report::table::Table;
use rigor_run::machine::Machine;

use crate::study::{StudyResults, Trend, lines};

/// Creates the table of a study, with a plot if the study has an axis for one.
pub fn of(studied: &StudyResults) -> Table {
    let study = studied.study;
    let row = |k: usize| -> Vec<String> {
        vec![
            study.trials[k].label.to_owned(),
            studied.theirs(k),
            studied.exact(k),
            studied.ours(k),
            study.trials[k].case.to_owned(),
        ]
    };
    let mark = match study.claim {
        _ if !studied.complaints.is_empty() => Mark::Bad,
        Trend::Told => Mark::Plain,
        _ if studied.is_untimed => Mark::Plain,
        _ => Mark::Good,
    };
    Table {
        title: study.title.to_owned(),
        note: note(studied),
        mark,
        complaints: studied.complaints.clone(),
        heading: ["Run", "The paper", "Exact", "Here", "Case"].map(str::to_owned).to_vec(),
        rows: (0..study.trials.len()).map(row).collect(),
        plot: (!study.across.is_empty()).then(|| plot(studied)),
    }
}

/// Returns the note below the title: the source of the paper's numbers and, for times, the machine of ours.
pub fn note(studied: &StudyResults) -> String {
    let theirs = studied.study.theirs;
    if studied.study.measure.is_time() {
        let mut changes = studied.study.trials.iter().flat_map(|trial| trial.set);
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

fn plot(studied: &StudyResults) -> Plot {
    let study = studied.study;
    let line = |(i, name): (usize, &&'static str)| Line {
        class: format!("c{} d{}", i % 7, i / 7),
        name: (*name).to_owned(),
        points: points(studied, name),
    };
    Plot {
        title: format!("{}, against {}", study.title, study.across),
        across: (study.across, "1"),
        unit: study.measure.unit(),
        layout: Layout::Decades,
        lines: lines(study).iter().enumerate().map(line).collect(),
    }
}

/// Returns the points on the curve `name`.
fn points(studied: &StudyResults, name: &str) -> Vec<(f64, f64)> {
    let trials = studied.study.trials.iter().zip(&studied.values);
    let mine = trials.filter(|(trial, _)| trial.line == name);
    mine.filter_map(|(trial, value)| Some((trial.at, *value.as_ref().ok()?))).collect()
}

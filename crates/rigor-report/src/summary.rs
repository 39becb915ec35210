//! The overview, and the table of all rows.

use maud::{Markup, html};

use crate::comparison::{Comparison, Ending, MethodRow, SceneSection};
use crate::figure::{COLUMNS, Cell, overall};
use crate::mark::Mark;
use crate::naming::{anchor, methods, row_name};
use crate::number::quantity;
use crate::playback::jump;
use crate::tally::tallies;

/// Meanings of the marks.
const MEANINGS: [(Mark, &str); 3] =
    [(Mark::Good, "correct"), (Mark::Slight, "slightly off"), (Mark::Bad, "wrong")];

/// Renders one verdict per scene and method in words, then every row with its figures.
pub fn summary(comparison: &Comparison) -> Markup {
    html! {
        section #summary {
            h2 { "Summary" }
            (tallies(comparison))
            div.wide { (glance(comparison)) }
            details.table open[n_rows(comparison) <= 40] {
                summary { "All figures by scene, method and time step" }
                div.wide { (table(comparison)) }
                p.source { (timing(comparison)) }
                (legend())
            }
        }
    }
}

/// Whether the times in the table are comparable.
fn timing(comparison: &Comparison) -> &'static str {
    let all = || comparison.scenes.iter().flat_map(|section| &section.rows);
    match (all().any(|row| row.is_timed), all().all(|row| row.is_timed)) {
        (_, true) => "Times: each run had the machine for itself.",
        (false, _) => {
            "Times: runs may have shared the machine; do not quote them. --timed measures them one after another."
        }
        (true, false) => "Times: some runs may have shared the machine; do not quote them.",
    }
}

fn n_rows(comparison: &Comparison) -> usize {
    comparison.scenes.iter().map(|section| section.rows.len()).sum()
}

fn glance(comparison: &Comparison) -> Markup {
    let methods = methods(comparison);
    html! {
        table.glance {
            thead { tr { th { "Scene" } @for method in &methods { th { (method) } } } }
            tbody {
                @for section in &comparison.scenes {
                    tr {
                        th scope="row" { a href=(format!("#{}", anchor(section))) { (section.name) } }
                        @for method in &methods { (verdicts(section, method)) }
                    }
                }
            }
        }
    }
}

/// Renders the verdicts on one method on one scene, at each time step.
fn verdicts(section: &SceneSection, method: &str) -> Markup {
    let rows: Vec<&MethodRow> = section.rows.iter().filter(|row| row.label == method).collect();
    html! {
        td {
            @for row in &rows {
                @let (mark, text) = verdict(section, row);
                div class=(format!("verdict {}", mark.class())) {
                    @if rows.len() > 1 {
                        span.dt { @if !row.point.is_empty() { (row.point) ", " } (quantity(row.dt, "s")) }
                    }
                    span.sign { (mark.sign()) }
                    span { (text) (jump(section, row)) }
                }
            }
            @if rows.is_empty() { "–" }
        }
    }
}

/// Returns the verdict: "clean", the mistakes, or the feature that the method lacks.
pub fn verdict(section: &SceneSection, row: &MethodRow) -> (Mark, String) {
    let (mark, complaints) = overall(section, row);
    let text = match &row.ending {
        Ending::Skipped { why } => format!("skipped: no {why}"),
        _ if mark == Mark::Good => "clean".to_owned(),
        _ => complaints.join(", "),
    };
    (mark, text)
}

fn table(comparison: &Comparison) -> Markup {
    html! {
        table.figures {
            thead {
                tr {
                    th { "Scene" }
                    th { "Method" }
                    th.number { "Δt" span.unit { "ms" } }
                    @for column in &COLUMNS {
                        th.number title=(column.meaning) {
                            (column.heading) @if !column.unit.is_empty() { span.unit { (column.unit) } }
                        }
                    }
                }
            }
            tbody {
                @for section in &comparison.scenes {
                    @for (k, row) in section.rows.iter().enumerate() { (table_row(section, row, k > 0)) }
                }
            }
        }
    }
}

fn table_row(section: &SceneSection, row: &MethodRow, is_again: bool) -> Markup {
    html! {
        tr.first[!is_again] {
            th scope="row" .again[is_again] {
                a href=(format!("#{}", anchor(section))) { (section.name) }
            }
            td { (row.label) @if !row.point.is_empty() { ", " (row.point) } }
            td.number data-order=(row.dt) { (crate::number::significant(1e3 * row.dt)) }
            @for column in &COLUMNS { (table_cell(&(column.cell)(section, row), &row_name(section, row))) }
        }
    }
}

fn table_cell(cell: &Cell, row_name: &str) -> Markup {
    let title =
        if cell.detail.is_empty() { row_name.to_owned() } else { format!("{row_name}: {}", cell.detail) };
    html! {
        td class=(format!("number {}", cell.mark.class())) title=(title) data-order=(cell.order) {
            @if cell.mark != Mark::Plain { span.sign { (cell.mark.sign()) } }
            (cell.text)
        }
    }
}

fn legend() -> Markup {
    html! {
        p.marks {
            @for (mark, meaning) in MEANINGS {
                span class=(mark.class()) { span.sign { (mark.sign()) } (meaning) }
            }
        }
        details {
            summary { "What the columns mean" }
            dl.legend { @for column in &COLUMNS { dt { (column.heading) } dd { (column.meaning) } } }
        }
    }
}

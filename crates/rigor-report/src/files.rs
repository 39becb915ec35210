//! The tables of a page as files for a paper or a program, which a button saves.

use maud::{Markup, PreEscaped, html};
use serde_json::{Map, json};

use crate::comparison::Comparison;
use crate::paper::grid::Grid;
use crate::paper::tables::tables;
use crate::player::Pack;

/// Lists all tables, with buttons that save them; nothing without a table.
pub fn files(comparison: &Comparison) -> Markup {
    let all = tables(comparison);
    html! {
        @if !all.is_empty() {
            details #files {
                summary { "Tables as LaTeX and CSV" }
                p.source { "LaTeX needs the package booktabs. " code { "rigor figure" } " makes these files too, and plots for a column, as PDF." }
                ul.files { @for (name, grid) in &all { li {
                    @for (form, word) in [("tex", "LaTeX"), ("csv", "CSV")] {
                        button type="button" data-table=(name) data-form=(form)
                            aria-label=(format!("{word}: {}", grid.title)) { (word) }
                        " "
                    }
                    (grid.title)
                } } }
                script #tables-for-papers type="text/plain" { (PreEscaped(packed(&all))) }
            }
        }
    }
}

/// The files by name and form, compressed, in base64.
fn packed(all: &[(String, Grid)]) -> String {
    let of =
        |(name, grid): &(String, Grid)| (name.clone(), json!({ "tex": grid.latex(), "csv": grid.csv() }));
    let files: Map<_, _> = all.iter().map(of).collect();
    let mut pack = Pack::default();
    pack.plain(json!(files).to_string().into_bytes());
    pack.text()
}

//! The tables of a page.

use rigor_audit::Figure;

use super::grid::{Cell, Grid};
use crate::comparison::{Comparison, MethodRow, SceneSection};
use crate::figure::COLUMNS;
use crate::naming::{methods, row_name};
use crate::summary::verdict;
use crate::tally::Tally;

/// Returns each table with the name of its file.
pub fn tables(comparison: &Comparison) -> Vec<(String, Grid)> {
    let mut all = Vec::new();
    if !comparison.scenes.is_empty() {
        all.push(("verdicts".to_owned(), verdicts(comparison)));
        all.push(("figures".to_owned(), figures(comparison)));
    }
    if comparison.scenes.len() > 1 {
        all.push(("totals".to_owned(), totals(comparison)));
    }
    for table in &comparison.tables {
        let cell = |text: &String| Cell { number: text.parse().ok(), ..Cell::text(text.as_str()) };
        let rows = table.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        let grid = Grid { title: table.title.clone(), heading: table.heading.clone(), rows };
        all.push((file_name(&table.title), grid));
    }
    all.extend(
        comparison
            .scenes
            .iter()
            .map(|section| (format!("every-{}", file_name(&section.name)), every(section))),
    );
    all
}

/// A name for a file: letters and digits, with hyphens between.
pub fn file_name(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-").to_lowercase();
    if name.is_empty() { "unnamed".to_owned() } else { name.chars().take(100).collect() }
}

/// The verdict on each scene by each method.
fn verdicts(comparison: &Comparison) -> Grid {
    let methods = methods(comparison);
    let cell = |section: &SceneSection, method: &str| {
        let rows: Vec<&MethodRow> = section.rows.iter().filter(|row| row.label == method).collect();
        let found: Vec<_> = rows.iter().map(|row| verdict(section, row)).collect();
        let words = rows.iter().zip(&found).map(|(row, (_, text))| match rows.len() {
            1 => text.clone(),
            _ => format!("{}: {text}", row_name(section, row).replace(&format!("{method}, "), "")),
        });
        let text = if rows.is_empty() { "–".to_owned() } else { words.collect::<Vec<_>>().join("; ") };
        let mark = found.iter().map(|(mark, _)| *mark).max();
        Cell { mark: mark.unwrap_or(crate::mark::Mark::Plain), ..Cell::text(text) }
    };
    let row = |section: &SceneSection| {
        let cells = methods.iter().map(|method| cell(section, method));
        std::iter::once(Cell::text(section.name.as_str())).chain(cells).collect()
    };
    Grid {
        title: format!("{}: verdicts; bold is wrong, slanted is slightly off", comparison.title),
        heading: std::iter::once("Scene").chain(methods.iter().copied()).map(str::to_owned).collect(),
        rows: comparison.scenes.iter().map(row).collect(),
    }
}

/// Every row of the summary.
fn figures(comparison: &Comparison) -> Grid {
    let unit = |heading: &str, unit: &str| {
        if unit.is_empty() { heading.to_owned() } else { format!("{heading} [{unit}]") }
    };
    let columns = COLUMNS.iter().map(|column| unit(column.heading, column.unit));
    let row = |(section, row): (&SceneSection, &MethodRow)| {
        let cells = COLUMNS.iter().map(|column| {
            let cell = (column.cell)(section, row);
            Cell { mark: cell.mark, ..Cell::text(cell.text) }
        });
        let first = [section.name.clone(), row_name(section, row)].map(Cell::text);
        first.into_iter().chain([Cell::number(1e3 * row.dt)]).chain(cells).collect()
    };
    let rows = comparison.scenes.iter().flat_map(|s| s.rows.iter().map(move |row| (s, row)));
    Grid {
        title: format!("{}: figures; bold is wrong, slanted is slightly off", comparison.title),
        heading: ["Scene", "Run", "Δt [ms]"].map(str::to_owned).into_iter().chain(columns).collect(),
        rows: rows.map(row).collect(),
    }
}

fn totals(comparison: &Comparison) -> Grid {
    let row = |method: &str| {
        let rows =
            comparison.scenes.iter().flat_map(|section| &section.rows).filter(|row| row.label == method);
        let counts = Tally::of(rows).columns().map(|(_, number)| Cell::number(number as f64));
        std::iter::once(Cell::text(method)).chain(counts).collect()
    };
    let heading = std::iter::once("Method").chain(Tally::default().columns().map(|(name, _)| name));
    Grid {
        title: format!("{}: totals", comparison.title),
        heading: heading.map(str::to_owned).collect(),
        rows: methods(comparison).into_iter().map(row).collect(),
    }
}

/// All figures of a scene, with a column per run.
fn every(section: &SceneSection) -> Grid {
    let rows: Vec<&MethodRow> = section.rows.iter().filter(|row| !row.findings.is_empty()).collect();
    let cells = |figure: &Figure| {
        let values = rows.iter().map(|row| row.value(figure.name).map_or(Cell::text("–"), Cell::number));
        [figure.name, figure.unit].map(Cell::text).into_iter().chain(values).collect()
    };
    let is_found = |figure: &&Figure| rows.iter().any(|row| row.finding(figure.name).is_some());
    let names = rows.iter().map(|row| row_name(section, row));
    Grid {
        title: format!("{}: every figure", section.name),
        heading: ["Figure", "Unit"].map(str::to_owned).into_iter().chain(names).collect(),
        rows: rigor_audit::figures().filter(is_found).map(cells).collect(),
    }
}

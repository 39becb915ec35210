//! What the engines in a report mean by their numbers.

use rigor_report::mark::Mark;
use rigor_report::table::Table;
use rigor_run::peers::semantics;

use crate::row::Row;

/// Returns a table of the semantics of the engines that took part, with the version that ran; `None` if all methods are ours.
pub fn engines(rows: &[Row]) -> Option<Table> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&row.record.method.as_str()) {
            names.push(&row.record.method);
        }
    }
    let told: Vec<(&str, Vec<(&str, &str)>)> =
        names.iter().filter_map(|name| Some((*name, semantics(name)?))).collect();
    let (_, labels) = told.first()?;
    let cells = |(i, (label, _)): (usize, &(&str, &str))| -> Vec<String> {
        std::iter::once(*label).chain(told.iter().map(|(_, texts)| texts[i].1)).map(str::to_owned).collect()
    };
    let mut rows_of_table: Vec<Vec<String>> = labels.iter().enumerate().map(cells).collect();
    rows_of_table.push(ran(rows, &told));
    Some(Table {
        title: "What each engine means by its numbers".to_owned(),
        note: "Where the engine's rule differs from the scene's, a notice beside the results says so."
            .to_owned(),
        mark: Mark::Plain,
        complaints: Vec::new(),
        heading: std::iter::once("").chain(told.iter().map(|(name, _)| *name)).map(str::to_owned).collect(),
        rows: rows_of_table,
        plot: None,
    })
}

/// The engine and adapter that ran, of each method.
fn ran(rows: &[Row], told: &[(&str, Vec<(&str, &str)>)]) -> Vec<String> {
    let version = |name: &str| {
        let of_method = rows.iter().filter(|row| row.record.method == name);
        of_method.filter_map(|row| row.record.versions.engine.clone()).next().unwrap_or_default()
    };
    std::iter::once("ran".to_owned()).chain(told.iter().map(|(name, _)| version(name))).collect()
}

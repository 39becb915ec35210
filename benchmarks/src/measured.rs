//! Committed measurements: CSV files in `benchmarks/results/performance`, without quotes.

use std::collections::BTreeMap;

/// A row: values by the name of their column.
pub type Row<'a> = BTreeMap<&'a str, &'a str>;

/// Returns the rows of a table whose first line names the columns.
///
/// ```
/// let rows = rigor_benchmarks::measured::rows("method,time [s]\na,1.5\n");
/// assert_eq!(rows[0]["time [s]"], "1.5");
/// ```
pub fn rows(table: &str) -> Vec<Row<'_>> {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    lines.map(|line| names.iter().copied().zip(line.split(',')).collect()).collect()
}

/// Returns the number in a column; `None` if the cell is empty.
///
/// # Panics
/// If there is no such column, or if it contains something else.
pub fn number(row: &Row<'_>, column: &str) -> Option<f64> {
    let cell = row.get(column).unwrap_or_else(|| panic!("there is no column {column:?}"));
    let parse = || cell.parse().unwrap_or_else(|e| panic!("{column}: {cell:?}: {e}"));
    (!cell.is_empty()).then(parse)
}

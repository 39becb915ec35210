//! Tables in Markdown, row by row.

use std::fmt::Display;
use std::io::Write;

/// Prints and flushes a row, so that a long benchmark shows its progress.
pub fn row(cells: &[&dyn Display]) {
    let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
    let mut out = std::io::stdout().lock();
    // A closed pipe is ignored.
    let _ = writeln!(out, "| {} |", cells.join(" | ")).and_then(|()| out.flush());
}

/// Prints the column headings.
pub fn head(cells: &[&str]) {
    let cells: Vec<&dyn Display> = cells.iter().map(|cell| cell as &dyn Display).collect();
    row(&cells);
    row(&vec![&"---" as &dyn Display; cells.len()]);
}

/// Formats a number to three digits.
///
/// ```
/// use rigor_benchmarks::table::figure;
/// assert_eq!([0.0123456, 12.3456, 1234.56, 1e-7].map(figure), ["0.0123", "12.3", "1235", "1.00e-7"]);
/// ```
pub fn figure(x: f64) -> String {
    let digits = 2 - x.abs().log10().floor().clamp(-9.0, 9.0) as i32;
    match digits {
        _ if x == 0.0 => "0".into(),
        -3..=5 => format!("{x:.*}", digits.max(0) as usize),
        _ => format!("{x:.2e}"),
    }
}

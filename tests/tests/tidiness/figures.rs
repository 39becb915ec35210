//! The page of figures lists the figures of all judges with their descriptions.

use crate::workspace::read;

const PAGE: &str = "docs/figures.md";

/// Returns the row of every figure, judge by judge.
fn rows() -> impl Iterator<Item = String> {
    let row = |f: &rigor_audit::Figure| {
        format!("| `{}` | {} | {} |", f.name, f.unit, f.meaning.replace('|', "\\|"))
    };
    rigor_audit::figures().map(row)
}

fn missing(page: &str) -> Vec<String> {
    rows().filter(|row| !page.lines().any(|line| line == row)).collect()
}

#[test]
fn every_figure_is_on_the_page_and_no_other() {
    let page = read(PAGE);
    crate::assert_none(&missing(&page));
    assert_eq!(page.lines().filter(|line| line.starts_with("| `")).count(), rows().count(), "{PAGE}");
}

#[test]
fn a_figure_that_is_not_on_the_page_is_found() {
    let page: String = rows().skip(1).map(|row| row + "\n").collect();
    assert_eq!(missing(&page).len(), 1);
}

//! The page of flaws lists all kinds with their descriptions, in the order of the type.

use rigor_scene::FlawKind;

use crate::workspace::read;

const PAGE: &str = "docs/flaws.md";

fn row(kind: &FlawKind) -> String {
    format!("| `{}` | {} | {} | {} |", kind.name(), kind.unit(), kind.what(), kind.amount())
}

/// Returns the rows of the first table of a page.
fn first_table(page: &str) -> Vec<&str> {
    let table = page.lines().skip_while(|line| !line.starts_with('|'));
    table.take_while(|line| line.starts_with('|')).skip(2).collect()
}

/// Returns a complaint for each kind without its row, and for each row that belongs to no kind.
fn complaints(page: &str) -> Vec<String> {
    let (found, due) = (first_table(page), FlawKind::ALL.iter().map(row).collect::<Vec<_>>());
    let missing =
        due.iter().filter(|row| !found.contains(&row.as_str())).map(|row| format!("{PAGE} lacks: {row}"));
    let known = |line: &str| due.iter().any(|row| row == line);
    let unknown =
        found.iter().filter(|line| !known(line)).map(|line| format!("{PAGE} has no kind for: {line}"));
    missing.chain(unknown).collect()
}

/// Returns a complaint for each word in the first cells of later tables that is no kind.
fn strangers(page: &str) -> Vec<String> {
    let known = |name: &str| FlawKind::named(name).is_some();
    let cells =
        page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |")).map(|(name, _)| name);
    let flaws = cells.filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
    flaws.filter(|name| !known(name)).map(|name| format!("{PAGE}: no flaw is called {name}")).collect()
}

#[test]
fn every_kind_of_flaw_is_on_the_page_and_no_other() {
    let page = read(PAGE);
    crate::assert_none(&complaints(&page));
    crate::assert_none(&strangers(&page));
}

#[test]
fn a_kind_that_is_not_on_the_page_and_a_row_without_a_kind_are_found() {
    let mut rows: Vec<String> = FlawKind::ALL.iter().skip(1).map(row).collect();
    rows.push("| `late` | s | it was late | how late |".into());
    let page = format!("| flaw |\n| --- |\n{}\n", rows.join("\n"));
    assert_eq!(complaints(&page).len(), 2);
    assert_eq!(strangers(&page).len(), 1);
}

//! The names in `docs/notation.md`: each occurs in the code.

use std::collections::BTreeSet;

use crate::markdown::code_spans;
use crate::workspace::{read, texts};

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Returns the names in the first column of the tables in `page` that are not `known`.
fn check(page: &str, known: &BTreeSet<&str>) -> Vec<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix('|')?.split('|').next());
    let names = rows.flat_map(code_spans).flat_map(words);
    let unknown = names.filter(|name| !known.contains(name));
    unknown.map(|name| format!("docs/notation.md: the name `{name}` does not occur in the code")).collect()
}

#[test]
fn every_name_in_the_table_of_notation_is_used() {
    let sources = texts("crates", "rs");
    let known = sources.iter().flat_map(|source| words(&source.text)).collect();
    crate::assert_none(&check(&read("docs/notation.md"), &known));
}

#[test]
fn a_name_that_no_code_has_is_found() {
    let page = "| code | letter |\n| --- | --- |\n| `dt`, `toi` | Δt |\n";
    assert_eq!(check(page, &BTreeSet::from(["dt"])).len(), 1);
    assert!(check(page, &BTreeSet::from(["dt", "toi"])).is_empty());
}

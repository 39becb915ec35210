//! Decision records: each is listed in the index.

use crate::markdown::links;
use crate::workspace::{read, texts};

const INDEX: &str = "docs/decisions/README.md";

fn check(index: &str, records: &[&str]) -> Vec<String> {
    let listed: Vec<&str> = links(index).collect();
    let complaint = |record: &&&str| !listed.contains(*record);
    records.iter().filter(complaint).map(|record| format!("{record} is not listed in {INDEX}")).collect()
}

#[test]
fn every_decision_is_in_the_index() {
    let records = texts("docs/decisions", "md");
    let names: Vec<&str> = records.iter().filter_map(|t| t.path.rsplit('/').next()).collect();
    let records: Vec<&str> = names.into_iter().filter(|name| *name != "README.md").collect();
    crate::assert_none(&check(&read(INDEX), &records));
}

#[test]
fn a_decision_outside_the_index_is_found() {
    let index = "| [a.md](a.md) | why a |";
    assert!(check(index, &["a.md"]).is_empty());
    assert_eq!(check(index, &["a.md", "b.md"]).len(), 1);
}

//! Each row of a table of deviations names the setting that undoes it, or says why none can; the file of the paper has the same
//! settings.

use rigor_papers::catalogue;

use crate::workspace::read;

/// The pages with tables of deviations, the head of each table, and the paper from which it deviates.
const TABLES: [(&str, &str, &str); 3] = [
    ("docs/methods/ipc.md", "| where | the source | here | reason | as printed |", "ferguson2021"),
    ("docs/methods/xpbd.md", "| where | the source | here | reason | as printed |", "mueller2020"),
    ("docs/methods/particles.md", "| source | here | why | as printed |", "harada2007"),
];

/// Returns the settings in the last cell of a row, such as `joints = "sweep"`.
fn settings(cell: &str) -> Vec<String> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted.filter(|text| text.contains('=')).map(|text| text.replace([' ', '"'], "")).collect()
}

fn complaints(page: &str, head: &str, method: &str, set: &[String], remaining: &str) -> Vec<String> {
    let mut rows = page
        .lines()
        .skip_while(|line| *line != head)
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .peekable();
    if rows.peek().is_none() {
        return vec![format!("there is no table {head:?}")];
    }
    let prefix = format!("method.{method}.");
    let own: Vec<&str> = set.iter().filter_map(|line| line.strip_prefix(prefix.as_str())).collect();
    let remaining = remaining.replace([' ', '"'], "");
    let mut named = Vec::new();
    let mut all = Vec::new();
    for row in rows {
        let cell = row.trim_end_matches('|').rsplit(" | ").next().unwrap_or_default().trim();
        let found = settings(cell);
        if found.is_empty() && !(cell.starts_with("–: ") && cell.len() > 12) {
            all.push(format!("the row says neither which setting undoes it nor why none can: {row}"));
        }
        let is_reason = cell.starts_with("–: ");
        let is_known = |one: &String| own.contains(&one.as_str()) || remaining.contains(one.as_str());
        for one in found.into_iter().filter(|_| !is_reason) {
            if !is_known(&one) {
                all.push(format!("the paper's file does not set {one}, and does not say that it remains"));
            }
            named.push(one);
        }
    }
    for line in own.iter().filter(|line| !named.iter().any(|one| one == *line)) {
        all.push(format!("no row of the table has {line}"));
    }
    all
}

#[test]
fn tables_of_deviations_name_what_undoes_them() {
    for (page, head, name) in TABLES {
        let paper = catalogue::find(name).unwrap();
        let told = complaints(&read(page), head, &paper.method, &paper.printed.set, &paper.printed.remaining);
        let of_page = |line: String| format!("{page}: {line}");
        crate::assert_none(&told.into_iter().map(of_page).collect::<Vec<_>>());
    }
}

#[test]
fn planted_gaps_are_found() {
    let page = "| a | as printed |\n| --- | --- |\n| x | `k = \"v\"` |\n| y | –: the motion is the same |\n";
    let told = |page: &str, set: &[&str], remaining: &str| {
        let set: Vec<String> = set.iter().map(|line| (*line).to_owned()).collect();
        complaints(page, "| a | as printed |", "m", &set, remaining).len()
    };
    assert_eq!(told(page, &["method.m.k=v"], ""), 0);
    assert_eq!(told(page, &["method.m.k=v", "method.other.z=1"], ""), 0);
    assert_eq!(told(page, &[], "`k = \"v\"` is slow"), 0);
    assert_eq!(told(page, &[], ""), 1);
    assert_eq!(told(page, &["method.m.k=v", "method.m.l=v"], ""), 1);
    assert_eq!(told(&page.replace("–: the motion is the same", "–"), &["method.m.k=v"], ""), 1);
    assert_eq!(told("", &[], ""), 1);
}

//! Citation keys: each one is listed in `docs/references.md`.

use std::collections::BTreeSet;

use crate::workspace::{Text, documents, read, sources, texts};

/// Returns the keys, such as `Ferguson2021`, in brackets in `line`, alone or before a comma. The brackets may be
/// escaped, as in docstrings.
fn keys(line: &str) -> impl Iterator<Item = &str> {
    let bracketed = line.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    let words = bracketed.filter_map(|(inside, _)| inside.trim_end_matches('\\').split(',').next());
    words.filter(|key| is_key(key))
}

/// Returns whether a word is a capitalized name, four digits, and optionally a lower-case letter.
fn is_key(word: &str) -> bool {
    let word = word.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(word);
    let Some(split) = word.len().checked_sub(4).filter(|&i| i > 0 && word.is_char_boundary(i)) else {
        return false;
    };
    let (name, year) = word.split_at(split);
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphabetic())
        && year.chars().all(|c| c.is_ascii_digit())
}

/// Returns the keys with an entry: a table row that starts with the key.
fn listed(references: &str) -> BTreeSet<&str> {
    references.lines().filter(|l| l.starts_with("| [")).filter_map(|l| keys(l).next()).collect()
}

fn check(texts: &[Text], references: &str) -> Vec<String> {
    let listed = listed(references);
    let mut complaints = Vec::new();
    for Text { path, text } in texts {
        for (number, line) in (1..).zip(text.lines()) {
            for key in keys(line).filter(|key| !listed.contains(key)) {
                complaints.push(format!("{path}:{number}: [{key}] is not in docs/references.md"));
            }
        }
    }
    complaints
}

/// Checks scene files, which name their source without brackets: `key = "Ferguson2021"`.
fn check_scenes(scenes: &[Text], references: &str) -> Vec<String> {
    let listed = listed(references);
    let mut complaints = Vec::new();
    for Text { path, text } in scenes {
        let quoted = |line: &str| Some(line.strip_prefix("key = \"")?.split('"').next()?.to_string());
        let source = text.split_once("[source]\n").map_or("", |(_, below)| below);
        for key in source
            .lines()
            .take_while(|line| !line.starts_with('['))
            .filter_map(quoted)
            .filter(|key| !listed.contains(key.as_str()))
        {
            complaints.push(format!("{path}: the source {key:?} is not in docs/references.md"));
        }
    }
    complaints
}

#[test]
fn every_citation_is_listed() {
    let references = read("docs/references.md");
    let mut all = sources();
    // The checkers contain citations that do not exist.
    all.retain(|t| !t.path.starts_with("tests/tests/tidiness"));
    all.extend(documents());
    crate::assert_none(&check(&all, &references));
    crate::assert_none(&check_scenes(&texts("crates", "toml"), &references));
}

#[test]
fn no_entry_is_listed_twice() {
    let references = read("docs/references.md");
    let mut rows: Vec<_> =
        references.lines().filter(|l| l.starts_with("| [")).filter_map(|l| keys(l).next()).collect();
    let n_rows = rows.len();
    rows.sort_unstable();
    rows.dedup();
    assert!(n_rows > 0 && rows.len() == n_rows);
}

#[test]
fn an_unlisted_citation_is_found() {
    let text = |text: &str| [Text { path: "a.rs".into(), text: text.into() }];
    let references = "| key | work |\n| [Known2001] | … |\nsee [Unlisted1999]";
    assert!(check(&text("/// Source: [Known2001] eq. (3).\n/// [θ], [`x`], [a2001]"), references).is_empty());
    let complaints = check(&text("fine\n/// Source: [Known2001], [Other2002b, §3]"), references);
    assert_eq!(complaints, ["a.rs:2: [Other2002b] is not in docs/references.md"]);
    let complaints =
        check(&text("/// Source: \\[Known2001\\], \\[Other2002\\] and \\[Other2003, §3\\]."), references);
    let expected =
        ["Other2002", "Other2003"].map(|key| format!("a.rs:1: [{key}] is not in docs/references.md"));
    assert_eq!(complaints, expected);
    assert_eq!(check(&text("[Unlisted1999]"), references).len(), 1);
    assert_eq!(check_scenes(&text("[source]\nkey = \"Other2002\""), references).len(), 1);
    assert!(check_scenes(&text("[source]\nkey = \"Known2001\""), references).is_empty());
}

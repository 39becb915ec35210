//! The book: every page is in the table of contents, every picture is shown and described.

use std::collections::BTreeSet;

use crate::markdown::{links, without_comments};
use crate::named_path::resolve;
use crate::workspace::{Text, documents, paths, read, root};

const SUMMARY: &str = "docs/SUMMARY.md";

/// Returns the complaints about a table of contents that lists `summary` in a book of `pages`.
fn check_summary(summary: &str, pages: &[&str]) -> Vec<String> {
    let listed: Vec<String> = links(summary).map(|link| resolve(SUMMARY, link)).collect();
    let count = |page: &str| listed.iter().filter(|listed| *listed == page).count();
    let of = |page: &&str| match count(page) {
        1 => None,
        0 => Some(format!("{page} is not in {SUMMARY}")),
        n => Some(format!("{page} is in {SUMMARY} {n} times")),
    };
    pages.iter().filter_map(of).collect()
}

/// Returns the targets of pictures with their descriptions.
fn pictures(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("![").skip(1).filter_map(|rest| {
        let (description, rest) = rest.split_once("](")?;
        Some((rest.split_once(')')?.0, description))
    })
}

/// Returns the complaints about pictures that no page shows, or that a page does not describe.
fn check_pictures(pages: &[Text], files: &[&str]) -> Vec<String> {
    let mut shown = BTreeSet::new();
    let mut complaints = Vec::new();
    for Text { path, text } in pages {
        for (target, description) in pictures(&without_comments(text)) {
            shown.insert(resolve(path, target));
            if description.trim().is_empty() {
                complaints.push(format!("{path}: {target} has no description"));
            }
        }
    }
    let unused = files.iter().filter(|file| !shown.contains(**file));
    complaints.extend(unused.map(|file| format!("{file} is shown on no page")));
    complaints
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let pages = paths("docs", "md");
    let pages: Vec<&str> = pages.iter().map(String::as_str).filter(|page| *page != SUMMARY).collect();
    crate::assert_none(&check_summary(&read(SUMMARY), &pages));
}

#[test]
fn every_picture_is_shown_and_described() {
    let files: Vec<String> = ["svg", "png"].iter().flat_map(|extension| paths("docs", extension)).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    assert!(files.len() >= 20);
    crate::assert_none(&check_pictures(&documents(), &files));
}

#[test]
fn the_book_is_made_from_the_documents() {
    let settings: toml::Table = toml::from_str(&read("book.toml")).expect("book.toml is valid TOML");
    let folder = settings["book"]["src"].as_str().expect("book.src is a folder");
    assert!(root().join(folder).join("SUMMARY.md").exists());
}

#[test]
fn a_page_outside_the_table_of_contents_is_found() {
    let summary = "# Summary\n- [A](a.md)\n  - [B](b/c.md)\n- [B](b/c.md)";
    assert!(check_summary(summary, &["docs/a.md"]).is_empty());
    assert_eq!(check_summary(summary, &["docs/a.md", "docs/b/c.md", "docs/d.md"]).len(), 2);
}

#[test]
fn a_picture_without_a_page_or_a_description_is_found() {
    let page = |text: &str| [Text { path: "docs/a.md".into(), text: text.into() }];
    assert!(check_pictures(&page("![a cube](i/a.png) [b](i/b.png)"), &["docs/i/a.png"]).is_empty());
    assert_eq!(check_pictures(&page("![](i/a.png)"), &["docs/i/a.png"]).len(), 1);
    assert_eq!(check_pictures(&page("[a](i/a.png) <!-- ![a](i/a.png) -->"), &["docs/i/a.png"]).len(), 1);
}

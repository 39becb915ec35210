//! Links to headings of documents: each heading exists.

use crate::markdown::{links, without_comments};
use crate::named_path::resolve;
use crate::workspace::{Text, documents};

/// Returns the anchors of the headings of a document, as code hosts generate them: lower case, words joined
/// by hyphens, other characters dropped.
fn anchors(text: &str) -> Vec<String> {
    let outside = text.split("```").step_by(2);
    let headings = outside.flat_map(str::lines).filter(|line| line.starts_with('#'));
    let plain = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || matches!(c, '-' | '_') => Some(c),
        _ => None,
    };
    let anchor = |heading: &str| heading.trim_start_matches('#').trim().to_lowercase();
    headings.map(|heading| anchor(heading).chars().filter_map(plain).collect()).collect()
}

fn check(documents: &[Text]) -> Vec<String> {
    let mut complaints = Vec::new();
    for Text { path, text } in documents {
        let text = without_comments(text);
        let places = links(&text).filter(|link| !link.contains("://"));
        for (file, anchor) in places.filter_map(|link| link.split_once('#')) {
            let target = if file.is_empty() { path.clone() } else { resolve(path, file) };
            let is_there = |t: &Text| t.path == target && anchors(&t.text).iter().any(|a| a == anchor);
            if !documents.iter().any(is_there) {
                complaints.push(format!("{path}: {target} has no heading #{anchor}"));
            }
        }
    }
    complaints
}

#[test]
fn every_link_within_a_document_leads_to_a_heading() {
    crate::assert_none(&check(&documents()));
}

#[test]
fn a_link_to_no_heading_is_found() {
    let page = |path: &str, text: &str| Text { path: path.into(), text: text.into() };
    let b = page("docs/b.md", "# B\n## What it can't do\n```\n# no heading\n```\n");
    let good = page("docs/a.md", "[b](b.md#what-it-cant-do) [b](b.md)");
    let bad = page("docs/c.md", "[b](b.md#no-heading) [here](#gone)");
    assert_eq!(check(&[good, b, bad]).len(), 2);
}

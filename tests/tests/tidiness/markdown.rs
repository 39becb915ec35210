//! The parts of Markdown that the checkers need.

/// Returns `text` without comments.
pub fn without_comments(text: &str) -> String {
    let mut pieces = text.split("<!--");
    let first = pieces.next().unwrap_or_default().to_string();
    pieces.fold(first, |kept, piece| kept + piece.split_once("-->").map_or("", |(_, rest)| rest))
}

/// Returns the targets of links and pictures.
pub fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// Returns the text between single backticks, outside of fenced blocks.
pub fn code_spans(text: &str) -> Vec<&str> {
    let outside = text.split("```").step_by(2);
    outside.flat_map(|prose| prose.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn spans_links_and_comments_are_told_apart() {
    let text = "see `a/b.rs` and [c](d/e.md)\n```sh\n`not this`\n```\n![f](g.png) `h`";
    assert_eq!(code_spans(text), ["a/b.rs", "h"]);
    assert_eq!(links(text).collect::<Vec<_>>(), ["d/e.md", "g.png"]);
    assert_eq!(without_comments("a <!-- b --> c<!-- d -->"), "a  c");
}

//! Source text without comments, strings and tests.

use std::collections::BTreeSet;

use crate::workspace::Text;

/// Blanks comments and the contents of strings in `source`, and cuts off its test module. Line numbers are
/// preserved.
pub fn library_code(source: &str) -> String {
    let code = blank(source);
    match code.find("#[cfg(test)]\nmod tests {") {
        Some(tests) => code[..tests].to_string(),
        None => code,
    }
}

/// Returns the number of the line that contains byte `at`.
pub fn line_of(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

/// Returns the modules compiled only for tests, as paths without `.rs`.
pub fn test_files(sources: &[Text]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for Text { path, text } in sources {
        let own = path.trim_end_matches(".rs");
        let folder = match own.rsplit_once('/') {
            Some((parent, "lib" | "main" | "mod")) => parent,
            _ => own,
        };
        for (_, rest) in blank(text).match_indices("#[cfg(test)]").map(|(at, m)| (at, &text[at + m.len()..]))
        {
            let item = rest.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub ");
            if let Some((name, _)) = item.strip_prefix("mod ").and_then(|m| m.split_once(';'))
                && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            {
                found.insert(format!("{folder}/{name}"));
            }
        }
    }
    found
}

/// The syntactic context of the scanner.
enum Inside {
    Code,
    LineComment,
    /// Block comments nest.
    BlockComment(usize),
    /// A string that ends with a quote and this many `#`; `None` for one with escapes.
    String(Option<usize>),
}

/// Replaces everything except code by spaces, byte for byte.
fn blank(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut inside = Inside::Code;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let (length, next) = scan(rest, &inside, at.checked_sub(1).map(|i| bytes[i]));
        let is_code = matches!((&inside, &next), (Inside::Code, Inside::Code)) && length == 1;
        let kept = |b: &u8| if is_code || *b == b'\n' { *b } else { b' ' };
        out.extend(rest[..length].iter().map(kept));
        inside = next;
        at += length;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns the number of bytes to consume from `rest`, and the context after them.
fn scan(rest: &[u8], inside: &Inside, before: Option<u8>) -> (usize, Inside) {
    match inside {
        Inside::Code => scan_code(rest, before),
        Inside::LineComment => (1, if rest[0] == b'\n' { Inside::Code } else { Inside::LineComment }),
        Inside::BlockComment(depth) => match (rest.starts_with(b"/*"), rest.starts_with(b"*/")) {
            (true, _) => (2, Inside::BlockComment(depth + 1)),
            (_, true) if *depth == 1 => (2, Inside::Code),
            (_, true) => (2, Inside::BlockComment(depth - 1)),
            _ => (1, Inside::BlockComment(*depth)),
        },
        Inside::String(None) => match rest[0] {
            b'\\' => (rest.len().min(2), Inside::String(None)),
            b'"' => (1, Inside::Code),
            _ => (1, Inside::String(None)),
        },
        Inside::String(Some(hashes)) => {
            let end = rest[0] == b'"' && rest[1..].iter().take_while(|b| **b == b'#').count() >= *hashes;
            if end { (1 + hashes, Inside::Code) } else { (1, Inside::String(Some(*hashes))) }
        }
    }
}

fn scan_code(rest: &[u8], before: Option<u8>) -> (usize, Inside) {
    let after_word = before.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_');
    match rest {
        [b'/', b'/', ..] => (2, Inside::LineComment),
        [b'/', b'*', ..] => (2, Inside::BlockComment(1)),
        [b'"', ..] => (1, Inside::String(None)),
        [b'r', tail @ ..] if !after_word => {
            let hashes = tail.iter().take_while(|b| **b == b'#').count();
            if tail.get(hashes) == Some(&b'"') {
                (2 + hashes, Inside::String(Some(hashes)))
            } else {
                (1, Inside::Code)
            }
        }
        // A character, not a lifetime: an escape, or one character (at most four bytes) before the closing
        // quote.
        [b'\'', b'\\', tail @ ..] => {
            let close = tail.iter().skip(1).position(|b| *b == b'\'').map_or(0, |i| i + 1);
            (3 + close, Inside::Code)
        }
        [b'\'', tail @ ..] => {
            let width = tail.first().map_or(1, |b| match b {
                0..=0x7f => 1,
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                _ => 4,
            });
            if tail.get(width) == Some(&b'\'') { (width + 2, Inside::Code) } else { (1, Inside::Code) }
        }
        _ => (1, Inside::Code),
    }
}

#[test]
fn blanking_keeps_code_and_lines_and_nothing_else() {
    let source = "a('x', '\\'', 'é') // c\n/* d\n*/ r\"e\\\" f \"g\\\"\nh\" 'i";
    let code = blank(source);
    assert_eq!(code.matches('\n').count(), source.matches('\n').count());
    assert_eq!(code.split_whitespace().collect::<String>(), "a(,,)f'i");
}

#[test]
fn modules_for_tests_are_found_where_they_lie() {
    let text = |path: &str, text: &str| Text { path: path.into(), text: text.into() };
    let sources = [
        text("crates/a/src/lib.rs", "#[cfg(test)]\nmod oracle;\nmod b;"),
        text(
            "crates/a/src/b.rs",
            "#[cfg(test)]\npub(crate) mod tests;\n#[cfg(test)]\nmod inline { fn f() {} }",
        ),
    ];
    let found: Vec<String> = test_files(&sources).into_iter().collect();
    assert_eq!(found, ["crates/a/src/b/tests", "crates/a/src/oracle"]);
}

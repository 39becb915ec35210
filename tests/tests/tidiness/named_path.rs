//! Paths named in documents and docstrings: each exists.

use crate::markdown::{code_spans, links, without_comments};
use crate::workspace::{Text, documents, read, root, sources};

/// Returns the complaints about the document `path` with this `text`; `exists` takes paths relative to the
/// root.
fn check(path: &str, text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let text = without_comments(text);
    let mut missing = Vec::new();
    for link in links(&text).filter(|l| !l.contains("://") && !l.starts_with('#')) {
        let target = resolve(path, link.split('#').next().unwrap_or(link));
        missing.extend((!exists(&target)).then_some(target));
    }
    for paragraph in text.split("\n\n") {
        let spans = code_spans(paragraph);
        let crates: Vec<&str> = spans.iter().copied().filter(|s| is_crate_folder(s)).collect();
        for span in spans.into_iter().filter(|span| is_path(span)) {
            let found = match span.strip_prefix("src/") {
                // A paragraph about a crate may abbreviate paths inside it.
                Some(_) => crates.iter().any(|c| exists(&format!("{c}/{span}"))),
                None => exists(span),
            };
            missing.extend((!found).then(|| span.to_string()));
        }
    }
    missing.into_iter().map(|target| format!("{path}: {target} does not exist")).collect()
}

/// Returns whether a code span denotes a path of this repository.
fn is_path(span: &str) -> bool {
    const TOP: [&str; 8] = ["crates/", "docs/", "tests/", "benchmarks/", "src/", ".ci/", ".cargo/", "fuzz/"];
    TOP.iter().any(|top| span.starts_with(top)) && !span.contains(['*', '<', '{', ' ', '…'])
}

fn is_crate_folder(span: &str) -> bool {
    span.strip_prefix("crates/").is_some_and(|name| !name.contains('/'))
}

/// Returns the path, relative to the root, of a `link` in the document `from`.
pub fn resolve(from: &str, link: &str) -> String {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Checks the first two names of each `rigor_x::y` in a document: the second must occur in the crate's root
/// module.
fn check_items(path: &str, text: &str, lib: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut complaints = Vec::new();
    for span in code_spans(text) {
        let mut names = span.split("::").map(|n| n.split(|c: char| !c.is_alphanumeric() && c != '_').next());
        let (Some(Some(krate)), Some(Some(item))) = (names.next(), names.next()) else { continue };
        if !krate.starts_with("rigor_") || item.is_empty() {
            continue;
        }
        let words =
            |lib: &str| lib.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == item);
        if !lib(&krate.replace('_', "-")).is_some_and(|lib| words(&lib)) {
            complaints.push(format!("{path}: `{span}`: {krate} has no {item}"));
        }
    }
    complaints
}

/// Returns the docstrings of a source file.
fn docs(source: &Text) -> String {
    let doc = |l: &str| {
        let l = l.trim_start();
        l.strip_prefix("//!").or(l.strip_prefix("///")).map(str::to_string)
    };
    source.text.lines().filter_map(doc).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_path_named_in_a_document_exists() {
    let exists = |path: &str| root().join(path).exists();
    let lib = |name: &str| {
        let path = format!("crates/{name}/src/lib.rs");
        exists(&path).then(|| read(&path))
    };
    let mut complaints = Vec::new();
    for Text { path, text } in documents() {
        complaints.extend(check(&path, &text, exists));
        complaints.extend(check_items(&path, &text, lib));
    }
    for source in sources() {
        let docs = docs(&source);
        for span in code_spans(&docs).into_iter().filter(|s| s.starts_with("docs/") && !exists(s)) {
            complaints.push(format!("{}: {span} does not exist", source.path));
        }
    }
    crate::assert_none(&complaints);
}

#[test]
fn a_path_that_does_not_exist_is_found() {
    let exists = |path: &str| ["docs/a.md", "docs/b/c.md", "crates/x", "crates/x/src/y.rs"].contains(&path);
    let good =
        "[a](../a.md#part) [web](https://x.org) <!-- ![later](z.png) --> `crates/x` has `src/y.rs` `a/b`";
    assert!(check("docs/b/c.md", good, exists).is_empty());
    for bad in ["[a](a.md)", "![p](images/p.png)", "`crates/z`", "`crates/x`\n\n`src/y.rs`", "`docs/b/d.md`"]
    {
        assert_eq!(check("docs/b/c.md", bad, exists).len(), 1, "{bad}");
    }
}

#[test]
fn an_item_that_does_not_exist_is_found() {
    let lib = |name: &str| (name == "rigor-x").then(|| "pub mod known;".to_string());
    assert!(check_items("a.md", "`rigor_x::known::{f, g}` `std::mem`", lib).is_empty());
    for bad in ["`rigor_x::unknown`", "`rigor_z::known`"] {
        assert_eq!(check_items("a.md", bad, lib).len(), 1, "{bad}");
    }
}

//! Packages: each crate can be published, and has a README and an example.

use std::collections::BTreeMap;

use toml::{Table, Value};

use crate::workspace::{read, texts};

/// The longest README, in lines.
const MAX_LINES: usize = 40;
/// Keywords of a package, and characters of a keyword, that the registry allows.
const MAX_KEYWORDS: usize = 5;
const MAX_KEYWORD_LENGTH: usize = 20;
/// The Python package: its README and examples are Python, and its own tests run them.
const IN_PYTHON: &str = "rigor-python";

/// Returns the manifest with the keys that it takes from the workspace replaced by their values.
fn inherited(manifest: &str, workspace: &Table) -> Table {
    let table: Table = manifest.parse().expect("a manifest is TOML");
    let package = table["package"].as_table().expect("it describes a package").clone();
    let value = |(key, value): (String, Value)| match value.get("workspace") {
        Some(_) => (key.clone(), workspace.get(&key).cloned().unwrap_or(value)),
        None => (key, value),
    };
    package.into_iter().map(value).collect()
}

/// Returns the complaints about the manifest of a package.
fn check_manifest(name: &str, package: &Table) -> Vec<String> {
    let missing = |key: &&&str| !package.get(**key).is_some_and(|v| v.is_str() || v.is_array());
    let mut complaints: Vec<String> =
        ["description", "license", "rust-version", "readme", "keywords", "categories", "include"]
            .iter()
            .filter(missing)
            .map(|key| format!("{name}: its manifest has no {key}"))
            .collect();
    let keywords = package.get("keywords").and_then(Value::as_array).cloned().unwrap_or_default();
    if keywords.len() > MAX_KEYWORDS {
        complaints.push(format!("{name}: more than {MAX_KEYWORDS} keywords"));
    }
    let long = keywords.iter().filter_map(Value::as_str).filter(|word| word.len() > MAX_KEYWORD_LENGTH);
    complaints.extend(long.map(|word| format!("{name}: the keyword {word:?} is too long")));
    complaints
}

/// Returns the complaints about a README and the root module that tests it.
fn check_readme(name: &str, readme: &str, lib: &str) -> Vec<String> {
    let lines = readme.lines().count();
    [
        (!readme.starts_with(&format!("# {name}\n")), "does not start with the name of the crate"),
        (lines > MAX_LINES, "is too long"),
        (!readme.contains("```rust\n"), "has no example"),
        (!lib.contains("include_str!(\"../README.md\")"), "is not tested by src/lib.rs"),
    ]
    .into_iter()
    .filter(|(is_wrong, _)| *is_wrong)
    .map(|(_, what)| format!("{name}: README.md {what}"))
    .collect()
}

/// Returns the complaints about examples, given as pairs of crate and name: Cargo builds all of them in one folder.
fn check_examples(crates: &[&str], examples: &[(&str, &str)]) -> Vec<String> {
    let has_one = |name: &&&str| examples.iter().any(|(krate, _)| krate == *name);
    let without =
        crates.iter().filter(|name| !has_one(name)).map(|name| format!("{name}: it has no example"));
    let mut complaints: Vec<String> = without.collect();
    let mut owners = BTreeMap::new();
    for (krate, example) in examples {
        if let Some(other) = owners.insert(example, krate) {
            complaints.push(format!("{krate} and {other} both have an example {example}"));
        }
    }
    complaints
}

/// Returns the complaints about the root manifest: a package that depends on a path needs a version too.
fn check_versions(root: &Table) -> Vec<String> {
    let shared = root["workspace"]["dependencies"].as_table().expect("the workspace shares dependencies");
    let versionless = shared.iter().filter(|(_, d)| d.get("path").is_some() && d.get("version").is_none());
    versionless.map(|(name, _)| format!("Cargo.toml: {name} has a path but no version")).collect()
}

#[test]
fn every_crate_can_be_published() {
    let workspace: Table = read("Cargo.toml").parse().expect("a manifest is TOML");
    let shared = workspace["workspace"]["package"].as_table().expect("packages share keys");
    let mut complaints = check_versions(&workspace);
    let mut names = Vec::new();
    for manifest in texts("crates", "toml") {
        let ["crates", name, "Cargo.toml"] = manifest.path.split('/').collect::<Vec<_>>()[..] else {
            continue;
        };
        if name == IN_PYTHON {
            continue;
        }
        let text = |file: &str| read(&format!("crates/{name}/{file}"));
        complaints.extend(check_manifest(name, &inherited(&manifest.text, shared)));
        complaints.extend(check_readme(name, &text("README.md"), &text("src/lib.rs")));
        names.push(name.to_string());
    }
    let sources = texts("crates", "rs");
    let examples = sources.iter().filter_map(|t| match t.path.split('/').collect::<Vec<_>>()[..] {
        ["crates", krate, "examples", file] => Some((krate, file)),
        _ => None,
    });
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    complaints.extend(check_examples(&names, &examples.collect::<Vec<_>>()));
    crate::assert_none(&complaints);
}

#[test]
fn an_incomplete_package_is_found() {
    let shared: Table = "license = \"MIT\"\nkeywords = [\"a\"]".parse().expect("it is TOML");
    let good = "[package]\ndescription = \"d\"\nlicense.workspace = true\nrust-version = \"1.95\"\nreadme = \"README.md\"\n\
                keywords.workspace = true\ncategories = [\"science\"]\ninclude = [\"/src\"]";
    let complaints = |manifest: &str| check_manifest("x", &inherited(manifest, &shared)).len();
    assert_eq!(complaints(good), 0);
    assert_eq!(complaints(&good.replace("description", "name")), 1);
    assert_eq!(
        complaints(
            &good.replace("keywords.workspace = true", "keywords = [\"1\",\"2\",\"3\",\"4\",\"5\",\"6\"]")
        ),
        1
    );
    assert_eq!(complaints(&good.replace("categories = [\"science\"]", "categories.workspace = true")), 1);

    let lib = "#![cfg_attr(doctest, doc = include_str!(\"../README.md\"))]";
    assert!(check_readme("x", "# x\n```rust\n```\n", lib).is_empty());
    assert_eq!(check_readme("x", "# y\n", "").len(), 3);
    assert_eq!(check_examples(&["x", "y", "z"], &[("x", "a.rs"), ("y", "a.rs")]).len(), 2);
    let root: Table =
        "[workspace.dependencies]\na = { path = \"a\" }\nb = \"1\"".parse().expect("it is TOML");
    assert_eq!(check_versions(&root).len(), 1);
}

//! File names: each is a noun or a verb that describes the content.

use crate::workspace::sources;

/// Names without meaning.
const EMPTY: [&str; 10] =
    ["utils", "util", "utilities", "common", "helpers", "helper", "manager", "misc", "shared", "stuff"];

fn check(path: &str) -> Option<String> {
    let mut parts = path.trim_end_matches(".rs").split('/');
    let part = parts.find(|part| EMPTY.contains(part) || part.ends_with("_manager"))?;
    Some(format!("{path}: `{part}` does not say what is inside"))
}

#[test]
fn no_module_is_called_after_nothing() {
    crate::assert_none(&sources().iter().filter_map(|t| check(&t.path)).collect::<Vec<_>>());
}

#[test]
fn an_empty_name_is_found() {
    for path in ["crates/a/src/utils.rs", "crates/a/src/common/b.rs", "tests/tests/scene_manager.rs"] {
        assert!(check(path).is_some(), "{path}");
    }
    assert_eq!(check("crates/a/src/commonality.rs"), None);
}

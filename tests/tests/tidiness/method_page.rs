//! Pages of methods: each method has one, linked in the README.

use crate::markdown::{links, without_comments};
use crate::workspace::{Text, read, root, sources};

/// Returns the names of the crates with a type that implements `Method`, without third-party engines.
fn methods(sources: &[Text]) -> Vec<String> {
    let is_method = |t: &&Text| t.path.ends_with("/src/step.rs") && t.text.contains("\nimpl Method for ");
    let name = |t: &Text| {
        let krate = t.path.strip_prefix("crates/rigor-")?.split('/').next()?;
        // Its method has the name of what it solves.
        Some(if krate == "moreau" { "nonsmooth" } else { krate }.to_string())
    };
    sources.iter().filter(is_method).filter_map(name).collect()
}

fn check(methods: &[String], readme: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let readme = without_comments(readme);
    let mut complaints = Vec::new();
    for page in methods.iter().map(|method| format!("docs/methods/{method}.md")) {
        if !exists(&page) {
            complaints.push(format!("{page} does not exist"));
        }
        if !links(&readme).any(|link| link == page) {
            complaints.push(format!("README.md does not link to {page}"));
        }
    }
    complaints
}

#[test]
fn every_method_has_a_page() {
    let methods = methods(&sources());
    assert!(methods.contains(&"free".to_string()) && methods.contains(&"xpbd".to_string()), "{methods:?}");
    crate::assert_none(&check(&methods, &read("README.md"), |page| root().join(page).exists()));
}

#[test]
fn a_missing_page_is_found() {
    let methods = ["new".to_string()];
    assert!(check(&methods, "[new](docs/methods/new.md)", |_| true).is_empty());
    assert_eq!(check(&methods, "", |_| false).len(), 2);
}

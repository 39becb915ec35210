//! Known failures.

use serde::Deserialize;

/// A check that a method fails on a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub method: String,
    pub scene: String,
    pub check: String,
}

/// An entry of `tests/expected_failures.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    method: String,
    /// `None` for any scene.
    scene: Option<String>,
    check: String,
    because: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    failure: Vec<Expected>,
}

/// Reads the current list.
pub fn read() -> Vec<Expected> {
    parse(include_str!("../../../expected_failures.toml"))
}

fn parse(text: &str) -> Vec<Expected> {
    toml::from_str::<List>(text).unwrap_or_else(|e| panic!("tests/expected_failures.toml: {e}")).failure
}

impl Expected {
    fn is(&self, failure: &Failure) -> bool {
        let scene = self.scene.as_ref().is_none_or(|scene| *scene == failure.scene);
        scene && (&self.method, &self.check) == (&failure.method, &failure.check)
    }
}

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scene = self.scene.as_deref().unwrap_or("any scene");
        write!(f, "{} on {scene}: \"{}\"", self.method, self.check)
    }
}

/// Returns failures that were found but not expected, and vice versa.
pub fn compare(found: &[(Failure, String)], expected: &[Expected]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (failure, what) in found.iter().filter(|(failure, _)| !expected.iter().any(|e| e.is(failure))) {
        let Failure { method, scene, check } = failure;
        complaints.push(format!("{method} on {scene} fails \"{check}\": {what}"));
    }
    for entry in expected {
        if !found.iter().any(|(failure, _)| entry.is(failure)) {
            complaints.push(format!("{entry} does not fail: take it off the list of expected failures"));
        }
        if entry.because.trim().is_empty() {
            complaints.push(format!("{entry}: no reason is given"));
        }
    }
    complaints
}

#[test]
fn an_unexpected_pass_is_an_error_like_an_unexpected_failure() {
    let failure = |scene: &str| Failure { method: "m".into(), scene: scene.into(), check: "c".into() };
    let list = "[[failure]]\nmethod = \"m\"\nscene = \"a\"\ncheck = \"c\"\nbecause = \"known\"";
    assert!(compare(&[(failure("a"), String::new())], &parse(list)).is_empty());
    assert_eq!(compare(&[], &parse(list)).len(), 1);
    assert_eq!(
        compare(&[(failure("a"), String::new()), (failure("b"), String::new())], &parse(list)).len(),
        1
    );
    assert_eq!(compare(&[(failure("a"), String::new())], &parse(&list.replace("known", ""))).len(), 1);

    let anywhere = list.replace("scene = \"a\"\n", "");
    assert!(
        compare(&[(failure("a"), String::new()), (failure("b"), String::new())], &parse(&anywhere))
            .is_empty()
    );
    assert_eq!(compare(&[], &parse(&anywhere)).len(), 1);
}

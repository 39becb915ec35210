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
    scene: String,
    check: String,
    because: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    failure: Vec<Expected>,
}

/// The list as it stands.
pub fn read() -> Vec<Expected> {
    parse(include_str!("../../expected_failures.toml"))
}

fn parse(text: &str) -> Vec<Expected> {
    toml::from_str::<List>(text).unwrap_or_else(|e| panic!("tests/expected_failures.toml: {e}")).failure
}

impl Expected {
    fn is(&self, failure: &Failure) -> bool {
        (&self.method, &self.scene, &self.check) == (&failure.method, &failure.scene, &failure.check)
    }
}

/// Failures that were found but not expected, and the other way round.
pub fn compare(found: &[(Failure, String)], expected: &[Expected]) -> Vec<String> {
    let unexpected = found.iter().filter(|(failure, _)| !expected.iter().any(|e| e.is(failure))).map(
        |(Failure { method, scene, check }, what)| format!("{method} on {scene} fails \"{check}\": {what}"),
    );
    let passed = expected.iter().filter(|e| !found.iter().any(|(failure, _)| e.is(failure))).map(
        |Expected { method, scene, check, .. }| {
            format!(
                "{method} on {scene} does not fail \"{check}\": take it off the list of expected failures"
            )
        },
    );
    let unexplained = expected.iter().filter(|e| e.because.trim().is_empty()).map(
        |Expected { method, scene, check, .. }| {
            format!("no reason is given for {method} on {scene}: \"{check}\"")
        },
    );
    unexpected.chain(passed).chain(unexplained).collect()
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
}

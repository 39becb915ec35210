//! Commands in the README.

use crate::workspace::read;

/// Returns the lines of the shell blocks of a document that start with `program`.
fn commands<'a>(document: &'a str, program: &str) -> Vec<&'a str> {
    let blocks = document.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).filter(|line| line.starts_with(program)).collect()
}

fn check(readme: &str, ci: &str) -> Vec<String> {
    let told = commands(readme, "cargo test");
    let missing = told.iter().filter(|command| !ci.lines().any(|line| line == format!("run {command}")));
    let mut complaints: Vec<String> =
        missing.map(|command| format!("README.md says to run `{command}`, but .ci/run does not")).collect();
    if told.is_empty() {
        complaints.push("README.md does not say how to run the tests".into());
    }
    complaints
}

#[test]
fn the_test_command_of_the_readme_is_the_one_that_is_checked() {
    crate::assert_none(&check(&read("README.md"), &read(".ci/run")));
}

#[test]
fn another_command_is_found() {
    let readme = "```sh\n# all\ncargo test --workspace\n```";
    assert!(check(readme, "x\nrun cargo test --workspace\n").is_empty());
    assert_eq!(check(readme, "run cargo test --workspace --release").len(), 1);
    assert_eq!(check("```sh\ncargo build\n```", "run cargo build").len(), 1);
}

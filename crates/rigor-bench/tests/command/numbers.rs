//! Numbers in pages that come from a run, made again: `docs/numbers.toml`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Numbers {
    number: Vec<Number>,
}

/// A number of a page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Number {
    page: String,
    /// A part of the page, with the number in braces.
    text: String,
    run: RunOf,
    figure: String,
    #[serde(default)]
    body: Option<String>,
    #[serde(default = "one")]
    scale: f64,
}

#[derive(Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[serde(deny_unknown_fields)]
struct RunOf {
    case: String,
    method: String,
    #[serde(default)]
    set: Vec<String>,
}

fn one() -> f64 {
    1.0
}

/// Returns the number and a unit of its last digit: of `1.36·10⁻³` 0.00136 and 0.00001.
fn read(text: &str) -> (f64, f64) {
    let (mantissa, exponent) = text.split_once("·10").unwrap_or((text, "⁰"));
    let digit = |c: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|known| known == c).map(|k| k as i32);
    let size = exponent.chars().filter_map(digit).fold(0, |all, k| 10 * all + k);
    let power = if exponent.starts_with('⁻') { -size } else { size };
    let places = mantissa.split_once('.').map_or(0, |(_, places)| places.len());
    let shifted = |places: i32| format!("1e{}", power - places).parse::<f64>().unwrap();
    (mantissa.parse::<f64>().unwrap() * shifted(0), shifted(places as i32))
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The findings of a run.
fn findings(root: &Path, run: &RunOf, out: &Path) -> Vec<Value> {
    let rigor = |arguments: &[&str]| {
        let made =
            Command::new(env!("CARGO_BIN_EXE_rigor")).current_dir(root).args(arguments).output().unwrap();
        made.stdout
    };
    let out = out.to_str().unwrap();
    let mut arguments = vec!["run", &run.case, "--method", &run.method, "--quiet", "--out", out];
    arguments.extend(run.set.iter().flat_map(|line| ["--set", line]));
    rigor(&arguments);
    let audited: Value = serde_json::from_slice(&rigor(&["audit", out, "--json"])).unwrap();
    audited[0]["findings"].as_array().unwrap().clone()
}

#[test]
fn numbers_in_pages_are_those_of_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/numbers.toml")).unwrap();
    let numbers: Numbers = toml::from_str(&text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut found: BTreeMap<RunOf, Vec<Value>> = BTreeMap::new();
    let mut complaints = Vec::new();
    for number in &numbers.number {
        let page = words(&std::fs::read_to_string(root.join(&number.page)).unwrap());
        if !page.contains(&words(&number.text.replace(['{', '}'], ""))) {
            complaints.push(format!("{} does not say {:?}", number.page, number.text));
            continue;
        }
        let written = number.text.split(['{', '}']).nth(1).unwrap();
        let out = folder.path().join(found.len().to_string());
        let findings = found.entry(number.run.clone()).or_insert_with(|| findings(&root, &number.run, &out));
        let body = number.body.as_deref();
        let is_asked = |one: &&Value| one["figure"] == *number.figure && one["body"].as_str() == body;
        let value = findings.iter().find(is_asked).and_then(|one| one["value"].as_f64());
        let (expected, unit) = read(written);
        if !value.is_some_and(|value| (number.scale * value - expected).abs() <= unit) {
            let made = value.map(|value| number.scale * value);
            complaints.push(format!("{}: {:?}: the run gives {made:?}", number.page, number.text));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(numbers.number.len() >= 10);
}

#[test]
fn numbers_are_read_with_a_unit_of_their_last_digit() {
    let near = |(value, unit): (f64, f64), expected: f64, last: f64| {
        (value - expected).abs() < 1e-12 * expected && (unit - last).abs() < 1e-12 * last
    };
    assert!(near(read("431"), 431.0, 1.0) && near(read("0.24"), 0.24, 0.01));
    assert!(near(read("1.36·10⁻³"), 1.36e-3, 1e-5) && near(read("2·10¹²"), 2e12, 1e12));
}

//! Numbers in the first chapters of the book are those that the program prints.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn rigor(here: &Path, arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_rigor")).current_dir(here).args(arguments).output().unwrap();
    assert!(output.status.code().is_some_and(|code| code < 2), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn page(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The cells of the rows of a table whose heading begins so.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let lines = page.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|'));
    rows.map(|line| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

/// A number as people write it, such as `34 167` or `2.4·10⁻⁷`, with half a unit of its last digit.
fn written(cell: &str) -> (f64, f64) {
    let (digits, exponent) = cell.split_once("·10").unwrap_or((cell, "0"));
    let plain = |c: char| match "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|d| d == c) {
        Some(digit) => char::from_digit(digit as u32, 10).unwrap(),
        None if c == '⁻' => '-',
        None => c,
    };
    let exponent: i32 = exponent.chars().map(plain).collect::<String>().parse().unwrap();
    let digits: String = digits
        .chars()
        .take_while(|c| c.is_ascii_digit() || ".- ".contains(*c))
        .filter(|c| *c != ' ')
        .collect();
    let after_point = digits.split_once('.').map_or(0, |(_, after)| after.len() as i32);
    let value: f64 = digits.parse().unwrap_or_else(|_| panic!("{cell:?} is no number"));
    (value * 10_f64.powi(exponent), 0.5 * 10_f64.powi(exponent - after_point))
}

/// Checks that a cell is a number, rounded.
fn check(place: &str, cell: &str, computed: f64) {
    let (value, half) = written(cell);
    assert!(
        (value - computed).abs() <= half * (1.0 + 1e-9),
        "{place}: {cell} is written, and {computed} computed"
    );
}

/// The rows of a comparison by scene and method: `results.csv`.
fn results(path: &Path) -> BTreeMap<(String, String), BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let row = |record: csv::StringRecord| -> BTreeMap<String, String> {
        head.iter().cloned().zip(record.iter().map(str::to_owned)).collect()
    };
    reader
        .records()
        .map(|record| row(record.unwrap()))
        .map(|row| ((row["scene"].clone(), row["method"].clone()), row))
        .collect()
}

/// Frames that intersect, depth (mm), smallest distance (mm), gain of energy (%).
const COLUMNS: [(&str, f64); 4] = [
    ("intersection.frames", 1.0),
    ("penetration.deepest", 1e3),
    ("distance.smallest", 1e3),
    ("energy.rise_relative", 1e2),
];

fn compare(place: &str, cells: &[String], row: &BTreeMap<String, String>) {
    for (cell, (figure, factor)) in cells.iter().zip(COLUMNS) {
        let column = row.keys().find(|key| key.split(' ').next() == Some(figure));
        let value: f64 = row[column.unwrap_or_else(|| panic!("no {figure} in {row:?}"))].parse().unwrap();
        check(&format!("{place}: {figure}"), cell, value * factor);
    }
}

#[test]
fn the_first_comparison_is_what_the_program_prints() {
    let temporary = tempfile::tempdir().unwrap();
    let scenes = ["unit-tests/5-cubes", "erleben/wedge-in-crack"];
    let rest = ["--methods", "ipc,xpbd,rapier", "--quiet", "--out", "first"];
    rigor(temporary.path(), &[&["compare"], &scenes[..], &rest].concat());
    let results = results(&temporary.path().join("first/results.csv"));
    let rows = table(&page("start.md"), "| scene | method | frames");
    assert_eq!(rows.len(), 6);
    let mut scene = String::new();
    for row in rows {
        if !row[0].is_empty() {
            scene = row[0].trim_matches('`').to_owned();
        }
        let key = (scene.clone(), row[1].clone());
        compare(&format!("start.md: {key:?}"), &row[2..], &results[&key]);
    }
}

#[test]
fn the_tour_tells_what_the_program_does() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    let tour = page("tour.md");
    let scene = tour.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    fs::write(here.join("one-cube.toml"), scene).unwrap();
    let run =
        ["run", "one-cube.toml", "--method", "ipc", "--contacts", "--set", "method.ipc.record_path=true"];
    rigor(here, &[&run[..], &["--out", "cube"]].concat());
    // Row 41 of the steps.
    let mut reader = csv::Reader::from_path(here.join("cube/steps.csv")).unwrap();
    let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let steps: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let number = |step: usize, name: &str| -> f64 {
        let column =
            head.iter().position(|column| column == name).unwrap_or_else(|| panic!("no column {name}"));
        steps[step - 1][column].parse().unwrap()
    };
    assert!((1..=40).all(|step| number(step, "iterations") == 1.0 && number(step, "contacts") == 0.0));
    let rows = table(&tour, "| column | value |");
    assert_eq!(rows.len(), 9);
    for row in rows {
        let name = row[0].trim_matches('`');
        check(&format!("tour.md: {name}"), &row[1], number(41, name));
    }
    check("tour.md: κ", "3.8·10¹⁰", number(41, "kappa"));
    assert!(tour.contains("here 3.8·10¹⁰ J s²/m⁴"));
    // The judges.
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(here.join("cube/run.json")).unwrap()).unwrap();
    let value = |figure: &str| {
        let found = json["findings"]
            .as_array()
            .unwrap()
            .iter()
            .find(|found| found["figure"] == figure && found["body"].is_null());
        found.unwrap_or_else(|| panic!("no {figure}"))["value"].as_f64().unwrap()
    };
    let rows = table(&tour, "| figure | value | meaning |");
    assert_eq!(rows.len(), 5);
    for row in rows {
        let figure = row[0].trim_matches('`');
        let factor = if row[1].ends_with(" mm") { 1e3 } else { 1.0 };
        check(&format!("tour.md: {figure}"), &row[1], value(figure) * factor);
    }
    check("tour.md: a rise", "1.85", value("energy.rise_max"));
    assert!(tour.contains("a rise of 1.85 J"));
    // The certificate: the same words, with a part of the hash.
    let told = rigor(here, &["audit", "cube", "--certify"]);
    let told: String =
        told.lines().skip_while(|line| !line.starts_with("certified")).collect::<Vec<_>>().join(" ");
    let block = tour.split("```text\ncertified").nth(1).unwrap().split("```").next().unwrap();
    let (before, after) = block.split_once('…').unwrap();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.starts_with(&words(&format!("certified{before}"))), "{told}");
    assert!(words(&told).ends_with(&words(after)), "{told}");
    // The comparison.
    rigor(here, &["compare", "one-cube.toml", "--methods", "ipc,xpbd,rapier", "--quiet", "--out", "three"]);
    let results = results(&here.join("three/results.csv"));
    let rows = table(&tour, "| method | frames intersecting");
    assert_eq!(rows.len(), 3);
    for row in rows {
        let result = &results[&("one-cube".to_owned(), row[0].clone())];
        compare(&format!("tour.md: {}", row[0]), &row[1..5], result);
        let is_held = written(&row[1]).0 == 0.0;
        assert_eq!(row[5] == "holds", is_held, "{row:?}");
    }
}

#[test]
fn papers_are_counted() {
    let n = rigor_papers::catalogue::papers().len();
    let word = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"][n];
    for (name, text) in [
        ("introduction.md", format!("`rigor reproduce`: [{word} papers]")),
        ("guide/reproduce-a-paper.md", format!("{word} papers are")),
        ("../README.md", format!("--all` for {word} papers")),
    ] {
        assert!(page(name).to_lowercase().contains(&text), "{name}: {text}");
    }
}

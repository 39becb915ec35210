//! `rigor ccd judge`: answers from files, from processes that keep the protocol, and from those that do not.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_rigor");

fn rigor(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn told(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

/// Certified queries of a few families in a file.
fn queries(folder: &Path, of: &str) -> String {
    let path = folder.join(format!("{of}-queries.csv"));
    let path = path.to_str().unwrap().to_owned();
    let made =
        ["ccd", "generate", "--type", of, "--n", "4", "--family", "transversal,far,separated", "--certify"];
    assert!(rigor(&[&made[..], &["--out", &path]].concat()).status.success());
    path
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {}", told(output)))
}

#[test]
fn our_methods_and_our_process_have_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    let path = queries(folder.path(), "rigid");
    let own = rigor(&["ccd", "judge", &path, "--method", "separating-plane", "--json"]);
    assert_eq!(own.status.code(), Some(0), "{}", told(&own));
    let served = rigor(&["ccd", "judge", &path, "--json", "--", PROGRAM, "ccd", "serve", "rigid"]);
    assert_eq!(served.status.code(), Some(0), "{}", told(&served));
    let [own, served] = [json(&own), json(&served)].map(|report| report["groups"]["all"]["verdicts"].clone());
    assert_eq!(own, served);
    assert!(own["right"].as_u64().unwrap() > 6, "{own}");
    // Of the classes of motion only those asked for are judged.
    let straight = rigor(&["ccd", "judge", &path, "--motion", "straight", "--method", "separating-plane"]);
    assert!(!told(&straight).contains("free-axis"), "{}", told(&straight));
}

#[test]
fn a_miss_in_a_file_is_told_with_its_depth_and_can_be_judged_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = queries(folder.path(), "linear");
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    let labels: Vec<String> = fs::read_to_string(&path)
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with('#') && !line.starts_with("label,"))
        .map(|line| line.split(',').next().unwrap().to_owned())
        .collect();
    // Everything is free, which is wrong for all but the family far; the last query has no answer.
    let rows: String = labels[..labels.len() - 1].iter().map(|label| format!("{label},free\n")).collect();
    let answers = folder.path().join("answers.csv");
    fs::write(&answers, format!("label,answer\n{rows}")).unwrap();
    let answers = answers.to_str().unwrap();
    let judged = rigor(&["ccd", "judge", &path, answers, "--out", out]);
    assert_eq!(judged.status.code(), Some(1), "{}", told(&judged));
    let words = told(&judged);
    assert!(words.contains("MISS  linear separated 1 0") && words.contains("of d_min deep"), "{words}");
    assert!(words.contains("1 without an answer"), "{words}");
    let report: Value =
        serde_json::from_str(&fs::read_to_string(Path::new(out).join("judgement.json")).unwrap()).unwrap();
    let faults = report["faults"].as_array().unwrap().len();
    assert!(faults > 4 && report["groups"]["family: far"]["verdicts"]["right"] == 4, "{report}");
    // What is written is judged again: the queries of the faults, and the answers.
    let [faulty, again] = ["linear.csv", "answers.csv"].map(|name| format!("{out}/{name}"));
    let judged = json(&rigor(&["ccd", "judge", &faulty, &again, "--json"]));
    assert_eq!(judged["faults"].as_array().unwrap().len(), faults);
    let label = labels.iter().find(|label| label.starts_with("separated")).unwrap();
    let one = json(&rigor(&["ccd", "judge", &path, answers, "--label", label, "--json"]));
    assert_eq!(one["groups"]["all"]["queries"], 1);
    // Nothing is written over.
    let before = fs::read(Path::new(out).join("faults.csv")).unwrap();
    let refused = rigor(&["ccd", "judge", &path, answers, "--out", out]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(told(&refused).contains("is not an empty folder"), "{}", told(&refused));
    assert_eq!(fs::read(Path::new(out).join("faults.csv")).unwrap(), before);
}

#[test]
fn what_is_missing_or_wrong_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = queries(folder.path(), "linear");
    for (arguments, words) in [
        (&["ccd", "judge"][..], "there are no queries"),
        (&["ccd", "judge", &path], "nobody answers"),
        (&["ccd", "judge", "--generate", "linear"], "--generate needs a process"),
        (&["ccd", "judge", &path, "/no/such/answers.csv"], "cannot be read"),
        (&["ccd", "judge", &path, &path], "docs/ccd-protocol.md"),
        (&["ccd", "judge", &path, "--method", "none"], "there is no method"),
        (&["ccd", "judge", &path, "--method", "additive", "--motion", "round"], "classes are straight"),
        (&["ccd", "judge", &path, "--method", "additive", "--limit", "0"], "--limit is 0"),
        (&["ccd", "judge", &path, "--method", "additive", "--label", "x"], "no queries to judge"),
        (&["ccd", "judge", &path, "--guest", "parry-liner"], "did you mean \"parry-linear\""),
        (&["ccd", "judge", &path, "--", "/no/such/program"], "cannot be started"),
        (&["ccd", "serve", "bullet"], "there are parry-linear"),
    ] {
        let output = rigor(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", told(&output));
        assert!(told(&output).contains(words), "{arguments:?}: {}", told(&output));
    }
}

/// A process in the shell: it introduces itself, then does `then` with each further line.
#[cfg(unix)]
fn shell(then: &str) -> String {
    let hello =
        r#"{"protocol":1,"name":"shell","version":"1","linear":["point-point","edge-edge"],"batch":4}"#;
    format!("read -r l; echo '{hello}'; while read -r l; do {then}; done")
}

#[cfg(unix)]
#[test]
fn a_process_that_hangs_crashes_or_talks_nonsense_costs_its_queries_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = queries(folder.path(), "linear");
    let judged = |then: &str| {
        let script = shell(then);
        let limited =
            ["ccd", "judge", &path, "--json", "--anyway", "--limit", "0.05", "--", "sh", "-c", &script];
        let output = rigor(&limited);
        assert_eq!(output.status.code(), Some(1), "{then}: {}", told(&output));
        json(&output)["groups"]["all"]["verdicts"].clone()
    };
    let hung = judged("sleep 9");
    assert!(hung["timed out"].as_u64().unwrap() > 1 && hung["skipped"].as_u64().unwrap() > 4, "{hung}");
    for then in ["exit 3", "echo nonsense", r#"echo '{"answers":[]}'"#, r#"echo '{"error":"not today"}'"#] {
        let failed = judged(then);
        assert!(failed["failed"].as_u64().unwrap() > 1 && failed["timed out"] == 0, "{then}: {failed}");
    }
}

#[cfg(unix)]
#[test]
fn an_adapter_that_errs_is_told_so_before_anything_is_judged() {
    let folder = tempfile::tempdir().unwrap();
    let path = queries(folder.path(), "linear");
    let free = r#"echo '{"answers":[{"answer":"free"}]}'"#;
    let output = rigor(&["ccd", "judge", &path, "--", "sh", "-c", &shell(free)]);
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    let words = told(&output);
    assert!(words.contains("moves nothing: it looks at the start only"), "{words}");
    assert!(words.contains("Nothing else was asked"), "{words}");
    let other = r#"{"protocol":7,"name":"shell","version":"1"}"#;
    let output = rigor(&["ccd", "judge", &path, "--", "sh", "-c", &format!("read -r l; echo '{other}'")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains("version 7"), "{}", told(&output));
    let other = r#"{"protocol":1,"name":"shell","version":"1","rigid":["box-box"]}"#;
    let output = rigor(&["ccd", "judge", &path, "--", "sh", "-c", &format!("read -r l; echo '{other}'")]);
    assert!(told(&output).contains("box-box"), "{}", told(&output));
}

/// The adapter of the guide, as it stands there.
#[test]
fn the_adapter_of_the_guide_has_no_fault() {
    let guide = include_str!("../../../../docs/guide/test-your-ccd.md");
    let adapter = guide.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let lines = adapter.lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines <= 14, "{lines} lines");
    // A machine without Python has no adapter in it.
    if Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my_ccd.py"), adapter).unwrap();
    fs::write(folder.path().join("rigor_ccd.py"), include_str!("../../guests/rigor_ccd.py")).unwrap();
    let program = folder.path().join("my_ccd.py");
    let judge =
        ["ccd", "judge", "--generate", "linear", "--n", "8", "--family", "transversal,far,separated,at-end"];
    let process = ["--json", "--", "python3", program.to_str().unwrap()];
    let output = rigor(&[&judge[..], &process].concat());
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let report = json(&output);
    assert_eq!((&report["name"], &report["smoke"]["wrong"]), (&"my points".into(), &Value::Array(vec![])));
    assert_eq!(report["groups"]["all"]["queries"], 8, "{report}");
    // The loop places points of rigid bodies as the program does: its test asks for a turn about an oblique axis.
    let place = "import sys\nfrom rigor_ccd import Motion\nm = Motion({'position': [[1, 2, 3], [1, 2, 3]], 'theta': [[0, 0, 0], \
                 [1.2091995761561452] * 3], 'orientation': [1, 0, 0, 0]})\nsys.exit(max(abs(a - b) for a, b in \
                 zip(m.place((1, 0, 0), 1), (1, 3, 3))) > 1e-12)";
    let checked = Command::new("python3").args(["-c", place]).current_dir(folder.path()).status().unwrap();
    assert!(checked.success());
}

#[test]
fn nothing_judged_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let path = queries(folder.path(), "linear");
    let answers = folder.path().join("answers.csv");
    for (rows, words) in [
        (
            "label,answer\nsomething else,free\n",
            "1 answers to no query, the first of them \"something else\"",
        ),
        ("label,answer\n", "Nothing was judged."),
    ] {
        fs::write(&answers, rows).unwrap();
        let judged = rigor(&["ccd", "judge", &path, answers.to_str().unwrap()]);
        assert_eq!(judged.status.code(), Some(1), "{}", told(&judged));
        assert!(told(&judged).contains(words), "{}", told(&judged));
    }
    let both = rigor(&["ccd", "judge", &path, answers.to_str().unwrap(), "--method", "additive"]);
    assert_eq!(both.status.code(), Some(2));
    assert!(told(&both).contains("has answers, and a process or method is to answer"), "{}", told(&both));
}

#[test]
fn a_process_that_dies_of_several_queries_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = queries(folder.path(), "linear");
    let script = folder.path().join("frail.py");
    // It takes ten queries at once, and dies of more than one.
    let text = "import json, sys\n\
        kinds = ['point-point', 'point-edge', 'point-triangle', 'edge-edge']\n\
        for line in sys.stdin:\n\
        \x20   request = json.loads(line)\n\
        \x20   if request['do'] == 'hello':\n\
        \x20       reply = {'protocol': 1, 'name': 'frail', 'version': '1', 'linear': kinds, 'd_min': True, 'batch': 10}\n\
        \x20   elif request['do'] == 'ask':\n\
        \x20       if len(request['queries']) > 1: sys.exit(3)\n\
        \x20       reply = {'answers': [{'answer': 'undecided', 't_safe': 0.0}]}\n\
        \x20   else: break\n\
        \x20   print(json.dumps(reply), flush=True)\n";
    fs::write(&script, text).unwrap();
    let script = script.to_str().unwrap();
    let judged = rigor(&["ccd", "judge", &path, "--anyway", "--json", "--", "python3", script]);
    assert_eq!(judged.status.code(), Some(1), "{}", told(&judged));
    let report = json(&judged);
    assert_eq!(report["lost_requests"], 2, "{report}");
    assert!(report["warnings"][0].as_str().unwrap().contains("asked again one by one"), "{report}");
}

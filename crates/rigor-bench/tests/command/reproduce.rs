//! `rigor reproduce`: every paper, with two steps per run.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::process::Command;

use serde_json::Value;

fn reproduce(paper: &str, what: &[&str]) -> Value {
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rigor"));
    command.args(["reproduce", paper, "--json", "--out"]).arg(out.path().join("pages")).args(what);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{paper}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(out.path().join("pages/index.html").is_file());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The outcomes of the figures, and whether each run of each study has a number.
fn told(figures: &Value) -> (Vec<&str>, Vec<bool>) {
    let figures = figures.as_array().unwrap();
    let outcomes = figures.iter().map(|figure| figure["outcome"].as_str().unwrap()).collect();
    let studies = figures.iter().flat_map(|figure| figure["studies"].as_array().unwrap());
    let runs = studies.flat_map(|study| study["runs"].as_array().unwrap());
    // A force is measured from step 20 on.
    let is_early = |run: &Value| run["why"].as_str().is_some_and(|why| why.contains("does not provide"));
    (outcomes, runs.map(|run| run["here"].is_number() || is_early(run)).collect())
}

#[test]
fn every_run_of_the_papers_on_positions_gives_its_number() {
    for paper in ["mueller2020", "macklin2016", "mueller2007"] {
        let figures = reproduce(paper, &["--all", "--steps", "2"]);
        let (outcomes, numbers) = told(&figures);
        assert!(
            outcomes.iter().all(|outcome| matches!(*outcome, "not judged" | "not run" | "held")),
            "{figures}"
        );
        assert!(numbers.len() > 5 && numbers.iter().all(|is_there| *is_there), "{figures}");
    }
}

#[test]
fn quick_claims_of_studies_hold() {
    let figures = reproduce("mueller2007", &["stiffness", "verlet"]);
    assert_eq!(told(&figures).0, ["held", "held"]);
}

/// The verdicts of `rigor audit` on the runs of a figure are those on which its claim rests.
#[test]
fn an_audit_of_the_runs_of_a_figure_confirms_its_claim() {
    let folder = tempfile::tempdir().unwrap();
    let rigor = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rigor"));
        command.current_dir(folder.path()).args(arguments).output().unwrap()
    };
    let made = rigor(&["reproduce", "mueller2020", "13", "--form", "here", "--json", "--out", "made"]);
    let told: Value = serde_json::from_slice(&made.stdout).unwrap();
    assert_eq!(told[0]["outcome"], "held", "{told}");
    let claimed = told[0]["scenes"][0]["expectations"].as_array().unwrap();
    assert!(claimed.len() > 2);
    let runs = std::fs::read_dir(folder.path().join("made/runs")).unwrap();
    let run = runs.map(|entry| entry.unwrap().path()).next().unwrap();
    let audit = || rigor(&["audit", run.to_str().unwrap(), "--json"]);
    let audited: Value = serde_json::from_slice(&audit().stdout).unwrap();
    let found = audited[0]["expectations"].as_array().unwrap();
    assert_eq!(found.len(), claimed.len());
    for (found, claimed) in found.iter().zip(claimed) {
        assert_eq!((&found["figure"], &found["verdict"]), (&claimed["figure"], &claimed["verdict"]));
    }
    // A run whose frames were changed confirms nothing.
    std::fs::write(run.join("frames.bin"), b"RIGORFR2").unwrap();
    assert_eq!(audit().status.code(), Some(2));
}

/// Figures whose runs take a second or two.
const QUICK: [(&str, &[&str]); 4] = [
    ("ferguson2021", &["12", "18"]),
    ("mueller2020", &["4", "5", "6", "12", "13", "14", "18"]),
    ("macklin2016", &["oscillator", "stiffness"]),
    ("mueller2007", &["stiffness", "momentum", "verlet"]),
];

/// The rows of docs/printed.md below the heading of a paper: figure, as printed, as here.
fn printed(page: &str, key: &str) -> Vec<[String; 3]> {
    let section = page.split("\n## ").find(|section| section.starts_with(&format!("[{key}]"))).unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(2);
    let cells = |row: &str| row.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    rows.map(cells).map(|cells| [cells[1].clone(), cells[3].clone(), cells[4].clone()]).collect()
}

/// Each figure has a row, quick ones have its verdicts, and what fails as printed is what the files of papers know.
#[test]
fn the_page_of_printed_forms_is_right() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/printed.md");
    let page = std::fs::read_to_string(page).unwrap();
    for paper in rigor_papers::catalogue::papers() {
        let rows = printed(&page, &paper.key);
        let ids: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        let known: Vec<&str> = paper.figures.iter().map(|figure| figure.id.as_str()).collect();
        assert_eq!(ids, known, "{}", paper.name);
        for (figure, row) in paper.figures.iter().zip(&rows) {
            assert_eq!(row[1] == "not held", !figure.not_as_printed.is_empty(), "{}: {row:?}", paper.name);
        }
        let Some((_, quick)) = QUICK.iter().find(|(name, _)| *name == paper.name) else { continue };
        for made in reproduce(&paper.name, quick).as_array().unwrap() {
            let row = rows.iter().find(|row| *row[0] == made["figure"]).unwrap();
            let words = ["outcome_as_printed", "outcome"].map(|key| made[key].as_str().unwrap().to_owned());
            assert_eq!(row[1..], words, "{}: {}", paper.name, made["figure"]);
            let first = made["why"][0].as_str().unwrap_or_default();
            assert_eq!(words[0] == "not held", first.starts_with("as printed: "), "{made}");
        }
    }
}

/// A paper of one's own: its file and its scene in a folder.
#[test]
fn a_file_is_a_paper() {
    let folder = tempfile::tempdir().unwrap();
    let rigor = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rigor"));
        command.current_dir(folder.path()).args(arguments).output().unwrap()
    };
    let guide = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/guide/reproduce-a-paper.md"
    ));
    let guide = guide.unwrap();
    let blocks: Vec<&str> =
        guide.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let [scene, paper] = blocks[..] else { panic!("{} blocks of TOML in the guide", blocks.len()) };
    std::fs::create_dir(folder.path().join("galilei1638")).unwrap();
    std::fs::write(folder.path().join("galilei1638/plane.toml"), scene).unwrap();
    std::fs::write(folder.path().join("galilei1638.toml"), paper).unwrap();
    let made = rigor(&["reproduce", "galilei1638.toml", "--all", "--json"]);
    let told: Value = serde_json::from_slice(&made.stdout).unwrap_or_else(|_| panic!("{made:?}"));
    assert_eq!(told[0]["outcome"], "held", "{told}");
    assert_eq!(told[0]["outcome_as_printed"], "not held", "{told}");
    assert!(told[0]["why"][0].as_str().unwrap().contains("implicit Euler"), "{told}");
    let survey = rigor(&["reproduce", "galilei1638.toml", "--all", "--mutate"]);
    let text = String::from_utf8_lossy(&survey.stdout).into_owned();
    assert!(survey.status.success() && text.contains("Every claim notices a change"), "{text}");
    // A claim that cannot fail is found, and the command says so.
    let idle = paper.replace("claim = { near_exact = 1e-3 }", "claim = { at_most = 1e9 }");
    assert_ne!(idle, paper);
    std::fs::write(folder.path().join("idle.toml"), idle).unwrap();
    let survey = rigor(&["reproduce", "idle.toml", "--all", "--mutate"]);
    let text = String::from_utf8_lossy(&survey.stdout).into_owned();
    assert_eq!(survey.status.code(), Some(1), "{text}");
    assert!(text.contains("1 of 2 claims do not hold as they are, or notice no change"), "{text}");
    // A refusal comes before anything is written, also for a broken scene of the last figure.
    let broken =
        "[[figure]]\nid = \"last\"\ntitle = \"t\"\nclaim = \"c\"\ncases = [\"galilei1638/broken.toml\"]\n";
    std::fs::write(folder.path().join("broken.toml"), format!("{paper}{broken}")).unwrap();
    std::fs::write(folder.path().join("galilei1638/broken.toml"), scene.replace("[[body]]", "[[boks]]"))
        .unwrap();
    for (arguments, why) in [
        (&["reproduce", "nobody.toml", "--all", "--out", "new"][..], "nobody.toml"),
        (&["reproduce", "nobody1900", "--all", "--out", "new"], "files that end in `.toml`"),
        (&["reproduce", "idle.toml", "7", "--out", "new"], "no figure \"7\""),
        (&["reproduce", "idle.toml", "--all", "--seconds", "-1", "--out", "new"], "above 0 s"),
        (&["reproduce", "idle.toml", "--all", "--mutate", "--steps", "3", "--out", "new"], "--steps"),
        (&["reproduce", "idle.toml", "--all", "--mutate", "--form", "here", "--out", "new"], "--form"),
        (&["reproduce", "idle.toml", "", "--out", "new"], "no figure \"\""),
        (&["reproduce", "broken.toml", "--all", "--out", "new"], "boks"),
        (&["reproduce", "idle.toml", "--all", "--set", "gravity", "--out", "new"], "gravity"),
        (&["reproduce", "galilei1638/plane.toml", "--all", "--out", "new"], "galilei1638/plane.toml"),
    ] {
        let refused = rigor(arguments);
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{error}");
        assert!(error.contains(why) && !folder.path().join("new").exists(), "{error}");
    }
}

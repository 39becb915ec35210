//! A study on disk: killed, resumed, shared out, tampered with.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rigor_run::folder::record::{Ending, Record};
use rigor_study::conduct::quantities;
use rigor_study::driver::{RunResult, runs};
use rigor_study::results::{Cells, Column, csv, table};
use rigor_study::{Options, Plan, Rerun, Results, Shard, conduct};

const PLAN: &str = r#"
[study]
title = "Balls"
scenes = ["bouncing/ball"]
duration = 0.2
[[method]]
name = "xpbd"
[[method]]
name = "xpbd"
label = "fine"
set.substeps = 20
[[method]]
name = "rapier"
[sweep]
"body.ball.restitution" = { from = 0.2, to = 0.8, count = 4 }
"#;

fn plan(text: &str) -> Plan {
    toml::from_str(text).expect("a plan")
}

fn run(plan: &Plan, options: &Options) -> Results {
    conduct(plan, options, &AtomicBool::new(false), &|_, _| {}).expect("a valid plan")
}

/// The table without costs, which no two runs share.
fn timeless(results: &Results) -> String {
    let columns: Vec<Column> =
        table(&results.rows, &[]).into_iter().filter(|column| !column.name.starts_with("cost.")).collect();
    csv(&columns)
}

fn stop_after(plan: &Plan, root: &Path, n: usize) {
    let (stop, count) = (AtomicBool::new(false), std::sync::atomic::AtomicUsize::new(0));
    let done = |_: &_, made: &RunResult| {
        if !made.is_found && count.fetch_add(1, Ordering::Relaxed) + 1 == n {
            stop.store(true, Ordering::Relaxed);
        }
    };
    conduct(plan, &Options::new(root), &stop, &done).expect("a valid plan");
}

#[test]
fn the_table_does_not_depend_on_jobs_interruptions_or_parts() {
    let folder = tempfile::tempdir().unwrap();
    let root = |name: &str| folder.path().join(name);
    let plan = plan(PLAN);
    let whole = run(&plan, &Options::new(root("whole")));
    assert_eq!((whole.rows.len(), whole.n_found, whole.n_missing), (12, 0, 0));
    assert!(whole.rows.iter().all(|row| row.record.outcome == Ending::Completed));
    let expected = timeless(&whole);

    let jobs = run(&plan, &Options { jobs: 3, ..Options::new(root("jobs")) });
    assert_eq!(timeless(&jobs), expected);

    for n in [2, 3, 1] {
        stop_after(&plan, &root("stopped"), n);
    }
    let resumed = run(&plan, &Options::new(root("stopped")));
    assert_eq!(timeless(&resumed), expected);
    assert_eq!(resumed.n_found, 6);

    for index in [2, 0, 1] {
        let part =
            run(&plan, &Options { shard: Some(Shard { index, of: 3 }), ..Options::new(root("parts")) });
        assert_eq!(part.is_complete(), index == 1);
    }
    let merged = run(&plan, &Options::new(root("parts")));
    assert_eq!((timeless(&merged), merged.n_found), (expected, 12));
}

#[test]
fn two_processes_in_one_folder_make_every_run_once() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(PLAN);
    let (made, found) = (std::sync::atomic::AtomicUsize::new(0), std::sync::atomic::AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let results = run(&plan, &Options::new(folder.path()));
                assert_eq!(results.rows.len(), 12);
                found.fetch_add(results.n_found, Ordering::Relaxed);
                made.fetch_add(12 - results.n_found, Ordering::Relaxed);
            });
        }
    });
    // A run that both ask for at the same moment is found by the second only after it has waited for the lock.
    assert!(made.load(Ordering::Relaxed) >= 12);
    assert_eq!(std::fs::read_dir(runs(folder.path())).unwrap().count(), 12);
}

#[test]
fn a_run_whose_files_were_changed_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(PLAN);
    let first = run(&plan, &Options::new(folder.path()));
    let victim = &first.rows[5].folder;
    let scene = std::fs::read_to_string(victim.scene()).unwrap();
    std::fs::write(victim.scene(), scene.replace("restitution", "friction")).unwrap();
    std::fs::write(first.rows[6].folder.frames(), b"RIGORFR2").unwrap();
    let second = run(&plan, &Options::new(folder.path()));
    assert_eq!((second.n_found, timeless(&second)), (10, timeless(&first)));
    Record::read_unchanged(victim).unwrap();
}

#[test]
fn runs_that_cannot_be_made_have_a_row_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[study]\nscenes = [\"joints/pendulum-1\"]\nduration = 0.02\n[[method]]\nname = \"ipc\"\n[[method]]\n\
                name = \"xpbd\"\nset.substeps = 0\n";
    let text = match rigor_file::cases::find("joints/pendulum-1") {
        Some(_) => text.to_owned(),
        None => {
            let joints = rigor_file::cases::names()
                .find(|name| name.starts_with("joints/"))
                .expect("a case with joints");
            text.replace("joints/pendulum-1", joints)
        }
    };
    let results = run(&plan(&text), &Options::new(folder.path()));
    let outcomes: Vec<String> =
        results.rows.iter().map(|row| rigor_study::row::outcome(&row.record)).collect();
    assert!(outcomes[0].starts_with("skipped: no joints"), "{outcomes:?}");
    assert!(outcomes[1].starts_with("refused: ") && outcomes[1].contains("substeps is 0"), "{outcomes:?}");
}

#[test]
fn cut_runs_are_kept_and_made_again_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan("[study]\nscenes = [\"bouncing/ball\"]\n[[method]]\nname = \"xpbd\"\n");
    plan.study.seconds = Some(1e-9);
    let options = Options::new(folder.path());
    let cut = run(&plan, &options);
    assert!(
        matches!(cut.rows[0].record.outcome, Ending::TimedOut { .. }),
        "{:?}",
        cut.rows[0].record.outcome
    );
    assert!(cut.rows[0].record.steps_done < cut.rows[0].record.steps);
    assert_eq!(cut.rows[0].expectations(), (0, 0), "a run that was cut is not judged");
    assert_eq!(run(&plan, &options).n_found, 1);
    let again = Options { rerun: Rerun::Unfinished, ..options };
    plan.study.seconds = None;
    let whole = run(&plan, &again);
    assert_eq!((whole.n_found, &whole.rows[0].record.outcome), (0, &Ending::Completed));
}

#[test]
fn errors_are_differences_from_a_reference_run_or_from_known_values() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
        [study]
        scenes = ["free/dzhanibekov"]
        duration = 0.5
        judge_every = 0.1
        [[method]]
        name = "xpbd"
        [sweep]
        "time.dt" = [0.02, 0.01, 0.005]
        [reference]
        method = "free"
        set."time.dt" = 0.001
        values."energy.drift" = 0.25
        [[plot]]
        x = "time.dt"
        y = "compare.rotation_max"
        [[plot]]
        x = "time.dt"
        y = "energy.drift.error"
    "#;
    let plan = plan(text);
    let results = run(&plan, &Options::new(folder.path()));
    let tasks: Vec<_> = results.rows.iter().map(|row| row.task.clone()).collect();
    let asked = quantities(&plan, &tasks).unwrap();
    let named = |name: &str| asked.iter().find(|q| q.label() == name).unwrap();
    let turned: Vec<f64> =
        results.rows.iter().map(|row| row.value(named("compare.rotation_max")).unwrap()).collect();
    assert!(turned[0] > turned[1] && turned[1] > turned[2] && turned[2] > 0.0, "{turned:?}");
    let drift = results.rows[0].record.findings.iter().find(|f| f.figure == "energy.drift").unwrap();
    let error = results.rows[0].value(named("energy.drift.error")).unwrap();
    assert_eq!(error, (drift.value.unwrap() - 0.25).abs());
    let page = rigor_study::report::page(&plan, &results, &rigor_report::Comparison::default()).unwrap();
    assert_eq!((page.drawings.len(), page.tables.len()), (2, 1));
    let columns = table(&results.rows, &asked);
    let errors = columns.iter().find(|column| column.name == "energy.drift.error [1]").unwrap();
    assert!(matches!(&errors.cells, Cells::Numbers(cells) if cells[0] == Some(error)));
}

/// A box slips on a slope of tan θ = 0.5 where its friction is less.
#[test]
fn a_search_finds_the_critical_friction() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
        [study]
        scenes = ["friction/incline-mu-0.5"]
        duration = 0.5
        [[method]]
        name = "xpbd"
        [bisect]
        key = "body.box.friction"
        from = 0.3
        to = 0.7
        tolerance = 0.02
        when = "motion.displacement:box > 0.02"
    "#;
    let results = run(&plan(text), &Options::new(folder.path()));
    let critical = &results.criticals[0];
    let value = critical.found.value().unwrap_or_else(|| panic!("{critical:?}"));
    assert!((value - 0.5).abs() < 0.05, "{value}");
    assert!(critical.runs <= 7, "{}", critical.runs);
}

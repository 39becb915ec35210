//! A study on disk: killed, resumed, shared out, tampered with.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rigor_run::folder::record::{Ending, Record};
use rigor_study::aggregate::aggregates;
use rigor_study::bisect::{Answer, Condition};
use rigor_study::conduct::quantities;
use rigor_study::convergence::orders;
use rigor_study::driver::{RunResult, runs};
use rigor_study::order::Trend;
use rigor_study::profile::profiles;
use rigor_study::report::drawings;
use rigor_study::results::{Cells, Column, csv, table};
use rigor_study::tables::all;
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
    let text = "[study]\nscenes = [\"joints/pendulum-1\"]\nduration = 0.02\n[[method]]\nname = \"free\"\n[[method]]\n\
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
    assert!(critical.asked.len() <= 7, "{}", critical.asked.len());
}

/// A brick that falls and turns.
const FALL: &str = "format = 1\nname = \"fall\"\ngravity = [0, -9.81, 0]\n[time]\ndt = 0.01\nduration = 0.5\n[[body]]\n\
                    name = \"brick\"\nposition = [0, 10, 0]\nlinear_velocity = [1, 2, 3]\nangular_velocity = [1, 5, 0.3]\n\
                    [[body.shape]]\nbox = { size = [0.1, 0.2, 0.3] }\n";

/// Writes [`FALL`] and carries out a plan in which `SCENE` stands for it.
fn run_fall(folder: &Path, text: &str) -> (Plan, Results) {
    let scene = folder.join("fall.toml");
    std::fs::write(&scene, FALL).expect("it is written");
    let plan = plan(&text.replace("SCENE", &scene.display().to_string()));
    let results = run(&plan, &Options::new(folder.join("out")));
    (plan, results)
}

/// `free` is exact to rounding for a fall, whatever its Δt: also where Δt does not divide the interval of frames.
#[test]
fn an_exact_method_has_no_deviation_at_any_step() {
    for steps in [
        "0.02, 0.01, 0.005",
        "0.016666666666666666, 0.008333333333333333",
        "0.004",
        "0.007, 0.01",
        "0.0123, 0.01",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "[study]\nscenes = [\"SCENE\"]\n[[method]]\nname = \"free\"\n[sweep]\n\"time.dt\" = [{steps}]\n[reference]\n\
             method = \"free\"\nset.\"time.dt\" = 1e-3\n[[plot]]\nx = \"time.dt\"\ny = \"compare.position_max\"\n"
        );
        let (plan, results) = run_fall(folder.path(), &text);
        for row in &results.rows {
            let [found, bound, n] = ["position_max", "position_bound", "samples"]
                .map(|name| row.deviation.get(&format!("compare.{name}")).unwrap());
            assert!(
                n >= 3.0 && found < 1e-11 + bound && bound < 1e-12,
                "{steps}: {} {found} {bound} {n}",
                row.record.dt
            );
        }
        let orders = orders(&plan, &results.rows);
        assert!(orders.iter().all(|one| one.trend == Trend::Exact), "{steps}: {orders:?}");
        assert!(drawings(&plan, &results).is_empty(), "a plot of rounding says nothing");
    }
}

/// The velocity that `xpbd` adds in a substep is wrong by ½ g h: of order 1, for each gravity and each number of substeps.
#[test]
fn an_order_is_that_of_one_combination_of_the_other_keys() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
        [study]
        scenes = ["SCENE"]
        [[method]]
        name = "xpbd"
        [sweep]
        "time.dt" = [1e-2, 5e-3, 2.5e-3]
        "set.substeps" = [1, 7]
        gravity = [[0, -1, 0], [0, -100, 0]]
        [reference]
        method = "free"
        set."time.dt" = 1e-3
        [[plot]]
        x = "time.dt"
        y = "compare.position_max"
    "#;
    let (plan, results) = run_fall(folder.path(), text);
    let found = orders(&plan, &results.rows);
    assert_eq!(found.len(), 4);
    for one in &found {
        let (order, half) = (one.order().unwrap(), one.half_width.unwrap());
        assert!((order - 1.0).abs() < 1e-3 && half < 1e-2, "{one:?}");
        assert_eq!((one.points.len(), one.point.len()), (3, 2));
    }
    let tables = all(&plan, &results).unwrap();
    let csv = csv(&tables.iter().find(|(name, _)| *name == "orders").unwrap().1);
    assert!(csv.starts_with("scene,label,set.substeps,gravity,error,unit,order,half_width_95"), "{csv}");
}

#[test]
fn too_few_points_are_told_and_are_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
        [study]
        scenes = ["SCENE"]
        [[method]]
        name = "xpbd"
        [[zip]]
        "time.dt" = [1e-2, 5e-3]
        "set.substeps" = [1, 2]
        [sweep]
        scale = [1, 2]
        [reference]
        method = "free"
        set."time.dt" = 1e-3
        [[plot]]
        x = "time.dt"
        y = "compare.position_max"
    "#;
    let (plan, mut results) = run_fall(folder.path(), text);
    // Substeps go with Δt: half of it with twice the number is a quarter of a substep.
    let found = orders(&plan, &results.rows);
    assert_eq!(found.len(), 2);
    assert!((found[0].order().unwrap() - 2.0).abs() < 1e-2, "{found:?}");
    assert!(found[0].words().contains("two points: no interval"), "{}", found[0].words());
    // A run that did not end is left out by name, and one point has no order.
    results.rows[1].record.outcome =
        Ending::Stopped { error: "it broke".into(), bodies: Vec::new(), particles: Vec::new() };
    let found = orders(&plan, &results.rows);
    assert_eq!((found.len(), found[0].order()), (2, None));
    let one = found.iter().find(|one| one.left_out.len() == 1).unwrap();
    assert!(one.words().starts_with("too few points") && !one.words().contains("NaN"), "{}", one.words());
    assert!(
        one.without().contains("5 ms: stopped: it broke")
            || one.without().contains("10 ms: stopped: it broke")
    );
    assert!(!results.is_conclusive());
    let page = rigor_study::report::page(&plan, &results, &rigor_report::Comparison::default()).unwrap();
    assert_eq!(page.tables[0].title, "What the conclusions lack");
    assert!(page.tables[0].rows.iter().flatten().any(|cell| cell.contains("it broke")));
    assert!(page.drawings.iter().all(|drawing| drawing.title.contains("without 1 of 4 runs")));
}

/// A run that stopped has values up to then, and is no answer all the same.
#[test]
fn a_run_that_stopped_answers_no_condition() {
    let folder = tempfile::tempdir().unwrap();
    let (_, results) =
        run_fall(folder.path(), "[study]\nscenes = [\"SCENE\"]\n[[method]]\nname = \"free\"\n");
    let condition = Condition::read("motion.displacement:brick > 0.1", &[]).unwrap();
    let mut row = results.rows[0].clone();
    assert_eq!(condition.answer(&row), Answer::Holds(true));
    let endings = [
        Ending::Stopped { error: "it broke".into(), bodies: Vec::new(), particles: Vec::new() },
        Ending::Failed { error: "it broke".into() },
        Ending::TimedOut { limit: "1".into() },
        Ending::Interrupted,
        Ending::Running,
    ];
    for ending in endings {
        row.record.outcome = ending.clone();
        assert!(matches!(condition.answer(&row), Answer::Unknown(_)), "{ending:?}");
    }
}

const SLIDE: &str = r#"
    [study]
    scenes = ["friction/incline-mu-0.5"]
    duration = 0.1
    [[method]]
    name = "METHOD"
    [sweep]
    "body.slope.friction" = [0.4, 0.5, 0.6]
    [bisect]
    key = "body.box.friction"
    from = 0.2
    to = 0.8
    tolerance = 0.1
    when = "motion.displacement:box > 2e-4"
"#;

#[test]
fn critical_values_are_rows_and_a_plot_against_the_key_that_varies() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(&SLIDE.replace("METHOD", "xpbd"));
    let results = run(&plan, &Options::new(folder.path()));
    assert!(results.is_conclusive());
    let n_asked: usize = results.criticals.iter().map(|critical| critical.asked.len()).sum();
    assert_eq!((results.criticals.len(), results.rows.len()), (3, n_asked));
    let tables = all(&plan, &results).unwrap();
    let (_, columns) = tables.iter().find(|(name, _)| *name == "critical").unwrap();
    let value = columns.iter().find(|column| column.name == "value").unwrap();
    let Cells::Numbers(values) = &value.cells else { panic!("{value:?}") };
    // The mean of both frictions is tan θ = 0.5.
    for (slope, value) in [0.4, 0.5, 0.6].into_iter().zip(values) {
        assert!((value.unwrap() + slope - 1.0).abs() < 0.1, "{slope} {value:?}");
    }
    assert!(rigor_study::parquet::bytes(columns).is_ok());
    let drawings = drawings(&plan, &results);
    assert_eq!(drawings.len(), 1);
    assert!(drawings[0].title.contains("against body.slope.friction"), "{}", drawings[0].title);
    let json = rigor_study::tables::json(&plan, &results);
    assert_eq!(json.len(), 3);
    assert!(json[0]["critical"].is_number() && json[0]["runs"].as_array().unwrap().len() >= 4);
}

#[test]
fn a_reference_that_stops_is_named_and_a_difference_without_a_reference_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
        [study]
        scenes = ["friction/incline-mu-0.5"]
        duration = 0.05
        [[method]]
        name = "xpbd"
        [reference]
        method = "ipc"
        set.max_newton_iterations = 1
        set.max_halvings = 0
        [[plot]]
        x = "cost.iterations"
        y = "compare.position_max"
    "#;
    let results = run(&plan(text), &Options::new(folder.path()));
    assert_eq!((results.lost_references.len(), results.is_conclusive()), (1, false));
    assert!(results.lost_references[0].1.contains("stopped"), "{}", results.lost_references[0].1);
    assert!(results.rows[0].lost_reference.is_some() && results.rows[0].deviation.figures.is_empty());
    let text = csv(&table(&results.rows, &[]));
    assert!(text.lines().nth(1).unwrap().contains("stopped: Newton"), "{text}");
    let none = plan(&text_without_reference());
    let error =
        conduct(&none, &Options::new(folder.path()), &AtomicBool::new(false), &|_, _| {}).unwrap_err();
    assert!(error.to_string().contains("[reference]"), "{error}");
}

fn text_without_reference() -> String {
    "[study]\nscenes = [\"bouncing/ball\"]\n[[method]]\nname = \"xpbd\"\n[bisect]\nkey = \"body.ball.restitution\"\nfrom = 0.1\n\
     to = 0.9\ntolerance = 0.1\nwhen = \"compare.position_max > 0.1\"\n"
        .to_owned()
}

/// A search of values by hand: the aggregates over restitution, over scenes, and a profile.
#[test]
fn aggregates_and_profiles_are_those_of_single_runs() {
    let folder = tempfile::tempdir().unwrap();
    let more = r#"
        [[aggregate]]
        of = ["motion.displacement:ball"]
        over = ["body.ball.restitution"]
        [[aggregate]]
        of = ["cost.iterations"]
        over = ["scene", "body.ball.restitution"]
        [[profile]]
        cost = "cost.iterations"
        when = "motion.displacement:ball > 0"
    "#;
    let plan = plan(&format!("{PLAN}{more}"));
    let results = run(&plan, &Options::new(folder.path()));
    let found = aggregates(&plan, &results.rows);
    assert_eq!(found.len(), 6, "three methods each");
    for one in found.iter().filter(|one| one.quantity.label() == "motion.displacement:ball") {
        let mut values: Vec<f64> = results
            .rows
            .iter()
            .filter(|row| row.task.label == one.label)
            .map(|row| row.value(&one.quantity).unwrap())
            .collect();
        values.sort_by(f64::total_cmp);
        assert_eq!((values.len(), &values, one.n_lost), (4, &one.values, 0));
        assert_eq!(one.mean(), Some(values.iter().sum::<f64>() / 4.0));
        assert_eq!(one.quantile(0.5), Some(values[1] + 0.5 * (values[2] - values[1])));
        assert_eq!((one.scene.as_deref(), one.point.len()), (Some("bouncing/ball"), 0));
    }
    let profiles = profiles(&plan, &plan.profile[0], &results.rows);
    assert_eq!(
        profiles.iter().map(|one| one.solver.as_str()).collect::<Vec<_>>(),
        ["xpbd", "fine", "rapier"]
    );
    assert!(profiles.iter().all(|one| one.n_problems == 4 && one.ratios.len() == 4));
    let best = profiles.iter().map(|one| one.part(1.0)).fold(0.0, f64::max);
    assert!(best > 0.0 && profiles.iter().all(|one| one.part(1e9) == 1.0));
    let names: Vec<&str> = all(&plan, &results).unwrap().iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["results", "aggregates", "profiles"]);
    assert!(drawings(&plan, &results).iter().any(|drawing| drawing.title.contains("Part of 4 problems")));
}

#[test]
fn mistakes_in_aggregates_and_profiles_are_told_before_any_run() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = |text: &str| {
        let plan = plan(&format!("{PLAN}{text}"));
        conduct(&plan, &Options::new(folder.path()), &AtomicBool::new(false), &|_, _| {})
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    let key = wrong("[[aggregate]]\nof = [\"cost.iterations\"]\nover = [\"body.ball.restituton\"]\n");
    assert!(key.contains("body.ball.restitution"), "{key}");
    let figure = wrong("[[aggregate]]\nof = [\"motion.displacment\"]\nover = [\"scene\"]\n");
    assert!(figure.contains("motion.displacement"), "{figure}");
    let condition =
        wrong("[[profile]]\ncost = \"cost.iterations\"\nwhen = \"motion.displacement:ball = 1\"\n");
    assert!(condition.contains("motion.displacement:ball = 1"), "{condition}");
    let reference = wrong("[[profile]]\ncost = \"compare.position_max\"\n");
    assert!(reference.contains("reference"), "{reference}");
}

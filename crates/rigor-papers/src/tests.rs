//! Tests that the tables name existing cases, and that outcomes and pages are right.

use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use std::thread;

use rigor_file::cases;
use rigor_report::Comparison;
use rigor_run::disk::load_scene;
use rigor_run::registry;
use tempfile::TempDir;

use crate::across::{self, Agreement, MethodTable};
use crate::attempt::{Attempt, Outcome, attempt};
use crate::catalogue::{self, PAPERS};
use crate::extent::Extent;
use crate::measure::Measure;
use crate::page;
use crate::paper::{Paper, PaperFigure};
use crate::request::Request;
use crate::study::{self, Study, Trend, Trial};

const SLOPE: PaperFigure = PaperFigure {
    id: "1",
    title: "a <slope>",
    claim: "It slides.",
    cases: &["friction/incline-mu-0.49"],
    fixtures: &["there/is/none.json"],
    claims: &[],
    studies: &[],
    across: &[],
    lacking: "",
};

fn paper() -> Paper {
    Paper { method: "xpbd", ..PAPERS[0] }
}

/// A request whose runs stay in a temporary folder of this process.
fn request(data: Option<&Path>, extent: Extent) -> Request<'_> {
    static ROOT: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());
    Request { data, overrides: &[], extent, is_timed: false, root: ROOT.path() }
}

fn outcome(figure: &'static PaperFigure, extent: Extent) -> Outcome {
    attempt(
        &paper(),
        figure,
        request(Some(Path::new("no/such/folder")), extent),
        &AtomicBool::new(false),
        &|_| {},
    )
    .unwrap()
    .outcome
}

#[test]
fn every_figure_has_cases_that_exist_or_says_why_not() {
    for paper in PAPERS {
        assert!(registry::find(paper.method).is_ok(), "{}", paper.name);
        for figure in paper.figures {
            for claim in figure.claims {
                assert!(figure.fixtures.iter().any(|path| path.ends_with(claim.fixture)), "{claim:?}");
                assert!(rigor_audit::Figure::named(claim.figure).is_some(), "{claim:?}");
            }
            let is_empty = figure.cases.is_empty() && figure.studies.is_empty() && figure.across.is_empty();
            assert_eq!(is_empty, !figure.lacking.is_empty(), "{}", figure.id);
            for case in figure.cases {
                assert!(cases::find(case).is_some(), "{}: {case}", figure.id);
            }
        }
        let ids: std::collections::BTreeSet<_> = paper.figures.iter().map(|figure| figure.id).collect();
        assert_eq!(ids.len(), paper.figures.len(), "two figures of one id");
    }
}

/// A case of a paper that no figure names would never be reproduced.
#[test]
fn every_case_in_a_paper_s_group_belongs_to_a_figure() {
    for paper in PAPERS {
        let group = format!("{}/", paper.name);
        for case in cases::names().filter(|name| name.starts_with(&group)) {
            let has = |figure: &PaperFigure| {
                let trials = || figure.studies.iter().flat_map(|study| study.trials);
                figure.cases.contains(&case) || trials().any(|trial| trial.case == case)
            };
            assert!(paper.figures.iter().any(has), "{case}");
        }
    }
}

#[test]
fn a_claim_holds_fails_or_is_not_judged() {
    assert_eq!(outcome(&SLOPE, Extent::Whole), Outcome::Held);
    let cut = Outcome::NotJudged { why: "the run was cut short".into() };
    assert_eq!(outcome(&SLOPE, Extent::Steps(3)), cut);
    assert_eq!(outcome(&SLOPE, Extent::Until(0.05)), cut);
    static HEAVY: PaperFigure = PaperFigure { cases: &["unit-tests/large-mass-ratio"], ..SLOPE };
    let Outcome::Failed { why } = outcome(&HEAVY, Extent::Whole) else { panic!("xpbd holds it up?") };
    assert!(why[0].starts_with("unit-tests/large-mass-ratio: "), "{why:?}");
    static NONE: PaperFigure = PaperFigure { cases: &[], lacking: "there is none", ..SLOPE };
    assert_eq!(outcome(&NONE, Extent::Whole), Outcome::NotRun { why: "there is none".into() });
}

/// A fixture that names a missing mesh is replaced by our case, and the page gives the reason.
#[test]
fn fixtures_are_run_where_they_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(SLOPE.fixtures[0]);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let run = |body: &str| {
        std::fs::write(
            &path,
            format!(r#"{{"max_time": 0.05, "rigid_body_problem": {{"rigid_bodies": [{body}]}}}}"#),
        )
        .unwrap();
        attempt(
            &paper(),
            &SLOPE,
            request(Some(folder.path()), Extent::Steps(2)),
            &AtomicBool::new(false),
            &|_| {},
        )
        .unwrap()
    };
    let made = run(r#"{"mesh": "nowhere.obj"}"#);
    assert_eq!(made.sections[0].name, "friction/incline-mu-0.49");
    assert!(made.note.contains("nowhere.obj"), "{}", made.note);
    let corners = "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]";
    let faces = "[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]";
    let edges = "[[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]]";
    let made = run(&format!(r#"{{"vertices": {corners}, "faces": {faces}, "edges": {edges}}}"#));
    assert_eq!((made.sections[0].name.as_str(), made.note.as_str()), ("none", ""));
    assert_eq!(made.sections[0].rows[0].expectations.len(), 1);
}

/// Settings from the command line apply to the runs.
#[test]
fn scenes_take_the_settings_asked_for() {
    let run = |overrides: &[String]| {
        let request = Request { overrides, ..request(None, Extent::Steps(3)) };
        attempt(&paper(), &SLOPE, request, &AtomicBool::new(false), &|_| {})
    };
    let time = |made: &Attempt| made.sections[0].rows[0].dt;
    assert_eq!(time(&run(&[]).unwrap()), 0.01);
    assert_eq!(time(&run(&["time.dt=0.005".into()]).unwrap()), 0.005);
    let refused = run(&["time.dtt=1".into()]).unwrap_err().to_string();
    assert!(refused.contains("dtt"), "{refused}");
}

#[test]
fn pages_tell_the_claim_the_outcome_and_draw_what_the_method_reported() {
    let stop = AtomicBool::new(false);
    let made = attempt(&paper(), &SLOPE, request(None, Extent::Steps(10)), &stop, &|_| {}).unwrap();
    let frame = Comparison { command_line: "rigor reproduce …".into(), ..Comparison::default() };
    let figure = page::figure(&paper(), &made, &frame);
    for part in
        ["It slides.", "not judged", "the run was cut short", "a &lt;slope&gt;", "data:image/png", "Contacts"]
    {
        assert!(figure.contains(part), "{part}");
    }
    let index = page::index(&paper(), &[made], &frame);
    assert!(index.contains("href=\"figure-1.html\"") && index.contains("not judged"));
}

#[test]
fn studies_name_cases_methods_bodies_and_figures_that_exist() {
    for (paper, study) in
        PAPERS.iter().flat_map(|p| p.figures).flat_map(|f| f.studies.iter().map(move |s| (f, s)))
    {
        assert!(!study.theirs.is_empty() && !study.trials.is_empty(), "{}: {}", paper.id, study.title);
        for trial in study.trials {
            assert!(cases::find(trial.case).is_some(), "{trial:?}");
            assert!(registry::find(trial.method).is_ok(), "{trial:?}");
        }
        if let Measure::Found(name) | Measure::FoundOf(name, _) = study.measure {
            assert!(rigor_audit::Figure::named(name).is_some(), "{name}");
        }
    }
}

const ONE: Trial =
    Trial::new("a", "pbd", "mueller2007/spring", &["method.pbd.iterations=1", "method.pbd.stiffness=0.5"])
        .paper(0.5)
        .exact(0.5);

const SAGS: Study = Study {
    title: "Sag",
    theirs: "reference unavailable",
    measure: Measure::Residual,
    claim: Trend::Told,
    across: "",
    trials: &[
        ONE,
        Trial::new(
            "b",
            "pbd",
            "mueller2007/spring",
            &["method.pbd.iterations=2", "method.pbd.stiffness=0.75"],
        )
        .paper(0.2)
        .exact(0.2),
    ],
};

/// k = ½ leaves ½ of the error, k = ¾ leaves ¼.
#[test]
fn trends_are_told_from_their_opposites() {
    let complaints = |claim: Trend| {
        let study: &'static Study = Box::leak(Box::new(Study { claim, ..SAGS }));
        let made = study::make(study, request(None, Extent::Whole), &AtomicBool::new(false)).unwrap();
        let [a, b] = [0, 1].map(|k| *made.values[k].as_ref().unwrap());
        assert!((a - 0.5).abs() < 1e-15 && (b - 0.25).abs() < 1e-15, "{a}, {b}");
        made.complaints.len()
    };
    for (claim, n) in [
        (Trend::Told, 0),
        (Trend::AtMostPaper, 1),
        (Trend::NearExact(0.06), 0),
        (Trend::NearExact(0.04), 1),
        (Trend::AtMost(0.3), 1),
        (Trend::Falling, 0),
        (Trend::Rising, 1),
        (Trend::AtLeast(0.3), 1),
        (Trend::AtLeast(0.2), 0),
        (Trend::Alike(1.9), 1),
        (Trend::Alike(2.1), 0),
        (Trend::Differing(2.1), 1),
        (Trend::Differing(1.9), 0),
    ] {
        assert_eq!(complaints(claim), n, "{claim:?}");
    }
}

#[test]
fn studies_that_are_cut_short_are_not_judged() {
    static CUT: Study = Study { claim: Trend::AtMost(0.0), trials: &[ONE], ..SAGS };
    let made = study::make(&CUT, request(None, Extent::Steps(0)), &AtomicBool::new(false)).unwrap();
    assert_eq!((made.values, made.complaints), (vec![Ok(1.0)], vec![]));
}

/// Claims between curves, at equal positions.
#[test]
fn a_curve_is_compared_with_another_at_equal_positions() {
    const fn spring(label: &'static str, line: &'static str, at: f64, set: &'static [&'static str]) -> Trial {
        Trial::new(label, "pbd", "mueller2007/spring", set).line(line).at(at)
    }
    const HALF: &[&str] = &["method.pbd.iterations=1", "method.pbd.stiffness=0.5"];
    const QUARTER: &[&str] = &["method.pbd.iterations=2", "method.pbd.stiffness=0.75"];
    const LOW: [Trial; 2] = [spring("a", "low", 1.0, HALF), spring("b", "low", 2.0, QUARTER)];
    const HIGH: [Trial; 1] = [spring("c", "high", 2.0, HALF)];
    let complaints = |claim: Trend, trials: Vec<Trial>| {
        let study = Study { claim, trials: Box::leak(trials.into_boxed_slice()), ..SAGS };
        let study: &'static Study = Box::leak(Box::new(study));
        study::make(study, request(None, Extent::Whole), &AtomicBool::new(false)).unwrap().complaints.len()
    };
    assert_eq!(complaints(Trend::FirstBelow, [&LOW[..], &HIGH[..]].concat()), 0);
    assert_eq!(complaints(Trend::FirstBelow, [&HIGH[..], &LOW[..]].concat()), 1);
    assert_eq!(complaints(Trend::AtMostFirst(1.9), [&LOW[1..], &HIGH[..]].concat()), 1);
    assert_eq!(complaints(Trend::AtMostFirst(2.1), [&LOW[1..], &HIGH[..]].concat()), 0);
    // ½ at 1, ¼ at 2; the other curve stands alone.
    assert_eq!(complaints(Trend::SmallestAt(2.0), [&LOW[..], &HIGH[..]].concat()), 0);
    assert_eq!(complaints(Trend::SmallestAt(1.0), [&LOW[..], &HIGH[..]].concat()), 1);
    assert_eq!(complaints(Trend::SmallestAt(3.0), LOW.to_vec()), 1);
}

#[test]
fn a_claim_about_time_is_judged_only_if_runs_are_timed() {
    static FAST: Study =
        Study { measure: Measure::StepTime, claim: Trend::AtMost(0.0), trials: &[ONE], ..SAGS };
    static FIGURE: PaperFigure = PaperFigure { studies: &[FAST], cases: &["mueller2007/spring"], ..SLOPE };
    let pbd = Paper { method: "pbd", ..PAPERS[0] };
    let judged = |is_timed: bool| {
        let request = Request { is_timed, ..request(None, Extent::Whole) };
        attempt(&pbd, &FIGURE, request, &AtomicBool::new(false), &|_| {}).unwrap().outcome
    };
    let Outcome::NotJudged { why } = judged(false) else { panic!("judged without a clock") };
    assert!(why.contains("--timed"), "{why}");
    assert!(matches!(judged(true), Outcome::Failed { .. }), "no run takes no time");
}

/// Cases whose claims name forces, speeds or falls, by paper; each takes a fraction of a second.
const OF_WEIGHT: [(&str, &[&str]); 5] = [
    (
        "ferguson2021",
        &[
            "ferguson2021/02-piston",
            "unit-tests/5-cubes",
            "unit-tests/edge-edge",
            "unit-tests/edge-edge-parallel",
            "unit-tests/face-vertex",
            "unit-tests/large-mass-ratio",
            "unit-tests/tet-corner",
            "unit-tests/vertex-face",
            "erleben/cliff-edges",
            "erleben/internal-edges",
            "erleben/spike-and-wedge",
            "erleben/spike-in-crack",
            "erleben/spike-in-hole",
            "erleben/spikes",
            "erleben/wedge-in-crack",
            "erleben/wedges",
        ],
    ),
    ("mueller2020", &["mueller2020/13-overlap", "mueller2020/16-car"]),
    ("macklin2016", &["macklin2016/chain"]),
    ("mueller2007", &["mueller2007/bodies-and-cloths", "mueller2007/free-fall"]),
    ("harada2007", &["harada2007/ball"]),
];

/// Claims about weight hold as the case is, and not under half the gravity: each case alone.
#[test]
fn claims_about_weight_fail_under_half_the_gravity() {
    for (name, cases) in OF_WEIGHT {
        let paper = catalogue::find(name).unwrap();
        for case in cases {
            let figure = PaperFigure { cases: std::slice::from_ref(case), ..SLOPE };
            let figure: &'static PaperFigure = Box::leak(Box::new(figure));
            let gravity = load_scene(case, &[]).unwrap().scene.gravity;
            let half = [format!("gravity=[{}, {}, {}]", 0.5 * gravity.x, 0.5 * gravity.y, 0.5 * gravity.z)];
            let outcome = |overrides| {
                let request = Request { overrides, ..request(None, Extent::Whole) };
                attempt(paper, figure, request, &AtomicBool::new(false), &|_| {}).unwrap().outcome
            };
            // This is the longest test of the crate: the two runs share the cores.
            let (whole, halved) = thread::scope(|threads| {
                let halved = threads.spawn(|| outcome(&half));
                (outcome(&[]), halved.join().unwrap())
            });
            assert_eq!(whole, Outcome::Held, "{case}");
            assert!(matches!(halved, Outcome::Failed { .. }), "{case}: it also holds under half the gravity");
        }
    }
}

/// The plans of tables across methods are valid, and their claims name what exists.
#[test]
fn plans_across_methods_are_valid() {
    let all = PAPERS.iter().flat_map(|paper| paper.figures).flat_map(|figure| figure.across);
    for one in all {
        let plan = rigor_study::Plan::parse(one.plan, Path::new("plan")).unwrap();
        assert!(!rigor_study::task::tasks(&plan).unwrap().is_empty());
        assert_eq!(plan.bisect.is_some(), plan.plot.is_empty(), "{}", plan.study.title);
    }
}

/// A claim that also holds under half the gravity, or with the wrong answer, would say nothing.
#[test]
fn a_claim_across_methods_fails_where_its_physics_is_changed() {
    let plan = "[study]\ntitle = \"t\"\nscenes = [\"bouncing/ball\"]\nduration = 0.3\n[[method]]\nname = \"xpbd\"\n\
                [sweep]\n\"body.ball.restitution\" = [0.2, 0.8]\n[[plot]]\nx = \"body.ball.restitution\"\ny = \"energy.end\"\n";
    let complaints = |claim: Agreement| {
        let across: &'static MethodTable = Box::leak(Box::new(MethodTable { plan, claim }));
        across::gather(across, request(None, Extent::Whole), &AtomicBool::new(false))
            .unwrap()
            .complaints
            .len()
    };
    assert_eq!(complaints(Agreement::Told), 0);
    assert_eq!(complaints(Agreement::Same("energy.start")), 0);
    assert_eq!(complaints(Agreement::Same("motion.drop")), 0);
    assert_eq!(complaints(Agreement::Zero { label: "xpbd", of: "energy.start" }), 2);
    assert_eq!(complaints(Agreement::Zero { label: "xpbd", of: "tunnelling.passes" }), 0);
}

//! Tests that the tables name existing cases, and that outcomes and pages are right.

use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use std::thread;

use rigor_file::cases;
use rigor_report::Comparison;
use rigor_run::disk::load_scene;
use tempfile::TempDir;

use crate::across::{self, Agreement, MethodTable};
use crate::attempt::{Attempt, Outcome, attempt, check};
use crate::catalogue::{self, papers};
use crate::error::PaperError;
use crate::extent::Extent;
use crate::file;
use crate::form::{Form, Printed};
use crate::page;
use crate::paper::{Paper, PaperFigure, Unmoved};
use crate::request::Request;
use crate::study::{self, Study, Trend};
use crate::survey::{Fate, Surveyed, survey};

/// A paper with one figure, whose keys besides id, title and claim are `keys`.
fn one_figure(method: &str, keys: &str) -> Result<Paper, PaperError> {
    let text = format!(
        "format = 1\nname = \"p\"\nkey = \"P\"\ntitle = \"P\"\nmethod = {method:?}\n[[figure]]\nid = \"1\"\n\
         title = \"a <slope>\"\nclaim = \"It slides.\"\n{keys}"
    );
    let plan = |name: &str| {
        let source = std::io::ErrorKind::NotFound.into();
        Err(PaperError::File { path: name.into(), source })
    };
    file::parse(&text, Path::new("p.toml"), &plan)
}

const SLOPE: &str = "cases = [\"friction/incline-mu-0.49\"]\nfixtures = [\"there/is/none.json\"]";

fn paper() -> Paper {
    one_figure("xpbd", SLOPE).unwrap()
}

/// A request whose runs stay in a temporary folder of this process.
fn request(data: Option<&Path>, extent: Extent) -> Request<'_> {
    static ROOT: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());
    let forms = &[Form::Here];
    Request {
        data,
        overrides: &[],
        extent,
        forms,
        change: None,
        seconds: None,
        is_timed: false,
        root: ROOT.path(),
    }
}

/// Runs the only figure of a paper.
fn run(paper: &Paper, request: Request) -> Attempt {
    attempt(paper, &paper.figures[0], request, &AtomicBool::new(false), &|_| {}).unwrap()
}

fn outcome(keys: &str, extent: Extent) -> Outcome {
    let paper = one_figure("xpbd", keys).unwrap();
    run(&paper, request(Some(Path::new("no/such/folder")), extent)).outcome().clone()
}

#[test]
fn files_of_papers_are_read() {
    assert_eq!(papers().len(), 5);
    for paper in papers() {
        assert!(catalogue::text(&paper.name).is_some(), "{}", paper.name);
        for figure in &paper.figures {
            for study in &figure.studies {
                assert!(!study.theirs.is_empty(), "{}: {}", figure.id, study.title);
            }
        }
    }
}

/// An error names the place in the file, before anything runs.
#[test]
fn wrong_papers_are_refused() {
    let study = |keys: &str| {
        format!("[[figure.study]]\ntitle = \"s\"\ntheirs = \"none\"\nmeasure = \"residual\"\n{keys}")
    };
    let runs = "runs = [{ label = \"a\", case = \"mueller2007/spring\" }]";
    for (keys, why) in [
        ("cases = [\"friction/inkline-mu-0.49\"]".into(), "did you mean \"friction/incline-mu-0.49\"?"),
        (String::new(), "give either cases, studies or tables, or the reason in `lacking`"),
        (format!("{SLOPE}\nlacking = \"none\""), "give either cases"),
        (format!("{SLOPE}\nclaims = []"), "unknown field `claims`"),
        (format!("{SLOPE}\nneeds = \"tpu\""), "unknown variant `tpu`"),
        (
            format!(
                "{SLOPE}\n[[figure.expect]]\nfixture = \"none.json\"\nfigure = \"motion.dorp\"\nat_most = 1\nbecause = \"x\""
            ),
            "did you mean \"motion.drop\"?",
        ),
        (
            format!(
                "{SLOPE}\n[[figure.expect]]\nfixture = \"nine.json\"\nfigure = \"motion.drop\"\nat_most = 1\nbecause = \"x\""
            ),
            "no fixture ends with \"nine.json\"",
        ),
        (
            format!(
                "{SLOPE}\n[[figure.expect]]\nfixture = \"none.json\"\nfigure = \"motion.drop\"\nbecause = \"x\""
            ),
            "exactly one of `at_most` and `at_least`",
        ),
        (study("runs = []"), "there is no run"),
        (study("runs = [{ label = \"a\" }]"), "the run \"a\" has no `case`"),
        (study(&runs.replace("case =", "method = \"pdb\", case =")), "pdb"),
        (study(&runs.replace("case =", "set = [\"method.pbd.k=1\"], case =")), "`k`"),
        (study(&format!("claim = \"at_most_paper\"\n{runs}")), "needs the number `paper` of the run \"a\""),
        (study(&format!("claim = {{ near_exact = 0.1 }}\n{runs}")), "needs the number `exact`"),
        (study(&format!("claim = {{ smallest_at = 3.0 }}\n{runs}")), "no run is at 3"),
        (study(&format!("claim = \"near\"\n{runs}")), "unknown variant `near`"),
        (study(&format!("claim = {{ at_most = nan }}\n{runs}")), "the number of the claim is NaN"),
        (study(&format!("claim = {{ near_exact = inf }}\n{runs}")), "the number of the claim is inf"),
        (study(&format!("claim = \"falling\"\n{runs}")), "two runs or more on each curve"),
        (study(&format!("claim = {{ alike = 2.0 }}\n{runs}")), "two runs or more on each curve"),
        (study(&format!("claim = \"worst_falling\"\n{runs}")), "two curves"),
        (study(&format!("claim = {{ at_most_first = 2.0 }}\n{runs}")), "another curve"),
        (study(&runs.replace("case =", "paper = nan, case =")), "paper is NaN"),
        (study(&runs.replace("case =", "at = inf, case =")), "at is inf"),
        (study(&runs.replace("case =", "set = [\"gravity\"], case =")), "expected KEY=VALUE"),
        (format!("{SLOPE}\nunmoved = [{{ claim = \"\", because = \"x\" }}]"), "a part of a claim"),
        (study(runs).replace("residual", "residuum"), "did you mean \"residual\"?"),
        (study(&format!("body = \"b\"\n{runs}")), "is not that of a body"),
        (format!("{SLOPE}\n[[figure.table]]\nplan = \"nowhere.toml\""), "nowhere.toml"),
        (
            format!("{SLOPE}\n[[figure]]\nid = \"1\"\ntitle = \"t\"\nclaim = \"c\"\nlacking = \"x\""),
            "another figure",
        ),
        (
            format!("{SLOPE}\n[[figure]]\nid = \"../1\"\ntitle = \"t\"\nclaim = \"c\"\nlacking = \"x\""),
            "letters",
        ),
    ] {
        let error = one_figure("xpbd", &keys).unwrap_err().to_string();
        assert!(error.starts_with("p.toml") || error.contains("nowhere.toml"), "{error}");
        assert!(error.contains(why), "{why}: {error}");
    }
    assert!(one_figure("xpdb", SLOPE).unwrap_err().to_string().contains("xpdb"));
    // What is printed is a setting of a method that runs.
    for (line, why) in [
        ("time.dt=0.05", "expected a setting of a method that the paper runs"),
        ("gravity=[0, 0, 0]", "expected a setting"),
        ("method.ipc.pairs=all", "of xpbd"),
        (" method.xpbd.substeps=1", "expected KEY=VALUE"),
        ("method.xpbd.substeps", "expected KEY=VALUE"),
        ("method.xpbd.substeps=1\", \"method.xpbd.substeps=2", "set twice"),
    ] {
        let printed = format!("{SLOPE}\n[printed]\nset = [\"{line}\"]\nremaining = \"none\"");
        let printed = printed.replace(SLOPE, "");
        let text = format!(
            "format = 1\nname = \"p\"\nkey = \"P\"\ntitle = \"P\"\nmethod = \"xpbd\"\n{printed}\n[[figure]]\nid = \"1\"\n\
             title = \"t\"\nclaim = \"c\"\n{SLOPE}"
        );
        let error = file::parse(&text, Path::new("p.toml"), &|_| unreachable!()).unwrap_err().to_string();
        assert!(error.contains(why), "{line}: {error}");
    }
}

/// A scene that expects nothing of the method, and a paper without printed settings, give no verdict.
#[test]
fn what_is_not_claimed_is_not_held() {
    let folder = tempfile::tempdir().unwrap();
    let bare =
        "format = 1\n[time]\nduration = 0.1\n[[particle]]\nname = \"p\"\nmass = 1\nposition = [0, 0, 0]\n";
    std::fs::write(folder.path().join("bare.toml"), bare).unwrap();
    let path = folder.path().join("p.toml");
    let text = "format = 1\nname = \"p\"\nkey = \"P\"\ntitle = \"P\"\nmethod = \"xpbd\"\n[[figure]]\nid = \"1\"\ntitle = \"t\"\n\
                claim = \"c\"\ncases = [\"bare.toml\"]";
    std::fs::write(&path, text).unwrap();
    let paper = file::read(&path).unwrap();
    let made = run(&paper, Request { forms: &Form::BOTH, ..request(None, Extent::Whole) });
    assert!(matches!(made.verdict(Form::Here), Some(Outcome::NotJudged { .. })), "{:?}", made.verdicts);
    assert!(matches!(made.verdict(Form::Printed), Some(Outcome::NotRun { .. })), "{:?}", made.verdicts);
    assert_eq!(made.rows.len(), 1);
    // With a study that makes a claim, that decides.
    let study = "\n[[figure.study]]\ntitle = \"s\"\ntheirs = \"none\"\nmeasure = \"from_fall\"\nclaim = { at_most = 0.1 }\n\
                 runs = [{ label = \"a\", case = \"bare.toml\" }]";
    std::fs::write(&path, format!("{text}{study}")).unwrap();
    let made = run(&file::read(&path).unwrap(), request(None, Extent::Whole));
    assert_eq!(made.outcome(), &Outcome::Held);
    // A measure that the scene does not have is not 0.
    for measure in ["elongation", "force_error", "residual"] {
        let study = study.replace("from_fall", measure);
        std::fs::write(&path, format!("{text}{study}")).unwrap();
        let made = run(&file::read(&path).unwrap(), request(None, Extent::Whole));
        assert!(matches!(made.outcome(), Outcome::Failed { .. }), "{measure}: {:?}", made.verdicts);
    }
    // An unknown body is an error before anything runs.
    let study = study.replace("measure = \"from_fall\"", "measure = \"falls_at\"\nbody = \"nobody\"");
    std::fs::write(&path, format!("{text}{study}")).unwrap();
    let paper = file::read(&path).unwrap();
    let error = check(&paper, &paper.figures[0], request(None, Extent::Whole)).unwrap_err().to_string();
    assert!(error.contains("no body `nobody`"), "{error}");
}

/// A run that a time limit cut, or that was not begun, is no verdict, and is made again without the limit.
#[test]
fn what_is_cut_is_not_judged_and_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let keys = "cases = [\"friction/incline-mu-0.49\"]\n[[figure.study]]\ntitle = \"s\"\ntheirs = \"none\"\nmeasure = \"motion.drop\"\n\
                body = \"box\"\nclaim = { at_most = 10.0 }\nruns = [{ label = \"a\", case = \"friction/incline-mu-0.49\" }]";
    let paper = one_figure("xpbd", keys).unwrap();
    let within = |seconds| Request { seconds, root: folder.path(), ..request(None, Extent::Whole) };
    let cut = run(&paper, within(Some(1e-9)));
    assert!(matches!(cut.outcome(), Outcome::NotJudged { .. }), "{:?}", cut.verdicts);
    assert_eq!(run(&paper, within(None)).outcome(), &Outcome::Held);
    let stop = AtomicBool::new(true);
    let forms = &Form::BOTH;
    let mut paper = paper;
    paper.printed.set = vec!["method.xpbd.substeps=10".into()];
    paper.figures[0].studies.clear();
    let root = folder.path().join("other");
    let request = Request { forms, root: &root, ..request(None, Extent::Whole) };
    let made = attempt(&paper, &paper.figures[0], request, &stop, &|_| {}).unwrap();
    for form in Form::BOTH {
        assert!(!matches!(made.verdict(form), Some(Outcome::Held)), "{:?}", made.verdicts);
    }
}

/// Overrides do not replace printed settings; the page tells which of them a study replaces.
#[test]
fn printed_settings_are_kept_or_told() {
    let mut paper = one_figure("xpbd", SLOPE).unwrap();
    paper.printed.set = vec!["method.xpbd.substeps=3".into()];
    let overrides = ["method.xpbd.substeps=5".to_owned()];
    let both = Request { forms: &Form::BOTH, overrides: &overrides, ..request(None, Extent::Steps(2)) };
    let made = run(&paper, both);
    assert_ne!(made.rows[0].record.identity, made.rows[1].record.identity);
    assert!(made.sections[0].rows[0].settings.contains('3'), "{:?}", made.sections[0].rows[0].settings);
    let printed = Printed { set: paper.printed.set, remaining: String::new() };
    let changes = ["method.xpbd.substeps=3".to_owned(), "method.xpbd.iterations=2".into()];
    assert!(printed.replaced(changes.iter()).is_empty());
    assert_eq!(printed.replaced(overrides.iter()), printed.set);
}

/// A case of a paper that no figure names would never be reproduced.
#[test]
fn every_case_in_a_paper_s_group_belongs_to_a_figure() {
    for paper in papers() {
        let group = format!("{}/", paper.name);
        for case in cases::names().filter(|name| name.starts_with(&group)) {
            let has = |figure: &PaperFigure| {
                let trials = || figure.studies.iter().flat_map(|study| &study.trials);
                figure.cases.iter().any(|own| own == case) || trials().any(|trial| trial.case == case)
            };
            assert!(paper.figures.iter().any(has), "{case}");
        }
    }
}

#[test]
fn a_claim_holds_fails_or_is_not_judged() {
    assert_eq!(outcome(SLOPE, Extent::Whole), Outcome::Held);
    let cut = Outcome::NotJudged { why: "the run was cut short".into() };
    assert_eq!(outcome(SLOPE, Extent::Steps(3)), cut);
    assert_eq!(outcome(SLOPE, Extent::Until(0.05)), cut);
    let heavy = outcome("cases = [\"unit-tests/large-mass-ratio\"]", Extent::Whole);
    let Outcome::Failed { why } = heavy else { panic!("xpbd holds it up?") };
    assert!(why[0].starts_with("unit-tests/large-mass-ratio: "), "{why:?}");
    let none = outcome("lacking = \"there is none\"", Extent::Whole);
    assert_eq!(none, Outcome::NotRun { why: "there is none".into() });
}

/// A method that is exact as here and not as printed has two verdicts, in one section of the page and two columns of a study.
#[test]
fn a_figure_has_a_verdict_in_each_form() {
    let keys = "cases = [\"mueller2007/free-fall\"]\nnot_as_printed = \"it is Euler's\"\n[[figure.study]]\ntitle = \"Fall\"\n\
                theirs = \"none\"\nmeasure = \"from_fall\"\nclaim = { at_most = 1e-9 }\n\
                runs = [{ label = \"a\", case = \"mueller2007/free-fall\" }]";
    let mut paper = one_figure("pbd", keys).unwrap();
    let form = |name: &str| format!("method.pbd.integrator={name}");
    paper.printed.set = vec![form("symplectic_euler"), "method.xpbd.substeps=3".into()];
    let overrides = [];
    let both = Request { forms: &Form::BOTH, overrides: &overrides, ..request(None, Extent::Whole) };
    let made = run(&paper, both);
    assert!(matches!(made.verdict(Form::Printed), Some(Outcome::Failed { .. })), "{:?}", made.verdicts);
    assert!(made.remarks().iter().any(|why| why == "as printed: it is Euler's"), "{:?}", made.remarks());
    let [section] = &made.sections[..] else { panic!("{} sections", made.sections.len()) };
    let labels: Vec<&str> = section.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["pbd, as printed", "pbd"]);
    let is_wrong = |column: &study::Column| !column.complaints.is_empty();
    assert_eq!(made.studies[0].columns.iter().map(is_wrong).collect::<Vec<_>>(), [true, false]);
    assert_eq!(made.outcome(), &Outcome::Held);
    // What a run sets itself stays.
    paper.figures[0].studies[0].trials[0].set = vec![form("velocity_verlet")];
    let made = run(&paper, both);
    assert!(made.studies[0].columns.iter().all(|column| column.complaints.is_empty()), "{:?}", made.studies);
    let page = page::figure(&paper, &made, &Comparison::default());
    assert!(page.contains("as printed: ") && page.contains("it is Euler"), "{page}");
    // The page tells a claim that holds although the file says that it does not.
    paper.figures[0].studies.clear();
    paper.printed.set = vec![form("velocity_verlet")];
    let made = run(&paper, both);
    assert!(made.remarks().iter().any(|why| why.contains("unexpected")), "{:?}", made.remarks());
}

/// A fixture that names a missing mesh is replaced by our case, and the page gives the reason.
#[test]
fn fixtures_are_run_where_they_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("there/is/none.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let run = |body: &str| {
        std::fs::write(
            &path,
            format!(r#"{{"max_time": 0.05, "rigid_body_problem": {{"rigid_bodies": [{body}]}}}}"#),
        )
        .unwrap();
        run(&paper(), request(Some(folder.path()), Extent::Steps(2)))
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
        let paper = paper();
        attempt(&paper, &paper.figures[0], request, &AtomicBool::new(false), &|_| {})
    };
    let time = |made: &Attempt| made.sections[0].rows[0].dt;
    assert_eq!(time(&run(&[]).unwrap()), 0.01);
    assert_eq!(time(&run(&["time.dt=0.005".into()]).unwrap()), 0.005);
    let refused = run(&["time.dtt=1".into()]).unwrap_err().to_string();
    assert!(refused.contains("dtt"), "{refused}");
}

#[test]
fn pages_tell_the_claim_the_outcome_and_draw_what_the_method_reported() {
    let made = run(&paper(), request(None, Extent::Steps(10)));
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

/// A study of springs: runs by label, curve, position, iterations and stiffness.
fn springs(claim: Trend, runs: &[(&str, &str, f64, u32, f64)]) -> Study {
    let run = |(label, line, at, iterations, stiffness): &(&str, &str, f64, u32, f64)| {
        let left = 1.0 - stiffness;
        format!(
            "{{ label = {label:?}, line = {line:?}, at = {at:?}, paper = {left:?}, exact = {left:?}, \
             set = [\"method.pbd.iterations={iterations}\", \"method.pbd.stiffness={stiffness}\"] }},"
        )
    };
    let runs: String = runs.iter().map(run).collect();
    let study = format!(
        "[[figure.study]]\ntitle = \"Sag\"\ntheirs = \"none\"\nmeasure = \"residual\"\ncase = \"mueller2007/spring\"\n\
         runs = [{runs}]"
    );
    let paper = one_figure("pbd", &study).unwrap();
    Study { claim, ..paper.figures[0].studies[0].clone() }
}

/// The complaints about a study.
fn complaints(study: &Study, extent: Extent) -> Vec<String> {
    let made =
        study::make(study, &Printed::default(), request(None, extent), &AtomicBool::new(false)).unwrap();
    made.columns[0].complaints.clone()
}

const HALF: (&str, &str, f64, u32, f64) = ("a", "low", 1.0, 1, 0.5);
const QUARTER: (&str, &str, f64, u32, f64) = ("b", "low", 2.0, 2, 0.75);
const HIGH: (&str, &str, f64, u32, f64) = ("c", "high", 2.0, 1, 0.5);

/// k = ½ leaves ½ of the error, k = ¾ leaves ¼; the paper has 0.2 for the second.
#[test]
fn trends_are_told_from_their_opposites() {
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
        let mut study = springs(claim, &[HALF, QUARTER]);
        (study.trials[1].paper, study.trials[1].exact) = (Some(0.2), Some(0.2));
        assert_eq!(complaints(&study, Extent::Whole).len(), n, "{claim:?}");
    }
}

#[test]
fn studies_that_are_cut_short_are_not_judged() {
    let study = springs(Trend::AtMost(0.0), &[HALF]);
    assert_eq!(complaints(&study, Extent::Whole).len(), 1);
    assert!(complaints(&study, Extent::Steps(0)).is_empty());
}

/// Claims between curves, at equal positions.
#[test]
fn a_curve_is_compared_with_another_at_equal_positions() {
    for (claim, runs, n) in [
        (Trend::WorstFalling, &[HALF, QUARTER, HIGH][..], 1),
        (Trend::WorstFalling, &[HIGH, QUARTER], 0),
        (Trend::WorstFalling, &[QUARTER, HIGH], 1),
        (Trend::FirstBelow, &[HALF, QUARTER, HIGH], 0),
        (Trend::FirstBelow, &[HIGH, HALF, QUARTER], 1),
        (Trend::AtMostFirst(1.9), &[QUARTER, HIGH], 1),
        (Trend::AtMostFirst(2.1), &[QUARTER, HIGH], 0),
        // ½ at 1, ¼ at 2; the other curve stands alone.
        (Trend::SmallestAt(2.0), &[HALF, QUARTER, HIGH], 0),
        (Trend::SmallestAt(1.0), &[HALF, QUARTER, HIGH], 1),
        (Trend::SmallestAt(3.0), &[HALF, QUARTER], 1),
        // Neighbours on a curve need not be neighbours in the file.
        (Trend::Rising, &[HALF, HIGH, QUARTER, ("d", "high", 3.0, 1, 0.9)], 2),
        (Trend::Falling, &[HALF, HIGH, QUARTER, ("d", "high", 3.0, 1, 0.9)], 0),
    ] {
        assert_eq!(complaints(&springs(claim, runs), Extent::Whole).len(), n, "{claim:?}");
    }
}

#[test]
fn a_claim_about_time_is_judged_only_if_runs_are_timed() {
    let keys = "cases = [\"mueller2007/spring\"]\n[[figure.study]]\ntitle = \"Fast\"\ntheirs = \"none\"\nmeasure = \"step_time\"\n\
                claim = { at_most = 0.0 }\nruns = [{ label = \"a\", case = \"mueller2007/spring\" }]";
    let paper = one_figure("pbd", keys).unwrap();
    let judged =
        |is_timed: bool| run(&paper, Request { is_timed, ..request(None, Extent::Whole) }).outcome().clone();
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
            let figure = PaperFigure { cases: vec![(*case).to_owned()], ..PaperFigure::default() };
            let gravity = load_scene(case, &[]).unwrap().scene.gravity;
            let half = [format!("gravity=[{}, {}, {}]", 0.5 * gravity.x, 0.5 * gravity.y, 0.5 * gravity.z)];
            let outcome = |overrides| {
                let request = Request { overrides, ..request(None, Extent::Whole) };
                attempt(paper, &figure, request, &AtomicBool::new(false), &|_| {}).unwrap().outcome().clone()
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

/// A claim that also holds under half the gravity, or with the wrong answer, would say nothing.
#[test]
fn a_claim_across_methods_fails_where_its_physics_is_changed() {
    let plan = "[study]\ntitle = \"t\"\nscenes = [\"bouncing/ball\"]\nduration = 0.3\n[[method]]\nname = \"xpbd\"\n\
                [sweep]\n\"body.ball.restitution\" = [0.2, 0.8]\n[[plot]]\nx = \"body.ball.restitution\"\ny = \"energy.end\"\n";
    let complaints = |claim: Agreement| {
        let across = MethodTable { plan: plan.into(), claim };
        let request = request(None, Extent::Whole);
        across::gather(&across, (&Printed::default(), "xpbd"), Form::Here, request, &AtomicBool::new(false))
            .unwrap()
            .complaints
            .len()
    };
    let zero = |of: &str| Agreement::Zero { label: "xpbd".into(), of: of.into() };
    assert_eq!(complaints(Agreement::Told), 0);
    assert_eq!(complaints(Agreement::Same("energy.start".into())), 0);
    assert_eq!(complaints(Agreement::Same("motion.drop".into())), 0);
    assert_eq!(complaints(zero("energy.start")), 2);
    assert_eq!(complaints(zero("tunnelling.passes")), 0);
}

/// A claim that holds under every change is idle, unless the file says why it must.
#[test]
fn claims_that_notice_no_change_are_found() {
    let keys = "cases = [\"mueller2007/flying-cloth\", \"mueller2007/free-fall\"]";
    let mut paper = one_figure("pbd", keys).unwrap();
    let told = |paper: &Paper| {
        let request = request(None, Extent::Whole);
        survey(paper, &paper.figures[0], request, &AtomicBool::new(false), &|_| {}).unwrap().claims
    };
    let claims = told(&paper);
    assert!(claims.iter().all(|claim| claim.unchanged == Fate::Held), "{claims:?}");
    let idle = |claims: &[Surveyed]| -> Vec<String> {
        claims.iter().filter(|claim| claim.is_idle()).map(|claim| claim.claim.clone()).collect()
    };
    let [one] = &idle(&claims)[..] else { panic!("{claims:?}") };
    assert!(one.starts_with("mueller2007/flying-cloth: momentum.linear_relative"), "{one}");
    let because = "gradients sum to zero".to_owned();
    paper.figures[0].unmoved = vec![Unmoved { claim: "linear_relative".into(), because }];
    assert!(idle(&told(&paper)).is_empty());
}

/// Figures whose runs take a fraction of a second.
const QUICK: [(&str, &[&str]); 4] = [
    ("ferguson2021", &["18"]),
    ("mueller2020", &["4", "5", "12", "18"]),
    ("macklin2016", &["oscillator"]),
    ("mueller2007", &["stiffness", "momentum", "verlet"]),
];

/// `rigor reproduce --mutate` surveys the others.
#[test]
fn every_claim_of_quick_figures_notices_changed_physics() {
    for (name, figures) in QUICK {
        let paper = catalogue::find(name).unwrap();
        for figure in figures.iter().flat_map(|id| paper.figures(id)) {
            let request = Request { seconds: Some(60.0), ..request(None, Extent::Whole) };
            let made = survey(paper, figure, request, &AtomicBool::new(false), &|_| {}).unwrap();
            assert!(!made.claims.is_empty(), "{}", figure.id);
            for claim in made.claims {
                assert_eq!(claim.unchanged, Fate::Held, "{claim:?}");
                assert!(!claim.is_idle(), "{claim:?}");
            }
        }
    }
}

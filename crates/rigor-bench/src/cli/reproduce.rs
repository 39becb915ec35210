//! `rigor reproduce`.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use rigor_papers::attempt::{Attempt, Outcome, attempt, check};
use rigor_papers::catalogue::{self, papers};
use rigor_papers::extent::Extent;
use rigor_papers::file;
use rigor_papers::form::Form;
use rigor_papers::mutation::Mutation;
use rigor_papers::page;
use rigor_papers::paper::{Paper, PaperFigure};
use rigor_papers::request::Request;
use rigor_papers::study::{MissingNumber, StudyResults, Trial};
use rigor_papers::survey::{Fate, Survey, Surveyed, survey};
use rigor_papers::table;
use rigor_report::table::Table as Numbers;
use rigor_run::registry::check_change;
use rigor_study::results;
use serde_json::{Value, json};

use super::table::{Table, headed};
use super::{CliError, Exit, interrupt};

/// Run the figures of a paper, judge their claims, and write a page per figure.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").args(["figures", "all", "list"]).required(true))]
#[command(after_help = "\
EXAMPLES
  rigor reproduce ferguson2021 --list                  figures, claims and scenes
  rigor reproduce ferguson2021 12 13 --out out/figures
  rigor reproduce ferguson2021 2 --data path/to/rigid-ipc --out out/figure-2
  rigor reproduce ferguson2021 --all --steps 5 --out out/smoke
  rigor reproduce macklin2016 stiffness --form here    without the runs as printed
  rigor reproduce ferguson2021 18 --mutate             which claims notice changed physics?
  rigor reproduce my-paper.toml --all                  a paper of your own (docs/guide/reproduce-a-paper.md)

WRITES
  index.html, and figure-ID.html for each figure (open offline); runs/ (a folder per run; one that is found is not made again)

EXIT CODES
  0 no claim failed as here (with `--form printed`: as printed); 1 a claim or a run failed; 2 unknown paper or figure, or
  a file cannot be read or written; 130 interrupted")]
pub struct ReproduceArgs {
    /// The paper: ferguson2021, mueller2020, macklin2016, mueller2007, harada2007, or the file of another one.
    paper: String,
    /// Figures, e.g. 13 or 2a; a number selects all its parts.
    figures: Vec<String>,
    /// All figures.
    #[arg(long)]
    all: bool,
    /// Only list the figures with their claims and scenes.
    #[arg(long)]
    list: bool,
    /// The form of the paper's method: with the settings that the paper prints, as it is here, or both, which is the default.
    #[arg(long, value_enum)]
    form: Option<FormChoice>,
    /// Folder with the paper's own scenes, in `fixtures` and `meshes`; figures without scenes there run the
    /// built-in cases.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Change a key of every scene, e.g. `method.ipc.eps_v=1e-4`, except in studies; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Maximum number of steps per run; claims are then not judged.
    #[arg(long, conflicts_with = "time")]
    steps: Option<u64>,
    /// Maximum simulated time per run (s); claims are then not judged.
    #[arg(long, allow_negative_numbers = true)]
    time: Option<f64>,
    /// Maximum wall time per run (s).
    #[arg(long, allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// Change the physics of every scene in eighteen ways, one at a time, and list the claims that notice none.
    #[arg(long, conflicts_with_all = ["steps", "time", "timed", "list", "form"])]
    mutate: bool,
    /// Make runs of studies one after another, so that claims about time are judged; nothing else should run meanwhile.
    #[arg(long)]
    timed: bool,
    /// Folder for the pages.
    #[arg(long, default_value = "reproduced")]
    out: PathBuf,
    /// Print the outcomes as JSON.
    #[arg(long)]
    json: bool,
}

/// The forms in which figures are run.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum FormChoice {
    /// As printed and as here.
    Both,
    /// As printed.
    Printed,
    /// As here.
    Here,
}

impl FormChoice {
    fn forms(self) -> &'static [Form] {
        match self {
            Self::Both => &Form::BOTH,
            Self::Printed => &[Form::Printed],
            Self::Here => &[Form::Here],
        }
    }
}

/// Runs the chosen figures, writes their pages and prints the outcomes.
///
/// # Errors
/// The paper or a figure does not exist, a scene cannot be read, or a page cannot be written.
pub fn execute(args: &ReproduceArgs) -> Result<Exit, CliError> {
    let paper = &*find(&args.paper)?;
    let figures = figures(paper, args)?;
    if args.list {
        return list(paper, &figures, args.json);
    }
    args.overrides.iter().try_for_each(|line| check_change(line))?;
    if args.mutate {
        return mutate(paper, &figures, args);
    }
    let attempts = attempts(paper, &figures, args)?;
    if args.json {
        super::print_json(&attempts.iter().map(as_json).collect::<Vec<_>>())?;
    } else {
        let studies = attempts.iter().flat_map(|attempt| &attempt.studies).map(table::of);
        let across = attempts.iter().flat_map(|attempt| &attempt.gathered).flat_map(|one| one.tables.clone());
        let studies: String = studies.chain(across).map(|told| numbers(&told)).collect();
        let index = args.out.join("index.html");
        let notes: String =
            attempts.iter().map(|attempt| super::compare::notice_lines(&attempt.sections)).collect();
        super::print(&format!("{}\n{studies}{notes}{}\n", outcomes(&attempts), index.display()))?;
    }
    Ok(exit(&attempts))
}

/// The paper with this name, or in this file.
fn find(name: &str) -> Result<Cow<'static, Paper>, CliError> {
    if let Some(paper) = catalogue::find(name) {
        return Ok(Cow::Borrowed(paper));
    }
    let path = Path::new(name);
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml")) {
        return file::read(path).map(Cow::Owned).map_err(|error| CliError::new(error.to_string()));
    }
    let known = papers().iter().map(|paper| paper.name.as_str()).collect::<Vec<_>>().join(", ");
    let what = format!("there is no paper {name:?}; the papers are {known}, and files that end in `.toml`");
    Err(CliError::new(what))
}

fn figures<'a>(paper: &'a Paper, args: &ReproduceArgs) -> Result<Vec<&'a PaperFigure>, CliError> {
    if args.all || args.list {
        return Ok(paper.figures.iter().collect());
    }
    let mut chosen = Vec::new();
    for wanted in &args.figures {
        let found = paper.figures(wanted);
        if found.is_empty() {
            let help = format!("`rigor reproduce {} --list` lists the figures", paper.name);
            return Err(CliError::new(format!("there is no figure {wanted:?}")).with_help(help));
        }
        for figure in found {
            if !chosen.iter().any(|known: &&PaperFigure| known.id == figure.id) {
                chosen.push(figure);
            }
        }
    }
    Ok(chosen)
}

/// Checks everything that the figures name; then makes the folder.
fn request<'a>(
    paper: &Paper,
    figures: &[&PaperFigure],
    args: &'a ReproduceArgs,
) -> Result<Request<'a>, CliError> {
    if let Some(data) = args.data.as_deref().filter(|data| !data.is_dir()) {
        let what = format!("--data {}: there is no such folder", data.display());
        return Err(CliError::new(what).with_help("name the folder that holds `fixtures` and `meshes`"));
    }
    if let Some(seconds) = args.seconds.filter(|seconds| !(seconds.is_finite() && *seconds > 0.0)) {
        return Err(CliError::new(format!("--seconds {seconds}: it must be a time above 0 s")));
    }
    let extent = extent(args)?;
    let request = Request {
        data: args.data.as_deref(),
        overrides: &args.overrides,
        extent,
        forms: args.form.unwrap_or(FormChoice::Both).forms(),
        change: None,
        seconds: args.seconds,
        is_timed: args.timed,
        root: &args.out,
    };
    figures.iter().try_for_each(|figure| check(paper, figure, request))?;
    std::fs::create_dir_all(&args.out).map_err(|error| CliError::file(&args.out, "made", &error))?;
    Ok(request)
}

fn bar(n: usize) -> ProgressBar {
    let bar = ProgressBar::new(n as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30.cyan/dim} {pos}/{len} figures  {msg}") {
        bar.set_style(style);
    }
    bar
}

fn attempts(paper: &Paper, figures: &[&PaperFigure], args: &ReproduceArgs) -> Result<Vec<Attempt>, CliError> {
    let request = request(paper, figures, args)?;
    let frame = super::frame::frame();
    let bar = bar(figures.len());
    let mut made = Vec::new();
    for figure in figures {
        bar.set_message(format!("{} {}", figure.id, figure.title));
        let told = |scene: &str| bar.set_message(format!("{scene} is done"));
        let one = attempt(paper, figure, request, interrupt::flag(), &told)?;
        write(&args.out.join(page::file_name(&one)), &page::figure(paper, &one, &frame))?;
        made.push(one);
        // Rewritten after each figure, so that an interrupted command leaves a complete index.
        write(&args.out.join("index.html"), &page::index(paper, &made, &frame))?;
        bar.inc(1);
        if interrupt::flag().load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(made)
}

/// Changes the scenes of figures, and prints which claims notice it.
fn mutate(paper: &Paper, figures: &[&PaperFigure], args: &ReproduceArgs) -> Result<Exit, CliError> {
    let request = request(paper, figures, args)?;
    let bar = bar(figures.len());
    let mut surveys: Vec<Survey> = Vec::new();
    for figure in figures {
        let told = |change: &str| bar.set_message(format!("{}: {change}", figure.id));
        surveys.push(survey(paper, figure, request, interrupt::flag(), &told)?);
        bar.inc(1);
        if interrupt::flag().load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
    }
    bar.finish_and_clear();
    let idle: usize = surveys.iter().map(Survey::idle).sum();
    let n: usize = surveys.iter().map(|one| one.claims.len()).sum();
    let is_whole = surveys.iter().all(|one| one.is_whole);
    if args.json {
        super::print_json(&surveys.iter().map(survey_as_json).collect::<Vec<_>>())?;
    } else {
        let text: String = surveys.iter().map(told_survey).collect();
        let end = match (n, idle) {
            _ if !is_whole => "Interrupted: not all changes were tried.".to_owned(),
            (0, _) => "There is no claim to change the physics of.".to_owned(),
            (_, 0) => "Every claim notices a change, or has a reason why not.".to_owned(),
            (_, idle) => format!(
                "{idle} of {n} claims do not hold as they are, or notice no change and have no reason why not."
            ),
        };
        super::print(&format!("{text}{end}\n"))?;
    }
    Ok(match idle {
        _ if !is_whole => Exit::Interrupted,
        0 => Exit::Ok,
        _ => Exit::Failed,
    })
}

fn told_survey(survey: &Survey) -> String {
    let words = |all: &[Mutation]| all.iter().map(|change| change.words()).collect::<Vec<_>>().join("; ");
    let mut table = headed(["claim", "unchanged", "fails with", "not judged with"]);
    for claim in &survey.claims {
        let unchanged = fate(claim.unchanged);
        let noticed = match &claim.noticed[..] {
            [] if !claim.because.is_empty() => format!("nothing: {}", claim.because),
            [] => "nothing".to_owned(),
            all => words(all),
        };
        table.add_row([&claim.claim, unchanged, &noticed, &words(&claim.not_judged)]);
    }
    let refused =
        survey.refused.iter().map(|(change, why)| format!("{} was not made: {why}\n", change.words()));
    let refused: String = refused.collect();
    match &survey.claims[..] {
        [] => format!("{}: no claim is judged\n\n", survey.figure.id),
        _ => format!("{}: {}\n{table}\n{refused}\n", survey.figure.id, survey.figure.title),
    }
}

fn fate(fate: Fate) -> &'static str {
    match fate {
        Fate::Held => "held",
        Fate::Failed => "not held",
        Fate::NotJudged => "not judged",
    }
}

fn survey_as_json(survey: &Survey) -> Value {
    let words = |all: &[Mutation]| all.iter().map(|change| change.words()).collect::<Vec<_>>();
    let claim = |claim: &Surveyed| {
        json!({
            "claim": claim.claim, "unchanged": fate(claim.unchanged), "fails_with": words(&claim.noticed),
            "not_judged_with": words(&claim.not_judged), "because": claim.because,
        })
    };
    let refused = |(change, why): &(Mutation, String)| json!({ "change": change.words(), "why": why });
    json!({
        "figure": survey.figure.id, "all_changes_were_tried": survey.is_whole, "claims": survey.claims.iter().map(claim).collect::<Vec<_>>(),
        "not_made": survey.refused.iter().map(refused).collect::<Vec<_>>(),
    })
}

fn extent(args: &ReproduceArgs) -> Result<Extent, CliError> {
    match (args.steps, args.time) {
        (Some(steps), _) => Ok(Extent::Steps(steps)),
        (None, Some(seconds)) if seconds.is_finite() && seconds >= 0.0 => Ok(Extent::Until(seconds)),
        (None, Some(seconds)) => {
            Err(CliError::new(format!("--time {seconds}: it must be a time of 0 s or more")))
        }
        (None, None) => Ok(Extent::Whole),
    }
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    std::fs::write(path, text).map_err(|error| CliError::file(path, "written", &error))
}

/// 130 if interrupted, 1 if a claim failed, else 0.
fn exit(attempts: &[Attempt]) -> Exit {
    if interrupt::flag().load(std::sync::atomic::Ordering::Relaxed) {
        Exit::Interrupted
    } else if attempts.iter().any(|attempt| matches!(attempt.outcome(), Outcome::Failed { .. })) {
        Exit::Failed
    } else {
        Exit::Ok
    }
}

fn list(paper: &Paper, figures: &[&PaperFigure], as_json: bool) -> Result<Exit, CliError> {
    if as_json {
        let figure = |f: &&PaperFigure| {
            json!({
                "figure": f.id, "title": f.title, "claim": f.claim, "method": paper.method,
                "cases": scenes(f), "fixtures": f.fixtures, "lacking": f.lacking,
            })
        };
        super::print_json(&figures.iter().map(figure).collect::<Vec<_>>())?;
        return Ok(Exit::Ok);
    }
    let mut table = headed(["figure", "title", "claim", "cases"]);
    for figure in figures {
        let cases =
            if figure.lacking.is_empty() { scenes(figure).join(", ") } else { figure.lacking.clone() };
        table.add_row([&figure.id, &figure.title, &figure.claim, &cases]);
    }
    let printed = match &paper.printed.set[..] {
        [] => String::new(),
        set => format!("As printed: {}. {}\n", set.join(", "), paper.printed.remaining),
    };
    super::print(&format!("{} [{}], method {}\n{printed}{table}\n", paper.title, paper.key, paper.method))?;
    Ok(Exit::Ok)
}

/// The cases that the figure runs, each once, those of studies last.
fn scenes(figure: &PaperFigure) -> Vec<&str> {
    let mut all: Vec<&str> = figure.cases.iter().map(String::as_str).collect();
    for trial in figure.studies.iter().flat_map(|study| &study.trials) {
        if !all.contains(&trial.case.as_str()) {
            all.push(&trial.case);
        }
    }
    all
}

fn outcomes(attempts: &[Attempt]) -> Table {
    let forms: Vec<Form> =
        attempts.first().map_or(vec![], |first| first.verdicts.iter().map(|one| one.0).collect());
    let columns = forms.iter().map(|form| form.words());
    let cost = (forms.len() > 1).then_some("CPU, printed / here");
    let mut table = headed(["figure", "title"].into_iter().chain(columns).chain(cost).chain(["why"]));
    for attempt in attempts {
        let words = attempt.verdicts.iter().map(|(_, outcome)| outcome.word().to_owned());
        let first = [attempt.figure.id.clone(), attempt.figure.title.clone()].into_iter();
        let cost = cost.map(|_| page::ratio(attempt));
        table.add_row(first.chain(words).chain(cost).chain([attempt.remarks().join("; ")]));
    }
    table
}

/// A column of tables of runs, and its cells where nothing went wrong.
const OUTCOME: &str = "Outcome";
const COMPLETED: &str = "completed";
/// The first column of tables of runs.
const SCENE: &str = "Scene";

/// The table of a study, with title and note; that of runs scene by scene. What all rows share takes no column, so that names
/// and times have room.
fn numbers(told: &Numbers) -> String {
    let is_shared = |k: usize| {
        let all = told.rows.iter().all(|row| row.get(k).is_some_and(|cell| cell == COMPLETED));
        told.heading[k] == OUTCOME && all && !told.rows.is_empty()
    };
    let by_scene = told.heading.first().is_some_and(|name| name == SCENE);
    let kept: Vec<usize> = (usize::from(by_scene)..told.heading.len()).filter(|k| !is_shared(*k)).collect();
    let note = if (0..told.heading.len()).any(is_shared) { "All runs were completed.\n" } else { "" };
    let mut text = format!("\n{}\n{}\n{note}", told.title, told.note);
    for group in told.rows.chunk_by(|a, b| !by_scene || a.first() == b.first()) {
        let mut rows = headed(kept.iter().map(|k| told.heading[*k].as_str()));
        for row in group {
            rows.add_row(kept.iter().filter_map(|k| row.get(*k)).map(String::as_str));
        }
        let scene = group.first().and_then(|row| row.first()).filter(|_| by_scene);
        text += &scene.map_or(String::new(), |scene| format!("\n{scene}\n"));
        text += &format!("{rows}\n");
    }
    text
}

fn study_as_json(studied: &StudyResults) -> Value {
    let study = &studied.study;
    let column = |form: Form| studied.columns.iter().find(|one| one.form == form);
    let value = |form: Form, k: usize| column(form).and_then(|one| one.values[k].as_ref().ok());
    let why = |k: usize| {
        let all = studied.columns.iter().rev();
        all.filter_map(|column| column.values[k].as_ref().err()).map(MissingNumber::to_string).next()
    };
    let trial = |(k, trial): (usize, &Trial)| {
        json!({
            "run": trial.label, "case": trial.case, "method": trial.method, "set": trial.set, "paper": trial.paper,
            "exact": trial.exact, "printed": value(Form::Printed, k), "here": value(Form::Here, k), "why": why(k),
        })
    };
    let complaints = |form: Form| column(form).map(|one| &one.complaints);
    json!({
        "study": study.title, "unit": study.measure.unit(), "paper": study.theirs,
        "complaints": complaints(Form::Here), "complaints_as_printed": complaints(Form::Printed),
        "runs": study.trials.iter().enumerate().map(trial).collect::<Vec<_>>(),
    })
}

fn table_as_json(table: &Numbers) -> Value {
    json!({ "title": table.title, "complaints": table.complaints, "heading": table.heading, "rows": table.rows })
}

fn as_json(attempt: &Attempt) -> Value {
    let word = |form: Form| attempt.verdict(form).map(Outcome::word);
    json!({
        "figure": attempt.figure.id, "title": attempt.figure.title, "claim": attempt.figure.claim,
        "outcome": word(Form::Here), "outcome_as_printed": word(Form::Printed), "cpu_printed_over_here": attempt.cpu_ratio(), "why": attempt.remarks(),
        "scenes": attempt.rows.iter().map(results::json).collect::<Vec<_>>(),
        "studies": attempt.studies.iter().map(study_as_json).collect::<Vec<_>>(),
        "across": attempt.gathered.iter().flat_map(|one| &one.tables).map(table_as_json).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use rigor_report::mark::Mark;

    use super::*;

    fn told(outcome: &str) -> Numbers {
        let row = |scene: &str, method: &str| {
            [scene, method, "10 ms", "scale 0.1", outcome, "20", "334 nm", "122 µs"]
                .map(str::to_owned)
                .to_vec()
        };
        let heading =
            ["Scene", "Method", "Δt", "At", "Outcome", "intersection.frames", "penetration.deepest"];
        Numbers {
            title: "Degenerate contact".into(),
            note: String::new(),
            mark: Mark::Plain,
            complaints: vec![],
            heading: heading.iter().chain(&["CPU time per step"]).map(|name| (*name).to_owned()).collect(),
            rows: vec![
                row("erleben/spike-in-hole", "ipc"),
                row("erleben/spike-in-hole", "rapier"),
                row("stacks/10", "ipc"),
            ],
            plot: None,
        }
    }

    #[test]
    fn no_name_of_a_scene_or_figure_is_broken_within_a_word() {
        let text = numbers(&told("completed"));
        assert!(text.contains("All runs were completed."), "{text}");
        for whole in [
            "\nerleben/spike-in-hole\n",
            "\nstacks/10\n",
            "intersection.",
            "penetration.",
            "deepest",
            "122 µs",
            "rapier",
        ] {
            assert!(text.contains(whole), "{whole:?} in {text}");
        }
        assert_eq!(text.matches("erleben/spike-in-hole").count(), 1, "{text}");
        let stopped = numbers(&told("stopped"));
        assert!(stopped.contains("stopped") && !stopped.contains("All runs"), "{stopped}");
    }
}

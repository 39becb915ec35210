//! Execution and judgement of a figure.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rigor_audit::Verdict;
use rigor_file::{LoadOptions, Loaded, load};
use rigor_report::number::quantity;
use rigor_report::{Ending, MethodRow, SceneSection};
use rigor_run::disk::{self, Disk, DiskError};
use rigor_run::folder::record;
use rigor_run::registry::check_change;
use rigor_scene::{BodyId, Bound, Expectation};
use rigor_study::driver::carry_out;
use rigor_study::plan::Head;
use rigor_study::{Contender, Plan, PlanError, Row, StudyError, Task, report};

use crate::across::{self, Agreement, TableResults};
use crate::extent::Extent;
use crate::form::Form;
use crate::measure::Measure;
use crate::paper::{Paper, PaperFigure};
use crate::request::Request;
use crate::study::{self, StudyResults, Trend};

/// The result of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// The figure.
    pub figure: PaperFigure,
    /// The runs, one section per scene; empty if nothing ran.
    pub sections: Vec<SceneSection>,
    /// The same runs, as records.
    pub rows: Vec<Row>,
    /// Its studies, as far as they ran.
    pub studies: Vec<StudyResults>,
    /// Its tables across methods, as far as they ran.
    pub gathered: Vec<TableResults>,
    /// Whether the claim held, in each form in which the figure was run.
    pub verdicts: Vec<(Form, Outcome)>,
    /// The reason why the paper's own scenes did not run although they are present; otherwise empty.
    pub note: String,
}

impl Attempt {
    /// Returns the verdict in a form, if the figure was run in it.
    pub fn verdict(&self, form: Form) -> Option<&Outcome> {
        self.verdicts.iter().find(|(of, _)| *of == form).map(|(_, outcome)| outcome)
    }

    /// Returns the verdict that decides: as here, or in the only form that was asked for.
    pub fn outcome(&self) -> &Outcome {
        const NONE: &Outcome = &Outcome::NotRun { why: String::new() };
        self.verdict(Form::Here).or(self.verdict(Form::Printed)).unwrap_or(NONE)
    }

    /// Returns the CPU time of its scenes as printed over that as here, if both were completed. The runs were made one after
    /// another, on a machine that may have had other work.
    pub fn cpu_ratio(&self) -> Option<f64> {
        let label = Form::Here.label(&self.rows.first()?.record.method);
        let is_whole = |row: &&Row| row.record.outcome == record::Ending::Completed;
        let time = |is_here: bool| -> Option<f64> {
            let own = self.rows.iter().filter(|row| (row.task.label == label) == is_here);
            own.map(|row| is_whole(&row).then_some(row.record.cpu_seconds)).sum()
        };
        let (printed, here) = (time(false)?, time(true)?);
        (printed > 0.0 && here > 0.0).then_some(printed / here)
    }

    /// Returns the reasons why the claim did not hold or was not judged in a form.
    ///
    /// A claim that the file of the paper knows not to hold as printed has that reason first; one that holds against it, too.
    pub fn reasons(&self, form: Form) -> Vec<String> {
        let known = &self.figure.not_as_printed;
        let outcome = self.verdict(form);
        let told = outcome.map_or(vec![], Outcome::reasons).into_iter().map(str::to_owned);
        let finding = match outcome {
            _ if form == Form::Here || known.is_empty() => None,
            Some(Outcome::Failed { .. }) => Some(known.clone()),
            Some(Outcome::Held) => Some(format!("unexpected, since {known}")),
            Some(Outcome::NotJudged { .. } | Outcome::NotRun { .. }) | None => None,
        };
        finding.into_iter().chain(told).collect()
    }

    /// Returns all reasons, those as printed with that word, and the note.
    pub fn remarks(&self) -> Vec<String> {
        let printed = self.reasons(Form::Printed).into_iter();
        let printed = printed.map(|why| format!("{}: {why}", Form::Printed.words()));
        let here: Vec<String> = self.reasons(Form::Here);
        // Reasons of both forms, such as a figure without scenes, are told once.
        let is_new = |why: &String| !here.iter().any(|own| why.ends_with(own.as_str()));
        let printed: Vec<String> = printed.filter(is_new).collect();
        let note = Some(self.note.clone()).filter(|note| !note.is_empty());
        here.into_iter().chain(printed).chain(note).collect()
    }
}

/// The verdict on a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All expectations and claims held.
    Held,
    /// An expectation or a claim failed, or a run did not complete.
    Failed {
        /// One reason per entry.
        why: Vec<String>,
    },
    /// The figure ran, but the claim could not be judged.
    NotJudged {
        /// The reason.
        why: String,
    },
    /// The figure did not run.
    NotRun {
        /// The reason.
        why: String,
    },
}

impl Outcome {
    /// Returns the name of the outcome in tables.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Failed { .. } => "not held",
            Self::NotJudged { .. } => "not judged",
            Self::NotRun { .. } => "not run",
        }
    }

    /// Returns the reasons; empty if the claim held.
    pub fn reasons(&self) -> Vec<&str> {
        match self {
            Self::Held => vec![],
            Self::Failed { why } => why.iter().map(String::as_str).collect(),
            Self::NotJudged { why } | Self::NotRun { why } => vec![why],
        }
    }
}

/// An error that prevents the execution of a figure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttemptError {
    /// A scene cannot be loaded.
    #[error(transparent)]
    Scene {
        /// The cause.
        #[from]
        source: DiskError,
    },
    /// A run cannot be made, or its files cannot be used.
    #[error(transparent)]
    Run {
        /// The error.
        #[from]
        source: StudyError,
    },
    /// The plan of a table across methods is invalid.
    #[error(transparent)]
    Plan {
        /// The error.
        #[from]
        source: PlanError,
    },
    /// The paper's method refuses the settings.
    #[error("{scene}: {why}")]
    Refused {
        /// The scene.
        scene: String,
        /// What is wrong with the settings.
        why: String,
    },
    /// A claim names a body that its scene does not have.
    #[error("{}: there is no body `{body}`", path.display())]
    Body {
        /// The scene.
        path: PathBuf,
        /// The body.
        body: String,
    },
}

/// Loads all scenes of a figure with the changes of each form, and looks for the bodies that its studies name.
///
/// # Errors
/// The first mistake. Scenes in the data folder are not among them: a figure without them runs our cases.
pub fn check(paper: &Paper, figure: &PaperFigure, request: Request) -> Result<(), AttemptError> {
    for form in request.forms {
        let printed = || paper.printed.of(*form, &paper.method);
        let set: Vec<String> = request.overrides.iter().chain(printed()).cloned().collect();
        for case in &figure.cases {
            disk::load_scene(case, &set)?;
        }
        for study in &figure.studies {
            for trial in &study.trials {
                let loaded = study::load(trial, *form, &paper.printed, request)?;
                let (Measure::FoundOf(_, body) | Measure::FallsAt(body)) = &study.measure else { continue };
                if !loaded.scene.bodies.iter().any(|known| known.name == *body) {
                    return Err(AttemptError::Body { path: trial.case.clone().into(), body: body.clone() });
                }
            }
        }
    }
    Ok(())
}

/// Runs the figure's scenes with the paper's method in each form, then its studies and tables across methods, and judges the
/// claim.
///
/// The scenes are the paper's fixtures if the data folder has all of them and they can be read, otherwise our
/// cases. `done` is called after each run of a scene; setting `stop` interrupts the runs.
///
/// # Errors
/// A case cannot be loaded.
pub fn attempt(
    paper: &Paper,
    figure: &PaperFigure,
    request: Request,
    stop: &AtomicBool,
    done: &(dyn Fn(&str) + Sync),
) -> Result<Attempt, AttemptError> {
    let extent = request.extent;
    let mut rows = Vec::new();
    let mut note = String::new();
    let mut judged = Vec::new();
    for form in request.forms {
        if !paper.printed.has(*form) {
            judged.push((*form, true, false));
            continue;
        }
        let chosen = choose(paper, figure, *form, request)?;
        let is_cut = chosen.scenes.iter().any(|loaded| extent.duration(loaded) < loaded.scene.time.duration);
        judged.push((*form, chosen.are_judged, is_cut));
        note = chosen.note;
        rows.extend(run(paper, *form, &chosen.scenes, request, stop, done)?);
    }
    rigor_study::naming::tell_scenes_apart(&mut rows);
    let sections = report::sections(&rows)?;
    let mut studies = Vec::new();
    for one in &figure.studies {
        if !stop.load(Ordering::Relaxed) {
            studies.push(study::make(one, &paper.printed, request, stop)?);
        }
    }
    let mut gathered = Vec::new();
    // A table across methods has no meaning for a run that is cut short, or for a changed scene.
    let is_whole = extent == Extent::Whole && request.change.is_none();
    for (one, form) in figure.across.iter().flat_map(|one| request.forms.iter().map(move |form| (one, *form)))
    {
        // As printed only what a claim needs is run again.
        let is_asked = form == Form::Here || one.claim != Agreement::Told || request.forms.len() == 1;
        if is_whole && is_asked && paper.printed.has(form) && !stop.load(Ordering::Relaxed) {
            gathered.push(across::gather(one, (&paper.printed, &paper.method), form, request, stop)?);
        }
    }
    let is_stopped = stop.load(Ordering::Relaxed);
    let verdict = |(form, are_judged, is_cut): (Form, bool, bool)| {
        if !paper.printed.has(form) {
            return (form, Outcome::NotRun { why: "the file of the paper has no printed settings".into() });
        }
        let outcome = match outcome(figure, &sections, form.label(&paper.method), is_cut) {
            Outcome::Held if !are_judged => {
                let why =
                    "bodies never intersect, and the paper's own scenes have no other expectation".into();
                Outcome::NotJudged { why }
            }
            other => other,
        };
        (form, with_studies(outcome, figure, form, (&studies, &gathered), extent, is_stopped))
    };
    let verdicts = judged.into_iter().map(verdict).collect();
    Ok(Attempt { figure: figure.clone(), sections, rows, studies, gathered, verdicts, note })
}

/// Combines the outcome of the scenes with the claims of the studies.
fn with_studies(
    outcome: Outcome,
    figure: &PaperFigure,
    form: Form,
    (studies, gathered): (&[StudyResults], &[TableResults]),
    extent: Extent,
    is_stopped: bool,
) -> Outcome {
    if figure.studies.is_empty() && figure.across.is_empty() {
        return outcome;
    }
    let wrong = |one: &StudyResults| {
        let told = |why: &String| format!("{}: {why}", one.study.title);
        let own = one.columns.iter().filter(|column| column.form == form);
        own.flat_map(|column| &column.complaints).map(told).collect::<Vec<_>>()
    };
    let of_tables =
        gathered.iter().filter(|one| one.form == form).flat_map(|one| one.complaints.iter().cloned());
    let complaints: Vec<String> = studies.iter().flat_map(wrong).chain(of_tables).collect();
    let is_claimed = figure.studies.iter().any(|one| one.claim != Trend::Told)
        || figure.across.iter().any(|one| one.claim != Agreement::Told);
    let is_cut =
        studies.iter().flat_map(|one| &one.columns).any(|column| column.form == form && column.is_cut);
    let is_untimed = studies.iter().any(|one| one.is_untimed) || gathered.iter().any(|one| one.is_untimed);
    match outcome {
        _ if is_stopped => Outcome::NotJudged { why: "it was interrupted".into() },
        Outcome::Failed { why } => Outcome::Failed { why: why.into_iter().chain(complaints).collect() },
        _ if !complaints.is_empty() => Outcome::Failed { why: complaints },
        Outcome::NotJudged { ref why } if !(is_claimed && why == NO_CLAIM) => outcome,
        _ if is_cut => Outcome::NotJudged { why: "a run of a study was cut".into() },
        _ if extent != Extent::Whole => Outcome::NotJudged { why: "the run was cut short".into() },
        _ if is_untimed => {
            Outcome::NotJudged { why: "it is about time, which only `--timed` measures".into() }
        }
        Outcome::NotRun { .. } if !is_claimed => Outcome::NotJudged {
            why: "its numbers are only listed beside the paper's; it makes no claim about them".into(),
        },
        Outcome::NotRun { .. } | Outcome::NotJudged { .. } | Outcome::Held => Outcome::Held,
    }
}

/// The scenes to run.
struct Chosen {
    scenes: Vec<Loaded>,
    /// The reason why the fixtures do not run although they are present; otherwise empty.
    note: String,
    /// Whether the expectations of these scenes test the claim.
    are_judged: bool,
}

fn choose(paper: &Paper, figure: &PaperFigure, form: Form, request: Request) -> Result<Chosen, AttemptError> {
    let data = request.data;
    // What is printed stays so, whatever else is changed.
    let set: Vec<String> =
        request.overrides.iter().chain(paper.printed.of(form, &paper.method)).cloned().collect();
    let changed = |load: &dyn Fn(&[String]) -> Result<Loaded, AttemptError>| {
        let loaded = load(&set)?;
        match request.change.map(|change| change.lines(&loaded, &paper.method)) {
            Some(lines) => load(&[&set[..], &lines].concat()),
            None => Ok(loaded),
        }
    };
    let read_all = |paths: Vec<PathBuf>| -> Result<Vec<_>, _> {
        paths.iter().map(|path| changed(&|set| fixture(figure, path, data, set))).collect()
    };
    let read = fixtures(figure, data).map(read_all);
    let note = match read {
        Some(Ok(scenes)) => {
            return Ok(Chosen { scenes, note: String::new(), are_judged: !figure.claims.is_empty() });
        }
        Some(Err(error)) => format!("the paper's scenes were left out: {}", first_line(&error.to_string())),
        None => String::new(),
    };
    let case = |case: &String| changed(&|set| Ok(disk::load_scene(case, set)?));
    let scenes = figure.cases.iter().map(case).collect::<Result<_, _>>()?;
    Ok(Chosen { scenes, note, are_judged: true })
}

/// Returns the first line of an error without its list of searched folders, short enough for a table.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.split("; looked for").next().unwrap_or_default().to_owned()
}

/// Returns the paths of the figure's fixtures, if it has any and all exist.
fn fixtures(figure: &PaperFigure, data: Option<&Path>) -> Option<Vec<PathBuf>> {
    let data = data?;
    let paths: Vec<PathBuf> = figure.fixtures.iter().map(|path| data.join(path)).collect();
    (!paths.is_empty() && paths.iter().all(|path| path.is_file())).then_some(paths)
}

/// Loads a fixture and adds the expectations that bodies never intersect and that the figure's claims hold.
fn fixture(
    figure: &PaperFigure,
    path: &Path,
    data: Option<&Path>,
    overrides: &[String],
) -> Result<Loaded, AttemptError> {
    let mesh_folders = data.iter().map(|data| data.join("meshes")).collect();
    overrides.iter().try_for_each(|line| check_change(line)).map_err(DiskError::from)?;
    let mut loaded = load(path, &Disk, &LoadOptions { overrides: overrides.to_vec(), mesh_folders })
        .map_err(DiskError::from)?;
    let mut expect = |name: &str, body, bound, because: &str| {
        let (figure, because) = (name.to_owned(), because.to_owned());
        let methods_because = String::new();
        loaded.scene.expectations.push(Expectation {
            figure,
            body,
            bound,
            methods: vec![],
            methods_because,
            because,
        });
    };
    expect("intersection.frames", None, Bound::AtMost(0.0), "Bodies never intersect [Ferguson2021].");
    let bodies = &loaded.scene.bodies;
    for claim in figure.claims.iter().filter(|claim| path.to_string_lossy().ends_with(&claim.fixture)) {
        let body = bodies.iter().position(|body| body.name == claim.body).map(BodyId);
        if body.is_none() && !claim.body.is_empty() {
            return Err(AttemptError::Body { path: path.to_owned(), body: claim.body.clone() });
        }
        expect(&claim.figure, body, claim.bound, &claim.because);
    }
    Ok(loaded)
}

/// Makes the runs of the scenes with the paper's method in one form, one after another.
fn run(
    paper: &Paper,
    form: Form,
    scenes: &[Loaded],
    request: Request,
    stop: &AtomicBool,
    done: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Row>, AttemptError> {
    let study = Head { judge_every: paper.judge_every, seconds: request.seconds, ..Head::default() };
    let plan = Plan { study, method: vec![Contender::new(request.method(&paper.method))], ..Plan::default() };
    let method = request.method(&paper.method);
    let task = |loaded: &Loaded| Task {
        label: form.label(&paper.method),
        ..Task::of_loaded(loaded.clone(), method, request.extent.duration(loaded))
    };
    let tasks: Vec<Task> = scenes.iter().map(task).collect();
    let made = carry_out(&plan, &tasks, &request.options(), stop, &|task, _| done(&task.scene));
    let mut rows = Vec::new();
    for (task, made) in tasks.into_iter().zip(made) {
        let Some(made) = made else { continue };
        let record = made.record?;
        if let record::Ending::Refused { error } = record.outcome {
            return Err(AttemptError::Refused { scene: task.scene, why: error });
        }
        rows.push(Row::new(task, record, made.folder));
    }
    Ok(rows)
}

/// The verdict of the rows with this label.
fn outcome(figure: &PaperFigure, sections: &[SceneSection], label: String, is_cut: bool) -> Outcome {
    if sections.is_empty() {
        return Outcome::NotRun { why: figure.lacking.clone() };
    }
    let all = || sections.iter().flat_map(|section| section.rows.iter().map(move |row| (section, row)));
    let rows = || all().filter(|(_, row)| row.label == label);
    if rows().next().is_none() {
        return Outcome::NotJudged { why: "it was interrupted".into() };
    }
    let interrupted = |row: &MethodRow| match &row.ending {
        Ending::Running => Some("it was interrupted".to_owned()),
        Ending::Interrupted { why } => Some(format!("it was interrupted: {why}")),
        Ending::Completed
        | Ending::Stopped { .. }
        | Ending::Skipped { .. }
        | Ending::Refused { .. }
        | Ending::Failed { .. } => None,
    };
    if let Some(why) = rows().find_map(|(_, row)| interrupted(row)) {
        return Outcome::NotJudged { why };
    }
    let broken: Vec<String> = rows().filter_map(|(section, row)| breakdown(section, row)).collect();
    if !broken.is_empty() {
        return Outcome::Failed { why: broken };
    }
    if is_cut {
        return Outcome::NotJudged { why: "the run was cut short".into() };
    }
    let failed: Vec<String> = rows().flat_map(|(section, row)| failures(section, row)).collect();
    if !failed.is_empty() {
        return Outcome::Failed { why: failed };
    }
    match rows().flat_map(|(_, row)| row.claims()).find(|(_, verdict)| *verdict == Verdict::NotMeasured) {
        Some((expectation, _)) => {
            Outcome::NotJudged { why: format!("no judge measured {}", expectation.figure) }
        }
        None if rows().all(|(_, row)| row.claims().next().is_none()) => {
            Outcome::NotJudged { why: NO_CLAIM.into() }
        }
        None => Outcome::Held,
    }
}

/// The reason of a figure whose scenes expect nothing of the method.
const NO_CLAIM: &str = "no scene expects anything of the method";

/// Returns the reason why the run did not complete, unless it was interrupted.
fn breakdown(section: &SceneSection, row: &MethodRow) -> Option<String> {
    match &row.ending {
        Ending::Completed | Ending::Running | Ending::Interrupted { .. } => None,
        Ending::Stopped { why } => {
            Some(format!("{}: stopped after {} steps: {why}", section.name, row.steps))
        }
        Ending::Skipped { why } => Some(format!("{}: {} does not support {why}", section.name, row.method)),
        Ending::Refused { why } | Ending::Failed { why } => Some(format!("{}: {why}", section.name)),
    }
}

/// Returns one message per failed expectation, with the measured value.
fn failures(section: &SceneSection, row: &MethodRow) -> Vec<String> {
    let failed = |(expectation, verdict): &(Expectation, Verdict)| {
        let Verdict::Failed(finding) = verdict else { return None };
        let of = expectation.body.map_or(String::new(), |body| format!(" of {}", section.body_name(body)));
        let found = quantity(finding.value, finding.unit);
        Some(format!(
            "{}: {}{of} is {found}, expected {}",
            section.name, expectation.figure, expectation.bound
        ))
    };
    row.claims().filter_map(failed).collect()
}

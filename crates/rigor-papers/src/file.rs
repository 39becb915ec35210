//! Files of papers: defaults filled in, and every name checked.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use rigor_file::{Files, cases, closest};
use rigor_run::disk::Disk;
use rigor_run::registry::{check_change, find};
use rigor_scene::Bound;
use rigor_study::Plan;

use crate::across::MethodTable;
use crate::error::PaperError;
use crate::measure::Measure;
use crate::paper::{Need, Paper, PaperFigure, Unmoved};
use crate::study::{Study, Trend, Trial};

/// Version of the format.
const FORMAT: u32 = 1;

/// Reads the file of a paper. Cases and plans that it names are looked for in its folder, too.
///
/// # Errors
/// [`PaperError`] about the first mistake, with its place.
pub fn read(path: &Path) -> Result<Paper, PaperError> {
    let text = |path: PathBuf| {
        let read = Disk.read(&path).and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
        read.map_err(|source| PaperError::File { path, source })
    };
    let beside = |name: &str| text(path.parent().unwrap_or(Path::new("")).join(name));
    parse(&text(path.to_owned())?, path, &beside)
}

/// Reads the text of a paper's file at `path`; `beside` reads the plans that it names.
///
/// # Errors
/// [`PaperError`] about the first mistake, with its place.
///
/// ```
/// use std::path::Path;
/// use rigor_papers::file;
/// let text = r#"
///     format = 1
///     name = "nobody1900"
///     key = "Nobody1900"
///     title = "On boxes"
///     method = "xpbd"
///     [[figure]]
///     id = "1"
///     title = "Slope"
///     claim = "A box slides."
///     cases = ["friction/incline-mu-0.49"]
/// "#;
/// let no_plan = |name: &str| unreachable!("{name}");
/// let paper = file::parse(text, Path::new("nobody1900.toml"), &no_plan).unwrap();
/// assert_eq!(paper.figures("1")[0].cases, ["friction/incline-mu-0.49"]);
/// let wrong = file::parse(&text.replace("incline", "inkline"), Path::new("nobody1900.toml"), &no_plan);
/// assert!(wrong.unwrap_err().to_string().contains("did you mean"));
/// ```
pub fn parse(
    text: &str,
    path: &Path,
    beside: &dyn Fn(&str) -> Result<String, PaperError>,
) -> Result<Paper, PaperError> {
    let syntax = |source| PaperError::Syntax { path: path.to_owned(), source: Box::new(source) };
    let mut paper: Paper = toml::from_str(text).map_err(syntax)?;
    let place = Place { path, at: String::new() };
    if paper.format != FORMAT {
        return place.wrong(format!("format is {}: this program reads format {FORMAT}", paper.format));
    }
    if !(paper.judge_every.is_finite() && paper.judge_every > 0.0) {
        return place.wrong(format!("judge_every is {}: expected a time (s) above 0", paper.judge_every));
    }
    if paper.name.is_empty() {
        return place.wrong("the name is empty".into());
    }
    place.told(find(&paper.method).map(drop))?;
    let Paper { figures, method, .. } = &mut paper;
    let mut ids = BTreeSet::new();
    for figure in figures {
        let place = place.within(&format!("figure {:?}", figure.id));
        if !ids.insert(figure.id.clone()) {
            return place.wrong("another figure has this id".into());
        }
        complete(figure, method, beside, &place)?;
    }
    if ids.is_empty() {
        return place.wrong("there is no [[figure]]".into());
    }
    let trials = paper.figures.iter().flat_map(|figure| &figure.studies).flat_map(|study| &study.trials);
    let methods: BTreeSet<&str> =
        trials.map(|trial| trial.method.as_str()).chain([paper.method.as_str()]).collect();
    printed(&paper.printed.set, &methods, &place.within("printed"))?;
    unmoved(&paper.unmoved, &place)?;
    Ok(paper)
}

/// Checks printed settings: each is one of a method that the paper runs, and set once.
fn printed(set: &[String], methods: &BTreeSet<&str>, place: &Place) -> Result<(), PaperError> {
    let mut keys = BTreeSet::new();
    for line in set {
        place.change(line)?;
        let key = line.split('=').next().unwrap_or_default().trim();
        let is_own = |method: &&str| line.starts_with(&format!("method.{method}."));
        if !methods.iter().any(is_own) {
            let all = methods.iter().copied().collect::<Vec<_>>().join(", ");
            return place.wrong(format!(
                "{line}: expected a setting of a method that the paper runs: `method.NAME.KEY=VALUE` of {all}"
            ));
        }
        if !keys.insert(key.to_owned()) {
            return place.wrong(format!("{key} is set twice"));
        }
    }
    Ok(())
}

fn unmoved(all: &[Unmoved], place: &Place) -> Result<(), PaperError> {
    match all.iter().find(|one| one.claim.trim().is_empty() || one.because.trim().is_empty()) {
        Some(_) => place.wrong("`unmoved` needs a part of a claim, and the reason".into()),
        None => Ok(()),
    }
}

/// Fills in what a figure inherits, and checks it.
fn complete(
    figure: &mut PaperFigure,
    method: &str,
    beside: &dyn Fn(&str) -> Result<String, PaperError>,
    place: &Place,
) -> Result<(), PaperError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if figure.id.is_empty() || !figure.id.chars().all(allowed) {
        return place.wrong("an id has letters, digits, `-`, `_` and `.` only".into());
    }
    match figure.needs {
        Some(Need::Gpu) if !cfg!(feature = "gpu") => {
            let lacking = "this program was built without `--features gpu`".to_owned();
            let (id, title, claim) = (figure.id.clone(), figure.title.clone(), figure.claim.clone());
            *figure =
                PaperFigure { id, title, claim, lacking, needs: figure.needs, ..PaperFigure::default() };
        }
        Some(Need::Gpu) | None => {}
    }
    if figure.is_empty() == figure.lacking.is_empty() {
        return place.wrong("give either cases, studies or tables, or the reason in `lacking`".into());
    }
    for case in &mut figure.cases {
        *case = place.case(case)?;
    }
    unmoved(&figure.unmoved, place)?;
    for claim in &figure.claims {
        let place = place.within(&format!("expect {:?}", claim.figure));
        place.judge(&claim.figure)?;
        let (Bound::AtMost(limit) | Bound::AtLeast(limit) | Bound::Near { target: limit, .. }) = claim.bound;
        place.finite("the bound", Some(limit))?;
        if !figure.fixtures.iter().any(|path| path.ends_with(&claim.fixture)) {
            return place.wrong(format!("no fixture ends with {:?}", claim.fixture));
        }
    }
    for study in &mut figure.studies {
        self::study(study, method, &place.within(&format!("study {:?}", study.title)))?;
    }
    for table in &mut figure.across {
        let text = beside(&table.plan).map_err(|error| place.error(error.to_string()))?;
        plan(table, &text, &place.within(&format!("table {:?}", table.plan)))?;
        table.plan = text;
    }
    Ok(())
}

fn study(study: &mut Study, method: &str, place: &Place) -> Result<(), PaperError> {
    let Study { measure, claim, trials, .. } = study;
    if let Measure::Found(figure) | Measure::FoundOf(figure, _) = measure {
        place.judge(figure)?;
    }
    if trials.is_empty() {
        return place.wrong("there is no run".into());
    }
    for trial in &mut *trials {
        let place = place.within(&format!("run {:?}", trial.label));
        if trial.method.is_empty() {
            trial.method = method.to_owned();
        }
        if trial.line.is_empty() {
            trial.line.clone_from(&trial.method);
        }
        place.told(find(&trial.method).map(drop))?;
        trial.set.iter().try_for_each(|line| place.change(line))?;
        for (key, value) in [("at", Some(trial.at)), ("paper", trial.paper), ("exact", trial.exact)] {
            place.finite(key, value)?;
        }
        trial.case = place.case(&trial.case)?;
    }
    match lack(*claim, trials) {
        Some(why) => place.wrong(why),
        None => Ok(()),
    }
}

/// Returns what a claim about these runs lacks to be able to fail.
fn lack(claim: Trend, trials: &[Trial]) -> Option<String> {
    let lines: BTreeSet<&str> = trials.iter().map(|trial| trial.line.as_str()).collect();
    let runs_on = |line: &str| trials.iter().filter(|trial| trial.line == line).count();
    let no_pair = || {
        let is_lone = lines.iter().any(|line| runs_on(line) < 2);
        is_lone.then(|| "the claim needs two runs or more on each curve (`line`)".to_owned())
    };
    let without = |key: &str, number: fn(&Trial) -> Option<f64>| {
        let lone = trials.iter().find(|trial| number(trial).is_none())?;
        Some(format!("the claim needs the number `{key}` of the run {:?}", lone.label))
    };
    let no_number = |x: f64| (!x.is_finite()).then(|| format!("the number of the claim is {x}"));
    let no_neighbour = || {
        let first = &trials.first()?.line;
        let is_beside =
            |a: &Trial, b: &Trial| a.line == *first && b.line != *first && a.at.to_bits() == b.at.to_bits();
        let is_any = trials.iter().any(|a| trials.iter().any(|b| is_beside(a, b)));
        let why =
            "the claim needs a run of another curve (`line`) at the position (`at`) of one on the first";
        (!is_any).then(|| why.to_owned())
    };
    match claim {
        Trend::Told => None,
        Trend::AtMostPaper => without("paper", |trial| trial.paper),
        Trend::NearExact(x) => no_number(x).or_else(|| without("exact", |trial| trial.exact)),
        Trend::AtMost(x) | Trend::AtLeast(x) => no_number(x),
        Trend::Falling | Trend::Rising => no_pair(),
        Trend::Alike(x) | Trend::Differing(x) => no_number(x).or_else(no_pair),
        Trend::SmallestAt(x)
            if x.is_finite() && !trials.iter().any(|trial| trial.at.to_bits() == x.to_bits()) =>
        {
            Some(format!("no run is at {x}"))
        }
        Trend::SmallestAt(x) => no_number(x).or_else(no_pair),
        Trend::WorstFalling => {
            (lines.len() < 2).then(|| "the claim needs two curves (`line`) or more".to_owned())
        }
        Trend::FirstBelow => no_neighbour(),
        Trend::AtMostFirst(x) => no_number(x).or_else(no_neighbour),
    }
}

fn plan(table: &MethodTable, text: &str, place: &Place) -> Result<(), PaperError> {
    let plan = place.told(Plan::parse(text, Path::new(&table.plan)))?;
    let Some(label) = table.claim.label() else { return Ok(()) };
    if plan.method.iter().any(|contender| contender.label() == label) {
        return Ok(());
    }
    place.wrong(format!("the plan has no method {label:?}"))
}

/// Where a mistake is.
struct Place<'a> {
    path: &'a Path,
    at: String,
}

impl Place<'_> {
    fn within(&self, part: &str) -> Self {
        let at = if self.at.is_empty() { part.to_owned() } else { format!("{}, {part}", self.at) };
        Self { path: self.path, at }
    }

    fn error(&self, why: String) -> PaperError {
        let at = if self.at.is_empty() { "paper" } else { &self.at };
        PaperError::Value { path: self.path.to_owned(), at: at.to_owned(), why }
    }

    fn wrong<T>(&self, why: String) -> Result<T, PaperError> {
        Err(self.error(why))
    }

    fn told<T, E: ToString>(&self, result: Result<T, E>) -> Result<T, PaperError> {
        result.map_err(|error| self.error(error.to_string()))
    }

    fn change(&self, line: &str) -> Result<(), PaperError> {
        match line.split_once('=') {
            Some((key, _)) if !key.trim().is_empty() && key.trim() == key => self.told(check_change(line)),
            _ => self.wrong(format!("{line:?}: expected KEY=VALUE, as `time.dt=0.001`")),
        }
    }

    fn finite(&self, what: &str, value: Option<f64>) -> Result<(), PaperError> {
        match value {
            Some(value) if !value.is_finite() => {
                self.wrong(format!("{what} is {value}: expected a finite number"))
            }
            _ => Ok(()),
        }
    }

    fn judge(&self, figure: &str) -> Result<(), PaperError> {
        if rigor_audit::Figure::named(figure).is_some() {
            return Ok(());
        }
        let near = closest(figure, rigor_audit::figures().map(|known| known.name));
        let meant = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
        self.wrong(format!("no judge has a figure {figure:?}{meant}"))
    }

    /// Returns the name of a case, or the path of a file beside that of the paper.
    fn case(&self, name: &str) -> Result<String, PaperError> {
        if cases::find(name).is_some() {
            return Ok(name.to_owned());
        }
        let path: PathBuf = self.path.parent().unwrap_or(Path::new("")).join(name);
        if path.is_file() {
            return Ok(path.to_string_lossy().into_owned());
        }
        let near = closest(name, cases::names());
        let meant = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
        self.wrong(format!("there is no case {name:?}, and no file {}{meant}", path.display()))
    }
}

//! Runs that were kept on disk, as sections of a page.

use std::path::PathBuf;

use rigor_audit::{Panel, Series};
use rigor_report::departure::Border;
use rigor_report::player::{Budget, Recorder, Stage};
use rigor_report::render::{Camera, Image, Png};
use rigor_report::{Ending, MethodRow, SceneSection};
use rigor_run::disk::{self, DiskError};
use rigor_run::error::{Fault, RunError};
use rigor_run::folder::frames::Reader;
use rigor_run::folder::record::{self, Record};
use rigor_run::{Folder, registry};
use rigor_scene::{Scene, State};

/// Width and height of a picture in pixels.
const PICTURE: [usize; 2] = [640, 400];
/// Interval of simulated time (s) at which judges of surfaces see a frame.
const JUDGE_EVERY: f64 = 0.01;
/// Columns of `steps.csv` that are plotted, with the names and units of their series.
const COLUMNS: [(&str, &str, &str); 6] = [
    ("contacts", "step.contacts", "1"),
    ("iterations", "step.iterations", "1"),
    ("seconds", "step.seconds", "s"),
    ("normal_force_n", "step.normal_force", "N"),
    ("kappa", "kappa", "J s²/m⁴"),
    ("energy_j", "energy.total", "J"),
];

/// Why kept runs cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeptError {
    /// A file of a run is missing or damaged.
    #[error(transparent)]
    Run {
        /// Why.
        #[from]
        source: RunError,
    },
    /// The scene of a run cannot be read.
    #[error(transparent)]
    Scene {
        /// Why.
        #[from]
        source: DiskError,
    },
    /// The method of a run is unknown to this version.
    #[error("{}: {source}", folder.display())]
    Method {
        /// The folder of the run.
        folder: PathBuf,
        /// What is unknown.
        source: registry::RegistryError,
    },
}

/// Returns a section for each scene, with a row for each of its runs.
///
/// The judges see the frames on disk, except those of a run that still goes on: they would see all of them again each
/// time. The judges of contact forces are left out, since contacts are not on disk for every step.
///
/// # Errors
/// A folder holds no run, or one that is damaged.
pub fn sections(folders: &[Folder]) -> Result<Vec<SceneSection>, KeptError> {
    let budget = if folders.len() == 1 { Budget::VIEW } else { Budget::of_page(folders.len()) };
    let mut groups: Vec<(String, Vec<(&Folder, Record)>)> = Vec::new();
    for folder in folders {
        let record = Record::read(&folder.record())?;
        match groups.iter_mut().find(|(hash, _)| *hash == record.scene_hash) {
            Some((_, group)) => group.push((folder, record)),
            None => groups.push((record.scene_hash.clone(), vec![(folder, record)])),
        }
    }
    groups.iter().map(|(_, group)| section(group, budget)).collect()
}

fn section(group: &[(&Folder, Record)], budget: Budget) -> Result<SceneSection, KeptError> {
    let scene = match group.first() {
        Some((folder, _)) => disk::load_run(folder)?.scene,
        None => return Ok(SceneSection::default()),
    };
    let runs: Vec<(MethodRow, State)> =
        group.iter().map(|(folder, record)| run(folder, record, &scene, budget)).collect::<Result<_, _>>()?;
    let start = State::initial(&scene);
    let shown: Vec<&State> = std::iter::once(&start).chain(runs.iter().map(|(_, last)| last)).collect();
    let camera = Camera::framing(&scene, &shown);
    let picture = |state: &State| -> Png { Image::of(&scene, state, &camera, PICTURE).png() };
    let end = |(row, last): (MethodRow, State)| MethodRow { end_picture: Some(picture(&last)), ..row };
    Ok(SceneSection {
        start_picture: Some(picture(&start)),
        stage: Some(Stage::new(&scene, &camera)),
        rows: runs.into_iter().map(end).collect(),
        ..SceneSection::of(&scene)
    })
}

fn run(
    folder: &Folder,
    record: &Record,
    scene: &Scene,
    budget: Budget,
) -> Result<(MethodRow, State), KeptError> {
    let path = folder.frames();
    let mut reader = Reader::open(&path)?;
    if (reader.bodies, reader.particles) != (scene.bodies.len(), scene.particles.len()) {
        return Err(RunError::new(&path, Fault::OtherScene).into());
    }
    let is_going_on = record.outcome == record::Ending::Running;
    let steps = reader.count()?.saturating_sub(1) * record.every.max(1);
    let mut film = Recorder::new(scene, record.dt, steps, budget);
    let mut border = Border::new(scene);
    let every = (JUDGE_EVERY / (record.dt * record.every as f64)).round().max(1.0) as u64;
    let kept = |name: &str| !is_going_on && name != "contact" && name != "friction";
    let mut panel = Panel::full(every * record.every).retain(kept);
    let mut last = State::initial(scene);
    let mut is_first = true;
    while let Some(frame) = reader.read()? {
        let step = frame.state.step;
        if (!is_first && step <= last.step) || !frame.state.is_finite() {
            return Err(RunError::new(&path, Fault::DamagedFrame { step }).into());
        }
        panel.observe(scene, &frame.state, None);
        film.observe(&frame.state);
        border.observe(&frame.state);
        (last, is_first) = (frame.state, false);
    }
    let fail = |source| KeptError::Method { folder: folder.root.clone(), source };
    let notices = registry::notices(&record.method, scene, record.dt).map_err(fail)?;
    let timed = record.steps_timed;
    let judged: Vec<Series> = panel.series().into_iter().cloned().collect();
    let told = told(folder)?.into_iter().filter(|one| !judged.iter().any(|other| other.name == one.name));
    let row = MethodRow {
        settings: serde_json::to_string_pretty(&record.settings).unwrap_or_default(),
        steps: last.step,
        seconds_per_step: (timed > 0).then(|| record.seconds / timed as f64),
        contacts_mean: (timed > 0).then_some(record.contacts_mean),
        notices: notices.unwrap_or_default(),
        flaws: record.flaws.clone(),
        flawed_steps: record.flaws.iter().map(|flaw| flaw.steps).max().unwrap_or(0),
        findings: if is_going_on { Vec::new() } else { panel.findings(scene) },
        expectations: match record.outcome {
            record::Ending::Completed => {
                panel.verdicts(scene, &record.method).into_iter().map(|(e, v)| (e.clone(), v)).collect()
            }
            _ => Vec::new(),
        },
        series: judged.iter().cloned().chain(told).collect(),
        film: Some(film.finish(&last)),
        departure: border.departure(scene),
        ..MethodRow::new(&record.method, record.dt, ending(&record.outcome))
    };
    Ok((row, last))
}

fn ending(outcome: &record::Ending) -> Ending {
    match outcome {
        record::Ending::Completed => Ending::Completed,
        record::Ending::Stopped { error, .. } => Ending::Stopped { why: error.clone() },
        record::Ending::Interrupted => Ending::Interrupted { why: "Ctrl-C".into() },
        record::Ending::Running => Ending::Interrupted { why: "still running, or killed".into() },
    }
}

/// The series of what the method reported, step by step; empty where there is no `steps.csv`.
fn told(folder: &Folder) -> Result<Vec<Series>, RunError> {
    let path = folder.steps();
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path).map_err(|error| RunError::new(&path, error))?;
    let mut rows = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let Ok(head) = rows.headers().cloned() else { return Ok(Vec::new()) };
    let at = |name: &str| head.iter().position(|column| column == name);
    let Some(time) = at("time_s") else { return Ok(Vec::new()) };
    let columns: Vec<(usize, Series)> = COLUMNS
        .iter()
        .filter_map(|(column, name, unit)| Some((at(column)?, Series::new(name, unit))))
        .collect();
    let mut columns = columns;
    // The last line of a run that goes on may be cut.
    for row in rows.records().map_while(Result::ok).filter(|row| row.len() == head.len()) {
        let number = |k: usize| row.get(k).and_then(|cell| cell.parse::<f64>().ok());
        for (k, series) in &mut columns {
            series.points.extend(number(time).zip(number(*k)));
        }
    }
    let is_told =
        |series: &Series| series.name != "step.normal_force" || series.points.iter().any(|p| p.1 > 0.0);
    Ok(columns.into_iter().map(|(_, series)| series).filter(is_told).collect())
}

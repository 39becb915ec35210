//! Execution of a run, from the start or from a checkpoint.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rigor_audit::{Finding, Panel, Verdict, energy};
use rigor_file::setting::to_json;
use rigor_file::{ExportError, Exported, Loaded, export};
use rigor_peers::process::peer::MEMORY;
use rigor_scene::{
    BodyForce, ContactReport, Expectation, Joint, JointReport, Method, Observer, Outcome, Quantity, Scene,
    State, StepError, StepReport, TimeSpan, roll_out,
};

pub use crate::kept_files::KeptFiles;

use crate::account::Account;
use crate::atomic;
use crate::clock::clock;
use crate::error::{Fault, RunError};
use crate::folder::checkpoint::{Checkpoint, Marks};
use crate::folder::lock::Lock;
use crate::folder::record::{self, Derived, Ending, Record};
use crate::folder::seal::Seal;
use crate::folder::series::{self, AllSeries};
use crate::folder::table::Rows;
use crate::folder::{Folder, breaks, checkpoint, frames, path, seal, steps, write_whole};
use crate::live::Live;
use crate::machine::{Machine, Versions};
use crate::notice::{FlawCounter, NoticeRecord};
use crate::output::{bodies, glb::Glb, npz};
use crate::peers;
use crate::registry;
use crate::report_series::ReportSeries;
use crate::timed::Timed;
use crate::verdict::{FindingRecord, VerdictRecord};
use crate::warning::warnings;

/// Minimum wall time between checkpoints, but for the first, which follows the first step.
const CHECKPOINT_AT_LEAST: Duration = Duration::from_secs(1);
/// Maximum wall time between checkpoints. Between these bounds, a checkpoint is due when the run has doubled its wall time.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);

/// The run to execute.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The scene, as loaded.
    pub loaded: Loaded,
    /// Name of the method.
    pub method: String,
    /// Δt (s) and duration (s).
    pub time: TimeSpan,
    /// Interval of the frames that the judges of surfaces see, in steps; the other judges see every step.
    pub judge_every: u64,
    /// Further conditions that belong to the identity of the run, such as its number of threads.
    pub conditions: BTreeMap<String, String>,
    /// Maximum wall time; the run then ends after its current step.
    pub limit: Option<Duration>,
    /// The files to keep.
    pub keeps: KeptFiles,
    /// The folder of the run.
    pub folder: Folder,
}

impl Plan {
    /// The run of the whole scene with `method`, with the scene's own time step.
    pub fn new(loaded: Loaded, method: impl Into<String>, folder: Folder) -> Self {
        let time = loaded.scene.time;
        Self {
            method: method.into(),
            judge_every: judge_every(time.dt),
            time,
            conditions: BTreeMap::new(),
            limit: None,
            keeps: KeptFiles::default(),
            folder,
            loaded,
        }
    }
}

/// Interval, in steps of `dt` (s), of the frames that judges of surfaces see by default: one per hundredth of a second.
pub fn judge_every(dt: f64) -> u64 {
    (0.01 / dt).round().max(1.0) as u64
}

/// An error that prevents the execution of a run. A run that started and failed is an [`Ending`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecuteError {
    /// A file could not be read or written.
    #[error(transparent)]
    Run {
        /// The cause.
        #[from]
        source: RunError,
    },
    /// The method or its settings are invalid.
    #[error(transparent)]
    Registry {
        /// The cause.
        #[from]
        source: registry::RegistryError,
    },
    /// The method cannot simulate the scene.
    #[error(transparent)]
    Unsupported {
        /// The missing feature.
        #[from]
        source: rigor_scene::Unsupported,
    },
    /// The scene cannot be exported.
    #[error(transparent)]
    Export {
        /// The cause.
        #[from]
        source: ExportError,
    },
    /// The internal state of the method cannot be saved.
    #[error(transparent)]
    Save {
        /// The cause.
        #[from]
        source: StepError,
    },
}

/// A plan whose method was made.
struct Prepared {
    method: Timed,
    exported: Exported,
    record: Record,
}

fn prepare(plan: &Plan) -> Result<Prepared, ExecuteError> {
    let scene = &plan.loaded.scene;
    let settings = scene.methods.get(&plan.method).cloned().unwrap_or_default();
    let mut chosen = registry::find(&plan.method)?.make(&settings, clock())?;
    chosen.method.supports(scene)?;
    let exported = export(&own_settings_only(plan))?;
    let derived = chosen.method.derived(scene, plan.time.dt);
    let blank = blank(plan);
    let engine = peers::engine_version(&plan.method, &chosen.settings);
    let record = Record {
        scene_hash: record::hash(&exported),
        settings: chosen.settings,
        derived: derived.iter().map(|q| (q.name.to_owned(), Derived::from(q))).collect(),
        notices: chosen.method.notices(scene, plan.time.dt).iter().map(NoticeRecord::from).collect(),
        versions: Versions { engine, ..blank.versions },
        ..blank
    };
    let record = Record { identity: record::identity(&record), ..record };
    Ok(Prepared { method: Timed::new(chosen.method), exported, record })
}

/// The scene without the settings of other methods, which do not determine the result.
fn own_settings_only(plan: &Plan) -> Loaded {
    let mut loaded = plan.loaded.clone();
    loaded.document.method.retain(|name, _| *name == plan.method);
    loaded
}

/// A record of the plan before the method is made.
pub(crate) fn blank(plan: &Plan) -> Record {
    Record {
        format: record::FORMAT,
        identity: String::new(),
        scene: plan.loaded.scene.name.clone(),
        scene_hash: String::new(),
        method: plan.method.clone(),
        settings: serde_json::Value::Null,
        derived: BTreeMap::new(),
        dt: plan.time.dt,
        steps: plan.time.steps(),
        every: plan.keeps.every,
        judge_every: plan.judge_every,
        conditions: plan.conditions.clone(),
        outcome: Ending::Running,
        steps_done: 0,
        steps_timed: 0,
        seconds: 0.0,
        cpu_seconds: 0.0,
        seconds_median: None,
        iterations: 0,
        contacts_mean: 0.0,
        state_hash: String::new(),
        warnings: warnings(&plan.loaded).iter().map(|warning| warning.message.clone()).collect(),
        notices: Vec::new(),
        flaws: Vec::new(),
        flawed_steps: 0,
        findings: Vec::new(),
        expectations: Vec::new(),
        versions: Versions::here(),
        machine: Machine::here(),
        files: Seal::new(),
    }
}

/// Returns the record of `plan` before its first step, with its identity. A plan that cannot run has the reason as its
/// outcome.
///
/// # Errors
/// [`ExecuteError`] if the scene cannot be written down.
pub fn identify(plan: &Plan) -> Result<Record, ExecuteError> {
    let outcome = match prepare(plan) {
        Ok(prepared) => return Ok(prepared.record),
        Err(ExecuteError::Unsupported { source }) => Ending::Skipped { why: source.what.to_string() },
        Err(ExecuteError::Registry { source }) => Ending::Refused { error: source.to_string() },
        Err(error) => return Err(error),
    };
    let settings = plan.loaded.scene.methods.get(&plan.method).map(to_json).unwrap_or_default();
    let exported = export(&own_settings_only(plan))?;
    let record =
        Record { scene_hash: record::hash(&exported), settings: settings.into(), outcome, ..blank(plan) };
    Ok(Record { identity: record::identity(&record), ..record })
}

/// Returns whether the run of `record` has ended so that [`execute`] with `resume` leaves it alone: every step of `plan` was taken,
/// or a step failed, as it would again.
pub fn is_finished(record: &Record, plan: &Plan) -> bool {
    match &record.outcome {
        Ending::Completed => record.steps == plan.time.steps(),
        Ending::Stopped { .. } | Ending::Skipped { .. } | Ending::Refused { .. } | Ending::Failed { .. } => {
            true
        }
        Ending::Running | Ending::Interrupted | Ending::TimedOut { .. } => false,
    }
}

/// Executes `plan` until it ends, a step fails, its time limit passes, or `stop` is set. With `resume`, the run continues from
/// the checkpoint in its folder, with the costs, flaws and series of the steps before; a run that [is
/// finished](is_finished) is returned as it is. The judges receive every step.
///
/// The folder is locked meanwhile, and complete in each of these cases.
///
/// # Errors
/// [`ExecuteError`] when the run cannot start, or its files cannot be written. All is checked before anything is changed: a run
/// that cannot start leaves the folder as it is.
pub fn execute(
    plan: &Plan,
    resume: bool,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(&Live),
) -> Result<Record, ExecuteError> {
    if resume {
        let before = Record::read_unchanged(&plan.folder)?;
        if is_finished(&before, plan) {
            return Ok(before);
        }
    } else {
        check_free(&plan.folder)?;
    }
    let Prepared { mut method, exported, mut record } = prepare(plan)?;
    if resume && !plan.folder.lock().exists() {
        // A lock that is taken is a new file.
        examine(plan, &record)?;
    }
    let _lock = Lock::take(&plan.folder)?;
    let mut watcher = Watcher { panel: Panel::full(plan.judge_every), reports: ReportSeries::new() };
    let (mut state, mut keeper) = if resume {
        let found = examine(plan, &record)?;
        tell_of_parts(&mut record, &found, plan);
        go_on(plan, found, &mut watcher)?
    } else {
        begin(plan, &exported, &mut watcher, stop)?
    };
    record.files = seal::seal_scene(&plan.folder)?;
    record.write(&plan.folder.record())?;
    let scene = &plan.loaded.scene;
    let deadline = plan.limit.and_then(|limit| Instant::now().checked_add(limit));
    let (outcome, is_late) = loop {
        let mut recorder = Recorder {
            keeper: &mut keeper,
            watcher: &mut watcher,
            steps: record.steps,
            stop,
            deadline,
            watch: &mut *watch,
            error: None,
            is_late: false,
            began: Instant::now(),
        };
        let outcome = roll_out(scene, &mut method, &mut state, plan.time.dt, record.steps, &mut recorder);
        let (error, is_late) = (recorder.error, recorder.is_late);
        if let Some(error) = error {
            return Err(error.into());
        }
        // At a checkpoint or the end, a method with internal state stores it in the state.
        method.save(&mut state)?;
        keeper.finish(&state, &watcher.panel.resumable(scene), &keeper.account(&method, scene))?;
        if !matches!(outcome, Outcome::Interrupted { .. }) || stop.load(Ordering::Relaxed) || is_late {
            break (outcome, is_late);
        }
    };
    record.outcome = match (plan.limit, Ending::of(&outcome, scene)) {
        (Some(limit), Ending::Interrupted) if is_late && !stop.load(Ordering::Relaxed) => {
            Ending::TimedOut { limit: limit.as_secs_f64().to_string() }
        }
        (_, ending) => ending,
    };
    record.steps_done = state.step;
    record.state_hash = frames::hash(&state);
    keeper.account(&method, scene).enter(&mut record);
    judge(&mut record, &watcher.panel, plan);
    write_products(plan, keeper.keeps, watcher)?;
    record.files = seal::seal(&plan.folder)?;
    record.write(&plan.folder.record())?;
    Ok(record)
}

/// Enters findings and verdicts. Expectations apply to runs of the scene's whole duration: of a run that did not reach it, only
/// bounds that are broken already are judged.
pub(crate) fn judge(record: &mut Record, panel: &Panel, plan: &Plan) {
    let scene = &plan.loaded.scene;
    let findings = panel.findings(scene);
    let is_whole = record.is_whole(scene);
    let verdict = |expectation: &Expectation| {
        let verdict = Verdict::of(expectation, &findings, is_whole);
        VerdictRecord::of(expectation, &verdict, scene, &plan.method)
    };
    record.expectations = scene.expectations.iter().map(verdict).collect();
    record.findings = findings.iter().map(|finding| FindingRecord::of(finding, scene)).collect();
}

/// Checks that the folder holds no run.
pub(crate) fn check_free(folder: &Folder) -> Result<(), RunError> {
    if folder.record().exists() { Err(RunError::new(&folder.root, Fault::Occupied)) } else { Ok(()) }
}

/// Writes the scene and new files with the initial frame.
fn begin(
    plan: &Plan,
    exported: &Exported,
    watcher: &mut Watcher,
    stop: &AtomicBool,
) -> Result<(State, RunWriter), ExecuteError> {
    let folder = &plan.folder;
    check_free(folder)?;
    remove_parts(folder)?;
    write_scene(folder, exported)?;
    let scene = &plan.loaded.scene;
    let state = State::initial(scene);
    let frames = frames::Writer::create(&folder.frames(), scene.bodies.len(), scene.particles.len())?;
    let mut keeper = RunWriter {
        contacts: plan.keeps.contacts.then(|| Rows::create(&folder.contacts())).transpose()?,
        joints: plan.keeps.joints.then(|| Rows::create(&folder.joints())).transpose()?,
        ..RunWriter::new(plan, frames, steps::Writer::create(&folder.steps())?)
    };
    let account = keeper.past.clone();
    keeper.frames.push(&state, &vec![BodyForce::ZERO; scene.bodies.len()])?;
    watcher.panel.observe_until(scene, &state, None, stop);
    keeper.finish(&state, &watcher.panel.resumable(scene), &account)?;
    Ok((state, keeper))
}

/// Removes what a killed run of the folder was writing.
fn remove_parts(folder: &Folder) -> Result<(), RunError> {
    atomic::remove_parts(&folder.root).map_err(|error| RunError::new(&folder.root, error))
}

/// Writes the scene with its meshes.
pub(crate) fn write_scene(folder: &Folder, exported: &Exported) -> Result<(), RunError> {
    let scene_file = folder.scene();
    let scene_folder = scene_file.parent().expect("a file in a folder");
    let write = |path: &Path, bytes: &[u8]| -> Result<(), RunError> {
        let parent = path.parent().expect("a file in a folder");
        let fail = |source| RunError::new(path, Fault::Unwritten { source });
        std::fs::create_dir_all(parent).map_err(fail)?;
        std::fs::write(path, bytes).map_err(fail)
    };
    write(&scene_file, exported.scene.as_bytes())?;
    exported.meshes.iter().try_for_each(|(name, bytes)| write(&scene_folder.join(name), bytes))
}

/// A run to resume, all of whose files were checked, and none changed.
struct Resumable {
    before: Record,
    checkpoint: Checkpoint,
    reports: ReportSeries,
    keeper: RunWriter,
}

/// Checks everything that the run needs to go on, and changes nothing.
fn examine(plan: &Plan, now: &Record) -> Result<Resumable, ExecuteError> {
    let folder = &plan.folder;
    let before = Record::read_unchanged(folder)?;
    for (what, same) in [
        ("scene", before.scene_hash == now.scene_hash),
        ("method", before.method == now.method),
        ("settings", before.settings == now.settings),
        ("time step", before.dt.to_bits() == now.dt.to_bits()),
        ("frame interval", before.every == now.every),
    ] {
        if !same {
            return Err(RunError::new(&folder.record(), Fault::Changed { what }).into());
        }
    }
    let checkpoint = checkpoint::read(&folder.checkpoint())?;
    let old = || RunError::new(&folder.checkpoint(), Fault::OtherCheckpoint);
    let account = checkpoint.account.clone().ok_or_else(old)?;
    let (done, asked) = (checkpoint.state.step, now.steps);
    if asked < done {
        return Err(RunError::new(&folder.record(), Fault::Shorter { done, asked }).into());
    }
    let mark = |path: &Path| path.file_name().and_then(|name| checkpoint.marks.get(name.to_str()?));
    let needed = |path: &Path| mark(path).ok_or_else(|| RunError::new(path, Fault::NotAsCheckpoint));
    let (frames_path, steps_path) = (folder.frames(), folder.steps());
    let frames = frames::Writer::resume(&frames_path, needed(&frames_path)?, mark(&folder.strains()))?;
    let reports = ReportSeries::read(&steps_path, &account, needed(&steps_path)?.length)?;
    let keeper = RunWriter {
        contacts: mark(&folder.contacts()).map(|mark| Rows::resume(&folder.contacts(), mark)).transpose()?,
        joints: mark(&folder.joints()).map(|mark| Rows::resume(&folder.joints(), mark)).transpose()?,
        breaks: mark(&folder.breaks())
            .map(|mark| breaks::Writer::resume(&folder.breaks(), mark, &plan.loaded.scene))
            .transpose()?,
        path: mark(&folder.path()).map(|mark| path::Writer::resume(&folder.path(), mark)).transpose()?,
        keeps: account.keeps,
        quantities: account.quantities.clone(),
        phases: account.phases.clone(),
        past: account,
        ..RunWriter::new(plan, frames, steps::Writer::resume(&steps_path, needed(&steps_path)?)?)
    };
    Ok(Resumable { before, checkpoint, reports, keeper })
}

/// Enters what a reader of the record must know of a run in parts.
fn tell_of_parts(record: &mut Record, found: &Resumable, plan: &Plan) {
    let n = found.checkpoint.state.step;
    let mut told = found.before.warnings.clone();
    let [before, now] = [&found.before.versions, &record.versions];
    if n > 0 && before != now {
        let name = |versions: &Versions| format!("rigor {}, {}", versions.rigor, versions.commit);
        told.push(format!(
            "steps 1 to {n} were taken by another build ({}) than those after it ({})",
            name(before),
            name(now)
        ));
    }
    if n > 0 && plan.keeps.every > 1 {
        told.push(format!(
            "of steps 1 to {n} only kept frames, one in {}, were judged after the run was resumed, except by the judges of contact \
             forces",
            plan.keeps.every
        ));
    }
    told.retain(|line| !record.warnings.contains(line));
    record.warnings.extend(told);
}

/// Returns the state of the checkpoint, with files cut to it. The judges of contact forces go on from what they had found,
/// the others see the kept frames again.
fn go_on(plan: &Plan, found: Resumable, watcher: &mut Watcher) -> Result<(State, RunWriter), ExecuteError> {
    let Resumable { checkpoint: Checkpoint { state, findings, .. }, reports, mut keeper, .. } = found;
    keeper.cut()?;
    remove_parts(&plan.folder)?;
    watcher.reports = reports;
    watcher.panel.resume(&findings, &state);
    let breaks = breaks::read(&plan.folder, &plan.loaded.scene)?;
    breaks.into_iter().for_each(|breaks| watcher.panel.tell_breaks(breaks));
    let mut reader = frames::Reader::open(&plan.folder.frames())?;
    while let Some(frame) = reader.read()? {
        watcher.panel.observe_again(&plan.loaded.scene, &frame.state);
    }
    Ok((state, keeper))
}

/// The judges of a run, and its values over time.
struct Watcher {
    panel: Panel,
    reports: ReportSeries,
}

/// Writes the files of a run during the run.
struct RunWriter {
    frames: frames::Writer,
    steps: steps::Writer,
    contacts: Option<Rows<ContactReport>>,
    joints: Option<Rows<JointReport>>,
    /// From the first step on, if joints can break and the method reports them.
    breaks: Option<breaks::Writer>,
    path: Option<path::Writer>,
    folder: Folder,
    keeps: KeptFiles,
    /// The account of the steps before the run was resumed.
    past: Account,
    n_contacts: u64,
    n_iterations: u64,
    flaws: FlawCounter,
    /// The first κ that the method reported.
    kappa: Option<Quantity>,
    /// The last memory of its process that an engine reported.
    memory: Option<Quantity>,
    /// Names and units of the quantities of a step.
    quantities: Vec<(String, String)>,
    /// Names of the phases of a step.
    phases: Vec<String>,
    began: Instant,
    saved: Instant,
}

impl RunWriter {
    /// Keeps frames and steps.
    fn new(plan: &Plan, frames: frames::Writer, steps: steps::Writer) -> Self {
        Self {
            frames,
            steps,
            contacts: None,
            joints: None,
            breaks: None,
            path: None,
            folder: plan.folder.clone(),
            keeps: plan.keeps,
            past: Account { keeps: plan.keeps, ..Account::default() },
            n_contacts: 0,
            n_iterations: 0,
            flaws: FlawCounter::default(),
            kappa: None,
            memory: None,
            quantities: Vec::new(),
            phases: Vec::new(),
            began: Instant::now(),
            saved: Instant::now(),
        }
    }

    /// Cuts all files to the checkpoint from which the run goes on.
    fn cut(&mut self) -> Result<(), RunError> {
        self.frames.cut()?;
        self.steps.cut()?;
        self.contacts.iter_mut().try_for_each(Rows::cut)?;
        self.joints.iter_mut().try_for_each(Rows::cut)?;
        self.breaks.iter_mut().try_for_each(breaks::Writer::cut)?;
        self.path.iter_mut().try_for_each(path::Writer::cut)
    }

    /// Returns the account of all steps, of which `method` took those since the run began or was resumed.
    fn account(&self, method: &Timed, scene: &Scene) -> Account {
        self.past.with(Account {
            laps: method.laps().to_vec(),
            taken: self.flaws.steps(),
            cpu_seconds: method.cpu_seconds,
            transport: method.transport(),
            iterations: self.n_iterations,
            contacts: self.n_contacts,
            flaws: self.flaws.counts(scene),
            flawed_steps: self.flaws.flawed_steps(),
            kappa: self.kappa.as_ref().map(Derived::from),
            memory: self.memory.as_ref().map(Derived::from),
            quantities: self.quantities.clone(),
            phases: self.phases.clone(),
            keeps: self.keeps,
        })
    }

    /// Whether it is time for a checkpoint after step number `step`.
    fn is_due(&self, step: u64) -> bool {
        let pause = self.began.elapsed().clamp(CHECKPOINT_AT_LEAST, CHECKPOINT_EVERY);
        step == 1 || self.saved.elapsed() > pause
    }

    fn keep(&mut self, scene: &Scene, live: &Live) -> Result<(), RunError> {
        let Live { state, report, .. } = *live;
        self.n_contacts += report.contacts.len() as u64;
        self.n_iterations += report.iterations;
        self.flaws.push(state.step, report);
        if self.kappa.is_none() {
            self.kappa = report.quantities.iter().find(|quantity| quantity.name == "kappa").copied();
        }
        let memory = report.quantities.iter().find(|quantity| quantity.name == MEMORY);
        self.memory = memory.copied().or(self.memory);
        if self.steps_are_first() {
            let name = |quantity: &Quantity| (quantity.name.to_owned(), quantity.unit.to_owned());
            self.quantities = report.quantities.iter().map(name).collect();
            self.phases = report.phases.iter().map(|time| time.phase.to_owned()).collect();
        }
        self.steps.push(live)?;
        if state.step == 1 && !report.joints.is_empty() && scene.joints.iter().any(Joint::can_break) {
            self.breaks = Some(breaks::Writer::create(&self.folder.breaks(), scene)?);
        }
        self.breaks.iter_mut().try_for_each(|writer| writer.push(state, &report.joints))?;
        if let Some(pieces) = &report.path {
            self.path(state)?.push(state.step, pieces)?;
        }
        if state.step.is_multiple_of(self.keeps.every) {
            self.frames.push(state, &report.body_forces(state.bodies.len()))?;
            self.contacts.iter_mut().try_for_each(|writer| writer.push(state, &report.contacts))?;
            self.joints.iter_mut().try_for_each(|writer| writer.push(state, &report.joints))?;
        }
        Ok(())
    }

    /// Whether no step has determined quantities and phases yet.
    fn steps_are_first(&self) -> bool {
        self.quantities.is_empty() && self.phases.is_empty()
    }

    /// Returns the writer of pieces; the file is created for the first of them.
    fn path(&mut self, state: &State) -> Result<&mut path::Writer, RunError> {
        let writer = match self.path.take() {
            Some(writer) => writer,
            None => path::Writer::create(&self.folder.path(), state.bodies.len())?,
        };
        Ok(self.path.insert(writer))
    }

    /// Writes all buffered data and a checkpoint of `state`, with `findings` of judges and the account, to disk.
    fn finish(&mut self, state: &State, findings: &[Finding], account: &Account) -> Result<(), RunError> {
        let mut marks = Marks::new();
        // First, so that a frame on the disk has its strains.
        if let Some(strains) = self.frames.flush_strains()? {
            marks.insert("strains.bin".into(), strains);
        }
        marks.insert("frames.bin".into(), self.frames.flush()?);
        marks.insert("steps.csv".into(), self.steps.flush()?);
        if let Some(contacts) = &mut self.contacts {
            marks.insert("contacts.csv".into(), contacts.flush()?);
        }
        if let Some(joints) = &mut self.joints {
            marks.insert("joints.csv".into(), joints.flush()?);
        }
        if let Some(breaks) = &mut self.breaks {
            marks.insert("breaks.csv".into(), breaks.flush()?);
        }
        if let Some(path) = &mut self.path {
            marks.insert("path.bin".into(), path.flush()?);
        }
        checkpoint::write(&self.folder.checkpoint(), state, &marks, findings, account)?;
        self.saved = Instant::now();
        Ok(())
    }
}

struct Recorder<'a> {
    keeper: &'a mut RunWriter,
    watcher: &'a mut Watcher,
    steps: u64,
    stop: &'a AtomicBool,
    deadline: Option<Instant>,
    watch: &'a mut dyn FnMut(&Live),
    error: Option<RunError>,
    /// Whether the deadline has passed.
    is_late: bool,
    began: Instant,
}

impl Observer for Recorder<'_> {
    fn step(&mut self, scene: &Scene, state: &State, report: &StepReport) -> ControlFlow<()> {
        let seconds = self.began.elapsed().as_secs_f64();
        let (kinetic, potential) = energy::of_step(scene, state, Some(report));
        let live = Live { state, report, energy: kinetic + potential, seconds, steps: self.steps };
        (self.watch)(&live);
        let kept = self.keeper.keep(scene, &live);
        self.watcher.panel.observe_until(scene, state, Some(report), self.stop);
        self.watcher.reports.step(state, report);
        self.began = Instant::now();
        if let Err(error) = kept {
            self.error = Some(error);
            return ControlFlow::Break(());
        }
        self.is_late = self.deadline.is_some_and(|deadline| Instant::now() > deadline);
        let is_due = self.keeper.is_due(state.step);
        if is_due || self.is_late || self.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Writes the files that are made at the end of a run.
fn write_products(plan: &Plan, keeps: KeptFiles, watcher: Watcher) -> Result<(), RunError> {
    let (folder, scene) = (&plan.folder, &plan.loaded.scene);
    if keeps.series {
        let (reported, phases) = watcher.reports.into_series();
        let judged = watcher.panel.series().into_iter().cloned();
        let quantities = judged.chain(reported).collect();
        series::write(&folder.series(), &AllSeries { quantities, phases })?;
    }
    if !keeps.products {
        return Ok(());
    }
    npz::write(&folder.trajectory(), &folder.frames(), scene)?;
    bodies::write(folder, scene)?;
    let mut glb = Glb::new(scene);
    let mut reader = frames::Reader::open(&folder.frames())?;
    while let Some(frame) = reader.read()? {
        glb.push(&frame.state);
    }
    write_whole(&folder.glb(), &glb.finish())
}

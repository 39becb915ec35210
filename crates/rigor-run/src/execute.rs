//! Execution of a run, from the start or from a checkpoint.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rigor_audit::energy;
use rigor_file::{ExportError, Exported, Loaded, export};
use rigor_scene::{
    BodyForce, ContactReport, JointReport, Method, Observer, Outcome, Scene, State, StepError, StepReport,
    TimeSpan, roll_out,
};

use crate::clock::{Timed, clock};
use crate::error::{Fault, RunError};
use crate::folder::record::{self, Ending, Record};
use crate::folder::table::Rows;
use crate::folder::{Folder, checkpoint, frames, path, steps, write_whole};
use crate::live::Live;
use crate::machine::{Machine, Versions};
use crate::notice::NoticeRecord;
use crate::output::{glb::Glb, npz};
use crate::registry;

/// Wall time between checkpoints.
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
    /// Interval of kept frames, in steps.
    pub every: u64,
    /// Whether to keep the contacts of each frame; a resumed run keeps its initial choice.
    pub keeps_contacts: bool,
    /// Whether to keep force, torque and error of each joint of each frame; a resumed run keeps its initial
    /// choice.
    pub keeps_joints: bool,
    /// The folder of the run.
    pub folder: Folder,
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

/// Executes `plan` until it ends, a step fails, or `stop` is set. With `resume`, the run continues from the
/// checkpoint in its folder.
///
/// The folder is complete in each of these cases.
///
/// # Errors
/// [`ExecuteError`] when the run cannot start, or its files cannot be written.
pub fn execute(
    plan: &Plan,
    resume: bool,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(&Live),
) -> Result<Record, ExecuteError> {
    let scene = &plan.loaded.scene;
    let settings = scene.methods.get(&plan.method).cloned().unwrap_or_default();
    let chosen = registry::find(&plan.method)?.make(&settings, clock())?;
    chosen.method.supports(scene)?;
    let mut method = Timed::new(chosen.method);
    let exported = export(&plan.loaded)?;
    let mut record = Record {
        format: 1,
        scene: scene.name.clone(),
        scene_hash: record::hash(&exported),
        method: plan.method.clone(),
        settings: chosen.settings,
        dt: plan.time.dt,
        steps: plan.time.steps(),
        every: plan.every,
        outcome: Ending::Running,
        steps_done: 0,
        steps_timed: 0,
        seconds: 0.0,
        contacts_mean: 0.0,
        notices: method.notices(scene, plan.time.dt).iter().map(NoticeRecord::from).collect(),
        flaws: Vec::new(),
        versions: Versions::here(),
        machine: Machine::here(),
    };
    let (mut state, mut keeper) = if resume { go_on(plan, &record)? } else { begin(plan, &exported)? };
    record.write(&plan.folder.record())?;

    let outcome = loop {
        let mut recorder = Recorder {
            keeper: &mut keeper,
            steps: record.steps,
            stop,
            watch: &mut *watch,
            error: None,
            began: Instant::now(),
        };
        let outcome = roll_out(scene, &mut method, &mut state, plan.time.dt, record.steps, &mut recorder);
        if let Some(error) = recorder.error {
            return Err(error.into());
        }
        // At a checkpoint or the end, a method with internal state stores it in the state.
        method.save(&mut state)?;
        keeper.finish(&state)?;
        if !matches!(outcome, Outcome::Interrupted { .. }) || stop.load(Ordering::Relaxed) {
            break outcome;
        }
    };
    record.outcome = Ending::of(&outcome, scene);
    record.steps_done = state.step;
    record.steps_timed = method.steps;
    record.seconds = method.seconds;
    record.contacts_mean =
        if method.steps > 0 { keeper.n_contacts as f64 / method.steps as f64 } else { 0.0 };
    record.flaws = method.flaws.counts();
    write_products(plan)?;
    record.write(&plan.folder.record())?;
    Ok(record)
}

/// Writes the scene and new files with the initial frame.
fn begin(plan: &Plan, exported: &Exported) -> Result<(State, Keeper), ExecuteError> {
    let folder = &plan.folder;
    if folder.record().exists() {
        return Err(RunError::new(&folder.root, Fault::Occupied).into());
    }
    let scene_file = folder.scene();
    let scene_folder = scene_file.parent().expect("a file in a folder");
    let write = |path: &std::path::Path, bytes: &[u8]| -> Result<(), RunError> {
        let parent = path.parent().expect("a file in a folder");
        let fail = |source| RunError::new(path, Fault::Unwritten { source });
        std::fs::create_dir_all(parent).map_err(fail)?;
        std::fs::write(path, bytes).map_err(fail)
    };
    write(&scene_file, exported.scene.as_bytes())?;
    for (name, bytes) in &exported.meshes {
        write(&scene_folder.join(name), bytes)?;
    }
    let scene = &plan.loaded.scene;
    let state = State::initial(scene);
    let mut keeper = Keeper {
        frames: frames::Writer::create(&folder.frames(), scene.bodies.len(), scene.particles.len())?,
        steps: steps::Writer::create(&folder.steps())?,
        contacts: plan.keeps_contacts.then(|| Rows::create(&folder.contacts())).transpose()?,
        joints: plan.keeps_joints.then(|| Rows::create(&folder.joints())).transpose()?,
        path: None,
        folder: folder.clone(),
        every: plan.every,
        n_contacts: 0,
        saved: Instant::now(),
    };
    keeper.frames.push(&state, &vec![BodyForce::ZERO; scene.bodies.len()])?;
    keeper.finish(&state)?;
    Ok((state, keeper))
}

/// Returns the state of the checkpoint, with files truncated to it.
fn go_on(plan: &Plan, now: &Record) -> Result<(State, Keeper), ExecuteError> {
    let folder = &plan.folder;
    let before = Record::read(&folder.record())?;
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
    let state = checkpoint::read(&folder.checkpoint())?;
    let keeper = Keeper {
        frames: frames::Writer::resume(&folder.frames(), state.step)?,
        steps: steps::Writer::resume(&folder.steps(), state.step)?,
        contacts: Rows::resume(&folder.contacts(), state.step)?,
        joints: Rows::resume(&folder.joints(), state.step)?,
        path: path::Writer::resume(&folder.path(), state.step)?,
        folder: folder.clone(),
        every: plan.every,
        n_contacts: 0,
        saved: Instant::now(),
    };
    Ok((state, keeper))
}

/// Writes the files of a run during the run.
struct Keeper {
    frames: frames::Writer,
    steps: steps::Writer,
    contacts: Option<Rows<ContactReport>>,
    joints: Option<Rows<JointReport>>,
    path: Option<path::Writer>,
    folder: Folder,
    every: u64,
    n_contacts: u64,
    saved: Instant,
}

impl Keeper {
    fn keep(&mut self, live: &Live) -> Result<(), RunError> {
        let Live { state, report, .. } = *live;
        self.n_contacts += report.contacts.len() as u64;
        self.steps.push(live)?;
        if let Some(pieces) = &report.path {
            self.path(state)?.push(state.step, pieces)?;
        }
        if state.step.is_multiple_of(self.every) {
            self.frames.push(state, &report.body_forces(state.bodies.len()))?;
            self.contacts.iter_mut().try_for_each(|writer| writer.push(state, &report.contacts))?;
            self.joints.iter_mut().try_for_each(|writer| writer.push(state, &report.joints))?;
        }
        Ok(())
    }

    /// Returns the writer of pieces; the file is created for the first of them.
    fn path(&mut self, state: &State) -> Result<&mut path::Writer, RunError> {
        let writer = match self.path.take() {
            Some(writer) => writer,
            None => path::Writer::create(&self.folder.path(), state.bodies.len())?,
        };
        Ok(self.path.insert(writer))
    }

    /// Writes all buffered data and a checkpoint of `state` to disk.
    fn finish(&mut self, state: &State) -> Result<(), RunError> {
        self.frames.flush()?;
        self.steps.flush()?;
        self.contacts.iter_mut().try_for_each(Rows::flush)?;
        self.joints.iter_mut().try_for_each(Rows::flush)?;
        self.path.iter_mut().try_for_each(path::Writer::flush)?;
        checkpoint::write(&self.folder.checkpoint(), state)?;
        self.saved = Instant::now();
        Ok(())
    }
}

struct Recorder<'a> {
    keeper: &'a mut Keeper,
    steps: u64,
    stop: &'a AtomicBool,
    watch: &'a mut dyn FnMut(&Live),
    error: Option<RunError>,
    began: Instant,
}

impl Observer for Recorder<'_> {
    fn step(&mut self, scene: &Scene, state: &State, report: &StepReport) -> ControlFlow<()> {
        let seconds = self.began.elapsed().as_secs_f64();
        let (kinetic, potential) = energy::of_step(scene, state, Some(report));
        let live = Live { state, report, energy: kinetic + potential, seconds, steps: self.steps };
        (self.watch)(&live);
        let kept = self.keeper.keep(&live);
        self.began = Instant::now();
        if let Err(error) = kept {
            self.error = Some(error);
            return ControlFlow::Break(());
        }
        let is_due = self.keeper.saved.elapsed() > CHECKPOINT_EVERY;
        if is_due || self.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Writes `trajectory.npz` and `scene.glb` from `frames.bin`.
fn write_products(plan: &Plan) -> Result<(), RunError> {
    let (folder, scene) = (&plan.folder, &plan.loaded.scene);
    npz::write(&folder.trajectory(), &folder.frames(), scene)?;
    let mut glb = Glb::new(scene);
    let mut reader = frames::Reader::open(&folder.frames())?;
    while let Some(frame) = reader.read()? {
        glb.push(&frame.state);
    }
    write_whole(&folder.glb(), &glb.finish())
}

//! `rigor problems record`.

use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use rigor_nonsmooth::file;
use rigor_run::{disk, registry};
use rigor_scene::{Clock, Observer, Outcome, Scene, State, StepReport, TimeSpan, roll_out};

use super::super::run::check_time;
use super::super::{CliError, Exit, interrupt, print};
use crate::problem;

/// Write the steps of a run as friction problems.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor problems record stacks/10 --time 1 --every 10 --out out/problems
  rigor problems solve out/problems

A method finds the contacts and moves the bodies; each step that begins with contacts becomes the problem of Moreau and Jean's
time stepping from there, with the contacts that pushed in the step before: docs/solvers.md. Scenes with joints, locked axes or particles are refused.

EXIT CODES
  0 written; 2 the scene or the folder is refused; 3 a step failed; 130 interrupted")]
pub struct RecordArgs {
    /// A scene file, or the name of a case (`rigor scene list`).
    scene: String,
    /// The method that moves the bodies.
    #[arg(long, default_value = "xpbd")]
    method: String,
    /// Time step (s) [default: the scene's own].
    #[arg(long)]
    dt: Option<f64>,
    /// Simulated time (s) [default: the scene's own duration].
    #[arg(long)]
    time: Option<f64>,
    /// Change a key of the scene; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Write every Nth step.
    #[arg(long, default_value = "1")]
    every: NonZeroU64,
    /// The folder to make.
    #[arg(long)]
    out: PathBuf,
}

pub fn execute(args: &RecordArgs) -> Result<Exit, CliError> {
    let loaded = disk::load_scene(&args.scene, &args.overrides)?;
    let scene = &loaded.scene;
    let refused = |what: String| CliError::new(format!("{}: {what}", scene.name));
    problem::check(scene).map_err(refused)?;
    let time =
        TimeSpan { dt: args.dt.unwrap_or(scene.time.dt), duration: args.time.unwrap_or(scene.time.duration) };
    check_time(&time)?;
    let entry = registry::find(&args.method).map_err(|error| CliError::new(error.to_string()))?;
    let settings = scene.methods.get(entry.name).cloned().unwrap_or_default();
    let mut chosen =
        entry.make(&settings, Clock::default()).map_err(|error| CliError::new(error.to_string()))?;
    chosen.method.supports(scene).map_err(|error| CliError::new(error.to_string()))?;
    if args.out.exists() {
        return Err(CliError::new(format!("{} is there already", args.out.display()))
            .with_help("--out makes a folder: give a new name"));
    }
    std::fs::create_dir_all(&args.out)
        .map_err(|error| CliError::new(format!("{}: {error}", args.out.display())))?;
    let mut recorder = Recorder { args, dt: time.dt, written: 0, contacts: 0, error: None };
    let mut state = State::initial(scene);
    let outcome = roll_out(scene, &mut *chosen.method, &mut state, time.dt, time.steps(), &mut recorder);
    if let Some(error) = recorder.error {
        return Err(error);
    }
    if recorder.written == 0 {
        let _ = std::fs::remove_dir(&args.out);
        let what = format!("{}: no step that is written begins with a contact", scene.name);
        return Err(CliError::new(what).with_help("take a longer --time or a smaller --every"));
    }
    let mean = recorder.contacts.checked_div(recorder.written).unwrap_or(0);
    print(&format!(
        "{} problems with {mean} contacts in the mean in {}\n",
        recorder.written,
        args.out.display()
    ))?;
    Ok(match outcome {
        Outcome::Completed => Exit::Ok,
        Outcome::Interrupted { .. } => Exit::Interrupted,
        Outcome::Stopped { step, error } => {
            print(&format!("stopped after {step} steps: {error}\n"))?;
            Exit::Stopped
        }
    })
}

struct Recorder<'a> {
    args: &'a RecordArgs,
    dt: f64,
    written: u64,
    contacts: u64,
    error: Option<CliError>,
}

impl Recorder<'_> {
    fn write(&self, scene: &Scene, state: &State, report: &StepReport, path: &Path) -> Result<(), CliError> {
        let failed = |what: String| CliError::new(format!("{}, step {}: {what}", scene.name, state.step));
        let problem = problem::of_step(scene, state, &report.contacts, self.dt)
            .map_err(|error| failed(error.to_string()))?;
        let bytes = file::write(&problem).map_err(|error| failed(error.to_string()))?;
        std::fs::write(path, bytes).map_err(|error| failed(error.to_string()))
    }
}

impl Observer for Recorder<'_> {
    fn step(&mut self, scene: &Scene, state: &State, report: &StepReport) -> ControlFlow<()> {
        if interrupt::flag().load(std::sync::atomic::Ordering::SeqCst) {
            return ControlFlow::Break(());
        }
        if report.contacts.is_empty() || !state.step.is_multiple_of(self.args.every.get()) {
            return ControlFlow::Continue(());
        }
        let stem: String = scene
            .name
            .chars()
            .map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' })
            .collect();
        let path = self.args.out.join(format!("{stem}-{:06}.npz", state.step));
        match self.write(scene, state, report, &path) {
            Ok(()) => {
                self.written += 1;
                self.contacts += report.contacts.len() as u64;
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

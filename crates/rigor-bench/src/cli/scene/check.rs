//! `rigor scene check`.

use clap::Args;
use rayon::prelude::*;
use rigor_file::check::{
    InitialIntersection, MAX_FOUND, Meeting, initial_intersections, misspelt_methods, particle_faults,
};
use rigor_file::{Finding, Loaded, Warning};
use rigor_run::disk::load_scene;
use rigor_run::notice::NoticeRecord;
use rigor_run::registry::{self, RegistryError, check_settings};
use rigor_scene::{Notice, Scene, Unsupported};
use serde_json::{Value, json};

use super::super::table::Format;
use super::super::{CliError, Exit, print, print_json};
use super::corpus;
use crate::diagnostic::{self, Severity};

/// Check that scenes are valid and that no bodies intersect at the start.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor scene check my/scenes/*.toml
  rigor scene check erleben/wedges --set body.wedge.friction=0.3
  rigor scene check --strict my/scene.json
  rigor scene check bouncing/ball --method ipc,xpbd
  rigor scene check my/robot --format csv > robot.csv
  rigor scene check part.stl

A scene fails if it cannot be loaded or if settings under [method.NAME] are invalid. Bodies that intersect at the start
are a warning: some methods cannot start there. So are particles inside bodies or in one place, ropes, cloths and blocks
through bodies, and rigid bonds that contradict each other. Requests of the scene that a method of --method or [method.NAME] does
not follow are listed; they are neither warnings nor failures.

With a folder or a mesh file among the arguments the command prints one row for each mesh, robot and scene, those in folders
inside included: what it is, mass (meshes at 1000 kg/m³; robots and scenes what moves), and the number of notes of each grade. As csv
and json it also has volume, area, centre of mass, inertia (Ixx, Iyy, Izz, Ixy, Ixz, Iyz), the notes and the reason of a refusal.
--set and --method do not apply; --strict counts notes that change the physics as failures.

EXIT CODES
  0 no scene failed; 1 a scene failed, or a file was refused; 2 unknown method")]
pub struct CheckArgs {
    /// Scene files, names of cases, mesh files, or folders.
    #[arg(required = true, value_name = "SCENE")]
    scenes: Vec<String>,
    /// Change a key of every scene first, e.g. `body.box.friction=0.3`; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// List the requests that these methods, separated by commas, ignore [default: methods with settings in
    /// the scene].
    #[arg(long = "method", value_delimiter = ',')]
    methods: Vec<String>,
    /// Count warnings, and bodies that intersect at the start, as failures.
    #[arg(long)]
    strict: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Form of the rows of a folder.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The result of checking one scene.
struct Checked<'a> {
    argument: &'a str,
    /// Numbers of bodies and steps, if the scene could be loaded.
    size: Option<(usize, u64)>,
    errors: Vec<CliError>,
    warnings: Vec<Warning>,
    meetings: Vec<InitialIntersection>,
    notes: Vec<Note>,
}

/// The notices of a method on a scene.
struct Note {
    method: String,
    /// Requests of the scene that the method ignores, or the reason why it does not support the scene.
    told: Result<Vec<Notice>, Unsupported>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Grade {
    Ok,
    Warnings,
    Error,
}

pub fn execute(args: &CheckArgs) -> Result<Exit, CliError> {
    for method in &args.methods {
        registry::find(method).map_err(|error| CliError::new(error.to_string()))?;
    }
    if args.scenes.iter().any(|argument| corpus::is_one(argument)) {
        if !args.overrides.is_empty() || !args.methods.is_empty() {
            return Err(CliError::new(
                "`--set` and `--method` are for scenes, not for folders and mesh files",
            ));
        }
        let format = if args.json { Format::Json } else { args.format };
        return corpus::execute(&args.scenes, format, args.strict);
    }
    if args.format != Format::Text && args.format != Format::Json {
        return Err(CliError::new("`--format` csv and tsv are for folders and mesh files"));
    }
    let scenes: Vec<_> = args.scenes.par_iter().map(|scene| check(scene, args)).collect();
    let count = |grade| scenes.iter().filter(|checked| checked.grade() == grade).count();
    let (ok, warnings, failed) = (count(Grade::Ok), count(Grade::Warnings), count(Grade::Error));
    if args.json || args.format == Format::Json {
        let scenes: Vec<_> = scenes.iter().map(Checked::to_json).collect();
        print_json(&json!({ "scenes": scenes, "ok": ok, "warnings": warnings, "failed": failed }))?;
    } else {
        let summary =
            format!("{} checked: {ok} ok, {warnings} with warnings, {failed} failed\n", scenes.len());
        print(&(scenes.iter().map(Checked::render).collect::<String>() + &summary))?;
    }
    let is_good = failed == 0 && !(args.strict && warnings > 0);
    Ok(if is_good { Exit::Ok } else { Exit::Failed })
}

fn check<'a>(argument: &'a str, args: &CheckArgs) -> Checked<'a> {
    match load_scene(argument, &args.overrides) {
        Ok(loaded) => Checked {
            argument,
            size: Some((loaded.scene.bodies.len(), loaded.scene.time.steps())),
            errors: wrong_settings(argument, &loaded.scene),
            warnings: warnings(argument, &loaded),
            meetings: initial_intersections(&loaded.scene),
            notes: notes(&loaded.scene, &args.methods),
        },
        Err(error) => Checked {
            argument,
            size: None,
            errors: vec![error.into()],
            warnings: vec![],
            meetings: vec![],
            notes: vec![],
        },
    }
}

fn warnings(argument: &str, loaded: &Loaded) -> Vec<Warning> {
    let misspelt = misspelt_methods(argument, &loaded.scene, registry::names());
    let at_start = particle_faults(argument, &loaded.scene);
    loaded.warnings.iter().cloned().chain(misspelt).chain(at_start).collect()
}

/// Errors in the settings of known methods.
fn wrong_settings(argument: &str, scene: &Scene) -> Vec<CliError> {
    let found = |method: &str, why: String| {
        CliError::Scene(Finding::of_file(argument, why).with_key(format!("method.{method}")).into())
    };
    let check = |name: &String, settings| match check_settings(name, settings).err()? {
        RegistryError::Form { method, fault } => Some(found(method, fault.to_string())),
        RegistryError::Setting { method, source } => Some(found(method, source.to_string())),
        other => Some(other.into()),
    };
    scene.methods.iter().filter_map(|(name, settings)| check(name, settings)).collect()
}

/// Returns the notes of `methods` on the scene or, if `methods` is empty, of the methods with settings in the
/// scene.
///
/// Methods with invalid settings are omitted: [`wrong_settings`] reports them.
fn notes(scene: &Scene, methods: &[String]) -> Vec<Note> {
    let named: Vec<&String> =
        if methods.is_empty() { scene.methods.keys().collect() } else { methods.iter().collect() };
    let note = |method: &String| {
        let told = registry::notices(method, scene, scene.time.dt).ok()?;
        Some(Note { method: method.clone(), told })
    };
    named.into_iter().filter_map(note).collect()
}

impl Checked<'_> {
    fn grade(&self) -> Grade {
        if !self.errors.is_empty() {
            Grade::Error
        } else if !self.warnings.is_empty() || !self.meetings.is_empty() {
            Grade::Warnings
        } else {
            Grade::Ok
        }
    }

    fn render(&self) -> String {
        let size = self.size.map_or(String::new(), |(bodies, steps)| {
            format!("  ({}, {})", counted(bodies as u64, "body", "bodies"), counted(steps, "step", "steps"))
        });
        let mut text = format!("{:<8}  {}{size}\n", self.grade().word(), self.argument);
        text.extend(self.errors.iter().map(CliError::render));
        text.extend(self.warnings.iter().map(|w| diagnostic::render(w, Severity::Warning)));
        text.extend(self.meetings.iter().map(|meeting| format!("  {meeting}\n")));
        if self.meetings.len() == MAX_FOUND {
            text += "  the search stopped here\n";
        }
        text.extend(self.notes.iter().flat_map(Note::lines));
        text
    }

    fn to_json(&self) -> Value {
        let warning = |w| diagnostic::to_json(w, Severity::Warning);
        json!({
            "scene": self.argument,
            "grade": self.grade().word(),
            "bodies": self.size.map(|(bodies, _)| bodies),
            "steps": self.size.map(|(_, steps)| steps),
            "errors": self.errors.iter().map(CliError::to_json).collect::<Vec<_>>(),
            "warnings": self.warnings.iter().map(warning).collect::<Vec<_>>(),
            "methods": self.notes.iter().map(Note::to_json).collect::<Vec<_>>(),
            "initial_intersections": self.meetings.iter().map(meeting_to_json).collect::<Vec<_>>(),
        })
    }
}

impl Note {
    fn lines(&self) -> Vec<String> {
        match &self.told {
            Ok(notices) => notices.iter().map(|notice| format!("  {}: {notice}\n", self.method)).collect(),
            Err(unsupported) => vec![format!("  {unsupported}\n")],
        }
    }

    fn to_json(&self) -> Value {
        match &self.told {
            Ok(notices) => {
                let notices: Vec<NoticeRecord> = notices.iter().map(NoticeRecord::from).collect();
                json!({ "method": self.method, "is_supported": true, "notices": notices })
            }
            Err(why) => {
                json!({ "method": self.method, "is_supported": false, "lacks": why.what.to_string() })
            }
        }
    }
}

impl Grade {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warnings => "warnings",
            Self::Error => "error",
        }
    }
}

fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn meeting_to_json(meeting: &InitialIntersection) -> Value {
    let kind = match meeting.kind {
        Meeting::Touching => "touching",
        Meeting::Crossing => "crossing",
        Meeting::Inside => "inside",
    };
    let near = [meeting.near_world.x, meeting.near_world.y, meeting.near_world.z];
    json!({ "bodies": [meeting.body_a.1, meeting.body_b.1], "kind": kind, "near_world": near, "depth": meeting.depth })
}

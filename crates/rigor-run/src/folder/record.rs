//! `run.json`: what was run, with what, how it ended, and what the judges found.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use rigor_file::{Exported, Loaded};
use rigor_scene::{Outcome, Quantity, Scene};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::seal::Seal;
use super::{Folder, seal, write_whole};
use crate::error::{Fault, RunError};
use crate::machine::{Machine, Versions};
use crate::notice::{FlawCount, NoticeRecord};
use crate::verdict::{FindingRecord, VerdictRecord};

/// Version of the format of run folders.
pub const FORMAT: u32 = 2;

/// The content of `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Version of this format.
    pub format: u32,
    /// Hash of all that determines the result: see [`identity`].
    pub identity: String,
    /// Name of the scene.
    pub scene: String,
    /// BLAKE3 hash of the scene file and its meshes in `scene/`.
    pub scene_hash: String,
    /// Name of the method.
    pub method: String,
    /// All its settings, including defaults.
    pub settings: Value,
    /// Values that the method derived where its settings leave them open, by name.
    #[serde(default)]
    pub derived: BTreeMap<String, Derived>,
    /// Δt (s).
    pub dt: f64,
    /// Steps requested.
    pub steps: u64,
    /// Interval of kept frames, in steps.
    pub every: u64,
    /// Interval of the frames that the judges of surfaces see, in steps.
    pub judge_every: u64,
    /// Further conditions of the run, such as its number of threads or its repetition.
    #[serde(default)]
    pub conditions: BTreeMap<String, String>,
    /// How the run ended.
    pub outcome: Ending,
    /// Steps taken.
    pub steps_done: u64,
    /// Steps to which the times belong, with a step that failed.
    #[serde(default)]
    pub steps_timed: u64,
    /// Wall time of those steps (s).
    pub seconds: f64,
    /// CPU time of those steps (s).
    #[serde(default)]
    pub cpu_seconds: f64,
    /// Median wall time of those steps (s).
    #[serde(default)]
    pub seconds_median: Option<f64>,
    /// Iterations of those steps in all.
    #[serde(default)]
    pub iterations: u64,
    /// Mean number of contacts in those steps.
    pub contacts_mean: f64,
    /// BLAKE3 hash of the last state.
    #[serde(default)]
    pub state_hash: String,
    /// Warnings about the scene.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Requests of the scene that the method ignores.
    #[serde(default)]
    pub notices: Vec<NoticeRecord>,
    /// Flaws of those steps.
    #[serde(default)]
    pub flaws: Vec<FlawCount>,
    /// Number of those steps with a flaw of any kind.
    #[serde(default)]
    pub flawed_steps: u64,
    /// What the judges found.
    #[serde(default)]
    pub findings: Vec<FindingRecord>,
    /// The scene's expectations with verdicts.
    #[serde(default)]
    pub expectations: Vec<VerdictRecord>,
    /// Versions.
    pub versions: Versions,
    /// The computer.
    pub machine: Machine,
    /// Hashes of the files: of the scene from the start, of all files once the run has ended.
    #[serde(default)]
    pub files: Seal,
}

/// A value that a method derived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Derived {
    /// The value, in `unit`.
    pub value: f64,
    /// Its unit; "1" for pure numbers.
    pub unit: String,
}

impl From<&Quantity> for Derived {
    fn from(quantity: &Quantity) -> Self {
        Self { value: quantity.value, unit: quantity.unit.to_owned() }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Ending {
    /// Not ended: the process is still running, or was killed.
    Running,
    /// Every step was taken.
    Completed,
    /// A step failed.
    Stopped {
        /// The error message.
        error: String,
        /// The bodies involved, by name.
        bodies: Vec<String>,
        /// The particles involved, by the name of their soft body and their number in it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        particles: Vec<String>,
    },
    /// Interrupted; the run can be resumed.
    Interrupted,
    /// Cut off at a limit of wall time (s).
    TimedOut {
        /// The limit (s), as text.
        limit: String,
    },
    /// The method does not support the scene: nothing was run.
    Skipped {
        /// What the method lacks.
        why: String,
    },
    /// The method could not be made from its settings: nothing was run.
    Refused {
        /// The error message.
        error: String,
    },
    /// The program failed: a panic.
    Failed {
        /// The message of the panic.
        error: String,
    },
}

impl Ending {
    /// Converts the outcome of a run of `scene` to data.
    pub fn of(outcome: &Outcome, scene: &Scene) -> Self {
        match outcome {
            Outcome::Completed => Self::Completed,
            Outcome::Interrupted { .. } => Self::Interrupted,
            Outcome::Stopped { error, .. } => Self::Stopped {
                error: error.to_string(),
                bodies: error.bodies().iter().map(|id| scene.bodies[id.0].name.clone()).collect(),
                particles: error.particles().iter().map(|id| scene.particle_name(*id)).collect(),
            },
        }
    }

    /// Whether the run ended by itself, so that it need not be made again.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Running | Self::Interrupted)
    }

    /// Whether steps are missing because somebody or a limit ended the run.
    pub fn is_cut(&self) -> bool {
        matches!(self, Self::Running | Self::Interrupted | Self::TimedOut { .. })
    }
}

impl Record {
    /// Whether the run reached the end of the scene, to which expectations apply: every step was taken, and they cover its duration.
    pub fn is_whole(&self, scene: &Scene) -> bool {
        self.outcome == Ending::Completed && self.steps as f64 * self.dt >= scene.time.duration * (1.0 - 1e-9)
    }

    /// Returns the number of frames kept; `None` if the run has not ended.
    pub fn frames(&self) -> Option<u64> {
        let has_ended = self.outcome != Ending::Running;
        has_ended.then(|| 1 + self.steps_done / self.every.max(1))
    }

    /// Writes the file atomically.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), RunError> {
        let fail = |error: serde_json::Error| RunError::new(path, error);
        let mut value = serde_json::to_value(self).map_err(fail)?;
        let hash = hash_of_rest(&value);
        if let Some(keys) = value.as_object_mut() {
            keys.insert(HASH.to_owned(), hash.into());
        }
        let text = serde_json::to_string_pretty(&value).map_err(fail)?;
        write_whole(path, (text + "\n").as_bytes())
    }

    /// Reads the file.
    ///
    /// # Errors
    /// [`RunError`] when it is missing, is not a record, has another version, or was changed since it was written.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => RunError::new(path, Fault::NoRecord),
            _ => RunError::new(path, error),
        })?;
        let value: Value = serde_json::from_str(&text)
            .map_err(|source| RunError::new(path, Fault::NotARecord { source }))?;
        if let Some(found) = value["format"].as_u64().filter(|format| *format != u64::from(FORMAT)) {
            return Err(RunError::new(path, Fault::OtherFormat { found }));
        }
        if value[HASH].as_str() != Some(hash_of_rest(&value).as_str()) {
            return Err(RunError::new(path, Fault::Edited));
        }
        serde_json::from_value(value).map_err(|source| RunError::new(path, Fault::NotARecord { source }))
    }

    /// Reads the record of `folder` and checks that none of its files was changed since they were written.
    ///
    /// # Errors
    /// [`RunError`] when the record cannot be read, or about the first file that is missing or changed.
    pub fn read_unchanged(folder: &Folder) -> Result<Self, RunError> {
        let record = Self::read(&folder.record())?;
        seal::check(folder, &record.files)?;
        Ok(record)
    }
}

/// The key of the record's hash of itself.
const HASH: &str = "hash";

/// Returns the BLAKE3 hash of a record without its hash, whatever its spaces and line breaks.
fn hash_of_rest(record: &Value) -> String {
    let mut rest = record.clone();
    if let Some(keys) = rest.as_object_mut() {
        keys.shift_remove(HASH);
    }
    blake3::hash(rest.to_string().as_bytes()).to_hex().to_string()
}

/// Returns the BLAKE3 hash of an exported scene: of its text and of each mesh with its name, in the order of their names.
pub fn hash(exported: &Exported) -> String {
    let meshes = exported.meshes.iter().map(|(name, bytes)| (name.as_str(), &bytes[..]));
    hash_of(exported.scene.as_bytes(), meshes.collect())
}

/// Returns the [`hash`] of the scene in a folder, from the bytes of its files.
///
/// # Errors
/// [`RunError`] when a file cannot be read.
pub fn hash_of_folder(folder: &Folder, loaded: &Loaded) -> Result<String, RunError> {
    let path = folder.scene();
    let read = |path: &Path| std::fs::read(path).map_err(|error| RunError::new(path, error));
    let scene = read(&path)?;
    let mut meshes = Vec::new();
    for name in loaded.meshes.keys() {
        meshes.push((name.as_str(), read(&path.with_file_name(name))?));
    }
    Ok(hash_of(&scene, meshes.iter().map(|(name, bytes)| (*name, &bytes[..])).collect()))
}

fn hash_of(scene: &[u8], mut meshes: Vec<(&str, &[u8])>) -> String {
    meshes.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    hasher.update(scene);
    for (name, bytes) in meshes {
        hasher.update(name.as_bytes()).update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    }
    hasher.finalize().to_hex().to_string()
}

/// Returns a hash of all that determines the result of a run: scene, method, settings, Δt, steps, the frames that judges
/// see, conditions, and the versions of the program and of the engines in it.
///
/// Two runs of the same identity have the same states, bit for bit, and the same findings, except for times.
pub fn identity(record: &Record) -> String {
    let Record { scene_hash, method, settings, dt, steps, judge_every, conditions, versions, .. } = record;
    let Versions { rigor, commit, rapier, engine, rustc: _ } = versions;
    let mut of = serde_json::json!([
        FORMAT,
        scene_hash,
        method,
        settings,
        dt.to_bits(),
        steps,
        judge_every,
        conditions,
        rigor,
        commit,
        rapier
    ]);
    if let (Some(engine), Some(list)) = (engine, of.as_array_mut()) {
        list.push(engine.as_str().into());
    }
    blake3::hash(of.to_string().as_bytes()).to_hex()[..32].to_owned()
}

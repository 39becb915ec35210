//! The methods of the program, by name.
//!
//! ```
//! use rigor_run::registry;
//! use rigor_scene::{Clock, Settings};
//! let settings = Settings::from([("substeps".into(), 5.into())]);
//! let chosen = registry::find("xpbd")?.make(&settings, Clock::default())?;
//! assert_eq!(chosen.settings["substeps"], 5);
//! assert_eq!(chosen.settings["iterations"], 1);
//! # Ok::<(), registry::RegistryError>(())
//! ```

use rigor_file::closest;
use rigor_file::setting::to_json;
use rigor_peers::process::{self, Peer};
use rigor_peers::{engine, rapier};
use rigor_scene::{Clock, ConfigError, Method, Notice, Scene, Settings, Unsupported};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::peers;

/// A method that can be selected by name.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The name.
    pub name: &'static str,
    /// One-line description.
    pub summary: &'static str,
    make: fn(&Settings, Clock) -> Result<Chosen, Refusal>,
    schema: fn() -> Value,
}

/// A method that was created from settings.
pub struct Chosen {
    /// The method.
    pub method: Box<dyn Method>,
    /// All its settings, including defaults.
    pub settings: Value,
}

/// An error in the name or the settings of a method.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// No method has this name.
    #[error("there is no method {name:?}; the methods are {}{}", names().join(", "), suggestion.as_ref().map_or(String::new(), |s| format!(" (did you mean {s:?}?)")))]
    Unknown {
        /// The unknown name.
        name: String,
        /// A similar name, if there is one.
        suggestion: Option<String>,
    },
    /// The settings are not those of the method.
    #[error("method.{method}: {fault}")]
    Form {
        /// The method.
        method: &'static str,
        /// The mistake.
        fault: FormFault,
    },
    /// The value of a setting is not allowed.
    #[error("method.{method}: {source}")]
    Setting {
        /// The method.
        method: &'static str,
        /// The setting, its value and what is allowed.
        source: ConfigError,
    },
}

/// Settings with an unknown key, or with a value of another type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormFault {
    /// The key of the setting; empty for the settings as a whole.
    pub key: String,
    /// The mistake, in words for the user.
    pub mistake: String,
    /// For an unknown key, a similar one, if there is one.
    pub suggestion: Option<String>,
}

impl FormFault {
    fn of(key: &str, mistake: String) -> Self {
        let key = if key == "." { String::new() } else { key.to_owned() };
        Self { key, suggestion: meant(&mistake), mistake }
    }
}

impl std::fmt::Display for FormFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.mistake)?;
        self.suggestion.as_ref().map_or(Ok(()), |meant| write!(f, " (did you mean {meant:?}?)"))
    }
}

/// The reason why the settings of a method are rejected.
enum Refusal {
    Form(FormFault),
    Setting(ConfigError),
}

impl Refusal {
    fn of(self, method: &'static str) -> RegistryError {
        match self {
            Self::Form(fault) => RegistryError::Form { method, fault },
            Self::Setting(source) => RegistryError::Setting { method, source },
        }
    }
}

/// Methods of every program, then engines that are installed or built in on request.
const ENTRIES: [Entry; IN_PROCESS + 12] = [
    Entry {
        name: "free",
        summary: "unconstrained rigid motion, exact at any rate of rotation; bodies pass through each other",
        make: |settings, clock| make(settings, |config| rigor_free::Free::new(config, clock)),
        schema: schema::<rigor_free::Config>,
    },
    Entry {
        name: "xpbd",
        summary: "extended position-based dynamics with substeps [Mueller2020]",
        make: |settings, clock| make(settings, |config| rigor_xpbd::Xpbd::new(config, clock)),
        schema: schema::<rigor_xpbd::Config>,
    },
    Entry {
        name: "pbd",
        summary: "position-based dynamics: particles with a stiffness instead of compliance [Mueller2007]",
        make: |settings, clock| make(settings, |config| rigor_xpbd::Pbd::new(config, clock)),
        schema: schema::<rigor_xpbd::pbd::Config>,
    },
    Entry {
        name: "ipc",
        summary: "incremental potential contact: intersection-free rigid bodies [Ferguson2021]",
        make: |settings, clock| make(settings, |config| rigor_ipc::Ipc::new(config, clock)),
        schema: schema::<rigor_ipc::Config>,
    },
    Entry {
        name: "particles",
        summary: "rigid bodies as sets of particles with penalty forces on a uniform grid [Harada2007]",
        make: |settings, clock| make(settings, |config| rigor_particles::Particles::new(config, clock)),
        schema: schema::<rigor_particles::Config>,
    },
    Entry {
        name: rapier::NAME,
        summary: "the Rapier engine (crate rapier3d-f64), in process, with its documented defaults",
        make: |settings, clock| {
            make(settings, |config: rapier::Config| {
                config.validate()?;
                Ok(rapier::Rapier::new(config, clock))
            })
        },
        schema: schema::<rapier::Config>,
    },
    Entry {
        name: "mujoco",
        summary: "the MuJoCo engine, in a process of its own (`rigor peers install mujoco`)",
        make: |settings, clock| peer("mujoco", settings, clock),
        schema: schema::<process::Config>,
    },
    Entry {
        name: "bullet",
        summary: "the Bullet engine (pybullet), in a process of its own (`rigor peers install bullet`)",
        make: |settings, clock| peer("bullet", settings, clock),
        schema: schema::<process::Config>,
    },
    Entry {
        name: "drake",
        summary: "the Drake engine, in a process of its own (`rigor peers install drake`)",
        make: |settings, clock| peer("drake", settings, clock),
        schema: schema::<process::Config>,
    },
    Entry {
        name: "physx",
        summary: "the PhysX 5 engine (sapien), in a process of its own (`rigor peers install physx`)",
        make: |settings, clock| peer("physx", settings, clock),
        schema: schema::<process::Config>,
    },
    Entry {
        name: "dart",
        summary: "the DART engine (dartpy), in a process of its own (`rigor peers install dart`)",
        make: |settings, clock| peer("dart", settings, clock),
        schema: schema::<process::Config>,
    },
    Entry {
        name: "siconos",
        summary: "the Siconos engine, nonsmooth dynamics, in a process of its own (`rigor peers install siconos`)",
        make: |settings, clock| peer("siconos", settings, clock),
        schema: schema::<process::Config>,
    },
    Entry {
        name: "newton-xpbd",
        summary: "the Newton engine with its solver XPBD, in a process of its own (`rigor peers install newton-xpbd`)",
        make: |settings, clock| peer("newton-xpbd", settings, clock),
        schema: schema::<process::Config>,
    },
    Entry {
        name: "newton-vbd",
        summary: "the Newton engine with its solver VBD, in a process of its own (`rigor peers install newton-vbd`)",
        make: |settings, clock| peer("newton-vbd", settings, clock),
        schema: schema::<process::Config>,
    },
    Entry {
        name: "newton-kamino",
        summary: "the Newton engine with its solver Kamino, in a process of its own (`rigor peers install newton-kamino`)",
        make: |settings, clock| peer("newton-kamino", settings, clock),
        schema: schema::<process::Config>,
    },
    Entry {
        name: "jolt",
        summary: "the Jolt engine (culverin), in a process of its own (`rigor peers install jolt`)",
        make: |settings, clock| peer("jolt", settings, clock),
        schema: schema::<process::Config>,
    },
    Entry {
        name: "box3d",
        summary: "the Box3D engine (crate box3d-rust), in process, in programs built with the feature `box3d`",
        make: |settings, clock| peer("box3d", settings, clock),
        schema: schema::<process::Config>,
    },
    Entry {
        name: "peer",
        summary: "any engine that speaks the protocol of peers, started by `command`",
        make: |settings, clock| peer("peer", settings, clock),
        schema: schema::<process::Config>,
    },
];

/// The number of methods that run in this process.
const IN_PROCESS: usize = 6;

/// The methods that run in this process and need nothing installed.
pub fn in_process() -> &'static [Entry] {
    &ENTRIES[..IN_PROCESS]
}

/// All methods, in the order of display.
pub fn entries() -> &'static [Entry] {
    &ENTRIES
}

/// Returns the names of all methods.
pub fn names() -> Vec<&'static str> {
    ENTRIES.iter().map(|entry| entry.name).collect()
}

/// Returns the method called `name`.
///
/// # Errors
/// [`RegistryError::Unknown`], with a similar name if there is one.
pub fn find(name: &str) -> Result<&'static Entry, RegistryError> {
    ENTRIES.iter().find(|entry| entry.name == name).ok_or_else(|| RegistryError::Unknown {
        name: name.to_owned(),
        suggestion: closest(name, names()).map(str::to_owned),
    })
}

/// Checks the settings of a method; settings of a method that this program does not know are accepted.
///
/// # Errors
/// [`RegistryError`] with the key and the allowed values.
pub fn check_settings(name: &str, settings: &Settings) -> Result<(), RegistryError> {
    match find(name) {
        Ok(entry) => entry.make(settings, Clock::default()).map(|_| ()),
        Err(_) => Ok(()),
    }
}

/// Returns the requests of `scene` that the method called `name` ignores, or the reason why the method does
/// not support the scene.
///
/// The method has the settings of the scene; `dt` is the time step (s).
///
/// # Errors
/// [`RegistryError`] if the name is unknown or the settings are invalid.
pub fn notices(
    name: &str,
    scene: &Scene,
    dt: f64,
) -> Result<Result<Vec<Notice>, Unsupported>, RegistryError> {
    let settings = scene.methods.get(name).cloned().unwrap_or_default();
    let chosen = find(name)?.make(&settings, Clock::default())?;
    Ok(chosen.method.supports(scene).map(|()| chosen.method.notices(scene, dt)))
}

impl Entry {
    /// Creates the method; `settings` replace defaults.
    ///
    /// # Errors
    /// [`RegistryError`] with the key and the allowed values.
    pub fn make(&self, settings: &Settings, clock: Clock) -> Result<Chosen, RegistryError> {
        (self.make)(settings, clock).map_err(|why| why.of(self.name))
    }

    /// Returns the JSON schema of the settings.
    pub fn schema(&self) -> Value {
        (self.schema)()
    }
}

fn make<C, M>(settings: &Settings, build: impl FnOnce(C) -> Result<M, ConfigError>) -> Result<Chosen, Refusal>
where
    C: DeserializeOwned + Serialize,
    M: Method + 'static,
{
    let value = Value::Object(to_json(settings));
    let config: C = serde_path_to_error::deserialize(&value).map_err(|error| {
        Refusal::Form(FormFault::of(&error.path().to_string(), error.inner().to_string()))
    })?;
    let settings =
        serde_json::to_value(&config).map_err(|error| Refusal::Form(FormFault::of("", error.to_string())))?;
    Ok(Chosen { method: Box::new(build(config).map_err(Refusal::Setting)?), settings })
}

/// Creates an engine behind the requests of the protocol.
fn peer(name: &'static str, settings: &Settings, clock: Clock) -> Result<Chosen, Refusal> {
    let table = engine::find(name).and_then(|engine| engine.capabilities.clone());
    make(settings, |config| Peer::new(name, config, clock, peers::start(name), table))
}

/// Returns the known key that is most similar to the unknown key in `error`.
fn meant(error: &str) -> Option<String> {
    let quoted: Vec<&str> = error.split('`').skip(1).step_by(2).collect();
    let (unknown, known) = quoted.split_first()?;
    let is_unknown = error.starts_with("unknown field");
    is_unknown.then(|| closest(unknown, known.iter().copied())).flatten().map(str::to_owned)
}

fn schema<C: JsonSchema>() -> Value {
    schemars::schema_for!(C).to_value()
}

#[cfg(test)]
mod tests {
    use rigor_file::setting::from_json;

    use super::*;

    #[test]
    fn every_method_is_made_from_no_settings_and_fills_in_its_defaults() {
        for entry in entries() {
            let chosen = entry.make(&Settings::new(), Clock::default()).unwrap();
            assert_eq!(chosen.method.name(), entry.name);
            assert!(chosen.settings.is_object(), "{}", entry.name);
            assert!(entry.schema()["properties"].is_object(), "{}", entry.name);
        }
    }

    #[test]
    fn misspelt_names_and_keys_get_a_suggestion() {
        let error = find("xpdb").unwrap_err().to_string();
        assert!(error.contains("did you mean \"xpbd\""), "{error}");
        let settings = serde_json::json!({ "substep": 5 });
        let error =
            check_settings("xpbd", &from_json(settings.as_object().unwrap())).unwrap_err().to_string();
        assert!(error.contains("method.xpbd") && error.contains("did you mean \"substeps\""), "{error}");
    }

    #[test]
    fn wrong_types_and_ranges_name_the_key() {
        let check =
            |settings: Value| check_settings("xpbd", &from_json(settings.as_object().unwrap())).unwrap_err();
        let error = check(serde_json::json!({ "substeps": "many" }));
        assert!(matches!(&error, RegistryError::Form { fault, .. } if fault.key == "substeps"), "{error}");
        let error = check(serde_json::json!({ "substeps": 0 }));
        assert!(matches!(&error, RegistryError::Setting { source, .. } if source.setting == "substeps"));
        assert_eq!(error.to_string(), "method.xpbd: substeps is 0: it must be between 1 and 100000");
    }
}

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

use std::sync::{LazyLock, PoisonError, RwLock};

use rigor_file::closest;
use rigor_file::setting::{of_change, to_json};
use rigor_peers::engine::{self, Engine};
use rigor_peers::process::{self, Peer};
use rigor_peers::rapier;
use rigor_scene::{Clock, ConfigError, Method, Notice, Scene, Settings, Unsupported};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::peers;

/// A method that can be selected by name.
pub struct Entry {
    /// The name.
    pub name: &'static str,
    /// One-line description.
    pub summary: &'static str,
    make: Box<Maker>,
    schema: fn() -> Value,
}

/// Creates a method from its settings.
type Maker = dyn Fn(&Settings, Clock) -> Result<Chosen, Refusal> + Send + Sync;

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.name)
            .field("summary", &self.summary)
            .finish_non_exhaustive()
    }
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
    /// A method of this name is there.
    #[error("there is a method {name:?} already: give the other one another name")]
    Taken {
        /// The name.
        name: &'static str,
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

/// The methods that run in this process and need nothing installed.
static OWN: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![
        Entry::new(
            "free",
            "unconstrained rigid motion, exact at any rate of rotation; bodies pass through each other",
            rigor_free::Free::new,
        ),
        Entry::new(
            "xpbd",
            "extended position-based dynamics with substeps [Mueller2020]",
            rigor_xpbd::Xpbd::new,
        ),
        Entry::new(
            "pbd",
            "position-based dynamics: particles with a stiffness instead of compliance [Mueller2007]",
            rigor_xpbd::Pbd::new,
        ),
        Entry::new(
            "ipc",
            "incremental potential contact: intersection-free rigid bodies [Ferguson2021]",
            rigor_ipc::Ipc::new,
        ),
        Entry::new(
            "abd",
            "affine body dynamics: intersection-free stiff affine bodies [Lan2022]",
            rigor_ipc::Abd::new,
        ),
        Entry::new(
            "nonsmooth",
            "Moreau-Jean time stepping: exact Coulomb friction, impacts and joints by one problem per substep [Jean1999]",
            rigor_moreau::Nonsmooth::new,
        ),
        Entry::new(
            "avbd",
            "augmented vertex block descent: blocks of bodies, multipliers, stiffnesses that grow [Giles2025]",
            rigor_avbd::Avbd::new,
        ),
        Entry::new(
            "particles",
            "rigid bodies as sets of particles with penalty forces on a uniform grid [Harada2007]",
            rigor_particles::Particles::new,
        ),
        Entry::new(
            rapier::NAME,
            "the Rapier engine (crate rapier3d-f64), in process, with its documented defaults",
            |config: rapier::Config, clock| {
                config.validate()?;
                Ok(rapier::Rapier::new(config, clock))
            },
        ),
    ]
});

/// The engines that are installed or built in on request, one for each row of their table, and any other.
static ENGINES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let rows = engine::table().iter().filter(|engine| engine.absent.is_none());
    let any = "any engine that speaks the protocol of peers, started by `command`";
    rows.map(of_engine).chain([peer("peer", any)]).collect()
});

/// The methods that were added.
static ADDED: RwLock<Vec<&'static Entry>> = RwLock::new(Vec::new());

/// The method of a row of the table of engines.
fn of_engine(engine: &'static Engine) -> Entry {
    let Engine { name, what, .. } = engine;
    let place = match engine.inside() {
        Some(inside) => format!("in process, in programs built with the feature `{}`", inside.feature),
        None => format!("in a process of its own (`rigor peers install {name}`)"),
    };
    peer(name, format!("{what}, {place}").leak())
}

/// An engine behind the requests of the protocol.
fn peer(name: &'static str, summary: &'static str) -> Entry {
    Entry::new(name, summary, move |config: process::Config, clock| {
        let table = engine::find(name).and_then(|engine| engine.capabilities.clone());
        Peer::new(name, config, clock, peers::start(name), table)
    })
}

/// Adds a method, for a program with methods of its own: every command then knows it by its name.
///
/// # Errors
/// [`RegistryError::Taken`] if a method of this name is there.
///
/// ```
/// use rigor_run::registry::{self, Entry};
/// registry::add(Entry::new("flight", "bodies pass through each other", rigor_free::Free::new))?;
/// assert!(registry::find("flight").is_ok());
/// assert!(registry::add(Entry::new("ipc", "another", rigor_free::Free::new)).is_err());
/// # Ok::<(), registry::RegistryError>(())
/// ```
pub fn add(entry: Entry) -> Result<(), RegistryError> {
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    let is_taken = OWN.iter().chain(&*ENGINES).chain(added.iter().copied()).any(|one| one.name == entry.name);
    if is_taken {
        return Err(RegistryError::Taken { name: entry.name });
    }
    added.push(Box::leak(Box::new(entry)));
    Ok(())
}

/// The methods that run in this process and need nothing installed, those that were [added](add) last.
pub fn in_process() -> Vec<&'static Entry> {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner);
    OWN.iter().chain(added.iter().copied()).collect()
}

/// All methods, in the order of display: those in this process, then engines.
pub fn entries() -> Vec<&'static Entry> {
    in_process().into_iter().chain(&*ENGINES).collect()
}

/// Returns the names of all methods.
pub fn names() -> Vec<&'static str> {
    entries().iter().map(|entry| entry.name).collect()
}

/// Returns the method called `name`.
///
/// # Errors
/// [`RegistryError::Unknown`], with a similar name if there is one.
pub fn find(name: &str) -> Result<&'static Entry, RegistryError> {
    entries().into_iter().find(|entry| entry.name == name).ok_or_else(|| RegistryError::Unknown {
        name: name.to_owned(),
        suggestion: closest(name, names()).map(str::to_owned),
    })
}

/// Checks names of methods and keys and types of their settings in a change of a scene, such as `method.xpbd.substeps=40`. Whether a
/// value is allowed is known when all changes are made: [`Entry::make`] tells.
///
/// # Errors
/// [`RegistryError`] about a method that does not exist, or a key or type that is not among its settings.
///
/// ```
/// use rigor_run::registry::check_change;
/// assert!(check_change("method.xpbd.substeps=40").is_ok() && check_change("time.dt=0.01").is_ok());
/// assert!(check_change("method.xpdb.substeps=40").is_err() && check_change("method.xpbd.substps=40").is_err());
/// ```
pub fn check_change(line: &str) -> Result<(), RegistryError> {
    for (name, settings) in of_change(line) {
        match find(&name)?.make(&settings, Clock::default()) {
            Err(error @ RegistryError::Form { .. }) => return Err(error),
            Err(
                RegistryError::Setting { .. } | RegistryError::Unknown { .. } | RegistryError::Taken { .. },
            )
            | Ok(_) => {}
        }
    }
    Ok(())
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
    /// The method called `name`, which `build` makes from its settings: from those of a scene, with `C`'s defaults for others.
    pub fn new<C, M>(
        name: &'static str,
        summary: &'static str,
        build: impl Fn(C, Clock) -> Result<M, ConfigError> + Send + Sync + 'static,
    ) -> Self
    where
        C: DeserializeOwned + Serialize + JsonSchema,
        M: Method + 'static,
    {
        let make = move |settings: &Settings, clock: Clock| make(settings, |config| build(config, clock));
        Self { name, summary, make: Box::new(make), schema: || schemars::schema_for!(C).to_value() }
    }

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

/// Returns the known key that is most similar to the unknown key in `error`.
fn meant(error: &str) -> Option<String> {
    let quoted: Vec<&str> = error.split('`').skip(1).step_by(2).collect();
    let (unknown, known) = quoted.split_first()?;
    let is_unknown = error.starts_with("unknown field");
    is_unknown.then(|| closest(unknown, known.iter().copied())).flatten().map(str::to_owned)
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

//! Engines in processes of their own: where they are, and how they are installed; engines in this process.
//!
//! The former live in the folder of the variable `RIGOR_PEERS`, by default `rigor/peers` in the user's data folder:
//! a Python environment for each engine, and the adapters of this program.

mod install;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rigor_peers::engine::{self, Adapter, Engine, INSIDE, InProcess, System};
use rigor_peers::process::{Config, Launch, Peer, Start};
use rigor_scene::Clock;

use crate::atomic::write_whole;

pub use install::{InstallError, install, install_environment};
pub use rigor_peers::process::peer::MEMORY;

/// The folder of peers; `None` if the system names no folder for the user's data.
pub fn folder() -> Option<PathBuf> {
    let given = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = given("RIGOR_PEERS") {
        return Some(folder);
    }
    let data = if cfg!(windows) {
        given("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        given("HOME")?.join("Library/Application Support")
    } else {
        given("XDG_DATA_HOME").or_else(|| Some(given("HOME")?.join(".local/share")))?
    };
    Some(data.join("rigor").join("peers"))
}

/// How the engine called `name` is started.
///
/// # Errors
/// What to do about it, as a sentence, if it is not installed.
pub fn start(name: &str) -> Result<Start, String> {
    match INSIDE.iter().find(|inside| inside.engine == name) {
        Some(inside) => inside.start.map(|start| start()).ok_or_else(|| remedy(inside)),
        None => launch(name).map(Start::Process),
    }
}

/// What to do about an engine in this process that the program lacks.
fn remedy(inside: &InProcess) -> String {
    format!(
        "build the program with the feature {0} (`cargo install rigor-bench --features {0}`)",
        inside.feature
    )
}

fn launch(name: &str) -> Result<Launch, String> {
    let Some((engine, adapter)) = engine::find(name).and_then(|engine| Some((engine, engine.adapter()?)))
    else {
        return Err(format!("set method.{name}.command to the command that starts the engine"));
    };
    let folder = folder().ok_or("set RIGOR_PEERS to a folder for engines")?;
    let environment = Environment::of(&folder, engine, adapter);
    if !environment.is_complete() {
        return Err(format!("`rigor peers install {name}` installs it"));
    }
    let program = write_adapters(&folder)
        .map(|adapters| adapters.join(&adapter.program))
        .map_err(|why| format!("its adapter cannot be written to {}: {why}", folder.display()))?;
    Ok(python_launch(environment.python(), program, &adapter.arguments))
}

/// Runs the file that its first argument names, with the modules beside it.
const RUN: &str = "import os, runpy, sys; del sys.argv[0]; sys.path.insert(0, os.path.dirname(sys.argv[0])); \
                   runpy.run_path(sys.argv[0], run_name='__main__')";

/// Arguments with which Python runs an adapter and leaves no traces: neither `PYTHONPATH` and other variables nor modules in the
/// working folder or of the user change what is imported.
fn isolated(adapter: PathBuf) -> Vec<OsString> {
    let words = ["-I", "-B", "-c", RUN].map(OsString::from);
    words.into_iter().chain([adapter.into()]).collect()
}

/// Whether an engine can be used here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// It is installed or in this program, starts and states this version.
    Here {
        /// The version.
        version: String,
    },
    /// It is installed, and does not start.
    Broken {
        /// Why.
        why: String,
    },
    /// It is not installed.
    NotInstalled {
        /// What to do about it, as a sentence.
        remedy: String,
    },
    /// It cannot be had.
    Absent {
        /// Why.
        why: String,
    },
}

/// Returns whether `engine` can be used here; one that is installed is started to find out.
pub fn presence(engine: &Engine) -> Availability {
    if let Some(why) = &engine.absent {
        return Availability::Absent { why: why.clone() };
    }
    let start = match start(&engine.name) {
        Ok(start) => start,
        Err(remedy) => return Availability::NotInstalled { remedy },
    };
    let (config, table) = (Config::default(), engine.capabilities.clone());
    let version = Peer::new(&engine.name, config, Clock::default(), Ok(start), table)
        .map_err(|why| why.to_string())
        .and_then(|peer| peer.version().map_err(|why| why.to_string()));
    match version {
        Ok(version) => Availability::Here { version },
        Err(why) => Availability::Broken { why },
    }
}

/// The version of the engine behind the method called `name` with these settings, and a hash of its adapter; `None` for a
/// method without one. An engine that a setting starts is started to ask.
pub fn engine_version(name: &str, settings: &serde_json::Value) -> Option<String> {
    let engine = engine::find(name);
    let adapter = engine.and_then(Engine::adapter);
    let commands =
        settings.get("command").and_then(serde_json::Value::as_array).is_some_and(|c| !c.is_empty());
    match (engine, adapter) {
        (Some(engine), Some(adapter)) if !commands => {
            let is_other = |file: &str| {
                engine::table().iter().filter_map(Engine::adapter).any(|one| one.program == file)
                    && file != adapter.program
            };
            let programs = engine::programs().iter().filter(|(file, _)| !is_other(file));
            let mut hasher = blake3::Hasher::new();
            let mut add = |text: &str| {
                hasher.update(text.as_bytes()).update(&[0]);
            };
            programs.for_each(|(_, text)| add(text));
            add(&lines(&adapter.requirements));
            add(&serde_json::to_string(&engine.capabilities).ok()?);
            Some(format!("{} {}, adapter {}", engine.name, engine.version, &hasher.finalize().to_hex()[..16]))
        }
        (Some(engine), None) if engine.inside().is_some() && !commands => {
            Some(format!("{} {}", engine.name, engine.version))
        }
        _ if commands => {
            let config: Config = serde_json::from_value(settings.clone()).ok()?;
            let told = Peer::new(name, config, Clock::default(), Err(String::new()), None);
            let version = told.ok()?.version().unwrap_or_else(|_| "version unknown".to_owned());
            Some(format!("{name} {version}"))
        }
        _ => None,
    }
}

/// What the engine behind the method called `name` means by its numbers: a label and a text for each property; `None` for a
/// method that is no engine in the table.
pub fn semantics(name: &str) -> Option<Vec<(&'static str, &'static str)>> {
    engine::find(name).filter(|engine| engine.absent.is_none()).map(Engine::semantics)
}

/// The engines that can be installed.
pub fn installable() -> impl Iterator<Item = &'static Engine> {
    engine::table().iter().filter(|engine| engine.adapter().is_some())
}

/// The engines that can be installed or built into the program.
pub fn obtainable() -> impl Iterator<Item = &'static Engine> {
    engine::table().iter().filter(|engine| engine.absent.is_none())
}

/// The Python environment of an engine.
struct Environment {
    root: PathBuf,
    requirements: String,
    system: Option<System>,
}

/// Packages, one per line.
fn lines(requirements: &[String]) -> String {
    requirements.iter().map(|line| format!("{line}\n")).collect()
}

impl Environment {
    fn of(folder: &Path, engine: &Engine, adapter: &Adapter) -> Self {
        let root = folder.join(adapter.environment.as_ref().unwrap_or(&engine.name));
        Self { root, requirements: lines(&adapter.requirements), system: adapter.system.clone() }
    }

    /// An environment with these packages in a folder of its own.
    fn in_folder(root: &Path, requirements: &[String]) -> Self {
        Self { root: root.to_owned(), requirements: lines(requirements), system: None }
    }

    /// Its interpreter.
    fn python(&self) -> PathBuf {
        self.root.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
    }

    /// The file that is written when everything is installed: the requirements.
    fn mark(&self) -> PathBuf {
        self.root.join("rigor-requirements.txt")
    }

    /// Whether exactly the requirements of this program are installed.
    fn is_complete(&self) -> bool {
        fs::read_to_string(self.mark()).is_ok_and(|text| text == self.requirements) && self.python().exists()
    }
}

/// Writes the adapters of this program into a folder of their own, unless they are there, and returns it.
fn write_adapters(folder: &Path) -> io::Result<PathBuf> {
    let capabilities = engine::capabilities();
    let programs = engine::programs().iter().copied();
    write_programs(
        folder,
        &programs.chain([("capabilities.json", capabilities.as_str())]).collect::<Vec<_>>(),
    )
}

/// Writes programs, each with a name and a text, into a folder of their own in `folder`, unless they are there, and returns it.
///
/// # Errors
/// They cannot be written.
pub fn write_programs(folder: &Path, programs: &[(&str, &str)]) -> io::Result<PathBuf> {
    let mut hasher = blake3::Hasher::new();
    for (name, text) in programs {
        hasher.update(name.as_bytes()).update(&[0]).update(text.as_bytes()).update(&[0]);
    }
    let hash = hasher.finalize().to_hex();
    let adapters = folder.join("adapters").join(&hash.as_str()[..16]);
    fs::create_dir_all(&adapters)?;
    for (name, text) in programs {
        let path = adapters.join(name);
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            write_whole(&path, text)?;
        }
    }
    Ok(adapters)
}

/// The interpreter of the environment in `root` if exactly these packages are installed.
pub fn python_of(root: &Path, requirements: &[String]) -> Option<PathBuf> {
    let environment = Environment::in_folder(root, requirements);
    environment.is_complete().then(|| environment.python())
}

/// How `python` runs a program with these arguments, on one thread and apart from the modules around.
pub fn python_launch(python: PathBuf, program: PathBuf, arguments: &[String]) -> Launch {
    let one_thread = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"].map(|name| (name.to_owned(), "1".into()));
    Launch {
        program: python,
        arguments: isolated(program).into_iter().chain(arguments.iter().map(Into::into)).collect(),
        variables: one_thread.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_is_not_installed_says_how_to_install_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let environment = {
            let engine = engine::find("mujoco").expect("it is in the table");
            Environment::of(folder.path(), engine, engine.adapter().expect("it has one"))
        };
        assert!(!environment.is_complete());
        fs::create_dir_all(environment.python().parent().expect("it has a folder")).expect("it is made");
        fs::write(environment.python(), "").expect("it is written");
        fs::write(environment.mark(), "other==1").expect("it is written");
        assert!(!environment.is_complete(), "other requirements");
        fs::write(environment.mark(), &environment.requirements).expect("it is written");
        assert!(environment.is_complete());
    }

    /// A module `json` that ends the process stands in the working folder and in `PYTHONPATH`.
    #[test]
    fn an_adapter_imports_no_module_that_is_around() {
        let here = tempfile::tempdir().expect("a folder");
        fs::create_dir(here.path().join("adapters")).expect("it is made");
        let adapter = here.path().join("adapters/adapter.py");
        fs::write(here.path().join("json.py"), "raise SystemExit(7)").expect("it is written");
        fs::write(here.path().join("adapters/beside.py"), "WORD = 'beside'").expect("it is written");
        fs::write(&adapter, "import json, sys, beside\nprint(json.dumps([beside.WORD, sys.argv[1:]]))")
            .expect("it is written");
        let made = std::process::Command::new("python3")
            .args(isolated(adapter))
            .arg("more")
            .current_dir(here.path())
            .env("PYTHONPATH", here.path())
            .output();
        // A machine without Python has no engine to start.
        let Ok(made) = made else { return };
        assert_eq!(String::from_utf8_lossy(&made.stdout).trim(), "[\"beside\", [\"more\"]]", "{made:?}");
        assert!(!here.path().join("adapters/__pycache__").exists());
    }

    #[test]
    fn adapters_are_written_once_also_by_several_threads() {
        let folder = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..8).map(|_| scope.spawn(|| write_adapters(folder.path()))).collect();
            for writer in writers {
                writer.join().expect("it does not panic").expect("it is written");
            }
        });
        let first = write_adapters(folder.path()).expect("it is written");
        assert_eq!(first, write_adapters(folder.path()).expect("it is there"));
        for adapter in installable().filter_map(Engine::adapter) {
            assert!(first.join(&adapter.program).exists());
        }
        assert!(first.join("capabilities.json").exists());
    }
}

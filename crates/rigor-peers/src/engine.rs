//! The engines that come with an adapter, and what each of them means by its numbers.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::process::{Capabilities, Start};

/// An engine in the table.
///
/// ```
/// use rigor_peers::engine;
/// let mujoco = engine::find("mujoco").expect("it is in the table");
/// assert!(mujoco.adapter().is_some());
/// let chrono = engine::find("chrono").expect("it is in the table");
/// assert!(chrono.adapter().is_none() && chrono.absent.is_some());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Engine {
    /// Its name as a method.
    pub name: String,
    /// Its name in text.
    pub title: String,
    /// What it is, in words for a list of methods.
    pub what: String,
    /// The version that is installed.
    pub version: String,
    /// Its licence.
    pub license: String,
    /// The package that has it.
    pub package: String,
    /// The version of Python that it needs; empty for an engine in this process.
    pub python: String,
    /// Why it cannot be had; absent for an engine with an adapter.
    pub absent: Option<String>,
    /// Its law of restitution.
    pub restitution: String,
    /// Its combination of friction coefficients.
    pub friction: String,
    /// Its friction cone.
    pub cone: String,
    /// Its contact model.
    pub contact_model: String,
    /// Its default solver.
    pub solver: String,
    /// What it does with surfaces that are not convex.
    pub non_convex: String,
    /// What it or its adapter lacks.
    pub lacks: String,
    /// The settings under `default`.
    pub default: String,
    /// The settings under `best`.
    pub best: String,
    /// What it can do; absent for an engine without an adapter.
    pub capabilities: Option<Capabilities>,
    /// Its adapter; absent for an engine in this process.
    adapter: Option<Adapter>,
}

/// How an engine in a process of its own is installed and started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adapter {
    /// The Python environment that has its packages, if it is that of another engine too: engines of one package share it.
    pub environment: Option<String>,
    /// What a system package must provide, if the engine is no Python package.
    pub system: Option<System>,
    /// The file of its program, in Python.
    pub program: String,
    /// The arguments of its program.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The packages that it needs, with their versions.
    pub requirements: Vec<String>,
}

/// An engine that comes as a package of the operating system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// The Python of the operating system, which sees the package.
    pub python: String,
    /// The packages.
    pub packages: String,
    /// The Python module that shows whether they are installed.
    pub module: String,
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// All Python programs of adapters and the modules that they import: file and content.
pub fn programs() -> &'static [(&'static str, &'static str)] {
    PROGRAMS
}

/// What every engine in a process of its own can do, as JSON by name: adapters read their row of it.
pub fn capabilities() -> String {
    let rows = table().iter().filter(|engine| engine.adapter.is_some());
    let row = |engine: &'static Engine| Some((&engine.name, engine.capabilities.as_ref()?));
    let rows: std::collections::BTreeMap<_, _> = rows.filter_map(row).collect();
    serde_json::to_string_pretty(&rows).expect("the table is a constant, and tests write it")
}

/// An engine in this process.
#[derive(Debug, Clone, Copy)]
pub struct InProcess {
    /// The engine.
    pub engine: &'static str,
    /// The feature of the program with which it is built.
    pub feature: &'static str,
    /// How it is started, if the program was built with it.
    pub start: Option<fn() -> Start>,
}

/// The engines in this process, except Rapier, which is a method of its own kind.
pub const INSIDE: [InProcess; 1] = [InProcess {
    engine: "box3d",
    feature: "box3d",
    #[cfg(feature = "box3d")]
    start: Some(|| Start::Resident(|| Box::new(crate::box3d::Box3d::default()))),
    #[cfg(not(feature = "box3d"))]
    start: None,
}];

#[derive(Deserialize)]
struct Table {
    engine: Vec<Engine>,
}

static TABLE: LazyLock<Vec<Engine>> = LazyLock::new(|| {
    let read = |text: &&str| -> Vec<Engine> {
        let table: Table = toml::from_str(text).expect("tables are constants, and tests read them");
        table.engine
    };
    let mut all: Vec<Engine> = TABLES.iter().flat_map(read).collect();
    all.sort_by_key(|engine| engine.absent.is_some());
    all
});

/// The table of engines, in the order of lists; engines that cannot be had are last.
pub fn table() -> &'static [Engine] {
    &TABLE
}

/// The engine called `name`.
pub fn find(name: &str) -> Option<&'static Engine> {
    TABLE.iter().find(|engine| engine.name == name)
}

impl Engine {
    /// Its adapter, if it has one.
    pub fn adapter(&self) -> Option<&Adapter> {
        self.adapter.as_ref()
    }

    /// Where it is in this process, if it ever is.
    pub fn inside(&self) -> Option<&'static InProcess> {
        INSIDE.iter().find(|inside| inside.engine == self.name)
    }

    /// Its row of semantics: a label and a text for each property, for reports.
    ///
    /// Engines that cannot be had have one row, which says why.
    pub fn semantics(&self) -> Vec<(&'static str, &str)> {
        if let Some(why) = &self.absent {
            return vec![("cannot be had", why)];
        }
        vec![
            ("version", self.version.as_str()),
            ("restitution", &self.restitution),
            ("friction of two bodies", &self.friction),
            ("friction cone", &self.cone),
            ("contact model", &self.contact_model),
            ("solver", &self.solver),
            ("non-convex bodies", &self.non_convex),
            ("lacks", &self.lacks),
            ("setting default", &self.default),
            ("setting best", &self.best),
        ]
    }
}

/// Returns the table of semantics of these methods as Markdown; methods that are not in the table are left out.
///
/// ```
/// let text = rigor_peers::engine::markdown(["ipc", "mujoco"]);
/// assert!(text.contains("| friction of two bodies | maximum of the two coefficients |"));
/// ```
pub fn markdown<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let engines: Vec<&Engine> = names.into_iter().filter_map(find).filter(|e| e.absent.is_none()).collect();
    let Some(first) = engines.first() else { return String::new() };
    let titles: Vec<&str> = engines.iter().map(|engine| engine.title.as_str()).collect();
    let mut text = format!("| | {} |\n| --- |{}\n", titles.join(" | "), " --- |".repeat(titles.len()));
    for (i, (label, _)) in first.semantics().iter().enumerate() {
        let cells: Vec<&str> = engines.iter().map(|engine| engine.semantics()[i].1).collect();
        text += &format!("| {label} | {} |\n", cells.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_adapter_has_a_row_and_every_other_row_says_why_not() {
        for engine in table() {
            let has_adapter = engine.adapter().is_some() || engine.inside().is_some();
            assert_eq!(has_adapter, engine.capabilities.is_some(), "{}", engine.name);
            assert_eq!(has_adapter, engine.absent.is_none(), "{}", engine.name);
            assert!(engine.semantics().iter().all(|(_, text)| !text.is_empty()), "{}", engine.name);
        }
        assert!(INSIDE.iter().all(|inside| find(inside.engine).is_some()));
    }

    #[test]
    fn requirements_pin_the_version_in_the_table() {
        for (engine, adapter) in table().iter().filter_map(|engine| Some((engine, engine.adapter()?))) {
            assert!(adapter.requirements.iter().all(|line| line.contains("==")), "{}", engine.name);
            let pin = format!("{}=={}", engine.package, engine.version);
            assert!(adapter.system.is_some() || adapter.requirements.contains(&pin), "{pin}");
        }
    }

    #[test]
    fn every_adapter_is_a_program_and_every_row_is_told_once() {
        for (engine, adapter) in table().iter().filter_map(|engine| Some((engine, engine.adapter()?))) {
            let program = programs().iter().find(|(file, _)| *file == adapter.program);
            let (_, text) =
                program.unwrap_or_else(|| panic!("{}: there is no {}", engine.name, adapter.program));
            assert!(!text.contains("capabilities"), "{}: its row has its capabilities", engine.name);
            assert!(capabilities().contains(&format!("\"{}\": {{", engine.name)));
        }
        let mut names: Vec<&str> = table().iter().map(|engine| engine.name.as_str()).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|two| two[0] != two[1]), "{names:?}");
    }
}

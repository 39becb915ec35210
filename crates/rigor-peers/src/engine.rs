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
}

/// The files of an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adapter {
    /// The engine.
    pub engine: &'static str,
    /// The Python environment that has its packages; engines of one package share it.
    pub environment: &'static str,
    /// What a system package must provide, if the engine is no Python package.
    pub system: Option<System>,
    /// The name of its program.
    pub file: &'static str,
    /// The arguments of its program.
    pub arguments: &'static [&'static str],
    /// Its program, in Python.
    pub program: &'static str,
    /// The packages that it needs, with their versions, one per line.
    pub requirements: &'static str,
}

/// An engine that comes as a package of the operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct System {
    /// The Python of the operating system, which sees the package.
    pub python: &'static str,
    /// The packages.
    pub packages: &'static str,
    /// The Python module that shows whether they are installed.
    pub module: &'static str,
}

/// Modules that every adapter imports: file and content.
pub const MODULES: [(&str, &str); 3] = [
    ("rigor_joint.py", include_str!("../peers/rigor_joint.py")),
    ("rigor_peer.py", include_str!("../peers/rigor_peer.py")),
    ("rigor_shape.py", include_str!("../peers/rigor_shape.py")),
];

/// The adapters.
pub const ADAPTERS: [Adapter; 10] = [
    python(
        "mujoco",
        "mujoco_adapter.py",
        include_str!("../peers/mujoco_adapter.py"),
        include_str!("../peers/mujoco.txt"),
    ),
    python(
        "bullet",
        "bullet_adapter.py",
        include_str!("../peers/bullet_adapter.py"),
        include_str!("../peers/bullet.txt"),
    ),
    python(
        "drake",
        "drake_adapter.py",
        include_str!("../peers/drake_adapter.py"),
        include_str!("../peers/drake.txt"),
    ),
    python(
        "physx",
        "physx_adapter.py",
        include_str!("../peers/physx_adapter.py"),
        include_str!("../peers/physx.txt"),
    ),
    python(
        "dart",
        "dart_adapter.py",
        include_str!("../peers/dart_adapter.py"),
        include_str!("../peers/dart.txt"),
    ),
    Adapter {
        system: Some(System {
            python: "/usr/bin/python3",
            packages: "python3-siconos python3-scipy",
            module: "siconos.mechanics.collision.bullet",
        }),
        ..python(
            "siconos",
            "siconos_adapter.py",
            include_str!("../peers/siconos_adapter.py"),
            include_str!("../peers/siconos.txt"),
        )
    },
    python(
        "jolt",
        "jolt_adapter.py",
        include_str!("../peers/jolt_adapter.py"),
        include_str!("../peers/jolt.txt"),
    ),
    newton("newton-xpbd", &["xpbd"]),
    newton("newton-vbd", &["vbd"]),
    newton("newton-kamino", &["kamino"]),
];

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

/// The adapter of an engine that is a Python package.
const fn python(
    engine: &'static str,
    file: &'static str,
    program: &'static str,
    requirements: &'static str,
) -> Adapter {
    Adapter { engine, environment: engine, system: None, file, arguments: &[], program, requirements }
}

/// The adapter of a solver of Newton.
const fn newton(engine: &'static str, arguments: &'static [&'static str]) -> Adapter {
    Adapter {
        engine,
        arguments,
        ..python(
            "newton",
            "newton_adapter.py",
            include_str!("../peers/newton_adapter.py"),
            include_str!("../peers/newton.txt"),
        )
    }
}

#[derive(Deserialize)]
struct Table {
    engine: Vec<Engine>,
}

static TABLE: LazyLock<Vec<Engine>> = LazyLock::new(|| {
    let table: Table = toml::from_str(include_str!("../peers/engines.toml"))
        .expect("the table is a constant, and tests read it");
    table.engine
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
    pub fn adapter(&self) -> Option<&'static Adapter> {
        ADAPTERS.iter().find(|adapter| adapter.engine == self.name)
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
        assert!(ADAPTERS.iter().all(|adapter| find(adapter.engine).is_some()));
        assert!(INSIDE.iter().all(|inside| find(inside.engine).is_some()));
    }

    #[test]
    fn requirements_pin_the_version_in_the_table() {
        for adapter in &ADAPTERS {
            let engine = find(adapter.engine).expect("it has a row");
            assert!(adapter.requirements.lines().all(|line| line.contains("==")), "{}", adapter.engine);
            if adapter.system.is_some() {
                continue;
            }
            let pin = format!("{}=={}", engine.package, engine.version);
            assert!(adapter.requirements.lines().any(|line| line == pin), "{pin}");
        }
    }
}

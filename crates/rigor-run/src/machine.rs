//! The computer and the versions used for a run.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// The computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor.
    pub processor: String,
    /// Logical processors.
    pub cores: usize,
    /// Main memory (GiB, rounded); 0 if unknown.
    pub memory_gib: u64,
    /// Operating system and architecture.
    pub system: String,
}

/// The versions that determine the results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// This program.
    pub rigor: String,
    /// The commit it was built from.
    pub commit: String,
    /// The compiler.
    pub rustc: String,
    /// The Rapier engine.
    pub rapier: String,
    /// The engine in a process of its own that was used, and a hash of its adapter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
}

impl Machine {
    /// Describes this computer, which is asked once: a system that lists its processors takes longer than a short run.
    pub fn here() -> Self {
        static HERE: OnceLock<Machine> = OnceLock::new();
        HERE.get_or_init(Self::ask).clone()
    }

    fn ask() -> Self {
        let info = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
        let value = |text: &str, key: &str| -> Option<String> {
            let line = text.lines().find(|line| line.starts_with(key))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let kib = value(&info("/proc/meminfo"), "MemTotal")
            .and_then(|v| v.split_whitespace().next()?.parse::<u64>().ok());
        Self {
            processor: value(&info("/proc/cpuinfo"), "model name").unwrap_or_else(|| "unknown".into()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_gib: kib.map_or(0, |kib| (kib + (1 << 19)) >> 20),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

impl Versions {
    /// Returns the versions of this program; no engine is started.
    pub fn here() -> Self {
        Self {
            rigor: env!("CARGO_PKG_VERSION").into(),
            commit: env!("RIGOR_COMMIT").into(),
            rustc: env!("RIGOR_RUSTC").into(),
            rapier: rigor_peers::rapier::VERSION.into(),
            engine: None,
        }
    }
}

//! Progress of many runs: a bar on a terminal, lines elsewhere.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use rigor_study::driver::RunResult;
use rigor_study::row::outcome;
use rigor_study::task::Task;
use serde_json::json;

/// The form of progress messages, which go to standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Log {
    /// A bar on a terminal, else lines of text: one per run, or some while a single run goes on.
    #[default]
    Text,
    /// The same lines as JSON objects.
    Json,
    /// Nothing.
    None,
}

/// What a command tells while it makes runs.
#[derive(Debug, Clone, Copy, Args)]
pub struct LogArgs {
    /// Form of the progress messages.
    #[arg(long, value_enum, default_value_t)]
    log: Log,
    /// Print no progress; `rigor run` prints nothing but errors.
    #[arg(long)]
    quiet: bool,
}

impl LogArgs {
    /// Returns the form; `--quiet` wins.
    pub fn form(self) -> Log {
        if self.quiet { Log::None } else { self.log }
    }

    /// Whether a command prints nothing but errors.
    pub fn is_quiet(self) -> bool {
        self.quiet
    }
}

/// Progress of so many runs.
pub struct Progress {
    bar: ProgressBar,
    log: Log,
    is_bar: bool,
    n_done: AtomicUsize,
    total: usize,
}

impl Progress {
    /// Starts to show the progress of `total` runs.
    pub fn new(total: usize, log: Log) -> Self {
        let is_bar = log == Log::Text && std::io::stderr().is_terminal();
        let bar = if is_bar { ProgressBar::new(total as u64) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{bar:30.cyan/dim} {pos}/{len} runs  {wide_msg}") {
            bar.set_style(style);
        }
        Self { bar, log, is_bar, n_done: AtomicUsize::new(0), total }
    }

    /// Shows that a run was made or found.
    #[allow(clippy::print_stderr, reason = "progress goes to standard error")]
    pub fn done(&self, task: &Task, made: &RunResult) {
        let n = 1 + self.n_done.fetch_add(1, Ordering::Relaxed);
        self.bar.set_length(self.total.max(n) as u64);
        self.bar.inc(1);
        let ending = match &made.record {
            Ok(record) => outcome(record),
            Err(error) => format!("error: {error}"),
        };
        let found = if made.is_found { ", found" } else { "" };
        if self.log == Log::Json {
            let identity = made.record.as_ref().map(|record| record.identity.clone()).unwrap_or_default();
            let line = json!({
                "run": n, "of": self.total.max(n), "scene": task.scene, "label": task.label, "identity": identity,
                "outcome": ending, "found": made.is_found,
            });
            eprintln!("{line}");
        } else if self.is_bar {
            self.bar.set_message(format!("{} with {}", task.scene, task.label));
        } else if self.log == Log::Text {
            eprintln!("[{n}/{}] {} with {}: {ending}{found}", self.total.max(n), task.scene, task.label);
        }
    }

    /// Ends the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

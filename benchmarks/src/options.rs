//! Shared options of the benchmarks of whole runs.

use clap::Args;

/// The extent of a benchmark: everything with `cargo bench`, a few steps of every part in tests.
#[derive(Debug, Args)]
pub struct Extent {
    /// Given by `cargo bench`.
    #[arg(long, global = true, hide = true)]
    bench: bool,
    /// Take only a few steps of every part.
    #[arg(long, global = true)]
    test: bool,
}

impl Extent {
    /// Returns whether a few steps suffice: with `--test`, or without `--bench`.
    pub fn is_short(&self) -> bool {
        self.test || !self.bench
    }
}

/// Shared options of the comparisons between methods.
#[derive(Debug, Args)]
pub struct Comparison {
    /// Number of threads.
    #[arg(long, global = true, default_value_t = 1)]
    pub threads: usize,
    /// Only methods with settings whose label contains this.
    #[arg(long, global = true, default_value = "")]
    pub only: String,
}

//! Options that the benchmarks of whole runs share.

use clap::Args;

/// How much is to be measured: everything with `cargo bench`, a few steps of every part in tests.
#[derive(Debug, Args)]
pub struct Extent {
    /// Given by `cargo bench`.
    #[arg(long, global = true, hide = true)]
    bench: bool,
    /// A few steps of every part.
    #[arg(long, global = true)]
    test: bool,
}

impl Extent {
    /// Whether a few steps are enough: with `--test`, and whenever `--bench` is not given.
    pub fn is_short(&self) -> bool {
        self.test || !self.bench
    }
}

/// What the comparisons of ways to work share.
#[derive(Debug, Args)]
pub struct Comparison {
    /// Threads.
    #[arg(long, global = true, default_value_t = 1)]
    pub threads: usize,
    /// Only ways whose label contains this.
    #[arg(long, global = true, default_value = "")]
    pub only: String,
}

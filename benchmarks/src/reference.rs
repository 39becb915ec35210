//! Measurements of the reference program of \[Ferguson2021\], made elsewhere and read at run time.
//!
//! The file is a table of tab-separated values with a header line and one line per run: `fixture` (a path
//! below `fixtures`), `steps_done`, `user_cpu_s`, `cpu_s_per_step`, `newton_per_step`. A run that was stopped
//! has used more time than its completed steps took, so the mean is a separate column.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One run on one thread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reference {
    /// Completed steps; 0 if it was stopped within the first.
    pub steps: u64,
    /// User CPU time (s) of the whole run, including the step in which it was stopped.
    pub cpu: f64,
    /// Mean CPU time (s) of the completed steps; `None` if there are none.
    pub cpu_per_step: Option<f64>,
    /// Newton iterations per step.
    pub iterations_per_step: Option<f64>,
}

/// Returns the path of the table: `RIGOR_RIGID_IPC_RUNS`, by default `../../reference/rigid-ipc-runs.tsv`
/// relative to the folder of the fixtures.
pub fn file(rigid_ipc: &Path) -> PathBuf {
    std::env::var_os("RIGOR_RIGID_IPC_RUNS")
        .map_or_else(|| rigid_ipc.join("../../reference/rigid-ipc-runs.tsv"), PathBuf::from)
}

/// Returns the ratio of the reference program's time to its time without switches of the processor's rounding
/// mode (its results without them are bit-identical), as an upper bound.
///
/// The ratio is 1.9 for scenes dominated by collision detection (bolt, wedges, presses), 1.35 for chains, and
/// 1 where it was not measured.
pub fn rounding_switches(fixture: &str) -> f64 {
    let has = |words: &[&str]| words.iter().any(|word| fixture.contains(word));
    match () {
        () if has(&["bolt", "wedge", "punching-press"]) => 1.9,
        () if has(&["chain/", "bike-chain", "chain-net"]) => 1.35,
        () => 1.0,
    }
}

/// Returns the runs in `table`, by fixture; invalid lines are skipped.
///
/// ```
/// use rigor_benchmarks::reference::parse;
/// let heads = "fixture\tsteps_done\tuser_cpu_s\tcpu_s_per_step\tnewton_per_step\n";
/// let runs = parse(&format!("{heads}3D/a.json\t50\t2.75\t0.05\t3.5\n3D/b.json\t0\t90\t\t\n"));
/// assert_eq!((runs["3D/a.json"].steps, runs["3D/a.json"].cpu_per_step), (50, Some(0.05)));
/// assert_eq!((runs["3D/b.json"].cpu, runs["3D/b.json"].cpu_per_step), (90.0, None));
/// ```
pub fn parse(table: &str) -> BTreeMap<String, Reference> {
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let heads = lines.next().unwrap_or_default();
    let run = |cells: Vec<&str>| {
        let cell = |name: &str| cells.get(heads.iter().position(|head| *head == name)?).copied();
        let number = |name: &str| cell(name).and_then(|n| n.parse().ok());
        let reference = Reference {
            steps: cell("steps_done")?.parse().ok()?,
            cpu: cell("user_cpu_s")?.parse().ok()?,
            cpu_per_step: number("cpu_s_per_step"),
            iterations_per_step: number("newton_per_step"),
        };
        Some((cell("fixture")?.to_owned(), reference))
    };
    lines.filter_map(run).collect()
}

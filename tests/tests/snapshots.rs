//! Results do not change by accident: hashes and costs of the first steps of every small case and method.
//!
//! `tests/snapshots.csv` holds what they were. `RIGOR_UPDATE_SNAPSHOTS=1 cargo test -p rigor-tests --test snapshots`
//! writes what they are. Kernels that are chosen by what the processor can do may round differently, so the
//! test is ignored on other processors than that of the file.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use rayon::prelude::*;
use rigor_audit::determinism::Determinism;
use rigor_file::cases;
use rigor_run::registry::Entry;
use rigor_scene::{Run, Scene};
use rigor_tests::roster::{method, methods};
use rigor_tests::scenes::case;

const STEPS: u64 = 10;
/// Larger scenes are left out.
const MAX_BODIES: usize = 60;
const MAX_PARTICLES: usize = 1000;
const MAX_TRIANGLES: usize = 20_000;

/// Cases that take some methods many seconds.
const SLOW: [&str; 2] = ["ferguson2021/02-bike-chain", "tunnelling/high-speed"];

const UPDATE: &str = "RIGOR_UPDATE_SNAPSHOTS=1 cargo test -p rigor-tests --test snapshots";
const COLUMNS: &str = "case,method,steps,hash,iterations,queries,factorizations";

fn main() {
    let trial = Trial::ignorable_test("cases_begin_as_before", || {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots.csv");
        if std::env::var_os("RIGOR_UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(path, file(&measured())).unwrap();
            return Ok(Completion::Completed);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let (of, rows) = text.trim_start_matches("# ").split_once('\n').unwrap();
        if of != processor() {
            return Ok(Completion::ignored_with(format!("the file is of {of}, this is {}", processor())));
        }
        let complaints = differences(&parsed(rows), &measured());
        if complaints.is_empty() { Ok(Completion::Completed) } else { Err(failure(&complaints)) }
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit()
}

/// The rest of a row, by case and method.
type Rows = BTreeMap<(String, String), String>;

/// Returns what decides which kernels are chosen.
fn processor() -> String {
    let arch = std::env::consts::ARCH;
    #[cfg(target_arch = "x86_64")]
    let arch = if std::is_x86_feature_detected!("avx512f") { "x86_64 with AVX-512" } else { arch };
    arch.to_owned()
}

fn is_small(scene: &Scene) -> bool {
    let n_triangles: usize = scene.bodies.iter().map(|body| body.mesh.triangles().len()).sum();
    scene.bodies.len() <= MAX_BODIES
        && scene.particles.len() <= MAX_PARTICLES
        && scene.fluids.is_empty()
        && n_triangles <= MAX_TRIANGLES
}

fn measured() -> Rows {
    let scenes: Vec<(&str, Scene)> = cases::names().map(|name| (name, case(name))).collect();
    let pairs: Vec<(&str, &Scene, &Entry)> = scenes
        .iter()
        .filter(|(name, scene)| is_small(scene) && !SLOW.contains(name))
        .flat_map(|(name, scene)| methods().into_iter().map(move |entry| (*name, scene, entry)))
        .filter(|(_, scene, entry)| method(entry, scene).supports(scene).is_ok())
        .collect();
    let row = |(name, scene, entry): &(&str, &Scene, &Entry)| {
        let run = Run::record(scene, method(entry, scene).as_mut(), scene.time.dt, STEPS);
        ((name.to_string(), entry.name.to_owned()), numbers(&run))
    };
    pairs.par_iter().map(row).collect()
}

/// Returns the numbers of a run, which may have stopped early.
fn numbers(run: &Run) -> String {
    let mut judge = Determinism::default();
    run.trajectory.frames.iter().for_each(|frame| judge.add(frame));
    let iterations: u64 = run.reports.iter().map(|report| report.iterations).sum();
    let queries: u64 = run.reports.iter().map(|report| report.ccd_queries).sum();
    let factorizations: f64 = run.reports.iter().filter_map(|report| report.quantity("factorizations")).sum();
    let steps = run.reports.len();
    format!("{steps},{:016x},{iterations},{queries},{}", judge.hash(), factorizations.abs())
}

fn file(rows: &Rows) -> String {
    let mut text = format!("# {}\n{COLUMNS}\n", processor());
    for ((case, method), numbers) in rows {
        writeln!(text, "{case},{method},{numbers}").unwrap();
    }
    text
}

fn parsed(rows: &str) -> Rows {
    let row = |line: &str| {
        let mut parts = line.splitn(3, ',').map(str::to_owned);
        let mut next = || parts.next().unwrap();
        ((next(), next()), next())
    };
    rows.lines().skip(1).map(row).collect()
}

/// Returns a line for each row that differs.
fn differences(before: &Rows, now: &Rows) -> Vec<String> {
    let names = before.keys().chain(now.keys().filter(|key| !before.contains_key(*key)));
    let line = |key: &(String, String)| {
        let [before, now] = [before, now].map(|rows| rows.get(key).map_or("none", String::as_str));
        (before != now).then(|| format!("{} on {}: {before} → {now}", key.1, key.0))
    };
    names.filter_map(line).collect()
}

fn failure(complaints: &[String]) -> Failed {
    let lines = complaints.join("\n");
    format!(
        "{} runs begin otherwise than before ({}):\n{lines}\nIf this is meant, run `{UPDATE}`, and say why in \
         the commit message.",
        complaints.len(),
        COLUMNS.trim_start_matches("case,method,"),
    )
    .into()
}

//! The plots of `docs/performance.md`, drawn from the committed measurements.

use crate::measured::{Row as Cells, number, rows};
use crate::plot::{self, Curve, Dot, Panel, Row};

const BOXES: &str = include_str!("../results/performance/boxes.csv");
const JOINTS: &str = include_str!("../results/performance/joints.csv");
const CCD: &str = include_str!("../results/performance/ccd.csv");
const BROAD_PHASE: &str = include_str!("../results/performance/broad-phase.csv");
const PILE: &str = include_str!("../results/performance/ipc-pile.csv");
const FIXTURES: &str = include_str!("../results/performance/ipc-fixtures.csv");

const METHODS: [&str; 3] = ["rapier", "xpbd", "xpbd direct"];

/// Returns the name and the text of every plot.
pub fn plots() -> Vec<(&'static str, String)> {
    vec![
        ("boxes.svg", boxes()),
        ("joints.svg", joints()),
        ("ropes.svg", ropes()),
        ("ccd.svg", ccd()),
        ("broad-phase.svg", broad_phase()),
        ("ipc-pile.svg", pile()),
        ("ipc-fixtures.svg", fixtures()),
    ]
}

fn boxes() -> String {
    let rows = rows(BOXES);
    let panel = |scene: &str, n: &str| Panel {
        title: format!("{scene}, {n} boxes"),
        axes: ["CPU time per step (ms)", "deepest penetration (mm)"],
        curves: curves(&rows, ["scene", "boxes"], [scene, n], "penetration [mm]"),
    };
    let panels = [("columns", "100"), ("columns", "1000"), ("pile", "100"), ("pile", "1000")]
        .map(|(scene, n)| panel(scene, n));
    plot::panels("Penetration against CPU time: boxes in columns and in piles", &METHODS[..2], &panels, 2)
}

fn joints() -> String {
    let scenes =
        [("pendula", "10"), ("pendula", "1000"), ("chains of 100", "10"), ("weight on 20 links", "1000")];
    joint_panels("Joint error against CPU time: pendula, chains, weights", scenes)
}

fn ropes() -> String {
    let scenes = [("rope", "10"), ("rope", "100"), ("rope", "1000"), ("net", "30 × 30")];
    joint_panels("Joint error against CPU time: ropes and nets", scenes)
}

fn joint_panels(about: &str, scenes: [(&str, &str); 4]) -> String {
    let rows = rows(JOINTS);
    let panel = |(scene, size): (&str, &str)| Panel {
        title: format!("{scene}: {size}"),
        axes: ["CPU time per step (ms)", "largest joint error (mm)"],
        curves: curves(&rows, ["scene", "size"], [scene, size], "joint error [mm]"),
    };
    plot::panels(about, &METHODS, &scenes.map(panel), 2)
}

/// Returns a curve per method through the rows whose `columns` have these `values`, in order of CPU time.
fn curves(rows: &[Cells], columns: [&str; 2], values: [&str; 2], error: &str) -> Vec<Curve> {
    let is_wanted = |row: &&Cells| columns.map(|column| row[column]) == values;
    let curve = |name: &'static str| {
        let of = rows.iter().filter(is_wanted).filter(|row| row["method"] == name);
        let point =
            |row: &Cells| Some((number(row, "cpu [ms/step]")?, number(row, error)?, short(row["settings"])));
        let mut points: Vec<_> = of.filter_map(point).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Curve { name, points }
    };
    METHODS.map(curve).into_iter().filter(|curve| !curve.points.is_empty()).collect()
}

/// Returns settings without what follows the number of iterations: `1 × 2 8 sweeps` is `1 × 2`.
fn short(settings: &str) -> String {
    let words: Vec<&str> = settings.split(' ').filter(|word| *word != "substep").collect();
    if words.get(1) == Some(&"×") { words[..3].join(" ") } else { words.join(" ") }
}

fn ccd() -> String {
    const PLACINGS: [&str; 3] = ["far", "random", "near"];
    let rows = rows(CCD);
    let mut found: Vec<Row> = Vec::new();
    for row in &rows {
        let label = format!("{}, {} ({})", row["method"], row["kind"], row["motion"]);
        let series = PLACINGS.iter().position(|placing| *placing == row["placing"]).unwrap_or_default();
        let value = number(row, "median [us]").unwrap_or_default();
        let dot = Dot { series, value, is_bound: false };
        match found.iter_mut().find(|row| row.label == label) {
            Some(row) => row.dots.push(dot),
            None => found.push(Row { label, dots: vec![dot] }),
        }
    }
    plot::rows("Time of a collision query", &PLACINGS, "median time per query (µs)", &found)
}

fn broad_phase() -> String {
    let names = ["at rest", "2 cm, 0.05 rad", "5 cm, 2 rad", "570 turns in place"];
    let rows = rows(BROAD_PHASE);
    let motions: Vec<&str> = rows.iter().step_by(3).map(|row| row["motion"]).collect();
    let panel = |title: &str, axis: &'static str, column: &str| {
        let curve = |(name, motion): (&&'static str, &&str)| {
            let of = rows.iter().filter(|row| row["motion"] == *motion);
            let point = |row: &Cells| Some((number(row, "bodies")?, number(row, column)?, String::new()));
            Curve { name, points: of.filter_map(point).filter(|point| point.1 > 0.0).collect() }
        };
        let curves = names.iter().zip(&motions).map(curve).collect();
        Panel { title: title.into(), axes: ["bodies", axis], curves }
    };
    let panels = [
        panel("Time of the broad phase", "time per query (ms)", "minimum [ms]"),
        panel("Candidates", "pairs of primitives", "candidates"),
    ];
    plot::panels("Time and candidates of the broad phase against the number of bodies", &names, &panels, 2)
}

fn pile() -> String {
    const NAMES: [&str; 2] = ["ipc", "mean of all boxes"];
    let rows = rows(PILE);
    let curve = |name: &'static str, column: &str, says: bool| {
        let label = |row: &Cells| if says { format!("{} boxes", row["boxes"]) } else { String::new() };
        let point = |row: &Cells| Some((number(row, "mean contacts")?, number(row, column)?, label(row)));
        Curve { name, points: rows.iter().filter_map(point).collect() }
    };
    let panel = |title: &str, axis: &'static str, curves| Panel {
        title: title.into(),
        axes: ["mean contacts", axis],
        curves,
    };
    let panels = [
        panel("Cost of a step", "CPU time per step (s)", vec![curve("ipc", "cpu [s/step]", true)]),
        panel(
            "Newton iterations of the slowest group and of a box",
            "iterations per step",
            vec![
                curve("ipc", "iterations per step", false),
                curve("mean of all boxes", "moves per body", false),
            ],
        ),
    ];
    plot::panels("Falling boxes with ipc: CPU time and iterations against contacts", &NAMES, &panels, 2)
}

fn fixtures() -> String {
    let rows = rows(FIXTURES);
    let row = |row: &Cells| {
        let dot = Dot { series: 0, value: number(row, "ratio")?, is_bound: row["ratio is"] == "lower bound" };
        Some(Row { label: row["fixture"].to_string(), dots: vec![dot] })
    };
    let mut found: Vec<Row> = rows.iter().filter_map(row).collect();
    found.sort_by(|a, b| b.dots[0].value.total_cmp(&a.dots[0].value));
    let name = ["CPU time of the reference program over that of ipc (hollow: a lower bound)"];
    plot::rows("CPU time of the reference program over that of ipc, scene by scene", &name, "ratio", &found)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_committed_plots_are_those_of_the_committed_measurements() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/images/performance");
        for (name, text) in plots() {
            let committed = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
            assert_eq!(committed, text, "{name}: cargo run -p rigor-benchmarks --example plots");
        }
    }
}

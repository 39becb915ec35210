//! Imports every URDF and MJCF file under a folder, lets each fall for 0.1 s under `xpbd`, and lists what its joints made of it.
//!
//! ```text
//! cargo run --release -p rigor-bench --example robots -- [FOLDER [FILE.csv]] [KEY=VALUE …]
//! ```
//!
//! Without a folder: the arm in `examples/robots` of this crate.
//!
//! | column | meaning |
//! | --- | --- |
//! | bodies, joints | of the scene |
//! | told | what import and run warn of: joints that do not hold at time 0, pairs of bodies that intersect, links lighter than their neighbours |
//! | flaws | kinds of flaws that steps told |
//! | made (J), made | largest rise of kinetic and potential energy, springs of joints and drives included; the same over the work of gravity on a free fall of that time plus the kinetic energy at time 0; the fall ends with a tenth of it |
//! | apart (m), askew (rad) | largest error of a joint at the end |
//! | mass, file | mass of all bodies that move (kg); sum of the masses that the file states, where it states any |
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::BTreeSet;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rigor_file::robot::{self, Options};
use rigor_file::{LoadOptions, Loaded};
use rigor_run::disk::Disk;
use rigor_run::registry;
use rigor_scene::joint::unwrapped;
use rigor_scene::{
    Clock, JointError, JointFrames, JointReport, Observer, Outcome, Scene, State, StepReport, roll_out,
};

/// Simulated time (s).
const DURATION: f64 = 0.1;

/// Part of the energy of the fall that a robot may make before its fall ends.
const ENOUGH: f64 = 0.1;

struct Row {
    name: String,
    bodies: usize,
    joints: usize,
    told: usize,
    flaws: String,
    made: f64,
    share: f64,
    apart: f64,
    askew: f64,
    moving: f64,
    stated: Option<f64>,
    end: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (overrides, paths): (Vec<String>, Vec<String>) =
        arguments.into_iter().partition(|argument| argument.contains('='));
    let shipped = || Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/robots");
    let folder = paths.first().map_or_else(shipped, PathBuf::from);
    let mut files = Vec::new();
    find(&folder, &mut files)?;
    files.sort();
    let rows: Vec<Row> = files.iter().filter_map(|file| row(&folder, file, &overrides)).collect();
    println!("{}", table(&rows));
    let bad = rows.iter().filter(|row| row.share > 0.01 || row.share.is_nan());
    let untold = bad.clone().filter(|row| row.told == 0 && row.flaws.is_empty()).count();
    println!("{} files; {} made more than 1 %, {untold} of them untold", rows.len(), bad.count());
    if let Some(path) = paths.get(1) {
        write(Path::new(path), &rows)?;
    }
    Ok(())
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if folder.is_file() {
        files.push(folder.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|end| end == "urdf" || end == "xml") {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the row of a file; none for XML that is no robot.
fn row(folder: &Path, file: &Path, overrides: &[String]) -> Option<Row> {
    let text = std::fs::read_to_string(file).ok()?;
    if !text.contains("<robot") && !text.contains("<mujoco") {
        return None;
    }
    let name = file.strip_prefix(folder).unwrap_or(file).display().to_string();
    let options = LoadOptions { overrides: overrides.to_vec(), mesh_folders: vec![] };
    let mut row = Row {
        name,
        bodies: 0,
        joints: 0,
        told: 0,
        flaws: String::new(),
        made: 0.0,
        share: 0.0,
        apart: 0.0,
        askew: 0.0,
        moving: 0.0,
        stated: stated(&text),
        end: String::new(),
    };
    match robot::load_robot(file, &Disk, &options, Options::default()) {
        Err(error) => row.end = error.to_string(),
        Ok((loaded, _)) => fall(&mut row, &loaded),
    }
    Some(row)
}

fn fall(row: &mut Row, loaded: &Loaded) {
    let scene = &loaded.scene;
    (row.bodies, row.joints, row.told) = (scene.bodies.len(), scene.joints.len(), scene.start_errors().len());
    row.moving = scene.bodies.iter().filter(|body| body.is_dynamic()).map(|body| body.mass).sum();
    let settings = scene.methods.get("xpbd").cloned().unwrap_or_default();
    let made = registry::find("xpbd").and_then(|entry| entry.make(&settings, Clock::default()));
    let mut method = match made {
        Ok(chosen) => chosen.method,
        Err(error) => {
            row.end = error.to_string();
            return;
        }
    };
    let (dt, light) = (scene.time.dt, method.notices(scene, scene.time.dt));
    row.told += meetings(scene)
        + light.iter().filter(|notice| notice.quantity == "mass").map(|n| n.count).sum::<usize>();
    let mut state = State::initial(scene);
    let (kinetic, _) = rigor_scene::energy::of_state(scene, &state);
    // What neither moves nor weighs can make rounding errors only.
    let scale = 0.5 * row.moving * scene.gravity.norm_squared() * DURATION * DURATION + kinetic;
    let scale = if scale > 0.0 { scale } else { f64::INFINITY };
    let mut turns: Vec<f64> = (0..scene.joints.len()).map(|i| scene.joint_at_start(i).1).collect();
    let start = of(scene, &state, &mut turns);
    let mut fall =
        Fall { start, made: 0.0, enough: ENOUGH * scale, turns, flaws: BTreeSet::new(), errors: [0.0; 2] };
    let steps = (DURATION / dt).ceil() as u64;
    row.end = match roll_out(scene, method.as_mut(), &mut state, dt, steps, &mut fall) {
        Outcome::Completed => String::new(),
        Outcome::Stopped { error, .. } => error.to_string(),
        Outcome::Interrupted { step } => format!("ended with step {step}"),
    };
    (row.made, row.share) = (fall.made, fall.made / scale);
    row.flaws = fall.flaws.into_iter().collect::<Vec<_>>().join(" ");
    [row.apart, row.askew] = fall.errors;
}

/// Returns the number of pairs of bodies that intersect at the start.
fn meetings(scene: &Scene) -> usize {
    rigor_file::check::initial_intersections(scene).len()
}

/// What the steps of a fall made.
struct Fall {
    /// Energy at the start (J).
    start: f64,
    /// Largest rise above it (J).
    made: f64,
    /// Rise at which the fall ends: bodies that fly apart tell no more.
    enough: f64,
    turns: Vec<f64>,
    flaws: BTreeSet<String>,
    /// Largest errors (m, rad) of a joint in the last step.
    errors: [f64; 2],
}

impl Observer for Fall {
    fn step(&mut self, scene: &Scene, state: &State, report: &StepReport) -> ControlFlow<()> {
        self.flaws.extend(report.flaws.iter().map(|flaw| flaw.kind.name().to_owned()));
        let rise = of(scene, state, &mut self.turns) - self.start;
        self.made = if rise.is_nan() { f64::NAN } else { self.made.max(rise) };
        let largest = |error: fn(&JointReport) -> f64| report.joints.iter().map(error).fold(0.0, f64::max);
        self.errors = [largest(|joint| joint.position_error), largest(|joint| joint.angle_error)];
        if self.made < self.enough { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Returns the energy (J) of a state, with that of joints.
fn of(scene: &Scene, state: &State, turns: &mut [f64]) -> f64 {
    let (kinetic, potential) = rigor_scene::energy::of_state(scene, state);
    let joints = scene.joints.iter().zip(turns).map(|(joint, turn)| {
        let frames = JointFrames::of(joint, |body| state.bodies[body.0].pose);
        *turn = unwrapped(frames.turn(), *turn);
        JointError::at_turn(joint, state, *turn).energy(joint)
    });
    kinetic + potential + joints.sum::<f64>()
}

/// Returns the sum of the masses (kg) that a file states: `<mass value="…">` and `<inertial mass="…">`.
fn stated(text: &str) -> Option<f64> {
    let mut sum = None;
    for tag in text.split('<') {
        let key = if tag.starts_with("mass ") {
            "value="
        } else if tag.starts_with("inertial ") {
            "mass="
        } else {
            continue;
        };
        let number = tag
            .split_once(key)
            .and_then(|(_, rest)| rest.get(1..)?.split(['"', '\'']).next()?.trim().parse::<f64>().ok());
        sum = number.map_or(sum, |mass| Some(sum.unwrap_or(0.0) + mass));
    }
    sum
}

fn cells(row: &Row) -> [String; 12] {
    let number = |x: f64| if x == 0.0 { "0".into() } else { format!("{x:.1e}") };
    [
        row.name.clone(),
        row.bodies.to_string(),
        row.joints.to_string(),
        row.told.to_string(),
        row.flaws.clone(),
        number(row.made),
        format!("{:.3} %", 100.0 * row.share),
        number(row.apart),
        number(row.askew),
        format!("{:.3}", row.moving),
        row.stated.map_or_else(|| "–".into(), |mass| format!("{mass:.3}")),
        row.end.clone(),
    ]
}

const HEADER: [&str; 12] = [
    "file",
    "bodies",
    "joints",
    "told",
    "flaws",
    "made (J)",
    "made",
    "apart (m)",
    "askew (rad)",
    "mass (kg)",
    "file (kg)",
    "error",
];

/// Returns the rows as a table in Markdown.
fn table(rows: &[Row]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let header = line(&HEADER.map(str::to_owned)) + &line(&HEADER.map(|_| "---".to_owned()));
    rows.iter().fold(header, |text, row| text + &line(&cells(row)))
}

fn write(path: &Path, rows: &[Row]) -> Result<(), Box<dyn Error>> {
    let mut csv = csv::Writer::from_path(path)?;
    csv.write_record(HEADER)?;
    rows.iter().try_for_each(|row| csv.write_record(cells(row)))?;
    csv.flush()?;
    Ok(())
}

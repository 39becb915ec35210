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
//! | told | joints that do not hold at time 0, of which import and run warn |
//! | flaws | kinds of flaws that steps told |
//! | made (J), made | largest rise of kinetic and potential energy, springs of joints and drives included; the same over the work of gravity on a free fall of that time plus the kinetic energy at time 0 |
//! | apart (m), askew (rad) | largest error of a joint at the end |
//! | mass, file | mass of all bodies that move (kg); sum of the masses that the file states, where it states any |
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};

use rigor_audit::energy;
use rigor_file::robot::{self, Options};
use rigor_file::{LoadOptions, Loaded};
use rigor_run::disk::Disk;
use rigor_run::registry;
use rigor_scene::joint::unwrapped;
use rigor_scene::{Clock, Drive, Goal, JointFrames, Outcome, Run, Scene, State};

/// Simulated time (s).
const DURATION: f64 = 0.1;

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
    let dt = scene.time.dt;
    let run = Run::record(scene, method.as_mut(), dt, (DURATION / dt).ceil() as u64);
    row.end = match &run.outcome {
        Outcome::Completed => String::new(),
        Outcome::Stopped { error, .. } => error.to_string(),
        Outcome::Interrupted { .. } => "interrupted".into(),
    };
    let kinds: BTreeSet<&str> =
        run.reports.iter().flat_map(|report| &report.flaws).map(|flaw| flaw.kind.name()).collect();
    row.flaws = kinds.into_iter().collect::<Vec<_>>().join(" ");
    let mut turns: Vec<f64> = (0..scene.joints.len()).map(|i| scene.joint_at_start(i).1).collect();
    let energies: Vec<f64> = run.trajectory.frames.iter().map(|state| of(scene, state, &mut turns)).collect();
    row.made =
        energies.iter().fold(f64::NEG_INFINITY, |most, e| if e.is_nan() { f64::NAN } else { most.max(*e) })
            - energies[0];
    let (kinetic, _) = rigor_scene::energy::of_state(scene, &run.trajectory.frames[0]);
    let scale = 0.5 * row.moving * scene.gravity.norm_squared() * DURATION * DURATION + kinetic;
    // What neither moves nor weighs can make rounding errors only.
    row.share = if scale > 0.0 { row.made / scale } else { 0.0 };
    for joint in run.reports.last().iter().flat_map(|report| &report.joints) {
        row.apart = row.apart.max(joint.position_error);
        row.askew = row.askew.max(joint.angle_error);
    }
}

/// Returns the energy (J) of a state, with that of drives that are springs.
fn of(scene: &Scene, state: &State, turns: &mut [f64]) -> f64 {
    let (kinetic, potential) = energy::of_step(scene, state, None);
    let springs = scene.joints.iter().zip(turns).map(|(joint, turn)| {
        let frames = JointFrames::of(joint, |body| state.bodies[body.0].pose);
        *turn = unwrapped(frames.turn(), *turn);
        let spring = |drive: Option<Drive>, x: f64| match drive {
            Some(Drive { goal: Goal::Position(goal), compliance, .. }) if compliance > 0.0 => {
                0.5 * (x - goal) * (x - goal) / compliance
            }
            Some(Drive { goal: Goal::Position(_) | Goal::Velocity(_), .. }) | None => 0.0,
        };
        spring(joint.kind.turn().and_then(|turn| turn.drive), *turn)
            + spring(joint.kind.slide().and_then(|slide| slide.drive), frames.slide())
    });
    kinetic + potential + springs.sum::<f64>()
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

//! Measures soft bodies, particles and water on cases with exact answers, over steps, sweeps and resolution, and prints the page
//! `docs/soft-truth.md`.
//!
//! ```text
//! cargo run --release -p rigor-bench --example soft_truth all > docs/soft-truth.md
//! ```
//!
//! `all` takes about five minutes. Another argument selects the cases whose title contains it; by default: the point that slides on a sheet.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::f64::consts::PI;
use std::path::Path;
use std::time::Instant;

use rigor_file::{Files, LoadOptions};
use rigor_math::{Vec3, elementary};
use rigor_run::registry;
use rigor_scene::{BondKind, Clock, Outcome, ParticleId, Run, Scene};

const G: f64 = 9.81;

/// A finished run.
struct Done {
    scene: Scene,
    run: Run,
    seconds: f64,
}

/// One row: a variant and its error relative to the exact answer.
struct Row {
    variant: String,
    found: String,
    error: f64,
    seconds: f64,
}

struct Case {
    title: &'static str,
    exact: &'static str,
    rows: fn() -> Result<Vec<Row>, Box<dyn Error>>,
}

/// A scene file in memory.
struct Text(String);

impl Files for Text {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let wanted = std::env::args().nth(1).unwrap_or_else(|| "sheet".into());
    println!("{INTRODUCTION}");
    for case in CASES.iter().filter(|case| wanted == "all" || case.title.contains(&wanted)) {
        println!(
            "\n## {}\n\n{}\n\n| variant | found | error | time (s) |\n| --- | --- | --- | --- |",
            case.title, case.exact
        );
        for Row { variant, found, error, seconds } in (case.rows)()? {
            println!("| {variant} | {found} | {error:.1e} | {seconds:.2} |");
        }
    }
    Ok(())
}

/// Runs the scene of `text` under `method`, after `change`.
fn simulate(text: &str, method: &str, change: impl Fn(&mut Scene)) -> Result<Done, Box<dyn Error>> {
    let loaded = rigor_file::load(Path::new("case.toml"), &Text(text.to_owned()), &LoadOptions::default())?;
    let mut scene = loaded.scene;
    change(&mut scene);
    let settings = scene.methods.get(method).cloned().unwrap_or_default();
    let mut chosen = registry::find(method)?.make(&settings, Clock::default())?.method;
    chosen.supports(&scene)?;
    let start = Instant::now();
    let run = Run::record(&scene, chosen.as_mut(), scene.time.dt, scene.time.steps());
    let seconds = start.elapsed().as_secs_f64();
    match &run.outcome {
        Outcome::Completed => Ok(Done { scene, run, seconds }),
        Outcome::Stopped { error, .. } => Err(error.to_string().into()),
        Outcome::Interrupted { .. } => Err("interrupted".into()),
    }
}

impl Done {
    /// Returns the mean of `value` over the frames from the part `from` of the run on.
    fn mean(&self, from: f64, value: impl Fn(&rigor_scene::State) -> f64) -> f64 {
        let frames = &self.run.trajectory.frames;
        let of_end = &frames[(from * frames.len() as f64) as usize..];
        of_end.iter().map(value).sum::<f64>() / of_end.len() as f64
    }

    fn row(&self, variant: String, found: f64, exact: f64, unit: &str) -> Row {
        let error = (found / exact - 1.0).abs();
        Row {
            variant,
            found: format!("{found:.4} {unit}").trim_end().to_owned(),
            error,
            seconds: self.seconds,
        }
    }
}

const INTRODUCTION: &str = "# Soft truth

Soft bodies, particles and water on cases with exact answers: what is found, the error relative to the exact answer, and the time of the run, over steps, sweeps and resolution. Beside
[accuracy](accuracy.md), whose cases are rigid bodies.

This page is the output of `cargo run --release -p rigor-bench --example soft_truth all` (`crates/rigor-bench/examples/soft_truth.rs`, which has the scenes). Times are wall times of one run on two
cores that other programs share: they compare rows of a table roughly. Settings that a variant does not name are the defaults.";

const CASES: [Case; 9] = [
    Case {
        title: "Point that slides on a sheet",
        exact: "A point of radius 0 slides at 1 m/s over a plane tilted by 20°: its distance below the plane is 0. `xpbd`; found is the deepest place in any frame (m).",
        rows: sliding_point,
    },
    Case {
        title: "Rope that hangs",
        exact: "Twenty springs of 10⁻⁴ m/N carry a rope of 1 kg: it is α m g n/2 = 9.81 mm longer. `xpbd`, released unstretched; mean over the last third of 10 s.",
        rows: hanging_rope,
    },
    Case {
        title: "Taut string",
        exact: "Twenty pieces of 0.01 kg and 10⁻⁴ m/N between two pins, stretched by a hundredth: ω = 2 √(T/(m ℓ)) sin(π/2n), T = C/α. `xpbd`; a row with *told* has the flaw `unconverged`.",
        rows: taut_string,
    },
    Case {
        title: "Bar that hangs",
        exact: "A bar of 0.2 m × 1 m × 0.2 m, E = 10⁵ Pa, ν = 0.3 and 100 kg/m³ stretches under its own weight by ρ g L²/2E = 4.9 mm (less near the support, which is held across). `xpbd`, 20 sweeps; mean over the last half of 2 s.",
        rows: hanging_bar,
    },
    Case {
        title: "Cantilever",
        exact: "A beam of 1 m × 0.2 m × 0.2 m, E = 10⁶ Pa, ν = 0.3 and 100 kg/m³, fixed at one end: its tip sinks by ρ A g L⁴/8EI + ρ g L²/2κG, κ = ⅚ (Timoshenko) = 38.3 mm. `xpbd`, 20 sweeps; mean over the last half of 2 s. Linear tetrahedra lock: the error is that of the mesh.",
        rows: cantilever,
    },
    Case {
        title: "Rope that turns freely",
        exact: "A straight rope of ten pieces turns at 5 rad/s without gravity for 10 s and keeps its angular momentum. `xpbd`; found is the ratio of the angular momentum at the end to that at the start.",
        rows: turning_rope,
    },
    Case {
        title: "Ball of particles that rolls",
        exact: "A ball of radius 0.1 m rolls on a plate at 1 m/s for 1 s, and keeps its speed. `particles`.",
        rows: rolling_ball,
    },
    Case {
        title: "Grain that rebounds",
        exact: "A grain falls by 0.2 m on a plate with e = 0.6, and rises to e² of the height. `particles`; error of the height.",
        rows: grain,
    },
    Case {
        title: "Water in a tank",
        exact: "Water of 0.1 m depth: the mean force on the floor of a tank at rest is its weight. In a tank that falls freely nothing moves (found: speed of the fastest particle relative to the tank after 0.3 s, as a part of that of the fall). In a full tank under a constant force both have the acceleration F/m. `particles`.",
        rows: water,
    },
];

fn sliding_point() -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for substeps in [1, 5, 20] {
        let text = format!(
            "gravity = [0, -{G}, 0]\ntime = {{ dt = 0.01, duration = 1 }}\n[[body]]\nname = \"plane\"\nrole = \"static\"\nrotation_deg = [0, 0, 20]\n[[body.shape]]\nplane = {{ size = [10, 10] }}\n\
             [[particle]]\nposition = [0, 0, 0]\nvelocity = [0.1, 0, 1]\n[method.xpbd]\nsubsteps = {substeps}\n"
        );
        let done = simulate(&text, "xpbd", |_| {})?;
        let plane = &done.scene.bodies[0];
        let normal = plane.authored_pose(&plane.initial.pose).rotation * Vec3::y();
        let depths = done.run.trajectory.frames.iter().map(|state| -state.particles[0].position.dot(&normal));
        let deepest = depths.fold(0.0, f64::max);
        rows.push(Row {
            variant: format!("{substeps} substeps"),
            found: format!("{deepest:.1e} m"),
            error: deepest,
            seconds: done.seconds,
        });
    }
    Ok(rows)
}

fn rope(method: &str, duration: f64) -> String {
    format!(
        "gravity = [0, -{G}, 0]\ntime = {{ dt = 0.01, duration = {duration} }}\n[[rope]]\nname = \"rope\"\nfrom = [0, 0, 0]\nto = [0, -1, 0]\nsegments = 20\nmass = 1\n\
         stretch_compliance = 1e-4\npinned = [\"first\"]\n{method}"
    )
}

fn hanging_rope() -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for (substeps, iterations) in [(20, 1), (20, 5), (20, 20), (5, 20), (80, 1)] {
        let settings = format!("[method.xpbd]\nsubsteps = {substeps}\niterations = {iterations}\n");
        let done = simulate(&rope(&settings, 10.0), "xpbd", |_| {})?;
        let longer = done.mean(2.0 / 3.0, |state| -1.0 - state.particles[20].position.y);
        rows.push(done.row(format!("{substeps} × {iterations}"), 1e3 * longer, 9.81, "mm"));
    }
    Ok(rows)
}

fn taut_string() -> Result<Vec<Row>, Box<dyn Error>> {
    let (n, strain, alpha) = (20.0, 0.01, 1e-4);
    let mut rows = Vec::new();
    for (substeps, iterations) in [(20, 1), (20, 5), (20, 20), (20, 100), (100, 1)] {
        let settings = format!("[method.xpbd]\nsubsteps = {substeps}\niterations = {iterations}\n");
        let done = simulate(&rope(&settings, 1.0), "xpbd", |scene| {
            scene.gravity = Vec3::zeros();
            for (i, particle) in scene.particles.iter_mut().enumerate() {
                particle.mass = if i % 20 == 0 { f64::INFINITY } else { 0.01 };
                let (sin, _) = elementary::sin_cos(PI * i as f64 / n);
                particle.velocity = 0.01 * sin * Vec3::x();
            }
            for bond in &mut scene.bonds {
                if let BondKind::Distance { rest } = &mut bond.kind {
                    *rest /= 1.0 + strain;
                }
            }
        })?;
        let piece = 1.0 / n;
        let tension = (piece - piece / (1.0 + strain)) / alpha;
        let (sin, _) = elementary::sin_cos(0.5 * PI / n);
        let exact = (tension / (0.01 * piece)).sqrt() * 2.0 * sin / (2.0 * PI);
        let frames = &done.run.trajectory.frames;
        let x = |k: usize| frames[k].particles[10].position.x;
        let zeros: Vec<f64> = (1..frames.len() - 1)
            .filter(|k| x(*k) * x(k + 1) < 0.0)
            .map(|k| 0.01 * (k as f64 + x(k) / (x(k) - x(k + 1))))
            .collect();
        let found = match zeros[..] {
            [first, .., last] => 0.5 * (zeros.len() - 1) as f64 / (last - first),
            [only] => 0.5 / only,
            [] => 0.0,
        };
        let is_told = done.run.reports.iter().any(|report| !report.flaws.is_empty());
        let told = if is_told { ", *told*" } else { "" };
        rows.push(done.row(format!("{substeps} × {iterations}{told}"), found, exact, "Hz"));
    }
    Ok(rows)
}

/// A block that is held at one end, with the mean displacement (m) along −y of the middle of the other end.
fn block(
    size: [f64; 3],
    cells: [u32; 3],
    held: &str,
    young: f64,
    law: &str,
) -> Result<(Done, f64), Box<dyn Error>> {
    let text = format!(
        "gravity = [0, -{G}, 0]\ntime = {{ dt = 0.01, duration = 2 }}\n[[soft]]\nname = \"block\"\nsize = {size:?}\ncells = {cells:?}\nlaw = \"{law}\"\nyoung = {young}\n\
         poisson = 0.3\ndensity = 100\npinned = [\"{held}\"]\n[method.xpbd]\nsubsteps = 10\niterations = 20\n"
    );
    let done = simulate(&text, "xpbd", |_| {})?;
    let start = |id: usize| done.scene.particles[id].position;
    let held_at: Vec<Vec3> =
        (0..done.scene.particles.len()).filter(|i| done.scene.particles[*i].is_pinned()).map(start).collect();
    let from = held_at[0];
    let along = if held == "x_min" { Vec3::x() } else { Vec3::y() };
    let far =
        (0..done.scene.particles.len()).map(|i| (start(i) - from).dot(&along).abs()).fold(0.0, f64::max);
    let end: Vec<usize> = (0..done.scene.particles.len())
        .filter(|i| (start(*i) - from).dot(&along).abs() > far - 1e-9)
        .collect();
    let sunk = done.mean(0.5, |state| {
        end.iter().map(|i| start(*i).y - state.particles[*i].position.y).sum::<f64>() / end.len() as f64
    });
    Ok((done, sunk))
}

fn hanging_bar() -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for law in ["neo_hookean", "st_venant_kirchhoff"] {
        for across in [1, 2] {
            let (done, sunk) = block([0.2, 1.0, 0.2], [across, 5 * across, across], "y_max", 1e5, law)?;
            rows.push(done.row(format!("{law}, {across} across"), 1e3 * sunk, 1e3 * 100.0 * G / 2e5, "mm"));
        }
    }
    Ok(rows)
}

fn cantilever() -> Result<Vec<Row>, Box<dyn Error>> {
    let (young, density, edge) = (1e6, 100.0, 0.2_f64);
    let bending = density * edge * edge * G / (8.0 * young * edge.powi(4) / 12.0);
    let exact = bending + density * G / (2.0 * 5.0 / 6.0 * young / 2.6);
    let mut rows = Vec::new();
    for across in [1, 2, 3, 4] {
        let (done, sunk) =
            block([1.0, edge, edge], [5 * across, across, across], "x_min", young, "st_venant_kirchhoff")?;
        rows.push(done.row(format!("{across} across"), 1e3 * sunk, 1e3 * exact, "mm"));
    }
    Ok(rows)
}

fn turning_rope() -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for (substeps, iterations) in [(5, 1), (20, 1), (20, 10), (80, 1)] {
        let text = format!(
            "gravity = [0, 0, 0]\ntime = {{ dt = 0.01, duration = 10 }}\n[[rope]]\nname = \"rope\"\nfrom = [-0.5, 0, 0]\nto = [0.5, 0, 0]\nsegments = 10\nmass = 1\n\
             [method.xpbd]\nsubsteps = {substeps}\niterations = {iterations}\n"
        );
        let done = simulate(&text, "xpbd", |scene| {
            for particle in &mut scene.particles {
                particle.velocity = (5.0 * Vec3::z()).cross(&particle.position);
            }
        })?;
        let spin = |state: &rigor_scene::State| {
            let each = done.scene.particles.iter().zip(&state.particles);
            each.map(|(p, s)| p.mass * s.position.cross(&s.velocity)).sum::<Vec3>().z
        };
        let frames = &done.run.trajectory.frames;
        let kept = spin(done.run.last()) / spin(&frames[0]);
        rows.push(done.row(format!("{substeps} × {iterations}"), kept, 1.0, ""));
    }
    Ok(rows)
}

fn rolling_ball() -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for lattice in ["fitted", "shell"] {
        for count in [64, 512, 4096] {
            let text = format!(
                "gravity = [0, -{G}, 0]\ntime = {{ dt = 0.01, duration = 1 }}\n[[body]]\nname = \"floor\"\nrole = \"static\"\nfriction = 0.3\nposition = [0, -0.5, 0]\n[[body.shape]]\nbox = {{ size = [10, 1, 4] }}\n\
                 [[body]]\nname = \"ball\"\nfriction = 0.3\nposition = [0, 0.1, 0]\nlinear_velocity = [1, 0, 0]\nangular_velocity = [0, 0, -10]\n[[body.shape]]\nicosphere = {{ radius = 0.1, subdivisions = 4 }}\n\
                 [method.particles]\nparticles_per_body = {count}\nlattice = \"{lattice}\"\n"
            );
            let done = simulate(&text, "particles", |_| {})?;
            let speed = done.run.last().bodies[1].linear_velocity.x;
            rows.push(done.row(format!("{lattice}, {count} particles"), speed, 1.0, "m/s"));
        }
    }
    Ok(rows)
}

fn grain() -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for model in ["hooke", "hertz"] {
        for steps in [10, 40] {
            let text = format!(
                "gravity = [0, -{G}, 0]\ntime = {{ dt = 0.001, duration = 0.35 }}\nrestitution_rule = \"min\"\n[[body]]\nname = \"floor\"\nrole = \"static\"\nrestitution = 0.6\nposition = [0, -0.5, 0]\n[[body.shape]]\nbox = {{ size = [1, 1, 1] }}\n\
                 [[particle]]\nposition = [0, 0.21, 0]\nradius = 0.01\nmass = 0.01\nrestitution = 0.6\n[method.particles]\nmodel = \"{model}\"\nsteps_per_contact = {steps}\n"
            );
            let done = simulate(&text, "particles", |_| {})?;
            let frames = &done.run.trajectory.frames;
            let height =
                frames[230..].iter().map(|state| state.particles[0].position.y - 0.01).fold(0.0, f64::max);
            rows.push(done.row(format!("{model}, {steps} substeps per contact"), 1e3 * height, 72.0, "mm"));
        }
    }
    Ok(rows)
}

/// A tank of 0.1 m whose walls are three spacings thick, with or without a lid, filled with water.
fn tank(spacing: f64, role: &str, lid: bool) -> String {
    let (t, a) = (3.0 * spacing, 0.1);
    let mut text = format!("[[body]]\nname = \"tank\"\nrole = \"{role}\"\ndensity = 600\n");
    let mut wall = |size: [f64; 3], at: [f64; 3]| {
        text += &format!("[[body.shape]]\nbox = {{ size = {size:?} }}\nposition = {at:?}\n");
    };
    let (wide, side) = (a + 2.0 * t, 0.5 * (a + t));
    wall([wide, t, wide], [0.0, -side, 0.0]);
    if lid {
        wall([wide, t, wide], [0.0, side, 0.0]);
    }
    for sign in [-1.0, 1.0] {
        wall([t, a, a], [sign * side, 0.0, 0.0]);
        wall([wide, a, t], [0.0, 0.0, sign * side]);
    }
    text + &format!("[[fluid]]\nname = \"water\"\nspacing = {spacing}\nsize = [{a}, {a}, {a}]\n")
}

fn water() -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    let head =
        |duration: f64| format!("gravity = [0, -{G}, 0]\ntime = {{ dt = 0.01, duration = {duration} }}\n");
    for spacing in [0.02, 0.0125] {
        let label = |what: &str| format!("{what}, {} mm", 1e3 * spacing);
        let done = simulate(&(head(0.3) + &tank(spacing, "static", false)), "particles", |_| {})?;
        let weight: f64 = G * done.scene.particles.iter().map(|particle| particle.mass).sum::<f64>();
        let forces = done.run.reports[10..].iter().map(|report| -report.body_forces(1)[0].contact.y);
        let force = forces.sum::<f64>() / (done.run.reports.len() - 10) as f64;
        rows.push(done.row(label("at rest"), force, weight, "N"));

        let done = simulate(&(head(0.3) + &tank(spacing, "dynamic", false)), "particles", |_| {})?;
        let (fastest, fall) = (relative(&done), 0.3 * G);
        let found = format!("{fastest:.1e} m/s");
        rows.push(Row { variant: label("falls"), found, error: fastest / fall, seconds: done.seconds });

        let done = simulate(&(head(0.2) + &tank(spacing, "dynamic", true)), "particles", |scene| {
            scene.gravity = Vec3::zeros();
            let of_water: f64 = scene.particles.iter().map(|particle| particle.mass).sum();
            scene.bodies[0].force = (scene.bodies[0].mass + of_water) * 2.0 * Vec3::x();
        })?;
        let speed = done.run.last().bodies[0].linear_velocity.x;
        rows.push(done.row(label("pushed at 2 m/s²"), speed, 0.4, "m/s"));
    }
    Ok(rows)
}

/// Returns the speed (m/s) of the fastest particle relative to the first body at the end.
fn relative(done: &Done) -> f64 {
    let last = done.run.last();
    let ids = (0..last.particles.len()).map(ParticleId);
    let speed = |id: ParticleId| {
        let now = &last.particles[id.0];
        (now.velocity - last.bodies[0].velocity_at(&now.position)).norm()
    };
    ids.map(speed).fold(0.0, f64::max)
}

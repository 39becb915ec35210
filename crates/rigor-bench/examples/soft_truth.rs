//! Measures soft bodies, particles and water on cases with exact answers, over steps, sweeps and resolution, and prints the page
//! `docs/soft-truth.md`.
//!
//! ```text
//! cargo run --release -p rigor-bench --example soft_truth all > docs/soft-truth.md
//! ```
//!
//! `all` takes about ten minutes. Another argument selects the cases whose title contains it; by default: the point that slides on a sheet.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::f64::consts::PI;
use std::path::Path;
use std::time::Instant;

use rigor_file::{Files, LoadOptions};
use rigor_math::{Vec3, elementary};
use rigor_run::registry;
use rigor_scene::{BondKind, Clock, Outcome, ParticleId, Run, Scene, State, energy};

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
    run(scene, method)
}

/// Runs `scene` under `method`, with the settings that it has for it.
fn run(scene: Scene, method: &str) -> Result<Done, Box<dyn Error>> {
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
    fn mean(&self, from: f64, value: impl Fn(&State) -> f64) -> f64 {
        let frames = &self.run.trajectory.frames;
        let of_end = &frames[(from * frames.len() as f64) as usize..];
        of_end.iter().map(value).sum::<f64>() / of_end.len() as f64
    }

    /// Returns the frequency (Hz) of `value` between the first and the last time at which it changes its sign; 0 if it never does.
    fn frequency(&self, value: impl Fn(&State) -> f64) -> f64 {
        let frames = &self.run.trajectory.frames;
        let x = |k: usize| value(&frames[k]);
        let zeros: Vec<f64> = (1..frames.len() - 1)
            .filter(|k| x(*k) * x(k + 1) < 0.0)
            .map(|k| self.scene.time.dt * (k as f64 + x(k) / (x(k) - x(k + 1))))
            .collect();
        match zeros[..] {
            [first, .., last] => 0.5 * (zeros.len() - 1) as f64 / (last - first),
            [only] => 0.5 / only,
            [] => 0.0,
        }
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

const CASES: &[Case] = &[
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
        title: "Bar that is stretched",
        exact: "A block of 1 m × 0.2 m × 0.2 m with ten cells along it and one across is stretched by a thousandth between two held ends: it gets thinner in the middle by ν times the strain there. Found is ν. `xpbd`, `quadratic` elements; mean over the last quarter of 1 s.",
        rows: stretched_bar,
    },
    Case {
        title: "Cantilever",
        exact: "A beam of 1 m × 0.2 m × 0.2 m, E = 10⁶ Pa, ν = 0.3 and 100 kg/m³, fixed at one end: its tip sinks by ρ A g L⁴/8EI + ρ g L²/2κG, κ = ⅚ (Timoshenko) = 38.3 mm. `xpbd`, 20 sweeps; mean over the last half of 2 s. Linear tetrahedra lock: the error is that of the mesh ([solved exactly](methods/xpbd.md#elements), also for ν = 0.49).",
        rows: cantilever,
    },
    Case {
        title: "Torsion",
        exact: "A bar of 1 m × 0.2 m × 0.2 m is twisted by 0.1 rad between two held ends: its energy is μ J θ²/2L, J = 0.1406 a⁴ (the ends cannot warp, which adds a little). Found is the stiffness over μ J/L. `xpbd`, `neo_hookean`; mean over the last quarter of 1 s, 40 substeps × 20 sweeps.",
        rows: torsion,
    },
    Case {
        title: "Bar that rings",
        exact: "A bar of 1 m × 0.1 m × 0.1 m with E = 10⁴ Pa, ν = 0 and 100 kg/m³, held at one end: along itself it vibrates at √(E/ρ)/4L = 2.5 Hz. `xpbd`, `st_venant_kirchhoff`, ten cells, 10 substeps × 10 sweeps.",
        rows: ringing_bar,
    },
    Case {
        title: "Beam that swings",
        exact: "A beam of 1 m × 0.05 m × 0.05 m with E = 10⁶ Pa, ν = 0.3 and 100 kg/m³, held at one end: it bends at 3.516/2π √(EI/ρAL⁴) = 0.808 Hz. `xpbd`, `neo_hookean`, twenty cells.",
        rows: swinging_beam,
    },
    Case {
        title: "Box on a block",
        exact: "A rigid box of 16 kg lies on a soft block of 0.4 m × 0.2 m × 0.4 m with E = 10⁵ Pa, ν = 0 and 100 kg/m³ (μ = 0.5: without friction it slides off as soon as it tilts): it sinks by m g H/EA + ρ g H²/2E = 2.158 mm. `xpbd`, 20 substeps; mean over the last half of 8 s.",
        rows: box_on_block,
    },
    Case {
        title: "Chain between two points",
        exact: "A chain of 1.5 m and 40 rigid pieces hangs between two points 1 m apart: it sags by 0.5026 m, as a catenary. `xpbd`, from the catenary; mean over the last half of 4 s.",
        rows: catenary,
    },
    Case {
        title: "Pendulum",
        exact: "A particle on a rigid bond of 1 m swings by 60°: its period is 4 K(½) √(ℓ/g) = 2.1529 s. `xpbd`; found over 20 s.",
        rows: pendulum,
    },
    Case {
        title: "Mass on a spring",
        exact: "1 kg on a bond of 0.01 m/N vibrates at 10 rad/s, 1.5915 Hz. `xpbd`; found over 5 s.",
        rows: oscillator,
    },
    Case {
        title: "Rope that turns freely",
        exact: "A straight rope of ten pieces turns at 5 rad/s without gravity for 10 s and keeps its angular momentum. `xpbd`; found is the ratio of the angular momentum at the end to that at the start; *as printed*: with `keep_angular_momentum = false`.",
        rows: turning_rope,
    },
    Case {
        title: "Block that is thrown",
        exact: "A block of 1 m × 0.5 m × 0.3 m with E = 10⁴ Pa and 2 kg, which turns at 5 rad/s about an axis between its own and shakes, keeps its angular momentum about its centre for 5 s, as a vector. `xpbd`; found is the length of its change, over its length.",
        rows: thrown_block,
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
        title: "Time of a collision",
        exact: "A grain of 10 g and 1 cm hits a plate at 0.5 m/s without loss, both with E = 10⁶ Pa and ν = 0.3: Hertz's contact lasts 2.943 δ/v, δ = (15 m v²/16 E* √R)^⅖. `particles`, `hertz`.",
        rows: hertz,
    },
    Case {
        title: "Grain on a slope",
        exact: "A grain rolls down a slope of 20° with (5/7) g sin θ if μ = 0.5, and slides with g (sin θ − μ cos θ) if μ = 0.05. With a rolling resistance of 0.1 it loses (5/7) 0.1 g cos θ. `particles`; found is the speed after 0.5 s.",
        rows: slope,
    },
    Case {
        title: "Water in a tank",
        exact: "Water of 0.1 m depth: the mean force on the floor of a tank at rest is its weight. In a tank that falls freely nothing moves (found: speed of the fastest particle relative to the tank after 0.3 s, as a part of that of the fall). In a full tank under a constant force both have the acceleration F/m. `particles`.",
        rows: water,
    },
    Case {
        title: "Water that sloshes",
        exact: "Water of 0.1 m depth in a tank of 0.3 m, moved as its first mode: ω² = g k tanh kh, k = π/0.3 m, 1.426 Hz. `particles`; found between the first and the last passage through the middle in 2 s.",
        rows: sloshing,
    },
    Case {
        title: "Box that floats",
        exact: "A box of 0.16 m with ⅞ of the density of water floats with a draught of 0.14 m (`fluid/floating-box`). `particles`; after 0.6 s.",
        rows: floating_box,
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
        let frequency = done.frequency(|state| state.particles[10].position.x);
        let is_told = done.run.reports.iter().any(|report| !report.flaws.is_empty());
        let told = if is_told { ", *told*" } else { "" };
        rows.push(done.row(format!("{substeps} × {iterations}{told}"), frequency, exact, "Hz"));
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
    element: &str,
) -> Result<(Done, f64), Box<dyn Error>> {
    let text = format!(
        "gravity = [0, -{G}, 0]\ntime = {{ dt = 0.01, duration = 2 }}\n[[soft]]\nname = \"block\"\nsize = {size:?}\ncells = {cells:?}\nlaw = \"{law}\"\nelement = \"{element}\"\nyoung = {young}\n\
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
            let (done, sunk) =
                block([0.2, 1.0, 0.2], [across, 5 * across, across], "y_max", 1e5, law, "linear")?;
            rows.push(done.row(format!("{law}, {across} across"), 1e3 * sunk, 1e3 * 100.0 * G / 2e5, "mm"));
        }
    }
    Ok(rows)
}

/// A soft block in a scene without gravity, held at `pinned`, with more lines of the block and of the file, moved by `change`.
fn soft(
    size: [f64; 3],
    cells: [u32; 3],
    of_block: &str,
    of_file: &str,
    change: impl Fn(&mut Scene),
) -> Result<Done, Box<dyn Error>> {
    let text = format!(
        "gravity = [0, 0, 0]\n[[soft]]\nname = \"block\"\nsize = {size:?}\ncells = {cells:?}\ndensity = 100\n{of_block}\n{of_file}\n"
    );
    simulate(&text, "xpbd", change)
}

/// A second in which implicit substeps damp what moves.
fn settle(substeps: u32, iterations: u32) -> String {
    format!(
        "[time]\ndt = 0.01\nduration = 1\n[method.xpbd]\nsubsteps = {substeps}\niterations = {iterations}\n"
    )
}

fn stretched_bar() -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for law in ["neo_hookean", "st_venant_kirchhoff"] {
        let pace = [(5, 20), (20, 20), (80, 20)].map(|pace| (0.3, pace));
        let ratios = [-0.3, 0.1, 0.45, 0.49].map(|poisson| (poisson, (40, 20)));
        for (poisson, (substeps, iterations)) in pace.into_iter().chain(ratios) {
            let more = format!(
                "element = \"quadratic\"\nlaw = \"{law}\"\nyoung = 1e6\npoisson = {poisson}\npinned = [\"x_min\", \"x_max\"]"
            );
            let done = soft([1.0, 0.2, 0.2], [10, 1, 1], &more, &settle(substeps, iterations), |scene| {
                for particle in &mut scene.particles {
                    particle.position.x += 1e-3 * (particle.position.x + 0.5);
                }
            })?;
            let rest = |i: usize| {
                let x = done.scene.particles[i].position;
                Vec3::new((x.x - 5e-4) / 1.001, x.y, x.z)
            };
            let moved = |is_there: &dyn Fn(&Vec3) -> bool, axis: usize| {
                let there: Vec<usize> =
                    (0..done.scene.particles.len()).filter(|i| is_there(&rest(*i))).collect();
                done.mean(0.75, |state| {
                    let each = there.iter().map(|i| state.particles[*i].position[axis] - rest(*i)[axis]);
                    each.sum::<f64>() / there.len() as f64
                })
            };
            let along = moved(&|x| (x.x - 0.05).abs() < 1e-9, 0) - moved(&|x| (x.x + 0.05).abs() < 1e-9, 0);
            let across = moved(&|x| x.x.abs() < 1e-9 && x.y > 0.0999, 1)
                - moved(&|x| x.x.abs() < 1e-9 && x.y < -0.0999, 1);
            rows.push(done.row(
                format!("{law}, ν = {poisson}, {substeps} × {iterations}"),
                -(across / 0.2) / (along / 0.1),
                poisson,
                "",
            ));
        }
    }
    Ok(rows)
}

fn torsion() -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for (element, across) in [("linear", 1), ("linear", 2), ("linear", 3), ("quadratic", 1), ("quadratic", 2)]
    {
        let more = format!("element = \"{element}\"\nyoung = 1e6\npinned = [\"x_min\", \"x_max\"]");
        let done = soft([1.0, 0.2, 0.2], [5 * across, across, across], &more, &settle(40, 20), |scene| {
            for particle in &mut scene.particles {
                let (sin, cos) = elementary::sin_cos(0.1 * (particle.position.x + 0.5));
                let (y, z) = (particle.position.y, particle.position.z);
                particle.position.y = cos * y - sin * z;
                particle.position.z = sin * y + cos * z;
            }
        })?;
        let stored = done.mean(0.75, |state| energy::elastic::energy(&done.scene, state));
        let exact = 0.5 * (1e6 / 2.6) * 0.1406 * 0.2_f64.powi(4) * 0.01;
        rows.push(done.row(format!("{element}, {across} across"), stored / exact, 1.0, ""));
    }
    Ok(rows)
}

fn ringing_bar() -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for element in ["linear", "quadratic"] {
        let more = format!(
            "element = \"{element}\"\nlaw = \"st_venant_kirchhoff\"\nyoung = 1e4\npoisson = 0\npinned = [\"x_min\"]"
        );
        let time = "[time]\ndt = 0.005\nduration = 2\n[method.xpbd]\nsubsteps = 10\niterations = 10\n";
        let done = soft([1.0, 0.1, 0.1], [10, 1, 1], &more, time, |scene| {
            for particle in &mut scene.particles {
                let sin = elementary::sin(0.5 * PI * (particle.position.x + 0.5));
                particle.velocity = Vec3::x() * (0.01 * sin);
            }
        })?;
        let end = done.scene.particles.iter().position(|p| p.position.x > 0.499).unwrap_or(0);
        let start = done.scene.particles[end].position.x;
        let frequency = done.frequency(|state| state.particles[end].position.x - start);
        rows.push(done.row(element.to_owned(), frequency, 2.5, "Hz"));
    }
    Ok(rows)
}

fn swinging_beam() -> Result<Vec<Row>, Box<dyn Error>> {
    let exact = 3.516 / (2.0 * PI) * (1e6 * 0.05_f64.powi(2) / 12.0 / 100.0).sqrt();
    let mut rows = Vec::new();
    for (element, substeps, iterations) in
        [("linear", 10, 20), ("quadratic", 10, 20), ("quadratic", 40, 5), ("quadratic", 40, 20)]
    {
        let more = format!("element = \"{element}\"\nyoung = 1e6\npoisson = 0.3\npinned = [\"x_min\"]");
        let time = format!(
            "[time]\ndt = 0.01\nduration = 3\n[method.xpbd]\nsubsteps = {substeps}\niterations = {iterations}\n"
        );
        let done = soft([1.0, 0.05, 0.05], [20, 1, 1], &more, &time, |scene| {
            for particle in &mut scene.particles {
                let along = particle.position.x + 0.5;
                particle.velocity = Vec3::y() * (0.05 * along * along);
            }
        })?;
        let end = done.scene.particles.iter().position(|p| p.position.x > 0.499).unwrap_or(0);
        let start = done.scene.particles[end].position.y;
        let frequency = done.frequency(|state| state.particles[end].position.y - start);
        rows.push(done.row(format!("{element}, {substeps} × {iterations}"), frequency, exact, "Hz"));
    }
    Ok(rows)
}

fn box_on_block() -> Result<Vec<Row>, Box<dyn Error>> {
    let (area, height) = (0.16, 0.2);
    let exact = 16.0 * G * height / (1e5 * area) + 100.0 * G * height * height / 2e5;
    let mut rows = Vec::new();
    for (law, element) in
        [("neo_hookean", "linear"), ("st_venant_kirchhoff", "linear"), ("neo_hookean", "quadratic")]
    {
        for iterations in [5, 20] {
            let text = format!(
                "gravity = [0, -{G}, 0]\ntime = {{ dt = 0.01, duration = 8 }}\n[[soft]]\nname = \"block\"\nfriction = 0.5\nsize = [0.4, 0.2, 0.4]\ncells = [2, 1, 2]\nlaw = \"{law}\"\nelement = \"{element}\"\n\
                 young = 1e5\npoisson = 0\ndensity = 100\npinned = [\"y_min\"]\n[[body]]\nname = \"box\"\nfriction = 0.5\nmass = 16\nposition = [0, 0.15, 0]\n[[body.shape]]\nbox = {{ size = [0.42, 0.1, 0.42] }}\n\
                 [method.xpbd]\niterations = {iterations}\n"
            );
            let done = simulate(&text, "xpbd", |_| {})?;
            let sunk = done.mean(0.5, |state| 0.15 - state.bodies[0].pose.position.y);
            rows.push(done.row(
                format!("{law}, {element}, {iterations} sweeps"),
                1e3 * sunk,
                1e3 * exact,
                "mm",
            ));
        }
    }
    Ok(rows)
}

fn catenary() -> Result<Vec<Row>, Box<dyn Error>> {
    // 2a sinh(1/2a) = 1.5.
    let (mut low, mut high) = (0.05, 5.0);
    let sinh = |x: f64| 0.5 * (elementary::exp(x) - elementary::exp(-x));
    for _ in 0..100 {
        let a = 0.5 * (low + high);
        if 2.0 * a * sinh(0.5 / a) > 1.5 { low = a } else { high = a }
    }
    let a: f64 = low;
    let place = |s: f64| {
        let u = s / a;
        let root = (1.0 + u * u).sqrt();
        Vec3::new(a * elementary::ln(u + root), a * root, 0.0)
    };
    let sag = place(0.75).y - place(0.0).y;
    let mut rows = Vec::new();
    for (substeps, iterations) in [(20, 1), (20, 10), (80, 1)] {
        let text = format!(
            "gravity = [0, -{G}, 0]\ntime = {{ dt = 0.01, duration = 4 }}\n[[rope]]\nname = \"chain\"\nfrom = [0, 0, 0]\nto = [1.5, 0, 0]\nsegments = 40\nmass = 1\n\
             pinned = [\"first\", \"last\"]\n[method.xpbd]\nsubsteps = {substeps}\niterations = {iterations}\n"
        );
        let done = simulate(&text, "xpbd", |scene| {
            for (k, particle) in scene.particles.iter_mut().enumerate() {
                particle.position = place(1.5 * (k as f64 / 40.0 - 0.5));
            }
        })?;
        let found_sag =
            done.mean(0.5, |state| state.particles[0].position.y - state.particles[20].position.y);
        rows.push(done.row(format!("{substeps} × {iterations}"), found_sag, sag, "m"));
    }
    Ok(rows)
}

fn pendulum() -> Result<Vec<Row>, Box<dyn Error>> {
    let (sin, cos) = elementary::sin_cos(PI / 3.0);
    let mut rows = Vec::new();
    for substeps in [1, 5, 20, 80] {
        let text = format!(
            "gravity = [0, -{G}, 0]\ntime = {{ dt = 0.01, duration = 20 }}\n[[particle]]\nposition = [0, 0, 0]\npinned = true\n[[particle]]\nposition = [{sin}, {}, 0]\nmass = 1\n\
             [[bond]]\nparticles = [0, 1]\n[method.xpbd]\nsubsteps = {substeps}\n",
            -cos
        );
        let done = simulate(&text, "xpbd", |_| {})?;
        let period = 1.0 / done.frequency(|state| state.particles[1].position.x);
        let exact = 4.0 * 1.685_750_354_812_596 / G.sqrt();
        rows.push(done.row(format!("{substeps} substeps"), period, exact, "s"));
    }
    Ok(rows)
}

fn oscillator() -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for substeps in [1, 5, 20] {
        let text = format!(
            "gravity = [0, 0, 0]\ntime = {{ dt = 0.01, duration = 5 }}\n[[particle]]\nposition = [0, 0, 0]\npinned = true\n[[particle]]\nposition = [1, 0, 0]\nmass = 1\nvelocity = [0.1, 0, 0]\n\
             [[bond]]\nparticles = [0, 1]\ncompliance = 0.01\n[method.xpbd]\nsubsteps = {substeps}\n"
        );
        let done = simulate(&text, "xpbd", |_| {})?;
        let frequency = done.frequency(|state| state.particles[1].position.x - 1.0);
        rows.push(done.row(format!("{substeps} substeps"), frequency, 10.0 / (2.0 * PI), "Hz"));
    }
    Ok(rows)
}

fn cantilever() -> Result<Vec<Row>, Box<dyn Error>> {
    let (young, density, edge) = (1e6, 100.0, 0.2_f64);
    let bending = density * edge * edge * G / (8.0 * young * edge.powi(4) / 12.0);
    let exact = bending + density * G / (2.0 * 5.0 / 6.0 * young / 2.6);
    let mut rows = Vec::new();
    let meshes = [1, 2, 3, 4].map(|across| ("linear", across)).into_iter();
    for (element, across) in meshes.chain([("quadratic", 1), ("quadratic", 2)]) {
        let cells = [5 * across, across, across];
        let (done, sunk) = block([1.0, edge, edge], cells, "x_min", young, "st_venant_kirchhoff", element)?;
        rows.push(done.row(format!("{element}, {across} across"), 1e3 * sunk, 1e3 * exact, "mm"));
    }
    Ok(rows)
}

fn turning_rope() -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    let variants =
        [(5, 1, true), (20, 1, true), (20, 10, true), (5, 1, false), (20, 1, false), (80, 1, false)];
    for (substeps, iterations, keep) in variants {
        let text = format!(
            "gravity = [0, 0, 0]\ntime = {{ dt = 0.01, duration = 10 }}\n[[rope]]\nname = \"rope\"\nfrom = [-0.5, 0, 0]\nto = [0.5, 0, 0]\nsegments = 10\nmass = 1\n\
             [method.xpbd]\nsubsteps = {substeps}\niterations = {iterations}\nkeep_angular_momentum = {keep}\n"
        );
        let done = simulate(&text, "xpbd", |scene| {
            for particle in &mut scene.particles {
                particle.velocity = (5.0 * Vec3::z()).cross(&particle.position);
            }
        })?;
        let spin = |state: &State| {
            let each = done.scene.particles.iter().zip(&state.particles);
            each.map(|(p, s)| p.mass * s.position.cross(&s.velocity)).sum::<Vec3>().z
        };
        let frames = &done.run.trajectory.frames;
        let kept = spin(done.run.last()) / spin(&frames[0]);
        let printed = if keep { "" } else { ", *as printed*" };
        rows.push(done.row(format!("{substeps} × {iterations}{printed}"), kept, 1.0, ""));
    }
    Ok(rows)
}

fn thrown_block() -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for (element, keep) in [("linear", true), ("quadratic", true), ("linear", false)] {
        let more = format!("element = \"{element}\"\nyoung = 1e4");
        let time = format!(
            "[time]\ndt = 0.01\nduration = 5\n[method.xpbd]\nsubsteps = 10\niterations = 2\nkeep_angular_momentum = {keep}\n"
        );
        let done = soft([1.0, 0.5, 0.3], [4, 2, 2], &more, &time, |scene| {
            for (k, particle) in scene.particles.iter_mut().enumerate() {
                let shaking = Vec3::from_fn(|a, _| elementary::sin(7.0 * k as f64 + 3.0 * a as f64));
                particle.velocity = Vec3::new(2.0, 4.0, -2.0).cross(&particle.position) + 0.1 * shaking;
            }
        })?;
        let spin = |state: &State| {
            let each = || done.scene.particles.iter().zip(&state.particles);
            let mass: f64 = each().map(|(p, _)| p.mass).sum();
            let center = each().map(|(p, s)| p.mass * s.position).sum::<Vec3>() / mass;
            each().map(|(p, s)| p.mass * (s.position - center).cross(&s.velocity)).sum::<Vec3>()
        };
        let start = spin(&done.run.trajectory.frames[0]);
        let change = (spin(done.run.last()) - start).norm() / start.norm();
        let printed = if keep { "" } else { ", *as printed*" };
        rows.push(Row {
            variant: format!("{element}{printed}"),
            found: format!("{change:.1e}"),
            error: change,
            seconds: done.seconds,
        });
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

fn hertz() -> Result<Vec<Row>, Box<dyn Error>> {
    let (mass, radius, speed, young) = (0.01_f64, 0.01_f64, 0.5_f64, 1e6);
    let effective = young / (2.0 * (1.0 - 0.09));
    let power = 0.4 * elementary::ln(15.0 * mass * speed * speed / (16.0 * effective * radius.sqrt()));
    let exact = 2.943 * elementary::exp(power) / speed;
    let mut rows = Vec::new();
    for steps in [10, 40, 160] {
        let text = format!(
            "gravity = [0, 0, 0]\ntime = {{ dt = 2e-4, duration = 0.02 }}\n[[body]]\nname = \"floor\"\nrole = \"static\"\nrestitution = 1\nposition = [0, -0.5, 0]\n[[body.shape]]\nbox = {{ size = [1, 1, 1] }}\n\
             [[particle]]\nposition = [0, 0.0101, 0]\nradius = {radius}\nmass = {mass}\nrestitution = 1\nvelocity = [0, -{speed}, 0]\n\
             [method.particles]\nmodel = \"hertz\"\nyoung = {young}\npoisson = 0.3\nsteps_per_contact = {steps}\n"
        );
        let done = simulate(&text, "particles", |_| {})?;
        let frames = &done.run.trajectory.frames;
        let gap = |k: usize| frames[k].particles[0].position.y - radius;
        let crossing = |k: usize| 2e-4 * (k as f64 + gap(k) / (gap(k) - gap(k + 1)));
        let times: Vec<f64> =
            (0..frames.len() - 1).filter(|k| (gap(*k) < 0.0) != (gap(k + 1) < 0.0)).map(crossing).collect();
        let lasted = times.last().unwrap_or(&0.0) - times.first().unwrap_or(&0.0);
        rows.push(done.row(format!("{steps} substeps per contact"), 1e3 * lasted, 1e3 * exact, "ms"));
    }
    Ok(rows)
}

fn slope() -> Result<Vec<Row>, Box<dyn Error>> {
    let (sin, cos) = elementary::sin_cos(PI / 9.0);
    let cases = [
        ("rolls", 0.5, 0.0, 5.0 / 7.0 * sin),
        ("slides", 0.05, 0.0, sin - 0.05 * cos),
        ("rolls with resistance", 0.5, 0.1, 5.0 / 7.0 * (sin - 0.1 * cos)),
    ];
    let mut rows = Vec::new();
    for (variant, friction, rolling, exact) in cases {
        let text = format!(
            "gravity = [{}, {}, 0]\ntime = {{ dt = 0.001, duration = 0.5 }}\n[[body]]\nname = \"floor\"\nrole = \"static\"\nfriction = {friction}\nposition = [0, -0.5, 0]\n[[body.shape]]\nbox = {{ size = [9, 1, 1] }}\n\
             [[particle]]\nposition = [0, 0.01, 0]\nradius = 0.01\nmass = 0.01\nfriction = {friction}\n[method.particles]\nrolling = {rolling}\n",
            G * sin,
            -G * cos
        );
        let done = simulate(&text, "particles", |_| {})?;
        let speed = done.run.last().particles[0].velocity.x;
        rows.push(done.row(variant.to_owned(), speed, 0.5 * G * exact, "m/s"));
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

fn sloshing() -> Result<Vec<Row>, Box<dyn Error>> {
    let (length, depth, width) = (0.3, 0.1, 0.06);
    let k = PI / length;
    let sinh = |x: f64| 0.5 * (elementary::exp(x) - elementary::exp(-x));
    let cosh = |x: f64| 0.5 * (elementary::exp(x) + elementary::exp(-x));
    let exact = (G * k * sinh(k * depth) / cosh(k * depth)).sqrt() / (2.0 * PI);
    let mut rows = Vec::new();
    for spacing in [0.02, 0.01] {
        let t = 3.0 * spacing;
        let mut text = format!(
            "gravity = [0, -{G}, 0]\ntime = {{ dt = 0.01, duration = 2 }}\n[[body]]\nname = \"tank\"\nrole = \"static\"\n"
        );
        let mut wall = |size: [f64; 3], at: [f64; 3]| {
            text += &format!("[[body.shape]]\nbox = {{ size = {size:?} }}\nposition = {at:?}\n");
        };
        wall([length + 2.0 * t, t, width + 2.0 * t], [0.0, -0.5 * t, 0.0]);
        for sign in [-1.0, 1.0] {
            wall([t, 0.2, width], [sign * 0.5 * (length + t), 0.1, 0.0]);
            wall([length + 2.0 * t, 0.2, t], [0.0, 0.1, sign * 0.5 * (width + t)]);
        }
        text += &format!(
            "[[fluid]]\nname = \"water\"\nspacing = {spacing}\nsize = [{length}, {depth}, {width}]\nposition = [0, 0.05, 0]\n"
        );
        let done = simulate(&text, "particles", |scene| {
            for particle in &mut scene.particles {
                let (x, y) = (particle.position.x + 0.5 * length, particle.position.y);
                let (sin, cos) = elementary::sin_cos(k * x);
                let flow = Vec3::new(sin * cosh(k * y), -cos * sinh(k * y), 0.0);
                particle.velocity = flow * (0.1 / cosh(k * depth));
            }
        })?;
        let n = done.scene.particles.len() as f64;
        let middle = |state: &State| state.particles.iter().map(|p| p.position.x).sum::<f64>() / n;
        let frequency = done.frequency(middle);
        rows.push(done.row(format!("{} mm", 1e3 * spacing), frequency, exact, "Hz"));
    }
    Ok(rows)
}

fn floating_box() -> Result<Vec<Row>, Box<dyn Error>> {
    let scene = rigor_run::disk::load_scene("fluid/floating-box", &[])?.scene;
    let body = scene.bodies.iter().position(rigor_scene::Body::is_dynamic).unwrap_or(0);
    let start = scene.bodies[body].initial.pose.position.y;
    let done = run(scene, "particles")?;
    let draught = 0.14 - (done.run.last().bodies[body].pose.position.y - start);
    Ok(vec![done.row("20 mm".to_owned(), 1e3 * draught, 140.0, "mm")])
}

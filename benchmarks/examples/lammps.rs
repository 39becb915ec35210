//! A settled block of grains, computed here and by LAMMPS in turns: updates of a particle per CPU second.
//!
//! `cargo run --release -p rigor-benchmarks --example lammps -- [law] [side] [turns] [folder] [threads]`, with the law
//! `hooke`, `hertz` or `damper` (`hooke` without a tangential spring). Needs LAMMPS with the package GRANULAR as `lmp`
//! (Debian's package `lammps`). `side`³ grains of 10 mm settle for half a second; then both go on from the same positions,
//! velocities and spins, without histories, in the same number of equal substeps. `folder` keeps the settled block and
//! the input of LAMMPS.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example prints, and may panic")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use rigor_benchmarks::cpu;
use rigor_benchmarks::grains::{FRICTION, MASS, RADIUS, RESTITUTION, settling_block, width};
use rigor_math::Vec3;
use rigor_particles::{Config, Model, Particles};
use rigor_scene::{Clock, Method, ParticleState, Scene, State};

/// Length (s) and number of the timed steps.
const DT: f64 = 2e-3;
const STEPS: usize = 10;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |k: usize, default: &str| arguments.get(k).cloned().unwrap_or_else(|| default.into());
    let (model, spring, laws): (_, _, &[&str]) = match argument(0, "hooke").as_str() {
        "hooke" => (Model::Hooke, true, &["hooke/history", "hooke"]),
        "hertz" => (Model::Hertz, true, &["hertz/history"]),
        "damper" => (Model::Hooke, false, &["hooke"]),
        other => panic!("no law {other:?}: it must be hooke, hertz or damper"),
    };
    let config = Config { model, tangential_spring: spring, speed: Some(1.0), ..Config::default() };
    let side: u32 = argument(1, "8").parse().unwrap();
    let turns: usize = argument(2, "1").parse().unwrap();
    let folder = argument(3, "/tmp/rigor-lammps");
    let threads: usize = argument(4, "1").parse().unwrap();
    std::fs::create_dir_all(&folder).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| compare(config, laws, side, turns, Path::new(&folder)));
}

fn compare(config: Config, laws: &[&str], side: u32, turns: usize, folder: &Path) {
    let name =
        format!("{:?}{}", config.model, if config.tangential_spring { "" } else { "-damper" }).to_lowercase();
    let scene = settling_block(side);
    let start = settled(&scene, &config, &folder.join(format!("{name}-{side}.txt")));
    let (mut ours, mut theirs) = (f64::INFINITY, vec![(f64::INFINITY, String::new()); laws.len()]);
    let (mut substeps, mut contacts) = (0, 0.0);
    for turn in 0..turns {
        let (seconds, n, per_grain) = here(&scene, &config, &start);
        (substeps, contacts) = (n, per_grain);
        ours = ours.min(seconds);
        println!("turn {turn}: here {seconds:.3} s for {n} substeps");
        for (law, (least, last)) in laws.iter().zip(&mut theirs) {
            let input = folder.join(format!("{name}-{side}-{}.in", law.replace('/', "-")));
            std::fs::write(&input, lammps_input(&scene, &config, side, &start, law, n, folder)).unwrap();
            let Some((seconds, per_grain)) = lammps(&input) else { continue };
            *least = least.min(seconds);
            *last = per_grain;
            println!("turn {turn}: gran/{law} {seconds:.3} s");
        }
    }
    let updates = (substeps * scene.particles.len() as u64) as f64 / 1e6;
    println!(
        "{name}: {:.2} million updates per CPU second, {contacts:.2} contacts per grain",
        updates / ours
    );
    for (law, (least, last)) in laws.iter().zip(&theirs) {
        if least.is_infinite() {
            println!("gran/{law}: there is no program `lmp` here");
            continue;
        }
        let ratio = least / ours;
        println!(
            "gran/{law}: {:.2} million updates per CPU second, {last} contacts per grain; ratio {ratio:.2}",
            updates / least
        );
    }
}

/// Runs the timed steps; returns CPU seconds, substeps, and contacts per grain at the end.
fn here(scene: &Scene, config: &Config, start: &[[f64; 9]]) -> (f64, u64, f64) {
    let mut method = Particles::new(config.clone(), Clock::default()).unwrap();
    let mut state = State::initial(scene);
    for (particle, row) in state.particles.iter_mut().zip(start) {
        let vector = |k: usize| Vec3::new(row[k], row[k + 1], row[k + 2]);
        *particle = ParticleState { position: vector(0), velocity: vector(3) };
    }
    let spins = start.iter().flat_map(|row| row[6..].to_vec()).collect();
    state.memory.numbers.insert("particles/spin".into(), spins);
    let (began, clock) = (cpu::seconds(), Instant::now());
    let substeps = advance(scene, &mut method, &mut state, STEPS);
    let seconds = cpu::seconds() - began;
    println!("here: {:.3} s by the clock", clock.elapsed().as_secs_f64());
    (seconds, substeps, touching(&state) as f64 / scene.particles.len() as f64)
}

/// Number of pairs of grains that overlap.
fn touching(state: &State) -> usize {
    let mut centres: Vec<Vec3> = state.particles.iter().map(|particle| particle.position).collect();
    centres.sort_by(|a, b| a.x.total_cmp(&b.x));
    let of = |(i, a): (usize, &Vec3)| {
        let near = centres[i + 1..].iter().take_while(|b| b.x - a.x < 2.0 * RADIUS);
        near.filter(|b| (*b - a).norm() < 2.0 * RADIUS).count()
    };
    centres.iter().enumerate().map(of).sum()
}

fn advance(scene: &Scene, method: &mut Particles, state: &mut State, steps: usize) -> u64 {
    let mut substeps = 0;
    for _ in 0..steps {
        substeps += method.step(scene, state, DT).unwrap().iterations;
        state.step += 1;
        state.time = state.step as f64 * DT;
    }
    substeps
}

/// Positions (m), velocities (m/s) and spins (rad/s) of the grains after half a second, from `file` if it is there.
fn settled(scene: &Scene, config: &Config, file: &Path) -> Vec<[f64; 9]> {
    if let Ok(text) = std::fs::read_to_string(file) {
        let row = |line: &str| {
            let numbers: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            <[f64; 9]>::try_from(numbers).unwrap()
        };
        return text.lines().map(row).collect();
    }
    let mut method = Particles::new(config.clone(), Clock::default()).unwrap();
    let mut state = State::initial(scene);
    advance(scene, &mut method, &mut state, 250);
    let spins = &state.memory.numbers["particles/spin"];
    let row = |(particle, spin): (&ParticleState, &[f64])| {
        let (x, v) = (particle.position, particle.velocity);
        [x.x, x.y, x.z, v.x, v.y, v.z, spin[0], spin[1], spin[2]]
    };
    let rows: Vec<[f64; 9]> = state.particles.iter().zip(spins.chunks_exact(3)).map(row).collect();
    let mut text = String::new();
    for row in &rows {
        writeln!(text, "{}", row.map(|x| format!("{x:e}")).join(" ")).unwrap();
    }
    std::fs::write(file, text).unwrap();
    rows
}

/// Runs LAMMPS; returns the CPU seconds of its loop, and its contacts per grain.
fn lammps(input: &Path) -> Option<(f64, String)> {
    let run = Command::new("lmp").args(["-log", "none", "-in"]).arg(input).output().ok()?;
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let loops: Vec<&str> = text.lines().filter(|line| line.starts_with("Loop time")).collect();
    assert!(!loops.is_empty(), "{text}");
    let seconds: f64 = loops[0].split_whitespace().nth(3)?.parse().ok()?;
    let (used, _) = text.lines().find_map(|line| line.split_once("% CPU use"))?;
    let seconds = 0.01 * seconds * used.parse::<f64>().ok()?;
    // The last line of the table of quantities.
    let table = text.lines().take_while(|line| !line.starts_with("Loop time")).last()?;
    Some((seconds, table.split_whitespace().nth(1)?.into()))
}

/// The input of LAMMPS for `substeps` equal substeps, and the file of its grains in `folder`.
fn lammps_input(
    scene: &Scene,
    config: &Config,
    side: u32,
    start: &[[f64; 9]],
    law: &str,
    substeps: u64,
    folder: &Path,
) -> String {
    let mut method = Particles::new(config.clone(), Clock::default()).unwrap();
    let derived = method.derived(scene, DT);
    let kappa = derived.iter().find(|q| q.name == "kappa").unwrap().value;
    // Walls are rigid, two grains are springs in series.
    let (wall, pair, n) = (kappa, 0.5 * kappa, start.len());
    let ln_e = f64::ln(RESTITUTION);
    let zeta = -ln_e / std::f64::consts::PI.hypot(ln_e);
    // Hertz's κ is k √R; its damper is √(R δ) m γ, here at the overlap of the settings.
    let is_hertz = config.model == Model::Hertz;
    let delta = config.overlap * 2.0 * RADIUS;
    let numbers = |kappa: f64, radius: f64, mass: f64| {
        let root = if is_hertz { radius.sqrt() } else { 1.0 };
        let slope = if is_hertz { 1.5 * kappa * delta.sqrt() } else { kappa };
        let per = if is_hertz { (radius * delta).sqrt() } else { 1.0 };
        let (k, gamma) = (kappa / root, 2.0 * zeta * (slope / mass).sqrt() / per);
        let ratio = 2.0 * (1.0 - config.poisson) / (2.0 - config.poisson);
        format!("{k:e} {:e} {gamma:e} {:e} {FRICTION} 1", ratio * k, ratio.sqrt() * gamma)
    };
    let data = folder.join(format!("{}-{side}.data", if is_hertz { "hertz" } else { "hooke" }));
    let (d, width) = (2.0 * RADIUS, width(side));
    let mut text = format!(
        "grains\n\n{n} atoms\n1 atom types\n-0.1 {0} xlo xhi\n-0.1 {1} ylo yhi\n-0.1 {0} zlo zhi\n\nAtoms # sphere\n\n",
        width + 0.1,
        3.0 * width
    );
    let density = MASS / (4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3));
    for (i, row) in start.iter().enumerate() {
        writeln!(text, "{} 1 {d} {density} {} {} {}", i + 1, row[0], row[1], row[2]).unwrap();
    }
    text.push_str("\nVelocities\n\n");
    for (i, row) in start.iter().enumerate() {
        let words = row[3..].iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        writeln!(text, "{} {words}", i + 1).unwrap();
    }
    std::fs::write(&data, text).unwrap();
    let (of_pair, of_wall) = (numbers(pair, 0.5 * RADIUS, 0.5 * MASS), numbers(wall, RADIUS, MASS));
    let dt = DT * STEPS as f64 / substeps as f64;
    format!(
        "units si\natom_style sphere\nboundary f f f\nnewton off\ncomm_modify vel yes\nread_data {}\n\
         neighbor {:e} bin\nneigh_modify delay 0 every 1 check yes\npair_style gran/{law} {of_pair}\npair_coeff * *\n\
         timestep {dt:e}\nfix 1 all nve/sphere\nfix 2 all gravity 9.81 vector 0 -1 0\n\
         fix 3 all wall/gran {law} {of_wall} yplane 0 NULL\nfix 4 all wall/gran {law} {of_wall} xplane 0 {width}\n\
         fix 5 all wall/gran {law} {of_wall} zplane 0 {width}\ncompute c all contact/atom\n\
         compute m all reduce ave c_c\nvariable half equal c_m/2\nthermo {substeps}\nthermo_style custom step v_half ke\n\
         run {substeps}\n",
        data.display(),
        SKIN * d
    )
}

/// Distance beyond contact within which LAMMPS lists pairs, over the diameter: the fastest of 0.05, 0.1 and 0.2.
const SKIN: f64 = 0.1;

//! The angle of repose of grains on a rough disc, and their flow through an opening, here and in other programs.
//!
//! `cargo run --release -p rigor-benchmarks --example second_opinions -- [repose|hopper] [engines] [packings] [folder]`, with `engines` a
//! list of `rigor`, `rigor-hertz`, `lammps`, `liggghts` and `yade` between commas (Debian's packages `lammps`, `liggghts` and `yade`). All
//! start from the same positions, velocities and spins. `lammps` and `liggghts` have the linear springs of `rigor`; `yade` has the
//! Hertz–Mindlin contacts of `rigor-hertz`, as stiff at the overlap of the settings. Prints rows in CSV; `folder` keeps the input of the
//! other programs.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example prints, and may panic")]

use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use rigor_math::{Pose, Vec3};
use rigor_particles::{Config, Model, Particles};
use rigor_scene::{
    Body, BodySpec, Clock, Friction, Method, PartKind, Particle, ParticleState, PlacedShape, Role, Scene,
    State,
};
use rigor_shapes::Cuboid;

/// Diameter (m), mass (kg) and restitution of a grain.
const D: f64 = 0.02;
const MASS: f64 = 0.01;
const RESTITUTION: f64 = 0.3;
const GRAVITY: f64 = 9.81;
/// Length (s) of a step here.
const DT: f64 = 0.01;
/// Radius (m) of the disc of pinned grains; a floor below catches what falls off.
const DISC: f64 = 10.0 * D;
/// Width (m) of the square silo.
const WIDTH: f64 = 16.0 * D;

/// A grain at the start: position (m), velocity (m/s), spin (rad/s).
#[derive(Clone)]
struct Grain {
    x: Vec3,
    v: Vec3,
    omega: Vec3,
    pinned: bool,
}

/// What every engine is given.
struct Setup {
    mu: f64,
    rolling: f64,
    grains: Vec<Grain>,
    /// Axis, coordinate (m), and 1 where grains are above it, else −1.
    planes: Vec<(usize, f64, f64)>,
    /// Corners (m) of a box around the grains that count.
    bounds: [Vec3; 2],
    /// Time (s) between frames, and their number after the first.
    every: f64,
    frames: usize,
}

/// Positions (m) and speeds (m/s) of the grains that are still there, by number.
type Frame = Vec<Option<(Vec3, f64)>>;

/// Returns a generator of vectors in [−1, 1]³.
fn vectors(seed: u64) -> impl FnMut() -> Vec3 {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    move || Vec3::new(next(), next(), next())
}

/// Free grains in layers from the height `low` to `high` (m) where `keep` says so, shaken a little.
fn layers(low: f64, high: f64, reach: f64, packing: u64, keep: impl Fn(&Vec3) -> bool) -> Vec<Grain> {
    let pitch = 1.02 * D;
    let (n, mut next) = ((reach / pitch).ceil() as i32, vectors(packing));
    let mut all = Vec::new();
    for layer in 0..((high - low) / pitch).ceil() as i32 {
        // Layers do not stand on each other.
        let shift = 0.3 * f64::from(layer % 2);
        for i in -n..=n {
            for k in -n..=n {
                let at = Vec3::new(f64::from(i) + shift, f64::from(layer), f64::from(k) + 0.7 * shift);
                let x = pitch * at + low * Vec3::y();
                if keep(&x) {
                    let (x, v) = (x + 0.009 * D * next(), 0.05 * next());
                    all.push(Grain { x, v, omega: Vec3::zeros(), pinned: false });
                }
            }
        }
    }
    all
}

fn pinned(x: Vec3) -> Grain {
    Grain { x, v: Vec3::zeros(), omega: Vec3::zeros(), pinned: true }
}

/// A column above a rough disc, which collapses.
fn column(mu: f64, rolling: f64, packing: u64) -> Setup {
    let axis_distance = |x: &Vec3| x.x.hypot(x.z);
    let mut grains = Vec::new();
    for i in -10..=10 {
        for k in -10..=10 {
            let x = D * Vec3::new(f64::from(i), 0.0, f64::from(k));
            if axis_distance(&x) <= DISC {
                grains.push(pinned(x));
            }
        }
    }
    grains.extend(layers(D, 13.0 * D, DISC, packing, |x| axis_distance(x) <= 0.8 * DISC));
    let bounds = [Vec3::new(-1.0, -0.12, -1.0), Vec3::new(1.0, 0.4, 1.0)];
    Setup { mu, rolling, grains, planes: vec![(1, -4.0 * D, 1.0)], bounds, every: 0.5, frames: 3 }
}

/// A silo with a floor of pinned grains around a round opening with the free diameter `opening` (m), after half a
/// second above the closed opening.
fn silo(mu: f64, opening: f64, packing: u64) -> Setup {
    let half = 0.5 * WIDTH;
    let rim = 0.5 * (opening + D);
    let (mut floor, mut plug) = (Vec::new(), vec![pinned(Vec3::zeros())]);
    for ring in -20..=20_i32 {
        let radius = rim + 0.9 * D * f64::from(ring);
        if radius < 0.3 * D {
            continue;
        }
        let n = (TAU * radius / (0.9 * D)).ceil() as u32;
        for k in 0..n {
            let angle = TAU * f64::from(k) / f64::from(n);
            let x = radius * Vec3::new(angle.cos(), 0.0, angle.sin());
            if x.x.abs().max(x.z.abs()) <= half {
                if ring < 0 { &mut plug } else { &mut floor }.push(pinned(x));
            }
        }
    }
    let inside = |x: &Vec3| x.x.abs().max(x.z.abs()) < half - 0.51 * D;
    let grains = layers(D, 20.0 * D, half, packing, inside);
    let planes = vec![(0, -half, 1.0), (0, half, -1.0), (2, -half, 1.0), (2, half, -1.0), (1, -0.8, 1.0)];
    let bounds = [Vec3::new(-half - D, -0.85, -half - D), Vec3::new(half + D, 0.7, half + D)];
    let closed = [&floor[..], &plug[..], &grains[..]].concat();
    let mut setup = Setup { mu, rolling: 0.0, grains: closed, planes, bounds, every: 0.5, frames: 1 };
    let state = run_here(&setup, &config(&setup, Model::Hooke)).1;
    let spins = &state.memory.numbers["particles/spin"];
    let settled = (floor.len() + plug.len()..setup.grains.len()).map(|i| {
        let ParticleState { position, velocity } = state.particles[i];
        Grain {
            x: position,
            v: velocity,
            omega: Vec3::from_column_slice(&spins[3 * i..3 * i + 3]),
            pinned: false,
        }
    });
    setup.grains = floor.into_iter().chain(settled).collect();
    (setup.every, setup.frames) = (0.1, 20);
    setup
}

fn config(setup: &Setup, model: Model) -> Config {
    let mut config = Config { speed: Some(0.5), rolling: setup.rolling, model, ..Config::default() };
    if model == Model::Hertz {
        config.young = Some(young(&config));
    }
    config
}

/// κ (N/m) of a grain with linear springs against a plane: m v² = κ δ².
fn kappa(config: &Config) -> f64 {
    let delta = config.overlap * D;
    MASS * config.speed.unwrap().powi(2) / (delta * delta)
}

/// Young's modulus (Pa) with which two grains push as hard as two springs κ in series, at the overlap of the settings.
fn young(config: &Config) -> f64 {
    let delta = config.overlap * D;
    let reduced = 0.75 * 0.5 * kappa(config) / (0.25 * D * delta).sqrt();
    2.0 * (1.0 - config.poisson * config.poisson) * reduced
}

fn plane(number: usize, (axis, at, side): (usize, f64, f64), mu: f64) -> Body {
    let (mut size, mut centre) = (Vec3::repeat(6.0), Vec3::zeros());
    (size[axis], centre[axis]) = (0.2, at - 0.1 * side);
    let mesh = Cuboid::new(size).mesh().unwrap();
    let shape = PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() };
    let (role, friction, pose) = (Role::Static, Friction::uniform(mu), Pose::translation(centre));
    BodySpec { role, friction, pose, ..BodySpec::new(format!("plane {number}"), vec![shape]) }
        .build()
        .unwrap()
}

/// Runs the setup here; returns the frames and the state at the end.
fn run_here(setup: &Setup, config: &Config) -> (Vec<Frame>, State) {
    let grain = |grain: &Grain| {
        let mass = if grain.pinned { f64::INFINITY } else { MASS };
        let (friction, restitution) = (Friction::uniform(setup.mu), RESTITUTION);
        Particle { radius: 0.5 * D, friction, restitution, velocity: grain.v, ..Particle::new(mass, grain.x) }
    };
    let bodies = setup.planes.iter().enumerate().map(|(i, p)| plane(i, *p, setup.mu)).collect();
    let particles = setup.grains.iter().map(grain).collect();
    let scene = Scene { gravity: -GRAVITY * Vec3::y(), particles, bodies, ..Scene::default() };
    let mut method = Particles::new(config.clone(), Clock::default()).unwrap();
    let mut state = State::initial(&scene);
    let spins = setup.grains.iter().flat_map(|g| [g.omega.x, g.omega.y, g.omega.z]).collect();
    state.memory.numbers.insert("particles/spin".into(), spins);
    let frame =
        |state: &State| state.particles.iter().map(|p| Some((p.position, p.velocity.norm()))).collect();
    let mut frames = vec![frame(&state)];
    let per_frame = (setup.every / DT).round() as u64;
    for step in 1..=per_frame * setup.frames as u64 {
        method.step(&scene, &mut state, DT).unwrap();
        (state.step, state.time) = (step, step as f64 * DT);
        if step % per_frame == 0 {
            frames.push(frame(&state));
        }
    }
    (frames, state)
}

/// The file of grains that LAMMPS and LIGGGHTS read.
fn data(setup: &Setup, comment: &str) -> String {
    let [a, b] = setup.bounds;
    let mut text = format!(
        "grains\n\n{} atoms\n3 atom types\n{} {} xlo xhi\n{} {} ylo yhi\n{} {} zlo zhi\n\nAtoms{comment}\n\n",
        setup.grains.len(),
        a.x,
        b.x,
        a.y,
        b.y,
        a.z,
        b.z
    );
    let density = MASS / (PI / 6.0 * D.powi(3));
    for (i, Grain { x, pinned, .. }) in setup.grains.iter().enumerate() {
        let kind = if *pinned { 2 } else { 1 };
        writeln!(text, "{} {kind} {D} {density} {} {} {}", i + 1, x.x, x.y, x.z).unwrap();
    }
    text.push_str("\nVelocities\n\n");
    for (i, Grain { v, omega: w, .. }) in setup.grains.iter().enumerate() {
        writeln!(text, "{} {} {} {} {} {} {}", i + 1, v.x, v.y, v.z, w.x, w.y, w.z).unwrap();
    }
    text
}

/// Returns k (N/m) and c (N s/m) of two grains, of a grain and a pinned one, and of a grain and a plane. The damping
/// ratio is ζ = −ln e/√(π² + ln² e).
fn springs(config: &Config) -> [(f64, f64); 3] {
    let ln_e = f64::ln(RESTITUTION);
    let zeta = -ln_e / PI.hypot(ln_e);
    let k = kappa(config);
    [(0.5 * k, 0.5 * MASS), (0.5 * k, MASS), (k, MASS)].map(|(k, m)| (k, 2.0 * zeta * (k * m).sqrt()))
}

/// Length (s) of a step of the other engines: an integer part of a frame.
fn substep(setup: &Setup, config: &Config) -> (f64, u64) {
    let n = (setup.every / (PI * (MASS / kappa(config)).sqrt() / 40.0)).ceil();
    (setup.every / n, n as u64)
}

fn lammps(setup: &Setup, config: &Config, grains: &Path, dump: &Path) -> String {
    let ratio = tangential_ratio(config);
    let law = |(k, c): (f64, f64)| {
        let (k_t, root) = (ratio * k, ratio.sqrt());
        let rolling = match setup.rolling {
            0.0 => String::new(),
            rolling => format!(" rolling sds {k_t:e} {:e} {rolling}", root * c),
        };
        format!(
            "hooke {k:e} {c:e} tangential linear_history {k_t:e} {root} {}{rolling} damping velocity",
            setup.mu
        )
    };
    let [free, rough, wall] = springs(config).map(law);
    let (h, n) = substep(setup, config);
    let mut text = format!(
        "units si\natom_style sphere\nboundary f f f\nnewton off\ncomm_modify vel yes\nread_data {}\nneighbor {} bin\n\
         neigh_modify delay 0 every 1 check yes\npair_style granular\npair_coeff * * {free}\npair_coeff 1 2 {rough}\n\
         group free type 1\ngroup pinned type 2\nneigh_modify exclude group pinned pinned\ntimestep {h:e}\n\
         fix 1 free nve/sphere\nfix 2 free gravity {GRAVITY} vector 0 -1 0\nfix 3 pinned freeze\n",
        grains.display(),
        0.1 * D
    );
    for (i, place) in walls(setup).iter().enumerate() {
        writeln!(text, "fix w{i} free wall/gran granular {wall} {place}").unwrap();
    }
    text + &frames_of(setup, n, dump)
}

/// k_t/k_n of [Mindlin1949].
fn tangential_ratio(config: &Config) -> f64 {
    2.0 * (1.0 - config.poisson) / (2.0 - config.poisson)
}

fn walls(setup: &Setup) -> Vec<String> {
    let word = |&(axis, at, side): &(usize, f64, f64)| {
        let name = ["xplane", "yplane", "zplane"][axis];
        if side > 0.0 { format!("{name} {at} NULL") } else { format!("{name} NULL {at}") }
    };
    setup.planes.iter().map(word).collect()
}

fn frames_of(setup: &Setup, n: u64, dump: &Path) -> String {
    format!(
        "thermo_modify lost ignore\nthermo {n}\ndump 1 all custom {n} {} id x y z vx vy vz\nrun {}\n",
        dump.display(),
        n * setup.frames as u64
    )
}

fn liggghts(setup: &Setup, config: &Config, grains: &Path, dump: &Path) -> String {
    let ratio = tangential_ratio(config);
    let [free, rough, wall] = springs(config);
    // Types: free, pinned, planes. The damper is γ times the reduced mass.
    let gamma = |(_, c): (f64, f64), mass: f64| c / mass;
    let table = |name: &str, [free, rough, wall]: [f64; 3]| {
        format!(
            "fix {name} all property/global {name} peratomtypepair 3 {free:e} {rough:e} {wall:e} {rough:e} {rough:e} {rough:e} {wall:e} {rough:e} {wall:e}\n"
        )
    };
    let (h, n) = substep(setup, config);
    let (k, dampers) =
        ([free.0, rough.0, wall.0], [gamma(free, 0.5 * MASS), gamma(rough, MASS), gamma(wall, MASS)]);
    let rolling = if setup.rolling > 0.0 { " rolling_friction epsd2" } else { "" };
    let model = format!("model hooke/stiffness tangential history{rolling}");
    let mut text = format!(
        "units si\natom_style granular\natom_modify map array\nboundary f f f\nnewton off\ncommunicate single vel yes\nread_data {}\n\
         neighbor {} bin\nneigh_modify delay 0\n",
        grains.display(),
        0.1 * D
    );
    text += &table("kn", k);
    text += &table("kt", k.map(|k| ratio * k));
    text += &table("gamman", dampers);
    text += &table("gammat", dampers.map(|c| ratio.sqrt() * c));
    text += &table("coefficientFriction", [setup.mu; 3]);
    if setup.rolling > 0.0 {
        text += &table("coefficientRollingFriction", [setup.rolling; 3]);
    }
    write!(
        text,
        "pair_style gran {model}\npair_coeff * *\ngroup free type 1\ngroup pinned type 2\n\
         neigh_modify exclude group pinned pinned\ntimestep {h:e}\nfix 1 free nve/sphere\n\
         fix 2 free gravity {GRAVITY} vector 0 -1 0\nfix 3 pinned freeze\n"
    )
    .unwrap();
    for (i, (axis, at, _)) in setup.planes.iter().enumerate() {
        let name = ["xplane", "yplane", "zplane"][*axis];
        writeln!(text, "fix w{i} free wall/gran {model} primitive type 3 {name} {at}").unwrap();
    }
    text + &frames_of(setup, n, dump)
}

fn yade(setup: &Setup, config: &Config, grains: &Path, dump: &Path) -> String {
    let (h, n) = substep(setup, config);
    let (young, nu, mu) = (young(config), config.poisson, setup.mu);
    let density = MASS / (PI / 6.0 * D.powi(3));
    // Moments are bounded by η r f_n there, by `rolling` r/2 f_n here.
    let (bend, eta) =
        (tangential_ratio(config) * 0.5 * kappa(config) * (0.25 * D).powi(2), 0.5 * setup.rolling);
    let moment = if setup.rolling > 0.0 { "True" } else { "False" };
    let mut text = format!(
        "from yade import config\nfrom math import atan\nprint('Yade version', config.version)\n\
         m = O.materials.append(FrictMat(young={young:e}, poisson={nu}, density={density}, frictionAngle=atan({mu})))\n\
         rows = [l.split() for l in open('{}').read().split('Atoms')[1].splitlines() if len(l.split()) == 7]\n\
         half = len(rows) // 2\n\
         for a, b in zip(rows[:half], rows[half:]):\n\
         \x20   s = sphere([float(w) for w in a[4:]], {}, material=m, fixed=a[1] == '2')\n\
         \x20   O.bodies.append(s)\n\
         \x20   s.state.vel = [float(w) for w in b[1:4]]\n\
         \x20   s.state.angVel = [float(w) for w in b[4:]]\n",
        grains.display(),
        0.5 * D
    );
    for (axis, at, _) in &setup.planes {
        writeln!(text, "O.bodies.append(wall({at}, axis={axis}, material=m))").unwrap();
    }
    write!(
        text,
        "O.engines = [ForceResetter(),\n\
         \x20   InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()], verletDist={}),\n\
         \x20   InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],\n\
         \x20       [Ip2_FrictMat_FrictMat_MindlinPhys(en={RESTITUTION}, es={RESTITUTION}, krot={bend:e}, eta={eta})],\n\
         \x20       [Law2_ScGeom_MindlinPhys_Mindlin(includeMoment={moment})]),\n\
         \x20   NewtonIntegrator(damping=0, gravity=(0, -{GRAVITY}, 0))]\n\
         O.dt = {h:e}\n\
         with open('{}', 'w') as out:\n\
         \x20   for frame in range({}):\n\
         \x20       if frame > 0:\n\
         \x20           O.run({n}, True)\n\
         \x20       out.write('ITEM: TIMESTEP\\n')\n\
         \x20       for b in O.bodies:\n\
         \x20           if b.id < half:\n\
         \x20               out.write(' '.join(str(w) for w in [b.id + 1, *b.state.pos, *b.state.vel]) + '\\n')\n",
        0.1 * D,
        dump.display(),
        setup.frames + 1
    )
    .unwrap();
    text
}

/// The frames of a dump: rows of number, position and velocity.
fn read(dump: &Path, n: usize) -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::new();
    for line in std::fs::read_to_string(dump).unwrap_or_default().lines() {
        if line.starts_with("ITEM: TIMESTEP") {
            frames.push(vec![None; n]);
        }
        let numbers: Vec<f64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
        if let ([i, x, y, z, u, v, w], Some(frame)) = (&numbers[..], frames.last_mut()) {
            frame[*i as usize - 1] = Some((Vec3::new(*x, *y, *z), Vec3::new(*u, *v, *w).norm()));
        }
    }
    frames
}

/// Runs another program; returns its version and the frames, or what went wrong.
fn run_there(engine: &str, setup: &Setup, folder: &Path) -> Result<(String, Vec<Frame>), String> {
    let config = config(setup, Model::Hooke);
    let file = |end: &str| folder.join(format!("{engine}{end}"));
    let (grains, dump, input) =
        (file(".data"), file(".dump"), file(if engine == "yade" { ".py" } else { ".in" }));
    std::fs::write(&grains, data(setup, if engine == "lammps" { " # sphere" } else { "" })).unwrap();
    let (program, arguments, text): (_, &[&str], _) = match engine {
        "lammps" => ("lmp", &["-log", "none", "-in"], lammps(setup, &config, &grains, &dump)),
        "liggghts" => ("liggghts", &["-log", "none", "-in"], liggghts(setup, &config, &grains, &dump)),
        "yade" => ("yade", &["-n", "-x", "-j1"], yade(setup, &config, &grains, &dump)),
        other => return Err(format!("there is no engine {other:?}")),
    };
    std::fs::write(&input, text).unwrap();
    let _ = std::fs::remove_file(&dump);
    let run = Command::new(program).args(arguments).arg(&input).output();
    let run = run.map_err(|error| format!("there is no program `{program}` here: {error}"))?;
    let text = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    let frames = read(&dump, setup.grains.len());
    if frames.len() != setup.frames + 1 {
        return Err(text);
    }
    let is_name =
        |line: &&str| ["LAMMPS (", "LIGGGHTS (", "Yade version"].iter().any(|name| line.starts_with(name));
    let version = text.lines().find(is_name).unwrap_or(engine);
    Ok((version.replace(',', " "), frames))
}

/// The frames of the setup by `engine`, with its version.
fn frames(engine: &str, setup: &Setup, folder: &Path) -> Option<(String, Vec<Frame>)> {
    let model = match engine {
        "rigor" => Model::Hooke,
        "rigor-hertz" => Model::Hertz,
        other => {
            return run_there(other, setup, folder).inspect_err(|error| println!("# {other}: {error}")).ok();
        }
    };
    Some((env!("CARGO_PKG_VERSION").into(), run_here(setup, &config(setup, model)).0))
}

/// Rings a diameter wide, and sectors of each.
const RINGS: usize = 10;
const SECTORS: usize = 8;

/// The slope angle (degrees) and its standard error: a line through the heights of rings, each the mean over
/// sectors of the highest grain.
fn angle(frame: &Frame) -> (f64, f64) {
    let mut tops = [[0.0_f64; SECTORS]; RINGS];
    for (x, _) in frame.iter().flatten() {
        let sector = (x.z.atan2(x.x) / TAU + 0.5) * SECTORS as f64;
        if let Some(ring) = tops.get_mut((x.x.hypot(x.z) / D) as usize) {
            let top = &mut ring[(sector as usize).min(SECTORS - 1)];
            *top = top.max(x.y / D);
        }
    }
    let highest = tops.map(|ring| ring.iter().sum::<f64>() / SECTORS as f64);
    // The top of the cone is round.
    let points: Vec<(f64, f64)> =
        highest.iter().enumerate().skip(1).map(|(k, y)| (k as f64 + 0.5, *y)).collect();
    let n = points.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (r, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let spread = mean(&|p| (p.0 - r).powi(2));
    let slope = mean(&|p| (p.0 - r) * (p.1 - y)) / spread;
    let rest = mean(&|p| (p.1 - y - slope * (p.0 - r)).powi(2));
    let error = (rest / spread / (n - 2.0)).sqrt();
    ((-slope).atan().to_degrees(), (error / (1.0 + slope * slope)).to_degrees())
}

fn repose(engines: &[&str], packings: u64, folder: &Path) {
    println!("engine,version,friction,rolling,packing,angle_deg,error_deg,grains,speed_m_s");
    let all = [(0.4, 0.0), (0.8, 0.0), (0.4, 0.1), (0.2, 0.0), (0.4, 0.3), (0.1, 0.0), (0.05, 0.0)];
    for packing in 1..=packings {
        for (mu, rolling) in all {
            let setup = column(mu, rolling, packing);
            for engine in engines {
                let Some((version, frames)) = frames(engine, &setup, folder) else { continue };
                let last = frames.last().unwrap();
                let (angle, error) = angle(last);
                let is_on_disc = |x: &Vec3| x.y > 0.0 && x.x.hypot(x.z) < DISC;
                let free = last.iter().zip(&setup.grains).filter(|(_, grain)| !grain.pinned);
                let on_disc: Vec<f64> =
                    free.filter_map(|(now, _)| *now).filter(|(x, _)| is_on_disc(x)).map(|(_, v)| v).collect();
                let speed = on_disc.iter().sum::<f64>() / on_disc.len() as f64;
                println!(
                    "{engine},{version},{mu},{rolling},{packing},{angle:.2},{error:.2},{},{speed:.5}",
                    on_disc.len()
                );
            }
        }
    }
}

fn hopper(engines: &[&str], packings: u64, folder: &Path) {
    println!("engine,version,opening_d,packing,rate_kg_s,grains,bulk_density_kg_m3");
    for packing in 1..=packings {
        for opening in [6.0, 5.0, 4.0] {
            let setup = silo(0.4, opening * D, packing);
            for engine in engines {
                let Some((version, frames)) = frames(engine, &setup, folder) else { continue };
                let above = |frame: &Frame| frame.iter().flatten().filter(|(x, _)| x.y > -D).count();
                // The first 0.4 s are left out.
                let (first, last) = (above(&frames[4]), above(&frames[setup.frames]));
                let passed = first - last;
                let rate = MASS * passed as f64 / (setup.every * (setup.frames - 4) as f64);
                let is_inside = |x: &Vec3| x.y > 2.0 * D && x.y < 10.0 * D;
                let n = frames[0].iter().flatten().filter(|(x, _)| is_inside(x)).count();
                let density = MASS * n as f64 / (8.0 * D * WIDTH * WIDTH);
                println!("{engine},{version},{opening},{packing},{rate:.3},{passed},{density:.0}");
            }
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |k: usize, default: &str| arguments.get(k).cloned().unwrap_or_else(|| default.into());
    let (engines, packings) = (argument(1, "rigor"), argument(2, "1").parse().unwrap());
    let folder = argument(3, "/tmp/rigor-second-opinions");
    std::fs::create_dir_all(&folder).unwrap();
    let engines: Vec<&str> = engines.split(',').collect();
    match argument(0, "repose").as_str() {
        "repose" => repose(&engines, packings, Path::new(&folder)),
        "hopper" => hopper(&engines, packings, Path::new(&folder)),
        other => println!("no scene {other:?}: it must be repose or hopper"),
    }
}

//! Bodies on the device `gpu` beside the processor.

use std::path::Path;

use rigor_file::{Files, LoadOptions, cases, load};
use rigor_math::Vec3;
use rigor_scene::trajectory::Run;
use rigor_scene::{Clock, Method, Outcome, Scene, State, StepReport};
use rigor_xpbd::{Config, ContactSolver, JointSolver, Solver, Xpbd};

use crate::{DT, assert_same_bits, on_gpu, record};

/// The text of one scene.
struct Text(String);

impl Files for Text {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

fn scene(text: &str) -> Scene {
    let text = Text(format!("format = 1\nname = \"test\"\n[time]\ndt = 0.01\nduration = 1.0\n{text}"));
    load(Path::new("test.toml"), &text, &LoadOptions::default()).unwrap().scene
}

fn case(name: &str) -> Scene {
    load(Path::new(cases::find(name).unwrap()), &cases::files(), &LoadOptions::default()).unwrap().scene
}

fn config(solver: Solver, substeps: u32) -> Config {
    Config { solver, substeps, contacts: ContactSolver::Sequential, ..Config::default() }
}

/// Largest differences of positions (m), of orientations (rad), and of velocities (m/s) of points a metre from the centre.
fn difference(a: &State, b: &State) -> (f64, f64, f64) {
    let pairs = a.bodies.iter().zip(&b.bodies);
    let one = pairs.map(|(a, b)| {
        let x = (a.pose.position - b.pose.position).norm();
        let v = (a.linear_velocity - b.linear_velocity).norm();
        let omega = (a.angular_velocity - b.angular_velocity).norm();
        (x, a.pose.rotation.angle_to(&b.pose.rotation), v + omega)
    });
    one.fold((0.0, 0.0, 0.0), |most, one| (most.0.max(one.0), most.1.max(one.1), most.2.max(one.2)))
}

/// Runs a scene on both, prints how far they are apart, and checks that they differ by at most these lengths (m), angles
/// (rad) and speeds (m/s).
fn compare(what: &str, scene: &Scene, config: &Config, steps: u64, most: (f64, f64, f64)) -> [Run; 2] {
    let runs = [record(scene, config, steps), record(scene, &on_gpu(config), steps)];
    for run in &runs {
        assert_eq!(run.outcome, Outcome::Completed, "{what}");
    }
    let off = difference(runs[0].last(), runs[1].last());
    println!("{what}: {:.1e} m, {:.1e} rad, {:.1e} m/s", off.0, off.1, off.2);
    assert!(off.0 <= most.0 && off.1 <= most.1 && off.2 <= most.2, "{what}: {off:?}");
    runs
}

/// Sum of the forces (N) on body `i` by contacts.
fn support(report: &StepReport, i: usize) -> Vec3 {
    let force = |c: &rigor_scene::ContactReport| c.normal_force * c.normal_world + c.friction_force_world;
    let on = |c: &rigor_scene::ContactReport| match (c.body_a.0 == i, c.body_b.0 == i) {
        (true, _) => force(c),
        (_, true) => -force(c),
        _ => Vec3::zeros(),
    };
    report.contacts.iter().map(on).sum()
}

pub fn pendulum() {
    let scene = case("xpbd/three-link-pendulum");
    for (what, solver, substeps) in [
        ("pendulum, one after another, 5 substeps", Solver::GaussSeidel, 5),
        ("pendulum, one after another, 10 substeps", Solver::GaussSeidel, 10),
        ("pendulum, coloured, 10 substeps", Solver::Coloured, 10),
    ] {
        let runs = compare(what, &scene, &config(solver, substeps), 60, (1e-3, 1e-3, 1e-2));
        for run in &runs {
            let error = run.reports.iter().filter_map(|r| r.quantity("joint_error")).fold(0.0, f64::max);
            assert!(error < 2e-2, "{what}: joints are off by {error} m");
        }
        for (cpu, gpu) in runs[0].reports[0].joints.iter().zip(&runs[1].reports[0].joints) {
            let off = (cpu.force_world - gpu.force_world).norm();
            // The pendulum weighs 29 N.
            assert!(off < 0.03, "{what}: a force is off by {off} N");
        }
    }
    for substeps in [5, 10] {
        let run = record(&scene, &on_gpu(&config(Solver::GaussSeidel, substeps)), 600);
        assert_eq!(run.outcome, Outcome::Completed);
        let error = run.reports.iter().filter_map(|r| r.quantity("joint_error")).fold(0.0, f64::max);
        println!("pendulum, {substeps} substeps, 10 s: joints are off by {error:.1e} m");
        assert!(error < 2e-2, "joints are off by {error} m");
    }
    let jacobi = Config { iterations: 5, ..config(Solver::Jacobi, 10) };
    compare("pendulum, jacobi, 10 substeps of 5", &scene, &jacobi, 60, (1e-3, 1e-3, 1e-2));
}

/// Four bricks in free fall from far away, held together by every kind of joint on the device; one is held by the world.
fn chain() -> Scene {
    let mut text = String::new();
    for i in 0..4 {
        let spin = [1.0, -0.5 * f64::from(i), 0.3];
        text += &format!(
            "[[body]]\nname = \"brick-{i}\"\nposition = [{}, 700, 300]\ngroup = \"bricks\"\nangular_velocity = {spin:?}\n\
             density = 500.0\n[[body.shape]]\nbox = {{ size = [0.9, 0.4, {}] }}\n",
            1000 + i,
            0.3 + 0.05 * f64::from(i)
        );
    }
    for (i, kind) in ["fixed", "hinge", "ball"].into_iter().enumerate() {
        let axis = if kind == "hinge" { "axis = [0, 0.6, 0.8]\n" } else { "" };
        text += &format!(
            "[[joint]]\nname = \"{kind}\"\nkind = \"{kind}\"\nbody_a = \"brick-{}\"\nbody_b = \"brick-{i}\"\n\
             position = [{}, 700, 300]\n{axis}compliance = {}\nangular_compliance = {}\n",
            i + 1,
            1000.5 + i as f64,
            1e-6 * i as f64,
            if kind == "fixed" { 1e-5 } else { 0.0 },
        );
    }
    text +=
        "[[joint]]\nname = \"pin\"\nkind = \"ball\"\nbody_a = \"brick-0\"\nposition = [999.5, 700, 300]\n";
    scene(&text)
}

pub fn joints() {
    for solver in [Solver::GaussSeidel, Solver::Coloured, Solver::Jacobi] {
        let config = Config { iterations: 3, ..config(solver, 8) };
        compare(&format!("bricks, {solver:?}"), &chain(), &config, 30, (1e-4, 1e-3, 1e-2));
        let mut free = chain();
        free.gravity = Vec3::zeros();
        free.joints.pop();
        let run = record(&free, &on_gpu(&config), 30);
        let each = |state: &State| -> Vec<Vec3> {
            free.bodies.iter().zip(&state.bodies).map(|(body, now)| body.mass * now.linear_velocity).collect()
        };
        let (total, size) =
            (each(run.last()).iter().sum::<Vec3>(), each(run.last()).iter().map(Vec3::norm).sum::<f64>());
        println!("momentum of bricks, {solver:?}: {:.1e}", total.norm() / size);
        assert!(size > 1.0 && total.norm() < 1e-5 * size, "{total} of {size} kg m/s");
    }
}

pub fn breaking() {
    let mut scene = case("xpbd/three-link-pendulum");
    scene.joints[2].strength.force = 20.0;
    let runs =
        compare("a joint that breaks", &scene, &config(Solver::GaussSeidel, 10), 60, (1e-3, 1e-3, 1e-2));
    let step = |run: &Run| run.reports.iter().position(|report| report.joints[2].broken);
    assert!(step(&runs[0]).is_some_and(|step| step > 2), "{:?}", step(&runs[0]));
    assert_eq!(step(&runs[0]), step(&runs[1]));
}

const FLOOR: &str = "[[body]]\nname = \"floor\"\nrole = \"static\"\nposition = [0, -0.5, 0]\nfriction = 0.5\n\
                     [[body.shape]]\nbox = { size = [10, 1, 10] }\n";

fn falling(position: [f64; 3], rotation: [f64; 3], velocity: [f64; 3], more: &str) -> String {
    format!(
        "[[body]]\nname = \"box-{}\"\nposition = {position:?}\nrotation_deg = {rotation:?}\nlinear_velocity = {velocity:?}\n\
         friction = 0.5\n{more}[[body.shape]]\nbox = {{ size = [0.2, 0.2, 0.2] }}\n",
        position.map(|x| (100.0 * x) as i64).map(|x| x.to_string()).join("-")
    )
}

pub fn landing() {
    let flat = scene(&format!("{FLOOR}{}", falling([0.0, 0.15, 0.0], [0.0; 3], [0.0; 3], "")));
    let sequence = config(Solver::GaussSeidel, 10);
    let runs = compare("a box lands flat", &flat, &sequence, 60, (1e-4, 1e-3, 1e-3));
    let weight = 9.81 * flat.bodies[1].mass;
    for run in &runs {
        let force = support(run.reports.last().unwrap(), 1);
        assert!((force.y / weight - 1.0).abs() < 1e-2, "{force} N against {weight} N");
        assert_eq!(run.reports.last().unwrap().contacts.len(), 4);
    }

    let sliding = scene(&format!("{FLOOR}{}", falling([0.0, 0.1, 0.0], [0.0; 3], [1.0, 0.0, 0.0], "")));
    let runs = compare("a box slides to a stop", &sliding, &sequence, 60, (1e-3, 1e-3, 1e-3));
    let end = &runs[1].last().bodies[1];
    // A velocity of 1 m/s and μ = ½: 0.1 m without the load that shifts between its corners.
    let way = end.pose.position.x;
    assert!((0.09..0.14).contains(&way) && end.linear_velocity.norm() < 0.05, "it slides {way} m");

    let tilted = falling([0.0, 0.25, 0.0], [20.0, 30.0, 40.0], [0.3, 0.0, 0.2], "");
    let tumbling = scene(&format!("{FLOOR}{tilted}"));
    compare("a box lands on a corner", &tumbling, &sequence, 30, (1e-3, 1e-2, 5e-2));

    let crossed = falling([0.0, 0.1, 0.0], [0.0; 3], [0.0; 3], "")
        + &falling([0.14, 0.42, 0.14], [45.0, 30.0, 0.0], [-0.2, 0.0, -0.2], "");
    let crossing = scene(&format!("{FLOOR}{crossed}"));
    let runs = compare("a box falls on the edge of another", &crossing, &sequence, 30, (1e-3, 1e-2, 5e-2));
    let touched = |r: &StepReport| r.contacts.iter().any(|c| c.body_a.0 == 1 && c.body_b.0 == 2);
    assert!(runs.iter().all(|run| run.reports.iter().any(touched)), "they touch");
}

pub fn boxes() {
    let scene = case("xpbd/boxes");
    compare("the boxes, 9 steps", &scene, &config(Solver::GaussSeidel, 10), 9, (1e-4, 1e-3, 1e-2));

    // Rounding decides which boxes fall from the heap, so each step starts from a state of the processor.
    let config = config(Solver::GaussSeidel, 20);
    let run = record(&scene, &config, 40);
    let mut methods =
        [&config, &on_gpu(&config)].map(|config| Xpbd::new(config.clone(), Clock::default()).unwrap());
    let mut off: Vec<f64> = (0..40)
        .map(|k| {
            let [cpu, gpu] = methods.each_mut().map(|method| {
                let mut state = run.trajectory.frames[k].clone();
                method.step(&scene, &mut state, DT).unwrap();
                state
            });
            difference(&cpu, &gpu).0
        })
        .collect();
    off.sort_by(f64::total_cmp);
    println!("the boxes, steps from the same states: {:.1e} m, half of them {:.1e} m", off[39], off[20]);
    assert!(off[39] < 1e-3 && off[20] < 5e-5, "{off:?}");

    let run = record(&scene, &on_gpu(&self::config(Solver::GaussSeidel, 10)), 180);
    assert_eq!(run.outcome, Outcome::Completed);
    let last = run.last();
    let fastest = last.bodies.iter().map(|body| body.linear_velocity.norm()).fold(0.0, f64::max);
    let lowest = last.bodies[1..].iter().map(|body| body.pose.position.y).fold(f64::INFINITY, f64::min);
    let overlap = run.reports.iter().filter_map(|report| report.residual).fold(0.0, f64::max);
    let batches = run.reports[179].quantity("colours").unwrap();
    println!(
        "the boxes after 3 s: {fastest:.1e} m/s, lowest {lowest:.4} m, overlap {overlap:.1e} m, {batches} batches"
    );
    assert!(lowest > 0.09, "a box is at {lowest} m");
    assert!(overlap < 2e-2, "overlap of {overlap} m");
    let weight: f64 = 9.81 * scene.bodies[1..].iter().map(|body| body.mass).sum::<f64>();
    let held = -run.reports[150..].iter().map(|report| support(report, 0).y).sum::<f64>() / 30.0;
    assert!((held / weight - 1.0).abs() < 0.05, "the floor holds {held} N of {weight} N");
}

pub fn same_bits() {
    let piled = scene(&format!(
        "{FLOOR}{}{}",
        falling([0.0, 0.12, 0.0], [0.0, 10.0, 0.0], [0.0; 3], ""),
        falling([0.05, 0.35, 0.02], [5.0, 30.0, 0.0], [0.1, 0.0, 0.0], "")
    ));
    for (scene, config) in [
        (case("xpbd/three-link-pendulum"), config(Solver::Coloured, 5)),
        (case("xpbd/three-link-pendulum"), config(Solver::Jacobi, 5)),
        (piled, config(Solver::GaussSeidel, 10)),
    ] {
        assert_same_bits(&scene, on_gpu(&config));
    }
}

/// What the device says of a scene before a run, which is what it says in a step.
fn refused(scene: &Scene, config: Config) -> String {
    let mut method = Xpbd::new(on_gpu(&config), Clock::default()).unwrap();
    let before = method.supports(scene).unwrap_err().to_string();
    let mut state = State::initial(scene);
    let during = method.step(scene, &mut state, DT).unwrap_err().to_string();
    assert_eq!(state, State::initial(scene));
    let why = before.split("does not support ").last().unwrap();
    assert!(during.contains(why), "{before} is not {during}");
    before
}

pub fn refusals() {
    let pendulum = case("xpbd/three-link-pendulum");
    let plain = || config(Solver::GaussSeidel, 5);
    Xpbd::new(on_gpu(&plain()), Clock::default()).unwrap().supports(&pendulum).unwrap();
    let says = |scene: &Scene, config: Config, words: &[&str]| {
        let why = refused(scene, config);
        assert!(
            words.iter().all(|word| why.contains(word)) && why.contains("set device to \"cpu\""),
            "{why}"
        );
    };
    says(&pendulum, Config { joints: JointSolver::Direct, ..plain() }, &["joints = \"direct\""]);
    let mut damped = pendulum.clone();
    damped.joints[1].damping.angular = 1.0;
    says(&damped, plain(), &["the damping", "pin-2"]);
    let mut universal = pendulum.clone();
    universal.joints[0].kind = rigor_scene::JointKind::Universal;
    says(&universal, plain(), &["the kind", "pin-1"]);
    let mut limited = pendulum.clone();
    let turn = rigor_scene::Freedom::within(rigor_scene::Range::new(-1.0, 1.0));
    limited.joints[2].kind = rigor_scene::JointKind::Hinge { turn };
    says(&limited, plain(), &["the limits", "pin-3"]);
    let mut fixed = pendulum.clone();
    fixed.bodies[0].fixed.rotation[0] = true;
    says(&fixed, plain(), &["fixed axes", "link-1"]);

    let boxes = scene(&format!("{FLOOR}{}", falling([0.0, 0.15, 0.0], [0.0; 3], [0.0; 3], "")));
    says(&boxes, Config { contacts: ContactSolver::Block, ..plain() }, &["block", "sequential"]);
    says(&boxes, config(Solver::Jacobi, 5), &["contact", "gauss_seidel"]);
    let mut bouncing = boxes.clone();
    bouncing.bodies[1].restitution = 0.5;
    says(&bouncing, plain(), &["restitution", "box"]);
    let ball = format!(
        "{FLOOR}[[body]]\nname = \"ball\"\nposition = [0, 1, 0]\n[[body.shape]]\nsphere = {{ radius = 0.1 }}\n"
    );
    says(&scene(&ball), plain(), &["ball", "convex solid of at most 64 triangles"]);
    says(&scene(&format!("{ball}round = true\n")), plain(), &["the round shape", "ball"]);
    let mut apart = pendulum.clone();
    apart.bodies[1].initial.pose.position.x = 1.0;
    says(&apart, plain(), &["do not hold at the start", "pin-2"]);

    let mut fast = boxes.clone();
    fast.bodies[1].initial.linear_velocity = Vec3::new(60.0, 0.0, 0.0);
    let whole = Config { max_motion: 1e6, ..plain() };
    let mut method = Xpbd::new(on_gpu(&whole), Clock::default()).unwrap();
    let mut state = State::initial(&fast);
    let error = method.step(&fast, &mut state, DT).unwrap_err().to_string();
    assert!(error.contains("raise substeps"), "{error}");
    assert_eq!(state, State::initial(&fast));
    // The default takes more substeps.
    method = Xpbd::new(on_gpu(&plain()), Clock::default()).unwrap();
    method.step(&fast, &mut state, DT).unwrap();

    let mut far = boxes;
    far.bodies[1].initial.pose.position.x = 1e30;
    let mut state = State::initial(&far);
    let mut method = Xpbd::new(on_gpu(&plain()), Clock::default()).unwrap();
    let error = method.step(&far, &mut state, DT).unwrap_err().to_string();
    assert!(error.contains("box") && error.contains("single precision"), "{error}");
}

//! Joints hold, swing and drive.

use std::path::Path;

use rigor_file::{Files, LoadOptions, cases, load};
use rigor_math::Vec3;
use rigor_math::spin::{MovingMass, Spin};
use rigor_moreau::Config;
use rigor_scene::{FlawKind, Run, Scene, State, energy};

use crate::scenes::{cuboid, record};

pub fn case(name: &str) -> Scene {
    let path = cases::find(name).unwrap();
    load(Path::new(path), &cases::files(), &LoadOptions::default()).unwrap().scene
}

fn largest_error(run: &Run) -> f64 {
    let errors = run.reports.iter().flat_map(|report| &report.joints);
    errors.map(|joint| joint.position_error.max(joint.angle_error)).fold(0.0, f64::max)
}

#[test]
fn joints_of_every_kind_hold_to_a_hundred_millionth() {
    for name in [
        "joints/ball-swing",
        "joints/cylindrical",
        "joints/gear",
        "joints/hinge-drive",
        "joints/hinge-limit",
        "joints/prismatic-drive",
        "joints/universal",
        "mueller2020/pendulum-balls",
        "mueller2020/pendulum-hinges",
    ] {
        let scene = case(name);
        let run = record(&scene, Config::default(), scene.time.dt, 60.min(scene.time.steps()));
        let error = largest_error(&run);
        assert!(error < 1e-8, "{name}: {error:e}");
    }
}

#[test]
fn pendula_converge_with_order_two_and_keep_their_energy() {
    let scene = case("mueller2020/pendulum-hinges");
    let end = |substeps: u32| {
        let run = record(&scene, Config { substeps, ..Config::default() }, 1e-2, 100);
        let total = |state| {
            let (kinetic, potential) = energy::of_state(&scene, state);
            kinetic + potential
        };
        let start = total(&run.trajectory.frames[0]);
        let off = run.trajectory.frames.iter().map(|state| (total(state) - start).abs()).fold(0.0, f64::max);
        (run.last().bodies.last().unwrap().pose.position, off)
    };
    let (coarse, fine, exact) = (end(4), end(8), end(64));
    let order = ((coarse.0 - exact.0).norm() / (fine.0 - exact.0).norm()).log2();
    assert!((1.8..2.3).contains(&order), "order {order}");
    let order = (coarse.1 / fine.1).log2();
    assert!(order > 1.8, "energy: order {order}, {} J", fine.1);
}

#[test]
fn a_joint_that_does_not_hold_at_the_start_is_told_once() {
    let mut scene = case("joints/universal");
    let told = |run: &Run| {
        let is_told = |report: &&rigor_scene::StepReport| {
            report
                .flaws
                .iter()
                .any(|flaw| flaw.kind == FlawKind::StartCorrected && (flaw.amount - 0.01).abs() < 1e-6)
        };
        run.reports.iter().filter(is_told).count()
    };
    assert_eq!(told(&record(&scene, Config::default(), 1e-2, 5)), 0);
    scene.joints[0].frame_b.position.x += 0.01;
    assert_eq!(told(&record(&scene, Config::default(), 1e-2, 5)), 1);
}

#[test]
fn velocities_are_tangent_to_what_joints_hold() {
    let scene = case("mueller2020/pendulum-balls");
    let run = record(&scene, Config::default(), 1e-2, 50);
    let joint = scene.joints.iter().find(|joint| joint.body_b.is_none()).unwrap();
    let body = &run.last().bodies[joint.body_a.0];
    let lever = body.pose.vector(&joint.frame_a.position);
    let pivot = body.linear_velocity + body.angular_velocity.cross(&lever);
    assert!(pivot.norm() < 1e-9 && body.angular_velocity.norm() > 0.1, "{pivot}");
}

#[test]
fn joints_that_repeat_others_hold() {
    let mut scene = case("mueller2020/pendulum-hinges");
    let again = scene.joints.clone();
    scene.joints.extend(
        again.into_iter().map(|joint| rigor_scene::Joint { name: joint.name.clone() + " again", ..joint }),
    );
    let run = record(&scene, Config::default(), 1e-2, 100);
    let once = record(&case("mueller2020/pendulum-hinges"), Config::default(), 1e-2, 100);
    let end = |run: &Run| run.last().bodies.last().unwrap().pose.position;
    let off = (end(&run) - end(&once)).norm();
    assert!(largest_error(&run) < 1e-8 && off < 1e-6, "{:e}, {off:e} m", largest_error(&run));
}

struct Text(String);

impl Files for Text {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

/// A scene without gravity.
fn space(bodies: &str) -> Scene {
    let head = "format = 1\nname = \"space\"\ngravity = [0, 0, 0]\n[time]\ndt = 0.01\nduration = 1\n";
    load(Path::new("scene.toml"), &Text(format!("{head}{bodies}")), &LoadOptions::default()).unwrap().scene
}

fn cube(name: &str, position: [f64; 3], velocity: [f64; 3], omega: [f64; 3]) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmass = 1\nposition = {position:?}\nlinear_velocity = {velocity:?}\n\
         angular_velocity = {omega:?}\n[[body.shape]]\nbox = {{ size = [0.1, 0.2, 0.1] }}\n"
    )
}

fn total(scene: &Scene, state: &State) -> f64 {
    let (kinetic, potential) = energy::of_state(scene, state);
    kinetic + potential
}

/// Angular momentum about the centre of all bodies.
fn momentum(scene: &Scene, state: &State) -> Vec3 {
    Spin::about_center(scene.bodies.iter().zip(&state.bodies).map(|(body, at)| MovingMass {
        mass: body.mass,
        position: at.pose.position,
        velocity: at.linear_velocity,
        inertia: body.inertia_world(&at.pose),
        omega: at.angular_velocity,
    }))
    .momentum
}

#[test]
fn what_spins_about_a_joint_keeps_its_energy_and_angular_momentum() {
    let fixed =
        "[[joint]]\nname = \"j\"\nkind = \"fixed\"\nbody_a = \"a\"\nbody_b = \"b\"\nposition = [0, 0, 0]\n";
    let hinge =
        "[[joint]]\nname = \"j\"\nkind = \"hinge\"\nbody_a = \"a\"\nposition = [0, 0, 0]\naxis = [0, 0, 1]\n";
    // 2 and 12 rad in a step.
    for omega in [200.0, 1200.0] {
        let a = cube("a", [0.0, -0.2, 0.0], [0.2 * omega, 0.0, 0.0], [0.0, 0.0, omega]);
        let b = cube("b", [0.0, 0.2, 0.0], [-0.2 * omega, 0.0, 0.0], [0.0, 0.0, omega]);
        for scene in [space(&format!("{a}{hinge}")), space(&format!("{a}{b}{fixed}"))] {
            let run = record(&scene, Config::default(), 1e-2, 50);
            let [start, end] = [&run.trajectory.frames[0], run.last()];
            let off = total(&scene, end) / total(&scene, start) - 1.0;
            assert!(off.abs() < 1e-6, "{omega} rad/s: {off:e}");
            if scene.bodies.len() == 2 {
                let due = momentum(&scene, start);
                let off = (momentum(&scene, end) - due).norm() / due.norm();
                assert!(off < 1e-9, "{omega} rad/s: {off:e}");
            }
        }
    }
}

#[test]
fn what_circles_on_a_bound_keeps_its_energy_and_leaves_it_when_it_pulls_back() {
    let rope = |ends: &str, at: [f64; 3], to: [f64; 3]| {
        format!(
            "[[joint]]\nname = \"j\"\nkind = \"distance\"\n{ends}\nposition = {at:?}\nto = {to:?}\nmax = 1.0\n"
        )
    };
    let a = |v: f64| cube("a", [0.5, 0.0, 0.0], [0.0, v, 0.0], [0.0; 3]);
    let b = |v: f64| cube("b", [-0.5, 0.0, 0.0], [0.0, -v, 0.0], [0.0; 3]);
    let tether = rope("body_a = \"a\"", [0.5, 0.0, 0.0], [-0.5, 0.0, 0.0]);
    let bolas = rope("body_a = \"a\"\nbody_b = \"b\"", [0.5, 0.0, 0.0], [-0.5, 0.0, 0.0]);
    for v in [5.0, 50.0] {
        let scenes = [space(&format!("{}{tether}", a(v))), space(&format!("{}{}{bolas}", a(v), b(v)))];
        for scene in scenes {
            let run = record(&scene, Config::default(), 1e-2, 100);
            let off = total(&scene, run.last()) / total(&scene, &run.trajectory.frames[0]) - 1.0;
            assert!(off.abs() < 1e-9, "{v} m/s: {off:e}");
        }
    }
    // Thrown up at the end of its rope at less than it takes to go round, a body leaves the circle and falls inside.
    let mut scene = space(&format!("{}{tether}", a(4.0)));
    scene.gravity = Vec3::new(0.0, -9.81, 0.0);
    let run = record(&scene, Config::default(), 1e-2, 60);
    let radius = |state: &State| (state.bodies[0].pose.position - Vec3::new(-0.5, 0.0, 0.0)).norm();
    let least = run.trajectory.frames.iter().map(radius).fold(f64::INFINITY, f64::min);
    assert!(least < 0.9, "{least} m");
}

#[test]
fn a_slide_that_runs_into_its_bound_keeps_angular_momentum() {
    for v in [10.0, 1000.0] {
        let both =
            cube("a", [0.0; 3], [v, 0.0, 0.0], [0.0; 3]) + &cube("b", [0.0, 0.3, 0.0], [0.0; 3], [0.0; 3]);
        let slide = "[[joint]]\nname = \"j\"\nkind = \"prismatic\"\nbody_a = \"a\"\nbody_b = \"b\"\nposition = [0, 0, 0]\n\
                     axis = [1, 0, 0]\nslide = { min = -0.5, max = 0.5 }\n";
        let scene = space(&format!("{both}{slide}"));
        let run = record(&scene, Config::default(), 1e-2, 10);
        let due = momentum(&scene, &run.trajectory.frames[0]);
        for frame in &run.trajectory.frames {
            let off = (momentum(&scene, frame) - due).norm() / due.norm();
            assert!(off < 1e-9, "{v} m/s: {off:e}");
        }
    }
}

#[test]
fn what_a_prescribed_body_jerks_is_made_in_enough_substeps() {
    // The pivot of a bar jumps by 3 m in a step: with the lever r and the moment I about the centre the bar gets the impulse J = V/(1/m + r²/I), turns by the
    // angle φ = ω h about the moving pivot, and keeps its angular momentum about the pivot when that stops.
    let end = |substeps: u32| {
        let pivot = "[[body]]\nname = \"k\"\nrole = \"kinematic\"\n[[body.shape]]\nbox = { size = [0.1, 0.1, 0.1] }\n[body.motion]\n\
                     keyframes = [{ time = 0.02, position = [0, 0, 0] }, { time = 0.03, position = [3, 0, 0] }]\n";
        let bar = cube("a", [0.0, -0.3, 0.0], [0.0; 3], [0.0; 3]);
        let ball = "[[joint]]\nname = \"j\"\nkind = \"ball\"\nbody_a = \"a\"\nbody_b = \"k\"\nposition = [0, 0, 0]\n";
        let scene = space(&format!("{pivot}{bar}{ball}"));
        let run = record(&scene, Config { substeps, ..Config::default() }, 1e-2, 6);
        total(&scene, run.last())
    };
    let (few, many) = (end(4), end(1000));
    assert!(many > 1e4 && (few / many - 1.0).abs() < 0.05, "{few} and {many} J");
}

/// A chain of `n` links that is straight between two pins, with a velocity across it. Joints let no link move from its place.
fn taut(n: usize, kind: &str, speed: f64) -> Scene {
    use std::fmt::Write;
    let axis = if kind == "hinge" { "axis = [0, 0, 1]\n" } else { "" };
    let mut bodies = String::new();
    for i in 0..n {
        let x = 0.2 + 0.4 * i as f64;
        write!(
            bodies,
            "[[body]]\nname = \"l{i}\"\nmass = 1\ngroup = \"chain\"\nposition = [{x}, 0, 0]\nlinear_velocity = [0, {speed}, 0]\n\
             [[body.shape]]\nbox = {{ size = [0.4, 0.08, 0.08] }}\n"
        )
        .unwrap();
        let to = if i == 0 { String::new() } else { format!("body_b = \"l{}\"\n", i - 1) };
        write!(
            bodies,
            "[[joint]]\nname = \"j{i}\"\nkind = \"{kind}\"\nbody_a = \"l{i}\"\n{to}position = [{}, 0, 0]\n{axis}",
            x - 0.2
        )
        .unwrap();
    }
    write!(
        bodies,
        "[[joint]]\nname = \"end\"\nkind = \"{kind}\"\nbody_a = \"l{}\"\nposition = [{}, 0, 0]\n{axis}",
        n - 1,
        0.4 * n as f64
    )
    .unwrap();
    let mut scene = space(&bodies);
    scene.gravity = Vec3::new(0.0, -9.81, 0.0);
    scene
}

/// What J v = 0 lets move and places do not gets no energy from its weight, step by step: a chain of six links at rest had 1.6 J after 3 s.
#[test]
fn a_straight_chain_between_two_pins_stays_at_rest() {
    for (n, kind, speed, dt) in [
        (2, "ball", 0.0, 1e-2),
        (3, "ball", 0.0, 1e-2),
        (4, "hinge", 0.0, 1.0 / 60.0),
        (6, "ball", 0.5, 1.0 / 60.0),
        (6, "ball", 2.0, 1e-2),
        (9, "hinge", 1.0, 5e-3),
    ] {
        let scene = taut(n, kind, speed);
        let run = record(&scene, Config::default(), dt, 150);
        let energies = run.trajectory.frames.iter().skip(2).map(|state| total(&scene, state));
        let most = energies.fold(f64::NEG_INFINITY, f64::max);
        assert!(
            most < 1e-3 && largest_error(&run) < 1e-6,
            "{n} links on {kind}s, {speed} m/s, {dt} s: {most} J"
        );
    }
}

/// What lies on such a chain does not make it swing: they had 1.1 J more after 2 s. On balls the links may roll, and the load off.
#[test]
fn a_load_on_a_straight_chain_between_two_pins_gets_no_energy() {
    for (n, kind, size) in [(3, "hinge", 0.15), (5, "ball", 0.15), (5, "hinge", 0.3)] {
        let mut scene = taut(n, kind, 0.0);
        let mut load = cuboid("load", [size; 3], [0.2 * n as f64, 0.04 + 0.5 * size + 5e-4, 0.0]);
        load.group = 7;
        scene.bodies.push(load.build().expect("a valid box"));
        let run = record(&scene, Config::default(), 1e-2, 200);
        let energies: Vec<f64> = run.trajectory.frames.iter().map(|state| total(&scene, state)).collect();
        let most = energies.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert!(most < energies[0] + 1e-3, "{n} links on {kind}s, {size} m: {} to {most} J", energies[0]);
        if kind == "hinge" {
            let moved = run.last().bodies[n].pose.position - run.trajectory.frames[0].bodies[n].pose.position;
            assert!(moved.norm() < 1e-3, "{n} links, {size} m: {moved}");
        }
    }
}

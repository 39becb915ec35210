//! What becomes fast within a step, and loads on what joints hold.

use crate::rolling::read;
use crate::scenes::record;
use rigor_scene::{FlawKind, Run, Scene, State};
use rigor_xpbd::{Config, JointSolver};

/// A ball of 0.1 kg and 3 cm at x (m) with velocity v (m/s) along x; e = `restitution`.
fn ball(name: &str, [x, z]: [f64; 2], v: f64, restitution: f64) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmass = 0.1\nrestitution = {restitution:?}\nposition = [{x:?}, 0, {z:?}]\n\
         linear_velocity = [{v:?}, 0, 0]\n[[body.shape]]\n\
         icosphere = {{ radius = 0.03, subdivisions = 2 }}\nround = true\n"
    )
}

fn tells(run: &Run, kind: &FlawKind) -> bool {
    run.reports.iter().flat_map(|report| &report.flaws).any(|flaw| flaw.kind == *kind)
}

fn energy(scene: &Scene, state: &State) -> f64 {
    let of = |(body, s): (&rigor_scene::Body, &rigor_scene::BodyState)| {
        let spin = body.inertia_world(&s.pose) * s.angular_velocity;
        0.5 * (body.mass * s.linear_velocity.norm_squared() + s.angular_velocity.dot(&spin))
    };
    scene.bodies.iter().zip(&state.bodies).map(of).sum()
}

/// A plunger of 0.2 kg on a compressed spring of `stiffness` (N/m), at rest 10 µm from a ball of 0.1 kg, leaves the ball with x₀ √(k/(m₁ + m₂)).
#[test]
fn a_spring_launches_a_ball_from_rest() {
    for (stiffness, dt) in [(500.0, 0.01), (500.0, 1.0 / 60.0), (5e4, 0.01), (5e6, 0.01)] {
        let scene = read(&format!(
            "gravity = [0, 0, 0]\n[[body]]\nname = \"p\"\nmass = 0.2\nposition = [-0.1, 0, 0]\n[[body.shape]]\n\
             box = {{ size = [0.1, 0.1, 0.1] }}\n[[joint]]\nname = \"s\"\nkind = \"prismatic\"\nbody_a = \"p\"\n\
             position = [0, 0, 0]\naxis = [1, 0, 0]\n\
             slide = {{ position = 0.1, drive_stiffness = [{stiffness:?}], max = 0.1 }}\n{}",
            ball("b", [-0.019_99, 0.0], 0.0, 0.0)
        ));
        let run = record(&scene, Config::default(), dt, 30);
        let v = run.last().bodies[1].linear_velocity.x;
        let due = 0.1 * (stiffness / 0.3_f64).sqrt();
        // Implicit Euler takes ½ ω h of the speed of a spring, and most of one that it does not resolve.
        let is_resolved = stiffness < 1e3;
        assert!(
            v > if is_resolved { 0.97 } else { 0.25 } * due && v < 1.001 * due,
            "{stiffness} {dt}: {v} of {due}"
        );
        assert!(!tells(&run, &FlawKind::TooFast) && !tells(&run, &FlawKind::Sunk), "{stiffness} {dt}");
    }
}

/// A rack of ten balls 0.1 mm apart, with e = 1, struck at 8 m/s: no pair passes, and the energy stays.
#[test]
fn balls_of_a_rack_that_is_struck_in_one_step_do_not_pass_through_each_other() {
    let pitch = 0.0601;
    let mut bodies = String::new();
    for row in 0..4 {
        for k in 0..=row {
            let place =
                [f64::from(row) * pitch * 0.75_f64.sqrt(), (f64::from(k) - 0.5 * f64::from(row)) * pitch];
            bodies += &ball(&format!("{row} {k}"), place, 0.0, 1.0);
        }
    }
    for (offset, dt) in [(0.003, 0.01), (0.003, 0.02), (0.0, 0.01), (0.012, 1.0 / 60.0), (0.003, 0.03)] {
        let scene = read(&format!("gravity = [0, 0, 0]\n{bodies}{}", ball("cue", [-0.3, offset], 8.0, 1.0)));
        let run = record(&scene, Config::default(), dt, (0.3 / dt) as u64);
        assert!(!tells(&run, &FlawKind::TooFast) && !tells(&run, &FlawKind::Sunk), "{offset} {dt}");
        for frame in &run.trajectory.frames {
            for i in 0..scene.bodies.len() {
                for j in 0..i {
                    let [x, y] = [i, j].map(|i| frame.bodies[i].pose.position);
                    assert!((x - y).norm() > 0.95 * 0.06, "{offset} {dt}: {i} {j} at {} s", frame.time);
                }
            }
        }
        let part = energy(&scene, run.last()) / (0.5 * 0.1 * 64.0);
        assert!((part - 1.0).abs() < 0.01, "{offset} {dt}: energy {part}");
    }
}

/// Balls of 1 mm that need 2267 substeps: the step takes all that there may be, and tells by how much that is too few.
#[test]
fn a_step_takes_all_substeps_that_there_may_be() {
    let small = |name: &str, x: f64, v: f64| ball(name, [x, 0.0], v, 1.0).replace("0.03,", "0.001,");
    let scene = read(&format!("gravity = [0, 0, 0]\n{}{}", small("a", -0.02, 17.0), small("b", 0.02, -17.0)));
    let run = record(&scene, Config::default(), 0.01, 1);
    let flaw = run.reports[0].flaws.iter().find(|flaw| flaw.kind == FlawKind::TooFast).expect("a flaw");
    assert!((flaw.amount - 2267.0 / 2000.0).abs() < 1e-3, "{}", flaw.amount);
    assert_eq!(run.reports[0].iterations, 2000);
    assert!(
        (run.last().bodies[1].linear_velocity.x - 17.0).abs() < 1e-6,
        "the balls exchange their velocities"
    );
}

/// A box of `load` kg on a platform of 20 kg that a drive or a weld holds.
#[test]
fn a_load_on_a_lighter_platform_that_a_joint_holds_comes_to_rest() {
    for (load, joint) in [
        (50.0, "kind = \"prismatic\"\naxis = [0, 1, 0]\nslide = { velocity = 0.0 }"),
        (50.0, "kind = \"prismatic\"\naxis = [0, 1, 0]\nslide = { velocity = 0.0, max_force = 3000.0 }"),
        (200.0, "kind = \"prismatic\"\naxis = [0, 1, 0]\nslide = { velocity = 0.0 }"),
        (50.0, "kind = \"fixed\""),
    ] {
        let scene = read(&format!(
            "gravity = [0, -9.81, 0]\n[[body]]\nname = \"post\"\nmass = 20.0\nposition = [0, 0, 0]\n[[body.shape]]\n\
             box = {{ size = [0.2, 1.0, 0.2] }}\n[[joint]]\nname = \"s\"\nbody_a = \"post\"\nposition = [0, 0, 0]\n\
             {joint}\n[[body]]\nname = \"ram\"\nmass = {load:?}\nfriction = 0.5\nposition = [0, 0.6001, 0]\n\
             [[body.shape]]\nbox = {{ size = [0.2, 0.2, 0.2] }}\n"
        ));
        let run = record(&scene, Config::default(), 0.01, 200);
        let fastest = run.trajectory.frames[100..].iter().flat_map(|frame| &frame.bodies);
        let fastest = fastest.map(|body| body.linear_velocity.norm()).fold(0.0, f64::max);
        assert!(fastest < 1e-9, "{load} {joint}: {fastest} m/s");
        let sunk = run.last().bodies[0].pose.position.y;
        assert!(sunk > -2e-4, "{load} {joint}: {sunk} m");
    }
}

/// A box with one fixed axis of the world, of which nothing takes energy.
#[test]
fn a_body_with_one_fixed_axis_keeps_its_energy() {
    for (fixed, spin, dt) in [
        ("[false, false, true]", [10.0, 7.0, 0.0], 0.01),
        ("[false, true, false]", [30.0, 0.0, 5.0], 0.01),
        ("[true, false, false]", [0.0, 90.0, 40.0], 0.03),
    ] {
        let scene = read(&format!(
            "gravity = [0, 0, 0]\n[[body]]\nname = \"a\"\nmass = 1.0\nfixed = {{ rotation = {fixed} }}\n\
             angular_velocity = {spin:?}\n[[body.shape]]\nbox = {{ size = [0.3, 0.2, 0.1] }}\n"
        ));
        let run = record(&scene, Config::default(), dt, 300);
        let [first, last] = [&run.trajectory.frames[0], run.last()].map(|state| energy(&scene, state));
        assert!((last / first - 1.0).abs() < 1e-7, "{fixed}: {first} J, then {last} J");
    }
}

/// An exactly straight chain of `n` links of 0.4 m between two pins, at a speed `v` (m/s) across.
fn taut(n: usize, v: f64) -> Scene {
    let link = |k: usize| {
        format!(
            "[[body]]\nname = \"l{k}\"\nmass = 1.0\ngroup = \"a\"\nposition = [{:?}, 0, 0]\n\
             linear_velocity = [0, {v:?}, 0]\n[[body.shape]]\nbox = {{ size = [0.4, 0.08, 0.08] }}\n",
            0.4 * (k as f64 + 0.5)
        )
    };
    let pin = |k: usize| {
        let ends = match k {
            0 => "body_a = \"l0\"".to_owned(),
            k if k == n => format!("body_a = \"l{}\"", n - 1),
            k => format!("body_a = \"l{}\"\nbody_b = \"l{k}\"", k - 1),
        };
        format!(
            "[[joint]]\nname = \"j{k}\"\nkind = \"ball\"\n{ends}\nposition = [{:?}, 0, 0]\n",
            0.4 * k as f64
        )
    };
    let all: String = (0..n).map(link).chain((0..=n).map(pin)).collect();
    read(&format!("gravity = [0, -9.81, 0]\n{all}"))
}

#[test]
fn direct_solutions_of_taut_chains_hold_or_are_refused_and_told() {
    let config = Config { joints: JointSolver::Direct, ..Config::default() };
    for (n, v, dt) in [(3, 0.0, 0.01), (6, 2.0, 0.01), (12, 0.0, 0.01), (6, 0.0, 0.001), (4, 0.0, 1.0 / 60.0)]
    {
        let scene = taut(n, v);
        let run = record(&scene, config.clone(), dt, 400);
        let total = |state: &State| {
            let height: f64 = state.bodies.iter().map(|body| body.pose.position.y).sum();
            energy(&scene, state) + 9.81 * height
        };
        let most = run.trajectory.frames.iter().map(total).fold(0.0, f64::max);
        let first = 0.5 * n as f64 * v * v;
        assert!(most < 1.1 * first + 0.01, "{n} {v} {dt}: {most} J");
        assert!(tells(&run, &FlawKind::SingularJoints), "{n} {v} {dt}");
        let y =
            |state: &State| state.bodies.iter().map(|body| body.pose.position.y.abs()).fold(0.0, f64::max);
        assert!(run.trajectory.frames.iter().all(|state| y(state) < 0.2), "{n} {v} {dt}");
    }
}

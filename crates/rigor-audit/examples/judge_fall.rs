//! Judges a made-up run: a ball falls freely and, since nothing stops it, through the floor.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use rigor_audit::{Finding, Panel, Verdict};
use rigor_geometry::Mesh;
use rigor_math::{Pose, Vec3};
use rigor_scene::{Body, BodySpec, Bound, Expectation, PartKind, PlacedShape, Role, Scene, State};
use rigor_shapes::{Cuboid, Icosphere};

const FIGURES: [&str; 6] = [
    "energy.scale",
    "energy.drift",
    "momentum.linear_relative",
    "intersection.frames",
    "penetration.deepest",
    "tunnelling.centre_crossings",
];

fn main() -> Result<(), Box<dyn Error>> {
    let floor = Cuboid::new(Vec3::new(4.0, 0.2, 4.0)).mesh()?;
    let ball = Icosphere { radius: 0.1, subdivisions: 1 }.mesh()?;
    let bodies = vec![body("floor", floor, Role::Static, 0.0)?, body("ball", ball, Role::Dynamic, 1.0)?];
    let expectations = vec![at_most("energy.drift", 1e-9), at_most("intersection.frames", 0.0)];
    let scene = Scene { gravity: -9.81 * Vec3::y(), bodies, expectations, ..Scene::default() };

    let mut panel = Panel::full(1);
    for step in 0..30 {
        panel.observe(&scene, &fall(&scene, step), None);
    }
    let of_scene = |finding: &&Finding| finding.body.is_none() && FIGURES.contains(&finding.figure);
    for finding in panel.findings(&scene).iter().filter(of_scene) {
        println!("{:28} {:10.2e} {:4} {}", finding.figure, finding.value, finding.unit, finding.detail);
    }
    for (expectation, verdict) in panel.verdicts(&scene) {
        let held = matches!(verdict, Verdict::Held(_));
        println!("{} {}: {}", expectation.figure, expectation.bound, if held { "held" } else { "failed" });
    }
    Ok(())
}

/// Returns the exact state of a free fall after `step` steps of 20 ms.
fn fall(scene: &Scene, step: u64) -> State {
    let mut state = State { step, time: step as f64 * 0.02, ..State::initial(scene) };
    let (t, ball) = (state.time, &mut state.bodies[1]);
    ball.pose.position += 0.5 * t * t * scene.gravity;
    ball.linear_velocity = t * scene.gravity;
    state
}

fn body(name: &str, mesh: Mesh, role: Role, height: f64) -> Result<Body, Box<dyn Error>> {
    let shape = PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() };
    let pose = Pose::translation(height * Vec3::y());
    // Bodies of the same group never collide, and the judges do not look at them.
    let group = u32::from(role == Role::Static);
    Ok(BodySpec { role, pose, group, ..BodySpec::new(name, vec![shape]) }.build()?)
}

fn at_most(figure: &str, limit: f64) -> Expectation {
    let (bound, because) = (Bound::AtMost(limit), String::new());
    Expectation {
        figure: figure.into(),
        body: None,
        bound,
        methods: Vec::new(),
        methods_because: String::new(),
        because,
    }
}

//! Balls and capsules under every method with contacts: they rest where the round solids do, not their meshes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use rigor_file::{Files, LoadOptions, load};
use rigor_run::registry::Entry;
use rigor_scene::{BodyState, Outcome, Run, Scene};
use rigor_tests::roster;

/// Methods without contacts, or with shapes of their own.
const OTHERS: [&str; 2] = ["free", "particles"];

struct Text(String);

impl Files for Text {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

fn scene(bodies: &str) -> Scene {
    let text = Text(format!("format = 1\nname = \"round\"\n[time]\ndt = 0.005\nduration = 0.5\n{bodies}"));
    load(Path::new("round.toml"), &text, &LoadOptions::default()).unwrap().scene
}

/// The state of the second body at the end.
fn end(entry: &Entry, scene: &Scene) -> BodyState {
    let run = Run::record(scene, roster::method(entry, scene).as_mut(), scene.time.dt, scene.time.steps());
    assert_eq!(run.outcome, Outcome::Completed, "{}", entry.name);
    run.last().bodies[1]
}

fn with_contacts() -> impl Iterator<Item = &'static Entry> {
    roster::methods().into_iter().filter(|entry| !OTHERS.contains(&entry.name))
}

const BALL: &str = "icosphere = { radius = 0.1, subdivisions = 0 }, round = true";
const ROD: &str = "capsule = { radius = 0.1, length = 0.6, segments = 3, rings = 1 }, rotation_deg = [0, 0, 90], round = true";
const LONG: &str = "capsule = { radius = 0.1, length = 2.0, segments = 3, rings = 1 }, rotation_deg = [0, 0, 90], round = true";

/// The lowest point of a body is at its radius below it, and the highest point of what it falls on at `height` (m).
#[test]
fn what_is_round_rests_on_faces_edges_corners_and_on_each_other() {
    let corner = "box = { size = [1, 1, 1] }, rotation_deg = [45, 0, 35.264389682754654]";
    let ridge = "box = { size = [1, 1, 1] }, rotation_deg = [45, 0, 0]";
    let across = "box = { size = [1, 1, 1] }, rotation_deg = [0, 0, 45]";
    let plate = "box = { size = [3, 1, 3] }";
    let small = "box = { size = [0.3, 1, 0.3] }";
    let sheet = "plane = { size = [3, 3] }";
    let crosswise = "capsule = { radius = 0.1, length = 0.6, segments = 3, rings = 1 }, rotation_deg = [90, 0, 0], round = true";
    let (tip, edge) = (3_f64.sqrt() / 2.0, 0.5_f64.sqrt());
    let cases = [
        (corner, BALL, tip),
        (ridge, BALL, edge),
        (plate, BALL, 0.5),
        (sheet, BALL, 0.0),
        (BALL, BALL, 0.1),
        (ROD, BALL, 0.1),
        (BALL, LONG, 0.1),
        (corner, LONG, tip),
        (ridge, ROD, edge),
        (ridge, LONG, edge),
        (across, ROD, edge),
        (plate, LONG, 0.5),
        (small, LONG, 0.5),
        (sheet, ROD, 0.0),
        (ROD, ROD, 0.1),
        (ROD, LONG, 0.1),
        (crosswise, ROD, 0.1),
    ];
    for (under, above, height) in cases {
        let scene = scene(&format!(
            r#"
            [[body]]
            name = "under"
            role = "static"
            shape = [{{ {under} }}]
            [[body]]
            name = "above"
            fixed = {{ translation = [true, false, true], rotation = [true, true, true] }}
            position = [0, {}, 0]
            shape = [{{ {above} }}]
            "#,
            height + 0.1 + 0.02
        ));
        for entry in with_contacts() {
            let end = end(entry, &scene);
            let gap = end.pose.position.y - height - 0.1;
            // Barriers act from a distance, and pbd closes overlaps in part.
            assert!((-1e-3..3e-3).contains(&gap), "{}: {above} on {under}: {gap} m", entry.name);
            let v = end.linear_velocity.y.abs();
            assert!(v < 1e-2, "{}: {above} on {under}: {v} m/s", entry.name);
        }
    }
}

/// A point of a spinning ball was far behind the other before; the ball was not.
#[test]
fn balls_and_capsules_that_spin_do_not_pass_through_each_other() {
    let rod = "capsule = { radius = 0.5, length = 0.5, segments = 6, rings = 1 }, rotation_deg = [90, 0, 0], round = true";
    let ball = "icosphere = { radius = 0.5, subdivisions = 1 }, round = true";
    for (shape, omega) in [(ball, 60.0), (ball, 200.0), (rod, 25.0), (rod, 100.0)] {
        let mut scene = scene(&format!(
            r#"
            [[body]]
            name = "big"
            role = "static"
            shape = [{{ icosphere = {{ radius = 1, subdivisions = 2 }}, round = true }}]
            [[body]]
            name = "small"
            position = [0, 1.51, 0]
            linear_velocity = [0, -4, 0]
            angular_velocity = [0, 0, {omega}]
            shape = [{{ {shape} }}]
            "#
        ));
        scene.gravity = rigor_math::Vec3::zeros();
        (scene.time.dt, scene.time.duration) = (0.02, 0.4);
        for entry in with_contacts() {
            let gap = end(entry, &scene).pose.position.norm() - 1.5;
            // Rapier lets balls overlap by millimetres, and pbd closes overlaps in part.
            let allowed = if ["rapier", "pbd"].contains(&entry.name) { 0.02 } else { 1e-3 };
            assert!(gap > -allowed, "{}: {shape}, {omega} rad/s: {gap} m", entry.name);
        }
    }
}

/// On a slope of 20 degrees a ball that rolls has 5/7 g sin α, a capsule that rolls about its axis g sin α/(1 + I/m r²).
#[test]
fn balls_and_capsules_roll_down_slopes_as_they_must() {
    let (sine, cosine) = rigor_math::elementary::sin_cos(20_f64.to_radians());
    let crosswise = "capsule = { radius = 0.1, length = 0.6, segments = 3, rings = 1 }, rotation_deg = [90, 0, 0], round = true";
    for shape in [BALL, crosswise] {
        let mut scene = scene(&format!(
            r#"
            [[body]]
            name = "floor"
            role = "static"
            friction = 1.0
            position = [0, -0.5, 0]
            shape = [{{ box = {{ size = [9, 1, 9] }} }}]
            [[body]]
            name = "ball"
            friction = 1.0
            position = [0, 0.10001, 0]
            shape = [{{ {shape} }}]
            "#
        ));
        scene.gravity = 9.81 * rigor_math::Vec3::new(sine, -cosine, 0.0);
        let body = &scene.bodies[1];
        let gyration = body.inertia.min() / (body.mass * 0.01);
        let due = 9.81 * sine / (1.0 + gyration) * 0.5;
        for entry in with_contacts() {
            let v = end(entry, &scene).linear_velocity;
            let error = (v - rigor_math::Vec3::x() * due).norm() / due;
            // Rapier keeps contacts a millimetre apart in its own way.
            let allowed = if entry.name == "rapier" { 0.02 } else { 0.01 };
            assert!(error < allowed, "{}: {shape}: {v:?}, due {due}", entry.name);
        }
    }
}

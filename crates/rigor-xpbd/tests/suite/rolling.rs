//! Balls and discs that roll keep their energy, and squeezed bodies hold.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use rigor_file::{Files, LoadOptions, load};
use rigor_math::{Vec3, elementary, inertia};
use rigor_scene::{Clock, FlawKind, Method, Outcome, Run, Scene, State};
use rigor_xpbd::{Config, Pbd, pbd};

use crate::scenes::record;

/// The text of one scene.
struct Text(String);

impl Files for Text {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

fn scene(bodies: &str) -> Scene {
    read(&format!("[time]\ndt = 0.005\nduration = 1.0\n{bodies}"))
}

/// Reads a scene from its text after the name.
pub fn read(text: &str) -> Scene {
    let text = Text(format!("format = 1\nname = \"test\"\n{text}"));
    load(Path::new("test.toml"), &text, &LoadOptions::default()).unwrap().scene
}

fn end(scene: &Scene, dt: f64, steps: u64) -> State {
    let run = record(scene, Config::default(), dt, steps);
    assert_eq!(run.outcome, Outcome::Completed);
    run.last().clone()
}

/// Kinetic and potential energy (J) of the last body.
fn energy(scene: &Scene, state: &State) -> f64 {
    let (body, now) = (scene.bodies.last().unwrap(), state.bodies.last().unwrap());
    let (v, omega) = (&now.linear_velocity, &now.angular_velocity);
    inertia::kinetic_energy(body.mass, v, &body.inertia, &now.pose.rotation, omega)
        - body.mass * scene.gravity.dot(&now.pose.position)
}

fn ball(subdivisions: u32) -> String {
    format!(
        "[[body]]\nname = \"ball\"\nmass = 1.0\nfriction = 1.0\nposition = [0.3, 0.0501, 0]\n\
         linear_velocity = [0, 0, 0.25]\nangular_velocity = [23, 0, 0]\ninertia.moments = [1e-3, 1e-3, 1e-3]\n\
         [[body.shape]]\nicosphere = {{ radius = 0.05, subdivisions = {subdivisions} }}\n"
    )
}

/// v turns at the rate Ω I/(I + m r²), 2/7 Ω for a ball: m v̇ = F, I ω̇ = −r n × F, and v − r ω × n is the velocity of the
/// table, so that (1 + m r²/I) v̇ = Ω × v.
#[test]
fn a_ball_on_a_turntable_goes_in_a_circle() {
    let table = "[[body]]\nname = \"table\"\nrole = \"kinematic\"\nfriction = 1.0\nposition = [0, -0.05, 0]\n\
                 angular_velocity = [0, 3, 0]\n[[body.shape]]\n\
                 cylinder = { radius = 2.0, height = 0.1, segments = 16 }\n";
    let angle: f64 = 3.0 * 2.0 / 7.0;
    let due = 0.25 * Vec3::new(elementary::sin(angle), 0.0, elementary::cos(angle));
    for subdivisions in [4, 5] {
        let scene = scene(&format!("{table}{}", ball(subdivisions)));
        for (dt, steps) in [(5e-3, 200), (1.25e-3, 800)] {
            let v = end(&scene, dt, steps).bodies[1].linear_velocity;
            let error = (v - due).norm() / 0.25;
            assert!(error < 2e-3, "{subdivisions}, {dt} s: {v:?}, off by {error}");
        }
    }
}

#[test]
fn a_slow_ball_rolls_on() {
    // It would stop within two turns if it struck the floor with every facet.
    let floor = "[[body]]\nname = \"floor\"\nrole = \"static\"\nfriction = 1.0\nposition = [0, -0.5, 0]\n\
                 [[body.shape]]\nbox = { size = [20, 1, 20] }\n";
    for speed in [0.02, 0.1, 1.0] {
        let mut scene = scene(&format!("{floor}{}", ball(4)));
        let body = &mut scene.bodies[1];
        body.initial.linear_velocity = Vec3::z() * speed;
        body.initial.angular_velocity = Vec3::x() * (speed / 0.05);
        body.initial.pose.position.y = 0.05;
        let v = end(&scene, 5e-3, 600).bodies[1].linear_velocity;
        assert!((v - Vec3::z() * speed).norm() < 2e-3 * speed, "{speed} m/s: {v:?}");
    }
}

/// A point of a spinning ball was far behind the other before; the ball was not.
#[test]
fn a_ball_or_capsule_that_spins_does_not_pass_through_another() {
    let ball = "icosphere = { radius = 0.5, subdivisions = 1 }";
    let rod = "capsule = { radius = 0.5, length = 0.5, segments = 6, rings = 1 }, rotation_deg = [90, 0, 0]";
    for shape in [ball, rod] {
        for omega in [25.0, 60.0, 100.0, 200.0] {
            let mut scene = scene(&format!(
                "[[body]]\nname = \"big\"\nrole = \"static\"\n\
                 shape = [{{ icosphere = {{ radius = 1, subdivisions = 2 }}, round = true }}]\n\
                 [[body]]\nname = \"small\"\nposition = [0, 1.51, 0]\nlinear_velocity = [0, -4, 0]\n\
                 angular_velocity = [0, 0, {omega}]\nshape = [{{ {shape}, round = true }}]\n"
            ));
            scene.gravity = Vec3::zeros();
            let run = record(&scene, Config::default(), 0.02, 20);
            let gap = run.last().bodies[1].pose.position.norm() - 1.5;
            assert!(gap > -1e-3, "{shape}, {omega} rad/s: {gap} m");
        }
    }
}

#[test]
fn a_ball_that_rolls_off_a_sphere_keeps_its_energy() {
    let sphere = "[[body]]\nname = \"big\"\nrole = \"static\"\nfriction = 2.0\n[[body.shape]]\n\
                  sphere = { radius = 1.0, segments = 256, rings = 128 }\n";
    let small = "[[body]]\nname = \"ball\"\nmass = 1.0\nfriction = 2.0\nposition = [0.19101647, 1.08330822, 0.0021]\n\
                 inertia.moments = [4e-3, 4e-3, 4e-3]\n[[body.shape]]\nicosphere = { radius = 0.1, subdivisions = 4 }\n";
    let scene = scene(&format!("{sphere}{small}"));
    let run = record(&scene, Config::default(), 5e-3, 260);
    let start = State::initial(&scene);
    for state in &run.trajectory.frames {
        let lost = energy(&scene, &start) - energy(&scene, state);
        let fallen = 9.81 * (start.bodies[1].pose.position.y - state.bodies[1].pose.position.y);
        // The gap at the start is closed without rebound.
        assert!(lost < 2e-3 * fallen + 1e-3, "{lost} of {fallen} J at {} s", state.time);
    }
    // It leaves where m v²/(R + r) = m g cos θ: cos θ = 10/17 cos θ₀ with v² = 10/7 g (R + r) (cos θ₀ − cos θ).
    let leaves = run.reports.iter().rposition(|report| !report.contacts.is_empty()).unwrap();
    let x = run.trajectory.frames[leaves + 1].bodies[1].pose.position;
    let (cosine, due) = (x.y / x.norm(), 10.0 / 17.0 * 1.083_308_22 / 1.1);
    assert!((cosine - due).abs() < 0.015, "{cosine} instead of {due}");
}

/// Steady rolling of a thin disc, tilted by 30°, in place: its centre stays at rest.
#[test]
fn a_disc_rolls_on_at_its_tilt() {
    let disc = "[[body]]\nname = \"floor\"\nrole = \"static\"\nfriction = 0.5\nposition = [0, -0.5, 0]\n[[body.shape]]\n\
                box = { size = [4, 1, 4] }\n\
                [[body]]\nname = \"disc\"\nmass = 1.0\nfriction = 0.5\nposition = [0, 0.05435012701892219, 0]\n\
                rotation_vector_deg = [0, 0, -30]\nangular_velocity = [-11.938355690473514, 7.712161584440589, 0]\n\
                inertia.moments = [0.0025083333333333338, 0.005, 0.0025083333333333338]\n[[body.shape]]\n\
                coin = { radius = 0.1, thickness = 0.01, segments = 1024 }\n";
    let scene = scene(disc);
    for (dt, steps, bound) in [(5e-3, 200, 2e-2), (1.25e-3, 800, 6e-3)] {
        let y = end(&scene, dt, steps).bodies[1].pose.position.y;
        // The height of the centre tells the tilt: r sin 30° + ½ b cos 30°.
        assert!((y / 0.05435 - 1.0).abs() < bound, "{dt} s: at {y} m");
    }
}

const WEDGE: &str = include_str!("wedge_locks.toml");

/// A wedge of 22° locks under any load if 2 atan μ = 22.6° is more.
#[test]
fn a_wedge_locks_under_400_times_its_mass() {
    let scene = scene(WEDGE);
    for (dt, steps) in [(1e-2, 100), (5e-3, 200), (1.25e-3, 800)] {
        let start = State::initial(&scene);
        let run = record(&scene, Config::default(), dt, steps);
        let moved = (run.last().bodies[1].pose.position - start.bodies[1].pose.position).x;
        assert!(moved.abs() < 5e-4, "{dt} s: moved by {moved} m");
    }
}

#[test]
fn a_squeezed_body_that_sinks_is_told() {
    let scene = scene(WEDGE);
    let told = |method: &mut dyn Method| {
        let run = Run::record(&scene, method, 1e-2, 50);
        let flaws = run.reports.iter().flat_map(|report| &report.flaws);
        flaws.filter(|flaw| flaw.kind == FlawKind::Unconverged).count()
    };
    assert!(told(&mut Pbd::new(pbd::Config::default(), Clock::default()).unwrap()) > 0);
    assert_eq!(told(&mut crate::scenes::xpbd(Config::default())), 0);
}

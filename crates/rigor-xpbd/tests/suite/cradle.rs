//! Newton's cradle with touching bodies: an impact passes from pair to pair.

use rigor_math::{Pose, Vec3};
use rigor_scene::{BodyId, BodySpec, Clock, Joint, JointKind, Method, Run, Scene, State, Weight};
use rigor_shapes::UvSphere;
use rigor_xpbd::{Config, Pbd, Xpbd, pbd};

use crate::scenes::{cuboid, scene, shape};

const EDGE: f64 = 0.1;

/// Touching cubes of these masses (kg) in a row along x, in free space, with these velocities (m/s) along x.
fn row(masses: &[f64], velocities: &[f64], restitution: f64) -> Scene {
    let cube = |(i, (mass, v)): (usize, (&f64, &f64))| BodySpec {
        linear_velocity: Vec3::x() * *v,
        restitution,
        weight: Weight::Mass(*mass),
        ..cuboid(&format!("cube {i}"), [EDGE; 3], [EDGE * i as f64, 0.0, 0.0])
    };
    let cubes = masses.iter().zip(velocities).enumerate().map(cube).collect();
    Scene { gravity: Vec3::zeros(), ..scene(cubes) }
}

fn methods() -> [Box<dyn Method>; 2] {
    [
        Box::new(Xpbd::new(Config::default(), Clock::default()).expect("valid settings")),
        Box::new(Pbd::new(pbd::Config::default(), Clock::default()).expect("valid settings")),
    ]
}

fn speeds(run: &Run) -> Vec<f64> {
    run.last().bodies.iter().map(|body| body.linear_velocity.x).collect()
}

fn energy(masses: &[f64], v: &[f64]) -> f64 {
    masses.iter().zip(v).map(|(m, v)| 0.5 * m * v * v).sum()
}

fn momentum(masses: &[f64], v: &[f64]) -> f64 {
    masses.iter().zip(v).map(|(m, v)| m * v).sum()
}

#[test]
fn as_many_leave_a_touching_row_as_hit_it() {
    for mut method in methods() {
        // The sweeps of `pbd` end at a relative change of 1e-4, and turn the cubes so much meanwhile.
        let rounding = if method.name() == "pbd" { 1e-4 } else { 1e-6 };
        for n in 1..4 {
            let velocities: Vec<f64> = (0..5).map(|i| if i < n { 2.0 } else { 0.0 }).collect();
            let scene = row(&[1.0; 5], &velocities, 1.0);
            let run = Run::record(&scene, method.as_mut(), 1e-2, 20);
            for (i, v) in speeds(&run).into_iter().enumerate() {
                let due = if i >= 5 - n { 2.0 } else { 0.0 };
                assert!((v - due).abs() < rounding, "{}, {n} in: {:?}", method.name(), speeds(&run));
            }
        }
    }
}

#[test]
fn a_touching_row_from_both_sides_stays_symmetric() {
    for mut method in methods() {
        let run = Run::record(&row(&[1.0; 4], &[2.0, 0.0, 0.0, -2.0], 1.0), method.as_mut(), 1e-2, 20);
        let v = speeds(&run);
        for (i, due) in [-2.0, 0.0, 0.0, 2.0].into_iter().enumerate() {
            assert!((v[i] - due).abs() < 1e-6, "{}: {v:?}", method.name());
        }
    }
}

#[test]
fn unequal_masses_and_soft_impacts_keep_momentum_and_gain_nothing() {
    for mut method in methods() {
        for restitution in [1.0, 0.7, 0.2] {
            let (masses, start) = ([1.0, 3.0, 0.5, 2.0], [2.0, 0.0, 0.0, 0.0]);
            let run = Run::record(&row(&masses, &start, restitution), method.as_mut(), 1e-2, 20);
            let v = speeds(&run);
            let drift = momentum(&masses, &v) - momentum(&masses, &start);
            let part = energy(&masses, &v) / energy(&masses, &start);
            assert!(drift.abs() < 1e-9, "{}, e = {restitution}: {v:?}", method.name());
            assert!(part < 1.0 + 1e-9, "{}, e = {restitution}: {part} of the energy", method.name());
            if restitution == 1.0 {
                assert!(part > 1.0 - 1e-6, "{}: {part} of the energy", method.name());
            }
            for pair in v.windows(2) {
                assert!(pair[0] <= pair[1] + 1e-9, "{}, e = {restitution}: {v:?} approach", method.name());
            }
        }
    }
}

/// Five touching bodies like `first` on rods of 1 m; the first starts at 30°.
fn hanging(first: &BodySpec) -> Scene {
    let angle: f64 = 30.0_f64.to_radians();
    let hung = |i: usize| {
        let at = EDGE * i as f64;
        let theta = if i == 0 { -angle } else { 0.0 };
        let pose = Pose::new(
            Vec3::new(at + theta.sin(), 1.0 - theta.cos(), 0.0),
            rigor_math::rotation_vector::exp(&(Vec3::z() * theta)),
        );
        let (name, weight) = (format!("body {i}"), Weight::Mass(1.0));
        BodySpec { name, pose, restitution: 1.0, weight, ..first.clone() }
    };
    let mut scene = scene((0..5).map(hung).collect());
    scene.joints = (0..5)
        .map(|i| {
            // The hinge turns about z, and the joint about its x.
            let axis = rigor_math::rotation_vector::exp(&(Vec3::y() * -std::f64::consts::FRAC_PI_2));
            let frame_b = Pose::new(Vec3::new(EDGE * i as f64, 1.0, 0.0), axis);
            let frame_a = scene.bodies[i].initial.pose.inverse().compose(&frame_b);
            Joint::new(format!("hinge {i}"), JointKind::HINGE, (BodyId(i), frame_a), (None, frame_b))
        })
        .collect();
    scene
}

fn total(scene: &Scene, state: &State) -> f64 {
    let (kinetic, potential) = rigor_scene::energy::of_state(scene, state);
    kinetic + potential
}

#[test]
fn a_hanging_touching_cradle_passes_the_swing_on() {
    let scene = hanging(&cuboid("cube", [EDGE; 3], [0.0; 3]));
    for mut method in methods() {
        // A quarter of the period 2.04 s and a little more: the first has hit, the last swings out.
        let run = Run::record(&scene, method.as_mut(), 2e-3, 300);
        let due = (2.0 * 9.81 * (1.0 - 30.0_f64.to_radians().cos())).sqrt();
        let v = |frame: usize| -> Vec<f64> {
            run.trajectory.frames[frame].bodies.iter().map(|body| body.linear_velocity.x).collect()
        };
        let out = (250..=300).map(|frame| v(frame)[4]).fold(0.0, f64::max);
        assert!((out - due).abs() < 0.01 * due, "{}: the last leaves with {out} of {due} m/s", method.name());
        assert!(v(300)[..4].iter().all(|v| v.abs() < 0.05), "{}: {:?}", method.name(), v(300));
    }
}

#[test]
fn a_hanging_touching_cradle_keeps_its_energy_in_hit_after_hit() {
    // The faces of the balls meet along oblique normals once the balls have swung a little.
    let ball = UvSphere { radius: 0.5 * EDGE, segments: 64, rings: 32 }.mesh().expect("a valid ball");
    let ball = BodySpec::new("ball", vec![shape(ball)]);
    for first in [cuboid("cube", [EDGE; 3], [0.0; 3]), ball] {
        let scene = hanging(&first);
        for mut method in methods() {
            // Half a period of 2.04 s from hit to hit.
            let run = Run::record(&scene, method.as_mut(), 2e-3, 1500);
            let start = total(&scene, &run.trajectory.frames[0]);
            let drift = |state: &State| (total(&scene, state) - start).abs();
            // Away from the hits, each of which takes some substeps.
            let most = run.trajectory.frames.iter().step_by(100).map(drift).fold(0.0, f64::max);
            // In the many sweeps of `pbd` hinges answer pushes that are then taken back.
            let bound = if method.name() == "pbd" { 1e-2 } else { 1e-3 };
            assert!(most < bound * start, "{}, {}: {most} of {start} J", method.name(), first.name);
        }
    }
}

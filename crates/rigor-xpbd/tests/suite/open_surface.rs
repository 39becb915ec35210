//! Bodies that slide without friction over open surfaces: no wall where triangles meet, from either side.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::f64::consts::{FRAC_PI_2, LN_10, TAU};

use proptest::prelude::*;
use rigor_geometry::Mesh;
use rigor_math::{Pose, Vec3, elementary, inertia, rotation_vector};
use rigor_scene::{BodySpec, Clock, Method, Outcome, Role, Run, Scene, State, Weight};
use rigor_shapes::{Capsule, Cuboid, HeightField, Icosphere};
use rigor_xpbd::{Config, Pbd, pbd};

use crate::scenes::{scene, shape, xpbd};

/// The graph of y = f(x, z) over a rectangle, or its mirror image below y = 0.
fn field(size: [f64; 2], counts: [u32; 2], sign: f64, f: impl Fn(f64, f64) -> f64) -> Mesh {
    let at = |k: u32, i: usize| size[i] * (f64::from(k) / f64::from(counts[i] - 1) - 0.5);
    let rows = (0..counts[1]).flat_map(|z| (0..counts[0]).map(move |x| (x, z)));
    let heights = rows.map(|(x, z)| sign * f(at(x, 0), at(z, 1))).collect();
    HeightField { size, counts, heights, base: None }.mesh().unwrap()
}

/// A body without friction on a fixed surface.
fn on(surface: Mesh, body: Mesh, pose: Pose, velocity: Vec3) -> Scene {
    let surface = BodySpec { role: Role::Static, ..BodySpec::new("surface", vec![shape(surface)]) };
    let body = BodySpec {
        pose,
        linear_velocity: velocity,
        weight: Weight::Mass(1.0),
        ..BodySpec::new("body", vec![shape(body)])
    };
    scene(vec![surface, body])
}

/// Kinetic and total energy (J) of the body.
fn energy(scene: &Scene, state: &State) -> [f64; 2] {
    let (body, now) = (&scene.bodies[1], &state.bodies[1]);
    let (v, omega) = (&now.linear_velocity, &now.angular_velocity);
    let kinetic = inertia::kinetic_energy(body.mass, v, &body.inertia, &now.pose.rotation, omega);
    [kinetic, kinetic - body.mass * scene.gravity.dot(&now.pose.position)]
}

/// Returns the energy (J) that a run gains.
fn gain(scene: &Scene, method: &mut dyn Method, dt: f64, time: f64) -> f64 {
    let steps = (time / dt).ceil() as u64;
    let run = Run::record(scene, method, time / steps as f64, steps);
    assert_eq!(run.outcome, Outcome::Completed);
    energy(scene, run.last())[1] - energy(scene, &State::initial(scene))[1]
}

fn methods() -> [Box<dyn Method>; 2] {
    [Box::new(xpbd(Config::default())), Box::new(Pbd::new(pbd::Config::default(), Clock::default()).unwrap())]
}

#[test]
fn a_box_slides_over_low_waves() {
    // Waves of 1 mm over 4 m, whose triangles bend by at most half a milliradian.
    let wave = |x: f64, _: f64| 1e-3 * (1.0 - elementary::cos(TAU * x / 4.0));
    for sign in [1.0, -1.0] {
        for mut method in methods() {
            for dt in [5e-3, 1.25e-3] {
                let cube = Cuboid::new(Vec3::repeat(0.1)).mesh().unwrap();
                let pose = Pose::translation(sign * Vec3::new(sign * -2.0, 0.0521, sign * 0.013));
                let surface = field([8.0, 1.0], [41, 3], sign, wave);
                let mut scene = on(surface, cube, pose, Vec3::x() * 3.0);
                scene.gravity *= sign;
                let gain = gain(&scene, &mut *method, dt, 1.3);
                assert!(gain.abs() < 2e-3, "{}, {dt} s, side {sign}: {gain} J of 4.5 J", method.name());
            }
        }
    }
}

#[test]
fn a_ball_loses_less_over_waves_of_finer_meshes() {
    let wave = |x: f64, _: f64| 0.05 * (1.0 - elementary::cos(TAU * x / 2.0));
    let loss = |cells: u32| {
        let ball = Icosphere { radius: 0.1, subdivisions: 4 }.mesh().unwrap();
        let pose = Pose::translation(Vec3::new(-2.0, 0.1002, 0.013));
        let scene = on(field([8.0, 1.0], [cells + 1, 3], 1.0, wave), ball, pose, Vec3::x() * 2.0);
        -gain(&scene, &mut xpbd(Config::default()), 5e-3, 1.9)
    };
    // Every bend δ against the motion takes ½ m (v δ)².
    let (coarse, fine) = (loss(40), loss(160));
    assert!(coarse < 0.1 && fine < 0.4 * coarse, "{coarse} and {fine} J of 3 J");
}

#[derive(Debug, Clone, Copy)]
enum Form {
    Hills,
    Bowl,
    Dome,
    Valley,
    Saddle,
    Waves,
}

#[derive(Debug, Clone, Copy)]
enum Slider {
    Cube,
    Ball,
    Capsule,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Surfaces of curvature κ, up to what keeps the body on them: κ v² < 0.3 g. N bends of δ each take up to
    /// ½ m (v δ)² from what slides over them without rebound, and a few times that from what turns.
    #[test]
    fn bodies_keep_their_energy_on_any_open_surface(
        form in prop::sample::select(vec![
            Form::Hills, Form::Bowl, Form::Dome, Form::Valley, Form::Saddle, Form::Waves,
        ]),
        slider in prop::sample::select(vec![Slider::Cube, Slider::Ball, Slider::Capsule]),
        exponent in -0.5_f64..2.0,
        size in 0.03..0.3,
        bent in 0.05..0.3,
        period in 0.3..1.0,
        cells in prop::sample::select(vec![20_u32, 40, 80]),
        phases in [0.0..TAU, 0.0..TAU, 0.0..TAU],
        yaw in -3.0..3.0,
        subdivisions in 2_u32..5,
        is_below in any::<bool>(),
        dt in prop::sample::select(vec![1e-2, 5e-3, 1.25e-3]),
    ) {
        let (size, bent): (f64, f64) = (size, bent);
        let speed = elementary::exp(exponent * LN_10);
        let time = (30.0 * size / speed).min(1.0);
        let extent = [speed * time + 8.0 * size, 6.0 * size];
        let kappa = bent * (9.81 / (speed * speed)).min(1.0 / size);
        let k = TAU / (period * extent[0]);
        let f = |x: f64, z: f64| match form {
            Form::Hills => {
                let hill = |i: usize| {
                    let part = 0.4 + 0.3 * i as f64;
                    elementary::sin(part * k * x + phases[i]) * elementary::cos(0.3 * i as f64 * k * z)
                };
                (hill(0) + hill(1) + hill(2)) * kappa / (3.0 * k * k)
            }
            Form::Bowl => 0.5 * kappa * (x * x + z * z),
            Form::Dome => -0.5 * kappa * (x * x + z * z),
            Form::Valley => 0.5 * kappa * z * z,
            Form::Saddle => 0.5 * kappa * (x * x - z * z),
            Form::Waves => kappa * elementary::sin(k * x) / (k * k),
        };
        let sign = if is_below { -1.0 } else { 1.0 };
        let across = (f64::from(cells) * extent[1] / extent[0]) as u32;
        let surface = field(extent, [cells + 1, across.max(2) + 1], sign, f);
        let (mesh, half, turn) = match slider {
            Slider::Cube => (Cuboid::new(Vec3::repeat(size)).mesh().unwrap(), 0.5 * size, Vec3::y() * yaw),
            Slider::Ball => (Icosphere { radius: 0.5 * size, subdivisions }.mesh().unwrap(), 0.5 * size, Vec3::zeros()),
            Slider::Capsule => {
                let capsule = Capsule { radius: size / 3.0, length: size, segments: 32, rings: 8 };
                (capsule.mesh().unwrap(), size / 3.0, Vec3::x() * FRAC_PI_2)
            }
        };
        let x = 3.0 * size - 0.5 * extent[0];
        let slope = (f(x + 1e-6 * extent[0], 0.0) - f(x - 1e-6 * extent[0], 0.0)) / (2e-6 * extent[0]);
        let (along, up) = (Vec3::new(1.0, slope, 0.0).normalize(), Vec3::new(-slope, 1.0, 0.0).normalize());
        let mirrored = |v: Vec3| Vec3::new(v.x, sign * v.y, v.z);
        // So high that no corner is below a surface that rises beside it.
        let lift = half + (0.5 * kappa * size + 1e-3) * size;
        let tilt = Vec3::z() * (sign * elementary::atan2(slope, 1.0));
        let pose = Pose::new(
            mirrored(Vec3::new(x, f(x, 0.0), 0.0) + lift * up),
            rotation_vector::exp(&tilt) * rotation_vector::exp(&turn),
        );
        let mut scene = on(surface, mesh, pose, mirrored(speed * along));
        scene.gravity *= sign;
        let start = energy(&scene, &State::initial(&scene))[0];
        let gain = gain(&scene, &mut xpbd(Config::default()), dt, time);
        let delta = kappa * extent[0] / f64::from(cells);
        let depth = f(0.5 * extent[0], 0.5 * extent[1]).abs().max(f(0.5 * extent[0], 0.0).abs());
        let scale = start + 9.81 * (depth + lift);
        let own = match slider { Slider::Cube => 0.0, Slider::Ball | Slider::Capsule => 0.04 };
        let allowed: f64 = (8.0 * f64::from(cells) * delta * delta + 0.01 + own) * scale;
        prop_assert!(gain > -allowed, "loses {} of {scale} J, {allowed} allowed", -gain);
        prop_assert!(gain < 0.02 * scale, "gains {gain} of {scale} J");
    }
}

//! Frictionless bodies slide over, along and off surfaces, for any triangulation.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};

use rigor_geometry::Mesh;
use rigor_ipc::{Config, Ipc, StartWithin};
use rigor_math::{Pose, UnitQuaternion, Vec3, rotation_vector};
use rigor_scene::{
    BodySpec, Clock, CombineRule, FixedAxes, Method, PartKind, PlacedShape, Role, Scene, State, TimeSpan,
    Weight,
};
use rigor_shapes::{Cuboid, Icosphere, Plane, Wedge};

/// d̂ (m).
const D_HAT: f64 = 0.01;
/// Initial distance (m) of a body from the plane.
const GAP: f64 = 0.5 * D_HAT;

fn shape(mesh: Mesh) -> PlacedShape {
    PlacedShape { mesh, kind: PartKind::Concave, pose: Pose::identity() }
}

/// A square of side 2 at this height, facing up.
fn plane(segments: u32, height: f64, group: u32) -> BodySpec {
    let mesh = Plane { size: [2.0, 2.0], segments: [segments; 2] }.mesh().unwrap();
    let pose = Pose::translation(Vec3::new(0.0, height, 0.0));
    let name = format!("plane {group}");
    BodySpec { role: Role::Static, pose, group, ..BodySpec::new(name, vec![shape(mesh)]) }
}

fn scene(bodies: Vec<BodySpec>, dt: f64) -> Scene {
    Scene {
        name: "sliding".into(),
        description: String::new(),
        source: None,
        gravity: Vec3::zeros(),
        time: TimeSpan { dt, duration: 1.0 },
        friction_rule: CombineRule::default(),
        restitution_rule: CombineRule::default(),
        bodies: bodies.into_iter().map(|body| body.build().unwrap()).collect(),
        particles: vec![],
        fluids: vec![],
        bonds: vec![],
        attachments: vec![],
        soft_bodies: vec![],
        joints: vec![],
        contact_free: BTreeSet::new(),
        methods: BTreeMap::new(),
        expectations: vec![],
    }
}

/// Returns b (m⁴) at the gap for d_min = 0.
fn barrier_at_gap() -> f64 {
    let (s, s_hat) = (GAP * GAP, D_HAT * D_HAT);
    -(s - s_hat).powi(2) * (s / s_hat).ln()
}

/// Energy that the barrier of one corner stores, relative to the initial kinetic energy of the body.
const STORED: f64 = 0.1;

/// A body and its orientation.
struct Slider {
    name: &'static str,
    mesh: Mesh,
    turn: UnitQuaternion,
    /// Upper bounds of the energy that the barrier stores at the start, and of its largest rise on the way
    /// off, both relative to that of one corner of a cube.
    stored: f64,
    rise: f64,
}

fn sliders() -> Vec<Slider> {
    let about = |x: f64, y: f64, z: f64| rotation_vector::exp(&Vec3::new(x, y, z));
    let cube = |n| Cuboid { size: Vec3::repeat(0.5), segments: [n; 3] }.mesh().unwrap();
    let wedge = || Wedge { size: Vec3::new(0.3, 0.3, 0.4) }.mesh().unwrap();
    let ball = |subdivisions| Icosphere { radius: 0.25, subdivisions }.mesh().unwrap();
    let eighth = std::f64::consts::FRAC_PI_4;
    let slider = |name, mesh, turn, stored, rise| Slider { name, mesh, turn, stored, rise };
    // A corner with a face angle of 45° counts 1 + cos 45° times.
    let sharp = 1.0 + std::f64::consts::FRAC_1_SQRT_2;
    vec![
        slider("cube", cube(1), about(0.0, 0.0, 0.0), 4.0, 1e-3),
        slider("turned cube", cube(1), about(0.0, 0.4, 0.0), 4.0, 0.02),
        slider("finely cut cube", cube(3), about(0.0, 0.4, 0.0), 4.0, 0.1),
        slider("wedge on a face", wedge(), about(0.0, 0.3, 0.0), 2.0 + 2.0 * sharp, 0.1),
        slider(
            "wedge on its slope",
            wedge(),
            about(0.0, 0.3, 0.0) * about(0.0, 0.0, 3.0 * eighth),
            4.0 * sharp,
            0.1,
        ),
        slider("wedge on an edge", wedge(), about(0.0, 0.3, 0.0) * about(0.0, 0.0, -eighth), 2.0, 0.1),
        slider("coarse ball", ball(0), about(0.2, 0.1, 0.3), 1.5, 0.35),
        slider("fine ball", ball(3), about(0.2, 0.1, 0.3), 4.5, 1.5),
    ]
}

/// Returns the kinetic energy after each step, relative to the initial one, of a body that slides at `speed`
/// (m/s) from (x, z) until nothing is below it, in steps of initially 2 mm. It can neither rotate nor move
/// vertically.
fn slide(slider: &Slider, segments: u32, [x, z]: [f64; 2], direction: Vec3, speed: f64) -> Vec<f64> {
    let lowest = slider.mesh.vertices().iter().map(|v| (slider.turn * v).y).fold(f64::INFINITY, f64::min);
    let body = BodySpec {
        weight: Weight::Mass(1.0),
        pose: Pose::new(Vec3::new(x, GAP - lowest, z), slider.turn),
        linear_velocity: direction.normalize() * speed,
        fixed: FixedAxes { translation: [false, true, false], rotation: [true; 3] },
        group: 1,
        ..BodySpec::new("slider", vec![shape(slider.mesh.clone())])
    };
    let dt = 2e-3 / speed;
    let scene = scene(vec![plane(segments, 0.0, 0), body], dt);
    let config = Config {
        d_hat: Some(D_HAT),
        start_within: StartWithin::Pushed,
        kappa: Some(STORED * 0.5 * speed * speed * dt * dt / barrier_at_gap()),
        velocity_tolerance: Some(1e-6),
        ..Config::default()
    };
    let mut method = Ipc::new(config, Clock::default()).unwrap();
    let mut state = State::initial(&scene);
    let mut energies = vec![];
    for step in 0..1000 {
        method.step(&scene, &mut state, dt).unwrap();
        state.step = step + 1;
        state.time = state.step as f64 * dt;
        energies.push(state.bodies[1].linear_velocity.norm_squared() / (speed * speed));
    }
    let at = state.bodies[1].pose.position;
    assert!(at.x.abs().max(at.z.abs()) > 1.3, "{} has not left: {at}", slider.name);
    energies
}

#[test]
fn bodies_slide_over_along_and_off_planes_and_nothing_holds_them_back() {
    let paths = [
        ("over an edge", [0.0, 0.12], Vec3::new(1.0, 0.0, 0.0), [(1, 0.1), (7, 100.0)]),
        ("over a corner", [0.0, 0.0], Vec3::new(1.0, 0.0, 1.0), [(7, 1.0), (1, 10.0)]),
        ("along an edge", [0.0, 0.85], Vec3::new(1.0, 0.0, 0.0), [(7, 0.1), (1, 100.0)]),
    ];
    for slider in sliders() {
        for (path, start, direction, planes) in &paths {
            for &(segments, speed) in planes {
                let energies = slide(&slider, segments, *start, *direction, speed);
                let least = energies.iter().copied().fold(f64::INFINITY, f64::min);
                let last = energies[energies.len() - 1];
                let what =
                    format!("{}, {segments} segments, {speed} m/s, {path}: {least} {last}", slider.name);
                // The tolerance of the solve allows far less.
                assert!(least > 1.0 - STORED * slider.rise - 1e-4, "it was held back: {what}");
                // The force at the end of a step acts during all of it: 5 % of the energy released, in steps
                // of d̂/5.
                assert!(last < 1.0 + STORED * slider.stored * 1.05, "it gained more than was stored: {what}");
                assert!(last > 1.0, "it regained nothing: {what}");
            }
        }
    }
}

/// A cube flies at 25 m/s between two planes, 0.1 mm from each, a hundredth of d̂; a published program stops
/// it.
#[test]
fn a_cube_leaves_the_planes_it_flies_between() {
    for segments in [1, 7] {
        let cube = BodySpec {
            linear_velocity: Vec3::new(25.0, 0.0, 0.0),
            group: 2,
            ..BodySpec::new("cube", vec![shape(Cuboid::new(Vec3::repeat(0.5)).mesh().unwrap())])
        };
        let planes = [0.2501, -0.2501].into_iter().zip(0..);
        let bodies = planes.map(|(height, group)| plane(segments, height, group)).chain([cube]);
        let scene = scene(bodies.collect(), 0.01);
        let config = Config {
            d_hat: Some(D_HAT),
            start_within: StartWithin::Pushed,
            velocity_tolerance: Some(1e-6),
            ..Config::default()
        };
        let mut method = Ipc::new(config, Clock::default()).unwrap();
        let mut state = State::initial(&scene);
        for step in 0..10 {
            method.step(&scene, &mut state, 0.01).unwrap();
            state.step = step + 1;
            state.time = state.step as f64 * 0.01;
            let v = state.bodies[2].linear_velocity;
            assert!(v.x > 25.0 - 1e-3, "{segments} segments, step {step}: {v}");
        }
        assert!(state.bodies[2].pose.position.x > 2.49);
    }
}

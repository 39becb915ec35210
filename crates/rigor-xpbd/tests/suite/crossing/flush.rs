//! Bodies with flush end faces, and contacts in directions that fixed axes block.

use rigor_math::{Pose, UnitQuaternion, Vec3, inertia, rotation_vector};
use rigor_scene::{BodySpec, CombineRule, FixedAxes, Friction, Motion, Outcome, PlacedShape, Role, Scene};
use rigor_shapes::{Extrusion, Gear, Outline};
use rigor_xpbd::{Config, ContactSolver};

use super::motion;
use crate::scenes::{cuboid, record, scene, shape};

const TEETH: u32 = 20;
const MODULE: f64 = 0.02;

/// The rack of the basic profile: flanks at 20° to x, teeth of height 2.25 m that point to −x, pitch line at
/// x = 0.
fn rack() -> Extrusion {
    let pitch = std::f64::consts::PI * MODULE;
    let slope = (std::f64::consts::PI / 9.0).tan();
    let half = |x: f64| pitch / 4.0 + (x + MODULE / 40.0) * slope - MODULE / 40.0;
    let [tip, root] = [-MODULE, 1.25 * MODULE];
    let (first, last) = (-4, 8);
    let mut outline = vec![
        [4.0 * MODULE, (f64::from(first) - 0.5) * pitch],
        [4.0 * MODULE, (f64::from(last) + 0.5) * pitch],
    ];
    for tooth in (first..=last).rev() {
        let y = f64::from(tooth) * pitch;
        outline.extend([
            [root, y + half(root)],
            [tip, y + half(tip)],
            [tip, y - half(tip)],
            [root, y - half(root)],
        ]);
    }
    Extrusion { outline: Outline::Polygon(outline), holes: Vec::new(), depth: Some(8.0 * MODULE) }
}

/// A rack that may move only along y, and a wheel that may rotate only about z, with flush end faces.
fn train() -> Scene {
    let gear = Gear::new(TEETH, MODULE);
    let lie = rotation_vector::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_2));
    // The wheel has a tooth at +x, where the rack has a gap.
    let pitch = std::f64::consts::PI * MODULE;
    let place = Vec3::new(gear.pitch_radius(), 0.5 * pitch, 0.0);
    let wheel = BodySpec {
        pose: Pose::new(Vec3::zeros(), lie),
        fixed: FixedAxes { translation: [true; 3], rotation: [true, true, false] },
        ..BodySpec::new("wheel", vec![shape(gear.mesh().expect("a valid gear"))])
    };
    let rack = BodySpec {
        pose: Pose::new(place, UnitQuaternion::identity()),
        fixed: FixedAxes { translation: [true, false, true], rotation: [true; 3] },
        ..BodySpec::new("rack", vec![shape(rack().mesh().expect("a valid rack"))])
    };
    scene(vec![wheel, rack])
}

#[test]
fn a_rack_that_falls_turns_the_wheel_evenly() {
    let scene = train();
    let radius = Gear::new(TEETH, MODULE).pitch_radius();
    let [wheel, rack] = [&scene.bodies[0], &scene.bodies[1]];
    let axis = Vec3::z();
    let moment = axis.dot(&inertia::angular_momentum(&wheel.inertia, &wheel.initial.pose.rotation, &axis));
    let acceleration = rack.mass * 9.81 / (rack.mass + moment / (radius * radius));
    for dt in [0.01, 0.0025] {
        let steps = (0.25 / dt) as u64;
        let run = record(&scene, Config::default(), dt, steps);
        assert_eq!(run.outcome, Outcome::Completed);
        let start = run.trajectory.frames[0].bodies[1].pose.position.y;
        let mut most = f64::INFINITY;
        for frame in &run.trajectory.frames {
            let height = frame.bodies[1].pose.position.y - start;
            let energy = motion(&scene, frame).1 + rack.mass * 9.81 * height;
            assert!(energy < most.min(0.0) + 1e-6, "{energy} J at {} s, {most} J before", frame.time);
            most = energy;
        }
        let last = run.last();
        let speed = -last.bodies[1].linear_velocity.y;
        let expected = acceleration * 0.25;
        assert!(
            (speed / expected - 1.0).abs() < 0.03,
            "the rack falls at {speed} m/s, not at {expected} m/s"
        );
        let rim = last.bodies[0].angular_velocity.z.abs() * radius;
        assert!(
            (rim / expected - 1.0).abs() < 0.03,
            "the rim of the wheel has {rim} m/s, not {expected} m/s"
        );
    }
}

/// Two jaws of 25°, which a rising core spreads against the walls of a block. All have the same depth, so end
/// faces are flush. tan 25° exceeds the friction coefficient, so the jaws slip.
fn grip() -> Scene {
    let depth = 0.2;
    let prism = |outline: &[[f64; 2]]| {
        let outline = Outline::Polygon(outline.to_vec());
        shape(Extrusion { outline, holes: Vec::new(), depth: Some(depth) }.mesh().expect("a valid prism"))
    };
    let part = |size: [f64; 2], at: [f64; 2]| PlacedShape {
        pose: Pose::translation(Vec3::new(at[0], at[1], 0.0)),
        ..cuboid("part", [size[0], size[1], depth], [0.0; 3]).shapes.remove(0)
    };
    let body = |name: &str, shapes: Vec<PlacedShape>| BodySpec {
        friction: Friction::uniform(0.3),
        ..BodySpec::new(name, shapes)
    };
    let slope = 25.0_f64.to_radians().tan();
    let (play, half) = (0.15, 0.1);
    let flank = |y: f64| play - y * slope;
    let jaw = |side: f64| {
        let mut outline = vec![[flank(-half), -half], [0.3, -half], [0.3, half], [flank(half), half]];
        outline.iter_mut().for_each(|p| p[0] *= side);
        if side < 0.0 {
            outline.reverse();
        }
        prism(&outline)
    };
    let core = [[-flank(-0.2), -0.2], [flank(-0.2), -0.2], [flank(0.2), 0.2], [-flank(0.2), 0.2]];
    let block = vec![
        part([0.1, 0.5], [0.3501, 0.0]),
        part([0.1, 0.5], [-0.3501, 0.0]),
        part([0.8002, 0.05], [0.0, -0.275]),
    ];
    let floor = cuboid("floor", [5.0, 1.0, 5.0], [0.0, -0.8001, 0.0]);
    let bodies = vec![
        BodySpec { role: Role::Static, friction: Friction::uniform(0.3), ..floor },
        BodySpec {
            role: Role::Kinematic(Motion::constant_velocity()),
            linear_velocity: Vec3::y() * 0.1,
            friction: Friction::uniform(0.0),
            ..body("core", vec![prism(&core)])
        },
        body("right jaw", vec![jaw(1.0)]),
        body("left jaw", vec![jaw(-1.0)]),
        body("block", block),
    ];
    Scene { friction_rule: CombineRule::Min, ..scene(bodies) }
}

#[test]
fn jaws_with_flush_end_faces_slip_along_the_walls() {
    for steps in [200_u32, 400] {
        let run = record(&grip(), Config::default(), 1.0 / f64::from(steps), u64::from(steps));
        assert_eq!(run.outcome, Outcome::Completed);
        let across = run.reports.iter().flat_map(|r| &r.contacts).filter(|c| c.normal_world.z.abs() > 0.5);
        assert_eq!(across.count(), 0, "contacts of end faces in {steps} steps");
        // It settles 1e-4 m inside the floor.
        let [first, last] = [&run.trajectory.frames[0], run.last()].map(|f| f.bodies[4].pose.position);
        let moved = (last - first).norm();
        assert!(moved < 4e-4, "the block moves by {moved} m in {steps} steps");
    }
}

/// A box that may slide only along x overlaps a floor that is level to 1e-8 rad.
#[test]
fn an_overlap_that_fixed_axes_hold_throws_nothing() {
    for contacts in [ContactSolver::Block, ContactSolver::Sequential] {
        let floor = BodySpec {
            role: Role::Static,
            pose: Pose::new(Vec3::y() * -0.5, rotation_vector::exp(&(Vec3::z() * 1e-8))),
            ..cuboid("floor", [20.0, 1.0, 20.0], [0.0; 3])
        };
        let slider = BodySpec {
            fixed: FixedAxes { translation: [false, true, true], rotation: [true; 3] },
            linear_velocity: Vec3::x(),
            ..cuboid("slider", [0.2, 0.2, 0.2], [0.0, 0.0995, 0.0])
        };
        let config = Config { contacts, ..Config::default() };
        let run = record(&scene(vec![floor, slider]), config, 1e-2, 10);
        assert_eq!(run.outcome, Outcome::Completed);
        assert!(run.reports[0].min_distance.is_some_and(|d| d < -4e-4), "{contacts:?}: they meet");
        let last = &run.last().bodies[1];
        let (way, speed) = (last.pose.position.x, last.linear_velocity.x);
        assert!((way - 0.1).abs() < 1e-6, "{contacts:?}: it slides {way} m");
        assert!((speed - 1.0).abs() < 1e-6, "{contacts:?}: it slides at {speed} m/s");
    }
}

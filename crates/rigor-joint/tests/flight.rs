//! The flight of joined bodies.

use std::path::Path;

use rigor_file::{Files, LoadOptions, load};
use rigor_joint::{JoinedFlight, Joints, PlacedJoint};
use rigor_math::Vec3;
use rigor_scene::{BodyState, Scene, State};

struct Text(String);

impl Files for Text {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

/// Three boxes in space: a ball with damping, a hinge with a spring; and a fourth one with a joint of its own.
fn chain() -> Scene {
    let text = r#"
        format = 1
        name = "chain"
        gravity = [0, 0, 0]
        [time]
        dt = 0.01
        duration = 1
        [[body]]
        name = "a"
        mass = 1
        position = [0, 0, 0]
        linear_velocity = [0, 1, 0.5]
        angular_velocity = [3, 0, 1]
        [[body.shape]]
        box = { size = [1, 0.2, 0.3] }
        [[body]]
        name = "b"
        mass = 5
        position = [1, 0, 0]
        angular_velocity = [0, 2, -1]
        [[body.shape]]
        box = { size = [1, 0.1, 0.2] }
        [[body]]
        name = "c"
        mass = 0.2
        position = [2, 0, 0]
        linear_velocity = [0, -1, 0]
        [[body.shape]]
        box = { size = [1, 0.3, 0.2] }
        [[body]]
        name = "d"
        mass = 1
        position = [0, 5, 0]
        angular_velocity = [0, 0, 1]
        [[body.shape]]
        box = { size = [1, 0.3, 0.2] }
        [[joint]]
        name = "ball"
        kind = "ball"
        body_a = "a"
        body_b = "b"
        position = [0.5, 0, 0]
        angular_damping = 0.5
        [[joint]]
        name = "hinge"
        kind = "hinge"
        body_a = "c"
        body_b = "b"
        position = [1.5, 0, 0]
        axis = [0, 0, 1]
        turn = { angle_deg = 30, drive_compliance = 2.0 }
        [[joint]]
        name = "pin"
        kind = "hinge"
        body_a = "d"
        position = [0, 5, 0]
        axis = [0, 0, 1]
    "#;
    loaded(text.into())
}

fn loaded(text: String) -> Scene {
    load(Path::new("scene.toml"), &Text(text), &LoadOptions::default()).expect("a scene").scene
}

fn momenta(scene: &Scene, states: &[BodyState]) -> (Vec3, Vec3) {
    let of = |(body, at): (&rigor_scene::Body, &BodyState)| {
        let own = body.mass * at.linear_velocity;
        (own, at.pose.position.cross(&own) + body.inertia_world(&at.pose) * at.angular_velocity)
    };
    let all = scene.bodies.iter().zip(states).take(3).map(of);
    all.fold((Vec3::zeros(), Vec3::zeros()), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

fn fly(
    scene: &Scene,
    state: &State,
    h: f64,
    substeps: u32,
    takes_part: [bool; 4],
) -> (Vec<BodyState>, Joints) {
    let mut joints = Joints::default();
    joints.load(scene, state, "test");
    let flight = JoinedFlight { scene, takes_part: &takes_part, h, end: h, substeps };
    let end = flight.fly(&state.bodies, &mut joints);
    (end, joints)
}

#[test]
fn a_flight_keeps_momenta_and_joints() {
    let (scene, mut state) = (chain(), State::initial(&chain()));
    // Velocities that the joints allow.
    state.bodies = fly(&scene, &state, 0.01, 10, [true; 4]).0;
    let before = momenta(&scene, &state.bodies);
    let (end, _) = fly(&scene, &state, 0.5, 50, [true; 4]);
    let after = momenta(&scene, &end);
    assert!((after.0 - before.0).norm() < 1e-12 * before.0.norm(), "{}", after.0 - before.0);
    assert!((after.1 - before.1).norm() < 1e-9 * before.1.norm(), "{}", after.1 - before.1);
    for joint in &scene.joints {
        let placed = PlacedJoint::new(joint, |body| end[body].pose);
        let gaps = placed.gaps().chain(placed.rotations()).map(|c| c.x.abs()).fold(0.0, f64::max);
        assert!(gaps < 1e-11, "{gaps:e}");
    }
}

#[test]
fn its_order_is_two() {
    let mut scene = chain();
    // Rates of damping have order 1.
    scene.joints[0].damping = rigor_scene::JointDamping::default();
    let mut state = State::initial(&scene);
    state.bodies = fly(&scene, &state, 0.01, 10, [true; 4]).0;
    let at = |substeps| fly(&scene, &state, 0.4, substeps, [true; 4]).0[2].pose.position;
    let exact = at(1000);
    let order = ((at(40) - exact).norm() / (at(80) - exact).norm()).log2();
    assert!((1.8..2.3).contains(&order), "{order}");
}

#[test]
fn bodies_that_take_no_part_stay_and_so_do_their_joints() {
    let (scene, state) = (chain(), State::initial(&chain()));
    let (end, joints) = fly(&scene, &state, 0.1, 10, [true, true, true, false]);
    assert_eq!(end[3], state.bodies[3]);
    assert_eq!(joints.list[2].turn, 0.0);
    let (all, _) = fly(&scene, &state, 0.1, 10, [true; 4]);
    assert_eq!(end[..3], all[..3]);
    assert_ne!(all[3], state.bodies[3]);
}

#[test]
fn what_hangs_on_a_prescribed_body_tells_whether_it_can_follow() {
    let scene = |velocity: [f64; 3]| {
        let text = format!(
            r#"
            format = 1
            name = "taut"
            gravity = [0, 0, 0]
            [time]
            dt = 0.01
            duration = 1
            [[body]]
            name = "puller"
            role = "kinematic"
            position = [0, 0.5, 0]
            linear_velocity = {velocity:?}
            [[body.shape]]
            box = {{ size = [0.1, 0.1, 0.1] }}
            [[body]]
            name = "plate"
            mass = 1e5
            [[body.shape]]
            box = {{ size = [1, 0.1, 1] }}
            [[joint]]
            name = "along"
            kind = "hinge"
            body_a = "plate"
            position = [0.3, 0, 0.1]
            axis = [1, 0.2, 0]
            [[joint]]
            name = "across"
            kind = "hinge"
            body_a = "plate"
            position = [-0.4, 0, 0.2]
            axis = [0, 0.3, 1]
            [[joint]]
            name = "rope"
            kind = "distance"
            body_a = "plate"
            body_b = "puller"
            position = [0, 0, 0]
            to = [0, 0.5, 0]
            max = 0.5
            "#
        );
        loaded(text)
    };
    let hold = |velocity: [f64; 3]| {
        let scene = scene(velocity);
        let mut state = State::initial(&scene);
        let mut joints = Joints::default();
        joints.load(&scene, &state, "test");
        let takes_part = [true; 2];
        let flight = JoinedFlight { scene: &scene, takes_part: &takes_part, h: 0.01, end: 0.01, substeps: 1 };
        let holds = flight.hold(&mut state.bodies, &mut joints);
        let BodyState { linear_velocity, angular_velocity, .. } = state.bodies[1];
        (holds, linear_velocity.norm() + angular_velocity.norm())
    };
    // Round the plate, and towards it.
    assert_eq!(hold([2.0, 0.0, 1.0]), (true, 0.0));
    assert_eq!(hold([0.0, -2.0, 0.0]), (true, 0.0));
    // Away from it: equations contradict each other, and what is left of them is no rounding.
    let ((holds, speed), (_, slow)) = (hold([0.0, 2.0, 0.0]), hold([0.0, 0.3, 0.0]));
    assert!(!holds);
    assert!((slow / speed - 0.15).abs() < 1e-7, "{slow} and {speed} m/s");
}

#[test]
fn what_circles_on_a_bound_keeps_its_energy() {
    let body = |joint: &str| {
        loaded(format!(
            r#"
            format = 1
            name = "circle"
            gravity = [0, 0, 0]
            [time]
            dt = 0.01
            duration = 1
            [[body]]
            name = "a"
            mass = 1
            position = [1, 0, 0]
            linear_velocity = [0, 50, 0]
            [[body.shape]]
            box = {{ size = [0.1, 0.1, 0.1] }}
            [[joint]]
            name = "j"
            body_a = "a"
            {joint}
            "#
        ))
    };
    // A tether that is taut, and one that is a rod.
    for bounds in ["max = 1.0", "min = 1.0\nmax = 1.0"] {
        let scene = body(&format!("kind = \"distance\"\nposition = [1, 0, 0]\nto = [0, 0, 0]\n{bounds}"));
        let mut states = State::initial(&scene).bodies;
        let mut joints = Joints::default();
        joints.load(&scene, &State::initial(&scene), "test");
        for step in 1..=100 {
            let (h, end) = (0.01, 0.01 * f64::from(step));
            let flight = JoinedFlight { scene: &scene, takes_part: &[true], h, end, substeps: 1 };
            states = flight.fly(&states, &mut joints);
        }
        let energy = 0.5 * states[0].linear_velocity.norm_squared() / 1250.0 - 1.0;
        assert!(energy.abs() < 1e-9, "{bounds}: {energy:e}");
        assert!((states[0].pose.position.norm() - 1.0).abs() < 1e-9);
    }
}

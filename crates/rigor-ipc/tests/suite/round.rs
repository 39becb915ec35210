//! Balls and capsules as what they are, not as polyhedra.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use proptest::prelude::*;
use rigor_geometry::distance::{edge_edge, point_edge, point_point, point_triangle};
use rigor_ipc::{Config, Integrator, Ipc};
use rigor_math::{Vec3, inertia};
use rigor_scene::{Body, BodyId, BodyState, Clock, Method, Scene, State, StepReport, inspect};

use crate::scene;

fn world(head: &str, bodies: &str) -> Scene {
    scene::text(format!("format = 1\nname = \"round\"\n{head}\n[time]\ndt = 0.01\nduration = 1\n{bodies}"))
}

/// The state after `steps` steps of `dt` (s), and all reports.
fn run(scene: &Scene, config: Config, dt: f64, steps: u64) -> (State, Vec<StepReport>) {
    let mut method = Ipc::new(config, Clock::default()).unwrap();
    let mut state = State::initial(scene);
    let step = |_| {
        let before = state.clone();
        let mut report = method.step(scene, &mut state, dt).unwrap();
        state.step += 1;
        state.time = state.step as f64 * dt;
        report.flaws.extend(inspect(scene, &before, &state, &report, dt));
        report
    };
    let reports = (0..steps).map(step).collect();
    (state, reports)
}

fn impulse() -> Config {
    Config { integrator: Integrator::Impulse, ..Config::default() }
}

const FLOOR: &str = r#"
[[body]]
name = "floor"
role = "static"
friction = 0.5
position = [0, -0.5, 0]
shape = [{ box = { size = [20, 1, 20] } }]
"#;

/// Distance (m) of the surfaces of two bodies, by all pairs of primitives of their skeletons; negative where round parts overlap.
fn gap([a, b]: [(&Body, &BodyState); 2]) -> f64 {
    let mut least = f64::INFINITY;
    let vertex = |(body, at): (&Body, &BodyState), v: usize| at.pose.point(&body.skeleton.mesh.vertices()[v]);
    let ends = |of: (&Body, &BodyState), e: &[u32; 2]| e.map(|v| vertex(of, v as usize));
    for (one, other) in [(a, b), (b, a)] {
        for v in 0..one.0.skeleton.mesh.vertices().len() {
            let (x, rho) = (vertex(one, v), one.0.skeleton.offset(v));
            for t in other.0.skeleton.mesh.triangles() {
                let [p, q, r] = t.map(|v| vertex(other, v as usize));
                least = least.min(point_triangle::distance_sq(&x, &p, &q, &r).sqrt() - rho);
            }
            for e in other.0.skeleton.mesh.edges() {
                let [p, q] = ends(other, e);
                let of_other = other.0.skeleton.offset(e[0] as usize);
                least = least.min(point_edge::distance_sq(&x, &p, &q).sqrt() - rho - of_other);
            }
            for w in 0..other.0.skeleton.mesh.vertices().len() {
                let of_other = other.0.skeleton.offset(w);
                least = least.min(point_point::distance_sq(&x, &vertex(other, w)).sqrt() - rho - of_other);
            }
        }
    }
    for e in a.0.skeleton.mesh.edges() {
        for f in b.0.skeleton.mesh.edges() {
            let ([p, q], [r, s]) = (ends(a, e), ends(b, f));
            let offset = a.0.skeleton.offset(e[0] as usize) + b.0.skeleton.offset(f[0] as usize);
            least = least.min(edge_edge::distance_sq(&p, &q, &r, &s).sqrt() - offset);
        }
    }
    least
}

fn energy(scene: &Scene, state: &State) -> f64 {
    let of = |(body, at): (&Body, &BodyState)| {
        let (v, omega) = (&at.linear_velocity, &at.angular_velocity);
        let kinetic = inertia::kinetic_energy(body.mass, v, &body.inertia, &at.pose.rotation, omega);
        kinetic - body.mass * scene.gravity.dot(&at.pose.position)
    };
    scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic()).map(of).sum()
}

/// A ball rolls without loss, and on a slope with 5/7 g sin α; its mesh of 80 triangles would have lost half of its speed.
#[test]
fn balls_roll_without_loss_and_down_a_slope_as_they_must() {
    let ball = |v: f64, radius: f64| {
        format!(
            r#"
            [[body]]
            name = "ball"
            friction = 0.5
            position = [0, {}, 0]
            linear_velocity = [{v}, 0, 0]
            angular_velocity = [0, 0, {}]
            shape = [{{ icosphere = {{ radius = {radius}, subdivisions = 1 }}, round = true }}]
            "#,
            radius + 1e-5,
            -v / radius
        )
    };
    let level = world("gravity = [0, -9.81, 0]", &format!("{FLOOR}{}", ball(1.0, 0.1)));
    let (early, _) = run(&level, impulse(), 0.005, 20);
    let (state, reports) = run(&level, impulse(), 0.005, 400);
    let (begun, end) = (early.bodies[1], state.bodies[1]);
    // Friction sees the mean velocity over the step of the point that touches at its end: a cycloid, by δ²/6 off rolling.
    let turn = 10.0 * 0.005;
    let shift = 2.0 / 7.0 * turn * turn / 6.0;
    assert!((1.0 - begun.linear_velocity.x - shift).abs() < 0.1 * shift, "{}", begun.linear_velocity.x);
    assert!((end.linear_velocity - begun.linear_velocity).norm() < 1e-5, "{}", end.linear_velocity);
    assert!((end.angular_velocity - begun.angular_velocity).norm() < 1e-4, "{}", end.angular_velocity);
    assert!(reports.iter().all(|report| report.flaws.is_empty()));
    let bdf2 = Config { integrator: Integrator::Bdf2, ..Config::default() };
    let (state, _) = run(&level, bdf2, 0.005, 400);
    assert!((state.bodies[1].linear_velocity.x - 1.0).abs() < 1e-7, "{}", state.bodies[1].linear_velocity);
    // Gravity leans by 20 degrees.
    let (sine, cosine) = rigor_math::elementary::sin_cos(20_f64.to_radians());
    let gravity = format!("gravity = [{}, {}, 0]", 9.81 * sine, -9.81 * cosine);
    let slope = world(&gravity, &format!("{FLOOR}{}", ball(0.0, 0.1)));
    let (state, _) = run(&slope, impulse(), 0.005, 200);
    let due = 5.0 / 7.0 * 9.81 * sine;
    assert!((state.bodies[1].linear_velocity.x / due - 1.0).abs() < 1e-3, "{:?}", state.bodies[1]);
}

/// One body of each kind that falls on a corner, an edge or an axis parallel to its own stays outside, and is held.
#[test]
fn corners_edges_and_parallel_axes_hold_what_is_round() {
    let fixed = "fixed = { translation = [true, false, true], rotation = [true, true, true] }";
    let on = |what: &str, falling: &str, from: f64| {
        world(
            "gravity = [0, -9.81, 0]",
            &format!(
                r#"
                [[body]]
                name = "under"
                role = "static"
                shape = [{{ {what} }}]
                [[body]]
                name = "above"
                {fixed}
                position = [0, {from}, 0]
                shape = [{{ {falling} }}]
                "#
            ),
        )
    };
    let ball = "icosphere = { radius = 0.1, subdivisions = 1 }, round = true";
    let rod = "capsule = { radius = 0.1, length = 0.6, segments = 6, rings = 1 }, rotation_deg = [0, 0, 90], round = true";
    let long = "capsule = { radius = 0.1, length = 2.0, segments = 6, rings = 1 }, rotation_deg = [0, 0, 90], round = true";
    let tall = "box = { size = [1, 1, 1] }, rotation_deg = [45, 0, 35.26438968]";
    let ridge = "box = { size = [1, 1, 1] }, rotation_deg = [45, 0, 0]";
    let plate = "box = { size = [3, 1, 3] }";
    let (corner, edge) = (3_f64.sqrt() / 2.0, 0.5_f64.sqrt());
    for (under, above, height) in [
        (tall, ball, corner),
        (ridge, ball, edge),
        (plate, ball, 0.5),
        (ball, ball, 0.1),
        (rod, ball, 0.1),
        (ridge, rod, edge),
        (ridge, long, edge),
        (plate, long, 0.5),
        (rod, rod, 0.1),
        (rod, long, 0.1),
        (ball, long, 0.1),
    ] {
        let scene = on(under, above, height + 0.1 + 0.02);
        let (state, reports) = run(&scene, impulse(), 0.005, 100);
        let [a, b] = [0, 1].map(|i| (&scene.bodies[i], &state.bodies[i]));
        let found = gap([a, b]);
        assert!(found > 0.0 && found < 3e-3, "{above} on {under}: gap {found} m");
        assert!(b.1.linear_velocity.norm() < 1e-6, "{above} on {under}: {}", b.1.linear_velocity);
        let contacts = &reports.last().unwrap().contacts;
        let weight = b.0.mass * 9.81;
        let held: f64 = contacts.iter().map(|c| c.normal_force * c.normal_world.y.abs()).sum();
        assert!((held / weight - 1.0).abs() < 1e-3, "{above} on {under}: {held} of {weight} N");
        let least = contacts.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
        assert!((least - found).abs() < 1e-12, "{least} {found}");
        for contact in contacts {
            let off = contact.point_world - state.bodies[contact.body_a.0].pose.position;
            let is_on_surface =
                if scene.bodies[contact.body_a.0].skeleton.is_plain() { true } else { off.norm() > 0.0999 };
            assert!(is_on_surface, "{off}");
        }
    }
}

#[test]
fn round_parts_that_overlap_at_the_start_are_refused() {
    let two = |x: f64, other: &str| {
        world(
            "gravity = [0, 0, 0]",
            &format!(
                r#"
                [[body]]
                name = "one"
                shape = [{{ icosphere = {{ radius = 0.1, subdivisions = 0 }}, round = true }}]
                [[body]]
                name = "other"
                position = [{x}, 0, 0]
                shape = [{{ {other} }}]
                "#
            ),
        )
    };
    let ball = "icosphere = { radius = 0.1, subdivisions = 0 }, round = true";
    let cube = "box = { size = [1, 1, 1] }";
    let (crosses, touches) = (Some("intersect at the start, near (0.09"), Some("touch or intersect"));
    for (x, other, due) in [
        (0.199, ball, crosses),
        (0.2, ball, touches),
        (0.201, ball, None),
        (0.599, cube, crosses),
        (0.6, cube, touches),
        (0.601, cube, None),
    ] {
        let scene = two(x, other);
        let stepped = Ipc::new(Config::default(), Clock::default()).unwrap().step(
            &scene,
            &mut State::initial(&scene),
            0.01,
        );
        let message = stepped.err().map(|error| error.to_string());
        match due {
            None => assert_eq!(message, None, "{x}"),
            Some(words) => assert!(message.as_ref().is_some_and(|m| m.contains(words)), "{x}: {message:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Thrown at each other in a box of walls: nothing overlaps, no energy is made, and isolated bodies keep their momentum.
    #[test]
    fn thrown_balls_capsules_and_blocks_never_overlap(
        kinds in prop::collection::vec(0usize..4, 2..6),
        sizes in prop::collection::vec(0.5..2.0f64, 6),
        vectors in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 18),
        speed in prop_oneof![0.5..3.0f64, 3.0..40.0],
        mu in prop_oneof![Just(0.0), 0.1..1.0f64],
        falls in any::<bool>(),
    ) {
        let mut text = String::new();
        for (k, kind) in kinds.iter().enumerate() {
            let s = 0.1 * sizes[k];
            let shape = match kind {
                0 => format!("{{ icosphere = {{ radius = {s}, subdivisions = 0 }}, round = true }}"),
                1 => format!("{{ capsule = {{ radius = {}, length = {s}, segments = 5, rings = 1 }}, round = true }}", 0.5 * s),
                2 => format!("{{ box = {{ size = [{s}, {}, {s}] }} }}", 0.6 * s),
                _ => format!(
                    "{{ icosphere = {{ radius = {}, subdivisions = 0 }}, round = true, position = [{s}, 0, 0] }}, {{ box = {{ size = [{s}, {0}, {0}] }} }}",
                    0.6 * s,
                ),
            };
            let [v, w, turn] = [0, 6, 12].map(|i| Vec3::from(vectors[i + k]));
            let at = Vec3::new(0.8 * (k as f64 - 2.0), 0.6 + 0.3 * (k % 2) as f64, 0.1 * v.x);
            let v = v * speed - Vec3::new(at.x, 0.0, at.z) * speed;
            let w = w * 5.0;
            text.push_str(&format!(
                "[[body]]\nname = \"b{k}\"\nfriction = {mu}\nposition = [{}, {}, {}]\nrotation_deg = [{}, {}, {}]\nlinear_velocity = [{}, {}, {}]\nangular_velocity = [{}, {}, {}]\nshape = [{shape}]\n",
                at.x, at.y, at.z, turn.x * 90.0, turn.y * 90.0, turn.z * 90.0, v.x, v.y, v.z, w.x, w.y, w.z
            ));
        }
        let (head, floor) = if falls { ("gravity = [0, -9.81, 0]", FLOOR) } else { ("gravity = [0, 0, 0]", "") };
        let scene = world(head, &format!("{floor}{text}"));
        let mut method = Ipc::new(impulse(), Clock::default()).unwrap();
        let mut state = State::initial(&scene);
        let momentum = |state: &State| -> Vec3 {
            scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic()).map(|(body, at)| body.mass * at.linear_velocity).sum()
        };
        let size: f64 = scene.bodies.iter().filter(|b| b.is_dynamic()).map(|b| b.mass * (b.initial.linear_velocity.norm() + 1.0)).sum();
        let (start, given) = (momentum(&state), energy(&scene, &state));
        let (mut made, mut is_told) = (0.0_f64, false);
        for _ in 0..60 {
            let before = state.clone();
            let mut report = method.step(&scene, &mut state, 0.01).unwrap();
            state.step += 1;
            state.time += 0.01;
            report.flaws.extend(inspect(&scene, &before, &state, &report, 0.01));
            for i in 0..scene.bodies.len() {
                for j in (i + 1..scene.bodies.len()).filter(|&j| scene.can_collide(BodyId(i), BodyId(j))) {
                    let found = gap([i, j].map(|i| (&scene.bodies[i], &state.bodies[i])));
                    prop_assert!(found > 0.0, "{i} and {j} are {found} m apart");
                }
            }
            is_told |= !report.flaws.is_empty();
            if !is_told {
                made = made.max(energy(&scene, &state) - given);
            }
        }
        prop_assert!(made < 1e-3 * given.abs(), "{made} J more than {given} J");
        if !falls {
            prop_assert!((momentum(&state) - start).norm() < 1e-9 * size);
        }
    }
}

//! The method as a caller sees it: scenes in, states and reports out.

#![allow(clippy::unwrap_used, reason = "what a test builds is right, or the test fails")]

mod scenes;

use rigor_math::{Pose, Vec3, quaternion, rotation_vector};
use rigor_particles::{Cells, Config, Inertia, Lattice, Model, Particles};
use rigor_scene::{
    Body, BodySpec, BodyState, Clock, FixedAxes, Friction, Method, PartKind, Particle, Role, Scene, State,
    Weight,
};
use rigor_shapes::Cuboid;
use scenes::{ball, cuboid, floor, record, record_on, resumed, scene, shape};

fn momentum(scene: &Scene, state: &State) -> (Vec3, Vec3) {
    let each = scene.bodies.iter().zip(&state.bodies);
    let of = |(body, s): (&Body, &BodyState)| {
        let p = body.mass * s.linear_velocity;
        (p, s.pose.position.cross(&p) + body.inertia_world(&s.pose) * s.angular_velocity)
    };
    each.map(of).fold((Vec3::zeros(), Vec3::zeros()), |(p, l), (dp, dl)| (p + dp, l + dl))
}

/// A brick and a ball that meet off-centre.
fn collision() -> Scene {
    let brick = BodySpec {
        linear_velocity: Vec3::new(2.0, 0.1, 0.0),
        angular_velocity: Vec3::new(0.5, 3.0, -1.0),
        pose: Pose::new(Vec3::new(-0.4, 0.05, 0.02), rotation_vector::exp(&Vec3::new(0.3, 0.2, 0.1))),
        friction: Friction::uniform(0.5),
        restitution: 0.6,
        ..cuboid("brick", Vec3::new(0.4, 0.2, 0.3), 1)
    };
    let ball = BodySpec {
        linear_velocity: Vec3::new(-1.0, 0.0, 0.2),
        pose: Pose::translation(Vec3::new(0.3, 0.0, 0.0)),
        friction: Friction::uniform(0.5),
        ..ball("ball", 0.2, 2)
    };
    scene(Vec3::zeros(), vec![brick, ball])
}

#[test]
fn momentum_is_conserved_to_rounding_in_a_collision() {
    let scene = collision();
    for model in [Model::Hooke, Model::Hertz] {
        let config = Config { model, rolling: 0.1, ..Config::default() };
        let run = record(&scene, config, 0.01, 40);
        assert!(run.reports.iter().any(|report| !report.contacts.is_empty()), "they meet");
        let (first, last) = (momentum(&scene, &run.trajectory.frames[0]), momentum(&scene, run.last()));
        let turned = run.last().bodies[1].angular_velocity.norm();
        assert!(turned > 0.1, "the ball spins: {turned}");
        assert!((last.0 - first.0).norm() < 1e-12 * 4.0, "{model:?}: {:e}", (last.0 - first.0).norm());
        assert!((last.1 - first.1).norm() < 1e-12 * 4.0, "{model:?}: {:e}", (last.1 - first.1).norm());
    }
}

/// Shear forces at two centres are a couple: \[Harada2007\] as printed gains angular momentum.
#[test]
fn the_printed_law_conserves_linear_momentum_only() {
    let scene = collision();
    let run = record(&scene, Config { model: Model::Harada, ..Config::default() }, 0.01, 40);
    let (first, last) = (momentum(&scene, &run.trajectory.frames[0]), momentum(&scene, run.last()));
    assert!((last.0 - first.0).norm() < 4e-12);
    assert!((last.1 - first.1).norm() > 1e-3, "{:e}", (last.1 - first.1).norm());
}

#[test]
fn reported_forces_are_the_change_of_momentum() {
    let scene = collision();
    let run = record(&scene, Config::default(), 0.01, 40);
    for (report, states) in run.reports.iter().zip(run.trajectory.frames.windows(2)) {
        let force: Vec3 = report
            .contacts
            .iter()
            .map(|c| {
                let sign = if c.body_a.0 == 0 { 1.0 } else { -1.0 };
                sign * (c.normal_force * c.normal_world + c.friction_force_world)
            })
            .sum();
        let change = 2.0 * (states[1].bodies[0].linear_velocity - states[0].bodies[0].linear_velocity) / 0.01;
        // Normals turn within a step; the report has the last one.
        assert!((force - change).norm() <= 0.05 * change.norm() + 1e-9, "{force:?} {change:?}");
    }
}

#[test]
fn a_box_rests_where_its_faces_are() {
    for model in [Model::Hooke, Model::Hertz, Model::Harada] {
        let cube = BodySpec {
            pose: Pose::translation(Vec3::y() * 0.13),
            friction: Friction::uniform(0.5),
            ..cuboid("cube", Vec3::repeat(0.2), 1)
        };
        let scene =
            scene(-10.0 * Vec3::y(), vec![BodySpec { friction: Friction::uniform(0.5), ..floor() }, cube]);
        let run = record(&scene, Config { model, ..Config::default() }, 0.01, 100);
        let end = run.last().bodies[1];
        assert!((end.pose.position.y - 0.1).abs() < 2e-3, "{model:?}: {}", end.pose.position.y);
        // At rest, a velocity is that before half of the last substep's kick, −½ g h.
        let h = 0.01 / run.reports[99].iterations as f64;
        let lag = end.linear_velocity + 0.5 * h * 10.0 * Vec3::y();
        assert!(lag.norm() < 1e-5 && end.angular_velocity.norm() < 1e-5, "{model:?}: {end:?}");
        let weight: f64 = run.reports[99].contacts.iter().map(|c| c.normal_force).sum();
        assert!((weight - 20.0).abs() < 0.2, "{model:?}: {weight}");
    }
}

/// A block on a slope of `angle` (rad), with μ = 0.5: how far it has slid (m) after half a second and after one.
fn slide_down(angle: f64) -> [f64; 2] {
    let friction = Friction::uniform(0.5);
    let block = BodySpec {
        friction,
        pose: Pose::translation(Vec3::new(0.0, 0.1, 0.0)),
        ..cuboid("block", Vec3::new(0.4, 0.2, 0.4), 1)
    };
    // The slope is flat, and gravity tilts.
    let gravity = 9.81 * Vec3::new(angle.sin(), -angle.cos(), 0.0);
    let scene = scene(gravity, vec![BodySpec { friction, ..floor() }, block]);
    let run = record(&scene, Config::default(), 0.01, 100);
    [50, 100].map(|k| run.trajectory.frames[k].bodies[1].pose.position.x)
}

#[test]
fn a_block_slides_from_the_slope_that_friction_holds() {
    let threshold = 0.5_f64.atan();
    let [early, held] = slide_down(threshold - 0.02);
    assert!(held.abs() < 1e-3 && (held - early).abs() < 1e-8, "{early} {held}");
    let (angle, g) = (threshold + 0.02, 9.81);
    let expected = 0.5 * g * (angle.sin() - 0.5 * angle.cos());
    let [_, slid] = slide_down(angle);
    assert!((slid / expected - 1.0).abs() < 0.05, "{slid} {expected}");
}

#[test]
fn a_sliding_block_stops_after_the_distance_that_friction_allows() {
    let (mu, v) = (0.4, 2.0);
    let friction = Friction::uniform(mu);
    for model in [Model::Hooke, Model::Hertz] {
        let block = BodySpec {
            friction,
            linear_velocity: Vec3::new(v, 0.0, 0.0),
            pose: Pose::translation(Vec3::new(0.0, 0.1, 0.0)),
            ..cuboid("block", Vec3::new(0.6, 0.2, 0.6), 1)
        };
        let scene = scene(-9.81 * Vec3::y(), vec![BodySpec { friction, ..floor() }, block]);
        // Before friction acts, the block sinks to its resting overlap; a stiff contact makes that short.
        let run = record(&scene, Config { model, overlap: 0.01, ..Config::default() }, 0.01, 80);
        let (found, expected) = (run.last().bodies[1].pose.position.x, v * v / (2.0 * mu * 9.81));
        assert!((found / expected - 1.0).abs() < 0.02, "{model:?}: {found} {expected}");
    }
}

/// The speed after over that before the impact of a body dropped on the floor.
fn rebound(spec: BodySpec, config: Config, e: f64) -> f64 {
    let spec = BodySpec { restitution: e, linear_velocity: Vec3::y() * -2.0, ..spec };
    let scene = scene(Vec3::zeros(), vec![BodySpec { restitution: e, ..floor() }, spec]);
    let run = record(&scene, config, 0.002, 100);
    run.last().bodies[1].linear_velocity.y / 2.0
}

#[test]
fn bodies_rebound_with_the_restitution_of_the_scene() {
    let cube =
        || BodySpec { pose: Pose::translation(Vec3::y() * 0.15), ..cuboid("cube", Vec3::repeat(0.2), 1) };
    for model in [Model::Hooke, Model::Hertz] {
        for e in [0.3, 0.6, 0.9, 1.0] {
            let config = || Config { model, ..Config::default() };
            let face = rebound(cube(), config(), e);
            assert!((face - e).abs() < 0.03, "{model:?}, e = {e}: {face}");
            let finer = rebound(cube(), Config { steps_per_contact: 100.0, ..config() }, e);
            assert!((finer - e).abs() < 0.01, "{model:?}, e = {e}: {finer}");
        }
    }
    // One particle, which is a ball whose contact is a single spring.
    let one = BodySpec { pose: Pose::translation(Vec3::y() * 0.25), ..ball("ball", 0.2, 1) };
    let config = Config { particles_per_body: 1, steps_per_contact: 100.0, ..Config::default() };
    let found = rebound(one, config, 0.5);
    assert!((found - 0.5).abs() < 0.01, "{found}");
}

/// Balls and cubes that fall on a heap, with enough particles for several tasks.
fn heap() -> Scene {
    let friction = Friction::uniform(0.4);
    let mut specs = vec![BodySpec { friction, ..floor() }];
    for i in 0..12_u32 {
        let at =
            Vec3::new(0.21 * f64::from(i % 2), 0.12 + 0.23 * f64::from(i / 4), 0.22 * f64::from(i / 2 % 2));
        let spec =
            if i % 3 == 0 { ball("ball", 0.1, i + 1) } else { cuboid("cube", Vec3::repeat(0.2), i + 1) };
        let pose = Pose::new(at, quaternion::from_extrinsic_xyz_degrees(&Vec3::new(3.0, f64::from(i), 2.0)));
        specs.push(BodySpec { name: format!("{} {i}", spec.name), friction, pose, ..spec });
    }
    scene(-9.81 * Vec3::y(), specs)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let scene = heap();
    let config = Config { particles_per_body: 200, ..Config::default() };
    let end = |n| record_on(n, &scene, &config, 0.005, 30).last().clone();
    let alone = end(1);
    for n in [2, 5] {
        assert_eq!(alone, end(n), "{n} threads");
    }
}

#[test]
fn a_new_grid_in_every_substep_finds_the_same_contacts() {
    let scene = heap();
    // Steps of one substep, so that substeps do not depend on the skin.
    let end = |skin| {
        let config = Config { skin, overlap: 0.5, particles_per_body: 30, ..Config::default() };
        let run = record(&scene, config, 2e-5, 50);
        assert!(run.reports.iter().all(|report| report.iterations == 1), "{}", run.reports[0].iterations);
        run.last().clone()
    };
    assert_eq!(end(0.0).bodies, end(0.3).bodies);
}

#[test]
fn four_particles_per_cell_let_bodies_sink_into_each_other() {
    // Small particles beside a large one: its diameter is the edge of the cells.
    let big = BodySpec { pose: Pose::translation(Vec3::new(1.5, 0.5, 0.0)), ..ball("big", 0.2, 2) };
    let upper =
        BodySpec { pose: Pose::translation(Vec3::y() * 0.31), ..cuboid("upper", Vec3::repeat(0.2), 3) };
    let lower =
        BodySpec { pose: Pose::translation(Vec3::y() * 0.1), ..cuboid("lower", Vec3::repeat(0.2), 4) };
    let friction = Friction::uniform(0.5);
    let specs = [floor(), big, upper, lower].map(|spec| BodySpec { friction, ..spec });
    let scene = scene(-9.81 * Vec3::y(), specs.into());
    let sunk = |cells| {
        let config = Config { cells, particles_per_body: 200, ..Config::default() };
        let run = record(&scene, config, 0.01, 60);
        let dropped = run.reports.iter().filter_map(|report| report.quantity("dropped")).fold(0.0, f64::max);
        (dropped, 0.3 - run.last().bodies[2].pose.position.y)
    };
    let (all, four) = (sunk(Cells::All), sunk(Cells::Four));
    assert!(all.0 == 0.0 && all.1.abs() < 0.01, "{all:?}");
    assert!(four.0 > 0.0, "{four:?}");
}

#[test]
fn the_mass_of_the_particles_can_replace_that_of_the_body() {
    let ball = BodySpec { pose: Pose::translation(Vec3::y() * 0.5), ..ball("ball", 0.2, 1) };
    let scene = scene(-10.0 * Vec3::y(), vec![BodySpec { linear_velocity: Vec3::x(), ..ball }]);
    let config = Config { inertia: Inertia::Particles, ..Config::default() };
    let method = Particles::new(config.clone(), Clock::default()).unwrap();
    let told: Vec<String> = method.notices(&scene, 0.01).iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|t| t.starts_with("mass 2 kg of body \"ball\": replaced")), "{told:?}");
    let run = record(&scene, config, 0.01, 10);
    let expected = Vec3::new(0.1, 0.5 - 0.05, 0.0);
    assert!((run.last().bodies[0].pose.position - expected).norm() < 1e-12);
}

#[test]
fn fixed_axes_stay_fixed_in_contact() {
    let fixed = FixedAxes { translation: [true, false, true], rotation: [true, true, false] };
    let pose = Pose::new(Vec3::y() * 0.2, rotation_vector::exp(&Vec3::new(0.3, 0.2, 0.4)));
    let cube = BodySpec { fixed, pose, ..cuboid("cube", Vec3::repeat(0.2), 1) };
    let scene = scene(-10.0 * Vec3::y(), vec![floor(), cube]);
    let end = record(&scene, Config::default(), 0.01, 60).last().bodies[1];
    assert_eq!((end.pose.position.x, end.pose.position.z), (0.0, 0.0));
    assert!(end.angular_velocity.x.abs() + end.angular_velocity.y.abs() < 1e-9, "{end:?}");
    assert!(end.pose.position.y > 0.09);
}

#[test]
fn grains_fall_touch_and_stay_on_the_floor() {
    let grain = |x: f64, y: f64| Particle {
        radius: 0.05,
        friction: Friction::uniform(0.5),
        ..Particle::new(0.1, Vec3::new(x, y, 0.0))
    };
    let mut scene = scene(-9.81 * Vec3::y(), vec![BodySpec { friction: Friction::uniform(0.5), ..floor() }]);
    scene.particles = vec![grain(0.0, 0.06), grain(0.01, 0.2), grain(0.2, 0.1)];
    let run = record(&scene, Config { rolling: 0.2, ..Config::default() }, 0.005, 400);
    let heights: Vec<f64> = run.last().particles.iter().map(|p| p.position.y).collect();
    assert!(heights.iter().all(|y| (*y - 0.05).abs() < 2e-3), "{heights:?}");
    let [a, b] = [0, 1].map(|i| run.last().particles[i].position);
    assert!((a - b).norm() > 0.099, "the upper one rolled off");
    let pushed: f64 = run.reports[399].particle_contacts.iter().map(|c| c.normal_force).sum();
    assert!((pushed - 0.3 * 9.81).abs() < 0.05 * 0.3 * 9.81, "{pushed}");
}

fn refusal(scene: &Scene, config: Config) -> String {
    Particles::new(config, Clock::default()).unwrap().supports(scene).unwrap_err().to_string()
}

#[test]
fn bad_shapes_are_refused_with_advice() {
    let one = scene(Vec3::zeros(), vec![cuboid("cube", Vec3::repeat(0.2), 1)]);
    let spacing = |spacing| Config { spacing: Some(spacing), ..Config::default() };
    let error = refusal(&one, spacing(0.3));
    assert!(error.contains("\"cube\"") && error.contains("set spacing to at most"), "{error}");
    let error = refusal(&one, spacing(2e-4));
    assert!(error.contains("1.000e9 particles") && error.contains("set a larger spacing"), "{error}");
    let mesh = Cuboid::new(Vec3::repeat(0.2)).mesh().unwrap();
    let open = rigor_geometry::Mesh::new(mesh.vertices().to_vec(), mesh.triangles()[1..].to_vec(), vec![]);
    let shape = shape(open.unwrap(), PartKind::Concave);
    let sheet = scene(
        Vec3::zeros(),
        vec![BodySpec { weight: Weight::Mass(1.0), ..BodySpec::new("sheet", vec![shape]) }],
    );
    let error = refusal(&sheet, Config::default());
    assert!(error.contains("open: 3 edge(s)") && error.contains("close the mesh"), "{error}");
}

#[test]
fn absurd_stiffness_is_an_error_with_numbers_and_leaves_the_state_alone() {
    let cube = BodySpec { pose: Pose::translation(Vec3::y() * 0.1), ..cuboid("cube", Vec3::repeat(0.2), 1) };
    let scene = scene(-10.0 * Vec3::y(), vec![floor(), cube]);
    let config = Config { stiffness: Some(1e18), ..Config::default() };
    let mut method = Particles::new(config, Clock::default()).unwrap();
    let mut state = State::initial(&scene);
    let error = method.step(&scene, &mut state, 0.01).unwrap_err().to_string();
    assert!(
        error.contains("substeps") && error.contains("max_substeps") && error.contains("lower"),
        "{error}"
    );
    assert_eq!(state, State::initial(&scene));
}

#[test]
fn stiffer_contacts_overlap_less_and_need_more_substeps() {
    let sink = |overlap| {
        let pose = Pose::translation(Vec3::y() * 0.3);
        let cube = BodySpec { pose, restitution: 1.0, ..cuboid("cube", Vec3::repeat(0.2), 1) };
        let scene = scene(-10.0 * Vec3::y(), vec![BodySpec { restitution: 1.0, ..floor() }, cube]);
        let run = record(&scene, Config { overlap, ..Config::default() }, 0.01, 40);
        let deepest = run.reports.iter().filter_map(|r| r.quantity("relative_overlap")).fold(0.0, f64::max);
        (deepest, run.reports.iter().map(|r| r.iterations).sum::<u64>())
    };
    let (soft, stiff) = (sink(0.1), sink(0.01));
    // It falls 0.2 m, as far as the stiffness was derived for.
    assert!(soft.0 > 0.05 && soft.0 < 0.12, "{soft:?}");
    assert!(stiff.0 > 0.005 && stiff.0 < 0.012 && stiff.1 > 2 * soft.1, "{stiff:?} {soft:?}");
}

/// Neither gravity nor speed: stiffness follows from the force, and directions that nothing can move need no damping.
#[test]
fn a_force_alone_presses_a_guided_block_against_a_wall() {
    let fixed = FixedAxes { translation: [false, true, true], rotation: [true; 3] };
    let pose = Pose::translation(Vec3::new(-0.11, 0.1, 0.0));
    let block = BodySpec { fixed, pose, force: 5.0 * Vec3::x(), ..cuboid("block", Vec3::repeat(0.2), 1) };
    let wall = BodySpec {
        pose: Pose::translation(Vec3::new(0.5, 0.0, 0.0)),
        ..cuboid("wall", Vec3::repeat(1.0), 0)
    };
    let wall = BodySpec { role: Role::Static, ..wall };
    let scene = scene(Vec3::zeros(), vec![wall, block, BodySpec { group: 2, ..floor() }]);
    let run = record(&scene, Config::default(), 0.01, 100);
    let end = run.last().bodies[1];
    assert!((end.pose.position.x + 0.1).abs() < 2e-3, "{end:?}");
    let pressed: f64 =
        run.reports[99].contacts.iter().filter(|c| c.normal_world.x < -0.5).map(|c| c.normal_force).sum();
    assert!((pressed - 5.0).abs() < 0.05, "{pressed}");
}

/// What contacts and grains remember is in the state: a new method goes on as the old one would have.
#[test]
fn a_run_cut_in_two_is_the_whole_run() {
    let mut scene = heap();
    let grain = |i: u32| Particle {
        radius: 0.03,
        friction: Friction::uniform(0.4),
        ..Particle::new(0.1, Vec3::new(0.05 * f64::from(i), 0.9 + 0.01 * f64::from(i), 0.1))
    };
    for particles in [Vec::new(), (0..5).map(grain).collect::<Vec<_>>()] {
        scene.particles = particles;
        let config = Config { rolling: 0.1, ..Config::default() };
        let whole = record(&scene, &config, 0.005, 40);
        let state = resumed(&scene, &config, &whole, 0.005, &[17]);
        assert_eq!(&state, whole.last());
        assert!(!state.memory.numbers["particles/contacts"].is_empty());
    }
}

/// A ball of particles rolls over steps, and says so; a box has the edges that it always had.
#[test]
fn bodies_that_roll_over_steps_are_told() {
    let told = |spec: BodySpec, n: u32| {
        let scene = scene(Vec3::zeros(), vec![spec]);
        let config = Config { particles_per_body: n, ..Config::default() };
        let method = Particles::new(config, Clock::default()).unwrap();
        let text = method.notices(&scene, 0.01).into_iter().find(|notice| notice.quantity == "rolling");
        text.map(|notice| notice.to_string())
    };
    let slope = |n: u32| {
        let text = told(ball("ball", 0.1, 1), n).unwrap();
        let number = text.split("up to ").nth(1).unwrap().split(' ').next().unwrap();
        number.parse::<f64>().unwrap()
    };
    let found = [64, 512, 4096].map(slope);
    assert!(found[0] > found[1] && found[1] > found[2] && found[2] > 0.02, "{found:?}");
    assert_eq!(told(cuboid("box", Vec3::new(0.2, 0.2, 0.2), 1), 512), None);
}

/// A box without friction that slides along the lattice of another slows down over its ridges, and that is told; on triangles it does not.
#[test]
fn bodies_that_slide_over_ridges_of_others_are_told() {
    let slid = |below: BodySpec| {
        let at = |y: f64| Pose::translation(Vec3::new(-0.5, y, 0.0));
        let top = BodySpec {
            pose: at(0.3005),
            linear_velocity: 1.5 * Vec3::x(),
            ..cuboid("top", Vec3::new(0.4, 0.2, 0.4), 2)
        };
        let floor = BodySpec { friction: Friction::uniform(1.0), ..floor() };
        let scene = scene(-9.81 * Vec3::y(), vec![floor, below, top]);
        let config = Config { spacing: Some(0.05), ..Config::default() };
        let method = Particles::new(config.clone(), Clock::default()).unwrap();
        let told = method.notices(&scene, 0.01).into_iter().any(|notice| notice.quantity == "sliding");
        let run = record(&scene, config, 0.01, 30);
        let velocity = |i: usize| run.last().bodies[i].linear_velocity.x;
        (told, (1.5 - (velocity(2) - velocity(1))) / (9.81 * 0.3))
    };
    let slab = |mass: f64, role: Role| BodySpec {
        pose: Pose::translation(Vec3::y() * 0.1),
        role,
        weight: Weight::Mass(mass),
        ..cuboid("slab", Vec3::new(2.4, 0.2, 0.8), 1)
    };
    let (told, slowed) = slid(slab(3000.0, Role::Dynamic));
    assert!(told && (0.2..0.4).contains(&slowed), "{told} {slowed}");
    let (told, slowed) = slid(slab(1.0, Role::Static));
    assert!(!told && slowed.abs() < 1e-3, "{told} {slowed}");
}

/// Spheres of a lattice stand out of a round surface, so that bodies that touch there are pushed apart.
#[test]
fn bodies_whose_particles_overlap_at_the_start_are_told() {
    let told = |lattice: Lattice, gap: f64| {
        let turned = rotation_vector::exp(&(Vec3::z() * 0.5));
        let away = turned * Vec3::x() * (0.2 + 0.1 + gap);
        let brick = BodySpec { pose: Pose::new(away, turned), ..cuboid("brick", Vec3::repeat(0.2), 2) };
        let scene = scene(Vec3::zeros(), vec![ball("ball", 0.2, 1), brick]);
        let config = Config { lattice, particles_per_body: 200, ..Config::default() };
        let method = Particles::new(config, Clock::default()).unwrap();
        let text = method.notices(&scene, 0.01).into_iter().find(|notice| notice.quantity == "particles");
        text.map(|notice| notice.to_string())
    };
    let text = told(Lattice::Fitted, 0.0).unwrap();
    assert!(text.contains("\"ball\"") && text.contains("lattice"), "{text}");
    assert_eq!(told(Lattice::Shell, 0.0), None);
    assert_eq!(told(Lattice::Fitted, 0.1), None);
}

/// The same ball, rolling freely: particles that touch its surface let it keep more of its speed.
#[test]
fn a_ball_with_a_fitted_shell_rolls_farther() {
    let speed = |lattice: Lattice| {
        let friction = Friction::uniform(0.3);
        let rolling = BodySpec {
            friction,
            pose: Pose::translation(Vec3::new(0.0, 0.1, 0.0)),
            linear_velocity: Vec3::x(),
            angular_velocity: -10.0 * Vec3::z(),
            ..ball("ball", 0.1, 1)
        };
        let scene = scene(-9.81 * Vec3::y(), vec![BodySpec { friction, ..floor() }, rolling]);
        let config = Config { particles_per_body: 512, lattice, ..Config::default() };
        record(&scene, config, 0.01, 100).last().bodies[1].linear_velocity.x
    };
    let [plain, shell] = [Lattice::Fitted, Lattice::Shell].map(speed);
    assert!(plain < 0.5 && shell > 1.3 * plain, "{plain} {shell}");
}

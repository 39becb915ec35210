//! Momentum, energy and determinism.

use crate::scenes::{cuboid, floor, record, scene, xpbd};
use rigor_math::{Pose, Vec3, inertia, rotation_vector};
use rigor_scene::{BodySpec, Clock, Friction, Run, Scene, State, roll_out};
use rigor_xpbd::{Config, ContactSolver, Solver};

fn momenta(scene: &Scene, state: &State) -> (Vec3, Vec3, f64) {
    let (mut linear, mut angular, mut energy) = (Vec3::zeros(), Vec3::zeros(), 0.0);
    for (body, s) in scene.bodies.iter().zip(&state.bodies) {
        linear += body.mass * s.linear_velocity;
        angular += s.pose.position.cross(&(body.mass * s.linear_velocity))
            + inertia::angular_momentum(&body.inertia, &s.pose.rotation, &s.angular_velocity);
        energy += 0.5 * body.mass * s.linear_velocity.norm_squared()
            + 0.5
                * s.angular_velocity.dot(&inertia::angular_momentum(
                    &body.inertia,
                    &s.pose.rotation,
                    &s.angular_velocity,
                ));
    }
    (linear, angular, energy)
}

/// Four tumbling bricks that meet in the middle, far from any support.
fn collision(friction: f64, restitution: f64) -> Scene {
    let directions = [[1.0, 0.1, 0.0], [-1.0, 0.0, 0.1], [0.0, 1.0, -0.1], [0.1, 0.0, 1.0]];
    let bricks = directions.into_iter().enumerate().map(|(i, d)| {
        let d = Vec3::from(d);
        let spin = Vec3::new(0.7, -0.4, 0.9) * (1.0 + i as f64);
        BodySpec {
            pose: Pose::new(1.5 * d, rotation_vector::exp(&(0.3 * spin))),
            linear_velocity: -2.0 * d,
            angular_velocity: spin,
            friction: Friction::uniform(friction),
            restitution,
            ..cuboid(&format!("brick {i}"), [0.5, 0.8, 1.1], [0.0; 3])
        }
    });
    Scene { gravity: Vec3::zeros(), ..scene(bricks.collect()) }
}

#[test]
fn free_collisions_conserve_momentum() {
    for (friction, restitution) in [(0.0, 1.0), (0.0, 0.0), (0.5, 0.5)] {
        let scene = collision(friction, restitution);
        let run = record(&scene, Config::default(), 1e-2, 150);
        let touched = run.reports.iter().any(|r| !r.contacts.is_empty());
        assert!(touched, "nothing met");
        let (p0, l0, e0) = momenta(&scene, &run.trajectory.frames[0]);
        let scale = scene.bodies[0].mass * 2.0;
        for frame in &run.trajectory.frames {
            let (p, l, e) = momenta(&scene, frame);
            assert!(
                (p - p0).norm() < 1e-10 * scale,
                "μ {friction}, e {restitution}: linear {}",
                (p - p0).norm() / scale
            );
            assert!(
                (l - l0).norm() < 1e-10 * scale,
                "μ {friction}, e {restitution}: angular {}",
                (l - l0).norm() / scale
            );
            assert!(e < e0 * 1.02, "μ {friction}, e {restitution}: energy {e} of {e0}");
        }
    }
}

/// One substep of `pbd` per step, 2 rad and half a turn, about the axis of the largest moment; and a body on an axle, of which the
/// largest moment is not the one that it turns about.
#[test]
fn fast_free_bodies_keep_energy_and_momentum_in_one_substep() {
    let block =
        |omega: Vec3| BodySpec { angular_velocity: omega, ..cuboid("block", [0.4, 0.05, 0.1], [0.0; 3]) };
    for rate in [50.0, 200.0, 314.0, 2.0e4] {
        let scene = Scene { gravity: Vec3::zeros(), ..scene(vec![block(Vec3::new(0.1, rate, 0.2))]) };
        let mut method = rigor_xpbd::pbd::Pbd::new(Default::default(), Clock::default()).unwrap();
        let run = Run::record(&scene, &mut method, 1e-2, 100);
        let (_, l0, e0) = momenta(&scene, &run.trajectory.frames[0]);
        for frame in &run.trajectory.frames {
            let (_, l, e) = momenta(&scene, frame);
            assert!((l - l0).norm() < 1e-11 * l0.norm(), "{rate} rad/s: {}", (l - l0).norm() / l0.norm());
            assert!((e / e0 - 1.0).abs() < 1e-11, "{rate} rad/s: energy × {}", e / e0);
        }
    }
    let mut axle = block(Vec3::new(0.0, 0.0, 300.0));
    axle.pose.rotation = rotation_vector::exp(&Vec3::new(0.3, 0.2, 0.1));
    axle.fixed.rotation = [true, true, false];
    let scene = Scene { gravity: Vec3::zeros(), ..scene(vec![axle]) };
    let mut method = rigor_xpbd::pbd::Pbd::new(Default::default(), Clock::default()).unwrap();
    let end = Run::record(&scene, &mut method, 1e-2, 100).last().bodies[0];
    assert!((end.angular_velocity - 300.0 * Vec3::z()).norm() < 1e-9, "{}", end.angular_velocity);
}

#[test]
fn dzhanibekov_box_keeps_its_energy_for_a_minute() {
    let spin = BodySpec {
        angular_velocity: Vec3::new(0.001, 5.0, 0.002),
        ..cuboid("box", [0.3, 0.2, 0.1], [0.0; 3])
    };
    let scene = Scene { gravity: Vec3::zeros(), ..scene(vec![spin]) };
    let run = record(&scene, Config::default(), 1e-2, 6000);
    let (_, l0, e0) = momenta(&scene, &run.trajectory.frames[0]);
    let flips = run.trajectory.frames.windows(2).filter(|w| {
        let along =
            |s: &State| s.bodies[0].pose.rotation.inverse_transform_vector(&s.bodies[0].angular_velocity).y;
        along(&w[0]).signum() != along(&w[1]).signum()
    });
    assert!(flips.count() > 3, "the box turns over again and again");
    for frame in &run.trajectory.frames {
        let (_, l, e) = momenta(&scene, frame);
        assert!((e / e0 - 1.0).abs() < 1e-5, "energy off by {}", e / e0 - 1.0);
        assert!(
            (l - l0).norm() < 1e-10 * l0.norm(),
            "angular momentum off by {}",
            (l - l0).norm() / l0.norm()
        );
    }
}

fn pile() -> Scene {
    let mut bodies = vec![floor(0.5)];
    for i in 0..30 {
        let x = f64::from(i % 3) * 0.7 - 0.7 + 0.01 * f64::from(i);
        let pose = Pose::new(
            Vec3::new(x, 0.8 + 0.9 * f64::from(i / 3), 0.02 * f64::from(i)),
            rotation_vector::exp(&Vec3::new(0.1, 0.2, 0.3)),
        );
        bodies.push(BodySpec {
            pose,
            friction: Friction::uniform(0.5),
            restitution: 0.2,
            ..cuboid(&format!("box {i}"), [0.6; 3], [0.0; 3])
        });
    }
    scene(bodies)
}

#[test]
fn result_does_not_depend_on_threads_and_repeats() {
    let scene = pile();
    let run = |threads: usize| -> Run {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| record(&scene, Config { substeps: 5, ..Config::default() }, 1e-2, 150))
    };
    let one = run(1);
    assert!(one.trajectory == run(1).trajectory && one.trajectory == run(2).trajectory);
}

/// Layers of boxes, each box above four of the layer below, that fall on each other.
fn bricks(side: i32, levels: i32, restitution: f64) -> Scene {
    let mut bodies = vec![floor(0.5)];
    for (level, i, j) in (0..levels).flat_map(|l| (0..side * side).map(move |k| (l, k % side, k / side))) {
        let shift = 0.25 * f64::from(level % 2) - 0.3 * f64::from(side);
        let place = [0.6 * f64::from(i) + shift, 0.27 + 0.52 * f64::from(level), 0.6 * f64::from(j) + shift];
        let name = format!("box {level} {i} {j}");
        let brick = cuboid(&name, [0.5; 3], place);
        bodies.push(BodySpec { friction: Friction::uniform(0.5), restitution, ..brick });
    }
    scene(bodies)
}

#[test]
fn hundreds_of_pairs_have_the_same_bits_on_any_number_of_threads() {
    let settings = [
        (Solver::GaussSeidel, ContactSolver::Block, 0.0),
        (Solver::Symmetric, ContactSolver::Block, 0.4),
        (Solver::GaussSeidel, ContactSolver::Sequential, 0.4),
    ];
    for (solver, contacts, restitution) in settings {
        let scene = bricks(8, 3, restitution);
        let config = Config { substeps: 3, iterations: 2, solver, contacts, ..Config::default() };
        let run = |threads: usize| -> Run {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| record(&scene, config.clone(), 1e-2, 20))
        };
        let one = run(1);
        let touching = one.reports.last().unwrap().contacts.iter().map(|c| (c.body_a, c.body_b));
        let n_pairs = touching.collect::<std::collections::BTreeSet<_>>().len();
        // More than are solved in parallel.
        assert!(n_pairs > 300, "{n_pairs} pairs touch");
        for threads in [2, 3] {
            let many = run(threads);
            assert!(one.trajectory == many.trajectory, "{solver:?}, {contacts:?}, {threads} threads");
            assert!(one.last().memory == many.last().memory && one.reports == many.reports);
        }
    }
}

#[test]
fn solvers_keep_momentum_and_their_bits_on_any_number_of_threads() {
    let free = collision(0.5, 0.2);
    let pile = pile();
    for solver in [Solver::Symmetric, Solver::Coloured, Solver::RedBlack, Solver::Jacobi] {
        let config = Config { substeps: 5, iterations: 3, solver, ..Config::default() };
        // Overlap that few Jacobi sweeps leave is removed from poses only, which changes x × m v.
        let met = record(&free, Config { iterations: 50, ..config.clone() }, 1e-2, 150);
        let [(p0, l0, _), (p, l, _)] = [&met.trajectory.frames[0], met.last()].map(|s| momenta(&free, s));
        let scale = 2.0 * free.bodies[0].mass;
        assert!((p - p0).norm() < 1e-10 * scale && (l - l0).norm() < 1e-10 * scale, "{solver:?}");
        let run = |threads: usize| -> Run {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| record(&pile, config.clone(), 1e-2, 100))
        };
        let one = run(1);
        assert!(one.trajectory == run(4).trajectory, "{solver:?}");
        let lowest =
            one.last().bodies.iter().skip(1).map(|b| b.pose.position.y).fold(f64::INFINITY, f64::min);
        assert!(lowest > 0.25, "{solver:?}: a box of 0.6 m has its middle at {lowest} m");
    }
}

#[test]
fn split_run_is_the_whole_run() {
    struct Ignore;
    impl rigor_scene::Observer for Ignore {
        fn step(&mut self, _: &Scene, _: &State, _: &rigor_scene::StepReport) -> std::ops::ControlFlow<()> {
            std::ops::ControlFlow::Continue(())
        }
    }
    let scene = pile();
    let whole = record(&scene, Config::default(), 1e-2, 120);
    let mut state = whole.trajectory.frames[60].clone();
    let outcome = roll_out(&scene, &mut xpbd(Config::default()), &mut state, 1e-2, 120, &mut Ignore);
    assert_eq!(outcome, rigor_scene::Outcome::Completed);
    assert_eq!(&state, whole.last());
}

#[test]
fn stepping_on_nonsense_is_an_error_and_leaves_the_state() {
    let scene = pile();
    let mut state = State::initial(&scene);
    state.bodies[3].linear_velocity.x = f64::INFINITY;
    let before = state.clone();
    let error =
        rigor_scene::Method::step(&mut xpbd(Config::default()), &scene, &mut state, 1e-2).unwrap_err();
    assert!(error.to_string().contains("box 2"), "{error}");
    assert_eq!(state, before);
    for contacts in [ContactSolver::Block, ContactSolver::Sequential] {
        assert!(Config { contacts, substeps: 0, ..Config::default() }.validate().is_err());
    }
}

//! Joints in any order, colour by colour, and all at once.

use rigor_math::{Pose, Vec3};
use rigor_scene::{JointKind, Run, Scene, State};
use rigor_xpbd::{Config, Order, Solver};

use super::{about_z, joint, weighing, with};
use crate::scenes::{cuboid, record, scene};

/// A net of n × n bricks, each joined to its neighbours by balls, hinges and compliant welds in turn, with
/// one corner held.
fn net(n: usize) -> Scene {
    let at = |k: usize| Vec3::new((k / n) as f64, 0.1 * (k * k % 3) as f64, (k % n) as f64);
    let brick = |k: usize| {
        weighing(1.0 + (k % 4) as f64, cuboid(&format!("brick {k}"), [0.7, 0.3, 0.5], at(k).into()))
    };
    let bodies = scene((0..n * n).map(brick).collect());
    let beside = |k: usize| [(k % n + 1 < n).then_some(k + 1), (k / n + 1 < n).then_some(k + n)];
    let kind = |k: usize| [JointKind::BALL, JointKind::HINGE, JointKind::Fixed][k % 3].clone();
    let mut joints = vec![joint(&bodies, JointKind::BALL, 0, None, Pose::translation(at(0)))];
    for (a, b) in (0..n * n).flat_map(|k| beside(k).into_iter().flatten().map(move |b| (k, b))) {
        let frame = Pose::new(0.5 * (at(a) + at(b)), about_z());
        let mut joint = joint(&bodies, kind(a + b), a, Some(b), frame);
        (joint.compliance, joint.angular_compliance) = (1e-6, 1e-4);
        joints.push(joint);
    }
    with(bodies, joints)
}

fn config(solver: Solver, iterations: u32) -> Config {
    Config { substeps: 4, iterations, solver, ..Config::default() }
}

/// Solving order of the joints of `scene` if each takes the smallest colour that is free at its bodies.
fn by_colour(scene: &Scene) -> Vec<usize> {
    let mut colours: Vec<usize> = Vec::new();
    for (i, joint) in scene.joints.iter().enumerate() {
        let touches = |other: &rigor_scene::Joint| {
            let ends = [Some(other.body_a), other.body_b];
            ends.into_iter().flatten().any(|end| end == joint.body_a || Some(end) == joint.body_b)
        };
        let taken: Vec<usize> = (0..i).filter(|&j| touches(&scene.joints[j])).map(|j| colours[j]).collect();
        colours.push((0..).find(|colour| !taken.contains(colour)).expect("there is always another"));
    }
    let mut order: Vec<usize> = (0..scene.joints.len()).collect();
    order.sort_by_key(|&i| colours[i]);
    order
}

fn apart(a: &State, b: &State) -> f64 {
    let each = a.bodies.iter().zip(&b.bodies);
    each.map(|(a, b)| (a.pose.position - b.pose.position).norm()).fold(0.0, f64::max)
}

#[test]
fn coloured_is_to_the_bit_one_after_the_other_in_the_order_of_colours() {
    let scene = net(5);
    let mut sorted = scene.clone();
    sorted.joints = by_colour(&scene).into_iter().map(|i| scene.joints[i].clone()).collect();
    let coloured = record(&scene, config(Solver::Coloured, 3), 1e-2, 20);
    let in_order = record(&sorted, config(Solver::GaussSeidel, 3), 1e-2, 20);
    assert!(
        coloured.last().bodies == in_order.last().bodies,
        "{} m",
        apart(coloured.last(), in_order.last())
    );
    let given = record(&scene, config(Solver::GaussSeidel, 3), 1e-2, 20);
    assert!(apart(coloured.last(), given.last()) > 1e-9, "the order must matter, or the test is void");
    // A brick has up to four neighbours.
    assert_eq!(coloured.reports[0].quantity("colours"), Some(4.0));
}

#[test]
fn bits_of_joints_do_not_depend_on_the_number_of_threads() {
    let scene = net(12);
    for solver in [Solver::Coloured, Solver::RedBlack, Solver::Jacobi] {
        let run = |threads: usize| -> Run {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| record(&scene, config(solver, 2), 1e-2, 5))
        };
        let one = run(1);
        assert!([2, 4].into_iter().all(|threads| run(threads).trajectory == one.trajectory), "{solver:?}");
    }
}

#[test]
fn every_solver_keeps_both_momenta_of_joined_bodies() {
    let mut scene = Scene { gravity: Vec3::zeros(), ..net(3) };
    scene.joints.remove(0);
    for (k, body) in scene.bodies.iter_mut().enumerate() {
        body.initial.linear_velocity = Vec3::new(0.3 * k as f64, 1.0, -0.2 * (k * k % 5) as f64);
        body.initial.angular_velocity = Vec3::new(1.0, -0.5 * k as f64, 2.0);
    }
    let momenta = |state: &State| {
        let each = scene.bodies.iter().zip(&state.bodies);
        each.fold((Vec3::zeros(), Vec3::zeros()), |(p, l), (body, s)| {
            let momentum = body.mass * s.linear_velocity;
            let spin = body.inertia_world(&s.pose) * s.angular_velocity;
            (p + momentum, l + s.pose.position.cross(&momentum) + spin)
        })
    };
    for solver in [Solver::Symmetric, Solver::Coloured, Solver::Jacobi] {
        let run = record(&scene, config(solver, 5), 1e-2, 100);
        let ((p0, l0), (p, l)) = (momenta(&run.trajectory.frames[0]), momenta(run.last()));
        assert!((p - p0).norm() < 1e-12 * p0.norm() && (l - l0).norm() < 1e-12 * l0.norm(), "{solver:?}");
    }
}

/// Many sweeps converge to the same result whatever the order and the solver; few sweeps do not, except for
/// Jacobi.
#[test]
fn order_matters_less_with_every_sweep_and_never_to_jacobi() {
    let scene = net(3);
    let run = |solver: Solver, order: Order, iterations: u32| {
        record(&scene, Config { order, ..config(solver, iterations) }, 1e-2, 2)
    };
    let spread = |solver: Solver, iterations: u32| {
        let given = run(solver, Order::Given, iterations);
        let others = [Order::Reversed, Order::Shuffled(1), Order::Shuffled(2)];
        let far = others.map(|order| apart(run(solver, order, iterations).last(), given.last()));
        far.into_iter().fold(0.0, f64::max)
    };
    for solver in [Solver::GaussSeidel, Solver::Symmetric, Solver::Coloured] {
        let (few, many) = (spread(solver, 2), spread(solver, 400));
        println!("{solver:?}: {few:e} m with 2 sweeps, {many:e} m with 400");
        assert!(few > 1e-7 && many < 1e-3 * few, "{solver:?}: {few} and {many} m");
    }
    assert!(spread(Solver::Jacobi, 2) == 0.0);
    let (jacobi, others) =
        (run(Solver::Jacobi, Order::Given, 2000), run(Solver::GaussSeidel, Order::Given, 400));
    assert!(apart(jacobi.last(), others.last()) < 1e-7, "{}", apart(jacobi.last(), others.last()));
}

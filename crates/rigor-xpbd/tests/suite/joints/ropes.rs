//! Threads between bodies in trees solved at once: distance joints, which pull only when taut.

use rigor_math::{Pose, Vec3};
use rigor_scene::{BodySpec, Joint, JointKind, Run, Scene, State};
use rigor_xpbd::{Config, JointSolver};

use super::{G, about_z, joint, weighing, with};
use crate::scenes::{cuboid, record, scene};

fn direct(substeps: u32, iterations: u32) -> Config {
    Config { substeps, iterations, joints: JointSolver::Direct, ..Config::default() }
}

fn sweeps(substeps: u32, iterations: u32) -> Config {
    Config { joints: JointSolver::Sweep, ..direct(substeps, iterations) }
}

/// A thread of this length between the centres of `a` and `b`, or the origin of the world.
fn thread(a: usize, b: Option<usize>, min: f64, max: f64) -> Joint {
    let kind = JointKind::distance(min, max);
    let ends = (rigor_scene::BodyId(a), Pose::identity());
    Joint::new("thread", kind, ends, (b.map(rigor_scene::BodyId), Pose::identity()))
}

fn bead(i: usize, position: Vec3, velocity: Vec3) -> BodySpec {
    let bead = cuboid(&format!("bead {i}"), [0.02; 3], position.into());
    BodySpec { linear_velocity: velocity, ..weighing(1.0 + 0.5 * i as f64, bead) }
}

/// Beads at these positions with these velocities, each on a thread of 0.1 m from the previous one, the first
/// from the world's origin.
fn rope(beads: impl Iterator<Item = (Vec3, Vec3)>) -> Scene {
    let bodies = scene(beads.enumerate().map(|(i, (x, v))| bead(i, x, v)).collect());
    let threads = (0..bodies.bodies.len()).map(|i| thread(i, i.checked_sub(1), 0.0, 0.1)).collect();
    with(bodies, threads)
}

fn hanging(n: usize, velocity: Vec3) -> Scene {
    rope((1..=n).map(|i| (-0.1 * i as f64 * Vec3::y(), velocity)))
}

/// A crumpled rope whose beads fly about.
fn crumpled(n: usize) -> Scene {
    let noise = |k: usize| ((k * k * 31 + k * 17) % 23) as f64 / 11.0 - 1.0;
    let about = |k: usize| Vec3::new(noise(k), noise(k + 7), noise(k + 13));
    rope((1..=n).map(|i| (0.05 * i as f64 * Vec3::x() + 0.012 * about(i), 3.0 * about(5 * i))))
}

/// Maximum distance (m) between positions of bodies.
fn apart(a: &State, b: &State) -> f64 {
    let pairs = a.bodies.iter().zip(&b.bodies);
    pairs.map(|(a, b)| (a.pose.position - b.pose.position).norm()).fold(0.0, f64::max)
}

/// Maximum excess or shortfall (m) of a thread after a step.
fn worst(run: &Run) -> f64 {
    run.reports.iter().flat_map(|report| &report.joints).map(|joint| joint.position_error).fold(0.0, f64::max)
}

#[test]
fn a_thread_of_a_hanging_rope_bears_the_weight_below() {
    let scene = hanging(50, Vec3::zeros());
    let run = record(&scene, direct(10, 1), 0.01, 20);
    assert!(worst(&run) < 1e-13, "{}", worst(&run));
    let last = run.reports.last().unwrap();
    for (i, joint) in last.joints.iter().enumerate() {
        let weight = G * scene.bodies[i..].iter().map(|body| body.mass).sum::<f64>();
        assert!((joint.force_world - weight * Vec3::y()).norm() < 1e-9 * weight, "thread {i}: {joint:?}");
    }
    let swept = record(&scene, sweeps(10, 1), 0.01, 20);
    assert!(worst(&swept) > 1e-3, "{}", worst(&swept));
}

#[test]
fn a_rope_thrown_upwards_flies_freely_until_it_is_taut_again() {
    let thrown = hanging(10, 0.5 * Vec3::y());
    let run = record(&thrown, direct(10, 1), 0.01, 50);
    for (frame, report) in run.trajectory.frames.iter().zip(&run.reports).take(9).skip(1) {
        // x ← x + h v after v ← v − h g: a fall of t (t + h)/2.
        let (t, h) = (frame.time, 1e-3);
        let rise = 0.5 * t - 0.5 * G * t * (t + h);
        for (body, start) in frame.bodies.iter().zip(&run.trajectory.frames[0].bodies) {
            assert!((body.pose.position.y - start.pose.position.y - rise).abs() < 1e-13, "{t} s");
        }
        assert!(report.joints.iter().all(|joint| joint.force_world.norm() < 1e-8), "{report:?}");
    }
    // The rope is down again after 0.1 s, at 0.5 m/s, which the threads absorb.
    let hung = run.last();
    assert!(worst(&run) < 1e-9, "{}", worst(&run));
    assert!(apart(hung, &run.trajectory.frames[0]) < 1e-9, "{}", apart(hung, &run.trajectory.frames[0]));
}

/// With one substep per step, a report gives λ/h² of that substep, and frames are its start and end.
#[test]
fn threads_pull_where_they_are_taut_and_nothing_else_moves_beads() {
    let (scene, h) = (crumpled(30), 2e-3);
    let run = record(&scene, direct(1, 6), h, 200);
    let mut n_pulling = 0;
    for (frames, report) in run.trajectory.frames.windows(2).zip(&run.reports) {
        let place =
            |frame: &State, i: Option<usize>| i.map_or(Vec3::zeros(), |i| frame.bodies[i].pose.position);
        for (i, joint) in report.joints.iter().enumerate() {
            let gap = |frame: &State| place(frame, Some(i)) - place(frame, i.checked_sub(1));
            let [before, now] = [0, 1].map(|k| gap(&frames[k]));
            assert!(now.norm() < 0.1 + 1e-12, "{} m at {i} in step {}", now.norm(), frames[1].step);
            if joint.force_world != Vec3::zeros() {
                n_pulling += 1;
                assert!(now.norm() > 0.1 - 1e-12 && joint.force_world.dot(&before) < 0.0, "{i}: {joint:?}");
            }
        }
        for (i, body) in scene.bodies.iter().enumerate() {
            let other = report.joints.get(i + 1).map_or(Vec3::zeros(), |joint| joint.force_world);
            let a = scene.gravity + (report.joints[i].force_world - other) / body.mass;
            let before = &frames[0].bodies[i];
            let expected = before.pose.position + h * (before.linear_velocity + h * a);
            let missed = place(&frames[1], Some(i)) - expected;
            assert!(missed.norm() < 1e-13, "{i}: {missed}");
        }
    }
    assert!((1000..5000).contains(&n_pulling), "{n_pulling} of 6000");
}

#[test]
fn a_row_of_rods_is_pushed_as_one_body() {
    // The first runs against three others: rods between them are at their minimum length.
    let beads =
        (0..4).map(|i| bead(i, -0.1 * i as f64 * Vec3::x(), if i == 3 { Vec3::x() } else { Vec3::zeros() }));
    let mut bodies = scene(beads.collect());
    bodies.gravity = Vec3::zeros();
    let rods = (1..4).map(|i| thread(i, Some(i - 1), 0.1, 0.2)).collect();
    let run = record(&with(bodies, rods), direct(3, 1), 0.01, 10);
    // 2.5 of 1 + 1.5 + 2 + 2.5 kg.
    for body in &run.last().bodies {
        assert!((body.linear_velocity - 2.5 / 7.0 * Vec3::x()).norm() < 1e-13, "{}", body.linear_velocity);
    }
    assert!(worst(&run) < 1e-14, "{}", worst(&run));
    let later = run.reports[5..].iter().flat_map(|report| &report.joints);
    // Rounding of 0.3 m, over h², times some kilograms.
    later.for_each(|joint| assert!(joint.force_world.norm() < 1e-8, "{joint:?}"));
}

#[test]
fn a_tree_of_threads_and_other_joints_moves_as_by_many_sweeps() {
    let at = |i: usize| Vec3::new(0.5 * i as f64, 0.1 * (i % 2) as f64, 0.0);
    let twigs =
        (0..8).map(|i| weighing(1.0 + i as f64, cuboid(&format!("twig {i}"), [0.3, 0.1, 0.2], at(i).into())));
    let bodies = scene(twigs.collect());
    let kinds =
        [JointKind::BALL, JointKind::distance(0.2, 0.2), JointKind::HINGE, JointKind::distance(0.3, 0.3)];
    let parents = [None, Some(0), Some(1), Some(2), Some(1), Some(4), Some(0), Some(6)];
    let mut joints: Vec<Joint> = Vec::new();
    for (i, parent) in parents.into_iter().enumerate() {
        let frame = Pose::new(at(i) - 0.2 * Vec3::x(), about_z());
        let mut joint = joint(&bodies, kinds[i % 4].clone(), i, parent, frame);
        if let JointKind::Distance { max, .. } = joint.kind {
            joint.frame_b.position += joint.frame_b.rotation * Vec3::new(0.0, max, 0.0);
        }
        joints.push(joint);
    }
    joints[5].compliance = 1e-4;
    let scene = with(bodies, joints);
    let [once, often] = [direct(10, 1), sweeps(10, 1000)].map(|config| record(&scene, config, 0.01, 5));
    assert!(apart(once.last(), often.last()) < 1e-7, "{}", apart(once.last(), often.last()));
    let force = |run: &Run, i: usize| run.reports[4].joints[i].force_world;
    for i in 0..8 {
        let (once, often) = (force(&once, i), force(&often, i));
        assert!((once - often).norm() < 1e-4 * often.norm().max(1.0), "{i}: {once} {often}");
    }
}

#[test]
fn a_free_rope_keeps_its_momenta() {
    let mut scene = crumpled(20);
    scene.gravity = Vec3::zeros();
    scene.joints.remove(0);
    // Slow enough that the small beads do not rotate by half a radian in a substep.
    scene.bodies.iter_mut().for_each(|body| body.initial.linear_velocity *= 0.2);
    // Threads attached off-centre rotate their beads.
    scene.joints.iter_mut().for_each(|joint| joint.frame_a.position = Vec3::new(0.01, -0.004, 0.002));
    let momenta = |state: &State| {
        scene.bodies.iter().zip(&state.bodies).fold(
            (Vec3::zeros(), Vec3::zeros()),
            |(p, l), (body, state)| {
                let along = body.mass * state.linear_velocity;
                let spin = rigor_math::inertia::angular_momentum(
                    &body.inertia,
                    &state.pose.rotation,
                    &state.angular_velocity,
                );
                (p + along, l + state.pose.position.cross(&along) + spin)
            },
        )
    };
    let run = record(&scene, direct(20, 1), 0.005, 100);
    let (p, l) = momenta(&run.trajectory.frames[0]);
    assert!(
        run.reports.iter().flat_map(|report| &report.joints).any(|joint| joint.force_world.norm() > 10.0)
    );
    for frame in &run.trajectory.frames {
        let (p_now, l_now) = momenta(frame);
        // Some 100 kg m/s and kg m²/s, rounded 2000 times.
        assert!((p_now - p).norm() < 1e-11 && (l_now - l).norm() < 1e-11, "{} {}", p_now - p, l_now - l);
    }
}

#[test]
fn a_rope_that_is_torn_straight_bead_after_bead_is_kept_together() {
    // A shot pulls sixty slack threads taut, of which a solve finds one per pass.
    let beads = (0..60)
        .map(|i| (0.09 * f64::from(i) * Vec3::x(), if i == 59 { 2e3 * Vec3::x() } else { Vec3::zeros() }));
    let mut scene = rope(beads);
    scene.gravity = Vec3::zeros();
    scene.joints.remove(0);
    scene.bodies[59].mass = 1e4;
    let momentum = |state: &State| -> Vec3 {
        scene.bodies.iter().zip(&state.bodies).map(|(body, state)| body.mass * state.linear_velocity).sum()
    };
    let run = record(&scene, direct(1, 1), 1e-3, 100);
    for frame in &run.trajectory.frames {
        assert!((momentum(frame) - 2e7 * Vec3::x()).norm() < 1e-6, "{}", momentum(frame));
    }
    let last = &run.reports[99].joints;
    assert!(last.iter().all(|joint| joint.position_error < 1e-9), "{last:?}");
}

#[test]
fn a_net_is_swept() {
    let place = |i: usize, j: usize| 0.1 * Vec3::new(i as f64, 0.0, j as f64);
    let bodies = scene((0..9).map(|k| bead(k, place(k / 3, k % 3), Vec3::zeros())).collect());
    let mut threads = vec![thread(0, None, 0.0, 0.1)];
    for k in 0..9 {
        threads.extend((k % 3 > 0).then(|| thread(k, Some(k - 1), 0.0, 0.1)));
        threads.extend((k > 2).then(|| thread(k, Some(k - 3), 0.0, 0.1)));
    }
    let net = with(bodies, threads);
    let balanced = Config { joints: JointSolver::Balanced, ..direct(10, 2) };
    let [at_once, swept] = [direct(10, 2), balanced].map(|config| record(&net, config, 0.01, 30));
    assert_eq!(at_once.trajectory, swept.trajectory);
}

#[test]
fn the_same_bits_on_any_number_of_threads_and_when_resumed() {
    let scene = crumpled(40);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| record(&scene, direct(5, 1), 0.01, 40))
    };
    let whole = run(1);
    assert_eq!(run(2).trajectory, whole.trajectory);
    let halfway = &whole.trajectory.frames[20];
    let mut state = halfway.clone();
    let mut method = crate::scenes::xpbd(direct(5, 1));
    for _ in 20..40 {
        rigor_scene::Method::step(&mut method, &scene, &mut state, 0.01).unwrap();
    }
    assert_eq!(state.bodies, whole.last().bodies);
}

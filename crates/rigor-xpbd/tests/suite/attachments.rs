//! Particles attached to bodies: both feel the attachment.

use crate::scenes::{self, cuboid};
use crate::strands::{self, distance, pinned, record};
use rigor_math::{Vec3, inertia};
use rigor_scene::{Attachment, BodyId, BodySpec, Particle, ParticleId, Role, Scene, State};
use rigor_xpbd::{Config, Integrator, Order, Solver};

fn attachment(particle: usize, body: usize, point: [f64; 3], compliance: f64) -> Attachment {
    Attachment {
        particle: ParticleId(particle),
        body: BodyId(body),
        point_local: Vec3::from(point),
        compliance,
    }
}

/// Linear and angular momentum of bodies and particles.
fn momenta(scene: &Scene, state: &State) -> (Vec3, Vec3) {
    let (mut linear, mut angular) = strands::momenta(scene, state);
    for (body, s) in scene.bodies.iter().zip(&state.bodies) {
        let momentum = body.mass * s.linear_velocity;
        linear += momentum;
        angular += s.pose.position.cross(&momentum)
            + inertia::angular_momentum(&body.inertia, &s.pose.rotation, &s.angular_velocity);
    }
    (linear, angular)
}

/// A spinning brick with a heavy particle on one of its corners.
fn brick(compliance: f64) -> Scene {
    let brick = BodySpec {
        angular_velocity: Vec3::new(1.0, 3.0, -2.0),
        linear_velocity: Vec3::new(0.3, 0.0, 0.1),
        ..cuboid("brick", [0.4, 0.2, 0.3], [0.0; 3])
    };
    let mut scene = Scene { gravity: Vec3::zeros(), ..scenes::scene(vec![brick]) };
    let corner = Vec3::new(0.2, 0.1, 0.15);
    let body = &scene.bodies[0];
    let at = body.initial.pose.point(&corner);
    let velocity = body.initial.velocity_at(&at);
    scene.particles = vec![Particle { velocity, ..Particle::new(5.0, at) }];
    scene.attachments = vec![attachment(0, 0, corner.into(), compliance)];
    scene
}

#[test]
fn attached_particle_and_body_keep_their_momenta() {
    for compliance in [0.0, 1e-5] {
        let scene = brick(compliance);
        let run = record(&scene, Config { iterations: 3, ..Config::default() }, 1e-2, 100);
        let (p0, l0) = momenta(&scene, &run.trajectory.frames[0]);
        for frame in &run.trajectory.frames {
            let (p, l) = momenta(&scene, frame);
            assert!((p - p0).norm() < 1e-10 && (l - l0).norm() < 1e-10, "{} {}", p - p0, l - l0);
        }
    }
}

#[test]
fn attached_particle_stays_on_its_point() {
    let scene = brick(0.0);
    let run = record(&scene, Config { substeps: 100, ..Config::default() }, 1e-2, 100);
    let point = scene.attachments[0].point_local;
    let gap = |s: &State| (s.particles[0].position - s.bodies[0].pose.point(&point)).norm();
    let worst = run.trajectory.frames.iter().map(gap).fold(0.0, f64::max);
    assert!(worst < 1e-6, "{worst} m apart");
}

/// A body of 2 kg hangs on a string of three particles of 1 kg; each bond and the attachment have α = 0.001
/// m/N.
#[test]
fn body_hangs_on_its_string_at_the_length_of_the_springs() {
    let weight =
        BodySpec { weight: rigor_scene::Weight::Mass(2.0), ..cuboid("weight", [0.2; 3], [0.0, -3.1, 0.0]) };
    let mut scene = Scene { gravity: Vec3::new(0.0, -10.0, 0.0), ..scenes::scene(vec![weight]) };
    scene.particles = (0..4).map(|i| Particle::new(1.0, Vec3::new(0.0, -f64::from(i), 0.0))).collect();
    scene.particles[0] = pinned(Vec3::zeros());
    scene.bonds = (1..4).map(|i| distance(i - 1, i, 1.0, 1e-3)).collect();
    scene.attachments = vec![attachment(3, 0, [0.0, 0.1, 0.0], 1e-3)];
    let run = record(&scene, Config { substeps: 1, iterations: 200, ..Config::default() }, 1e-2, 3000);
    let last = run.last();
    let lengths: Vec<f64> =
        last.particles.windows(2).map(|p| (p[0].position - p[1].position).norm() - 1.0).collect();
    let stretched = last.particles[3].position.y - last.bodies[0].pose.position.y - 0.1;
    for (found, expected) in lengths.into_iter().chain([stretched]).zip([0.05, 0.04, 0.03, 0.02]) {
        assert!((found - expected).abs() < 1e-6, "{found} instead of {expected} m");
    }
}

#[test]
fn particle_on_a_static_body_is_held_like_a_pinned_one() {
    let wall = BodySpec { role: Role::Static, ..cuboid("wall", [1.0; 3], [0.0; 3]) };
    let mut scene = Scene { gravity: Vec3::new(0.0, -10.0, 0.0), ..scenes::scene(vec![wall]) };
    scene.particles = vec![Particle::new(1.0, Vec3::new(0.0, -0.5, 0.0))];
    scene.attachments = vec![attachment(0, 0, [0.0, -0.5, 0.0], 0.0)];
    let run = record(&scene, Config::default(), 1e-2, 100);
    assert!((run.last().particles[0].position - Vec3::new(0.0, -0.5, 0.0)).norm() < 1e-15);
}

/// x = v₀ t + ½ g t², v = v₀ + g t after `steps` of 10 ms.
fn fall(integrator: Integrator, steps: u64) -> (f64, f64) {
    let scene = Scene {
        gravity: Vec3::new(0.0, -10.0, 0.0),
        particles: vec![Particle { velocity: Vec3::y() * 3.0, ..Particle::new(1.0, Vec3::zeros()) }],
        ..Scene::default()
    };
    let config = Config { substeps: 2, integrator, ..Config::default() };
    let run = record(&scene, config, 1e-2, steps);
    let (t, last) = (1e-2 * steps as f64, run.last().particles[0]);
    (last.position.y - (3.0 * t - 5.0 * t * t), last.velocity.y - (3.0 - 10.0 * t))
}

#[test]
fn verlet_positions_are_exact_under_gravity_and_velocity_verlet_velocities_too() {
    let h = 5e-3;
    let (x, v) = fall(Integrator::SymplecticEuler, 100);
    assert!((x + 5.0 * h).abs() < 1e-12 && v.abs() < 1e-12, "symplectic Euler: {x} m, {v} m/s");
    let (x, v) = fall(Integrator::Verlet, 100);
    assert!(x.abs() < 1e-12 && (v - 5.0 * h).abs() < 1e-11, "Verlet: {x} m, {v} m/s");
    let (x, v) = fall(Integrator::VelocityVerlet, 100);
    assert!(x.abs() < 1e-12 && v.abs() < 1e-10, "velocity Verlet: {x} m, {v} m/s");
}

/// A row of n bricks, each tied to the next by a particle between them.
fn row(n: usize) -> Scene {
    let brick = |k: usize| cuboid(&format!("brick {k}"), [0.6, 0.3, 0.4], [k as f64, 0.0, 0.0]);
    let mut scene = scenes::scene((0..n).map(brick).collect());
    for k in 1..n {
        let place = Vec3::new(k as f64 - 0.5, 0.0, 0.2 - 0.1 * (k % 5) as f64);
        scene.particles.push(Particle::new(0.5, place));
        for body in [k - 1, k] {
            let point = scene.bodies[body].initial.pose.inverse().point(&place);
            scene.attachments.push(attachment(k - 1, body, point.into(), 0.0));
        }
    }
    scene.bodies[0].initial.angular_velocity = Vec3::new(0.5, 1.0, 3.0);
    scene
}

const FEW: Config = Config { substeps: 4, iterations: 3, ..Config::DEFAULT };

#[test]
fn coloured_attachments_are_those_in_the_order_of_colours_on_any_number_of_threads() {
    let scene = row(60);
    // Greedy colouring: each attachment in turn gets the smallest colour that is free at its particle and at
    // its body.
    let mut taken: Vec<(Attachment, usize)> = Vec::new();
    for &new in &scene.attachments {
        let meets = |old: &Attachment| old.particle == new.particle || old.body == new.body;
        let used: Vec<usize> = taken.iter().filter(|(old, _)| meets(old)).map(|(_, c)| *c).collect();
        taken.push((new, (0..).find(|colour| !used.contains(colour)).unwrap()));
    }
    taken.sort_by_key(|(_, colour)| *colour);
    let sorted = Scene { attachments: taken.iter().map(|(a, _)| *a).collect(), ..scene.clone() };
    let coloured = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| record(&scene, Config { solver: Solver::Coloured, ..FEW }, 1e-2, 10))
    };
    let one = coloured(1);
    assert!([2, 4].into_iter().all(|threads| coloured(threads).trajectory == one.trajectory));
    assert!(one.trajectory == record(&sorted, FEW, 1e-2, 10).trajectory);
    assert!(one.trajectory != record(&scene, FEW, 1e-2, 10).trajectory);
    let shuffled = record(&scene, Config { order: Order::Shuffled(1), ..FEW }, 1e-2, 10);
    assert!(shuffled.trajectory != record(&scene, FEW, 1e-2, 10).trajectory);
}

#[test]
fn attachments_solved_at_once_keep_both_momenta_and_end_where_others_do() {
    let scene = Scene { gravity: Vec3::zeros(), ..row(6) };
    let jacobi = |iterations| Config { solver: Solver::Jacobi, iterations, ..FEW };
    let run = record(&scene, jacobi(3), 1e-2, 100);
    let [(p0, l0), (p, l)] = [&run.trajectory.frames[0], run.last()].map(|s| momenta(&scene, s));
    assert!(
        (p - p0).norm() < 1e-11 * l0.norm() && (l - l0).norm() < 1e-11 * l0.norm(),
        "{} {}",
        p - p0,
        l - l0
    );

    let mut hung = row(6);
    hung.bodies[0].initial.angular_velocity = Vec3::zeros();
    hung.particles[0].mass = f64::INFINITY;
    let [a, b] =
        [jacobi(2000), Config { iterations: 1000, ..FEW }].map(|config| record(&hung, config, 1e-2, 3));
    let each = a.last().particles.iter().zip(&b.last().particles);
    let apart = each.map(|(a, b)| (a.position - b.position).norm()).fold(0.0, f64::max);
    // Of the 4 mm of fall, Jacobi still has some micrometres to go.
    assert!(apart < 4e-6, "{apart} m");
}

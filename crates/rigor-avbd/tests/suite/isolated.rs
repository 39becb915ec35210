//! Bodies that nothing outside touches.

use rigor_avbd::Config;
use rigor_math::Vec3;
use rigor_scene::{BodySpec, Friction, Scene, State};

use crate::scenes::{Random, cuboid, record, scene};

/// Momentum (kg m/s), over the sum of its parts' sizes.
fn momentum(scene: &Scene, state: &State) -> (Vec3, f64) {
    let parts = scene.bodies.iter().zip(&state.bodies).map(|(body, now)| body.mass * now.linear_velocity);
    parts.fold((Vec3::zeros(), 0.0), |(sum, size), part| (sum + part, size + part.norm()))
}

fn swarm(seed: u64) -> Scene {
    let mut random = Random(seed);
    let bodies = (0..8).map(|i| {
        let corner = Vec3::from_fn(|axis, _| if (i >> axis) & 1 == 0 { -0.4 } else { 0.4 });
        let mut body = cuboid(&format!("box {i}"), [0.4, 0.3, 0.2], [0.0; 3]);
        body.pose.position = corner;
        body.pose.rotation = rigor_math::rotation_vector::exp(&random.vector(2.0));
        body.linear_velocity = -2.0 * corner + random.vector(0.3);
        body.angular_velocity = random.vector(2.0);
        BodySpec { friction: Friction::uniform(0.4), ..body }
    });
    Scene { gravity: Vec3::zeros(), ..scene(bodies.collect()) }
}

#[test]
fn momentum_is_kept_to_the_balance_of_forces() {
    let lost = |seed: u64, iterations: u32| {
        let scene = swarm(seed);
        let run = record(&scene, Config { iterations, ..Config::default() }, 5e-3, 120);
        let (before, size) = momentum(&scene, &run.trajectory.frames[0]);
        (momentum(&scene, run.last()).0 - before).norm() / size
    };
    let mean = |iterations| (0..5).map(|seed| lost(seed, iterations)).sum::<f64>() / 5.0;
    let (few, many) = (mean(10), mean(200));
    // Forces of a contact on its two bodies are opposite; what sweeps leave unbalanced is not.
    assert!(few < 0.05 && many < 2e-4, "{few} with 10 sweeps, {many} with 200");
}

#[test]
fn energy_is_not_made() {
    for seed in 0..20 {
        let scene = swarm(seed);
        let run = record(&scene, Config::default(), 5e-3, 120);
        let energy = |state: &State| {
            let parts = scene.bodies.iter().zip(&state.bodies).map(|(body, now)| {
                let spin = now.pose.inverse_vector(&now.angular_velocity);
                0.5 * body.mass * now.linear_velocity.norm_squared()
                    + 0.5 * spin.dot(&body.inertia.component_mul(&spin))
            });
            parts.sum::<f64>()
        };
        let start = energy(&run.trajectory.frames[0]);
        let most = run.trajectory.frames.iter().map(energy).fold(0.0, f64::max);
        assert!(most < 1.001 * start, "seed {seed}: {most} J of {start} J");
    }
}

#[test]
fn flight_without_contact_is_exact() {
    let mut body = cuboid("box", [0.4, 0.3, 0.2], [0.0; 3]);
    body.linear_velocity = Vec3::new(1.0, 2.0, 3.0);
    body.angular_velocity = Vec3::new(4.0, 5.0, 6.0);
    let scene = scene(vec![body]);
    let run = record(&scene, Config::default(), 1e-2, 100);
    let start = &run.trajectory.frames[0].bodies[0];
    let (due, _) = scene.bodies[0].fly(start, &scene.gravity, 1.0);
    let end = &run.last().bodies[0];
    assert!((end.pose.position - due.pose.position).norm() < 1e-12);
    assert!(end.pose.rotation.angle_to(&due.pose.rotation) < 1e-11);
}

#[test]
fn flight_past_a_wall_is_exact() {
    // It falls beside a wall, near enough that contacts are found, which do not push.
    let wall = cuboid("wall", [1.0, 10.0, 1.0], [-0.5, -4.0, 0.0]);
    let wall = BodySpec { role: rigor_scene::Role::Static, ..wall };
    let mut body = cuboid("box", [0.4; 3], [0.2002, 0.0, 0.0]);
    body.linear_velocity.y = 1.0;
    let scene = scene(vec![wall, body]);
    let run = record(&scene, Config::default(), 1e-2, 50);
    let (due, _) = scene.bodies[1].fly(&run.trajectory.frames[0].bodies[1], &scene.gravity, 0.5);
    let off = (run.last().bodies[1].pose.position - due.pose.position).norm();
    assert!(off < 1e-10, "{off} m");
}

#[test]
fn rounding_is_no_flaw() {
    let mut body = cuboid("box", [0.1, 0.2, 0.5], [0.0; 3]);
    body.angular_velocity = Vec3::new(0.1, 20.0, 0.1);
    let scene = Scene { gravity: Vec3::zeros(), ..scene(vec![body]) };
    let run = record(&scene, Config::default(), 1e-2, 300);
    assert!(run.reports.iter().all(|report| report.flaws.is_empty()));
}

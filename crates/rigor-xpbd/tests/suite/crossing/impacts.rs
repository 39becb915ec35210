//! Impacts with restitution: energy, momentum, symmetry.

use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::{BodySpec, FixedAxes, Run, Scene, Weight};
use rigor_shapes::Icosphere;
use rigor_xpbd::{Config, ContactSolver};

use super::motion;
use crate::scenes::{cuboid, record, scene, shape};

const RADIUS: f64 = 0.1;

/// A ball of 1 kg, as a mesh.
fn ball(i: usize, position: Vec3, velocity: Vec3) -> BodySpec {
    let mesh = Icosphere { radius: RADIUS, subdivisions: 2 }.mesh().expect("a valid ball");
    BodySpec {
        pose: Pose::translation(position),
        linear_velocity: velocity,
        restitution: 1.0,
        weight: Weight::Mass(1.0),
        ..BodySpec::new(format!("ball {i}"), vec![shape(mesh)])
    }
}

/// Balls in free flight, given their positions (m) and velocities (m/s).
fn balls(given: &[(Vec3, Vec3)]) -> Scene {
    let balls = given.iter().enumerate().map(|(i, (x, v))| ball(i, *x, *v));
    Scene { gravity: Vec3::zeros(), ..scene(balls.collect()) }
}

/// Maximum relative gain and loss of kinetic energy over the run, and the change of momentum (kg m/s).
fn changes(scene: &Scene, run: &Run) -> (f64, f64, f64) {
    let (p0, e0) = motion(scene, &run.trajectory.frames[0]);
    run.trajectory.frames.iter().fold((0.0, 0.0, 0.0), |(gain, loss, drift), frame| {
        let (p, e) = motion(scene, frame);
        (f64::max(gain, e / e0 - 1.0), f64::max(loss, 1.0 - e / e0), f64::max(drift, (p - p0).norm()))
    })
}

/// Distance (m) between the centres of two balls that touch along x, where their meshes have edges.
fn width() -> f64 {
    let mesh = Icosphere { radius: RADIUS, subdivisions: 2 }.mesh().expect("a valid ball");
    2.0 * mesh.bounds().max.x
}

#[test]
fn a_row_of_balls_keeps_energy_and_momentum() {
    for gap in [0.0, 1e-3, 0.02] {
        let row = (0..5).map(|i| (Vec3::x() * (width() + gap) * f64::from(i), Vec3::zeros()));
        let first = (Vec3::x() * -(width() + 0.05), Vec3::x());
        let given: Vec<_> = std::iter::once(first).chain(row).collect();
        let scene = balls(&given);
        let run = record(&scene, Config::default(), 1e-2, 60);
        let (gain, loss, drift) = changes(&scene, &run);
        assert!(gain < 1e-9, "gap {gap}: gains {gain}");
        // Impacts lose energy to first order in the substep if the contacts of a pair are slightly uneven.
        assert!(loss < 1e-3, "gap {gap}: loses {loss}");
        assert!(drift < 1e-12, "gap {gap}: momentum changes by {drift}");
    }
}

/// Cubes that cannot rotate meet face to face, so nothing is deflected sideways as with ball meshes.
#[test]
fn a_row_of_cubes_hands_an_impact_on() {
    let cube = |i: usize, x: f64, v: f64| BodySpec {
        restitution: 1.0,
        linear_velocity: Vec3::x() * v,
        fixed: FixedAxes { rotation: [true; 3], ..FixedAxes::default() },
        ..cuboid(&format!("cube {i}"), [0.2; 3], [x, 0.0, 0.0])
    };
    let row = (0..5).map(|i| cube(i + 1, 0.21 * i as f64, 0.0));
    let cubes = std::iter::once(cube(0, -0.25, 1.0)).chain(row).collect();
    let scene = Scene { gravity: Vec3::zeros(), ..scene(cubes) };
    let run = record(&scene, Config::default(), 1e-2, 60);
    let (gain, loss, _) = changes(&scene, &run);
    assert!(gain < 1e-9 && loss < 1e-2, "gains {gain}, loses {loss}");
    let v: Vec<f64> = run.last().bodies.iter().map(|b| b.linear_velocity.x).collect();
    assert!((v[5] - 1.0).abs() < 0.02 && v[0].abs() < 0.02, "{v:?}");
}

#[test]
fn blows_from_both_sides_are_symmetric() {
    let far = width() + 0.05;
    let scene = balls(&[
        (Vec3::x() * -far, Vec3::x()),
        (Vec3::zeros(), Vec3::zeros()),
        (Vec3::x() * far, -Vec3::x()),
    ]);
    let run = record(&scene, Config::default(), 1e-2, 30);
    let (gain, loss, drift) = changes(&scene, &run);
    assert!(gain < 1e-9 && loss < 1e-6 && drift < 1e-12, "gains {gain}, loses {loss}, drifts {drift}");
    let v: Vec<f64> = run.last().bodies.iter().map(|b| b.linear_velocity.x).collect();
    for (found, expected) in v.iter().zip([-1.0, 0.0, 1.0]) {
        assert!((found - expected).abs() < 1e-6, "{v:?}");
    }
}

#[test]
fn a_ball_breaks_two_others_away_evenly() {
    let half = 0.5 * (width() + 1e-6);
    let x = (4.0 * RADIUS * RADIUS - half * half).sqrt();
    let scene = balls(&[
        (Vec3::x() * -(x + 0.05), Vec3::x()),
        (Vec3::y() * half, Vec3::zeros()),
        (Vec3::y() * -half, Vec3::zeros()),
    ]);
    let run = record(&scene, Config::default(), 1e-2, 40);
    let (gain, loss, drift) = changes(&scene, &run);
    // The contacts of the next substep rotate with the balls.
    assert!(gain < 2e-6 && loss < 1e-6 && drift < 1e-12, "gains {gain}, loses {loss}, drifts {drift}");
    let [_, up, down] = [0, 1, 2].map(|i| run.last().bodies[i].linear_velocity);
    assert!(up.x > 0.5 && up.y > 0.2, "{up:?}");
    assert!((up.x - down.x).abs() < 1e-4 && (up.y + down.y).abs() < 1e-4, "{up:?} and {down:?}");
}

/// Tumbling bricks that collide from six sides.
fn bricks(restitution: f64) -> Scene {
    let directions = [
        [1.0, 0.1, 0.0],
        [-1.0, 0.0, 0.1],
        [0.0, 1.0, -0.1],
        [0.1, -1.0, 0.0],
        [0.0, 0.1, 1.0],
        [0.1, 0.0, -1.0],
    ];
    let bricks = directions.into_iter().enumerate().map(|(i, d)| {
        let d = Vec3::from(d);
        let spin = Vec3::new(0.7, -0.4, 0.9) * (1.0 + i as f64);
        BodySpec {
            pose: Pose::new(1.6 * d, rotation_vector::exp(&(0.3 * spin))),
            linear_velocity: -2.0 * d,
            angular_velocity: spin,
            restitution,
            ..cuboid(&format!("brick {i}"), [0.5, 0.8, 1.1], [0.0; 3])
        }
    });
    Scene { gravity: Vec3::zeros(), ..scene(bricks.collect()) }
}

#[test]
fn restitution_never_adds_energy() {
    for contacts in [ContactSolver::Block, ContactSolver::Sequential] {
        for e in [0.5, 1.0] {
            let scene = bricks(e);
            let run = record(&scene, Config { contacts, ..Config::default() }, 1e-2, 150);
            let energy: Vec<f64> = run.trajectory.frames.iter().map(|f| motion(&scene, f).1).collect();
            let gain = energy.windows(2).map(|e| e[1] / e[0] - 1.0).fold(0.0, f64::max);
            // Free rotation alone has this error.
            assert!(gain < 1e-3, "{contacts:?}, e = {e}: gains {gain} in a step");
            assert!(
                energy[150] < energy[0] * (1.0 + 1e-3),
                "{contacts:?}, e = {e}: {} of {}",
                energy[150],
                energy[0]
            );
        }
    }
}

#[test]
fn a_box_that_lands_flat_bounces_back_as_high_one_contact_after_another() {
    for contacts in [ContactSolver::Block, ContactSolver::Sequential] {
        let block = BodySpec { restitution: 1.0, ..cuboid("box", [1.0, 0.4, 1.0], [0.0, 0.5, 0.0]) };
        let floor = BodySpec { restitution: 1.0, ..crate::scenes::floor(0.0) };
        let scene = scene(vec![floor, block]);
        let run = record(&scene, Config { contacts, ..Config::default() }, 1e-2, 300);
        let energy =
            run.trajectory.frames.iter().map(|f| {
                motion(&scene, f).1 + 9.81 * scene.bodies[1].mass * (f.bodies[1].pose.position.y - 0.2)
            });
        let energy: Vec<f64> = energy.collect();
        let most = energy.iter().copied().fold(0.0, f64::max);
        assert!(most < 1.01 * energy[0], "{contacts:?}: {most} J of {} J", energy[0]);
    }
}

//! The device `gpu` beside the processor. Without an adapter the tests are ignored; `RIGOR_ADAPTER` chooses one by name.
//!
//! Both take the same substep where a step is shorter than a stable one: what differs then is single precision.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(
    clippy::print_stdout,
    reason = "the table of errors in docs/methods/particles.md is made from what is printed"
)]

mod scenes;

use std::env;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_particles::gpu::adapters;
use rigor_particles::{Cells, Config, Device, Inertia, Model, Particles, Rotation};
use rigor_scene::{
    BodySpec, BodyState, Clock, FixedAxes, FlawKind, Method, Motion, PartKind, Particle, Role, Run, Scene,
    State, StepError,
};
use scenes::{ball, cuboid, floor, record, resumed, scene, shape};

const TESTS: [(&str, fn()); 12] = [
    ("free_flight_is_that_of_the_processor", flight),
    ("a_collision_is_that_of_the_processor_but_for_rounding", collision_of_two),
    ("a_pile_on_a_moving_floor_is_that_of_the_processor", pile),
    ("grains_in_a_concave_corner_are_those_of_the_processor", corner),
    ("fixed_axes_stay_fixed", fixed_axes),
    ("momentum_is_conserved_to_single_precision", momentum_is_conserved),
    ("two_runs_have_the_same_bits_and_so_has_one_cut_in_two", same_bits),
    ("no_particle_of_a_crowded_cell_is_dropped", crowded),
    ("a_grain_rebounds_with_its_coefficient", rebound),
    ("a_box_rests_where_its_faces_are", rest),
    ("what_the_device_lacks_is_refused_with_what_to_do", refusals),
    ("absurd_stiffness_is_an_error_with_numbers", absurd),
];

fn main() {
    let arguments = Arguments::from_args();
    let known = adapters();
    let reason = "no adapter was found (on Debian: apt-get install mesa-vulkan-drivers)";
    let trial = |name: &str, test: fn()| {
        let is_present = !known.is_empty();
        Trial::ignorable_test(name, move || {
            if !is_present {
                return Ok(Completion::ignored_with(reason));
            }
            std::panic::catch_unwind(test).map_err(|_| Failed::from("it failed"))?;
            Ok(Completion::Completed)
        })
    };
    let mut all: Vec<Trial> = TESTS.iter().map(|(name, test)| trial(name, *test)).collect();
    // Half a minute on an adapter in software: `cargo test … --test gpu -- --ignored`.
    let large = "a_hundred_thousand_particles_are_those_of_the_processor";
    all.push(trial(large, hundred_thousand).with_ignored_flag(true));
    libtest_mimic::run(&arguments, all).exit();
}

fn on_gpu(config: &Config) -> Config {
    Config { device: Device::Gpu, adapter: env::var("RIGOR_ADAPTER").ok(), ..config.clone() }
}

/// The law as printed, with given constants.
fn printed() -> Config {
    Config { model: Model::Harada, damping: Some(2.0), shear: Some(1.0), ..Config::default() }
}

/// Largest differences of positions (m) and of velocities (m/s) of bodies and grains.
fn difference(a: &State, b: &State) -> (f64, f64) {
    let of_body = |(a, b): (&BodyState, &BodyState)| {
        let turn = (a.pose.rotation.inverse() * b.pose.rotation).angle();
        let spin = (a.angular_velocity - b.angular_velocity).norm();
        let x = (a.pose.position - b.pose.position).norm().max(0.1 * turn);
        (x, (a.linear_velocity - b.linear_velocity).norm().max(0.1 * spin))
    };
    let bodies = a.bodies.iter().zip(&b.bodies).map(of_body);
    let grains = a.particles.iter().zip(&b.particles);
    let grains = grains.map(|(a, b)| ((a.position - b.position).norm(), (a.velocity - b.velocity).norm()));
    bodies.chain(grains).fold((0.0, 0.0), |worst, one| (worst.0.max(one.0), worst.1.max(one.1)))
}

/// Runs a scene on both, in steps of one substep, and checks that they differ by at most these lengths and speeds.
fn compare(scene: &Scene, config: &Config, dt: f64, steps: u64, most: (f64, f64)) -> [Run; 2] {
    let runs = [record(scene, config, dt, steps), record(scene, on_gpu(config), dt, steps)];
    let most_substeps =
        runs.each_ref().map(|run| run.reports.iter().map(|r| r.iterations).max().unwrap_or(0));
    assert_eq!(most_substeps, [1, 1], "a step has one substep");
    let (x, v) = difference(runs[0].last(), runs[1].last());
    println!("differences: {x:.2e} m, {v:.2e} m/s");
    assert!(x <= most.0 && v <= most.1, "{x:e} m, {v:e} m/s");
    let overlap = |run: &Run| run.reports.iter().filter_map(|r| r.min_distance).fold(0.0, f64::min);
    let (cpu, gpu) = (overlap(&runs[0]), overlap(&runs[1]));
    assert!((cpu - gpu).abs() <= 1e-4 * cpu.abs() + 1e-6, "overlaps {cpu} and {gpu}");
    runs
}

fn flight() {
    let pose = Pose::new(Vec3::new(0.3, 2.0, 0.1), rotation_vector::exp(&Vec3::new(0.3, 0.2, 0.1)));
    let (linear_velocity, angular_velocity) = (Vec3::new(1.0, 2.0, 0.5), Vec3::new(0.5, 6.0, 0.3));
    let spec = BodySpec {
        pose,
        linear_velocity,
        angular_velocity,
        torque: Vec3::new(0.02, 0.0, 0.01),
        ..cuboid("brick", Vec3::new(0.4, 0.2, 0.3), 1)
    };
    let scene = scene(-9.81 * Vec3::y(), vec![spec]);
    for rotation in [Rotation::Free, Rotation::Quaternion] {
        let config = Config { rotation, ..printed() };
        // A free body is advanced by the processor in one piece, by the device in stable substeps.
        let (cpu, gpu) = (record(&scene, &config, 1e-3, 200), record(&scene, on_gpu(&config), 1e-3, 200));
        let (x, v) = difference(cpu.last(), gpu.last());
        println!("differences: {x:.2e} m, {v:.2e} m/s");
        assert!(x < 1e-5 && v < 2e-5, "{rotation:?}: {x:e} m, {v:e} m/s");
    }
}

/// A brick and a ball that meet off-centre.
fn collision() -> Scene {
    let brick = BodySpec {
        linear_velocity: Vec3::new(2.0, 0.1, 0.0),
        angular_velocity: Vec3::new(0.5, 3.0, -1.0),
        pose: Pose::new(Vec3::new(-0.35, 0.05, 0.02), rotation_vector::exp(&Vec3::new(0.3, 0.2, 0.1))),
        ..cuboid("brick", Vec3::new(0.4, 0.2, 0.3), 1)
    };
    let ball = BodySpec {
        linear_velocity: Vec3::new(-1.0, 0.0, 0.2),
        pose: Pose::translation(Vec3::new(0.1, 0.0, 0.0)),
        ..ball("ball", 0.2, 2)
    };
    scene(Vec3::zeros(), vec![brick, ball])
}

fn collision_of_two() {
    for inertia in [Inertia::Body, Inertia::Particles] {
        let config = Config { inertia, ..printed() };
        let runs = compare(&collision(), &config, 1e-4, 500, (2e-5, 2e-4));
        assert!(runs[0].reports.iter().any(|report| !report.contacts.is_empty()), "they meet");
    }
}

fn pile() {
    let slide = Role::Kinematic(Motion::constant_velocity());
    let floor = BodySpec {
        role: slide,
        linear_velocity: Vec3::new(0.5, 0.2, 0.0),
        angular_velocity: Vec3::new(0.0, 0.3, 0.0),
        ..floor()
    };
    let mut specs = vec![floor];
    for i in 0..4_u32 {
        let at = Vec3::new(0.02 * f64::from(i), 0.1 + 0.2 * f64::from(i), 0.0);
        specs.push(BodySpec {
            pose: Pose::translation(at),
            ..cuboid(&format!("cube {i}"), Vec3::repeat(0.2), i + 1)
        });
    }
    let runs = compare(&scene(-9.81 * Vec3::y(), specs), &printed(), 1e-5, 600, (5e-6, 5e-4));
    assert!(runs[1].last().bodies[1].linear_velocity.x > 1e-3, "the floor drags the lowest one");
}

fn corner() {
    // Three sheets that meet in a corner, with a square metre each.
    let corners = [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]];
    let corners = corners.map(|corner: [i32; 3]| Vec3::from(corner.map(f64::from)));
    let triangles = vec![[0, 1, 2], [0, 2, 3], [0, 4, 1], [0, 5, 4], [0, 3, 6], [0, 6, 5]];
    let mesh = rigor_geometry::Mesh::new(corners.to_vec(), triangles, vec![]).unwrap();
    let spec = BodySpec::new("walls", vec![shape(mesh, PartKind::Concave)]);
    let walls = BodySpec { role: Role::Static, ..spec }.build().unwrap();
    let mut particles = Vec::new();
    for i in 0..60_u32 {
        let at = [i % 4, i / 4 % 4, i / 16].map(|k| 0.021 + 0.042 * f64::from(k));
        let (radius, mass) = if i % 3 == 0 { (0.02, 0.01) } else { (0.016, 0.006) };
        let velocity = Vec3::new(-0.3, -0.1 * f64::from(i % 2), -0.2);
        particles.push(Particle {
            radius,
            restitution: 0.5,
            velocity,
            ..Particle::new(mass, Vec3::from(at))
        });
    }
    particles[5].mass = f64::INFINITY;
    particles[5].velocity = Vec3::zeros();
    let scene =
        Scene { gravity: Vec3::new(-5.0, -8.0, -3.0), particles, bodies: vec![walls], ..Scene::default() };
    let config = Config { model: Model::Harada, damping: Some(0.2), shear: Some(0.1), ..Config::default() };
    let runs = compare(&scene, &config, 2.5e-5, 600, (2e-5, 2e-3));
    assert!(runs[1].last().particles.iter().all(|p| p.position.min() > 0.0), "none left");
    assert_eq!(runs[1].last().particles[5].position, scene.particles[5].position, "the pinned one stayed");
}

fn fixed_axes() {
    let fixed = FixedAxes { translation: [false, false, true], rotation: [true, false, true] };
    let mut scene = collision();
    scene.bodies[0].fixed = fixed;
    let run = compare(&scene, &printed(), 1e-4, 400, (2e-5, 2e-4));
    let brick = run[1].last().bodies[0];
    assert_eq!(
        (brick.linear_velocity.z, brick.angular_velocity.x, brick.angular_velocity.z),
        (0.0, 0.0, 0.0)
    );
    assert!(brick.angular_velocity.y.abs() > 0.1);
}

fn momentum_is_conserved() {
    let scene = collision();
    let run = record(&scene, on_gpu(&printed()), 0.01, 40);
    assert!(run.reports.iter().any(|report| report.min_distance.is_some()), "they meet");
    let momentum =
        |state: &State| -> Vec3 { state.bodies.iter().map(|body| 2.0 * body.linear_velocity).sum() };
    let lost = momentum(run.last()) - momentum(&run.trajectory.frames[0]);
    let substeps: u64 = run.reports.iter().map(|report| report.iterations).sum();
    println!("{:.2e} kg m/s of 6 lost in {substeps} substeps", lost.norm());
    // ε/2 of a velocity is lost in each substep, in a random direction.
    assert!(lost.norm() < 2.0 * 6e-8 * 4.0 * (substeps as f64).sqrt() * 3.0, "{:e}", lost.norm());
}

fn same_bits() {
    let (scene, config) = (collision(), on_gpu(&printed()));
    let whole = record(&scene, &config, 0.01, 30);
    assert_eq!(whole.last(), record(&scene, &config, 0.01, 30).last());
    assert_eq!(&resumed(&scene, &config, &whole, 0.01, &[0, 10, 20]), whole.last());
}

/// Ten grains at nearly the same place, far from the origin: more than four in a cell.
fn crowded() {
    let at = |i: u32| Vec3::new(-30.0, 20.0, 7.0) + 1e-3 * f64::from(i) * Vec3::new(1.0, -0.3, 0.5);
    let particles = (0..10).map(|i| Particle { radius: 0.02, ..Particle::new(0.01, at(i)) }).collect();
    let scene = Scene { particles, ..Scene::default() };
    let config = Config { stiffness: Some(10.0), ..printed() };
    let config = Config { damping: Some(0.01), shear: Some(0.01), ..config };
    let runs = compare(&scene, &config, 1e-4, 100, (1e-4, 1e-2));
    let momentum: Vec3 = runs[1].last().particles.iter().map(|p| p.velocity).sum();
    let speed = runs[1].last().particles.iter().map(|p| p.velocity.norm()).fold(0.0, f64::max);
    assert!(speed > 0.1 && momentum.norm() < 1e-4 * speed, "{speed} m/s, {momentum:?}");
    assert!(runs[1].reports[0].flaws.iter().all(|flaw| flaw.kind != FlawKind::CoarsePositions));
    let mut far = scene.clone();
    far.particles.iter_mut().for_each(|particle| particle.position.x -= 1000.0);
    let report = &record(&far, on_gpu(&config), 1e-4, 1).reports[0];
    assert!(report.flaws.iter().any(|flaw| flaw.kind == FlawKind::CoarsePositions), "{:?}", report.flaws);
}

/// η = 2 ζ √(k m), as on the processor.
fn rebound() {
    for e in [0.3, 0.9] {
        let position = Vec3::new(0.1, 0.0205, 0.1);
        let (radius, restitution, velocity) = (0.02, e, -Vec3::y());
        let grain = Particle { radius, restitution, velocity, ..Particle::new(0.01, position) };
        let bodies = vec![BodySpec { restitution: e, ..floor() }.build().unwrap()];
        let scene = Scene { particles: vec![grain], bodies, ..Scene::default() };
        let config = Config { steps_per_contact: 100.0, ..printed() };
        let config = Config { damping: None, ..config };
        let [cpu, gpu] = [&config, &on_gpu(&config)].map(|config| record(&scene, config, 1e-3, 40));
        let speed = |run: &Run| run.last().particles[0].velocity.y;
        assert!((speed(&gpu) - speed(&cpu)).abs() < 0.01, "{} and {} m/s", speed(&cpu), speed(&gpu));
        // Contacts of this law may pull, which slows the rebound further.
        assert!(speed(&gpu) > e - 0.2 && speed(&gpu) < e + 0.01, "{} m/s of {e}", speed(&gpu));
    }
}

fn rest() {
    let cube = BodySpec { pose: Pose::translation(Vec3::y() * 0.13), ..cuboid("cube", Vec3::repeat(0.2), 1) };
    let scene = scene(-10.0 * Vec3::y(), vec![floor(), cube]);
    // Damping derived from the coefficients of restitution.
    let config = Config { model: Model::Harada, ..Config::default() };
    let run = record(&scene, on_gpu(&config), 0.01, 100);
    let end = run.last().bodies[1];
    assert!((end.pose.position.y - 0.1).abs() < 2e-3, "{}", end.pose.position.y);
    assert!(end.linear_velocity.norm() < 1e-2 && end.angular_velocity.norm() < 1e-3, "{end:?}");
    assert!(run.reports.iter().any(|report| report.iterations > 1), "stable substeps were found");
}

fn refusals() {
    let refused = |config: Config| Particles::new(on_gpu(&config), Clock::default()).unwrap_err().to_string();
    let model = refused(Config::default());
    assert_eq!(model, "model is \"hooke\": it must be \"harada\" on the device \"gpu\"");
    assert!(refused(Config { cells: Cells::Four, ..printed() }).starts_with("cells is \"four\""));
    let config = Config { adapter: Some("Voodoo 2".into()), ..on_gpu(&printed()) };
    let mut method = Particles::new(config, Clock::default()).unwrap();
    let why = method.supports(&collision()).unwrap_err().to_string();
    assert!(why.contains("\"Voodoo 2\"") && adapters().iter().all(|name| why.contains(name)), "{why}");
    let mut state = State::initial(&collision());
    let error = method.step(&collision(), &mut state, 0.01).unwrap_err();
    assert!(error.to_string().contains("the adapters are"), "{error}");
    assert_eq!(state, State::initial(&collision()), "a failed step changes nothing");
}

fn absurd() {
    let scene = collision();
    let step = |stiffness: f64, max_substeps| {
        let config = Config { stiffness: Some(stiffness), max_substeps, ..printed() };
        let mut method = Particles::new(on_gpu(&config), Clock::default()).unwrap();
        let mut state = State::initial(&scene);
        let error = (0..40).find_map(|_| method.step(&scene, &mut state, 0.01).err());
        error.unwrap()
    };
    let error = step(1e12, 300);
    assert!(
        matches!(error, StepError::TooManySubsteps { needed, maximum: 300, .. } if needed > 300.0),
        "{error}"
    );
    let error = step(1e38, 1_000_000);
    assert!(matches!(error, StepError::Failed { .. } | StepError::TooManySubsteps { .. }), "{error}");
}

/// 1600 cubes of 64 particles that fall onto a floor and onto each other.
fn hundred_thousand() {
    let mut specs = vec![floor()];
    for i in 0..1600_u32 {
        let at = [i % 16, i / 16 % 16, i / 256].map(f64::from);
        let pose = Pose::translation(Vec3::new(0.205 * at[0], 0.1 + 0.198 * at[2], 0.205 * at[1]));
        specs.push(BodySpec { pose, ..cuboid(&format!("cube {i}"), Vec3::repeat(0.2), i + 1) });
    }
    let scene = scene(-9.81 * Vec3::y(), specs);
    let config = Config { particles_per_body: 64, ..printed() };
    let runs = compare(&scene, &config, 1e-5, 20, (1e-6, 1e-3));
    assert_eq!(runs[1].reports[0].quantity("particles"), Some(102_400.0));
    // Any clock that goes asks for the timestamps of the device.
    let mut timed = Particles::new(on_gpu(&config), Clock(|| 1.0)).unwrap();
    let run = Run::record(&scene, &mut timed, 1e-5, 20);
    assert_eq!(run.last(), runs[1].last(), "times change nothing");
    for (k, phase) in run.reports[0].phases.iter().enumerate() {
        let seconds: f64 = run.reports.iter().map(|report| report.phases[k].seconds).sum();
        println!("{}: {:.2} ms per substep", phase.phase, 1e3 * seconds / 20.0);
    }
}

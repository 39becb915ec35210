//! Grains: particles of a scene as balls that touch each other, walls and bodies.

#![allow(clippy::unwrap_used, reason = "what a test builds is right, or the test fails")]

mod scenes;

use rigor_math::{Pose, Vec3};
use rigor_particles::{Config, Model, Particles};
use rigor_scene::{
    Body, BodySpec, Clock, Friction, Method, PartKind, Particle, Role, Scene, State, StepError,
};
use rigor_shapes::Cuboid;
use scenes::{record, record_on, resumed, shape};

const RADIUS: f64 = 0.02;

fn grain(position: Vec3) -> Particle {
    let friction = Friction::uniform(0.5);
    Particle { radius: RADIUS, friction, restitution: 0.5, ..Particle::new(0.01, position) }
}

/// A block of n grains along each edge, whose layers do not stand on each other.
fn block(n: u32) -> Vec<Particle> {
    let at = |i: u32, j: u32, k: u32| {
        let shift = 0.3 * RADIUS * f64::from(j % 2);
        2.0 * RADIUS * Vec3::new(f64::from(i), 0.97 * f64::from(j) + 0.501, f64::from(k))
            + Vec3::new(shift, 0.0, shift)
    };
    let cells = (0..n).flat_map(|i| (0..n).flat_map(move |j| (0..n).map(move |k| at(i, j, k))));
    cells.map(grain).collect()
}

/// A floor with its top at y = 0: a solid plate, or a sheet without thickness.
fn floor(is_sheet: bool) -> Body {
    let (mesh, y) = if is_sheet {
        let corners = [[-9., -9.], [-9., 9.], [9., 9.], [9., -9.]].map(|[x, z]| Vec3::new(x, 0.0, z));
        let mesh = rigor_geometry::Mesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]], vec![]).unwrap();
        (mesh, 0.0)
    } else {
        (Cuboid::new(Vec3::new(18.0, 1.0, 18.0)).mesh().unwrap(), -0.5)
    };
    let kind = if is_sheet { PartKind::Concave } else { PartKind::Convex };
    let shape = shape(mesh, kind);
    let (role, pose) = (Role::Static, Pose::translation(Vec3::y() * y));
    let friction = Friction::uniform(0.5);
    BodySpec { role, friction, pose, ..BodySpec::new("floor", vec![shape]) }.build().unwrap()
}

fn scene(particles: Vec<Particle>, bodies: Vec<Body>) -> Scene {
    Scene { gravity: -9.81 * Vec3::y(), particles, bodies, ..Scene::default() }
}

fn spin(state: &State, i: usize) -> Vec3 {
    let spins = state.memory.numbers.get("particles/spin");
    spins.map_or_else(Vec3::zeros, |s| Vec3::from_column_slice(&s[3 * i..3 * i + 3]))
}

fn momentum(scene: &Scene, state: &State) -> (Vec3, Vec3) {
    let mut sum = (Vec3::zeros(), Vec3::zeros());
    for (i, (particle, now)) in scene.particles.iter().zip(&state.particles).enumerate() {
        let p = particle.mass * now.velocity;
        sum.0 += p;
        sum.1 += now.position.cross(&p) + 0.4 * particle.mass * particle.radius.powi(2) * spin(state, i);
    }
    sum
}

/// Grains of two sizes that fly into each other.
fn cloud() -> Scene {
    let mut particles = block(5);
    for (i, particle) in particles.iter_mut().enumerate() {
        let centre = 2.0 * RADIUS * Vec3::new(2.0, 2.5, 2.0);
        let turn = Vec3::new(0.3, 1.0, -0.4).cross(&(particle.position - centre));
        particle.velocity = -3.0 * (particle.position - centre) + 5.0 * turn;
        if i % 3 == 0 {
            (particle.radius, particle.mass) = (0.7 * RADIUS, 0.004);
        }
    }
    Scene { gravity: Vec3::zeros(), ..scene(particles, vec![]) }
}

#[test]
fn momenta_of_grains_are_conserved_to_rounding() {
    let scene = cloud();
    for (model, rolling) in [(Model::Hooke, 0.0), (Model::Hertz, 0.0), (Model::Hooke, 0.1)] {
        let run = record(&scene, Config { model, rolling, adhesion: 0.01, ..Config::default() }, 0.005, 20);
        let (first, last) = (momentum(&scene, &run.trajectory.frames[0]), momentum(&scene, run.last()));
        let turned = (0..125).map(|i| spin(run.last(), i).norm()).fold(0.0, f64::max);
        assert!(turned > 0.5, "grains spin: {turned}");
        assert!((last.0 - first.0).norm() < 1e-14, "{model:?}: {:e}", (last.0 - first.0).norm());
        assert!((last.1 - first.1).norm() < 1e-14, "{model:?}: {:e}", (last.1 - first.1).norm());
    }
}

#[test]
fn grains_of_several_blocks_have_the_same_bits_on_any_number_of_threads() {
    let scene = scene(block(13), vec![floor(false)]);
    let end = |threads| record_on(threads, &scene, &Config::default(), 0.002, 3).last().clone();
    let alone = end(1);
    assert!(alone.memory.numbers["particles/grains"].len() > 5 * 2197);
    for threads in [2, 5] {
        assert_eq!(alone, end(threads), "{threads} threads");
    }
}

#[test]
fn a_run_of_grains_cut_in_two_is_the_whole_run() {
    let scene = scene(block(6), vec![floor(false)]);
    for rolling in [0.0, 0.1] {
        let config = Config { rolling, ..Config::default() };
        let whole = record(&scene, &config, 0.004, 24);
        assert_eq!(&resumed(&scene, &config, &whole, 0.004, &[13]), whole.last());
    }
}

#[test]
fn the_skin_does_not_change_which_grains_touch() {
    let scene = scene(block(5), vec![floor(false)]);
    // Steps of one substep, so that substeps do not depend on the skin.
    let end = |skin| {
        let run = record(&scene, Config { skin, overlap: 0.5, ..Config::default() }, 1e-4, 60);
        assert!(run.reports.iter().all(|report| report.iterations == 1), "{}", run.reports[0].iterations);
        run.last().clone()
    };
    // Sums run in another order.
    for (a, b) in end(0.0).particles.iter().zip(&end(0.3).particles) {
        assert!((a.position - b.position).norm() < 1e-12, "{a:?} {b:?}");
    }
}

/// Lists hold until something has moved by half of the skin: a pair that was not listed is then about to touch.
///
/// With twice that, some of these pairs meet unseen, and overlap by most of the skin when they are listed.
#[test]
fn pairs_are_listed_before_they_touch_however_wide_the_gap() {
    let (speed, overlap, skin) = (1.0, 0.01, 0.3);
    let side = |row: u32, sign: f64| {
        // Gaps from nothing to three skins.
        let gap = 3.0 * skin * 2.0 * RADIUS * f64::from(row) / 100.0;
        let x = Vec3::new(sign * (RADIUS + 0.5 * gap), 0.0, 5.0 * RADIUS * f64::from(row));
        Particle { velocity: -sign * speed * Vec3::x(), restitution: 1.0, ..grain(x) }
    };
    let particles: Vec<Particle> = (0..100).flat_map(|row| [-1.0, 1.0].map(|sign| side(row, sign))).collect();
    let apart = Scene { gravity: Vec3::zeros(), ..scene(particles, vec![]) };
    let config = Config { speed: Some(speed), overlap, skin, ..Config::default() };
    for rows in [1..100, 99..100, 40..41] {
        let particles = apart.particles[2 * rows.start..2 * rows.end].to_vec();
        let run = record(&Scene { particles, ..apart.clone() }, &config, 0.05, 1);
        let report = &run.reports[0];
        // κ is for a grain that hits a wall: two grains have half the stiffness and twice the energy.
        let deepest = report.quantity("relative_overlap").unwrap();
        assert!(deepest > 1.9 * overlap && deepest < 2.1 * overlap, "{rows:?}: {deepest}");
        for (before, after) in run.trajectory.frames[0].particles.iter().zip(&run.last().particles) {
            assert!((after.velocity + before.velocity).norm() < 0.02 * speed, "{rows:?}: {after:?}");
        }
        let grids = report.quantity("grids").unwrap();
        assert!(4.0 * grids < report.iterations as f64, "{rows:?}: {grids} lists");
    }
}

/// A ball that slides rolls in the end, with 5/7 of its speed: friction takes from v what it gives to ω.
#[test]
fn a_sliding_grain_ends_up_rolling_with_five_sevenths_of_its_speed() {
    for is_sheet in [false, true] {
        let ball = Particle { velocity: Vec3::x(), ..grain(Vec3::new(-1.0, RADIUS, 0.0)) };
        let scene = scene(vec![ball], vec![floor(is_sheet)]);
        let run = record(&scene, Config { overlap: 0.01, ..Config::default() }, 0.005, 80);
        let end = run.last();
        let v = end.particles[0].velocity.x;
        assert!((v * 7.0 / 5.0 - 1.0).abs() < 0.01, "sheet {is_sheet}: {v}");
        assert!((spin(end, 0).z * RADIUS + v).abs() < 0.01, "sheet {is_sheet}: {}", spin(end, 0));
        assert!((end.particles[0].position.y - RADIUS).abs() < 1e-3);
        let pushed = run.reports[79].particle_contacts.iter().map(|c| c.normal_force).sum::<f64>();
        assert!((pushed - 0.0981).abs() < 1e-3, "sheet {is_sheet}: {pushed}");
    }
}

/// How far the first grain moves along x between 0.2 and 0.4 s.
fn moved(scene: &Scene, config: Config) -> f64 {
    let frames = record(scene, config, 1e-3, 400).trajectory.frames;
    frames[400].particles[0].position.x - frames[200].particles[0].position.x
}

/// A grain on the top of a large pinned one, with a sideways force of a tenth of its weight.
fn on_a_pinned_grain() -> Scene {
    let large = Particle { radius: 2.0, mass: f64::INFINITY, ..grain(Vec3::y() * -2.0) };
    let mut scene = scene(vec![grain(Vec3::y() * RADIUS), large], vec![]);
    scene.gravity = Vec3::new(1.0, -9.81, 0.0);
    scene
}

/// A small grain falls by half its diameter onto a hundred times larger one, which is pinned or as light as itself.
#[test]
fn a_large_grain_does_not_swallow_a_small_one() {
    let (large, drop) = (100.0 * RADIUS, RADIUS);
    for mass in [f64::INFINITY, 0.01] {
        let below = Particle { radius: large, mass, ..grain(Vec3::y() * -large) };
        let mut scene = scene(vec![grain(Vec3::y() * (RADIUS + drop)), below], vec![]);
        scene.particles[0].velocity = -Vec3::y() * (2.0 * 9.81 * drop).sqrt();
        scene.gravity = Vec3::zeros();
        let frames = record(&scene, Config::default(), 1e-3, 200).trajectory.frames;
        let overlap = |f: &State| RADIUS + large - (f.particles[0].position - f.particles[1].position).norm();
        let deepest = frames.iter().map(overlap).fold(0.0, f64::max);
        assert!(deepest > 0.01 * RADIUS && deepest < 0.2 * RADIUS, "{deepest} m, mass {mass} kg");
    }
}

#[test]
fn friction_holds_a_grain_on_a_pinned_one() {
    let config = Config { rolling: 0.5, speed: Some(1.0), ..Config::default() };
    let by = moved(&on_a_pinned_grain(), config);
    assert!(by.abs() < 1e-8, "{by:e} m");
}

/// Rolling resistance, however small, is computed contact by contact. Steps are short, so that both take one substep.
#[test]
fn batches_move_a_grain_on_a_pinned_one_as_single_contacts_do() {
    let end = |rolling: f64| {
        let config = Config { rolling, speed: Some(1.0), ..Config::default() };
        record(&on_a_pinned_grain(), config, 2e-5, 2000).last().particles[0].position
    };
    let (batch, single) = (end(0.0), end(1e-200));
    assert!((batch - single).norm() < 1e-12, "{batch:?} {single:?}");
}

/// Without a spring a grain loses μ g per second while it slides, and creeps down a slope by which one with a spring is held:
/// m a = c_t v with c_t = η √(k_t/k_n), if resistance to rolling lets it slide only.
#[test]
fn friction_without_a_spring_brakes_by_coulombs_law_and_holds_nothing() {
    let config = |tangential_spring| Config { tangential_spring, speed: Some(1.0), ..Config::default() };
    let sliding = |config: Config| {
        let mut first = grain(Vec3::y() * RADIUS);
        first.velocity = Vec3::x();
        let scene = scene(vec![first], vec![floor(false)]);
        let mut state = State::initial(&scene);
        let mut method = Particles::new(config, Clock::default()).unwrap();
        for _ in 0..20 {
            method.step(&scene, &mut state, 1e-3).unwrap();
        }
        state.particles[0].velocity.x
    };
    // While it slides, friction has one size in both laws.
    let expected = 1.0 - 0.5 * 9.81 * 0.02;
    for spring in [true, false] {
        let v = sliding(config(spring));
        assert!((v - expected).abs() < 0.02 * (1.0 - expected), "spring {spring}: {v} m/s, not {expected}");
    }
    let moved = |config: Config| {
        let mut scene = scene(vec![grain(Vec3::y() * RADIUS)], vec![floor(false)]);
        scene.gravity = Vec3::new(1.0, -9.81, 0.0);
        moved(&scene, Config { rolling: 0.5, damping: Some(5.0), ..config })
    };
    let creep = 0.2 * 0.01 / (5.0 * f64::sqrt(2.0 * 0.7 / 1.7));
    let (held, creeping) = (moved(config(true)), moved(config(false)));
    assert!(held.abs() < 0.02 * creep, "{held} m");
    assert!((creeping - creep).abs() < 0.02 * creep, "{creeping} m, not {creep} m");
}

#[test]
fn adhesion_holds_a_grain_up_to_its_pull_off_force() {
    // 2 π w R* with R* = r/2 holds m g for w = m g/(π r).
    let holds = 0.01 * 9.81 / (std::f64::consts::PI * RADIUS);
    for model in [Model::Hooke, Model::Hertz] {
        let hang = |adhesion| {
            let above = Particle { mass: f64::INFINITY, ..grain(Vec3::zeros()) };
            let below = grain(-1.999_999 * RADIUS * Vec3::y());
            let scene = scene(vec![above, below], vec![]);
            let config = Config { model, adhesion, overlap: 0.01, ..Config::default() };
            record(&scene, config, 0.005, 40).last().particles[1].position.y
        };
        let held = hang(1.1 * holds);
        assert!(held > -2.0 * RADIUS, "{model:?}: {held}");
        let lost = hang(0.9 * holds);
        assert!(lost < -2.0 * RADIUS, "{model:?}: {lost}");
    }
}

/// The rougher the grains, the steeper their heap.
#[test]
fn a_heap_is_steeper_with_more_friction() {
    let steepness = |mu| {
        let friction = Friction::uniform(mu);
        let particles = block(5).into_iter().map(|p| Particle { friction, ..p }).collect();
        let scene = scene(particles, vec![floor(false)]);
        let run = record(&scene, Config { rolling: 0.2 * mu, ..Config::default() }, 0.01, 60);
        let centre = 2.0 * RADIUS * Vec3::new(2.0, 0.0, 2.0);
        let mean = |f: &dyn Fn(Vec3) -> f64| {
            run.last().particles.iter().map(|p| f(p.position - centre)).sum::<f64>()
        };
        mean(&|x| x.y) / mean(&|x| x.x.hypot(x.z))
    };
    let (smooth, medium, rough) = (steepness(0.02), steepness(0.2), steepness(0.7));
    assert!(1.2 * smooth < medium && 1.1 * medium < rough, "{smooth} {medium} {rough}");
}

#[test]
fn a_dynamic_body_and_grains_push_each_other() {
    let mesh = Cuboid::new(Vec3::repeat(0.12)).mesh().unwrap();
    let shape = shape(mesh, PartKind::Convex);
    let pose = Pose::translation(Vec3::new(0.02, 0.105, 0.02));
    let weight = rigor_scene::Weight::Mass(0.5);
    let cube = BodySpec {
        group: 1,
        weight,
        pose,
        friction: Friction::uniform(0.5),
        ..BodySpec::new("cube", vec![shape])
    };
    // Nine grains bear the cube.
    let at = |i: u32| Vec3::new(0.045 * f64::from(i % 3) - 0.025, RADIUS, 0.045 * f64::from(i / 3) - 0.025);
    let scene = scene((0..9).map(|i| grain(at(i))).collect(), vec![floor(false), cube.build().unwrap()]);
    let run = record(&scene, Config { rolling: 0.1, ..Config::default() }, 0.005, 100);
    let end = run.last();
    assert!((end.bodies[1].pose.position.y - 0.1).abs() < 3e-3, "{:?}", end.bodies[1]);
    let sums = |body: usize| {
        let of = run.reports[99].particle_contacts.iter().filter(|c| c.body.0 == body);
        of.map(|c| c.normal_force * c.normal_world.y).sum::<f64>()
    };
    let (floor, cube) = (sums(0), sums(1));
    assert!((floor - 0.59 * 9.81).abs() < 0.02 * 0.59 * 9.81, "{floor}");
    assert!((cube + 0.5 * 9.81).abs() < 0.02 * 0.5 * 9.81, "{cube}");
}

#[test]
fn absurd_stiffness_of_grains_is_an_error_with_numbers() {
    let scene = scene(block(2), vec![floor(false)]);
    let mut method =
        Particles::new(Config { stiffness: Some(1e18), ..Config::default() }, Clock::default()).unwrap();
    let mut state = State::initial(&scene);
    let error = method.step(&scene, &mut state, 0.01).unwrap_err();
    assert!(
        matches!(error, StepError::TooManySubsteps { needed, maximum: 5000, .. } if needed > 1e6),
        "{error}"
    );
    assert_eq!(state, State::initial(&scene));
    let derived = method.derived(&scene, 0.01);
    assert!(derived.iter().any(|q| q.name == "first_substep" && q.value < 1e-8), "{derived:?}");
}

//! Fluids: at rest, conservation, buoyancy, and the same bits however they are computed.

#![allow(clippy::unwrap_used, reason = "what a test builds is right, or the test fails")]

mod scenes;

use rigor_math::{Pose, Vec3};
use rigor_particles::{Config, Particles};
use rigor_scene::{
    Body, BodySpec, Clock, Fluid, KinematicPath, Method, Motion, PartKind, Particle, PlacedShape, Role, Run,
    Scene, State, Weight,
};
use rigor_shapes::Cuboid;
use scenes::{record, record_on, resumed, shape};

const SPACING: f64 = 0.02;
const G: f64 = 9.81;

fn body(name: &str, role: Role, size: Vec3, centre: Vec3, density: f64) -> Body {
    let shape = shape(Cuboid::new(size).mesh().unwrap(), PartKind::Convex);
    let pose = Pose::translation(centre);
    // Bodies of different groups may touch.
    let group = u32::from(role == Role::Dynamic) + 1;
    let weight = Weight::Density(density);
    BodySpec { role, pose, weight, group, ..BodySpec::new(name, vec![shape]) }.build().unwrap()
}

/// A tank with the inner edges `size` (m), the origin in the middle of its bottom.
fn tank(size: Vec3) -> Vec<Body> {
    let t = 3.0 * SPACING;
    let wall = |name: &str, size, centre| body(name, Role::Static, size, centre, 1000.0);
    let (side, end) = (Vec3::new(t, size.y, size.z), Vec3::new(size.x + 2.0 * t, size.y, t));
    let (x, z, y) = (0.5 * (size.x + t), 0.5 * (size.z + t), 0.5 * size.y);
    vec![
        wall("floor", Vec3::new(size.x + 2.0 * t, t, size.z + 2.0 * t), Vec3::new(0.0, -0.5 * t, 0.0)),
        wall("left", side, Vec3::new(-x, y, 0.0)),
        wall("right", side, Vec3::new(x, y, 0.0)),
        wall("back", end, Vec3::new(0.0, y, -z)),
        wall("front", end, Vec3::new(0.0, y, z)),
    ]
}

/// Fills the box from `low` to `high` (m) with water outside of `hole` (low and high corner).
fn water(scene: &mut Scene, low: Vec3, high: Vec3, hole: Option<(Vec3, Vec3)>) {
    let counts = (high - low).map(|x| (x / SPACING).round() as u32);
    let start = scene.particles.len();
    for i in 0..counts.x {
        for j in 0..counts.y {
            for k in 0..counts.z {
                let cell = Vec3::new(f64::from(i) + 0.5, f64::from(j) + 0.5, f64::from(k) + 0.5);
                let x = low + SPACING * cell;
                let is_in = |(a, b): &(Vec3, Vec3)| (0..3).all(|axis| a[axis] < x[axis] && x[axis] < b[axis]);
                if !hole.as_ref().is_some_and(is_in) {
                    let group = Some(0);
                    let mass = 1000.0 * SPACING.powi(3);
                    scene.particles.push(Particle { radius: 0.5 * SPACING, group, ..Particle::new(mass, x) });
                }
            }
        }
    }
    let particles = start..scene.particles.len();
    let (density, viscosity, spacing) = (1000.0, 0.0, SPACING);
    scene.fluids.push(Fluid { name: "water".into(), particles, density, viscosity, spacing });
}

/// Water at rest in a tank, 8 × 8 × 8 particles.
fn pond() -> Scene {
    let size = Vec3::new(8.0, 10.0, 8.0) * SPACING;
    let mut scene = Scene { gravity: -G * Vec3::y(), bodies: tank(size), ..Scene::default() };
    let half = 4.0 * SPACING;
    water(&mut scene, Vec3::new(-half, 0.0, -half), Vec3::new(half, 2.0 * half, half), None);
    scene
}

/// A quick setting: water that is softer than by default.
fn soft() -> Config {
    Config { compression: 0.02, courant: 0.4, ..Config::default() }
}

fn mean_force(run: &Run, body: usize, from: usize) -> Vec3 {
    let n = scene_size(run);
    let forces = run.reports[from..].iter().map(|report| {
        let force = report.body_forces(n)[body];
        force.contact + force.friction
    });
    forces.sum::<Vec3>() / (run.reports.len() - from) as f64
}

fn scene_size(run: &Run) -> usize {
    run.last().bodies.len()
}

#[test]
fn still_water_stays_at_rest_and_presses_with_its_weight() {
    let scene = pond();
    let run = record(&scene, soft(), 0.01, 20);
    let (mass, depth) = (512.0 * 1000.0 * SPACING.powi(3), 8.0 * SPACING);
    let floor = mean_force(&run, 0, 10);
    assert!((floor.y / (-mass * G) - 1.0).abs() < 0.01, "{floor:?}");
    let fastest = run.last().particles.iter().map(|p| p.velocity.norm()).fold(0.0, f64::max);
    assert!(fastest < 0.05 * (G * depth).sqrt(), "{fastest}");
    // p = ρ g (depth − y), in the mean of each layer.
    let sound = run.reports[0].quantity("sound_speed").unwrap();
    let densities = &run.last().memory.numbers["particles/density"];
    let mut layers = [(0.0, 0.0); 8];
    for (particle, density) in run.last().particles.iter().zip(densities) {
        let found = 1000.0 * sound * sound / 7.0 * ((density / 1000.0).powi(7) - 1.0);
        let layer = &mut layers[((particle.position.y / SPACING) as usize).min(7)];
        *layer = (layer.0 + found - 1000.0 * G * (depth - particle.position.y), layer.1 + 1.0);
    }
    for (k, (excess, count)) in layers.into_iter().enumerate() {
        // The layer at the surface has neighbours on one side only.
        let tolerance = if k < 7 { 0.01 } else { 0.04 };
        assert!(count > 32.0 && (excess / count).abs() < tolerance * 1000.0 * G * depth, "{layers:?}");
    }
}

fn cube(centre: Vec3, density: f64) -> Body {
    body("cube", Role::Dynamic, Vec3::repeat(4.0 * SPACING), centre, density)
}

#[test]
fn an_immersed_box_loses_the_weight_of_the_water_that_it_displaces() {
    let size = Vec3::new(10.0, 12.0, 10.0) * SPACING;
    let mut scene = Scene { gravity: -G * Vec3::y(), bodies: tank(size), ..Scene::default() };
    let (centre, half) = (5.0 * SPACING * Vec3::y(), Vec3::repeat(2.0 * SPACING));
    let mut held = cube(centre, 2000.0);
    (held.fixed.translation, held.fixed.rotation) = ([true; 3], [true; 3]);
    scene.bodies.push(held);
    let (low, high) = (Vec3::new(-5.0, 0.0, -5.0) * SPACING, Vec3::new(5.0, 10.0, 5.0) * SPACING);
    water(&mut scene, low, high, Some((centre - half, centre + half)));
    let run = record(&scene, soft(), 0.01, 20);
    let expected = 1000.0 * (4.0 * SPACING).powi(3) * G;
    let found = mean_force(&run, 5, 5);
    assert!((found.y / expected - 1.0).abs() < 0.02, "{found:?} {expected}");
    assert!(found.x.hypot(found.z) < 0.02 * expected, "{found:?}");
}

#[test]
fn a_box_that_floats_as_deep_as_its_weight_demands_is_in_balance() {
    let size = Vec3::new(10.0, 12.0, 10.0) * SPACING;
    let mut scene = Scene { gravity: -G * Vec3::y(), bodies: tank(size), ..Scene::default() };
    let (centre, half) = (7.0 * SPACING * Vec3::y(), Vec3::repeat(2.0 * SPACING));
    scene.bodies.push(cube(centre, 750.0));
    let (low, high) = (Vec3::new(-5.0, 0.0, -5.0) * SPACING, Vec3::new(5.0, 8.0, 5.0) * SPACING);
    water(&mut scene, low, high, Some((centre - half, centre + half)));
    let run = record(&scene, soft(), 1e-3, 1);
    let (found, weight) = (mean_force(&run, 5, 0).y, scene.bodies[5].mass * G);
    assert!((found / weight - 1.0).abs() < 0.02, "{found} {weight}");
}

/// A ball of water that turns and hits a free box, without gravity.
fn collision() -> Scene {
    let mut scene =
        Scene { bodies: vec![cube(Vec3::new(8.0, 0.5, 0.0) * SPACING, 800.0)], ..Scene::default() };
    let half = Vec3::repeat(3.0 * SPACING);
    water(&mut scene, -half, half, None);
    for particle in &mut scene.particles {
        particle.velocity = Vec3::x() + Vec3::new(1.0, 2.0, -1.0).cross(&particle.position);
    }
    scene
}

fn momentum(scene: &Scene, state: &State) -> (Vec3, Vec3) {
    let (body, now) = (&scene.bodies[0], &state.bodies[0]);
    let linear = body.mass * now.linear_velocity;
    let spin =
        rigor_math::inertia::angular_momentum(&body.inertia, &now.pose.rotation, &now.angular_velocity);
    let mut sum = (linear, now.pose.position.cross(&linear) + spin);
    for (particle, now) in scene.particles.iter().zip(&state.particles) {
        let p = particle.mass * now.velocity;
        sum.0 += p;
        sum.1 += now.position.cross(&p);
    }
    sum
}

#[test]
fn water_and_a_body_that_it_hits_keep_their_momentum_and_gain_no_energy() {
    let scene = collision();
    let run = record(&scene, soft(), 0.01, 12);
    let (before, after) = (momentum(&scene, &State::initial(&scene)), momentum(&scene, run.last()));
    assert!((after.0 - before.0).norm() < 1e-12 * before.0.norm(), "{before:?} {after:?}");
    assert!((after.1 - before.1).norm() < 1e-12 * before.0.norm() * SPACING * 10.0, "{before:?} {after:?}");
    let speed = run.last().bodies[0].linear_velocity.x;
    assert!(speed > 0.1, "it was not hit: {speed}");
    let energy = |state: &State| {
        let of_water: f64 = scene
            .particles
            .iter()
            .zip(&state.particles)
            .map(|(p, s)| p.mass * s.velocity.norm_squared())
            .sum();
        let (body, now) = (&scene.bodies[0], &state.bodies[0]);
        let spin =
            rigor_math::inertia::angular_momentum(&body.inertia, &now.pose.rotation, &now.angular_velocity);
        0.5 * (of_water + body.mass * now.linear_velocity.norm_squared() + spin.dot(&now.angular_velocity))
    };
    let start = energy(&State::initial(&scene));
    for state in &run.trajectory.frames {
        assert!(energy(state) <= start * (1.0 + 1e-3), "{} {start}", energy(state));
    }
}

#[test]
fn forces_in_reports_explain_the_motion_of_a_body() {
    let scene = collision();
    let run = record(&scene, soft(), 0.01, 12);
    let impulse: Vec3 = run.reports.iter().map(|r| r.body_forces(1)[0].contact * 0.01).sum();
    let (mass, last) = (scene.bodies[0].mass, &run.last().bodies[0]);
    assert!((impulse - mass * last.linear_velocity).norm() < 1e-9 * impulse.norm());
    // Torque of the reported forces about the centre of mass, which moves little in the first step of contact.
    let (k, report) = run.reports.iter().enumerate().find(|(_, r)| !r.particle_contacts.is_empty()).unwrap();
    let (before, after) = (&run.trajectory.frames[k].bodies[0], &run.trajectory.frames[k + 1].bodies[0]);
    let torques = report.particle_contacts.iter().map(|contact| {
        (contact.point_world - after.pose.position).cross(&(-contact.normal_force * contact.normal_world))
    });
    let torque: Vec3 = torques.sum();
    let spin = |state: &rigor_scene::BodyState| {
        rigor_math::inertia::angular_momentum(
            &scene.bodies[0].inertia,
            &state.pose.rotation,
            &state.angular_velocity,
        )
    };
    let change = (spin(after) - spin(before)) / 0.01;
    assert!((torque - change).norm() < 0.1 * change.norm(), "{torque:?} {change:?}");
}

#[test]
fn the_bits_do_not_depend_on_threads_or_on_pauses() {
    let mut scene = collision();
    scene.gravity = -G * Vec3::y();
    let run = |threads: usize| record_on(threads, &scene, &soft(), 0.01, 6);
    let whole = run(1);
    assert_eq!(whole.last(), run(2).last());
    assert_eq!(whole.last(), run(5).last());
    assert_eq!(&resumed(&scene, &soft(), &whole, 0.01, &[3]), whole.last());
}

#[test]
fn what_cannot_be_simulated_is_refused_with_a_reason() {
    let why = |change: &dyn Fn(&mut Scene)| {
        let mut scene = pond();
        change(&mut scene);
        let method = Particles::new(Config::default(), Clock::default()).unwrap();
        method.supports(&scene).unwrap_err().to_string()
    };
    let thin = why(&|scene| {
        let size = Vec3::new(0.3, 0.5 * SPACING, 0.3);
        scene.bodies.push(body("sheet", Role::Static, size, Vec3::y(), 1.0));
    });
    assert!(thin.contains("\"sheet\"") && thin.contains("less than the spacing"), "{thin}");
    let large = why(&|scene| {
        let size = Vec3::new(6.0, 0.06, 6.0);
        scene.bodies.push(body("ground", Role::Static, size, -Vec3::y(), 1.0));
    });
    assert!(large.contains("max_particles"), "{large}");
    let mixed = why(&|scene| {
        scene.particles.insert(0, Particle { radius: 0.01, ..Particle::new(1.0, Vec3::y()) });
        scene.fluids[0].particles = 1..scene.particles.len();
    });
    assert!(mixed.contains("grains"), "{mixed}");
    let heavy = why(&|scene| scene.fluids[0].density = f64::NAN);
    assert!(heavy.contains("density"), "{heavy}");
    let bad = Config { compression: 0.0, ..Config::default() }.validate().unwrap_err();
    assert!(bad.to_string().contains("compression"), "{bad}");
}

/// A tank of one piece, of wood, whose inner edges are `size` (m) and whose walls are three spacings thick; the origin is in the
/// middle of its bottom.
fn loose_tank(size: Vec3, lid: bool) -> Body {
    let t = 3.0 * SPACING;
    let (x, y, z) = (0.5 * (size.x + t), 0.5 * size.y, 0.5 * (size.z + t));
    let plate = Vec3::new(size.x + 2.0 * t, t, size.z + 2.0 * t);
    let (side, end) = (Vec3::new(t, size.y, size.z), Vec3::new(size.x + 2.0 * t, size.y, t));
    let mut walls = vec![
        (plate, Vec3::new(0.0, -0.5 * t, 0.0)),
        (side, Vec3::new(-x, y, 0.0)),
        (side, Vec3::new(x, y, 0.0)),
        (end, Vec3::new(0.0, y, -z)),
        (end, Vec3::new(0.0, y, z)),
    ];
    if lid {
        walls.push((plate, Vec3::new(0.0, size.y + 0.5 * t, 0.0)));
    }
    let placed = |(edges, centre): (Vec3, Vec3)| PlacedShape {
        pose: Pose::translation(centre),
        ..shape(Cuboid::new(edges).mesh().unwrap(), PartKind::Convex)
    };
    let shapes = walls.into_iter().map(placed).collect();
    BodySpec { group: 2, weight: Weight::Density(600.0), ..BodySpec::new("tank", shapes) }.build().unwrap()
}

/// The largest speed (m/s) of any particle of a run relative to the first body, in its last frame.
fn fastest_inside(run: &Run) -> f64 {
    let tank = &run.last().bodies[0];
    run.last()
        .particles
        .iter()
        .map(|p| (p.velocity - tank.velocity_at(&p.position)).norm())
        .fold(0.0, f64::max)
}

#[test]
fn a_tank_that_falls_freely_keeps_its_water() {
    for (lid, hydrostatic, tilt) in [(false, true, 0.0), (false, false, 0.3), (true, true, 1.0)] {
        let gravity = G * Vec3::new(tilt, -1.0, 0.5 * tilt).normalize();
        let mut scene = Scene { gravity, ..Scene::default() };
        scene.bodies.push(loose_tank(Vec3::new(5.0, 5.0, 5.0) * SPACING, lid));
        water(&mut scene, Vec3::new(-2.5, 0.0, -2.5) * SPACING, Vec3::new(2.5, 5.0, 2.5) * SPACING, None);
        let run = record(&scene, Config { hydrostatic, ..soft() }, 0.01, 30);
        // The tank of this issue had 0.27 m/s of it.
        let found = fastest_inside(&run);
        assert!(found < 0.01, "{found} m/s, lid {lid}, hydrostatic {hydrostatic}");
    }
}

#[test]
fn water_in_a_tank_that_is_pushed_moves_with_it() {
    // Fills the tank, so that both move as one body of their mass.
    for (push, turns) in [(Vec3::new(2.0, 0.0, 0.0), false), (Vec3::new(0.0, 2.0, -1.0), true)] {
        let mut scene =
            Scene { bodies: vec![loose_tank(Vec3::repeat(6.0 * SPACING), true)], ..Scene::default() };
        water(&mut scene, Vec3::new(-3.0, 0.0, -3.0) * SPACING, Vec3::new(3.0, 6.0, 3.0) * SPACING, None);
        let of_water: f64 = scene.particles.iter().map(|p| p.mass).sum();
        let tank = &mut scene.bodies[0];
        tank.fixed.rotation = [!turns; 3];
        let mass = tank.mass + of_water;
        tank.force = mass * push;
        let run = record(&scene, soft(), 0.01, 20);
        let t = 0.2;
        let v = run.last().bodies[0].linear_velocity;
        assert!((v - t * push).norm() < 0.02 * t * push.norm(), "{v:?} {push:?}");
        let force = mean_force(&run, 0, 5);
        assert!((force + of_water * push).norm() < 0.05 * of_water * push.norm(), "{force:?} {of_water}");
        assert!(fastest_inside(&run) < 0.1 * t * push.norm(), "{}", fastest_inside(&run));
    }
}

#[test]
fn a_tank_whose_motion_is_prescribed_takes_its_water_along() {
    // x = ½ a t² in steps of 10 ms.
    let mut tank = loose_tank(Vec3::repeat(6.0 * SPACING), true);
    let start = tank.initial.pose;
    let at = |t: f64| Pose::new(start.position + t * t * Vec3::x(), start.rotation);
    let path =
        KinematicPath::Keyframes((1..=40).map(|k| (0.01 * f64::from(k), at(0.01 * f64::from(k)))).collect());
    tank.role = Role::Kinematic(Motion { path, stops_at: f64::INFINITY });
    let mut scene = Scene { bodies: vec![tank], ..Scene::default() };
    water(&mut scene, Vec3::new(-3.0, 0.0, -3.0) * SPACING, Vec3::new(3.0, 6.0, 3.0) * SPACING, None);
    let run = record(&scene, soft(), 0.01, 20);
    let mean: Vec3 =
        run.last().particles.iter().map(|p| p.velocity).sum::<Vec3>() / scene.particles.len() as f64;
    assert!((mean.x / 0.4 - 1.0).abs() < 0.05, "{mean:?}");
    assert!(fastest_inside(&run) < 0.04, "{}", fastest_inside(&run));
}

#[test]
fn a_block_of_water_in_free_fall_keeps_its_form() {
    let mut scene = Scene { gravity: -G * Vec3::y(), ..Scene::default() };
    scene.bodies.push(body("floor", Role::Static, Vec3::new(0.4, 0.06, 0.4), -Vec3::y(), 1.0));
    let half = Vec3::repeat(2.5 * SPACING);
    water(&mut scene, -half, half, None);
    let run = record(&scene, soft(), 0.01, 30);
    let n = scene.particles.len() as f64;
    let mean: Vec3 = run.last().particles.iter().map(|p| p.velocity).sum::<Vec3>() / n;
    let apart = run.last().particles.iter().map(|p| (p.velocity - mean).norm()).fold(0.0, f64::max);
    assert!(apart < 1e-6 && (mean.y / (-0.3 * G) - 1.0).abs() < 1e-9, "{apart} {mean:?}");
}

#[test]
fn walls_that_are_too_thin_are_told() {
    let told = |walls: f64, backing: bool| {
        let size = Vec3::new(8.0, 10.0, 8.0) * SPACING;
        let mut scene = Scene { gravity: -G * Vec3::y(), bodies: tank(size), ..Scene::default() };
        let t = walls * SPACING;
        let plate = Vec3::new(size.x + 6.0 * SPACING, t, size.z + 6.0 * SPACING);
        scene.bodies[0] = body("floor", Role::Static, plate, Vec3::new(0.0, -0.5 * t, 0.0), 1.0);
        if backing {
            scene.bodies.push(body("ground", Role::Static, plate, Vec3::new(0.0, -1.5 * t, 0.0), 1.0));
        }
        let half = 4.0 * SPACING;
        water(&mut scene, Vec3::new(-half, 0.0, -half), Vec3::new(half, 2.0 * half, half), None);
        let method = Particles::new(Config::default(), Clock::default()).unwrap();
        let notices =
            method.notices(&scene, 0.01).into_iter().filter(|notice| notice.quantity == "thickness");
        notices.map(|notice| notice.to_string()).collect::<Vec<_>>()
    };
    assert!(told(3.0, false).is_empty(), "{:?}", told(3.0, false));
    let thin = told(1.5, false);
    assert!(thin.len() == 1 && thin[0].starts_with("thickness 0.03"), "{thin:?}");
    assert!(thin[0].contains("\"floor\""), "{thin:?}");
    // Two plates on each other are thick enough.
    assert!(told(1.5, true).is_empty(), "{:?}", told(1.5, true));
    // A hollow body is as thick as its walls, whatever its extent.
    let mut scene = Scene { bodies: vec![loose_tank(Vec3::repeat(6.0 * SPACING), true)], ..Scene::default() };
    water(&mut scene, Vec3::new(-3.0, 0.0, -3.0) * SPACING, Vec3::new(3.0, 6.0, 3.0) * SPACING, None);
    let method = Particles::new(Config::default(), Clock::default()).unwrap();
    let count =
        |scene: &Scene| method.notices(scene, 0.01).iter().filter(|n| n.quantity == "thickness").count();
    assert_eq!(count(&scene), 0);
    scene.fluids[0].spacing *= 1.1;
    assert_eq!(count(&scene), 1);
}

//! Concave bodies thrown at each other at random.

use rigor_geometry::Mesh;
use rigor_geometry::distance::point_triangle;
use rigor_geometry::intersection::containment;
use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::{BodyId, BodySpec, FlawKind, Role, Scene, State, Subject};
use rigor_shapes::{ChainLink, Extrusion, Outline, Torus};
use rigor_xpbd::Config;

use crate::scenes::{cuboid, record, scene, shape};

/// Pseudo-random numbers in [−1, 1) from a seed: a linear congruential generator with Knuth's MMIX
/// multiplier.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::from_fn(|_, _| self.next())
    }
}

/// Rings, links, a star and a comb cut from a plate of this `thickness` (m).
fn shapes(thickness: f64) -> Vec<Mesh> {
    let star = (0..10).map(|i| {
        let (r, angle) = (if i % 2 == 0 { 0.5 } else { 0.2 }, f64::from(i) * std::f64::consts::PI / 5.0);
        let turn = rotation_vector::exp(&(Vec3::z() * angle)) * (Vec3::x() * r);
        [turn.x, turn.y]
    });
    let mut comb = vec![[-0.5, -0.1], [0.5, -0.1]];
    for x in [0.4, 0.0, -0.4] {
        comb.extend([[x + 0.03, 0.0], [x + 0.03, 0.4], [x - 0.03, 0.4], [x - 0.03, 0.0]]);
    }
    let plate =
        |rim| Extrusion { outline: Outline::Polygon(rim), holes: Vec::new(), depth: Some(thickness) }.mesh();
    [
        Torus { major_radius: 0.4, minor_radius: 0.1, segments: 12, sides: 6 }.mesh(),
        ChainLink { straight: 0.3, bend_radius: 0.25, wire_radius: 0.04, segments: 5, sides: 5 }.mesh(),
        plate(star.collect()),
        plate(comb),
    ]
    .map(|mesh| mesh.expect("a valid shape"))
    .to_vec()
}

/// Maximum depth (m) of a vertex of one body inside the other.
fn depth(scene: &Scene, state: &State) -> f64 {
    [(0, 1), (1, 0)].into_iter().fold(0.0, |deepest, (i, j)| {
        let (mesh, other) = (&scene.bodies[i].mesh, &scene.bodies[j].mesh);
        let into = state.bodies[i].pose.relative_to(&state.bodies[j].pose);
        mesh.vertices().iter().map(|v| into.point(v)).fold(deepest, |deepest: f64, p| {
            if !other.bounds().contains(&rigor_geometry::Aabb::new(p, p))
                || containment::winding_number(&p, other.vertices(), other.triangles()).abs() < 0.5
            {
                return deepest;
            }
            let near = (0..other.triangles().len()).map(|t| {
                let [a, b, c] = other.corners(t);
                point_triangle::closest(&p, &a, &b, &c).separation.norm()
            });
            deepest.max(near.fold(f64::INFINITY, f64::min))
        })
    })
}

/// Throws pairs of `shapes` at each other, and returns the maximum depth (m) of any vertex and the number of
/// pairs that met.
fn throw(shapes: &[Mesh], trials: usize) -> (f64, usize) {
    let mut numbers = Numbers(1);
    let (mut worst, mut n_met) = (0.0_f64, 0);
    for trial in 0..trials {
        let body = |name: &str, mesh: &Mesh, pose: Pose, v: Vec3, w: Vec3| BodySpec {
            pose,
            linear_velocity: v,
            angular_velocity: w,
            ..BodySpec::new(name, vec![shape(mesh.clone())])
        };
        let speed = [1.0, 10.0, 40.0][trial % 3];
        let (first, second) = (&shapes[trial % shapes.len()], &shapes[trial / shapes.len() % shapes.len()]);
        let turn = [0, 1].map(|_| rotation_vector::exp(&(3.0 * numbers.vector())));
        let place = Vec3::new(1.4, 0.3 * numbers.next(), 0.3 * numbers.next());
        let spin = 5.0 * numbers.vector();
        let scene = Scene {
            gravity: Vec3::zeros(),
            ..scene(vec![
                body("first", first, Pose::new(Vec3::zeros(), turn[0]), Vec3::zeros(), Vec3::zeros()),
                body("second", second, Pose::new(place, turn[1]), Vec3::x() * -speed, spin),
            ])
        };
        let steps = (150.0 / speed) as u64;
        let run = record(&scene, Config::default(), 1e-2, steps);
        n_met += usize::from(run.reports.iter().any(|r| !r.contacts.is_empty()));
        let deepest = run.trajectory.frames.iter().step_by(2).map(|f| depth(&scene, f)).fold(0.0, f64::max);
        worst = worst.max(deepest);
    }
    (worst, n_met)
}

#[test]
fn concave_bodies_that_are_thrown_at_each_other_overlap_little() {
    let (worst, n_met) = throw(&shapes(0.08), 60);
    assert!(n_met > 40, "only {n_met} met");
    assert!(worst < 1e-4, "{worst} m deep");
}

/// Stars and combs of 4 mm move by up to 20 mm in a substep.
#[test]
fn thin_concave_bodies_that_are_thrown_at_each_other_overlap_little() {
    let (worst, n_met) = throw(&shapes(0.004)[2..], 30);
    assert!(n_met > 15, "only {n_met} met");
    assert!(worst < 1e-4, "{worst} m deep");
}

/// A box that strikes a plate with a corner spins at thousands of radians per second, and other corners
/// follow.
#[test]
fn small_boxes_that_are_thrown_at_thin_plates_stay_on_their_side() {
    let mut numbers = Numbers(2);
    let mut between = |low: f64, high: f64| low * (high / low).powf(0.5 + 0.5 * numbers.next());
    let (mut n_stopped, mut n_too_fast) = (0, 0);
    for trial in 0..120 {
        let speed = between(3.0, 300.0);
        let thickness = between(5e-4, 1e-2);
        let dt = [1.0 / 60.0, 1.0 / 100.0, 1.0 / 240.0][trial % 3];
        let plate = cuboid("plate", [0.5, thickness, 0.5], [0.0; 3]);
        let role = if trial % 2 == 0 { Role::Static } else { Role::Dynamic };
        let mut turn = || between(1.0, 400.0) - 20.0;
        let (tilt, spin) = (Vec3::from_fn(|_, _| turn()), Vec3::from_fn(|_, _| turn()) * (speed / 100.0));
        let size = [0.0; 3].map(|_| between(3e-3, 5e-2));
        let thrown = cuboid("box", size, [0.0, 0.3, 0.0]);
        let thrown = BodySpec {
            pose: Pose::new(thrown.pose.position, rotation_vector::exp(&tilt)),
            linear_velocity: Vec3::y() * -speed,
            angular_velocity: spin,
            ..thrown
        };
        let scene = Scene { gravity: Vec3::zeros(), ..scene(vec![BodySpec { role, ..plate }, thrown]) };
        let run = record(&scene, Config::default(), dt, (0.4 / (speed * dt)).ceil() as u64 + 1);
        let [plate, thrown] = [0, 1].map(|i| scene.bodies[i].authored_pose(&run.last().bodies[i].pose));
        let at = thrown.relative_to(&plate).position;
        let is_over = at.x.abs() < 0.25 && at.z.abs() < 0.25;
        n_stopped += usize::from(is_over);
        if run.reports.iter().flat_map(|report| &report.flaws).any(|flaw| flaw.kind == FlawKind::TooFast) {
            n_too_fast += 1;
            continue;
        }
        assert!(!is_over || at.y > 0.5 * thickness, "trial {trial} at {speed} m/s: {at}");
    }
    assert!(n_stopped > 80, "only {n_stopped} did not slide off");
    assert!(n_too_fast < 20, "{n_too_fast} were too fast");
}

#[test]
fn a_body_too_fast_for_any_number_of_substeps_is_told() {
    let flaws = |speed: f64| {
        let thrown = cuboid("box", [3e-3; 3], [0.0, 0.3, 0.0]);
        let thrown = BodySpec { linear_velocity: Vec3::y() * -speed, ..thrown };
        let plate = BodySpec { role: Role::Static, ..cuboid("plate", [0.5, 1e-3, 0.5], [0.0; 3]) };
        let scene = Scene { gravity: Vec3::zeros(), ..scene(vec![plate, thrown]) };
        let run = record(&scene, Config::default(), 1.0 / 60.0, 1);
        run.reports[0].flaws.iter().map(|flaw| (flaw.kind.clone(), flaw.subject)).collect::<Vec<_>>()
    };
    assert_eq!(flaws(1000.0), [(FlawKind::TooFast, Subject::Pair(BodyId(0), BodyId(1)))]);
    assert!(flaws(20.0).is_empty());
}

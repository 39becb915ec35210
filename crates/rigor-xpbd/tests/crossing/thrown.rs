//! Concave bodies thrown at each other at random.

use rigor_geometry::Mesh;
use rigor_geometry::distance::point_triangle;
use rigor_geometry::intersection::containment;
use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::{BodySpec, Scene, State};
use rigor_shapes::{ChainLink, Extrusion, Outline, Torus};
use rigor_xpbd::Config;

use super::scenes::{record, scene, shape};

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

/// Rings, links, a star extruded to a plate, a comb.
fn shapes() -> Vec<Mesh> {
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
        |rim| Extrusion { outline: Outline::Polygon(rim), holes: Vec::new(), depth: Some(0.08) }.mesh();
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

#[test]
fn concave_bodies_that_are_thrown_at_each_other_overlap_little() {
    let (shapes, mut numbers) = (shapes(), Numbers(1));
    let (mut worst, mut n_met) = (0.0_f64, 0);
    for trial in 0..60 {
        let body = |name: &str, mesh: &Mesh, pose: Pose, v: Vec3, w: Vec3| BodySpec {
            pose,
            linear_velocity: v,
            angular_velocity: w,
            ..BodySpec::new(name, vec![shape(mesh.clone())])
        };
        let speed = [1.0, 10.0, 40.0][trial % 3];
        let (first, second) = (&shapes[trial % 4], &shapes[trial / 4 % 4]);
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
    assert!(n_met > 40, "only {n_met} met");
    assert!(worst < 1e-4, "{worst} m deep");
}

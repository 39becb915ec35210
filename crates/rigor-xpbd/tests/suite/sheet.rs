//! Particles and soft bodies on open sheets: planes, cards, height fields. Nothing goes through, however slow.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use proptest::prelude::*;
use rigor_file::{Files, LoadOptions, load};
use rigor_geometry::Mesh;
use rigor_math::{Pose, Vec3, elementary, rotation_vector};
use rigor_scene::{BodySpec, Clock, Friction, Method, Outcome, Particle, Role, Run, Scene, State};
use rigor_shapes::{Card, HeightField, Plane};
use rigor_xpbd::{Config, Pbd, Xpbd, pbd};

use crate::scenes::{shape, xpbd};

/// A fixed sheet, turned by a rotation vector (rad) and shifted (m).
fn sheet(mesh: Mesh, turn: [f64; 3], position: [f64; 3], friction: f64) -> BodySpec {
    let pose = Pose::new(position.into(), rotation_vector::exp(&turn.into()));
    BodySpec {
        role: Role::Static,
        pose,
        friction: Friction::uniform(friction),
        ..BodySpec::new("sheet", vec![shape(mesh)])
    }
}

fn plane() -> Mesh {
    Plane::new([10.0, 10.0]).mesh().unwrap()
}

/// Hills of ±0.2 m, 8 m × 8 m.
fn hills() -> Mesh {
    let n = 25;
    let height = |k: usize| {
        let (x, z) = ((k % n) as f64, (k / n) as f64);
        0.2 * elementary::sin(0.9 * x) * elementary::cos(0.7 * z)
    };
    let heights = (0..n * n).map(height).collect();
    HeightField { size: [8.0, 8.0], counts: [n as u32; 2], heights, base: None }.mesh().unwrap()
}

/// Returns the height (m) of `x` (world) above the sheet with this pose, along its own y; infinity beside it.
fn height(scene: &Scene, pose: &Pose, x: &Vec3) -> f64 {
    let body = &scene.bodies[0];
    let local = pose.inverse_point(x);
    let above = body.mesh.triangles().iter().filter_map(|t| {
        let place = |v: u32| pose.inverse_point(&body.initial.pose.point(&body.mesh.vertices()[v as usize]));
        let [a, b, c] = t.map(place);
        let area = |p: &Vec3, q: &Vec3, r: &Vec3| (q.z - p.z) * (r.x - p.x) - (q.x - p.x) * (r.z - p.z);
        let whole = area(&a, &b, &c);
        let [u, v, w] = [area(&local, &b, &c), area(&a, &local, &c), area(&a, &b, &local)].map(|s| s / whole);
        let is_over = u >= -1e-9 && v >= -1e-9 && w >= -1e-9;
        is_over.then(|| local.y - (u * a.y + v * b.y + w * c.y))
    });
    above.fold(f64::INFINITY, f64::min)
}

/// Points in a grid of `n` × `n`, `lift` above the sheet along its y, with this velocity (m/s) in its frame.
fn points(sheet: BodySpec, n: usize, lift: f64, velocity: Vec3, radius: f64) -> Scene {
    let (friction, pose) = (sheet.friction, sheet.pose);
    let mut scene = crate::scenes::scene(vec![sheet]);
    for k in 0..n * n {
        let at = |i: usize| -1.0 + 2.0 * (i as f64 + 0.37) / n as f64;
        let mut x = pose.point(&Vec3::new(at(k / n), 0.0, at(k % n)));
        let up = pose.vector(&Vec3::y());
        let below = height(&scene, &pose, &x);
        x += up * (lift - below);
        scene.particles.push(Particle {
            radius,
            velocity: pose.vector(&velocity),
            friction,
            ..Particle::new(1.0, x)
        });
    }
    scene
}

fn run(scene: &Scene, method: &mut dyn Method, steps: u64) -> Run {
    let run = Run::record(scene, method, 0.01, steps);
    assert_eq!(run.outcome, Outcome::Completed);
    run
}

/// Returns the lowest height (m) above the sheet of any particle in any frame, and how many are below `limit` at the
/// end.
fn lowest(scene: &Scene, pose: &Pose, run: &Run, limit: f64) -> (f64, usize) {
    let heights =
        |state: &State| state.particles.iter().map(|p| height(scene, pose, &p.position)).collect::<Vec<_>>();
    let all = run.trajectory.frames.iter().step_by(4).flat_map(heights).fold(f64::INFINITY, f64::min);
    (all, heights(run.last()).into_iter().filter(|y| *y < limit).count())
}

fn methods() -> [Box<dyn Method>; 2] {
    [Box::new(xpbd(Config::default())), Box::new(Pbd::new(pbd::Config::default(), Clock::default()).unwrap())]
}

#[test]
fn points_stay_on_a_sheet_on_which_they_fall_or_slide() {
    let tilt = |degrees: f64| Vec3::z() * degrees.to_radians();
    for mut method in methods() {
        for (mesh, name) in [
            (plane(), "plane"),
            (Card { size: [9.0, 9.0], thickness: None }.mesh().unwrap(), "card"),
            (hills(), "hills"),
        ] {
            for (degrees, v, mu) in [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (20.0, 0.0, 0.5), (20.0, 1.0, 0.1)] {
                for radius in [0.0, 1e-13, 1e-3] {
                    let sheet = sheet(mesh.clone(), tilt(degrees).into(), [0.1, 0.2, 0.3], mu);
                    let pose = sheet.pose;
                    let scene = points(sheet, 6, radius + 0.01, Vec3::new(v, 0.0, 0.3 * v), radius);
                    let run = run(&scene, &mut *method, 60);
                    let (deepest, below) = lowest(&scene, &pose, &run, -1e-6);
                    assert!(
                        below == 0 && deepest > -1e-6,
                        "{}, {name}, {degrees}°, {v} m/s, r = {radius}: {below} of 36 below, {deepest} m",
                        method.name()
                    );
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Any tilt of up to 80°, any speed up to 100 m/s, near or far from the origin, mirrored sheets included.
    #[test]
    fn no_point_is_ever_below_its_sheet(
        turn in [-0.8..0.8, -3.0..3.0, -0.8..0.8],
        away in prop::sample::select(vec![0.0, 1.0, 1e3]),
        exponent in -3.0..2.0,
        direction in [-1.0..1.0, -1.0..0.2, 0.1..1.0],
        lift in prop::sample::select(vec![0.0, 1e-17, 1e-6, 0.01]),
        mu in prop::sample::select(vec![0.0, 0.3]),
        radius in prop::sample::select(vec![0.0, 1e-12]),
        is_flat in any::<bool>(),
    ) {
        let mesh = if is_flat { plane() } else { hills() };
        let speed = elementary::exp(exponent * std::f64::consts::LN_10);
        let velocity = Vec3::from(direction).normalize() * speed;
        let sheet = sheet(mesh, turn, [away, -away, 0.3], mu);
        let pose = sheet.pose;
        let scene = points(sheet, 3, lift + radius, velocity, radius);
        let run = run(&scene, &mut xpbd(Config::default()), 30);
        let (deepest, _) = lowest(&scene, &pose, &run, -1e-6);
        prop_assert!(deepest > -1e-6, "{deepest} m");
    }
}

/// The text of one scene.
struct Text(String);

impl Files for Text {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

fn scene(text: &str) -> Scene {
    let text = Text(format!("format = 1\nname = \"test\"\n[time]\ndt = 0.01\nduration = 1.0\n{text}"));
    load(Path::new("test.toml"), &text, &LoadOptions::default()).unwrap().scene
}

const PLANE: &str = "[[body]]\nname = \"floor\"\nrole = \"static\"\nfriction = 0.2\n[[body.shape]]\n\
                     plane = { size = [10, 10] }\n";

/// Ropes, cloths and blocks that fall, slide, stand or lie on a plane.
#[test]
fn soft_bodies_stay_on_a_plane() {
    let block = |law: &str, more: &str| {
        format!(
            "[[soft]]\nname = \"s\"\nlaw = \"{law}\"\nsize = [0.3, 0.1, 0.3]\ncells = [3, 1, 3]\n{more}\n"
        )
    };
    let cloth = |corner: &str, v: &str, more: &str| {
        format!(
            "[[cloth]]\nname = \"s\"\ncorner = {corner}\nu = [0, 0, 1]\nv = {v}\nvertices = [9, 9]\ndensity = 0.2\n\
             shear_compliance = 1e-4\n{more}\n"
        )
    };
    let rope = |from: &str, to: &str, more: &str| {
        format!("[[rope]]\nname = \"s\"\nfrom = {from}\nto = {to}\nsegments = 10\nmass = 0.1\n{more}\n")
    };
    let mut all: Vec<String> = ["neo_hookean", "st_venant_kirchhoff", "distance_and_volume", "shape"]
        .into_iter()
        .flat_map(|law| {
            [
                block(law, "position = [0, 0.06, 0]"),
                block(law, "position = [0, 0.05, 0]"),
                block(law, "position = [0, 0.3, 0]\nvelocity = [3, -5, 1]\nrotation_deg = [30, 20, 10]"),
            ]
        })
        .collect();
    all.extend([
        cloth("[-0.5, 0.1, -0.5]", "[1, 0, 0]", ""),
        cloth("[-0.5, 0, -0.5]", "[1, 0, 0]", ""),
        cloth("[-0.5, 0.1, -0.5]", "[0.9, 0.4, 0]", "velocity = [1, 0, 0.5]"),
        cloth("[-0.5, 0.1, -0.5]", "[0, 1, 0]", "velocity = [0, -20, 0]"),
        rope("[0, 0.01, 0]", "[0, 1.01, 0]", ""),
        rope("[0, 0, 0]", "[0, 1, 0]", ""),
        rope("[-0.5, 0.2, 0]", "[0.5, 0.2, 0]", "velocity = [2, -3, 0]"),
    ]);
    for mut method in methods() {
        // `pbd` projects the strains of tetrahedra without compliance, and a thrown block flies apart.
        let is_pbd = method.name() == "pbd";
        let flies_apart = |text: &str| is_pbd && (text.contains("neo_hookean") || text.contains("venant"));
        for text in all.iter().filter(|text| !flies_apart(text)) {
            let scene = scene(&format!("{PLANE}{text}"));
            let run = run(&scene, &mut *method, 60);
            let (deepest, below) = lowest(&scene, &Pose::identity(), &run, -1e-4);
            // A cloth that crumples in a single substep is pressed in, and comes back.
            let limit = if is_pbd { -1e-2 } else { -1e-3 };
            assert!(
                below == 0 && deepest > limit,
                "{}: {below} below, {deepest} m of\n{text}",
                method.name()
            );
        }
    }
}

#[test]
fn what_starts_on_a_sheet_is_on_the_side_of_its_body_or_above() {
    // A block hangs under a ceiling, exactly at it: it falls, all of it.
    let ceiling =
        "[[soft]]\nname = \"s\"\nsize = [0.3, 0.1, 0.3]\ncells = [3, 1, 3]\nposition = [0, -0.05, 0]\n";
    let run_of = |text: &str| {
        let scene = scene(&format!("{PLANE}{text}"));
        run(&scene, &mut xpbd(Config::default()), 30)
            .last()
            .particles
            .iter()
            .map(|p| p.position)
            .collect::<Vec<_>>()
    };
    assert!(run_of(ceiling).iter().all(|x| x.y < -0.2), "it hangs");
    // A point at the plane, or off it by rounding, stays; thrown up it flies; well below it falls.
    let point =
        |y: f64, v: f64| format!("[[particle]]\nposition = [0.3, {y:e}, 0.2]\nvelocity = [0, {v}, 0]\n");
    for y in [0.0, 1e-17, -1e-17] {
        assert!(run_of(&point(y, 0.0))[0].y.abs() < 1e-12, "{y}");
        assert!((run_of(&point(y, 3.0))[0].y - (0.9 - 4.905 * 0.09)).abs() < 0.01, "{y}");
    }
    assert!(run_of(&point(-1e-3, 0.0))[0].y < -0.3);
}

/// A point that slides off a card falls, and one that goes around the border comes back from below.
#[test]
fn a_border_lets_points_around() {
    let card = "[[body]]\nname = \"card\"\nrole = \"static\"\n[[body.shape]]\ncard = { size = [1, 1] }\n";
    let off = scene(&format!("{card}[[particle]]\nposition = [0.3, 0, 0.1]\nvelocity = [2, 0, 0]\n"));
    let fallen = run(&off, &mut xpbd(Config::default()), 50);
    let x = fallen.last().particles[0].position;
    let time = 0.5 - 0.1;
    assert!((x.y + 0.5 * 9.81 * time * time).abs() < 0.02 && (x.x - 1.3).abs() < 1e-9, "{x:?}");
}

/// Two cards side by side are one floor, whatever the rounding of their poses.
#[test]
fn points_slide_over_the_seam_of_two_cards() {
    for degrees in [0.0_f64, 17.0, 60.0] {
        let turn = Vec3::z() * degrees.to_radians();
        let place = |x: f64| rotation_vector::exp(&turn) * Vec3::new(x, 0.0, 0.0);
        let card = || Card { size: [1.0, 4.0], thickness: None }.mesh().unwrap();
        let cards: Vec<BodySpec> =
            [-0.5, 0.5].map(|x| sheet(card(), turn.into(), place(x).into(), 0.0)).to_vec();
        let mut scene = crate::scenes::scene(cards);
        let up = rotation_vector::exp(&turn) * Vec3::y();
        scene.particles = (0..40)
            .map(|k| Particle {
                velocity: rotation_vector::exp(&turn) * Vec3::new(-1.5, 0.0, 0.0),
                ..Particle::new(1.0, place(0.35 + 1e-3 * f64::from(k)) + Vec3::z() * (0.01 * f64::from(k)))
            })
            .collect();
        let run = run(&scene, &mut xpbd(Config::default()), 40);
        let low = run.trajectory.frames.iter().flat_map(|f| &f.particles);
        let low = low.filter(|p| (rotation_vector::exp(&turn).inverse() * p.position).x > -0.99);
        let low = low.map(|p| p.position.dot(&up)).fold(f64::INFINITY, f64::min);
        assert!(low > -1e-6, "{degrees}°: {low} m");
    }
}

#[test]
fn a_sheet_that_moves_carries_points() {
    let lift = "[[body]]\nname = \"lift\"\nrole = \"kinematic\"\nlinear_velocity = [0.3, 1, 0]\n\
                angular_velocity = [0, 2, 0]\nfriction = 1\n[[body.shape]]\nplane = { size = [4, 4] }\n\
                [[particle]]\nposition = [0.1, 0, 0.1]\nfriction = 1\n[[particle]]\nposition = [0.3, 0.2, 0.1]\n\
                friction = 1\n";
    let scene = scene(lift);
    let run = run(&scene, &mut xpbd(Config::default()), 100);
    for p in &run.last().particles {
        assert!((p.position.y - 1.0).abs() < 1e-6, "{p:?}");
    }
}

#[test]
fn a_run_with_points_on_a_sheet_can_be_resumed() {
    let sheet = sheet(hills(), [0.1, 0.2, 0.3], [0.1, 0.2, 0.3], 0.1);
    let scene = points(sheet, 5, 0.01, Vec3::new(0.5, 0.0, 0.2), 0.0);
    let (mut one, mut state) = (xpbd(Config::default()), State::initial(&scene));
    for _ in 0..20 {
        one.step(&scene, &mut state, 0.01).unwrap();
    }
    assert!(state.memory.numbers.contains_key("xpbd/particle_side"));
    let (mut resumed, mut other): (State, Xpbd) = (state.clone(), xpbd(Config::default()));
    for _ in 0..10 {
        one.step(&scene, &mut state, 0.01).unwrap();
        other.step(&scene, &mut resumed, 0.01).unwrap();
    }
    assert_eq!(state, resumed);
}

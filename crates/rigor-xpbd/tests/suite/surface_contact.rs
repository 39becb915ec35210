//! Surfaces of soft bodies against edges and vertices of rigid ones: nothing passes between particles.

use std::path::Path;

use rigor_file::{Files, LoadOptions, load};
use rigor_math::Vec3;
use rigor_scene::{Clock, Method, Outcome, Run, Scene, State};
use rigor_xpbd::{Config, Xpbd};

/// The text of one scene.
struct Text(String);

impl Files for Text {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

fn scene(text: &str) -> Scene {
    let text = Text(format!("format = 1\nname = \"test\"\n[time]\ndt = 0.01\nduration = 1.0\n{text}"));
    load(Path::new("test.toml"), &text, &LoadOptions::default()).expect("a valid scene").scene
}

fn run(scene: &Scene, steps: u64) -> Run {
    let mut xpbd = Xpbd::new(Config::default(), Clock::default()).expect("valid settings");
    let run = Run::record(scene, &mut xpbd, 0.01, steps);
    assert_eq!(run.outcome, Outcome::Completed);
    run
}

/// A square cloth of 1 m in the plane y = 0, 11 × 11 particles at multiples of 0.1 m.
fn cloth(more: &str) -> String {
    format!(
        "[[cloth]]\nname = \"cloth\"\ncorner = [-0.5, 0, -0.5]\nu = [0, 0, 1]\nv = [1, 0, 0]\nvertices = [11, 11]\n\
         density = 0.5\nshear_compliance = 1e-4\nbending_compliance = 10.0\n{more}\n"
    )
}

const PINNED: &str = "pinned = [\"u_min\", \"u_max\", \"v_min\", \"v_max\"]";

/// Number of body edges through triangles of soft bodies, plus soft-body edges through body triangles. Bodies
/// are shrunk about their centre by one part in `margin`.
fn crossings(scene: &Scene, state: &State, margin: f64) -> usize {
    let x = |i: usize| state.particles[i].position;
    let soft: Vec<[Vec3; 3]> = scene
        .soft_bodies
        .iter()
        .flat_map(|soft| &soft.triangles)
        .map(|triangle| triangle.map(|id| x(id.0)))
        .collect();
    let mut lines: Vec<[Vec3; 2]> =
        soft.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]).collect();
    lines.extend(scene.soft_bodies.iter().flat_map(|soft| &soft.edges).map(|e| e.map(|id| x(id.0))));
    let mut count = 0;
    for (body, at) in scene.bodies.iter().zip(&state.bodies) {
        let middle = body.mesh.bounds().center();
        let place = |v: u32| {
            let local = body.mesh.vertices()[v as usize];
            at.pose.point(&(middle + (local - middle) * (1.0 - 1.0 / margin)))
        };
        let hard: Vec<[Vec3; 3]> = body.mesh.triangles().iter().map(|t| t.map(place)).collect();
        let edges = body.mesh.edges().iter().map(|e| e.map(place));
        count += edges.flat_map(|e| soft.iter().filter(move |t| pierces(&e, t))).count();
        count += lines.iter().flat_map(|e| hard.iter().filter(move |t| pierces(e, t))).count();
    }
    count
}

fn pierces([p, q]: &[Vec3; 2], [a, b, c]: &[Vec3; 3]) -> bool {
    let volume = |a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3| (b - a).cross(&(c - a)).dot(&(d - a)) > 0.0;
    let sides = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
    volume(a, b, c, p) != volume(a, b, c, q) && (sides == [true; 3] || sides == [false; 3])
}

fn assert_apart(scene: &Scene, run: &Run, margin: f64) {
    for (k, frame) in run.trajectory.frames.iter().enumerate() {
        let n = crossings(scene, frame, margin);
        assert_eq!(n, 0, "frame {k}: {:?}", frame.bodies.last());
    }
}

/// A plate of 4 mm that falls on its edge, far from any particle.
fn plate(speed: f64, turn: f64, fixed: bool) -> String {
    let fixed = if fixed {
        "fixed = { translation = [true, false, true], rotation = [true, true, true] }"
    } else {
        ""
    };
    format!(
        "[[body]]\nname = \"plate\"\nmass = 0.5\nposition = [0.03, 0.12, 0.047]\nrotation_deg = [0, {turn}, 0]\n\
         linear_velocity = [0, -{speed}, 0]\n{fixed}\n[[body.shape]]\nbox = {{ size = [0.3, 0.2, 0.004] }}\n"
    )
}

#[test]
fn a_thin_edge_that_falls_on_a_taut_cloth_is_held() {
    for (speed, turn) in [(0.0, 0.0), (1.0, 20.0), (30.0, 0.0), (30.0, 65.0)] {
        let scene = scene(&(plate(speed, turn, true) + &cloth(PINNED)));
        let run = run(&scene, 100);
        assert_apart(&scene, &run, 20.0);
        // A fast plate stretches the cloth far and is thrown back, as on a trampoline.
        let heights = run.trajectory.frames.iter().map(|frame| frame.bodies[0].pose.position.y);
        let lowest = heights.clone().fold(f64::MAX, f64::min);
        println!("{speed} m/s, {turn}°: lowest {lowest} m, then {} m", run.last().bodies[0].pose.position.y);
        assert!(lowest > if speed > 10.0 { -0.5 } else { 0.0 }, "{speed}: {lowest} m");
        // No higher than its energy allows.
        let highest = heights.fold(f64::MIN, f64::max);
        assert!(
            highest < 0.12 + speed * speed / (2.0 * 9.81) + 0.01,
            "{speed} m/s: thrown up to {highest} m"
        );
    }
}

#[test]
fn a_spike_that_rises_lifts_a_taut_cloth() {
    let spike = "[[body]]\nname = \"spike\"\nrole = \"kinematic\"\nposition = [0.03, -0.25, 0.047]\n\
                 linear_velocity = [0, 0.3, 0]\n[[body.shape]]\nspike = { size = [0.1, 0.4, 0.1] }\n";
    let scene = scene(&(spike.to_owned() + &cloth(&format!("stretch_compliance = 1e-2\n{PINNED}"))));
    let run = run(&scene, 60);
    assert_apart(&scene, &run, 20.0);
    let tip = |state: &State| {
        let mesh = &scene.bodies[0].mesh;
        mesh.vertices().iter().map(|v| state.bodies[0].pose.point(v).y).fold(f64::MIN, f64::max)
    };
    let (start, end) = (tip(&run.trajectory.frames[0]), tip(run.last()));
    println!("tip from {start} to {end} m");
    assert!(start < 0.0 && end > 0.02, "the spike goes through where the cloth was: {start} {end}");
}

#[test]
fn a_cloth_that_falls_on_a_spike_is_not_pierced() {
    let spike = "[[body]]\nname = \"spike\"\nrole = \"static\"\nfriction = 0.8\nposition = [0.013, -0.35, 0.021]\n\
                 [[body.shape]]\nspike = { size = [0.3, 0.6, 0.3] }\n";
    let scene = scene(&(spike.to_owned() + &cloth("friction = 0.8")));
    let run = run(&scene, 60);
    assert_apart(&scene, &run, 20.0);
    let lowest = run.last().particles.iter().map(|p| p.position.y).fold(f64::MAX, f64::min);
    assert!(lowest < -0.2, "it fell: {lowest}");
}

#[test]
fn the_edge_of_a_box_is_held_by_a_soft_block() {
    let block = "[[soft]]\nname = \"block\"\nsize = [0.4, 0.4, 0.4]\ncells = [4, 4, 4]\nposition = [0, -0.2, 0]\n\
                 young = 1e5\npoisson = 0.3\npinned = [\"y_min\"]\n";
    let edge = "[[body]]\nname = \"box\"\nmass = 4.0\nposition = [0.02, 0.17, 0.05]\nrotation_deg = [45, 0, 0]\n\
                fixed = { translation = [true, false, true], rotation = [true, true, true] }\n\
                [[body.shape]]\nbox = { size = [0.7, 0.2, 0.2] }\n";
    let scene = scene(&(edge.to_owned() + block));
    let run = run(&scene, 300);
    assert_apart(&scene, &run, 20.0);
    let lower_edge = |state: &State| state.bodies[0].pose.position.y - 0.1 * 2.0_f64.sqrt();
    let late = &run.trajectory.frames[150..];
    let lowest = late.iter().map(lower_edge).fold(f64::MAX, f64::min);
    let highest = late.iter().map(lower_edge).fold(f64::MIN, f64::max);
    // On average the cloth carries the weight, apart from the momentum that the box gains.
    let forces = run.reports[150..].iter().map(|report| report.body_forces(1)[0].contact.y);
    let mean = forces.sum::<f64>() / 150.0;
    let gained = run.last().bodies[0].linear_velocity.y - late[0].bodies[0].linear_velocity.y;
    let expected = 4.0 * (9.81 + gained / 1.5);
    println!("edge from {lowest} to {highest} m, {mean} N of {expected} N");
    assert!(lowest > -0.05 && highest < -0.002, "{lowest} {highest}");
    assert!((mean - expected).abs() < 1e-6 * expected, "{mean} {expected}");
}

#[test]
fn a_rope_hangs_over_the_edge_of_a_box_between_its_particles() {
    let text = "[[body]]\nname = \"box\"\nrole = \"static\"\nposition = [0, -0.1, 0]\n\
                [[body.shape]]\nbox = { size = [0.1, 0.2, 0.4] }\n\
                [[rope]]\nname = \"rope\"\nfrom = [-0.45, 0.01, 0.02]\nto = [0.45, 0.01, 0.02]\nsegments = 3\n\
                density = 0.1\n";
    let scene = scene(text);
    let run = run(&scene, 100);
    assert_apart(&scene, &run, 20.0);
    let ends = run.last().particles[0].position.y.min(run.last().particles[3].position.y);
    assert!(run.last().particles[1].position.y > -0.3 && ends < -0.1, "{:?}", run.last().particles);
}

/// Σ m v and Σ x × m v + I ω.
fn momenta(scene: &Scene, state: &State) -> (Vec3, Vec3) {
    let mut sums = (Vec3::zeros(), Vec3::zeros());
    for (p, at) in scene.particles.iter().zip(&state.particles) {
        sums.0 += p.mass * at.velocity;
        sums.1 += at.position.cross(&(p.mass * at.velocity));
    }
    for (b, at) in scene.bodies.iter().zip(&state.bodies) {
        sums.0 += b.mass * at.linear_velocity;
        sums.1 += at.pose.position.cross(&(b.mass * at.linear_velocity));
        sums.1 += b.inertia_world(&at.pose) * at.angular_velocity;
    }
    sums
}

#[test]
fn a_plate_thrown_at_a_free_cloth_keeps_the_momenta() {
    let text =
        format!("gravity = [0, 0, 0]\n{}{}", plate(2.0, 20.0, false), cloth("stretch_compliance = 1e-3"));
    let text = text.replacen("gravity = [0, 0, 0]\n", "", 1);
    let mut scene = scene(&text);
    scene.gravity = Vec3::zeros();
    let run = run(&scene, 30);
    let (p, l) = momenta(&scene, &run.trajectory.frames[0]);
    let (p_end, l_end) = momenta(&scene, run.last());
    let slowed = run.last().bodies[0].linear_velocity.y;
    println!("{} {} {slowed}", (p - p_end).norm() / p.norm(), (l - l_end).norm() / l.norm());
    assert!(slowed > -1.9, "it hit: {slowed}");
    assert!((p - p_end).norm() < 1e-12 * p.norm(), "{p:?} {p_end:?}");
    // Bonds conserve angular momentum to O(h).
    assert!((l - l_end).norm() < 2e-2 * l.norm(), "{l:?} {l_end:?}");
    assert_apart(&scene, &run, 20.0);
}

#[test]
fn a_run_with_a_plate_on_a_cloth_can_be_resumed() {
    let scene = scene(&(plate(1.0, 20.0, true) + &cloth(PINNED)));
    let new = || Xpbd::new(Config::default(), Clock::default()).expect("valid settings");
    let (mut one, mut state) = (new(), State::initial(&scene));
    for _ in 0..60 {
        one.step(&scene, &mut state, 0.01).expect("a step");
        if state.memory.numbers.contains_key("xpbd/skin_lambda") {
            break;
        }
    }
    assert!(state.memory.numbers.contains_key("xpbd/skin_lambda"));
    let (mut resumed, mut other) = (state.clone(), new());
    for _ in 0..5 {
        one.step(&scene, &mut state, 0.01).expect("a step");
        other.step(&scene, &mut resumed, 0.01).expect("a step");
    }
    assert_eq!(state, resumed);
}

/// A rod of 6 mm along x at y = 0.
const ROD: &str = "[[body]]\nname = \"rod\"\nrole = \"static\"\nrotation_deg = [0, 0, 90]\n[[body.shape]]\n\
                   cylinder = { radius = 0.003, height = 1.4, segments = 12 }\n";

/// What bonds and pushes move after contacts were found is searched again.
#[test]
fn a_fast_cloth_or_rope_does_not_pass_a_thin_rod() {
    let thrown = |speed: f64| format!("velocity = [0, -{speed}, 0]\nfriction = 0.5\n");
    for substeps in [10, 20, 40, 100] {
        for speed in [5.0, 20.0, 50.0] {
            let cloth = cloth(&thrown(speed)).replace("corner = [-0.5, 0,", "corner = [-0.5, 0.25,");
            let rope = format!(
                "[[rope]]\nname = \"rope\"\nfrom = [0.013, 0.25, -0.5]\nto = [0.013, 0.25, 0.5]\nsegments = 20\n\
                 density = 0.05\n{}",
                thrown(speed)
            );
            for (name, text) in [("cloth", cloth), ("rope", rope)] {
                let scene = scene(&format!("{ROD}{text}"));
                let mut xpbd =
                    Xpbd::new(Config { substeps, ..Config::default() }, Clock::default()).expect("valid");
                // Until its ends are 0.3 m beyond the rod.
                let steps = (0.55 / speed / 0.01) as u64 + 1;
                let run = Run::record(&scene, &mut xpbd, 0.01, steps);
                assert_eq!(run.outcome, Outcome::Completed);
                let highest = run.last().particles.iter().map(|p| p.position.y).fold(f64::MIN, f64::max);
                assert!(highest > -0.01, "{name} at {speed} m/s, {substeps} substeps: all below {highest} m");
            }
        }
    }
}

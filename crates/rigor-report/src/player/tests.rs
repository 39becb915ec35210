use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rigor_math::{Pose, UnitQuaternion, Vec3};
use rigor_scene::{BodySpec, BodyState, PartKind, PlacedShape, Role, Scene, State};
use rigor_shapes::Cuboid;

use super::pack::{Pack, STEPS, Span};
use super::simplify::simplified;
use super::*;

/// Undoes [`Pack::text`]: the plain bytes, and `n` tracks of `length` numbers.
fn unpacked(text: &str, plain: usize, n: usize, length: usize) -> (Vec<u8>, Vec<Vec<u16>>) {
    let packed = STANDARD.decode(text).expect("it is base64");
    let mut bytes = Vec::new();
    flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("it is zlib");
    let (head, tracks) = bytes.split_at(plain);
    assert_eq!(tracks.len(), 2 * n * length);
    let (low, high) = tracks.split_at(n * length);
    let track = |k: usize| {
        let (mut before, mut slope) = (0_u16, 0_u16);
        let folded = (k * length..(k + 1) * length).map(|at| u16::from_le_bytes([low[at], high[at]]));
        folded
            .map(|f| {
                slope = slope.wrapping_add(f >> 1 ^ 0_u16.wrapping_sub(f & 1));
                before = before.wrapping_add(slope);
                before
            })
            .collect()
    };
    (head.to_vec(), (0..n).map(track).collect())
}

fn scene() -> Scene {
    let mesh = Cuboid::cube(1.0).mesh().expect("a cube is a mesh");
    let shape = PlacedShape { mesh, kind: PartKind::Concave, pose: Pose::identity() };
    let body = |name: &str, role| {
        let spec = BodySpec { role, ..BodySpec::new(name, vec![shape.clone()]) };
        spec.build().expect("a cube is a body")
    };
    Scene {
        gravity: Vec3::new(0.0, -10.0, 0.0),
        bodies: vec![body("floor", Role::Static), body("cube", Role::Dynamic)],
        ..Scene::default()
    }
}

/// The cube at `step`: it falls far and turns.
fn state(scene: &Scene, step: u64) -> State {
    let time = 0.01 * step as f64;
    let theta = Vec3::new(0.3, 2.0, -1.0) * time;
    let pose = Pose::from_rotation_vector(Vec3::new(time, -5.0 * time * time, 3.0), &theta);
    State { step, time, bodies: vec![scene.bodies[0].initial, BodyState::at_rest(pose)], ..State::default() }
}

fn filmed(steps: u64, budget: Budget) -> Film {
    let scene = scene();
    let mut recorder = Recorder::new(&scene, 0.01, steps, budget);
    (0..=steps).for_each(|step| recorder.observe(&state(&scene, step), &[], &[]));
    recorder.finish(&state(&scene, steps))
}

#[test]
fn tracks_come_back_whatever_they_hold() {
    let tracks = [vec![0, 65535, 0, 1, 2, 3], vec![40000, 100, 65535, 65535, 32768, 32767]];
    let mut pack = Pack::default();
    pack.plain([7, 8]);
    tracks.iter().for_each(|track| pack.track(track.iter().copied()));
    assert_eq!(unpacked(&pack.text(), 2, 2, 6), (vec![7, 8], tracks.to_vec()));
}

#[test]
fn spans_hold_their_values_within_the_error() {
    let values = [-1.0e-3, 0.1, 1234.567, f64::NAN, 999.999_999];
    let span = Span::of(values.into_iter());
    for value in values.into_iter().filter(|v| v.is_finite()) {
        let back = f64::from(span.low) + f64::from(span.extent) * f64::from(span.step(value)) / STEPS;
        assert!((back - value).abs() <= span.error() * (1.0 + 1e-9), "{value} {back}");
    }
    let still = Span::of([0.1; 3].into_iter());
    assert!((f64::from(still.low) - 0.1).abs() < 1e-8 && still.error() < 1e-8, "{still:?}");
}

#[test]
fn rotations_come_back_within_the_stated_angle() {
    let mut worst = 0.0_f64;
    for k in 0..2000 {
        let part = |stride: u32| f64::from(k * stride % 997) / 498.5 - 1.0;
        let theta = Vec3::new(part(37), part(91), part(171)) * 3.1;
        let rotation = Pose::from_rotation_vector(Vec3::zeros(), &theta).rotation;
        let [w, x, y, z] = rotation::of_numbers(rotation::numbers(&rotation));
        // ‖q − q′‖ is twice the sine of a quarter of the angle between the rotations.
        let apart = |sign: f64| {
            let q =
                [rotation.w - sign * w, rotation.i - sign * x, rotation.j - sign * y, rotation.k - sign * z];
            q.iter().map(|c| c * c).sum::<f64>().sqrt()
        };
        worst = worst.max(2.0 * apart(1.0).min(apart(-1.0)));
    }
    assert!(worst < 1.5e-4, "{worst}");
    assert_eq!(rotation::of_numbers(rotation::numbers(&UnitQuaternion::identity())), [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_film_holds_the_run_within_its_error() {
    let film = filmed(100, Budget { bytes: 18 * 51 });
    assert_eq!((film.every, film.frames), (2, 51));
    let (plain, tracks) = unpacked(&film.text, 4 * 51 + 24, 6, 51);
    let float =
        |k: usize| f32::from_le_bytes(plain[204 + 4 * k..208 + 4 * k].try_into().expect("four bytes"));
    for frame in 0..51 {
        assert_eq!(plain[4 * frame], 2 * frame as u8);
        let pose = state(&scene(), 2 * frame as u64).bodies[1].pose;
        for axis in 0..3 {
            let back =
                f64::from(float(axis)) + f64::from(float(3 + axis)) * f64::from(tracks[axis][frame]) / STEPS;
            assert!((back - pose.position[axis]).abs() <= film.error * (1.0 + 1e-9));
        }
        assert_eq!([3, 4, 5].map(|k: usize| tracks[k][frame]), rotation::numbers(&pose.rotation));
    }
    assert!(film.error < 5.0 / STEPS, "{}", film.error);
}

#[test]
fn a_film_keeps_to_its_budget_and_ends_with_the_last_state() {
    let film = filmed(104, Budget { bytes: 18 * 11 });
    assert_eq!(film.every, 11);
    let (plain, _) = unpacked(&film.text, 4 * film.frames + 24, 6, film.frames);
    let steps: Vec<u8> = plain.chunks(4).take(film.frames).map(|step| step[0]).collect();
    assert_eq!(steps, [0, 11, 22, 33, 44, 55, 66, 77, 88, 99, 104]);
    let many = Budget::of_page(1000).bytes;
    assert_eq!((Budget::of_page(12).bytes, many), (Budget::PAGE / 12, 64 << 10));
}

#[test]
fn uniform_motion_takes_little_room() {
    // Noise of 12 bytes in each of 1001 frames would take 16016 characters.
    let film = filmed(1000, Budget::VIEW);
    assert!(film.text.len() < 8000, "{}", film.text.len());
}

#[test]
fn a_simplified_mesh_is_smaller_and_stays_in_place() {
    let n = 60_u32;
    let vertices: Vec<Vec3> =
        (0..n * n).map(|k| Vec3::new(f64::from(k % n), f64::from(k / n), 0.0) / f64::from(n - 1)).collect();
    let cell = |k: u32| [[k, k + 1, k + n], [k + 1, k + n + 1, k + n]];
    let cells = (0..n - 1).flat_map(|row| (0..n - 1).map(move |column| row * n + column));
    let triangles: Vec<[u32; 3]> = cells.flat_map(cell).collect();
    let whole = (vertices, triangles);
    let (few, left) = simplified(whole.clone(), 800);
    assert!(left.len() <= 800 && left.len() > 200, "{}", left.len());
    let area: f64 = left
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| few[v as usize]);
            0.5 * (b - a).cross(&(c - a)).z
        })
        .sum();
    assert!((area - 1.0).abs() < 0.15, "{area}");
    assert_eq!(simplified(whole.clone(), usize::MAX), whole);
}

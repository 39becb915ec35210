//! Free flight: the cost of a step without contact.

use divan::{Bencher, counter::ItemsCount};
use rigor_free::{Config, Free};
use rigor_math::{Pose, Vec3, free_rotation, rotation_vector};
use rigor_scene::build::{BodySpec, PlacedShape};
use rigor_scene::{Clock, Method, PartKind, Scene, State, TimeSpan};
use rigor_shapes::Cuboid;

fn main() {
    divan::main();
}

/// Bodies per measurement, so that displayed microseconds are nanoseconds per body.
const N: usize = 1000;

/// Tumbling bricks that share one mesh.
fn scene() -> Scene {
    let size = Vec3::new(0.1, 0.2, 0.3);
    let mesh = Cuboid::new(size).mesh().expect("a brick has a surface");
    let shape =
        PlacedShape { mesh, kind: PartKind::Box { half_extents: 0.5 * size }, pose: Pose::identity() };
    let spec = BodySpec { angular_velocity: Vec3::new(0.3, 6.0, 0.2), ..BodySpec::new("brick", vec![shape]) };
    let brick = spec.build().expect("a brick has mass");
    Scene {
        name: "bricks".into(),
        gravity: Vec3::new(0.0, -9.81, 0.0),
        time: TimeSpan { dt: 0.01, duration: 1.0 },
        bodies: vec![brick; N],
        ..Scene::default()
    }
}

/// One step of `free`: translation, and rotation of order 4.
#[divan::bench]
fn step(bencher: Bencher) {
    let scene = scene();
    let mut state = State::initial(&scene);
    let mut method = Free::new(Config::default(), Clock::default()).expect("the default is in range");
    bencher
        .counter(ItemsCount::new(N))
        .bench_local(|| method.step(&scene, &mut state, 0.01).expect("bodies in flight meet nothing"));
}

/// The splitting of order 2 with which contact methods predict, for rotation alone.
#[divan::bench]
fn splitting(bencher: Bencher) {
    let (momentum, moments) = (Vec3::new(0.4, 10.0, 0.9), Vec3::new(1.0, 2.0, 3.0));
    let mut rotations = vec![rotation_vector::exp(&Vec3::new(0.3, -0.2, 0.7)); N];
    bencher.counter(ItemsCount::new(N)).bench_local(|| {
        for q in &mut rotations {
            (*q, _) = free_rotation::step(q, &momentum, &moments, 0.01);
        }
    });
}

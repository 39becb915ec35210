//! One step of 1/100 s of boxes standing in columns of five, settled: `xpbd` beside `rapier` in the same run.
//!
//! A run is checked before it is timed: no box may have moved more than a centimetre while settling.

use divan::Bencher;
use rigor_bench::peers::rapier::{self, Rapier};
use rigor_benchmarks::boxes::{cuboid, scene};
use rigor_math::{Pose, Vec3};
use rigor_scene::{BodySpec, Clock, Method, Role, Run, Scene, State, TimeSpan};
use rigor_xpbd::{Config, Xpbd};

const DT: f64 = 1e-2;
const BOXES: [usize; 3] = [10, 100, 1000];
const SETTLE: u64 = 20;

fn main() {
    divan::main();
}

/// Of boxes against each other and the floor.
const MU: f64 = 0.5;

/// `n` unit boxes in columns of five, each a little out of line with the one below.
fn columns(n: usize) -> Scene {
    let below = Pose::translation(Vec3::new(0.0, -0.5, 0.0));
    let floor = cuboid("floor".into(), Vec3::new(100.0, 1.0, 100.0), below, n, MU);
    let boxes = (0..n).map(|i| {
        let (column, level) = (i / 5, i % 5);
        let x = (column % 20) as f64 * 1.5 + 0.003 * (i % 7) as f64;
        let position = Vec3::new(x, 0.5 + level as f64, (column / 20) as f64 * 1.5);
        cuboid(format!("box {i}"), Vec3::repeat(1.0), Pose::translation(position), i, MU)
    });
    let floor = BodySpec { role: Role::Static, ..floor };
    let bodies = std::iter::once(floor).chain(boxes).map(|spec| spec.build().expect("a valid box"));
    scene("columns".into(), bodies.collect(), TimeSpan { dt: DT, duration: 1.0 })
}

/// The state after some steps, in which nothing has fallen.
fn settled(scene: &Scene, method: &mut dyn Method) -> State {
    let run = Run::record(scene, method, DT, SETTLE);
    let (start, end) = (&run.trajectory.frames[0].bodies, run.last());
    for (body, (s, e)) in scene.bodies.iter().zip(start.iter().zip(&end.bodies)) {
        let moved = (e.pose.position - s.pose.position).norm();
        assert!(moved < 1e-2, "{} moved {moved} m: not a benchmark of resting boxes", body.name);
    }
    end.clone()
}

fn steps(bencher: Bencher, n: usize, mut method: impl Method) {
    let scene = columns(n);
    let mut state = settled(&scene, &mut method);
    bencher.bench_local(|| method.step(&scene, &mut state, DT).map(|r| r.contacts.len()).expect("a step"));
}

fn xpbd(substeps: u32) -> Xpbd {
    Xpbd::new(Config { substeps, ..Config::default() }, Clock::default()).expect("valid settings")
}

#[divan::bench(args = BOXES)]
fn xpbd_20_substeps(bencher: Bencher, n: usize) {
    steps(bencher, n, xpbd(20));
}

#[divan::bench(args = BOXES)]
fn xpbd_10_substeps(bencher: Bencher, n: usize) {
    steps(bencher, n, xpbd(10));
}

#[divan::bench(args = BOXES)]
fn rapier(bencher: Bencher, n: usize) {
    steps(bencher, n, Rapier::new(rapier::Config::default(), Clock::default()));
}

//! Building, refitting and querying bounding-volume trees.

use divan::Bencher;
use rigor_geometry::{Aabb, Bvh, Mesh};
use rigor_math::{Pose, Vec3};
use rigor_shapes::Icosphere;

const BOXES: [u32; 3] = [100, 1_000, 10_000];

fn main() {
    divan::main();
}

/// Boxes with edges of 1 m at the points of a low-discrepancy sequence (the powers of the inverse plastic
/// number in three dimensions), so dense that each overlaps about four others.
fn boxes(n: u32) -> Vec<Aabb> {
    let edge = (f64::from(n) * 2.0).cbrt();
    let at = |k: u32| {
        Vec3::new(0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9)
            .map(|g| (f64::from(k) * g).fract() * edge)
    };
    (0..n).map(|k| Aabb::new(at(k), at(k) + Vec3::repeat(1.0))).collect()
}

fn tree(n: u32) -> Bvh {
    Bvh::new(&boxes(n)).expect("finite boxes")
}

#[divan::bench(args = BOXES)]
fn build(bencher: Bencher, n: u32) {
    let boxes = boxes(n);
    bencher.bench(|| Bvh::new(&boxes));
}

#[divan::bench(args = BOXES)]
fn refit(bencher: Bencher, n: u32) {
    let (boxes, mut tree) = (boxes(n), tree(n));
    bencher.bench_local(move || tree.refit(&boxes));
}

#[divan::bench(args = BOXES)]
fn overlapping_pairs(bencher: Bencher, n: u32) {
    let tree = tree(n);
    bencher.bench(|| tree.overlapping_pairs());
}

#[divan::bench(args = BOXES)]
fn overlapping(bencher: Bencher, n: u32) {
    let (tree, boxes) = (tree(n), boxes(n));
    bencher.bench(|| tree.overlapping(divan::black_box(&boxes[n as usize / 2])));
}

/// Two spheres of 5 120 triangles that nearly touch: pairs of triangles within 1 mm.
#[divan::bench]
fn posed_pairs_of_two_spheres(bencher: Bencher) {
    let mesh = Icosphere { radius: 1.0, subdivisions: 4 }.mesh().expect("a sphere");
    let tree = Bvh::new(&triangle_boxes(&mesh)).expect("finite boxes");
    let pose = Pose::translation(Vec3::new(1.2, 1.2, 1.05));
    bencher.bench(|| tree.overlapping_pairs_posed(&tree, divan::black_box(&pose), 1e-3));
}

fn triangle_boxes(mesh: &Mesh) -> Vec<Aabb> {
    (0..mesh.triangles().len()).map(|t| Aabb::of_points(&mesh.corners(t))).collect()
}

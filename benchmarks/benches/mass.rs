//! Topology, surface check and mass properties of spheres of increasing resolution.

use divan::Bencher;
use rigor_geometry::{MassProperties, Mesh, Surface, Topology};
use rigor_shapes::Icosphere;

const SUBDIVISIONS: [u32; 3] = [2, 4, 6]; // 320, 5 120, 81 920 triangles

fn main() {
    divan::main();
}

fn sphere(subdivisions: u32) -> Mesh {
    Icosphere { radius: 1.0, subdivisions }.mesh().expect("a sphere")
}

#[divan::bench(args = SUBDIVISIONS)]
fn topology(bencher: Bencher, subdivisions: u32) {
    let mesh = sphere(subdivisions);
    bencher.bench(|| Topology::of(&mesh));
}

#[divan::bench(args = SUBDIVISIONS)]
fn surface(bencher: Bencher, subdivisions: u32) {
    let mesh = sphere(subdivisions);
    bencher.bench(|| Surface::of(&mesh));
}

#[divan::bench(args = SUBDIVISIONS)]
fn mass_properties(bencher: Bencher, subdivisions: u32) {
    let mesh = sphere(subdivisions);
    bencher.bench(|| MassProperties::of(&mesh, 1000.0));
}

#[divan::bench(args = SUBDIVISIONS)]
fn make_icosphere(subdivisions: u32) -> Mesh {
    sphere(subdivisions)
}

//! How well particles represent a body.

use rigor_geometry::distance::point_triangle;
use rigor_geometry::{Aabb, Bvh, Mesh};
use rigor_math::Vec3;

use crate::shape::ParticleShape;

/// Errors of a shape made of particles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fidelity {
    /// Volume of the voxels over that of the solid, minus 1.
    pub volume: f64,
    /// Largest relative error of a principal moment of inertia per unit density.
    pub inertia: f64,
    /// Largest distance (m) of a sample of the surface from the surface of the spheres.
    pub surface_to_spheres: f64,
    /// Largest distance (m) by which the surface of a sphere on the outside is off the surface of the solid.
    pub spheres_to_surface: f64,
}

impl Fidelity {
    /// Measures `shape` against the solid `mesh`.
    ///
    /// Both distances are one-sided Hausdorff distances, estimated: the surface is sampled at the corners
    /// of its triangles divided until their sides are at most d/2, and the distance of a sample x is |‖x −
    /// c‖ − r| for the nearest centre c. From the spheres, it is |distance of the centre − r| for those
    /// without six neighbours.
    pub fn measure(mesh: &Mesh, shape: &ParticleShape) -> Self {
        let solid = rigor_geometry::MassProperties::of(mesh, 1.0).map(|mass| mass.principal().moments);
        let moments = shape.mass(1.0).moments;
        let inertia = solid.map_or(f64::INFINITY, |exact| {
            moments.iter().zip(&exact).map(|(m, e)| (m / e - 1.0).abs()).fold(0.0, f64::max)
        });
        Self {
            volume: shape.volume() / mesh.signed_volume() - 1.0,
            inertia,
            surface_to_spheres: surface_to_spheres(mesh, shape),
            spheres_to_surface: spheres_to_surface(mesh, shape),
        }
    }

    /// The larger of both distances (m): an estimate of the Hausdorff distance of the surfaces.
    pub fn distance(&self) -> f64 {
        self.surface_to_spheres.max(self.spheres_to_surface)
    }
}

fn tree_of_centres(shape: &ParticleShape) -> Option<Bvh> {
    let boxes: Vec<Aabb> = shape.centres.iter().map(|c| Aabb::new(*c, *c)).collect();
    Bvh::new(&boxes).ok()
}

fn surface_to_spheres(mesh: &Mesh, shape: &ParticleShape) -> f64 {
    let Some(tree) = tree_of_centres(shape) else { return f64::INFINITY };
    let radius = 0.5 * shape.diameter;
    let distance = |x: &Vec3| {
        let found = tree.nearest(x, f64::INFINITY, |i| (shape.centres[i as usize] - x).norm_squared());
        found.map_or(f64::INFINITY, |(_, d_sq)| (d_sq.sqrt() - radius).abs())
    };
    let samples = (0..mesh.triangles().len()).flat_map(|t| samples(mesh.corners(t), radius));
    samples.map(|x| distance(&x)).fold(0.0, f64::max)
}

/// Returns points of a triangle at most `spacing` (m) apart along its sides.
fn samples([a, b, c]: [Vec3; 3], spacing: f64) -> Vec<Vec3> {
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    let n = (longest / spacing).ceil().clamp(1.0, 1000.0) as u32;
    let weight = |i: u32| f64::from(i) / f64::from(n);
    let point = |i, j| a + weight(i) * (b - a) + weight(j) * (c - a);
    (0..=n).flat_map(|i| (0..=n - i).map(move |j| point(i, j))).collect()
}

fn spheres_to_surface(mesh: &Mesh, shape: &ParticleShape) -> f64 {
    let corners: Vec<[Vec3; 3]> = (0..mesh.triangles().len()).map(|t| mesh.corners(t)).collect();
    let boxes: Vec<Aabb> = corners.iter().map(Aabb::of_points).collect();
    let (Ok(tree), Some(centres)) = (Bvh::new(&boxes), tree_of_centres(shape)) else { return f64::INFINITY };
    let distance = |x: &Vec3| {
        let found = tree.nearest(x, f64::INFINITY, |t| {
            let [a, b, c] = &corners[t as usize];
            point_triangle::distance_sq(x, a, b, c)
        });
        found.map_or(f64::INFINITY, |(_, d_sq)| (d_sq.sqrt() - 0.5 * shape.diameter).abs())
    };
    let is_outer = |x: &&Vec3| {
        let near = Aabb::new(**x, **x).grow(1.2 * shape.diameter);
        let is_neighbour = |i: &u32| {
            let d = shape.centres[*i as usize] - **x;
            d.norm() < 1.2 * shape.diameter
        };
        // Itself and six neighbours.
        centres.overlapping(&near).iter().filter(|i| is_neighbour(i)).count() < 7
    };
    shape.centres.iter().filter(is_outer).map(distance).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use rigor_geometry::Mesh;
    use rigor_math::Vec3;

    use super::*;
    use crate::config::Lattice;

    fn measure(mesh: &Mesh, spacing: f64, lattice: Lattice) -> Fidelity {
        let shape = ParticleShape::fill(mesh, spacing, lattice, 1_000_000).expect("a solid");
        Fidelity::measure(mesh, &shape)
    }

    #[test]
    fn a_box_of_whole_voxels_is_exact_but_for_the_gaps_between_spheres() {
        let mesh = rigor_shapes::Cuboid::new(Vec3::new(0.8, 0.4, 0.6)).mesh().expect("a box");
        let found = measure(&mesh, 0.1, Lattice::Cubic);
        assert!(found.volume.abs() < 1e-12 && found.inertia < 1e-12, "{found:?}");
        assert!(found.spheres_to_surface < 1e-12);
        // The farthest point from the spheres is a corner of the box: (√3 − 1) r.
        assert!((found.surface_to_spheres - (3.0_f64.sqrt() - 1.0) * 0.05).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn the_error_of_a_sphere_and_a_torus_falls_with_the_spacing() {
        let sphere = rigor_shapes::Icosphere { radius: 0.5, subdivisions: 4 }.mesh().expect("a sphere");
        let torus = rigor_shapes::Torus { major_radius: 0.5, minor_radius: 0.2, segments: 64, sides: 32 };
        for mesh in [sphere, torus.mesh().expect("a torus")] {
            let coarse = measure(&mesh, 0.1, Lattice::Cubic);
            let fine = measure(&mesh, 0.025, Lattice::Cubic);
            assert!(coarse.volume.abs() < 0.1 && fine.volume.abs() < 0.01, "{coarse:?} {fine:?}");
            assert!(fine.inertia < 0.02 && fine.inertia < coarse.inertia, "{coarse:?} {fine:?}");
            // Of the order of the diameter, hence about four times smaller.
            assert!(
                coarse.distance() < 0.1 && fine.distance() < 0.4 * coarse.distance(),
                "{coarse:?} {fine:?}"
            );
        }
    }
}

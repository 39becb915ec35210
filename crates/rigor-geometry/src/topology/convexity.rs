//! Whether a mesh is the surface of a convex body.

use super::Topology;
use crate::Mesh;

/// Default tolerance of [`Mesh::is_convex`]: how far a vertex may stand above a face's plane, relative to the
/// diagonal of the bounding box.
///
/// A thousand times the rounding of computed positions, and a thousandth of the six digits that mesh files
/// often keep; for those, use [`Mesh::is_convex_within`].
pub const CONVEXITY_TOLERANCE: f64 = 1e-9;

impl Mesh {
    /// Whether the mesh is convex within [`CONVEXITY_TOLERANCE`].
    pub fn is_convex(&self) -> bool {
        self.is_convex_within(CONVEXITY_TOLERANCE)
    }

    /// Whether the mesh is one closed surface with every vertex on or below the plane of every face, up to
    /// `relative_tolerance` times the diagonal of the bounding box.
    ///
    /// Meshes with wires or points are not convex. A convex mesh costs vertices × triangles; most others are
    /// rejected by a test across each edge. A surface that covers a convex one several times passes.
    pub fn is_convex_within(&self, relative_tolerance: f64) -> bool {
        let topology = Topology::of(self);
        let whole = self.points().is_empty() && self.wires().is_empty() && topology.is_closed();
        if !whole || super::Components::of(self).len() != 1 || self.signed_volume() <= 0.0 {
            return false;
        }
        let tolerance = relative_tolerance * self.bounds().diagonal();
        let edges_are_convex = (0..self.edges().len()).all(|e| {
            let [t, u] = [0, 1].map(|k| topology.triangles_of_edge(e)[k] as usize);
            self.is_below(t, &self.triangles()[u], tolerance)
                && self.is_below(u, &self.triangles()[t], tolerance)
        });
        edges_are_convex && (0..self.triangles().len()).all(|t| self.all_below(t, tolerance))
    }

    fn is_below(&self, triangle: usize, vertices: &[u32], tolerance: f64) -> bool {
        let normal = self.area_vector(triangle).normalize();
        let corner = self.corners(triangle)[0];
        vertices.iter().all(|&v| normal.dot(&(self.vertices()[v as usize] - corner)) <= tolerance)
    }

    fn all_below(&self, triangle: usize, tolerance: f64) -> bool {
        let normal = self.area_vector(triangle).normalize();
        let corner = self.corners(triangle)[0];
        self.vertices().iter().all(|v| normal.dot(&(v - corner)) <= tolerance)
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;

    use super::*;

    /// A double pyramid over a square, its upper tip at height `tip`.
    fn double_pyramid(tip: f64) -> Mesh {
        let v = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
        let vertices = vec![
            v(1.0, 0.0, 0.0),
            v(0.0, 1.0, 0.0),
            v(-1.0, 0.0, 0.0),
            v(0.0, -1.0, 0.0),
            v(0.0, 0.0, tip),
            v(0.0, 0.0, -1.0),
        ];
        let sides = (0..4u32).flat_map(|k| [[k, (k + 1) % 4, 4], [(k + 1) % 4, k, 5]]);
        Mesh::new(vertices, sides.collect(), vec![]).unwrap()
    }

    #[test]
    fn a_tip_pressed_in_ends_convexity_at_the_tolerance() {
        assert!(double_pyramid(1.0).is_convex());
        assert!(double_pyramid(1e-300).is_convex());
        assert!(double_pyramid(-1e-10).is_convex(), "within the tolerance");
        assert!(!double_pyramid(-1e-7).is_convex());
        assert!(double_pyramid(-1e-7).is_convex_within(1e-6));
        assert!(!double_pyramid(-0.5).is_convex());
    }

    #[test]
    fn only_one_closed_outward_surface_counts() {
        let solid = double_pyramid(1.0);
        assert!(!solid.flipped().is_convex());
        let far = solid.map_vertices(|v| v + Vec3::x() * 10.0);
        assert!(far.is_convex() && !Mesh::merge([&solid, &far]).unwrap().mesh.is_convex());
        let open = Mesh::new(solid.vertices().to_vec(), solid.triangles()[1..].to_vec(), vec![]).unwrap();
        assert!(!open.is_convex());
    }
}

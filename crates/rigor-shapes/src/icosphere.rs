//! A sphere of nearly equal triangles.

use std::collections::HashMap;

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use rigor_geometry::Mesh;

/// A subdivided icosahedron: a sphere with triangles of nearly equal size.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Icosphere {
    /// Radius (m).
    pub radius: f64,
    /// Number of times that each triangle is split into four, 0 (20 triangles) to 7 (327 680).
    #[cfg_attr(feature = "serde", serde(default = "crate::form::thrice"))]
    pub subdivisions: u32,
}

impl Icosphere {
    /// The closed mesh, of 20 · 4ⁿ triangles.
    ///
    /// ```
    /// use rigor_shapes::Icosphere;
    /// let mesh = Icosphere { radius: 0.5, subdivisions: 1 }.mesh()?;
    /// assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (42, 80));
    /// assert!(mesh.vertices().iter().all(|v| (v.norm() - 0.5).abs() < 1e-15));
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for a radius that is not positive and finite and too many subdivisions.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("icosphere");
        check.positive("radius", self.radius)?;
        check.count("subdivisions", self.subdivisions, 0..=7)?;
        let (mut vertices, mut triangles) = icosahedron();
        for _ in 0..self.subdivisions {
            triangles = cut_in_four(&mut vertices, &triangles);
        }
        let vertices = vertices.into_iter().map(|v| v * self.radius).collect();
        check.mesh(Mesh::new(vertices, triangles, vec![]))
    }
}

/// The twelve vertices (0, ±1, ±φ) and cyclic permutations, on the unit sphere, and the faces of edge length
/// 2 before scaling.
fn icosahedron() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut vertices = Vec::with_capacity(12);
    for axis in 0..3 {
        for (short, long) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
            let mut v = Vec3::zeros();
            (v[(axis + 1) % 3], v[(axis + 2) % 3]) = (short, long);
            vertices.push(v);
        }
    }
    let near = |a: usize, b: usize| (vertices[a] - vertices[b]).norm() < 2.1;
    let mut triangles = Vec::with_capacity(20);
    for a in 0..12 {
        for b in (a + 1..12).filter(|&b| near(a, b)) {
            for c in (b + 1..12).filter(|&c| near(a, c) && near(b, c)) {
                let outward = vertices[a].dot(&vertices[b].cross(&vertices[c])) > 0.0;
                let [b, c] = if outward { [b, c] } else { [c, b] };
                triangles.push([a as u32, b as u32, c as u32]);
            }
        }
    }
    (vertices.into_iter().map(|v| v.normalize()).collect(), triangles)
}

fn cut_in_four(vertices: &mut Vec<Vec3>, triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
            vertices.len() as u32 - 1
        })
    };
    triangles
        .iter()
        .flat_map(|&[a, b, c]| {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::sound::{assert_sound, order_of};

    #[test]
    fn the_icosahedron_has_its_volume_and_its_subdivisions_are_sound() {
        let volume = |n| Icosphere { radius: 1.0, subdivisions: n }.mesh().unwrap().signed_volume();
        // Edge a = 1/sin(2π/5), volume 5/12 (3 + √5) a³.
        let edge = 1.0 / (0.4 * PI).sin();
        let expected = 5.0 / 12.0 * (3.0 + 5.0_f64.sqrt()) * edge.powi(3);
        assert!((volume(0) / expected - 1.0).abs() < 1e-14);
        let order = order_of(4.0 / 3.0 * PI, volume(3), volume(4));
        assert!((order - 2.0).abs() < 0.02, "{order}");
        for subdivisions in 0..4 {
            let mesh = Icosphere { radius: 0.1, subdivisions }.mesh().unwrap();
            assert_sound(&mesh, 2);
            assert!(mesh.is_convex());
            assert_eq!(mesh.triangles().len(), 20 << (2 * subdivisions));
            let center: Vec3 = mesh.vertices().iter().sum();
            assert!(center.norm() < 1e-13);
        }
    }

    #[test]
    fn too_many_subdivisions_are_an_error() {
        assert!(Icosphere { radius: 1.0, subdivisions: 8 }.mesh().is_err());
    }
}

//! Whether the surfaces of two meshes meet.

use rigor_math::Vec3;

use super::{Relation, edge_edge, edge_triangle, point_edge, point_point, point_triangle, triangle_triangle};
use crate::{Aabb, Bvh, Mesh};

/// How two meshes in the same frame meet, and a point (m) near a common one; `None` if they have no common
/// point, or if a coordinate is not finite.
///
/// The meshes cross if two of their triangles, wires or points do; what is inside a closed surface without
/// meeting it does not count. Exact.
///
/// ```
/// use rigor_geometry::Mesh;
/// use rigor_geometry::intersection::{Relation, mesh_mesh};
/// use rigor_math::Vec3;
/// let triangle = Mesh::new(vec![Vec3::zeros(), Vec3::x(), Vec3::y()], vec![[0, 1, 2]], vec![])?;
/// let wire = |z: f64| Mesh::new([z, z + 1.0].map(|z| Vec3::new(0.2, 0.2, z)).to_vec(), vec![], vec![[0, 1]]);
/// let how = |z| Ok::<_, rigor_geometry::MeshError>(mesh_mesh::contact(&triangle, &wire(z)?).map(|(how, _)| how));
/// assert_eq!(how(-0.5)?, Some(Relation::Crossing));
/// assert_eq!(how(0.0)?, Some(Relation::Touching));
/// assert_eq!(how(0.5)?, None);
/// # Ok::<_, rigor_geometry::MeshError>(())
/// ```
pub fn contact(a: &Mesh, b: &Mesh) -> Option<(Relation, Vec3)> {
    let region = overlap(&a.bounds(), &b.bounds());
    let (a, b) = (pieces(a, &region), pieces(b, &region));
    let bounds: Vec<Aabb> = b.iter().map(Piece::bounds).collect();
    let tree = Bvh::new(&bounds).ok()?;
    let mut touch = None;
    for piece_a in &a {
        for j in tree.overlapping(&piece_a.bounds()) {
            let piece_b = &b[j as usize];
            let near = || overlap(&piece_a.bounds(), &piece_b.bounds()).center();
            match piece_a.contact(piece_b) {
                Relation::Crossing => return Some((Relation::Crossing, near())),
                Relation::Touching => touch = touch.or_else(|| Some((Relation::Touching, near()))),
                Relation::Disjoint => {}
            }
        }
    }
    touch
}

/// A primitive of a mesh.
enum Piece {
    Point(Vec3),
    Wire([Vec3; 2]),
    Triangle([Vec3; 3]),
}

/// Returns the primitives whose bounding boxes overlap `region`.
fn pieces(mesh: &Mesh, region: &Aabb) -> Vec<Piece> {
    let v = |i: u32| mesh.vertices()[i as usize];
    let triangles = mesh.triangles().iter().map(|t| Piece::Triangle(t.map(v)));
    let wires = mesh.wires().iter().map(|e| Piece::Wire(e.map(v)));
    let points = mesh.points().iter().map(|p| Piece::Point(v(*p)));
    triangles.chain(wires).chain(points).filter(|piece| piece.bounds().overlaps(region)).collect()
}

impl Piece {
    fn bounds(&self) -> Aabb {
        match self {
            Self::Point(p) => Aabb::of_points([p]),
            Self::Wire(e) => Aabb::of_points(e),
            Self::Triangle(t) => Aabb::of_points(t),
        }
    }

    fn contact(&self, other: &Self) -> Relation {
        match (self, other) {
            (Self::Triangle(a), Self::Triangle(b)) => triangle_triangle::contact(a, b),
            (Self::Wire(e), Self::Triangle(t)) | (Self::Triangle(t), Self::Wire(e)) => {
                edge_triangle::contact(e, t)
            }
            (Self::Point(p), Self::Triangle(t)) | (Self::Triangle(t), Self::Point(p)) => {
                point_triangle::contact(p, t)
            }
            (Self::Wire(a), Self::Wire(b)) => edge_edge::contact(a, b),
            (Self::Point(p), Self::Wire(e)) | (Self::Wire(e), Self::Point(p)) => point_edge::contact(p, e),
            (Self::Point(a), Self::Point(b)) => point_point::contact(a, b),
        }
    }
}

/// The intersection of two overlapping boxes.
fn overlap(a: &Aabb, b: &Aabb) -> Aabb {
    Aabb { min: a.min.sup(&b.min), max: a.max.inf(&b.max) }
}

//! Whether triangles of one mesh cross each other.

use super::{Relation, triangle_triangle};
use crate::{Aabb, Bvh, Mesh};

/// Two triangles of `mesh` that cross, the smaller index first, if there are any; touching does not count. Exact,
/// but after `max_tests` pairs of triangles with overlapping boxes the search ends.
///
/// Neighbours are tested too: triangles with a common corner may cross elsewhere.
///
/// ```
/// use rigor_geometry::{Mesh, intersection::within_mesh};
/// use rigor_math::Vec3;
/// let at = |z: f64| [[0.25, 0.25, z], [0.25, 0.5, z + 2.0], [0.5, 0.25, z + 2.0]].map(Vec3::from);
/// let mesh = |z| {
///     let vertices = [Vec3::zeros(), Vec3::x(), Vec3::y()].into_iter().chain(at(z)).collect();
///     Mesh::new(vertices, vec![[0, 1, 2], [3, 4, 5]], vec![])
/// };
/// assert_eq!(within_mesh::crossing(&mesh(-1.0)?, 100), Some([0, 1]));
/// assert_eq!(within_mesh::crossing(&mesh(0.0)?, 100), None);
/// # Ok::<_, rigor_geometry::MeshError>(())
/// ```
pub fn crossing(mesh: &Mesh, max_tests: usize) -> Option<[usize; 2]> {
    let corners = |t: usize| mesh.triangles()[t].map(|v| mesh.vertices()[v as usize]);
    let boxes: Vec<Aabb> = (0..mesh.triangles().len()).map(|t| Aabb::of_points(&corners(t))).collect();
    let tree = Bvh::new(&boxes).ok()?;
    let (mut near, mut n_tests) = (Vec::new(), 0);
    for (t, bounds) in boxes.iter().enumerate() {
        tree.overlapping_into(bounds, &mut near);
        let later = near.iter().map(|u| *u as usize).filter(|u| *u > t);
        for u in later.take(max_tests - n_tests) {
            n_tests += 1;
            if triangle_triangle::contact(&corners(t), &corners(u)) == Relation::Crossing {
                return Some([t, u]);
            }
        }
        if n_tests >= max_tests {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;

    use super::*;

    fn tetrahedron() -> Mesh {
        let vertices = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        Mesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], vec![]).unwrap()
    }

    #[test]
    fn a_solid_does_not_cross_itself_but_two_that_overlap_do() {
        assert_eq!(crossing(&tetrahedron(), 1000), None);
        let beside = |by: f64| tetrahedron().map_vertices(|v| v + Vec3::new(by, 0.1, 0.1));
        let both = |by: f64| Mesh::merge([&tetrahedron(), &beside(by)]).unwrap().mesh;
        assert_eq!(crossing(&both(2.0), 1000), None);
        let [t, u] = crossing(&both(0.25), 1000).unwrap();
        assert!(t < 4 && u >= 4, "{t} {u}");
        assert_eq!(crossing(&both(0.25), 0), None);
    }

    #[test]
    fn a_solid_whose_corner_is_pulled_through_the_opposite_face_crosses_itself() {
        // The roof of a house, pulled down through its floor: neighbours cross.
        let floor = [[0., 0., 0.], [1., 0., 0.], [1., 0., 1.], [0., 0., 1.]].map(Vec3::from);
        let house = |top: f64| {
            let walls = floor.map(|v| v + Vec3::y());
            let vertices = floor.into_iter().chain(walls).chain([Vec3::new(0.4, top, 0.3)]).collect();
            let side = |i: u32| [[i, 4 + i, (i + 1) % 4], [4 + i, 4 + (i + 1) % 4, (i + 1) % 4]];
            let roof = |i: u32| [4 + i, 8, 4 + (i + 1) % 4];
            let triangles = (0..4).flat_map(|i| side(i).into_iter().chain([roof(i)]));
            Mesh::new(vertices, triangles.chain([[0, 1, 2], [0, 2, 3]]).collect(), vec![]).unwrap()
        };
        assert_eq!(crossing(&house(2.0), 1000), None);
        assert_eq!(crossing(&house(0.5), 1000), None);
        assert!(crossing(&house(-0.5), 1000).is_some());
    }
}

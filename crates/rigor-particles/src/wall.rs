//! Contacts of a particle with the triangles of an obstacle.

use rigor_geometry::Mesh;
use rigor_geometry::distance::point_triangle::{self, Region};
use rigor_math::Vec3;

/// The most contacts of one particle with one obstacle: a corner of three walls.
pub(crate) const MOST: usize = 3;

/// How far, as a fraction of the radius, a point must rise above a nearer contact's plane to be another
/// contact.
const RISE: f64 = 0.1;

/// A point of an obstacle that a sphere touches, in the obstacle's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WallPoint {
    /// Signed distance (m) of the centre.
    pub distance: f64,
    /// Unit normal, from the obstacle.
    pub normal: Vec3,
    /// On the surface (m).
    pub point: Vec3,
}

/// Finds the contacts of a sphere with `triangles`, nearest first.
///
/// A triangle touches at its nearest point. A point on or below the tangent plane of a nearer contact
/// belongs to the same piece of surface and does not count: a flat or convex surface gives one contact
/// however it is triangulated, a concave corner one for each side. If the surface is solid, a centre behind
/// a face has a negative distance.
pub(crate) fn contacts(
    mesh: &Mesh,
    triangles: &[u32],
    is_solid: bool,
    centre: &Vec3,
    radius: f64,
    near: &mut Vec<WallPoint>,
) -> usize {
    near.clear();
    near.extend(triangles.iter().filter_map(|&t| nearest(mesh, t as usize, is_solid, centre, radius)));
    // Faces come before edges at the same distance; a stable sort keeps the order of triangles.
    near.sort_by(|a, b| a.distance.abs().total_cmp(&b.distance.abs()));
    let mut count = 0;
    for k in 0..near.len() {
        let candidate = near[k];
        let is_new = near[..count].iter().all(|c| (candidate.point - c.point).dot(&c.normal) > RISE * radius);
        if is_new && count < MOST {
            near[count] = candidate;
            count += 1;
        }
    }
    count
}

fn nearest(mesh: &Mesh, triangle: usize, is_solid: bool, centre: &Vec3, radius: f64) -> Option<WallPoint> {
    let [a, b, c] = mesh.corners(triangle);
    let found = point_triangle::closest(centre, &a, &b, &c);
    let size = found.separation.norm();
    if size >= radius {
        return None;
    }
    let face = (b - a).cross(&(c - a)).normalize();
    let along = found.separation.dot(&face);
    let is_behind = is_solid && along < 0.0;
    if found.region == Region::Face {
        // The triangle's own normal is defined even where the centre lies on it.
        let side = if is_solid || along >= 0.0 { 1.0 } else { -1.0 };
        return Some(WallPoint { distance: side * along, normal: side * face, point: found.point_b });
    }
    // Behind a face, its edge is not what stops a sphere.
    if is_behind || size == 0.0 {
        return None;
    }
    Some(WallPoint { distance: size, normal: found.separation / size, point: found.point_b })
}

#[cfg(test)]
mod tests {
    use rigor_shapes::Cuboid;

    use super::*;

    fn at(centre: Vec3) -> Vec<WallPoint> {
        let mesh = Cuboid::new(Vec3::repeat(2.0)).mesh().expect("a cube");
        let all: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
        let mut near = Vec::new();
        let count = contacts(&mesh, &all, true, &centre, 0.5, &mut near);
        near.truncate(count);
        near
    }

    #[test]
    fn a_flat_face_gives_one_contact_on_and_beside_its_diagonal() {
        for centre in [Vec3::new(0.0, 1.4, 0.0), Vec3::new(0.3, 1.4, 0.3), Vec3::new(0.3, 1.4, -0.31)] {
            let found = at(centre);
            assert_eq!(found.len(), 1, "{centre:?}");
            assert!((found[0].distance - 0.4).abs() < 1e-15 && (found[0].normal - Vec3::y()).norm() < 1e-15);
        }
    }

    #[test]
    fn a_convex_edge_and_a_corner_give_one_contact() {
        for centre in [Vec3::new(1.2, 1.2, 0.1), Vec3::new(1.2, 1.2, 1.2)] {
            let found = at(centre);
            assert!(found.len() == 1 && found[0].distance > 0.2, "{found:?}");
            let outwards = centre.map(|x| if x > 1.0 { 1.0 } else { 0.0 }).normalize();
            assert!((found[0].normal - outwards).norm() < 1e-12);
        }
    }

    #[test]
    fn a_centre_behind_a_face_is_pushed_back_out() {
        let found = at(Vec3::new(0.1, 0.8, 0.0));
        assert!(found.len() == 1 && (found[0].distance + 0.2).abs() < 1e-15, "{found:?}");
        assert!((found[0].normal - Vec3::y()).norm() < 1e-15);
    }

    #[test]
    fn a_concave_corner_gives_a_contact_for_each_side() {
        // The inside of a cube turned inside out.
        let mesh = Cuboid::new(Vec3::repeat(2.0)).mesh().expect("a cube").flipped();
        let all: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
        let mut near = Vec::new();
        let count = contacts(&mesh, &all, false, &Vec3::new(-0.6, -0.7, -0.8), 0.5, &mut near);
        assert_eq!(count, 3);
        assert!((near[0].normal - Vec3::z()).norm() < 1e-15 && (near[2].normal - Vec3::x()).norm() < 1e-15);
    }
}

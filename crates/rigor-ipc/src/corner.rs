//! Corners of a mesh: vertices that are neither inside a flat face nor inside a straight edge.

use rigor_geometry::{Mesh, Topology};
use rigor_math::{Vec3, elementary};

/// Two triangles at an edge are coplanar if the corner of one deviates from the plane of the other by at most
/// this fraction of its distance from the edge, which allows for rounding.
pub(crate) const FLAT: f64 = 1e-11;

/// Returns the cosine of the sharpest angle at vertex `v` of its flat faces, each of which may be many
/// triangles; `None` if the vertex is inside a flat face or a straight edge between faces.
///
/// The angle is at most 90°: the result is 0 for obtuse corners and for a vertex without triangles.
pub(crate) fn sharpness(
    mesh: &Mesh,
    topology: &Topology,
    v: usize,
    is_flat: impl Fn(u32) -> bool,
) -> Option<f64> {
    let creases: Vec<u32> = topology.edges_of_vertex(v).iter().copied().filter(|&e| !is_flat(e)).collect();
    let is_wire = |e: &u32| topology.triangles_of_edge(*e as usize).is_empty();
    let arm = |e: u32| {
        let [a, b] = mesh.edges()[e as usize];
        let other = if a as usize == v { b } else { a };
        (mesh.vertices()[other as usize] - mesh.vertices()[v]).normalize()
    };
    let triangles = topology.triangles_of_vertex(v);
    let is_straight = match creases.as_slice() {
        [] => !triangles.is_empty(),
        &[e, f] if !creases.iter().any(is_wire) => (arm(e) + arm(f)).norm() <= FLAT,
        _ => false,
    };
    if is_straight {
        return None;
    }
    let angles = face_angles(mesh, topology, v, is_flat);
    Some(elementary::cos(angles.into_iter().fold(std::f64::consts::FRAC_PI_2, f64::min)))
}

/// Returns the angles (rad) at vertex `v` of its flat faces.
fn face_angles(mesh: &Mesh, topology: &Topology, v: usize, is_flat: impl Fn(u32) -> bool) -> Vec<f64> {
    let triangles = topology.triangles_of_vertex(v);
    // The face of each triangle, identified by one of its triangles.
    let mut face: Vec<usize> = (0..triangles.len()).collect();
    for &e in topology.edges_of_vertex(v).iter().filter(|&&e| is_flat(e)) {
        let mut places = topology
            .triangles_of_edge(e as usize)
            .iter()
            .filter_map(|t| triangles.iter().position(|known| known == t));
        if let (Some(i), Some(j)) = (places.next(), places.next()) {
            let (from, to) = (face[i], face[j]);
            face.iter_mut().filter(|name| **name == from).for_each(|name| *name = to);
        }
    }
    let mut angles = vec![0.0; triangles.len()];
    for (&t, &name) in triangles.iter().zip(&face) {
        angles[name] += angle(mesh, t as usize, v);
    }
    angles.retain(|angle| *angle > 0.0);
    angles
}

/// Returns the angle (rad) of a triangle at its vertex `v`.
fn angle(mesh: &Mesh, triangle: usize, v: usize) -> f64 {
    let at = |i: u32| mesh.vertices()[i as usize] - mesh.vertices()[v];
    let mut others = mesh.triangles()[triangle].into_iter().filter(|i| *i as usize != v).map(at);
    match (others.next(), others.next()) {
        (Some(a), Some(b)) => elementary::atan2(a.cross(&b).norm(), a.dot(&b)),
        _ => 0.0,
    }
}

/// Returns the distance (m) of each vertex that counts to the nearest other such vertex; 0 for vertices that
/// do not count.
///
/// Sweeps along the longest side of the box around the mesh.
pub(crate) fn isolation(mesh: &Mesh, counts: impl Fn(usize) -> bool) -> Vec<f64> {
    let x = mesh.vertices();
    let axis = mesh.bounds().extent().imax();
    let mut order: Vec<usize> = (0..x.len()).filter(|&v| counts(v)).collect();
    order.sort_by(|&a, &b| x[a][axis].total_cmp(&x[b][axis]));
    let mut nearest = vec![0.0; x.len()];
    for (k, &v) in order.iter().enumerate() {
        nearest[v] = f64::INFINITY;
        let (before, after) = (order[..k].iter().rev(), order[k + 1..].iter());
        let mut look = |other: usize| {
            let by: Vec3 = x[other] - x[v];
            let is_within = by[axis].abs() < nearest[v];
            nearest[v] = by.norm().min(nearest[v]);
            is_within
        };
        // Vertices farther away along the axis are farther away.
        let _ = (before.copied().all(&mut look), after.copied().all(&mut look));
    }
    nearest
}

#[cfg(test)]
mod tests {
    use rigor_shapes::{Cuboid, Icosphere};

    use super::*;

    #[test]
    fn a_finely_cut_block_has_eight_corners_and_a_ball_only_corners() {
        let block = Cuboid { size: Vec3::new(1.0, 2.0, 3.0), segments: [3, 4, 5] }.mesh().unwrap();
        let topology = Topology::of(&block);
        let normal = |t: u32| block.area_vector(t as usize).normalize();
        let is_flat = |e: u32| match topology.triangles_of_edge(e as usize) {
            &[t, u] => (normal(t) - normal(u)).norm() < 1e-9,
            _ => false,
        };
        let found: Vec<_> =
            (0..block.vertices().len()).map(|v| sharpness(&block, &topology, v, is_flat)).collect();
        assert_eq!(found.iter().flatten().count(), 8);
        assert!(found.iter().flatten().all(|cos| cos.abs() < 1e-9));
        let near = isolation(&block, |v| found[v].is_some());
        assert!(
            found
                .iter()
                .zip(&near)
                .all(|(corner, d)| (*d - f64::from(u8::from(corner.is_some()))).abs() < 1e-12)
        );

        let ball = Icosphere { radius: 1.0, subdivisions: 0 }.mesh().unwrap();
        let topology = Topology::of(&ball);
        let cos = |v| sharpness(&ball, &topology, v, |_| false).unwrap();
        assert!((0..12).all(|v| (cos(v) - 0.5).abs() < 1e-9));
    }

    #[test]
    fn the_nearest_corner_is_found_wherever_it_is_in_the_order() {
        let ball = Icosphere { radius: 1.0, subdivisions: 2 }.mesh().unwrap();
        let x = ball.vertices();
        for (v, near) in isolation(&ball, |v| v % 3 != 0).into_iter().enumerate() {
            let others = (0..x.len()).filter(|o| o % 3 != 0 && *o != v);
            let known = others.map(|o| (x[o] - x[v]).norm()).fold(f64::INFINITY, f64::min);
            assert_eq!(near, if v % 3 == 0 { 0.0 } else { known });
        }
    }
}

//! Fills the holes of a surface.

use std::collections::{BTreeMap, BTreeSet};

use rigor_geometry::Mesh;
use rigor_geometry::mesh::{MeshError, Soup};
use rigor_math::Vec3;

use super::edges::uses;
use super::{MeshWarning, mend, polygon};

/// Returns the mesh with triangles across every loop of edges that its triangles traverse more often one way than the other, with
/// a note; `None` if there is no such edge. No vertex is added, except in loops that cross themselves, which get one in their middle.
///
/// # Errors
/// [`MeshError`] if the result is no mesh.
pub(super) fn fill(mesh: &Mesh) -> Result<Option<(Mesh, MeshWarning)>, MeshError> {
    let loops = loops(mesh.triangles());
    if loops.is_empty() {
        return Ok(None);
    }
    let mut soup = Soup::from(mesh);
    let (n_before, mut width) = (soup.triangles.len(), 0.0_f64);
    for around in &loops {
        let positions: Vec<Vec3> = around.iter().map(|v| mesh.vertices()[*v as usize]).collect();
        width = width.max(super::join::extent(&positions).0);
        if let [a, b, c] = around[..] {
            soup.triangles.push([a, b, c]);
            continue;
        }
        let split = polygon::split(&positions);
        if split.crosses {
            let middle = soup.vertices.len() as u32;
            soup.vertices.push(positions.iter().map(|v| v / positions.len() as f64).sum());
            let next = around.iter().cycle().skip(1);
            soup.triangles.extend(around.iter().zip(next).map(|(a, b)| [*a, *b, middle]));
        } else {
            soup.triangles.extend(split.triangles.iter().map(|t| t.map(|i| around[i])));
        }
    }
    let triangles = soup.triangles.len() - n_before;
    let (soup, _) = mend::close_up(soup).drop_degenerate()?;
    let note = MeshWarning::Filled { holes: loops.len(), triangles, width };
    Ok(Some((soup.into_mesh()?, note)))
}

/// Returns loops of vertices, each vertex once, whose edges traverse what the triangles leave over, the other way.
///
/// The boundary of triangles has no boundary: as many open sides enter a vertex as leave it, so that they form loops.
fn loops(triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut onward: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let open: BTreeSet<([u32; 2], i64)> = uses(triangles.iter().copied())
        .into_iter()
        .map(|(edge, used)| (edge, i64::from(used.forwards) - i64::from(used.backwards)))
        .filter(|(_, excess)| *excess != 0)
        .collect();
    for ([a, b], excess) in open {
        let (from, to) = if excess > 0 { (b, a) } else { (a, b) };
        onward.entry(from).or_default().extend(std::iter::repeat_n(to, excess.unsigned_abs() as usize));
    }
    let mut loops = Vec::new();
    let starts: Vec<u32> = onward.keys().copied().collect();
    for start in starts {
        let (mut path, mut place) = (vec![start], BTreeMap::from([(start, 0)]));
        while let Some(next) = path.last().and_then(|last| onward.get_mut(last)?.pop()) {
            match place.get(&next).copied() {
                None => {
                    place.insert(next, path.len());
                    path.push(next);
                }
                Some(at) => {
                    let around = path.split_off(at + 1);
                    around.iter().for_each(|v| {
                        place.remove(v);
                    });
                    loops.push(std::iter::once(next).chain(around).collect());
                }
            }
        }
    }
    loops
}

#[cfg(test)]
mod tests {
    use rigor_geometry::Surface;
    use rigor_shapes::{Cuboid, Icosphere};

    use super::*;

    fn without(mesh: &Mesh, left_out: impl Fn(usize) -> bool) -> Mesh {
        let mut soup = Soup::from(mesh);
        let mut t = 0;
        soup.triangles.retain(|_| {
            t += 1;
            !left_out(t - 1)
        });
        soup.drop_degenerate().unwrap().0.into_mesh().unwrap()
    }

    #[test]
    fn a_box_without_a_side_is_a_box_again() {
        let cuboid = Cuboid::new(Vec3::new(1.0, 2.0, 3.0)).mesh().unwrap();
        for side in 0..6 {
            let open = without(&cuboid, |t| t / 2 == side);
            let (filled, note) = fill(&open).unwrap().unwrap();
            assert_eq!(filled.surface(), Surface::Closed);
            assert!((filled.signed_volume() - 6.0).abs() < 1e-14);
            assert!(matches!(note, MeshWarning::Filled { holes: 1, triangles: 2, .. }), "{note}");
        }
        assert_eq!(fill(&cuboid).unwrap(), None);
    }

    #[test]
    fn a_wall_inside_keeps_the_volume() {
        let cuboid = Cuboid { size: Vec3::repeat(2.0), segments: [2, 1, 1] }.mesh().unwrap();
        let middle: Vec<u32> =
            (0..cuboid.vertices().len() as u32).filter(|v| cuboid.vertices()[*v as usize].x == 0.0).collect();
        let mut soup = Soup::from(&cuboid);
        let at = |y: f64, z: f64| {
            let found = middle.iter().find(|v| cuboid.vertices()[**v as usize] == Vec3::new(0.0, y, z));
            *found.unwrap()
        };
        let [a, b, c, d] = [at(-1., -1.), at(1., -1.), at(1., 1.), at(-1., 1.)];
        soup.triangles.extend([[a, b, c], [a, c, d]]);
        let walled = soup.into_mesh().unwrap();
        assert!(!walled.surface().is_solid());
        let (filled, _) = fill(&walled).unwrap().unwrap();
        assert!(filled.surface().is_solid() && (filled.signed_volume() - 8.0).abs() < 1e-14);
    }

    #[test]
    fn any_set_of_missing_triangles_is_filled() {
        let sphere = Icosphere { radius: 1.0, subdivisions: 2 }.mesh().unwrap();
        for k in 2..9 {
            let open = without(&sphere, |t| t * 7919 % k == 1);
            let (filled, _) = fill(&open).unwrap().unwrap();
            assert!(filled.surface().is_solid(), "{k}: {}", filled.surface());
        }
    }
}

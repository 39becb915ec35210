//! A skin drawn over a sequence of loops.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use crate::Mesh;
use crate::mesh::Soup;

/// How a skin ends.
pub(super) enum End {
    /// In a point, joined to all of the loop.
    Tip(Vec3),
    /// With the loop itself as a flat convex face: a fan from its first vertex.
    Flat,
}

/// The skin over `loops`, all of one length, closed at its bottom and top.
///
/// Loops run counter-clockwise seen from where the sequence goes, so that the outside is to the right of its path; the
/// quadrilateral between vertices i, i + 1 of loops j, j + 1 is cut from (i, j) to (i + 1, j + 1).
pub(super) fn capped(check: Check, loops: &[Vec<Vec3>], ends: [End; 2]) -> Result<Mesh, ShapeError> {
    let mut skin = walls(loops);
    let n = loops[0].len() as u32;
    let last = n * (loops.len() as u32 - 1);
    let [bottom, top] = ends;
    for (first, end, faces_down) in [(0, bottom, true), (last, top, false)] {
        let fan = cap(&mut skin.vertices, first, n, end);
        skin.triangles
            .extend(fan.into_iter().map(|[a, b, c]| if faces_down { [a, c, b] } else { [a, b, c] }));
    }
    check.mesh(skin.into_mesh())
}

/// The skin over `loops` with the last joined to the first, as in a ring.
pub(super) fn cyclic(check: Check, loops: &[Vec<Vec3>]) -> Result<Mesh, ShapeError> {
    check.mesh(cyclic_soup(loops).into_mesh())
}

/// As [`cyclic`], not yet checked.
pub(super) fn cyclic_soup(loops: &[Vec<Vec3>]) -> Soup {
    let mut skin = walls(loops);
    let n = loops[0].len() as u32;
    skin.triangles.extend(wall(n * (loops.len() as u32 - 1), 0, n));
    skin
}

fn walls(loops: &[Vec<Vec3>]) -> Soup {
    let n = loops[0].len() as u32;
    Soup {
        vertices: loops.concat(),
        triangles: (1..loops.len() as u32).flat_map(|j| wall(n * (j - 1), n * j, n)).collect(),
        wires: vec![],
    }
}

/// The wall between two loops of n vertices that start at `below` and `above`.
pub(super) fn wall(below: u32, above: u32, n: u32) -> impl Iterator<Item = [u32; 3]> {
    (0..n).flat_map(move |i| {
        let next = (i + 1) % n;
        let [a, b, c, d] = [below + i, below + next, above + next, above + i];
        [[a, b, c], [a, c, d]]
    })
}

/// Triangles over the loop of n vertices from `first`, facing the way it runs counter-clockwise.
fn cap(vertices: &mut Vec<Vec3>, first: u32, n: u32, end: End) -> Vec<[u32; 3]> {
    match end {
        End::Tip(tip) => {
            vertices.push(tip);
            let tip = vertices.len() as u32 - 1;
            (0..n).map(|i| [tip, first + i, first + (i + 1) % n]).collect()
        }
        End::Flat => (1..n - 1).map(|i| [first, first + i, first + i + 1]).collect(),
    }
}

//! Skins over sequences of loops.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use rigor_geometry::Mesh;
use rigor_geometry::mesh::Soup;

/// The closure at an end of a skin.
pub(super) enum End {
    /// In a point that is joined to the whole loop.
    Tip(Vec3),
    /// With the loop itself as a flat convex face: a triangle fan from its first vertex.
    Flat,
}

/// The skin over `loops`, all of equal length, closed at the bottom and top.
///
/// Loops run counter-clockwise seen from the end of the sequence, so that the outside lies to the right of
/// the profile that the sequence traces; the quadrilateral between vertices i, i + 1 of loops j, j + 1 is
/// split from (i, j) to (i + 1, j + 1).
pub(super) fn capped(check: Check, loops: &[Vec<Vec3>], ends: [End; 2]) -> Result<Mesh, ShapeError> {
    let (mut skin, loops) = walls(loops);
    let [bottom, top] = ends;
    let first: Vec<u32> = loops[0].iter().rev().copied().collect();
    cap(&mut skin, &first, bottom);
    cap(&mut skin, &loops[loops.len() - 1], top);
    check.mesh(skin.into_mesh())
}

/// The skin over `loops` with the last joined to the first, as a ring.
pub(super) fn cyclic(check: Check, loops: &[Vec<Vec3>]) -> Result<Mesh, ShapeError> {
    let (mut skin, loops) = walls(loops);
    skin.triangles.extend(wall(&loops[loops.len() - 1], &loops[0]));
    check.mesh(skin.into_mesh())
}

fn walls(loops: &[Vec<Vec3>]) -> (Soup, Vec<Vec<u32>>) {
    let mut skin = Soup::default();
    let loops: Vec<Vec<u32>> = loops.iter().map(|l| add(&mut skin, l)).collect();
    for pair in loops.windows(2) {
        skin.triangles.extend(wall(&pair[0], &pair[1]));
    }
    (skin, loops)
}

/// Adds the vertices of a loop and returns their indices.
pub(super) fn add(skin: &mut Soup, vertices: &[Vec3]) -> Vec<u32> {
    let first = skin.vertices.len() as u32;
    skin.vertices.extend(vertices);
    (first..skin.vertices.len() as u32).collect()
}

/// The triangles between two loops.
pub(super) fn wall(below: &[u32], above: &[u32]) -> Vec<[u32; 3]> {
    let n = below.len();
    let quad = |i: usize| {
        let next = (i + 1) % n;
        [[below[i], below[next], above[next]], [below[i], above[next], above[i]]]
    };
    (0..n).flat_map(quad).collect()
}

/// Adds triangles over a loop, facing the side from which it runs counter-clockwise.
pub(super) fn cap(skin: &mut Soup, rim: &[u32], end: End) {
    let n = rim.len();
    match end {
        End::Tip(tip) => {
            let tip = add(skin, &[tip])[0];
            skin.triangles.extend((0..n).map(|i| [tip, rim[i], rim[(i + 1) % n]]));
        }
        End::Flat => skin.triangles.extend((1..n - 1).map(|i| [rim[0], rim[i], rim[i + 1]])),
    }
}

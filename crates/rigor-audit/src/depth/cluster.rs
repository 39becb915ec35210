//! Connected primitives, all on one side of a surface that none of them meets.

use rigor_math::disjoint_sets::DisjointSets;

use crate::surface::Surface;

/// Returns the `primitives` that are inside the solid `outer`. None of them may meet its surface.
///
/// A path along primitives that share vertices does not pass the surface of `outer`, so that the winding number, which is exact
/// ([`Surface::winding`]), is the same all along: it is computed once for all connected primitives.
pub(super) fn inside(inner: &Surface, outer: &Surface, mut primitives: Vec<u32>) -> Vec<u32> {
    let mut vertices: Vec<u32> = primitives.iter().flat_map(|i| inner.corners(*i)).copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let at = |v: u32| vertices.partition_point(|other| *other < v);
    let mut connected = DisjointSets::new(vertices.len());
    for corners in primitives.iter().map(|i| inner.corners(*i)) {
        for v in &corners[1..] {
            connected.join(at(corners[0]), at(*v));
        }
    }
    let mut is_inside: Vec<Option<bool>> = vec![None; vertices.len()];
    primitives.retain(|i| {
        let k = connected.first(at(inner.corners(*i)[0]));
        *is_inside[k].get_or_insert_with(|| outer.encloses(&inner.vertex(vertices[k])))
    });
    primitives
}

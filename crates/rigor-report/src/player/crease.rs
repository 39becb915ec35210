//! The edges of a mesh that a drawing shows.

use std::collections::BTreeMap;

use rigor_math::Vec3;

/// Triangles whose normals have a smaller cosine form a crease: 26°.
const COSINE: f64 = 0.9;

/// Returns the edges where the surface ends or bends.
pub fn creases(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let normal = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| vertices[v as usize]);
        (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::zeros)
    };
    let mut sides: BTreeMap<[u32; 2], Vec<Vec3>> = BTreeMap::new();
    for triangle in triangles {
        let [a, b, c] = *triangle;
        for [from, to] in [[a, b], [b, c], [c, a]] {
            sides.entry([from.min(to), from.max(to)]).or_default().push(normal(triangle));
        }
    }
    let is_shown = |normals: &Vec<Vec3>| match normals[..] {
        [a, b] => a.dot(&b) < COSINE,
        _ => true,
    };
    sides.into_iter().filter(|(_, normals)| is_shown(normals)).map(|(edge, _)| edge).collect()
}

//! Meshes too large for a page, with fewer triangles.

use std::collections::{BTreeMap, BTreeSet};

use rigor_geometry::Aabb;
use rigor_math::Vec3;

/// Vertices and triangles.
pub type Surface = (Vec<Vec3>, Vec<[u32; 3]>);

/// Finest grid to try, in cells along the longest side.
const CELLS: f64 = 128.0;

/// Merges the vertices in each cell of a grid, coarser until at most `most` triangles are left.
///
/// Only pictures use the result. A vertex moves by at most the diagonal of a cell.
pub fn simplified((vertices, triangles): Surface, most: usize) -> Surface {
    if triangles.len() <= most {
        return (vertices, triangles);
    }
    let bounds = Aabb::of_points(&vertices);
    let longest = bounds.extent().max();
    let mut cells = CELLS;
    loop {
        let merged = merged(&vertices, &triangles, &bounds.min, longest / cells);
        if merged.1.len() <= most || cells < 2.0 {
            return merged;
        }
        cells *= 0.8;
    }
}

fn merged(vertices: &[Vec3], triangles: &[[u32; 3]], origin: &Vec3, cell: f64) -> Surface {
    let mut groups: BTreeMap<[i64; 3], (u32, Vec3, f64)> = BTreeMap::new();
    let mut group_of = Vec::with_capacity(vertices.len());
    for vertex in vertices {
        let place = (vertex - origin) / cell;
        let key = [place.x, place.y, place.z].map(|c| c.floor() as i64);
        let next = groups.len() as u32;
        let group = groups.entry(key).or_insert((next, Vec3::zeros(), 0.0));
        group.1 += vertex;
        group.2 += 1.0;
        group_of.push(group.0);
    }
    let mut means = vec![Vec3::zeros(); groups.len()];
    for (index, sum, count) in groups.into_values() {
        means[index as usize] = sum / count;
    }
    let turned = |[a, b, c]: [u32; 3]| match a.min(b).min(c) {
        least if least == a => [a, b, c],
        least if least == b => [b, c, a],
        _ => [c, a, b],
    };
    let of_groups = triangles.iter().map(|t| t.map(|v| group_of[v as usize]));
    let kept: BTreeSet<[u32; 3]> =
        of_groups.filter(|[a, b, c]| a != b && b != c && c != a).map(turned).collect();
    (means, kept.into_iter().collect())
}

//! Triangles that a file gives more than once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rigor_geometry::mesh::Soup;

use super::edges::{Parts, edge, sides, uses};
use super::sift::sift;

/// How many triangles were left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Removed {
    /// Triangles on the corners of another one that faces the same way.
    pub repeated: usize,
    /// Back sides of a surface given from both sides.
    pub backs: usize,
}

impl Removed {
    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self { repeated: self.repeated + other.repeated, backs: self.backs + other.backs }
    }
}

/// Triangles on the same three positions.
#[derive(Default)]
struct Group {
    /// Numbers of triangles that face one way and the other, and the first of each.
    ways: [(usize, usize); 2],
}

/// Keeps each triangle once, by the positions of its corners.
///
/// Of triangles that face both ways those in the majority are kept, and of equally many one of each: they bound no volume
/// together, and may be a wall between two solids. If a part of the surface consists of such pairs alone, or if leaving out
/// the second of each pair closes it, then the part is a surface given from both sides, and the second is left out.
pub(super) fn once(soup: Soup) -> (Soup, Removed) {
    let place = places(&soup);
    let keys: Vec<([u32; 3], usize)> =
        soup.triangles.iter().map(|t| key(t.map(|v| place[v as usize]))).collect();
    let mut groups: HashMap<[u32; 3], Group> = HashMap::with_capacity(keys.len());
    for (t, (key, way)) in keys.iter().enumerate() {
        let (count, first) = &mut groups.entry(*key).or_default().ways[*way];
        if *count == 0 {
            *first = t;
        }
        *count += 1;
    }
    if groups.len() == keys.len() {
        return (soup, Removed::default());
    }
    let mut removed = Removed::default();
    // Whether each triangle is kept, and whether it is the second of a pair.
    let mut kept = vec![false; keys.len()];
    let mut second = vec![false; keys.len()];
    let mut paired = vec![false; keys.len()];
    for (t, (key, way)) in keys.iter().enumerate() {
        let [(mine, first), (others, other)] = {
            let ways = groups[key].ways;
            [ways[*way], ways[1 - *way]]
        };
        kept[t] = first == t && mine >= others;
        if kept[t] && mine == others {
            (paired[t], second[t]) = (true, other < t);
        }
    }
    removed.repeated = kept.iter().filter(|kept| !**kept).count();
    let chosen = |keep: &dyn Fn(usize) -> bool| -> Vec<[u32; 3]> {
        soup.triangles.iter().enumerate().filter(|(t, _)| keep(*t)).map(|(_, triangle)| *triangle).collect()
    };
    let mut parts = Parts::of(soup.vertices.len(), chosen(&|t| kept[t]).into_iter());
    let (all, fronts) = (chosen(&|t| kept[t]), chosen(&|t| kept[t] && !second[t]));
    let (open_all, open_fronts) = (odd(&all, &mut parts), odd(&fronts, &mut parts));
    let mut unpaired: BTreeMap<u32, bool> = BTreeMap::new();
    for t in (0..keys.len()).filter(|t| kept[*t]) {
        *unpaired.entry(parts.first(soup.triangles[t][0])).or_default() |= !paired[t];
    }
    for t in (0..keys.len()).filter(|t| second[*t]) {
        let part = parts.first(soup.triangles[t][0]);
        let closes = open_all.contains(&part) && !open_fronts.contains(&part);
        if !unpaired[&part] || closes {
            kept[t] = false;
            removed.backs += 1;
        }
    }
    (sift(soup, &kept), removed)
}

/// Returns the parts with edges that have an odd number of triangles.
fn odd(triangles: &[[u32; 3]], parts: &mut Parts) -> BTreeSet<u32> {
    let uses = uses(triangles.iter().copied());
    let sides = triangles.iter().flat_map(|t| sides(*t));
    let open = sides.filter(|side| uses.get(&edge(*side)).is_some_and(|used| used.count() % 2 == 1));
    open.map(|[a, _]| parts.first(a)).collect()
}

/// Returns for each vertex the first one at its position.
fn places(soup: &Soup) -> Vec<u32> {
    let mut first: HashMap<[u64; 3], u32> = HashMap::with_capacity(soup.vertices.len());
    let bits = |x: f64| (x + 0.0).to_bits();
    let vertices = soup.vertices.iter().zip(0..);
    vertices.map(|(v, i)| *first.entry([bits(v.x), bits(v.y), bits(v.z)]).or_insert(i)).collect()
}

/// Returns the sorted corners, and whether sorting is an even or an odd permutation.
fn key([a, b, c]: [u32; 3]) -> ([u32; 3], usize) {
    let turns = [[a, b, c], [b, c, a], [c, a, b]];
    let [a, b, c] = turns.into_iter().min_by_key(|turn| turn[0]).unwrap_or([a, b, c]);
    if b <= c { ([a, b, c], 0) } else { ([a, c, b], 1) }
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;

    use super::*;

    fn tetrahedron() -> Soup {
        Soup {
            vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z(), Vec3::repeat(1.0)],
            triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
            wires: vec![],
        }
    }

    #[test]
    fn a_surface_given_twice_is_used_once_with_its_own_vertices_too() {
        let alone = tetrahedron();
        let mut twice = alone.clone();
        twice.triangles.extend(alone.triangles.iter().map(|&[a, b, c]| [b, c, a]));
        assert_eq!(once(twice).1, Removed { repeated: 4, backs: 0 });
        let mut apart = alone.clone();
        apart.vertices.extend(alone.vertices.iter());
        apart.triangles.extend(alone.triangles.iter().map(|t| t.map(|v| v + 5)));
        let (kept, removed) = once(apart);
        // The vertex that nothing uses is a point, and stays in both.
        assert_eq!((kept.vertices.len(), kept.triangles, removed.repeated), (6, alone.triangles, 4));
    }

    #[test]
    fn a_surface_given_from_both_sides_keeps_its_front() {
        let alone = tetrahedron();
        let mut both = alone.clone();
        both.triangles.extend(alone.triangles.iter().map(|&[a, b, c]| [a, c, b]));
        let (kept, removed) = once(both.clone());
        assert_eq!((kept, removed), (alone.clone(), Removed { repeated: 0, backs: 4 }));
        // One back side alone opens the surface; without it, it is closed.
        both.triangles.truncate(5);
        assert_eq!(once(both), (alone, Removed { repeated: 0, backs: 1 }));
    }

    #[test]
    fn a_wall_between_two_solids_stays() {
        let mut two = tetrahedron();
        two.triangles.extend([[1, 3, 2], [1, 2, 4], [2, 3, 4], [3, 1, 4]]);
        assert_eq!(once(two.clone()), (two, Removed::default()));
    }
}

//! Joins vertices at open edges: exporters repeat a vertex for each face, normal or material.

use std::collections::{BTreeSet, HashMap, HashSet};

use rigor_geometry::mesh::Soup;
use rigor_math::Vec3;

use super::edges::{Parts, uses};

/// Distances within which vertices are joined if that closes a part of the surface, as shares of the size of the mesh:
/// rounding of f64, of transformations, of f32, and of six printed digits in each of three coordinates.
const SHARES: [f64; 4] = [1e-12, 1e-9, 2e-7, 2e-6];

/// What was joined.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Joined {
    /// Number of vertices that disappeared.
    pub vertices: usize,
    /// The longest way (m) of one of them.
    pub distance: f64,
}

impl Joined {
    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self { vertices: self.vertices + other.vertices, distance: self.distance.max(other.distance) }
    }
}

/// Joins vertices of edges with a single triangle that are at equal positions.
pub(super) fn at_equal_positions(soup: Soup) -> (Soup, Option<Joined>) {
    let open = at_open_edges(&soup);
    let target = clustered(&soup, &open, 0.0);
    applied(soup, &target)
}

/// Joins vertices of edges with a single triangle that are within one of [`SHARES`], where all edges of a part of the surface
/// then have an even number of triangles, and none of its triangles becomes equal to another one.
pub(super) fn within_tolerance(mut soup: Soup) -> (Soup, Option<Joined>) {
    let (size, reach) = extent(&soup.vertices);
    let mut all: Option<Joined> = None;
    for share in SHARES {
        let tolerance = share * size;
        // Coordinates are no finer than this.
        if !tolerance.is_finite() || tolerance < 4.0 * f64::EPSILON * reach {
            continue;
        }
        let open = at_open_edges(&soup);
        if !open.contains(&true) {
            break;
        }
        let trial = clustered(&soup, &open, tolerance);
        let target = where_it_closes(&soup, &trial);
        let joined;
        (soup, joined) = applied(soup, &target);
        all = joined.map(|joined| joined.and(all.unwrap_or_default())).or(all);
    }
    (soup, all)
}

/// Returns the diagonal of the box around the vertices, and the largest magnitude of a coordinate (m).
pub(super) fn extent(vertices: &[Vec3]) -> (f64, f64) {
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for v in vertices {
        (low, high) = (low.inf(v), high.sup(v));
    }
    ((high - low).norm(), low.amax().max(high.amax()))
}

/// Whether each vertex is at an edge with a single triangle.
fn at_open_edges(soup: &Soup) -> Vec<bool> {
    let mut open = vec![false; soup.vertices.len()];
    for ([a, b], used) in uses(soup.triangles.iter().copied()) {
        if used.count() == 1 {
            (open[a as usize], open[b as usize]) = (true, true);
        }
    }
    open
}

/// Returns for each of the `chosen` vertices the first chosen one that is kept and within `tolerance` (m), and for others the
/// vertex itself.
fn clustered(soup: &Soup, chosen: &[bool], tolerance: f64) -> Vec<u32> {
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let width = 2.0 * tolerance;
    let coordinate =
        |c: f64| if width > 0.0 { (c / width).floor() as i64 } else { (c + 0.0).to_bits() as i64 };
    let reach: &[i64] = if tolerance > 0.0 { &[-1, 0, 1] } else { &[0] };
    let mut target: Vec<u32> = (0..soup.vertices.len() as u32).collect();
    for (v, position) in soup.vertices.iter().enumerate().filter(|(v, _)| chosen[*v]) {
        let cell = [coordinate(position.x), coordinate(position.y), coordinate(position.z)];
        let near = |k: &&u32| (soup.vertices[**k as usize] - position).norm() <= tolerance;
        let mut found: Option<u32> = None;
        for (i, j, k) in
            reach.iter().flat_map(|i| reach.iter().flat_map(move |j| reach.iter().map(move |k| (i, j, k))))
        {
            let beside = [cell[0].saturating_add(*i), cell[1].saturating_add(*j), cell[2].saturating_add(*k)];
            let kept = cells.get(&beside).and_then(|kept| kept.iter().filter(near).min().copied());
            found = found.into_iter().chain(kept).min();
        }
        match found {
            Some(kept) => target[v] = kept,
            None => cells.entry(cell).or_default().push(v as u32),
        }
    }
    target
}

/// Keeps of `trial` what closes parts of the surface.
fn where_it_closes(soup: &Soup, trial: &[u32]) -> Vec<u32> {
    let moved = |t: &[u32; 3]| t.map(|v| trial[v as usize]);
    let has_corners = |[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
    let triangles = || soup.triangles.iter().map(moved).filter(has_corners);
    let mut parts = Parts::of(soup.vertices.len(), triangles());
    let (mut bad, mut there) = (BTreeSet::new(), BTreeSet::new());
    for ([a, _], used) in uses(triangles()) {
        // A part that shrinks to a point is not there.
        there.insert(parts.first(a));
        if used.count() % 2 == 1 {
            bad.insert(parts.first(a));
        }
    }
    let sorted = |mut t: [u32; 3]| {
        t.sort_unstable();
        t
    };
    let mut before: HashSet<[u32; 3]> = HashSet::new();
    let again: HashSet<[u32; 3]> =
        soup.triangles.iter().map(|t| sorted(*t)).filter(|t| !before.insert(*t)).collect();
    let mut seen: HashSet<[u32; 3]> = HashSet::new();
    for triangle in &soup.triangles {
        let key = sorted(moved(triangle));
        if has_corners(&key) && !seen.insert(key) && !again.contains(&sorted(*triangle)) {
            bad.insert(parts.first(key[0]));
        }
    }
    let closes = |part: u32| there.contains(&part) && !bad.contains(&part);
    let keep = |(v, to): (usize, &u32)| if closes(parts.first(*to)) { *to } else { v as u32 };
    trial.iter().enumerate().map(keep).collect()
}

/// Moves every vertex to its target and removes those that went away.
fn applied(mut soup: Soup, target: &[u32]) -> (Soup, Option<Joined>) {
    let mut joined = Joined { vertices: 0, distance: 0.0 };
    let mut place = vec![0; target.len()];
    let mut vertices = Vec::with_capacity(target.len());
    for (v, to) in target.iter().enumerate() {
        if *to as usize == v {
            place[v] = vertices.len() as u32;
            vertices.push(soup.vertices[v]);
        } else {
            place[v] = place[*to as usize];
            let way = (soup.vertices[v] - soup.vertices[*to as usize]).norm();
            joined = Joined { vertices: joined.vertices + 1, distance: joined.distance.max(way) };
        }
    }
    if joined.vertices == 0 {
        return (soup, None);
    }
    let moved = |v: u32| place[v as usize];
    soup.triangles.iter_mut().for_each(|t| *t = t.map(moved));
    soup.wires.iter_mut().for_each(|w| *w = w.map(moved));
    soup.vertices = vertices;
    (soup, Some(joined))
}

/// Returns the edges with a single triangle.
#[cfg(test)]
pub(super) fn open_edges(soup: &Soup) -> usize {
    uses(soup.triangles.iter().copied()).values().filter(|used| used.count() == 1).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A box whose six sides have corners of their own, moved by `noise` (m).
    fn loose_box(size: [f64; 3], noise: impl Fn(usize) -> Vec3) -> Soup {
        let corner = |i: usize| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2 & 1) as f64);
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let mut soup = Soup::default();
        for side in sides {
            let first = soup.vertices.len() as u32;
            let place = |i: usize| corner(i).component_mul(&Vec3::from(size));
            for i in side {
                let n = noise(soup.vertices.len());
                soup.vertices.push(place(i) + n);
            }
            soup.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
        soup
    }

    #[test]
    fn a_box_of_loose_sides_is_joined_and_one_that_is_closed_left_alone() {
        let (joined, told) = at_equal_positions(loose_box([1.0, 2.0, 3.0], |_| Vec3::zeros()));
        assert_eq!((joined.vertices.len(), told), (8, Some(Joined { vertices: 16, distance: 0.0 })));
        assert_eq!(open_edges(&joined), 0);
        // Two closed boxes that touch in a side stay two.
        let mut two = joined.clone();
        two.vertices.extend(joined.vertices.iter().map(|v| v + Vec3::x()));
        two.triangles.extend(joined.triangles.iter().map(|t| t.map(|v| v + 8)));
        assert_eq!(at_equal_positions(two.clone()), (two, None));
    }

    #[test]
    fn a_sheet_thinner_than_the_tolerance_is_not_drawn_together() {
        let thin = loose_box([1.0, 1.0, 1e-6], |v| Vec3::repeat(if v % 3 == 0 { 1e-8 } else { 0.0 }));
        let (joined, _) = within_tolerance(thin);
        let heights: Vec<f64> = joined.vertices.iter().map(|v| v.z).collect();
        assert!(heights.iter().any(|z| *z < 1e-7) && heights.iter().any(|z| *z > 9e-7), "{heights:?}");
    }

    #[test]
    fn a_part_smaller_than_the_tolerance_stays() {
        let mut soup = loose_box([1.0; 3], |_| Vec3::zeros());
        let n = soup.vertices.len() as u32;
        soup.vertices.extend([Vec3::zeros(), Vec3::x(), Vec3::y()].map(|v| v * 1e-7 + Vec3::repeat(5.0)));
        soup.triangles.push([n, n + 1, n + 2]);
        let (joined, _) = within_tolerance(at_equal_positions(soup).0);
        assert_eq!((joined.vertices.len(), open_edges(&joined)), (11, 3));
    }

    proptest! {
        #[test]
        fn noise_below_the_tolerance_is_closed_and_above_it_left(
            seeds in prop::collection::vec([-1.0..1.0f64, -1.0..1.0, -1.0..1.0], 24),
            share in prop::sample::select(vec![1e-15, 1e-13, 1e-10, 2e-8, 2e-7, 1e-5, 1e-3]),
            size in prop::sample::select(vec![1e-4, 1.0, 220.0]),
        ) {
            let noise = |v: usize| Vec3::from(seeds[v]) * (share * size * 3.0_f64.sqrt() / 3.0);
            let soup = loose_box([size; 3], noise);
            let (soup, exact) = at_equal_positions(soup);
            let (joined, near) = within_tolerance(soup);
            if share <= 2e-7 {
                prop_assert_eq!(open_edges(&joined), 0);
                prop_assert_eq!(joined.vertices.len(), 8);
                let told = near.or(exact).unwrap();
                prop_assert!(told.distance <= 4.0 * share * size + 1e-15 * size, "{:?}", told);
            } else {
                prop_assert!(open_edges(&joined) > 0 && near.is_none());
            }
        }
    }
}

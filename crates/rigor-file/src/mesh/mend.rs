//! Removal of triangles without area without opening the surface.
//!
//! Deleting a triangle whose corners are collinear leaves the surface in place but open: its neighbours no
//! longer share edges, and a solid would get the mass of a shell. Therefore coincident corners are merged
//! into one vertex, and a corner on the opposite side becomes a corner of the neighbour across that side.

use std::collections::{BTreeSet, BinaryHeap, HashMap};

use rigor_geometry::mesh::Soup;
use rigor_math::disjoint_sets::DisjointSets;

/// Closes up the triangles without area in `soup` where the surface allows it.
///
/// The remaining ones name a vertex twice and can be deleted without harm; see [`names_a_vertex_twice`]. A
/// triangle whose longest side is a boundary is left unchanged. Vertices merged into others disappear; no
/// vertex moves.
///
/// # Panics
/// If an index is out of range.
pub(super) fn close_up(soup: Soup) -> Soup {
    let mut soup = soup;
    // Splitting may bring corners at equal positions together, which are joined in the next round.
    for _ in 0..MOST_ROUNDS {
        let is_left = |t: &[u32; 3]| !names_a_vertex_twice(t) && !has_area(&soup, t);
        if !soup.triangles.iter().any(is_left) {
            break;
        }
        let mut surface = Surface::new(with_corners_joined(soup));
        let changed = surface.close_up_caps();
        soup = surface.soup;
        if !changed {
            break;
        }
    }
    soup
}

/// Most rounds of joining corners and splitting neighbours.
const MOST_ROUNDS: usize = 16;

/// Returns the number of triangles without area.
pub(super) fn count_flat(soup: &Soup) -> usize {
    soup.triangles.iter().filter(|t| !has_area(soup, t)).count()
}

/// Whether a triangle traverses its only edge both ways and therefore bounds nothing.
pub(super) fn names_a_vertex_twice(&[a, b, c]: &[u32; 3]) -> bool {
    a == b || b == c || c == a
}

fn has_area(soup: &Soup, triangle: &[u32; 3]) -> bool {
    let [a, b, c] = triangle.map(|v| soup.vertices[v as usize]);
    (b - a).cross(&(c - a)).norm() > 0.0
}

/// Merges corners of a triangle at equal positions into the vertex with the lowest index.
fn with_corners_joined(soup: Soup) -> Soup {
    let mut joined = DisjointSets::new(soup.vertices.len());
    for [a, b] in soup.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]) {
        if a != b && soup.vertices[a as usize] == soup.vertices[b as usize] {
            joined.join(a as usize, b as usize);
        }
    }
    let mut place = vec![0; soup.vertices.len()];
    let mut vertices = Vec::new();
    for (v, position) in soup.vertices.iter().enumerate() {
        let earlier = joined.first(v);
        if earlier == v {
            place[v] = vertices.len() as u32;
            vertices.push(*position);
        } else {
            place[v] = place[earlier];
        }
    }
    let moved = |v: u32| place[v as usize];
    Soup {
        vertices,
        triangles: soup.triangles.into_iter().map(|t| t.map(moved)).collect(),
        wires: soup.wires.into_iter().map(|w| w.map(moved)).collect(),
    }
}

/// A soup with, for each directed edge, the triangles along it.
struct Surface {
    soup: Soup,
    along: HashMap<[u32; 2], BTreeSet<usize>>,
}

impl Surface {
    fn new(soup: Soup) -> Self {
        let mut surface = Self { along: HashMap::new(), soup };
        (0..surface.soup.triangles.len()).for_each(|t| surface.register(t));
        surface
    }

    fn register(&mut self, t: usize) {
        let [a, b, c] = self.soup.triangles[t];
        if names_a_vertex_twice(&[a, b, c]) {
            return;
        }
        for edge in [[a, b], [b, c], [c, a]] {
            self.along.entry(edge).or_default().insert(t);
        }
    }

    fn unregister(&mut self, t: usize) {
        let [a, b, c] = self.soup.triangles[t];
        for edge in [[a, b], [b, c], [c, a]] {
            if let Some(triangles) = self.along.get_mut(&edge) {
                triangles.remove(&t);
            }
        }
    }

    /// Processes triangles without area, those with the longest sides first, and returns whether any changed.
    ///
    /// A neighbour without area then lies within the longest side, and both are replaced by shorter ones: this ends. The number of
    /// tries is limited all the same, because lengths are rounded.
    fn close_up_caps(&mut self) -> bool {
        let all = (0..self.soup.triangles.len()).filter(|&t| self.is_cap(t));
        let mut flat: BinaryHeap<(u64, usize)> = all.map(|t| (self.longest(t), t)).collect();
        let mut tries = 64 * flat.len() + 64;
        let mut is_changed = false;
        while let Some((_, t)) = flat.pop().filter(|_| tries > 0) {
            tries -= 1;
            if self.is_cap(t)
                && let Some(changed) = self.close_up_cap(t)
            {
                is_changed = true;
                flat.extend(changed.into_iter().filter(|&t| self.is_cap(t)).map(|t| (self.longest(t), t)));
            }
        }
        is_changed
    }

    /// Whether a triangle has three collinear corners in different places.
    fn is_cap(&self, t: usize) -> bool {
        let triangle = &self.soup.triangles[t];
        let [a, b, c] = triangle.map(|v| self.soup.vertices[v as usize]);
        !names_a_vertex_twice(triangle) && a != b && b != c && c != a && !has_area(&self.soup, triangle)
    }

    /// The bits of the square (m²) of the longest side, which order as the numbers do.
    fn longest(&self, t: usize) -> u64 {
        let [first, .., last] = self.turned_to_long_side(t);
        let [a, b] = [first, last].map(|v| self.soup.vertices[v as usize]);
        (a - b).norm_squared().to_bits()
    }

    /// Splits the neighbour across the longest side of `t` at the corner that lies on it: (a, b, c), (a, c,
    /// d) become (a, b, d), (b, c, d). Returns the two triangles, or `None` at a boundary.
    fn close_up_cap(&mut self, t: usize) -> Option<[usize; 2]> {
        let [a, b, c] = self.turned_to_long_side(t);
        let neighbour = *self.along.get(&[a, c])?.iter().find(|n| **n != t)?;
        let d = self.soup.triangles[neighbour].into_iter().find(|v| *v != a && *v != c)?;
        self.unregister(t);
        self.unregister(neighbour);
        // If d is b, the two triangles coincide, and both then name a vertex twice.
        self.soup.triangles[t] = [a, b, d];
        self.soup.triangles[neighbour] = [b, c, d];
        self.register(t);
        self.register(neighbour);
        Some([t, neighbour])
    }

    /// Returns the corners of a triangle, rotated so that the side from the last to the first is the longest.
    fn turned_to_long_side(&self, t: usize) -> [u32; 3] {
        let [a, b, c] = self.soup.triangles[t];
        let length = |[.., from]: &[u32; 3], to: u32| {
            (self.soup.vertices[*from as usize] - self.soup.vertices[to as usize]).norm_squared()
        };
        let turns = [[a, b, c], [b, c, a], [c, a, b]];
        let longest = turns.into_iter().max_by(|s, t| length(s, s[0]).total_cmp(&length(t, t[0])));
        longest.expect("there are three")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rigor_geometry::{Mesh, Surface};
    use rigor_math::Vec3;

    use super::*;

    /// A tetrahedron of volume 1/6.
    fn tetrahedron() -> Soup {
        Soup {
            vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()],
            triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
            wires: vec![],
        }
    }

    /// Puts a vertex on an edge for only one of its two triangles, and a triangle without area into the gap.
    fn cap(soup: &mut Soup, triangle: usize, share: f64) {
        let [a, b, c] = soup.triangles[triangle];
        let position = soup.vertices[a as usize].lerp(&soup.vertices[b as usize], share);
        let m = soup.vertices.len() as u32;
        soup.vertices.push(position);
        soup.triangles[triangle] = [a, m, c];
        soup.triangles.extend([[m, b, c], [a, b, m]]);
    }

    /// Duplicates a vertex in place for one triangle and closes the gap with triangles without area.
    fn tear(soup: &mut Soup, triangle: usize) {
        let [a, b, c] = soup.triangles[triangle];
        let twin = soup.vertices.len() as u32;
        soup.vertices.push(soup.vertices[a as usize]);
        soup.triangles[triangle] = [twin, b, c];
        soup.triangles.extend([[a, b, twin], [a, twin, c]]);
    }

    fn closed(soup: Soup) -> Mesh {
        let harmless = soup.triangles.iter().filter(|t| names_a_vertex_twice(t)).count();
        let (mended, dropped) = soup.drop_degenerate().unwrap();
        assert_eq!((dropped.triangles, dropped.vertices), (harmless, 0));
        mended.into_mesh().unwrap()
    }

    #[test]
    fn a_cap_is_given_to_its_neighbour() {
        let mut soup = tetrahedron();
        cap(&mut soup, 2, 0.5);
        let mesh = closed(close_up(soup));
        assert_eq!((mesh.surface(), mesh.triangles().len()), (Surface::Closed, 6));
        assert!((mesh.signed_volume() - 1.0 / 6.0).abs() < 1e-16);
    }

    #[test]
    fn a_tear_is_sewn_up() {
        let mut soup = tetrahedron();
        tear(&mut soup, 1);
        let mesh = closed(close_up(soup));
        assert_eq!((mesh.surface(), mesh.vertices().len(), mesh.triangles().len()), (Surface::Closed, 4, 4));
    }

    #[test]
    fn a_triangle_without_area_at_a_boundary_stays() {
        let vertices = vec![Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0, Vec3::y()];
        let soup = Soup { vertices, triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3]], wires: vec![] };
        assert_eq!(close_up(soup.clone()), soup);
    }

    proptest! {
        #[test]
        fn any_number_of_caps_and_tears_is_closed_up(
            defects in prop::collection::vec((any::<prop::sample::Index>(), 1..8u32, any::<bool>()), 1..12),
        ) {
            let mut soup = tetrahedron();
            for (which, eighths, is_cap) in defects {
                // Eighths of eighths are exact for a while; later corners are only nearly collinear and keep
                // an area.
                let with_area: Vec<usize> =
                    (0..soup.triangles.len()).filter(|&t| has_area(&soup, &soup.triangles[t])).collect();
                let triangle = with_area[which.index(with_area.len())];
                if is_cap {
                    cap(&mut soup, triangle, f64::from(eighths) / 8.0);
                } else {
                    tear(&mut soup, triangle);
                }
            }
            let mesh = closed(close_up(soup));
            prop_assert!(mesh.surface().is_solid(), "{}", mesh.surface());
            prop_assert!((mesh.signed_volume() - 1.0 / 6.0).abs() < 1e-15);
        }
    }
}

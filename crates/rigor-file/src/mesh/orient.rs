//! Turns triangles so that neighbours agree on which side is out.

use std::collections::HashMap;

use rigor_geometry::mesh::Soup;

use super::edges::{edge, sides};

/// Turns the triangles of each patch that face the other way than the most of it, and returns their number. A patch ends at edges
/// with more or fewer than two triangles; one without two sides stays as it is.
pub(super) fn orient(soup: &mut Soup) -> usize {
    let mut along: HashMap<[u32; 2], Neighbours> = HashMap::with_capacity(soup.triangles.len() * 3 / 2);
    for (t, triangle) in soup.triangles.iter().enumerate() {
        for side in sides(*triangle) {
            along.entry(edge(side)).or_default().add(t as u32, side[0] < side[1]);
        }
    }
    let disagree = along.values().any(|n| n.count == 2 && n.ways[0] == n.ways[1]);
    if !disagree {
        return 0;
    }
    // Whether each triangle faces the other way than the first of its patch.
    let mut turned: Vec<Option<bool>> = vec![None; soup.triangles.len()];
    let mut n_turned = 0;
    for first in 0..soup.triangles.len() {
        if turned[first].is_some() {
            continue;
        }
        turned[first] = Some(false);
        let (mut patch, mut next, mut has_two_sides) = (vec![first], 0, true);
        while let Some(&t) = patch.get(next) {
            next += 1;
            let mine = turned[t].unwrap_or_default();
            for side in sides(soup.triangles[t]) {
                let Some(other) = along.get(&edge(side)).and_then(|n| n.other(t as u32)) else { continue };
                let (o, agrees) = other;
                let expected = mine == agrees;
                match turned[o as usize] {
                    None => {
                        turned[o as usize] = Some(expected);
                        patch.push(o as usize);
                    }
                    Some(found) => has_two_sides &= found == expected,
                }
            }
        }
        let minority = patch.iter().filter(|t| turned[**t] == Some(true)).count();
        if !has_two_sides || minority == 0 {
            continue;
        }
        let turns = 2 * minority <= patch.len();
        for t in patch.into_iter().filter(|t| turned[*t] == Some(turns)) {
            let [a, b, c] = soup.triangles[t];
            soup.triangles[t] = [a, c, b];
            n_turned += 1;
        }
    }
    n_turned
}

/// The first two triangles along an edge, and the ways in which they traverse it.
#[derive(Default)]
struct Neighbours {
    count: u32,
    triangles: [u32; 2],
    ways: [bool; 2],
}

impl Neighbours {
    fn add(&mut self, triangle: u32, way: bool) {
        if let Some(place) = self.triangles.get_mut(self.count as usize) {
            *place = triangle;
            self.ways[self.count as usize] = way;
        }
        self.count += 1;
    }

    /// Returns the other one of two triangles, and whether they traverse the edge in opposite ways.
    fn other(&self, triangle: u32) -> Option<(u32, bool)> {
        let [a, b] = self.triangles;
        let agrees = self.ways[0] != self.ways[1];
        (self.count == 2 && a != b).then_some((if a == triangle { b } else { a }, agrees))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rigor_geometry::Surface;
    use rigor_math::Vec3;
    use rigor_shapes::Icosphere;

    use super::*;

    proptest! {
        #[test]
        fn any_turned_minority_is_turned_back(choice in prop::collection::vec(any::<prop::sample::Index>(), 0..30)) {
            let sphere = Icosphere { radius: 1.0, subdivisions: 2 }.mesh().unwrap();
            let mut soup = Soup::from(&sphere);
            let chosen: std::collections::BTreeSet<usize> =
                choice.iter().map(|index| index.index(soup.triangles.len())).collect();
            for t in &chosen {
                soup.triangles[*t].swap(1, 2);
            }
            prop_assert_eq!(orient(&mut soup), chosen.len());
            let mesh = soup.into_mesh().unwrap();
            prop_assert_eq!(mesh.surface(), Surface::Closed);
            prop_assert_eq!(mesh.signed_volume(), sphere.signed_volume());
        }
    }

    #[test]
    fn a_strip_with_one_side_stays() {
        let n = 7;
        let corner = |i: usize, k: f64| {
            let turn = std::f64::consts::PI * i as f64 / n as f64;
            Vec3::new(
                (2.0 * turn).cos() * (2.0 + k * turn.cos()),
                (2.0 * turn).sin() * (2.0 + k * turn.cos()),
                k * turn.sin(),
            )
        };
        let vertices = (0..n).flat_map(|i| [corner(i, -0.5), corner(i, 0.5)]).collect();
        let at = |i: usize, side: usize| (if i < n { 2 * i + side } else { 1 - side }) as u32;
        let triangles = (0..n)
            .flat_map(|i| [[at(i, 0), at(i, 1), at(i + 1, 0)], [at(i, 1), at(i + 1, 1), at(i + 1, 0)]])
            .collect();
        let mut soup = Soup { vertices, triangles, wires: vec![] };
        let before = soup.clone();
        assert_eq!((orient(&mut soup), &soup), (0, &before));
    }
}

//! The distance between two bodies.

use rigor_geometry::Aabb;
use rigor_geometry::distance::edge_edge;
use rigor_math::Vec3;

use crate::separation::separation;
use crate::surface::Surface;
use crate::surface::shape::count;

/// Up to this many primitives of each body are compared with the planes of a guess.
const FEW: usize = 128;
/// Up to this many pairs that these leave are examined without trees.
const FEW_PAIRS: usize = 64;
/// A new direction is guessed when the distance has fallen to this fraction.
const NEARER: f64 = 0.75;

/// Returns a lower bound on the distance (m) between anything in box `a` and anything in box `b`.
pub fn of_boxes(a: &Aabb, b: &Aabb) -> f64 {
    let gap = (a.min - b.max).sup(&(b.min - a.max)).sup(&Vec3::zeros());
    gap.norm() * (1.0 - 8.0 * f64::EPSILON)
}

/// Returns the distance (m) between the surfaces if it is less than `limit` (m); 0 if round parts overlap.
///
/// It is the minimum over the vertices of either surface against the primitives of the other, and over edges
/// against edges, each minus ρ_a + ρ_b, which is the distance as long as the surfaces do not cross. Exact to a few ε of
/// the coordinates.
pub fn smaller_than(limit: f64, a: &Surface, b: &Surface) -> Option<f64> {
    nearest(limit, a, b, None).map(|nearest| nearest.distance)
}

/// The distance between two surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Nearest {
    /// The distance (m).
    pub(crate) distance: f64,
    /// The primitive of each surface to which the nearest features belong.
    pub(crate) primitives: [u32; 2],
}

/// As [`smaller_than`], with a guess at the nearest primitives, which changes only the time that it takes.
pub(crate) fn nearest(limit: f64, a: &Surface, b: &Surface, guess: Option<[u32; 2]>) -> Option<Nearest> {
    let noise = a.noise_with(b);
    let mut search = Search { a, b, noise, least: limit, found: None, direction: None };
    if let Some([i, j]) = guess {
        search.guess(i, j);
        search.examine(i, j);
        if let Some([near_a, near_b]) = search.near_planes() {
            for (i, j) in near_a.iter().flat_map(|i| near_b.iter().map(move |j| (*i, *j))) {
                if !search.is_beyond(i, j) {
                    search.examine(i, j);
                }
            }
            return search.nearest();
        }
    }
    a.pairs(b, search.least, &mut |i, j| {
        if !search.is_beyond(i, j) {
            search.examine(i, j);
        }
        search.least
    });
    search.nearest()
}

/// A search for the nearest primitives.
struct Search<'a> {
    a: &'a Surface,
    b: &'a Surface,
    /// More than the rounding error of a distance (m).
    noise: f64,
    /// The least distance found so far, or the limit (m).
    least: f64,
    found: Option<[u32; 2]>,
    direction: Option<Direction>,
}

/// A direction n of length 1 from b to a, to prove that primitives are farther apart than the least distance
/// found: their distance is at least min n·x over the one minus max n·y over the other.
struct Direction {
    /// n in the frame of each body.
    in_bodies: [Vec3; 2],
    /// n · (x_a − x_b) for the centres of mass (m).
    centres: f64,
    /// The least distance when it was guessed (m).
    least: f64,
}

impl Search<'_> {
    fn nearest(&self) -> Option<Nearest> {
        self.found.map(|primitives| Nearest { distance: self.least.max(0.0), primitives })
    }

    /// Computes the distances of what belongs to two primitives.
    fn examine(&mut self, i: u32, j: u32) {
        let distance = self.least_sq(i, j).sqrt() - (self.a.offset(i) + self.b.offset(j));
        if distance < self.least {
            self.least = distance;
            self.found = Some([i, j]);
            if self.direction.as_ref().is_none_or(|guess| distance < NEARER * guess.least) {
                self.guess(i, j);
            }
        }
    }

    /// Returns the squared distance (m²) of the skeletons of what belongs to two primitives.
    fn least_sq(&self, i: u32, j: u32) -> f64 {
        let (p, q) = (self.a.primitive(i), self.b.primitive(j));
        let of_vertices = |least: f64, d_sq: f64| least.min(d_sq);
        let mut least = self.a.own_vertices(i).map(|v| q.distance_sq(&v)).fold(f64::INFINITY, of_vertices);
        least = self.b.own_vertices(j).map(|v| p.distance_sq(&v)).fold(least, of_vertices);
        for f in self.b.own_edges(j) {
            let [b0, b1] = self.b.edge(*f);
            for e in self.a.own_edges(i) {
                let [a0, a1] = self.a.edge(*e);
                least = least.min(edge_edge::distance_sq(&a0, &a1, &b0, &b1));
            }
        }
        least
    }

    /// Takes the direction from primitive `j` to primitive `i`.
    fn guess(&mut self, i: u32, j: u32) {
        let towards = separation(&self.a.primitive(i), &self.b.primitive(j));
        self.direction = towards.try_normalize(f64::MIN_POSITIVE).map(|n| Direction {
            in_bodies: [self.a, self.b].map(|surface| surface.pose().inverse_vector(&n)),
            centres: n.dot(&(self.a.pose().position - self.b.pose().position)),
            least: self.least,
        });
    }

    /// Returns the primitives of each body that may be nearer to one of the other than the least distance found, if they are
    /// few: those that the direction does not prove farther than that from all of the other body.
    fn near_planes(&self) -> Option<[Vec<u32>; 2]> {
        let Direction { in_bodies, centres, .. } = self.direction.as_ref()?;
        let counts = [self.a, self.b].map(|surface| count(surface.mesh()));
        if counts.iter().any(|n| *n > FEW) {
            return None;
        }
        let extents = |surface: &Surface, n: Vec3, count: usize| -> Vec<f64> {
            let along = |v: &u32| n.dot(&surface.mesh().vertices()[*v as usize]);
            let least = |i: u32| {
                let least = surface.corners(i).iter().map(along).fold(f64::INFINITY, f64::min);
                least - surface.offset(i)
            };
            (0..count as u32).map(least).collect()
        };
        // The least n · x over each primitive of the one, grown by ρ, and the least −n · y over each of the other.
        let of_a = extents(self.a, in_bodies[0], counts[0]);
        let of_b = extents(self.b, -in_bodies[1], counts[1]);
        let [least_a, least_b] = [&of_a, &of_b].map(|all| all.iter().copied().fold(f64::INFINITY, f64::min));
        let near = |all: &[f64], other: f64| -> Vec<u32> {
            let is_near = |k: &usize| centres + all[*k] + other <= self.least + self.noise;
            (0..all.len()).filter(is_near).map(|k| k as u32).collect()
        };
        let found = [near(&of_a, least_b), near(&of_b, least_a)];
        (found[0].len() * found[1].len() <= FEW_PAIRS).then_some(found)
    }

    /// Returns whether two primitives are proven to be no nearer than the least distance found.
    fn is_beyond(&self, i: u32, j: u32) -> bool {
        let Some(Direction { in_bodies, centres, .. }) = &self.direction else { return false };
        let along = |surface: &Surface, n: &Vec3, v: &u32| n.dot(&surface.mesh().vertices()[*v as usize]);
        let near = self.a.corners(i).iter().map(|v| along(self.a, &in_bodies[0], v));
        let far = self.b.corners(j).iter().map(|v| along(self.b, &in_bodies[1], v));
        let gap = centres + near.fold(f64::INFINITY, f64::min) - far.fold(f64::NEG_INFINITY, f64::max);
        gap - (self.a.offset(i) + self.b.offset(j)) > self.least + self.noise
    }
}

//! The terms of the barrier: pairs of primitives, weighted so that no part of a surface counts twice.

use std::sync::Arc;

use rigor_ccd::Kind;
use rigor_ccd::broad_phase::{Candidate, Shape};
use rigor_geometry::distance::{point_edge, point_triangle};

use crate::contact::{PrimitivePair, points};
use crate::placement::Placement;
use crate::skin::Skin;

/// Gathers terms from candidates, which must come in order: all those of one point and one body in sequence.
pub(crate) struct Terms<'a> {
    shapes: &'a [Shape],
    skins: &'a [Arc<Skin>],
    /// Reach (m) of the barrier.
    reach: f64,
    /// Whether a term may be nonzero.
    is_felt: &'a dyn Fn(&PrimitivePair) -> bool,
    /// Edges and vertices of the triangles met so far, paired with the current point.
    common: Vec<Candidate>,
    /// Ends of edges beside the axes of capsules.
    ends: Vec<Candidate>,
    found: &'a mut Vec<PrimitivePair>,
}

impl<'a> Terms<'a> {
    /// Creates an empty list of terms, which grows in `found`.
    pub fn new(
        shapes: &'a [Shape],
        skins: &'a [Arc<Skin>],
        reach: f64,
        is_felt: &'a dyn Fn(&PrimitivePair) -> bool,
        found: &'a mut Vec<PrimitivePair>,
    ) -> Self {
        found.clear();
        Self { shapes, skins, reach, is_felt, common: Vec::new(), ends: Vec::new(), found }
    }

    /// Adds the terms of `candidate`, which is known to be within reach.
    pub fn push(&mut self, candidate: &Candidate) {
        let [skin_a, skin_b] = [candidate.body_a, candidate.body_b].map(|b| &self.skins[b as usize]);
        match candidate.kind {
            Kind::EdgeEdge if skin_a.is_flat(candidate.index_a) || skin_b.is_flat(candidate.index_b) => {}
            Kind::EdgeEdge => {
                self.flush();
                self.note_ends(candidate);
                let contact = PrimitivePair::among(candidate, self.shapes);
                let ends = skin_a.ends(candidate.index_a).zip(skin_b.ends(candidate.index_b));
                self.found.push(match ends {
                    Some((a, b)) => contact.crossing([a, b]),
                    None => contact.mollified(),
                });
            }
            _ if skin_a.weight(candidate.index_a) == 0.0 => {}
            Kind::PointTriangle => {
                // First add the shared features of the previous point: the terms of one point must be
                // contiguous.
                self.share(candidate);
                self.add(candidate);
            }
            Kind::PointPoint | Kind::PointEdge => {
                self.flush();
                self.add(candidate);
            }
        }
    }

    fn add(&mut self, candidate: &Candidate) {
        let weight = self.skins[candidate.body_a as usize].weight(candidate.index_a);
        self.found.push(PrimitivePair::among(candidate, self.shapes).counted(weight));
    }

    fn share(&mut self, candidate: &Candidate) {
        let point = |c: &Candidate| (c.body_a, c.body_b, c.index_a);
        if self.common.first().is_some_and(|c| point(c) != point(candidate)) {
            self.flush();
        }
        let b = candidate.body_b as usize;
        let edges = self.skins[b].shared_edges(candidate.index_b).map(|e| (Kind::PointEdge, e));
        let triangle = self.shapes[b].mesh().triangles()[candidate.index_b as usize];
        let vertices = triangle.into_iter().map(|v| (Kind::PointPoint, v));
        let all = edges.chain(vertices).map(|(kind, index_b)| Candidate { kind, index_b, ..*candidate });
        self.common.extend(all);
    }

    /// Notes the ends of each of two edges if the other is the axis of a capsule: as the edges become parallel they fade out, and nothing else
    /// keeps an end from the middle of an axis.
    fn note_ends(&mut self, candidate: &Candidate) {
        let sides = [(candidate.body_a, candidate.index_a), (candidate.body_b, candidate.index_b)];
        for [(body_a, edge), (body_b, index_b)] in [sides, [sides[1], sides[0]]] {
            let axis = &self.shapes[body_b as usize];
            if axis.offset(axis.mesh().edges()[index_b as usize][0]) == 0.0 {
                continue;
            }
            let ends = self.shapes[body_a as usize].mesh().edges()[edge as usize];
            let counts = ends.into_iter().filter(|&v| self.skins[body_a as usize].weight(v) > 0.0);
            let kind = Kind::PointEdge;
            self.ends.extend(counts.map(|index_a| Candidate { kind, body_a, body_b, index_a, index_b }));
        }
    }

    /// Returns how often an edge or vertex counts against a point, in addition to its triangles.
    ///
    /// Two corners of surfaces see each other twice, once as point A and once as point B. The second body subtracts its
    /// view of the first, but only for corners so isolated that no point sees two of them.
    fn times(&self, candidate: &Candidate) -> f64 {
        let skin = &self.skins[candidate.body_b as usize];
        if candidate.kind == Kind::PointEdge {
            return -1.0;
        }
        let is_seen_twice = candidate.body_a > candidate.body_b
            && self.skins[candidate.body_a as usize].is_on_surface(candidate.index_a)
            && skin.is_alone(candidate.index_b, 2.0 * self.reach);
        let of = |counts: bool| if counts { 1.0 } else { 0.0 };
        of(skin.is_shared_vertex(candidate.index_b)) - of(is_seen_twice)
    }

    /// Adds or subtracts the features that triangles share.
    fn flush(&mut self) {
        if self.common.is_empty() {
            return;
        }
        let mut common = std::mem::take(&mut self.common);
        common.sort_unstable_by_key(|c| (c.kind as u32, c.index_b));
        common.dedup();
        for candidate in common.drain(..) {
            let times = self.times(&candidate);
            if times == 0.0 {
                continue;
            }
            let weight = self.skins[candidate.body_a as usize].weight(candidate.index_a);
            let contact = PrimitivePair::among(&candidate, self.shapes).counted(weight * times);
            if (self.is_felt)(&contact) {
                self.found.push(contact);
            }
        }
        self.common = common;
    }

    pub fn finish(mut self) -> Vec<PrimitivePair> {
        self.flush();
        self.ends.sort_unstable_by_key(|c| (c.body_a, c.index_a, c.body_b, c.index_b));
        self.ends.dedup();
        for end in &self.ends {
            let contact = PrimitivePair::among(end, self.shapes);
            if (self.is_felt)(&contact) {
                self.found.push(contact);
            }
        }
        self.found.clone()
    }
}

/// Returns the same sum with one term per vertex, edge or face nearest to a point; terms that cancel are
/// omitted. `all` is room in which the list grows.
pub(crate) fn merged(
    contacts: &[PrimitivePair],
    places: &[Placement],
    all: &mut Vec<PrimitivePair>,
) -> Vec<PrimitivePair> {
    all.clear();
    for same in contacts.chunk_by(PrimitivePair::has_same_point) {
        let first = all.len();
        for contact in same {
            let nearest = nearest(contact, places);
            match all[first..].iter_mut().find(|c: &&mut PrimitivePair| c.is_between_same(&nearest)) {
                Some(known) => known.weight += nearest.weight,
                None => all.push(nearest),
            }
        }
    }
    all.retain(|contact| contact.weight != 0.0);
    all.clone()
}

/// Returns the contact of the point with the nearest feature of B instead of all of B.
fn nearest(contact: &PrimitivePair, places: &[Placement]) -> PrimitivePair {
    let x = points(contact, places);
    let on_edge = |region: point_edge::Region, a: usize, b: usize| match region {
        point_edge::Region::VertexA => contact.with_point(a),
        point_edge::Region::VertexB => contact.with_point(b),
        point_edge::Region::Edge => contact.with_edge(a, b),
    };
    match contact.kind {
        Kind::PointPoint | Kind::EdgeEdge => *contact,
        Kind::PointEdge => on_edge(point_edge::region(&x[0], &x[1], &x[2]), 1, 2),
        Kind::PointTriangle => {
            use point_triangle::Region::{EdgeAB, EdgeBC, EdgeCA, Face, VertexA, VertexB, VertexC};
            match point_triangle::region(&x[0], &x[1], &x[2], &x[3]) {
                VertexA => contact.with_point(1),
                VertexB => contact.with_point(2),
                VertexC => contact.with_point(3),
                EdgeAB => contact.with_edge(1, 2),
                EdgeBC => contact.with_edge(2, 3),
                EdgeCA => contact.with_edge(3, 1),
                Face => *contact,
            }
        }
    }
}

#[cfg(test)]
mod landscape;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rigor_ccd::broad_phase::proximity;
    use rigor_geometry::Mesh;
    use rigor_math::{Pose, Vec3};
    use rigor_shapes::{Cuboid, Icosphere};

    use super::*;
    use crate::barrier::Barrier;
    use crate::placement::Coordinates;

    const REACH: f64 = 0.4;

    /// Returns Σ b over the terms of a point at `x` (m) and a mesh, as gathered and as merged, and b of their
    /// distance.
    fn sums(mesh: Mesh, x: Vec3) -> (f64, f64, f64) {
        let shapes = [mesh, Mesh::new(vec![Vec3::zeros()], vec![], vec![]).unwrap()].map(Shape::new);
        let skins = shapes.each_ref().map(|shape| Arc::new(Skin::of(shape.mesh())));
        let poses = [Vec3::zeros(), x].map(Pose::translation);
        let places = poses.map(|pose| Placement::new(&pose, Coordinates::Local));
        let bodies: Vec<(&Shape, Pose)> = shapes.iter().zip(poses).collect();
        let barrier = Barrier::new(REACH, 0.0);
        let found = proximity(&bodies, REACH, |_, _| true).unwrap();
        let mut scratch = Vec::new();
        let mut terms = Terms::new(&shapes, &skins, REACH, &|_| true, &mut scratch);
        found.iter().for_each(|candidate| terms.push(candidate));
        let terms = terms.finish();
        let sum = |contacts: &[PrimitivePair]| {
            contacts.iter().map(|c| c.energy(&barrier, &points(c, &places))).sum()
        };
        let nearest = terms.iter().map(|c| c.distance_sq(&points(c, &places))).fold(f64::INFINITY, f64::min);
        (sum(&terms), sum(&merged(&terms, &places, &mut Vec::new())), barrier.value(nearest))
    }

    proptest! {
        #[test]
        fn a_convex_skin_is_felt_once_wherever_the_point(direction in prop::array::uniform3(-1.0..1.0f64), height in 1e-3..0.3) {
            let direction = Vec3::from(direction);
            prop_assume!(direction.norm() > 0.1);
            let ball = Icosphere { radius: 1.0, subdivisions: 2 }.mesh().unwrap();
            let block = Cuboid { size: Vec3::new(0.8, 1.0, 0.6), segments: [1, 4, 2] }.mesh().unwrap();
            let on_block = direction.component_div(&Vec3::new(0.8, 1.0, 0.6)).amax();
            // One whose corners are so far apart that no point sees two of them.
            let large = Cuboid::new(Vec3::new(1.6, 2.0, 1.2)).mesh().unwrap();
            let on_large = direction * (1.0 / on_block + height);
            let corner = Vec3::new(0.8, 1.0, 0.6) + direction.abs() * height;
            for (mesh, x) in [
                (ball, direction.normalize() * (1.0 + height)),
                (block, direction * (0.5 / on_block + height)),
                (large.clone(), on_large),
                (large, corner),
            ] {
                let (gathered, merged, expected) = sums(mesh, x);
                // A dozen terms of this size cancel.
                prop_assert!((gathered - expected).abs() <= 1e-12 * (1.0 + expected), "{gathered} {expected}");
                prop_assert!((merged - expected).abs() <= 1e-12 * (1.0 + expected), "{merged} {expected}");
            }
        }
    }
}

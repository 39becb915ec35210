//! Overlaps of balls and capsules at the start.

use rigor_geometry::Mesh;
use rigor_geometry::distance::{edge_edge, point_triangle};
use rigor_math::Vec3;
use rigor_scene::body::Body;

/// Relative error of distances.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A ball or capsule in the world: all within `offset` (m) of a segment, whose ends may coincide.
struct Round {
    ends: [Vec3; 2],
    offset: f64,
}

/// Returns the greatest overlap (m) of a round part of one of two bodies with the other at time 0, and a point (m, world) of the axis or the
/// centre there; `None` if there is none.
pub(super) fn overlap(bodies: [&Body; 2]) -> Option<(f64, Vec3)> {
    let [a, b] = bodies;
    let (of_a, of_b) = (round_parts(a), round_parts(b));
    let between = of_a.iter().flat_map(|one| of_b.iter().map(move |other| one.with_round(other)));
    let with_b = of_a.iter().flat_map(|one| one.with_mesh(b));
    let with_a = of_b.iter().flat_map(|one| one.with_mesh(a));
    let all = between.chain(with_b).chain(with_a);
    all.filter(|(depth, _)| *depth > 0.0).max_by(|x, y| x.0.total_cmp(&y.0))
}

fn round_parts(body: &Body) -> Vec<Round> {
    let skeleton = &body.skeleton;
    let at = |v: u32| body.initial.pose.point(&skeleton.mesh.vertices()[v as usize]);
    let round = |ends: [u32; 2]| Round { ends: ends.map(at), offset: skeleton.offset(ends[0] as usize) };
    let wires = skeleton.mesh.wires().iter().map(|ends| round(*ends));
    let points = skeleton.mesh.points().iter().map(|v| round([*v; 2]));
    wires.chain(points).filter(|one| one.offset > 0.0).collect()
}

impl Round {
    /// Returns the overlap (m) with another round part, beyond rounding, and a point of the axis.
    fn with_round(&self, other: &Self) -> (f64, Vec3) {
        let ([p, q], [r, s]) = (&self.ends, &other.ends);
        self.overlap(edge_edge::closest(p, q, r, s).separation.norm(), self.offset + other.offset)
    }

    /// Returns the overlaps (m) with the triangles, wires and points of a body that are not round.
    fn with_mesh<'a>(&'a self, body: &'a Body) -> impl Iterator<Item = (f64, Vec3)> {
        let (mesh, pose): (&Mesh, _) = (&body.skeleton.mesh, &body.initial.pose);
        let at = move |v: u32| pose.point(&mesh.vertices()[v as usize]);
        let is_thin = |v: u32| body.skeleton.offset(v as usize) == 0.0;
        let [p, q] = &self.ends;
        let to_edge = move |a: &Vec3, b: &Vec3| edge_edge::closest(p, q, a, b).separation.norm();
        let to_triangle = move |t: &[u32; 3]| {
            let [a, b, c] = t.map(at);
            let ends = self.ends.iter().map(|end| point_triangle::distance_sq(end, &a, &b, &c).sqrt());
            let sides = [(&a, &b), (&b, &c), (&c, &a)].into_iter().map(|(x, y)| to_edge(x, y));
            ends.chain(sides).fold(f64::INFINITY, f64::min)
        };
        let triangles = mesh.triangles().iter().map(to_triangle);
        let wires = mesh.wires().iter().filter(move |wire| is_thin(wire[0]));
        let wires = wires.map(move |wire| to_edge(&at(wire[0]), &at(wire[1])));
        let points =
            mesh.points().iter().filter(move |v| is_thin(**v)).map(move |v| to_edge(&at(*v), &at(*v)));
        triangles.chain(wires).chain(points).map(|distance| self.overlap(distance, self.offset))
    }

    /// Returns how much less than `apart` (m) a distance (m) is, beyond rounding, and the middle of the axis.
    fn overlap(&self, distance: f64, apart: f64) -> (f64, Vec3) {
        let [p, q] = &self.ends;
        let rounding = ROUNDING * (p.amax().max(q.amax()) + apart);
        let depth = apart - distance;
        (if depth > rounding { depth } else { 0.0 }, 0.5 * (p + q))
    }
}

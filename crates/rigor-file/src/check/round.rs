//! Balls and capsules that overlap or touch at the start.

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

/// Returns the greatest overlap (m) of a round part of one of two bodies with the other at time 0, 0 if they touch up to rounding, and the place (m, world);
/// `None` if they are apart.
pub(super) fn overlap(bodies: [&Body; 2]) -> Option<(f64, Vec3)> {
    let [a, b] = bodies;
    let (of_a, of_b) = (round_parts(a), round_parts(b));
    let between = of_a.iter().flat_map(|one| of_b.iter().map(move |other| one.with_round(other)));
    let with_b = of_a.iter().flat_map(|one| one.with_mesh(b));
    let with_a = of_b.iter().flat_map(|one| one.with_mesh(a));
    let all = between.chain(with_b).chain(with_a);
    all.flatten().max_by(|x, y| x.0.total_cmp(&y.0))
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
    /// Returns the overlap (m) with another round part, and its place.
    fn with_round(&self, other: &Self) -> Option<(f64, Vec3)> {
        let [r, s] = &other.ends;
        self.overlap(self.nearest_of_edge(r, s), other.offset)
    }

    /// Returns the nearest points (m) of the axis and of an edge.
    fn nearest_of_edge(&self, a: &Vec3, b: &Vec3) -> [Vec3; 2] {
        let [p, q] = &self.ends;
        let [w_p, w_q, w_a, w_b] = edge_edge::closest(p, q, a, b).weights;
        [p * w_p + q * w_q, -(a * w_a + b * w_b)]
    }

    /// Returns the overlaps (m) with the triangles, wires and points of a body that are not round, and their places.
    fn with_mesh<'a>(&'a self, body: &'a Body) -> impl Iterator<Item = Option<(f64, Vec3)>> {
        let (mesh, pose): (&Mesh, _) = (&body.skeleton.mesh, &body.initial.pose);
        let at = move |v: u32| pose.point(&mesh.vertices()[v as usize]);
        let is_thin = |v: u32| body.skeleton.offset(v as usize) == 0.0;
        let to_edge = move |a: &Vec3, b: &Vec3| self.nearest_of_edge(a, b);
        let length = |ends: &[Vec3; 2]| (ends[0] - ends[1]).norm();
        let to_triangle = move |t: &[u32; 3]| {
            let [a, b, c] = t.map(at);
            let to_face = |end: &Vec3| [*end, end - point_triangle::closest(end, &a, &b, &c).separation];
            let ends = self.ends.iter().map(to_face);
            let sides = [(&a, &b), (&b, &c), (&c, &a)].into_iter().map(|(x, y)| to_edge(x, y));
            let nearest = ends.chain(sides).min_by(|x, y| length(x).total_cmp(&length(y)));
            nearest.expect("an axis has two ends")
        };
        let triangles = mesh.triangles().iter().map(to_triangle);
        let wires = mesh.wires().iter().filter(move |wire| is_thin(wire[0]));
        let wires = wires.map(move |wire| to_edge(&at(wire[0]), &at(wire[1])));
        let points =
            mesh.points().iter().filter(move |v| is_thin(**v)).map(move |v| to_edge(&at(*v), &at(*v)));
        triangles.chain(wires).chain(points).map(|nearest| self.overlap(nearest, 0.0))
    }

    /// Returns how much nearer the points of the axis and of the other body are than their offsets, and the place between their surfaces; `None` if
    /// they are apart.
    fn overlap(&self, [own, other]: [Vec3; 2], offset: f64) -> Option<(f64, Vec3)> {
        let (between, apart) = (other - own, self.offset + offset);
        let depth = apart - between.norm();
        let rounding = ROUNDING * (own.amax().max(other.amax()) + apart);
        let place = own + between * (self.offset / apart);
        (depth >= -rounding).then_some((if depth > rounding { depth } else { 0.0 }, place))
    }
}

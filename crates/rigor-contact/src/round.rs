//! Round surfaces: parts of bodies that are balls or capsules, and meshes fine enough that they stand for a sphere or for the
//! rim of a disc.
//!
//! A polyhedron that rolls without rebound strikes the ground with every facet: it loses δ²/(1 + k²/r²) of its energy
//! each time that it turns by δ, with the radius of gyration k, and a ball of 5000 triangles a quarter in a turn. Where
//! the vertices of a mesh are on a sphere or a circle, and no facet is farther than 0.00125 radii inside, contacts
//! are those of the sphere or circle itself.

use std::collections::BTreeMap;

use nalgebra::{Matrix4, Vector4};
use rigor_geometry::{Mesh, Topology};
use rigor_math::Vec3;
use rigor_math::disjoint_sets::DisjointSets;
use rigor_scene::{Part, PartKind};

/// Maximum distance between a sphere and its mesh, as a fraction of the radius: that of 5120 triangles and more.
const SAGITTA: f64 = 1.25e-3;

/// The same of a circle and its polygon, which has at least 71 sides then.
const SAGITTA_OF_RIM: f64 = 1e-3;

/// Relative error of vertices on the round surface.
const ON: f64 = 1e-6;

/// Minimum number of vertices of a sphere.
const FEWEST: usize = 32;

/// A whole closed surface whose vertices are on a sphere, in the frame of its body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Centre (m).
    pub center: Vec3,
    /// Radius (m).
    pub radius: f64,
}

/// All within `radius` of a segment, in the frame of its body. Its ends touch as [balls](Ball), what is between them as a rod.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rod {
    /// Ends of the segment (m).
    pub ends: [Vec3; 2],
    /// Radius (m).
    pub radius: f64,
}

/// What the round parts of a body are.
#[derive(Debug, Default)]
pub(crate) struct RoundParts {
    pub balls: Vec<Ball>,
    pub rods: Vec<Rod>,
    /// Whether each vertex belongs to a picture; those beyond the end do not.
    is_picture: Vec<bool>,
}

impl RoundParts {
    pub fn of(parts: &[Part]) -> Self {
        let mut round = Self::default();
        for part in parts {
            match part.kind {
                PartKind::Ball { radius } => round.balls.push(Ball { center: part.pose.position, radius }),
                PartKind::Capsule { radius, half_length } => {
                    let ends = [-half_length, half_length].map(|y| part.pose.point(&(Vec3::y() * y)));
                    round.balls.extend(ends.map(|center| Ball { center, radius }));
                    round.rods.push(Rod { ends, radius });
                }
                PartKind::Box { .. } | PartKind::Convex | PartKind::Concave => continue,
            }
            round.is_picture.resize(part.vertices.end.max(round.is_picture.len()), false);
            round.is_picture[part.vertices.clone()].fill(true);
        }
        round
    }

    /// Returns whether a vertex belongs to a picture.
    pub fn has(&self, vertex: usize) -> bool {
        self.is_picture.get(vertex).is_some_and(|is_picture| *is_picture)
    }
}

impl Rod {
    /// Returns the ball at the part `t` of the way from the first end to the second.
    pub fn at(&self, t: f64) -> Ball {
        let [from, to] = self.ends;
        Ball { center: from + (to - from) * t, radius: self.radius }
    }
}

/// The circle through a vertex and its neighbours along a rim, in the frame of its body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circle {
    /// Centre (m).
    pub center: Vec3,
    /// Radius (m).
    pub radius: f64,
    /// Unit normal of its plane.
    pub axis: Vec3,
    /// Unit vector from the centre to the vertex.
    outwards: Vec3,
    /// Cosine of half the angle between neighbours.
    reach: f64,
}

impl Ball {
    /// Returns its outermost point along the unit vector `m`.
    pub fn tip(&self, m: &Vec3) -> Vec3 {
        self.center + self.radius * m
    }

    /// Returns whether the other is the same ball, up to the error with which one is found from a mesh.
    pub(crate) fn is_about(&self, other: &Self) -> bool {
        let off = (self.center - other.center).norm().max((self.radius - other.radius).abs());
        off <= ON * self.radius
    }
}

impl Circle {
    /// Returns its outermost point along the unit vector `m`: c + ρ m_p/‖m_p‖ with the part m_p of m in its plane;
    /// `None` along the axis.
    pub fn tip(&self, m: &Vec3) -> Option<Vec3> {
        let along = (m - m.dot(&self.axis) * self.axis).try_normalize(ON)?;
        Some(self.center + self.radius * along)
    }

    /// Returns the same, if it is nearer to the vertex than to its neighbours.
    pub fn tip_nearby(&self, m: &Vec3) -> Option<Vec3> {
        let tip = self.tip(m)?;
        ((tip - self.center).dot(&self.outwards) >= self.radius * (self.reach - ON)).then_some(tip)
    }

    /// Returns the distance (m) from the middle between neighbours to the circle.
    pub fn sagitta(&self) -> f64 {
        self.radius * (1.0 - self.reach)
    }
}

/// Returns the spheres among the closed surfaces of a solid, with the sphere of each vertex.
///
/// `planes` are normals n and offsets n·x of the triangles.
pub(crate) fn balls(mesh: &Mesh, planes: &[(Vec3, f64)]) -> (Vec<Ball>, Vec<Option<u32>>) {
    let surface = surfaces(mesh);
    let mut vertices: BTreeMap<usize, Vec<Vec3>> = BTreeMap::new();
    for (v, of) in surface.iter().enumerate() {
        vertices.entry(*of).or_default().push(mesh.vertices()[v]);
    }
    let mut found: BTreeMap<usize, Ball> = vertices
        .into_iter()
        .filter(|(_, points)| points.len() >= FEWEST)
        .filter_map(|(of, points)| Some((of, sphere_through(&points)?)))
        .collect();
    // A face nearer to the centre than allowed, or one that faces it, as on the inside of a hollow sphere.
    for (triangle, (normal, offset)) in mesh.triangles().iter().zip(planes) {
        let of = surface[triangle[0] as usize];
        let is_close = |ball: &Ball| offset - normal.dot(&ball.center) >= (1.0 - SAGITTA) * ball.radius;
        if found.get(&of).is_some_and(|ball| !is_close(ball)) {
            found.remove(&of);
        }
    }
    let index: BTreeMap<usize, u32> = found.keys().copied().zip(0..).collect();
    let of_vertex = surface.iter().map(|of| index.get(of).copied()).collect();
    (found.into_values().collect(), of_vertex)
}

/// Returns, per vertex, the lowest vertex of its surface.
fn surfaces(mesh: &Mesh) -> Vec<usize> {
    let mut connected = DisjointSets::new(mesh.vertices().len());
    for [a, b] in mesh.edges() {
        connected.join(*a as usize, *b as usize);
    }
    (0..mesh.vertices().len()).map(|v| connected.first(v)).collect()
}

/// Returns the sphere through the points, if there is one: the least-squares solution of 2 c·x + k = ‖x‖², with k = ρ² −
/// ‖c‖².
fn sphere_through(points: &[Vec3]) -> Option<Ball> {
    let middle: Vec3 = points.iter().sum::<Vec3>() / points.len() as f64;
    let (mut matrix, mut right) = (Matrix4::zeros(), Vector4::zeros());
    for x in points.iter().map(|x| x - middle) {
        let row = Vector4::new(2.0 * x.x, 2.0 * x.y, 2.0 * x.z, 1.0);
        matrix += row * row.transpose();
        right += row * x.norm_squared();
    }
    let solved = matrix.lu().solve(&right)?;
    let center = Vec3::new(solved.x, solved.y, solved.z);
    let ball = Ball { center: middle + center, radius: (solved.w + center.norm_squared()).sqrt() };
    let is_on = |x: &Vec3| ((x - ball.center).norm() - ball.radius).abs() <= ON * ball.radius;
    points.iter().all(is_on).then_some(ball)
}

/// Returns the circle through the vertex `v` along a rim: through two neighbours as far from it as from their next ones
/// on the circle, of those the most strongly bent. The corner there must support the direction out of the circle.
pub(crate) fn circle(
    mesh: &Mesh,
    topology: &Topology,
    v: usize,
    supports: impl Fn(&Vec3) -> bool,
) -> Option<Circle> {
    let x = |v: usize| mesh.vertices()[v];
    let neighbours = |v: usize| {
        let ends = topology.edges_of_vertex(v).iter().flat_map(|&e| mesh.edges()[e as usize]);
        ends.map(|w| w as usize).filter(move |&w| w != v)
    };
    let mut best: Option<Circle> = None;
    for p in neighbours(v) {
        for q in neighbours(v).filter(|&q| q > p) {
            let Some(circle) = circle_through(x(p), x(v), x(q)) else { continue };
            let side = (x(p) - x(v)).norm();
            let is_on = |y: &Vec3| {
                let d = y - circle.center;
                (d.norm() - circle.radius).abs() <= ON * circle.radius
                    && d.dot(&circle.axis).abs() <= ON * circle.radius
            };
            let goes_on = |w: usize| {
                neighbours(w).any(|z| {
                    z != v && is_on(&x(z)) && ((x(z) - x(w)).norm() - side).abs() <= ON * circle.radius
                })
            };
            let is_best = best.is_none_or(|best| circle.sagitta() > best.sagitta());
            if is_best && supports(&circle.outwards) && goes_on(p) && goes_on(q) {
                best = Some(circle);
            }
        }
    }
    best
}

/// Returns the circle through three points, if `v` is halfway between the others and they are near enough.
fn circle_through(p: Vec3, v: Vec3, q: Vec3) -> Option<Circle> {
    let (d, e) = (p - v, q - v);
    let (d_sq, e_sq) = (d.norm_squared(), e.norm_squared());
    let cross = d.cross(&e);
    let cross_sq = cross.norm_squared();
    if (d_sq - e_sq).abs() > ON * d_sq || d.dot(&e) >= 0.0 || cross_sq == 0.0 {
        return None;
    }
    // From v to the centre: (‖d‖² e − ‖e‖² d) × (d × e) / (2 ‖d × e‖²), up to the sign of the order.
    let inwards = (d_sq * e - e_sq * d).cross(&cross) / (2.0 * cross_sq);
    let radius = inwards.norm();
    let half_sine = 0.5 * d_sq.sqrt() / radius;
    let reach = (1.0 - half_sine * half_sine).max(0.0).sqrt();
    let circle = Circle {
        center: v + inwards,
        radius,
        axis: cross / cross_sq.sqrt(),
        outwards: -inwards / radius,
        reach,
    };
    (radius.is_finite() && reach >= 1.0 - SAGITTA_OF_RIM).then_some(circle)
}

#[cfg(test)]
mod tests {
    use rigor_math::{Pose, Vec3};
    use rigor_scene::{BodySpec, PlacedShape};
    use rigor_shapes::{Capsule, Cuboid, Icosphere};

    use super::*;
    use crate::feature::Features;

    #[test]
    fn fine_spheres_are_balls_and_coarse_ones_are_not() {
        for (subdivisions, is_ball) in [(2, false), (3, false), (4, true)] {
            let mesh = Icosphere { radius: 0.7, subdivisions }.mesh().expect("a valid sphere");
            let features = Features::of(&mesh);
            assert_eq!(features.balls.len(), usize::from(is_ball), "{subdivisions}");
            for ball in &features.balls {
                assert!((ball.radius - 0.7).abs() < 1e-12 && ball.center.norm() < 1e-12);
            }
        }
        let cube = Features::of(&Cuboid::new(Vec3::repeat(1.0)).mesh().expect("positive sizes"));
        assert!(cube.balls.is_empty() && cube.corners.iter().all(|corner| corner.circle.is_none()));
    }

    /// A box with a ball and a capsule beside it; their pictures are coarse.
    #[test]
    fn round_parts_are_as_deep_as_they_are_and_their_pictures_touch_nothing() {
        let shape = |mesh: Mesh, kind: PartKind, x: f64| PlacedShape {
            mesh,
            kind,
            pose: Pose::translation(Vec3::x() * x),
        };
        let body = BodySpec::new(
            "compound",
            vec![
                shape(Cuboid::cube(1.0).mesh().expect("a cube"), PartKind::Concave, 0.0),
                shape(
                    Icosphere { radius: 0.5, subdivisions: 0 }.mesh().expect("a ball"),
                    PartKind::Ball { radius: 0.5 },
                    3.0,
                ),
                shape(
                    Capsule { radius: 0.5, length: 2.0, segments: 3, rings: 1 }.mesh().expect("a capsule"),
                    PartKind::Capsule { radius: 0.5, half_length: 1.0 },
                    -3.0,
                ),
            ],
        );
        let body = body.build().expect("a solid");
        let features = Features::of_body(&body);
        assert_eq!((features.balls.len(), features.n_round, features.rods.len()), (3, 3, 1));
        assert_eq!((features.corners.len(), features.edges.len()), (8, 12));
        assert!(!features.is_round && features.bounds.contains(&body.bounds()));
        let depth = |at: [f64; 3], radius: f64| {
            let center = body.frame.inverse().point(&Vec3::from(at));
            features.depth_of_ball(&Ball { center, radius }, 0.01)
        };
        for (at, radius, due) in [
            ([0.6, 0.0, 0.0], 0.2, 0.1),
            ([0.4, 0.0, 0.0], 0.2, 0.3),
            ([0.4, 0.0, 0.0], 0.0, 0.1),
            ([0.6, 0.6, 0.6], 0.2, 0.2 - 0.03_f64.sqrt()),
            ([0.6, 0.0, 0.0], 0.105, 0.0),
            ([3.0, 0.6, 0.0], 0.2, 0.1),
            // Where the picture of the ball is far inside of it.
            ([3.0, 0.48, 0.0], 0.0, 0.02),
            ([-3.4, 0.5, 0.0], 0.0, 0.1),
            ([-3.0, 1.6, 0.0], 0.2, 0.1),
            ([-3.0, 1.8, 0.0], 0.2, 0.0),
        ] {
            let found = depth(at, radius);
            assert!((found - due).abs() < 1e-12, "{at:?}, {radius}: {found} m, due {due} m");
        }
    }

    #[test]
    fn a_circle_goes_through_its_points() {
        let at = |angle: f64| {
            let (sine, cosine) = rigor_math::elementary::sin_cos(angle);
            Vec3::new(1.0 + 0.3 * cosine, 2.0, 0.3 * sine)
        };
        let circle = circle_through(at(0.45), at(0.5), at(0.55)).expect("a fine circle");
        assert!((circle.center - Vec3::new(1.0, 2.0, 0.0)).norm() < 1e-12);
        assert!((circle.radius - 0.3).abs() < 1e-12);
        let m = Vec3::new(0.6, 0.8, 0.0);
        assert!((circle.tip(&m).expect("not the axis") - Vec3::new(1.3, 2.0, 0.0)).norm() < 1e-12);
        assert!(circle.tip_nearby(&m).is_none() && circle.tip_nearby(&(at(0.52) - circle.center)).is_some());
        assert!(circle_through(at(0.0), at(0.2), at(0.4)).is_none());
    }
}

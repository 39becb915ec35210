//! Planes between the primitives of two bodies that may meet between two frames.

use rigor_math::{Pose, Vec3};
use rigor_scene::BodyState;

use super::interval::{GRAZE, MAX_TURN, TRIMMED};
use crate::certificate::course::UNIT_TOLERANCE;
use crate::certificate::shape::PrimitiveTree;
use crate::effort::Effort;
use crate::separation::separation;
use crate::surface::Primitive;

/// Maximum number of pairs of primitives for which planes are sought.
const MAX_PAIRS: usize = 4096;
/// Comparisons that the planes tried for a pair take.
const PLANES: usize = 4;
/// Minimum cosine between the detour and the normals of tight planes.
const MIN_COSINE: f64 = 0.25;

/// The primitives of two bodies in two frames, as one of them sees the other.
pub(super) struct Neighbours<'a> {
    /// The body that is seen and the one that sees it.
    shapes: [&'a PrimitiveTree; 2],
    /// The first relative to the second, in both frames and halfway between them.
    poses: [Pose; 2],
    middle: Pose,
    /// The angle (rad) by which it turns.
    turn: f64,
    /// Maximum deviation (m) of the path of a point from its chord.
    bend: f64,
}

/// A plane between two primitives in both frames.
#[derive(Debug, Clone, Copy)]
struct Plane {
    /// Of length 1, towards the body that is seen.
    normal: Vec3,
    /// The smaller of the gaps (m) in both frames.
    gap: f64,
}

impl<'a> Neighbours<'a> {
    /// The bodies at `then` and at `now`, as the one with index `seer` sees the other.
    pub(super) fn new(
        shapes: [&'a PrimitiveTree; 2],
        then: &[BodyState; 2],
        now: &[BodyState; 2],
        seer: usize,
    ) -> Self {
        let seen = 1 - seer;
        let poses = [then, now].map(|states| states[seen].pose.relative_to(&states[seer].pose));
        let turn = rigor_math::angle::between_rotations(&poses[0].rotation, &poses[1].rotation);
        Self {
            shapes: [shapes[seen], shapes[seer]],
            poses,
            middle: poses[0].interpolate(&poses[1], 0.5),
            turn,
            bend: 0.125 * turn * turn * shapes[seen].arm,
        }
    }

    /// Returns whether planes between primitives show that the bodies did not go through each other.
    ///
    /// Let the body that is seen, whose vertices are no farther than r from its centre of mass, move uniformly relative to the other, by v and the turn θ. No point moves by more
    /// than half of ‖v‖ + θ r from its place in the middle, so that only pairs of primitives that are as near then can meet.
    /// For each of them let n be the normal of a plane that has them on its two sides in both frames, at a gap of at least 0. Along
    /// chords that gap is linear in time. A point deviates from its chord by at most 4 t (1 − t) d, d = θ² r/8
    /// ([`Sides::new`](super::plane::Sides::new)). Shifted by 4 t (1 − t) s along a unit vector u, the bodies
    /// stay on their sides of all planes where n · u ≥ d/s, and of all others whose gap is at least d + s. That is a proof if s,
    /// four times d, is an allowed detour. A gap may be negative by as much as bodies that count as touching are apart.
    pub(super) fn are_held(&self, effort: &mut Effort) -> bool {
        let [seen, sees] = self.shapes;
        let detour = self.bend / MIN_COSINE;
        let is_allowed = detour <= GRAZE * seen.radius.min(sees.radius) && self.turn <= MAX_TURN;
        if !is_allowed {
            return false;
        }
        let reach = self.reach(detour);
        if !reach.is_finite() {
            return false;
        }
        let pairs = sees.tree.overlapping_pairs_posed(&seen.tree, &self.middle, reach);
        if pairs.len() > MAX_PAIRS || effort.is_spent() {
            return false;
        }
        effort.spend(PLANES * pairs.len());
        let (mut tight, mut last): (Vec<Vec3>, Vec3) = (Vec::new(), Vec3::zeros());
        for [i, j] in pairs {
            let Some(plane) = self.plane(i, j, &last) else { return false };
            last = plane.normal;
            if plane.gap < self.bend + detour - self.touching() {
                tight.push(plane.normal);
            }
        }
        let along = tight.iter().sum::<Vec3>().try_normalize(0.0);
        tight.is_empty() || along.is_some_and(|u| tight.iter().all(|n| n.dot(&u) >= MIN_COSINE))
    }

    /// Returns the maximum distance (m), halfway between the frames, of primitives that meet between them.
    fn reach(&self, detour: f64) -> f64 {
        let [from, to] = self.poses.map(|pose| pose.position);
        let size = from.norm() + to.norm() + self.shapes[0].radius + self.shapes[1].radius;
        0.5 * ((to - from).norm() + self.turn * self.shapes[0].arm)
            + detour
            + self.touching()
            + UNIT_TOLERANCE * 10.0 * size
    }

    /// Returns how far (m) bodies that count as touching may overlap.
    fn touching(&self) -> f64 {
        TRIMMED * (self.shapes[0].radius + self.shapes[1].radius)
    }

    /// Returns a plane between primitive `i` of the body that sees and `j` of the other, grown by ρ, in both frames: one with the normal
    /// `guess`, or normal to their separation in one of the frames, or a face of either.
    fn plane(&self, i: u32, j: u32, guess: &Vec3) -> Option<Plane> {
        let [seen, sees] = self.shapes;
        let fixed = sees.primitive(i, &Pose::identity());
        let moved = self.poses.map(|pose| seen.primitive(j, &pose));
        let rho = sees.offset_of(i) + seen.offset_of(j);
        let held = |normal: Vec3| {
            let normal = normal.try_normalize(0.0)?;
            let end = corners(&fixed).iter().map(|y| normal.dot(y)).fold(f64::NEG_INFINITY, f64::max);
            let start = moved.iter().flat_map(corners).map(|x| normal.dot(x)).fold(f64::INFINITY, f64::min);
            let plane = Plane { normal, gap: start - end - rho };
            (plane.gap >= -self.touching()).then_some(plane)
        };
        held(*guess)
            .or_else(|| held(separation(&moved[1], &fixed)))
            .or_else(|| face(&fixed).and_then(|n| held(n).or_else(|| held(-n))))
            .or_else(|| moved.iter().filter_map(face).find_map(|n| held(n).or_else(|| held(-n))))
            .or_else(|| held(separation(&moved[0], &fixed)))
    }
}

fn corners(primitive: &Primitive) -> &[Vec3] {
    match primitive {
        Primitive::Point(p) => std::slice::from_ref(p),
        Primitive::Wire(ends) => ends,
        Primitive::Triangle(corners) => corners,
    }
}

/// Returns a normal of a triangle.
fn face(primitive: &Primitive) -> Option<Vec3> {
    match primitive {
        Primitive::Triangle([a, b, c]) => Some((b - a).cross(&(c - a))),
        Primitive::Point(_) | Primitive::Wire(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rigor_geometry::Mesh;
    use rigor_math::rotation_vector;
    use rigor_scene::Skeleton;
    use rigor_shapes::Cuboid;

    use super::*;

    fn tree(mesh: Mesh) -> PrimitiveTree {
        PrimitiveTree::new(&Skeleton::plain(Arc::new(mesh)))
    }

    fn cube(size: f64) -> PrimitiveTree {
        tree(Cuboid::new(Vec3::repeat(size)).mesh().expect("a box"))
    }

    /// A right angle of two sheets, y = 0 and x = 0, from the origin to 4 m.
    fn corner() -> PrimitiveTree {
        let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
        let vertices = vec![
            at(0.0, 0.0, -4.0),
            at(4.0, 0.0, -4.0),
            at(4.0, 0.0, 4.0),
            at(0.0, 0.0, 4.0),
            at(0.0, 4.0, -4.0),
            at(0.0, 4.0, 4.0),
        ];
        let triangles = vec![[0, 1, 2], [0, 2, 3], [0, 3, 5], [0, 5, 4]];
        tree(Mesh::new(vertices, triangles, vec![]).expect("two sheets"))
    }

    fn held(shapes: [&PrimitiveTree; 2], poses: [Pose; 2]) -> bool {
        let state = |pose: Pose| BodyState { pose, ..BodyState::default() };
        let [then, now] = poses.map(|pose| [state(pose), state(Pose::identity())]);
        Neighbours::new(shapes, &then, &now, 1).are_held(&mut Effort::new(1 << 30))
    }

    fn at(x: f64, y: f64) -> Pose {
        Pose::translation(Vec3::new(x, y, 0.0))
    }

    /// A ball between two walls is held by both, of which no single plane is one between the bodies.
    #[test]
    fn a_cube_that_slides_in_a_corner_is_held_and_one_that_leaves_through_a_wall_is_not() {
        let shapes = [&cube(1.0), &corner()];
        assert!(held(shapes, [at(0.5, 0.5), at(0.5, 0.5)]));
        assert!(held(shapes, [at(0.5, 0.5), at(0.5, 1.5)]) && held(shapes, [at(0.5, 2.0), at(0.6, 0.5)]));
        assert!(!held(shapes, [at(0.5, 0.5), at(0.5, -0.6)]), "through the floor");
        assert!(!held(shapes, [at(0.5, 0.5), at(-0.6, 0.5)]), "through the wall");
        assert!(!held(shapes, [at(0.5, 0.5), at(0.5, 0.499)]), "into the floor");
        assert!(!held(shapes, [at(0.5, 0.5), at(f64::NAN, 0.5)]));
    }

    /// However far it turns, a ball is where it is; the plane through its centre does not hold it.
    #[test]
    fn a_ball_that_rolls_in_a_corner_is_held_and_one_that_leaves_through_a_wall_is_not() {
        let ball = PrimitiveTree::new(&crate::testing::ball("ball", 0.5).skeleton);
        let (corner, turn) = (corner(), rotation_vector::exp(&(Vec3::z() * 2.0)));
        let rolled = |x: f64, y: f64| Pose::new(Vec3::new(x, y, 0.0), turn);
        assert!(held([&ball, &corner], [at(0.5, 0.5), rolled(1.5, 0.5)]));
        assert!(held([&ball, &corner], [at(0.5, 0.5), rolled(0.5, 1.5)]));
        assert!(!held([&ball, &corner], [at(0.5, 0.5), rolled(0.5, 0.499)]), "into the floor");
        assert!(!held([&ball, &corner], [at(0.5, 0.5), rolled(0.5, 0.1)]), "its centre is above the floor");
        assert!(!held([&ball, &corner], [at(0.5, 0.5), rolled(0.5, -0.6)]), "through the floor");
    }

    /// With half of the reach the wall, which the cube meets near the end of its path, would not be seen.
    #[test]
    fn a_wall_near_the_end_of_a_path_is_seen() {
        let shapes = [&cube(1.0), &corner()];
        assert!(!held(shapes, [at(6.0, 2.0), at(-0.6, 2.0)]));
        assert!(held(shapes, [at(6.0, 2.0), at(0.6, 2.0)]));
        let turned = Pose::new(Vec3::new(3.0, 2.0, 0.0), rotation_vector::exp(&(Vec3::z() * 0.4)));
        let state = |pose: Pose| BodyState { pose, ..BodyState::default() };
        let still = state(Pose::identity());
        let seen = Neighbours::new(shapes, &[state(at(3.0, 2.0)), still], &[state(turned), still], 1);
        let radius = 0.75_f64.sqrt();
        assert!((seen.reach(0.0) - 0.2 * radius).abs() < 1e-8, "half of the path of its corners");
    }

    /// A cube that turns on the floor lies on it in both frames, and its corners go below it between them by the bend.
    #[test]
    fn a_cube_that_turns_needs_an_allowed_detour_and_room_for_it() {
        let (cube, corner) = (cube(1.0), corner());
        let tipped = |angle: f64, x: f64| {
            let turn = rotation_vector::exp(&(Vec3::z() * angle));
            let lowest = (turn * Vec3::new(0.5, 0.5, 0.0)).y.max((turn * Vec3::new(-0.5, 0.5, 0.0)).y);
            Pose::new(Vec3::new(x, lowest, 0.0), turn)
        };
        let turning = |angle: f64, x: f64| held([&cube, &corner], [tipped(-angle, x), tipped(angle, x)]);
        assert!(turning(0.1, 2.0));
        // Four times θ² r/8 is 5 % of r at θ = 0.316 rad; half of the bend would allow 0.44 rad.
        assert!(turning(0.157, 2.0) && !turning(0.16, 2.0));
        // Walls on both sides leave no room for a detour.
        let slot = |gap: f64| {
            let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
            let wall = |x: f64| [at(x, -4.0, -4.0), at(x, 4.0, -4.0), at(x, 4.0, 4.0), at(x, -4.0, 4.0)];
            let vertices = [wall(-0.5 - gap), wall(0.5 + gap)].concat();
            let triangles = vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
            tree(Mesh::new(vertices, triangles, vec![]).expect("two sheets"))
        };
        let turned = |angle: f64| Pose::new(Vec3::zeros(), rotation_vector::exp(&(Vec3::x() * angle)));
        let between = |gap: f64| held([&cube, &slot(gap)], [turned(0.0), turned(0.1)]);
        // The bend is 0.00108 m: with a gap of less than five times that the cube has no room.
        assert!(between(0.0055) && !between(0.0053));
        assert!(held([&cube, &slot(0.0)], [at(0.0, 0.0), at(0.0, 1.0)]), "it slides without a turn");
    }

    /// A cube tips over on two walls of a groove, which it touches at its lowest edge in both frames. A detour is as much room as
    /// it needs if the walls are flat enough, and none if they are steep.
    #[test]
    fn a_cube_has_room_in_a_flat_groove_and_none_in_a_steep_one() {
        let tipped = |angle: f64| Pose::new(Vec3::zeros(), rotation_vector::exp(&(Vec3::x() * angle)));
        let lowest = 0.5 * (0.05_f64.cos() + 0.05_f64.sin()) + 1e-6;
        let groove = |cosine: f64| {
            let sine = (1.0 - cosine * cosine).sqrt();
            let at = |side: f64, along: f64, z: f64| {
                Vec3::new(side * (0.5 - cosine * along), -lowest - sine * along, z)
            };
            let wall = |side: f64| {
                [at(side, -4.0, -4.0), at(side, 2.0, -4.0), at(side, 2.0, 4.0), at(side, -4.0, 4.0)]
            };
            let triangles = vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
            tree(Mesh::new([wall(-1.0), wall(1.0)].concat(), triangles, vec![]).expect("two sheets"))
        };
        let tips = |cosine: f64| held([&cube(1.0), &groove(cosine)], [tipped(-0.05), tipped(0.05)]);
        assert_eq!([0.9, 0.5, 0.2, 0.1].map(tips), [true, true, false, false]);
    }

    /// Whichever body is first, the other sees it move.
    #[test]
    fn either_body_may_see_the_other() {
        let (cube, corner) = (cube(1.0), corner());
        let state = |pose: Pose| BodyState { pose, ..BodyState::default() };
        let still = state(Pose::identity());
        for (y, expected) in [(1.5, true), (-0.6, false)] {
            let (then, now) = ([still, state(at(0.5, 0.5))], [still, state(at(0.5, y))]);
            let found = [0, 1].map(|seer| {
                Neighbours::new([&corner, &cube], &then, &now, seer).are_held(&mut Effort::new(1 << 30))
            });
            assert_eq!(found, [expected; 2], "{y}");
        }
    }
}

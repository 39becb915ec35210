//! Vertices that go through triangles in a motion, which is then not free of contact.
//!
//! To prove a motion free takes thousands of intervals of time before it is given up. A single vertex that is seen to go through
//! a triangle shows at once that there is no proof.

use rigor_geometry::Aabb;
use rigor_math::{Pose, Vec3};

use crate::certificate::course::UNIT_TOLERANCE;
use crate::certificate::shape::PrimitiveTree;

/// A vertex of one of two bodies: the index of the body, and that of the vertex.
pub(super) type Vertex = (usize, u32);

/// The poses of two bodies at times along a motion.
#[derive(Debug)]
pub(super) struct SampledPoses {
    /// Times from 0 to 1 with the poses, ascending.
    pub(super) stops: Vec<(f64, [Pose; 2])>,
    /// By how much each body turns in the whole motion (rad).
    pub(super) turns: [f64; 2],
    /// How far the first moves relative to the second (m), without its detour.
    pub(super) by: f64,
}

/// Where a vertex is at one time.
struct Place {
    /// In the frame of the other body (m).
    local: Vec3,
    /// Its distance (m) from the centre of mass of the other body.
    away: f64,
    /// The part of the detour (m) that the bodies have made, in the world.
    detour: Vec3,
}

impl SampledPoses {
    /// Returns whether a vertex of one body certainly goes through a triangle of the other if the first body is moved by `detour`
    /// (m), linear in time between the times of the stops.
    ///
    /// Between two stops the vertex, in the frame of the other body, deviates by at most [`SampledPoses::bend`] from its chord. If its
    /// ends are on two sides of the plane of a triangle, it passes that plane within this distance of a part of the chord that
    /// is no farther from the plane; it goes through the triangle if that part lies inside of it by as much.
    pub(super) fn goes_through(
        &self,
        shapes: [&PrimitiveTree; 2],
        detour: impl Fn(f64) -> Vec3,
        (body, vertex): Vertex,
    ) -> bool {
        let (own, other) = (shapes[body], shapes[1 - body]);
        let x = own.vertex(vertex);
        let sign = if body == 0 { 1.0 } else { -1.0 };
        let mut last: Option<(f64, Place)> = None;
        self.stops.iter().any(|(t, poses)| {
            let (pose, seer) = (&poses[body], &poses[1 - body]);
            let detour = detour(*t) * sign;
            let offset = pose.point(x) + detour - seer.position;
            let place = Place { local: seer.inverse_vector(&offset), away: offset.norm(), detour };
            let size =
                own.radius + other.radius + detour.norm() + pose.position.norm() + seer.position.norm();
            // As in `Encounter::within_reach`.
            let noise = UNIT_TOLERANCE * 10.0 * size;
            let is_through = last.as_ref().is_some_and(|(before, from)| {
                let margin = self.bend(t - before, body, x.norm(), [from, &place]) + noise;
                let chord = [from.local, place.local];
                let near = other.tree.overlapping(&Aabb::of_points(&chord).grow(margin));
                near.into_iter().any(|index| match *other.corners(index) {
                    [a, b, c] => passes(&chord, &[a, b, c].map(|v| *other.vertex(v)), margin, noise),
                    _ => false,
                })
            });
            last = Some((*t, place));
            is_through
        })
    }

    /// Returns by how much (m) a vertex at a distance ρ from its centre of mass deviates from its chord at most, in the frame of
    /// the other body, in the time h between two places.
    ///
    /// Let z be its position relative to the centre of the other body, whose rotation is R, and θ, ϑ the turns of its own body and
    /// of the other in a unit of time. For y = Rᵀ z
    ///
    /// ‖ÿ‖ ≤ ϑ² ‖z‖ + 2 ϑ ‖ż‖ + ‖z̈‖, ‖ż‖ ≤ v + θ ρ, ‖z̈‖ ≤ θ² ρ,
    ///
    /// where v is the relative velocity of the centres, which is constant between two stops, and ‖z‖ is at most the mean of its
    /// values at both ends and ½ h max ‖ż‖. The deviation is at most h² max ‖ÿ‖/8.
    fn bend(&self, h: f64, body: usize, rho: f64, [from, to]: [&Place; 2]) -> f64 {
        let [theta, others] = [self.turns[body], self.turns[1 - body]];
        let pace = self.by + (to.detour - from.detour).norm() / h + theta * rho;
        let away = 0.5 * (from.away + to.away) + 0.5 * h * pace;
        let acceleration = others * others * away + 2.0 * others * pace + theta * theta * rho;
        0.125 * h * h * acceleration * (1.0 + 1e-9)
    }
}

/// Returns whether every curve between both ends of `chord` that stays within `margin` (m) of it goes through the triangle.
/// `noise` (m) is more than the rounding error of the ends.
fn passes(chord: &[Vec3; 2], [a, b, c]: &[Vec3; 3], margin: f64, noise: f64) -> bool {
    let Some(normal) = (b - a).cross(&(c - a)).try_normalize(0.0) else { return false };
    let heights = chord.map(|p| normal.dot(&(p - a)));
    if heights[0] * heights[1] >= 0.0 || heights[0].abs().min(heights[1].abs()) <= noise {
        return false;
    }
    let at = |height: f64| {
        let s = ((height - heights[0]) / (heights[1] - heights[0])).clamp(0.0, 1.0);
        chord[0] + (chord[1] - chord[0]) * s
    };
    let part = [at(-margin), at(margin)];
    [(a, b), (b, c), (c, a)].into_iter().all(|(p, q)| {
        let inwards = normal.cross(&(q - p));
        part.iter().all(|at| inwards.dot(&(at - p)) > (margin + noise) * inwards.norm())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rigor_geometry::Mesh;
    use rigor_math::rotation_vector;
    use rigor_scene::Skeleton;
    use rigor_shapes::Cuboid;

    use super::*;

    const TRIANGLE: [Vec3; 3] =
        [Vec3::new(0.0, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0), Vec3::new(0.0, 4.0, 0.0)];

    #[test]
    fn a_path_passes_a_triangle_if_all_within_the_margin_do() {
        let down = |x: f64, y: f64| [Vec3::new(x, y, 1.0), Vec3::new(x, y, -1.0)];
        assert!(passes(&down(1.0, 1.0), &TRIANGLE, 0.99, 1e-12));
        // Half of the margin would be too little here: the side x = 0 is 0.5 m away.
        assert!(passes(&down(0.5, 1.0), &TRIANGLE, 0.49, 1e-12));
        assert!(!passes(&down(0.5, 1.0), &TRIANGLE, 0.51, 1e-12));
        assert!(!passes(&down(-1.0, 1.0), &TRIANGLE, 0.0, 1e-12), "beside it");
        assert!(!passes(&[Vec3::new(1.0, 1.0, 2.0), Vec3::new(1.0, 1.0, 1.0)], &TRIANGLE, 0.1, 1e-12));
        // A slanted chord passes the plane inside, but not all of it within the margin of the plane is inside.
        let slanted = [Vec3::new(-9.0, 1.0, 5.0), Vec3::new(11.0, 1.0, -5.0)];
        assert!(passes(&slanted, &TRIANGLE, 0.3, 1e-12) && !passes(&slanted, &TRIANGLE, 0.4, 1e-12));
        let flat = [TRIANGLE[0], TRIANGLE[1], TRIANGLE[1]];
        assert!(!passes(&down(1.0, 0.0), &flat, 0.0, 1e-12));
    }

    fn tree(mesh: Mesh) -> PrimitiveTree {
        PrimitiveTree::new(&Skeleton::plain(Arc::new(mesh)))
    }

    fn point() -> Mesh {
        Mesh::new(vec![Vec3::zeros()], vec![], vec![]).expect("a point")
    }

    /// A point that the other body, which turns, sees on an arc of a circle; and one that turns with its own body.
    #[test]
    fn the_bend_is_reached() {
        let cuboid = tree(Cuboid::new(Vec3::repeat(1.0)).mesh().expect("a box"));
        let rho = cuboid.vertex(0).norm();
        for (turns, body, away) in [([0.0, 0.2], 0, 3.0), ([0.2, 0.0], 0, 3.0)] {
            let stations = SampledPoses { stops: vec![], turns, by: 0.0 };
            let arm = if turns[1] > 0.0 { away } else { rho };
            let at = |t: f64| {
                let turn = rotation_vector::exp(&(Vec3::z() * ((turns[0] - turns[1]) * t)));
                turn * Vec3::x() * arm
            };
            let place = |t: f64| Place { local: at(t), away, detour: Vec3::zeros() };
            let own = if turns[1] > 0.0 { 0.0 } else { rho };
            let bound = stations.bend(0.5, body, own, [&place(0.0), &place(0.5)]);
            let off = |k: u32| {
                let s = f64::from(k) / 32.0;
                (at(0.5 * s) - (at(0.0) * (1.0 - s) + at(0.5) * s)).norm()
            };
            let most = (0..=32).map(off).fold(0.0, f64::max);
            assert!(most <= bound && most > 0.99 * bound, "{most} of {bound}");
        }
    }

    /// A point that leaves the centre of a turning body in a straight line at a constant speed: the deviation from its chord is
    /// that of the Coriolis acceleration, 2 ϑ v h²/8.
    #[test]
    fn the_bend_of_a_straight_path_seen_from_a_turning_body_is_reached() {
        let (h, turn, by) = (0.5, 0.02, 3.0);
        let stations = SampledPoses { stops: vec![], turns: [0.0, turn], by };
        let at = |t: f64| rotation_vector::exp(&(Vec3::z() * (-turn * t))) * Vec3::x() * (by * t);
        let place = |t: f64| Place { local: at(t), away: by * t, detour: Vec3::zeros() };
        let bound = stations.bend(h, 0, 0.0, [&place(0.0), &place(h)]);
        let middle = (at(0.5 * h) - 0.5 * (at(0.0) + at(h))).norm();
        assert!(middle <= bound && middle > 0.99 * bound, "{middle} of {bound}");
    }

    #[test]
    fn a_point_that_flies_through_a_box_goes_through_its_faces_whichever_body_moves() {
        let shapes = [tree(point()), tree(Cuboid::new(Vec3::repeat(1.0)).mesh().expect("a box"))];
        let at = |x: f64, y: f64| Pose::translation(Vec3::new(x, y, 0.1));
        for (first, moves) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let shapes = [&shapes[first], &shapes[1 - first]];
            let through = |y: f64, detour: f64| {
                let stops = (0..=4u32).map(|k| {
                    let t = f64::from(k) / 4.0;
                    let chord = 4.0 * t - 2.1;
                    // The point moves along +x relative to the box, at the height y.
                    let is_point = first == moves;
                    let mut poses = [at(0.0, 0.0); 2];
                    poses[moves] = if is_point { at(chord, y) } else { at(-chord, -y) };
                    (t, poses)
                });
                let stations = SampledPoses { stops: stops.collect(), turns: [0.0; 2], by: 4.0 };
                stations.goes_through(shapes, |_| Vec3::y() * detour, (first, 0))
            };
            assert!(through(0.2, 0.0) && !through(0.6, 0.0) && !through(0.2, 0.9) && !through(0.2, -0.9));
            let other_way = if first == 0 { -0.4 } else { 0.4 };
            assert!(through(0.6, other_way) && !through(0.6, -other_way));
        }
    }
}

//! A plane between two bodies in two frames.

mod turning;

use std::sync::Arc;

use rigor_math::{Pose, Vec3};
use rigor_scene::BodyState;

use super::interval::{GRAZE, MAX_TURN, TRIMMED};
use crate::surface::shape::Shape;

/// More than the roundings of a placed vertex and of a product, as a fraction of the coordinates.
const ROUNDINGS: f64 = 256.0 * f64::EPSILON;

/// Maximum number of parts into which the motion between two frames is divided.
const MAX_PARTS: f64 = 16.0;

/// Two bodies in two frames, as one of them sees the other.
pub(super) struct Sides<'a> {
    /// The body that is seen and the one that sees it.
    shapes: [&'a Arc<Shape>; 2],
    /// The first relative to the second.
    poses: [Pose; 2],
    /// An upper bound on the rounding error (m) of the gap in the second frame.
    noise: f64,
    /// Poses of the first relative to the second between the frames, at equal intervals.
    between: Vec<Pose>,
    /// Maximum deviation (m) of the path of a point from its chord between one pose and the next.
    bend: f64,
    /// The longest allowed detour (m).
    detour: f64,
    /// The pose of the body that sees in the second frame, and the sign of a direction towards the other.
    view: (Pose, f64),
}

impl<'a> Sides<'a> {
    /// The bodies at `then` and at `now`, as the one with index `seer` sees the other.
    ///
    /// Let the other body, whose vertices are no farther than r from its centre of mass, move uniformly relative to it, in a straight line and by the turn θ. A point at a
    /// distance ρ ≤ r from the centre of mass then deviates from its chord by at most ½ θ² ρ t (1 − t), which is no more than
    /// θ² r/8. Where that is more than an allowed detour, which the radius of the smaller body limits, the motion is divided into
    /// parts, in which it is half of one.
    pub(super) fn new(
        shapes: [&'a Arc<Shape>; 2],
        then: &[BodyState; 2],
        now: &[BodyState; 2],
        seer: usize,
    ) -> Self {
        let radii = shapes.map(|shape| shape.radius());
        let seen = 1 - seer;
        let poses = [then, now].map(|states| states[seen].pose.relative_to(&states[seer].pose));
        let stretch = |state: &BodyState| (state.pose.rotation.coords.norm_squared() - 1.0).abs();
        let remoteness: f64 = now.iter().map(|state| state.pose.position.norm()).sum();
        let noise = (ROUNDINGS + 16.0 * (stretch(&now[0]) + stretch(&now[1])))
            * (2.0 * remoteness + radii[0] + radii[1]);
        let angle = rigor_math::angle::between_rotations(&poses[0].rotation, &poses[1].rotation);
        let bend = 0.125 * angle * angle * shapes[seen].arm();
        let detour = GRAZE * radii[0].min(radii[1]);
        let parts = if bend <= detour { 1.0 } else { (2.0 * bend / detour).sqrt().ceil() };
        let n_parts = if parts <= MAX_PARTS && angle <= MAX_TURN { parts as u32 } else { 1 };
        let [from, to] = &poses;
        let between: Vec<Pose> =
            (1..n_parts).map(|k| from.interpolate(to, f64::from(k) / f64::from(n_parts))).collect();
        let bend = bend / f64::from(n_parts * n_parts);
        let view = (now[seer].pose, if seen == 0 { 1.0 } else { -1.0 });
        Self { shapes: [shapes[seen], shapes[seer]], poses, noise, between, bend, detour, view }
    }

    /// Returns how far (m) bodies that count as touching may overlap.
    fn touching(&self) -> f64 {
        TRIMMED * (self.shapes[0].radius() + self.shapes[1].radius())
    }

    /// Returns a direction (world) towards the first of the given bodies as [`Sides::gap`] needs it.
    pub(super) fn seen(&self, normal: &Vec3) -> Vec3 {
        self.view.0.inverse_vector(normal) * self.view.1
    }

    /// Returns how far apart (m) a plane with this normal, in the frame of the body that sees and towards the other, holds
    /// the bodies in the second frame, less its rounding error, if it shows that they did not go through each other.
    ///
    /// Let n be a unit vector with a gap of min n · x over the body that is seen − max n · y over the other of at least 0 in
    /// both frames. Along chords the gap is linear in time, so that it is at least the smaller of those at both ends. The
    /// uniform motion deviates from the chords by d ([`Sides::new`]). Shifted along n by d and by what the bodies pass the plane
    /// at the poses between, which is an allowed detour, the body stays on its side of the plane. A gap in a frame may be
    /// negative by as much as bodies that count as touching are apart.
    pub(super) fn gap(&self, normal: &Vec3) -> Option<f64> {
        let n = normal.try_normalize(0.0).filter(|_| self.bend <= self.detour)?;
        let end = self.shapes[1].farthest(&n);
        let gaps = [&self.poses[1], &self.poses[0]].map(|pose| self.start(&n, pose) - end);
        let stays = |pose: &Pose| self.start(&n, pose) - end >= self.bend - self.detour;
        let is_held = gaps.iter().all(|gap| *gap >= -self.touching()) && self.between.iter().all(stays);
        is_held.then_some(gaps[0] - self.noise)
    }

    /// Returns min n · x (m) over the body that is seen, at a pose.
    fn start(&self, n: &Vec3, pose: &Pose) -> f64 {
        n.dot(&pose.position) - self.shapes[0].farthest(&-pose.inverse_vector(n))
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::{UnitQuaternion, rotation_vector};
    use rigor_scene::Skeleton;
    use rigor_shapes::Cuboid;

    use super::*;

    fn cube(size: f64) -> Arc<Shape> {
        let mesh = Cuboid::new(Vec3::repeat(size)).mesh().expect("a box");
        Arc::new(Shape::new(&Skeleton::plain(Arc::new(mesh))))
    }

    fn at(x: f64, y: f64) -> Pose {
        Pose::translation(Vec3::new(x, y, 0.0))
    }

    /// The gap of a cube with edges of 2 m that moves above another from one pose to the other.
    fn gap(poses: [Pose; 2], normal: Vec3) -> Option<f64> {
        let cube = cube(2.0);
        let state = |pose: Pose| BodyState { pose, ..BodyState::default() };
        let [then, now] = poses.map(|pose| [state(pose), state(Pose::identity())]);
        Sides::new([&cube, &cube], &then, &now, 1).gap(&normal)
    }

    #[test]
    fn a_cube_that_slides_on_another_stays_on_its_side_however_far() {
        for x in [0.05, 5.0] {
            assert!(gap([at(0.0, 2.0), at(x, 2.0)], Vec3::y()).is_some(), "it touches");
            let found = gap([at(0.0, 2.0), at(x, 2.25)], Vec3::y() * 3.0).expect("a plane");
            assert!((found - 0.25).abs() < 1e-12 && found < 0.25, "{found}");
        }
        assert!(gap([at(0.0, 2.0), at(0.1, 2.0)], Vec3::x()).is_none(), "no such plane");
        assert!(gap([at(0.0, 2.0), at(0.1, 2.0)], Vec3::zeros()).is_none());
        assert!(gap([at(0.0, 2.0), at(0.1, 2.0)], Vec3::repeat(f64::NAN)).is_none());
    }

    /// By the radius of the ball and not by its centre, and however far it turns.
    #[test]
    fn a_ball_that_rolls_stays_on_its_side() {
        let ball = Arc::new(Shape::new(&crate::testing::ball("ball", 0.5).skeleton));
        let (cube, turn) = (cube(2.0), rotation_vector::exp(&(Vec3::z() * -2.0)));
        let gap = |from: f64, to: f64| {
            let poses = [at(0.0, from), Pose::new(Vec3::new(1.0, to, 0.0), turn)];
            let [then, now] = poses.map(|pose| BodyState { pose, ..BodyState::default() });
            let still = BodyState::default();
            let sides = Sides::new([&ball, &cube], &[then, still], &[now, still], 1);
            assert!(sides.between.is_empty() && sides.bend == 0.0);
            sides.gap(&Vec3::y())
        };
        assert!(gap(1.5, 1.5).is_some());
        assert!(gap(1.5, 1.75).is_some_and(|gap| (gap - 0.25).abs() < 1e-12));
        assert!(gap(1.5, 1.499).is_none() && gap(1.499, 1.5).is_none() && gap(1.5, 1.0).is_none());
    }

    #[test]
    fn a_cube_that_goes_through_or_sinks_in_is_not_on_its_side() {
        for normal in [Vec3::y(), -Vec3::y(), Vec3::x()] {
            assert!(gap([at(0.0, 2.1), at(0.0, -2.1)], normal).is_none());
            assert!(gap([at(0.0, 2.1), at(0.0, 1.999)], normal).is_none());
            assert!(gap([at(0.0, 1.999), at(0.0, 2.1)], normal).is_none());
        }
    }

    #[test]
    fn a_turned_cube_is_measured_by_its_corners() {
        let quarter = rotation_vector::exp(&(Vec3::z() * std::f64::consts::FRAC_PI_4));
        let on_edge = |y: f64| Pose::new(Vec3::y() * y, quarter);
        assert!(gap([on_edge(2.41); 2], Vec3::y()).is_none(), "1 + √2 is more than 2.41");
        assert!(gap([on_edge(2.42); 2], Vec3::y()).is_some());
    }

    /// A turn by θ bends the path of a corner by θ² r/8. With half of that bound a turn of 0.7 rad, which bends it by more
    /// than an allowed detour, would pass for straight.
    #[test]
    fn a_way_that_bends_by_more_than_an_allowed_detour_is_divided() {
        let cube = cube(2.0);
        let n_between = |angle: f64| {
            let turned = Pose::new(Vec3::y() * 4.0, rotation_vector::exp(&(Vec3::z() * angle)));
            let states = [at(0.0, 4.0), turned].map(|pose| BodyState { pose, ..BodyState::default() });
            let (then, now) = ([states[0], BodyState::default()], [states[1], BodyState::default()]);
            Sides::new([&cube, &cube], &then, &now, 1).between.len()
        };
        assert!(n_between(0.6) == 0 && n_between(0.7) == 1 && n_between(1.5) == 3);
        // At the middle of the turn the corners of a cube come nearest: it bends by √3 (1 − cos θ/2) at most.
        let (theta, radius) = (0.6_f64, 3.0_f64.sqrt());
        assert!(radius * (1.0 - rigor_math::elementary::cos(0.5 * theta)) <= 0.125 * theta * theta * radius);
    }

    /// The edges of a cube that turns by a quarter come down to √2 below its centre: by 0.087 m, an allowed detour, and no more
    /// they may pass the plane on which it began and ended.
    #[test]
    fn a_cube_that_turns_on_its_edge_passes_the_plane_by_an_allowed_detour_at_most() {
        let quarter = rotation_vector::exp(&(Vec3::z() * std::f64::consts::FRAC_PI_2));
        let turning = |y: f64| gap([at(0.0, y), Pose::new(Vec3::y() * y, quarter)], Vec3::y());
        assert!(turning(2.40).is_some() && turning(2.415).is_some());
        assert!(turning(2.30).is_none() && turning(2.1).is_none() && turning(2.0).is_none());
        let half = rotation_vector::exp(&(Vec3::z() * 3.1));
        assert!(
            gap([at(0.0, 4.0), Pose::new(Vec3::y() * 4.0, half)], Vec3::y()).is_none(),
            "either way round"
        );
    }

    /// A cube that tips on the corner of another stays on the side of its own face, which the other cube sees turn.
    #[test]
    fn a_cube_that_turns_on_a_corner_is_held_by_the_plane_of_its_own_face() {
        let cube = cube(2.0);
        let state = |pose: Pose| BodyState { pose, ..BodyState::default() };
        // The corner (1, 1, 1) points up, to the height √3; the other cube turns about it.
        let up = UnitQuaternion::rotation_between(&Vec3::repeat(1.0), &Vec3::y()).expect("not opposite");
        let below = state(Pose::new(Vec3::zeros(), up));
        let tipped = |angle: f64| {
            let turn = rotation_vector::exp(&(Vec3::z() * angle));
            state(Pose::new(Vec3::y() * 3.0_f64.sqrt() + turn * Vec3::y(), turn))
        };
        let (then, now) = ([tipped(0.0), below], [tipped(0.1), below]);
        let seen_by = |seer: usize, normal: &Vec3| {
            let sides = Sides::new([&cube, &cube], &then, &now, seer);
            sides.gap(&sides.seen(normal))
        };
        let face = rotation_vector::exp(&(Vec3::z() * 0.1)) * Vec3::y();
        assert!(seen_by(0, &face).is_some(), "its face is level in both frames as it sees itself");
        for k in 0..=20 {
            let angle = 0.1 * f64::from(k) / 20.0;
            assert!(seen_by(1, &(rotation_vector::exp(&(Vec3::z() * angle)) * Vec3::y())).is_none());
        }
    }

    /// A large body that is seen to turn bends by its own radius, and only the radius of the smaller one is a detour.
    #[test]
    fn a_large_body_may_turn_less_than_a_small_one_in_one_part() {
        let (small, large) = (cube(2.0), cube(200.0));
        let state = |pose: Pose| BodyState { pose, ..BodyState::default() };
        let floor = state(Pose::identity());
        let gap = |angle: f64, seer: usize| {
            let turned = state(Pose::new(Vec3::y() * 103.0, rotation_vector::exp(&(Vec3::z() * angle))));
            let sides = Sides::new([&small, &large], &[state(at(0.0, 103.0)), floor], &[turned, floor], seer);
            sides.gap(&sides.seen(&Vec3::y()))
        };
        assert!(gap(0.01, 0).is_some() && gap(0.01, 1).is_some() && gap(0.6, 1).is_some());
        // θ² r/8 is 5 % of 1.73 m at θ = 0.063 rad for the large cube, and at 0.63 rad for the small one.
        let far = |angle: f64| {
            let turned = state(Pose::new(Vec3::y() * 300.0, rotation_vector::exp(&(Vec3::z() * angle))));
            Sides::new([&small, &large], &[state(at(0.0, 300.0)), floor], &[turned, floor], 0)
                .between
                .is_empty()
        };
        assert!(far(0.062) && !far(0.064));
    }

    /// Whichever comes first, the smaller body is the one that moves: a floor, which is large, would bend too much.
    #[test]
    fn a_small_cube_may_turn_on_a_large_one_whichever_comes_first() {
        let (small, large) = (cube(2.0), cube(200.0));
        let turned = |angle: f64| {
            let pose = Pose::new(Vec3::y() * 103.0, rotation_vector::exp(&(Vec3::z() * angle)));
            BodyState { pose, ..BodyState::default() }
        };
        let floor = BodyState::default();
        let first = Sides::new([&small, &large], &[turned(0.0), floor], &[turned(0.6), floor], 1);
        let second = Sides::new([&large, &small], &[floor, turned(0.0)], &[floor, turned(0.6)], 0);
        let gaps = [first.gap(&first.seen(&Vec3::y())), second.gap(&second.seen(&-Vec3::y()))];
        assert!(gaps[0].is_some_and(|gap| gap > 1.0) && gaps[0] == gaps[1], "{gaps:?}");
        assert!(second.gap(&second.seen(&Vec3::y())).is_none());
    }
}

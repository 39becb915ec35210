//! The motion of a body A as seen from a body B, and bounds on it.
//!
//! A point x of A is at s(t) = R_bᵀ y in the frame of B, y = R_a x + c, c = q_a − q_b (\[Ferguson2021\] eq.
//! (17)). Let δ be the rate ‖θ₁ − θ₀‖ of a body.
//!
//! **Rates.** R(θ) = exp \[θ\] with θ linear in t. By Duhamel's formula its k-th derivative is a mean of
//! products of rotations with k factors [θ₁ − θ₀], so it lengthens no vector by more than δᵏ. This also holds
//! for Rᵀ and after a constant Q. As c is linear,
//!
//! ‖y'‖ ≤ δ_a r + ‖c'‖ =: v, ‖y''‖ ≤ δ_a² r, ‖x‖ ≤ r,
//! ‖s'‖ ≤ δ_b ‖y‖ + v, ‖s''‖ ≤ δ_b² ‖y‖ + 2 δ_b v + δ_a² r =: A.
//!
//! **Chord.** For t in a piece of length τ, s differs from the chord between its ends by at most A τ²/8:
//! along any unit vector the difference is a function that vanishes at both ends and whose second derivative
//! is at most A. The chord lies in any convex set that contains both ends.
//!
//! **Which points.** Only points of A that come within the margin m of B at some time of the piece matter. At
//! that time ‖y‖ ≤ r_b + m, hence ‖x‖ = ‖y − c‖ ≤ ‖c‖ + r_b + m, and ‖y‖ ≤ r_b + m + τ v during the piece. So
//!
//! r = min(r_a, max ‖c‖ + r_b + m), ‖y‖ ≤ min(max ‖c‖ + r, r_b + m + τ v).
//!
//! **When.** They can come near each other only while ‖c‖ ≤ r_a + r_b + m. As c is linear, this is a window
//! of time.
//!
//! **Rings.** If A turns about a fixed axis n, x = h n + ρ u with a unit vector u ⊥ n of any direction. The
//! centre of its ring, R_bᵀ(c + h n), is the position of a point that does not turn: the above with δ_a = 0.
//! R_bᵀ n moves at most at rate δ_b; along axis k the ring reaches ρ √(1 − n_k²) = ρ ‖n × e_k‖, which changes
//! no faster than n. Without a fixed axis, h = 0 and ρ = ‖x‖. **Shells.** ‖s‖ = ‖y‖ differs from ‖c‖ by at
//! most ‖x‖.
//!
//! **Rounding.** The error of a rotated unit vector is at most u (192 + 32 max ‖θ‖), u = 2⁻⁵³ (see
//! `relative`), so that of an entry of M = R_bᵀ R_a is at most the sum of both and 4 u. Points of the ball of
//! radius r_a lie in boxes whose coordinates add up to at most 3 r_a: the error of the image of a box is at
//! most 3 r_a (384 + 32 Σ max ‖θ‖ + 8) u, that of its enlargement u (3 r_a + ‖c‖), that of the image of c a
//! third of the former with ‖c‖ instead of r_a, and that of c itself 4 u max(‖c(0)‖, ‖c(1)‖). All this is
//! covered by u (2048 + 128 Σ max ‖θ‖) (r_a + max ‖c‖).

use rigor_geometry::Aabb;
use rigor_math::{Mat3, Vec3};

use super::Shape;
use super::sweep::{Chord, Placed, Ring, Shell};
use crate::RigidMotion;
use crate::motion::Turn;
use crate::motion::orient;
use crate::relative::U;

/// An upper bound (m) on what underflow takes from a length here.
const TINY: f64 = 1e-140;

/// Factor that rounds up a bound computed with fewer than sixty roundings of positive numbers.
const UP: f64 = 1.0 + 64.0 * U;

/// The motion of A as seen from B.
pub(super) struct Approach<'a> {
    motion_a: &'a RigidMotion,
    motion_b: &'a RigidMotion,
    /// c at t = 0, and its change until t = 1.
    between: Vec3,
    displacement: Vec3,
    speed: f64,
    rate_a: f64,
    rate_b: f64,
    /// r_a, then r ≤ r_a.
    radius_a: f64,
    radius: f64,
    radius_b: f64,
    margin: f64,
    /// The window of time in which they can come near each other.
    window: [f64; 2],
    /// max ‖c‖ in the window, and over all of [0, 1].
    distance: f64,
    reach: f64,
}

/// Returns ‖θ₁ − θ₀‖ (rad), rounded up.
pub(super) fn rate(motion: &RigidMotion) -> f64 {
    (motion.theta_t1 - motion.theta_t0).norm() * UP
}

fn angle_max(motion: &RigidMotion) -> f64 {
    motion.theta_t0.norm().max(motion.theta_t1.norm())
}

/// Returns R(t) Q.
fn matrix(motion: &RigidMotion, t: f64) -> Mat3 {
    let turn = Turn::new(&(motion.theta_t0 + t * (motion.theta_t1 - motion.theta_t0)));
    Mat3::from_columns(
        &[Vec3::x(), Vec3::y(), Vec3::z()].map(|e| turn.apply(&orient(&motion.orientation, &e))),
    )
}

impl<'a> Approach<'a> {
    /// The approach of two bodies within `margin` of each other on [0, `horizon`]; `None` if they cannot come
    /// that near. `radius_b` may be infinite.
    pub fn new(
        (shape_a, motion_a): (&Shape, &'a RigidMotion),
        (radius_b, motion_b): (f64, &'a RigidMotion),
        margin: f64,
        horizon: f64,
    ) -> Option<Self> {
        let between = motion_a.position_t0 - motion_b.position_t0;
        let between_t1 = motion_a.position_t1 - motion_b.position_t1;
        let displacement = between_t1 - between;
        let reach = between.norm().max(between_t1.norm()) * UP + TINY;
        let near = (shape_a.radius() + radius_b + margin) * UP;
        let window = window(&between, &displacement, near, 64.0 * U * reach, horizon)?;
        let distance = window.map(|t| (between + t * displacement).norm()).into_iter().fold(0.0, f64::max);
        let distance = (distance + 16.0 * U * reach) * UP;
        Some(Self {
            motion_a,
            motion_b,
            between,
            displacement,
            speed: (displacement.norm() + 16.0 * U * reach) * UP,
            rate_a: rate(motion_a),
            rate_b: rate(motion_b),
            radius_a: shape_a.radius(),
            radius: shape_a.radius().min((distance + radius_b + margin) * UP),
            radius_b,
            margin,
            window,
            distance,
            reach,
        })
    }

    /// Returns the angles (rad) by which A and B turn in the window.
    pub fn angles(&self) -> [f64; 2] {
        let length = self.window[1] - self.window[0];
        [self.rate_a * length, self.rate_b * length]
    }

    /// Returns a bound on the travel (m) in the window of the points of A, or of its centre alone if
    /// `does_turn` is false.
    pub fn travel(&self, does_turn: bool) -> f64 {
        let turn = if does_turn { self.rate_a * self.radius } else { 0.0 };
        (self.window[1] - self.window[0]) * (self.rate_b * (self.distance + self.radius) + self.speed + turn)
    }

    /// Returns the times that cut the window into `n` pieces.
    pub fn times(&self, n: usize) -> impl Iterator<Item = f64> + use<> {
        let [from, to] = self.window;
        let at = move |k: usize| from + (to - from) * (k as f64 / n as f64);
        (0..=n).map(move |k| if k == n { to } else { at(k) })
    }

    /// Returns the placement of A in the frame of B.
    pub fn placed(&self, t: f64) -> Placed {
        let to_b = matrix(self.motion_b, t).transpose();
        Placed::new(to_b * matrix(self.motion_a, t), to_b * self.center(t))
    }

    fn center(&self, t: f64) -> Vec3 {
        self.between + t * self.displacement
    }

    /// Returns boxes around the chords of a piece, given its two times and the placements then.
    pub fn chord(&self, [from, to]: [(f64, Placed); 2]) -> Chord<2> {
        let tau = to.0 - from.0;
        let slack = self.slack(&[self.motion_a, self.motion_b]);
        let growth = (self.deviation(self.rate_a, self.farthest(tau), tau) + slack + self.margin) * UP;
        Chord { placed: [from.1, to.1], growth }
    }

    /// Returns boxes around bodies at rest.
    pub fn still(&self) -> Chord<1> {
        let slack = self.slack(&[self.motion_a, self.motion_b]);
        Chord { placed: [self.placed(0.0)], growth: (slack + self.margin) * UP }
    }

    /// Returns a box around the ball of A in the window, for B at rest at the origin.
    pub fn ball(&self) -> Aabb {
        let radius = (self.radius_a + self.slack(&[])) * UP;
        Aabb::of_points(&self.window.map(|t| self.center(t))).grow(radius)
    }

    /// Returns the upper bound on ‖y‖ (m) in a piece of length `tau`.
    fn farthest(&self, tau: f64) -> f64 {
        let own_travel = tau * (self.rate_a * self.radius + self.speed);
        (self.distance + self.radius).min(self.radius_b + self.margin + own_travel)
    }

    /// Returns A τ²/8, if A turns at `rate_a` and ‖y‖ ≤ `y`.
    fn deviation(&self, rate_a: f64, y: f64, tau: f64) -> f64 {
        let speed = rate_a * self.radius + self.speed;
        let acceleration = self.rate_b * (self.rate_b * y + 2.0 * speed) + rate_a * rate_a * self.radius;
        0.125 * tau * tau * acceleration
    }

    /// Returns a bound on the rounding error when the rotations of these motions are used.
    fn slack(&self, motions: &[&RigidMotion]) -> f64 {
        let angles: f64 = motions.iter().map(|m| angle_max(m)).sum();
        U * (2048.0 + 128.0 * angles) * (self.radius_a + self.reach) + TINY
    }

    /// Returns boxes around rings in the piece between two times.
    pub fn ring(&self, [from, to]: [f64; 2]) -> Ring {
        let (motion, slack) = (self.motion_a, self.slack(&[self.motion_b]));
        let delta = motion.theta_t1 - motion.theta_t0;
        let axis = (motion.theta_t0 == Vec3::zeros()).then(|| delta.normalize());
        let end = |t: f64| {
            let to_b = matrix(self.motion_b, t).transpose();
            (to_b * self.center(t), to_b * axis.unwrap_or_default())
        };
        let tau = to - from;
        Ring {
            axis: axis.map(|n| matrix_at_rest(motion).tr_mul(&n)),
            ends: [end(from), end(to)],
            growth: (self.deviation(0.0, self.distance + self.radius, tau) + slack + self.margin) * UP,
            tilt: (self.rate_b * tau + U * (2048.0 + 128.0 * angle_max(self.motion_b))) * UP,
        }
    }

    /// Returns shells for the whole window.
    pub fn shell(&self) -> Shell {
        let [from, to] = self.window;
        let nearest = (self.between
            + closest_time(&self.between, &self.displacement).clamp(from, to) * self.displacement)
            .norm();
        Shell { between: [nearest, self.distance], growth: (self.slack(&[]) + self.margin) * UP }
    }
}

/// Returns Q.
fn matrix_at_rest(motion: &RigidMotion) -> Mat3 {
    Mat3::from_columns(&[Vec3::x(), Vec3::y(), Vec3::z()].map(|e| orient(&motion.orientation, &e)))
}

/// Returns the time at which c + t c' is closest to the origin; 0 if it hardly moves.
fn closest_time(between: &Vec3, displacement: &Vec3) -> f64 {
    let length_sq = displacement.norm_squared();
    if length_sq > TINY * TINY { -between.dot(displacement) / length_sq } else { 0.0 }
}

/// Returns the part of [0, `horizon`] in which ‖c‖ ≤ `near`, or a superset; c is known to within `slack`.
///
/// The error of the time of least distance is a few u ‖c‖/‖c'‖, which is a few u ‖c‖ along the path: less
/// than `slack`.
fn window(between: &Vec3, displacement: &Vec3, near: f64, slack: f64, horizon: f64) -> Option<[f64; 2]> {
    let middle = closest_time(between, displacement);
    let least = (between + middle * displacement).norm() * (1.0 - 64.0 * U) - slack;
    let speed = displacement.norm();
    if speed <= TINY {
        return (least <= near + speed).then_some([0.0, horizon]);
    }
    if least > near {
        return None;
    }
    let half_way = ((near - least.max(0.0)) * (near + least.max(0.0))).sqrt() * (1.0 + 1e-12) + 2.0 * slack;
    let half = half_way / speed * (1.0 + 1e-12);
    // `slack`, many u of the path to the middle, covers the rounding of the sum.
    let [from, to] = [(middle - half).max(0.0), (middle + half).min(horizon)];
    (from <= to).then_some([from, to])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rigor_geometry::Mesh;
    use rigor_math::UnitQuaternion;

    use rigor_ccd_test::oracle;

    use super::super::tree::Sweep;
    use super::*;
    use crate::relative::tests::{as_others_see_it, is_at_least};
    use crate::wide::{Wide, WideVec3};

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..=size).prop_map(Vec3::from)
    }

    fn motion(angle: f64) -> impl Strategy<Value = RigidMotion> {
        let theta = prop_oneof![Just(Vec3::zeros()), vector(2.0)];
        let orientation = vector(2.0).prop_map(|theta| rigor_math::rotation_vector::exp(&theta));
        let size = prop_oneof![Just(0.0), Just(1.0)];
        (vector(1.0), size.clone(), vector(1.0), theta, size, vector(angle), orientation).prop_map(
            |(x, moves, displacement, theta, turns, delta, orientation)| {
                let path = [x, x + moves * displacement];
                RigidMotion { orientation, ..RigidMotion::between(path, [theta, theta + turns * delta]) }
            },
        )
    }

    /// s(t), computed differently: from points of B and its orientation.
    fn seen_from_b(a: &RigidMotion, b: &RigidMotion, t: f64, x: &Vec3) -> Vec3 {
        let (x, center) = (a.point(t, x), b.point(t, &Vec3::zeros()));
        Vec3::from_fn(|k, _| (b.point(t, &Vec3::ith(k, 1.0)) - center).dot(&(x - center)))
    }

    fn point(x: Vec3) -> Shape {
        Shape::new(Mesh::new(vec![x], vec![], vec![]).unwrap())
    }

    const ROUNDING: f64 = 1e-13;

    proptest! {
        #[test]
        fn points_stay_near_their_chord(
            a in motion(2.0), b in motion(2.0), x in vector(1.0), from in 0.0..0.9f64, length in 0.01..1.0f64,
        ) {
            let shape = point(x);
            let approach = Approach::new((&shape, &a), (f64::INFINITY, &b), 0.0, 1.0).unwrap();
            let ends = [from, (from + length).min(1.0)];
            let bounds = approach.chord(ends.map(|t| (t, approach.placed(t)))).of_points(&[x]);
            for k in 0..=20 {
                let t = ends[0] + (ends[1] - ends[0]) * f64::from(k) / 20.0;
                let s = seen_from_b(&a, &b, t, &x);
                prop_assert!(bounds.grow(ROUNDING).contains_point(&s), "{s:?} at {t} is outside of {bounds:?}");
            }
        }

        #[test]
        fn points_stay_in_their_ring(
            a in motion(100.0), b in motion(1.0), x in vector(1.0), about in vector(1.0), length in 0.01..0.5,
        ) {
            let a = RigidMotion { theta_t1: a.theta_t1 + 3.0 * Vec3::z(), ..a };
            let shape = point(x);
            let approach = Approach::new((&shape, &a), (f64::INFINITY, &b), 0.0, 1.0).unwrap();
            let ring = approach.ring([0.3, 0.3 + length]);
            let swept = ring.of_box(&Aabb::new(x, x + 0.1 * about));
            for k in 0..=200 {
                let s = seen_from_b(&a, &b, 0.3 + length * f64::from(k) / 200.0, &x);
                let found = Aabb::new(s, s).grow(ROUNDING);
                prop_assert!(ring.meets(&swept, &found), "{s:?} is outside");
            }
        }

        /// A shell holds the distance of a point, however A turns, and its lower bound is reached.
        #[test]
        fn points_stay_in_their_shell(a in motion(100.0), b in motion(100.0), x in vector(0.5)) {
            let shape = point(x);
            let approach = Approach::new((&shape, &a), (f64::INFINITY, &b), 0.0, 1.0).unwrap();
            let shell = approach.shell();
            let swept = shell.of_box(&Aabb::new(x, x));
            let mut nearest = f64::INFINITY;
            for k in 0..=200 {
                let t = f64::from(k) / 200.0;
                let s = seen_from_b(&a, &b, t, &x);
                prop_assert!(shell.meets(&swept, &Aabb::new(s, s).grow(ROUNDING)), "{s:?} is outside");
                nearest = nearest.min(approach.center(t).norm());
            }
            prop_assert!((shell.between[0] - nearest).abs() < 0.01);
            // A point farther away, and one nearer, are outside of it.
            let [least, largest] = swept;
            let at = |r: f64| Aabb::new(Vec3::x() * r, Vec3::x() * r);
            prop_assert!(!shell.meets(&swept, &at(largest + 1e-9)) && (least < 1e-9 || !shell.meets(&swept, &at(least - 1e-9))));
            prop_assert!(largest <= approach.distance + x.norm() + 1e-9);
        }

        /// The axis in the frame of B, at 10³ to 10⁹ turns: rounding is nearly all of its change.
        #[test]
        fn an_axis_stays_within_its_tilt(theta in vector(1.0), exponent in -12..10i32, delta in vector(1.0), less in 0..16i32, t in 0.25..0.75f64, turn in vector(2.0)) {
            let still = UnitQuaternion::identity();
            let theta = theta * 10f64.powi(exponent);
            let b = RigidMotion {
                theta_t0: theta, theta_t1: theta + delta * 10f64.powi(-less), ..RigidMotion::at_rest(Vec3::zeros(), rigor_math::rotation_vector::exp(&turn))
            };
            let a = RigidMotion::about_axis([Vec3::zeros(); 2], still, Vec3::z());
            let shape = point(Vec3::x());
            let approach = Approach::new((&shape, &a), (1.0, &b), 0.0, 1.0).unwrap();
            let ring = approach.ring([0.25, 0.75]);
            // Row 2 of R_b: n in the frame of B.
            let origin = RigidMotion::at_rest(Vec3::zeros(), still);
            let column = |k: usize| {
                let query = crate::RigidQuery::point_point([b, origin], Vec3::ith(k, 1.0), Vec3::zeros(), 0.0);
                oracle::rigid_points_at(&as_others_see_it(&query), t)[0].rounded().z
            };
            let exact = Vec3::from_fn(|k, _| column(k));
            let rounding = 1e-12 * (1.0 + b.theta_t0.norm());
            prop_assert!(ring.tilt <= 0.5 * (b.theta_t1 - b.theta_t0).norm() * (1.0 + 1e-12) + rounding);
            for (_, axis) in ring.ends {
                prop_assert!((axis - exact).norm() <= ring.tilt, "{}, {}", (axis - exact).norm(), ring.tilt);
            }
        }

        /// A point of A and one of B on the line through the centres, exactly the margin apart.
        #[test]
        fn a_shell_at_the_margin_is_met(
            line in vector(1.0), radii in prop::array::uniform2(0.1..1.0f64), gap in 1e-9..1e-3f64, inside: bool,
        ) {
            let along = line.try_normalize(1e-3).unwrap_or_else(Vec3::x);
            let still = UnitQuaternion::identity();
            // Beside each other, or A around B.
            let [x, y] = if inside { [radii[0] + 1.0, 1.0 + radii[0] - gap - radii[1]] } else { [-radii[0], radii[1]] };
            let place = if inside { radii[1] } else { radii[0] + radii[1] + gap } * along * if inside { -1.0 } else { 1.0 };
            let spin = Vec3::new(30.0, 20.0, 10.0);
            let (a, b) = (RigidMotion::about_axis([place; 2], still, spin), RigidMotion::about_axis([Vec3::zeros(); 2], still, -spin));
            let (x, y) = (x * along, y * along);
            let query = crate::RigidQuery::point_point([a, b], x, y, 0.0);
            let margin = oracle::rigid_distance_at(&as_others_see_it(&query), 0.0).upper;
            let (shape, at) = (point(x), |x| Aabb::new(x, x));
            let approach = Approach::new((&shape, &a), (y.norm(), &b), margin, 1.0).unwrap();
            let shell = approach.shell();
            prop_assert!(shell.meets(&shell.of_box(&at(x)), &at(y)), "{margin}");
        }

        /// The path is as near as `near` at t₀, exactly: on the whole window or, often, only about there.
        #[test]
        fn the_window_holds_the_time_at_the_very_distance(
            between in vector(1.0), displacement in vector(2.0), exponent in -9..4i32, off in -1.0..1.0f64, less in 0..16i32,
        ) {
            let displacement = displacement * 10f64.powi(exponent);
            let t_0 = (closest_time(&between, &displacement) + off * 10f64.powi(-less)).clamp(0.0, 1.0);
            let at = WideVec3::difference(&between, &-Vec3::zeros()).add(&WideVec3::difference(&displacement, &Vec3::zeros()).scale(t_0));
            let distance_sq = at.dot(&at);
            let mut near = distance_sq.high.sqrt();
            while (Wide::product(near, near) - distance_sq).high < 0.0 {
                near = near.next_up();
            }
            let reach = between.norm().max((between + displacement).norm());
            let [from, to] = window(&between, &displacement, near, 64.0 * U * reach, 1.0).unwrap_or([2.0; 2]);
            prop_assert!(from <= t_0 && t_0 <= to, "{t_0} is outside of {from} to {to}");
        }

        #[test]
        fn a_rate_is_rounded_up(theta in vector(2.0), delta in vector(2.0)) {
            let motion = RigidMotion::between([Vec3::zeros(); 2], [theta, theta + delta]);
            let delta = WideVec3::difference(&motion.theta_t1, &motion.theta_t0);
            prop_assert!(is_at_least(rate(&motion), delta.dot(&delta)));
        }

        #[test]
        fn centres_come_near_in_the_window_alone(
            between in vector(1.0), displacement in vector(2.0), size in prop_oneof![Just(1e-9), Just(1.0), Just(1e3)],
            near in 0.0..1.5, horizon in 0.1..1.0,
        ) {
            let displacement = displacement * size;
            let found = window(&between, &displacement, near, 1e-14 * (1.0 + size), horizon).unwrap_or([2.0; 2]);
            for k in 0..=1000 {
                let t = (horizon * f64::from(k) / 1000.0).min(horizon);
                let is_near = (between + t * displacement).norm() < near * (1.0 - 1e-12) - 1e-15 * size;
                prop_assert!(!is_near || (found[0] <= t && t <= found[1]));
            }
        }
    }

    /// Along a quarter circle the sagitta is 1 − cos(π/4) = 0.293 radii and the bound (π/2)²/8 = 0.308.
    #[test]
    fn the_bound_of_a_turn_is_nearly_its_sagitta() {
        let turn = Vec3::z() * std::f64::consts::FRAC_PI_2;
        let a = RigidMotion::about_axis([Vec3::zeros(); 2], UnitQuaternion::identity(), turn);
        let b = RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity());
        let shape = point(Vec3::x());
        let approach = Approach::new((&shape, &a), (f64::INFINITY, &b), 0.0, 1.0).unwrap();
        let chord = approach.chord([0.0, 1.0].map(|t| (t, approach.placed(t))));
        assert!((chord.growth - std::f64::consts::FRAC_PI_2.powi(2) / 8.0).abs() < 1e-12);
    }

    /// Seen from a body that turns by 0.1, the straight path of 1 m through its centre bends by
    /// ½ sin 0.05 = 0.02499 m at its middle; the bound is (0.1² ½ + 2 · 0.1)/8 = 0.02563 m.
    #[test]
    fn the_bound_of_a_straight_way_seen_from_a_turning_body_is_nearly_its_bend() {
        let still = UnitQuaternion::identity();
        let a = RigidMotion::about_axis([-0.5 * Vec3::x(), 0.5 * Vec3::x()], still, Vec3::zeros());
        let b = RigidMotion::about_axis([Vec3::zeros(); 2], still, 0.1 * Vec3::z());
        let shape = point(Vec3::zeros());
        let approach = Approach::new((&shape, &a), (f64::INFINITY, &b), 0.0, 1.0).unwrap();
        let chord = approach.chord([0.0, 1.0].map(|t| (t, approach.placed(t))));
        assert!((chord.growth - 0.205 / 8.0).abs() < 1e-12);
    }

    /// Seen from a body that turns the other way about the same axis, a point turns at the sum of both rates.
    #[test]
    fn the_bound_of_opposite_turns_is_that_of_their_sum() {
        let spin = |rate: f64| {
            RigidMotion::about_axis([Vec3::zeros(); 2], UnitQuaternion::identity(), rate * Vec3::z())
        };
        let (a, b, shape) = (spin(0.3), spin(-0.2), point(0.5 * Vec3::x()));
        let approach = Approach::new((&shape, &a), (f64::INFINITY, &b), 0.0, 1.0).unwrap();
        let chord = approach.chord([0.0, 0.5].map(|t| (t, approach.placed(t))));
        assert!((chord.growth - 0.5 * (0.5f64 * 0.5).powi(2) / 8.0).abs() < 1e-12);
    }

    /// A point that touches B, 0.5 m from its centre, moves straight away at 3 m per step, by translation or by turning.
    #[test]
    fn the_farthest_point_is_that_which_leaves_from_the_surface() {
        let still = UnitQuaternion::identity();
        let b = RigidMotion::at_rest(Vec3::zeros(), still);
        let flies = RigidMotion::about_axis([0.5 * Vec3::x(), 3.5 * Vec3::x()], still, Vec3::zeros());
        // On a circle of radius 100 about a centre far away.
        let turns = RigidMotion::about_axis([Vec3::new(0.5, -100.0, 0.0); 2], still, -0.03 * Vec3::z());
        for (a, x) in [(flies, Vec3::zeros()), (turns, 100.0 * Vec3::y())] {
            // Another point keeps the bodies near each other.
            let shape = Shape::new(Mesh::new(vec![x, 10.0 * Vec3::z()], vec![], vec![]).unwrap());
            let approach = Approach::new((&shape, &a), (0.25, &b), 0.25, 1.0).unwrap();
            for tau in [0.25, 0.1] {
                let gone = seen_from_b(&a, &b, tau, &x).norm();
                let bound = approach.farthest(tau);
                assert!(gone <= bound && bound < gone + 1e-3, "{gone}, {bound}");
            }
        }
    }

    /// The centre of a ring at a height of 0.5 m, seen from a body that turns by 0.2 about another axis.
    #[test]
    fn the_bound_of_a_ring_is_that_of_its_centre() {
        let spin =
            |delta: Vec3| RigidMotion::about_axis([Vec3::zeros(); 2], UnitQuaternion::identity(), delta);
        let (a, b, shape) = (spin(100.0 * Vec3::z()), spin(0.2 * Vec3::x()), point(0.5 * Vec3::z()));
        let approach = Approach::new((&shape, &a), (f64::INFINITY, &b), 0.0, 1.0).unwrap();
        assert!((approach.ring([0.0, 1.0]).growth - 0.5 * 0.04 / 8.0).abs() < 1e-12);
    }

    /// A small body spins and flies through the centre of B, from 2 m away to 2 m away.
    #[test]
    fn a_ring_is_met_halfway() {
        let a = RigidMotion::about_axis(
            [-2.0 * Vec3::x(), 2.0 * Vec3::x()],
            UnitQuaternion::identity(),
            100.0 * Vec3::y(),
        );
        let b = RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity());
        let shape = point(0.1 * Vec3::x());
        let approach = Approach::new((&shape, &a), (0.1, &b), 0.0, 1.0).unwrap();
        let ring = approach.ring([0.0, 1.0]);
        let swept = ring.of_box(&Aabb::new(0.1 * Vec3::x(), 0.1 * Vec3::x()));
        assert!(ring.meets(&swept, &Aabb::new(Vec3::zeros(), Vec3::zeros())));
    }
}

//! Classification of the motion of two bodies between two frames in which they do not intersect.

use rigor_math::Vec3;
use rigor_scene::BodyState;

use super::kind::MeshData;
use super::linking::linking;
use super::motion::{Motion, distance};
use super::search::Search;
use crate::certificate::shape::PrimitiveTree;
use crate::effort::Effort;
use crate::turn::TurnBetween;

/// A detour of this fraction of the smaller body's radius is always allowed; a shallower passage is a graze.
pub(super) const GRAZE: f64 = 0.05;
/// Bodies count as touching up to this fraction of the sum of their radii.
pub(super) const TRIMMED: f64 = 1e-9;
/// Bodies closer to each other than this fraction of the length of their motion touch, so that they may push each other; of the
/// smaller radius, if one turns by more than a quarter as the other sees it.
const TOUCHING: f64 = 0.02;
/// Fractions of the largest detour that are tried.
const SIZES: [f64; 3] = [1.0, 0.5, 0.125];
/// Maximum number of times that an insufficient detour is doubled.
const MAX_DOUBLINGS: u32 = 4;
/// Motion relative to the other body is not tried if the relative turn (rad) between two frames exceeds this.
pub(super) const MAX_TURN: f64 = 3.0;

/// The result for two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Outcome {
    /// Nothing shows that they went through each other.
    Clear,
    /// A linking number changed: they went through each other, however they moved.
    Unlinked,
    /// No tried motion moves them past each other.
    Passed {
        /// The largest detour (m) that was insufficient.
        detour: f64,
    },
    /// The effort was spent before it was known.
    Undecided,
}

impl Outcome {
    /// Whether they went through each other, proven or as far as was found.
    pub(super) fn is_pass(self) -> bool {
        match self {
            Self::Unlinked | Self::Passed { .. } => true,
            Self::Clear | Self::Undecided => false,
        }
    }
}

/// Two bodies in two frames.
pub(super) struct Interval<'a> {
    pub(super) kinds: [&'a MeshData; 2],
    pub(super) then: [BodyState; 2],
    pub(super) now: [BodyState; 2],
    /// Time between the frames (s).
    pub(super) dt: f64,
    /// Deviation (m) from uniform motion in the frames between, in addition to what their speeds allow.
    pub(super) deviation: f64,
    /// Bodies nearer than this (m), and a rounding, touch: more than the change of their strains moves their points.
    pub(super) slack: f64,
    /// Whether the two frames are consecutive, so that uniform motion in the world may be tried.
    pub(super) is_single_step: bool,
    /// The direction that last separated them (world).
    pub(super) direction: Vec3,
}

impl Interval<'_> {
    pub(super) fn outcome(&self, effort: &mut Effort) -> Outcome {
        match self.linking() {
            Linking::Changed => Outcome::Unlinked,
            Linking::Kept => Outcome::Clear,
            Linking::None => self.passage(effort),
        }
    }

    /// Compares the linking numbers of all curves on the two bodies in the two frames.
    fn linking(&self) -> Linking {
        let points = |states: &[BodyState; 2], i: usize| -> Vec<Vec<Vec3>> {
            let place = |v: &u32| states[i].pose.point(self.kinds[i].shape.vertex(*v));
            self.kinds[i].curves.iter().map(|curve| curve.iter().map(place).collect()).collect()
        };
        if self.kinds.iter().any(|kind| kind.curves.is_empty()) {
            return Linking::None;
        }
        let [a_then, b_then] = [0, 1].map(|i| points(&self.then, i));
        let [a_now, b_now] = [0, 1].map(|i| points(&self.now, i));
        let mut is_linked = false;
        for (p_then, p_now) in a_then.iter().zip(&a_now) {
            for (q_then, q_now) in b_then.iter().zip(&b_now) {
                let (Some(then), Some(now)) = (linking(p_then, q_then), linking(p_now, q_now)) else {
                    continue;
                };
                if then != now {
                    return Linking::Changed;
                }
                is_linked |= then != 0;
            }
        }
        if is_linked { Linking::Kept } else { Linking::None }
    }

    /// Tries to move the bodies past each other.
    fn passage(&self, effort: &mut Effort) -> Outcome {
        let shapes = self.shapes();
        let motions = self.motions();
        let Some(first) = motions.first() else { return Outcome::Clear };
        let smaller = shapes[0].radius.min(shapes[1].radius);
        let length = first.reach(shapes);
        // A body that turns on the spot comes near what it does not push.
        let near = TOUCHING * if self.turns_fast() { smaller } else { length };
        let touch = |states: &[BodyState; 2]| {
            let poses = [&states[0].pose, &states[1].pose];
            let found = distance(shapes, poses, near.max(2.0 * self.slack));
            let touching = TRIMMED * (shapes[0].radius + shapes[1].radius) + self.slack;
            (found.is_some_and(|d| d < near), found.is_some_and(|d| d <= touching))
        };
        let ends = [touch(&self.then), touch(&self.now)];
        // What is known of their pushes says more than that they came near.
        let aside = self.aside().filter(|_| !ends.iter().any(|end| end.1));
        let is_pushed = aside.is_none() && ends.iter().any(|end| end.0);
        let pushed = if is_pushed { 0.5 * length } else { 0.0 };
        let leeway = aside.map_or(self.leeway(), |aside| aside.min(self.leeway()));
        let detour = (self.deviation + leeway + self.slack).max(GRAZE * smaller).max(pushed);
        let is_trimmed = ends.map(|end| end.1);
        let mut search = Search::new(self.kinds, motions, is_trimmed, effort);
        if search.succeeds(&Vec3::zeros()) {
            return Outcome::Clear;
        }
        let mut tried: Vec<f64> = Vec::new();
        // All that were tried before have failed.
        let mut avoids = |search: &mut Search, detour: f64| {
            SIZES.iter().map(|part| part * detour).any(|size| {
                let is_new = !tried.contains(&size);
                tried.push(size);
                is_new && self.directions().any(|d| search.succeeds(&(d * size)))
            })
        };
        if avoids(&mut search, detour) {
            return Outcome::Clear;
        }
        if search.is_given_up() {
            return Outcome::Undecided;
        }
        let sizes = (1..=MAX_DOUBLINGS).map(|k| detour * f64::from(1u32 << k));
        let failed = sizes.take_while(|size| *size < 2.0 * smaller && !avoids(&mut search, *size)).last();
        Outcome::Passed { detour: failed.unwrap_or(detour) }
    }

    fn shapes(&self) -> [&PrimitiveTree; 2] {
        self.kinds.map(|kind| &kind.shape)
    }

    /// Returns the motions to try: uniform in the world, and uniform relative to the second body.
    fn motions(&self) -> Vec<Motion> {
        let (then, now) = (&self.then, &self.now);
        let uniform = self.is_single_step.then(|| Motion::uniform(then, now, self.dt));
        let seen = Motion::as_the_second_sees_it(then, now);
        let seen = Some(seen).filter(|motion| motion.turn() < MAX_TURN && !self.turns_fast());
        uniform.into_iter().chain(seen).collect()
    }

    /// Returns whether one body turns by more than a quarter as the other sees it, so that the shortest turn is not the one it made.
    fn turns_fast(&self) -> bool {
        self.is_single_step && turns_fast(&self.then, &self.now, self.dt)
    }

    /// Returns how far (m) the bodies may deviate from uniform motion without exceeding the larger of their
    /// speeds at the two ends.
    ///
    /// A point that moves no faster than V between two places at a distance of v̄ Δt stays within an
    /// ellipsoid around both, whose smaller semi-axes are ½ Δt √(V² − v̄²). The same holds for turns,
    /// multiplied by the largest distance of a vertex from the centre of mass. A body whose velocity changes once on the way, by w, deviates from uniform
    /// motion by at most ¼ w Δt.
    fn leeway(&self) -> f64 {
        if !self.is_single_step {
            return 0.0;
        }
        let of = |i: usize| {
            let (then, now) = (&self.then[i], &self.now[i]);
            let mean = (now.pose.position - then.pose.position).norm() / self.dt;
            let most = then.linear_velocity.norm().max(now.linear_velocity.norm());
            self.off(most, mean) + self.turning_leeway(i)
        };
        let gain = |i: usize| self.now[i].linear_velocity - self.then[i].linear_velocity;
        of(0) + of(1) + 0.25 * self.dt * (gain(0) - gain(1)).norm()
    }

    /// The smaller semi-axis (m) of [`Interval::leeway`].
    fn off(&self, most: f64, mean: f64) -> f64 {
        0.5 * self.dt * (most * most - mean * mean).max(0.0).sqrt()
    }

    /// The part of [`Interval::leeway`] of a body's turn (m).
    fn turning_leeway(&self, i: usize) -> f64 {
        let (then, now) = (&self.then[i], &self.now[i]);
        let turn = TurnBetween::new(then, now, self.dt);
        let angle = if turn.is_fast() {
            turn.said()
        } else {
            rigor_math::angle::between_rotations(&then.pose.rotation, &now.pose.rotation)
        } / self.dt;
        let spin = then.angular_velocity.norm().max(now.angular_velocity.norm());
        let turned = (then.angular_velocity - now.angular_velocity).norm();
        (self.off(spin, angle) + 0.25 * self.dt * turned) * self.kinds[i].shape.arm
    }

    /// Returns how far aside (m) bodies may have moved that exchanged their places and fly on: they then cannot have lost speed on a
    /// long way, but only made way for each other. `None` if they did not.
    ///
    /// Let d be the position of the first relative to the second, u the direction of d₁ − d₀ and v the relative velocity. They exchanged
    /// their places along the line of approach if d₀·u < 0 < d₁·u, and fly on if v₀·u and v₁·u are positive.
    ///
    /// Let f(t) ≥ 0 be how far the path deviates from the chord, on one side, and let the bodies push each other away to that side only,
    /// so that f is concave. With f(0) = f(Δt) = 0, f(t) ≤ w₀ t and f(t) ≤ w₁ (Δt − t) for the speeds w across u at both ends: f ≤
    /// Δt w₀ w₁/(w₀ + w₁) ≤ ½ Δt max(w₀, w₁), which is returned, with what the turns allow. A path of straight pieces that bends where the bodies
    /// touch is such a path. So bodies that collide and glance off are not reported, while the loss of speed alone explains nothing.
    ///
    /// A body makes way by turning about its centre by no more than the difference between its radius and that of the largest ball about
    /// the centre in it.
    fn aside(&self) -> Option<f64> {
        let aside = self.centres_aside()?;
        let turned = |i: usize| self.turning_leeway(i).min(self.kinds[i].shape.radius - self.kinds[i].inner);
        Some(aside + turned(0) + turned(1))
    }

    /// As [`Interval::aside`], of the centres, which no turn moves.
    fn centres_aside(&self) -> Option<f64> {
        if !self.is_single_step {
            return None;
        }
        let (d0, d1) = (offset(&self.then), offset(&self.now));
        let velocity = |of: &[BodyState; 2]| of[0].linear_velocity - of[1].linear_velocity;
        let u = (d1 - d0).try_normalize(0.0)?;
        let along = [velocity(&self.then), velocity(&self.now)].map(|v| v.dot(&u));
        let is_exchanged = d0.dot(&u) < 0.0 && d1.dot(&u) > 0.0;
        if !is_exchanged || along.iter().any(|v| *v <= 0.0) {
            return None;
        }
        let across = [velocity(&self.then), velocity(&self.now)].map(|v| (v - u * v.dot(&u)).norm());
        Some(0.5 * self.dt * across[0].max(across[1]))
    }

    /// Returns by how much (m) more the centres would have had to move aside for the balls about them in the bodies to pass each other; `None`
    /// if these did, or if the bodies did not exchange their places. Balls about the centres of round bodies may be these themselves, which graze each
    /// other when they pass.
    pub(super) fn cores_met(&self) -> Option<f64> {
        let aside = self.centres_aside()?;
        let (d0, d1) = (offset(&self.then), offset(&self.now));
        let chord = d1 - d0;
        let nearest = d0.cross(&chord).norm() / chord.norm();
        let shapes = self.shapes();
        let is_plain = shapes.iter().all(|shape| shape.is_plain());
        let graze = if is_plain { 0.0 } else { GRAZE * shapes[0].radius.min(shapes[1].radius) };
        let missing = self.kinds[0].inner + self.kinds[1].inner - nearest - aside - graze;
        (missing > 0.0).then_some(missing)
    }

    /// Returns the directions of detours: the one that last separated the bodies, then 26 along axes and
    /// diagonals.
    fn directions(&self) -> impl Iterator<Item = Vec3> {
        let grid = (0..27).map(|k| Vec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9)));
        let around = grid.map(|d| d - Vec3::repeat(1.0));
        let first = self.direction;
        std::iter::once(first).chain(around).filter_map(|d| d.try_normalize(0.0))
    }
}

/// The position (m) of the first relative to the second.
fn offset(states: &[BodyState; 2]) -> Vec3 {
    states[0].pose.position - states[1].pose.position
}

/// Returns whether one body turns by more than a quarter as the other sees it in `dt` (s), by their angular velocities.
pub(super) fn turns_fast(then: &[BodyState; 2], now: &[BodyState; 2], dt: f64) -> bool {
    let of = |states: &[BodyState; 2]| (states[0].angular_velocity - states[1].angular_velocity).norm();
    0.5 * dt * (of(then) + of(now)) > std::f64::consts::FRAC_PI_2
}

enum Linking {
    /// There are no curves on either body, or none of them is linked.
    None,
    /// Linked as before.
    Kept,
    Changed,
}

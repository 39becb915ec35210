//! How far bodies may move in one minimization, and which bodies a step is divided for.
//!
//! A minimum sees where a step leads, not how: a target on the far side of a body is reached by going round it. So
//! the motion of a pair of bodies in one minimization is limited. In the frame of the larger body, the smaller one
//! may come as near as it likes, but may go at most `MAX_MOTION` times the width w beyond that, where w is the
//! smallest width, across the motion, of both bodies together: what one would have to move sideways to get past the
//! other; but at most the diameter of the smaller one, as it may hit the other near its edge. It may go as far as it likes along a plane that parts both but for `GRAZE` times w. And neither may turn by more than `MAX_TURN`, beyond which the distance of Q from Q̃, a chord, no longer
//! tells how far they are apart. A step that exceeds these limits is divided more finely than they ask: a body that passes the
//! corner of another within one substep misses it.

use rigor_geometry::{Aabb, Bvh};
use rigor_math::Vec3;
use rigor_scene::{Body, BodyId, BodyState, Role, Scene, State};

use crate::body::MAX_TURN_ALONE;
use crate::config::Integrator;
use crate::groups::Groups;
use crate::kinematic::led_to;
use crate::memory::{self, BodyHistory};
use crate::prediction::weight;

/// Maximum relative motion of two bodies in one minimization, beyond their gap, relative to their width across it.
const MAX_MOTION: f64 = 0.25;
/// Overlap of two bodies along the normal of a plane, relative to that width, up to which the plane parts them: a passage that deep is a
/// graze, and a body that slides along another has a gap of about 0.
const GRAZE: f64 = 0.01;
/// Minimum of that width, relative to the radius of the smaller body: thinner edges may go round each other.
const THIN: f64 = 0.04;
/// Parts slower than this, relative to the fastest, do not count for that width.
const SLOW: f64 = 0.1;
/// Maximum turn (rad) in one minimization of a body near another.
const MAX_TURN: f64 = std::f64::consts::FRAC_PI_4;
/// Part of these limits that a substep keeps to.
const FINE: f64 = 0.4;

/// Two bodies that move too far for one minimization.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FastPair {
    /// The smaller index first; twice the same for a body alone that turns too far.
    pub bodies: [usize; 2],
    /// The time (s) that a substep should take.
    pub span: f64,
    /// The largest time (s) for which one minimization can follow them.
    pub limit: f64,
}

/// The bodies of a scene at some time, as boxes that move.
pub(crate) struct Pace<'a> {
    scene: &'a Scene,
    integrator: Integrator,
    /// The distance (m) from which bodies act on each other.
    reach: f64,
    movers: Vec<Mover>,
}

/// A body: a box that moves and turns at constant rates.
#[derive(Debug, Clone, Copy)]
struct Mover {
    /// Centre of mass (m), velocity (m/s), acceleration (m/s²), angular velocity (rad/s); world.
    position: Vec3,
    velocity: Vec3,
    acceleration: Vec3,
    omega: Vec3,
    /// Centre (m) and half axes (m) of its box, world.
    center: Vec3,
    half: [Vec3; 3],
    /// Maximum distance (m) of its points from the centre of mass.
    radius: f64,
    moves: bool,
}

impl Mover {
    /// Returns half the width (m) of the box along the unit vector `n`.
    fn support(&self, n: &Vec3) -> f64 {
        self.half.iter().map(|half| half.dot(n).abs()).sum()
    }

    /// Returns the smallest width (m) of the box.
    fn thickness(&self) -> f64 {
        2.0 * self.half.iter().map(Vec3::norm).fold(f64::INFINITY, f64::min)
    }

    /// Returns a bound (m) on how far any point moves in `span` (s).
    fn motion(&self, span: f64) -> f64 {
        let by = self.velocity.norm() + 0.5 * span * self.acceleration.norm();
        span * (by + self.radius * self.omega.norm())
    }

    /// Returns whether the body may move too far in `span` (s) for one minimization, whatever is near it.
    fn is_fast(&self, span: f64) -> bool {
        self.moves
            && (self.motion(span) > MAX_MOTION * self.thickness() || self.omega.norm() * span > MAX_TURN)
    }

    /// Returns a box (m, world) around all that the body passes in `span` (s), however it turns, and `margin` (m)
    /// more.
    fn swept(&self, span: f64, margin: f64) -> Aabb {
        let end = self.position + span * self.velocity;
        let bend = 0.5 * span * span * self.acceleration.norm();
        Aabb { min: self.position.inf(&end), max: self.position.sup(&end) }.grow(self.radius + bend + margin)
    }
}

impl<'a> Pace<'a> {
    /// Creates the bodies in `state` as they move until `end` (s); `bounds` are their boxes in their own frames (m),
    /// and `reach` (m) is the distance from which they act on each other.
    pub fn new(
        scene: &'a Scene,
        state: &State,
        bounds: &[Aabb],
        reach: f64,
        end: f64,
        integrator: Integrator,
    ) -> Self {
        let span = end - state.time;
        let pushes = memory::past(scene, state);
        let mover = |(((body, at), bounds), past): (((&Body, &BodyState), &Aabb), &BodyHistory)| {
            let (velocity, omega, acceleration, moves) = match &body.role {
                Role::Static => (Vec3::zeros(), Vec3::zeros(), Vec3::zeros(), false),
                Role::Dynamic => {
                    // What carried a body goes on carrying it.
                    let acceleration = weight(body, &scene.gravity) + past.push.acceleration;
                    (at.linear_velocity, at.angular_velocity, acceleration, true)
                }
                Role::Kinematic(_) => {
                    let then = led_to(body, &at.pose, end, span).unwrap_or(*at);
                    let velocity = (then.pose.position - at.pose.position) / span;
                    (velocity, then.angular_velocity, Vec3::zeros(), then.pose != at.pose)
                }
            };
            let half = 0.5 * bounds.extent();
            let rotation = at.pose.rotation.to_rotation_matrix().into_inner();
            let is_empty = bounds.is_empty();
            let half = if is_empty { Vec3::zeros() } else { half };
            let center = if is_empty { Vec3::zeros() } else { bounds.center() };
            Mover {
                position: at.pose.position,
                velocity,
                acceleration,
                omega,
                center: at.pose.position + rotation * center,
                half: std::array::from_fn(|k| rotation.column(k) * half[k]),
                radius: body.radius,
                moves,
            }
        };
        let movers = scene.bodies.iter().zip(&state.bodies).zip(bounds).zip(&pushes).map(mover).collect();
        Self { scene, integrator, reach, movers }
    }

    /// Returns the clusters of bodies for which a step of `span` (s) must be divided: sets of moving bodies that may
    /// meet each other in it, with at least one fast pair. Bodies of different clusters, and those of none, stay out
    /// of each other's reach while they move as they do.
    pub fn clusters(&self, span: f64) -> Groups {
        let n = self.movers.len();
        if !self.movers.iter().any(|mover| mover.is_fast(span)) {
            return Groups::of(Vec::new(), n);
        }
        let near = self.near(span);
        let mut others: Vec<Vec<usize>> = vec![Vec::new(); n];
        for &[a, b] in near.iter().filter(|pair| pair.iter().all(|&body| self.movers[body].moves)) {
            others[a].push(b);
            others[b].push(a);
        }
        // Joined bodies have their substeps together.
        for joint in &self.scene.joints {
            let ends: Vec<usize> = rigor_joint::ends_of(joint).bodies().map(|end| end.0).collect();
            if let [a, b] = ends[..]
                && [a, b].iter().all(|&body| self.movers[body].moves)
            {
                others[a].push(b);
                others[b].push(a);
            }
        }
        let moving = |[a, b]: [usize; 2]| if self.movers[a].moves { a } else { b };
        let fast = near.iter().filter(|pair| self.span_of(**pair, span) < span);
        let alone = (0..n).filter(|&body| self.turns_too_far_alone(body, span));
        let seeds: Vec<usize> = fast.map(|pair| moving(*pair)).chain(alone).collect();
        Groups::new(n, seeds.into_iter(), |body, found| others[body].iter().copied().for_each(found))
    }

    /// Returns the pair of bodies, at least one of them in the cluster, that one minimization can follow for the
    /// shortest time; `None` if it can follow all for `span` (s).
    pub fn fastest(&self, cluster: &[usize], span: f64) -> Option<FastPair> {
        let is_member = |body: &usize| cluster.binary_search(body).is_ok();
        // Static bodies do not move, and other moving ones are out of reach.
        if !cluster.iter().any(|&body| self.movers[body].is_fast(span)) {
            return None;
        }
        let near = self.near(span).into_iter().filter(|pair| pair.iter().any(is_member));
        let alone = cluster.iter().filter(|&&body| self.turns_too_far_alone(body, span));
        let alone = alone.map(|&body| {
            let span = MAX_TURN_ALONE / self.movers[body].omega.norm();
            FastPair { bodies: [body; 2], span, limit: span }
        });
        let fast = near.filter(|pair| self.span_of(*pair, span) < span);
        let fast = fast.map(|bodies| {
            let limit = self.span_of(bodies, span);
            FastPair { bodies, span: self.span_within(FINE, bodies, span), limit }
        });
        fast.chain(alone.filter(|pair| pair.span < span)).reduce(|a, b| if b.span < a.span { b } else { a })
    }

    /// Returns whether a body moves.
    pub fn moves(&self, body: usize) -> bool {
        self.movers[body].moves
    }

    /// Returns whether all that bodies of the cluster may pass in `span` (s) is out of reach of what others may pass
    /// in `of_others` (s), a time that began at the same place.
    pub fn is_apart(&self, cluster: &[usize], span: f64, others: &Pace, of_others: f64) -> bool {
        let margin = 0.5 * self.reach;
        let is_member = |body: usize| cluster.binary_search(&body).is_ok();
        let outside = (0..self.movers.len()).filter(|&body| !is_member(body) && others.movers[body].moves);
        let boxes: Vec<(usize, Aabb)> =
            outside.map(|body| (body, others.movers[body].swept(of_others, margin))).collect();
        cluster.iter().all(|&body| {
            let own = self.movers[body].swept(span, margin);
            boxes.iter().all(|(other, swept)| !own.overlaps(swept) || !self.may_collide([body, *other]))
        })
    }

    /// Returns whether a body near no other turns by more in `span` (s) than can be followed: by implicit Euler, as of its Q̃, a point on
    /// the tangent, the turn cannot be told; or with joints, which hold only what moves together.
    fn turns_too_far_alone(&self, body: usize, span: f64) -> bool {
        let mover = &self.movers[body];
        let is_chord = self.integrator == Integrator::ImplicitEuler && self.scene.bodies[body].is_dynamic();
        let is_joined = || {
            let mut joints = self.scene.joints.iter();
            mover.moves && joints.any(|joint| rigor_joint::ends_of(joint).bodies().any(|end| end.0 == body))
        };
        mover.omega.norm() * span > MAX_TURN_ALONE && (is_chord || is_joined())
    }

    fn may_collide(&self, [a, b]: [usize; 2]) -> bool {
        self.scene.can_collide(BodyId(a), BodyId(b))
    }

    /// Returns the pairs of bodies that may come within reach of each other in `span` (s), in ascending order.
    fn near(&self, span: f64) -> Vec<[usize; 2]> {
        let margin = 0.5 * self.reach;
        let boxes: Vec<Aabb> = self.movers.iter().map(|mover| mover.swept(span, margin)).collect();
        // The search for contacts refuses what is not finite.
        let Ok(tree) = Bvh::new(&boxes) else { return Vec::new() };
        let pairs = tree.overlapping_pairs().into_iter().map(|pair| pair.map(|body| body as usize));
        let moves = |pair: &[usize; 2]| pair.iter().any(|&body| self.movers[body].moves);
        let mut near: Vec<[usize; 2]> = pairs
            .map(|[a, b]| [a.min(b), a.max(b)])
            .filter(|pair| moves(pair) && self.may_collide(*pair))
            .collect();
        near.sort_unstable();
        near
    }

    /// Returns for how long (s), at most `span`, one minimization can follow two bodies.
    fn span_of(&self, pair: [usize; 2], span: f64) -> f64 {
        self.span_within(1.0, pair, span)
    }

    /// Returns for how long (s), at most `span`, two bodies stay within this part of the limits.
    fn span_within(&self, part: f64, [a, b]: [usize; 2], span: f64) -> f64 {
        let (a, b) = (&self.movers[a], &self.movers[b]);
        let (small, large) = if a.radius <= b.radius { (a, b) } else { (b, a) };
        Approach::new(small, large).span(part).min(span)
    }
}

/// The motion of a body in the frame of a larger one, which turns with it.
struct Approach<'a> {
    small: &'a Mover,
    large: &'a Mover,
    /// u = v − ω × d (m/s), with the relative velocity v, the place d of the small body's centre and the angular velocity ω of the large one.
    velocity: Vec3,
    /// Without what bends paths in a frame that turns (m/s²).
    acceleration: Vec3,
    omega: Vec3,
    /// Bound of what bends them (m/s²): ‖2 ω × u + ω × (ω × d)‖ ≤ 2 ‖ω‖ ‖u‖ + ‖ω‖² ‖d‖.
    bending: f64,
}

impl<'a> Approach<'a> {
    fn new(small: &'a Mover, large: &'a Mover) -> Self {
        let arm = small.position - large.position;
        let velocity = small.velocity - large.velocity - large.omega.cross(&arm);
        let turn = large.omega.norm();
        Self {
            small,
            large,
            velocity,
            acceleration: small.acceleration - large.acceleration,
            omega: small.omega - large.omega,
            bending: turn * (2.0 * velocity.norm() + turn * arm.norm()),
        }
    }

    /// Returns the time (s) for which both stay within this part of the limits; infinity if they do not meet.
    fn span(&self, part: f64) -> f64 {
        let width = self.width();
        let speed = self.velocity.norm() + self.small.radius * self.omega.norm();
        let beyond = time_of(part * MAX_MOTION * width, speed, self.acceleration.norm() + self.bending);
        let graze = part * GRAZE * width;
        let of_planes = self.normals().map(|n| {
            let until_touch = self.span_along(&n, 0.0);
            self.span_along(&n, graze).max(until_touch + beyond)
        });
        of_planes.fold(beyond, f64::max).min(self.span_of_turns(part))
    }

    /// Returns the time (s) until the boxes may overlap by `overlap` (m) along `n`; 0 if they do already.
    fn span_along(&self, n: &Vec3, overlap: f64) -> f64 {
        let apart = (self.small.center - self.large.center).dot(n);
        let n = if apart < 0.0 { -n } else { *n };
        let room = apart.abs() - self.small.support(&n) - self.large.support(&n) + overlap;
        let turning = |of: &Mover, omega: &Vec3| of.radius * omega.cross(&n).norm();
        let closing = |velocity: &Vec3| (-n.dot(velocity)).max(0.0);
        let pull = (-n.dot(&self.acceleration)).max(0.0);
        let in_its_frame = closing(&self.velocity) + turning(self.small, &self.omega);
        let until = time_of(room, in_its_frame, pull + self.bending);
        if self.bending == 0.0 {
            return until;
        }
        // In the world the plane does not turn, but both bodies do.
        let turns = turning(self.small, &self.small.omega) + turning(self.large, &self.large.omega);
        until.max(time_of(room, closing(&(self.small.velocity - self.large.velocity)) + turns, pull))
    }

    /// Returns the time (s) until a body has turned by this part of `MAX_TURN`, or until they may meet, however they turn.
    fn span_of_turns(&self, part: f64) -> f64 {
        let turn = self.small.omega.norm().max(self.large.omega.norm());
        (part * MAX_TURN / turn).max(self.span_apart())
    }

    /// Returns a time (s) before which the bodies do not meet: the ball around the small one is on one side of a plane,
    /// and the box of the large one or, if that turns, the ball around it is on the other.
    fn span_apart(&self) -> f64 {
        let velocity = self.small.velocity - self.large.velocity;
        let until = |n: Vec3, center: &Vec3, support: f64| {
            let apart = (self.small.position - center).dot(&n);
            let n = if apart < 0.0 { -n } else { n };
            let room = apart.abs() - self.small.radius - support;
            time_of(room, (-n.dot(&velocity)).max(0.0), (-n.dot(&self.acceleration)).max(0.0))
        };
        let between = (self.small.position - self.large.position).try_normalize(0.0);
        let balls = between.map_or(0.0, |n| until(n, &self.large.position, self.large.radius));
        if self.large.omega != Vec3::zeros() {
            return balls;
        }
        self.normals().map(|n| until(n, &self.large.center, self.large.support(&n))).fold(balls, f64::max)
    }

    /// Returns directions (world) along which boxes are likely to be apart.
    fn normals(&self) -> impl Iterator<Item = Vec3> {
        let axes = self.small.half.into_iter().chain(self.large.half);
        let between = self.small.center - self.large.center;
        axes.chain([between]).filter_map(|axis| axis.try_normalize(0.0))
    }

    /// Returns the smallest width (m) of both boxes together across the motion of any part of the small one, at most the diameter of that.
    fn width(&self) -> f64 {
        let arms = self.small.half.iter().flat_map(|half| [*half, -half]).chain([Vec3::zeros()]);
        let to_box = self.small.center - self.small.position;
        let speeds: Vec<Vec3> = arms.map(|arm| self.velocity + self.omega.cross(&(to_box + arm))).collect();
        let fastest = speeds.iter().map(Vec3::norm).fold(0.0, f64::max);
        let counts = speeds.iter().filter(|speed| speed.norm() > SLOW * fastest);
        let least = counts.map(|speed| self.width_across(speed)).fold(f64::INFINITY, f64::min);
        least.clamp(THIN * self.small.radius, 2.0 * self.small.radius)
    }

    /// Returns the smallest width (m) of both boxes together across the direction `u`; infinity for points.
    ///
    /// Across u the boxes cast shadows whose sum is a polygon with edges along the shadows of the half axes: its
    /// smallest width is normal to one of them.
    fn width_across(&self, u: &Vec3) -> f64 {
        let normals = self.small.half.iter().chain(&self.large.half).map(|half| u.cross(half));
        let normals = normals.filter_map(|n| n.try_normalize(1e-300));
        let width = |n: Vec3| 2.0 * (self.small.support(&n) + self.large.support(&n));
        normals.map(width).fold(f64::INFINITY, f64::min)
    }
}

/// Returns the time t (s) in which a body goes `way` (m) from a `speed` (m/s) at an `acceleration` (m/s²), both at least 0: way = speed t +
/// ½ acceleration t². 0 if there is no way, infinity if the body does not move.
fn time_of(way: f64, speed: f64, acceleration: f64) -> f64 {
    if way > 0.0 { 2.0 * way / (speed + (speed * speed + 2.0 * acceleration * way).sqrt()) } else { 0.0 }
}

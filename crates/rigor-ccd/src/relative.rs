//! Two primitives on their way, seen so that rounding stays small against their distance: the one interface through
//! which the algorithms ask where points are.

use rigor_math::{UnitQuaternion, Vec3};

use crate::motion::{RigidMotion, Turn};
use crate::query::{Kind, LinearQuery, RigidQuery};

/// u = 2⁻⁵³: a rounded operation is off by at most u times its result.
pub(crate) const U: f64 = 0.5 * f64::EPSILON;

/// The motion of two primitives against each other.
///
/// A common translation, which depends on time but not on the point, is taken off all points: it changes no distance, no
/// velocity of a point against another, and no chord's deviation.
pub(crate) trait Relative {
    /// What is known of a time: where the points are, and how they got there.
    type Place;
    /// The primitives.
    fn kind(&self) -> Kind;
    /// Where they are at `t` ∈ [0, 1].
    fn at(&self, t: f64) -> Self::Place;
    /// x̂(t), rounded.
    fn points<'a>(&self, place: &'a Self::Place) -> &'a [Vec3; 4];
    /// About ẋ(t); an estimate that no proof rests on.
    fn velocities(&self, place: &Self::Place) -> [Vec3; 4];
    /// A: no point of the one accelerates against a point of the other by more, on all of [0, 1] and rounded upwards.
    fn acceleration(&self) -> f64;
    /// E: for a unit vector n rounded to f64, the rounded n·(x̂ᵢ(t) − x̂ⱼ(t)) of a point i of A and j of B, and one more
    /// sum of two such numbers, differ from the exact n·(xᵢ(t) − xⱼ(t)) by no more, for every t.
    fn error(&self) -> f64;
}

/// Q x, for Q of any length divided by it.
pub(crate) fn orient(orientation: &UnitQuaternion, x: &Vec3) -> Vec3 {
    let q = orientation.as_vector();
    if q.w == 1.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0 {
        return *x;
    }
    let w = Vec3::new(q.x, q.y, q.z);
    x + w.cross(&(q.w * x + w.cross(x))) * (2.0 / q.norm_squared())
}

/// Points with straight ways, seen from the first point of B.
pub(crate) struct Straight {
    kind: Kind,
    start: [Vec3; 4],
    way: [Vec3; 4],
    error: f64,
}

impl Straight {
    pub fn new(query: &LinearQuery) -> Self {
        let (n_a, _) = query.kind.sizes();
        let n = query.kind.n_points();
        let seen = |points: &[Vec3; 4]| points.map(|x| x - points[n_a]);
        let (start, end) = (seen(&query.start), seen(&query.end));
        let way = std::array::from_fn(|i| end[i] - start[i]);
        let reach = start[..n].iter().chain(&end[..n]).map(Vec3::norm).fold(0.0, f64::max);
        // Each of two points: rounded when seen (1), the difference of both ends (2), its product with t and the sum (3);
        // then 8 for the product with n. docs/methods/ccd.md has the count.
        Self { kind: query.kind, start, way, error: 64.0 * U * reach + TINY }
    }
}

/// More than underflow can add to a position: squares of lengths below 10⁻¹⁵⁴ vanish.
pub(crate) const TINY: f64 = 1e-150;

impl Relative for Straight {
    type Place = [Vec3; 4];

    fn kind(&self) -> Kind {
        self.kind
    }

    fn at(&self, t: f64) -> [Vec3; 4] {
        std::array::from_fn(|i| self.start[i] + t * self.way[i])
    }

    fn points<'a>(&self, place: &'a [Vec3; 4]) -> &'a [Vec3; 4] {
        place
    }

    fn velocities(&self, _: &[Vec3; 4]) -> [Vec3; 4] {
        self.way
    }

    fn acceleration(&self) -> f64 {
        0.0
    }

    fn error(&self) -> f64 {
        self.error
    }
}

/// Points of two rigid bodies, seen from the centre of the body of B.
pub(crate) struct Rigid {
    kind: Kind,
    /// Q x̂, each against the centre of its own body.
    arms: [Vec3; 4],
    turning: [Turning; 2],
    /// q_a − q_b at t = 0, and how far it goes.
    between: Vec3,
    way: Vec3,
    acceleration: f64,
    error: f64,
    /// r_a, r_b and P: how far points are from the centres, and those from each other.
    radii: [f64; 2],
    apart: f64,
}

impl Rigid {
    pub fn new(query: &RigidQuery) -> Self {
        let (n_a, n) = (query.kind.sizes().0, query.kind.n_points());
        let (a, b) = (&query.motion_a, &query.motion_b);
        let arms: [Vec3; 4] = std::array::from_fn(|i| {
            orient(if i < n_a { &a.orientation } else { &b.orientation }, &query.points_local[i])
        });
        let turning = [Turning::new(a), Turning::new(b)];
        let (between, between_t1) = (a.position_t0 - b.position_t0, a.position_t1 - b.position_t1);
        let radius = |arms: &[Vec3]| arms.iter().map(Vec3::norm).fold(0.0, f64::max);
        let (r_a, r_b) = (radius(&arms[..n_a]), radius(&arms[n_a..n]));
        let reach = between.norm().max(between_t1.norm());
        let acceleration = turning[0].acceleration(&arms[..n_a]) + turning[1].acceleration(&arms[n_a..n]);
        // docs/methods/ccd.md has the count.
        let error = U
            * (64.0 * reach
                + r_a * (192.0 + 32.0 * turning[0].angle_max)
                + r_b * (192.0 + 32.0 * turning[1].angle_max))
            + TINY * (1.0 + r_a + r_b);
        let way = between_t1 - between;
        Self {
            kind: query.kind,
            arms,
            turning,
            between,
            way,
            acceleration,
            error,
            radii: [r_a, r_b],
            apart: reach,
        }
    }

    /// r_a, r_b (m), rounded.
    pub fn radii(&self) -> [f64; 2] {
        self.radii
    }

    /// ‖δ_a‖, ‖δ_b‖ (rad), rounded.
    pub fn rates(&self) -> [f64; 2] {
        [0, 1].map(|body| self.turning[body].delta.norm())
    }

    /// P and ‖q̇_a − q̇_b‖ (m), rounded.
    pub fn between(&self) -> [f64; 2] {
        [self.apart, self.way.norm()]
    }

    /// P + r_a + r_b (m): no two points are farther apart.
    pub fn reach(&self) -> f64 {
        self.apart + self.radii[0] + self.radii[1]
    }

    /// What rounding does to the cosine between two vectors that turn with A and B, and, relative to [`Self::reach`], to a
    /// gap along a normal that turns, with parabolas through three of them: `docs/methods/ccd.md` has the count.
    pub fn turning_rounding(&self) -> f64 {
        U * (1280.0 + 128.0 * (self.turning[0].angle_max + self.turning[1].angle_max))
    }
}

/// Where two bodies are at one time.
pub(crate) struct Place {
    points: [Vec3; 4],
    between: Vec3,
    turns: [Turn; 2],
}

impl Place {
    /// R_a, R_b.
    pub fn turns(&self) -> &[Turn; 2] {
        &self.turns
    }
}

impl Relative for Rigid {
    type Place = Place;

    fn kind(&self) -> Kind {
        self.kind
    }

    fn at(&self, t: f64) -> Place {
        let (n_a, n) = (self.kind.sizes().0, self.kind.n_points());
        let between = self.between + t * self.way;
        let turns = [self.turning[0].at(t), self.turning[1].at(t)];
        let mut points = self.arms;
        for x in &mut points[..n_a] {
            *x = turns[0].apply(x) + between;
        }
        for x in &mut points[n_a..n] {
            *x = turns[1].apply(x);
        }
        Place { points, between, turns }
    }

    fn points<'a>(&self, place: &'a Place) -> &'a [Vec3; 4] {
        &place.points
    }

    fn velocities(&self, place: &Place) -> [Vec3; 4] {
        let (n_a, n) = (self.kind.sizes().0, self.kind.n_points());
        let [omega_a, omega_b] = [0, 1].map(|body| place.turns[body].omega(&self.turning[body].delta));
        let mut velocities = place.points;
        for x in &mut velocities[..n_a] {
            *x = omega_a.cross(&(*x - place.between)) + self.way;
        }
        for x in &mut velocities[n_a..n] {
            *x = omega_b.cross(x);
        }
        velocities
    }

    fn acceleration(&self) -> f64 {
        self.acceleration
    }

    fn error(&self) -> f64 {
        self.error
    }
}

/// θ(t) of one body.
struct Turning {
    theta: Vec3,
    delta: Vec3,
    /// max(‖θ₀‖, ‖θ₁‖) (rad).
    angle_max: f64,
    /// R itself where θ does not change.
    constant: Option<Turn>,
}

impl Turning {
    fn new(motion: &RigidMotion) -> Self {
        let (theta, delta) = (motion.theta_t0, motion.theta_t1 - motion.theta_t0);
        let constant = (delta == Vec3::zeros()).then(|| Turn::new(&theta));
        Self { theta, delta, angle_max: theta.norm().max(motion.theta_t1.norm()), constant }
    }

    fn at(&self, t: f64) -> Turn {
        self.constant.unwrap_or_else(|| Turn::new(&(self.theta + t * self.delta)))
    }

    /// ‖δ‖² r ≥ ‖ẍ‖; where the axis is fixed, r is the distance from it.
    fn acceleration(&self, arms: &[Vec3]) -> f64 {
        let rate = self.delta.norm();
        let has_axis = self.theta == Vec3::zeros();
        let bound = |x: &Vec3| if has_axis { self.delta.cross(x).norm() } else { rate * x.norm() };
        let plain = arms.iter().map(Vec3::norm).fold(0.0, f64::max) * rate;
        // The cross product is rounded against the factors, not against itself.
        let largest = arms.iter().map(bound).fold(0.0, f64::max) + 64.0 * U * plain;
        largest * rate * (1.0 + 64.0 * U)
    }
}

#[cfg(test)]
mod tests;

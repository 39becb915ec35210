//! The relative motion of two primitives, in coordinates whose rounding errors are small compared with their
//! distance: the interface through which the separating-plane, additive and piecewise-linear methods evaluate
//! positions.

use rigor_math::Vec3;

use crate::motion::{RigidMotion, Turn, orient};
use crate::query::{Kind, LinearQuery, RigidQuery};

/// u = 2⁻⁵³: a rounded operation has an error of at most u times its result.
pub(crate) const U: f64 = 0.5 * f64::EPSILON;

/// The relative motion of two primitives.
///
/// A translation common to all points, which may depend on time, is subtracted: it changes no distance, no
/// relative velocity and no chord deviation.
pub(crate) trait Relative {
    /// The state at one time: positions, and what is needed to compute velocities.
    type Place;
    /// The types of the primitives.
    fn kind(&self) -> Kind;
    /// Returns the state at `t` ∈ [0, 1].
    fn at(&self, t: f64) -> Self::Place;
    /// Returns x̂(t), rounded.
    fn points<'a>(&self, place: &'a Self::Place) -> &'a [Vec3; 4];
    /// Returns ẋ(t), rounded. Only an estimate for the separating plane; [`crate::linear::additive`] bounds
    /// the rounding of straight motions.
    fn velocities(&self, place: &Self::Place) -> [Vec3; 4];
    /// A: an upper bound, rounded up, on the relative acceleration of any point of A and any point of B on
    /// [0, 1].
    fn acceleration(&self) -> f64;
    /// E: for every t, a unit vector n rounded to f64, a point i of A and a point j of B, an upper bound on
    /// the difference between the exact n·(xᵢ(t) − xⱼ(t)) and the rounded n·(x̂ᵢ(t) − x̂ⱼ(t)), including the
    /// rounding of one further sum of two such numbers.
    fn error(&self) -> f64;
}

/// Points with linear motions, relative to the first point of B.
pub(crate) struct Straight {
    kind: Kind,
    start: [Vec3; 4],
    displacement: [Vec3; 4],
    error: f64,
}

impl Straight {
    pub fn new(query: &LinearQuery) -> Self {
        let (n_a, _) = query.kind.sizes();
        let n = query.kind.n_points();
        let seen = |points: &[Vec3; 4]| points.map(|x| x - points[n_a]);
        let (start, end) = (seen(&query.start), seen(&query.end));
        let displacement = std::array::from_fn(|i| end[i] - start[i]);
        let reach = start[..n].iter().chain(&end[..n]).map(Vec3::norm).fold(0.0, f64::max);
        // Rounding per point: relative position (1), difference of both ends (2), product with t and sum (3).
        // The product with n adds 8. docs/methods/ccd.md counts 48 u `reach` in total.
        Self { kind: query.kind, start, displacement, error: 64.0 * U * reach + TINY }
    }
}

/// An upper bound on what underflow adds to a position: squares of lengths below 10⁻¹⁵⁴ vanish.
pub(crate) const TINY: f64 = 1e-150;

impl Relative for Straight {
    type Place = [Vec3; 4];

    fn kind(&self) -> Kind {
        self.kind
    }

    fn at(&self, t: f64) -> [Vec3; 4] {
        std::array::from_fn(|i| self.start[i] + t * self.displacement[i])
    }

    fn points<'a>(&self, place: &'a [Vec3; 4]) -> &'a [Vec3; 4] {
        place
    }

    fn velocities(&self, _: &[Vec3; 4]) -> [Vec3; 4] {
        self.displacement
    }

    fn acceleration(&self) -> f64 {
        0.0
    }

    fn error(&self) -> f64 {
        self.error
    }
}

/// Points of two rigid bodies, relative to the centre of the body of B.
pub(crate) struct Rigid {
    kind: Kind,
    /// Q x̂, each relative to the centre of its body.
    arms: [Vec3; 4],
    turning: [AngleBound; 2],
    /// q_a − q_b at t = 0, and its change until t = 1.
    between: Vec3,
    displacement: Vec3,
    /// The bounds of both bodies, and A, their sum.
    accelerations: [f64; 2],
    acceleration: f64,
    error: f64,
    /// r_a, r_b: the largest distances of the points from the centres. P: the largest distance between the
    /// centres.
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
        let turning = [AngleBound::new(a), AngleBound::new(b)];
        let (between, between_t1) = (a.position_t0 - b.position_t0, a.position_t1 - b.position_t1);
        let radius = |arms: &[Vec3]| arms.iter().map(Vec3::norm).fold(0.0, f64::max);
        let (r_a, r_b) = (radius(&arms[..n_a]), radius(&arms[n_a..n]));
        let reach = between.norm().max(between_t1.norm());
        let accelerations = [turning[0].acceleration(&arms[..n_a]), turning[1].acceleration(&arms[n_a..n])];
        let acceleration = accelerations[0] + accelerations[1];
        // Count: docs/methods/ccd.md.
        let error = U
            * (64.0 * reach
                + r_a * (192.0 + 32.0 * turning[0].angle_max)
                + r_b * (192.0 + 32.0 * turning[1].angle_max))
            + TINY * (1.0 + r_a + r_b);
        let displacement = between_t1 - between;
        Self {
            kind: query.kind,
            arms,
            turning,
            between,
            displacement,
            accelerations,
            acceleration,
            error,
            radii: [r_a, r_b],
            apart: reach,
        }
    }

    /// Returns r_a and r_b (m), rounded.
    pub fn radii(&self) -> [f64; 2] {
        self.radii
    }

    /// Returns ‖δ_a‖ and ‖δ_b‖ (rad), rounded.
    pub fn rates(&self) -> [f64; 2] {
        [0, 1].map(|body| self.turning[body].delta.norm())
    }

    /// Returns an upper bound, apart from the rounding of products, on the third derivative of R_bᵀ R_a, in norm: lemma 4.
    pub fn parting(&self) -> f64 {
        let ([a, b], [rate_a, rate_b]) = (&self.turning, self.rates());
        let (omega, delta) = (rate_a + rate_b, rate_a.max(rate_b));
        let (apart, change) = (a.theta - b.theta, a.delta - b.delta);
        let rounding = 16.0 * U * (a.angle_max + b.angle_max);
        let eta = apart.norm().max((apart + change).norm()) + rounding;
        let together = 8.0 * delta * eta + 12.0 * (change.norm() + rounding);
        (omega * omega * omega).min(delta * delta * together)
    }

    /// Returns P and ‖q̇_a − q̇_b‖ (m), rounded.
    pub fn between(&self) -> [f64; 2] {
        [self.apart, self.displacement.norm()]
    }

    /// Returns q̇_a − q̇_b (m), rounded.
    pub fn displacement(&self) -> Vec3 {
        self.displacement
    }

    /// Returns the bounds of the accelerations of A and of B, whose sum is A, rounded up.
    pub fn accelerations(&self) -> [f64; 2] {
        self.accelerations
    }

    /// Returns the axis of a body that turns about a fixed one, rounded to a unit vector.
    pub fn axis(&self, body: usize) -> Option<Vec3> {
        self.turning[body].axis()
    }

    /// Returns the least n·R x of the points of a body, however far it has turned, for a unit vector n; off by less than E.
    ///
    /// If it turns about a fixed axis a, R x = h a + ρ v with h = a·x, ρ = ‖a × x‖ and a unit vector v ⊥ a, so that
    /// n·R x ≥ h n·a − ρ ‖n × a‖; else n·R x ≥ −‖x‖.
    pub fn least_turned(&self, body: usize, n: &Vec3) -> f64 {
        let n_a = self.kind.sizes().0;
        let arms = if body == 0 { &self.arms[..n_a] } else { &self.arms[n_a..self.kind.n_points()] };
        match self.turning[body].axis() {
            Some(axis) => {
                let (along, across) = (n.dot(&axis), n.cross(&axis).norm());
                let least_of = |x: &Vec3| axis.dot(x) * along - axis.cross(x).norm() * across;
                arms.iter().map(least_of).fold(f64::INFINITY, f64::min)
            }
            None => -self.radii[body],
        }
    }

    /// Returns P + r_a + r_b (m), an upper bound on the distance between any two points.
    pub fn reach(&self) -> f64 {
        self.apart + self.radii[0] + self.radii[1]
    }

    /// Returns a bound on the rounding error of the cosine between two vectors that turn with A and B, and,
    /// relative to [`Self::reach`], on that of a gap along a turning normal, including the parabolas through
    /// three of them. Count: `docs/methods/ccd.md`.
    pub fn turning_rounding(&self) -> f64 {
        U * (1280.0 + 128.0 * (self.turning[0].angle_max + self.turning[1].angle_max))
    }
}

/// The state of two bodies at one time.
pub(crate) struct Place {
    points: [Vec3; 4],
    between: Vec3,
    turns: [Turn; 2],
}

impl Place {
    /// Returns q_a − q_b.
    pub fn between(&self) -> Vec3 {
        self.between
    }

    /// Returns R_a and R_b.
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
        let between = self.between + t * self.displacement;
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
            *x = omega_a.cross(&(*x - place.between)) + self.displacement;
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
struct AngleBound {
    theta: Vec3,
    delta: Vec3,
    /// max(‖θ₀‖, ‖θ₁‖) (rad).
    angle_max: f64,
    /// R itself if θ is constant.
    constant: Option<Turn>,
}

impl AngleBound {
    fn new(motion: &RigidMotion) -> Self {
        let (theta, delta) = (motion.theta_t0, motion.theta_t1 - motion.theta_t0);
        let constant = (delta == Vec3::zeros()).then(|| Turn::new(&theta));
        Self { theta, delta, angle_max: theta.norm().max(motion.theta_t1.norm()), constant }
    }

    fn at(&self, t: f64) -> Turn {
        self.constant.unwrap_or_else(|| Turn::new(&(self.theta + t * self.delta)))
    }

    /// Returns the axis if it is fixed, which it is where θ starts at 0.
    fn axis(&self) -> Option<Vec3> {
        if self.theta == Vec3::zeros() { self.delta.try_normalize(0.0) } else { None }
    }

    /// Returns ‖δ‖² r ≥ ‖ẍ‖, where r is the distance from the axis if that is fixed.
    fn acceleration(&self, arms: &[Vec3]) -> f64 {
        let rate = self.delta.norm();
        let plain = arms.iter().map(Vec3::norm).fold(0.0, f64::max) * rate;
        let has_axis = self.theta == Vec3::zeros();
        let largest = if has_axis {
            // The rounding error of the cross product is relative to the factors, not to the product.
            arms.iter().map(|x| self.delta.cross(x).norm()).fold(0.0, f64::max) + 64.0 * U * plain
        } else {
            plain
        };
        largest * rate * (1.0 + 64.0 * U)
    }
}

#[cfg(test)]
pub(crate) mod tests;

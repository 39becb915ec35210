//! What impulses at a contact do to the motion of its two bodies.

use rigor_math::{Mat3, Vec3, fused};

use crate::body::SolverBody;

/// Bodies do not yield along directions whose inverse mass is at most this part of the sum over three axes: fixed axes make
/// it 0, and a normal that misses one by 3·10⁻⁵ rad makes it 10⁻⁹ of what it is across.
const UNYIELDING: f64 = 1e-9;

/// What an impulse p on a and −p on b at one point does to the motion of a against b: it turns by `turn` p, the point
/// of b that coincides with a's centre of mass is left behind by `shift` p, and the point itself by K p.
///
/// K = diag(w_a + w_b) − [r_a] I_a⁻¹ [r_a] − [r_b] I_b⁻¹ [r_b] (1/kg): nᵀKn is w₁ + w₂ of [Mueller2020] §3.2.1 for any n.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mobility {
    /// Levers (m, world) of the impulses on a and b.
    pub r_a: Vec3,
    pub r_b: Vec3,
    pub k: Mat3,
    shift: Mat3,
    turn: Mat3,
}

impl AsRef<Mobility> for Mobility {
    fn as_ref(&self) -> &Mobility {
        self
    }
}

impl Mobility {
    /// That of bodies with levers `r_a` and `r_b` (m) to the point.
    pub fn new(a: &SolverBody, b: &SolverBody, r_a: Vec3, r_b: Vec3) -> Self {
        let (turn_a, turn_b) = (turning(a, &r_a), turning(b, &r_b));
        let turn = turn_a + turn_b;
        let mut shift = cross_columns(&turn_b, &(r_b - r_a));
        for i in 0..3 {
            shift[(i, i)] += a.w[i] + b.w[i];
        }
        Self { r_a, r_b, k: shift + cross_columns(&turn, &r_a), shift, turn }
    }

    /// Whether an impulse along the unit vector `n` moves the point in that direction by more than rounding decides.
    ///
    /// Where fixed axes block n, nᵀ K n is rounding. An impulse of C/(nᵀ K n) would not move the bodies along n, but
    /// throw them across it.
    pub fn yields(&self, n: &Vec3) -> bool {
        n.dot(&fused::mul(&self.k, n)) > self.least_yield()
    }

    /// The inverse mass (1/kg) at and below which bodies do not yield.
    pub fn least_yield(&self) -> f64 {
        UNYIELDING * self.k.trace()
    }
}

/// I⁻¹ [r], column by column: I⁻¹ (r × e).
fn turning(body: &SolverBody, r: &Vec3) -> Mat3 {
    if !body.can_turn() {
        return Mat3::zeros();
    }
    let column = |i: usize| body.inverse_inertia.column(i);
    Mat3::from_columns(&[
        column(1) * r.z - column(2) * r.y,
        column(2) * r.x - column(0) * r.z,
        column(0) * r.y - column(1) * r.x,
    ])
}

/// Every column of `m`, × r.
fn cross_columns(m: &Mat3, r: &Vec3) -> Mat3 {
    Mat3::from_columns(&[m.column(0).cross(r), m.column(1).cross(r), m.column(2).cross(r)])
}

/// The motion of a against b, or its velocity, as seen at a's centre of mass.
#[derive(Default)]
pub(super) struct Motion {
    shift: Vec3,
    turn: Vec3,
}

impl Motion {
    /// Motion of a's point against b's.
    #[inline]
    pub fn at(&self, mobility: &Mobility) -> Vec3 {
        self.shift + self.turn.cross(&mobility.r_a)
    }

    /// Adds what the impulse `p` on a and −p on b do.
    #[inline]
    pub fn push(&mut self, mobility: &Mobility, p: &Vec3) {
        self.shift = fused::mul_add(&mobility.shift, p, &self.shift);
        self.turn = fused::mul_add(&mobility.turn, p, &self.turn);
    }
}

/// Positional impulses on a pair, gathered so that each body turns once.
#[derive(Default)]
pub(crate) struct Sum {
    p: Vec3,
    torque_a: Vec3,
    torque_b: Vec3,
}

impl Sum {
    #[inline]
    pub fn add(&mut self, mobility: &Mobility, p: &Vec3) {
        self.p += p;
        self.torque_a += mobility.r_a.cross(p);
        self.torque_b += mobility.r_b.cross(p);
    }

    pub fn apply(&self, a: &mut SolverBody, b: &mut SolverBody) {
        a.apply_positional_sum(&self.p, &self.torque_a);
        b.apply_positional_sum(&-self.p, &-self.torque_b);
    }
}

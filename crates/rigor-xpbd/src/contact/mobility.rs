//! Response of two bodies to impulses at a contact.

use rigor_math::{Mat3, Vec3, fused};

use crate::body::SolverBody;

/// Relative inverse mass, as a fraction of the sum over three axes, at or below which bodies do not yield
/// along a direction. Fixed axes make it 0; a normal that is off a fixed axis by 3·10⁻⁵ rad makes it 10⁻⁹ of
/// the value across.
const UNYIELDING: f64 = 1e-9;

/// Response of the relative motion of a against b to an impulse p on a and −p on b at one point.
///
/// The relative rotation is `turn` p, the relative motion at a's centre of mass is `shift` p, and that of the
/// contact point is K p.
///
/// K = diag(w_a + w_b) − \[r_a\] I_a⁻¹ \[r_a\] − \[r_b\] I_b⁻¹ \[r_b\] (1/kg): nᵀKn is w₁ + w₂ of
/// \[Mueller2020\] §3.2.1 for any n.
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
    /// Computes the response of bodies with levers `r_a` and `r_b` (m) to the point.
    pub fn new(a: &SolverBody, b: &SolverBody, r_a: Vec3, r_b: Vec3) -> Self {
        let (turn_a, turn_b) = (turning(a, &r_a), turning(b, &r_b));
        let turn = turn_a + turn_b;
        let mut shift = cross_columns(&turn_b, &(r_b - r_a));
        for i in 0..3 {
            shift[(i, i)] += a.w[i] + b.w[i];
        }
        Self { r_a, r_b, k: shift + cross_columns(&turn, &r_a), shift, turn }
    }

    /// Returns whether an impulse along the unit vector `n` moves the point in that direction by more than
    /// rounding error.
    ///
    /// If fixed axes block n, nᵀ K n is rounding error. An impulse of C/(nᵀ K n) would not move the bodies
    /// along n but throw them across it.
    pub fn yields(&self, n: &Vec3) -> bool {
        n.dot(&fused::mul(&self.k, n)) > self.least_yield()
    }

    /// Returns the inverse mass (1/kg) at and below which bodies do not yield.
    pub fn least_yield(&self) -> f64 {
        UNYIELDING * self.k.trace()
    }
}

/// Returns I⁻¹ \[r\], whose columns are I⁻¹ (r × e) for the unit vectors e.
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

/// Returns the matrix whose columns are those of `m`, each × r.
fn cross_columns(m: &Mat3, r: &Vec3) -> Mat3 {
    Mat3::from_columns(&[m.column(0).cross(r), m.column(1).cross(r), m.column(2).cross(r)])
}

/// Relative motion, or velocity, of a against b at a's centre of mass.
#[derive(Default)]
pub(super) struct Motion {
    shift: Vec3,
    turn: Vec3,
}

impl Motion {
    /// Returns the relative motion at the contact point.
    #[inline]
    pub fn at(&self, mobility: &Mobility) -> Vec3 {
        self.shift + self.turn.cross(&mobility.r_a)
    }

    /// Adds the effect of the impulse `p` on a and −p on b.
    #[inline]
    pub fn push(&mut self, mobility: &Mobility, p: &Vec3) {
        self.shift = fused::mul_add(&mobility.shift, p, &self.shift);
        self.turn = fused::mul_add(&mobility.turn, p, &self.turn);
    }
}

/// Sum of positional impulses on a pair, so that each body is updated once.
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

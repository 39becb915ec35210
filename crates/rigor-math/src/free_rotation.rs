//! Torque-free rotation of a rigid body: [`fly`] is exact, [`step`] is a cheap symplectic step.

mod jacobi;

pub use jacobi::fly;

use crate::elementary::sin_cos;
use crate::{UnitQuaternion, Vec3, rotation_vector};

/// Advances the orientation `q` of a torque-free body by `h` (s); returns the new orientation and the angular
/// velocity there (rad/s, world).
///
/// `moments` are the principal moments (kg m²), `momentum` is the angular momentum L (kg m² s⁻¹, world).
///
/// The kinetic energy ½ Σ πₖ²/Iₖ, π = qᵀL, is split into its three terms. The flow of each is a rotation about one
/// principal axis at the constant rate πₖ/Iₖ; they are composed symmetrically, ½₁ ½₂ 1₃ ½₂ ½₁.
///
/// With two equal moments I, and J about the third axis e, the body turns about e and about L at constant
/// rates: exp(h L/I) q exp(h π_e (1/J − 1/I) e).
///
/// Source: \[Dullweber1997\] §III (the splitting of the free rigid body); \[Landau1976\] §35 for two equal
/// moments.
///
/// Guarantees: L is the same before and after up to rounding; the method is of second order, time-reversible
/// and symplectic, so the energy error stays bounded for exponentially long times. Exact if two moments are
/// equal.
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, free_rotation};
/// // Spinning about a principal axis is uniform: a quarter turn takes π/2 s at 1 rad/s.
/// let (moments, momentum) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 0.0, 3.0));
/// let quarter = std::f64::consts::FRAC_PI_2;
/// let (q, omega) = free_rotation::step(&UnitQuaternion::identity(), &momentum, &moments, quarter);
/// assert!((q * Vec3::x() - Vec3::y()).norm() < 1e-15);
/// assert!((omega - Vec3::z()).norm() < 1e-15);
/// ```
pub fn step(q: &UnitQuaternion, momentum: &Vec3, moments: &Vec3, h: f64) -> (UnitQuaternion, Vec3) {
    if moments.x == moments.y && moments.y == moments.z {
        let omega = momentum / moments.x;
        return (rotation_vector::exp(&(h * omega)) * q, omega);
    }
    if let Some(axis) = symmetry(moments) {
        return turn_symmetric(q, momentum, moments, h, axis);
    }
    let mut spin = Spin { q: *q, pi: q.inverse_transform_vector(momentum) };
    for (axis, share) in [(0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)] {
        spin.turn(axis, share * h * spin.pi[axis] / moments[axis]);
    }
    let q = UnitQuaternion::new_normalize(spin.q.into_inner());
    let omega = q * q.inverse_transform_vector(momentum).component_div(moments);
    (q, omega)
}

/// Whether [`step`] is exact for these `moments` (kg m²): at least two are equal up to rounding.
pub fn is_exact(moments: &Vec3) -> bool {
    symmetry(moments).is_some()
}

/// The axis perpendicular to which the moments are equal up to rounding, if there is one.
fn symmetry(moments: &Vec3) -> Option<usize> {
    (0..3).find(|axis| {
        let (j, k) = (moments[(axis + 1) % 3], moments[(axis + 2) % 3]);
        (j - k).abs() <= 8.0 * f64::EPSILON * j
    })
}

fn turn_symmetric(
    q: &UnitQuaternion,
    momentum: &Vec3,
    moments: &Vec3,
    h: f64,
    axis: usize,
) -> (UnitQuaternion, Vec3) {
    let across = 1.0 / moments[(axis + 1) % 3];
    let e = q * Vec3::ith(axis, 1.0);
    let rate = momentum.dot(&e) * (1.0 / moments[axis] - across);
    let (s, c) = sin_cos(0.5 * h * rate);
    let spin = nalgebra::Quaternion::from_parts(c, Vec3::ith(axis, s));
    let about_l = rotation_vector::exp(&(h * across * momentum));
    let e = about_l * e;
    let q = UnitQuaternion::new_normalize(about_l.into_inner() * q.into_inner() * spin);
    (q, across * momentum + rate * e)
}

/// Orientation and body-frame angular momentum.
struct Spin {
    q: UnitQuaternion,
    pi: Vec3,
}

impl Spin {
    /// Turns the body by `angle` (rad) about its own axis; L stays fixed in the world.
    fn turn(&mut self, axis: usize, angle: f64) {
        let (s, c) = sin_cos(0.5 * angle);
        let mut imaginary = Vec3::zeros();
        imaginary[axis] = s;
        let turn = nalgebra::Quaternion::from_parts(c, imaginary);
        self.q = UnitQuaternion::new_unchecked(self.q.into_inner() * turn);
        let (s2, c2) = (2.0 * s * c, c * c - s * s);
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let (pj, pk) = (self.pi[j], self.pi[k]);
        self.pi[j] = c2 * pj + s2 * pk;
        self.pi[k] = c2 * pk - s2 * pj;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inertia;

    /// An asymmetric top that spins about an axis near its unstable middle one.
    fn top() -> (UnitQuaternion, Vec3, Vec3) {
        let q = rotation_vector::exp(&Vec3::new(0.3, -0.2, 0.7));
        let moments = Vec3::new(1.0, 2.0, 3.0);
        let momentum = inertia::angular_momentum(&moments, &q, &(q * Vec3::new(0.01, 5.0, 0.02)));
        (q, momentum, moments)
    }

    fn run(h: f64, steps: usize) -> (UnitQuaternion, Vec3) {
        let (mut q, momentum, moments) = top();
        let mut omega = Vec3::zeros();
        for _ in 0..steps {
            (q, omega) = step(&q, &momentum, &moments, h);
        }
        (q, omega)
    }

    #[test]
    fn free_rotation_is_of_second_order() {
        let (fine, _) = run(1.0 / 16384.0, 16384);
        let error = |n: usize| run(1.0 / n as f64, n).0.angle_to(&fine);
        let ratio = error(256) / error(512);
        assert!((3.8..4.2).contains(&ratio), "halving the step divides the error by {ratio}");
    }

    #[test]
    fn energy_of_a_tumbling_top_stays_bounded_for_a_million_steps() {
        let (q, momentum, moments) = top();
        let energy = |q: &UnitQuaternion| {
            0.5 * momentum.dot(&(q * q.inverse_transform_vector(&momentum).component_div(&moments)))
        };
        let start = energy(&q);
        let (mut q, mut worst) = (q, [0.0_f64; 2]);
        for k in 0..1_000_000 {
            (q, _) = step(&q, &momentum, &moments, 0.01);
            worst[k / 500_000] = worst[k / 500_000].max((energy(&q) / start - 1.0).abs());
        }
        // (hω)² = 2.5e-3 sets the amplitude; the second half must be no worse than the first, up to rounding.
        assert!(worst[0] < 2.5e-3 && worst[1] < 1.01 * worst[0], "{worst:?}");
    }

    #[test]
    fn momentum_is_kept_to_rounding() {
        let (_, momentum, moments) = top();
        let (q, omega) = run(0.01, 10_000);
        let after = inertia::angular_momentum(&moments, &q, &omega);
        assert!((after - momentum).norm() < 1e-13 * momentum.norm());
    }

    #[test]
    fn symmetric_tops_turn_exactly() {
        let (q, momentum, _) = top();
        for (axis, moments) in [Vec3::new(0.2, 3.0, 3.0), Vec3::new(2.0, 3.0, 2.0), Vec3::new(1.0, 1.0, 1.5)]
            .into_iter()
            .enumerate()
        {
            assert_eq!(symmetry(&moments), Some(axis));
            let (once, omega) = step(&q, &momentum, &moments, 1.0);
            // Moments that differ by more than rounding are split, with second order.
            let nearly = moments.component_mul(&Vec3::new(1.0, 1.0 + 1e-13, 1.0 - 1e-13));
            assert_eq!(symmetry(&nearly), None);
            let mut split = q;
            for _ in 0..20_000 {
                (split, _) = step(&split, &momentum, &nearly, 5e-5);
            }
            assert!(once.angle_to(&split) < 1e-6, "{}", once.angle_to(&split));
            assert!((inertia::angular_momentum(&moments, &once, &omega) - momentum).norm() < 1e-14);
        }
    }

    #[test]
    fn stepping_back_undoes_a_step() {
        let (q, momentum, moments) = top();
        let (there, _) = step(&q, &momentum, &moments, 0.1);
        let (back, _) = step(&there, &momentum, &moments, -0.1);
        assert!(back.angle_to(&q) < 1e-14);
    }
}

//! The torque-free top in closed form.

use nalgebra::Quaternion;

use crate::elliptic::{Amplitude, Modulus};
use crate::{UnitQuaternion, Vec3, elementary, rotation_vector};

/// The orientation and the angular velocity (rad/s, world) of a torque-free body `h` (s) after it had the orientation
/// `q` and the angular velocity `omega` (rad/s, world); exact for every h, of either sign.
///
/// `moments` are the principal moments (kg m²). With the local angular momentum π = qᵀL, aₙ = 1/Iₙ and dₘₙ = aₘ − aₙ,
/// let k be the axis, of the largest or of the smallest moment, about which π circles: d_jk π_k² ≥ d_ij π_i², j the
/// middle axis and i the remaining one. Then, with s the sign of π_k,
///
/// ```text
/// π_i = M_i cn u    π_j = M_j sn u    π_k = s M_k dn u    u = F(φ₀) + λ h
/// M_i² = π_i² + π_j² d_jk/d_ik   M_j² = π_j² + π_i² d_ik/d_jk   M_k² = π_k² + π_j² d_ij/d_ik
/// |λ| = M_k √(d_ik d_jk)   k² = d_ij M_i²/(d_jk M_k²)   1 − k² = (d_jk π_k² − d_ij π_i²)/(d_jk M_k²)
/// q(h) = exp(ψ L/|L|) q B(π(0))⁻¹ B(π(h))
/// ψ = 2E/|L| h ± Δ[C/r G(φ, d_ij/d_jk, k) − atan(tan(φ)/r)]   r² = d_jk/d_ik   C = M_k/|L|
/// ```
///
/// where B(π) is the shortest rotation that takes π to s e_k; the sign in ψ is s if (i, j, k) is a cyclic order of the
/// axes, and −s if not.
///
/// Source: \[Celledoni2008\] §2 for π and for the angle ψ, \[vanZon2007\] for the same motion otherwise written.
/// Derivation: ψ̇ = (2E/|L| + s ω_k)/(1 + c) with c = s π_k/|L| = C dn, which is 2E/|L| − d_ik M_i²/|L| c/(1 + c) as 2E − a_k
/// L² = d_ik M_i². Then c/(1 + c) = (c − c²)/(1 − c²) is an elementary function less an integral of the third kind, G of
/// [`elliptic`](crate::elliptic::Modulus::third_kind_of_dn_sq). Every difference is taken where it does not cancel. With two
/// equal moments, the closed form of [`step`](super::step).
///
/// Guarantees: angular momentum and energy are kept to rounding. The error of the orientation is a rounding error of the
/// angle that the body turns by (10⁻¹⁵ of it), times the factor by which the motion itself magnifies an error of its
/// start; that is large only near the unstable rotation about the middle axis. The local angular momentum is taken
/// from `omega`, not from L, so that a moment of 10⁻⁹ of the others does no harm.
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, free_rotation};
/// // A thousand turns and a quarter about the axis of the largest moment.
/// let (moments, omega) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 0.0, 1.0));
/// let h = 1000.25 * std::f64::consts::TAU;
/// let (q, omega) = free_rotation::fly(&UnitQuaternion::identity(), &omega, &moments, h);
/// assert!((q * Vec3::x() - Vec3::y()).norm() < 1e-11);
/// assert!((omega - Vec3::z()).norm() < 1e-15);
/// ```
pub fn fly(q: &UnitQuaternion, omega: &Vec3, moments: &Vec3, h: f64) -> (UnitQuaternion, Vec3) {
    let local = q.inverse_transform_vector(omega);
    if let Some(axis) = super::symmetry(moments) {
        return fly_symmetric(q, &local, moments, h, axis);
    }
    let pi = moments.component_mul(&local);
    let l = pi.norm();
    let p = pi / l;
    // One component alone stays alone.
    let is_along_an_axis = (0..3).any(|k| {
        let (i, j) = (p[(k + 1) % 3], p[(k + 2) % 3]);
        i * i + j * j < LEAST
    });
    if l == 0.0 || is_along_an_axis {
        return (normalized(rotation_vector::exp(&(h * omega)) * q), *omega);
    }
    if let Some((h_along, turned)) = along_the_middle(&p, l, moments, h) {
        let q = normalized(rotation_vector::exp(&(h_along * omega)) * q);
        let omega = q * (l * turned).component_div(moments);
        return if h_along == h { (q, omega) } else { fly(&q, &omega, moments, h - h_along) };
    }
    let top = Top::new(moments, &p);
    let (end, psi) = top.fly(&p, l, h);
    let towards = |p: &Vec3| shortest(p, top.axes[2], top.sign);
    let about_l = rotation_vector::exp(&(psi * (q * p)));
    let q = normalized(about_l * q * towards(&p).inverse() * towards(&end));
    (q, q * (l * end).component_div(moments))
}

/// Squares below this are 0 to the motion: a component of 10⁻¹⁰⁰ beside one of 1.
const LEAST: f64 = 1e-200;

/// A rotation about the middle axis whose other components of π/|L| are smaller than this is too near the separatrix for the closed form, in
/// which their squares are lost. It is followed until they are as large as [`SEEN`].
const UNSEEN: f64 = 1e-20;

/// Part of π/|L| across an axis that no rotation shows: below the rounding of 1.
const SEEN: f64 = 1e-18;

/// Returns the part of `h` (s) for which a body with the unit vector `p` = π/|L| turns uniformly about its middle axis, up to rounding, and `p` after it;
/// `None` if it does not.
///
/// With a cyclic order (i, j, k) of the axes, j the middle one, ṗ_i = s |L| (a_k − a_j) p_k and ṗ_k = s |L| (a_j − a_i) p_i up to squares: both grow
/// as cosh and sinh of σ t, σ² = L² (a_k − a_j)(a_j − a_i).
fn along_the_middle(p: &Vec3, l: f64, moments: &Vec3, h: f64) -> Option<(f64, Vec3)> {
    let mut sorted = [0, 1, 2];
    sorted.sort_by(|a, b| moments[*a].total_cmp(&moments[*b]));
    let j = sorted[1];
    let (i, k) = ((j + 2) % 3, (j + 1) % 3);
    let d = |m: usize, n: usize| (moments[n] - moments[m]) / (moments[m] * moments[n]);
    let s = l * 1.0_f64.copysign(p[j]);
    let (to_i, to_k) = (s * d(k, j), s * d(j, i));
    let ratio = (to_i / to_k).sqrt();
    // In units in which both grow alike.
    let size = p[i].abs().max(p[k].abs() * ratio) * (1.0 / ratio).max(1.0);
    if size >= UNSEEN {
        return None;
    }
    let sigma = (to_i * to_k).sqrt();
    let most = elementary::ln(SEEN / size) / sigma;
    let t = if h.abs() > most { most.copysign(h) } else { h };
    let grown = elementary::exp(sigma * t);
    let (cosh, sinh) = (0.5 * (grown + 1.0 / grown), 0.5 * (grown - 1.0 / grown));
    let mut end = *p;
    end[i] = p[i] * cosh + p[k] * (to_i / sigma) * sinh;
    end[k] = p[k] * cosh + p[i] * (to_k / sigma) * sinh;
    Some((t, end))
}

/// The shortest rotation that takes the unit vector `p` to `sign` e_`axis`; their angle is at most π/2.
fn shortest(p: &Vec3, axis: usize, sign: f64) -> UnitQuaternion {
    let e = Vec3::ith(axis, sign);
    UnitQuaternion::new_normalize(Quaternion::from_parts(1.0 + p.dot(&e), p.cross(&e)))
}

fn normalized(q: UnitQuaternion) -> UnitQuaternion {
    UnitQuaternion::new_normalize(q.into_inner())
}

/// A body with two equal moments turns about its axis of symmetry and about L at constant rates; `local` is ω in its
/// own frame.
fn fly_symmetric(
    q: &UnitQuaternion,
    local: &Vec3,
    moments: &Vec3,
    h: f64,
    axis: usize,
) -> (UnitQuaternion, Vec3) {
    let across = moments[(axis + 1) % 3];
    let rate = local[axis] * ((across - moments[axis]) / across);
    let e = Vec3::ith(axis, 1.0);
    let about_l = rotation_vector::exp(&((h / across) * (q * moments.component_mul(local))));
    let spin = rotation_vector::exp(&(h * rate * e));
    // ω = R I⁻¹ π turns about L with the axis.
    (normalized(about_l * q * spin), about_l * (q * local))
}

/// An asymmetric top whose unit vector p = π/|L| circles about axis k.
struct Top {
    /// i, j, k.
    axes: [usize; 3],
    /// s, the sign of p_k.
    sign: f64,
    /// s, or −s if (i, j, k) is no cyclic order.
    sense: f64,
    /// M/|L| of axes i, j, k.
    amplitude: [f64; 3],
    modulus: Modulus,
    /// 2E/L² (1/(kg m²)).
    twice_energy: f64,
    /// d_ik and d_jk (1/(kg m²)): positive if k is the axis of the largest moment, negative otherwise.
    d_ik: f64,
    d_jk: f64,
    /// β = d_ij/d_jk.
    beta: f64,
}

impl Top {
    fn new(moments: &Vec3, p: &Vec3) -> Self {
        let mut sorted = [0, 1, 2];
        sorted.sort_by(|a, b| moments[*a].total_cmp(&moments[*b]));
        // The difference of reciprocals, without cancellation.
        let d = |m: usize, n: usize| (moments[n] - moments[m]) / (moments[m] * moments[n]);
        let [least, middle, most] = sorted;
        let about_most = d(middle, most) * (p[most] * p[most]) >= d(least, middle) * (p[least] * p[least]);
        let axes = if about_most { [least, middle, most] } else { [most, middle, least] };
        let [i, j, k] = axes;
        let (d_ij, d_jk, d_ik) = (d(i, j), d(j, k), d(i, k));
        let sq = p.map(|c| c * c);
        let m_i = sq[i] + sq[j] * (d_jk / d_ik);
        let m_j = sq[j] + sq[i] * (d_ik / d_jk);
        let m_k = sq[k] + sq[j] * (d_ij / d_ik);
        let beta = d_ij / d_jk;
        // On the separatrix k′ = 0 a quarter period has no end; 10⁻³⁰ stands for 0.
        let complement_sq = ((sq[k] - beta * sq[i]) / m_k).clamp(1e-60, 1.0);
        let sign = 1.0_f64.copysign(p[k]);
        let is_cyclic = (i + 1) % 3 == j;
        Self {
            axes,
            sign,
            sense: if is_cyclic { sign } else { -sign },
            amplitude: [m_i, m_j, m_k].map(f64::sqrt),
            modulus: Modulus { k_sq: (beta * m_i / m_k).min(1.0), complement_sq },
            twice_energy: sq.component_div(moments).sum(),
            d_ik,
            d_jk,
            beta,
        }
    }

    /// p `h` (s) later, and ψ (rad), at |L| = `l`.
    fn fly(&self, p: &Vec3, l: f64, h: f64) -> (Vec3, f64) {
        let ([i, j, k], [m_i, m_j, m_k]) = (self.axes, self.amplitude);
        let from = Amplitude::at(p[j] / m_j, p[i] / m_i, p[k].abs() / m_k);
        // π̇_j = ± d_ik π_k π_i, in the cyclic order with +.
        let lambda = self.sense * l * m_k * self.d_ik.signum() * (self.d_ik * self.d_jk).sqrt();
        let to = self.modulus.amplitude(self.modulus.first_kind(&from) + lambda * h);
        let (sn, cn) = to.sn_cn();
        let mut end = Vec3::zeros();
        end[i] = m_i * cn;
        end[j] = m_j * sn;
        end[k] = self.sign * m_k * to.delta;
        // d_jk has the sign of d_ik.
        let r = (self.d_jk / self.d_ik).sqrt();
        let of = |a: &Amplitude| m_k / r * self.modulus.third_kind_of_dn_sq(a, self.beta) - a.stretched(r);
        let psi = self.twice_energy * l * h + self.sense * (of(&to) - of(&from));
        (end, psi)
    }
}

#[cfg(test)]
mod tests;

//! Angle between two triangles about their common edge.

use std::array::from_fn;
use std::f64::consts::{PI, TAU};

use rigor_math::{Vec3, elementary};

use super::{Function, Scalar};

/// C = θ − θ₀ (rad), wrapped to (−π, π].
pub(crate) type Bending = Scalar<DihedralAngle, 4>;

/// Angle θ between the triangles (x₁, x₂, x₃) and (x₁, x₂, x₄): 0 if they lie flat on opposite sides of the
/// edge x₁x₂.
///
/// With e = x₂ − x₁, a = e × (x₃ − x₁) and b = (x₄ − x₁) × e, the normals of both triangles on the same side,
/// θ = atan2((b × a)·ê, a·b). It grows as x₃ and x₄ rise on that side.
///
/// Source: \[Mueller2007\] appendix A uses arccos(a·b), whose gradient is singular for a flat sheet.
/// Deviation: the gradient of atan2 is not singular: ∂θ/∂x₃ = ‖e‖ a/‖a‖² and ∂θ/∂x₄ = ‖e‖ b/‖b‖²
/// (\[Bridson2003\] §4). Those of x₁ and x₂ follow because translations, and rotations about x₁, leave θ
/// unchanged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DihedralAngle {
    /// θ₀ (rad).
    pub rest: f64,
}

impl Function<4> for DihedralAngle {
    fn value_and_gradient(&self, [x1, x2, x3, x4]: &[Vec3; 4]) -> Option<(f64, [Vec3; 4])> {
        let (e, p, q) = (x2 - x1, x3 - x1, x4 - x1);
        let (a, b) = (e.cross(&p), q.cross(&e));
        let (e_sq, a_sq, b_sq) = (e.norm_squared(), a.norm_squared(), b.norm_squared());
        if e_sq == 0.0 || a_sq == 0.0 || b_sq == 0.0 {
            return None;
        }
        let length = e_sq.sqrt();
        let theta = elementary::atan2(b.cross(&a).dot(&e) / length, a.dot(&b));
        let (g3, g4) = (a * (length / a_sq), b * (length / b_sq));
        let (s, t) = (p.dot(&e) / e_sq, q.dot(&e) / e_sq);
        let g2 = -(g3 * s + g4 * t);
        Some((wrapped(theta - self.rest), [-(g2 + g3 + g4), g2, g3, g4]))
    }

    fn scale(&self) -> f64 {
        1.0
    }

    /// Shrinks the four points towards their centre until Σ m |r|², r = x − c, has its former value.
    ///
    /// An angle does not depend on size: its gradients are perpendicular to r, so straight steps along them
    /// enlarge the four points by Σ m |Δx|². A fold of nearly π doubles its size in one projection, coupled
    /// angles grow without bound, and what edges take back becomes velocity. Shrinking towards the centre
    /// rotates nothing and moves no centre of mass, so momenta are conserved; the angle does not change
    /// either.
    fn bend(&self, x: &[Vec3; 4], w: &[f64; 4], shifts: &mut [Vec3; 4]) {
        let r = arms(x, w);
        let moment = |arms: &[Vec3; 4]| -> f64 {
            (0..4).filter(|&i| w[i] > 0.0).map(|i| arms[i].norm_squared() / w[i]).sum()
        };
        let size = moment(&r);
        if size > 0.0 {
            let scale = 1.0 / (1.0 + moment(shifts) / size).sqrt();
            (0..4).for_each(|i| shifts[i] = shifts[i] * scale - r[i] * (1.0 - scale));
        }
    }
}

/// Returns r (m), the offsets of the four points from what they can rotate about: their centre of mass, the
/// pinned point, or the line through two pinned points. Pinned points get 0.
fn arms(x: &[Vec3; 4], w: &[f64; 4]) -> [Vec3; 4] {
    let mut pins = (0..4).filter(|&i| w[i] == 0.0).map(|i| x[i]);
    let (pin, second) = (pins.next(), pins.next());
    let centre = pin.unwrap_or_else(|| {
        let mass: f64 = w.iter().map(|w| 1.0 / w).sum();
        x.iter().zip(w).map(|(x, w)| x / (w * mass)).sum()
    });
    let axis = second.and_then(|second| (second - centre).try_normalize(0.0)).unwrap_or_default();
    from_fn(|i| {
        let r = x[i] - centre;
        if w[i] > 0.0 { r - axis * axis.dot(&r) } else { Vec3::zeros() }
    })
}

/// Wraps `angle` to (−π, π].
fn wrapped(angle: f64) -> f64 {
    if angle > PI {
        angle - TAU
    } else if angle <= -PI {
        angle + TAU
    } else {
        angle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::bond::{Constraint, Rule, checks};
    use crate::particle::SolverParticle;

    #[test]
    fn gradient_is_that_of_the_angle() {
        checks::gradient(|x| DihedralAngle { rest: 0.3 }.value_and_gradient(x), 1e-9);
    }

    #[test]
    fn flat_is_no_singularity_and_a_fold_has_a_side() {
        let fold = |up: f64| [Vec3::zeros(), Vec3::x(), Vec3::new(0.3, 1.0, up), Vec3::new(0.6, -1.0, up)];
        let theta = |up: f64| DihedralAngle { rest: 0.0 }.value_and_gradient(&fold(up)).unwrap();
        assert_eq!(theta(0.0).0, 0.0);
        assert_eq!(theta(0.0).1[2], Vec3::z());
        assert!((theta(1.0).0 - PI / 2.0).abs() < 1e-15 && (theta(-1.0).0 + PI / 2.0).abs() < 1e-15);
    }

    #[test]
    fn the_way_to_rest_is_the_shorter_one() {
        let x = [Vec3::zeros(), Vec3::x(), Vec3::new(0.0, 1.0, 0.1), Vec3::new(0.0, 1.0, -0.1)];
        let folded = DihedralAngle { rest: 3.0 }.value_and_gradient(&x).unwrap().0;
        assert!(folded.abs() < PI / 2.0, "{folded}");
    }

    /// Returns Σ m |r|² (kg m²).
    fn moment(particles: &[SolverParticle]) -> f64 {
        let (x, w) = (from_fn(|i| particles[i].x), from_fn(|i| particles[i].w));
        arms(&x, &w).iter().zip(w).filter(|(_, w)| *w > 0.0).map(|(r, w)| r.norm_squared() / w).sum()
    }

    const RIGID: Rule = Rule { per_h_sq: 0.0, share: 1.0 };

    #[test]
    fn a_projection_keeps_the_size_and_the_momenta_however_far_it_turns() {
        for rest in [0.1, 2.0, -3.0] {
            checks::at_random(|x: [Vec3; 4]| {
                let mut moved = checks::particles(x);
                let before = moment(&moved);
                Bending::new([0, 1, 2, 3], DihedralAngle { rest }, 0.0).project(&mut moved[..], RIGID);
                assert!(
                    (moment(&moved) / before - 1.0).abs() < 1e-14,
                    "{before} kg m² became {}",
                    moment(&moved)
                );
                let pushed: Vec3 = moved.iter().zip(x).map(|(p, x)| (p.x - x) / p.w).sum();
                let turned: Vec3 = moved.iter().zip(x).map(|(p, x)| x.cross(&(p.x - x)) / p.w).sum();
                assert!(
                    pushed.norm() < 1e-14 * 6.5 && turned.norm() < 1e-13,
                    "pushed by {pushed}, turned by {turned}"
                );
            });
        }
    }

    #[test]
    fn wings_go_round_what_is_pinned() {
        let x = [Vec3::zeros(), Vec3::x(), Vec3::new(0.3, 1.0, 0.1), Vec3::new(0.6, 1.0, -0.1)];
        for pins in [&[0][..], &[0, 1], &[0, 1, 3]] {
            let mut moved = checks::particles(x);
            pins.iter().for_each(|&i: &usize| moved[i].w = 0.0);
            let before = moment(&moved);
            let mut bond = Bending::new([0, 1, 2, 3], DihedralAngle { rest: 0.0 }, 0.0);
            (0..30).for_each(|_| bond.project(&mut moved[..], RIGID));
            assert!(bond.violation(&moved[..], 0.0).error < 1e-12, "{pins:?}");
            assert!(
                (moment(&moved) / before - 1.0).abs() < 1e-13,
                "{pins:?}: {} of {before}",
                moment(&moved)
            );
        }
    }

    #[test]
    fn triangle_without_area_has_no_angle() {
        let x = [Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0, Vec3::y()];
        assert!(DihedralAngle { rest: 0.0 }.value_and_gradient(&x).is_none());
        assert!(DihedralAngle { rest: 0.0 }.value_and_gradient(&[Vec3::zeros(); 4]).is_none());
    }
}

//! Accelerated projected gradients.

use super::{Course, Goal, Solution, Solver};
use crate::cone::tangential;
use crate::{Cone, Law, Problem, Vec3};

/// Accelerated projected gradients with restarts \[Mazhar2015\], \[ODonoghue2015\]: r ← P_K(y − t (W y + b)), with the step t found by
/// backtracking. Under the convex law b = q. Under Coulomb's law b = q + μ ‖u_T‖ e_N with the u of the last restart, which is a fixed point
/// at the solution \[Cadoux2009\]. An iteration is a step.
#[derive(Debug, Clone, Copy, Default)]
pub struct AcceleratedGradient;

/// Steps between two looks at the residual.
const EVERY: u64 = 10;

impl Solver for AcceleratedGradient {
    fn name(&self) -> &'static str {
        "accelerated-gradient"
    }

    fn knows(&self, law: &Law) -> bool {
        match law {
            Law::Coulomb | Law::Convex | Law::Regularised { .. } => true,
            Law::Pyramid { .. } => false,
        }
    }

    fn solve(&self, problem: &Problem, law: &Law, start: &[Vec3], goal: &Goal) -> Solution {
        let mut course = Course::new(problem, law, start, goal);
        let softened = problem.softened(law);
        let w = softened.delassus();
        let is_coulomb = matches!(law, Law::Coulomb);
        let mut b = shifted(problem, start, is_coulomb);
        let mut r = start.to_vec();
        let mut y = r.clone();
        let mut weight: f64 = 1.0;
        let mut step = 1.0 / w.scale();
        let none = vec![Vec3::zeros(); r.len()];
        let mut since = 0;
        while !course.is_solved() && !course.is_spent() {
            let gradient = w.affine(&y, &b);
            course.work.products += 1;
            course.work.iterations += 1;
            let next = loop {
                let point = |i: usize| problem.cones()[i].project(&(y[i] - gradient[i] * step));
                let next: Vec<Vec3> = (0..r.len()).map(point).collect();
                let change: Vec<Vec3> = next.iter().zip(&y).map(|(a, b)| a - b).collect();
                course.work.products += 1;
                let bent = dot(&change, &w.affine(&change, &none));
                if bent <= dot(&change, &change) / step * (1.0 + 1e-12) || !bent.is_finite() {
                    break next;
                }
                step *= 0.7;
            };
            let is_up = (0..r.len()).map(|i| (y[i] - next[i]).dot(&(next[i] - r[i]))).sum::<f64>() > 0.0;
            since += 1;
            let grown = 0.5 * (1.0 + (1.0 + 4.0 * weight * weight).sqrt());
            if is_up {
                weight = 1.0;
                y.clone_from(&next);
            } else {
                let beta = (weight - 1.0) / grown;
                y = next.iter().zip(&r).map(|(next, r)| next + (next - r) * beta).collect();
                weight = grown;
            }
            r = next;
            if r.iter().any(|r| !r.iter().all(|x| x.is_finite())) {
                break;
            }
            step *= 1.02;
            if course.work.iterations.is_multiple_of(EVERY) || course.is_spent() {
                course.look(&r);
            }
            if is_coulomb && (is_up || since >= 4 * EVERY) {
                b = shifted(problem, &r, true);
                course.work.products += 1;
                since = 0;
            }
        }
        course.end(&r)
    }
}

/// q + μ ‖u_T‖ e_N at the impulses `r` for Coulomb's law, q for the convex one.
pub(super) fn shifted(problem: &Problem, r: &[Vec3], is_coulomb: bool) -> Vec<Vec3> {
    if !is_coulomb {
        return problem.q().to_vec();
    }
    let u = problem.velocities(r);
    let shift = |i: usize| match problem.cones()[i] {
        Cone::Friction(mu) => problem.q()[i] + Vec3::x() * (mu * tangential(&u[i])),
        Cone::Whole => problem.q()[i],
    };
    (0..r.len()).map(shift).collect()
}

fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}

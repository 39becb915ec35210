//! Newton's method on the convex problem of soft contacts.

use faer::Mat;

use super::{Course, Goal, Solution, Solver};
use crate::cone::tangential;
use crate::dense::Lu;
use crate::{Cone, Law, Mat3, Problem, Vec3};

/// Newton's method on the convex problem of soft contacts \[Castro2022\]: r = γ(u) = P_K(−u/R), and r minimizes f = ½ rᵀ W r + R/2 ‖γ(W r + q)‖²,
/// whose gradient is W (r − γ). A step solves (1 + G W/R) Δr = γ − r with the derivative G of the projection, and is halved until f falls.
/// An iteration is a step.
#[derive(Debug, Clone, Copy, Default)]
pub struct RegularisedNewton;

impl Solver for RegularisedNewton {
    fn name(&self) -> &'static str {
        "regularised-newton"
    }

    fn knows(&self, law: &Law) -> bool {
        matches!(law, Law::Regularised { .. })
    }

    fn solve(&self, problem: &Problem, law: &Law, start: &[Vec3], goal: &Goal) -> Solution {
        let &Law::Regularised { compliance } = law else { panic!("soft contacts only") };
        let mut course = Course::new(problem, law, start, goal);
        if !problem.delassus().is_small() {
            return course.end(start);
        }
        let mut r = start.to_vec();
        while !course.is_solved() && !course.is_spent() && compliance > 0.0 {
            course.work.iterations += 1;
            course.work.factorizations += 1;
            let u = problem.velocities(&r);
            let gamma = pushes(problem, compliance, &u);
            let Some(step) = step(problem, compliance, (&r, &u, &gamma)) else { break };
            let value = |r: &[Vec3], u: &[Vec3], gamma: &[Vec3]| -> f64 {
                let of = |i: usize| {
                    0.5 * r[i].dot(&(u[i] - problem.q()[i])) + 0.5 * compliance * gamma[i].norm_squared()
                };
                (0..r.len()).map(of).sum()
            };
            let now = value(&r, &u, &gamma);
            let wide = problem.delassus().affine(&step, &vec![Vec3::zeros(); r.len()]);
            let slope: f64 = (0..r.len()).map(|i| wide[i].dot(&(r[i] - gamma[i]))).sum();
            let mut part = 1.0;
            let next = loop {
                let next: Vec<Vec3> = r.iter().zip(&step).map(|(r, step)| r + step * part).collect();
                let u = problem.velocities(&next);
                course.work.products += 1;
                let reached = value(&next, &u, &pushes(problem, compliance, &u));
                if reached <= now + 1e-4 * part * slope + 1e-13 * now.abs() || part < 1e-9 {
                    break next;
                }
                part *= 0.5;
            };
            r = next;
            let u = problem.velocities(&r);
            let found = pushes(problem, compliance, &u);
            let least = course.least();
            course.look(&found);
            if course.look(&r) || (part < 1e-9 && course.least() >= least) {
                break;
            }
        }
        course.end(&r)
    }
}

/// γ(u).
fn pushes(problem: &Problem, compliance: f64, u: &[Vec3]) -> Vec<Vec3> {
    problem.cones().iter().zip(u).map(|(cone, u)| cone.project(&(-u / compliance))).collect()
}

fn step(problem: &Problem, compliance: f64, (r, u, gamma): (&[Vec3], &[Vec3], &[Vec3])) -> Option<Vec<Vec3>> {
    let n = problem.len();
    let mut a = Mat::zeros(3 * n, 3 * n);
    let mut b: Vec<f64> = Vec::with_capacity(3 * n);
    for i in 0..n {
        let g = derivative(&problem.cones()[i], &(-u[i] / compliance)) / compliance;
        for (j, block) in problem.delassus().row(i) {
            let entry = g * block;
            for (x, y) in (0..3).flat_map(|x| (0..3).map(move |y| (x, y))) {
                a[(3 * i + x, 3 * j + y)] += entry[(x, y)];
            }
        }
        (0..3).for_each(|x| a[(3 * i + x, 3 * i + x)] += 1.0);
        let right = gamma[i] - r[i];
        b.extend_from_slice(right.as_slice());
    }
    Lu::new(a)?.solve(&mut b);
    b.iter().all(|x| x.is_finite()).then(|| b.chunks_exact(3).map(Vec3::from_column_slice).collect())
}

/// The derivative of [`Cone::project`] at `x`.
fn derivative(cone: &Cone, x: &Vec3) -> Mat3 {
    let &Cone::Friction(mu) = cone else { return Mat3::identity() };
    let across = tangential(x);
    if x.x >= 0.0 && across <= mu * x.x {
        return Mat3::identity();
    }
    if mu * across <= -x.x {
        return Mat3::zeros();
    }
    let n = [x.y / across, x.z / across];
    let part = 1.0 / (1.0 + mu * mu);
    let alpha = part * (x.x + mu * across);
    let mut g = Mat3::zeros();
    g[(0, 0)] = part;
    for a in 0..2 {
        g[(0, a + 1)] = part * mu * n[a];
        g[(a + 1, 0)] = part * mu * n[a];
        for b in 0..2 {
            let eye = if a == b { 1.0 } else { 0.0 };
            g[(a + 1, b + 1)] = part * mu * mu * n[a] * n[b] + mu * alpha / across * (eye - n[a] * n[b]);
        }
    }
    g
}

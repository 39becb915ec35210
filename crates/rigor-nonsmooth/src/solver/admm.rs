//! The alternating direction method of multipliers.

use nalgebra::{DMatrix, DVector};

use super::{Course, Goal, Solution, Solver};
use crate::cholesky::Cholesky;
use crate::cone::tangential;
use crate::{Cone, Law, Problem, Vec3};

/// The alternating direction method of multipliers \[Tasora2021\], \[Acary2018\], in the form of Douglas and Rachford, accelerated by
/// Anderson's method \[Walker2011\].
///
/// With z = P_K(v) and ξ = v − z, a step solves (W + ρ) r = ρ (z − ξ) − b, and v ← ω r + (1 − ω) z + ξ. At its fixed point r = z and û = −ρ ξ.
/// b = q under the convex law, and q + μ ‖û_T‖ e_N under Coulomb's. ρ follows the ratio of the relative residuals; each change is a
/// factorization. An iteration is a solution of the linear system.
#[derive(Debug, Clone, Copy)]
pub struct Admm {
    /// ω, from 1 to below 2.
    pub relaxation: f64,
    /// Steps that Anderson's method remembers; 0 for the plain method.
    pub memory: usize,
}

impl Default for Admm {
    fn default() -> Self {
        Self { relaxation: 1.5, memory: 10 }
    }
}

/// First ρ over the mean of the diagonal of W.
const FIRST: f64 = 0.1;

/// Iterations between two looks at the residual.
const EVERY: u64 = 5;

/// Ratio of the relative residuals from which ρ changes.
const UNBALANCED: f64 = 5.0;

/// Growth of the step from which an accelerated point is taken back.
const GROWTH: f64 = 2.0;

impl Solver for Admm {
    fn name(&self) -> &str {
        if self.memory == 0 { "admm-plain" } else { "admm" }
    }

    fn knows(&self, law: &Law) -> bool {
        match law {
            Law::Coulomb | Law::Convex | Law::Regularised { .. } => true,
            Law::Pyramid { .. } => false,
        }
    }

    fn solve(&self, problem: &Problem, law: &Law, start: &[Vec3], goal: &Goal) -> Solution {
        let mut course = Course::new(problem, law, start, goal);
        if !problem.delassus().is_small() {
            return course.end(start);
        }
        let softened = problem.softened(law);
        let w = softened.delassus();
        let is_coulomb = matches!(law, Law::Coulomb);
        let mut splitting = Splitting {
            problem,
            dense: w.dense(),
            is_coulomb,
            relaxation: self.relaxation,
            rho: 0.0,
            factor: None,
        };
        if !splitting.set(FIRST * w.scale()) {
            return course.end(start);
        }
        course.work.factorizations += 1;
        let u = w.affine(start, problem.q());
        let mut v: Vec<Vec3> = start.iter().zip(&u).map(|(r, u)| r - u / splitting.rho).collect();
        let mut memory = Memory::new(self.memory);
        let mut next_change = 50;
        while !course.is_solved() && !course.is_spent() {
            let step = splitting.step(&v);
            course.work.iterations += 1;
            course.work.products += 1;
            let change: Vec<Vec3> = step.next.iter().zip(&v).map(|(a, b)| a - b).collect();
            v = memory.advance(&step.next, &change);
            if course.work.iterations.is_multiple_of(EVERY) || course.is_spent() {
                course.look(&step.z);
            }
            let ratio = (step.primal / step.dual).sqrt();
            let is_unbalanced = ratio.is_finite()
                && ratio > 0.0
                && !(1.0 / UNBALANCED..=UNBALANCED).contains(&(ratio * ratio));
            if course.work.iterations >= next_change && is_unbalanced {
                let part = ratio.clamp(0.1, 10.0);
                let z: Vec<Vec3> = v.iter().zip(problem.cones()).map(|(v, cone)| cone.project(v)).collect();
                if !splitting.set(splitting.rho * part) {
                    break;
                }
                course.work.factorizations += 1;
                v = v.iter().zip(&z).map(|(v, z)| z + (v - z) / part).collect();
                memory.forget();
                // The method converges only between changes: they become rarer.
                next_change = course.work.iterations + 50 * course.work.factorizations;
            }
        }
        let z: Vec<Vec3> = v.iter().zip(problem.cones()).map(|(v, cone)| cone.project(v)).collect();
        course.end(&z)
    }
}

/// The step of the splitting at its ρ.
struct Splitting<'a> {
    problem: &'a Problem,
    dense: faer::Mat<f64>,
    is_coulomb: bool,
    relaxation: f64,
    rho: f64,
    factor: Option<Cholesky>,
}

struct Step {
    /// P_K(v).
    z: Vec<Vec3>,
    /// The next v.
    next: Vec<Vec3>,
    /// ‖r − z‖² over the larger of ‖r‖² and ‖z‖².
    primal: f64,
    /// ‖Δz‖² over the larger of ‖ξ‖² and ‖q‖²/ρ².
    dual: f64,
}

impl Splitting<'_> {
    /// Sets ρ; returns whether the matrix is positive definite.
    fn set(&mut self, rho: f64) -> bool {
        let mut a = self.dense.clone();
        (0..a.nrows()).for_each(|k| a[(k, k)] += rho);
        self.rho = rho;
        self.factor = Cholesky::new(a);
        self.factor.is_some()
    }

    fn step(&self, v: &[Vec3]) -> Step {
        let n = v.len();
        let z: Vec<Vec3> = v.iter().zip(self.problem.cones()).map(|(v, cone)| cone.project(v)).collect();
        let mut right = Vec::with_capacity(3 * n);
        for i in 0..n {
            let xi = v[i] - z[i];
            let mut b = self.problem.q()[i];
            if let (Cone::Friction(mu), true) = (&self.problem.cones()[i], self.is_coulomb) {
                b.x += mu * self.rho * tangential(&xi);
            }
            right.extend_from_slice(((z[i] - xi) * self.rho - b).as_slice());
        }
        self.factor.as_ref().expect("a factor").solve(&mut right);
        let r: Vec<Vec3> = right.chunks_exact(3).map(Vec3::from_column_slice).collect();
        let next: Vec<Vec3> =
            (0..n).map(|i| r[i] * self.relaxation + z[i] * (1.0 - self.relaxation) + v[i] - z[i]).collect();
        let sum = |f: &dyn Fn(usize) -> f64| (0..n).map(f).sum::<f64>();
        let (z_sq, r_sq) = (sum(&|i| z[i].norm_squared()), sum(&|i| r[i].norm_squared()));
        let off = sum(&|i| (r[i] - z[i]).norm_squared());
        let xi_sq = sum(&|i| (v[i] - z[i]).norm_squared());
        let q_sq = sum(&|i| self.problem.q()[i].norm_squared()) / (self.rho * self.rho);
        // z of the next step against this one.
        let changed = sum(&|i| (self.problem.cones()[i].project(&next[i]) - z[i]).norm_squared());
        Step { primal: off / z_sq.max(r_sq), dual: changed / xi_sq.max(q_sq), z, next }
    }
}

/// Anderson's method: the next point is the combination of the last steps whose change is least.
struct Memory {
    most: usize,
    points: Vec<DVector<f64>>,
    changes: Vec<DVector<f64>>,
    last: Option<(DVector<f64>, DVector<f64>)>,
    /// The plain point and the change before the last accelerated one.
    plain: Option<(Vec<Vec3>, f64)>,
}

impl Memory {
    fn new(most: usize) -> Self {
        Self { most, points: Vec::new(), changes: Vec::new(), last: None, plain: None }
    }

    fn forget(&mut self) {
        self.points.clear();
        self.changes.clear();
        self.last = None;
        self.plain = None;
    }

    fn advance(&mut self, next: &[Vec3], change: &[Vec3]) -> Vec<Vec3> {
        if self.most == 0 {
            return next.to_vec();
        }
        let flat = |x: &[Vec3]| DVector::from_iterator(3 * x.len(), x.iter().flat_map(|x| x.iter().copied()));
        let g = flat(change);
        let size = g.norm();
        if let Some((plain, before)) = self.plain.take()
            && (size > GROWTH * before || !size.is_finite())
        {
            // The accelerated point was no good: go on from the plain one.
            self.forget();
            return plain;
        }
        let f = flat(next);
        if let Some((f_before, g_before)) = self.last.replace((f.clone(), g.clone())) {
            self.points.push(&f - f_before);
            self.changes.push(&g - g_before);
            if self.points.len() > self.most {
                self.points.remove(0);
                self.changes.remove(0);
            }
        }
        let m = self.changes.len();
        if m < 2 {
            return next.to_vec();
        }
        let mut gram = DMatrix::from_fn(m, m, |a, b| self.changes[a].dot(&self.changes[b]));
        let shift = 1e-10 * gram.trace();
        (0..m).for_each(|k| gram[(k, k)] += shift);
        let right = DVector::from_fn(m, |a, _| self.changes[a].dot(&g));
        let Some(gamma) = gram.cholesky().map(|c| c.solve(&right)) else {
            return next.to_vec();
        };
        let mut point = f;
        self.points.iter().zip(gamma.iter()).for_each(|(p, gamma)| point.axpy(-gamma, p, 1.0));
        self.plain = Some((next.to_vec(), size));
        point.as_slice().chunks_exact(3).map(Vec3::from_column_slice).collect()
    }
}

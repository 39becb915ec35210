//! Solvers of friction problems, one file each.

mod accelerated_gradient;
mod admm;
mod gauss_seidel;
mod interior_point;
mod lemke;
mod local;
mod newton;
mod projected_gauss_seidel;
mod regularised_newton;
mod relay;

pub use accelerated_gradient::AcceleratedGradient;
pub use admm::Admm;
pub use gauss_seidel::GaussSeidel;
pub use interior_point::InteriorPoint;
pub use lemke::Lemke;
pub use newton::Newton;
pub use projected_gauss_seidel::ProjectedGaussSeidel;
pub use regularised_newton::RegularisedNewton;
pub use relay::Relay;

use crate::{Cone, Law, Problem, Vec3};

/// When a solver ends.
#[derive(Debug, Clone, Copy)]
pub struct Goal {
    /// [Residual](Problem::residual_of) that solves the problem.
    pub tolerance: f64,
    /// Maximum number of iterations: sweeps, steps, or pivots, as the solver counts.
    pub iterations: u64,
    /// Maximum time (s). Results depend on it where it ends a solver: infinite by default.
    pub seconds: f64,
    /// Returns the time (s) since any start; it stands still by default, so that nothing depends on time.
    pub clock: fn() -> f64,
}

impl Default for Goal {
    fn default() -> Self {
        Self { tolerance: 1e-8, iterations: 10_000, seconds: f64::INFINITY, clock: || 0.0 }
    }
}

/// Work done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Iterations, as the solver counts.
    pub iterations: u64,
    /// Products of W, or of a matrix of its size, with a vector; a sweep is one.
    pub products: u64,
    /// Factorizations of a matrix of the size of W.
    pub factorizations: u64,
}

/// A point of a residual history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Work done so far.
    pub work: Work,
    /// Residual of the natural map.
    pub residual: f64,
}

/// How a solver ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The residual is within the tolerance.
    Solved,
    /// The iterations, or the time, were used up.
    Spent,
    /// The solver found no way on.
    Stalled,
    /// There are impulses r that no motion resists, ‖W r‖ = `resistance` · ‖r‖, and that the velocities q push on, q · r = `pull` · ‖r‖ < 0:
    /// impulses s solve the problem only if ‖s‖ ≥ −`pull`/`resistance`, since 0 ≤ u · r = (W s + q) · r, and that is 10⁸ times what q needs. Under the convex law they are any in K, of which u · r ≥ 0
    /// is asked; under Coulomb's and on pyramids they are normal at contacts, where u_N ≥ 0 is. Soft contacts always have a solution.
    NoSolution {
        /// ‖W r‖/‖r‖ (1/kg).
        resistance: f64,
        /// q · r/‖r‖ (m/s).
        pull: f64,
    },
}

/// What a solver found: its best impulses, also if the problem is not solved.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// r (N s).
    pub r: Vec<Vec3>,
    /// Residual of the natural map at `r`, under the law of the solver.
    pub residual: f64,
    /// How the solver ended.
    pub outcome: Outcome,
    /// Work done.
    pub work: Work,
    /// The residual along the way.
    pub history: Vec<Progress>,
}

/// A solver of friction problems.
///
/// A guest implements it for his own: [`Course`] keeps the history, the best impulses, and the end.
pub trait Solver: Sync {
    /// The name in tables.
    fn name(&self) -> &str;

    /// Whether it solves problems under this law.
    fn knows(&self, law: &Law) -> bool;

    /// Solves the problem from the impulses `start`, one per block.
    ///
    /// # Panics
    /// If `start` has another length than the problem, or the solver does not know the law.
    fn solve(&self, problem: &Problem, law: &Law, start: &[Vec3], goal: &Goal) -> Solution;
}

/// The solvers that come with the crate, with their defaults.
pub fn all() -> Vec<Box<dyn Solver>> {
    vec![
        Box::new(Relay::default()),
        Box::new(GaussSeidel::default()),
        Box::new(ProjectedGaussSeidel),
        Box::new(AcceleratedGradient),
        Box::new(Admm::default()),
        Box::new(Newton::default()),
        Box::new(RegularisedNewton),
        Box::new(InteriorPoint::default()),
        Box::new(Lemke),
    ]
}

/// The course of a solver on one problem: residuals, the best impulses so far, work.
#[derive(Debug)]
pub struct Course<'a> {
    problem: &'a Problem,
    law: &'a Law,
    goal: &'a Goal,
    best: Vec<Vec3>,
    least: f64,
    history: Vec<Progress>,
    begin: f64,
    /// Work done so far; the solver counts.
    pub work: Work,
}

impl<'a> Course<'a> {
    /// Begins at the impulses `start`.
    pub fn new(problem: &'a Problem, law: &'a Law, start: &[Vec3], goal: &'a Goal) -> Self {
        assert_eq!(start.len(), problem.len(), "impulses to start from");
        let mut course = Self {
            problem,
            law,
            goal,
            best: start.to_vec(),
            least: f64::INFINITY,
            history: Vec::new(),
            begin: (goal.clock)(),
            work: Work::default(),
        };
        course.look(start);
        course
    }

    /// Measures the impulses `r`. Returns whether they solve the problem.
    pub fn look(&mut self, r: &[Vec3]) -> bool {
        self.work.products += 1;
        let residual = self.problem.residual_of(self.law, r);
        self.history.push(Progress { work: self.work, residual });
        if residual < self.least {
            self.least = residual;
            self.best.copy_from_slice(r);
        }
        residual <= self.goal.tolerance
    }

    /// Adds what another solver did from the best impulses.
    pub fn add(&mut self, found: &Solution) {
        let before = self.work;
        self.history.extend(found.history.iter().map(|progress| {
            let mut work = before;
            work += progress.work;
            Progress { work, ..*progress }
        }));
        self.work += found.work;
        if found.residual < self.least {
            self.least = found.residual;
            self.best.copy_from_slice(&found.r);
        }
    }

    /// When the solver ends.
    pub fn goal(&self) -> &Goal {
        self.goal
    }

    /// Smallest residual so far.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// Whether the best impulses solve the problem.
    pub fn is_solved(&self) -> bool {
        self.least <= self.goal.tolerance
    }

    /// Whether the iterations or the time are used up.
    pub fn is_spent(&self) -> bool {
        self.work.iterations >= self.goal.iterations || self.left() <= 0.0
    }

    /// The time (s) that is left.
    pub fn left(&self) -> f64 {
        self.goal.seconds - ((self.goal.clock)() - self.begin)
    }

    /// The best impulses so far.
    pub fn best(&self) -> &[Vec3] {
        &self.best
    }

    /// Ends the course. `last` are the last impulses: where they grow without bound, the problem may have no solution.
    pub fn end(self, last: &[Vec3]) -> Solution {
        let outcome = if self.is_solved() {
            Outcome::Solved
        } else if let Some(none) = recession(self.problem, self.law, last) {
            none
        } else if self.is_spent() {
            Outcome::Spent
        } else {
            Outcome::Stalled
        };
        Solution { r: self.best, residual: self.least, outcome, work: self.work, history: self.history }
    }
}

/// Size of the impulses that would be needed, over that which changes velocities of the size of q, from which there are none.
const ENORMOUS: f64 = 1e8;

/// Returns the outcome of a problem without solution if `r` shows that.
fn recession(problem: &Problem, law: &Law, r: &[Vec3]) -> Option<Outcome> {
    let direction = |(cone, r): (&Cone, &Vec3)| match (cone, law) {
        (Cone::Friction(_), Law::Coulomb | Law::Pyramid { .. }) => Vec3::new(r.x.max(0.0), 0.0, 0.0),
        (_, Law::Coulomb | Law::Pyramid { .. } | Law::Convex | Law::Regularised { .. }) => cone.project(r),
    };
    if matches!(law, Law::Regularised { .. }) {
        return None;
    }
    let inside: Vec<Vec3> = problem.cones().iter().zip(r).map(direction).collect();
    let norm = |x: &[Vec3]| x.iter().map(Vec3::norm_squared).sum::<f64>().sqrt();
    let size = norm(&inside);
    if !(size > 0.0 && size.is_finite()) {
        return None;
    }
    let none = vec![Vec3::zeros(); r.len()];
    let resistance = norm(&problem.delassus().affine(&inside, &none)) / size;
    let pull = inside.iter().zip(problem.q()).map(|(r, q)| r.dot(q)).sum::<f64>() / size;
    // 0 ≤ u · r = (W s + q) · r for a solution s, so that ‖s‖ ≥ −pull/resistance.
    let enormous = ENORMOUS * problem.q_norm() / problem.delassus().scale();
    (-pull >= enormous * resistance && pull < 0.0).then_some(Outcome::NoSolution { resistance, pull })
}

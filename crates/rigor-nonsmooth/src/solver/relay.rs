//! Solvers one after another.

use super::{
    AcceleratedGradient, Admm, Course, GaussSeidel, Goal, InteriorPoint, Newton, Outcome, Solution, Solver,
    Work,
};
use crate::{Law, Problem, Vec3};

/// Solvers one after another, each from the best impulses so far, until one ends: the default under Coulomb's law and the convex one.
///
/// Twenty sweeps solve what is easy; interior points solve most of the rest in 10 to 30 factorizations. Where rounding or a contact at the edge of its cone stops them, splitting
/// with Anderson's method comes near, and Newton's method ends. Sweeps and gradients go on where both fail. An iteration is one of the solver
/// at work.
pub struct Relay {
    /// The solvers, and how many iterations each may make in its turn.
    pub stages: Vec<(Box<dyn Solver>, u64)>,
}

impl Default for Relay {
    fn default() -> Self {
        Self {
            stages: vec![
                (Box::new(GaussSeidel::default()), 20),
                (Box::new(InteriorPoint::default()), 150),
                (Box::new(Admm::default()), 1500),
                (Box::new(Newton { sweeps: 0, ..Newton::default() }), 60),
                (Box::new(AcceleratedGradient), 5000),
                (Box::new(Newton { sweeps: 0, ..Newton::default() }), 60),
                (Box::new(GaussSeidel::default()), 5000),
            ],
        }
    }
}

impl Solver for Relay {
    fn name(&self) -> &'static str {
        "relay"
    }

    fn knows(&self, law: &Law) -> bool {
        self.stages.iter().any(|(solver, _)| solver.knows(law))
    }

    fn solve(&self, problem: &Problem, law: &Law, start: &[Vec3], goal: &Goal) -> Solution {
        let mut course = Course::new(problem, law, start, goal);
        let mut none = None;
        'turns: while !course.is_solved() && !course.is_spent() && none.is_none() {
            let before = course.work.iterations;
            for (solver, most) in self.stages.iter().filter(|(solver, _)| solver.knows(law)) {
                let left = goal.iterations - course.work.iterations;
                let turn = Goal { iterations: left.min(*most), seconds: course.left(), ..*goal };
                let found = solver.solve(problem, law, course.best(), &turn);
                course.add(&found);
                if matches!(found.outcome, Outcome::NoSolution { .. }) {
                    none = Some(found.outcome);
                    break 'turns;
                }
                if course.is_solved() || course.is_spent() {
                    break 'turns;
                }
            }
            if course.work.iterations == before {
                break;
            }
        }
        let best = course.best().to_vec();
        let found = course.end(&best);
        Solution { outcome: none.unwrap_or(found.outcome), ..found }
    }
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.stages.iter().map(|(solver, most)| (solver.name(), most))).finish()
    }
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.products += other.products;
        self.factorizations += other.factorizations;
    }
}

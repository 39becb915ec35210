//! Nonsmooth Gauss–Seidel: one contact after another, each solved exactly.

use rigor_math::fused;

use super::local::Contact;
use super::{Course, Goal, Solution, Solver};
use crate::{Cone, Law, Mat3, Problem, Vec3};

/// Nonsmooth Gauss–Seidel \[Jean1999\], \[Acary2018\]: for each block, r_i solves u_i = W_ii r_i + (q_i + Σ_{j≠i} W_ij r_j) under
/// Coulomb's law, with the latest r_j. An iteration is a sweep.
#[derive(Debug, Clone, Copy, Default)]
pub struct GaussSeidel {
    /// Whether sweeps alternate between both orders.
    pub symmetric: bool,
}

impl Solver for GaussSeidel {
    fn name(&self) -> &str {
        if self.symmetric { "gauss-seidel-symmetric" } else { "gauss-seidel" }
    }

    fn knows(&self, law: &Law) -> bool {
        matches!(law, Law::Coulomb)
    }

    fn solve(&self, problem: &Problem, law: &Law, start: &[Vec3], goal: &Goal) -> Solution {
        let mut course = Course::new(problem, law, start, goal);
        let mut r = start.to_vec();
        let blocks = Blocks::new(problem);
        let mut next_look = 1;
        while !course.is_solved() && !course.is_spent() {
            let backwards = self.symmetric && course.work.iterations % 2 == 1;
            blocks.sweep(problem, &mut r, backwards);
            course.work.iterations += 1;
            course.work.products += 1;
            if course.work.iterations >= next_look || course.is_spent() {
                course.look(&r);
                // Measuring costs as much as a sweep.
                next_look = course.work.iterations + (course.work.iterations / 10).max(1);
            }
        }
        course.end(&r)
    }
}

/// What sweeps keep of the diagonal blocks.
pub(super) struct Blocks {
    blocks: Vec<Block>,
}

enum Block {
    Contact(Contact),
    /// The inverse, or the pseudo-inverse of a singular block.
    Whole(Mat3),
}

impl Blocks {
    pub fn new(problem: &Problem) -> Self {
        let block = |(i, cone): (usize, &Cone)| {
            let w = problem.delassus().diagonal(i);
            match cone {
                Cone::Friction(mu) => Block::Contact(Contact::new(w, *mu)),
                Cone::Whole => {
                    Block::Whole(w.pseudo_inverse(1e-12 * w.norm()).unwrap_or_else(|_| Mat3::zeros()))
                }
            }
        };
        Self { blocks: problem.cones().iter().enumerate().map(block).collect() }
    }

    /// One sweep.
    pub fn sweep(&self, problem: &Problem, r: &mut [Vec3], backwards: bool) {
        let n = r.len();
        for k in 0..n {
            let i = if backwards { n - 1 - k } else { k };
            let u = problem.q()[i] + problem.delassus().row_product(i, r);
            r[i] = match &self.blocks[i] {
                Block::Contact(contact) => {
                    contact.solve(&fused::mul_add(problem.delassus().diagonal(i), &-r[i], &u), &r[i])
                }
                Block::Whole(inverse) => r[i] - inverse * u,
            };
        }
    }
}

//! Projected Gauss–Seidel on pyramids.

use super::{Course, Goal, Solution, Solver};
use crate::law::to_polygon;
use crate::{Cone, Law, Problem, Vec3};

/// Projected Gauss–Seidel, as engines do: for each contact, row by row of the normal and then of the polygon, a step of the
/// diagonal and a projection, r_N ← max(0, r_N − u_N/W_NN), r_T ← P(r_T − u_T/w) with the polygon of radius μ r_N and w the larger of the
/// tangential diagonal. An iteration is a sweep. Source: \[Catto2005\] for boxes; polygons are ours.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProjectedGaussSeidel;

impl Solver for ProjectedGaussSeidel {
    fn name(&self) -> &'static str {
        "projected-gauss-seidel"
    }

    fn knows(&self, law: &Law) -> bool {
        matches!(law, Law::Pyramid { .. })
    }

    fn solve(&self, problem: &Problem, law: &Law, start: &[Vec3], goal: &Goal) -> Solution {
        let &Law::Pyramid { faces } = law else { panic!("projected Gauss–Seidel knows pyramids only") };
        let mut course = Course::new(problem, law, start, goal);
        let mut r = start.to_vec();
        let mut next_look = 1;
        while !course.is_solved() && !course.is_spent() {
            for i in 0..r.len() {
                r[i] = step(problem, faces, &mut r, i);
            }
            course.work.iterations += 1;
            course.work.products += 1;
            if course.work.iterations >= next_look || course.is_spent() {
                course.look(&r);
                next_look = course.work.iterations + (course.work.iterations / 10).max(1);
            }
        }
        course.end(&r)
    }
}

fn step(problem: &Problem, faces: u32, r: &mut [Vec3], i: usize) -> Vec3 {
    let w = problem.delassus().diagonal(i);
    let mut u = problem.q()[i] + problem.delassus().row_product(i, r);
    let mut x = r[i];
    let Cone::Friction(mu) = problem.cones()[i] else {
        for k in 0..3 {
            if w[(k, k)] > 0.0 {
                let change = -u[k] / w[(k, k)];
                x[k] += change;
                u += w.column(k) * change;
            }
        }
        return x;
    };
    if w[(0, 0)] > 0.0 {
        let normal = (x.x - u.x / w[(0, 0)]).max(0.0);
        u += w.column(0) * (normal - x.x);
        x.x = normal;
    }
    // A step that no tangential velocity overshoots: the largest eigenvalue of the tangential block is at most its trace.
    let half = 0.5 * (w[(1, 1)] - w[(2, 2)]);
    let largest = 0.5 * (w[(1, 1)] + w[(2, 2)]) + (half * half + w[(1, 2)] * w[(1, 2)]).sqrt();
    if largest > 0.0 {
        [x.y, x.z] = to_polygon(faces, mu * x.x, [x.y - u.y / largest, x.z - u.z / largest]);
    }
    x
}

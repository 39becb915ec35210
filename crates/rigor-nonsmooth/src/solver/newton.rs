//! Semismooth Newton on the function of Alart and Curnier, with proximal steps.

use faer::Mat;
use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};
use nalgebra::Matrix3;

use super::gauss_seidel::Blocks;
use super::{Course, Goal, Solution, Solver};
use crate::cone::tangential;
use crate::dense::Lu;
use crate::{Cone, Delassus, Law, Mat3, Problem, Vec3};

/// Semismooth Newton on the function of Alart and Curnier \[Alart1991\], with line search, inside of proximal steps.
///
/// With y = r − ρ u, per contact: F_N = r_N − max(0, y_N) and F_T = r_T − P(y_T) with the disc of radius μ max(0, y_N). A proximal step
/// solves the problem of W + α and q − α r̂ from its last solution r̂, which is regular where W is not \[Acary2018\]; α falls while
/// steps succeed. Sweeps of Gauss–Seidel come first. An iteration is a step of Newton's method, with a factorization of the blocks that push.
#[derive(Debug, Clone, Copy)]
pub struct Newton {
    /// Sweeps of Gauss–Seidel before.
    pub sweeps: u32,
    /// First α, over the mean of the diagonal of W.
    pub alpha: f64,
}

impl Default for Newton {
    fn default() -> Self {
        Self { sweeps: 20, alpha: 1e-3 }
    }
}

/// Maximum number of Newton steps in a proximal step.
const STEPS: u32 = 40;

/// Maximum number of halvings in a line search.
const HALVINGS: u32 = 8;

/// Smallest α over the mean of the diagonal of W.
const LEAST: f64 = 1e-9;

/// Largest α over the mean of the diagonal of W.
const MOST: f64 = 1e2;

/// Residual at which a proximal step ends, over that at its begin.
const INNER: f64 = 0.01;

/// Steps of Newton's method in a proximal step from which α stays.
const QUICK: u64 = 8;

/// Number of block rows from which a matrix may be factorized without its zeros, and how many blocks there must be for each one that is not 0.
const SPARSE_ROWS: usize = 24;
const SPARSE_SHARE: usize = 4;

/// Factors of α after a proximal step that succeeds quickly, and after one that fails.
const FALL: f64 = 0.2;
const GROW: f64 = 10.0;

impl Solver for Newton {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn knows(&self, law: &Law) -> bool {
        matches!(law, Law::Coulomb)
    }

    fn solve(&self, problem: &Problem, law: &Law, start: &[Vec3], goal: &Goal) -> Solution {
        let mut course = Course::new(problem, law, start, goal);
        if !problem.delassus().is_small() {
            return course.end(start);
        }
        let mut r = start.to_vec();
        let blocks = Blocks::new(problem);
        for _ in 0..self.sweeps {
            if course.is_solved() || course.is_spent() {
                break;
            }
            blocks.sweep(problem, &mut r, false);
            course.work.products += 1;
        }
        if !course.is_solved() {
            course.look(&r);
        }
        let r = self.go_on(problem, &r, &mut course);
        course.end(&r)
    }
}

impl Newton {
    /// Proximal steps from the impulses `start`. Returns the last impulses.
    pub(super) fn go_on(&self, problem: &Problem, start: &[Vec3], course: &mut Course<'_>) -> Vec<Vec3> {
        let mut r = start.to_vec();
        let scale = problem.delassus().scale();
        let mut alpha = self.alpha * scale;
        while !course.is_solved() && !course.is_spent() {
            let shift = Mat3::identity() * alpha;
            let w = problem.delassus().map(|i, j, block| if i == j { block + shift } else { *block });
            let q = problem.q().iter().zip(&r).map(|(q, r)| q - r * alpha).collect();
            let near = Near { w: &w, q, cones: problem.cones(), rho: rates(&w) };
            let tolerance = (INNER * problem.residual(&r)).max(1e-2 * course.goal().tolerance);
            let before = course.work.iterations;
            let (next, has_converged) = near.solve(&r, course, tolerance);
            course.look(&next);
            if next == r && alpha <= LEAST * scale {
                break;
            }
            let steps = course.work.iterations - before;
            course.work.iterations += 1;
            if has_converged {
                r = next;
                alpha = if steps <= QUICK { (FALL * alpha).max(LEAST * scale) } else { alpha };
            } else {
                alpha = (GROW * alpha).min(MOST * scale);
            }
        }
        r
    }
}

/// ρ of each contact: 1 over the largest eigenvalue of its block.
fn rates(w: &Delassus) -> Vec<f64> {
    let rate = |i: usize| {
        let largest = w.diagonal(i).symmetric_eigenvalues().max();
        if largest > 0.0 { 1.0 / largest } else { 1.0 }
    };
    (0..w.len()).map(rate).collect()
}

/// The problem of a proximal step.
struct Near<'a> {
    w: &'a Delassus,
    q: Vec<Vec3>,
    cones: &'a [Cone],
    rho: Vec<f64>,
}

/// F of one block, and dF = A dr + B du.
struct Piece {
    value: Vec3,
    by_r: Mat3,
    by_u: Mat3,
    /// Whether the contact is open, so that dF = dr.
    is_open: bool,
}

impl Near<'_> {
    /// Steps from `r` until F is within the tolerance. Returns the impulses and whether they are.
    fn solve(&self, start: &[Vec3], course: &mut Course<'_>, tolerance: f64) -> (Vec<Vec3>, bool) {
        let mut r = start.to_vec();
        let mut pieces = self.pieces(&r);
        let mut size = norm(&pieces);
        let q_norm = self.q.iter().map(Vec3::norm_squared).sum::<f64>().sqrt();
        let small =
            |size: f64| size <= tolerance * (1.0 + q_norm) * self.rho.iter().copied().fold(1.0, f64::min);
        for _ in 0..STEPS {
            if small(size) {
                return (r, true);
            }
            if course.is_spent() {
                break;
            }
            course.work.iterations += 1;
            course.work.factorizations += 1;
            let Some(step) = self.step(&r, &pieces) else { return (r, false) };
            let mut part = 1.0;
            let (mut best, mut best_size, mut best_pieces) = (None, f64::INFINITY, None);
            for _ in 0..=HALVINGS {
                let next: Vec<Vec3> = r.iter().zip(&step).map(|(r, step)| r + step * part).collect();
                let next_pieces = self.pieces(&next);
                course.work.products += 1;
                let next_size = norm(&next_pieces);
                if next_size < best_size {
                    (best, best_size, best_pieces) = (Some(next), next_size, Some(next_pieces));
                }
                if next_size <= (1.0 - 1e-4 * part) * size {
                    break;
                }
                part *= 0.5;
            }
            let (Some(next), Some(next_pieces)) = (best, best_pieces) else { return (r, false) };
            if best_size > 2.0 * size {
                return (r, false);
            }
            (r, pieces, size) = (next, next_pieces, best_size);
        }
        let is_small = small(size);
        (r, is_small)
    }

    fn pieces(&self, r: &[Vec3]) -> Vec<Piece> {
        let u = self.w.affine(r, &self.q);
        (0..r.len()).map(|i| piece(&self.cones[i], self.rho[i], &r[i], &u[i])).collect()
    }

    /// The Newton step.
    fn step(&self, r: &[Vec3], pieces: &[Piece]) -> Option<Vec<Vec3>> {
        let closed: Vec<usize> = (0..r.len()).filter(|&i| !pieces[i].is_open).collect();
        let mut place = vec![usize::MAX; r.len()];
        closed.iter().enumerate().for_each(|(k, &i)| place[i] = k);
        let mut step: Vec<Vec3> = pieces.iter().map(|piece| -piece.value).collect();
        let mut a = Square::new(closed.len(), closed.iter().map(|&i| self.w.row(i).count()).sum());
        let mut b = vec![0.0; 3 * closed.len()];
        for (k, &i) in closed.iter().enumerate() {
            let piece = &pieces[i];
            let mut right = -piece.value;
            for (j, block) in self.w.row(i) {
                let mut entry = piece.by_u * block;
                if pieces[j].is_open {
                    right -= entry * step[j];
                    continue;
                }
                if i == j {
                    entry += piece.by_r;
                }
                a.put(k, place[j], &entry);
            }
            (0..3).for_each(|x| b[3 * k + x] = right[x]);
        }
        if !closed.is_empty() {
            a.solve(&mut b)?;
        }
        for (k, &i) in closed.iter().enumerate() {
            step[i] = Vec3::new(b[3 * k], b[3 * k + 1], b[3 * k + 2]);
        }
        step.iter().all(|x| x.iter().all(|x| x.is_finite())).then_some(step)
    }
}

/// The matrix of a Newton step, with its zeros or without them.
enum Square {
    Dense(Mat<f64>),
    Sparse(usize, Vec<Triplet<usize, usize, f64>>),
}

impl Square {
    /// The matrix of so many block rows with so many blocks.
    fn new(rows: usize, blocks: usize) -> Self {
        if rows >= SPARSE_ROWS && blocks * SPARSE_SHARE <= rows * rows {
            Self::Sparse(3 * rows, Vec::with_capacity(9 * blocks))
        } else {
            Self::Dense(Mat::zeros(3 * rows, 3 * rows))
        }
    }

    fn put(&mut self, i: usize, j: usize, block: &Mat3) {
        for (x, y) in (0..3).flat_map(|x| (0..3).map(move |y| (x, y))) {
            match self {
                Self::Dense(a) => a[(3 * i + x, 3 * j + y)] = block[(x, y)],
                Self::Sparse(_, entries) => {
                    entries.push(Triplet::new(3 * i + x, 3 * j + y, block[(x, y)]));
                }
            }
        }
    }

    /// Replaces b by A⁻¹ b; `None` if A is singular.
    fn solve(self, b: &mut [f64]) -> Option<()> {
        match self {
            Self::Dense(a) => Lu::new(a)?.solve(b),
            Self::Sparse(n, entries) => {
                let a = SparseColMat::try_new_from_triplets(n, n, &entries).ok()?;
                let x = a.sp_lu().ok()?.solve(&Mat::from_fn(n, 1, |i, _| b[i]));
                (0..n).for_each(|i| b[i] = x[(i, 0)]);
            }
        }
        Some(())
    }
}

fn piece(cone: &Cone, rho: f64, r: &Vec3, u: &Vec3) -> Piece {
    let whole = Piece { value: u * rho, by_r: Mat3::zeros(), by_u: Mat3::identity() * rho, is_open: false };
    let &Cone::Friction(mu) = cone else { return whole };
    let y = r - u * rho;
    if y.x <= 0.0 {
        return Piece { value: *r, by_r: Mat3::identity(), by_u: Mat3::zeros(), is_open: true };
    }
    let across = tangential(&y);
    if across <= mu * y.x {
        return whole;
    }
    let n = [y.y / across, y.z / across];
    let bound = mu * y.x;
    // P(y_T) = μ y_N n; dP = G dy with dy = dr − ρ du.
    let mut g = Matrix3::zeros();
    for a in 0..2 {
        g[(a + 1, 0)] = mu * n[a];
        for b in 0..2 {
            let eye = if a == b { 1.0 } else { 0.0 };
            g[(a + 1, b + 1)] = bound / across * (eye - n[a] * n[b]);
        }
    }
    g[(0, 0)] = 1.0;
    let value = Vec3::new(u.x * rho, r.y - bound * n[0], r.z - bound * n[1]);
    Piece { value, by_r: Mat3::identity() - g, by_u: g * rho, is_open: false }
}

fn norm(pieces: &[Piece]) -> f64 {
    let sum: f64 = pieces.iter().map(|piece| piece.value.norm_squared()).sum();
    if sum.is_nan() { f64::INFINITY } else { sum.sqrt() }
}

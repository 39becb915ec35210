//! Lemke's algorithm on pyramids.

use std::cmp::Ordering;

use faer::Mat;
use rigor_math::elementary;

use super::{Course, Goal, Solution, Solver};
use crate::cholesky::Cholesky;
use crate::dense::Lu;
use crate::{Law, Problem, Vec3};

/// Lemke's algorithm on the linear complementarity problem of \[Stewart1996\], with lexicographic pivots: per contact r_N, the parts β_k of r_T
/// along the corners d_k of the polygon, and λ, with 0 ≤ r_N ⟂ u_N ≥ 0, 0 ≤ β_k ⟂ d_k · u_T + λ ≥ 0, 0 ≤ λ ⟂ μ r_N − Σ β_k ≥ 0.
///
/// For small problems: a dense table of (faces + 2)² numbers per pair of contacts. An iteration is a pivot.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lemke;

/// Pivot over the largest number of its column below which it is rounding.
const ROUNDING: f64 = 1e-11;

/// Relative difference of ratios that are taken as equal.
const NEAR: f64 = 1e-10;

/// Number of unknowns up to which there is a table: 130 MB.
const LARGEST: usize = 2000;

/// Pivots after which the table is computed from the basis.
const ANEW: u64 = 20;

impl Solver for Lemke {
    fn name(&self) -> &'static str {
        "lemke"
    }

    fn knows(&self, law: &Law) -> bool {
        matches!(law, Law::Pyramid { .. })
    }

    fn solve(&self, problem: &Problem, law: &Law, start: &[Vec3], goal: &Goal) -> Solution {
        let &Law::Pyramid { faces } = law else { panic!("Lemke's algorithm knows pyramids only") };
        let mut course = Course::new(problem, law, start, goal);
        if problem.len() * (faces as usize + 2) > LARGEST {
            return course.end(start);
        }
        let Some(linear) = Linear::new(problem, faces) else { return course.end(start) };
        course.work.factorizations += 1;
        let mut table = Table::new(&linear.m, &linear.q);
        let mut has_ended = table.is_solved();
        if !has_ended {
            table.begin();
            course.work.iterations += 1;
        }
        while !has_ended && !course.is_spent() {
            if course.work.iterations.is_multiple_of(ANEW) {
                table.refresh();
                course.work.factorizations += 1;
            }
            let Some(is_last) = table.pivot() else { break };
            has_ended = is_last;
            course.work.iterations += 1;
        }
        table.refresh();
        let r = linear.impulses(problem, &table.values());
        course.look(&r);
        course.end(&r)
    }
}

/// The linear complementarity problem w = M z + q, without the rows that hold both ways.
struct Linear {
    m: Mat<f64>,
    q: Vec<f64>,
    /// Directions (cos, sin) of the corners.
    corners: Vec<(f64, f64)>,
    contacts: Vec<usize>,
    whole: Vec<usize>,
    /// W of the rows that hold both ways.
    joints: Option<Cholesky>,
}

impl Linear {
    fn new(problem: &Problem, faces: u32) -> Option<Self> {
        let is_contact = |i: &usize| problem.cones()[*i].is_contact();
        let contacts: Vec<usize> = (0..problem.len()).filter(is_contact).collect();
        let whole: Vec<usize> = (0..problem.len()).filter(|i| !is_contact(i)).collect();
        let turn = std::f64::consts::TAU / f64::from(faces);
        let corners: Vec<(f64, f64)> = (0..faces)
            .map(|k| {
                let (sin, cos) = elementary::sin_cos(turn * f64::from(k));
                (cos, sin)
            })
            .collect();
        let dense = problem.delassus().dense();
        let joints = if whole.is_empty() {
            None
        } else {
            let shift = 1e-12 * problem.delassus().scale();
            let rows: Vec<usize> = whole.iter().flat_map(|i| (0..3).map(move |a| 3 * i + a)).collect();
            let block = Mat::from_fn(rows.len(), rows.len(), |a, b| {
                dense[(rows[a], rows[b])] + if a == b { shift } else { 0.0 }
            });
            Some(Cholesky::new(block)?)
        };
        let mut linear = Self { m: Mat::zeros(0, 0), q: Vec::new(), corners, contacts, whole, joints };
        // A column of M is the velocity that its unit impulse makes, with the joints held.
        let size = faces as usize + 2;
        let n = size * linear.contacts.len();
        let mut m = Mat::zeros(n, n);
        let none = vec![Vec3::zeros(); problem.len()];
        for column in 0..n {
            let mut z = vec![0.0; n];
            z[column] = 1.0;
            let r = linear.pushes(&z, problem.len());
            let u = linear.held(problem, &r, &none);
            for (k, &i) in linear.contacts.iter().enumerate() {
                let mu = problem.cones()[i].friction();
                let of = |at: usize| z[size * k + at];
                m[(size * k, column)] = u[i].x;
                for (c, (cos, sin)) in linear.corners.iter().enumerate() {
                    m[(size * k + 1 + c, column)] = cos * u[i].y + sin * u[i].z + of(size - 1);
                }
                let beta: f64 = (1..size - 1).map(of).sum();
                m[(size * k + size - 1, column)] = mu * of(0) - beta;
            }
        }
        let u = linear.held(problem, &none, problem.q());
        let mut q = Vec::with_capacity(n);
        for &i in &linear.contacts {
            q.push(u[i].x);
            q.extend(linear.corners.iter().map(|(cos, sin)| cos * u[i].y + sin * u[i].z));
            q.push(0.0);
        }
        (linear.m, linear.q) = (m, q);
        Some(linear)
    }

    /// The impulses of the contacts at z.
    fn pushes(&self, z: &[f64], n_blocks: usize) -> Vec<Vec3> {
        let size = self.corners.len() + 2;
        let mut r = vec![Vec3::zeros(); n_blocks];
        for (k, &i) in self.contacts.iter().enumerate() {
            r[i].x = z[size * k];
            for (c, (cos, sin)) in self.corners.iter().enumerate() {
                r[i] += Vec3::new(0.0, *cos, *sin) * z[size * k + 1 + c];
            }
        }
        r
    }

    /// W r + b with the joints' impulses that hold their rows.
    fn held(&self, problem: &Problem, r: &[Vec3], b: &[Vec3]) -> Vec<Vec3> {
        let u = problem.delassus().affine(r, b);
        self.joint_impulses(problem, r, b).map_or(u, |r| problem.delassus().affine(&r, b))
    }

    /// `r` with the impulses of the joints under which their rows of W r + b are 0.
    fn joint_impulses(&self, problem: &Problem, r: &[Vec3], b: &[Vec3]) -> Option<Vec<Vec3>> {
        let joints = self.joints.as_ref()?;
        let mut r = r.to_vec();
        self.whole.iter().for_each(|&i| r[i] = Vec3::zeros());
        let u = problem.delassus().affine(&r, b);
        let mut right: Vec<f64> = self.whole.iter().flat_map(|&i| <[f64; 3]>::from(-u[i])).collect();
        joints.solve(&mut right);
        for (k, &i) in self.whole.iter().enumerate() {
            r[i] = Vec3::from_column_slice(&right[3 * k..3 * k + 3]);
        }
        Some(r)
    }

    fn impulses(&self, problem: &Problem, z: &[f64]) -> Vec<Vec3> {
        let r = self.pushes(z, problem.len());
        self.joint_impulses(problem, &r, problem.q()).unwrap_or(r)
    }
}

/// The table of Lemke's algorithm: rows are basic variables, columns w, z, the artificial variable, and values.
struct Table {
    n: usize,
    rows: Vec<Vec<f64>>,
    basis: Vec<usize>,
    entering: usize,
    /// Largest number of each column at the start.
    sizes: Vec<f64>,
    /// Size up to which a number is rounding.
    zero: f64,
    /// The columns at the start.
    columns: Vec<Vec<f64>>,
}

impl Table {
    fn new(m: &Mat<f64>, q: &[f64]) -> Self {
        let n = q.len();
        let row = |i: usize| {
            let mut row = vec![0.0; 2 * n + 2];
            row[i] = 1.0;
            (0..n).for_each(|j| row[n + j] = -m[(i, j)]);
            row[2 * n] = -1.0;
            row[2 * n + 1] = q[i];
            row
        };
        let rows: Vec<Vec<f64>> = (0..n).map(row).collect();
        let size = |j: usize| rows.iter().map(|row| row[j].abs()).fold(0.0, f64::max);
        let columns = (0..2 * n + 2).map(|j| rows.iter().map(|row| row[j]).collect()).collect();
        let zero = ROUNDING * q.iter().fold(0.0f64, |most, q| most.max(q.abs()));
        Self {
            n,
            columns,
            zero,
            sizes: (0..2 * n + 1).map(size).collect(),
            rows,
            basis: (0..n).collect(),
            entering: 2 * n,
        }
    }

    /// Computes the table from the basis, without the rounding of the pivots.
    fn refresh(&mut self) {
        let n = self.n;
        let basis = Mat::from_fn(n, n, |i, j| self.columns[self.basis[j]][i]);
        let Some(factors) = Lu::new(basis) else { return };
        for (j, column) in self.columns.iter().enumerate() {
            let mut column = column.clone();
            factors.solve(&mut column);
            column.iter().enumerate().for_each(|(i, x)| self.rows[i][j] = *x);
        }
        for (i, &basic) in self.basis.iter().enumerate() {
            for (k, row) in self.rows.iter_mut().enumerate() {
                row[basic] = if i == k { 1.0 } else { 0.0 };
            }
        }
    }

    fn is_solved(&self) -> bool {
        self.rows.iter().all(|row| row[2 * self.n + 1] >= 0.0)
    }

    /// Brings the artificial variable in, in the row of the least value.
    fn begin(&mut self) {
        let value = |i: &usize| self.rows[*i][2 * self.n + 1];
        let least = (0..self.n).min_by(|i, j| value(i).total_cmp(&value(j))).expect("a row");
        self.exchange(least);
    }

    /// One pivot. Returns whether the artificial variable left, and `None` if no row blocks: then Lemke's algorithm ends on a ray.
    fn pivot(&mut self) -> Option<bool> {
        let (n, column) = (self.n, self.entering);
        let largest = self.rows.iter().map(|row| row[column].abs()).fold(0.0, f64::max);
        let small = ROUNDING * largest.max(self.sizes[column]);
        // The lexicographic ratio test; the artificial variable leaves where it can.
        let order = |i: usize, j: usize| {
            let (p, q) = (&self.rows[i], &self.rows[j]);
            let (a, b) = (p[column], q[column]);
            let snapped = |x: f64| if x.abs() <= self.zero { 0.0 } else { x };
            let ratio = |k: usize| {
                let (x, y) = (snapped(p[k]) / a, snapped(q[k]) / b);
                if (x - y).abs() <= NEAR * (x.abs() + y.abs()) { Ordering::Equal } else { x.total_cmp(&y) }
            };
            let is_artificial = |i: usize| self.basis[i] == 2 * n;
            ratio(2 * n + 1)
                .then(is_artificial(j).cmp(&is_artificial(i)))
                .then_with(|| (0..n).map(ratio).find(|order| order.is_ne()).unwrap_or(Ordering::Equal))
        };
        let row = (0..n).filter(|&i| self.rows[i][column] > small).min_by(|&i, &j| order(i, j))?;
        Some(self.exchange(row))
    }

    /// Brings the entering variable in, in this row. Returns whether the artificial variable left.
    fn exchange(&mut self, row: usize) -> bool {
        let (n, column) = (self.n, self.entering);
        let pivot = self.rows[row][column];
        self.rows[row].iter_mut().for_each(|x| *x /= pivot);
        let (before, rest) = self.rows.split_at_mut(row);
        let (chosen, after) = rest.split_first_mut().expect("the row");
        for other in before.iter_mut().chain(after) {
            let part = other[column];
            if part != 0.0 {
                other.iter_mut().zip(chosen.iter()).for_each(|(x, y)| *x -= part * y);
                other[column] = 0.0;
            }
        }
        let leaving = std::mem::replace(&mut self.basis[row], column);
        self.entering = if leaving < n { leaving + n } else { leaving - n };
        leaving == 2 * n
    }

    /// z.
    fn values(&self) -> Vec<f64> {
        let mut z = vec![0.0; self.n];
        for (row, &basic) in self.rows.iter().zip(&self.basis) {
            if (self.n..2 * self.n).contains(&basic) {
                z[basic - self.n] = row[2 * self.n + 1].max(0.0);
            }
        }
        z
    }
}

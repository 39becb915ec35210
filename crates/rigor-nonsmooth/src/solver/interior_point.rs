//! A primal–dual interior point method for cones.

use faer::Mat;

use super::{Course, Goal, Newton, Solution, Solver};
use crate::cholesky::Cholesky;
use crate::cone::tangential;
use crate::dense::Lu;
use crate::{Cone, Delassus, Law, Mat3, Problem, Vec3};

/// A primal–dual interior point method with Nesterov–Todd scaling and Mehrotra's predictor \[Vandenberghe2010\].
///
/// In x = (μ r_N, r_T) and z = (u_N/μ, u_T) the cones of r and u are the same, ‖x_T‖ ≤ x_N: z = W̃ x + q̃ + s e_N, x · z = 0. Under the
/// convex law s = 0. Under Coulomb's law s = ‖u_T‖, as in \[Acary2023\], and steps know how it changes: their matrix (1 + e_N ds/du) W̃ + V² is then
/// not symmetric. Rounding ends the steps at residuals of 1e-7 to 1e-10; there [`Newton`]'s goes on. An iteration is a factorization.
#[derive(Debug, Clone, Copy)]
pub struct InteriorPoint {
    /// Part of the way to the boundary that a step goes, at most.
    pub part: f64,
    /// Whether Newton's method goes on where a step fails, under Coulomb's law.
    pub newton: bool,
}

impl Default for InteriorPoint {
    fn default() -> Self {
        Self { part: 0.995, newton: true }
    }
}

/// Shift of W̃ over the mean of its diagonal: rows that hold both ways may depend on each other.
const SHIFT: f64 = 1e-13;

/// Smallest complementarity that a step aims at, over the largest error of z = W̃ x + q̃ + s e_N: a point that comes near to the boundary
/// before it is feasible gets stuck there.
const BALANCE: f64 = 0.01;

/// Part of a step below which the next one aims inwards, at so many times the complementarity.
const SHORT: f64 = 0.1;
const RISE: f64 = 3.0;

/// Part of a step below which it is not taken: the point is moved inwards instead, at most so many times.
const BLOCKED: f64 = 1e-2;
const LIFTS: u32 = 30;

/// First α of Newton's method after the steps.
const ALPHA: f64 = 1e-6;

/// Steps in which the residual must halve; if not, Newton's method goes on.
const PATIENCE: u64 = 15;

impl Solver for InteriorPoint {
    fn name(&self) -> &str {
        if self.newton { "interior-point" } else { "interior-point-alone" }
    }

    fn knows(&self, law: &Law) -> bool {
        match law {
            Law::Coulomb | Law::Convex | Law::Regularised { .. } => true,
            Law::Pyramid { .. } => false,
        }
    }

    fn solve(&self, problem: &Problem, law: &Law, start: &[Vec3], goal: &Goal) -> Solution {
        let mut course = Course::new(problem, law, start, goal);
        if course.is_solved() || !problem.delassus().is_small() {
            return course.end(start);
        }
        let softened = problem.softened(law);
        let scaled = Scaled::new(&softened, matches!(law, Law::Coulomb));
        let mut at = scaled.start();
        let mut r = start.to_vec();
        let mut lifts = 0;
        let (mut mark, mut marked) = (course.least(), 0);
        while !course.is_spent() && course.work.iterations < marked + PATIENCE {
            match scaled.step(&at, self.part) {
                Some(next) if next.reach > BLOCKED => at = next,
                _ if lifts < LIFTS => {
                    lifts += 1;
                    at = scaled.lifted(&at);
                }
                _ => break,
            }
            course.work.iterations += 1;
            course.work.factorizations += 1;
            course.work.products += 2;
            r = scaled.impulses(&at);
            if course.look(&r) {
                break;
            }
            if course.least() < 0.5 * mark {
                (mark, marked) = (course.least(), course.work.iterations);
            }
        }
        if self.newton && matches!(law, Law::Coulomb) && !course.is_solved() {
            let from = course.best().to_vec();
            r = Newton { sweeps: 0, alpha: ALPHA }.go_on(problem, &from, &mut course);
        }
        course.end(&r)
    }
}

/// The kind of a block in scaled variables.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// ‖x_T‖ ≤ x_N, both for x and z.
    Lorentz,
    /// x_N ≥ 0 and x_T = 0.
    Ray,
    /// z = 0.
    Whole,
}

/// The problem in units in which W̃ has the mean diagonal 1.
struct Scaled {
    w: Delassus,
    q: Vec<Vec3>,
    kinds: Vec<Kind>,
    /// r_N = x_N · this, per block; r_T = x_T · unit.
    normal: Vec<f64>,
    unit: f64,
    /// Degree of all cones.
    degree: f64,
    is_coulomb: bool,
}

#[derive(Debug, Clone)]
struct Point {
    x: Vec<Vec3>,
    z: Vec<Vec3>,
    /// Part of the last step that was taken.
    reach: f64,
}

impl Scaled {
    fn new(problem: &Problem, is_coulomb: bool) -> Self {
        let kind = |cone: &Cone| match cone {
            Cone::Friction(mu) if *mu > 0.0 => Kind::Lorentz,
            Cone::Friction(_) => Kind::Ray,
            Cone::Whole => Kind::Whole,
        };
        let kinds: Vec<Kind> = problem.cones().iter().map(kind).collect();
        // D⁻¹: r = D⁻¹ x.
        let d: Vec<Vec3> = (problem.cones().iter().zip(&kinds))
            .map(|(cone, kind)| match kind {
                Kind::Lorentz => Vec3::new(1.0 / cone.friction(), 1.0, 1.0),
                Kind::Ray => Vec3::new(1.0, 0.0, 0.0),
                Kind::Whole => Vec3::repeat(1.0),
            })
            .collect();
        let scaled =
            |i: usize, j: usize, block: &Mat3| Mat3::from_fn(|a, b| d[i][a] * block[(a, b)] * d[j][b]);
        let w = problem.delassus().map(scaled);
        let q: Vec<Vec3> = problem.q().iter().zip(&d).map(|(q, d)| q.component_mul(d)).collect();
        let size = q.iter().map(Vec3::norm).fold(0.0, f64::max);
        let size = if size > 0.0 { size } else { 1.0 };
        // x = unit x', z = size z' with unit = size/scale.
        let scale = w.scale();
        let unit = size / scale;
        let degree: usize = kinds.iter().filter(|kind| **kind != Kind::Whole).count();
        Self {
            w: w.map(|_, _, block| block / scale),
            q: q.iter().map(|q| q / size).collect(),
            normal: d.iter().map(|d| d.x * unit).collect(),
            kinds,
            unit,
            degree: degree.max(1) as f64,
            is_coulomb,
        }
    }

    fn start(&self) -> Point {
        let point = |kind: &Kind| match kind {
            Kind::Lorentz | Kind::Ray => Vec3::x(),
            Kind::Whole => Vec3::zeros(),
        };
        let x: Vec<Vec3> = self.kinds.iter().map(point).collect();
        Point { z: x.clone(), x, reach: 1.0 }
    }

    /// The point, moved inwards.
    fn lifted(&self, at: &Point) -> Point {
        let by = self.complementarity(at).sqrt();
        let add = |x: &Vec<Vec3>| {
            (x.iter().zip(&self.kinds))
                .map(|(x, kind)| if *kind == Kind::Whole { *x } else { x + Vec3::x() * by })
                .collect()
        };
        Point { x: add(&at.x), z: add(&at.z), reach: 1.0 }
    }

    fn impulses(&self, at: &Point) -> Vec<Vec3> {
        let impulse = |i: usize| {
            let x = at.x[i];
            match self.kinds[i] {
                Kind::Lorentz | Kind::Whole => {
                    Vec3::new(x.x * self.normal[i], x.y * self.unit, x.z * self.unit)
                }
                Kind::Ray => Vec3::new(x.x * self.normal[i], 0.0, 0.0),
            }
        };
        (0..self.kinds.len()).map(impulse).collect()
    }

    fn complementarity(&self, at: &Point) -> f64 {
        let product = |i: usize| match self.kinds[i] {
            Kind::Lorentz => at.x[i].dot(&at.z[i]),
            Kind::Ray => at.x[i].x * at.z[i].x,
            Kind::Whole => 0.0,
        };
        (0..self.kinds.len()).map(product).sum::<f64>() / self.degree
    }

    /// The next point; `None` where the linear system fails.
    fn step(&self, at: &Point, part: f64) -> Option<Point> {
        let n = self.kinds.len();
        let gap = self.complementarity(at);
        // z should be W x + q + s e_N, and changes by L W dx with L = 1 + e_N (ds/du)ᵀ.
        let mut excess = self.w.affine(&at.x, &self.q);
        let mut left = vec![Mat3::identity(); n];
        for i in 0..n {
            if self.is_coulomb && self.kinds[i] == Kind::Lorentz {
                let [y, z] = [excess[i].y, excess[i].z];
                let slip = (y * y + z * z + gap * gap).sqrt();
                excess[i].x += slip;
                (left[i][(0, 1)], left[i][(0, 2)]) = (y / slip, z / slip);
            }
            excess[i] -= at.z[i];
        }
        let scalings: Vec<Scaling> =
            (0..n).map(|i| Scaling::new(self.kinds[i], &at.x[i], &at.z[i])).collect();
        let mut a = self.w.map(|i, _, block| left[i] * block).dense();
        for (i, scaling) in scalings.iter().enumerate() {
            for (p, q) in (0..3).flat_map(|p| (0..3).map(move |q| (p, q))) {
                a[(3 * i + p, 3 * i + q)] += scaling.square[(p, q)];
            }
            (0..3).for_each(|p| a[(3 * i + p, 3 * i + p)] += SHIFT);
        }
        let factors = Factors::new(a, self.is_coulomb)?;
        let solve = |p: &[Vec3]| {
            let right = |i: usize| scalings[i].root * p[i] - excess[i];
            let mut b: Vec<f64> = (0..n).flat_map(|i| <[f64; 3]>::from(right(i))).collect();
            factors.solve(&mut b);
            let dx: Vec<Vec3> = b.chunks_exact(3).map(Vec3::from_column_slice).collect();
            let dz: Vec<Vec3> =
                (0..n).map(|i| scalings[i].root * p[i] - scalings[i].square * dx[i]).collect();
            (dx, dz)
        };
        let p: Vec<Vec3> = scalings.iter().map(|scaling| -scaling.lambda).collect();
        let (dx, dz) = solve(&p);
        let reach = self.reach(at, &dx, &dz).min(1.0);
        let ahead = self.complementarity(&moved(at, &dx, &dz, reach));
        let sigma = (ahead / gap).clamp(0.0, 1.0);
        let off = excess.iter().map(Vec3::norm).fold(0.0, f64::max);
        let target = (sigma * sigma * sigma).max((BALANCE * off / gap).min(1.0)).max(if at.reach < SHORT {
            RISE
        } else {
            0.0
        }) * gap;
        let p: Vec<Vec3> =
            (0..n).map(|i| scalings[i].corrected(self.kinds[i], target, &dx[i], &dz[i])).collect();
        let (dx, dz) = solve(&p);
        let reach = (part.max(1.0 - gap.sqrt()) * self.reach(at, &dx, &dz)).min(1.0);
        let next = moved(at, &dx, &dz, reach);
        let is_finite = next.x.iter().chain(&next.z).all(|x| x.iter().all(|x| x.is_finite()));
        is_finite.then_some(next)
    }

    /// The largest part of a step that stays in the cones.
    fn reach(&self, at: &Point, dx: &[Vec3], dz: &[Vec3]) -> f64 {
        let of_block = |i: usize| match self.kinds[i] {
            Kind::Lorentz => to_boundary(&at.x[i], &dx[i]).min(to_boundary(&at.z[i], &dz[i])),
            Kind::Ray => ray(at.x[i].x, dx[i].x).min(ray(at.z[i].x, dz[i].x)),
            Kind::Whole => f64::INFINITY,
        };
        (0..self.kinds.len()).map(of_block).fold(f64::INFINITY, f64::min)
    }
}

/// The factors of the matrix of a step, which is symmetric under the convex law.
enum Factors {
    Symmetric(Cholesky),
    General(Lu),
}

impl Factors {
    fn new(a: Mat<f64>, is_general: bool) -> Option<Self> {
        if is_general { Lu::new(a).map(Self::General) } else { Cholesky::new(a).map(Self::Symmetric) }
    }

    fn solve(&self, b: &mut [f64]) {
        match self {
            Self::Symmetric(cholesky) => cholesky.solve(b),
            Self::General(lu) => lu.solve(b),
        }
    }
}

fn moved(at: &Point, dx: &[Vec3], dz: &[Vec3], part: f64) -> Point {
    let add = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a + b * part).collect();
    Point { x: add(&at.x, dx), z: add(&at.z, dz), reach: part }
}

/// The part of `d` at which `x` + part · d is 0.
fn ray(x: f64, d: f64) -> f64 {
    if d < 0.0 { -x / d } else { f64::INFINITY }
}

/// x_N² − ‖x_T‖².
fn det(x: &Vec3) -> f64 {
    let across = tangential(x);
    (x.x - across) * (x.x + across)
}

/// The part of `d` at which `x`, inside the cone, leaves it.
fn to_boundary(x: &Vec3, d: &Vec3) -> f64 {
    // det(x + t d) = a t² + 2 b t + c with c > 0.
    let (a, c) = (det(d), det(x));
    let b = x.x * d.x - x.y * d.y - x.z * d.z;
    let discriminant = b * b - a * c;
    let root = if a == 0.0 {
        if b < 0.0 { -0.5 * c / b } else { f64::INFINITY }
    } else if discriminant < 0.0 {
        f64::INFINITY
    } else {
        let h = -(b + if b >= 0.0 { discriminant.sqrt() } else { -discriminant.sqrt() });
        let roots = [h / a, if h == 0.0 { f64::INFINITY } else { c / h }];
        roots.into_iter().filter(|t| *t > 0.0).fold(f64::INFINITY, f64::min)
    };
    root.min(ray(x.x, d.x))
}

/// The Nesterov–Todd scaling V of a block: V x = V⁻¹ z = λ.
struct Scaling {
    root: Mat3,
    inverse: Mat3,
    square: Mat3,
    lambda: Vec3,
}

impl Scaling {
    fn new(kind: Kind, x: &Vec3, z: &Vec3) -> Self {
        let diagonal = |v: f64, lambda: f64| Self {
            root: Mat3::from_diagonal(&Vec3::new(v, 0.0, 0.0)),
            inverse: Mat3::from_diagonal(&Vec3::new(1.0 / v, 0.0, 0.0)),
            // The other rows are empty: 1 keeps them at 0.
            square: Mat3::from_diagonal(&Vec3::new(v * v, 1.0, 1.0)),
            lambda: Vec3::new(lambda, 0.0, 0.0),
        };
        match kind {
            Kind::Whole => Self {
                root: Mat3::zeros(),
                inverse: Mat3::zeros(),
                square: Mat3::zeros(),
                lambda: Vec3::zeros(),
            },
            Kind::Ray => diagonal((z.x / x.x).sqrt(), (z.x * x.x).sqrt()),
            Kind::Lorentz => {
                let (dx, dz) = (det(x).max(f64::MIN_POSITIVE), det(z).max(f64::MIN_POSITIVE));
                let (x_bar, z_bar) = (x / dx.sqrt(), z / dz.sqrt());
                let gamma = (0.5 * (1.0 + x_bar.dot(&z_bar))).sqrt();
                let mirrored = Vec3::new(x_bar.x, -x_bar.y, -x_bar.z);
                let w = (z_bar + mirrored) / (2.0 * gamma);
                let beta = (dz / dx).sqrt().sqrt();
                let v = (w + Vec3::x()) / (2.0 * (w.x + 1.0)).sqrt();
                let j = Mat3::from_diagonal(&Vec3::new(1.0, -1.0, -1.0));
                let root = (2.0 * v * v.transpose() - j) * beta;
                let jv = j * v;
                let inverse = (2.0 * jv * jv.transpose() - j) / beta;
                let square = (2.0 * w * w.transpose() - j) * (beta * beta);
                Self { root, inverse, square, lambda: root * x }
            }
        }
    }

    /// λ⁻¹ ∘ (−λ ∘ λ + target e − (V dx) ∘ (V⁻¹ dz)).
    fn corrected(&self, kind: Kind, target: f64, dx: &Vec3, dz: &Vec3) -> Vec3 {
        let l = &self.lambda;
        match kind {
            Kind::Whole => Vec3::zeros(),
            Kind::Ray => Vec3::new(-l.x + (target - dx.x * dz.x) / l.x, 0.0, 0.0),
            Kind::Lorentz => {
                let right = Vec3::x() * target - times(&(self.root * dx), &(self.inverse * dz));
                // The solution y of λ ∘ y = right.
                let d = det(l).max(f64::MIN_POSITIVE);
                let along = l.y * right.y + l.z * right.z;
                let first = (l.x * right.x - along) / d;
                let other = |lt: f64, t: f64| -lt * right.x / d + (d * t / l.x + lt * along / l.x) / d;
                Vec3::new(first, other(l.y, right.y), other(l.z, right.z)) - l
            }
        }
    }
}

/// The Jordan product x ∘ y = (x · y, x_N y_T + y_N x_T).
fn times(x: &Vec3, y: &Vec3) -> Vec3 {
    Vec3::new(x.dot(y), x.x * y.y + y.x * x.y, x.x * y.z + y.x * x.z)
}

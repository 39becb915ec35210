//! Nearest points of two primitives at one time, and a plane between them.

use dashu_base::Abs;
use dashu_int::IBig;

use super::ball::{BITS, Ball, Vector, guess, norm_up, one, times};
use super::feature::point_edge_pairs;
use super::integer::{longest, root_up};
use super::straight::Point;
use rigor_ccd::Kind;

/// Bits of the coordinates from which nearest points are guessed. Where the distance is d for primitives of
/// size 1, an error e of the nearest points turns the plane by e/d, so that it proves only a distance of
/// d − e/d.
const GUESS_BITS: usize = 240;

/// Bits of the normals of planes.
const NORMAL_BITS: usize = 120;

fn less(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|i| &a[i] - &b[i])
}

pub(super) fn dot(a: &Point, b: &Point) -> IBig {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &a[j] * &b[k] - &a[k] * &b[j]
    })
}

/// Returns n/m in fixed point; `None` for m = 0.
fn ratio(n: &IBig, m: &IBig) -> Option<IBig> {
    (!m.is_zero()).then(|| (n << BITS) / m)
}

/// Weights wᵢ ≥ 0 with sum 1 for the points of A, and likewise with negative signs for B: Σ wᵢ xᵢ is a vector
/// from a point of B to one of A.
struct Weights(Vec<IBig>);

impl Weights {
    fn new(kind: Kind, weights: &[(usize, IBig)]) -> Self {
        let mut all = vec![IBig::ZERO; kind.n_points()];
        for (i, w) in weights {
            all[*i] = if *i < kind.sizes().0 { w.clone() } else { -w };
        }
        Self(all)
    }

    fn difference(&self, x: &[Point]) -> Point {
        std::array::from_fn(|k| self.0.iter().zip(x).fold(IBig::ZERO, |sum, (w, x)| sum + w * &x[k]) >> BITS)
    }

    /// Approximates the nearest points of a point and an edge.
    fn point_edge(kind: Kind, x: &[Point], [p, a, b]: [usize; 3]) -> Self {
        let along = less(&x[b], &x[a]);
        let s = ratio(&dot(&less(&x[p], &x[a]), &along), &dot(&along, &along));
        let s = s.unwrap_or_default().clamp(IBig::ZERO, one());
        Self::new(kind, &[(p, one()), (a, one() - &s), (b, s)])
    }

    /// Approximates the nearest point of a triangle to a point, if it lies inside.
    fn point_triangle(kind: Kind, x: &[Point]) -> Option<Self> {
        let (e1, e2, from) = (less(&x[2], &x[1]), less(&x[3], &x[1]), less(&x[0], &x[1]));
        let normal = cross(&e1, &e2);
        let normal_sq = dot(&normal, &normal);
        let w2 = ratio(&dot(&cross(&from, &e2), &normal), &normal_sq)?;
        let w3 = ratio(&dot(&cross(&e1, &from), &normal), &normal_sq)?;
        let w1 = one() - &w2 - &w3;
        let is_inside = [&w1, &w2, &w3].into_iter().all(|w| *w >= IBig::ZERO);
        is_inside.then(|| Self::new(kind, &[(0, one()), (1, w1), (2, w2), (3, w3)]))
    }

    /// Approximates the nearest points of the lines through two edges, if they lie on the edges.
    fn edge_edge(kind: Kind, x: &[Point]) -> Option<Self> {
        let (a, b, between) = (less(&x[1], &x[0]), less(&x[3], &x[2]), less(&x[2], &x[0]));
        let normal = cross(&a, &b);
        let normal_sq = dot(&normal, &normal);
        let s = ratio(&dot(&cross(&between, &b), &normal), &normal_sq)?;
        let u = ratio(&dot(&cross(&between, &a), &normal), &normal_sq)?;
        let is_inside = [&s, &u].into_iter().all(|w| *w >= IBig::ZERO && *w <= one());
        is_inside.then(|| Self::new(kind, &[(0, one() - &s), (1, s), (2, one() - &u), (3, u)]))
    }

    /// Approximates the nearest points of two primitives.
    fn nearest(kind: Kind, x: &[Vector]) -> Self {
        let x = local(&x.iter().map(|x| std::array::from_fn(|i| x[i].mid.clone())).collect::<Vec<_>>());
        let inside = match kind {
            Kind::PointPoint => Some(Self::new(kind, &[(0, one()), (1, one())])),
            Kind::PointEdge => None,
            Kind::PointTriangle => Self::point_triangle(kind, &x),
            Kind::EdgeEdge => Self::edge_edge(kind, &x),
        };
        let edges = point_edge_pairs(kind).iter().map(|&pair| Self::point_edge(kind, &x, pair));
        let length_sq = |weights: &Self| {
            let difference = weights.difference(&x);
            dot(&difference, &difference)
        };
        inside.into_iter().chain(edges).min_by_key(length_sq).expect("every kind has features")
    }
}

/// Returns the points relative to the last, truncated to `GUESS_BITS`.
fn local(x: &[Point]) -> Vec<Point> {
    let last = x.last().expect("points");
    let x: Vec<Point> = x.iter().map(|x| less(x, last)).collect();
    let excess = longest(x.iter().flatten()).saturating_sub(GUESS_BITS);
    x.into_iter().map(|x| x.map(|c| c >> excess)).collect()
}

/// Returns an upper bound on the distance, and a plane whose normal points from B to A along it unless they
/// touch.
pub(super) fn nearest(kind: Kind, x: &[Vector]) -> (IBig, Plane) {
    let weights = Weights::nearest(kind, x).0;
    let zero: Vector = std::array::from_fn(|_| Ball::exact(IBig::ZERO));
    let difference = weights
        .iter()
        .zip(x)
        .filter(|(w, _)| !w.is_zero())
        .fold(zero, |sum, (w, x)| super::ball::plus(&sum, &times(&Ball::exact(w.clone()), x)));
    let normal = difference.each_ref().map(|c| c.mid.clone());
    (norm_up(&difference), Plane::new(kind, &normal))
}

/// A direction n along which A and B are compared.
pub(super) struct Plane {
    n_a: usize,
    normal: Point,
    /// An upper bound on ‖n‖.
    norm: IBig,
}

/// n·x for each point, in units of 2⁻²⁵⁶.
pub(super) type Heights = Vec<Ball>;

impl Plane {
    fn new(kind: Kind, normal: &Point) -> Self {
        let excess = longest(normal).saturating_sub(NORMAL_BITS);
        let normal: Point = std::array::from_fn(|i| &normal[i] >> excess);
        let norm = root_up(&dot(&normal, &normal));
        Self { n_a: kind.sizes().0, normal, norm }
    }

    pub fn heights(&self, x: &[Vector]) -> Heights {
        x.iter().map(|x| Self::height(&self.normal, x)).collect()
    }

    /// n·x.
    pub fn height(normal: &Point, x: &Vector) -> Ball {
        let rad = x.iter().zip(normal).fold(IBig::ZERO, |sum, (x, n)| sum + n.abs() * &x.rad);
        let mid = &normal[0] * &x[0].mid + &normal[1] * &x[1].mid + &normal[2] * &x[2].mid;
        Ball { mid, rad }
    }

    /// Returns approximately n 2ᵏ/‖n‖.
    pub fn scaled_normal(&self, bits: usize) -> Point {
        self.normal.each_ref().map(|n| (n << bits) / &self.norm)
    }

    /// Iterates over the points i of A and j of B.
    pub fn pairs(&self, n: usize) -> impl Iterator<Item = (usize, usize)> {
        let n_a = self.n_a;
        (0..n_a).flat_map(move |i| (n_a..n).map(move |j| (i, j)))
    }

    /// Whether n·(xᵢ − xⱼ) > ‖n‖ `distance`, for certain.
    pub fn is_apart(&self, heights: &Heights, (i, j): (usize, usize), distance: &IBig) -> bool {
        (&heights[i] - &heights[j]).lower() > &self.norm * distance
    }

    /// Returns approximately n·(xᵢ − xⱼ)/‖n‖ − `distance`.
    pub fn guess_gap(&self, heights: &Heights, (i, j): (usize, usize), distance: &IBig) -> f64 {
        let gap = &heights[i].mid - &heights[j].mid - &self.norm * distance;
        guess(&(gap / &self.norm))
    }

    /// Returns approximately n/‖n‖.
    pub fn guess_normal(&self) -> rigor_math::Vec3 {
        let norm = self.norm.to_f64().value();
        rigor_math::Vec3::from_fn(|i, _| self.normal[i].to_f64().value() / norm)
    }

    /// Returns a lower bound on the distance of the primitives, in units of 2⁻²⁵⁶; not negative.
    pub fn distance(&self, heights: &Heights) -> IBig {
        let gap = |(i, j): (usize, usize)| (&heights[i] - &heights[j]).lower();
        let least = self.pairs(heights.len()).map(gap).min().expect("pairs");
        (least / &self.norm).max(IBig::ZERO)
    }
}

//! Inclusion-based root finding: exclude boxes of time and of the primitives' parameters, the earliest time first.
//!
//! The difference between a point of A and a point of B is F(t, u, v) = P(t) + u Q(t) + v R(t), where P, Q, R are affine in
//! t and (u, v) says which points: none of both for two points, u along the edge against a point, u + v ≤ 1 in the
//! triangle, one for each of two edges. They come within d_min if ‖F‖ ≤ d_min somewhere in [0, 1]³.
//!
//! Source: [Wang2021], for eqs. (18)–(19) of [Ferguson2021]. Deviations: the codomain box is compared with the ball of radius
//! d_min and not with the cube; a box whose start is not proven apart is never cut in time; and the boxes are held as one
//! cell of (u, v) with the time up to which it is proven, so that what is proven of the later halves is not lost.
//!
//! # Theorem
//! For a valid query, A and B are farther apart than d_min on all of [0, t_safe], if t_safe > 0.
//!
//! # Proof
//! *Inclusion.* On a cell |u − ū| ≤ r, |v − v̄| ≤ s each coordinate of F(t, ·) takes exactly the values between
//! c(t) ± w(t) with c = P + ū Q + v̄ R and w = r |Q| + s |R|; and as F is affine in t, on [t₀, t₁] no values outside the hull
//! of those at t₀ and t₁: the hull of the eight corners. Its distance from 0 is g, and the cell is excluded if
//! g > d_min. The cells cover the domain; each is excluded on pieces of time that join, from 0 on; the least
//! time to which a cell has come is t_safe.
//!
//! *Rounding.* With u = 2⁻⁵³ and m = max |P| + max |Q| + max |R| (greatest coordinate, both ends): P, Q and R at the ends are
//! differences of given numbers, off by u of themselves; their ways by 4 u |P|; at t by 8 u |P|; so c is off by less than
//! 11 u m, w ≤ ½ m by 5 u m and c ± w, with its own rounding, by 18 u m. E = 32 u m + 10⁻¹⁵⁰ bounds that with the rounding of m
//! and underflow. The distance of a box from 0 is then off by √3 E < 2 E and 4 u of itself, hence a box is
//! excluded if the rounded g² > T², T = (d_min + 2 E)(1 + 16 u). T ≥ 10⁻¹⁵⁰, so that T² does not underflow. For
//! m + d_min ≥ 10¹⁵⁰, where squares overflow, nothing is claimed: t_safe = 0.
//!
//! ū, r, … are dyadic and exact, since no cell is cut whose width is below 128 u m: its sides are at least 2⁻⁵⁰.

use rigor_math::Vec3;

use crate::relative::U;
use crate::separating_plane::is_horizon;
use crate::{Impact, Kind, Limits, LinearQuery};

/// The tolerance is δ (m): an impact is answered where a cell that spans less than δ in each coordinate cannot be excluded from
/// a piece of time in which it moves by less than δ. A near miss by less than about 3 δ may be reported, too.
///
/// Source: [Wang2021], δ = 10⁻⁶. Deviation: 10⁵ boxes, where theirs are 10⁶.
pub const LIMITS: Limits = Limits { tolerance: 1e-6, max_boxes: 100_000 };

/// How many cells wait at most; beyond, a cell that must be cut is swept, see [`Search::sweep`].
const CAPACITY: usize = 64;

/// A cell can be cut about fifty times along u and as often along v; a stack that goes deep first holds one cell per cut.
const DEPTH: usize = 128;

/// Whether and when the primitives of `query` come as near as d_min, on [0, `horizon`].
///
/// Work is bounded by `limits.max_boxes` inclusions; memory by a fixed array on the stack.
///
/// ```
/// use rigor_ccd::{Impact, Kind, LinearQuery, linear::tight_inclusion};
/// use rigor_math::Vec3;
/// // A point falls through a triangle, from 1 m above to 1 m below.
/// let triangle = [Vec3::zeros(), Vec3::x() * 3.0, Vec3::y() * 3.0];
/// let at = |z| [Vec3::new(1.0, 1.0, z), triangle[0], triangle[1], triangle[2]];
/// let query = LinearQuery { kind: Kind::PointTriangle, start: at(1.0), end: at(-1.0), d_min: 0.0 };
/// let t_safe = tight_inclusion::impact(&query, 1.0, &tight_inclusion::LIMITS).t_safe(1.0);
/// assert!(0.499999 < t_safe && t_safe < 0.5);
/// ```
pub fn impact(query: &LinearQuery, horizon: f64, limits: &Limits) -> Impact {
    if !query.is_valid() || !is_horizon(horizon) {
        return Impact::NO_QUESTION;
    }
    let difference = Difference::new(query);
    let is_bounded = difference.reach + query.d_min < 1e150;
    if !is_bounded {
        return Impact::NO_QUESTION;
    }
    Search::new(query, difference, horizon, limits).run()
}

/// F(t, u, v).
struct Difference {
    /// P, Q, R at t = 0.
    start: [Vec3; 3],
    /// How far they go until t = 1.
    way: [Vec3; 3],
    /// The greatest coordinate of each, at either end.
    sizes: [f64; 3],
    /// m, their sum: no coordinate of F is greater.
    reach: f64,
}

impl Difference {
    fn new(query: &LinearQuery) -> Self {
        let (start, end) = (parts(query.kind, &query.start), parts(query.kind, &query.end));
        let way = std::array::from_fn(|i| end[i] - start[i]);
        let sizes: [f64; 3] = std::array::from_fn(|i| start[i].amax().max(end[i].amax()));
        Self { start, way, sizes, reach: sizes.iter().sum() }
    }

    /// The values at `t` on a cell: centre and half width of their box.
    fn at(&self, t: f64, cell: &Cell) -> (Vec3, Vec3) {
        let [p, q, r] = std::array::from_fn(|i| self.start[i] + t * self.way[i]);
        (p + cell.u * q + cell.v * r, cell.r_u * q.abs() + cell.r_v * r.abs())
    }
}

/// P, Q, R of points that stand still.
fn parts(kind: Kind, x: &[Vec3; 4]) -> [Vec3; 3] {
    let none = Vec3::zeros();
    match kind {
        Kind::PointPoint => [x[0] - x[1], none, none],
        Kind::PointEdge => [x[0] - x[1], x[1] - x[2], none],
        Kind::PointTriangle => [x[0] - x[1], x[1] - x[2], x[1] - x[3]],
        Kind::EdgeEdge => [x[0] - x[2], x[1] - x[0], x[2] - x[3]],
    }
}

/// A part |u − ū| ≤ r, |v − v̄| ≤ s of the parameters, proven up to a time.
#[derive(Debug, Clone, Copy)]
struct Cell {
    u: f64,
    v: f64,
    r_u: f64,
    r_v: f64,
    /// Proven to stay apart on [0, t].
    t: f64,
    /// How much further is tried next.
    step: f64,
}

/// What looking at a cell on a piece of time gave.
enum Look {
    /// Apart on all of it.
    Apart,
    /// The piece should be shorter.
    Later,
    /// The cell should be cut: along u, or else along v.
    Cut { along_u: bool },
    /// Neither: as small as the tolerance, and not apart.
    Close,
}

/// Where a sweep ended.
enum Swept {
    Until { t: f64, step: f64 },
    Close,
    Spent,
}

/// The cells that wait, the earliest last, and what they are searched by.
struct Search {
    difference: Difference,
    is_triangle: bool,
    horizon: f64,
    /// T².
    apart_sq: f64,
    tolerance: f64,
    boxes_left: usize,
    max_boxes: usize,
    cells: [Cell; CAPACITY],
    n: usize,
}

impl Search {
    fn new(query: &LinearQuery, difference: Difference, horizon: f64, limits: &Limits) -> Self {
        let whole = Cell { u: 0.5, v: 0.5, r_u: 0.5, r_v: 0.5, t: 0.0, step: horizon };
        let error = 32.0 * U * difference.reach + 1e-150;
        let apart = (query.d_min + 2.0 * error) * (1.0 + 16.0 * U);
        Self {
            tolerance: limits.tolerance.max(4.0 * error),
            difference,
            is_triangle: query.kind == Kind::PointTriangle,
            horizon,
            apart_sq: apart * apart,
            boxes_left: limits.max_boxes,
            max_boxes: limits.max_boxes,
            cells: [whole; CAPACITY],
            n: 1,
        }
    }

    fn run(&mut self) -> Impact {
        while self.n > 0 {
            self.n -= 1;
            let mut cell = self.cells[self.n];
            if self.boxes_left == 0 {
                return Impact::Undecided { t_safe: cell.t, boxes: self.max_boxes };
            }
            match self.look(&cell, cell.step) {
                Look::Apart => self.advance(cell, cell.t + cell.step, 2.0 * cell.step),
                Look::Later => {
                    cell.step *= 0.5;
                    self.push(cell);
                }
                Look::Close => return close(&cell),
                Look::Cut { along_u } if self.n + 2 <= CAPACITY => {
                    for half in cell.halves(along_u) {
                        self.push(half);
                    }
                }
                Look::Cut { .. } => match self.sweep(&cell) {
                    Swept::Until { t, step } => self.advance(cell, t, step),
                    Swept::Close => return close(&cell),
                    Swept::Spent => return Impact::Undecided { t_safe: cell.t, boxes: self.max_boxes },
                },
            }
        }
        Impact::Free
    }

    /// A cell that has come to `t` waits for its next turn, unless it is done.
    fn advance(&mut self, mut cell: Cell, t: f64, step: f64) {
        if t < self.horizon {
            cell.t = t;
            cell.step = step.min(self.horizon - t);
            self.push(cell);
        }
    }

    /// Among cells of the same time the newest is the next.
    fn push(&mut self, cell: Cell) {
        if !self.has_points(&cell) {
            return;
        }
        let mut place = self.n;
        while place > 0 && self.cells[place - 1].t < cell.t {
            self.cells[place] = self.cells[place - 1];
            place -= 1;
        }
        self.cells[place] = cell;
        self.n += 1;
    }

    /// Whether a cell has points of the primitives of its own: in a triangle u + v < 1 somewhere.
    fn has_points(&self, cell: &Cell) -> bool {
        !self.is_triangle || (cell.u - cell.r_u) + (cell.v - cell.r_v) < 1.0
    }

    /// Excludes all of a cell on one piece of time, cutting it anew, without anything to remember: for as long as
    /// its least favourable part allows.
    fn sweep(&mut self, cell: &Cell) -> Swept {
        let mut stack = [*cell; DEPTH];
        let (mut n, mut step) = (1, cell.step);
        while n > 0 {
            n -= 1;
            let part = stack[n];
            loop {
                if self.boxes_left == 0 {
                    return Swept::Spent;
                }
                match self.look(&part, step) {
                    Look::Apart => break,
                    Look::Later => step *= 0.5,
                    Look::Close => return Swept::Close,
                    Look::Cut { along_u } => {
                        for half in part.halves(along_u).into_iter().filter(|half| self.has_points(half)) {
                            stack[n] = half;
                            n += 1;
                        }
                        break;
                    }
                }
            }
        }
        Swept::Until { t: cell.t + step, step: 2.0 * step }
    }

    /// Looks at `cell` on [t, t + `step`].
    fn look(&mut self, cell: &Cell, step: f64) -> Look {
        self.boxes_left -= 1;
        let (c_0, w_0) = self.difference.at(cell.t, cell);
        let (c_1, w_1) = self.difference.at(cell.t + step, cell);
        let (lo_0, hi_0, lo_1, hi_1) = (c_0 - w_0, c_0 + w_0, c_1 - w_1, c_1 + w_1);
        if gap_sq(&lo_0.inf(&lo_1), &hi_0.sup(&hi_1)) > self.apart_sq {
            return Look::Apart;
        }
        let [_, size_q, size_r] = self.difference.sizes;
        let (side_u, side_v) = (2.0 * cell.r_u * size_q, 2.0 * cell.r_v * size_r);
        let side = side_u.max(side_v);
        let begins_apart = gap_sq(&lo_0, &hi_0) > self.apart_sq;
        let passage = (lo_1 - lo_0).amax().max((hi_1 - hi_0).amax());
        if begins_apart && passage > side && passage > self.tolerance {
            Look::Later
        } else if side > self.tolerance {
            Look::Cut { along_u: side_u >= side_v }
        } else {
            Look::Close
        }
    }
}

impl Cell {
    fn halves(&self, along_u: bool) -> [Self; 2] {
        [-0.5, 0.5].map(|side| {
            let mut half = *self;
            let (middle, radius) =
                if along_u { (&mut half.u, &mut half.r_u) } else { (&mut half.v, &mut half.r_v) };
            *middle += side * *radius;
            *radius *= 0.5;
            half
        })
    }
}

fn close(cell: &Cell) -> Impact {
    Impact::At { t_safe: cell.t, t_hit: cell.t + cell.step }
}

/// The squared distance of a box from 0; what is not a number is no distance.
fn gap_sq(lo: &Vec3, hi: &Vec3) -> f64 {
    (0..3).map(|k| lo[k].max(-hi[k]).max(0.0)).map(|gap| gap * gap).sum()
}

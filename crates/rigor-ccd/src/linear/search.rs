//! Searches time and the primitives' parameters for the earliest impact, without allocating.
//!
//! The parameters (u, v) ∈ [0, 1]² select a point of A and a point of B. Cells cover them; each cell stores
//! the time up to which its points are proven to stay apart, and the cell with the earliest time is examined
//! next. That time is proven for all cells.

use crate::{Impact, Kind};

/// Maximum number of queued cells. If the queue is full, a cell that must be cut is swept instead, see
/// [`Search::sweep`].
const CAPACITY: usize = 64;

/// A depth-first stack holds one cell per cut: fewer than 53 cuts along u and fewer than 53 along v.
const DEPTH: usize = 128;

/// 2⁻⁵²: no cell is cut below this size, because its ends would no longer be exact, and no piece of time
/// below this fraction of the horizon.
const MIN_SIZE: f64 = f64::EPSILON;

/// A part |u − ū| ≤ r, |v − v̄| ≤ s of the parameters, proven apart up to a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    /// ū.
    pub u: f64,
    /// v̄.
    pub v: f64,
    /// r.
    pub r_u: f64,
    /// s.
    pub r_v: f64,
    /// Proven to stay apart on [0, t].
    pub t: f64,
    /// Length of the next trial piece of time.
    pub step: f64,
}

/// Result of examining a cell on a piece of time.
pub(crate) enum CellResult {
    /// Apart on the whole piece.
    Apart,
    /// Not proven: shorten the piece.
    Later,
    /// Not proven: cut the cell, along u or else along v.
    Cut { along_u: bool },
    /// Not proven, and small enough to stop.
    Close,
}

/// Examines a cell on [t, t + step], where the sum is rounded.
pub(crate) trait Inclusion {
    fn look(&self, cell: &Cell) -> CellResult;
}

/// How a sweep ended.
enum Swept {
    Until { t: f64, step: f64 },
    Close,
    Spent,
}

/// The queued cells, the earliest last.
pub(crate) struct Search<'a, I> {
    inclusion: &'a I,
    is_triangle: bool,
    horizon: f64,
    looks_left: usize,
    max_looks: usize,
    cells: [Cell; CAPACITY],
    n: usize,
}

impl<'a, I: Inclusion> Search<'a, I> {
    /// Searches primitives of this kind on [0, `horizon`], with at most `max_looks` examined cells.
    pub fn new(inclusion: &'a I, kind: Kind, horizon: f64, max_looks: usize) -> Self {
        let whole = Cell { u: 0.5, v: 0.5, r_u: 0.5, r_v: 0.5, t: 0.0, step: horizon };
        let is_triangle = kind == Kind::PointTriangle;
        let (looks_left, cells) = (max_looks, [whole; CAPACITY]);
        Self { inclusion, is_triangle, horizon, looks_left, max_looks, cells, n: 1 }
    }

    pub fn run(&mut self) -> Impact {
        while self.n > 0 {
            self.n -= 1;
            let mut cell = self.cells[self.n];
            let close = Impact::At { t_safe: cell.t, t_hit: cell.t + cell.step };
            let spent = Impact::Undecided { t_safe: cell.t, boxes: self.max_looks };
            match self.look(&cell) {
                None => return spent,
                Some(CellResult::Close) => return close,
                Some(CellResult::Apart) => self.advance(cell, cell.t + cell.step, 2.0 * cell.step),
                Some(CellResult::Later) => {
                    cell.step *= 0.5;
                    self.push(cell);
                }
                Some(CellResult::Cut { along_u }) if self.n + 2 <= CAPACITY => {
                    for half in self.halves(&cell, along_u) {
                        self.push(half);
                    }
                }
                Some(CellResult::Cut { .. }) => match self.sweep(&cell) {
                    Swept::Until { t, step } => self.advance(cell, t, step),
                    Swept::Close => return close,
                    Swept::Spent => return spent,
                },
            }
        }
        Impact::Free
    }

    /// Examines a cell; `None` if no look is left.
    fn look(&mut self, cell: &Cell) -> Option<CellResult> {
        self.looks_left = self.looks_left.checked_sub(1)?;
        let look = self.inclusion.look(cell);
        let can_be_halved = match look {
            CellResult::Later => cell.step > MIN_SIZE * self.horizon,
            CellResult::Cut { along_u: true } => cell.r_u > MIN_SIZE,
            CellResult::Cut { along_u: false } => cell.r_v > MIN_SIZE,
            CellResult::Apart | CellResult::Close => true,
        };
        Some(if can_be_halved { look } else { CellResult::Close })
    }

    /// Queues a cell that is proven up to `t`, unless that is the horizon.
    fn advance(&mut self, mut cell: Cell, t: f64, step: f64) {
        if t < self.horizon {
            cell.t = t;
            cell.step = step.min(self.horizon - t);
            self.push(cell);
        }
    }

    /// Queues a cell; among cells of the same time, the newest comes next.
    fn push(&mut self, cell: Cell) {
        let mut place = self.n;
        while place > 0 && self.cells[place - 1].t < cell.t {
            self.cells[place] = self.cells[place - 1];
            place -= 1;
        }
        self.cells[place] = cell;
        self.n += 1;
    }

    /// Returns the halves that contain points of the primitives: in a triangle, u + v < 1 somewhere.
    fn halves(&self, cell: &Cell, along_u: bool) -> impl Iterator<Item = Cell> + use<I> {
        let is_triangle = self.is_triangle;
        let lowest = |cell: &Cell| (cell.u - cell.r_u) + (cell.v - cell.r_v);
        cell.halves(along_u).into_iter().filter(move |half| !is_triangle || lowest(half) < 1.0)
    }

    /// Excludes a whole cell on one piece of time, as long as its worst part allows. Needs only a stack: of
    /// what it proves about the parts, only the shortest piece is kept.
    fn sweep(&mut self, cell: &Cell) -> Swept {
        let mut stack = [*cell; DEPTH];
        let (mut n, mut step) = (1, cell.step);
        while n > 0 {
            n -= 1;
            let mut part = stack[n];
            loop {
                part.step = step;
                match self.look(&part) {
                    None => return Swept::Spent,
                    Some(CellResult::Close) => return Swept::Close,
                    Some(CellResult::Apart) => break,
                    Some(CellResult::Later) => step *= 0.5,
                    Some(CellResult::Cut { along_u }) => {
                        for half in self.halves(&part, along_u) {
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

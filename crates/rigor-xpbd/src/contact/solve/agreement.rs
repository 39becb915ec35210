//! Velocities on which contacts, joints and bounds agree, found as a whole.
//!
//! Sweeps over joints and contacts need hundreds of rounds where light bodies lie between heavy ones: a wheel of 10 kg stops on the
//! ground, but not the car of 760 kg on its carrier of 1 kg. Here what joints hold is eliminated. With J the rows of joints, C those of
//! contacts and bounds, and v₀ the velocities before, impulses Λ along C leave
//!
//! ```text
//! v = P (v₀ + M⁻¹ Cᵀ Λ)    P = 1 − M⁻¹ Jᵀ A⁻¹ J    A = J M⁻¹ Jᵀ
//! u = C v = C P v₀ + S Λ    S = C M⁻¹ Cᵀ − C M⁻¹ Jᵀ A⁻¹ J M⁻¹ Cᵀ
//! ```
//!
//! and projected Gauss–Seidel finds Λ from the small matrix S, which knows the mass behind every contact.

use nalgebra::{DMatrix, DVector};
use rigor_math::{Mat3, Vec3};
use rigor_scene::Friction;

use crate::body::SolverBody;
use crate::constraint::rows::{Factors, Rows};
use crate::contact::pair::Pair;
use crate::joint::{Joints, StiffRows};

/// Change of a velocity along a row, over the fastest at the start, below which sweeps over S stop. Impulses do not tell: those of two
/// wheels of an axle may grow against each other for ever, where next to nothing moves.
const TOLERANCE: f64 = 1e-5;

/// Sweeps over S before what pushes is solved at once, and how often both are done in turn.
const SWEEPS: usize = 30;
const ROUNDS: usize = 4;

/// How often what would pull is left out.
const SETTLINGS: usize = 8;

/// Part of the greatest friction up to which a contact holds.
const ON_CONE: f64 = 1e-9;

/// Inverse mass along a contact's normal, over that of its bodies without joints, at or below which it does not yield.
const UNYIELDING: f64 = 1e-9;

/// Rows of joints, contacts and bounds of connected bodies.
pub(super) struct Agreement {
    /// What joints hold, then bounds and contacts.
    rows: Rows,
    n_held: usize,
    unilateral: Vec<Unilateral>,
}

/// A bound, or a contact with three rows, by its first row.
enum Unilateral {
    Contact {
        row: usize,
        pair: usize,
        contact: usize,
        normal: Vec3,
        friction: Friction,
        impulse: (f64, Vec3),
    },
    Bound {
        row: usize,
        joint: usize,
        bound: usize,
        side: f64,
        impulse: f64,
    },
}

impl Agreement {
    /// Collects the rows of these `pairs` and `joints` in a substep of `h` (s).
    pub fn new(
        pairs: &[Pair],
        members: &[usize],
        joints: &[StiffRows],
        bodies: &[SolverBody],
        h: f64,
    ) -> Self {
        let mut rows = Rows::new(bodies.len());
        let mut unilateral = Vec::new();
        for joint in joints {
            for row in &joint.rows[..joint.n_held] {
                rows.add([Some(joint.a), joint.b], joint.levers, (row.p, row.torque), bodies);
            }
        }
        let n_held = rows.len();
        for (joint, of_joint) in joints.iter().enumerate() {
            for (bound, row) in of_joint.rows[of_joint.n_held..].iter().enumerate() {
                let (side, impulse) = of_joint.bounds[bound];
                unilateral.push(Unilateral::Bound { row: rows.len(), joint, bound, side, impulse });
                rows.add([Some(of_joint.a), of_joint.b], of_joint.levers, (row.p, row.torque), bodies);
            }
        }
        for &pair in members {
            let Pair { a, b, law, contacts, .. } = &pairs[pair];
            let (body_a, body_b) = (&bodies[a.0], &bodies[b.0]);
            for (k, contact) in contacts.iter().enumerate().filter(|(_, contact)| contact.lambda_n > 0.0) {
                let point = contact.point(body_a, body_b);
                let levers = [point - body_a.pose.position, point - body_b.pose.position];
                let normal = contact.normal(body_a, body_b);
                // Split again along and across the present normal.
                let (n, t) = contact.impulses(h);
                let along = t.dot(&normal);
                let (row, friction) = (rows.len(), law.friction);
                let impulse = (n + along, t - along * normal);
                unilateral.push(Unilateral::Contact { row, pair, contact: k, normal, friction, impulse });
                for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
                    rows.add([Some(a.0), Some(b.0)], levers, (axis, Vec3::zeros()), bodies);
                }
            }
        }
        Self { rows, n_held, unilateral }
    }

    /// Returns the number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Sweeps over S until no velocity changes by more than a part of `fastest` in a sweep; returns whether that is so.
    fn sweep(
        &self,
        n: usize,
        (free, reduced): (&DMatrix<f64>, &DMatrix<f64>),
        (u, lambda): (&mut DVector<f64>, &mut DVector<f64>),
        unilateral: &mut [Vec3],
        fastest: f64,
    ) -> bool {
        for _ in 0..SWEEPS {
            let mut change = 0.0_f64;
            for (one, given) in self.unilateral.iter().zip(unilateral.iter_mut()) {
                let (row, width, next) = one.project(n, free, reduced, u, given);
                let step = next - *given;
                *given = next;
                let before = u.rows(row, width).into_owned();
                for k in 0..width {
                    u.axpy(step[k], &reduced.column(row + k), 1.0);
                    lambda[row + k] += step[k];
                }
                change = change.max((u.rows(row, width) - before).norm());
            }
            if change <= TOLERANCE * fastest {
                return true;
            }
        }
        false
    }

    /// Solves for the impulses of all that pushes at once, with friction that slips as it is: the velocities along them become 0. What would
    /// pull, or slip, is left out or slips in turn. Returns whether that ends; if not, nothing changes.
    fn settle(
        &self,
        n: usize,
        reduced: &DMatrix<f64>,
        (u, lambda): (&mut DVector<f64>, &mut DVector<f64>),
        unilateral: &mut [Vec3],
    ) -> bool {
        let mut holds: Vec<Hold> =
            self.unilateral.iter().zip(unilateral.iter()).map(|(one, given)| one.hold(given)).collect();
        for _ in 0..SETTLINGS {
            let mut columns: Vec<(usize, usize, Vec3)> = Vec::new();
            for (k, (one, hold)) in self.unilateral.iter().zip(&holds).enumerate() {
                let row = one.row() - n;
                match (hold, one) {
                    (Hold::None, _) => {}
                    (Hold::Stick, Unilateral::Contact { .. }) => {
                        columns.extend([Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| (k, row, axis)));
                    }
                    (Hold::Stick | Hold::Push, Unilateral::Bound { .. }) => columns.push((k, row, Vec3::x())),
                    (Hold::Push, Unilateral::Contact { normal, .. }) => columns.push((k, row, *normal)),
                }
            }
            let width = |k: usize| self.unilateral[k].width();
            let entry = |i: usize, j: usize| {
                let ((k, row, one), (l, column, other)) = (columns[i], columns[j]);
                let parts = (0..width(k)).flat_map(|a| (0..width(l)).map(move |b| (a, b)));
                parts.map(|(a, b)| one[a] * reduced[(row + a, column + b)] * other[b]).sum::<f64>()
            };
            let matrix = DMatrix::from_fn(columns.len(), columns.len(), entry);
            let along = |(k, row, one): &(usize, usize, Vec3)| {
                -(0..width(*k)).map(|a| one[a] * u[row + a]).sum::<f64>()
            };
            let right = DVector::from_iterator(columns.len(), columns.iter().map(along));
            let Some(factors) = Factors::new(&matrix) else { return false };
            let solution = factors.solve_whole(&right);
            let mut steps = vec![Vec3::zeros(); unilateral.len()];
            for ((k, _, one), x) in columns.iter().zip(solution.iter()) {
                steps[*k] += *one * *x;
            }
            let mut is_whole = solution.iter().all(|x| x.is_finite());
            for (((one, hold), given), step) in
                self.unilateral.iter().zip(&mut holds).zip(unilateral.iter()).zip(&steps)
            {
                let next = one.hold(&(given + step));
                // What has let go stays so.
                if *hold != Hold::None && next != Hold::Stick && next != *hold {
                    (*hold, is_whole) = (next, false);
                }
            }
            if is_whole {
                for ((one, given), step) in self.unilateral.iter().zip(unilateral.iter_mut()).zip(&steps) {
                    *given += step;
                    for k in 0..one.width() {
                        let row = one.row() - n + k;
                        u.axpy(step[k], &reduced.column(row), 1.0);
                        lambda[row] += step[k];
                    }
                }
                return true;
            }
        }
        false
    }

    /// Gives the bodies velocities on which all agree; returns false, and changes nothing, if rounding hides them.
    pub fn solve(
        &self,
        pairs: &mut [Pair],
        joints: (&mut Joints, &[StiffRows]),
        bodies: &mut [SolverBody],
        h: f64,
    ) -> bool {
        let (whole, start) = (self.rows.matrix(), self.rows.velocities(bodies));
        let n = self.n_held;
        let Some(factors) = Factors::new(&whole.view((0, 0), (n, n)).into_owned()) else { return false };
        let m = self.rows.len() - n;
        let mixed_free = whole.view((0, n), (n, m)).into_owned();
        let mixed = DMatrix::from_fn(n, m, |i, j| factors.scale[i] * whole[(i, n + j)]);
        let free = whole.view((n, n), (m, m)).into_owned();
        let reduced = &free - mixed.tr_mul(&factors.solve(&mixed));
        let of_joints = start.rows(0, n).into_owned();
        let mut u = start.rows(n, m) - mixed_free.tr_mul(&factors.solve_whole(&of_joints));
        let fastest = u.amax();
        let mut lambda = DVector::zeros(m);
        let mut unilateral = vec![Vec3::zeros(); self.unilateral.len()];
        // Sweeps may be slow, and end far from where they lead; they come last, since they alone know the cones of friction.
        for round in 1..=ROUNDS {
            let is_done = self.sweep(n, (&free, &reduced), (&mut u, &mut lambda), &mut unilateral, fastest);
            let is_last = (is_done && round > 1) || round == ROUNDS;
            if is_last || !self.settle(n, &reduced, (&mut u, &mut lambda), &mut unilateral) {
                break;
            }
        }
        let of_held = -factors.solve_whole(&(of_joints + &mixed_free * &lambda));
        let impulse = |row: usize| if row < n { of_held[row] } else { lambda[row - n] };
        for (body, (linear, angular)) in self.rows.responses(impulse) {
            bodies[body].linear_velocity += linear;
            bodies[body].angular_velocity += angular;
        }
        let mut first = 0;
        let (all, rows) = joints;
        for joint in rows {
            let given = (first..first + joint.n_held).map(&impulse);
            all.add_held(joint, given, h);
            first += joint.n_held;
        }
        for (one, given) in self.unilateral.iter().zip(&unilateral) {
            match *one {
                Unilateral::Bound { joint, bound, .. } => all.add_bound(&rows[joint], bound, given.x, h),
                Unilateral::Contact { pair, contact, normal, impulse: (_, before), .. } => {
                    let along = given.dot(&normal);
                    let contact = &mut pairs[pair].contacts[contact];
                    // As the split of what it had.
                    let (_, t) = contact.impulses(h);
                    contact.normal_impulse += along + t.dot(&normal);
                    contact.friction_impulse += given - along * normal + before - t;
                }
            }
        }
        true
    }
}

/// What a bound or a contact does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hold {
    None,
    /// It pushes, and slips if it is a contact with friction.
    Push,
    /// It stops all motion.
    Stick,
}

impl Unilateral {
    fn row(&self) -> usize {
        match *self {
            Self::Contact { row, .. } | Self::Bound { row, .. } => row,
        }
    }

    /// The number of its rows.
    fn width(&self) -> usize {
        match self {
            Self::Contact { .. } => 3,
            Self::Bound { .. } => 1,
        }
    }

    /// What it does with the impulse that it has been given.
    fn hold(&self, given: &Vec3) -> Hold {
        match *self {
            Self::Bound { side, impulse, .. } => {
                if (impulse + given.x) * side > 0.0 {
                    Hold::Stick
                } else {
                    Hold::None
                }
            }
            Self::Contact { normal, friction, impulse: (start_n, start_t), .. } => {
                let along = given.dot(&normal);
                let (whole_n, whole_t) = (start_n + along, start_t + given - along * normal);
                if whole_n <= 0.0 {
                    Hold::None
                } else if whole_t.norm() < (1.0 - ON_CONE) * friction.static_ * whole_n {
                    Hold::Stick
                } else {
                    Hold::Push
                }
            }
        }
    }

    /// Returns the first row among those of contacts and bounds, the number of rows, and the impulse given so far once this one is projected.
    fn project(
        &self,
        n: usize,
        free: &DMatrix<f64>,
        reduced: &DMatrix<f64>,
        u: &DVector<f64>,
        given: &Vec3,
    ) -> (usize, usize, Vec3) {
        match *self {
            Self::Bound { row, side, impulse, .. } => {
                let row = row - n;
                let w = reduced[(row, row)];
                let step = if w > UNYIELDING * free[(row, row)] { -u[row] / w } else { 0.0 };
                let whole = impulse + given.x + step;
                let whole = if whole * side < 0.0 { 0.0 } else { whole };
                (row, 1, Vec3::x() * (whole - impulse))
            }
            Self::Contact { row, normal, friction, impulse: (start_n, start_t), .. } => {
                let row = row - n;
                let k: Mat3 = reduced.fixed_view::<3, 3>(row, row).into_owned();
                let trace = (0..3).map(|i| free[(row + i, row + i)]).sum::<f64>();
                let slip = Vec3::new(u[row], u[row + 1], u[row + 2]);
                let along = given.dot(&normal);
                let (before_n, before_t) = (start_n + along, start_t + given - along * normal);
                // The impulse that stops the contact altogether, where friction holds it.
                let regular = k + Mat3::identity() * (UNYIELDING * trace);
                if let Some(stop) = regular.cholesky().map(|factors| factors.solve(&slip)) {
                    let whole = before_n * normal + before_t - stop;
                    let next_n = whole.dot(&normal);
                    if next_n > 0.0 && (whole - next_n * normal).norm() <= friction.static_ * next_n {
                        return (row, 3, given - stop);
                    }
                }
                let kn = k * normal;
                let w = normal.dot(&kn);
                let step = if w > UNYIELDING * trace { -slip.dot(&normal) / w } else { 0.0 };
                let next_n = (before_n + step).max(0.0);
                let slip_t = slip - slip.dot(&normal) * normal + (next_n - before_n) * (kn - w * normal);
                let w = slip_t.dot(&(k * slip_t));
                let undo = if w > UNYIELDING * trace * slip_t.norm_squared() {
                    slip_t * (slip_t.norm_squared() / w)
                } else {
                    Vec3::zeros()
                };
                let mut next_t = before_t - undo;
                let size = next_t.norm();
                if size > friction.static_ * next_n {
                    next_t *= friction.dynamic * next_n / size;
                }
                let next = (next_n - start_n) * normal + next_t - start_t;
                (row, 3, next)
            }
        }
    }
}

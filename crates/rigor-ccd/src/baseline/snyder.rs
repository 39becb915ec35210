//! Interval root finding in time and the primitives' parameters at once.
//!
//! F(t, α, β) of eq. (18) or (19) is enclosed over boxes of (t, α, β). A box over which ‖F‖ > d_min is
//! excluded; any other is halved along its widest side, until that is no longer than the tolerance. As in
//! [`crate::linear::tight_inclusion`], the boxes of one cell of (α, β) are searched in the order of time, and
//! the earliest cell first.
//!
//! Source: \[Snyder1992\], as \[Ferguson2021\] §4.3 uses it. Deviations: points are relative to the centre of
//! B's body; and no uniqueness test ends the search early, because the query asks for the first time, not for
//! the number of roots. Mean-value forms instead of the natural extension cost more than the boxes that they
//! save.
//!
//! # Theorem
//! For a valid query, A and B are farther apart than d_min on all of [0, t_safe] if t_safe > 0: the cells
//! cover the domain, and each is excluded on contiguous pieces of time starting at 0. Interval arithmetic
//! covers all rounding.

use rigor_interval::{IVec3, Interval};

use crate::curved::enclosure::Enclosure;
use crate::linear::search::{Cell, CellResult, Inclusion, Search};
use crate::{Answer, BoxSide, Kind, Limits, RigidQuery, invalid};

/// The tolerance is the widest side of a box that is not cut further, as a fraction of the step, of an edge,
/// or of a side of the triangle.
pub const LIMITS: Limits<BoxSide> = Limits { tolerance: BoxSide(1e-6), max_boxes: 100_000 };

/// Returns whether and when the primitives of `query` come within d_min of each other on [0, `horizon`].
/// Supports all kinds; parameters that a kind does not have are not searched.
///
/// Evaluates at most `limits.max_boxes` enclosures.
///
/// ```
/// use rigor_ccd::{RigidMotion, RigidQuery, baseline::snyder};
/// use rigor_math::{UnitQuaternion, Vec3};
/// // A hand of length 1 makes half a turn from +x to −x: halfway it meets the middle of an edge across +y.
/// let still = UnitQuaternion::identity();
/// let hand = RigidMotion::about_axis([Vec3::zeros(); 2], still, Vec3::z() * std::f64::consts::PI);
/// let bar = RigidMotion::at_rest(Vec3::y() * 0.5, still);
/// let query = RigidQuery::edge_edge([hand, bar], [Vec3::zeros(), Vec3::x()], [-Vec3::z(), Vec3::z()], 0.0);
/// let t_safe = snyder::impact(&query, 1.0, &snyder::LIMITS)?.t_safe(1.0);
/// assert!(0.49999 < t_safe && t_safe < 0.5);
/// # Ok::<(), rigor_ccd::InvalidQuery>(())
/// ```
///
/// # Errors
/// [`InvalidQuery`](crate::InvalidQuery) for an invalid query or horizon.
pub fn impact(query: &RigidQuery, horizon: f64, limits: &Limits<BoxSide>) -> Answer {
    query.check()?;
    invalid::horizon(horizon)?;
    let inclusion =
        BoxInclusion { enclosure: Enclosure::new(query), d_min: query.d_min, tolerance: limits.tolerance.0 };
    Ok(Search::new(&inclusion, query.kind, horizon, limits.max_boxes).run())
}

struct BoxInclusion {
    enclosure: Enclosure,
    d_min: f64,
    tolerance: f64,
}

impl Inclusion for BoxInclusion {
    fn look(&self, cell: &Cell) -> CellResult {
        let t = Interval::new(cell.t, cell.t + cell.step);
        let u = Interval::new(cell.u - cell.r_u, cell.u + cell.r_u);
        let v = Interval::new(cell.v - cell.r_v, cell.v + cell.r_v);
        let kind = self.enclosure.kind;
        if difference(kind, &self.enclosure.positions(t), u, v).norm().inf() > self.d_min {
            return CellResult::Apart;
        }
        let side_u = if kind == Kind::PointPoint { 0.0 } else { 2.0 * cell.r_u };
        let side_v = if matches!(kind, Kind::PointPoint | Kind::PointEdge) { 0.0 } else { 2.0 * cell.r_v };
        let side = side_u.max(side_v);
        if cell.step.max(side) <= self.tolerance {
            CellResult::Close
        } else if cell.step >= side {
            CellResult::Later
        } else {
            CellResult::Cut { along_u: side_u >= side_v }
        }
    }
}

/// Returns F, the vector from a point of B to a point of A.
///
/// Source: \[Ferguson2021\] eqs. (18), (19).
fn difference(kind: Kind, x: &[IVec3; 4], u: Interval, v: Interval) -> IVec3 {
    match kind {
        Kind::PointPoint => x[0] - x[1],
        Kind::PointEdge => (x[0] - x[1]) + (x[1] - x[2]) * u,
        Kind::PointTriangle => (x[0] - x[1]) + (x[1] - x[2]) * u + (x[1] - x[3]) * v,
        Kind::EdgeEdge => (x[0] - x[2]) + (x[1] - x[0]) * u + (x[2] - x[3]) * v,
    }
}

//! Interval root finding in time alone: finds when the points are coplanar, and tests whether the primitives
//! meet then.
//!
//! Four points are coplanar where f(t) = c·(e × g) = 0: for a point p and a triangle c = p − p₁, e = p₂ − p₁,
//! g = p₃ − p₁; for edges p₁p₂ and p₃p₄ c = p₃ − p₁, e = p₂ − p₁, g = p₄ − p₃. [0, 1] is halved, the earlier
//! half first, and a piece is dropped if the enclosure of f over it does not contain 0. On a piece no longer
//! than the tolerance, the parameters of the common point are enclosed, and an impact is reported if they may
//! be those of a point of both primitives.
//!
//! Source: \[Redon2002\], as \[Ferguson2021\] §4.3 uses it. Deviation: trajectories are those of eq. (16),
//! not screws.
//!
//! # Blind spots
//! This method does **not** keep the guarantee of this crate; it exists for measurements.
//! 1. Where e × g may vanish (parallel edges, a flat triangle) there are no parameters, and the piece is
//!    skipped.
//! 2. If edges and points stay coplanar all the time, every time is a root and every piece is examined: the
//!    search ends with `max_boxes` spent or, combined with blind spot 1, eventually reports free.
//! 3. A minimum separation is not a root of f, so `d_min` > 0 is answered with [`Impact::Undecided`] and
//!    `t_safe` = 0; so are two points, and a point and an edge, which have no such f.

use rigor_interval::{IVec3, Interval};

use crate::curved::enclosure::Enclosure;
use crate::{Answer, BoxSide, Impact, Kind, Limits, RigidQuery, invalid};

/// The tolerance is the length below which a piece of time is not halved.
pub const LIMITS: Limits<BoxSide> = Limits { tolerance: BoxSide(1e-6), max_boxes: 100_000 };

/// Deeper halvings of time make no difference.
const DEPTH: usize = 64;

/// Returns whether and when a point and a triangle, or two edges, touch on [0, `horizon`], except for the
/// blind spots of this method.
///
/// Evaluates at most `limits.max_boxes` enclosures.
///
/// ```
/// use rigor_ccd::{RigidMotion, RigidQuery, baseline::redon};
/// use rigor_math::{UnitQuaternion, Vec3};
/// // A hand of length 1 makes half a turn from +x to −x: halfway it meets the middle of an edge across +y.
/// let still = UnitQuaternion::identity();
/// let hand = RigidMotion::about_axis([Vec3::zeros(); 2], still, Vec3::z() * std::f64::consts::PI);
/// let bar = RigidMotion::at_rest(Vec3::y() * 0.5, still);
/// let query = RigidQuery::edge_edge([hand, bar], [Vec3::zeros(), Vec3::x()], [-Vec3::z(), Vec3::z()], 0.0);
/// let t_safe = redon::impact(&query, 1.0, &redon::LIMITS)?.t_safe(1.0);
/// assert!(0.49999 < t_safe && t_safe < 0.5);
/// # Ok::<(), rigor_ccd::InvalidQuery>(())
/// ```
///
/// # Errors
/// [`InvalidQuery`](crate::InvalidQuery) for an invalid query or horizon.
pub fn impact(query: &RigidQuery, horizon: f64, limits: &Limits<BoxSide>) -> Answer {
    let is_asked = matches!(query.kind, Kind::PointTriangle | Kind::EdgeEdge) && query.d_min == 0.0;
    query.check()?;
    invalid::horizon(horizon)?;
    if !is_asked {
        return Ok(Impact::NOTHING);
    }
    let enclosure = Enclosure::new(query);
    let (mut t_0, mut boxes) = (0.0, 0);
    let (mut ends, mut n_ends) = ([horizon; DEPTH], 1);
    while n_ends > 0 {
        if boxes == limits.max_boxes {
            return Ok(Impact::Undecided { t_safe: t_0, boxes });
        }
        boxes += 1;
        let t_1 = ends[n_ends - 1];
        let coplanar = Coplanar::new(query.kind, &enclosure.positions(Interval::new(t_0, t_1)));
        if !coplanar.is_possible() {
            (t_0, n_ends) = (t_1, n_ends - 1);
        } else if t_1 - t_0 > limits.tolerance.0 && n_ends < DEPTH {
            ends[n_ends] = 0.5 * (t_0 + t_1);
            n_ends += 1;
        } else if coplanar.may_meet() {
            return Ok(Impact::At { t_safe: t_0, t_hit: t_1 });
        } else {
            (t_0, n_ends) = (t_1, n_ends - 1);
        }
    }
    Ok(Impact::Free)
}

/// The enclosures of c, e, g over a piece of time.
struct Coplanar {
    kind: Kind,
    c: IVec3,
    e: IVec3,
    g: IVec3,
}

impl Coplanar {
    fn new(kind: Kind, x: &[IVec3; 4]) -> Self {
        let [c, e, g] = match kind {
            Kind::EdgeEdge => [x[2] - x[0], x[1] - x[0], x[3] - x[2]],
            _ => [x[0] - x[1], x[2] - x[1], x[3] - x[1]],
        };
        Self { kind, c, e, g }
    }

    /// Whether the enclosure of f contains 0.
    fn is_possible(&self) -> bool {
        self.c.dot(self.e.cross(self.g)).contains(0.0)
    }

    /// Whether the parameters of the common point may lie in both primitives; false where e × g may vanish.
    ///
    /// With n = e × g, c = α e + β g for a triangle and c = α e − β g for edges: α = (c × g)·n/‖n‖²,
    /// β = ±(e × c)·n/‖n‖².
    fn may_meet(&self) -> bool {
        let n = self.e.cross(self.g);
        let n_sq = n.norm_sq();
        if n_sq.contains(0.0) {
            return false;
        }
        let alpha = self.c.cross(self.g).dot(n) / n_sq;
        let beta = self.e.cross(self.c).dot(n) / n_sq;
        let meets = |x: Interval, lo: f64, hi: f64| x.inf() <= hi && x.sup() >= lo;
        match self.kind {
            Kind::EdgeEdge => meets(alpha, 0.0, 1.0) && meets(beta, -1.0, 0.0),
            _ => alpha.sup() >= 0.0 && beta.sup() >= 0.0 && (alpha + beta).inf() <= 1.0,
        }
    }
}

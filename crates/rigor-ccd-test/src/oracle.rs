//! Ground truth: exact for straight motions, proven to many digits for curved ones.
//!
//! It is slow and shares no code with the methods that it judges; it is built on arbitrary-precision integers
//! alone.
//!
//! Straight motions ([`linear`]) are decided exactly. Whether two primitives are at most d_min apart depends
//! on the signs of polynomials in time, which have integer coefficients once all numbers are scaled by a
//! power of two. The first contact is at a root of one of them; roots are isolated by Descartes' rule of
//! signs, and signs at roots are decided by greatest common divisors. Grazing, sliding, coplanar and
//! degenerate primitives need no special treatment.
//!
//! Curved motions ([`rigid`]) are bracketed in fixed-point arithmetic with 256 fractional bits and propagated
//! error bounds. Starting at t = 0, a plane between the nearest points is proven to separate the primitives
//! up to a later time, and so on: a fixed plane as long as steps are long, and a turning one where they would
//! become short, as in grazing and sliding. Where that ends, a contact is proven: for d_min > 0, by points at
//! most d_min apart; for d_min = 0, by a change of sign of the four points' volume while, seen along a fixed
//! direction, the point stays strictly inside the triangle or the edges cross strictly. If neither can be
//! proven, the result is [`Truth::Unknown`]: grazing at exactly d_min, or a point that meets a point or an
//! edge at d_min = 0. Some cases are decided exactly: bodies that do not turn, bodies that move as one, and
//! contacts at t = 0 or t = 1 with θ = 0 there. Motion in a plane perpendicular to a coordinate axis is
//! detected, and a point that passes through an edge in that plane counts as a contact.

mod ball;
mod body;
mod bracket;
mod bundle;
mod course;
mod crossing;
mod exact;
mod feature;
mod integer;
mod nearest;
mod place;
mod polynomial;
mod root;
mod straight;
mod turn;

use rigor_math::Vec3;

pub use bracket::Bracket;
pub use place::Place;

use self::ball::Ball;
use self::course::{Course, distance};
use self::integer::common_exponent;
use rigor_ccd::{LinearQuery, RigidQuery, Truth};

/// Maximum component (rad) of a rotation vector; larger ones are answered with `Unknown`.
const ANGLE_MAX: f64 = 1.1e12;

/// Returns the truth about primitives with straight motions; valid queries are always decided.
///
/// lo < hi are adjacent, or nearly adjacent, f64 numbers around the first time t at which the distance is at
/// most d_min, lo < t ≤ hi. Both are 0 if that is the start.
///
/// ```
/// use rigor_ccd_test::oracle;
/// use rigor_ccd::{LinearQuery, StraightMotion, Truth};
/// use rigor_math::Vec3;
/// // A point falls from z = 1 to z = −1 through a triangle.
/// let corners = [Vec3::new(-1.0, -1.0, 0.0), Vec3::new(2.0, -1.0, 0.0), Vec3::new(-1.0, 2.0, 0.0)];
/// let point = StraightMotion::between(Vec3::z(), -Vec3::z());
/// let query = LinearQuery::point_triangle(point, corners.map(StraightMotion::at_rest), 0.0);
/// assert_eq!(oracle::linear(&query), Truth::First { lo: 0.5_f64.next_down(), hi: 0.5 });
/// ```
pub fn linear(query: &LinearQuery) -> Truth {
    if query.is_valid() { straight::linear(query) } else { Truth::Unknown { lo: 0.0 } }
}

/// Returns the truth about primitives of two rigid bodies, as far as it can be proven.
///
/// lo and hi are adjacent, or nearly adjacent, f64 numbers if the primitives approach each other at a nonzero
/// speed.
pub fn rigid(query: &RigidQuery) -> Truth {
    if !query.is_valid() || !has_small_angles(query) {
        return Truth::Unknown { lo: 0.0 };
    }
    if let Some(truth) = exact::decided(query) {
        return truth;
    }
    match Course::new(query).first_meeting() {
        Truth::Unknown { lo } if exact::meets_at(query, 1) => Truth::First { lo, hi: 1.0 },
        truth => truth,
    }
}

/// Returns the distance (m) at `t` ∈ [0, 1].
///
/// # Panics
///
/// If the query is invalid.
pub fn linear_distance_at(query: &LinearQuery, t: f64) -> Bracket {
    assert!(query.is_valid(), "invalid query: {query:?}");
    let n = query.kind.n_points();
    let numbers = query.start[..n].iter().chain(&query.end[..n]).flat_map(|x| x.iter());
    let e = common_exponent(numbers).unwrap_or(0);
    let t = Ball::new(t, 0);
    let point = |(a, b): (&Vec3, &Vec3)| -> ball::Vector {
        std::array::from_fn(|i| {
            let (a, b) = (Ball::new(a[i], e), Ball::new(b[i], e));
            &a + &(&t * &(&b - &a))
        })
    };
    let points: Vec<_> = query.start[..n].iter().zip(&query.end[..n]).map(point).collect();
    distance(query.kind, &points, e)
}

/// Returns the distance (m) at `t` ∈ [0, 1].
///
/// # Panics
///
/// If the query is invalid, or a component of a rotation vector is above 10¹² rad.
pub fn rigid_distance_at(query: &RigidQuery, t: f64) -> Bracket {
    let course = course(query);
    course.distance(&course.at(&Ball::new(t, 0).mid))
}

/// Returns the points of the primitives at `t` ∈ [0, 1] (m, world).
///
/// # Panics
///
/// If the query is invalid, or a component of a rotation vector is above 10¹² rad.
pub fn rigid_points_at(query: &RigidQuery, t: f64) -> Vec<Place> {
    let course = course(query);
    let look = course.at(&Ball::new(t, 0).mid);
    look.points.into_iter().map(|x| Place::new(x, course.exponent())).collect()
}

/// Whether the truth refutes the claim that all of [0, `t_safe`] is free: the primitives have met by then.
///
/// `t_safe` = 0 claims nothing.
///
/// ```
/// use rigor_ccd_test::oracle;
/// use rigor_ccd::Truth;
/// let truth = Truth::First { lo: 0.25, hi: 0.5 };
/// assert!(!oracle::is_later_than_truth(&truth, 0.4));
/// assert!(oracle::is_later_than_truth(&truth, 0.5));
/// assert!(!oracle::is_later_than_truth(&Truth::Free, 1.0));
/// ```
pub fn is_later_than_truth(truth: &Truth, t_safe: f64) -> bool {
    match *truth {
        Truth::First { hi, .. } => t_safe > 0.0 && t_safe >= hi,
        Truth::Hit => t_safe >= 1.0,
        Truth::Free | Truth::Unknown { .. } => false,
    }
}

fn course(query: &RigidQuery) -> Course {
    assert!(query.is_valid() && has_small_angles(query), "invalid query: {query:?}");
    Course::new(query)
}

fn has_small_angles(query: &RigidQuery) -> bool {
    exact::thetas(query).iter().flatten().all(|theta| theta.amax() < ANGLE_MAX)
}

#[cfg(test)]
mod tests;

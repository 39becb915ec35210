//! Reasons why a query is invalid.

use std::fmt;

use rigor_math::Vec3;

use crate::motion::RigidMotion;

/// The first invalid number of a query, or an invalid horizon.
///
/// ```
/// use rigor_ccd::{Ccd, InvalidQuery, LinearMethod, LinearQuery, StraightMotion};
/// use rigor_math::Vec3;
/// let still = StraightMotion::at_rest(Vec3::zeros());
/// let lost = StraightMotion::between(Vec3::x(), Vec3::new(0.0, f64::NAN, 0.0));
/// let error = LinearMethod::default().impact(&LinearQuery::point_point(still, lost, 0.0), 1.0).unwrap_err();
/// assert_eq!(error.to_string(), "end[1].y is NaN, not a number");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidQuery {
    /// A coordinate that is NaN or infinite.
    #[error("{field}{}.{axis} is {}", Index(*.index), DisplayedNumber(*.value))]
    Coordinate {
        /// The field of the query, such as `start` or `motion_a.theta_t1`.
        field: &'static str,
        /// The index of the point, for a field that holds points: those of A first.
        index: Option<usize>,
        /// `x`, `y` or `z`.
        axis: char,
        /// The coordinate.
        value: f64,
    },
    /// A minimum distance that is negative, NaN or infinite.
    #[error("d_min is {}: it must be finite and at least 0 m", DisplayedNumber(*.d_min))]
    Distance {
        /// The given distance (m).
        d_min: f64,
    },
    /// An orientation that is not of unit length.
    #[error("{motion}.orientation has the length {}: it must be 1 to within 1e-9", DisplayedNumber(*.length))]
    Orientation {
        /// `motion_a` or `motion_b`.
        motion: &'static str,
        /// The length of the quaternion.
        length: f64,
    },
    /// A horizon outside (0, 1].
    #[error("the horizon is {}: it must lie in (0, 1]", DisplayedNumber(*.horizon))]
    Horizon {
        /// The given horizon.
        horizon: f64,
    },
}

struct DisplayedNumber(f64);

impl fmt::Display for DisplayedNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            x if x.is_nan() => f.write_str("NaN, not a number"),
            x if x.is_infinite() => write!(f, "{x}, infinite"),
            x => write!(f, "{x:e}"),
        }
    }
}

struct Index(Option<usize>);

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |index| write!(f, "[{index}]"))
    }
}

/// Returns the first coordinate of `x` that is not finite.
fn coordinate(field: &'static str, index: Option<usize>, x: &Vec3) -> Result<(), InvalidQuery> {
    match x.iter().zip(['x', 'y', 'z']).find(|(value, _)| !value.is_finite()) {
        Some((&value, axis)) => Err(InvalidQuery::Coordinate { field, index, axis, value }),
        None => Ok(()),
    }
}

pub(crate) fn points(field: &'static str, points: &[Vec3]) -> Result<(), InvalidQuery> {
    (0..).zip(points).try_for_each(|(i, x)| coordinate(field, Some(i), x))
}

pub(crate) fn distance(d_min: f64) -> Result<(), InvalidQuery> {
    if d_min >= 0.0 && d_min.is_finite() { Ok(()) } else { Err(InvalidQuery::Distance { d_min }) }
}

/// `names`: those of the motion, its two positions and its two rotation vectors.
pub(crate) fn motion(names: [&'static str; 5], motion: &RigidMotion) -> Result<(), InvalidQuery> {
    let vectors = [&motion.position_t0, &motion.position_t1, &motion.theta_t0, &motion.theta_t1];
    names[1..].iter().zip(vectors).try_for_each(|(name, x)| coordinate(name, None, x))?;
    let length = motion.orientation.as_vector().norm();
    if motion.is_valid() { Ok(()) } else { Err(InvalidQuery::Orientation { motion: names[0], length }) }
}

pub(crate) fn horizon(horizon: f64) -> Result<(), InvalidQuery> {
    if horizon > 0.0 && horizon <= 1.0 { Ok(()) } else { Err(InvalidQuery::Horizon { horizon }) }
}

#[cfg(test)]
mod tests {
    use rigor_math::UnitQuaternion;

    use crate::{Ccd, Kind, LinearMethod, LinearQuery, RigidMethod, RigidMotion, RigidQuery, StraightMotion};

    use super::*;

    fn triangle() -> LinearQuery {
        let still = [Vec3::zeros(), Vec3::x(), Vec3::y()].map(StraightMotion::at_rest);
        LinearQuery::point_triangle(StraightMotion::between(Vec3::z(), -Vec3::z()), still, 0.0)
    }

    fn edges() -> RigidQuery {
        let still = RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity());
        RigidQuery::edge_edge([still; 2], [Vec3::x(), Vec3::y()], [Vec3::zeros(), Vec3::z()], 0.0)
    }

    #[test]
    fn every_method_tells_the_invalid_number_alike() {
        let (mut query, mut rigid) = (triangle(), edges());
        query.start[3].z = f64::NEG_INFINITY;
        for method in LinearMethod::ALL {
            let told = |query: &LinearQuery, horizon| method.impact(query, horizon).unwrap_err().to_string();
            assert_eq!(told(&query, 1.0), "start[3].z is -inf, infinite");
            assert_eq!(told(&triangle(), 1.5), "the horizon is 1.5e0: it must lie in (0, 1]");
            let negative = triangle().with_d_min(-0.25);
            assert_eq!(told(&negative, 1.0), "d_min is -2.5e-1: it must be finite and at least 0 m");
        }
        rigid.motion_b.theta_t1.x = f64::NAN;
        for method in RigidMethod::ALL {
            let told = |query: &RigidQuery, horizon| method.impact(query, horizon).unwrap_err().to_string();
            assert_eq!(told(&rigid, 1.0), "motion_b.theta_t1.x is NaN, not a number");
            assert_eq!(told(&edges(), f64::NAN), "the horizon is NaN, not a number: it must lie in (0, 1]");
        }
    }

    #[test]
    fn an_orientation_is_told_with_its_length() {
        let mut query = edges();
        query.motion_a.orientation =
            UnitQuaternion::new_unchecked(query.motion_a.orientation.as_vector().map(|c| 2.0 * c).into());
        assert_eq!(query.check(), Err(InvalidQuery::Orientation { motion: "motion_a", length: 2.0 }));
    }

    #[test]
    fn points_that_the_kind_lacks_may_be_anything() {
        let points = [Vec3::zeros(), Vec3::x(), Vec3::repeat(f64::NAN), Vec3::repeat(f64::NAN)];
        assert_eq!(LinearQuery::new(Kind::PointPoint, points, points, 0.0).check(), Ok(()));
    }
}

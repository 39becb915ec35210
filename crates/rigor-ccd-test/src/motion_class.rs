//! Classes of motion: what an engine must be able to follow to answer a query.

use std::f64::consts::PI;
use std::fmt;

use rigor_ccd::{RigidMotion, RigidQuery};

use super::query::U;

/// How the bodies of a query turn: about a fixed or a free axis, and by less than half a turn or more.
///
/// An engine that interpolates between two poses follows a fixed axis and less than half a turn; one that is given an
/// angular velocity follows a fixed axis and any turn. Both bodies must be within the class.
///
/// ```
/// use rigor_ccd::{RigidMotion, RigidQuery};
/// use rigor_ccd_test::MotionClass;
/// use rigor_math::{UnitQuaternion, Vec3};
/// let still = RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity());
/// let class = |theta| {
///     let turning = RigidMotion::between([Vec3::zeros(); 2], theta);
///     MotionClass::of(&RigidQuery::point_point([turning, still], Vec3::x(), Vec3::y(), 0.0))
/// };
/// assert_eq!(class([Vec3::z(), Vec3::z()]), MotionClass::Straight);
/// assert_eq!(class([Vec3::z(), Vec3::z() * 3.0]), MotionClass::FixedAxisShort);
/// assert_eq!(class([-Vec3::z(), Vec3::z() * 3.0]), MotionClass::FixedAxisLong);
/// assert_eq!(class([Vec3::x(), Vec3::z()]), MotionClass::FreeAxisShort);
/// assert_eq!(class([Vec3::x(), Vec3::z() * 4.0]), MotionClass::FreeAxisLong);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MotionClass {
    /// No body turns: θ₀ = θ₁. Linear queries are of this class.
    Straight,
    /// θ₀ and θ₁ of each body are parallel to within rounding, and it turns by less than π.
    FixedAxisShort,
    /// θ₀ and θ₁ of each body are parallel to within rounding.
    FixedAxisLong,
    /// ‖θ₀‖, ‖θ₁‖ and ‖θ₁ − θ₀‖ of each body are below π.
    FreeAxisShort,
    /// All other motions.
    FreeAxisLong,
}

impl MotionClass {
    /// All classes.
    pub const ALL: [Self; 5] =
        [Self::Straight, Self::FixedAxisShort, Self::FixedAxisLong, Self::FreeAxisShort, Self::FreeAxisLong];

    /// The class of a query.
    pub fn of(query: &RigidQuery) -> Self {
        let turns = [&query.motion_a, &query.motion_b].map(Turns::of);
        if turns.iter().all(|turns| turns.angle == 0.0) {
            return Self::Straight;
        }
        let has_fixed_axes = turns.iter().all(|turns| turns.has_fixed_axis);
        match (has_fixed_axes, turns.iter().all(|turns| turns.is_short)) {
            (true, _) if turns.iter().all(|turns| turns.angle < PI) => Self::FixedAxisShort,
            (true, _) => Self::FixedAxisLong,
            (false, true) => Self::FreeAxisShort,
            (false, false) => Self::FreeAxisLong,
        }
    }

    /// The name used on the command line, in files and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Straight => "straight",
            Self::FixedAxisShort => "fixed-axis-short",
            Self::FixedAxisLong => "fixed-axis-long",
            Self::FreeAxisShort => "free-axis-short",
            Self::FreeAxisLong => "free-axis-long",
        }
    }

    /// The class with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

impl fmt::Display for MotionClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How one body turns.
struct Turns {
    /// ‖θ₁ − θ₀‖ (rad).
    angle: f64,
    has_fixed_axis: bool,
    is_short: bool,
}

impl Turns {
    fn of(motion: &RigidMotion) -> Self {
        let (from, to) = (motion.theta_t0, motion.theta_t1);
        let angle = (to - from).norm();
        let across = from.cross(&to).norm();
        let has_fixed_axis = angle == 0.0 || across <= 8.0 * U * from.norm() * to.norm();
        Self { angle, has_fixed_axis, is_short: from.norm().max(to.norm()).max(angle) < PI }
    }
}

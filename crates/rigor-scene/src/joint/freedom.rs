//! A free coordinate of a joint: its bounds and its drive.

/// Bounds of a coordinate (m or rad).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Lower bound; −∞ for none.
    pub min: f64,
    /// Upper bound; ∞ for none.
    pub max: f64,
    /// Compliance α (m/N or rad/(N m)) of the bounds; 0 is rigid.
    pub compliance: f64,
}

impl Range {
    /// No bounds.
    pub const UNBOUNDED: Self = Self { min: f64::NEG_INFINITY, max: f64::INFINITY, compliance: 0.0 };

    /// Rigid bounds.
    pub fn new(min: f64, max: f64) -> Self {
        Self { min, max, compliance: 0.0 }
    }

    /// Whether at least one bound is finite.
    pub fn is_bounded(&self) -> bool {
        self.min.is_finite() || self.max.is_finite()
    }

    /// Returns how far `x` is above the range (> 0) or below it (< 0); 0 inside.
    ///
    /// ```
    /// use rigor_scene::Range;
    /// assert_eq!(Range::new(-1.0, 2.0).excess(2.5), 0.5);
    /// assert_eq!(Range::new(-1.0, 2.0).excess(-3.0), -2.0);
    /// assert_eq!(Range::UNBOUNDED.excess(1e9), 0.0);
    /// ```
    pub fn excess(&self, x: f64) -> f64 {
        x - x.max(self.min).min(self.max)
    }

    /// Returns how far the angle `x` (rad) is outside the range, measured around the circle to the nearer
    /// bound: > 0 above, < 0 below.
    ///
    /// ```
    /// use rigor_scene::Range;
    /// let range = Range::new(-1.0, 3.0);
    /// // Just beyond half a turn, at −π + 0.1: above 3 rad, not below −1.
    /// assert!((range.excess_angle(0.1 - std::f64::consts::PI) - (std::f64::consts::PI + 0.1 - 3.0)).abs() < 1e-15);
    /// ```
    pub fn excess_angle(&self, x: f64) -> f64 {
        let excess = self.excess(x);
        let around = if excess > 0.0 {
            x - std::f64::consts::TAU - self.min
        } else if excess < 0.0 {
            x + std::f64::consts::TAU - self.max
        } else {
            return 0.0;
        };
        if around.abs() < excess.abs() { around } else { excess }
    }
}

impl Default for Range {
    fn default() -> Self {
        Self::UNBOUNDED
    }
}

/// Target of a drive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// A fixed value (m or rad).
    Position(f64),
    /// A rate (m/s or rad/s): the target starts at the coordinate's value and moves at this rate.
    Velocity(f64),
}

/// A motor or a spring that pulls a coordinate towards a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drive {
    /// Target position or velocity.
    pub goal: Goal,
    /// Compliance α (m/N or rad/(N m)), the inverse of the stiffness; 0 is rigid.
    pub compliance: f64,
    /// Force divided by the velocity of the coordinate relative to its target (N s/m or N m s/rad). A rigid
    /// drive needs none.
    pub damping: f64,
    /// Maximum force (N) or torque (N m); ∞ for no limit.
    pub max_effort: f64,
}

impl Drive {
    /// A rigid drive of unlimited strength.
    pub fn new(goal: Goal) -> Self {
        Self { goal, compliance: 0.0, damping: 0.0, max_effort: f64::INFINITY }
    }
}

/// A coordinate that is free within bounds and may be driven.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Freedom {
    /// Its bounds.
    pub range: Range,
    /// Its drive.
    pub drive: Option<Drive>,
}

impl Freedom {
    /// Neither bounds nor drive.
    pub const FREE: Self = Self { range: Range::UNBOUNDED, drive: None };

    /// Free within bounds, without drive.
    pub fn within(range: Range) -> Self {
        Self { range, drive: None }
    }

    /// Driven, without bounds.
    pub fn driven(drive: Drive) -> Self {
        Self { range: Range::UNBOUNDED, drive: Some(drive) }
    }
}

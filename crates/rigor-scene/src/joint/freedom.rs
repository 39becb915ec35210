//! A free coordinate of a joint: its bounds and its drive.

use super::ForceLaw;

/// Bounds of a coordinate (m or rad). A turn is counted over whole turns: bounds may be beyond ±2π.
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

    /// Whether both bounds are one value: they hold the coordinate from both sides.
    ///
    /// ```
    /// use rigor_scene::Range;
    /// assert!(Range::new(0.5, 0.5).is_one_value() && !Range::new(0.5, 0.6).is_one_value());
    /// ```
    pub fn is_one_value(&self) -> bool {
        self.min == self.max
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

    /// Returns the value nearest to `x` that the bounds allow; `x` itself if they are compliant.
    ///
    /// ```
    /// use rigor_scene::Range;
    /// let rigid = Range::new(-1.0, 2.0);
    /// assert_eq!(rigid.nearest(2.5), 2.0);
    /// assert_eq!(Range { compliance: 0.1, ..rigid }.nearest(2.5), 2.5);
    /// ```
    pub fn nearest(&self, x: f64) -> f64 {
        if self.compliance > 0.0 { x } else { x.max(self.min).min(self.max) }
    }

    /// Returns the turn (rad), counted over whole turns, with which a joint starts whose frames show `turn`: the one that is
    /// least outside the range.
    ///
    /// It is `turn` itself unless both bounds are finite and another count is nearer to them. Within [`ROUNDING`] of the
    /// range it is `turn`, so that a rounding error below [0, 2π] does not start the joint at its upper bound.
    ///
    /// ```
    /// use rigor_scene::Range;
    /// use std::f64::consts::{PI, TAU};
    /// // −90° is 270°, within [180°, 360°].
    /// assert_eq!(Range::new(PI, TAU).start(-0.5 * PI), 1.5 * PI);
    /// assert_eq!(Range::new(0.0, f64::INFINITY).start(-0.1), -0.1);
    /// assert_eq!(Range::new(0.0, TAU).start(-1e-9), -1e-9);
    /// ```
    pub fn start(&self, turn: f64) -> f64 {
        let excess = self.excess(turn);
        if !(self.min.is_finite() && self.max.is_finite()) || excess.abs() <= ROUNDING {
            return turn;
        }
        // The last count on this side of the bound, and the first beyond it.
        let bound = if excess > 0.0 { self.max } else { self.min };
        let counts = (bound - turn) / std::f64::consts::TAU;
        let at = |counts: f64| turn + std::f64::consts::TAU * counts;
        let (low, high) = (at(counts.floor()), at(counts.ceil()));
        let best = if self.excess(high).abs() < self.excess(low).abs() { high } else { low };
        if self.excess(best).abs() < excess.abs() { best } else { turn }
    }
}

/// Angle (rad) outside a range that counts as a rounding error of a file's numbers: [`Range::start`].
pub const ROUNDING: f64 = 1e-3;

impl Default for Range {
    fn default() -> Self {
        Self::UNBOUNDED
    }
}

/// Target of a drive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// A fixed value (m or rad); of a turn counted over whole turns.
    Position(f64),
    /// A rate (m/s or rad/s): the target starts at the coordinate's value and moves at this rate.
    Velocity(f64),
}

/// A motor or a spring that pulls a coordinate towards a target, with the force −R(c) − d ċ at the deviation c from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Drive {
    /// Target position or velocity.
    pub goal: Goal,
    /// R: the restoring force as a function of the deviation.
    pub law: ForceLaw,
    /// d: force divided by the velocity of the coordinate relative to its target (N s/m or N m s/rad). A rigid
    /// drive needs none.
    pub damping: f64,
    /// Maximum force (N) or torque (N m); ∞ for no limit.
    pub max_effort: f64,
}

impl Drive {
    /// A rigid drive of unlimited strength.
    pub fn new(goal: Goal) -> Self {
        Self { goal, law: ForceLaw::RIGID, damping: 0.0, max_effort: f64::INFINITY }
    }

    /// A spring of compliance `compliance` (m/N or rad/(N m)), undamped and of unlimited strength.
    pub fn spring(goal: Goal, compliance: f64) -> Self {
        Self { law: ForceLaw::Linear { compliance }, ..Self::new(goal) }
    }

    /// Whether it holds its coordinate, or moves it, whatever that takes.
    pub fn is_certain(&self) -> bool {
        self.law.is_rigid() && self.max_effort == f64::INFINITY
    }

    /// Returns the potential (J) of its pull at the deviation `c` (m or rad) from a fixed goal; without damping the pull is −V′(c).
    ///
    /// ```text
    /// V(c) = U(c) for |R(c)| ≤ F,   U(c₁) + F |c − c₁| beyond the deviation c₁ at which |R(c₁)| = F
    /// ```
    ///
    /// with U = ∫R of its [law](ForceLaw::energy) and the maximum effort F. A rigid drive of unlimited strength stores nothing.
    ///
    /// ```
    /// use rigor_scene::{Drive, Goal};
    /// let spring = Drive { max_effort: 4.0, ..Drive::spring(Goal::Position(0.0), 0.5) };
    /// assert_eq!(spring.energy(-1.0), 1.0);
    /// // From 2 m on it pulls with 4 N.
    /// assert_eq!(spring.energy(3.0), spring.energy(2.0) + 4.0);
    /// ```
    pub fn energy(&self, c: f64) -> f64 {
        if self.max_effort == f64::INFINITY {
            return self.law.energy(c);
        }
        let [least, most] = [-self.max_effort, self.max_effort].map(|force| self.law.deviation(force));
        let near = c.max(least).min(most);
        self.law.energy(near) + self.max_effort * (c - near).abs()
    }
}

/// A coordinate that is free within bounds and may be driven.
#[derive(Debug, Clone, PartialEq, Default)]
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

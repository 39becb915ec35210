//! How far the frames of a joint are from what it demands.

use rigor_math::{Pose, Vec3, elementary, rotation_vector};

use super::{Drive, Goal, HeldRotation, Joint, JointFrames, JointKind, Range};

/// The deviation of a joint's frames from what it holds rigidly, part by part; compliant parts are 0, because a stretched
/// spring is no error.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Misfit {
    /// Rotation vector (rad, B's axes) that turns B to where A fits what the joint holds.
    pub rotation: Vec3,
    /// Position (m) of A's origin along the held axes of B, after that rotation of B.
    pub gap: Vec3,
    /// Excess (rad) of the turn beyond its bounds: > 0 above, < 0 below.
    pub turn: f64,
    /// Excess (rad) of the swing beyond its bounds.
    pub swing: f64,
    /// Excess (m) of the slide, or of the distance, beyond its bounds.
    pub length: f64,
    /// Turn less the goal (rad) of a rigid drive of unlimited strength, or less the rigid bound before that goal.
    pub turn_drive: f64,
    /// Slide, or distance, less the goal (m) of a rigid drive of unlimited strength, or less the rigid bound before that goal.
    pub slide_drive: f64,
}

impl Misfit {
    /// Returns the misfit of `joint` at `frames`, with its turn (rad) counted over whole turns.
    ///
    /// ```
    /// use rigor_math::{Pose, Vec3};
    /// use rigor_scene::{BodyId, Joint, JointFrames, JointKind, joint::Misfit};
    /// let pin = Joint::new("pin", JointKind::BALL, (BodyId(0), Pose::identity()), (None, Pose::identity()));
    /// let frames = JointFrames { a: Pose::translation(Vec3::y() * 0.5), b: Pose::identity() };
    /// assert_eq!(Misfit::of(&pin, &frames, 0.0).gap, Vec3::y() * 0.5);
    /// ```
    pub fn of(joint: &Joint, frames: &JointFrames, turn: f64) -> Self {
        let (kind, held) = (&joint.kind, joint.kind.held());
        let askew = || match held.rotation {
            HeldRotation::All => rotation_vector::log(&frames.relative()),
            HeldRotation::Swing => frames.swing(),
            HeldRotation::Cross => uncrossed(frames),
            HeldRotation::None => Vec3::zeros(),
        };
        let rotation = if joint.angular_compliance > 0.0 { Vec3::zeros() } else { askew() };
        let turned = JointFrames { b: turned(&frames.b, &rotation), ..*frames };
        let local = turned.gap_local();
        let gap = if joint.compliance > 0.0 {
            Vec3::zeros()
        } else {
            Vec3::from_fn(|i, _| if held.gap[i] { local[i] } else { 0.0 })
        };
        let rigid = |range: Range, x: f64| if range.compliance > 0.0 { 0.0 } else { range.excess(x) };
        let length = match kind {
            JointKind::Distance { max, .. } => {
                let is_length = *max > 0.0 && joint.compliance == 0.0;
                if is_length { kind.length_range().excess(frames.gap().norm()) } else { 0.0 }
            }
            JointKind::Prismatic { slide } | JointKind::Cylindrical { slide, .. } => {
                rigid(slide.range, local.x)
            }
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Gear { .. } => 0.0,
        };
        let driven_length = match kind {
            JointKind::Distance { .. } => frames.gap().norm(),
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Gear { .. } => local.x,
        };
        let swing = kind.swing_range();
        Self {
            rotation,
            gap,
            turn: rigid(kind.turn_range(), turn),
            swing: if swing.is_bounded() { rigid(swing, frames.swing().norm()) } else { 0.0 },
            length,
            turn_drive: off_goal(kind.turn_drive(), kind.turn_range(), turn),
            slide_drive: off_goal(kind.length_drive(), kind.length_range(), driven_length),
        }
    }

    /// Returns the frame B to which A fits all that the joint holds.
    pub fn fitted(&self, b: &Pose) -> Pose {
        let turned = turned(b, &self.rotation);
        Pose { position: turned.position + turned.vector(&self.gap), ..turned }
    }

    /// Returns Σ of the squares of all parts, lengths over `length` (m).
    pub fn square(&self, length: f64) -> f64 {
        let lengths =
            self.gap.norm_squared() + self.length * self.length + self.slide_drive * self.slide_drive;
        let turns = self.turn * self.turn + self.swing * self.swing + self.turn_drive * self.turn_drive;
        lengths / (length * length) + self.rotation.norm_squared() + turns
    }

    /// Returns the largest length (m) and the largest angle (rad).
    pub fn largest(&self) -> (f64, f64) {
        let length = self.gap.norm().max(self.length.abs()).max(self.slide_drive.abs());
        let angles = [self.turn, self.swing, self.turn_drive];
        (length, angles.iter().fold(self.rotation.norm(), |largest, angle| largest.max(angle.abs())))
    }
}

impl Misfit {
    /// Returns `f` of each part of two misfits.
    fn of_both(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            rotation: self.rotation.zip_map(&other.rotation, &f),
            gap: self.gap.zip_map(&other.gap, &f),
            turn: f(self.turn, other.turn),
            swing: f(self.swing, other.swing),
            length: f(self.length, other.length),
            turn_drive: f(self.turn_drive, other.turn_drive),
            slide_drive: f(self.slide_drive, other.slide_drive),
        }
    }
}

/// Part by part.
impl std::ops::Add for Misfit {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.of_both(other, |x, y| x + y)
    }
}

/// Part by part.
impl std::ops::Sub for Misfit {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.of_both(other, |x, y| x - y)
    }
}

/// Part by part.
impl std::ops::Mul<f64> for Misfit {
    type Output = Self;

    fn mul(self, by: f64) -> Self {
        self.of_both(self, |x, _| x * by)
    }
}

/// The distance of a coordinate from the goal of its drive, or from the rigid bound before it, if no compliance and no limit of
/// strength softens the drive.
fn off_goal(drive: Option<&Drive>, range: Range, x: f64) -> f64 {
    match drive {
        Some(drive @ Drive { goal: Goal::Position(goal), .. }) if drive.is_certain() => {
            x - range.nearest(*goal)
        }
        Some(Drive { goal: Goal::Position(_) | Goal::Velocity(_), .. }) | None => 0.0,
    }
}

/// Returns the rotation vector (B's axes) that turns B's x axis to a right angle with A's y axis.
fn uncrossed(frames: &JointFrames) -> Vec3 {
    let angle = elementary::asin(frames.cross().clamp(-1.0, 1.0));
    let across = frames.b.inverse_vector(&frames.a.vector(&Vec3::y()).cross(&frames.axis_b()));
    across.try_normalize(1e-9).unwrap_or_else(Vec3::y) * angle
}

/// Returns `b` turned by the rotation vector `theta` in its own axes.
fn turned(b: &Pose, theta: &Vec3) -> Pose {
    if *theta == Vec3::zeros() {
        return *b;
    }
    Pose { rotation: b.rotation * rotation_vector::exp(theta), ..*b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BodyId;

    #[test]
    fn frames_fit_once_b_is_moved_to_where_they_do() {
        let kinds = [
            JointKind::Fixed,
            JointKind::BALL,
            JointKind::HINGE,
            JointKind::Universal,
            JointKind::PRISMATIC,
            JointKind::CYLINDRICAL,
            JointKind::distance(0.0, 0.0),
        ];
        for kind in kinds {
            let joint =
                Joint::new("j", kind.clone(), (BodyId(0), Pose::identity()), (None, Pose::identity()));
            let at = |x: f64, theta: [f64; 3]| {
                Pose::new(Vec3::new(x, 0.4, -0.3), rotation_vector::exp(&theta.into()))
            };
            let frames = JointFrames { a: at(0.7, [0.5, -0.9, 0.4]), b: at(-0.2, [-0.3, 0.2, 1.1]) };
            let misfit = Misfit::of(&joint, &frames, 0.0);
            assert!(misfit.largest().0 > 0.1, "{kind:?}");
            let fitted = JointFrames { b: misfit.fitted(&frames.b), ..frames };
            let (length, angle) = Misfit::of(&joint, &fitted, 0.0).largest();
            assert!(length < 1e-15 && angle < 1e-7, "{kind:?}: {length} m, {angle} rad");
            let turn = fitted.turn() - frames.turn();
            let keeps_turn = matches!(kind.held().rotation, HeldRotation::Swing);
            assert!(!keeps_turn || turn.abs() < 1e-14, "{kind:?} turned by {turn}");
        }
    }
}

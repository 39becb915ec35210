//! What a joint's frames are off from all that it demands, whether rigid or compliant, and the energy of its springs.

use rigor_math::{Pose, Vec3, angle, elementary};

use crate::joint::{Drive, Goal, Joint, JointFrames, JointKind, Range};
use crate::state::State;

/// The error of a joint; `None` for what it does not constrain.
///
/// With the joint's frames A and B in the world, origins a and b:
///
/// | kind | distance | angle |
/// | --- | --- | --- |
/// | fixed | ‖a − b‖ | of the rotation from A to B |
/// | ball | ‖a − b‖ | – |
/// | hinge | ‖a − b‖ | between the x axes of A and B |
/// | universal | ‖a − b‖ | of A's y axis with B's x axis, less π/2 |
/// | prismatic | of a from the x axis of B | of the rotation from A to B |
/// | cylindrical | of a from the x axis of B | between the x axes of A and B |
/// | distance | of ‖a − b‖ from [min, max] | – |
/// | gear | – | – (a state alone does not determine it) |
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointError {
    /// Distance (m, ≥ 0).
    pub position: Option<f64>,
    /// Angle (rad, ≥ 0).
    pub angle: Option<f64>,
    /// Distance of the slide beyond its bounds (m, ≥ 0).
    pub slide_excess: Option<f64>,
    /// Angle of the turn beyond its bounds (rad, ≥ 0).
    pub turn_excess: Option<f64>,
    /// Angle of the swing beyond its bounds (rad, ≥ 0).
    pub swing_excess: Option<f64>,
    /// A driven slide or distance, less its fixed goal (m).
    pub length_miss: Option<f64>,
    /// A driven turn, less its fixed goal (rad).
    pub turn_miss: Option<f64>,
}

impl JointError {
    /// Computes the error of `joint` in `state`, with its turn counted as at time 0: [`Range::start`].
    pub fn of(joint: &Joint, state: &State) -> Self {
        let frames = JointFrames::of(joint, |body| state.bodies[body.0].pose);
        Self::at_turn(joint, state, joint.kind.turn_range().start(frames.turn()))
    }

    /// Computes the error of `joint` in `state`, with its `turn` (rad) counted over whole turns.
    pub fn at_turn(joint: &Joint, state: &State, turn: f64) -> Self {
        let JointFrames { a, b } = JointFrames::of(joint, |body| state.bodies[body.0].pose);
        let held = Self::of_frames(&joint.kind, &a, &b);
        let slide = b.inverse_point(&a.position).x;
        let bounded = |range: &Range| range.is_bounded().then_some(*range);
        let miss = |drive: Option<&Drive>, x: f64| match drive?.goal {
            Goal::Position(goal) => Some(x - goal),
            Goal::Velocity(_) => None,
        };
        let length = if let JointKind::Distance { .. } = joint.kind {
            (a.position - b.position).norm()
        } else {
            slide
        };
        let mut error = held;
        error.length_miss = miss(joint.kind.length_drive(), length);
        error.turn_miss = miss(joint.kind.turn_drive(), turn);
        if let Some(freedom) = joint.kind.slide() {
            error.slide_excess = bounded(&freedom.range).map(|range| range.excess(slide).abs());
        }
        if let Some(freedom) = joint.kind.turn() {
            error.turn_excess = bounded(&freedom.range).map(|range| range.excess(turn).abs());
        }
        if let JointKind::Ball { swing, twist } = &joint.kind {
            error.turn_excess = bounded(twist).map(|range| range.excess(turn).abs());
            let angle = angle::between_directions(&x_axis(&a), &x_axis(&b));
            error.swing_excess = bounded(swing).map(|range| range.excess(angle).abs());
        }
        error
    }

    fn of_frames(kind: &JointKind, a: &Pose, b: &Pose) -> Self {
        let gap = a.position - b.position;
        let rotation = || angle::between_rotations(&a.rotation, &b.rotation);
        let axes = || angle::between_directions(&x_axis(a), &x_axis(b));
        let off_rail = || x_axis(b).cross(&gap).norm();
        let (position, angle) = match *kind {
            JointKind::Fixed => (Some(gap.norm()), Some(rotation())),
            JointKind::Ball { .. } => (Some(gap.norm()), None),
            JointKind::Hinge { .. } => (Some(gap.norm()), Some(axes())),
            JointKind::Universal => {
                let square = elementary::asin(a.vector(&Vec3::y()).dot(&x_axis(b)).clamp(-1.0, 1.0));
                (Some(gap.norm()), Some(square.abs()))
            }
            JointKind::Prismatic { .. } => (Some(off_rail()), Some(rotation())),
            JointKind::Cylindrical { .. } => (Some(off_rail()), Some(axes())),
            JointKind::Distance { min, max, .. } => {
                (Some(Range::new(min, max).excess(gap.norm()).abs()), None)
            }
            JointKind::Gear { .. } => (None, None),
        };
        Self { position, angle, ..Self::default() }
    }

    /// Returns the energy (J) stored in `joint`: Σ C²/(2α) over its compliant constraints, and the [energy](crate::Drive::energy) of
    /// drives to a fixed goal.
    ///
    /// Source: \[Macklin2016\], the potential of a constraint with compliance α.
    ///
    /// ```
    /// use rigor_math::{Pose, Vec3};
    /// use rigor_scene::{BodyId, JointError, Drive, Freedom, Goal, Joint, JointKind};
    /// let spring = Drive::spring(Goal::Position(3.0), 0.5);
    /// let slide = JointKind::Prismatic { slide: Freedom::driven(spring) };
    /// let joint = Joint::new("spring", slide, (BodyId(0), Pose::identity()), (None, Pose::identity()));
    /// let error = JointError { length_miss: Some(2.0), ..JointError::default() };
    /// assert_eq!(error.energy(&joint), 4.0);
    /// ```
    pub fn energy(&self, joint: &Joint) -> f64 {
        let spring = |c: Option<f64>, alpha: f64| match c {
            Some(c) if alpha > 0.0 => c * c / (2.0 * alpha),
            _ => 0.0,
        };
        let driven = |drive: Option<&Drive>, miss: Option<f64>| match (drive, miss) {
            (Some(drive), Some(miss)) => drive.energy(miss),
            (None, _) | (_, None) => 0.0,
        };
        spring(self.position, joint.compliance)
            + spring(self.angle, joint.angular_compliance)
            + spring(self.slide_excess, joint.kind.slide().map_or(0.0, |slide| slide.range.compliance))
            + spring(self.turn_excess, joint.kind.turn_range().compliance)
            + spring(self.swing_excess, joint.kind.swing_range().compliance)
            + driven(joint.kind.length_drive(), self.length_miss)
            + driven(joint.kind.turn_drive(), self.turn_miss)
    }
}

fn x_axis(frame: &Pose) -> Vec3 {
    frame.vector(&Vec3::x())
}

#[cfg(test)]
mod tests {
    use rigor_math::rotation_vector;

    use super::*;
    use crate::body::BodyId;
    use crate::joint::{ForceLaw, Freedom};
    use crate::placement::BodyState;

    fn joint(kind: JointKind) -> Joint {
        let frame = |x: f64| Pose::translation(Vec3::x() * x);
        Joint::new("joint", kind, (BodyId(0), frame(1.0)), (Some(BodyId(1)), frame(-1.0)))
    }

    /// Returns the error of a joint between a cube at the origin and one placed at `b`.
    fn errors(kind: JointKind, b: Pose) -> JointError {
        let body = |pose: Pose| BodyState { pose, ..BodyState::default() };
        let state = State { bodies: vec![body(Pose::identity()), body(b)], ..State::default() };
        JointError::of(&joint(kind), &state)
    }

    /// Returns the pose of B's cube turned by `theta` about the joint.
    fn about(theta: Vec3) -> Pose {
        let q = rotation_vector::exp(&theta);
        Pose::new(Vec3::x() + q * Vec3::x(), q)
    }

    fn shifted(by: Vec3) -> Pose {
        Pose::translation(Vec3::x() * 2.0 + by)
    }

    fn near(x: f64, y: f64) -> bool {
        (x - y).abs() < 1e-14
    }

    #[test]
    fn each_kind_of_joint_leaves_free_what_it_says_and_nothing_else() {
        // Angle when turned by ¼ rad about x, y, z; distance when shifted by ½ m along x, z.
        let kinds = [
            (JointKind::Fixed, [0.25, 0.25, 0.25], [0.5, 0.5]),
            (JointKind::BALL, [0.0, 0.0, 0.0], [0.5, 0.5]),
            (JointKind::HINGE, [0.0, 0.25, 0.25], [0.5, 0.5]),
            (JointKind::Universal, [0.0, 0.0, 0.25], [0.5, 0.5]),
            (JointKind::PRISMATIC, [0.25, 0.25, 0.25], [0.0, 0.5]),
            (JointKind::CYLINDRICAL, [0.0, 0.25, 0.25], [0.0, 0.5]),
        ];
        for (kind, angles, distances) in kinds {
            let kept = errors(kind.clone(), shifted(Vec3::zeros()));
            assert_eq!((kept.position, kept.angle.unwrap_or(0.0)), (Some(0.0), 0.0), "{kind:?}");
            for (axis, angle) in [Vec3::x(), Vec3::y(), Vec3::z()].iter().zip(angles) {
                let askew = errors(kind.clone(), about(axis * 0.25)).angle.unwrap_or(0.0);
                assert!(near(askew, angle), "{kind:?} about {axis}: {askew}");
            }
            for (axis, distance) in [Vec3::x(), Vec3::z()].iter().zip(distances) {
                assert!(
                    near(errors(kind.clone(), shifted(axis * 0.5)).position.unwrap(), distance),
                    "{kind:?}"
                );
            }
        }
        let rod = JointKind::distance(0.25, 0.375);
        for (d, error) in [(0.0, 0.25), (0.25, 0.0), (0.5, 0.125)] {
            assert_eq!(errors(rod.clone(), shifted(Vec3::z() * d)).position, Some(error));
        }
        assert_eq!(errors(JointKind::Gear { ratio: 2.0 }, about(Vec3::x())), JointError::default());
    }

    #[test]
    fn bounds_and_goals_are_measured_for_a_against_b() {
        let range = Range::new(-0.5, 0.5);
        let turn = Freedom { range, drive: Some(Drive::new(Goal::Position(1.0))) };
        // B turned by +¾ about x: relative to B, A is at −¾.
        let hinge = errors(JointKind::Hinge { turn: turn.clone() }, about(Vec3::x() * 0.75));
        assert!(near(hinge.turn_excess.unwrap(), 0.25) && near(hinge.turn_miss.unwrap(), -1.75));
        let slide = errors(JointKind::Prismatic { slide: turn }, shifted(Vec3::x() * 0.75));
        assert_eq!((slide.slide_excess, slide.length_miss), (Some(0.25), Some(-1.75)));
        let ball = JointKind::Ball { swing: Range::new(f64::NEG_INFINITY, 0.5), twist: range };
        let found = errors(ball, about(Vec3::z() * 0.75));
        assert!(near(found.swing_excess.unwrap(), 0.25) && found.turn_excess == Some(0.0));
    }

    #[test]
    fn springs_between_two_points_hold_the_energy_of_their_law() {
        let drive = Drive { law: ForceLaw::polynomial(&[50.0, 12.0]), ..Drive::new(Goal::Position(2.5)) };
        let kind = JointKind::Distance { min: 0.0, max: f64::INFINITY, drive: Some(drive) };
        let error = errors(kind.clone(), shifted(Vec3::z() * 0.5));
        // ½ 50 · 4 + ⅓ 12 · 8 J at a length of ½ m.
        assert_eq!((error.length_miss, error.position), (Some(-2.0), Some(0.0)));
        assert_eq!(error.energy(&joint(kind)), 132.0);
    }

    #[test]
    fn compliant_joints_hold_the_energy_of_springs() {
        let error = errors(JointKind::Fixed, shifted(Vec3::z() * 0.5));
        let spring = Joint { compliance: 0.125, ..joint(JointKind::Fixed) };
        assert_eq!((error.energy(&spring), error.energy(&joint(JointKind::Fixed))), (1.0, 0.0));
        let bend = errors(JointKind::Fixed, about(Vec3::y() * 0.5));
        let spring = Joint { angular_compliance: 0.125, ..joint(JointKind::Fixed) };
        assert!(near(bend.energy(&spring), 1.0));
    }
}

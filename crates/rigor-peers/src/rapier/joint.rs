//! Conversion of joints to joints of the engine.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new kind of joint must be thought of everywhere")]

use rapier3d_f64::dynamics::{
    GenericJoint, GenericJointBuilder, JointAxesMask, JointAxis, MotorModel, SpringCoefficients,
};
use rigor_scene::joint::ROUNDING;
use rigor_scene::{Drive, Feature, Freedom, Goal, Joint, JointDamping, JointFeature, JointKind, Strength};

use super::pose::to_engine;

/// Stiffness of a rigid position drive and damping of a velocity drive, in the engine's units.
const RIGID: f64 = 1e12;

/// Builds the engine's joint between body b (its first) and body a (its second).
///
/// In this order its coordinates are those of a relative to b, along the x axis of the joint's frames, as in
/// the scene. Contact between the joined bodies follows the scene.
pub(super) fn joint(joint: &Joint, softness: SpringCoefficients<f64>) -> GenericJoint {
    let mut built = GenericJointBuilder::new(locked(&joint.kind))
        .local_frame1(to_engine(&joint.frame_b))
        .local_frame2(to_engine(&joint.frame_a))
        .softness(softness)
        .build();
    if let Some(slide) = joint.kind.slide() {
        free(&mut built, JointAxis::LinX, slide);
    }
    if let Some(turn) = joint.kind.turn() {
        free(&mut built, JointAxis::AngX, turn);
    }
    if let JointKind::Distance { min, max, drive } = &joint.kind {
        built.coupled_axes = JointAxesMask::LIN_AXES;
        if let Some(drive) = drive {
            drive_axis(&mut built, JointAxis::LinX, drive);
        } else if joint.compliance > 0.0 {
            built.set_motor_model(JointAxis::LinX, MotorModel::ForceBased);
            built.set_motor_position(JointAxis::LinX, *max, 1.0 / joint.compliance, 0.0);
        } else {
            built.set_limits(JointAxis::LinX, [*min, *max]);
        }
    }
    built
}

fn locked(kind: &JointKind) -> JointAxesMask {
    match kind {
        JointKind::Fixed => JointAxesMask::LOCKED_FIXED_AXES,
        JointKind::Ball { .. } => JointAxesMask::LOCKED_SPHERICAL_AXES,
        JointKind::Hinge { .. } => JointAxesMask::LOCKED_REVOLUTE_AXES,
        JointKind::Prismatic { .. } => JointAxesMask::LOCKED_PRISMATIC_AXES,
        JointKind::Cylindrical { .. } => {
            JointAxesMask::LOCKED_REVOLUTE_AXES & JointAxesMask::LOCKED_PRISMATIC_AXES
        }
        JointKind::Distance { .. } | JointKind::Universal | JointKind::Gear { .. } => JointAxesMask::empty(),
    }
}

fn free(joint: &mut GenericJoint, axis: JointAxis, freedom: &Freedom) {
    if freedom.range.is_bounded() {
        joint.set_limits(axis, [freedom.range.min, freedom.range.max]);
    }
    if let Some(drive) = &freedom.drive {
        drive_axis(joint, axis, drive);
    }
}

fn drive_axis(joint: &mut GenericJoint, axis: JointAxis, drive: &Drive) {
    joint.set_motor_model(axis, MotorModel::ForceBased);
    match drive.goal {
        Goal::Position(x) => {
            joint.set_motor_position(axis, x, drive.law.stiffness().unwrap_or(RIGID), drive.damping);
        }
        Goal::Velocity(v) => {
            joint.set_motor_velocity(axis, v, RIGID);
        }
    }
    if drive.max_effort.is_finite() {
        joint.set_motor_max_force(axis, drive.max_effort);
    }
}

/// Returns the feature of `joint` that the engine lacks, if any.
pub(super) fn lacks(joint: &Joint) -> Option<Feature> {
    let feature = what_is_lacking(joint)?;
    Some(Feature::Joint { feature, joint: joint.name.clone() })
}

fn what_is_lacking(joint: &Joint) -> Option<JointFeature> {
    let freedoms = || joint.kind.slide().into_iter().chain(joint.kind.turn());
    let moving_spring = |drive: &Drive| matches!(drive.goal, Goal::Velocity(_)) && !drive.law.is_rigid();
    let is_nonlinear = |drive: &Drive| !drive.law.is_rigid() && drive.law.stiffness().is_none();
    let is_free_spring = |drive: &Drive| {
        let is_fixed = matches!(drive.goal, Goal::Position(_));
        joint.kind.is_loose() && is_fixed && !drive.law.is_rigid()
    };
    let (is_spring, is_bounded, drives_distance) = match &joint.kind {
        JointKind::Distance { min, max, drive: None } => (min == max, false, false),
        JointKind::Distance { drive: Some(drive), .. } => (false, false, !is_free_spring(drive)),
        JointKind::Ball { swing, twist } => (false, swing.is_bounded() || twist.is_bounded(), false),
        JointKind::Fixed
        | JointKind::Hinge { .. }
        | JointKind::Universal
        | JointKind::Prismatic { .. }
        | JointKind::Cylindrical { .. }
        | JointKind::Gear { .. } => (false, false, false),
    };
    // The engine knows a turn up to whole turns.
    let beyond = |x: f64| x.is_finite() && x.abs() > std::f64::consts::PI + ROUNDING;
    let counts_turns = joint.kind.turn().is_some_and(|turn| beyond(turn.range.min) || beyond(turn.range.max));
    let lacking = [
        (joint.kind == JointKind::Universal, JointFeature::Universal),
        (matches!(joint.kind, JointKind::Gear { .. }), JointFeature::Gear),
        (is_bounded, JointFeature::BallBounds),
        (counts_turns, JointFeature::WholeTurns),
        (joint.compliance > 0.0 && !is_spring, JointFeature::Compliance),
        (joint.angular_compliance > 0.0, JointFeature::Compliance),
        (freedoms().any(|f| f.range.compliance > 0.0), JointFeature::BoundCompliance),
        (joint.kind.drives().any(is_nonlinear), JointFeature::NonlinearSpring),
        (drives_distance, JointFeature::DistanceDrive),
        (joint.kind.drives().any(moving_spring), JointFeature::MovingSpring),
        (joint.damping != JointDamping::default(), JointFeature::Damping),
        (joint.strength != Strength::default(), JointFeature::Strength),
    ];
    lacking.iter().find(|(lacks, _)| *lacks).map(|(_, what)| *what)
}

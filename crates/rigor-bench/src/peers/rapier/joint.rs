//! Joints as joints of the engine.

use rapier3d_f64::dynamics::{
    GenericJoint, GenericJointBuilder, JointAxesMask, RopeJointBuilder, SpringCoefficients,
};
use rigor_scene::{Joint, JointKind};

use super::world::to_engine;

/// The engine's joint between body a (its first) and body b (its second).
///
/// The engine, as we do, frees rotation (hinge) or translation (prismatic) along the x axis of the joint's frames.
/// Contact between the joined bodies stays on unless the scene switches it off.
pub(super) fn joint(joint: &Joint, softness: SpringCoefficients<f64>) -> GenericJoint {
    let locked = match joint.kind {
        JointKind::Fixed => JointAxesMask::LOCKED_FIXED_AXES,
        JointKind::Ball => JointAxesMask::LOCKED_SPHERICAL_AXES,
        JointKind::Hinge => JointAxesMask::LOCKED_REVOLUTE_AXES,
        JointKind::Prismatic => JointAxesMask::LOCKED_PRISMATIC_AXES,
        JointKind::Distance { max } => {
            let mut rope: GenericJoint = RopeJointBuilder::new(max).softness(softness).build().into();
            rope.set_local_frame1(to_engine(&joint.frame_a)).set_local_frame2(to_engine(&joint.frame_b));
            return rope;
        }
    };
    GenericJointBuilder::new(locked)
        .local_frame1(to_engine(&joint.frame_a))
        .local_frame2(to_engine(&joint.frame_b))
        .softness(softness)
        .build()
}

//! Joints of the engine.

use std::f64::consts::FRAC_1_SQRT_2;

use box3d_rust::joint::{
    create_distance_joint, create_filter_joint, create_prismatic_joint, create_revolute_joint,
    create_spherical_joint, create_weld_joint,
};
use box3d_rust::types::{
    DistanceJointDef, FilterJointDef, JointDef, PrismaticJointDef, RevoluteJointDef, SphericalJointDef,
    WeldJointDef, default_distance_joint_def, default_filter_joint_def, default_prismatic_joint_def,
    default_revolute_joint_def, default_spherical_joint_def, default_weld_joint_def,
};
use box3d_rust::world::World;
use box3d_rust::{BodyId, Transform};
use rigor_math::UnitQuaternion;

use super::convert::frame;
use crate::process::capabilities::JointType;
use crate::process::message::{LoadedFrame, LoadedJoint, wxyz};

/// Adds a joint between two bodies. Whether they collide is the business of the scene.
pub(super) fn add(world: &mut World, joint: &LoadedJoint, body_id_a: BodyId, body_id_b: BodyId) {
    let base = |base: JointDef, of: fn(&LoadedFrame) -> Transform| JointDef {
        body_id_a,
        body_id_b,
        local_frame_a: of(&joint.frame_a),
        local_frame_b: of(&joint.frame_b),
        collide_connected: true,
        ..base
    };
    match joint.kind {
        JointType::Fixed => {
            let def = default_weld_joint_def();
            create_weld_joint(world, &WeldJointDef { base: base(def.base, along_x), ..def });
        }
        JointType::Ball => {
            let def = default_spherical_joint_def();
            create_spherical_joint(world, &SphericalJointDef { base: base(def.base, along_x), ..def });
        }
        JointType::Hinge => {
            let def = default_revolute_joint_def();
            create_revolute_joint(world, &RevoluteJointDef { base: base(def.base, along_z), ..def });
        }
        JointType::Slider => {
            let def = default_prismatic_joint_def();
            create_prismatic_joint(world, &PrismaticJointDef { base: base(def.base, along_x), ..def });
        }
        JointType::Distance => {
            let def = default_distance_joint_def();
            let length = joint.distance.unwrap_or_default() as f32;
            create_distance_joint(world, &DistanceJointDef { base: base(def.base, along_x), length, ..def });
        }
    }
}

/// Lets two bodies pass through each other.
pub(super) fn part(world: &mut World, body_id_a: BodyId, body_id_b: BodyId) {
    let def = default_filter_joint_def();
    let base = JointDef { body_id_a, body_id_b, ..def.base };
    create_filter_joint(world, &FilterJointDef { base });
}

/// A frame as the scene has it: its x axis is that of the joint.
fn along_x(of: &LoadedFrame) -> Transform {
    frame(of.position, of.rotation)
}

/// A frame whose z axis is the x axis of the scene's: the engine's hinge turns about z.
fn along_z(of: &LoadedFrame) -> Transform {
    let [w, x, y, z] = of.rotation;
    let q = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(w, x, y, z));
    // A quarter turn about y takes z to x.
    let turn = nalgebra::Quaternion::new(FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2, 0.0);
    frame(of.position, wxyz(&(q * UnitQuaternion::new_unchecked(turn))))
}

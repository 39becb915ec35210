//! What the bodies of a random scene may have beyond contact: joints, restitution, affine maps, another integrator.

use proptest::prelude::*;
use rigor_math::{Pose, Vec3};
use rigor_scene::{Body, BodyId, Drive, Freedom, Goal, Joint, JointKind, Range, Scene, Setting, Settings};

use super::plan::{Plan, decades, machine_plan};

/// What is mixed into a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixed {
    /// e of every body.
    pub restitution: f64,
    /// κ (Pa) of affine bodies; `None`: they are rigid.
    pub affine_stiffness: Option<f64>,
    /// Setting of the method.
    pub integrator: &'static str,
    pub joints: Vec<JointPlan>,
}

/// A joint that holds at the start.
#[derive(Debug, Clone, PartialEq)]
pub struct JointPlan {
    /// Indices of its bodies, modulo their number; if equal, the second is the world.
    pub ends: [usize; 2],
    pub kind: Linkage,
    /// Its place, from one centre (0) to the other (1).
    pub at: f64,
    /// Rotation vector of its frame.
    pub turn: [f64; 3],
    /// Bounds of its motion around the start (rad, or sizes of the scene).
    pub within: Option<f64>,
    pub drive: Option<Motor>,
    /// Compliance of its origin (m/N).
    pub compliance: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Linkage {
    Fixed,
    Ball,
    Hinge,
    Universal,
    Prismatic,
    Cylindrical,
    Rope,
}

/// A drive of the turn or the slide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Motor {
    /// To the start, with this compliance.
    Spring(f64),
    /// At this rate (per second), with a limited effort.
    Rate(f64, f64),
}

impl Mixed {
    /// Whether something in it may give energy.
    pub fn gives_energy(&self) -> bool {
        self.joints.iter().any(|joint| joint.drive.is_some() || joint.compliance > 0.0)
    }

    pub fn enter(&self, settings: &mut Settings) {
        settings.insert("integrator".into(), self.integrator.into());
        settings.insert("record_path".into(), Setting::Bool(true));
        if let Some(stiffness) = self.affine_stiffness {
            settings.insert("bodies".into(), "affine".into());
            settings.insert("affine_stiffness".into(), Setting::Number(stiffness));
        }
    }

    /// Returns the joints between these bodies.
    pub fn joints(&self, bodies: &[Body], scale: f64) -> Vec<Joint> {
        let build = |(i, plan): (usize, &JointPlan)| {
            let [a, b] = plan.ends.map(|end| end % bodies.len());
            let other = Some(b).filter(|b| *b != a);
            let moves = |body: usize| bodies[body].is_dynamic();
            if !moves(a) && !other.is_some_and(moves) {
                return None;
            }
            let place = |body: usize| bodies[body].initial.pose;
            let from = place(a).position;
            let to = other.map_or(from + Vec3::repeat(0.3 * scale), |b| place(b).position);
            let at = from + (to - from) * plan.at;
            let frame = Pose::from_rotation_vector(at, &Vec3::from(plan.turn));
            let own = |body: usize| place(body).inverse().compose(&frame);
            let frames = [own(a), other.map_or(frame, own)];
            let mut joint = Joint::new(
                format!("joint-{i}"),
                plan.kind(scale),
                (BodyId(a), frames[0]),
                (other.map(BodyId), frames[1]),
            );
            joint.compliance = plan.compliance;
            Some(joint)
        };
        self.joints.iter().enumerate().filter_map(build).collect()
    }
}

impl JointPlan {
    fn kind(&self, scale: f64) -> JointKind {
        let range = |unit: f64| match self.within {
            Some(within) => Range::new(-within * unit, within * unit),
            None => Range::UNBOUNDED,
        };
        let drive = self.drive.map(|motor| match motor {
            Motor::Spring(compliance) => Drive::spring(Goal::Position(0.0), compliance),
            Motor::Rate(rate, effort) => Drive { max_effort: effort, ..Drive::new(Goal::Velocity(rate)) },
        });
        let freedom = |unit: f64| Freedom { range: range(unit), drive: drive.clone() };
        match self.kind {
            Linkage::Fixed => JointKind::Fixed,
            Linkage::Ball => JointKind::Ball { swing: range(1.0), twist: range(1.0) },
            Linkage::Hinge => JointKind::Hinge { turn: freedom(1.0) },
            Linkage::Universal => JointKind::Universal,
            Linkage::Prismatic => JointKind::Prismatic { slide: freedom(scale) },
            Linkage::Cylindrical => {
                JointKind::Cylindrical { slide: freedom(scale), turn: Freedom::within(range(1.0)) }
            }
            Linkage::Rope => JointKind::distance(0.0, self.within.unwrap_or(0.5) * scale),
        }
    }
}

/// Returns the scene with what is mixed into it.
pub fn mix(scene: Scene, mixed: &Mixed, scale: f64) -> Scene {
    let mut scene = scene;
    for body in &mut scene.bodies {
        body.restitution = mixed.restitution;
        // A body that turns about two axes of three is no affine one.
        let turns = body.fixed.rotation.iter().filter(|is_fixed| !**is_fixed).count();
        if mixed.affine_stiffness.is_some() && turns == 2 {
            body.fixed.rotation = [false; 3];
        }
    }
    scene.joints = mixed.joints(&scene.bodies, scale);
    scene
}

fn linkage() -> impl Strategy<Value = Linkage> {
    prop_oneof![
        1 => Just(Linkage::Fixed),
        3 => Just(Linkage::Ball),
        3 => Just(Linkage::Hinge),
        1 => Just(Linkage::Universal),
        2 => Just(Linkage::Prismatic),
        1 => Just(Linkage::Cylindrical),
        1 => Just(Linkage::Rope),
    ]
}

fn joint() -> impl Strategy<Value = JointPlan> {
    let motor = prop_oneof![
        6 => Just(None),
        1 => decades(-6.0..-1.0).prop_map(|compliance| Some(Motor::Spring(compliance))),
        1 => (-5.0..5.0, decades(-2.0..2.0)).prop_map(|(rate, effort)| Some(Motor::Rate(rate, effort))),
    ];
    let compliance = prop_oneof![4 => Just(0.0), 1 => decades(-8.0..-3.0)];
    let within = prop_oneof![2 => Just(None), 1 => (0.05..1.5).prop_map(Some)];
    let place = (prop::array::uniform2(0_usize..6), 0.0..1.0, prop::array::uniform3(-2.0..2.0));
    (place, linkage(), within, motor, compliance).prop_map(|(place, kind, within, drive, compliance)| {
        let (ends, at, turn) = place;
        JointPlan { ends, kind, at, turn, within, drive, compliance }
    })
}

/// Scenes of two to six rigid or affine bodies that joints hold together and that rebound from each other.
pub fn mixed_plan() -> impl Strategy<Value = Plan> {
    let restitution = prop_oneof![1 => Just(0.0), 1 => 0.0..1.0, 1 => Just(1.0)];
    let stiffness = prop_oneof![1 => Just(None), 1 => decades(7.0..10.5).prop_map(Some)];
    let integrator = prop_oneof![2 => Just("impulse"), 1 => Just("bdf2")];
    let joints =
        prop_oneof![1 => Just(Vec::new()).boxed(), 3 => prop::collection::vec(joint(), 1..=4).boxed()];
    (machine_plan(), restitution, stiffness, integrator, joints).prop_map(
        |(plan, restitution, affine_stiffness, integrator, joints)| {
            let mixed = Mixed { restitution, affine_stiffness, integrator, joints };
            Plan { mixed: Some(mixed), ..plan }
        },
    )
}

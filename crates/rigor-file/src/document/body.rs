//! `[[body]]`: one rigid body.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::either::{FrictionEntry, Group};
use super::is_default;
use super::placement::Placement;
use super::shape::ShapeEntry;

/// A rigid body: one or more shapes, placed in the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Body")]
pub struct BodyEntry {
    /// Unique in the scene.
    pub name: String,
    /// What determines the motion of the body.
    #[serde(default)]
    pub role: RoleName,
    /// Whether the body is part of the scene.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    #[schemars(extend("default" = true))]
    pub enabled: bool,
    /// Density of closed surfaces (kg/m³).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1000.0))]
    pub density: Option<f64>,
    /// Total mass (kg), instead of densities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Centre of mass and inertia as measured, with `mass`. Default: those of the shapes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<InertiaEntry>,
    /// Density of open surfaces (kg/m²). Dynamic bodies that have some need it, or `mass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub areal_density: Option<f64>,
    /// Density of wires (kg/m). Dynamic bodies that have some need it, or `mass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_density: Option<f64>,
    /// Mass of each point (kg). Dynamic bodies that have some need it, or `mass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point_mass: Option<f64>,
    /// Coulomb coefficient μ ≥ 0 (dimensionless), or `{ static = …, dynamic = … }`.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub friction: FrictionEntry,
    /// Coefficient of restitution e in [0, 1] (dimensionless).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub restitution: f64,
    /// Origin of the body frame at time 0 (m, world).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub position: [f64; 3],
    /// Rotation by angles (degrees) about the world's x, then y, then z axis: R = Rz·Ry·Rx.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation_deg: Option<[f64; 3]>,
    /// Rotation as a quaternion [w, x, y, z], instead of `rotation_deg`; it is normalised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quaternion: Option<[f64; 4]>,
    /// Rotation as axis × angle (degrees), instead of `rotation_deg`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation_vector_deg: Option<[f64; 3]>,
    /// Velocity of the centre of mass at time 0 (m/s, world).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub linear_velocity: [f64; 3],
    /// Angular velocity at time 0 (rad/s, world).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub angular_velocity: Option<[f64; 3]>,
    /// Angular velocity at time 0 (degrees/s, world), instead of `angular_velocity`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity_deg: Option<[f64; 3]>,
    /// Constant force at the centre of mass (N, world).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub force: [f64; 3],
    /// Constant torque (N m, world).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub torque: [f64; 3],
    /// Locked degrees of freedom (dynamic bodies only).
    #[serde(default, skip_serializing_if = "is_default")]
    pub fixed: Fixed,
    /// Bodies of the same group never collide with each other: a name or a number. Default: a separate group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
    /// Layers in which the body is, by their numbers from 0 to 31. Default: 0 alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layers: Option<Vec<u32>>,
    /// Layers whose bodies it collides with; two bodies collide if one of them meets a layer of the other. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meets: Option<Vec<u32>>,
    /// A grid of identical bodies instead of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<Copies>,
    /// Identical bodies instead of one, named `NAME-k` with k from 0: each is the body as placed by its own
    /// keys, then moved as a whole by one of these placements in the world.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Placement>,
    /// Whether each connected component of the shapes becomes a separate body, named `NAME-k` with k from 0,
    /// such as the stones of an arch or the parts of a mesh.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = false))]
    pub split: bool,
    /// Motion of a kinematic body. Default: its initial velocities without end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionEntry>,
    /// The shapes of the body, at least one.
    #[serde(default)]
    pub shape: Vec<ShapeEntry>,
}

impl BodyEntry {
    /// Creates a dynamic body of `shape`, at rest at the origin, with default values.
    pub fn new(name: impl Into<String>, shape: Vec<ShapeEntry>) -> Self {
        Self {
            name: name.into(),
            role: RoleName::Dynamic,
            enabled: true,
            density: None,
            areal_density: None,
            line_density: None,
            point_mass: None,
            mass: None,
            inertia: None,
            friction: FrictionEntry::default(),
            restitution: 0.0,
            position: [0.0; 3],
            rotation_deg: None,
            quaternion: None,
            rotation_vector_deg: None,
            linear_velocity: [0.0; 3],
            angular_velocity: None,
            angular_velocity_deg: None,
            force: [0.0; 3],
            torque: [0.0; 3],
            fixed: Fixed::default(),
            group: None,
            layers: None,
            meets: None,
            copies: None,
            places: Vec::new(),
            split: false,
            motion: None,
            shape,
        }
    }

    /// Returns the pose of the body frame in the world at time 0.
    pub fn placement(&self) -> Placement {
        Placement {
            position: self.position,
            rotation_deg: self.rotation_deg,
            quaternion: self.quaternion,
            rotation_vector_deg: self.rotation_vector_deg,
        }
    }
}

/// Centre of mass and inertia as measured.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Inertia")]
pub struct InertiaEntry {
    /// Centre of mass (m, body frame).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub center: [f64; 3],
    /// Moments about the centre of mass, along the axes of the body frame: Ixx, Iyy, Izz (kg m²).
    pub moments: [f64; 3],
    /// Products of inertia, the other elements of the tensor: Ixy, Ixz, Iyz (kg m²).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub products: [f64; 3],
}

/// What determines the motion of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Role")]
pub enum RoleName {
    /// Never moves.
    Static,
    /// Moves under forces and contact.
    #[default]
    Dynamic,
    /// Moves as prescribed, whatever it touches.
    Kinematic,
}

/// Locked degrees of freedom, by world axis x, y, z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Fixed {
    /// No translation along x, y, z.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [false, false, false]))]
    pub translation: [bool; 3],
    /// No rotation about x, y, z.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [false, false, false]))]
    pub rotation: [bool; 3],
}

/// A grid of identical bodies, named `NAME-i-j-k` with indices from 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// Number along the world's x, y, z; each at least 1.
    pub count: [u32; 3],
    /// Distance between neighbours along x, y, z (m).
    pub spacing: [f64; 3],
}

/// Motion of a kinematic body: at its initial velocities, through keyframes, or through poses at equal
/// intervals.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Motion")]
pub struct MotionEntry {
    /// Time at which the body stops for good (s). Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stops_at: Option<f64>,
    /// Poses of the body frame in the world with their times, ascending. The body moves at constant velocity
    /// in between, and with its initial velocities after the last one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keyframes: Vec<Keyframe>,
    /// Poses of the body frame in the world, the first at time `interval`, instead of keyframes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub poses: Vec<Placement>,
    /// Time between successive `poses` (s). Default: the scene's `time.dt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<f64>,
}

/// A pose at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// Time (s), > 0.
    pub time: f64,
    /// Origin of the body frame (m, world).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub position: [f64; 3],
    /// Rotation by angles (degrees) about the world's x, then y, then z axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation_deg: Option<[f64; 3]>,
    /// Rotation as a quaternion [w, x, y, z], instead of `rotation_deg`; it is normalised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quaternion: Option<[f64; 4]>,
    /// Rotation as axis × angle (degrees), instead of `rotation_deg`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation_vector_deg: Option<[f64; 3]>,
}

impl Keyframe {
    /// Returns the pose without its time.
    pub fn placement(&self) -> Placement {
        Placement {
            position: self.position,
            rotation_deg: self.rotation_deg,
            quaternion: self.quaternion,
            rotation_vector_deg: self.rotation_vector_deg,
        }
    }
}

fn yes() -> bool {
    true
}

fn is_yes(value: &bool) -> bool {
    *value
}

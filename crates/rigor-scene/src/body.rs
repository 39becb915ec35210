//! One rigid body: its surface, mass, material and role.

use std::sync::Arc;

use rigor_geometry::mass::MassModel;
use rigor_geometry::{Aabb, Mesh};
use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3};

use crate::motion::Motion;
use crate::part::Part;
use crate::placement::BodyState;
use crate::skeleton::Skeleton;

/// Index of a body in [`Scene::bodies`](crate::Scene::bodies) and [`State::bodies`](crate::State::bodies).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub usize);

impl std::fmt::Display for BodyId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "body {}", self.0)
    }
}

/// What determines the motion of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum Role {
    /// Never moves.
    Static,
    /// Moves under forces and contact.
    Dynamic,
    /// Moves as prescribed, whatever it touches.
    Kinematic(Motion),
}

/// Coulomb coefficients of one body's surface (dimensionless).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Friction {
    /// μ_s: the largest tangential force that holds a contact, divided by the normal force.
    pub static_: f64,
    /// μ_d: the tangential force of a sliding contact, divided by the normal force.
    pub dynamic: f64,
}

impl Friction {
    /// The same coefficient for sticking and for sliding.
    pub fn uniform(mu: f64) -> Self {
        Self { static_: mu, dynamic: mu }
    }
}

/// Locked degrees of freedom of a dynamic body, by world axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FixedAxes {
    /// No translation along world x, y, z.
    pub translation: [bool; 3],
    /// No rotation about world x, y, z.
    pub rotation: [bool; 3],
}

impl FixedAxes {
    /// Whether no degree of freedom is locked.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// A rigid body.
///
/// Vertex `X` of [`mesh`](Self::mesh) is in the principal frame; in the world it is `q X + x`
/// (\[Ferguson2021\] eq. (4)) with the pose of the body's state.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Unique in its scene.
    pub name: String,
    /// Static, dynamic or kinematic.
    pub role: Role,
    /// The surface, all parts together, in the principal frame (m); of round parts it is a picture.
    pub mesh: Arc<Mesh>,
    /// What contact is with: the mesh, with round parts as what they are.
    pub skeleton: Skeleton,
    /// The shapes of the mesh, in the order of their ranges.
    pub parts: Vec<Part>,
    /// The principal frame in the author's frame; its origin is the centre of mass.
    pub frame: Pose,
    /// Mass (kg).
    pub mass: f64,
    /// Principal moments of inertia (kg m²), ascending.
    pub inertia: Vec3,
    /// How mass and inertia were computed.
    pub mass_model: MassModel,
    /// Coulomb coefficients.
    pub friction: Friction,
    /// Coefficient of restitution e in [0, 1].
    pub restitution: f64,
    /// Pose and velocities at time 0.
    pub initial: BodyState,
    /// Locked degrees of freedom (dynamic bodies only).
    pub fixed: FixedAxes,
    /// Constant force at the centre of mass (N, world).
    pub force: Vec3,
    /// Constant torque (N m, world).
    pub torque: Vec3,
    /// Bodies of the same group never collide with each other.
    pub group: u32,
    /// The layers in which it is, a bit each.
    pub layers: u32,
    /// The layers whose bodies it collides with, a bit each.
    pub meets: u32,
    /// Distance of the farthest point from the centre of mass (m).
    pub radius: f64,
}

/// Smallest edge of the box around a body, over its largest, that is no rounding.
const FLAT: f64 = 1e-12;

impl Body {
    /// Whether one of the two is in a layer that the other meets.
    pub fn shares_a_layer_with(&self, other: &Self) -> bool {
        self.layers & other.meets != 0 || other.layers & self.meets != 0
    }

    /// Whether it collides with nothing, whatever is in the scene.
    pub fn is_out_of_contact(&self) -> bool {
        self.layers == 0 && self.meets == 0
    }

    /// Returns the smallest edge (m) of the box around the body in its principal frame; 0 for a sheet, whose smallest edge is rounding.
    pub fn thickness(&self) -> f64 {
        let edges = self.bounds().extent();
        if edges.min() > FLAT * edges.max() { edges.min() } else { 0.0 }
    }

    /// Returns the box around the body (m) in its principal frame.
    pub fn bounds(&self) -> Aabb {
        self.skeleton.bounds()
    }

    /// The body with this mesh (m, principal frame), which bounds it as it is: no part is round or otherwise known. Mass and inertia
    /// stay as they are.
    #[must_use]
    pub fn with_mesh(self, mesh: Mesh) -> Self {
        let mesh = Arc::new(mesh);
        let skeleton = Skeleton::plain(Arc::clone(&mesh));
        Self { radius: skeleton.radius(), skeleton, mesh, parts: Vec::new(), ..self }
    }

    /// Whether forces and contact move the body.
    pub fn is_dynamic(&self) -> bool {
        self.role == Role::Dynamic
    }

    /// 1/m (1/kg) for a dynamic body, 0 for any other.
    pub fn inverse_mass(&self) -> f64 {
        if self.is_dynamic() { 1.0 / self.mass } else { 0.0 }
    }

    /// diag(I)⁻¹ in the principal frame (1/(kg m²)) for a dynamic body, 0 for any other.
    pub fn inverse_inertia(&self) -> Vec3 {
        if self.is_dynamic() { self.inertia.map(|i| 1.0 / i) } else { Vec3::zeros() }
    }

    /// Returns w = 1/m along each world axis on which the body may move (1/kg), 0 along the others.
    pub fn inverse_mass_axes(&self) -> Vec3 {
        let w = self.inverse_mass();
        Vec3::from_fn(|i, _| if self.fixed.translation[i] { 0.0 } else { w })
    }

    /// Returns I⁻¹ in world axes (1/(kg m²)) about the axes on which the body may rotate, 0 about the others.
    ///
    /// With every axis free it is R diag(1/I) Rᵀ. With fixed axes it is the inverse of the free block of R
    /// diag(I) Rᵀ: fixed axes carry whatever torque keeps ω zero there.
    pub fn inverse_inertia_world(&self, rotation: &UnitQuaternion) -> Mat3 {
        if !self.is_dynamic() {
            return Mat3::zeros();
        }
        let r = rotation.to_rotation_matrix().into_inner();
        let fixed = self.fixed.rotation;
        if fixed == [false; 3] {
            return r * Mat3::from_diagonal(&self.inertia.map(|i| 1.0 / i)) * r.transpose();
        }
        // Decouple the fixed axes: their rows and columns become diagonal before the inversion and zero after it.
        let mut inertia = r * Mat3::from_diagonal(&self.inertia) * r.transpose();
        let scale = inertia.trace().max(f64::MIN_POSITIVE);
        for i in (0..3).filter(|&i| fixed[i]) {
            inertia.row_mut(i).fill(0.0);
            inertia.column_mut(i).fill(0.0);
            inertia[(i, i)] = scale;
        }
        let mut inverse = inertia.try_inverse().unwrap_or_else(Mat3::zeros);
        for i in (0..3).filter(|&i| fixed[i]) {
            inverse[(i, i)] = 0.0;
        }
        inverse
    }

    /// I = q diag(I) qᵀ in world axes (kg m²) at `pose`.
    pub fn inertia_world(&self, pose: &Pose) -> Mat3 {
        let r = pose.rotation.to_rotation_matrix().into_inner();
        r * Mat3::from_diagonal(&self.inertia) * r.transpose()
    }

    /// The pose of the author's frame in the world when the principal frame is at `pose`.
    pub fn authored_pose(&self, pose: &Pose) -> Pose {
        pose.compose(&self.frame.inverse())
    }

    /// Returns pose (m) and velocities (m/s, rad/s, world) of a static or kinematic body at `time` (s).
    ///
    /// Returns `None` for a dynamic body.
    pub fn prescribed(&self, time: f64) -> Option<BodyState> {
        match &self.role {
            Role::Dynamic => None,
            Role::Static => Some(BodyState::at_rest(self.initial.pose)),
            Role::Kinematic(motion) => Some(motion.at(&self.initial, time)),
        }
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::{Pose, Vec3, rotation_vector};
    use rigor_shapes::{Cuboid, Plane};

    use crate::{BodySpec, PartKind, PlacedShape, Role};

    /// The frame of a sheet is turned by rounding, which is no thickness.
    #[test]
    fn a_sheet_has_no_thickness_however_it_lies() {
        let of = |mesh: rigor_geometry::Mesh, turn: Vec3| {
            let pose = Pose { rotation: rotation_vector::exp(&turn), position: Vec3::new(0.3, -2.0, 1.0) };
            let shape = PlacedShape { mesh, kind: PartKind::Concave, pose };
            BodySpec { role: Role::Static, ..BodySpec::new("a", vec![shape]) }.build().unwrap().thickness()
        };
        for turn in [Vec3::zeros(), Vec3::new(0.3, 0.0, 0.0), Vec3::new(0.4, -1.2, 0.7)] {
            assert_eq!(of(Plane::new([4.0, 4.0]).mesh().unwrap(), turn), 0.0);
            let thin = of(Cuboid::new(Vec3::new(4.0, 1e-6, 4.0)).mesh().unwrap(), turn);
            assert!((thin / 1e-6 - 1.0).abs() < 1e-6, "{thin}");
        }
    }
}

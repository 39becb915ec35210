//! Builds a [`Body`] from the author's description: merges the parts, computes the mass and moves everything
//! into the principal frame.

use std::sync::Arc;

use rigor_geometry::mass::{Density, MassError, MassModel, MassProperties, Measures, Spread};
use rigor_geometry::{Mesh, MeshError};
use rigor_math::inertia::{InertiaError, check_moments};
use rigor_math::{Mat3, Pose, Vec3};

use crate::body::{Body, FixedAxes, Friction, Role};
use crate::motion::{KinematicPath, Motion};
use crate::part::{Part, PartKind};
use crate::placement::BodyState;
use crate::skeleton::Skeleton;

impl PartKind {
    /// Returns the mass properties of a part with this `mesh`, in its own frame: those of the ball or capsule that it is, else those
    /// of the mesh.
    fn mass(&self, mesh: &Mesh, density: Density) -> Result<MassProperties, MassError> {
        match *self {
            Self::Ball { radius } => MassProperties::ball(radius, density),
            Self::Capsule { radius, half_length } => {
                MassProperties::capsule(radius, 2.0 * half_length, density)
            }
            Self::Box { .. } | Self::Convex | Self::Concave => MassProperties::of(mesh, density),
        }
    }
}

/// One shape of a body as the author placed it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedShape {
    /// The surface in the shape's own frame (m); of a round shape a picture of it.
    pub mesh: Mesh,
    /// Known geometry, in the shape's own frame.
    pub kind: PartKind,
    /// The shape's frame in the author's frame of the body.
    pub pose: Pose,
}

/// How much a body weighs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weight {
    /// Density (kg/m³) of closed surfaces. A dynamic body has nothing else; of others, whose mass does not matter, the same
    /// number is used for surfaces, wires and points.
    Density(f64),
    /// Densities of each kind of geometry; a dynamic body has those that it needs.
    Densities {
        /// Of closed surfaces (kg/m³).
        volume: f64,
        /// Of open surfaces (kg/m²).
        area: Option<f64>,
        /// Of wires (kg/m).
        length: Option<f64>,
        /// Of points (kg each).
        point: Option<f64>,
    },
    /// Total mass (kg), distributed as if the density were uniform.
    Mass(f64),
    /// As measured, whatever the shapes.
    Given {
        /// Total mass (kg).
        mass: f64,
        /// Centre of mass (m, author's frame).
        center: Vec3,
        /// Inertia tensor about the centre of mass (kg m², axes of the author's frame), symmetric.
        inertia: Mat3,
    },
}

/// The author's description of a body. Poses refer to the author's frame.
#[derive(Debug, Clone, PartialEq)]
pub struct BodySpec {
    /// Unique in its scene.
    pub name: String,
    /// Static, dynamic or kinematic; keyframes place the author's frame.
    pub role: Role,
    /// At least one shape.
    pub shapes: Vec<PlacedShape>,
    /// Density or total mass.
    pub weight: Weight,
    /// Coulomb coefficients.
    pub friction: Friction,
    /// Coefficient of restitution e in [0, 1].
    pub restitution: f64,
    /// The author's frame in the world at time 0.
    pub pose: Pose,
    /// Velocity of the centre of mass (m/s, world).
    pub linear_velocity: Vec3,
    /// Angular velocity ω (rad/s, world).
    pub angular_velocity: Vec3,
    /// Locked degrees of freedom.
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
}

/// The reason why a [`BodySpec`] cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The shapes cannot be merged into a mesh, for example because there are none.
    #[error("body {name:?}: {error}")]
    Mesh {
        /// The body.
        name: String,
        /// The cause.
        error: MeshError,
    },
    /// The mass properties cannot be computed.
    #[error("body {name:?}: {error}")]
    Mass {
        /// The body.
        name: String,
        /// The cause.
        error: MassError,
    },
    /// A dynamic body with a part for which no density is given: a density in kg/m³ says nothing about an open surface.
    #[error(
        "body {name:?} has {what}, whose mass a density in kg/m³ does not tell: set `mass` (kg), or {key}{cure}"
    )]
    NoDensity {
        /// The body.
        name: String,
        /// The part and how much of it there is.
        what: String,
        /// The key of its density, with the unit.
        key: &'static str,
        /// What else helps.
        cure: &'static str,
    },
    /// No body has the given inertia.
    #[error("body {name:?}: {error}")]
    Inertia {
        /// The body.
        name: String,
        /// The cause.
        error: InertiaError,
    },
    /// A dynamic body that may turn has a vanishing principal moment: all its mass lies on one line or at one
    /// point.
    #[error(
        "body {name:?} has principal moments of inertia ({:e}, {:e}, {:e}) kg m²: a dynamic body that may turn needs three \
         positive ones; add a shape off its axis, fix its rotation, or make it static", moments.x, moments.y, moments.z
    )]
    NoInertia {
        /// The body.
        name: String,
        /// The principal moments (kg m²).
        moments: Vec3,
    },
}

impl BodySpec {
    /// A dynamic body of `shapes` with the density of water, without friction, at rest at the world's origin.
    ///
    /// It is in the first layer, and meets all. Its group is 0: give each body of a scene a different `group`, or they will not collide with each
    /// other.
    pub fn new(name: impl Into<String>, shapes: Vec<PlacedShape>) -> Self {
        Self {
            name: name.into(),
            role: Role::Dynamic,
            shapes,
            weight: Weight::Density(1000.0),
            friction: Friction::uniform(0.0),
            restitution: 0.0,
            pose: Pose::identity(),
            linear_velocity: Vec3::zeros(),
            angular_velocity: Vec3::zeros(),
            fixed: FixedAxes::default(),
            force: Vec3::zeros(),
            torque: Vec3::zeros(),
            group: 0,
            layers: 1,
            meets: u32::MAX,
        }
    }

    /// Merges the shapes, computes mass and principal frame, and transforms everything into that frame.
    ///
    /// ```
    /// use rigor_shapes;
    /// use rigor_math::{Pose, Vec3};
    /// use rigor_scene::{BodySpec, PartKind, PlacedShape};
    /// let mesh = rigor_shapes::Cuboid::new(Vec3::new(1.0, 2.0, 3.0)).mesh().unwrap();
    /// let shape = PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() };
    /// let body = BodySpec::new("brick", vec![shape]).build().unwrap();
    /// assert!((body.mass - 6000.0).abs() < 1e-9);
    /// assert!((body.inertia.x - 6000.0 * (1.0 + 4.0) / 12.0).abs() < 1e-9);
    /// ```
    ///
    /// # Errors
    /// [`BodyError`] if there is no shape, or if mass and inertia cannot be computed.
    pub fn build(self) -> Result<Body, BodyError> {
        let mass = self.mass_properties()?;
        let principal = mass.principal();
        let frame = Pose::new(mass.center, principal.axes);
        let (mesh, parts) = merge(&self.shapes, &frame)
            .map_err(|error| BodyError::Mesh { name: self.name.clone(), error })?;
        let mesh = Arc::new(mesh);
        let skeleton = Skeleton::of(&mesh, &parts)
            .map_err(|error| BodyError::Mesh { name: self.name.clone(), error })?;
        let radius = skeleton.radius();
        Ok(self.of_solid(Solid {
            mesh,
            skeleton,
            parts,
            frame,
            mass: mass.mass,
            inertia: principal.moments,
            mass_model: mass.model,
            radius,
        }))
    }

    /// Whether shapes, weight, and what mass properties depend on are those of `other`, so that the body is the same
    /// solid.
    pub fn is_same_solid(&self, other: &Self) -> bool {
        self.weight == other.weight
            && (self.role == Role::Dynamic) == (other.role == Role::Dynamic)
            && self.fixed.rotation == other.fixed.rotation
            && self.shapes == other.shapes
    }

    /// Builds the body as [`build`](Self::build) does, with the mass and the shared mesh of `body`, which was built from the
    /// [same solid](Self::is_same_solid).
    pub fn build_like(self, body: &Body) -> Body {
        let Body { mesh, skeleton, parts, frame, mass, inertia, mass_model, radius, .. } = body;
        self.of_solid(Solid {
            mesh: Arc::clone(mesh),
            skeleton: skeleton.clone(),
            parts: parts.clone(),
            frame: *frame,
            mass: *mass,
            inertia: *inertia,
            mass_model: *mass_model,
            radius: *radius,
        })
    }

    fn of_solid(self, solid: Solid) -> Body {
        let Solid { mesh, skeleton, parts, frame, mass, inertia, mass_model, radius } = solid;
        let initial = BodyState {
            pose: self.pose.compose(&frame),
            linear_velocity: self.linear_velocity,
            angular_velocity: self.angular_velocity,
        };
        Body {
            name: self.name,
            role: in_principal_frame(self.role, &frame),
            mesh,
            skeleton,
            parts,
            frame,
            mass,
            inertia,
            mass_model,
            friction: self.friction,
            restitution: self.restitution,
            initial,
            fixed: self.fixed,
            force: self.force,
            torque: self.torque,
            group: self.group,
            layers: self.layers,
            meets: self.meets,
            radius,
        }
    }

    /// Computes mass, centre of mass and inertia of all shapes together, in the author's frame.
    ///
    /// # Errors
    /// [`BodyError::Mesh`] if there is no shape, [`BodyError::Mass`] if a mass cannot be computed, [`BodyError::Inertia`] if no
    /// body has the given inertia,
    /// [`BodyError::NoDensity`] for a dynamic body of which a density does not tell the mass,
    /// [`BodyError::NoInertia`] for a dynamic body that may turn but has a vanishing principal moment.
    pub fn mass_properties(&self) -> Result<MassProperties, BodyError> {
        let whole = match self.weight {
            Weight::Given { mass, center, inertia } => self.given(mass, center, inertia)?,
            Weight::Density(_) | Weight::Densities { .. } | Weight::Mass(_) => self.integrated()?,
        };
        if self.role == Role::Dynamic && self.fixed.rotation != [true; 3] && whole.spread() != Spread::Full {
            let moments = whole.principal().moments;
            return Err(BodyError::NoInertia { name: self.name.clone(), moments });
        }
        Ok(whole)
    }

    /// Checks given mass properties.
    fn given(&self, mass: f64, center: Vec3, inertia: Mat3) -> Result<MassProperties, BodyError> {
        let given = MassProperties { model: MassModel::Given, mass, center, inertia };
        if !mass.is_normal() || mass < 0.0 {
            return Err(BodyError::Mass { name: self.name.clone(), error: MassError::Mass { mass } });
        }
        let fail = |error| BodyError::Inertia { name: self.name.clone(), error };
        // The eigenvalues of a tensor that is not finite do not exist.
        if !inertia.iter().all(|c| c.is_finite()) {
            return Err(fail(InertiaError::NotFinite { moments: inertia.diagonal().into() }));
        }
        check_moments(&given.principal().moments).map_err(fail)?;
        Ok(given)
    }

    /// Integrates over the shapes.
    fn integrated(&self) -> Result<MassProperties, BodyError> {
        let fail = |error| BodyError::Mass { name: self.name.clone(), error };
        let density = match self.weight {
            Weight::Density(density) => Density::uniform(density),
            Weight::Densities { volume, area, length, point } => Density {
                volume,
                area: area.unwrap_or(volume),
                length: length.unwrap_or(volume),
                point: point.unwrap_or(volume),
            },
            Weight::Mass(_) | Weight::Given { .. } => Density::uniform(1.0),
        };
        let of_shape = |s: &PlacedShape| {
            let solid = match s.kind.mass(&s.mesh, density) {
                // The mass of what does not move freely has no meaning.
                Err(MassError::Surface { .. }) if self.role != Role::Dynamic => {
                    MassProperties::of_shell(&s.mesh, density)
                }
                found => found,
            };
            Ok(solid?.transformed(&s.pose))
        };
        let parts: Vec<MassProperties> =
            self.shapes.iter().map(of_shape).collect::<Result<_, MassError>>().map_err(fail)?;
        let Some(mut whole) = MassProperties::combine(&parts) else {
            return Err(BodyError::Mesh { name: self.name.clone(), error: MeshError::Empty });
        };
        if self.role == Role::Dynamic && whole.model != MassModel::Volume {
            self.check_densities()?;
        }
        if let Weight::Mass(mass) = self.weight {
            whole = whole.with_mass(mass).map_err(fail)?;
        }
        Ok(whole)
    }
}

impl BodySpec {
    /// Checks that every kind of geometry of a dynamic body has a density of its own.
    fn check_densities(&self) -> Result<(), BodyError> {
        let given = match self.weight {
            Weight::Density(_) => [false; 3],
            Weight::Densities { area, length, point, .. } => {
                [area.is_some(), length.is_some(), point.is_some()]
            }
            Weight::Mass(_) | Weight::Given { .. } => return Ok(()),
        };
        let fail = |error| BodyError::Mass { name: self.name.clone(), error };
        let mut all = Measures::default();
        for shape in &self.shapes {
            all = all.and(Measures::of(&shape.mesh).map_err(fail)?);
        }
        let Measures { area, length, points, .. } = all;
        let kinds = [
            (
                area > 0.0,
                format!("{area:.4e} m² of open surface"),
                "`areal_density` (kg/m²)",
                ", or `close = \"fill\"` in the shape's `mesh`",
            ),
            (length > 0.0, format!("{length:.4e} m of wire"), "`line_density` (kg/m)", ""),
            (points > 0, format!("{points} points"), "`point_mass` (kg each)", ""),
        ];
        for ((is_there, what, key, cure), given) in kinds.into_iter().zip(given) {
            if is_there && !given {
                return Err(BodyError::NoDensity { name: self.name.clone(), what, key, cure });
            }
        }
        Ok(())
    }
}

/// What the shapes and the weight of a body determine: see [`Body`].
struct Solid {
    mesh: Arc<Mesh>,
    skeleton: Skeleton,
    parts: Vec<Part>,
    frame: Pose,
    mass: f64,
    inertia: Vec3,
    mass_model: MassModel,
    radius: f64,
}

/// Merges all shapes into one mesh in the principal `frame` and returns the range of each.
fn merge(shapes: &[PlacedShape], frame: &Pose) -> Result<(Mesh, Vec<Part>), MeshError> {
    let to_principal = frame.inverse();
    let poses: Vec<Pose> = shapes.iter().map(|s| to_principal.compose(&s.pose)).collect();
    let moved: Vec<Mesh> =
        shapes.iter().zip(&poses).map(|(s, pose)| s.mesh.map_vertices(|v| pose.point(v))).collect();
    let merged = Mesh::merge(&moved)?;
    let parts = shapes.iter().zip(poses).zip(merged.ranges).map(|((shape, pose), ranges)| Part {
        kind: shape.kind.clone(),
        pose,
        vertices: ranges.vertices,
        triangles: ranges.triangles,
    });
    Ok((merged.mesh, parts.collect()))
}

/// Returns the same role with its keyframes given for the principal frame.
fn in_principal_frame(role: Role, frame: &Pose) -> Role {
    match role {
        Role::Kinematic(Motion { path: KinematicPath::Keyframes(keyframes), stops_at }) => {
            let keyframes = keyframes.into_iter().map(|(t, pose)| (t, pose.compose(frame))).collect();
            Role::Kinematic(Motion { path: KinematicPath::Keyframes(keyframes), stops_at })
        }
        Role::Static
        | Role::Dynamic
        | Role::Kinematic(Motion { path: KinematicPath::ConstantVelocity, .. }) => role,
    }
}

//! `[[rope]]`, `[[cloth]]` and `[[soft]]`: sets of particles with the bonds that hold them together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::either::FrictionEntry;
use super::particle::ParticleChoice;
use super::{is_default, placement::Placement};

/// A rope: a row of particles, each bonded to the next.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Rope")]
pub struct RopeEntry {
    /// Unique among the particles, ropes, cloths and soft blocks, without `.`.
    pub name: String,
    /// One end at time 0 (m, world); requires `to` and `segments`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<[f64; 3]>,
    /// The other end (m, world).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 3]>,
    /// Number of equal segments between the ends, 1 to 100000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments: Option<u32>,
    /// Positions of the particles at time 0 (m, world), at least two, instead of `from`, `to` and `segments`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<[f64; 3]>,
    /// Total mass (kg): each segment gives half of its mass to each of its ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Mass per length (kg/m), instead of `mass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Contact radius of the particles (m).
    #[serde(default)]
    pub radius: f64,
    /// Compliance α of the length of each segment (m/N); 0 is rigid.
    #[serde(default)]
    pub stretch_compliance: f64,
    /// Compliance α of the distance between particles i and i + 2 (m/N), which resists bending. Default: it
    /// bends freely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bending_compliance: Option<f64>,
    /// Particles that never move: numbers from 0, `"first"`, `"last"`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<ParticleChoice>,
    /// Velocity at time 0 (m/s, world).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub velocity: [f64; 3],
    /// Coulomb coefficient μ ≥ 0 (dimensionless), or `{ static = …, dynamic = … }`.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub friction: FrictionEntry,
    /// Coefficient of restitution e in [0, 1] (dimensionless).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub restitution: f64,
    /// Whether the particles collide with each other.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = false))]
    pub self_contact: bool,
}

/// A cloth: a flat sheet of n × m particles. Particle (i, j) has the number i m + j.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cloth")]
pub struct ClothEntry {
    /// Unique among the particles, ropes, cloths and soft blocks, without `.`.
    pub name: String,
    /// One corner at time 0 (m, world).
    pub corner: [f64; 3],
    /// Edge vector from `corner` along which i increases (m, world).
    pub u: [f64; 3],
    /// Edge vector from `corner` along which j increases (m, world).
    pub v: [f64; 3],
    /// n and m: number of particles along u and v, 2 to 2048 each.
    pub vertices: [u32; 2],
    /// Total mass (kg): each triangle gives a third of its mass to each of its corners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Mass per area (kg/m²), instead of `mass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Contact radius of the particles (m): half the thickness.
    #[serde(default)]
    pub radius: f64,
    /// Compliance α of the edges along u and v (m/N); 0 is rigid.
    #[serde(default)]
    pub stretch_compliance: f64,
    /// Compliance α of both diagonals of each cell (m/N). Default: it shears freely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shear_compliance: Option<f64>,
    /// Compliance α of the bending constraints: rad/(N m) for angles, m/N for distances. Default: it bends
    /// freely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bending_compliance: Option<f64>,
    /// The quantity that resists bending.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = "angle"))]
    pub bending: ClothBending,
    /// Particles that never move: numbers from 0; `"corner"`, `"corner_u"`, `"corner_v"`, `"corner_uv"`; whole edges
    /// `"u_min"`, `"u_max"`, `"v_min"`, `"v_max"`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<ParticleChoice>,
    /// Velocity at time 0 (m/s, world).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub velocity: [f64; 3],
    /// Coulomb coefficient μ ≥ 0 (dimensionless), or `{ static = …, dynamic = … }`.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub friction: FrictionEntry,
    /// Coefficient of restitution e in [0, 1] (dimensionless).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub restitution: f64,
    /// Whether the particles collide with each other.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = false))]
    pub self_contact: bool,
}

/// The quantity that resists the bending of a cloth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClothBending {
    /// The angle between every two triangles with a common edge.
    #[default]
    Angle,
    /// The distance between particles two apart, along u and along v.
    Distance,
}

/// A soft block: a box of cells, each split into five tetrahedra.
/// Particle (i, j, k) has the number (i (ny+1) + j)(nz+1) + k. Those in the middles of edges come after them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Soft")]
pub struct SoftEntry {
    /// Unique among the particles, ropes, cloths and soft blocks, without `.`.
    pub name: String,
    /// Edge lengths along its x, y, z (m).
    pub size: [f64; 3],
    /// nx, ny, nz: number of cells along its x, y, z, 1 to 256 each.
    pub cells: [u32; 3],
    /// Centre at time 0 (m, world).
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
    /// The constitutive law.
    #[serde(default)]
    pub law: SoftLaw,
    /// Tetrahedra of four or of ten particles, of `neo_hookean` and `st_venant_kirchhoff`.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = "linear"))]
    pub element: SoftElement,
    /// Young's modulus E (Pa) of `neo_hookean` and `st_venant_kirchhoff`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1e5))]
    pub young: Option<f64>,
    /// Poisson's ratio ν in (−1, ½) of `neo_hookean` and `st_venant_kirchhoff` (dimensionless).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 0.3))]
    pub poisson: Option<f64>,
    /// Compliance α (m/N) of each edge for `distance_and_volume`, of each particle's distance to its goal for
    /// `shape`; 0 is rigid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 0.0))]
    pub compliance: Option<f64>,
    /// Compliance α (m⁶/J) of the volume of each tetrahedron for `distance_and_volume`; 0 is rigid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 0.0))]
    pub volume_compliance: Option<f64>,
    /// Density (kg/m³): each tetrahedron gives a quarter of its mass to each of its corners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 1000.0))]
    pub density: Option<f64>,
    /// Total mass (kg), instead of `density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Contact radius of the particles (m).
    #[serde(default)]
    pub radius: f64,
    /// Particles that never move: numbers from 0; whole faces `"x_min"`, `"x_max"`, `"y_min"`, `"y_max"`, `"z_min"`,
    /// `"z_max"`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<ParticleChoice>,
    /// Velocity at time 0 (m/s, world).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub velocity: [f64; 3],
    /// Coulomb coefficient μ ≥ 0 (dimensionless), or `{ static = …, dynamic = … }`.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub friction: FrictionEntry,
    /// Coefficient of restitution e in [0, 1] (dimensionless).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub restitution: f64,
    /// Whether the particles collide with each other.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = false))]
    pub self_contact: bool,
}

impl SoftEntry {
    /// Returns the pose of the block.
    pub fn placement(&self) -> Placement {
        Placement {
            position: self.position,
            rotation_deg: self.rotation_deg,
            quaternion: self.quaternion,
            rotation_vector_deg: self.rotation_vector_deg,
        }
    }
}

/// The elements of a soft block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SoftElement {
    /// Tetrahedra of four particles, of one strain each: too stiff when they bend, twist or keep their volume.
    #[default]
    Linear,
    /// Tetrahedra of ten particles, their corners and the middles of their edges, whose strain varies linearly.
    Quadratic,
}

/// How a soft block resists deformation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SoftLaw {
    /// Tetrahedra of neo-Hookean material, by `young` and `poisson`.
    #[default]
    NeoHookean,
    /// Tetrahedra of St. Venant–Kirchhoff material, by `young` and `poisson`.
    StVenantKirchhoff,
    /// The length of every edge and the volume of every tetrahedron, by `compliance` and `volume_compliance`.
    DistanceAndVolume,
    /// The shape of the whole block, up to a rigid motion, by `compliance`.
    Shape,
}

//! Errors of this crate.

use rigor_geometry::Surface;
use rigor_scene::{Feature, StepError};

/// Why a mesh cannot be filled with particles.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VoxelError {
    /// The surface bounds no volume.
    #[error("its surface is {surface}; close the mesh, or make the body static")]
    NotSolid {
        /// What the surface is.
        surface: Surface,
    },
    /// The mesh has wires or points, which have no volume.
    #[error("its mesh has {wires} wires and {points} points outside of triangles; only solids can be filled")]
    Codimensional {
        /// Number of wires.
        wires: usize,
        /// Number of points.
        points: usize,
    },
    /// Particles are larger than the body.
    #[error(
        "the spacing of {spacing:e} m exceeds its smallest extent; set spacing to at most {extent:e} m, or leave it out"
    )]
    TooCoarse {
        /// The spacing (m).
        spacing: f64,
        /// The smallest extent of the box around the body (m).
        extent: f64,
    },
    /// No voxel centre lies inside.
    #[error(
        "no particle of diameter {spacing:e} m has its centre inside; set a smaller spacing, or more particles_per_body"
    )]
    Empty {
        /// The spacing (m).
        spacing: f64,
    },
    /// Too many particles.
    #[error(
        "a spacing of {spacing:e} m needs about {needed:.3e} particles, more than {maximum} (max_particles); set a \
         larger spacing, or fewer particles_per_body"
    )]
    TooMany {
        /// The spacing (m).
        spacing: f64,
        /// The estimated number.
        needed: f64,
        /// The maximum.
        maximum: u32,
    },
}

/// Why a scene or a step cannot be simulated by `particles`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParticlesError {
    /// A body cannot be filled with particles.
    #[error("the shape of body {name:?}: {error}")]
    Shape {
        /// The name of the body.
        name: String,
        /// Why.
        error: VoxelError,
    },
    /// A body next to a fluid has no inside.
    #[error("body {name:?} is no solid, and fluids need solid walls; close its mesh, or give it a thickness")]
    OpenWall {
        /// The name of the body.
        name: String,
    },
    /// A body next to a fluid is thinner than the spacing of the fluid.
    #[error(
        "body {name:?} is {extent:e} m thick, less than the spacing of the fluid, {spacing:e} m; make the body thicker, \
         or the spacing smaller"
    )]
    ThinWall {
        /// The name of the body.
        name: String,
        /// The spacing of the fluid (m).
        spacing: f64,
        /// The smallest extent of the box around the body (m).
        extent: f64,
    },
    /// A fluid and the surfaces of bodies together have too many particles.
    #[error(
        "{fluid} particles of fluid and {walls} of walls, together more than {maximum} (max_particles); set a larger \
         spacing of the fluid, or make bodies no larger than the fluid needs"
    )]
    TooManyInFluid {
        /// The number of particles of fluid.
        fluid: usize,
        /// The number of particles of walls.
        walls: usize,
        /// The maximum.
        maximum: u32,
    },
    /// All bodies together have too many particles.
    #[error(
        "{needed} particles, more than {maximum} (max_particles); set a larger spacing, or fewer particles_per_body"
    )]
    TooMany {
        /// The number of particles.
        needed: usize,
        /// The maximum.
        maximum: u32,
    },
}

impl From<ParticlesError> for Feature {
    fn from(error: ParticlesError) -> Self {
        Self::Other { what: error.to_string() }
    }
}

impl From<ParticlesError> for StepError {
    fn from(error: ParticlesError) -> Self {
        Self::Failed { what: error.to_string(), bodies: Vec::new() }
    }
}

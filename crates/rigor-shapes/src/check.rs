//! Validation of shape parameters.

use std::ops::RangeInclusive;

use rigor_math::Vec3;

use rigor_geometry::MeshError;

/// The reason why parameters do not define a shape.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A parameter out of its bounds.
    #[error("{shape}: {parameter} = {value} must be {allowed}")]
    Parameter {
        /// The requested shape.
        shape: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// Its value.
        value: f64,
        /// The allowed values.
        allowed: String,
    },
    /// Parameters that are each allowed, but so extreme that a triangle's area rounds to zero.
    #[error("{shape}: {source}")]
    Mesh {
        /// The requested shape.
        shape: &'static str,
        /// The error of the mesh.
        source: MeshError,
    },
}

/// Checks the parameters of the named shape.
#[derive(Clone, Copy)]
pub(super) struct Check(pub &'static str);

impl Check {
    /// Fails unless `value` is positive and finite.
    pub fn positive(self, parameter: &'static str, value: f64) -> Result<(), ShapeError> {
        self.that(value > 0.0 && value.is_finite(), parameter, value, "positive and finite")
    }

    /// Fails unless all three lengths are positive and finite.
    pub fn size(self, size: &Vec3) -> Result<(), ShapeError> {
        self.positive("size.x", size.x)?;
        self.positive("size.y", size.y)?;
        self.positive("size.z", size.z)
    }

    /// Fails unless `value` is positive and less than `bound`.
    pub fn below(self, parameter: &'static str, value: f64, bound: f64) -> Result<(), ShapeError> {
        let allowed = || format!("positive and less than {bound}");
        self.that(value > 0.0 && value < bound, parameter, value, allowed())
    }

    /// Fails unless `value` lies in `allowed`.
    pub fn count(
        self,
        parameter: &'static str,
        value: u32,
        allowed: RangeInclusive<u32>,
    ) -> Result<(), ShapeError> {
        let bounds = format!("from {} to {}", allowed.start(), allowed.end());
        self.that(allowed.contains(&value), parameter, f64::from(value), bounds)
    }

    /// Fails with the message that `value` must be `allowed`, unless `holds`.
    pub fn that(
        self,
        holds: bool,
        parameter: &'static str,
        value: f64,
        allowed: impl Into<String>,
    ) -> Result<(), ShapeError> {
        if holds {
            return Ok(());
        }
        Err(ShapeError::Parameter { shape: self.0, parameter, value, allowed: allowed.into() })
    }

    /// Passes a mesh on, and adds the name of the shape to an error.
    pub fn mesh<T>(self, mesh: Result<T, MeshError>) -> Result<T, ShapeError> {
        mesh.map_err(|source| ShapeError::Mesh { shape: self.0, source })
    }
}

/// Allowed numbers of segments around a circle.
pub(super) const SEGMENTS: RangeInclusive<u32> = 3..=4096;

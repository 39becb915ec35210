//! Errors of the device `gpu`.

use rigor_gpu::DeviceError;
use rigor_scene::{Feature, StepError};

/// Why a step cannot be computed on a graphics processor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The device cannot be used.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A number of a particle is too large for single precision.
    #[error(
        "position, velocity or 1/mass of particle {particle} exceeds the range of single precision; set device to \"cpu\""
    )]
    Range {
        /// Its index.
        particle: usize,
    },
}

impl From<GpuError> for Feature {
    fn from(error: GpuError) -> Self {
        Self::Other { what: error.to_string() }
    }
}

impl From<GpuError> for StepError {
    fn from(error: GpuError) -> Self {
        Self::Failed { what: error.to_string(), bodies: Vec::new() }
    }
}

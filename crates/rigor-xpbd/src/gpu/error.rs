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
    /// A number of a body is too large or too small for single precision.
    #[error("a number of body {body:?} exceeds the range of single precision; set device to \"cpu\"")]
    BodyRange {
        /// Its name.
        body: String,
    },
    /// The device does not have what a scene needs.
    #[error("the method does not support {}", lacking(what))]
    Lacks {
        /// What it does not have.
        what: String,
    },
    /// A pair of bodies has more contacts than the device has places for.
    #[error(
        "two bodies touch at more than 16 points, which is the most on the device \"gpu\"; set device to \"cpu\""
    )]
    TooManyContacts,
    /// Bodies move so fast that features may cross unseen.
    #[error(
        "two bodies that may meet are so fast that their features may pass each other unseen in a substep, and the device \
         \"gpu\" does not follow their paths; raise substeps, or set device to \"cpu\""
    )]
    TooFast,
}

impl GpuError {
    /// Returns an error if these bits, as `detect.wgsl` sets them, tell of any.
    pub(crate) fn of_faults(bits: u32) -> Result<(), Self> {
        match bits {
            0 => Ok(()),
            bits if bits & 1 == 1 => Err(Self::TooManyContacts),
            _ => Err(Self::TooFast),
        }
    }
}

impl From<GpuError> for Feature {
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other errors are sentences")]
    fn from(error: GpuError) -> Self {
        match error {
            GpuError::Lacks { what } => Self::Other { what: lacking(&what) },
            error => Self::Other { what: error.to_string() },
        }
    }
}

fn lacking(what: &str) -> String {
    format!("{what} on the device \"gpu\"; set device to \"cpu\"")
}

impl From<GpuError> for StepError {
    fn from(error: GpuError) -> Self {
        Self::Failed { what: error.to_string(), bodies: Vec::new() }
    }
}

//! Errors of the device `gpu`.

use rigor_scene::{Feature, StepError};

/// Why a step cannot be computed on a graphics processor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no adapter at all.
    #[error(
        "the device \"gpu\": no adapter was found; install a driver (for example mesa-vulkan-drivers, which also has one in \
         software), or set device to \"cpu\""
    )]
    NoAdapter,
    /// No adapter has this name.
    #[error("adapter {name:?}: the adapters are {}", quoted(known))]
    Unknown {
        /// The name in the settings.
        name: String,
        /// The names of all adapters.
        known: Vec<String>,
    },
    /// The adapter gives no device.
    #[error("adapter {adapter:?} gives no device: {why}; choose another adapter, or set device to \"cpu\"")]
    NotOpened {
        /// The name of the adapter.
        adapter: String,
        /// The reason.
        why: String,
    },
    /// The adapter has less than the kernels need.
    #[error(
        "adapter {adapter:?} has {found} {what}, and {needed} are needed; choose another adapter, or set device to \"cpu\""
    )]
    Lacks {
        /// The name of the adapter.
        adapter: String,
        /// What it has too few of.
        what: &'static str,
        /// How many it has.
        found: u64,
        /// How many are needed.
        needed: u64,
    },
    /// An array is larger than the adapter allows.
    #[error(
        "the {what} need {needed} bytes, and adapter {adapter:?} allows at most {maximum} in one array; set a larger spacing or \
         fewer particles_per_body, choose another adapter, or set device to \"cpu\""
    )]
    TooLarge {
        /// The name of the adapter.
        adapter: String,
        /// What is in the array.
        what: &'static str,
        /// Its size (bytes).
        needed: u64,
        /// The maximum (bytes).
        maximum: u64,
    },
    /// The device was lost, or refused an operation.
    #[error(
        "adapter {adapter:?} failed: {why}; resume the run, choose another adapter, or set device to \"cpu\""
    )]
    Lost {
        /// The name of the adapter.
        adapter: String,
        /// The reason.
        why: String,
    },
    /// Numbers became too large for single precision.
    #[error(
        "numbers exceed the range of single precision after {substeps} substeps; lower the stiffness, or set device to \"cpu\""
    )]
    Overflow {
        /// Number of substeps before.
        substeps: u32,
    },
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
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

//! Why a device cannot be used.

/// Why a graphics processor cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
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
        "the {what} need {needed} bytes, and adapter {adapter:?} allows at most {maximum} in one array; make the scene smaller \
         or its particles larger, choose another adapter, or set device to \"cpu\""
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
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}

//! Errors in runs of benchmarks.

use rayon::ThreadPoolBuildError;
use rigor_file::SceneError;
use rigor_run::registry::RegistryError;
use rigor_scene::{ConfigError, Unsupported};

/// An error that prevents a run of a benchmark.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The scene cannot be loaded.
    #[error(transparent)]
    Scene {
        /// The cause.
        #[from]
        source: SceneError,
    },
    /// The method or its settings are invalid.
    #[error(transparent)]
    Registry {
        /// The cause.
        #[from]
        source: RegistryError,
    },
    /// The settings are not those of the method.
    #[error(transparent)]
    Form {
        /// The mistake.
        #[from]
        source: serde_json::Error,
    },
    /// The value of a setting is not allowed.
    #[error(transparent)]
    Config {
        /// The setting.
        #[from]
        source: ConfigError,
    },
    /// The method cannot simulate the scene.
    #[error(transparent)]
    Unsupported {
        /// The missing feature.
        #[from]
        source: Unsupported,
    },
    /// The threads cannot be started.
    #[error(transparent)]
    Threads {
        /// The cause.
        #[from]
        source: ThreadPoolBuildError,
    },
}

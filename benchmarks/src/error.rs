//! Why a run of a benchmark cannot be made.

use rayon::ThreadPoolBuildError;
use rigor_file::SceneError;
use rigor_run::registry::RegistryError;
use rigor_scene::{ConfigError, Unsupported};

/// Why a run of a benchmark cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The scene cannot be loaded.
    #[error(transparent)]
    Scene {
        /// Why.
        #[from]
        source: SceneError,
    },
    /// The method or its settings are invalid.
    #[error(transparent)]
    Registry {
        /// What is wrong with them.
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
        /// What it lacks.
        #[from]
        source: Unsupported,
    },
    /// The threads cannot be started.
    #[error(transparent)]
    Threads {
        /// Why.
        #[from]
        source: ThreadPoolBuildError,
    },
}

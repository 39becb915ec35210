//! Reference data, which is not part of this repository, and the tests that need it.
//!
//! The data is looked for in one folder per program, named by a variable of the environment or, by default,
//! in `../shared/data` beside the workspace. A test whose data is absent is ignored, and says why; if
//! `RIGOR_DATA_EXPECTED` is set to anything but `0`, it fails instead.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// A folder of reference data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folder {
    /// `fixtures` and `meshes` of ipc-sim/rigid-ipc, in `RIGOR_RIGID_IPC_DATA`.
    RigidIpc,
    /// Trajectories of the reference program of \[Ferguson2021\], in `../../reference/trajectories` relative
    /// to its scenes.
    Trajectories,
    /// CSV files of the sample queries of \[Wang2021\], in `linear` of `RIGOR_CCD_QUERIES`.
    LinearQueries,
    /// JSON files with queries of the reference program of \[Ferguson2021\], in `curved` of
    /// `RIGOR_CCD_QUERIES`.
    CurvedQueries,
}

impl Folder {
    /// Its path, whether it exists or not.
    pub fn path(self) -> PathBuf {
        match self {
            Self::RigidIpc => given("RIGOR_RIGID_IPC_DATA", "rigid-ipc"),
            Self::Trajectories => Self::RigidIpc.path().join("../../reference/trajectories"),
            Self::LinearQueries => given("RIGOR_CCD_QUERIES", "ccd-queries").join("linear"),
            Self::CurvedQueries => given("RIGOR_CCD_QUERIES", "ccd-queries").join("curved"),
        }
    }

    /// Returns its path, or the reason why what needs it cannot run.
    ///
    /// # Errors
    /// It does not exist.
    pub fn find(self) -> Result<PathBuf, Absent> {
        let (what, variable, part) = match self {
            Self::RigidIpc => ("scenes of ipc-sim/rigid-ipc", "RIGOR_RIGID_IPC_DATA", "fixtures/3D"),
            Self::Trajectories => ("trajectories of ipc-sim/rigid-ipc", "RIGOR_RIGID_IPC_DATA", ""),
            Self::LinearQueries => ("linear sample queries", "RIGOR_CCD_QUERIES", ""),
            Self::CurvedQueries => ("rigid sample queries", "RIGOR_CCD_QUERIES", ""),
        };
        let path = self.path();
        if path.join(part).is_dir() { Ok(path) } else { Err(Absent { what, path, variable }) }
    }
}

/// Reference data that is not on this computer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    what: &'static str,
    path: PathBuf,
    variable: &'static str,
}

impl Display for Absent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "no {} in {}; set {}", self.what, self.path.display(), self.variable)
    }
}

/// Returns the folder in `variable`, by default `name` in `../shared/data` beside the workspace.
fn given(variable: &str, name: &str) -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a package of the workspace");
    let default = || workspace.join("../shared/data").join(name);
    std::env::var_os(variable).map_or_else(default, PathBuf::from)
}

fn is_expected() -> bool {
    std::env::var_os("RIGOR_DATA_EXPECTED").is_some_and(|value| value != "0")
}

/// Returns the outcome of a test that lacks data, if any, and otherwise does `run`.
fn outcome(lack: Option<String>, is_expected: bool, run: impl FnOnce()) -> Result<Completion, Failed> {
    match lack {
        None => {
            run();
            Ok(Completion::Completed)
        }
        Some(why) if is_expected => Err(format!("{why} (RIGOR_DATA_EXPECTED is set)").into()),
        Some(why) => Ok(Completion::ignored_with(why)),
    }
}

/// Returns the last part of the name of a function.
fn name_of<F>(_: &F) -> &'static str {
    std::any::type_name::<F>().rsplit("::").next().unwrap_or_default()
}

/// A test, called as its function is, that needs these folders.
pub fn needing(folders: &'static [Folder], test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::ignorable_test(name_of(&test), || {
        let lack = folders.iter().find_map(|folder| folder.find().err());
        outcome(lack.map(|absent| absent.to_string()), is_expected(), test)
    })
}

/// Runs the tests as `cargo test` does, and exits.
pub fn run(tests: Vec<Trial>) -> ! {
    libtest_mimic::run(&Arguments::from_args(), tests).exit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_without_its_data_is_ignored_with_a_reason_or_fails() {
        let lack = || Some("no scenes".to_owned());
        let ignored = outcome(lack(), false, || panic!("it must not run"));
        assert!(matches!(ignored, Ok(Completion::Ignored { reason }) if reason == lack()));
        let failed = outcome(lack(), true, || panic!("it must not run"))
            .err()
            .and_then(|f| f.message().map(str::to_owned));
        assert_eq!(failed.as_deref(), Some("no scenes (RIGOR_DATA_EXPECTED is set)"));
        for is_expected in [false, true] {
            let mut ran = false;
            assert!(matches!(outcome(None, is_expected, || ran = true), Ok(Completion::Completed)) && ran);
        }
    }

    #[test]
    fn a_test_is_called_as_its_function() {
        fn something_holds() {}
        let trial = needing(&[], something_holds);
        assert_eq!(trial.name(), "something_holds");
    }
}

//! How to run a figure.

use std::path::Path;

use rigor_study::Options;
use rigor_study::driver::Rerun;

use crate::extent::Extent;
use crate::form::Form;
use crate::mutation::Mutation;

/// Options for running a figure.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Folder with the paper's data.
    pub data: Option<&'a Path>,
    /// Changes to the scenes, such as `method.ipc.eps_v=1e-4`; studies ignore them.
    pub overrides: &'a [String],
    /// How much of each run to simulate.
    pub extent: Extent,
    /// The forms of the method in which scenes and studies run.
    pub forms: &'a [Form],
    /// A change of every scene under which claims should fail.
    pub change: Option<Mutation>,
    /// Maximum wall time of a run (s).
    pub seconds: Option<f64>,
    /// Whether runs of studies are made one after another, so that claims about time are judged.
    pub is_timed: bool,
    /// Folder of the runs; a run that is found there is not made again.
    pub root: &'a Path,
}

impl Request<'_> {
    /// Returns how to carry out runs: those that a time limit cut are made again.
    pub(crate) fn options(&self) -> Options {
        Options { rerun: Rerun::TimedOut, ..Options::new(self.root) }
    }

    /// Returns the method of a run of `method`.
    pub(crate) fn method<'a>(&self, method: &'a str) -> &'a str {
        self.change.map_or(method, |change| change.method(method))
    }
}

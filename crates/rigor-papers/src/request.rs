//! How to run a figure.

use std::path::Path;

use crate::extent::Extent;

/// Options for running a figure.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Folder with the paper's data.
    pub data: Option<&'a Path>,
    /// Changes to the scenes, such as `method.ipc.eps_v=1e-4`; studies ignore them.
    pub overrides: &'a [String],
    /// How much of each run to simulate.
    pub extent: Extent,
    /// Whether runs of studies are made one after another, so that claims about time are judged.
    pub is_timed: bool,
    /// Folder of the runs; a run that is found there is not made again.
    pub root: &'a Path,
}

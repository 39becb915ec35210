//! The `rigor` program as a library.
//!
//! | module | what |
//! | --- | --- |
//! | [`registry`] | methods by name |
//! | [`accuracy`] | cases with known answers: error against CPU time |
//! | [`peers`] | other engines behind the [`Method`](rigor_scene::Method) trait |
//! | [`disk`] | scenes from files and from the case library |
//! | [`diagnostic`] | errors and warnings about scene files, as text and as JSON |
//! | [`run`] | runs on disk: create, resume, judge and certify |
//! | [`compare`] | every method on every scene, in memory |
//! | [`reproduce`] | the figures of papers, and their claims |
//! | [`ccd`] | files of collision queries, and how well methods answer them |
//! | [`report`], [`render`], [`output`] | pages, pictures, and files for other programs |
//! | [`notice`] | requests of a scene that a method does not follow; flawed steps |
//! | [`clock`], [`cpu`], [`machine`] | wall time, CPU time, and the computer |
//! | [`cli`] | the command line |

pub mod accuracy;
pub mod ccd;
pub mod cli;
pub mod diagnostic;

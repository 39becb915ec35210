//! The `rigor` program as a library.
//!
//! | module | what |
//! | --- | --- |
//! | [`accuracy`] | cases with exact answers: error against CPU time |
//! | [`ccd`] | files of collision queries, and how well methods answer them |
//! | [`diagnostic`] | mistakes in scene files, shown to people and programs |
//! | [`cli`] | the command line |

pub mod accuracy;
pub mod ccd;
pub mod cli;
pub mod diagnostic;

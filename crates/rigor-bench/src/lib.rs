//! The `rigor` program as a library: methods by name, peers, runs on disk, pictures and reports.

pub mod ccd;
pub mod cli;
pub mod clock;
pub mod compare;
pub mod diagnostic;
pub mod disk;
pub mod machine;
pub mod output;
pub mod peers;
pub mod registry;
pub mod render;
pub mod report;
pub mod reproduce;
pub mod run;

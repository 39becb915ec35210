//! Code that the benchmarks share.
//!
//! | module | what |
//! | --- | --- |
//! | [`boxes`] | boxes in columns and in piles |
//! | [`cloth`] | a square cloth of distance bonds |
//! | [`cpu`] | time on the processor |
//! | [`resident`] | memory of this process |
//! | [`subject`] | scenes to run: cases that ship, files, fixtures |
//! | [`reference`] | figures of the reference program of [Ferguson2021] |
//! | [`links`] | bodies that hang from each other |
//! | [`options`] | options of their command lines |
//! | [`pile`] | boxes that fall onto each other |
//! | [`timed_run`] | a run with its cost, step by step |
//! | [`vectors`] | random vectors |
//! | [`worked`] | the precision that a method reached, and what it cost |
//! | [`table`] | tables in Markdown, row by row |

// [Ferguson2021] is a citation; rustdoc takes it for a link.
#![allow(rustdoc::broken_intra_doc_links)]

pub mod boxes;
pub mod cloth;
pub mod links;
pub mod options;
pub mod pile;
pub mod reference;
pub mod resident;
pub mod subject;
pub mod table;
pub mod timed_run;
pub mod vectors;
pub mod worked;

pub use rigor_run::cpu;

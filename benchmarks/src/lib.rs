//! Shared code of the benchmarks.
//!
//! | module | content |
//! | --- | --- |
//! | [`boxes`] | boxes in columns and in piles |
//! | [`cloth`] | a square cloth of distance bonds |
//! | [`cpu`] | processor time |
//! | [`engines`] | the tables and plots of `docs/engines.md` |
//! | [`error`] | errors in runs of benchmarks |
//! | [`grains`] | a block of grains that settles |
//! | [`resident`] | memory of this process |
//! | [`subject`] | scenes to run: built-in cases, files, fixtures |
//! | [`reference`](mod@reference) | measurements of the reference program of \[Ferguson2021\] |
//! | [`links`] | bodies connected by joints |
//! | [`measured`] | committed measurements |
//! | [`options`] | command-line options |
//! | [`performance`] | the plots of `docs/performance.md` |
//! | [`pile`] | boxes that fall onto each other |
//! | [`plot`](mod@plot) | plots as SVG files |
//! | [`timed_run`] | a run with its cost, step by step |
//! | [`vectors`] | random vectors |
//! | [`measurement`] | accuracy and cost of a run |
//! | [`table`] | tables in Markdown, row by row |

pub mod boxes;
pub mod cloth;
pub mod engines;
pub mod error;
pub mod grains;
pub mod links;
pub mod measured;
pub mod measurement;
pub mod options;
pub mod performance;
pub mod pile;
pub mod plot;
pub mod reference;
pub mod resident;
pub mod subject;
pub mod table;
pub mod timed_run;
pub mod vectors;

pub use rigor_run::cpu;

//! Reproduction of papers: the claim of each figure, in our own words, and the scenes that test it.
//!
//! ```
//! use rigor_papers::catalogue;
//! let paper = catalogue::find("ferguson2021").unwrap();
//! assert_eq!(paper.figures("13")[0].id, "13");
//! ```
//!
//! | module | content |
//! | --- | --- |
//! | [`paper`] | papers, their figures and their claims |
//! | [`catalogue`] | the table of papers; each paper has its own file |
//! | [`request`] | how to run a figure |
//! | [`study`], [`measure`] | runs at several settings, with one number from each compared with the paper's |
//! | [`extent`] | the simulated part of a run |
//! | [`attempt`](mod@attempt) | execution and judgement of a figure |
//! | [`table`] | a study as a table |
//! | [`page`] | a page for each figure, and an index |
//! | [`page`] | a page for each figure, and an index |
//! To add a paper, add a file beside `ferguson2021.rs` and its line in [`catalogue::PAPERS`].

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod across;
pub mod attempt;
pub mod catalogue;
pub mod extent;
pub mod page;
pub mod paper;
pub mod request;
pub mod study;

mod ferguson2021;
mod harada2007;
mod macklin2016;
pub mod measure;
mod mueller2007;
mod mueller2020;
pub mod table;

#[cfg(test)]
mod tests;

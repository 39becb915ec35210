//! Papers made again: what each figure claims, in our own words, and the scenes that show whether it holds.
//!
//! ```
//! use rigor_papers::catalogue;
//! let paper = catalogue::find("ferguson2021").unwrap();
//! assert_eq!(paper.figures("13")[0].id, "13");
//! ```
//!
//! | module | what |
//! | --- | --- |
//! | [`paper`] | what a table of figures is made of |
//! | [`catalogue`] | the papers that there are; each has a file with its table |
//! | [`study`], [`measure`] | runs at several settings, and one number from each beside the paper's |
//! | [`extent`] | how much of a run to make |
//! | [`attempt`](mod@attempt) | a figure run and judged |
//! | [`table`] | a study as a table |
//! | [`page`] | a page for each figure, and an index |
//!
//! A paper more is a table more: a file beside `ferguson2021.rs`, and its line in [`catalogue::PAPERS`].

// The example of the README is tested with those of the docstrings.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod attempt;
pub mod catalogue;
pub mod extent;
pub mod page;
pub mod paper;
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

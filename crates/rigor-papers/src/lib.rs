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
//! | [`paper`] | papers, their figures and their claims, as their files have them |
//! | [`catalogue`] | the papers that come with the program |
//! | [`file`](mod@file) | files of papers, read and checked |
//! | [`error`] | what is wrong with the file of a paper |
//! | [`form`] | a method as printed, and as here |
//! | [`request`] | how to run a figure |
//! | [`mutation`], [`survey`](mod@survey) | changes of a scene, and the claims that notice them |
//! | [`study`], [`measure`] | runs at several settings, with one number from each compared with the paper's |
//! | [`extent`] | the simulated part of a run |
//! | [`attempt`](mod@attempt) | execution and judgement of a figure |
//! | [`table`] | a study as a table |
//! | [`page`] | a page for each figure, and an index |
//!
//! A paper is a file, as those in the folder `papers` of this crate: [`file::read`].

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod across;
pub mod attempt;
pub mod catalogue;
pub mod error;
pub mod extent;
pub mod file;
pub mod form;
pub mod measure;
pub mod mutation;
pub mod page;
pub mod paper;
pub mod request;
pub mod study;
pub mod survey;
pub mod table;

#[cfg(test)]
mod tests;

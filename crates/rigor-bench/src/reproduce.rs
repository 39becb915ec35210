//! Reproduction of papers: the claim of each figure, in our own words, and scenes that test it.
//!
//! | module | what |
//! | --- | --- |
//! | [`paper`] | a table of figures per paper |
//! | [`study`] | runs at several settings, with one number from each compared with the paper's |
//! | [`attempt`] | runs and judges a figure |
//! | [`table`] | a study as a table |
//! | [`page`] | a page for each figure, and an index |
//!
//! To add a paper, write its table in a file beside `ferguson2021.rs` and add it to [`paper::PAPERS`].

pub mod attempt;
pub mod page;
pub mod paper;
pub mod study;

mod ferguson2021;
mod macklin2016;
mod measure;
mod mueller2007;
mod mueller2020;
pub mod table;

#[cfg(test)]
mod tests;

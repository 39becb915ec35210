//! Papers made again: what each figure claims, in our own words, and the scenes that show whether it holds.
//!
//! | module | what |
//! | --- | --- |
//! | [`paper`] | a table of figures per paper |
//! | [`study`] | runs at several settings, and one number from each beside the paper's |
//! | [`attempt`] | a figure run and judged |
//! | [`table`] | a study as a table |
//! | [`page`] | a page for each figure, and an index |
//!
//! A paper more is a table more: a file beside `ferguson2021.rs`, and its line in [`paper::PAPERS`].

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

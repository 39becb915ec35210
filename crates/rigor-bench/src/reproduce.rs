//! Papers made again: what each figure claims, in our own words, and the scenes that show whether it holds.
//!
//! | module | what |
//! | --- | --- |
//! | [`paper`] | a table of figures per paper |
//! | [`attempt`] | a figure run and judged |
//! | [`page`] | a page for each figure, and an index |
//!
//! A paper more is a table more: a file beside `ferguson2021.rs`, and its line in [`paper::PAPERS`].

pub mod attempt;
pub mod page;
pub mod paper;

mod ferguson2021;

#[cfg(test)]
mod tests;

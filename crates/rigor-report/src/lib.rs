//! One page of HTML on a comparison of methods: what ran, what the judges found, pictures and plots.
//!
//! The page is a single file that needs no network: styles, pictures (PNG in data URIs) and plots (SVG) are inside. A
//! driver fills a [`Comparison`], which is plain data, and [`html`] writes it down.
//!
//! ```
//! use rigor_report::{Comparison, html};
//! let page = html(&Comparison { title: "Stacks".into(), ..Comparison::default() });
//! assert!(page.contains("<h1>Stacks</h1>"));
//! ```
//!
//! | module | what |
//! | --- | --- |
//! | `comparison` | what the page shows: [`Comparison`], its scenes ([`SceneSection`]) and runs ([`MethodRow`]) |
//! | `page`, `summary`, `section`, `curves` | the page, from the whole to the plots of a scene |
//! | `naming` | what methods, rows and sections are called on it |
//! | [`figure`] | the columns of the summary: what is shown of a row, in which unit, and how it is judged |
//! | [`mark`] | good, slightly off or wrong |
//! | [`tally`] | all runs of a method, counted |
//! | [`notice`] | what methods do not do as scenes ask, as lines of text |
//! | [`number`] | numbers as text, with three digits and their unit |
//! | [`scale`] | axes: from values to places on paper, and their ticks |
//! | [`plot`] | a plot as SVG |
//! | [`table`] | numbers side by side, with a plot |
//! | [`departure`] | bodies that leave the scene |
//! | [`moment`] | the moments of a run at which one should look |
//! | [`player`], `playback` | runs played in the page |
//! | [`render`] | pictures of a state |

// The example of the README is tested with those of the docstrings.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod comparison;
mod curves;
pub mod departure;
pub mod figure;
pub mod mark;
pub mod moment;
mod naming;
pub mod notice;
pub mod number;
mod page;
mod playback;
pub mod player;
pub mod plot;
pub mod render;
pub mod scale;
mod section;
mod summary;
pub mod table;
pub mod tally;

pub use comparison::{Comparison, Ending, MethodRow, Preface, SceneSection};
pub use page::{STYLE, html};

#[cfg(test)]
mod tests;

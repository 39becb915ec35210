//! A comparison of methods as one page of HTML: runs, findings of the judges, pictures and plots.
//!
//! The page is a single file that needs no network: it contains its styles, its pictures (PNG in data URIs)
//! and its plots (SVG). A caller fills a [`Comparison`], which is plain data, and [`html`] formats it.
//!
//! ```
//! use rigor_report::{Comparison, html};
//! let page = html(&Comparison { title: "Stacks".into(), ..Comparison::default() });
//! assert!(page.contains("<h1>Stacks</h1>"));
//! ```
//!
//! | module | content |
//! | --- | --- |
//! | `comparison` | the content of the page: [`Comparison`], its scenes ([`SceneSection`]) and runs ([`MethodRow`]) |
//! | `faults` | what went wrong, first on the page |
//! | `frame` | date, machine and versions |
//! | `page`, `summary`, `section`, `curves` | the page, its summary, the section of a scene, and its plots |
//! | [`naming`] | names of methods, rows and sections on the page |
//! | [`figure`] | the columns of the summary: content, unit and judgement of each cell |
//! | [`mark`] | the mark of a judgement: good, slightly off or wrong |
//! | [`tally`] | counts over all runs of a method |
//! | [`notice`] | requests of scenes that methods ignore, and flawed steps, as lines of text |
//! | [`number`] | numbers as text, with three digits and their unit |
//! | [`scale`] | axes: mapping of values to positions, and ticks |
//! | [`chart`] | one number against another as SVG: work–precision plots, sweeps, heat maps |
//! | [`plot`] | a plot as SVG |
//! | [`table`] | a table of numbers, with a plot |
//! | [`departure`] | bodies that leave the scene |
//! | [`closeup`] | a moment from near: triangles that intersect, the smallest gap, a picture |
//! | [`moment`] | the moments of a run at which a verdict points |
//! | [`player`], `playback` | playback of runs in the page |
//! | [`paper`] | plots, tables and pictures as files for papers |
//! | [`render`] | pictures of a state |

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod chart;
pub mod closeup;
mod comparison;
mod curves;
pub mod departure;
mod faults;
pub mod figure;
mod files;
mod frame;
pub mod mark;
pub mod moment;
pub mod naming;
pub mod notice;
pub mod number;
mod page;
pub mod paper;
mod playback;
pub mod player;
pub mod plot;
pub mod render;
pub mod scale;
mod section;
mod summary;
pub mod table;
pub mod tally;

pub use comparison::{Comparison, Drawing, Ending, MethodRow, PlotSource, Preface, SceneSection};
pub use frame::frame;
pub use page::{STYLE, html};

#[cfg(test)]
mod tests;

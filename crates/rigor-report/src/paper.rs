//! Figures for papers: plots as SVG and PDF, tables as LaTeX and CSV, labelled pictures, a block to cite.
//!
//! | module | content |
//! | --- | --- |
//! | [`vector`] | a plot as strokes and texts, read from the SVG of a page, with the colours of print |
//! | [`pdf`] | the same as a PDF page, with its font embedded |
//! | [`grid`] | a table: LaTeX and CSV |
//! | [`tables`] | the tables of a page |
//! | [`plots`] | the plots of a page, at the width of a column |
//! | [`letter`] | letters on a picture |
//! | [`sheet`] | pictures in rows and columns, with their names |
//! | [`citation`] | program, versions and hashes, as text and as BibTeX |

pub mod citation;
pub mod grid;
pub mod letter;
pub mod pdf;
pub mod plots;
pub mod sheet;
mod style;
pub mod tables;
pub mod vector;

/// Points (1/72 inch) per unit of a plot: a unit is the pixel of a style sheet, 1/96 inch.
pub const POINTS: f64 = 0.75;

//! The plots of a page, at the width of a column of a paper.

use super::POINTS;
use super::grid::Grid;
use super::tables::file_name;
use super::vector::{Vector, VectorError};
use crate::comparison::Comparison;
use crate::curves;
use crate::naming::methods;

/// Height over width of a plot without its legend.
const SHAPE: f64 = 0.8;

/// A plot for a paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Printed {
    /// Name of its file.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The drawing.
    pub drawing: Vector,
    /// Its numbers; a plot made elsewhere has them in the table of results.
    pub numbers: Option<Grid>,
}

/// Draws every plot of a page, `width` points (1/72 inch) wide.
///
/// # Errors
/// A drawing made elsewhere cannot be read.
pub fn plots(comparison: &Comparison, width: f64) -> Result<Vec<Printed>, VectorError> {
    let size = [width / POINTS, SHAPE * width / POINTS];
    let methods = methods(comparison);
    let mut all = Vec::new();
    for drawing in &comparison.drawings {
        let svg = drawing.sized(size).unwrap_or_else(|| drawing.svg.clone());
        let title = drawing.title.clone();
        all.push(Printed { name: file_name(&title), title, drawing: Vector::read(&svg)?, numbers: None });
    }
    for section in &comparison.scenes {
        for plot in curves::all(section, &methods) {
            let Some(svg) = plot.printed(size) else { continue };
            let title = format!("{}: {}", section.name, plot.title);
            let numbers = Some(plot.numbers());
            all.push(Printed { name: file_name(&title), title, drawing: Vector::read(&svg)?, numbers });
        }
    }
    Ok(all)
}

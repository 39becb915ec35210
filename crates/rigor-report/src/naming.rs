//! Names of methods, rows and sections on a page.

use crate::comparison::{Comparison, MethodRow, SceneSection};
use crate::number::quantity;

/// Returns the names of all methods, in the order in which they first occur.
pub fn methods(comparison: &Comparison) -> Vec<&str> {
    let mut methods: Vec<&str> = Vec::new();
    for row in comparison.scenes.iter().flat_map(|section| &section.rows) {
        if !methods.contains(&row.label.as_str()) {
            methods.push(&row.label);
        }
    }
    methods
}

/// Returns the anchor of the section.
pub fn anchor(section: &SceneSection) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    format!("scene-{}", section.name.chars().map(plain).collect::<String>())
}

/// Returns the method's name, with the time step if the method has several on this scene.
pub fn row_name(section: &SceneSection, row: &MethodRow) -> String {
    let alike = section.rows.iter().filter(|other| other.label == row.label && other.point == row.point);
    let name = if row.point.is_empty() { row.label.clone() } else { format!("{}, {}", row.label, row.point) };
    if alike.count() == 1 { name } else { format!("{name}, Δt = {}", quantity(row.dt, "s")) }
}

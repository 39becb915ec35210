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

/// Returns the anchor of the section: different names have different ones. A name of other characters than letters, digits, hyphens
/// and slashes has a number at the end.
pub fn anchor(section: &SceneSection) -> String {
    let plain = |c: char| match c {
        '/' => '_',
        c if c.is_ascii_alphanumeric() => c,
        _ => '-',
    };
    let words: String = section.name.chars().map(plain).collect();
    if section.name.chars().all(|c| plain(c) == c || c == '/') {
        return format!("scene-{words}");
    }
    // FNV-1a.
    let add = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    format!("scene-{words}_{:08x}", section.name.bytes().fold(0x811c_9dc5, add))
}

/// Returns the method's name, with the time step if the method has several on this scene.
pub fn row_name(section: &SceneSection, row: &MethodRow) -> String {
    let alike = section.rows.iter().filter(|other| other.label == row.label && other.point == row.point);
    let name = if row.point.is_empty() { row.label.clone() } else { format!("{}, {}", row.label, row.point) };
    if alike.count() == 1 { name } else { format!("{name}, Δt = {}", quantity(row.dt, "s")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_with_different_names_have_different_anchors() {
        let names = [
            "a/b",
            "a-b",
            "a_b",
            "a b",
            "a.b",
            "t (same-a.toml)",
            "t (same-b.toml)",
            "t (same_b.toml)",
            "ä",
            "ö",
        ];
        let anchors: std::collections::BTreeSet<String> = names
            .iter()
            .map(|name| anchor(&SceneSection { name: (*name).to_owned(), ..SceneSection::default() }))
            .collect();
        assert_eq!(anchors.len(), names.len(), "{anchors:?}");
        assert!(anchors.contains("scene-a_b") && anchors.contains("scene-a-b"), "{anchors:?}");
    }
}

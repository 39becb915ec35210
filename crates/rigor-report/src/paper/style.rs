//! What the classes of a plot stand for in print: the light colours of the style sheet.

use crate::page::STYLE;

/// Returns the value of a variable of the style sheet, such as `--c0`, in the light scheme.
pub fn variable(name: &str) -> Option<&'static str> {
    let start = STYLE.find(&format!("{name}:"))? + name.len() + 1;
    STYLE[start..].split(';').next().map(str::trim)
}

/// Returns the declarations of a class.
pub fn declarations(class: &str) -> Vec<(&'static str, &'static str)> {
    let color = |name: &str| variable(name).unwrap_or("#000");
    match class {
        "grid" => vec![("stroke", color("--rule")), ("stroke-width", "1")],
        "zero" => vec![("stroke", color("--faint"))],
        "line" => vec![("fill", "none"), ("stroke-width", "1.7")],
        "break" => vec![("fill", "none"), ("stroke", color("--faint")), ("stroke-width", "1.2")],
        "faded" => vec![("stroke", color("--rule")), ("stroke-width", "1")],
        "y" | "time" => vec![("text-anchor", "end")],
        "x" => vec![("text-anchor", "middle")],
        "unit" => vec![("text-anchor", "end"), ("dx", "-6")],
        "long" => vec![("text-anchor", "start"), ("dx", "0")],
        "d1" => vec![("stroke-dasharray", "6 3")],
        "d2" => vec![("stroke-dasharray", "2 2.5")],
        "d3" => vec![("stroke-dasharray", "8 3 2 3")],
        class if class.starts_with('c') => {
            variable(&format!("--{class}")).map(|c| ("stroke", c)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the declarations of an element of a plot that has a class.
pub fn of_element(tag: &str) -> Vec<(&'static str, &'static str)> {
    match tag {
        "text" => vec![("font-size", "11.5"), ("fill", variable("--ink").unwrap_or("#000"))],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_those_of_the_light_scheme() {
        assert_eq!(variable("--c0"), Some("#0072b2"));
        assert_eq!(declarations("c1"), [("stroke", "#d55e00")]);
        assert_eq!(variable("--nothing"), None);
    }
}

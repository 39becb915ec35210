//! Plots as SVG files: curves over logarithmic axes, and dots in labelled rows.
//!
//! A file has a white background and fixed colours, so that it is readable on pages of any colour.

mod axis;
mod label;
mod multiple;
mod panel;
mod row;

pub use multiple::{Line, Point, multiples};
pub use panel::{Curve, Panel, panels};
pub use row::{Dot, Row, rows};

/// Colours of curves, in order; they differ in lightness as well as in hue.
const COLOURS: [&str; 4] = ["#d55e00", "#0072b2", "#00875f", "#aa4499"];
const STYLE: &str = "text{font:12px sans-serif;fill:#5b6570}.t{font-weight:600;font-size:13px;fill:#1c2024}\
    .p{font-size:10px}.e{text-anchor:end}.m{text-anchor:middle}.g{stroke:#dde1e6}.c{fill:none;stroke-width:1.8}";

/// Wraps `content` into a picture of this size.
fn picture(width: f64, height: f64, about: &str, content: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{about}\">\n\
         <style>{STYLE}</style>\n<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#fff\"/>\n{content}</svg>\n"
    )
}

fn text(x: f64, y: f64, class: &str, text: &str) -> String {
    format!("<text x=\"{}\" y=\"{}\" class=\"{class}\">{text}</text>\n", short(x), short(y))
}

fn line(from: [f64; 2], to: [f64; 2]) -> String {
    let [x1, y1, x2, y2] = [from[0], from[1], to[0], to[1]].map(short);
    format!("<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" class=\"g\"/>\n")
}

/// Draws a dot; a hollow one marks a bound.
fn dot(at: [f64; 2], colour: &str, is_hollow: bool) -> String {
    let [x, y] = at.map(short);
    let fill = if is_hollow { "#fff" } else { colour };
    format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"3.5\" fill=\"{fill}\" stroke=\"{colour}\"/>\n")
}

/// Draws the names of curves side by side, from the left.
fn legend<'a>(names: impl Iterator<Item = &'a str>, y: f64) -> String {
    let mut x = 16.0;
    let entry = |(name, colour): (&str, &&str)| {
        let at = x;
        // Letters are about 6.5 units wide.
        x += 44.0 + 6.5 * name.chars().count() as f64;
        dot([at, y - 4.0], colour, false) + &text(at + 10.0, y, "", name)
    };
    names.zip(COLOURS.iter().cycle()).map(entry).collect()
}

/// Rounds a coordinate to one decimal.
fn short(coordinate: f64) -> f64 {
    (coordinate * 10.0).round() / 10.0
}

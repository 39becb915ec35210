//! A plot as strokes and texts.
//!
//! Read from the SVG that [`crate::plot`] and [`crate::chart`] make. Classes and inherited attributes are resolved, so that what
//! comes out needs no style sheet. It understands what those two use, and refuses the rest.

use std::fmt::Write;

use roxmltree::{Document, Node};

use super::style;

/// A drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    /// Width and height in units, with the origin at the top left.
    pub size: [f64; 2],
    /// From back to front.
    pub shapes: Vec<Shape>,
}

/// One element.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Lines or an area.
    Path(Path),
    /// A line of text.
    Text(Text),
}

/// Lines or an area.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Its course.
    pub pieces: Vec<Piece>,
    /// How its course is drawn.
    pub stroke: Option<Stroke>,
    /// How its inside is drawn.
    pub fill: Option<Paint>,
}

/// A piece of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Piece {
    /// Starts here.
    Move([f64; 2]),
    /// A straight line to here.
    Line([f64; 2]),
    /// A cubic curve by two control points to the third.
    Curve([[f64; 2]; 3]),
    /// A straight line to the start.
    Close,
}

/// A colour (sRGB) and its opacity in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paint {
    /// Red, green, blue.
    pub rgb: [u8; 3],
    /// 1 is opaque.
    pub opacity: f64,
}

/// A pen.
#[derive(Debug, Clone, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub paint: Paint,
    /// Its width in units.
    pub width: f64,
    /// Lengths of dashes and gaps in turn; empty for a whole line.
    pub dashes: Vec<f64>,
    /// Where in the dashes the line starts.
    pub offset: f64,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// The point on the base line that `anchor` names.
    pub at: [f64; 2],
    /// Size of the letters in units.
    pub size: f64,
    /// Part of the width that is to the left of the point: 0, 0.5 or 1.
    pub anchor: f64,
    /// Its colour.
    pub paint: Paint,
    /// The text.
    pub text: String,
}

/// Why a drawing cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    /// It is not XML.
    #[error("the drawing is no XML: {source}")]
    Xml {
        /// The cause.
        #[from]
        source: roxmltree::Error,
    },
    /// It has no size.
    #[error("the drawing has no view box of four numbers")]
    Size,
    /// It has an element that plots do not use.
    #[error("the drawing has an element `{tag}`, which cannot be printed")]
    Element {
        /// Its name.
        tag: String,
    },
    /// An attribute has a value that plots do not use.
    #[error("`{name}` of an element is `{value}`, which cannot be printed")]
    Value {
        /// The attribute.
        name: &'static str,
        /// Its value.
        value: String,
    },
}

/// What an element inherits.
#[derive(Debug, Clone)]
struct Style {
    fill: Option<Paint>,
    stroke: Option<Paint>,
    fill_opacity: f64,
    stroke_opacity: f64,
    width: f64,
    dashes: Vec<f64>,
    offset: f64,
    font_size: f64,
    anchor: f64,
    shift: f64,
}

impl Vector {
    /// Reads a plot or a chart.
    ///
    /// # Errors
    /// [`VectorError`] about what cannot be printed.
    pub fn read(svg: &str) -> Result<Self, VectorError> {
        let document = Document::parse(svg)?;
        let root = document.root_element();
        let bounds: Vec<f64> = root.attribute("viewBox").map(numbers).unwrap_or_default();
        let &[_, _, width, height] = &bounds[..] else { return Err(VectorError::Size) };
        let mut all = Self { size: [width, height], shapes: Vec::new() };
        let black = Paint { rgb: [0; 3], opacity: 1.0 };
        let start = Style {
            fill: Some(black),
            stroke: None,
            fill_opacity: 1.0,
            stroke_opacity: 1.0,
            width: 1.0,
            dashes: Vec::new(),
            offset: 0.0,
            font_size: 11.5,
            anchor: 0.0,
            shift: 0.0,
        };
        all.gather(root, &start)?;
        Ok(all)
    }

    fn gather(&mut self, node: Node<'_, '_>, outer: &Style) -> Result<(), VectorError> {
        let style = outer.within(node)?;
        let number = |name: &str| node.attribute(name).and_then(|text| text.parse().ok()).unwrap_or(0.0);
        let path = |pieces| Shape::Path(Path { pieces, stroke: style.pen(), fill: style.area() });
        let tag = node.tag_name().name();
        match tag {
            "svg" | "g" => {
                return node
                    .children()
                    .filter(Node::is_element)
                    .try_for_each(|child| self.gather(child, &style));
            }
            "title" | "desc" => {}
            "line" => self.shapes.push(path(vec![
                Piece::Move([number("x1"), number("y1")]),
                Piece::Line([number("x2"), number("y2")]),
            ])),
            "polyline" => {
                let all = numbers(node.attribute("points").unwrap_or_default());
                let points = all.as_chunks::<2>().0.iter().enumerate();
                let piece =
                    |(k, at): (usize, &[f64; 2])| if k == 0 { Piece::Move(*at) } else { Piece::Line(*at) };
                self.shapes.push(path(points.map(piece).collect()));
            }
            "path" => self.shapes.push(path(course(node.attribute("d").unwrap_or_default())?)),
            "circle" => self.shapes.push(path(circle([number("cx"), number("cy")], number("r")))),
            "rect" => {
                let ([x, y], [w, h]) = ([number("x"), number("y")], [number("width"), number("height")]);
                let corners = [[x + w, y], [x + w, y + h], [x, y + h]].map(Piece::Line);
                self.shapes.push(path(
                    [Piece::Move([x, y])].into_iter().chain(corners).chain([Piece::Close]).collect(),
                ));
            }
            "text" => {
                let text: String =
                    node.descendants().filter(Node::is_text).filter_map(|part| part.text()).collect();
                let at = [number("x") + style.shift, number("y")];
                if let (Some(paint), false) = (style.area(), text.trim().is_empty()) {
                    let text = text.trim().to_owned();
                    self.shapes.push(Shape::Text(Text {
                        at,
                        size: style.font_size,
                        anchor: style.anchor,
                        paint,
                        text,
                    }));
                }
            }
            other => return Err(VectorError::Element { tag: other.to_owned() }),
        }
        Ok(())
    }

    /// Returns the drawing as an SVG that stands alone, `points` (1/72 inch) wide per unit.
    pub fn svg(&self, points: f64) -> String {
        let [width, height] = self.size;
        let (w, h) = (short(points * width), short(points * height));
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}pt\" height=\"{h}pt\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"'DejaVu Sans', Verdana, sans-serif\">\n"
        );
        self.shapes.iter().for_each(|shape| shape.write(&mut text));
        text + "</svg>\n"
    }
}

impl Style {
    /// The style of an element within this one.
    fn within(&self, node: Node<'_, '_>) -> Result<Self, VectorError> {
        let mut style = self.clone();
        let classes = || node.attribute("class").unwrap_or_default().split_ascii_whitespace();
        if classes().next().is_some() {
            for (name, value) in style::of_element(node.tag_name().name()) {
                style.set(name, value)?;
            }
        }
        for (name, value) in classes().flat_map(style::declarations) {
            style.set(name, value)?;
        }
        for attribute in node.attributes() {
            style.set(attribute.name(), attribute.value())?;
        }
        let own =
            node.attribute("style").unwrap_or_default().split(';').filter_map(|part| part.split_once(':'));
        for (name, value) in own {
            style.set(name.trim(), value.trim())?;
        }
        Ok(style)
    }

    /// Takes over a declaration; names that do not concern the drawing are passed over.
    fn set(&mut self, name: &str, value: &str) -> Result<(), VectorError> {
        let number = |name: &'static str| {
            value
                .trim_end_matches("px")
                .parse::<f64>()
                .map_err(|_| VectorError::Value { name, value: value.to_owned() })
        };
        match name {
            "fill" => self.fill = paint("fill", value)?,
            "stroke" => self.stroke = paint("stroke", value)?,
            "fill-opacity" => self.fill_opacity = number("fill-opacity")?,
            "stroke-opacity" => self.stroke_opacity = number("stroke-opacity")?,
            "stroke-width" => self.width = number("stroke-width")?,
            "stroke-dasharray" => self.dashes = numbers(value),
            "stroke-dashoffset" => self.offset = number("stroke-dashoffset")?,
            "font-size" => self.font_size = number("font-size")?,
            "dx" => self.shift = number("dx")?,
            "text-anchor" => {
                self.anchor = match value {
                    "end" => 1.0,
                    "middle" => 0.5,
                    _ => 0.0,
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn pen(&self) -> Option<Stroke> {
        let paint = self.stroke?;
        let paint = Paint { opacity: paint.opacity * self.stroke_opacity, ..paint };
        Some(Stroke { paint, width: self.width, dashes: self.dashes.clone(), offset: self.offset })
    }

    fn area(&self) -> Option<Paint> {
        self.fill.map(|paint| Paint { opacity: paint.opacity * self.fill_opacity, ..paint })
    }
}

impl Shape {
    fn write(&self, text: &mut String) {
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Path(path) => writeln!(text, "<path d=\"{}\"{}/>", path.data(), path.attributes()),
            Self::Text(line) => {
                let anchor = ["start", "middle", "end"][(2.0 * line.anchor) as usize];
                let [x, y] = line.at.map(short);
                let (size, color) = (line.size, hex(&line.paint));
                let words = escaped(&line.text);
                writeln!(
                    text,
                    "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{color}\">{words}</text>"
                )
            }
        };
    }
}

impl Path {
    fn data(&self) -> String {
        let point = |[x, y]: &[f64; 2]| format!("{} {}", short(*x), short(*y));
        let piece = |piece: &Piece| match piece {
            Piece::Move(at) => format!("M{}", point(at)),
            Piece::Line(at) => format!("L{}", point(at)),
            Piece::Curve([a, b, c]) => format!("C{} {} {}", point(a), point(b), point(c)),
            Piece::Close => "Z".to_owned(),
        };
        self.pieces.iter().map(piece).collect()
    }

    fn attributes(&self) -> String {
        let opacity = |name: &str, paint: &Paint| {
            if paint.opacity < 1.0 { format!(" {name}-opacity=\"{}\"", paint.opacity) } else { String::new() }
        };
        let fill = match &self.fill {
            None => " fill=\"none\"".to_owned(),
            Some(paint) => format!(" fill=\"{}\"{}", hex(paint), opacity("fill", paint)),
        };
        let Some(pen) = &self.stroke else { return fill };
        let dashes = match &pen.dashes[..] {
            [] => String::new(),
            dashes => {
                let lengths: Vec<String> = dashes.iter().map(ToString::to_string).collect();
                format!(" stroke-dasharray=\"{}\" stroke-dashoffset=\"{}\"", lengths.join(" "), pen.offset)
            }
        };
        let (color, width, opacity) = (hex(&pen.paint), pen.width, opacity("stroke", &pen.paint));
        format!(
            "{fill} stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{opacity}{dashes}"
        )
    }
}

/// Reads a colour; `none` is no paint.
fn paint(name: &'static str, value: &str) -> Result<Option<Paint>, VectorError> {
    let wrong = || VectorError::Value { name, value: value.to_owned() };
    if value == "none" {
        return Ok(None);
    }
    if let Some(inner) = value.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')')) {
        let &[r, g, b] = &numbers(inner)[..] else { return Err(wrong()) };
        return Ok(Some(Paint { rgb: [r, g, b].map(|c| c.clamp(0.0, 255.0) as u8), opacity: 1.0 }));
    }
    let digits = value.strip_prefix('#').ok_or_else(wrong)?;
    let whole: String = match digits.len() {
        3 => digits.chars().flat_map(|c| [c, c]).collect(),
        _ => digits.to_owned(),
    };
    let byte = |k: usize| whole.get(2 * k..2 * k + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
    let rgb = [byte(0), byte(1), byte(2)].into_iter().collect::<Option<Vec<u8>>>().ok_or_else(wrong)?;
    let opacity = if whole.len() == 8 { f64::from(byte(3).ok_or_else(wrong)?) / 255.0 } else { 1.0 };
    Ok(Some(Paint { rgb: [rgb[0], rgb[1], rgb[2]], opacity }))
}

/// Reads numbers that blanks or commas separate.
fn numbers(text: &str) -> Vec<f64> {
    text.split([' ', ',', '\n']).filter_map(|part| part.parse().ok()).collect()
}

/// Reads path data with the commands M, L, H, V, Z, the relative m, l, h, v, and a for half circles.
fn course(data: &str) -> Result<Vec<Piece>, VectorError> {
    let wrong = || VectorError::Value { name: "d", value: data.chars().take(60).collect() };
    let (mut pieces, mut here) = (Vec::new(), [0.0, 0.0]);
    let starts: Vec<usize> =
        data.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()).map(|(k, _)| k).collect();
    for (n, start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).copied().unwrap_or(data.len());
        let (command, values) = (&data[*start..=*start], arguments(&data[start + 1..end]));
        match (command, &values[..]) {
            ("Z" | "z", []) => pieces.push(Piece::Close),
            ("H", [x]) => here[0] = *x,
            ("V", [y]) => here[1] = *y,
            ("h", [x]) => here[0] += x,
            ("v", [y]) => here[1] += y,
            ("M" | "L", [x, y]) => here = [*x, *y],
            ("m" | "l", [x, y]) => here = [here[0] + x, here[1] + y],
            ("a", [rx, ry, _, _, sweep, x, y]) if is_half([*rx, *ry], [*x, *y]) => {
                pieces.extend(half_circle(here, [*x, *y], *sweep));
                here = [here[0] + x, here[1] + y];
            }
            _ => return Err(wrong()),
        }
        match command {
            "Z" | "z" | "a" => {}
            "M" | "m" => pieces.push(Piece::Move(here)),
            _ => pieces.push(Piece::Line(here)),
        }
    }
    Ok(pieces)
}

/// Numbers of path data, where a minus sign also separates.
fn arguments(text: &str) -> Vec<f64> {
    numbers(&text.replace('-', " -").replace("e -", "e-"))
}

/// Length of the handles of a cubic curve along a quarter of the unit circle, which it approximates to 3 in 10 000.
const HANDLE: f64 = 0.552_285;

/// Whether an arc with these radii along this chord is half a circle.
fn is_half([rx, ry]: [f64; 2], [x, y]: [f64; 2]) -> bool {
    rx > 0.0 && (rx - ry).abs() < 1e-9 * rx && ((x * x + y * y).sqrt() - 2.0 * rx).abs() < 1e-6 * rx
}

/// Two cubic curves along half a circle with the chord (x, y) from `start`, clockwise on the page if `sweep` is 1.
fn half_circle(start: [f64; 2], [x, y]: [f64; 2], sweep: f64) -> [Piece; 2] {
    let centre = [start[0] + 0.5 * x, start[1] + 0.5 * y];
    // From the centre to the start, and to the middle of the arc.
    let u = [-0.5 * x, -0.5 * y];
    let side = if sweep > 0.5 { 1.0 } else { -1.0 };
    let w = [-side * u[1], side * u[0]];
    let at = |a: f64, b: f64| [centre[0] + a * u[0] + b * w[0], centre[1] + a * u[1] + b * w[1]];
    [
        Piece::Curve([at(1.0, HANDLE), at(HANDLE, 1.0), at(0.0, 1.0)]),
        Piece::Curve([at(-HANDLE, 1.0), at(-1.0, HANDLE), at(-1.0, 0.0)]),
    ]
}

/// Four cubic curves along a circle.
fn circle([x, y]: [f64; 2], r: f64) -> Vec<Piece> {
    let k = HANDLE * r;
    let at = |a: f64, b: f64| [x + a, y + b];
    vec![
        Piece::Move(at(r, 0.0)),
        Piece::Curve([at(r, k), at(k, r), at(0.0, r)]),
        Piece::Curve([at(-k, r), at(-r, k), at(-r, 0.0)]),
        Piece::Curve([at(-r, -k), at(-k, -r), at(0.0, -r)]),
        Piece::Curve([at(k, -r), at(r, -k), at(r, 0.0)]),
        Piece::Close,
    ]
}

fn hex(paint: &Paint) -> String {
    let [r, g, b] = paint.rgb;
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Rounds a coordinate to a hundredth.
fn short(coordinate: f64) -> f64 {
    (coordinate * 100.0).round() / 100.0
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks of each kind: one that cannot be printed would leave a study without figures.
    #[test]
    fn charts_of_all_marks_can_be_printed() {
        use crate::chart::{Chart, Curve, CurvePoint};
        let dots =
            |k: usize| vec![CurvePoint { x: 1.0 + k as f64, y: 2.0, note: "20 ms".into(), spread: None }];
        let curves = (0..4)
            .map(|k| Curve { label: format!("{k}"), colour: k, dots: dots(k), ..Curve::default() })
            .collect();
        let svg = Chart { curves, ..Chart::default() }.sized([304.0, 188.0]).expect("a chart");
        Vector::read(&svg).expect("a drawing");
    }

    #[test]
    fn classes_and_inherited_attributes_are_resolved() {
        let svg = "<svg viewBox=\"0 0 100 50\" font-size=\"9\"><g stroke=\"#808080\"><line class=\"line c0 d1\" x1=\"1\" y1=\"2\" \
                   x2=\"3\" y2=\"4\"/><path d=\"M1 2l3 -4h5\"/></g><text x=\"7\" y=\"8\" text-anchor=\"end\">a &lt; b</text></svg>";
        let vector = Vector::read(svg).expect("it is a drawing");
        let [Shape::Path(line), Shape::Path(path), Shape::Text(text)] = &vector.shapes[..] else {
            panic!("{vector:?}")
        };
        let pen = line.stroke.as_ref().expect("a class colours it");
        assert_eq!((pen.paint.rgb, pen.width, &pen.dashes[..]), ([0, 0x72, 0xb2], 1.7, &[6.0, 3.0][..]));
        assert_eq!(
            path.pieces,
            [Piece::Move([1.0, 2.0]), Piece::Line([4.0, -2.0]), Piece::Line([9.0, -2.0])]
        );
        assert_eq!((text.size, text.anchor, text.text.as_str()), (9.0, 1.0, "a < b"));
        assert_eq!(Vector::read(&vector.svg(0.75)).expect("what it writes, it reads").shapes.len(), 3);
    }

    #[test]
    fn half_circles_become_curves() {
        // A disc of radius 2 about (10, 20), from its left end: first the lower half of the page, then the upper one.
        let svg = "<svg viewBox=\"0 0 40 40\"><path d=\"M10,20m-2,0a2,2 0 1,0 4,0a2,2 0 1,0 -4,0z\"/></svg>";
        let vector = Vector::read(svg).expect("it is a drawing");
        let [Shape::Path(disc)] = &vector.shapes[..] else { panic!("{vector:?}") };
        let ends: Vec<[f64; 2]> = disc
            .pieces
            .iter()
            .filter_map(|piece| if let Piece::Curve([.., end]) = piece { Some(*end) } else { None })
            .collect();
        assert_eq!(ends, [[10.0, 22.0], [12.0, 20.0], [10.0, 18.0], [8.0, 20.0]]);
        let reads = |arc: &str| Vector::read(&svg.replace("a2,2 0 1,0 4,0", arc)).is_ok();
        assert!(reads("a2,2 0 1,1 4,0") && !reads("a2,3 0 1,0 4,0") && !reads("a3,3 0 1,0 4,0"));
    }

    #[test]
    fn what_cannot_be_printed_is_refused() {
        let of = |inner: &str| Vector::read(&format!("<svg viewBox=\"0 0 1 1\">{inner}</svg>"));
        assert!(matches!(of("<image/>"), Err(VectorError::Element { .. })));
        assert!(matches!(of("<path d=\"M0 0A1 1 0 0 0 2 2\"/>"), Err(VectorError::Value { .. })));
        assert!(matches!(of("<line stroke=\"url(#a)\"/>"), Err(VectorError::Value { .. })));
        assert!(matches!(Vector::read("<svg/>"), Err(VectorError::Size)));
        assert!(matches!(Vector::read("no"), Err(VectorError::Xml { .. })));
    }
}

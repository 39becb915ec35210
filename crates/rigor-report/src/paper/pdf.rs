//! A drawing as a PDF page of its own size, with its font embedded.

use std::collections::BTreeMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, LineJoinStyle, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
use subsetter::GlyphRemapper;
use ttf_parser::Face;

use super::letter::{FONT, face};
use super::vector::{Paint, Path, Piece, Shape, Text, Vector};

const IDENTITY: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };
/// The name of the embedded part of the font: six letters tell that it is a part.
const BASE: Name<'static> = Name(b"RIGORA+DejaVuSans");

/// Why a PDF cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PdfError {
    /// The font cannot be read.
    #[error("the font of figures cannot be read: {source}")]
    Font {
        /// The cause.
        #[from]
        source: ttf_parser::FaceParsingError,
    },
    /// The font cannot be reduced to the letters of the drawing.
    #[error("the font of figures cannot be reduced to the letters that are used: {0}")]
    Subset(String),
}

/// The letters that a drawing uses.
struct UsedGlyphs<'a> {
    face: Face<'a>,
    glyphs: GlyphRemapper,
    /// Number in the PDF, with the letter.
    used: BTreeMap<u16, (char, f32)>,
}

impl UsedGlyphs<'_> {
    /// Numbers of the letters of a text, and its width in units of its size.
    fn of(&mut self, text: &str) -> (Vec<u8>, f64) {
        let (mut bytes, mut width) = (Vec::new(), 0.0);
        let per_em = f64::from(self.face.units_per_em());
        for letter in text.chars() {
            let glyph = self.face.glyph_index(letter).unwrap_or_default();
            let number = self.glyphs.remap(glyph.0);
            let part = f64::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) / per_em;
            self.used.insert(number, (letter, (1000.0 * part) as f32));
            bytes.extend(number.to_be_bytes());
            width += part;
        }
        (bytes, width)
    }
}

/// Makes a page of `points` (1/72 inch) per unit of the drawing.
///
/// # Errors
/// [`PdfError`] about the font, which comes with the program.
pub fn pdf(drawing: &Vector, title: &str, points: f64) -> Result<Vec<u8>, PdfError> {
    let mut letters = UsedGlyphs { face: face()?, glyphs: GlyphRemapper::new(), used: BTreeMap::new() };
    let (content, opacities) = content(drawing, points, &mut letters);
    let [catalog, pages, page, stream, font, info] = [1, 2, 3, 4, 5, 6].map(Ref::new);
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    pdf.document_info(info)
        .title(TextStr(title))
        .producer(TextStr(concat!("rigor ", env!("CARGO_PKG_VERSION"))));
    let [width, height] = drawing.size.map(|side| (points * side) as f32);
    let mut sheet = pdf.page(page);
    sheet.media_box(Rect::new(0.0, 0.0, width, height)).parent(pages).contents(stream);
    let mut resources = sheet.resources();
    resources.fonts().pair(Name(b"F"), font);
    let mut states = resources.ext_g_states();
    for percent in &opacities {
        let part = f32::from(*percent) / 100.0;
        states
            .insert(Name(format!("O{percent}").as_bytes()))
            .start::<pdf_writer::writers::ExtGraphicsState<'_>>()
            .stroking_alpha(part)
            .non_stroking_alpha(part);
    }
    states.finish();
    resources.finish();
    sheet.finish();
    pdf.stream(stream, &deflated(&content)).filter(Filter::FlateDecode);
    embed(&mut pdf, font, &letters)?;
    Ok(pdf.finish())
}

/// The commands that draw, and the opacities (%) that they use.
fn content(drawing: &Vector, points: f64, letters: &mut UsedGlyphs<'_>) -> (Vec<u8>, Vec<u8>) {
    let mut content = Content::new();
    let mut opacities = vec![100];
    let height = drawing.size[1];
    let place = |[x, y]: [f64; 2]| [(points * x) as f32, (points * (height - y)) as f32];
    content.set_line_join(LineJoinStyle::RoundJoin);
    for shape in &drawing.shapes {
        match shape {
            Shape::Text(line) => write_text(&mut content, line, points, &place, letters),
            Shape::Path(path) => {
                let pen = path.stroke.as_ref().map(|pen| pen.paint.opacity);
                let opacity = pen.or(path.fill.map(|paint| paint.opacity)).unwrap_or(1.0);
                let percent = (100.0 * opacity).round().clamp(0.0, 100.0) as u8;
                if !opacities.contains(&percent) {
                    opacities.push(percent);
                }
                content.set_parameters(Name(format!("O{percent}").as_bytes()));
                draw_path(&mut content, path, points, &place);
            }
        }
    }
    opacities.sort_unstable();
    (content.finish().to_vec(), opacities)
}

fn draw_path(content: &mut Content, path: &Path, points: f64, place: &dyn Fn([f64; 2]) -> [f32; 2]) {
    if path.pieces.is_empty() {
        return;
    }
    if let Some(paint) = &path.fill {
        let [r, g, b] = rgb(paint);
        content.set_fill_rgb(r, g, b);
    }
    if let Some(pen) = &path.stroke {
        let [r, g, b] = rgb(&pen.paint);
        let dashes: Vec<f32> = pen.dashes.iter().map(|length| (points * length) as f32).collect();
        // A phase must not be negative: whole periods are added.
        let period: f64 = pen.dashes.iter().sum::<f64>() * if pen.dashes.len() % 2 == 1 { 2.0 } else { 1.0 };
        let phase = if period > 0.0 { pen.offset.rem_euclid(period) } else { 0.0 };
        content.set_stroke_rgb(r, g, b).set_line_width((points * pen.width) as f32);
        content.set_dash_pattern(dashes, (points * phase) as f32);
    }
    for piece in &path.pieces {
        match piece {
            Piece::Move(at) => content.move_to(place(*at)[0], place(*at)[1]),
            Piece::Line(at) => content.line_to(place(*at)[0], place(*at)[1]),
            Piece::Curve(three) => {
                let [[a, b], [c, d], [e, f]] = three.map(place);
                content.cubic_to(a, b, c, d, e, f)
            }
            Piece::Close => content.close_path(),
        };
    }
    match (&path.fill, &path.stroke) {
        (Some(_), Some(_)) => content.fill_nonzero_and_stroke(),
        (Some(_), None) => content.fill_nonzero(),
        (None, Some(_)) => content.stroke(),
        (None, None) => content.end_path(),
    };
}

fn write_text(
    content: &mut Content,
    line: &Text,
    points: f64,
    place: &dyn Fn([f64; 2]) -> [f32; 2],
    letters: &mut UsedGlyphs<'_>,
) {
    let (bytes, width) = letters.of(&line.text);
    let [x, y] = place([line.at[0] - line.anchor * width * line.size, line.at[1]]);
    let [r, g, b] = rgb(&line.paint);
    content.set_parameters(Name(b"O100")).set_fill_rgb(r, g, b).begin_text();
    content.set_font(Name(b"F"), (points * line.size) as f32).next_line(x, y).show(Str(&bytes)).end_text();
}

fn rgb(paint: &Paint) -> [f32; 3] {
    paint.rgb.map(|c| f32::from(c) / 255.0)
}

/// Embeds the letters that are used, with what they stand for, so that texts can be searched and copied.
fn embed(pdf: &mut Pdf, font: Ref, letters: &UsedGlyphs<'_>) -> Result<(), PdfError> {
    let [cid, descriptor, file, meanings] = [7, 8, 9, 10].map(Ref::new);
    let face = &letters.face;
    let em = |units: i16| 1000.0 * f32::from(units) / f32::from(face.units_per_em());
    pdf.type0_font(font)
        .base_font(BASE)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(cid)
        .to_unicode(meanings);
    let mut own = pdf.cid_font(cid);
    own.subtype(CidFontType::Type2).base_font(BASE).system_info(IDENTITY).font_descriptor(descriptor);
    own.default_width(0.0).cid_to_gid_map_predefined(Name(b"Identity"));
    let mut widths = own.widths();
    for (number, (_, width)) in &letters.used {
        widths.same(*number, *number, *width);
    }
    widths.finish();
    own.finish();
    let bounds = face.global_bounding_box();
    pdf.font_descriptor(descriptor)
        .name(BASE)
        .flags(FontFlags::NON_SYMBOLIC)
        .bbox(Rect::new(em(bounds.x_min), em(bounds.y_min), em(bounds.x_max), em(bounds.y_max)))
        .italic_angle(0.0)
        .ascent(em(face.ascender()))
        .descent(em(face.descender()))
        .cap_height(em(face.capital_height().unwrap_or(face.ascender())))
        .stem_v(80.0)
        .font_file2(file);
    let part =
        subsetter::subset(FONT(), 0, &letters.glyphs).map_err(|error| PdfError::Subset(error.to_string()))?;
    pdf.stream(file, &deflated(&part)).filter(Filter::FlateDecode);
    let mut map = UnicodeCmap::new(Name(b"Rigor"), IDENTITY);
    letters.used.iter().for_each(|(number, (letter, _))| map.pair(*number, *letter));
    pdf.cmap(meanings, &map.finish());
    Ok(())
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_size_of_the_drawing_and_holds_its_font() {
        let svg = "<svg viewBox=\"0 0 320 160\"><path class=\"line c0\" style=\"stroke-dasharray:7 7;stroke-dashoffset:-7\" \
                   d=\"M0 0L10 10\"/><circle cx=\"5\" cy=\"5\" r=\"2\" fill=\"#808080\" fill-opacity=\"0.3\"/><text x=\"3\" y=\"9\">κ = 10⁻³ \
                   µm</text></svg>";
        let drawing = Vector::read(svg).expect("it is a drawing");
        let bytes = pdf(&drawing, "Test", 0.75).expect("it is a PDF");
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.starts_with("%PDF-") && text.trim_end().ends_with("%%EOF"));
        assert!(text.contains("/MediaBox [0 0 240 120]") && text.contains("/FontFile2"), "{text}");
        assert!(text.contains("/O30") && text.contains("<03BA>"), "{text}");
        assert!(bytes.len() < 30_000, "only the letters in use are embedded: {} bytes", bytes.len());
        assert_eq!(bytes, pdf(&drawing, "Test", 0.75).expect("again"));
    }
}

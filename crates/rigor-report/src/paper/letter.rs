//! Letters on a picture, in the font that comes with the program.

use ab_glyph_rasterizer::{Point, Rasterizer, point};
use ttf_parser::{Face, FaceParsingError, OutlineBuilder};

use crate::render::Image;

/// The font of figures, DejaVu Sans: it has Greek letters, raised digits and signs of mathematics.
pub const FONT: fn() -> &'static [u8] = dejavu::sans::regular;

/// Reads the font.
///
/// # Errors
/// The font that comes with the program is damaged.
pub fn face() -> Result<Face<'static>, FaceParsingError> {
    Face::parse(FONT(), 0)
}

/// Writes `text` with its base line at `at` (pixels from the left and from the top), its letters `size` pixels high, in grey `ink`.
/// Letters outside of the picture are cut.
///
/// # Errors
/// That of [`face`].
pub fn write(
    image: &mut Image,
    text: &str,
    at: [f64; 2],
    size: f64,
    ink: u8,
) -> Result<(), FaceParsingError> {
    let face = face()?;
    let scale = size as f32 / f32::from(face.units_per_em());
    let mut x = at[0] as f32;
    for letter in text.chars() {
        let glyph = face.glyph_index(letter).unwrap_or_default();
        let bounds = face.glyph_bounding_box(glyph);
        if let Some(bounds) = bounds {
            let [left, top] =
                [x + scale * f32::from(bounds.x_min), at[1] as f32 - scale * f32::from(bounds.y_max)];
            let width = (scale * f32::from(bounds.width())).ceil() as usize + 2;
            let height = (scale * f32::from(bounds.height())).ceil() as usize + 2;
            let origin = point(left.floor(), top.floor());
            let mut outline = Outline {
                raster: Rasterizer::new(width, height),
                place: point(x - origin.x, at[1] as f32 - origin.y),
                scale,
                start: point(0.0, 0.0),
                here: point(0.0, 0.0),
            };
            face.outline_glyph(glyph, &mut outline);
            outline.raster.for_each_pixel_2d(|u, v, part| {
                blend(image, [origin.x as i64 + i64::from(u), origin.y as i64 + i64::from(v)], part, ink);
            });
        }
        x += scale * f32::from(face.glyph_hor_advance(glyph).unwrap_or(0));
    }
    Ok(())
}

/// Mixes `part` of the ink into a pixel.
fn blend(image: &mut Image, [x, y]: [i64; 2], part: f32, ink: u8) {
    let [width, height] = image.size;
    let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
    if x >= width || y >= height {
        return;
    }
    let part = part.clamp(0.0, 1.0);
    let at = 4 * (y * width + x);
    for channel in &mut image.rgba[at..at + 3] {
        *channel = (f32::from(*channel) * (1.0 - part) + f32::from(ink) * part).round() as u8;
    }
}

struct Outline {
    raster: Rasterizer,
    place: Point,
    scale: f32,
    start: Point,
    here: Point,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> Point {
        point(self.place.x + self.scale * x, self.place.y - self.scale * y)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.start = self.at(x, y);
        self.here = self.start;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = self.at(x, y);
        self.raster.draw_line(self.here, to);
        self.here = to;
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (by, to) = (self.at(x1, y1), self.at(x, y));
        self.raster.draw_quad(self.here, by, to);
        self.here = to;
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (a, b, to) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.raster.draw_cubic(self.here, a, b, to);
        self.here = to;
    }

    fn close(&mut self) {
        self.raster.draw_line(self.here, self.start);
        self.here = self.start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_dark_inside_and_letters_outside_are_cut() {
        let mut image = Image { size: [40, 40], rgba: vec![255; 40 * 40 * 4] };
        write(&mut image, "|", [10.0, 30.0], 30.0, 0).expect("the font is whole");
        let dark = image.rgba.chunks_exact(4).filter(|pixel| pixel[0] < 60).count();
        assert!((40..200).contains(&dark), "{dark} dark pixels");
        write(&mut image, "outside", [-500.0, 400.0], 30.0, 0).expect("the font is whole");
    }
}

//! Pictures in rows and columns, with their names.

use ttf_parser::FaceParsingError;

use super::letter::write;
use crate::render::Image;

/// Grey of the letters.
const INK: u8 = 40;

/// A picture with its name; `None` leaves its place empty.
pub type Named = Option<(String, Image)>;

/// Puts pictures of `size` pixels into rows of `columns`, each with its name above.
///
/// # Errors
/// The font that comes with the program is damaged.
pub fn sheet(pictures: &[Named], columns: usize, size: [usize; 2]) -> Result<Image, FaceParsingError> {
    let columns = columns.clamp(1, pictures.len().max(1));
    let rows = pictures.len().div_ceil(columns);
    let (head, gap) = ((size[1] / 11).max(14), (size[1] / 50).max(2));
    let cell = [size[0] + gap, size[1] + head + gap];
    // Encoders of videos want even sizes.
    let whole = [columns * cell[0] + gap, rows * cell[1] + gap].map(|side| side.next_multiple_of(2));
    let mut all = Image { size: whole, rgba: vec![255; 4 * whole[0] * whole[1]] };
    for (k, named) in pictures.iter().enumerate() {
        let Some((name, image)) = named else { continue };
        let corner = [gap + k % columns * cell[0], gap + k / columns * cell[1]];
        paste(&mut all, image, [corner[0], corner[1] + head]);
        let letters = 0.58 * head as f64;
        write(
            &mut all,
            name,
            [corner[0] as f64 + 0.2 * letters, corner[1] as f64 + 0.75 * head as f64],
            letters,
            INK,
        )?;
    }
    Ok(all)
}

/// Copies the pixels of `image`; what does not fit is cut.
fn paste(all: &mut Image, image: &Image, [left, top]: [usize; 2]) {
    let width = image.size[0].min(all.size[0].saturating_sub(left));
    for row in 0..image.size[1].min(all.size[1].saturating_sub(top)) {
        let from = 4 * row * image.size[0];
        let to = 4 * ((top + row) * all.size[0] + left);
        all.rgba[to..to + 4 * width].copy_from_slice(&image.rgba[from..from + 4 * width]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_stand_beside_each_other_below_their_names() {
        let black = || Image { size: [60, 40], rgba: [0, 0, 0, 255].repeat(60 * 40) };
        let pictures = [Some(("a".to_owned(), black())), None, Some(("b".to_owned(), black()))];
        let all = sheet(&pictures, 2, [60, 40]).expect("the font is whole");
        assert_eq!(all.size, [126, 114]);
        let black = all.rgba.chunks_exact(4).filter(|pixel| pixel[0] == 0).count();
        assert_eq!(black, 2 * 60 * 40, "letters are not black, and nothing is cut");
    }
}

//! Height fields of `asset`.

use std::path::Path;

use rigor_math::{Mat3, Vec3};

use super::super::model::{Geometry, Mass};
use super::super::xml::Element;
use super::pose::Compiler;
use crate::error::SceneError;
use crate::{Files, include, read};

/// The most heights of a field: its scene takes about 1 kB for each, and 64 MiB in all.
const MOST: usize = 1 << 16;

/// A height field: a solid above a rectangle.
pub struct Field {
    pub geometry: Geometry,
    /// Mass properties at density 1.
    pub mass: Mass,
}

/// Heights in rows along x, from −y on.
struct Grid {
    n_rows: usize,
    n_columns: usize,
    heights: Vec<f64>,
}

impl Field {
    /// Reads a height field; the inner error is the reason why it cannot be used.
    ///
    /// With the sizes (x, y, z, b) it lies between −x and x, and −y and y. Its heights are moved and scaled to lie between 0 and z,
    /// or are all 0 if they are the same, and its floor is at −b. Each cell is cut from its corner at −x, −y to that at +x, +y. It
    /// weighs as much as a box with the sides 2x, 2y and z/2 + b around its origin. `content_type`, or else the ending of its name,
    /// says whether the file is an image.
    ///
    /// Source: MuJoCo, XML reference, `asset/hfield`; cells, mass and images checked against MuJoCo 4.0.
    ///
    /// # Errors
    /// A number is invalid.
    pub fn read(
        element: &Element<'_>,
        compiler: &Compiler,
        path: &Path,
        files: &dyn Files,
    ) -> Result<Result<Self, String>, SceneError> {
        let Some([x, y, z, base]) = element.numbers("size")?.and_then(|size| <[f64; 4]>::try_from(size).ok())
        else {
            return Err(element.error("size: expected four numbers"));
        };
        if [x, y, z, base].iter().any(|size| *size <= 0.0) {
            return Err(element.error("size: expected positive numbers"));
        }
        let grid = match element.text("file") {
            Some(file) => {
                let is_image = match element.text("content_type") {
                    Some(kind) => kind == "image/png",
                    None => file.to_ascii_lowercase().ends_with(".png"),
                };
                let name = compiler.path_of(file);
                let path = include::tidy(&path.parent().unwrap_or(Path::new("")).join(&name));
                let bytes = read::bytes(&path, files);
                let grid = bytes.and_then(|bytes| if is_image { drawn(&bytes) } else { stored(&bytes) });
                grid.map_err(|why| format!("{name:?}: {why}"))
            }
            None => written(element)?,
        };
        let grid = match grid {
            Ok(grid) => grid,
            Err(why) => return Ok(Err(why)),
        };
        let sides = 2.0 * Vec3::new(x, y, 0.25 * z + 0.5 * base);
        let (mass, s) = (sides.product(), sides.component_mul(&sides) / 12.0);
        let inertia = Mat3::from_diagonal(&(mass * Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y)));
        let geometry = grid.solid(&Vec3::new(x, y, z), base);
        Ok(Ok(Self { geometry, mass: Mass { mass, center: Vec3::zeros(), inertia } }))
    }
}

/// Reads the heights in `elevation`, from +y on; without it, all are 0.
fn written(element: &Element<'_>) -> Result<Result<Grid, String>, SceneError> {
    let count = |name: &str| -> Result<Option<usize>, SceneError> {
        let number = element.number(name)?;
        Ok(number.filter(|n| (2.0..1e6).contains(n) && n.trunc() == *n).map(|n| n as usize))
    };
    let (Some(n_rows), Some(n_columns)) = (count("nrow")?, count("ncol")?) else {
        return Ok(Err("it has neither a file nor two rows and columns".into()));
    };
    let Some(elevation) = element.numbers("elevation")? else {
        // All of it is flat: its corners do.
        return Ok(Ok(Grid { n_rows: 2, n_columns: 2, heights: vec![0.0; 4] }));
    };
    if elevation.len() != n_rows * n_columns {
        let wanted = n_rows * n_columns;
        return Err(element.error(format!("elevation: expected {wanted} numbers, found {}", elevation.len())));
    }
    if let Err(why) = check(n_rows, n_columns) {
        return Ok(Err(why));
    }
    let heights = elevation.chunks_exact(n_columns).rev().flatten().copied().collect();
    Ok(Ok(Grid { n_rows, n_columns, heights }))
}

/// Reads a binary file: the numbers of rows and columns as integers, and the heights from −y on as floats, of four bytes each.
fn stored(bytes: &[u8]) -> Result<Grid, String> {
    let mut words = bytes.as_chunks::<4>().0.iter().copied();
    let mut count = || words.next().and_then(|word| usize::try_from(i32::from_le_bytes(word)).ok());
    let (Some(n_rows), Some(n_columns)) = (count(), count()) else {
        return Err("it does not begin with the numbers of rows and columns".into());
    };
    if bytes.len() != 8 + 4 * n_rows * n_columns {
        let what = format!("{n_rows} rows of {n_columns} heights, but has {} bytes", bytes.len());
        return Err(format!("it announces {what}"));
    }
    check(n_rows, n_columns)?;
    let heights: Vec<f64> = words.map(|word| f64::from(f32::from_le_bytes(word))).collect();
    if heights.iter().any(|height| !height.is_finite()) {
        return Err("it has heights that are not finite".into());
    }
    Ok(Grid { n_rows, n_columns, heights })
}

/// Reads an image in PNG, of whose pixels the first component counts, with 8 bits: grey or red. Its first row is at +y.
fn drawn(bytes: &[u8]) -> Result<Grid, String> {
    let broken = |error: png::DecodingError| format!("it is not a readable image in PNG: {error}");
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let mut reader = decoder.read_info().map_err(broken)?;
    let (width, height) = reader.info().size();
    let (n_rows, n_columns) = (height as usize, width as usize);
    check(n_rows, n_columns)?;
    let mut pixels = vec![0; reader.output_buffer_size().ok_or("it is too large")?];
    let frame = reader.next_frame(&mut pixels).map_err(broken)?;
    let rows = pixels.chunks_exact(frame.line_size).rev();
    let row = |row: &[u8]| -> Vec<f64> {
        row.iter().step_by(frame.color_type.samples()).map(|value| f64::from(*value)).collect()
    };
    Ok(Grid { n_rows, n_columns, heights: rows.flat_map(row).collect() })
}

/// Checks the size of a field.
fn check(n_rows: usize, n_columns: usize) -> Result<(), String> {
    if n_rows < 2 || n_columns < 2 {
        return Err("it has less than two rows or columns".into());
    }
    let n = n_rows.saturating_mul(n_columns);
    if n > MOST {
        let cure = "leave out rows and columns, or cut it into parts";
        return Err(format!(
            "it has {n_rows} rows of {n_columns} heights, and at most {MOST} are read: {cure}"
        ));
    }
    Ok(())
}

impl Grid {
    /// The closed surface of the solid of half this width and depth, and this height, on a floor at −`base`.
    fn solid(&self, size: &Vec3, base: f64) -> Geometry {
        let (n, m) = (self.n_rows, self.n_columns);
        let lowest = self.heights.iter().copied().fold(f64::INFINITY, f64::min);
        let range = self.heights.iter().copied().fold(f64::NEG_INFINITY, f64::max) - lowest;
        let place = |r: usize, c: usize| {
            let height = (self.heights[r * m + c] - lowest) / if range > 0.0 { range } else { 1.0 };
            let along = |i: usize, n: usize| 2.0 * i as f64 / (n - 1) as f64 - 1.0;
            Vec3::new(along(c, m), along(r, n), height).component_mul(size)
        };
        let mut vertices: Vec<Vec3> = (0..n * m).map(|i| place(i / m, i % m)).collect();
        let at = |r: usize, c: usize| (r * m + c) as u32;
        let cells = (0..n - 1).flat_map(|r| (0..m - 1).map(move |c| (r, c)));
        let mut triangles: Vec<[u32; 3]> = cells
            .flat_map(|(r, c)| {
                let (from, to) = (at(r, c), at(r + 1, c + 1));
                [[from, at(r, c + 1), to], [from, to, at(r + 1, c)]]
            })
            .collect();
        // The rim, counterclockwise from above; below it a fan around the middle of the floor.
        let rim: Vec<u32> = (0..m - 1)
            .map(|c| at(0, c))
            .chain((0..n - 1).map(|r| at(r, m - 1)))
            .chain((1..m).rev().map(|c| at(n - 1, c)))
            .chain((1..n).rev().map(|r| at(r, 0)))
            .collect();
        let first = vertices.len() as u32;
        for corner in &rim {
            let corner = vertices[*corner as usize];
            vertices.push(Vec3::new(corner.x, corner.y, -base));
        }
        let middle = vertices.len() as u32;
        vertices.push(Vec3::new(0.0, 0.0, -base));
        for (i, from) in rim.iter().enumerate() {
            let next = (i + 1) % rim.len();
            let (to, below, below_to) = (rim[next], first + i as u32, first + next as u32);
            triangles.extend([[*from, below, below_to], [*from, below_to, to], [below_to, below, middle]]);
        }
        Geometry::Surface { vertices, triangles }
    }
}

#[cfg(test)]
mod tests {
    use rigor_geometry::Mesh;
    use rigor_geometry::mass::MassModel;

    use super::*;

    #[test]
    fn a_field_is_a_closed_solid_whose_cells_are_cut_along_their_diagonals() {
        // The heights of MuJoCo 4.0 for elevation="0 1 2 4 8 2", as fractions.
        let grid = Grid { n_rows: 2, n_columns: 3, heights: vec![4.0, 8.0, 2.0, 0.0, 1.0, 2.0] };
        let Geometry::Surface { vertices, triangles } = grid.solid(&Vec3::new(1.0, 2.0, 3.0), 0.5) else {
            unreachable!()
        };
        assert_eq!(vertices[0], Vec3::new(-1.0, -2.0, 1.5));
        assert_eq!(vertices[4], Vec3::new(0.0, 2.0, 0.375));
        let mesh = Mesh::new(vertices, triangles, Vec::new()).unwrap();
        let solid = rigor_geometry::MassProperties::of(&mesh, 1.0).unwrap();
        assert_eq!(solid.model, MassModel::Volume);
        // Four triangles of 2 m² each, times the mean height of their corners.
        let [a, b, c, d, e, f] = [1.5, 3.0, 0.75, 0.0, 0.375, 0.75];
        let above = [a + b + e, a + e + d, b + c + f, b + f + e].iter().sum::<f64>() / 3.0;
        assert!((solid.mass - (8.0 * 0.5 + 2.0 * above)).abs() < 1e-12, "{}", solid.mass);
    }
}

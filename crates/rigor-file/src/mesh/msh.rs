//! Meshes in the binary format of MuJoCo.

use rigor_math::Vec3;

use super::assembly::Assembly;
use super::{Fault, Location};

/// Four counts.
const HEADER: usize = 16;

/// Reads a file of MuJoCo: little-endian numbers of four bytes each. The first four are integers, the numbers of vertices, normals, texture
/// coordinates and triangles; then come the vertices, the normals, the texture coordinates, all as floats, and three vertices for each
/// triangle, as integers. Vertices at exactly equal positions become one.
///
/// Source: MuJoCo, XML reference, `asset/mesh/file`.
pub(super) fn read(bytes: &[u8]) -> Result<Assembly, Fault> {
    let word = |at: usize| {
        let word = bytes.get(at..at + 4).and_then(|word| <[u8; 4]>::try_from(word).ok());
        word.ok_or_else(|| Fault::new(Location::Byte(bytes.len()), "the file ends before its last number"))
    };
    let integer = |at: usize| word(at).map(i32::from_le_bytes);
    let mut counts = [0; 4];
    for (i, count) in counts.iter_mut().enumerate() {
        let announced = integer(4 * i)?;
        *count = usize::try_from(announced).map_err(|_| {
            Fault::new(Location::Byte(4 * i), format!("expected a number of elements, found {announced}"))
        })?;
    }
    let [n_vertices, n_normals, n_coordinates, n_triangles] = counts;
    let triangles = HEADER + 12 * n_vertices + 12 * n_normals + 8 * n_coordinates;
    let needed = triangles + 12 * n_triangles;
    if bytes.len() != needed {
        let what = format!(
            "the header announces {n_vertices} vertices, {n_normals} normals, {n_coordinates} texture coordinates and {n_triangles} \
             triangles, which take {needed} bytes, but the file has {}",
            bytes.len()
        );
        return Err(Fault::new(Location::Byte(0), what));
    }
    if n_triangles == 0 {
        return Err(Fault::whole("it has no triangles"));
    }
    let mut assembly = Assembly::default();
    for at in (HEADER..).step_by(12).take(n_vertices) {
        let mut position = Vec3::zeros();
        for axis in 0..3 {
            position[axis] = f64::from(f32::from_le_bytes(word(at + 4 * axis)?));
        }
        if !position.iter().all(|c| c.is_finite()) {
            let [x, y, z] = [position.x, position.y, position.z];
            return Err(Fault::new(
                Location::Byte(at),
                format!("expected finite coordinates, found [{x}, {y}, {z}]"),
            ));
        }
        assembly.vertex(position)?;
    }
    for at in (triangles..).step_by(12).take(n_triangles) {
        let corners = [integer(at)?, integer(at + 4)?, integer(at + 8)?].map(i64::from);
        assembly.face(Location::Byte(at), &corners)?;
    }
    assembly.merged()
}

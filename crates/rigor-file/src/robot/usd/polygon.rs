//! Meshes of polygons as triangles.

use std::collections::BTreeMap;

use openusd::usd::Prim;
use rigor_geometry::Mesh;
use rigor_math::Vec3;

use super::place::Affine;
use super::prim::Sheet;
use crate::error::SceneError;

/// Reads a mesh, in the frame in which its prim is at `place`; `None` if it has no triangle.
///
/// # Errors
/// Its numbers of corners and its indices do not fit together.
pub fn mesh(sheet: &Sheet, prim: &Prim, place: &Affine) -> Result<Option<Mesh>, SceneError> {
    let points = sheet.points(prim, "points")?;
    let (counts, indices) =
        (sheet.indices(prim, "faceVertexCounts")?, sheet.indices(prim, "faceVertexIndices")?);
    let holes = sheet.indices(prim, "holeIndices")?;
    let is_left = sheet.text(prim, "orientation")?.as_deref() == Some("leftHanded");
    if let Some(approximation) = sheet.text(prim, "physics:approximation")?.filter(|word| word != "none") {
        let what = format!("physics:approximation = {approximation:?}");
        sheet.drop(prim, what, "the mesh is used as it is");
    }
    let wanted = counts.iter().try_fold(0_i64, |sum, n| if *n < 0 { None } else { sum.checked_add(*n) });
    if wanted != i64::try_from(indices.len()).ok() {
        let message = format!("faceVertexCounts does not fit the {} faceVertexIndices", indices.len());
        return Err(sheet.error(prim, message));
    }
    if let Some(index) = indices.iter().find(|i| usize::try_from(**i).map_or(true, |i| i >= points.len())) {
        let message = format!("faceVertexIndices names point {index}, but there are {}", points.len());
        return Err(sheet.error(prim, message));
    }
    let is_turned = is_left != place.is_mirror();
    let mut welded = Welded::default();
    let mut triangles = Vec::new();
    let mut start = 0;
    for (face, count) in counts.iter().enumerate() {
        let corners = &indices[start..start + *count as usize];
        start += *count as usize;
        if holes.contains(&(face as i64)) || corners.len() < 3 {
            continue;
        }
        for k in 1..corners.len() - 1 {
            let corner = |i: usize| place.point(&points[corners[i] as usize]);
            let (b, c) = if is_turned { (k + 1, k) } else { (k, k + 1) };
            triangles.extend(welded.triangle([corner(0), corner(b), corner(c)]));
        }
    }
    if triangles.is_empty() {
        sheet.drop(prim, "<Mesh>", "it has no triangle");
        return Ok(None);
    }
    let mesh = Mesh::new(welded.points, triangles, Vec::new());
    mesh.map(Some).map_err(|error| sheet.error(prim, error.to_string()))
}

/// Points of which no two are equal.
#[derive(Default)]
struct Welded {
    points: Vec<Vec3>,
    by_bits: BTreeMap<[u64; 3], u32>,
}

impl Welded {
    /// The corners of a triangle; `None` if it has no area.
    fn triangle(&mut self, corners: [Vec3; 3]) -> Option<[u32; 3]> {
        let [a, b, c] = corners;
        let (ab, ac) = (b - a, c - a);
        // With the tolerance of a product of rounded numbers.
        let is_flat = ab.cross(&ac).norm() <= 1e-12 * ab.norm_squared().max(ac.norm_squared());
        if is_flat { None } else { Some(corners.map(|corner| self.index(corner))) }
    }

    fn index(&mut self, point: Vec3) -> u32 {
        // Adding 0 makes −0 to 0.
        let bits = [point.x, point.y, point.z].map(|x| (x + 0.0).to_bits());
        *self.by_bits.entry(bits).or_insert_with(|| {
            self.points.push(point);
            (self.points.len() - 1) as u32
        })
    }
}

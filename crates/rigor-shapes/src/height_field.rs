//! A terrain of heights over a grid.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use super::loft::wall;
use super::plane::grid;
use rigor_geometry::Mesh;

/// Heights over a grid of equal rectangles in the x–z plane, centred on the y axis.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightField {
    /// Edge lengths (m) of the whole grid along x and z.
    pub size: [f64; 2],
    /// Number of heights along x and z, from 2 to 2049 each.
    pub counts: [u32; 2],
    /// Heights (m) along y, x varying fastest, both from − to +.
    pub heights: Vec<f64>,
    /// Depth (m) of a level base below the lowest height, which closes the mesh; `None`: an open sheet facing
    /// up.
    pub base: Option<f64>,
}

impl HeightField {
    /// The mesh: closed with a base, open without one.
    ///
    /// ```
    /// use rigor_shapes::HeightField;
    /// let heights = vec![0.0, 1.0, 2.0, 3.0];
    /// let slope = HeightField { size: [1.0, 1.0], counts: [2, 2], heights, base: Some(1.0) };
    /// assert!((slope.mesh()?.signed_volume() - 2.5).abs() < 1e-15);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite, counts out of bounds, heights that are
    /// not finite, and a number of heights that does not match the counts.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("height field");
        self.check(check)?;
        let mut vertices: Vec<Vec3> =
            self.places().zip(&self.heights).map(|([x, z], y)| Vec3::new(x, *y, z)).collect();
        let mut triangles: Vec<[u32; 3]> = grid(self.counts).collect();
        if let Some(base) = self.base {
            let n = vertices.len() as u32;
            let floor = self.heights.iter().copied().fold(f64::INFINITY, f64::min) - base;
            vertices.extend(self.places().map(|[x, z]| Vec3::new(x, floor, z)));
            triangles.extend(grid(self.counts).map(|[a, b, c]| [a + n, c + n, b + n]));
            let rim = self.rim();
            let foot: Vec<u32> = rim.iter().map(|v| v + n).collect();
            triangles.extend(wall(&foot, &rim));
        }
        check.mesh(Mesh::new(vertices, triangles, vec![]))
    }

    fn check(&self, check: Check) -> Result<(), ShapeError> {
        check.positive("size.x", self.size[0])?;
        check.positive("size.z", self.size[1])?;
        check.count("counts.x", self.counts[0], 2..=2049)?;
        check.count("counts.z", self.counts[1], 2..=2049)?;
        let [n_x, n_z] = self.counts;
        let n = self.heights.len();
        let allowed = || format!("{n_x} × {n_z} = {}", n_x * n_z);
        check.that(n == (n_x * n_z) as usize, "number of heights", n as f64, allowed())?;
        if let Some(height) = self.heights.iter().find(|h| !h.is_finite()) {
            check.that(false, "heights", *height, "finite")?;
        }
        self.base.map_or(Ok(()), |base| check.positive("base", base))
    }

    /// The positions (x, z) (m) of the heights, in order.
    fn places(&self) -> impl Iterator<Item = [f64; 2]> {
        let [n_x, n_z] = self.counts.map(|n| f64::from(n - 1));
        let [x, z] = self.size;
        let at = |k: u32, n: f64, size: f64| size * (2.0 * f64::from(k) - n) / (2.0 * n);
        (0..self.counts[1])
            .flat_map(move |j| (0..self.counts[0]).map(move |i| [at(i, n_x, x), at(j, n_z, z)]))
    }

    /// The vertices around the edge, counter-clockwise seen from above.
    fn rim(&self) -> Vec<u32> {
        let [n_x, n_z] = self.counts;
        let at = |i: u32, j: u32| j * n_x + i;
        let front = (0..n_x - 1).map(|i| at(i, n_z - 1));
        let right = (1..n_z).rev().map(|j| at(n_x - 1, j));
        let back = (1..n_x).rev().map(|i| at(i, 0));
        let left = (0..n_z - 1).map(|j| at(0, j));
        front.chain(right).chain(back).chain(left).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::assert_sound;
    use rigor_geometry::Surface;

    fn hills(n: u32, base: Option<f64>) -> HeightField {
        let step = 4.0 / f64::from(n - 1);
        let bump = |i: u32, j: u32| {
            let [x, z] = [i, j].map(|k| f64::from(k) * step - 2.0);
            x * x * z + x - 0.5 * z * z
        };
        let heights = (0..n).flat_map(|j| (0..n).map(move |i| bump(i, j))).collect();
        HeightField { size: [4.0, 4.0], counts: [n, n], heights, base }
    }

    #[test]
    fn a_landscape_is_sound_with_a_base_and_open_without() {
        assert_sound(&hills(9, Some(0.1)).mesh().unwrap(), 2);
        let sheet = hills(9, None).mesh().unwrap();
        assert_eq!(sheet.surface(), Surface::Open { edges: 32 });
        assert!((0..sheet.triangles().len()).all(|t| sheet.area_vector(t).y > 0.0));
        let flat = HeightField { size: [2.0, 3.0], counts: [3, 2], heights: vec![1.0; 6], base: Some(0.5) };
        assert_sound(&flat.mesh().unwrap(), 2);
        assert!((flat.mesh().unwrap().signed_volume() - 3.0).abs() < 1e-14);
    }

    #[test]
    fn its_volume_converges_with_the_square_of_the_grid() {
        // ∫∫ (x² z + x − z²/2 + m) over [−2, 2]² with m = 0.1 minus the lowest height.
        let error = |n: u32| {
            let field = hills(n, Some(0.1));
            let lowest = field.heights.iter().copied().fold(f64::INFINITY, f64::min);
            let exact = -0.5 * 4.0 * (16.0 / 3.0) + 16.0 * (0.1 - lowest);
            (field.mesh().unwrap().signed_volume() - exact).abs()
        };
        assert!(((error(17) / error(33)).log2() - 2.0).abs() < 0.01);
    }

    #[test]
    fn heights_must_fit_the_grid() {
        let field = HeightField { counts: [3, 4], ..hills(3, None) };
        assert_eq!(
            field.mesh().unwrap_err().to_string(),
            "height field: number of heights = 9 must be 3 × 4 = 12"
        );
        let mut field = hills(3, None);
        field.heights[4] = f64::NAN;
        assert!(field.mesh().is_err());
        assert!(hills(3, Some(0.0)).mesh().is_err());
    }
}

//! A block of tetrahedra.

use std::collections::BTreeMap;

use rigor_math::Vec3;

/// A box about the origin of nx × ny × nz cells, each cut into five tetrahedra: one in the middle and one at
/// every other corner. A cut and its mirror image alternate, so that neighbouring cells agree on their common
/// face.
///
/// Vertex (i, j, k) has the index (i (ny+1) + j)(nz+1) + k.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Edge lengths (m) along x, y, z.
    pub size: Vec3,
    /// nx, ny, nz, each at least 1.
    pub cells: [u32; 3],
}

impl Block {
    /// The index of vertex (i, j, k).
    pub fn number(&self, [i, j, k]: [u32; 3]) -> u32 {
        (i * (self.cells[1] + 1) + j) * (self.cells[2] + 1) + k
    }

    /// The lattice coordinates (i, j, k) of the vertices, in index order.
    pub fn places(&self) -> impl Iterator<Item = [u32; 3]> + use<> {
        let [nx, ny, nz] = self.cells;
        (0..=nx).flat_map(move |i| (0..=ny).flat_map(move |j| (0..=nz).map(move |k| [i, j, k])))
    }

    /// The vertices (m), in index order.
    pub fn vertices(&self) -> Vec<Vec3> {
        let n = self.cells.map(f64::from);
        let at = |place: [u32; 3]| {
            Vec3::from_fn(|a, _| self.size[a] * (2.0 * f64::from(place[a]) - n[a]) / (2.0 * n[a]))
        };
        self.places().map(at).collect()
    }

    /// The tetrahedra; x₂ − x₁, x₃ − x₁, x₄ − x₁ are right-handed.
    pub fn tetrahedra(&self) -> Vec<[u32; 4]> {
        let [nx, ny, nz] = self.cells;
        let cells = (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| [i, j, k])));
        cells.flat_map(|cell| self.cut(cell)).collect()
    }

    /// The triangles of the outer faces, counter-clockwise seen from outside.
    pub fn surface(&self) -> Vec<[u32; 3]> {
        let mut seen = BTreeMap::new();
        for [a, b, c, d] in self.tetrahedra() {
            for face in [[a, c, b], [a, b, d], [b, c, d], [a, d, c]] {
                let mut key = face;
                key.sort_unstable();
                seen.entry(key).and_modify(|once| *once = None).or_insert(Some(face));
            }
        }
        seen.into_values().flatten().collect()
    }

    /// The edges of the tetrahedra, each once.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let of_one = |[a, b, c, d]: [u32; 4]| [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]];
        let mut edges: Vec<[u32; 2]> =
            self.tetrahedra().into_iter().flat_map(of_one).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Each vertex's share of the volume (m³): a quarter of every tetrahedron around it.
    pub fn volumes(&self) -> Vec<f64> {
        let x = self.vertices();
        let mut volumes = vec![0.0; x.len()];
        for t in self.tetrahedra() {
            let [a, b, c, d] = t.map(|v| x[v as usize]);
            let quarter = (b - a).dot(&(c - a).cross(&(d - a))) / 24.0;
            t.iter().for_each(|v| volumes[*v as usize] += quarter);
        }
        volumes
    }

    fn cut(&self, [i, j, k]: [u32; 3]) -> [[u32; 4]; 5] {
        let is_mirrored = (i + j + k) % 2 == 1;
        // Corner (a, b, c) of the cell; a mirrored cell is reflected along x.
        let v = |a: u32, b: u32, c: u32| {
            let a = if is_mirrored { 1 - a } else { a };
            self.number([i + a, j + b, k + c])
        };
        let cut = [
            [v(0, 0, 0), v(1, 0, 0), v(0, 1, 0), v(0, 0, 1)],
            [v(1, 1, 0), v(0, 1, 0), v(1, 0, 0), v(1, 1, 1)],
            [v(1, 0, 1), v(0, 0, 1), v(1, 1, 1), v(1, 0, 0)],
            [v(0, 1, 1), v(1, 1, 1), v(0, 0, 1), v(0, 1, 0)],
            [v(1, 0, 0), v(0, 1, 0), v(0, 0, 1), v(1, 1, 1)],
        ];
        if is_mirrored { cut.map(|[a, b, c, d]| [a, c, b, d]) } else { cut }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCKS: [[u32; 3]; 4] = [[1, 1, 1], [2, 1, 1], [3, 2, 4], [1, 5, 2]];

    fn block(cells: [u32; 3]) -> Block {
        Block { size: Vec3::new(1.0, 2.0, 0.5), cells }
    }

    #[test]
    fn tetrahedra_are_right_handed_and_fill_the_block() {
        for block in BLOCKS.map(block) {
            let x = block.vertices();
            let volume = |t: &[u32; 4]| {
                let [a, b, c, d] = t.map(|v| x[v as usize]);
                (b - a).dot(&(c - a).cross(&(d - a))) / 6.0
            };
            let tetrahedra = block.tetrahedra();
            assert!(tetrahedra.iter().all(|t| volume(t) > 0.0));
            assert!((tetrahedra.iter().map(volume).sum::<f64>() - 1.0).abs() < 1e-14);
            assert!((block.volumes().iter().sum::<f64>() - 1.0).abs() < 1e-14);
            assert!(block.volumes().iter().all(|v| *v > 0.0));
        }
    }

    #[test]
    fn an_inner_face_is_shared_by_exactly_two_and_the_others_close_the_block() {
        for block in BLOCKS.map(block) {
            let mut count = BTreeMap::new();
            for [a, b, c, d] in block.tetrahedra() {
                for mut face in [[a, b, c], [a, b, d], [b, c, d], [a, c, d]] {
                    face.sort_unstable();
                    *count.entry(face).or_insert(0) += 1;
                }
            }
            assert!(count.values().all(|n| [1, 2].contains(n)));
            let [nx, ny, nz] = block.cells.map(|n| n as usize);
            assert_eq!(block.surface().len(), 4 * (nx * ny + ny * nz + nz * nx), "two per outer square");
            assert_eq!(count.values().filter(|n| **n == 1).count(), block.surface().len());
            let x = block.vertices();
            let flux: f64 = block
                .surface()
                .iter()
                .map(|t| t.map(|v| x[v as usize]))
                .map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0)
                .sum();
            assert!((flux - 1.0).abs() < 1e-14, "the surface faces outwards: {flux}");
        }
    }

    #[test]
    fn edges_are_those_of_the_cells_and_one_diagonal_of_each_square() {
        let [nx, ny, nz] = [3, 2, 4];
        let straight = nx * (ny + 1) * (nz + 1) + (nx + 1) * ny * (nz + 1) + (nx + 1) * (ny + 1) * nz;
        let squares = nx * ny * (nz + 1) + nx * (ny + 1) * nz + (nx + 1) * ny * nz;
        assert_eq!(block([3, 2, 4]).edges().len(), straight + squares);
    }
}

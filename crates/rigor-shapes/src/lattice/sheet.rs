//! A flat sheet of triangles.

use rigor_math::Vec3;

/// A parallelogram of n × m vertices.
///
/// Vertex (i, j) lies at `corner` + i/(n−1) `u` + j/(m−1) `v` and has the index i m + j.
///
/// Each cell is cut into two triangles along alternating diagonals, so that no direction is preferred.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sheet {
    /// Vertex (0, 0) (m).
    pub corner: Vec3,
    /// The side from `corner` along i (m).
    pub u: Vec3,
    /// The side from `corner` along j (m).
    pub v: Vec3,
    /// n and m, each at least 2.
    pub vertices: [u32; 2],
}

/// Two triangles with a common edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hinge {
    /// The ends of the edge.
    pub edge: [u32; 2],
    /// The third corners.
    pub wings: [u32; 2],
}

impl Sheet {
    /// The index of vertex (i, j).
    pub fn number(&self, i: u32, j: u32) -> u32 {
        i * self.vertices[1] + j
    }

    /// The vertices (m), in index order.
    pub fn positions(&self) -> Vec<Vec3> {
        let [n, m] = self.vertices;
        let at = |i: u32, j: u32| {
            let (s, t) = (f64::from(i) / f64::from(n - 1), f64::from(j) / f64::from(m - 1));
            self.corner + s * self.u + t * self.v
        };
        (0..n).flat_map(|i| (0..m).map(move |j| at(i, j))).collect()
    }

    /// The triangles, counter-clockwise seen from the side to which u × v points.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let halves = |(i, j): (u32, u32)| {
            let [a, b, c, d] = self.corners(i, j);
            if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
        };
        self.cells().flat_map(halves).collect()
    }

    /// The edges along i and along j.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        self.apart(1)
    }

    /// Both diagonals of every cell.
    pub fn diagonals(&self) -> Vec<[u32; 2]> {
        let both = |(i, j): (u32, u32)| {
            let [a, b, c, d] = self.corners(i, j);
            [[a, c], [b, d]]
        };
        self.cells().flat_map(both).collect()
    }

    /// Pairs of vertices two apart along i or along j.
    pub fn second_neighbours(&self) -> Vec<[u32; 2]> {
        self.apart(2)
    }

    /// Every pair of triangles with a common edge.
    pub fn hinges(&self) -> Vec<Hinge> {
        let mut sides: Vec<([u32; 2], u32)> = Vec::new();
        for t in self.triangles() {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                sides.push(([a.min(b), a.max(b)], t[(k + 2) % 3]));
            }
        }
        sides.sort_unstable();
        let shared = sides.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        shared.map(|pair| Hinge { edge: pair[0].0, wings: [pair[0].1, pair[1].1] }).collect()
    }

    /// Each vertex's share of the area (m²): a third of every triangle around it.
    pub fn areas(&self) -> Vec<f64> {
        let [n, m] = self.vertices;
        let cell = self.u.cross(&self.v).norm() / (f64::from(n - 1) * f64::from(m - 1));
        let mut areas = vec![0.0; n as usize * m as usize];
        for v in self.triangles().as_flattened() {
            areas[*v as usize] += cell / 6.0;
        }
        areas
    }

    fn cells(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let [n, m] = self.vertices;
        (0..n - 1).flat_map(move |i| (0..m - 1).map(move |j| (i, j)))
    }

    /// The corners of cell (i, j), in order around it.
    fn corners(&self, i: u32, j: u32) -> [u32; 4] {
        [self.number(i, j), self.number(i + 1, j), self.number(i + 1, j + 1), self.number(i, j + 1)]
    }

    fn apart(&self, k: u32) -> Vec<[u32; 2]> {
        let [n, m] = self.vertices;
        let along_u = (k..n).flat_map(|i| (0..m).map(move |j| [self.number(i - k, j), self.number(i, j)]));
        let along_v = (0..n).flat_map(|i| (k..m).map(move |j| [self.number(i, j - k), self.number(i, j)]));
        along_u.chain(along_v).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        Sheet { corner: Vec3::new(1.0, 2.0, 3.0), u: Vec3::x() * 2.0, v: Vec3::y() * 3.0, vertices: [4, 5] }
    }

    #[test]
    fn areas_sum_to_the_whole_and_triangles_face_one_way() {
        let sheet = sheet();
        assert!((sheet.areas().iter().sum::<f64>() - 6.0).abs() < 1e-14);
        let x = sheet.positions();
        let mut area = 0.0;
        for [a, b, c] in sheet.triangles().iter().map(|t| t.map(|v| x[v as usize])) {
            let normal = (b - a).cross(&(c - a));
            assert!(normal.z > 0.0);
            area += 0.5 * normal.norm();
        }
        assert!((area - 6.0).abs() < 1e-14);
        assert_eq!((x[0], x[19]), (Vec3::new(1.0, 2.0, 3.0), Vec3::new(3.0, 5.0, 3.0)));
    }

    #[test]
    fn neighbours_are_counted_as_on_paper() {
        let sheet = sheet();
        // 3·5 + 4·4 edges, 3·4 cells. Hinges: all edges and one diagonal per cell, less the 14 border edges.
        assert_eq!(sheet.edges().len(), 31);
        assert_eq!(sheet.diagonals().len(), 24);
        assert_eq!(sheet.second_neighbours().len(), 2 * 5 + 4 * 3);
        assert_eq!(sheet.hinges().len(), 31 + 12 - 14);
    }

    #[test]
    fn the_wings_of_a_hinge_lie_on_either_side_of_its_edge() {
        let sheet = sheet();
        let x = sheet.positions();
        for Hinge { edge: [a, b], wings } in sheet.hinges() {
            let side = |w: u32| {
                let (a, b, w) = (x[a as usize], x[b as usize], x[w as usize]);
                (b - a).cross(&(w - a)).z
            };
            assert!(side(wings[0]) * side(wings[1]) < 0.0);
        }
    }
}

//! Assembles vertices and faces of any number of corners into a soup of triangles and wires.

use rigor_geometry::mesh::Soup;
use rigor_math::Vec3;

use super::{Fault, Location};

/// Maximum number of vertices, and of triangles plus wires. Without it, a few bytes of a hostile file could
/// ask for billions by naming one buffer many times. 2²⁴ take about 1.5 GB.
const MAX_ELEMENTS: usize = 1 << 24;

/// Maximum distance of a corner from the plane of its polygon, relative to the polygon's size.
///
/// Exporters print six digits, so a corner is off by 10⁻⁶ of the mesh size, which is up to 10⁻⁴ of a polygon
/// 100 times smaller. A more strongly bent polygon has no unique surface: the file does not say which
/// diagonal is meant.
const FLATNESS: f64 = 1e-4;

/// The content read so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Assembly {
    /// Vertices, triangles and wires in the order of the file.
    pub soup: Soup,
}

impl Assembly {
    /// Returns the number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.soup.vertices.len()
    }

    /// Adds a vertex (m).
    pub fn vertex(&mut self, position: Vec3) -> Result<(), Fault> {
        if self.n_vertices() == MAX_ELEMENTS {
            return Err(Fault::new(
                Location::File,
                format!("the mesh has more than {MAX_ELEMENTS} vertices"),
            ));
        }
        self.soup.vertices.push(position);
        Ok(())
    }

    /// Adds a face: one corner is a free vertex, two are a wire, three a triangle, and more a flat convex
    /// polygon, which becomes a fan of triangles.
    ///
    /// `location` is the place of the face, for errors about corners out of range and bent or non-convex
    /// polygons.
    pub fn face(&mut self, location: Location, corners: &[i64]) -> Result<(), Fault> {
        let corners = self.checked(location, corners)?;
        match corners[..] {
            [] => return Err(Fault::new(location, "the face has no corners")),
            [_] => {}
            [a, b] => self.soup.wires.push([a, b]),
            [a, b, c] => self.soup.triangles.push([a, b, c]),
            _ => {
                let fan = self.fan(location, &corners)?;
                self.soup.triangles.extend(fan);
            }
        }
        self.check_size(location)
    }

    /// Adds the edges between consecutive corners.
    pub fn polyline(&mut self, location: Location, corners: &[i64]) -> Result<(), Fault> {
        let corners = self.checked(location, corners)?;
        self.soup.wires.extend(corners.windows(2).map(|pair| [pair[0], pair[1]]));
        self.check_size(location)
    }

    /// Adds another soup, whose indices count its own vertices.
    pub fn append(&mut self, other: &Soup) -> Result<(), Fault> {
        let first = self.n_vertices() as u32;
        for v in &other.vertices {
            self.vertex(*v)?;
        }
        self.soup.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
        self.soup.wires.extend(other.wires.iter().map(|w| w.map(|v| v + first)));
        self.check_size(Location::File)
    }

    /// Returns the soup with vertices at equal positions merged.
    pub fn merged(self) -> Result<Soup, Fault> {
        self.soup.merge_vertices(0.0).map_err(|error| Fault::new(Location::File, error.to_string()))
    }

    fn checked(&self, location: Location, corners: &[i64]) -> Result<Vec<u32>, Fault> {
        let n_vertices = self.n_vertices();
        let vertex = |&corner: &i64| match usize::try_from(corner) {
            Ok(vertex) if vertex < n_vertices => Ok(vertex as u32),
            _ => {
                let what = format!("the face names vertex {corner} (from 0), but there are {n_vertices}");
                Err(Fault::new(location, what))
            }
        };
        corners.iter().map(vertex).collect()
    }

    fn check_size(&self, location: Location) -> Result<(), Fault> {
        if self.soup.triangles.len() + self.soup.wires.len() > MAX_ELEMENTS {
            return Err(Fault::new(
                location,
                format!("the mesh has more than {MAX_ELEMENTS} triangles and wires"),
            ));
        }
        Ok(())
    }

    /// Splits a flat polygon into a fan from the first corner that sees all others in order, which for a
    /// convex polygon is any corner.
    fn fan(&self, location: Location, corners: &[u32]) -> Result<Vec<[u32; 3]>, Fault> {
        let n = corners.len();
        let positions: Vec<Vec3> = corners.iter().map(|&v| self.soup.vertices[v as usize]).collect();
        let polygon = Polygon::flat(location, &positions)?;
        let triangles = |apex: usize| (1..n - 1).map(move |i| [apex, (apex + i) % n, (apex + i + 1) % n]);
        // Prefer an apex that is on no straight run of corners, so that all triangles have area.
        let sees_beyond =
            |least: f64| (0..n.min(64)).find(|&apex| triangles(apex).all(|t| polygon.area(t) >= least));
        let Some(apex) = sees_beyond(1e-12).or_else(|| sees_beyond(-FLATNESS)) else {
            let what =
                format!("the face with {n} corners is not convex or crosses itself: split it into triangles");
            return Err(Fault::new(location, what));
        };
        Ok(triangles(apex).map(|t| t.map(|i| corners[i])).collect())
    }
}

/// A flat polygon.
struct Polygon {
    /// Corners (m) relative to their mean.
    corners: Vec<Vec3>,
    /// Unit normal; 0 if the polygon has no area.
    normal: Vec3,
    /// Distance (m) of the farthest corner from the mean.
    size: f64,
}

impl Polygon {
    fn flat(location: Location, positions: &[Vec3]) -> Result<Self, Fault> {
        let n = positions.len();
        let mean = positions.iter().sum::<Vec3>() / n as f64;
        let corners: Vec<Vec3> = positions.iter().map(|v| v - mean).collect();
        let size = corners.iter().map(Vec3::norm).fold(0.0, f64::max);
        let area_vector: Vec3 = (0..n).map(|i| corners[i].cross(&corners[(i + 1) % n])).sum();
        let normal = area_vector.try_normalize(0.0).unwrap_or_default();
        let height = |corner: &Vec3| corner.dot(&normal).abs();
        match corners.iter().position(|corner| height(corner) > FLATNESS * size) {
            None => Ok(Self { corners, normal, size }),
            Some(i) => {
                let what = format!(
                    "corner {} of the face lies {:.3e} m off the plane of its {n} corners: split it into triangles",
                    i + 1,
                    height(&corners[i]),
                );
                Err(Fault::new(location, what))
            }
        }
    }

    /// Returns twice the area of a triangle of corners divided by size², negative if its orientation is
    /// opposite to that of the polygon.
    fn area(&self, triangle: [usize; 3]) -> f64 {
        let [a, b, c] = triangle.map(|i| self.corners[i] / self.size);
        (b - a).cross(&(c - a)).dot(&self.normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(corners: &[[f64; 3]]) -> Result<Vec<[u32; 3]>, Fault> {
        let mut assembly = Assembly::default();
        for corner in corners {
            assembly.vertex(Vec3::from(*corner)).unwrap();
        }
        let all: Vec<i64> = (0..corners.len() as i64).collect();
        assembly.face(Location::Line(5), &all).map(|()| assembly.soup.triangles)
    }

    #[test]
    fn convex_polygons_become_fans_from_the_first_corner() {
        let square = polygon(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
        assert_eq!(square.unwrap(), [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn corners_on_a_straight_side_leave_no_empty_triangle() {
        let corners = [[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.9, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let triangles = polygon(&corners).unwrap();
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| Vec3::from(corners[v as usize]));
            (b - a).cross(&(c - a)).z / 2.0
        };
        assert!(triangles.iter().all(|t| area(t) > 0.01), "{triangles:?}");
        assert!((triangles.iter().map(area).sum::<f64>() - 0.95).abs() < 1e-15);
    }

    #[test]
    fn bent_and_crossing_polygons_are_refused() {
        let bent = polygon(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.1], [0.0, 1.0, 0.0]]);
        assert!(bent.unwrap_err().to_string().contains("line 5: corner 1 of the face lies 2.4"));
        let star: Vec<[f64; 3]> = [(0.0, 1.0), (0.6, -0.8), (-0.95, 0.3), (0.95, 0.3), (-0.6, -0.8)]
            .map(|(x, y)| [x, y, 0.0])
            .to_vec();
        assert!(polygon(&star).unwrap_err().to_string().contains("crosses itself"));
    }

    #[test]
    fn faces_of_one_and_two_corners_are_points_and_wires() {
        let mut assembly = Assembly::default();
        assembly.vertex(Vec3::zeros()).unwrap();
        assembly.vertex(Vec3::x()).unwrap();
        assembly.face(Location::File, &[0]).unwrap();
        assembly.face(Location::File, &[1, 0]).unwrap();
        assert_eq!(assembly.soup.wires, [[1, 0]]);
        for corners in [&[][..], &[2], &[0, -1]] {
            assert!(assembly.face(Location::File, corners).is_err());
        }
    }
}

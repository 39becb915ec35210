//! Assembles vertices and faces of any number of corners into a soup of triangles and wires.

use rigor_geometry::mesh::Soup;
use rigor_math::Vec3;

use super::polygon::{self, FLATNESS};
use super::warning::MeshWarning;
use super::{Fault, Location};

/// Maximum number of vertices, and of triangles plus wires. Without it, a few bytes of a hostile file could
/// ask for billions by naming one buffer many times. 2²⁴ take about 1.5 GB.
const MAX_ELEMENTS: usize = 1 << 24;

/// The content read so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Assembly {
    /// Vertices, triangles and wires in the order of the file.
    pub soup: Soup,
    /// Vertices that the file names as points.
    pub points: Vec<u32>,
    /// Notes of the reader.
    pub notes: Vec<MeshWarning>,
    bent: Bent,
    n_crossed: usize,
    /// Most vertices, and triangles plus wires; [`MAX_ELEMENTS`] if `None`.
    limit: Option<usize>,
}

/// Polygons that are not flat.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Bent {
    polygons: usize,
    height: f64,
    share: f64,
}

impl Assembly {
    /// Creates an empty one for at most `limit` vertices, and triangles plus wires.
    pub fn with_limit(limit: usize) -> Self {
        Self { limit: Some(limit.min(MAX_ELEMENTS)), ..Self::default() }
    }

    fn limit(&self) -> usize {
        self.limit.unwrap_or(MAX_ELEMENTS)
    }

    /// Returns the number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.soup.vertices.len()
    }

    /// Adds a vertex (m).
    pub fn vertex(&mut self, position: Vec3) -> Result<(), Fault> {
        if self.n_vertices() >= self.limit() {
            return Err(Fault::new(
                Location::File,
                format!("the mesh has more than {} vertices", self.limit()),
            ));
        }
        self.soup.vertices.push(position);
        Ok(())
    }

    /// Adds a face: one corner is a point, two are a wire, three a triangle, and more a polygon, which is
    /// [split](polygon::split).
    ///
    /// `location` is the place of the face, for errors about corners out of range.
    pub fn face(&mut self, location: Location, corners: &[i64]) -> Result<(), Fault> {
        let corners = self.checked(location, corners)?;
        match corners[..] {
            [] => return Err(Fault::new(location, "the face has no corners")),
            [a] => self.points.push(a),
            [a, b] => self.soup.wires.push([a, b]),
            [a, b, c] => self.soup.triangles.push([a, b, c]),
            _ => {
                self.polygon(&corners);
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

    /// Adds the content of another, whose indices count its own vertices.
    pub fn append(&mut self, other: &Self) -> Result<(), Fault> {
        let first = self.n_vertices() as u32;
        for v in &other.soup.vertices {
            self.vertex(*v)?;
        }
        self.soup.triangles.extend(other.soup.triangles.iter().map(|t| t.map(|v| v + first)));
        self.soup.wires.extend(other.soup.wires.iter().map(|w| w.map(|v| v + first)));
        self.points.extend(other.points.iter().map(|v| v + first));
        self.check_size(Location::File)
    }

    /// Returns the content with vertices at equal positions merged.
    pub fn merged(mut self) -> Result<Self, Fault> {
        if self.n_vertices() == 0 {
            return Ok(self);
        }
        // Points are wires from a vertex to itself for as long as indices change.
        let (n_wires, points) = (self.soup.wires.len(), std::mem::take(&mut self.points));
        self.soup.wires.extend(points.into_iter().map(|v| [v, v]));
        self.soup =
            self.soup.merge_vertices(0.0).map_err(|error| Fault::new(Location::File, error.to_string()))?;
        self.points = self.soup.wires.split_off(n_wires).into_iter().map(|[v, _]| v).collect();
        Ok(self)
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
        if self.soup.triangles.len() + self.soup.wires.len() > self.limit() {
            return Err(Fault::new(
                location,
                format!("the mesh has more than {} triangles and wires", self.limit()),
            ));
        }
        Ok(())
    }

    fn polygon(&mut self, corners: &[u32]) {
        let positions: Vec<Vec3> = corners.iter().map(|&v| self.soup.vertices[v as usize]).collect();
        let split = polygon::split(&positions);
        self.soup.triangles.extend(split.triangles.iter().map(|t| t.map(|i| corners[i])));
        let share = split.height / split.size;
        if share > FLATNESS {
            let Bent { polygons, height, share: worst } = self.bent;
            self.bent =
                Bent { polygons: polygons + 1, height: height.max(split.height), share: worst.max(share) };
        }
        self.n_crossed += usize::from(split.crosses);
    }

    /// Returns the notes about polygons after those of the reader.
    pub fn take_notes(&mut self) -> Vec<MeshWarning> {
        let mut notes = std::mem::take(&mut self.notes);
        let Bent { polygons, height, share } = self.bent;
        if polygons > 0 {
            notes.push(MeshWarning::Bent { polygons, height, share });
        }
        if self.n_crossed > 0 {
            notes.push(MeshWarning::Crossed { polygons: self.n_crossed });
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_of_one_and_two_corners_are_points_and_wires() {
        let mut assembly = Assembly::default();
        assembly.vertex(Vec3::zeros()).unwrap();
        assembly.vertex(Vec3::x()).unwrap();
        assembly.face(Location::File, &[0]).unwrap();
        assembly.face(Location::File, &[1, 0]).unwrap();
        assert_eq!((&assembly.soup.wires[..], &assembly.points[..]), (&[[1, 0]][..], &[0][..]));
        for corners in [&[][..], &[2], &[0, -1]] {
            assert!(assembly.face(Location::File, corners).is_err());
        }
    }
}

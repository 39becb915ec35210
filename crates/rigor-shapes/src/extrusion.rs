//! A plane region extruded to a solid.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use super::outline::{Outline, tile};
use rigor_geometry::Mesh;

/// A region of the x–y plane, with holes, extruded along z from −depth/2 to depth/2; or the region itself, a
/// sheet at z = 0 that faces +z.
#[derive(Debug, Clone, PartialEq)]
pub struct Extrusion {
    /// The outer boundary of the region.
    pub outline: Outline,
    /// The holes cut out of it: inside the outline, disjoint from it and from each other.
    pub holes: Vec<Outline>,
    /// Depth (m) along z; `None` for a sheet without thickness.
    pub depth: Option<f64>,
}

impl Extrusion {
    /// The mesh: closed with a depth, open without. Its vertices are those of the outlines.
    ///
    /// ```
    /// use rigor_shapes::{Extrusion, Outline};
    /// let square = |a: f64| Outline::Polygon(vec![[-a, -a], [a, -a], [a, a], [-a, a]]);
    /// let frame = Extrusion { outline: square(2.0), holes: vec![square(1.0)], depth: Some(0.5) }.mesh()?;
    /// assert!(frame.is_closed() && frame.euler_characteristic() == 0);
    /// assert!((frame.signed_volume() - 6.0).abs() < 1e-14);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite, outlines that intersect themselves or
    /// each other, and holes that are not inside.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("extrude");
        let mut loops = vec![self.outline.points(check)?];
        for hole in &self.holes {
            loops.push(hole.points(check)?.into_iter().rev().collect());
        }
        let cap = tile(check, &loops)?;
        let at = |z: f64| loops.iter().flatten().map(move |[x, y]| Vec3::new(*x, *y, z));
        let Some(depth) = self.depth else {
            return check.mesh(Mesh::new(at(0.0).collect(), cap, vec![]));
        };
        check.positive("depth", depth)?;
        let vertices: Vec<Vec3> = at(-depth / 2.0).chain(at(depth / 2.0)).collect();
        let n = (vertices.len() / 2) as u32;
        let ends = cap.iter().flat_map(|&[a, b, c]| [[a, c, b], [a + n, b + n, c + n]]);
        check.mesh(Mesh::new(vertices.clone(), ends.chain(sides(&loops, n)).collect(), vec![]))
    }
}

/// The walls over the loops; the index of each upper vertex is that of the lower one plus `n`.
fn sides(loops: &[Vec<[f64; 2]>], n: u32) -> Vec<[u32; 3]> {
    let mut start = 0;
    let mut walls = Vec::with_capacity(2 * n as usize);
    for points in loops {
        let count = points.len() as u32;
        walls.extend((0..count).flat_map(|i| {
            let (here, next) = (start + i, start + (i + 1) % count);
            [[here, next, next + n], [here, next + n, here + n]]
        }));
        start += count;
    }
    walls
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::sound::{assert_sound, order_of};
    use rigor_geometry::Surface;

    fn star(n: u32, outer: f64, inner: f64) -> Outline {
        let around = super::super::circle::circle(2 * n);
        let radius = |k: usize| if k.is_multiple_of(2) { outer } else { inner };
        Outline::Polygon(around.iter().enumerate().map(|(k, p)| p.map(|x| radius(k) * x)).collect())
    }

    fn disc(x: f64, radius: f64, segments: u32) -> Outline {
        Outline::Circle { center: [x, 0.0], radius, segments }
    }

    #[test]
    fn stars_with_holes_are_sound_and_have_their_volume() {
        for (n, holes) in [(3, 0), (5, 1), (12, 2)] {
            let holes: Vec<Outline> = (0..holes).map(|k| disc(f64::from(k) * 0.5, 0.2, 24)).collect();
            let (outer, hole) = (2.0, 12.0 * 0.04 * (PI / 12.0).sin());
            let area = f64::from(n) * (PI / f64::from(n)).sin() * outer * 1.0 - hole * holes.len() as f64;
            let euler = 2 - 2 * holes.len() as i64;
            let mesh = Extrusion { outline: star(n, outer, 1.0), holes, depth: Some(0.5) }.mesh().unwrap();
            assert_sound(&mesh, euler);
            assert!((mesh.signed_volume() / (0.5 * area) - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn a_ring_converges_to_the_difference_of_its_discs() {
        let volume = |n| {
            let ring =
                Extrusion { outline: disc(0.0, 2.0, n), holes: vec![disc(0.0, 1.0, n)], depth: Some(1.0) };
            ring.mesh().unwrap().signed_volume()
        };
        assert!((order_of(3.0 * PI, volume(32), volume(64)) - 2.0).abs() < 0.01);
    }

    #[test]
    fn points_along_a_line_stay_corners_so_that_nothing_gapes() {
        let outline = Outline::Polygon(vec![
            [0.0, 0.0],
            [1.0, 0.0],
            [2.0, 0.0],
            [2.0, 2.0],
            [1.0, 2.0],
            [0.0, 2.0],
            [0.0, 1.0],
        ]);
        let mesh = Extrusion { outline, holes: vec![], depth: Some(1.0) }.mesh().unwrap();
        assert_sound(&mesh, 2);
        assert_eq!(mesh.vertices().len(), 14);
        assert!((mesh.signed_volume() - 4.0).abs() < 1e-14);
    }

    #[test]
    fn the_way_round_does_not_matter_and_a_sheet_faces_forward() {
        let clockwise = Outline::Polygon(vec![[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]);
        let solid = Extrusion { outline: clockwise.clone(), holes: vec![], depth: Some(1.0) };
        assert_eq!(solid.mesh().unwrap().signed_volume(), 1.0);
        let sheet = Extrusion { outline: clockwise, holes: vec![disc(0.0, 0.0, 3)], depth: None };
        assert!(sheet.mesh().is_err(), "a hole of no radius");
        let sheet = Extrusion { holes: vec![], ..sheet }.mesh().unwrap();
        assert!(matches!(sheet.surface(), Surface::Open { .. }));
        assert!((0..2).all(|t| sheet.area_vector(t).z == 0.5));
    }

    #[test]
    fn outlines_that_meet_are_errors() {
        let bow = Outline::Polygon(vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
        let touching = Outline::Polygon(vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
        let twice = Outline::Polygon(vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 0.0]]);
        for outline in [bow, touching, twice] {
            assert!(
                Extrusion { outline: outline.clone(), holes: vec![], depth: None }.mesh().is_err(),
                "{outline:?}"
            );
        }
        for hole in [disc(3.0, 0.5, 8), disc(1.0, 0.5, 8), disc(0.0, 2.0, 8)] {
            let plate =
                Extrusion { outline: disc(0.0, 1.0, 32), holes: vec![hole.clone()], depth: Some(1.0) };
            assert!(plate.mesh().is_err(), "{hole:?}");
        }
        let overlapping = vec![disc(-0.2, 0.3, 8), disc(0.2, 0.3, 8)];
        assert!(Extrusion { outline: disc(0.0, 1.0, 32), holes: overlapping, depth: None }.mesh().is_err());
    }
}

//! Surfaces of bodies for contact with particles.

use std::sync::Arc;

use rigor_geometry::distance::{point_edge, point_triangle};
use rigor_geometry::{Aabb, Bvh, Mesh, Topology, topology};
use rigor_math::{Vec3, elementary};
use rigor_scene::{Body, Scene};

use point_triangle::Region;

/// Relative difference below which two distances count as equal.
const SAME: f64 = 1e-9;
/// Distance, relative to the reach, below which two points count as one.
const SAME_POINT: f64 = 1e-6;

/// Distance within which rounding may put a point on the wrong side of the surface, relative to its size.
const ROUNDING: f64 = 1e-9;

/// Shells of a scene's bodies; equal meshes share theirs.
#[derive(Debug, Default)]
pub(super) struct Shells {
    shells: Vec<Shell>,
    of_body: Vec<usize>,
}

impl Shells {
    /// Prepares the shells of `scene`, reusing existing ones.
    pub fn prepare(&mut self, scene: &Scene) {
        let is_known = |(shell, body): (&usize, &Body)| Arc::ptr_eq(&self.shells[*shell].mesh, &body.mesh);
        if self.of_body.len() == scene.bodies.len() && self.of_body.iter().zip(&scene.bodies).all(is_known) {
            return;
        }
        self.of_body.clear();
        for body in &scene.bodies {
            let known = self.shells.iter().position(|shell| Arc::ptr_eq(&shell.mesh, &body.mesh));
            self.of_body.push(known.unwrap_or_else(|| {
                self.shells.push(Shell::new(&body.mesh));
                self.shells.len() - 1
            }));
        }
    }

    pub fn of_body(&self, body: usize) -> &Shell {
        &self.shells[self.of_body[body]]
    }
}

/// The path of a particle in a substep, in the body's frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    /// Where the particle is known to be on its own side of the surface (m): its position before the substep, or
    /// beside it a point that rounding and overlap have not moved through ([`Sides`](super::side::Sides)).
    pub from: Vec3,
    /// Its positions before and after the substep (m).
    pub x_prev: Vec3,
    pub x: Vec3,
    /// The side of a sheet on whose plane it starts.
    pub doubt: Doubt,
    /// Distance (m) within which it may be on the wrong side by rounding.
    pub margin: f64,
}

/// What decides on which side a particle is that starts on a sheet.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Doubt {
    /// Number of particles of its soft body in front of the sheet minus that of those behind.
    pub vote: f64,
    /// Gravity (m/s²), and the motion in the substep (m), in the body's frame.
    pub gravity: Vec3,
    pub motion: Vec3,
}

impl Doubt {
    /// Returns `n`, the normal in front of the sheet, or −n: the side of most particles of the same soft body; on
    /// a tie the upper side; where neither is up, the side to which the particle moves, or else n.
    fn side(&self, n: &Vec3) -> Vec3 {
        const LEVEL: f64 = 1e-9;
        let up = -self.gravity.dot(n);
        let along = self.motion.dot(n);
        let is_behind = if self.vote != 0.0 {
            self.vote < 0.0
        } else if up.abs() > LEVEL * self.gravity.norm() {
            up < 0.0
        } else {
            along < 0.0
        };
        if is_behind { -n } else { *n }
    }
}

/// A mesh with normals that distinguish inside from outside.
#[derive(Debug)]
pub(super) struct Shell {
    mesh: Arc<Mesh>,
    topology: Topology,
    /// Over triangles, then wires, then points.
    tree: Bvh,
    is_solid: bool,
    /// Diagonal of its bounding box (m).
    size: f64,
    /// Unit normals of triangles, of edges (mean of the adjacent faces), and of vertices (mean weighted by
    /// angle).
    faces: Vec<Vec3>,
    edges: Vec<Vec3>,
    vertices: Vec<Vec3>,
}

/// A part of the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShellFeature {
    Face(usize),
    Edge(usize),
    Vertex(usize),
    /// An edge or a point without a triangle.
    Thin,
}

/// Scratch memory of a search.
#[derive(Debug, Default)]
pub(super) struct Search {
    primitives: Vec<u32>,
    near: Vec<Nearest>,
    /// Points (m, body frame) that have produced a plane.
    kept: Vec<Vec3>,
}

/// The point of one primitive nearest to a query position.
#[derive(Debug, Clone, Copy)]
struct Nearest {
    primitive: usize,
    feature: ShellFeature,
    point: Vec3,
    /// From there to the query position (m).
    separation: Vec3,
    distance: f64,
}

impl Shell {
    fn new(mesh: &Arc<Mesh>) -> Self {
        use topology::Surface::{Closed, NonManifold};
        let triangles = (0..mesh.triangles().len()).map(|t| Aabb::of_points(&mesh.corners(t)));
        let wires = mesh.wires().iter().map(|e| e.map(|v| mesh.vertices()[v as usize]));
        let points = mesh.points().iter().map(|v| mesh.vertices()[*v as usize]);
        let boxes: Vec<Aabb> = triangles
            .chain(wires.map(|ends| Aabb::of_points(&ends)))
            .chain(points.map(|p| Aabb::of_points([&p])))
            .collect();
        let topology = mesh.topology();
        let faces: Vec<Vec3> = (0..mesh.triangles().len()).map(|t| unit(mesh.area_vector(t))).collect();
        Self {
            edges: edge_normals(mesh, &topology, &faces),
            vertices: vertex_normals(mesh, &faces),
            faces,
            tree: Bvh::new(&boxes).expect("the vertices of a mesh are finite"),
            is_solid: matches!(mesh.surface(), Closed | NonManifold { balanced: true, .. }),
            size: mesh.bounds().diagonal(),
            topology,
            mesh: Arc::clone(mesh),
        }
    }

    /// Returns whether the mesh has triangles that bound no volume.
    pub fn is_sheet(&self) -> bool {
        !self.is_solid && !self.faces.is_empty()
    }

    /// Returns the distance (m) within which rounding in the body's frame may put a point on the wrong side.
    pub fn rounding(&self) -> f64 {
        ROUNDING * self.size
    }

    /// Calls `found` with each plane (point, unit normal towards the particle) that a particle of this
    /// `radius` (m) meets on its `path`, and returns the distance (m) from the path's end within which there is
    /// no surface, or 0.
    ///
    /// A path through the surface yields the triangle that it enters. Otherwise each surface point that is
    /// locally nearest to x, and no farther than the particle's radius plus its path and `slack` (m), yields
    /// one plane: a ball in a groove has two. Inside a solid only the nearest point counts.
    pub fn touches(
        &self,
        path: &Path,
        radius: f64,
        slack: f64,
        Search { primitives, near, kept }: &mut Search,
        found: &mut dyn FnMut(Vec3, Vec3),
    ) -> f64 {
        let Path { from, x_prev, x, .. } = path;
        let way = (x - x_prev).norm();
        if (way > 0.5 * radius || from != x_prev)
            && let Some((point, normal)) = self.entry(path)
        {
            found(point, normal);
            return 0.0;
        }
        let reach = radius + way + slack;
        self.tree.overlapping_into(&Aabb::of_points([x]).grow(reach), primitives);
        near.clear();
        near.extend(primitives.iter().map(|&i| self.nearest(i as usize, x)).filter(|n| n.distance <= reach));
        let Some(first) = near.iter().min_by(|a, b| a.distance.total_cmp(&b.distance)) else { return reach };
        let clear = first.distance;
        if self.is_solid && self.pseudonormal(first.feature).is_some_and(|n| n.dot(&first.separation) <= 0.0)
        {
            found(first.point, self.outwards(first, path));
            return 0.0;
        }
        kept.clear();
        for nearest in
            near.iter().filter(|nearest| self.is_seen(nearest) && self.is_local_minimum(nearest, x))
        {
            // Rounding may report one point both on a face and on its edge.
            if !kept.iter().any(|point| (point - nearest.point).norm() <= SAME_POINT * reach) {
                kept.push(nearest.point);
                found(nearest.point, self.outwards(nearest, path));
            }
        }
        clear
    }

    /// Returns the point where the way from `path.from` to `path.x` first passes through a triangle, and the
    /// normal on the side from which it comes: the front of a solid, for a sheet the side of `path.from`.
    pub fn entry(&self, path: &Path) -> Option<(Vec3, Vec3)> {
        // Rounding may put points of a solid's surface inside it, so the path starts slightly earlier.
        let back = if self.is_solid { unit(path.x - path.from) * self.rounding() } else { Vec3::zeros() };
        let from = path.from - back;
        let way = path.x - from;
        let side = |t: usize| if self.is_solid { self.faces[t] } else { self.side(t, path) };
        let hit = |primitive: u32| {
            let t = primitive as usize;
            if t >= self.faces.len() || side(t).dot(&way) >= 0.0 {
                return None;
            }
            passage(&from, &way, &self.mesh.corners(t))
        };
        let (triangle, t) = self.tree.cast_ray(&from, &way, 1.0, hit)?;
        Some((from + way * t, side(triangle as usize)))
    }

    /// Returns the normal of triangle `t` of a sheet on the side of `path.from`.
    fn side(&self, t: usize, path: &Path) -> Vec3 {
        let n = self.faces[t];
        let height = (path.from - self.mesh.corners(t)[0]).dot(&n);
        if height.abs() <= 0.5 * path.margin {
            path.doubt.side(&n)
        } else if height < 0.0 {
            -n
        } else {
            n
        }
    }

    /// Returns the nearest point of a triangle within `limit` (m) of `x`.
    fn nearest_within(&self, x: &Vec3, limit: f64, primitives: &mut Vec<u32>) -> Option<Nearest> {
        self.tree.overlapping_into(&Aabb::of_points([x]).grow(limit), primitives);
        let triangles = primitives.iter().map(|&i| i as usize).filter(|i| *i < self.faces.len());
        let near = triangles.map(|i| self.nearest(i, x)).filter(|near| near.distance <= limit);
        near.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// Returns whether `x` is within `limit` (m) of a triangle.
    pub fn is_near(&self, x: &Vec3, limit: f64, search: &mut Search) -> bool {
        self.nearest_within(x, limit, &mut search.primitives).is_some()
    }

    /// Returns 1 if `x` is in front of the nearest triangle, −1 if behind, 0 within `margin` (m).
    pub fn vote(&self, x: &Vec3, margin: f64) -> f64 {
        let limit = f64::INFINITY;
        let distance_sq = |i: u32| {
            if (i as usize) >= self.faces.len() {
                return limit;
            }
            let distance = self.nearest(i as usize, x).distance;
            distance * distance
        };
        let Some((triangle, _)) = self.tree.nearest(x, limit, distance_sq) else { return 0.0 };
        let near = self.nearest(triangle as usize, x);
        let height = self.pseudonormal(near.feature).map_or(0.0, |n| n.dot(&near.separation));
        if near.distance <= margin || height == 0.0 { 0.0 } else { height.signum() }
    }

    /// Returns a point on the side of the sheet from which a particle came, if its position `path.x` does not
    /// show that side: it has passed through, or is within `path.margin` of the surface.
    ///
    /// The way from `path.from` to the point does not pass through the sheet, so a particle that is followed
    /// from such points has never crossed it.
    pub fn anchor(&self, path: &Path, search: &mut Search) -> Option<Vec3> {
        let above = 2.0 * path.margin;
        let to = |x: Vec3| Path { x, ..*path };
        let lifted = match self.entry(path) {
            Some((point, n)) => path.x + n * (above - (path.x - point).dot(&n)),
            None => {
                let near = self.nearest_within(&path.x, path.margin, &mut search.primitives)?;
                near.point + self.outwards(&near, path) * above
            }
        };
        let Some((point, n)) = self.entry(&to(lifted)) else { return Some(lifted) };
        let stopped = point + n * above;
        Some(if self.entry(&to(stopped)).is_none() { stopped } else { path.from })
    }

    fn nearest(&self, primitive: usize, x: &Vec3) -> Nearest {
        let (n_triangles, n_wires) = (self.mesh.triangles().len(), self.mesh.wires().len());
        let vertex = |v: u32| self.mesh.vertices()[v as usize];
        let (feature, separation) = if primitive < n_triangles {
            let [a, b, c] = self.mesh.corners(primitive);
            let closest = point_triangle::closest(x, &a, &b, &c);
            (self.feature(primitive, closest.region), closest.separation)
        } else if primitive < n_triangles + n_wires {
            let [a, b] = self.mesh.wires()[primitive - n_triangles].map(vertex);
            (ShellFeature::Thin, point_edge::closest(x, &a, &b).separation)
        } else {
            let p = vertex(self.mesh.points()[primitive - n_triangles - n_wires]);
            (ShellFeature::Thin, x - p)
        };
        Nearest { primitive, feature, point: x - separation, separation, distance: separation.norm() }
    }

    fn feature(&self, triangle: usize, region: Region) -> ShellFeature {
        let [a, b, c] = self.mesh.triangles()[triangle];
        let edge = |a: u32, b: u32| {
            let edges = self.topology.edges_of_triangle(triangle);
            let is_same = |e: &&u32| {
                let ends = self.mesh.edges()[**e as usize];
                ends == [a.min(b), a.max(b)]
            };
            edges
                .iter()
                .find(is_same)
                .map_or(ShellFeature::Face(triangle), |e| ShellFeature::Edge(*e as usize))
        };
        match region {
            Region::Face => ShellFeature::Face(triangle),
            Region::VertexA => ShellFeature::Vertex(a as usize),
            Region::VertexB => ShellFeature::Vertex(b as usize),
            Region::VertexC => ShellFeature::Vertex(c as usize),
            Region::EdgeAB => edge(a, b),
            Region::EdgeBC => edge(b, c),
            Region::EdgeCA => edge(c, a),
        }
    }

    /// Returns the pseudonormal of a feature; `None` where the surface is thin.
    ///
    /// The sign of n·(x − p) at the nearest point p then distinguishes inside from outside, also at edges and
    /// corners.
    ///
    /// Source: \[Baerentzen2005\] §3.
    fn pseudonormal(&self, feature: ShellFeature) -> Option<Vec3> {
        match feature {
            ShellFeature::Face(t) => Some(self.faces[t]),
            ShellFeature::Edge(e) => Some(self.edges[e]),
            ShellFeature::Vertex(v) => Some(self.vertices[v]),
            ShellFeature::Thin => None,
        }
    }

    /// Returns whether the query position is outside there; surface points seen from behind, through a solid,
    /// do not count.
    fn is_seen(&self, nearest: &Nearest) -> bool {
        !self.is_solid || self.pseudonormal(nearest.feature).is_none_or(|n| n.dot(&nearest.separation) > 0.0)
    }

    /// Returns whether the surface around the point comes no nearer to `x`, and no earlier triangle yields
    /// the same point.
    fn is_local_minimum(&self, nearest: &Nearest, x: &Vec3) -> bool {
        let around = match nearest.feature {
            ShellFeature::Face(_) | ShellFeature::Thin => return true,
            ShellFeature::Edge(e) => self.topology.triangles_of_edge(e),
            ShellFeature::Vertex(v) => self.topology.triangles_of_vertex(v),
        };
        let limit = nearest.distance * (1.0 - SAME);
        around.iter().map(|t| *t as usize).all(|t| {
            t == nearest.primitive
                || (t > nearest.primitive && self.nearest(t, x).distance >= limit)
                || (t < nearest.primitive && self.is_elsewhere(t, nearest, x, limit))
        })
    }

    /// Returns whether an earlier triangle that shares the feature has a different nearest point, which is no
    /// nearer.
    fn is_elsewhere(&self, t: usize, nearest: &Nearest, x: &Vec3, limit: f64) -> bool {
        let other = self.nearest(t, x);
        other.distance >= limit && other.feature != nearest.feature
    }

    /// Returns the unit normal (body frame) towards the outside of a solid. Without an inside, it is towards the end
    /// of the path, which has passed through nothing, or within `path.margin` of the surface towards its start.
    fn outwards(&self, nearest: &Nearest, path: &Path) -> Vec3 {
        let pseudonormal = self.pseudonormal(nearest.feature);
        // A separation within rounding has no direction.
        let along = nearest.separation.try_normalize(path.margin.max(f64::EPSILON));
        match (nearest.feature, pseudonormal) {
            (ShellFeature::Face(t), _) if self.is_solid => self.faces[t],
            (ShellFeature::Face(t), _) => match along {
                Some(along) if along.dot(&self.faces[t]) < 0.0 => -self.faces[t],
                Some(_) => self.faces[t],
                None => self.side(t, path),
            },
            (ShellFeature::Edge(_) | ShellFeature::Vertex(_), Some(n)) if self.is_solid => {
                let along = along.unwrap_or(n);
                if along.dot(&n) < 0.0 { -along } else { along }
            }
            (ShellFeature::Edge(_) | ShellFeature::Vertex(_) | ShellFeature::Thin, pseudonormal) => {
                let beside = path.from - nearest.point;
                along.unwrap_or_else(|| match pseudonormal {
                    Some(n) if beside.dot(&n).abs() <= 0.5 * path.margin => path.doubt.side(&n),
                    Some(n) if beside.dot(&n) < 0.0 => -n,
                    Some(n) => n,
                    None => beside.try_normalize(0.0).unwrap_or_else(Vec3::y),
                })
            }
        }
    }
}

/// Returns t in [0, 1] at which `from` + t `way` passes through the triangle, including its border with a
/// small tolerance.
fn passage(from: &Vec3, way: &Vec3, [a, b, c]: &[Vec3; 3]) -> Option<f64> {
    const WIDER: f64 = 1e-12;
    let (ab, ac) = (b - a, c - a);
    let across = way.cross(&ac);
    let volume = ab.dot(&across);
    if volume == 0.0 {
        return None;
    }
    let to = from - a;
    let u = to.dot(&across) / volume;
    let along = to.cross(&ab);
    let v = way.dot(&along) / volume;
    let t = ac.dot(&along) / volume;
    let is_inside = u >= -WIDER && v >= -WIDER && u + v <= 1.0 + WIDER && (0.0..=1.0).contains(&t);
    is_inside.then_some(t)
}

fn unit(v: Vec3) -> Vec3 {
    v.try_normalize(0.0).unwrap_or_else(Vec3::zeros)
}

fn edge_normals(mesh: &Mesh, topology: &Topology, faces: &[Vec3]) -> Vec<Vec3> {
    let sum = |e: usize| topology.triangles_of_edge(e).iter().map(|t| faces[*t as usize]).sum::<Vec3>();
    (0..mesh.triangle_edges().len()).map(|e| unit(sum(e))).collect()
}

fn vertex_normals(mesh: &Mesh, faces: &[Vec3]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::zeros(); mesh.vertices().len()];
    for (t, triangle) in mesh.triangles().iter().enumerate() {
        let x = mesh.corners(t);
        for k in 0..3 {
            let (p, q) = (x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]);
            let angle = elementary::atan2(p.cross(&q).norm(), p.dot(&q));
            normals[triangle[k] as usize] += angle * faces[t];
        }
    }
    normals.into_iter().map(unit).collect()
}

#[cfg(test)]
mod tests {
    use rigor_shapes::{Crack, Cuboid, Icosphere};

    use super::*;

    fn planes(shell: &Shell, from: [f64; 3], to: [f64; 3], radius: f64) -> Vec<(Vec3, Vec3)> {
        let mut found = Vec::new();
        let (x_prev, x) = (from.into(), to.into());
        let path = Path { from: x_prev, x_prev, x, doubt: Doubt::default(), margin: shell.rounding() };
        shell.touches(&path, radius, 1e-3, &mut Search::default(), &mut |p, n| found.push((p, n)));
        found
    }

    fn cube(segments: u32) -> Shell {
        let mesh = Cuboid { size: Vec3::repeat(2.0), segments: [segments; 3] }.mesh().unwrap();
        Shell::new(&Arc::new(mesh))
    }

    #[test]
    fn a_ball_on_a_finely_cut_face_has_one_plane() {
        for segments in [1, 7, 10] {
            let shell = cube(segments);
            for x in [0.0, 0.2, 0.31, 1.0 / 7.0] {
                let found = planes(&shell, [x, 1.5, x], [x, 1.49, x], 0.5);
                assert_eq!(found.len(), 1, "{segments} {x}: {found:?}");
                assert!((found[0].1 - Vec3::y()).norm() < 1e-12);
            }
        }
    }

    #[test]
    fn edges_and_corners_push_away_from_themselves() {
        let shell = cube(3);
        for (place, radius) in [([1.2, 1.3, 0.1], 0.5), ([1.2, 1.3, 1.1], 0.6)] {
            let found = planes(&shell, place, place, radius);
            assert_eq!(found.len(), 1, "{found:?}");
            let x = Vec3::from(place);
            let corner = x.map(|c: f64| c.min(1.0));
            assert!((found[0].0 - corner).norm() < 1e-14);
            assert!((found[0].1 - (x - corner).normalize()).norm() < 1e-14);
        }
    }

    #[test]
    fn inside_is_pushed_out_by_the_nearest_face() {
        let found = planes(&cube(4), [0.0, 1.0, 0.0], [0.1, 0.9995, 0.2], 0.0);
        assert_eq!(found.len(), 1);
        assert!((found[0].1 - Vec3::y()).norm() < 1e-14 && (found[0].0.y - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_way_through_a_wall_is_stopped_where_it_enters() {
        for radius in [0.0, 0.1] {
            let found = planes(&cube(2), [0.3, 5.0, 0.2], [0.3, -5.0, 0.2], radius);
            assert_eq!((found.len(), found[0].1), (1, Vec3::y()));
            assert!((found[0].0 - Vec3::new(0.3, 1.0, 0.2)).norm() < 1e-14);
        }
        let before = planes(&cube(2), [0.3, 5.0, 0.2], [0.3, 1.2, 0.2], 0.1);
        assert!(
            before.iter().all(|(p, n)| (Vec3::new(0.3, 1.2, 0.2) - p).dot(n) > 0.1),
            "nothing is met yet"
        );
    }

    #[test]
    fn a_ball_in_a_groove_has_two_planes() {
        let crack = Crack { size: Vec3::new(2.0, 1.0, 2.0), width: 1.0, depth: 0.5 };
        let shell = Shell::new(&Arc::new(crack.mesh().unwrap()));
        // Sides at 45°: the ball touches both 0.2 √2 above the bottom of the groove.
        let y = 0.2 * 2.0_f64.sqrt() - 1e-4;
        let found = planes(&shell, [0.0, y, 0.1], [0.0, y, 0.1], 0.2);
        assert_eq!(found.len(), 2, "{found:?}");
        let sum = found[0].1 + found[1].1;
        assert!((sum - Vec3::y() * 2.0_f64.sqrt()).norm() < 1e-12, "{found:?}");
    }

    #[test]
    fn the_far_side_of_a_thin_plate_is_not_felt() {
        let mesh = Cuboid::new(Vec3::new(2.0, 0.01, 2.0)).mesh().unwrap();
        let found = planes(&Shell::new(&Arc::new(mesh)), [0.1, 0.1, 0.2], [0.1, 0.09, 0.2], 0.2);
        assert_eq!((found.len(), found[0].1), (1, Vec3::y()), "{found:?}");
        assert!((found[0].0 - Vec3::new(0.1, 0.005, 0.2)).norm() < 1e-15);
    }

    #[test]
    fn the_sign_is_right_all_around_a_sphere() {
        let shell = Shell::new(&Arc::new(Icosphere { radius: 1.0, subdivisions: 2 }.mesh().unwrap()));
        for v in shell.mesh.vertices().to_vec() {
            for (scale, sign) in [(0.9999, -1.0), (1.0001, 1.0)] {
                let x = v * scale;
                let found = planes(&shell, x.into(), x.into(), 0.01);
                assert_eq!(found.len(), 1);
                assert!(found[0].1.dot(&v.normalize()) > 0.9);
                assert!(sign * (x - found[0].0).dot(&found[0].1) > 0.0);
            }
        }
    }
}

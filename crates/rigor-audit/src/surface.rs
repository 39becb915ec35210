//! The bodies' surfaces in the world, for judges.

use std::cell::{Ref, RefCell};
use std::sync::Arc;

use rigor_geometry::distance::{point_edge, point_point, point_triangle};
use rigor_geometry::intersection::containment::winding;
use rigor_geometry::topology::Components;
use rigor_geometry::{Aabb, Bvh, Mesh, topology};
use rigor_math::{Pose, Vec3};
use rigor_scene::{Body, BodyId, Scene, State};

/// A cache of the surfaces of the bodies of one scene, frame after frame.
///
/// Surfaces are built for the first frame. Afterwards only the surfaces of bodies that moved are updated. All
/// judges of a panel share one eye.
#[derive(Debug, Default)]
pub struct Eye {
    surfaces: RefCell<Option<Surfaces>>,
}

impl Eye {
    /// Returns the surfaces as placed by `state`.
    pub(crate) fn look(&self, scene: &Scene, state: &State) -> Ref<'_, Surfaces> {
        let is_current = self.surfaces.borrow().as_ref().is_some_and(|surfaces| surfaces.are_at(state));
        if !is_current {
            self.surfaces.borrow_mut().get_or_insert_with(|| Surfaces::new(scene)).place(scene, state);
        }
        Ref::map(self.surfaces.borrow(), |seen| seen.as_ref().expect("placed just now or before"))
    }
}

/// The surfaces of all bodies of a scene in one frame.
#[derive(Debug)]
pub struct Surfaces {
    bodies: Vec<Surface>,
    close_pairs: Vec<(usize, usize)>,
}

impl Surfaces {
    fn new(scene: &Scene) -> Self {
        Self { bodies: scene.bodies.iter().map(Surface::new).collect(), close_pairs: Vec::new() }
    }

    fn are_at(&self, state: &State) -> bool {
        self.bodies.iter().zip(&state.bodies).all(|(surface, body)| surface.pose == Some(body.pose))
    }

    fn place(&mut self, scene: &Scene, state: &State) {
        for (surface, body) in self.bodies.iter_mut().zip(&state.bodies) {
            surface.place(&body.pose);
        }
        let (placed, boxes): (Vec<usize>, Vec<Aabb>) = self
            .bodies
            .iter()
            .map(|surface| surface.bounds)
            .enumerate()
            .filter(|(_, b)| b.is_finite())
            .unzip();
        self.close_pairs = overlapping_pairs(scene, &placed, &boxes);
    }

    /// Returns the surface of each body.
    pub fn bodies(&self) -> &[Surface] {
        &self.bodies
    }

    /// Returns the pairs of bodies (smaller index first) that may collide and whose boxes overlap.
    pub fn close_pairs(&self) -> &[(usize, usize)] {
        &self.close_pairs
    }
}

/// Returns the pairs of `ids` that may collide and whose `boxes` overlap, ascending.
pub(crate) fn overlapping_pairs(scene: &Scene, ids: &[usize], boxes: &[Aabb]) -> Vec<(usize, usize)> {
    let tree = tree(boxes);
    let pairs = tree.overlapping_pairs().into_iter().map(|[i, j]| (ids[i as usize], ids[j as usize]));
    pairs.filter(|&(a, b)| scene.can_collide(BodyId(a), BodyId(b))).collect()
}

/// A primitive of a surface, by its corners in the world (m).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Primitive {
    /// A vertex without edges.
    Point(Vec3),
    /// An edge without triangles.
    Wire([Vec3; 2]),
    /// A triangle.
    Triangle([Vec3; 3]),
}

impl Primitive {
    /// Returns the squared distance (m²) from a point (m).
    pub fn distance_sq(&self, p: &Vec3) -> f64 {
        match self {
            Self::Point(q) => point_point::distance_sq(p, q),
            Self::Wire([a, b]) => point_edge::distance_sq(p, a, b),
            Self::Triangle([a, b, c]) => point_triangle::distance_sq(p, a, b, c),
        }
    }

    fn bounds(&self) -> Aabb {
        match self {
            Self::Point(q) => Aabb::of_points([q]),
            Self::Wire(ends) => Aabb::of_points(ends),
            Self::Triangle(corners) => Aabb::of_points(corners),
        }
    }
}

/// The surface of one body in the world.
///
/// Its vertices are those of the mesh, moved by the pose in `f64`; all further computations take them as
/// exact.
#[derive(Debug)]
pub struct Surface {
    mesh: Arc<Mesh>,
    pose: Option<Pose>,
    vertices: Vec<Vec3>,
    bounds: Aabb,
    /// Over triangles, then wires, then points.
    primitives: Bvh,
    /// Over edges.
    edges: Bvh,
    is_solid: bool,
    representatives: Vec<usize>,
    pieces: Components,
    boundary: Vec<[u32; 2]>,
}

impl Surface {
    fn new(body: &Body) -> Self {
        let mesh = Arc::clone(&body.mesh);
        let mut surface = Self {
            pose: None,
            vertices: mesh.vertices().to_vec(),
            bounds: Aabb::EMPTY,
            primitives: tree(&[]),
            edges: tree(&[]),
            is_solid: is_solid(&mesh),
            representatives: representatives(&mesh),
            pieces: Components::of(&mesh),
            boundary: boundary(&mesh),
            mesh,
        };
        surface.primitives = tree(&surface.primitive_boxes());
        surface.edges = tree(&surface.edge_boxes());
        surface
    }

    /// Moves the surface to `pose`. If the placed vertices are not finite, the bounds are empty.
    fn place(&mut self, pose: &Pose) {
        if self.pose == Some(*pose) {
            return;
        }
        self.pose = Some(*pose);
        let place = |v: &Vec3| pose.point(v);
        self.vertices.clear();
        self.vertices.extend(self.mesh.vertices().iter().map(place));
        let is_finite = self.vertices.iter().all(|v| v.iter().all(|c| c.is_finite()));
        self.bounds = if is_finite { Aabb::of_points(&self.vertices) } else { Aabb::EMPTY };
        if is_finite {
            let why = "boxes of finite primitives are finite";
            self.primitives.refit(&self.primitive_boxes()).expect(why);
            self.edges.refit(&self.edge_boxes()).expect(why);
        }
    }

    /// Returns the mesh in the body's principal frame.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Returns the vertices in the world (m).
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Returns the smallest box around the vertices; empty if the body's pose is not finite.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Returns whether the triangles bound a volume, so that "inside" is defined.
    pub fn is_solid(&self) -> bool {
        self.is_solid
    }

    /// Returns whether there are triangles and they bound no volume.
    pub fn is_sheet(&self) -> bool {
        !self.is_solid && !self.mesh.triangles().is_empty()
    }

    /// Returns one vertex of each connected component.
    pub fn representatives(&self) -> impl Iterator<Item = &Vec3> {
        self.representatives.iter().map(|v| &self.vertices[*v])
    }

    /// Returns the tree over [`Surface::primitive`]s.
    pub fn primitives(&self) -> &Bvh {
        &self.primitives
    }

    /// Returns the tree over [`Surface::edge`]s.
    pub fn edges(&self) -> &Bvh {
        &self.edges
    }

    /// Returns a primitive: triangles are numbered first, then wires, then points.
    pub fn primitive(&self, index: u32) -> Primitive {
        let (n_triangles, n_wires) = (self.mesh.triangles().len(), self.mesh.wires().len());
        let index = index as usize;
        if index < n_triangles {
            Primitive::Triangle(self.triangle(index))
        } else if index < n_triangles + n_wires {
            Primitive::Wire(self.mesh.wires()[index - n_triangles].map(|v| self.vertices[v as usize]))
        } else {
            Primitive::Point(self.vertices[self.mesh.points()[index - n_triangles - n_wires] as usize])
        }
    }

    /// Returns the number of connected components.
    pub fn n_pieces(&self) -> usize {
        self.pieces.len()
    }

    /// Returns the corners of a triangle (m).
    pub fn triangle(&self, index: usize) -> [Vec3; 3] {
        self.mesh.triangles()[index].map(|v| self.vertices[v as usize])
    }

    /// Returns the ends of an edge (m).
    pub fn edge(&self, index: u32) -> [Vec3; 2] {
        self.mesh.edges()[index as usize].map(|v| self.vertices[v as usize])
    }

    /// Returns the winding number of the surface around `p` (m), exactly; `None` on the surface. Only for
    /// solids.
    pub fn winding(&self, p: &Vec3) -> Option<i32> {
        if !self.bounds.contains_point(p) {
            return Some(0);
        }
        // The exact test counts crossings of a ray along +z, so only triangles above p matter.
        let height = (self.bounds.max.z - p.z).next_up();
        let over = self.primitives.along_ray(p, &Vec3::z(), height);
        let triangles = self.mesh.triangles();
        let column: Vec<[u32; 3]> = over.iter().filter_map(|t| triangles.get(*t as usize)).copied().collect();
        winding(p, &self.vertices, &column)
    }

    /// Returns whether `p` (m) is strictly inside the solid; never for a sheet.
    pub fn contains(&self, p: &Vec3) -> bool {
        self.is_solid && self.winding(p).is_some_and(|turns| turns != 0)
    }

    /// Returns the primitive nearest to `p` (m) and its squared distance (m²), if that is less than
    /// `limit_sq`.
    pub fn nearest(&self, p: &Vec3, limit_sq: f64) -> Option<(u32, f64)> {
        self.primitives.nearest(p, limit_sq, |index| self.primitive(index).distance_sq(p))
    }

    /// Returns the connected component of the primitive nearest to `p` (m).
    pub fn piece_near(&self, p: &Vec3) -> Option<usize> {
        let (index, _) = self.nearest(p, f64::INFINITY)?;
        let (n_triangles, n_wires) = (self.mesh.triangles().len(), self.mesh.wires().len());
        let index = index as usize;
        let vertex = if index < n_triangles {
            self.mesh.triangles()[index][0]
        } else if index < n_triangles + n_wires {
            self.mesh.wires()[index - n_triangles][0]
        } else {
            self.mesh.points()[index - n_triangles - n_wires]
        };
        Some(self.pieces.of_vertex(vertex as usize))
    }

    /// Returns the squared distance (m²) of `p` (m) from the border of a sheet; infinite without a border.
    pub fn border_distance_sq(&self, p: &Vec3) -> f64 {
        let ends = |edge: &[u32; 2]| edge.map(|v| self.vertices[v as usize]);
        let of = |[a, b]: [Vec3; 2]| point_edge::distance_sq(p, &a, &b);
        self.boundary.iter().map(ends).map(of).fold(f64::INFINITY, f64::min)
    }

    fn primitive_boxes(&self) -> Vec<Aabb> {
        let n = self.mesh.triangles().len() + self.mesh.wires().len() + self.mesh.points().len();
        (0..n as u32).map(|index| self.primitive(index).bounds()).collect()
    }

    fn edge_boxes(&self) -> Vec<Aabb> {
        (0..self.mesh.edges().len() as u32).map(|index| Aabb::of_points(&self.edge(index))).collect()
    }
}

fn tree(boxes: &[Aabb]) -> Bvh {
    Bvh::new(boxes).expect("boxes of finite primitives are finite")
}

fn is_solid(mesh: &Mesh) -> bool {
    use topology::Surface::{Closed, Inverted, NonManifold};
    matches!(mesh.surface(), Closed | Inverted { .. } | NonManifold { balanced: true, .. })
}

fn representatives(mesh: &Mesh) -> Vec<usize> {
    let components = Components::of(mesh);
    let mut first = vec![None; components.len()];
    for v in 0..mesh.vertices().len() {
        first[components.of_vertex(v)].get_or_insert(v);
    }
    first.into_iter().flatten().collect()
}

fn boundary(mesh: &Mesh) -> Vec<[u32; 2]> {
    mesh.topology().boundary_edges().map(|e| mesh.edges()[e as usize]).collect()
}

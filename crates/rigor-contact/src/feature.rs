//! Contact features of a body's surface: vertices, faces and edges, with the directions that they support.
//!
//! A vertex or an edge *supports* a direction m if none of its surroundings rises above it along m; a plane
//! that approaches from that side then meets it first. Flat and concave vertices and edges support nothing
//! beyond what their neighbours support, and are left out.

use std::sync::Arc;

use rigor_geometry::distance::{point_edge, point_triangle};
use rigor_geometry::{Aabb, Bvh, Mesh, Surface, Topology};
use rigor_math::{Vec3, elementary};
use rigor_scene::{Body, Part, Scene};

use crate::round::{self, Ball, Circle, Rod, RoundParts};
use crate::tolerance::INSIDE;

/// Sine of the angle by which the surroundings of a feature may rise above it while it still counts as
/// supporting. A face that lies on another touches it with all its corners, although rounding and the resting
/// overlap tilt it slightly.
pub const SUPPORT_TOLERANCE: f64 = 0.05;

/// Sine of the dihedral angle below which two triangles count as coplanar.
const FLAT: f64 = 1e-4;

/// A triangle with its plane, n·x = offset.
#[derive(Debug, Clone)]
pub struct Face {
    /// Corners a, b, c (m).
    pub corners: [Vec3; 3],
    /// Unit normal n.
    pub normal: Vec3,
    /// n·x of its points (m).
    pub offset: f64,
    /// Whether it bounds a solid, so that its normal points outwards.
    pub solid: bool,
    /// Which of the edges ab, bc, ca are concave: another face rises there in front of this one.
    pub hollow: [bool; 3],
    /// For each of the edges ab, bc, ca, the in-plane unit vector away from the triangle and the offset of
    /// the edge along it (m).
    pub rims: [(Vec3, f64); 3],
    /// ‖b − a‖ (m).
    pub length: f64,
    /// Whether it is part of a [`Ball`], which touches in its place.
    pub in_ball: bool,
    /// Whether it is part of the picture of a round part.
    pub in_picture: bool,
}

impl Face {
    fn new(corners: [Vec3; 3], normal: Vec3, solid: bool) -> Self {
        let [a, b, c] = corners;
        let rims = [(a, b), (b, c), (c, a)].map(|(p, q)| {
            let outwards = (q - p).cross(&normal).normalize();
            (outwards, outwards.dot(&p))
        });
        let offset = normal.dot(&a);
        Self {
            corners,
            normal,
            offset,
            solid,
            hollow: [false; 3],
            rims,
            length: (b - a).norm(),
            in_ball: false,
            in_picture: false,
        }
    }

    /// Returns the distance (m) of a point of the plane past the edge that it exceeds most: at most its
    /// distance from the triangle, and at most 0 inside.
    pub fn past(&self, foot: &Vec3) -> f64 {
        let [ab, bc, ca] = self.rims.map(|(outwards, offset)| outwards.dot(foot) - offset);
        ab.max(bc).max(ca)
    }
}

/// A vertex that can support a direction.
#[derive(Debug, Clone)]
pub struct Corner {
    /// Where it is (m).
    pub position: Vec3,
    /// Unit vectors along its edges to the neighbours.
    pub towards: Vec<Vec3>,
    /// Mean of the normals of its faces, weighted by their angles at the corner, of unit length, if they bound a solid.
    ///
    /// It has a positive part along every direction in the corner's cone of normals \[Baerentzen2005\].
    pub outside: Option<Vec3>,
    /// The circle along whose rim it is.
    pub circle: Option<Circle>,
    /// Whether it is part of a [`Ball`], which touches in its place.
    pub in_ball: bool,
}

/// An edge that can support a direction: convex, at a boundary, or a wire.
#[derive(Debug, Clone)]
pub struct Edge {
    /// Ends (m).
    pub ends: [Vec3; 2],
    /// Unit vector from the first end to the second.
    pub direction: Vec3,
    /// Length (m).
    pub length: f64,
    /// Corner indices of the ends, where these can support a direction.
    pub corners: [Option<u32>; 2],
    /// Whether the body may rise beyond each end, as where the polygon around the hole of a ring bends
    /// towards the hole; `rises_beyond` tells along which directions.
    pub bends: [bool; 2],
    /// For each adjacent triangle, its normal and the unit vector into it, perpendicular to the edge.
    pub sides: Vec<Side>,
    /// Unit vector towards the side on which the two adjacent faces meet in a ridge, whichever way they are
    /// oriented; `None` if there are not two.
    pub outside: Option<Vec3>,
    /// Whether it is part of a [`Ball`], which touches in its place.
    pub in_ball: bool,
}

/// A triangle beside an edge.
#[derive(Debug, Clone, Copy)]
pub struct Side {
    /// Unit normal of the triangle.
    pub normal: Vec3,
    /// Unit vector into the triangle, perpendicular to the edge.
    pub inwards: Vec3,
}

/// All contact features of one mesh, in its own frame.
#[derive(Debug)]
pub struct Features {
    /// All triangles.
    pub faces: Vec<Face>,
    /// Vertices that can support a direction; none of pictures.
    pub corners: Vec<Corner>,
    /// Edges that can support a direction; none of pictures.
    pub edges: Vec<Edge>,
    /// Balls, ends of capsules, and closed surfaces that stand for spheres.
    pub balls: Vec<Ball>,
    /// How many of the balls, the first ones, are round parts or ends of them.
    pub n_round: usize,
    /// What is between the ends of capsules.
    pub rods: Vec<Rod>,
    /// Whether there is nothing but balls and rods.
    pub is_round: bool,
    /// Box around the mesh and the round surfaces for which it stands.
    pub bounds: Aabb,
    /// Radius of the mesh about the origin of its frame (m).
    pub radius: f64,
    /// Mean length of the edges (m); infinite without edges.
    pub grain: f64,
    /// Whether it bounds a convex solid.
    pub is_convex: bool,
    /// Smallest side length (m) of the bounding box; 0 for a sheet.
    pub thickness: f64,
    /// Boxes of the faces.
    pub face_tree: Bvh,
    /// Boxes of the corners.
    pub corner_tree: Bvh,
    /// Boxes of the edges.
    pub edge_tree: Bvh,
}

/// Fraction of a segment at either end that is ignored when searching for faces that cut it.
const END: f64 = 1e-3;

/// A direction unlikely to be parallel to any edge.
const RAY: Vec3 = Vec3::new(0.571_42, 0.326_73, 0.752_83);

impl Face {
    /// Returns the parameter at which the segment from `p` along `d` (m) meets the face.
    fn meets(&self, p: &Vec3, d: &Vec3) -> Option<f64> {
        let slope = self.normal.dot(d);
        let t = (self.offset - self.normal.dot(p)) / slope;
        (slope != 0.0 && t >= 0.0 && self.past(&(p + t * d)) <= 0.0).then_some(t)
    }

    /// Returns whether the face cuts the segment from `p` along `d` (m), apart from its ends.
    fn cuts(&self, p: &Vec3, d: &Vec3) -> bool {
        self.meets(p, d).is_some_and(|t| t > END && t < 1.0 - END)
    }
}

impl Features {
    /// Returns whether the faces bound a solid; a sheet, a wire or a point does not.
    pub fn is_solid(&self) -> bool {
        self.faces.first().is_some_and(|face| face.solid)
    }

    /// Returns the distance (m) of the point `p` (m, body frame) inside the solid from its surface, or 0 if it is outside or not
    /// deeper than the `limit` (m).
    pub fn depth(&self, p: &Vec3, limit: f64) -> f64 {
        if !self.is_solid() || !self.bounds.contains_point(p) {
            return 0.0;
        }
        if self.is_convex {
            let behind = |face: &Face| face.offset - face.normal.dot(p);
            let is_shallow = self.faces.iter().any(|face| behind(face) <= limit);
            return if is_shallow {
                0.0
            } else {
                self.faces.iter().map(behind).fold(f64::INFINITY, f64::min)
            };
        }
        if !self.may_contain(p) {
            return 0.0;
        }
        let distance_sq = |face: u32| {
            let [a, b, c] = &self.faces[face as usize].corners;
            point_triangle::distance_sq(p, a, b, c)
        };
        let nearest = self.face_tree.nearest(p, f64::INFINITY, distance_sq);
        nearest.map(|(_, squared)| squared.sqrt()).filter(|depth| *depth > limit).unwrap_or(0.0)
    }

    /// Returns how far (m) a ball (body frame) reaches into the body, or 0 if that is not more than the `limit` (m): for a point, a ball of
    /// radius 0, the same as [`depth`](Self::depth), but with round parts as what they are.
    pub fn depth_of_ball(&self, ball: &Ball, limit: f64) -> f64 {
        let reach = |other: &Ball| ball.radius + other.radius - (ball.center - other.center).norm();
        let along = |rod: &Rod| {
            let [p, q] = &rod.ends;
            ball.radius + rod.radius - point_edge::distance_sq(&ball.center, p, q).sqrt()
        };
        let of_round = self.balls[..self.n_round].iter().map(reach).chain(self.rods.iter().map(along));
        let deepest = of_round.fold(0.0, f64::max);
        let distance_sq = |face: u32| {
            let face = &self.faces[face as usize];
            let [a, b, c] = &face.corners;
            if face.in_picture { f64::INFINITY } else { point_triangle::distance_sq(&ball.center, a, b, c) }
        };
        let near = Aabb::new(ball.center, ball.center).grow(ball.radius);
        let in_mesh = if !self.is_solid() || self.is_round || !self.bounds.overlaps(&near) {
            0.0
        } else {
            let nearest = self.face_tree.nearest(&ball.center, f64::INFINITY, distance_sq);
            let distance = nearest.map_or(f64::INFINITY, |(_, square)| square.sqrt());
            let is_inside = distance.is_finite() && self.depth(&ball.center, 0.0) > 0.0;
            ball.radius + if is_inside { distance } else { -distance }
        };
        let deepest = deepest.max(in_mesh);
        if deepest > limit { deepest } else { 0.0 }
    }

    /// Returns whether the point `p` (m, body frame) may be inside the body. Always true for convex bodies
    /// and sheets, which are not tested.
    pub fn may_contain(&self, p: &Vec3) -> bool {
        if self.is_convex || !self.is_solid() {
            return true;
        }
        let direction = RAY * (2.0 * self.radius + p.norm());
        let hit = |face: u32| self.faces[face as usize].meets(p, &direction);
        let first = self.face_tree.cast_ray(p, &direction, 1.0, hit);
        first.is_some_and(|(face, _)| self.faces[face as usize].normal.dot(&direction) > 0.0)
    }

    /// Returns whether no part of the body's surface lies between the points `p` and `q` (m, body frame).
    ///
    /// A point behind a face overlaps the body there only if the segment to its foot is clear: between the
    /// teeth of a thread it is behind many faces.
    pub fn is_clear(&self, p: &Vec3, q: &Vec3) -> bool {
        let d = q - p;
        self.is_convex
            || self
                .face_tree
                .cast_ray(p, &d, 1.0, |face| self.faces[face as usize].cuts(p, &d).then_some(0.0))
                .is_none()
    }
}

impl Corner {
    /// Returns whether nothing around the corner rises above it along the unit vector `m`, which points out of the
    /// solid there.
    pub fn supports(&self, m: &Vec3) -> bool {
        self.supports_within(m, 0.0)
    }

    /// Returns whether the unit vector `m` is in the corner's cone of normals: no edge rises along it.
    pub fn contains(&self, m: &Vec3) -> bool {
        self.towards.iter().all(|t| t.dot(m) <= INSIDE) && self.outside.is_none_or(|out| out.dot(m) > 0.0)
    }

    /// Returns its point (m) that reaches farthest along the unit vector `m`, on the circle of a rim.
    pub fn tip(&self, m: &Vec3) -> Vec3 {
        self.circle.and_then(|circle| circle.tip_nearby(m)).unwrap_or(self.position)
    }

    /// Returns the same for any direction within `tilt` (rad) of `m`.
    pub fn supports_within(&self, m: &Vec3, tilt: f64) -> bool {
        self.towards.iter().all(|t| t.dot(m) <= SUPPORT_TOLERANCE + tilt)
            && self.outside.is_none_or(|out| out.dot(m) > -(SUPPORT_TOLERANCE + tilt))
    }
}

impl Edge {
    /// Returns whether nothing around the edge rises above it along the unit vector `m`: `m` is in the edge's cone
    /// of normals, up to the tolerance, and the faces meet in a ridge on its side.
    pub fn supports(&self, m: &Vec3) -> bool {
        self.supports_within(m, 0.0)
    }

    /// Returns the same for any direction within `tilt` (rad) of `m`.
    pub fn supports_within(&self, m: &Vec3, tilt: f64) -> bool {
        self.sides.iter().all(|s| s.inwards.dot(m) <= SUPPORT_TOLERANCE + tilt)
            && self.outside.is_none_or(|out| out.dot(m) > -(SUPPORT_TOLERANCE + tilt))
    }

    /// Returns whether the unit vector `m`, perpendicular to the edge, is in its cone of normals.
    pub fn contains(&self, m: &Vec3) -> bool {
        self.sides.iter().all(|s| s.inwards.dot(m) <= INSIDE)
            && self.outside.is_none_or(|out| out.dot(m) > 0.0)
    }

    /// Returns the normal of the adjacent face towards which the unit vector `m` leans out of the edge's cone of
    /// normals, on the side of `m`, if the edge is so flat that [`supports`](Self::supports) admits more beside the
    /// cone than inside.
    ///
    /// A contact whose normal is perpendicular to the edge and outside of its cone would push along a direction in
    /// which the surface faces nowhere nearby.
    pub fn flat_normal(&self, m: &Vec3) -> Option<Vec3> {
        let out = self.outside.filter(|_| self.bend() < SUPPORT_TOLERANCE)?;
        let beside = self.sides.iter().find(|s| s.inwards.dot(m) > 0.0)?;
        Some(beside.normal * 1.0_f64.copysign(beside.normal.dot(&out)))
    }

    /// Returns whether the body continues beyond the end with index `end` and rises there along the unit
    /// vector `m`.
    pub fn rises_beyond(&self, end: usize, m: &Vec3, corners: &[Corner]) -> bool {
        self.neighbours_beyond(end, corners).any(|t| t.dot(m) > FLAT)
    }

    /// Returns sin(β/2) for two faces that meet in a ridge with the angle β between their normals, else 1.
    pub fn bend(&self) -> f64 {
        let rise = |out: &Vec3| self.sides.iter().map(|s| -s.inwards.dot(out)).fold(0.0, f64::max);
        self.outside.as_ref().map_or(1.0, rise)
    }

    /// Returns the unit vectors from an end to those of its neighbours that lie beyond it.
    fn neighbours_beyond<'a>(
        &self,
        end: usize,
        corners: &'a [Corner],
    ) -> impl Iterator<Item = &'a Vec3> + use<'a> {
        let beyond = if end == 0 { -self.direction } else { self.direction };
        let towards = self.corners[end].map_or(&[][..], |c| &corners[c as usize].towards[..]);
        towards.iter().filter(move |t| t.dot(&beyond) > FLAT)
    }
}

impl Features {
    /// Finds the features of a mesh.
    pub fn of(mesh: &Mesh) -> Self {
        Self::with(mesh, RoundParts::default())
    }

    /// Finds the features of a body, whose round parts are what they are, not what their meshes show.
    pub fn of_body(body: &Body) -> Self {
        let features = Self::with(&body.mesh, RoundParts::of(&body.parts));
        if body.skeleton.is_plain() {
            return features;
        }
        Self {
            bounds: features.bounds.union(&body.bounds()),
            radius: body.radius,
            thickness: if features.is_solid() { body.thickness() } else { 0.0 },
            ..features
        }
    }

    fn with(mesh: &Mesh, round: RoundParts) -> Self {
        let topology = mesh.topology();
        let solid = Surface::of(mesh).is_solid();
        let mut faces: Vec<Face> = (0..mesh.triangles().len()).map(|t| face(mesh, t, solid)).collect();
        mark_hollow_edges(mesh, &topology, &mut faces);
        let mut corners = Vec::new();
        let corner_of_vertex: Vec<Option<u32>> = (0..mesh.vertices().len())
            .map(|v| {
                // The picture of a round part touches nothing.
                if round.has(v) {
                    return None;
                }
                corners.push(corner(mesh, &topology, &faces, v)?);
                Some(corners.len() as u32 - 1)
            })
            .collect();
        let mut edges: Vec<Edge> = (0..mesh.edges().len())
            .filter(|&e| !round.has(mesh.edges()[e][0] as usize))
            .filter_map(|e| edge(mesh, &topology, &faces, &corner_of_vertex, e))
            .collect();
        mark_bends(&mut edges, &corners);
        let mut bounds = mesh.bounds();
        let planes: Vec<_> = faces.iter().map(|face| (face.normal, face.offset)).collect();
        let (fine, fine_of) = if solid { round::balls(mesh, &planes) } else { (Vec::new(), Vec::new()) };
        // Fine pictures of round parts are found as spheres, too.
        let is_new = |ball: &Ball| !round.balls.iter().any(|known| known.is_about(ball));
        let fine_balls: Vec<Ball> = fine.iter().copied().filter(is_new).collect();
        let is_in = |v: usize| round.has(v) || fine_of.get(v).is_some_and(Option::is_some);
        let balls = [&round.balls[..], &fine_balls].concat();
        for (face, triangle) in faces.iter_mut().zip(mesh.triangles()) {
            face.in_ball = is_in(triangle[0] as usize);
            face.in_picture = round.has(triangle[0] as usize);
        }
        for (v, corner) in corner_of_vertex.iter().enumerate() {
            let Some(corner) = corner.map(|corner| corner as usize) else { continue };
            corners[corner].in_ball = is_in(v);
            if solid && !corners[corner].in_ball {
                let supports = |direction: &Vec3| corners[corner].supports(direction);
                corners[corner].circle = round::circle(mesh, &topology, v, supports);
            }
        }
        for edge in &mut edges {
            let corner = edge.corners.into_iter().flatten().next();
            edge.in_ball = corner.is_some_and(|corner| corners[corner as usize].in_ball);
        }
        if solid {
            for ball in &balls {
                bounds = bounds.union(&Aabb::new(ball.center, ball.center).grow(ball.radius));
            }
            let circles = corners.iter().filter_map(|corner| corner.circle);
            bounds = bounds.grow(circles.map(|circle| circle.sagitta()).fold(0.0, f64::max));
        }
        Self {
            is_round: !balls.is_empty() && faces.iter().all(|face| face.in_ball),
            balls,
            n_round: round.balls.len(),
            rods: round.rods,
            bounds,
            radius: mesh.vertices().iter().map(Vec3::norm).fold(0.0, f64::max),
            grain: grain(&edges),
            is_convex: solid && mesh.is_convex(),
            thickness: if solid { mesh.bounds().extent().min() } else { 0.0 },
            face_tree: tree(faces.iter().map(|f| Aabb::of_points(&f.corners))),
            corner_tree: tree(corners.iter().map(|c| Aabb::new(c.position, c.position))),
            edge_tree: tree(edges.iter().map(|e| Aabb::of_points(&e.ends))),
            faces,
            corners,
            edges,
        }
    }
}

fn grain(edges: &[Edge]) -> f64 {
    let total: f64 = edges.iter().map(|e| e.length).sum();
    if edges.is_empty() { f64::INFINITY } else { total / edges.len() as f64 }
}

fn tree(boxes: impl Iterator<Item = Aabb>) -> Bvh {
    Bvh::new(&boxes.collect::<Vec<_>>()).expect("a mesh has finite vertices")
}

fn face(mesh: &Mesh, triangle: usize, solid: bool) -> Face {
    let normal = mesh.area_vector(triangle).normalize();
    Face::new(mesh.corners(triangle), normal, solid)
}

fn mark_hollow_edges(mesh: &Mesh, topology: &Topology, faces: &mut [Face]) {
    for t in 0..faces.len() {
        faces[t].hollow = topology.edges_of_triangle(t).map(|e| {
            let ends = mesh.ends(e as usize);
            let mut others =
                topology.triangles_of_edge(e as usize).iter().filter(|&&other| other as usize != t);
            faces[t].solid
                && others
                    .any(|&other| side(&ends, &faces[other as usize]).inwards.dot(&faces[t].normal) > FLAT)
        });
    }
}

/// Returns the edge with its sides, unless it is flat or concave.
fn edge(
    mesh: &Mesh,
    topology: &Topology,
    faces: &[Face],
    corner_of_vertex: &[Option<u32>],
    e: usize,
) -> Option<Edge> {
    let ends = mesh.ends(e);
    let length = (ends[1] - ends[0]).norm();
    let direction = (ends[1] - ends[0]) / length;
    let corners = mesh.edges()[e].map(|v| corner_of_vertex[v as usize]);
    let sides: Vec<Side> =
        topology.triangles_of_edge(e).iter().map(|&t| side(&ends, &faces[t as usize])).collect();
    let is_edgeless = |a: &Side, b: &Side| {
        let rise = a.inwards.dot(&b.normal);
        if faces[0].solid { rise > -FLAT } else { rise.abs() <= FLAT }
    };
    let outside = match sides.as_slice() {
        [a, b] if is_edgeless(a, b) => return None,
        [a, b] => Some(-(a.inwards + b.inwards).normalize()),
        _ => None,
    };
    Some(Edge { ends, direction, length, corners, bends: [false; 2], sides, outside, in_ball: false })
}

/// Marks the ends beyond which the body may rise above an edge.
fn mark_bends(edges: &mut [Edge], corners: &[Corner]) {
    for edge in edges {
        edge.bends = [0, 1].map(|end| match &edge.outside {
            Some(outside) => edge.rises_beyond(end, outside, corners),
            // The outward direction depends on the touching feature.
            None => edge.neighbours_beyond(end, corners).any(|t| t.cross(&edge.direction).norm() > FLAT),
        });
    }
}

fn side(ends: &[Vec3; 2], face: &Face) -> Side {
    let along = (ends[1] - ends[0]).normalize();
    let centroid = (face.corners[0] + face.corners[1] + face.corners[2]) / 3.0;
    let across = face.normal.cross(&along);
    let inwards = if across.dot(&(centroid - ends[0])) >= 0.0 { across } else { -across };
    Side { normal: face.normal, inwards }
}

/// Returns the vertex with its neighbours, unless all its triangles are coplanar and surround it.
fn corner(mesh: &Mesh, topology: &Topology, faces: &[Face], v: usize) -> Option<Corner> {
    let position = mesh.vertices()[v];
    let triangles = topology.triangles_of_vertex(v);
    let is_interior =
        topology.edges_of_vertex(v).iter().all(|&e| topology.triangles_of_edge(e as usize).len() == 2);
    let is_flat = triangles
        .split_first()
        .is_some_and(|(t0, rest)| rest.iter().all(|&t| parallel(&faces[*t0 as usize], &faces[t as usize])));
    if is_interior && is_flat {
        return None;
    }
    let towards = topology
        .edges_of_vertex(v)
        .iter()
        .flat_map(|&e| mesh.edges()[e as usize])
        .filter(|&w| w as usize != v)
        .map(|w| (mesh.vertices()[w as usize] - position).normalize())
        .collect();
    let angled = |&t: &u32| {
        let triangle = mesh.triangles()[t as usize].map(|w| w as usize);
        let mut sides =
            triangle.iter().filter(|&&w| w != v).map(|&w| (mesh.vertices()[w] - position).normalize());
        let (Some(p), Some(q)) = (sides.next(), sides.next()) else { return Vec3::zeros() };
        elementary::acos(p.dot(&q).clamp(-1.0, 1.0)) * faces[t as usize].normal
    };
    let normals: Vec3 = triangles.iter().map(angled).sum();
    let outside = normals.try_normalize(FLAT).filter(|_| faces.first().is_some_and(|face| face.solid));
    Some(Corner { position, towards, outside, circle: None, in_ball: false })
}

fn parallel(a: &Face, b: &Face) -> bool {
    a.normal.dot(&b.normal) > 0.0 && a.normal.cross(&b.normal).norm() <= FLAT
}

/// Features of each body of a scene; equal meshes share them.
#[derive(Debug, Default)]
pub struct FeatureCache {
    solids: Vec<Solid>,
    features: Vec<Arc<Features>>,
}

/// What the features of a body depend on: its mesh, and its round parts.
#[derive(Debug, Clone, PartialEq)]
struct Solid {
    mesh: Arc<Mesh>,
    round: Vec<Part>,
}

impl Solid {
    fn of(body: &Body) -> Self {
        let round = body.parts.iter().filter(|part| part.kind.is_round()).cloned().collect();
        Self { mesh: Arc::clone(&body.mesh), round }
    }

    /// Returns whether the body is this solid, with the same mesh in memory.
    fn is_of(&self, body: &Body) -> bool {
        let round = || body.parts.iter().filter(|part| part.kind.is_round());
        Arc::ptr_eq(&self.mesh, &body.mesh) && self.round.iter().eq(round())
    }
}

impl FeatureCache {
    /// Prepares the features of `scene`; returns `false` if they were current already.
    pub fn prepare(&mut self, scene: &Scene) -> bool {
        let same = self.solids.len() == scene.bodies.len()
            && self.solids.iter().zip(&scene.bodies).all(|(solid, body)| solid.is_of(body));
        if same {
            return false;
        }
        self.solids = scene.bodies.iter().map(Solid::of).collect();
        let mut features: Vec<Arc<Features>> = Vec::with_capacity(self.solids.len());
        for (i, body) in scene.bodies.iter().enumerate() {
            let seen = self.solids[..i].iter().rposition(|of| of.is_of(body) || *of == self.solids[i]);
            let of_body = match seen {
                Some(j) => Arc::clone(&features[j]),
                None => Arc::new(Features::of_body(body)),
            };
            features.push(of_body);
        }
        self.features = features;
        true
    }

    /// Returns the features of body `i`.
    pub fn of(&self, i: usize) -> &Features {
        &self.features[i]
    }
}

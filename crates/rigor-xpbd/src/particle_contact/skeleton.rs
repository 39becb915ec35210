//! Edges and vertices of a body's mesh that can touch the surface of a soft body.

use std::sync::Arc;

use rigor_geometry::{Aabb, Bvh, Mesh, topology};
use rigor_math::Vec3;
use rigor_scene::Scene;

/// Angle (rad) between normals below which faces count as coplanar.
const FLAT: f64 = 1e-4;
/// sin 3°: maximum rise of the surface around a feature above a plane that it supports.
const RISE: f64 = 0.052;

/// An edge or a vertex, in the body's frame.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SkeletonFeature {
    /// Both ends of an edge, or one vertex twice (m).
    pub ends: [Vec3; 2],
    /// Unit vectors along the surface, away from the feature.
    around: Vec<Vec3>,
    /// Normalised sum of the normals of its faces; `None` if the mesh has no inside.
    pub outwards: Option<Vec3>,
}

impl SkeletonFeature {
    /// Returns whichever of ±`n` points outwards, if the feature supports a plane with this normal. Without
    /// an inside every plane is supported.
    pub fn supported(&self, n: &Vec3) -> Option<Vec3> {
        let Some(outwards) = self.outwards else { return Some(*n) };
        let n = if n.dot(&outwards) < 0.0 { -n } else { *n };
        self.around.iter().all(|along| along.dot(&n) <= RISE).then_some(n)
    }
}

/// Features with a tree of their boxes.
#[derive(Debug)]
pub(super) struct SkeletonFeatures {
    pub features: Vec<SkeletonFeature>,
    pub tree: Bvh,
}

impl SkeletonFeatures {
    fn new(features: Vec<SkeletonFeature>) -> Self {
        let boxes: Vec<Aabb> = features.iter().map(|f| Aabb::of_points(&f.ends)).collect();
        Self { features, tree: Bvh::new(&boxes).expect("the vertices of a mesh are finite") }
    }
}

/// Contact features of one mesh.
#[derive(Debug)]
pub(super) struct Skeleton {
    mesh: Arc<Mesh>,
    /// Shortest edge (m) of the box around a solid in its principal frame; 0 without an inside.
    pub thickness: f64,
    pub edges: SkeletonFeatures,
    pub vertices: SkeletonFeatures,
}

impl Skeleton {
    fn new(mesh: &Arc<Mesh>) -> Self {
        use topology::Surface::{Closed, NonManifold};
        let is_solid = matches!(mesh.surface(), Closed | NonManifold { balanced: true, .. });
        let edges = SkeletonFeatures::new(edges(mesh, is_solid));
        let vertices = SkeletonFeatures::new(vertices(mesh, is_solid));
        let bounds = mesh.bounds();
        let thickness = if is_solid { (bounds.max - bounds.min).min() } else { 0.0 };
        Self { vertices, edges, thickness, mesh: Arc::clone(mesh) }
    }
}

/// Skeletons of a scene's bodies; equal meshes share theirs.
#[derive(Debug, Default)]
pub(super) struct Skeletons {
    skeletons: Vec<Skeleton>,
    of_body: Vec<usize>,
}

impl Skeletons {
    /// Prepares the skeletons of `scene`, reusing existing ones.
    pub fn prepare(&mut self, scene: &Scene) {
        let is_known =
            |(i, body): (&usize, &rigor_scene::Body)| Arc::ptr_eq(&self.skeletons[*i].mesh, &body.mesh);
        if self.of_body.len() == scene.bodies.len() && self.of_body.iter().zip(&scene.bodies).all(is_known) {
            return;
        }
        self.of_body.clear();
        for body in &scene.bodies {
            let known = self.skeletons.iter().position(|s| Arc::ptr_eq(&s.mesh, &body.mesh));
            self.of_body.push(known.unwrap_or_else(|| {
                self.skeletons.push(Skeleton::new(&body.mesh));
                self.skeletons.len() - 1
            }));
        }
    }

    pub fn of_body(&self, body: usize) -> &Skeleton {
        &self.skeletons[self.of_body[body]]
    }
}

fn unit(v: Vec3) -> Vec3 {
    v.try_normalize(0.0).unwrap_or_else(Vec3::zeros)
}

/// Returns the wires, and the edges that are neither flat nor, in a solid, concave.
fn edges(mesh: &Mesh, is_solid: bool) -> Vec<SkeletonFeature> {
    let topology = mesh.topology();
    let n_edges = mesh.triangle_edges().len();
    let mut found = Vec::new();
    for e in 0..n_edges {
        let ends = mesh.ends(e);
        let along = unit(ends[1] - ends[0]);
        let triangles = topology.triangles_of_edge(e);
        let normals: Vec<Vec3> = triangles.iter().map(|t| unit(mesh.area_vector(*t as usize))).collect();
        let away = |t: &u32| {
            let corners = mesh.corners(*t as usize);
            let far = corners.iter().map(|p| p - ends[0]).map(|d| d - along * d.dot(&along));
            unit(far.max_by(|a, b| a.norm_squared().total_cmp(&b.norm_squared())).unwrap_or_else(Vec3::zeros))
        };
        let around: Vec<Vec3> = triangles.iter().map(away).collect();
        if let ([a, b], [_, to_b]) = (&normals[..], &around[..]) {
            let is_flat = a.cross(b).norm() < FLAT && a.dot(b) > 0.0;
            if is_flat || (is_solid && to_b.dot(a) > 0.0) {
                continue;
            }
        }
        let outwards = is_solid.then(|| unit(normals.iter().sum()));
        found.push(SkeletonFeature { ends, around, outwards });
    }
    let wires = mesh.wires().iter().map(|wire| wire.map(|v| mesh.vertices()[v as usize]));
    found.extend(wires.map(|ends| SkeletonFeature { ends, around: Vec::new(), outwards: None }));
    found
}

/// Returns the isolated points, and the vertices that are not interior to a plane.
fn vertices(mesh: &Mesh, is_solid: bool) -> Vec<SkeletonFeature> {
    let topology = mesh.topology();
    let mut found = Vec::new();
    for (v, place) in mesh.vertices().iter().enumerate() {
        let triangles = topology.triangles_of_vertex(v);
        let normals: Vec<Vec3> = triangles.iter().map(|t| unit(mesh.area_vector(*t as usize))).collect();
        let is_flat = |n: &Vec3| n.cross(&normals[0]).norm() < FLAT && n.dot(&normals[0]) > 0.0;
        let edges = topology.edges_of_vertex(v);
        let is_inside_a_plane = !normals.is_empty()
            && normals.iter().all(is_flat)
            && edges.iter().all(|e| topology.triangles_of_edge(*e as usize).len() == 2);
        if is_inside_a_plane {
            continue;
        }
        let other = |e: &u32| mesh.ends(*e as usize).map(|p| p - place);
        let far = |[a, b]: [Vec3; 2]| if a.norm_squared() > b.norm_squared() { a } else { b };
        let around = edges.iter().map(other).map(far).map(unit).collect();
        let outwards = (is_solid && !normals.is_empty()).then(|| unit(normals.iter().sum()));
        found.push(SkeletonFeature { ends: [*place; 2], around, outwards });
    }
    found
}

#[cfg(test)]
mod tests {
    use rigor_shapes::Cuboid;

    use super::*;

    #[test]
    fn a_cuboid_has_twelve_edges_and_eight_vertices_however_it_is_cut() {
        for segments in [1, 2] {
            let mesh = Cuboid { size: Vec3::repeat(2.0), segments: [segments; 3] }.mesh().unwrap();
            let skeleton = Skeleton::new(&Arc::new(mesh));
            let n = segments as usize;
            assert_eq!(skeleton.edges.features.len(), 12 * n);
            // Vertices in the interior of an edge remain.
            assert_eq!(skeleton.vertices.features.len(), 8 + 12 * (n - 1));
        }
    }

    #[test]
    fn an_edge_supports_what_lies_between_its_faces() {
        let skeleton = Skeleton::new(&Arc::new(Cuboid::new(Vec3::repeat(2.0)).mesh().unwrap()));
        let is_top = |f: &&SkeletonFeature| f.ends.iter().all(|p| p.x > 0.0 && p.y > 0.0);
        let edge = skeleton.edges.features.iter().find(is_top).unwrap();
        let diagonal = Vec3::new(1.0, 1.0, 0.0).normalize();
        assert_eq!(edge.supported(&-diagonal), Some(diagonal));
        assert_eq!(edge.supported(&Vec3::y()), Some(Vec3::y()));
        assert_eq!(edge.supported(&Vec3::new(-0.6, 0.8, 0.0)), None);
    }
}

//! Surfaces of convex bodies as the device has them.

use rigor_contact::feature::{Edge, Features};
use rigor_gpu::Bytes;

/// Bytes of four numbers.
const GROUP: usize = 16;
/// No corner.
const NONE: u32 = u32::MAX;

/// Places of the features of a body, as `detect.wgsl` has them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shape {
    faces: [u32; 2],
    corners: [u32; 2],
    edges: [u32; 2],
    /// Radius about the centre of mass, and smallest side of the bounding box (m).
    pub radius: f64,
    thickness: f64,
}

impl Shape {
    /// Adds `features` to `all`, the groups of four numbers of all shapes.
    pub fn new(features: &Features, all: &mut Bytes) -> Self {
        let place = |all: &Bytes| (all.0.len() / GROUP) as u32;
        let faces = place(all);
        for face in &features.faces {
            all.vector(&face.normal, face.offset);
            for (outwards, offset) in &face.rims {
                all.vector(outwards, *offset);
            }
            all.floats([face.length, 0.0, 0.0, 0.0]);
        }
        let corners = place(all);
        let mut towards = corners + 2 * features.corners.len() as u32;
        for corner in &features.corners {
            let end = towards + corner.towards.len() as u32;
            all.vector(&corner.position, 0.0);
            all.integers([towards, end, 0, 0]);
            towards = end;
        }
        for direction in features.corners.iter().flat_map(|corner| &corner.towards) {
            all.vector(direction, 0.0);
        }
        let edges = place(all);
        let convex: Vec<&Edge> = features.edges.iter().filter(|edge| edge.sides.len() == 2).collect();
        convex.iter().for_each(|edge| add_edge(edge, all));
        Self {
            faces: [faces, features.faces.len() as u32],
            corners: [corners, features.corners.len() as u32],
            edges: [edges, convex.len() as u32],
            radius: features.radius,
            thickness: features.thickness,
        }
    }

    /// Adds the places to `bytes`.
    pub fn write(&self, bytes: &mut Bytes) {
        bytes.integers(self.faces);
        bytes.integers(self.corners);
        bytes.integers(self.edges);
        bytes.floats([self.radius, self.thickness]);
    }
}

fn add_edge(edge: &Edge, all: &mut Bytes) {
    let [first, second] = [edge.sides[0], edge.sides[1]];
    all.vector(&edge.ends[0], edge.length);
    all.vector(&edge.ends[1], 0.0);
    all.vector(&edge.direction, 0.0);
    all.vector(&edge.outside.unwrap_or_default(), 0.0);
    all.vector(&first.normal, first.inwards.x);
    all.vector(&second.normal, first.inwards.y);
    all.floats([first.inwards.z, second.inwards.x, second.inwards.y, second.inwards.z]);
    let [a, b] = edge.corners.map(|corner| corner.unwrap_or(NONE));
    all.integers([a, b, 0, 0]);
}

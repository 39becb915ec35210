//! CollectCollisionPairs: which features of which bodies may touch during a step.

use rigor_geometry::distance::edge_edge;
use rigor_geometry::{Aabb, Bvh};
use rigor_math::{Pose, Vec3};
use rigor_scene::{Body, BodyId, BodyState, Friction, Scene, State, StepError};

use crate::config::Config;
use crate::contact::Contact;
use crate::feature::{Face, FeatureCache, Features};
use crate::report::Pushed;

/// How deep an overlap may stay, as a fraction of the smaller body's radius: far below what can be seen, far above what
/// the second-order error of a free impact leaves.
const SLOP: f64 = 1e-4;

/// Two bodies that may touch in this step, with the features that may.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    /// The body that contact pushes along the normal.
    pub a: BodyId,
    /// The body that it pushes against.
    pub b: BodyId,
    pub friction: Friction,
    pub restitution: f64,
    /// How deep (m) an overlap is still taken for contact.
    pub depth: f64,
    /// How far apart (m) features are still watched within a substep.
    pub reach: f64,
    /// How deep (m) an overlap may stay.
    pub slop: f64,
    /// Corners of a against faces of b.
    pub corners_a: Vec<CornerFace>,
    /// Corners of b against faces of a.
    pub corners_b: Vec<CornerFace>,
    pub edges: Vec<EdgeEdge>,
    /// Contacts of the current substep.
    pub contacts: Vec<Contact>,
    /// Those of the substep before.
    pub contacts_prev: Vec<Contact>,
    /// What has pushed so far in this step.
    pub pushed: Vec<Pushed>,
}

/// A corner of one body against a face of the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CornerFace {
    pub corner: u32,
    pub face: u32,
    /// Whether the face's back is its outside here: a sheet met from behind.
    pub flipped: bool,
}

/// An edge of a against an edge of b.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EdgeEdge {
    pub edge_a: u32,
    pub edge_b: u32,
    /// From b to a in b's frame at the start of the step: which way is out where the edges alone do not tell.
    pub apart: Vec3,
}

/// Finds the pairs of bodies whose boxes, grown by k Δt ‖v‖, overlap, and their features that may touch.
///
/// Source: [Mueller2020] §3.4. The speed of a body is taken as that of its fastest point, with gravity's gain over
/// the step: ‖v‖ + r ‖ω‖ + Δt ‖g‖.
pub(crate) fn collect_collision_pairs(
    scene: &Scene,
    state: &State,
    dt: f64,
    config: &Config,
    features: &FeatureCache,
    pairs: &mut Vec<Pair>,
) -> Result<(), StepError> {
    let travel: Vec<f64> = scene
        .bodies
        .iter()
        .zip(&state.bodies)
        .map(|(body, now)| config.safety * dt * fastest(scene, body, now, state.time, dt))
        .collect();
    let boxes: Vec<Aabb> = (0..scene.bodies.len())
        .map(|i| features.of(i).bounds.transformed(&state.bodies[i].pose).grow(travel[i]))
        .collect();
    pairs.clear();
    for [a, b] in tree_of_bodies(scene, &boxes)?.overlapping_pairs() {
        let (a, b) = (BodyId(a as usize), BodyId(b as usize));
        if scene.can_collide(a, b) {
            let mut pair = Pair::new(scene, a, b, travel[a.0] + travel[b.0], config);
            pair.collect_features(state, features);
            if !pair.is_empty() {
                pairs.push(pair);
            }
        }
    }
    Ok(())
}

fn tree_of_bodies(scene: &Scene, boxes: &[Aabb]) -> Result<Bvh, StepError> {
    Bvh::new(boxes).map_err(|error| StepError::Failed {
        what: format!("the motion of {:?} has no finite bounds: {error}", scene.bodies[error.index].name),
        bodies: vec![BodyId(error.index)],
    })
}

/// The speed (m/s) of the fastest point of `body` during the step.
fn fastest(scene: &Scene, body: &Body, now: &BodyState, time: f64, dt: f64) -> f64 {
    let speed = |s: &BodyState| s.linear_velocity.norm() + body.radius * s.angular_velocity.norm();
    match body.prescribed(time + dt) {
        Some(then) => speed(&then),
        None => speed(now) + dt * (scene.gravity.norm() + body.force.norm() / body.mass),
    }
}

impl Pair {
    fn new(scene: &Scene, a: BodyId, b: BodyId, travel: f64, config: &Config) -> Self {
        let radius = scene.bodies[a.0].radius.min(scene.bodies[b.0].radius);
        let depth = travel + config.overlap * radius;
        Self {
            a,
            b,
            friction: scene.friction_between(a, b),
            restitution: scene.restitution_between(a, b),
            depth,
            reach: depth / f64::from(config.substeps),
            slop: SLOP * radius,
            corners_a: Vec::new(),
            corners_b: Vec::new(),
            edges: Vec::new(),
            contacts: Vec::new(),
            contacts_prev: Vec::new(),
            pushed: Vec::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.corners_a.is_empty() && self.corners_b.is_empty() && self.edges.is_empty()
    }

    fn collect_features(&mut self, state: &State, features: &FeatureCache) {
        let margin = self.depth;
        let (pose_a, pose_b) = (&state.bodies[self.a.0].pose, &state.bodies[self.b.0].pose);
        let (a, b) = (features.of(self.a.0), features.of(self.b.0));
        let (a_in_b, b_in_a) = (pose_a.relative_to(pose_b), pose_b.relative_to(pose_a));
        collect_corners(a, b, &a_in_b, margin, &mut self.corners_a);
        collect_corners(b, a, &b_in_a, margin, &mut self.corners_b);
        collect_edges(a, b, &a_in_b, margin, &mut self.edges);
    }
}

/// Corners of `a` within `margin` of faces of `b`, corner by corner; `a_in_b` places a's frame in b's.
fn collect_corners(a: &Features, b: &Features, a_in_b: &Pose, margin: f64, found: &mut Vec<CornerFace>) {
    let near = b.face_tree.overlapping_pairs_posed(&a.corner_tree, a_in_b, margin);
    found.extend(near.into_iter().map(|[face, corner]| {
        let Face { normal, offset, solid, .. } = &b.faces[face as usize];
        let flipped = !solid && normal.dot(&a_in_b.position) < *offset;
        CornerFace { corner, face, flipped }
    }));
    found.sort_unstable_by_key(|c| (c.corner, c.face));
}

/// Edges of `a` within `margin` of edges of `b`.
fn collect_edges(a: &Features, b: &Features, a_in_b: &Pose, margin: f64, found: &mut Vec<EdgeEdge>) {
    let near = b.edge_tree.overlapping_pairs_posed(&a.edge_tree, a_in_b, margin);
    found.extend(near.into_iter().map(|[edge_b, edge_a]| {
        let [p, q] = a.edges[edge_a as usize].ends.map(|x| a_in_b.point(&x));
        let [r, s] = &b.edges[edge_b as usize].ends;
        EdgeEdge { edge_a, edge_b, apart: edge_edge::closest(&p, &q, r, s).separation }
    }));
}

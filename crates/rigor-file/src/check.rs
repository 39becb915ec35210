//! Detection of bodies and particles that touch or intersect at time 0, and of settings that no method reads.

mod depth;
mod round;
mod start;

use std::fmt;
use std::path::Path;

use rigor_geometry::intersection::containment::{Containment, containment};
use rigor_geometry::intersection::{Relation, mesh_mesh};
use rigor_geometry::{Aabb, Bvh, Mesh};
use rigor_math::Vec3;

use rigor_scene::body::{Body, BodyId};
use rigor_scene::part::{Part, PartKind};
use rigor_scene::scene::Scene;

pub use start::particle_faults;

use super::closest::closest;
use super::error::{Finding, Warning};

/// Maximum number of reported pairs; the search then stops.
pub const MAX_FOUND: usize = 1000;

/// Two bodies with common points at time 0.
#[derive(Debug, Clone, PartialEq)]
pub struct InitialIntersection {
    /// The first body, and its name.
    pub body_a: (BodyId, String),
    /// The second body, and its name.
    pub body_b: (BodyId, String),
    /// The kind of contact between them.
    pub kind: Meeting,
    /// A point near a common point (m, world).
    pub near_world: Vec3,
    /// A lower bound on the greatest depth (m) of a point of one body inside the other; 0 if no such point was found.
    pub depth: f64,
}

/// The kind of contact between two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meeting {
    /// They touch at distance 0 without crossing.
    Touching,
    /// Their surfaces cross, or their volumes overlap.
    Crossing,
    /// One is entirely inside the other.
    Inside,
}

impl fmt::Display for InitialIntersection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.kind {
            Meeting::Touching => "touch",
            Meeting::Crossing => "intersect",
            Meeting::Inside => "are one inside the other",
        };
        let p = self.near_world;
        write!(
            f,
            "`{}` and `{}` {verb} at the start, near ({:.6}, {:.6}, {:.6})",
            self.body_a.1, self.body_b.1, p.x, p.y, p.z
        )?;
        if self.depth > 0.0 { write!(f, ", {:.3e} m deep or more", self.depth) } else { Ok(()) }
    }
}

/// Returns the pairs of bodies that may collide and have common points at time 0, in ascending order; at most
/// [`MAX_FOUND`].
///
/// The tests are exact for the world coordinates of the vertices, which are rounded once; of round parts, for their centres and axes, with distances
/// up to rounding.
pub fn initial_intersections(scene: &Scene) -> Vec<InitialIntersection> {
    let around = |body: &Body| Placed::new(body).mesh.bounds().grow(body.skeleton.max_offset());
    let bounds: Vec<Aabb> = scene.bodies.iter().map(around).collect();
    let Ok(tree) = Bvh::new(&bounds) else { return Vec::new() };
    let is_dynamic = |id: &BodyId| scene.bodies[id.0].is_dynamic();
    let pairs = scene.body_ids().filter(is_dynamic).flat_map(|a| {
        let near = tree.overlapping(&bounds[a.0]).into_iter().map(|b| BodyId(b as usize));
        // A pair of dynamic bodies is reported from the first one only.
        near.filter(move |b| a < *b || !is_dynamic(b)).map(move |b| (a.min(b), a.max(b)))
    });
    let meeting = |(a, b): (BodyId, BodyId)| {
        let bodies = [a, b].map(|id| &scene.bodies[id.0]);
        let placed = bodies.map(Placed::new);
        let overlap = round::overlap(bodies);
        let met = placed[0].meets(&placed[1]);
        let of_round = overlap
            .map(|(depth, near)| (if depth > 0.0 { Meeting::Crossing } else { Meeting::Touching }, near));
        let (kind, near_world) = met.or(of_round)?;
        let depth = depth::between(&placed[0].mesh, &placed[1].mesh);
        let depth = overlap.map_or(depth, |(of_round, _)| depth.max(of_round));
        // Equal boxes that overlap along a common axis merely touch with their surfaces.
        let kind = if kind == Meeting::Touching && depth > 0.0 { Meeting::Crossing } else { kind };
        let [body_a, body_b] = [a, b].map(|id| (id, scene.bodies[id.0].name.clone()));
        Some(InitialIntersection { body_a, body_b, kind, near_world, depth })
    };
    let colliding = pairs.filter(|(a, b)| scene.can_collide(*a, *b));
    let mut found: Vec<_> = colliding.filter_map(meeting).take(MAX_FOUND).collect();
    found.sort_by_key(|meeting| (meeting.body_a.0, meeting.body_b.0));
    found
}

/// Returns warnings about the settings of `scene`, read from `file`, under names that are misspelt: no method of
/// the names `known` reads them.
///
/// A name that resembles no known method is accepted: it may belong to a method of another program.
///
/// ```
/// use rigor_file::check::misspelt_methods;
/// use rigor_scene::{Scene, Settings};
/// let scene = Scene { methods: [("xpdb".into(), Settings::new())].into(), ..Scene::default() };
/// let found = misspelt_methods("scene.toml", &scene, ["xpbd", "ipc"]);
/// assert_eq!(found[0].help.as_deref(), Some("did you mean `xpbd`?"));
/// assert!(misspelt_methods("scene.toml", &scene, ["free"]).is_empty());
/// ```
pub fn misspelt_methods<'a>(
    file: impl AsRef<Path>,
    scene: &Scene,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> Vec<Warning> {
    let slip = |name: &String| {
        let meant = closest(name, known.clone())?;
        let message = format!("there is no method `{name}`: its settings are not used");
        let warning = Finding::of_file(&file, message).with_key(format!("method.{name}"));
        Some(warning.with_help(format!("did you mean `{meant}`?")))
    };
    let is_unknown = |name: &&String| known.clone().into_iter().all(|method| method != name.as_str());
    scene.methods.keys().filter(is_unknown).filter_map(slip).collect()
}

/// Returns how many vertices a part has in the skeleton of its body.
fn n_vertices(part: &Part) -> usize {
    match part.kind {
        PartKind::Ball { .. } => 1,
        PartKind::Capsule { .. } => 2,
        PartKind::Box { .. } | PartKind::Convex | PartKind::Concave => part.vertices.len(),
    }
}

/// A body's skeleton in the world at time 0.
struct Placed {
    mesh: Mesh,
    /// The first vertex of each part.
    starts: Vec<usize>,
}

impl Placed {
    fn new(body: &Body) -> Self {
        let mut next = 0;
        let start = |part: &Part| {
            let start = next;
            next += n_vertices(part);
            start
        };
        let starts = body.parts.iter().map(start).collect();
        Self { mesh: body.skeleton.mesh.map_vertices(|v| body.initial.pose.point(v)), starts }
    }

    fn meets(&self, other: &Self) -> Option<(Meeting, Vec3)> {
        self.meets_at_surface(other).or_else(|| self.is_inside(other)).or_else(|| other.is_inside(self))
    }

    fn meets_at_surface(&self, other: &Self) -> Option<(Meeting, Vec3)> {
        let (contact, near) = mesh_mesh::contact(&self.mesh, &other.mesh)?;
        let kind = if contact == Relation::Crossing { Meeting::Crossing } else { Meeting::Touching };
        Some((kind, near))
    }

    /// Returns a point of this body inside `solid`, if a part is; their surfaces must not meet.
    fn is_inside(&self, solid: &Self) -> Option<(Meeting, Vec3)> {
        if !solid.mesh.is_closed() {
            return None;
        }
        let inside =
            |p: &Vec3| containment(p, solid.mesh.vertices(), solid.mesh.triangles()) == Containment::Inside;
        let start = self.starts.iter().map(|start| self.mesh.vertices()[*start]).find(inside)?;
        Some((Meeting::Inside, start))
    }
}

//! Notices about what the scene requests and the engine ignores or replaces.

use rigor_scene::{Body, Notice, Part, PartKind, Scene};

use super::capabilities::{Capabilities, Decomposition, OpenSurface, Surface};
use super::coefficient::{Chosen, Mismatch};
use super::config::{Concave, Config};
use super::load::{dynamic_friction, is_open, restitution};

/// Lists everything that the engine ignores or replaces.
pub(super) fn notices(scene: &Scene, can: &Capabilities, config: &Config) -> Vec<Notice> {
    let all = [
        static_friction(scene, can),
        mismatch(scene, "friction", &dynamic_friction(scene, can), can.friction.name()),
        no_restitution(scene, can),
        can.restitution
            .and_then(|rule| mismatch(scene, "restitution", &restitution(scene, can), rule.name())),
        concave(scene, can, config),
        round(scene, can),
        many_edges(scene, can),
        open(scene, can),
        gyroscopic(scene, can),
        unread(can, config),
    ];
    all.into_iter().flatten().collect()
}

fn static_friction(scene: &Scene, can: &Capabilities) -> Option<Notice> {
    let differs = |body: &&Body| body.friction.static_ != body.friction.dynamic;
    let asked = scene.bodies.iter().filter(|_| !can.static_friction).filter(differs);
    let asked = asked.map(|body| (name(body), body.friction.static_));
    Notice::of_all("static friction", "1", asked, "the engine uses the dynamic coefficient for both")
}

/// The engine's rule of combination does not give the coefficients of the scene.
fn mismatch(scene: &Scene, what: &'static str, chosen: &Chosen, rule: &str) -> Option<Notice> {
    let Mismatch { bodies, asked, used } = chosen.worst?;
    let [a, b] = bodies.map(|id| &scene.bodies[id.0].name);
    let instead = format!("the engine combines coefficients by the {rule}, here {used}");
    Notice::of_all(what, "1", [(format!("{a:?} on {b:?}"), asked)], instead)
}

fn no_restitution(scene: &Scene, can: &Capabilities) -> Option<Notice> {
    let asked = scene.bodies.iter().filter(|body| can.restitution.is_none() && body.restitution > 0.0);
    let asked = asked.map(|body| (name(body), body.restitution));
    Notice::of_all("restitution", "1", asked, "the engine has no coefficient of restitution")
}

fn concave(scene: &Scene, can: &Capabilities, config: &Config) -> Option<Notice> {
    let is_replaced = |body: &&Body| {
        let surface = if body.is_dynamic() { can.dynamic_concave } else { can.static_concave };
        surface == Surface::Convex
            && body.parts.iter().any(|part| part.kind == PartKind::Concave && !is_open(body, part))
    };
    let instead = match (config.concave, can.decomposition) {
        (Concave::Pieces, Decomposition::Coacd) => "replaced by convex pieces (CoACD)",
        (Concave::Pieces, Decomposition::Vhacd) => "replaced by convex pieces (V-HACD)",
        (Concave::Hull, _) => "replaced by its convex hull",
    };
    Notice::of_named("concave surface", scene.bodies.iter().filter(is_replaced).map(name), instead)
}

/// Balls and capsules that the engine does not have.
fn round(scene: &Scene, can: &Capabilities) -> Option<Notice> {
    let is_replaced = |body: &&Body| body.parts.iter().any(|part| !can.has(&part.kind));
    let instead = "replaced by the convex polyhedron that shows it, which lies inside of it";
    Notice::of_named("round surface", scene.bodies.iter().filter(is_replaced).map(name), instead)
}

/// Convex polyhedra of triangles with n triangles have 3n/2 edges, some of which lie within a face.
fn many_edges(scene: &Scene, can: &Capabilities) -> Option<Notice> {
    let limit = can.convex_edges? as usize;
    let is_convex = |part: &Part| part.kind == PartKind::Convex || !can.has(&part.kind);
    let exceeds = |part: &Part| is_convex(part) && 3 * part.triangles.len() > 2 * limit;
    let asked = scene.bodies.iter().filter(|body| body.parts.iter().any(exceeds)).map(name);
    let instead = format!("replaced by a hull of fewer vertices where it has more than {limit} edges");
    Notice::of_named("convex surface", asked, &instead)
}

fn open(scene: &Scene, can: &Capabilities) -> Option<Notice> {
    let is_replaced = |body: &&Body| {
        can.static_open == OpenSurface::Slab && body.parts.iter().any(|part| is_open(body, part))
    };
    let instead = "replaced by a slab of 1 m below it";
    Notice::of_named("open surface", scene.bodies.iter().filter(is_replaced).map(name), instead)
}

/// Bodies whose principal moments differ turn about changing axes.
fn gyroscopic(scene: &Scene, can: &Capabilities) -> Option<Notice> {
    let turns = |body: &&Body| {
        let [least, most] = [body.inertia.min(), body.inertia.max()];
        !can.gyroscopic && body.is_dynamic() && most - least > 1e-6 * most
    };
    let asked = scene.bodies.iter().filter(turns).map(name);
    Notice::of_named("gyroscopic torque", asked, "not simulated: a free body keeps its angular velocity")
}

/// The engine has contacts, and nobody asks for them.
fn unread(can: &Capabilities, config: &Config) -> Option<Notice> {
    let asked = (can.contact_forces && !config.contacts).then(|| "the engine".to_owned());
    Notice::of_named("contacts", asked, "not read, since the setting `contacts` is false")
}

fn name(body: &Body) -> String {
    format!("body {:?}", body.name)
}

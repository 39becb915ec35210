//! Contact reports from the impulses of the engine's solver.

use rapier3d_f64::geometry::{Collider, ContactManifold, ContactPair, NEW_CONTACT_BIT, PairContacts};
use rigor_math::Vec3;
use rigor_scene::{BodyId, ContactReport, Scene, State};

use super::config::{Config, Friction};
use super::pose::{from_engine, from_vector};
use super::world::World;

/// Returns the contacts that the solver used in the last step, sorted by body pair.
///
/// `normal_force` is the mean over the step. `friction_force_world` is the force of the step's last solver
/// iteration, the only one that the engine stores in world axes. In the simplified model a manifold's
/// friction is divided equally among its contacts, without its twist. The engine detects points and gaps at
/// the start of the step; the reports contain them moved with the bodies to its end.
pub(super) fn reports(
    world: &World,
    scene: &Scene,
    state: &State,
    dt: f64,
    config: &Config,
) -> Vec<ContactReport> {
    let mut contacts = Vec::new();
    for pair in world.engine.narrow_phase.contact_pairs() {
        let PairContacts::Rigid(rigid) = &pair.contacts else { continue };
        let Some(sides) = Sides::of(world, pair) else { continue };
        if !scene.can_collide(sides.id_1, sides.id_2) {
            continue;
        }
        for manifold in rigid.solver_manifolds() {
            contacts.extend(sides.manifold(manifold, state, dt, config));
        }
    }
    contacts.sort_by_key(|c| (c.body_a, c.body_b));
    contacts
}

/// The two colliders of a pair, and their bodies.
struct Sides<'a> {
    id_1: BodyId,
    id_2: BodyId,
    collider_1: &'a Collider,
    collider_2: &'a Collider,
}

impl<'a> Sides<'a> {
    fn of(world: &'a World, pair: &ContactPair) -> Option<Self> {
        let collider_1 = world.engine.colliders.get(pair.collider1)?;
        let collider_2 = world.engine.colliders.get(pair.collider2)?;
        let id_1 = world.id_of(collider_1.parent()?)?;
        let id_2 = world.id_of(collider_2.parent()?)?;
        Some(Self { id_1, id_2, collider_1, collider_2 })
    }

    /// Returns the reports of one manifold; a is the engine's second body, towards which its normal points.
    fn manifold(
        &self,
        manifold: &ContactManifold,
        state: &State,
        dt: f64,
        config: &Config,
    ) -> Vec<ContactReport> {
        let active = &manifold.data.solver_contacts;
        let share = match config.friction_model {
            Friction::Simplified => 1.0 / active.len() as f64,
            Friction::Coulomb => 1.0,
        };
        let substep = dt / f64::from(config.solver_iterations);
        let normal_world = from_vector(manifold.data.normal);
        let [bodies_1, bodies_2] = [self.id_1, self.id_2].map(|id| &state.bodies[id.0]);
        let report = |id: usize| {
            let point = manifold.points.get(id)?;
            let p_1 = on_surface(self.collider_1, manifold.subshape_pos1(), point.local_p1);
            let p_2 = on_surface(self.collider_2, manifold.subshape_pos2(), point.local_p2);
            let middle = 0.5 * (p_1 + p_2);
            let velocity = bodies_2.velocity_at(&middle) - bodies_1.velocity_at(&middle);
            let friction_on_1 = from_vector(point.data.warmstart_tangent_world) * (share / substep);
            Some(ContactReport {
                body_a: self.id_2,
                body_b: self.id_1,
                point_world: middle,
                normal_world,
                distance: (p_2 - p_1).dot(&normal_world),
                normal_force: point.data.impulse / dt,
                friction_force_world: -friction_on_1,
                slip_velocity_world: velocity - normal_world * velocity.dot(&normal_world),
                friction: (manifold.data.friction, manifold.data.friction),
            })
        };
        active.iter().filter_map(|c| report((c.contact_id[0] & !NEW_CONTACT_BIT) as usize)).collect()
    }
}

fn on_surface(
    collider: &Collider,
    subshape: Option<&rapier3d_f64::math::Pose>,
    local: rapier3d_f64::math::Vector,
) -> Vec3 {
    let local = subshape.map_or(local, |pose| pose * local);
    from_engine(collider.position()).point(&from_vector(local))
}

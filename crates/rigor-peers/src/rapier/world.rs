//! An engine world: construction from scene and state, and reading back.

use rapier3d_f64::dynamics::{LockedAxes, MassProperties, RigidBodyHandle};
use rapier3d_f64::geometry::SolverFlags;
use rapier3d_f64::math::{Rotation, Vector};
use rapier3d_f64::pipeline::{ActiveHooks, PairFilterContext, PhysicsHooks, PhysicsWorld};
use rapier3d_f64::prelude::{CoefficientCombineRule, Collider, RigidBody, RigidBodyBuilder};
use rigor_scene::{Body, BodyId, BodyState, CombineRule, Role, Scene, State, StepError};

use super::config::Config;
use super::pose::{from_engine, from_vector, to_engine, to_vector};
use super::{failed, joint, shape};
use crate::same_scene::same_scene;

/// An engine world and its origin.
pub(super) struct World {
    /// The world itself.
    pub(super) engine: PhysicsWorld,
    /// The engine's handle of each body of the scene.
    pub(super) handles: Vec<RigidBodyHandle>,
    /// The scene that it simulates.
    scene: Scene,
    /// The bodies after the last step: this world continues exactly the states that contain them.
    pub(super) bodies: Vec<BodyState>,
}

impl World {
    /// Builds a world for `scene` in `state`.
    pub(super) fn build(scene: &Scene, state: &State, config: &Config) -> Result<Self, StepError> {
        let mut engine = PhysicsWorld { gravity: to_vector(&scene.gravity), ..PhysicsWorld::default() };
        let mut handles = Vec::with_capacity(scene.bodies.len());
        for (id, now) in scene.body_ids().zip(&state.bodies) {
            let handle = engine.bodies.insert(rigid_body(scene, id, now, config));
            for collider in colliders(scene, id, config)? {
                engine.colliders.insert_with_parent(collider, handle, &mut engine.bodies);
            }
            handles.push(handle);
        }
        let ground = engine.bodies.insert(RigidBodyBuilder::fixed());
        for j in &scene.joints {
            let (a, b) = (handles[j.body_a.0], j.body_b.map_or(ground, |b| handles[b.0]));
            engine.impulse_joints.insert(b, a, joint::joint(j, config.joint_softness()), true);
        }
        Ok(Self::of(engine, handles, scene, state))
    }

    /// Wraps an existing engine world.
    pub(super) fn of(
        engine: PhysicsWorld,
        handles: Vec<RigidBodyHandle>,
        scene: &Scene,
        state: &State,
    ) -> Self {
        Self { engine, handles, scene: scene.clone(), bodies: state.bodies.clone() }
    }

    /// Returns whether this world's next step is the next step of `state` in `scene`.
    pub(super) fn continues(&self, scene: &Scene, state: &State) -> bool {
        self.follows(state) && same_scene(&self.scene, scene)
    }

    /// Returns whether the bodies of `state` are those after the last step.
    pub(super) fn follows(&self, state: &State) -> bool {
        self.bodies == state.bodies
    }

    /// Advances the engine by one step from `time` (s) to `time + dt`.
    pub(super) fn advance(&mut self, scene: &Scene, time: f64, dt: f64, config: &Config) {
        for (body, handle) in scene.bodies.iter().zip(&self.handles) {
            if let (Role::Kinematic(_), Some(goal)) = (&body.role, body.prescribed(time + dt)) {
                self.engine.bodies[*handle].set_next_kinematic_position(to_engine(&goal.pose));
            }
        }
        self.engine.integration_parameters = config.parameters(dt);
        self.engine.step_with_events(&PairFilter(scene), &());
    }

    /// Fails if the engine had to disable a body whose pose or velocity was no longer finite.
    pub(super) fn check(&self) -> Result<(), StepError> {
        let quarantine = self.engine.quarantine();
        if quarantine.is_empty() {
            return Ok(());
        }
        let bodies = quarantine.bodies().iter().filter_map(|h| self.id_of(*h)).collect();
        Err(failed("rapier found a pose or velocity that is not finite".to_owned(), bodies))
    }

    /// Writes the bodies after the step into `state`.
    pub(super) fn write(&mut self, scene: &Scene, state: &mut State, dt: f64) {
        let time = state.time + dt;
        for ((body, handle), now) in scene.bodies.iter().zip(&self.handles).zip(&mut state.bodies) {
            *now = body.prescribed(time).unwrap_or_else(|| read(&self.engine.bodies[*handle]));
        }
        self.bodies.clone_from(&state.bodies);
    }

    /// Returns the body of the scene for an engine handle; `None` for the world.
    pub(super) fn id_of(&self, handle: RigidBodyHandle) -> Option<BodyId> {
        let id = self.engine.bodies.get(handle)?.user_data as usize;
        self.handles.get(id).is_some_and(|h| *h == handle).then_some(BodyId(id))
    }
}

/// A filter that prevents contact between bodies that the scene keeps apart.
struct PairFilter<'a>(&'a Scene);

impl PhysicsHooks for PairFilter<'_> {
    fn filter_contact_pair(&self, context: &PairFilterContext) -> Option<SolverFlags> {
        let id =
            |handle: Option<RigidBodyHandle>| Some(BodyId(context.bodies.get(handle?)?.user_data as usize));
        let (a, b) = (id(context.rigid_body1)?, id(context.rigid_body2)?);
        self.0.can_collide(a, b).then_some(SolverFlags::COMPUTE_RIGID_IMPULSES)
    }
}

fn rigid_body(scene: &Scene, id: BodyId, now: &BodyState, config: &Config) -> RigidBody {
    let body = &scene.bodies[id.0];
    let builder = match body.role {
        Role::Static => RigidBodyBuilder::fixed(),
        Role::Kinematic(_) => RigidBodyBuilder::kinematic_position_based(),
        Role::Dynamic => RigidBodyBuilder::dynamic(),
    };
    let mut built = builder
        .pose(to_engine(&now.pose))
        .linvel(to_vector(&now.linear_velocity))
        .angvel(to_vector(&now.angular_velocity))
        .locked_axes(locked_axes(body))
        .can_sleep(config.sleeping)
        .ccd_enabled(body.is_dynamic() && config.bullets.contains(&body.name))
        .soft_ccd_prediction(config.soft_ccd_prediction)
        .user_data(id.0 as u128)
        .build();
    if body.is_dynamic() {
        let inertia = to_vector(&body.inertia);
        let mass = MassProperties::with_principal_inertia_frame(
            Vector::ZERO,
            body.mass,
            inertia,
            Rotation::IDENTITY,
        );
        built.set_additional_mass_properties(mass, true);
        built.add_force(to_vector(&body.force), true);
        built.add_torque(to_vector(&body.torque), true);
    }
    built
}

fn locked_axes(body: &Body) -> LockedAxes {
    let [x, y, z] = body.fixed.translation;
    let [rx, ry, rz] = body.fixed.rotation;
    let flags = [
        (x, LockedAxes::TRANSLATION_LOCKED_X),
        (y, LockedAxes::TRANSLATION_LOCKED_Y),
        (z, LockedAxes::TRANSLATION_LOCKED_Z),
        (rx, LockedAxes::ROTATION_LOCKED_X),
        (ry, LockedAxes::ROTATION_LOCKED_Y),
        (rz, LockedAxes::ROTATION_LOCKED_Z),
    ];
    flags.into_iter().filter(|(fixed, _)| *fixed).map(|(_, flag)| flag).collect()
}

/// Builds the colliders of a body. Only bodies that the scene keeps apart from others get the hook, since the
/// engine handles pairs with a hook less efficiently.
fn colliders(scene: &Scene, id: BodyId, config: &Config) -> Result<Vec<Collider>, StepError> {
    let body = &scene.bodies[id.0];
    if body.is_out_of_contact() {
        return Ok(Vec::new());
    }
    let hooks =
        if is_kept_apart(scene, id) { ActiveHooks::FILTER_CONTACT_PAIRS } else { ActiveHooks::empty() };
    let build = |part| {
        let builder = shape::collider(body, part, config.concave)
            .map_err(|error| failed(format!("body {:?}: {error}", body.name), vec![id]))?;
        Ok(builder
            .friction(body.friction.dynamic)
            .friction_combine_rule(combine_rule(scene.friction_rule))
            .restitution(body.restitution)
            .restitution_combine_rule(combine_rule(scene.restitution_rule))
            .active_hooks(hooks)
            .build())
    };
    body.parts.iter().map(build).collect()
}

fn is_kept_apart(scene: &Scene, id: BodyId) -> bool {
    let (own, group) = (&scene.bodies[id.0], scene.bodies[id.0].group);
    scene.bodies.iter().any(|body| !body.shares_a_layer_with(own))
        || scene.contact_free.iter().any(|(a, b)| *a == id || *b == id)
        || scene.bodies.iter().enumerate().any(|(other, body)| other != id.0 && body.group == group)
}

fn combine_rule(rule: CombineRule) -> CoefficientCombineRule {
    match rule {
        CombineRule::Average => CoefficientCombineRule::Average,
        CombineRule::Min => CoefficientCombineRule::Min,
        CombineRule::Max => CoefficientCombineRule::Max,
        CombineRule::Product => CoefficientCombineRule::Multiply,
        CombineRule::GeometricMean => CoefficientCombineRule::GeometricMean,
    }
}

fn read(body: &RigidBody) -> BodyState {
    BodyState {
        pose: from_engine(body.position()),
        linear_velocity: from_vector(body.linvel()),
        angular_velocity: from_vector(body.angvel()),
    }
}

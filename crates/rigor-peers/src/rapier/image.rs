//! The engine's world as bytes in the state's memory, so that a resumed run has the same bits.

use rapier3d_f64::dynamics::RigidBodyHandle;
use rapier3d_f64::pipeline::PhysicsWorld;
use rigor_scene::{BodyState, Scene, State, StepError};
use serde::{Deserialize, Serialize};

use super::failed;
use super::world::World;

/// Key of the image in [`Memory::images`](rigor_scene::Memory::images).
const KEY: &str = "rapier/world";

#[derive(Serialize)]
struct ImageRef<'a> {
    handles: &'a [RigidBodyHandle],
    bodies: Vec<[f64; 13]>,
    world: &'a PhysicsWorld,
}

#[derive(Deserialize)]
struct Image {
    handles: Vec<RigidBodyHandle>,
    bodies: Vec<[f64; 13]>,
    world: PhysicsWorld,
}

/// Stores an image of `world` in the memory of `state`.
pub(super) fn store(world: &World, state: &mut State) -> Result<(), StepError> {
    let bodies = world.bodies.iter().map(numbers).collect();
    let image = ImageRef { handles: &world.handles, bodies, world: &world.engine };
    let bytes = postcard::to_stdvec(&image)
        .map_err(|error| failed(format!("rapier's world cannot be saved: {error}"), Vec::new()))?;
    state.memory.images.insert(KEY.to_owned(), bytes);
    Ok(())
}

/// Restores the world in the memory of `state`, if there is one and it belongs to exactly these bodies.
pub(super) fn restore(scene: &Scene, state: &State) -> Result<Option<World>, StepError> {
    let Some(bytes) = state.memory.images.get(KEY) else { return Ok(None) };
    let image: Image = postcard::from_bytes(bytes)
        .map_err(|error| failed(format!("the saved world of rapier cannot be read: {error}"), Vec::new()))?;
    let belongs = image.handles.len() == scene.bodies.len()
        && image.bodies.iter().copied().eq(state.bodies.iter().map(numbers));
    Ok(belongs.then(|| World::of(image.world, image.handles, scene, state)))
}

/// Removes the image, which belongs to an earlier state.
pub(super) fn forget(state: &mut State) {
    state.memory.images.remove(KEY);
}

fn numbers(body: &BodyState) -> [f64; 13] {
    let (p, q) = (body.pose.position, body.pose.rotation.coords);
    let (v, w) = (body.linear_velocity, body.angular_velocity);
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z]
}

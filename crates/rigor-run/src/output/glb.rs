//! Export of a run as animated glTF 2.0 in one binary file.
//!
//! Each body is a node whose translation and rotation are the pose of its principal frame, in metres and
//! world axes. Its mesh has triangles with flat normals, wires as lines and points as points. Each particle
//! is a node with a ball of its radius, except in cloths and blocks. Cloths and blocks are surfaces and ropes
//! are lines, skinned to the nodes of their particles. Colours are those of [`palette`](super::palette).
//!
//! Source: Khronos, glTF 2.0 specification, §3.6 (buffers, accessors), §3.7 (meshes, skins), §3.11
//! (animations), §4 (GLB).

mod bin;
mod keys;
mod soft;
mod surface;

use std::ops::ControlFlow;

use gltf_json::animation::{Animation, Channel, Interpolation, Property, Sampler, Target};
use gltf_json::scene::UnitQuaternion;
use gltf_json::validation::Checked;
use gltf_json::{Accessor, Asset, Index, Node, Root};
use rigor_scene::{Observer, Scene, State, StepReport};

use bin::Bin;
use keys::Keys;
use surface::Surfaces;

/// Collects the frames of a run and writes them to a file.
///
/// Memory grows with the number of keys: at most 60 per second of scene time and at most 2000 in total (fewer
/// for very many bodies), at equal intervals and always including the first and the last frame. glTF turns a node the shortest way
/// from key to key: where a body turns by more than a quarter between two, keys of its rotation are added, at most 64.
///
/// ```
/// use rigor_run::output::glb::Glb;
/// # fn show(scene: &rigor_scene::Scene, frames: &[rigor_scene::State]) -> std::io::Result<()> {
/// let mut glb = Glb::new(scene);
/// for frame in frames {
///     glb.push(frame);
/// }
/// std::fs::write("run.glb", glb.finish())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Glb {
    scene: Scene,
    keys: Keys,
}

impl Glb {
    /// Creates a file without frames, which shows the scene in its initial state.
    pub fn new(scene: &Scene) -> Self {
        let keys = Keys::for_nodes(scene.bodies.len() + scene.particles.len());
        Self { scene: scene.clone(), keys }
    }

    /// Adds a frame that is later than all previous ones; others are ignored.
    pub fn push(&mut self, state: &State) {
        self.keys.push(state);
    }

    /// Returns the bytes of the file.
    ///
    /// # Panics
    /// If the meshes alone need more than 4 GiB, which the format cannot hold.
    pub fn finish(mut self) -> Vec<u8> {
        let initial = State::initial(&self.scene);
        if self.keys.is_empty() {
            self.keys.push(&initial);
        }
        let mut root = Root { asset: asset(), ..Root::default() };
        let mut bin = Bin::default();
        let mut surfaces = Surfaces::new(&self.scene);
        let mut nodes = add_bodies(&mut root, &mut bin, &mut surfaces, &self.scene, &self.keys);
        let particles = add_particles(&mut root, &mut bin, &mut surfaces, &self.scene, &self.keys);
        let others = soft::add(&mut root, &mut bin, &mut surfaces, &self.scene, &particles);
        let moving: Vec<_> = nodes.iter().chain(&particles).copied().collect();
        nodes.extend(others);
        if self.keys.len() > 1 {
            add_animation(&mut root, &mut bin, &self.keys, &moving);
        }
        let name = Some(self.scene.name.clone());
        let scene = gltf_json::Scene { extensions: None, extras: Default::default(), name, nodes };
        root.scene = Some(root.push(scene));
        bin.into_file(root)
    }
}

impl Observer for Glb {
    fn start(&mut self, _scene: &Scene, state: &State) -> ControlFlow<()> {
        self.push(state);
        ControlFlow::Continue(())
    }

    fn step(&mut self, _scene: &Scene, state: &State, _report: &StepReport) -> ControlFlow<()> {
        self.push(state);
        ControlFlow::Continue(())
    }
}

fn asset() -> Asset {
    Asset { generator: Some(concat!("rigor ", env!("CARGO_PKG_VERSION")).into()), ..Asset::default() }
}

/// Adds a node for each body, at the first key.
fn add_bodies(
    root: &mut Root,
    bin: &mut Bin,
    surfaces: &mut Surfaces,
    scene: &Scene,
    keys: &Keys,
) -> Vec<Index<Node>> {
    let mut nodes = Vec::new();
    for (k, body) in scene.bodies.iter().enumerate() {
        let mesh = surfaces.of_body(root, bin, k, &body.mesh);
        let (translation, rotation) = keys.first(k);
        nodes.push(root.push(Node {
            name: Some(body.name.clone()),
            mesh: Some(mesh),
            translation: Some(translation),
            rotation: Some(UnitQuaternion(rotation)),
            ..Node::default()
        }));
    }
    nodes
}

/// Adds a node for each particle, at the first key.
fn add_particles(
    root: &mut Root,
    bin: &mut Bin,
    surfaces: &mut Surfaces,
    scene: &Scene,
    keys: &Keys,
) -> Vec<Index<Node>> {
    let mut nodes = Vec::new();
    for (k, particle) in scene.particles.iter().enumerate() {
        let soft = scene.soft_bodies.iter().position(|soft| soft.particles.contains(&k));
        let is_shown = soft.is_none_or(|soft| !soft::has_surface(&scene.soft_bodies[soft]));
        let mesh = is_shown.then(|| surfaces.of_particle(root, bin, soft, particle.radius));
        nodes.push(root.push(Node {
            name: Some(format!("particle {k}")),
            mesh,
            translation: Some(keys.first(scene.bodies.len() + k).0),
            scale: (is_shown && particle.radius > 0.0).then_some([particle.radius as f32; 3]),
            ..Node::default()
        }));
    }
    nodes
}

/// Adds channels for all nodes that move or turn.
fn add_animation(root: &mut Root, bin: &mut Bin, keys: &Keys, nodes: &[Index<Node>]) {
    let times = bin.floats_with_range(root, &keys.times());
    let mut animation = Animation {
        extensions: None,
        extras: Default::default(),
        channels: vec![],
        name: None,
        samplers: vec![],
    };
    for (k, node) in nodes.iter().enumerate() {
        if let Some(translations) = keys.translations(k) {
            let output = bin.floats(root, &translations);
            add_channel(&mut animation, *node, Property::Translation, times, output);
        }
        if let Some(rotations) = keys.rotations(k) {
            let times = rotations.times.map_or(times, |own| bin.floats_with_range(root, &own));
            let output = bin.floats(root, &rotations.quaternions);
            add_channel(&mut animation, *node, Property::Rotation, times, output);
        }
    }
    if !animation.channels.is_empty() {
        animation.name = Some("run".into());
        root.push(animation);
    }
}

fn add_channel(
    animation: &mut Animation,
    node: Index<Node>,
    path: Property,
    input: Index<Accessor>,
    output: Index<Accessor>,
) {
    let interpolation = Checked::Valid(Interpolation::Linear);
    let sampler = Index::push(
        &mut animation.samplers,
        Sampler { extensions: None, extras: Default::default(), input, interpolation, output },
    );
    let target = Target { extensions: None, extras: Default::default(), node, path: Checked::Valid(path) };
    animation.channels.push(Channel { sampler, target, extensions: None, extras: Default::default() });
}

#[cfg(test)]
mod tests;

//! Ropes, cloths and blocks: one mesh each, with vertices skinned to the nodes of their particles.
//!
//! Source: Khronos, glTF 2.0 specification, §3.7.3 (skins).

use gltf_json::skin::Skin;
use gltf_json::{Index, Node, Root};
use rigor_scene::{Scene, SoftBody};

use super::bin::Bin;
use super::surface::Surfaces;

/// Maximum number of particles of a skin, whose joints are `u16`.
const MAX_PARTICLES: usize = 1 << 16;

/// Returns whether the body is drawn as a surface of triangles; otherwise its particles are drawn.
pub fn has_surface(soft: &SoftBody) -> bool {
    is_skinned(soft) && !soft.triangles.is_empty()
}

fn is_skinned(soft: &SoftBody) -> bool {
    soft.particles.len() <= MAX_PARTICLES && !(soft.triangles.is_empty() && soft.edges.is_empty())
}

/// Adds two nodes for each soft body: a common root of the nodes of its `particles`, and one with its mesh.
/// Other particles are unchanged. Returns the nodes to add to the scene.
pub fn add(
    root: &mut Root,
    bin: &mut Bin,
    surfaces: &mut Surfaces,
    scene: &Scene,
    particles: &[Index<Node>],
) -> Vec<Index<Node>> {
    let mut nodes: Vec<_> =
        (0..particles.len()).filter(|k| !is_soft(scene, *k)).map(|k| particles[k]).collect();
    for (index, soft) in scene.soft_bodies.iter().enumerate() {
        let joints = particles[soft.particles.clone()].to_vec();
        let group = Node { name: Some(soft.name.clone()), children: Some(joints.clone()), ..Node::default() };
        nodes.push(root.push(group));
        if is_skinned(soft) {
            let mesh = surfaces.of_soft_body(root, bin, (index, soft), &joints);
            let skin = add_skin(root, bin, joints);
            let name = Some(format!("{} surface", soft.name));
            nodes.push(root.push(Node { name, mesh: Some(mesh), skin: Some(skin), ..Node::default() }));
        }
    }
    nodes
}

fn is_soft(scene: &Scene, particle: usize) -> bool {
    scene.soft_bodies.iter().any(|soft| soft.particles.contains(&particle))
}

/// Adds a skin over `joints`, bound at their current poses.
fn add_skin(root: &mut Root, bin: &mut Bin, joints: Vec<Index<Node>>) -> Index<Skin> {
    let matrices: Vec<_> = joints.iter().map(|joint| inverse_bind(&root.nodes[joint.value()])).collect();
    let inverse_bind_matrices = Some(bin.floats(root, &matrices));
    root.push(Skin {
        extensions: None,
        extras: Default::default(),
        inverse_bind_matrices,
        joints,
        name: None,
        skeleton: None,
    })
}

/// Returns the inverse of a node's translation and scale, in column-major order.
fn inverse_bind(node: &Node) -> [f32; 16] {
    let [x, y, z] = node.translation.unwrap_or_default();
    let s = node.scale.map_or(1.0, |scale| 1.0 / scale[0]);
    [s, 0.0, 0.0, 0.0, 0.0, s, 0.0, 0.0, 0.0, 0.0, s, 0.0, -s * x, -s * y, -s * z, 1.0]
}

//! Meshes with materials: equal shapes share their accessors, equal colours share their material.

use std::collections::BTreeMap;
use std::sync::Arc;

use gltf_json::buffer::Target;
use gltf_json::material::{Material, PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor};
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::validation::Checked;
use gltf_json::{Accessor, Index, Node, Root};
use rigor_geometry::Mesh;
use rigor_math::Vec3;
use rigor_scene::{ParticleId, Scene, SoftBody};
use rigor_shapes::Icosphere;

use super::bin::Bin;
use crate::output::palette::{self, Color};

/// The surfaces written so far.
pub struct Surfaces {
    /// By body, then by soft body, then of other particles.
    colors: Vec<Color>,
    n_bodies: usize,
    materials: Vec<(Color, Index<Material>)>,
    shapes: Vec<(Arc<Mesh>, Vec<PrimitiveGroup>)>,
    /// A ball of radius 1 m, and a point.
    particles: [Arc<Mesh>; 2],
}

/// Primitives of one mode.
#[derive(Debug, Clone)]
struct PrimitiveGroup {
    mode: Mode,
    positions: Index<Accessor>,
    normals: Option<Index<Accessor>>,
}

impl Surfaces {
    /// Starts without any surface.
    pub fn new(scene: &Scene) -> Self {
        let ball = Icosphere { radius: 1.0, subdivisions: 2 }.mesh().expect("a unit ball is a mesh");
        let point = Mesh::new(vec![Vec3::zeros()], vec![], vec![]).expect("a point is a mesh");
        Self {
            colors: palette::of_scene(scene),
            n_bodies: scene.bodies.len(),
            materials: vec![],
            shapes: vec![],
            particles: [ball, point].map(Arc::new),
        }
    }

    /// Returns the mesh of body `index`.
    pub fn of_body(
        &mut self,
        root: &mut Root,
        bin: &mut Bin,
        index: usize,
        mesh: &Arc<Mesh>,
    ) -> Index<gltf_json::Mesh> {
        self.add(root, bin, self.colors[index], mesh)
    }

    /// Returns the mesh of a particle in soft body `soft` (or outside of any), to be scaled by its radius (m)
    /// if that is positive.
    pub fn of_particle(
        &mut self,
        root: &mut Root,
        bin: &mut Bin,
        soft: Option<usize>,
        radius: f64,
    ) -> Index<gltf_json::Mesh> {
        let color = self.colors[soft.map_or(self.colors.len() - 1, |index| self.n_bodies + index)];
        let mesh = self.particles[usize::from(radius <= 0.0)].clone();
        self.add(root, bin, color, &mesh)
    }

    /// Returns the mesh of the triangles and edges of the soft body `index` with its particles at `joints`:
    /// vertex k is at joint k and follows it.
    ///
    /// It has no normals, since they would not turn with the triangles; viewers compute flat normals.
    pub fn of_soft_body(
        &mut self,
        root: &mut Root,
        bin: &mut Bin,
        (index, soft): (usize, &SoftBody),
        joints: &[Index<Node>],
    ) -> Index<gltf_json::Mesh> {
        let material = Some(self.material(root, self.colors[self.n_bodies + index]));
        let place = |joint: &Index<Node>| root.nodes[joint.value()].translation.unwrap_or_default();
        let places: Vec<_> = joints.iter().map(place).collect();
        let numbers: Vec<[u16; 4]> = (0..joints.len()).map(|k| [k as u16, 0, 0, 0]).collect();
        let weights = vec![[1.0, 0.0, 0.0, 0.0]; joints.len()];
        let attributes = BTreeMap::from([
            (Checked::Valid(Semantic::Positions), bin.floats_with_range(root, &places)),
            (Checked::Valid(Semantic::Joints(0)), bin.joints(root, &numbers)),
            (Checked::Valid(Semantic::Weights(0)), bin.floats(root, &weights)),
        ]);
        attributes.values().for_each(|numbers| mark(root, *numbers, Target::ArrayBuffer));
        let vertex = |particle: &ParticleId| (particle.0 - soft.particles.start) as u32;
        let kinds: [(Mode, Vec<u32>); 2] = [
            (Mode::Triangles, soft.triangles.iter().flatten().map(vertex).collect()),
            (Mode::Lines, soft.edges.iter().flatten().map(vertex).collect()),
        ];
        let mut primitives = Vec::new();
        for (mode, numbers) in kinds.into_iter().filter(|(_, numbers)| !numbers.is_empty()) {
            let indices = bin.indices(root, &numbers);
            mark(root, indices, Target::ElementArrayBuffer);
            let attributes = attributes.clone();
            primitives.push(Primitive { indices: Some(indices), ..primitive(mode, attributes, material) });
        }
        root.push(mesh_of(primitives))
    }

    fn add(
        &mut self,
        root: &mut Root,
        bin: &mut Bin,
        color: Color,
        mesh: &Arc<Mesh>,
    ) -> Index<gltf_json::Mesh> {
        let material = Some(self.material(root, color));
        let primitive = |drawn: PrimitiveGroup| {
            let positions = std::iter::once((Checked::Valid(Semantic::Positions), drawn.positions));
            let normals = drawn.normals.map(|normals| (Checked::Valid(Semantic::Normals), normals));
            primitive(drawn.mode, positions.chain(normals).collect(), material)
        };
        let primitives = self.shape(root, bin, mesh).into_iter().map(primitive).collect();
        root.push(mesh_of(primitives))
    }

    fn shape(&mut self, root: &mut Root, bin: &mut Bin, mesh: &Arc<Mesh>) -> Vec<PrimitiveGroup> {
        let known = self.shapes.iter().find(|(other, _)| Arc::ptr_eq(other, mesh) || other == mesh);
        if let Some((_, drawn)) = known {
            return drawn.clone();
        }
        let drawn = draw(root, bin, mesh);
        self.shapes.push((mesh.clone(), drawn.clone()));
        drawn
    }

    fn material(&mut self, root: &mut Root, color: Color) -> Index<Material> {
        if let Some((_, material)) = self.materials.iter().find(|(other, _)| *other == color) {
            return *material;
        }
        // The format requires linear colours; a square approximates the sRGB curve to within 0.03.
        let [r, g, b] = color.map(|c| (c * c) as f32);
        let material = root.push(Material {
            double_sided: true,
            pbr_metallic_roughness: PbrMetallicRoughness {
                base_color_factor: PbrBaseColorFactor([r, g, b, 1.0]),
                metallic_factor: StrengthFactor(0.0),
                roughness_factor: StrengthFactor(0.7),
                ..PbrMetallicRoughness::default()
            },
            ..Material::default()
        });
        self.materials.push((color, material));
        material
    }
}

type Attributes = BTreeMap<Checked<Semantic>, Index<Accessor>>;

fn primitive(mode: Mode, attributes: Attributes, material: Option<Index<Material>>) -> Primitive {
    Primitive {
        attributes,
        extensions: None,
        extras: Default::default(),
        indices: None,
        material,
        mode: Checked::Valid(mode),
        targets: None,
    }
}

fn mesh_of(primitives: Vec<Primitive>) -> gltf_json::Mesh {
    gltf_json::Mesh { extensions: None, extras: Default::default(), name: None, primitives, weights: None }
}

/// Writes the accessors of a mesh. Each triangle has its own corners, so that its normal is flat.
fn draw(root: &mut Root, bin: &mut Bin, mesh: &Mesh) -> Vec<PrimitiveGroup> {
    let vertex = |v: &u32| single(&mesh.vertices()[*v as usize]);
    let mut drawn = Vec::new();
    let mut add = |mode, corners: Vec<[f32; 3]>, normals: Option<Vec<[f32; 3]>>| {
        if !corners.is_empty() {
            let positions = bin.floats_with_range(root, &corners);
            let normals = normals.map(|normals| bin.floats(root, &normals));
            std::iter::once(positions)
                .chain(normals)
                .for_each(|numbers| mark(root, numbers, Target::ArrayBuffer));
            drawn.push(PrimitiveGroup { mode, positions, normals });
        }
    };
    let normal = |t: usize| single(&mesh.area_vector(t).try_normalize(0.0).unwrap_or_else(Vec3::y));
    let normals = (0..mesh.triangles().len()).flat_map(|t| [normal(t); 3]).collect();
    add(Mode::Triangles, mesh.triangles().iter().flatten().map(vertex).collect(), Some(normals));
    add(Mode::Lines, mesh.wires().iter().flatten().map(vertex).collect(), None);
    add(Mode::Points, mesh.points().iter().map(vertex).collect(), None);
    drawn
}

/// Sets the target of a buffer view, which the format requires for meshes.
fn mark(root: &mut Root, numbers: Index<Accessor>, target: Target) {
    let view = root.accessors[numbers.value()].buffer_view.expect("numbers written here have a view");
    root.buffer_views[view.value()].target = Some(Checked::Valid(target));
}

fn single(v: &Vec3) -> [f32; 3] {
    v.map(|c| c as f32).into()
}

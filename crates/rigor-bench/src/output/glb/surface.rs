//! Meshes with their materials: those of one shape share their numbers, those of one colour their material.

use std::collections::BTreeMap;
use std::sync::Arc;

use gltf_json::buffer::Target;
use gltf_json::material::{Material, PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor};
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::validation::Checked;
use gltf_json::{Accessor, Index, Root};
use rigor_geometry::{Mesh, shapes};
use rigor_math::Vec3;
use rigor_scene::Scene;

use super::bin::Bin;
use crate::render::palette::{self, Color};

/// What was written so far.
pub struct Surfaces {
    /// By body, then that of particles.
    colors: Vec<Color>,
    materials: Vec<(Color, Index<Material>)>,
    shapes: Vec<(Arc<Mesh>, Vec<Drawn>)>,
    /// A ball of radius 1 m, and a point.
    particles: [Arc<Mesh>; 2],
}

/// Primitives of one kind.
#[derive(Debug, Clone)]
struct Drawn {
    mode: Mode,
    positions: Index<Accessor>,
    normals: Option<Index<Accessor>>,
}

impl Surfaces {
    /// Nothing yet.
    pub fn new(scene: &Scene) -> Self {
        let ball = shapes::Icosphere { radius: 1.0, subdivisions: 2 }.mesh().expect("a unit ball is a mesh");
        let point = Mesh::new(vec![Vec3::zeros()], vec![], vec![]).expect("a point is a mesh");
        Self {
            colors: palette::of_scene(scene),
            materials: vec![],
            shapes: vec![],
            particles: [ball, point].map(Arc::new),
        }
    }

    /// The mesh of body `index`.
    pub fn of_body(
        &mut self,
        root: &mut Root,
        bin: &mut Bin,
        index: usize,
        mesh: &Arc<Mesh>,
    ) -> Index<gltf_json::Mesh> {
        self.add(root, bin, self.colors[index], mesh)
    }

    /// The mesh of a particle, to be scaled by its radius (m) if it has one.
    pub fn of_particle(&mut self, root: &mut Root, bin: &mut Bin, radius: f64) -> Index<gltf_json::Mesh> {
        let color = self.colors[self.colors.len() - 1];
        let mesh = self.particles[usize::from(radius <= 0.0)].clone();
        self.add(root, bin, color, &mesh)
    }

    fn add(
        &mut self,
        root: &mut Root,
        bin: &mut Bin,
        color: Color,
        mesh: &Arc<Mesh>,
    ) -> Index<gltf_json::Mesh> {
        let material = Some(self.material(root, color));
        let primitive = |drawn: Drawn| {
            let positions = std::iter::once((Checked::Valid(Semantic::Positions), drawn.positions));
            let normals = drawn.normals.map(|normals| (Checked::Valid(Semantic::Normals), normals));
            let attributes: BTreeMap<_, _> = positions.chain(normals).collect();
            let mode = Checked::Valid(drawn.mode);
            Primitive {
                attributes,
                extensions: None,
                extras: Default::default(),
                indices: None,
                material,
                mode,
                targets: None,
            }
        };
        let primitives = self.shape(root, bin, mesh).into_iter().map(primitive).collect();
        root.push(gltf_json::Mesh {
            extensions: None,
            extras: Default::default(),
            name: None,
            primitives,
            weights: None,
        })
    }

    fn shape(&mut self, root: &mut Root, bin: &mut Bin, mesh: &Arc<Mesh>) -> Vec<Drawn> {
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
        // The format wants linear colours; a square is the sRGB curve to within 0.03.
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

/// Writes the numbers of a mesh: each triangle with corners of its own, so that its normal is flat.
fn draw(root: &mut Root, bin: &mut Bin, mesh: &Mesh) -> Vec<Drawn> {
    let vertex = |v: &u32| single(&mesh.vertices()[*v as usize]);
    let mut drawn = Vec::new();
    let mut add = |mode, corners: Vec<[f32; 3]>, normals: Option<Vec<[f32; 3]>>| {
        if !corners.is_empty() {
            let positions = bin.floats_with_range(root, &corners);
            let normals = normals.map(|normals| bin.floats(root, &normals));
            std::iter::once(positions).chain(normals).for_each(|numbers| mark_as_vertices(root, numbers));
            drawn.push(Drawn { mode, positions, normals });
        }
    };
    let normal = |t: usize| single(&mesh.area_vector(t).try_normalize(0.0).unwrap_or_else(Vec3::y));
    let normals = (0..mesh.triangles().len()).flat_map(|t| [normal(t); 3]).collect();
    add(Mode::Triangles, mesh.triangles().iter().flatten().map(vertex).collect(), Some(normals));
    add(Mode::Lines, mesh.wires().iter().flatten().map(vertex).collect(), None);
    add(Mode::Points, mesh.points().iter().map(vertex).collect(), None);
    drawn
}

/// Says that the numbers are for vertices, which the format asks for.
fn mark_as_vertices(root: &mut Root, numbers: Index<Accessor>) {
    let view = root.accessors[numbers.value()].buffer_view.expect("numbers written here have a view");
    root.buffer_views[view.value()].target = Some(Checked::Valid(Target::ArrayBuffer));
}

fn single(v: &Vec3) -> [f32; 3] {
    v.map(|c| c as f32).into()
}

//! Reading of glTF 2.0 and GLB. The gltf crate parses and validates the structure; the buffers are read here,
//! with every offset checked.

mod vocabulary;

use std::collections::BTreeSet;
use std::path::Path;

use base64::Engine;
use gltf::accessor::{DataType, Dimensions, sparse};
use gltf::buffer::View;
use gltf::json::Value;
use gltf::json::validation::Checked;
use gltf::mesh::Mode;
use gltf::scene::Transform;
use gltf::{Accessor, Document, Gltf, Mesh, Node, Primitive, Semantic, buffer};
use rigor_math::{Mat3, Vec3};

use super::assembly::Assembly;
use super::{Fault, Location, MeshWarning};
use crate::{Files, Grade};
use vocabulary::Keys;

/// Extensions of geometry that are read, or that only add to what is read.
const READ: [&str; 4] =
    ["KHR_mesh_quantization", "EXT_mesh_gpu_instancing", "EXT_mesh_manifold", "FB_ngon_encoding"];

/// Beginnings of the names of extensions that say how something looks, or nothing about geometry.
const APPEARANCE: [&str; 12] = [
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_techniques_",
    "KHR_xmp",
    "KHR_audio",
    "EXT_materials_",
    "EXT_texture_",
    "EXT_lights_",
    "MSFT_texture_",
    "MSFT_packing_",
    "ADOBE_materials_",
];

/// Beginnings of the names of extensions that say what bodies weigh, where they touch or how they are joined.
const PHYSICS: [&str; 6] = [
    "KHR_physics_",
    "KHR_implicit_shapes",
    "KHR_collision_shapes",
    "OMI_physics_",
    "OMI_collider",
    "MSFT_physics",
];

/// Extensions that compress geometry.
const COMPRESSION: [&str; 4] = [
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "MESHOPT_compression",
];

/// Vertices, and triangles, that a file may have beyond one per byte, by using a mesh or a buffer several times.
const MOST_REPEATED: usize = 1 << 20;

/// Reads the triangles, lines and points of the default scene, of the first scene if there is no default, or
/// of all root nodes if there is no scene; nodes place their meshes, once for each of their instances. Vertices of one mesh at equal
/// positions are joined, because files repeat a vertex for each of its normals. Notes list content without a meaning
/// for rigid meshes.
pub(super) fn read(bytes: &[u8], path: &Path, files: &dyn Files) -> Result<Assembly, Fault> {
    let bytes = super::text::without_mark(bytes);
    check_length(bytes)?;
    let Parsed { document, blob, mut notes } = parse(bytes)?;
    let buffers = Buffers::load(&document, blob, path, files)?;
    name_left_out(&document, &mut notes);
    let n_bytes: usize = buffers.0.iter().map(Vec::len).sum();
    let limit = n_bytes.saturating_add(MOST_REPEATED);
    let mut assembly = Assembly::with_limit(limit);
    assembly.notes = notes;
    let mut reader = Reader { buffers, assembly, limit, visited: vec![false; document.nodes().len()] };
    for node in roots(&document) {
        reader.node(&node, &Affine::identity(), 0)?;
    }
    reader.name_unused(&document);
    Ok(reader.assembly)
}

/// Checks the extensions without which the file cannot be read.
fn check_required(required: &[String], notes: &mut Vec<MeshWarning>) -> Result<(), Fault> {
    for extension in required {
        let name = extension.as_str();
        if COMPRESSION.contains(&name) {
            return Err(compressed(name));
        }
        if APPEARANCE.iter().any(|start| name.starts_with(start)) {
            notes.push(MeshWarning::left_out(
                Grade::Look,
                format!("extension {}", super::words::clipped(name)),
            ));
        } else if !READ.contains(&name) {
            return Err(Fault::whole(format!(
                "the file requires the extension {}, which is not supported",
                super::words::clipped(name)
            )));
        }
    }
    Ok(())
}

/// Notes extensions that the file uses, whether it says so or not, can be read without, and are not read. Those that compress are
/// told where they are used.
fn name_optional(root: &gltf::json::Root, keys: &Keys, notes: &mut Vec<MeshWarning>) {
    let is_known = |name: &str| READ.contains(&name) || COMPRESSION.contains(&name);
    let used: BTreeSet<&String> = root.extensions_used.iter().chain(&keys.extensions).collect();
    let optional = used.into_iter().filter(|name| !root.extensions_required.contains(name));
    for name in optional.filter(|name| !is_known(name)) {
        let begins = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
        let grade = match (begins(&PHYSICS), begins(&APPEARANCE)) {
            (true, _) => Grade::Physics,
            (false, true) => Grade::Look,
            (false, false) => Grade::Rule,
        };
        notes.push(MeshWarning::left_out(grade, format!("extension {}", super::words::clipped(name))));
    }
}

fn compressed(extension: &str) -> Fault {
    Fault::whole(format!(
        "the mesh is compressed with {extension}, which is not read: save it without compression"
    ))
}

/// A file before its buffers are read.
struct Parsed {
    document: Document,
    /// The content of the first buffer, if the file contains it.
    blob: Option<Vec<u8>>,
    notes: Vec<MeshWarning>,
}

/// Returns the validated structure, the content of the first buffer if the file contains it, and notes.
fn parse(bytes: &[u8]) -> Result<Parsed, Fault> {
    let fault = |error: gltf::Error| Fault::whole(error.to_string());
    let parsed = Gltf::from_slice_without_validation(bytes);
    let Gltf { document, blob } =
        parsed.map_err(|error| if is_first(bytes) { first() } else { fault(error) })?;
    let mut root = document.into_json();
    check_version(&root.asset)?;
    let (keys, mut notes) = (Keys::of(structure(bytes)), Vec::new());
    check_required(&root.extensions_required, &mut notes)?;
    name_optional(&root, &keys, &mut notes);
    keys.tell(&mut notes);
    root.extensions_required.clear();
    // The crate refuses attributes of which it does not know the name, such as those of a program, which the keys tell.
    let is_known = |name: &Checked<Semantic>| matches!(name, Checked::Valid(_));
    let all = root.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives);
    all.for_each(|primitive| primitive.attributes.retain(|name, _| is_known(name)));
    // The crate's validation uses the accessors of primitives without checking that they exist.
    let n_accessors = root.accessors.len();
    let primitives = || root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let used = primitives().flat_map(|primitive| primitive.attributes.values());
    if let Some(index) = used.map(gltf::json::Index::value).find(|index| *index >= n_accessors) {
        return Err(Fault::whole(format!("a primitive names accessor {index}, but there are {n_accessors}")));
    }
    let draco = primitives().find(|primitive| {
        let extensions = primitive.extensions.as_ref();
        let is_draco = extensions.is_some_and(|all| all.others.contains_key(COMPRESSION[0]));
        let has_data = |index: &gltf::json::Index<gltf::json::Accessor>| {
            let accessor = &root.accessors[index.value()];
            accessor.buffer_view.is_some() || accessor.sparse.is_some()
        };
        is_draco && !primitive.attributes.values().all(has_data)
    });
    if draco.is_some() {
        return Err(compressed(COMPRESSION[0]));
    }
    let positions: Vec<usize> = primitives()
        .filter_map(|primitive| {
            let semantic = Checked::Valid(Semantic::Positions);
            primitive.attributes.get(&semantic).map(gltf::json::Index::value)
        })
        .collect();
    let mut n_unbounded = 0;
    for index in positions {
        // Nothing here depends on the bounds, which the specification demands.
        let accessor = &mut root.accessors[index];
        if accessor.min.is_none() || accessor.max.is_none() {
            let zero = Some(Value::from(vec![0, 0, 0]));
            (accessor.min, accessor.max) = (zero.clone(), zero);
            n_unbounded += 1;
        }
    }
    if n_unbounded > 0 {
        let what = format!("{n_unbounded} accessor(s) of positions have no bounds");
        notes.push(MeshWarning::Tolerated(what));
    }
    Ok(Parsed { document: Document::from_json(root).map_err(fault)?, blob, notes })
}

/// Returns the part of a file that is JSON.
fn structure(bytes: &[u8]) -> &[u8] {
    if !bytes.starts_with(b"glTF") {
        return bytes;
    }
    // A header of 12 bytes, then the length and the type of the first chunk, which is the structure.
    let length = bytes.get(12..16).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let end = 20_usize.saturating_add(length as usize).min(bytes.len());
    bytes.get(20..end).unwrap_or_default()
}

/// Checks the version of the format, and the least one that reads the file.
fn check_version(asset: &gltf::json::Asset) -> Result<(), Fault> {
    if asset.version.starts_with("1.") {
        return Err(first());
    }
    let is_second = |version: &str| version.split('.').next() == Some("2");
    if !is_second(&asset.version) || asset.min_version.as_deref().is_some_and(|least| least != "2.0") {
        let least = asset.min_version.as_deref().unwrap_or(&asset.version);
        return Err(Fault::whole(format!("the file is glTF {}: 2.0 is read", super::words::clipped(least))));
    }
    Ok(())
}

/// Whether the file is glTF 1.
fn is_first(bytes: &[u8]) -> bool {
    if let Some(version) = bytes.strip_prefix(b"glTF").and_then(|rest| rest.get(..4)) {
        return version == [1, 0, 0, 0];
    }
    let version = |json: Value| Some(json.get("asset")?.get("version")?.as_str()?.starts_with("1."));
    let parsed: Option<Value> = gltf::json::deserialize::from_slice(bytes).ok();
    // Files of version 1 may leave the version out, but name their buffers by keys.
    let is_keyed = |json: &Value| json.get("buffers").is_some_and(Value::is_object);
    parsed.is_some_and(|json| is_keyed(&json) || version(json).unwrap_or(false))
}

fn first() -> Fault {
    Fault::whole("the file is glTF 1, which is not read: convert it to glTF 2")
}

/// Checks the length announced by a GLB header, from which the crate subtracts 12 unchecked.
fn check_length(bytes: &[u8]) -> Result<(), Fault> {
    let Some(length) = bytes.strip_prefix(b"glTF").and_then(|rest| rest.get(4..8)) else { return Ok(()) };
    let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
    if length < 12 {
        return Err(Fault::new(
            Location::Byte(8),
            format!("expected a length of at least 12, found {length}"),
        ));
    }
    Ok(())
}

fn name_left_out(document: &Document, notes: &mut Vec<MeshWarning>) {
    let is_morph = |weights: Option<&[f32]>| weights.is_some_and(|w| w.iter().any(|w| *w != 0.0));
    let of_nodes = document.nodes().filter(|node| is_morph(node.weights())).count();
    let morphed = document.meshes().filter(|mesh| is_morph(mesh.weights())).count() + of_nodes;
    let targets = document.meshes().filter(|mesh| mesh.primitives().any(|p| p.morph_targets().len() > 0));
    let counts = [
        ("animation(s)", document.animations().len(), Grade::Unused),
        ("skin(s), so that vertices stay where the mesh has them,", document.skins().len(), Grade::Physics),
        ("mesh(es) and node(s) with weights of morph targets: the targets are", morphed, Grade::Physics),
    ];
    for (what, n, grade) in counts.into_iter().filter(|(_, n, _)| *n > 0) {
        notes.push(MeshWarning::left_out(grade, format!("{n} {what}")));
    }
    if targets.count() > 0 {
        notes.push(MeshWarning::left_out(Grade::Unused, "morph targets"));
    }
}

fn roots(document: &Document) -> Vec<Node<'_>> {
    if let Some(scene) = document.default_scene().or_else(|| document.scenes().next()) {
        return scene.nodes().collect();
    }
    let mut is_child = vec![false; document.nodes().len()];
    document.nodes().flat_map(|node| node.children()).for_each(|child| is_child[child.index()] = true);
    document.nodes().filter(|node| !is_child[node.index()]).collect()
}

/// x ↦ A x + b.
#[derive(Clone, Copy)]
struct Affine {
    linear: Mat3,
    offset: Vec3,
}

impl Affine {
    fn identity() -> Self {
        Self { linear: Mat3::identity(), offset: Vec3::zeros() }
    }

    fn of(transform: &Transform) -> Self {
        match transform {
            Transform::Matrix { matrix } => {
                let column =
                    |c: usize| Vec3::new(matrix[c][0].into(), matrix[c][1].into(), matrix[c][2].into());
                Self { linear: Mat3::from_columns(&[column(0), column(1), column(2)]), offset: column(3) }
            }
            Transform::Decomposed { translation, rotation, scale } => {
                let linear = rotation_matrix(rotation.map(f64::from)) * Mat3::from_diagonal(&wide(*scale));
                Self { linear, offset: wide(*translation) }
            }
        }
    }

    fn compose(&self, inner: &Self) -> Self {
        Self { linear: self.linear * inner.linear, offset: self.point(&inner.offset) }
    }

    fn point(&self, p: &Vec3) -> Vec3 {
        self.linear * p + self.offset
    }
}

fn wide(v: [f32; 3]) -> Vec3 {
    Vec3::from(v.map(f64::from))
}

/// R = 1 + 2 (w \[v\] + \[v\]²)/(v² + w²) for the quaternion (v, w), whose length differs slightly from 1 in
/// f32.
fn rotation_matrix([x, y, z, w]: [f64; 4]) -> Mat3 {
    let cross = Vec3::new(x, y, z).cross_matrix();
    let norm_sq = x * x + y * y + z * z + w * w;
    Mat3::identity() + (w * cross + cross * cross) * (2.0 / norm_sq)
}

struct Reader {
    buffers: Buffers,
    assembly: Assembly,
    limit: usize,
    visited: Vec<bool>,
}

impl Reader {
    /// Notes meshes that the scene does not have: those of other scenes or of nodes in none, and those without a node.
    fn name_unused(&mut self, document: &Document) {
        let is_elsewhere = |node: &Node<'_>| node.mesh().is_some() && !self.visited[node.index()];
        let elsewhere = document.nodes().filter(is_elsewhere).count();
        let mut is_placed = vec![false; document.meshes().len()];
        document.nodes().filter_map(|node| node.mesh()).for_each(|mesh| is_placed[mesh.index()] = true);
        let unplaced = is_placed.iter().filter(|is_placed| !**is_placed).count();
        let counts = [
            (elsewhere, Grade::Rule, "node(s) with a mesh, which the scene that is shown does not have,"),
            (unplaced, Grade::Unused, "mesh(es) that no node has"),
        ];
        for (n, grade, what) in counts.into_iter().filter(|(n, ..)| *n > 0) {
            self.assembly.notes.push(MeshWarning::left_out(grade, format!("{n} {what}")));
        }
    }

    fn node(&mut self, node: &Node<'_>, parent: &Affine, depth: usize) -> Result<(), Fault> {
        // In a valid file the nodes form a tree; excessive depth would overflow the stack.
        if std::mem::replace(&mut self.visited[node.index()], true) {
            return Err(Fault::whole(format!("node {} is reached twice: nodes must be trees", node.index())));
        }
        if depth > 256 {
            return Err(Fault::whole("nodes are nested more than 256 deep"));
        }
        let placement = parent.compose(&Affine::of(&node.transform()));
        if let Some(mesh) = node.mesh() {
            for instance in self.instances(node)? {
                let made = self.mesh(&mesh, &placement.compose(&instance))?;
                self.assembly.append(&made)?;
            }
        }
        node.children().try_for_each(|child| self.node(&child, &placement, depth + 1))
    }

    /// Returns the places of the mesh of a node, relative to it: one, or those of EXT_mesh_gpu_instancing.
    fn instances(&self, node: &Node<'_>) -> Result<Vec<Affine>, Fault> {
        let Some(extension) = node.extension_value("EXT_mesh_gpu_instancing") else {
            return Ok(vec![Affine::identity()]);
        };
        let whose = |what: &str| Fault::whole(format!("node {}, instances: {what}", node.index()));
        let document = &self.buffers.1;
        let accessor = |name: &str| match extension.get("attributes").and_then(|all| all.get(name)) {
            None => Ok(None),
            Some(index) => {
                let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
                let found = index.and_then(|index| document.accessors().nth(index));
                found.map(Some).ok_or_else(|| whose(&format!("`{name}` names no accessor")))
            }
        };
        let read = |name: &str, dimensions| match accessor(name)? {
            None => Ok(None),
            Some(accessor) => self.buffers.reals(&accessor, dimensions).map(Some),
        };
        let translations = read("TRANSLATION", Dimensions::Vec3)?;
        let rotations = read("ROTATION", Dimensions::Vec4)?;
        let scales = read("SCALE", Dimensions::Vec3)?;
        let counts: Vec<usize> = [(&translations, 3), (&rotations, 4), (&scales, 3)]
            .iter()
            .filter_map(|(values, n)| values.as_ref().map(|values| values.len() / n))
            .collect();
        let Some(count) = counts.first().copied() else { return Err(whose("there is no attribute")) };
        if counts.iter().any(|n| *n != count) {
            return Err(whose(&format!("attributes have different counts: {counts:?}")));
        }
        let vector = |values: &Option<Vec<f64>>, i: usize, default: f64| match values {
            None => Vec3::repeat(default),
            Some(values) => Vec3::new(values[3 * i], values[3 * i + 1], values[3 * i + 2]),
        };
        let place = |i: usize| {
            let turn = match &rotations {
                None => Mat3::identity(),
                Some(q) => rotation_matrix([q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]]),
            };
            let linear = turn * Mat3::from_diagonal(&vector(&scales, i, 1.0));
            Affine { linear, offset: vector(&translations, i, 0.0) }
        };
        Ok((0..count).map(place).collect())
    }

    fn mesh(&self, mesh: &Mesh<'_>, placement: &Affine) -> Result<Assembly, Fault> {
        let mut assembly = Assembly::with_limit(self.limit);
        for primitive in mesh.primitives() {
            let whose = |fault: Fault| {
                let what = format!("mesh {}, primitive {}: {}", mesh.index(), primitive.index(), fault.what);
                Fault { what, ..fault }
            };
            self.primitive(&primitive, placement, &mut assembly).map_err(whose)?;
        }
        assembly.merged()
    }

    fn primitive(
        &self,
        primitive: &Primitive<'_>,
        placement: &Affine,
        assembly: &mut Assembly,
    ) -> Result<(), Fault> {
        let Some(positions) = primitive.get(&Semantic::Positions) else { return Ok(()) };
        let first = assembly.n_vertices() as i64;
        for position in self.buffers.reals(&positions, Dimensions::Vec3)?.chunks_exact(3) {
            let position = placement.point(&Vec3::new(position[0], position[1], position[2]));
            if !position.iter().all(|c| c.is_finite()) {
                return Err(Fault::whole("a position is not finite"));
            }
            assembly.vertex(position)?;
        }
        let indices: Vec<i64> = match primitive.indices() {
            Some(accessor) => {
                self.buffers.indices(&accessor)?.iter().map(|i| first + i64::from(*i)).collect()
            }
            None => (first..assembly.n_vertices() as i64).collect(),
        };
        let is_mirrored = placement.linear.determinant() < 0.0;
        faces(primitive.mode(), &indices, |face| {
            if is_mirrored {
                face.reverse();
            }
            assembly.face(Location::File, face)
        })
    }
}

/// Returns the triangles, edges or points that the indices describe.
///
/// Source: glTF 2.0 specification, §3.7.2.1: triangle i of a strip is (i, i+1+i%2, i+2−i%2), of a fan (i+1, i+2, 0).
fn faces(mode: Mode, v: &[i64], mut add: impl FnMut(&mut [i64]) -> Result<(), Fault>) -> Result<(), Fault> {
    match mode {
        Mode::Points => v.iter().try_for_each(|v| add(&mut [*v])),
        Mode::Lines => v.chunks_exact(2).try_for_each(|e| add(&mut [e[0], e[1]])),
        Mode::LineStrip | Mode::LineLoop => {
            v.windows(2).try_for_each(|e| add(&mut [e[0], e[1]]))?;
            if mode == Mode::LineLoop && v.len() > 2 { add(&mut [v[v.len() - 1], v[0]]) } else { Ok(()) }
        }
        Mode::Triangles => v.chunks_exact(3).try_for_each(|t| add(&mut [t[0], t[1], t[2]])),
        Mode::TriangleStrip => v.windows(3).enumerate().try_for_each(|(i, t)| {
            add(&mut if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[0], t[2], t[1]] })
        }),
        Mode::TriangleFan => (2..v.len()).try_for_each(|i| add(&mut [v[i - 1], v[i], v[0]])),
    }
}

/// The contents of all buffers, and the structure of the file.
struct Buffers(Vec<Vec<u8>>, Document);

impl Buffers {
    fn load(
        document: &Document,
        mut blob: Option<Vec<u8>>,
        path: &Path,
        files: &dyn Files,
    ) -> Result<Self, Fault> {
        let content = |buffer: buffer::Buffer<'_>| {
            let bytes = match buffer.source() {
                buffer::Source::Bin => blob.take().ok_or_else(|| {
                    let used = document.extensions_used().find(|name| COMPRESSION.contains(name));
                    let none = || Fault::whole(format!("buffer {} has no content", buffer.index()));
                    used.map_or_else(none, compressed)
                }),
                buffer::Source::Uri(uri) => fetch(uri, path, files),
            }?;
            if bytes.len() < buffer.length() {
                let found = (buffer.index(), buffer.length(), bytes.len());
                return Err(Fault::whole(format!(
                    "buffer {} should have {} bytes, but has {}",
                    found.0, found.1, found.2
                )));
            }
            Ok(bytes)
        };
        let contents: Vec<Vec<u8>> = document.buffers().map(content).collect::<Result<_, _>>()?;
        Ok(Self(contents, document.clone()))
    }

    /// Returns the numbers of an accessor of vectors; integers stand for themselves, or if they are normalised for shares of the
    /// largest one.
    ///
    /// Source: glTF 2.0 specification, §3.11 (normalised integers), and KHR_mesh_quantization.
    fn reals(&self, accessor: &Accessor<'_>, dimensions: Dimensions) -> Result<Vec<f64>, Fault> {
        let n = match dimensions {
            Dimensions::Vec3 => 3,
            Dimensions::Vec4 => 4,
            Dimensions::Scalar
            | Dimensions::Vec2
            | Dimensions::Mat2
            | Dimensions::Mat3
            | Dimensions::Mat4 => 1,
        };
        if accessor.dimensions() != dimensions {
            let found = (accessor.dimensions(), accessor.data_type());
            return Err(Fault::whole(format!("expected vectors of {n} numbers, found {found:?}")));
        }
        let (size, largest) = match accessor.data_type() {
            DataType::F32 => (4, 1.0),
            DataType::I8 => (1, 127.0),
            DataType::U8 => (1, 255.0),
            DataType::I16 => (2, 32767.0),
            DataType::U16 => (2, 65535.0),
            DataType::U32 => {
                return Err(Fault::whole(
                    "expected vectors of f32 or of integers of at most 16 bits, found u32",
                ));
            }
        };
        let is_share = accessor.normalized() && accessor.data_type() != DataType::F32;
        let number = |bytes: &[u8]| {
            let value = number(accessor.data_type(), bytes);
            if is_share { (value / largest).max(-1.0) } else { value }
        };
        Ok(self.elements(accessor, n * size)?.chunks_exact(size).map(number).collect())
    }

    fn indices(&self, accessor: &Accessor<'_>) -> Result<Vec<u32>, Fault> {
        if accessor.dimensions() != Dimensions::Scalar {
            let found = (accessor.data_type(), accessor.dimensions());
            return Err(Fault::whole(format!("expected indices as unsigned scalars, found {found:?}")));
        }
        match accessor.data_type() {
            DataType::U8 => Ok(unsigned(&self.elements(accessor, 1)?, 1)),
            DataType::U16 => Ok(unsigned(&self.elements(accessor, 2)?, 2)),
            DataType::U32 => Ok(unsigned(&self.elements(accessor, 4)?, 4)),
            found @ (DataType::I8 | DataType::I16 | DataType::F32) => {
                Err(Fault::whole(format!("expected indices as unsigned scalars, found {found:?}")))
            }
        }
    }

    /// Returns the elements of an accessor, each of `size` bytes, one after the other.
    fn elements(&self, accessor: &Accessor<'_>, size: usize) -> Result<Vec<u8>, Fault> {
        let whose = |what: &str| Fault::whole(format!("accessor {}: {what}", accessor.index()));
        let mut elements = match accessor.view() {
            Some(view) => {
                self.strided(&view, accessor.offset(), accessor.count(), size).map_err(|f| whose(&f))?
            }
            // Without a view all elements are 0, as far as `sparse` does not say otherwise.
            None if accessor.sparse().is_some() && accessor.count() <= MOST_REPEATED => {
                vec![0; accessor.count() * size]
            }
            None => return Err(whose("expected a buffer view")),
        };
        if let Some(sparse) = accessor.sparse() {
            self.replace(&sparse, &mut elements, size).map_err(|f| whose(&f))?;
        }
        Ok(elements)
    }

    /// Replaces the elements that a sparse accessor names.
    fn replace(&self, sparse: &sparse::Sparse<'_>, elements: &mut [u8], size: usize) -> Result<(), String> {
        let (indices, values) = (sparse.indices(), sparse.values());
        let width = match indices.index_type() {
            sparse::IndexType::U8 => 1,
            sparse::IndexType::U16 => 2,
            sparse::IndexType::U32 => 4,
        };
        let (n, at) = (sparse.count(), indices.offset());
        let indices = unsigned(&self.strided(&indices.view(), at, n, width)?, width);
        let values = self.strided(&values.view(), values.offset(), n, size)?;
        for (index, value) in indices.into_iter().zip(values.chunks_exact(size)) {
            let start = (index as usize).saturating_mul(size);
            let place = elements.get_mut(start..start.saturating_add(size));
            place.ok_or_else(|| format!("its sparse part names element {index}"))?.copy_from_slice(value);
        }
        Ok(())
    }

    /// Returns `count` elements of `size` bytes of a view, from `offset` on.
    fn strided(&self, view: &View<'_>, offset: usize, count: usize, size: usize) -> Result<Vec<u8>, String> {
        let stride = view.stride().unwrap_or(size);
        if stride < size {
            return Err(format!("elements of {size} bytes overlap at a stride of {stride}"));
        }
        let bytes = view
            .offset()
            .checked_add(view.length())
            .and_then(|end| self.0[view.buffer().index()].get(view.offset()..end))
            .and_then(|bytes| bytes.get(offset..))
            .ok_or("its buffer view reaches beyond the buffer")?;
        let element = |i: usize| {
            let start = i.checked_mul(stride)?;
            bytes.get(start..start.checked_add(size)?)
        };
        if count > 0 && element(count - 1).is_none() {
            return Err(format!("{count} elements reach beyond the buffer view"));
        }
        Ok((0..count).filter_map(element).flatten().copied().collect())
    }
}

/// Returns a little-endian number of this type.
fn number(data_type: DataType, b: &[u8]) -> f64 {
    match data_type {
        DataType::F32 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        DataType::I8 => f64::from(b[0] as i8),
        DataType::U8 => f64::from(b[0]),
        DataType::I16 => f64::from(i16::from_le_bytes([b[0], b[1]])),
        DataType::U16 => f64::from(u16::from_le_bytes([b[0], b[1]])),
        DataType::U32 => f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
    }
}

/// Returns the little-endian numbers of `size` bytes each.
fn unsigned(bytes: &[u8], size: usize) -> Vec<u32> {
    let number = |b: &[u8]| b.iter().rev().fold(0, |n, byte| n << 8 | u32::from(*byte));
    bytes.chunks_exact(size).map(number).collect()
}

/// Returns the bytes of a URI: its embedded data, or a file with a path relative to the glTF file.
fn fetch(uri: &str, path: &Path, files: &dyn Files) -> Result<Vec<u8>, Fault> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, data) = data.split_once(";base64,").ok_or_else(|| Fault::whole("expected data in base64"))?;
        let decoded = base64::engine::general_purpose::STANDARD.decode(data);
        return decoded.map_err(|error| Fault::whole(format!("data in base64: {error}")));
    }
    let unreadable = |why: String| Fault::whole(format!("buffer `{uri}`: {why}"));
    if uri.contains(':') {
        return Err(unreadable("only paths relative to the glTF file are read".into()));
    }
    let relative =
        percent_encoding::percent_decode_str(uri).decode_utf8().map_err(|e| unreadable(e.to_string()))?;
    let location = path.parent().unwrap_or(Path::new("")).join(&*relative);
    files.read(&location).map_err(|error| unreadable(format!("{}: {error}", location.display())))
}

//! Reading of glTF 2.0 and GLB. The gltf crate parses and validates the structure; the buffers are read here,
//! with every offset checked.

use std::path::Path;

use base64::Engine;
use gltf::accessor::{DataType, Dimensions};
use gltf::mesh::Mode;
use gltf::scene::Transform;
use gltf::{Accessor, Document, Gltf, Mesh, Node, Primitive, Semantic, buffer};
use rigor_geometry::mesh::Soup;
use rigor_math::{Mat3, Vec3};

use super::assembly::Assembly;
use super::{Fault, Location};
use crate::Files;

/// Reads the triangles, lines and points of the default scene, of the first scene if there is no default, or
/// of all root nodes if there is no scene; nodes place their meshes. Vertices of one mesh at equal positions
/// are joined, because files repeat a vertex for each of its normals. Content without a meaning for rigid
/// meshes is listed in `left_out`.
pub(super) fn read(
    bytes: &[u8],
    path: &Path,
    files: &dyn Files,
    left_out: &mut Vec<String>,
) -> Result<Soup, Fault> {
    check_length(bytes)?;
    let (document, blob) = parse(bytes)?;
    if let Some(extension) = document.extensions_required().next() {
        return Err(Fault::whole(format!(
            "the file requires the extension {extension}, which is not supported"
        )));
    }
    let buffers = Buffers::load(&document, blob, path, files)?;
    name_left_out(&document, left_out);
    let mut reader =
        Reader { buffers, assembly: Assembly::default(), visited: vec![false; document.nodes().len()] };
    for node in roots(&document) {
        reader.node(&node, &Affine::identity(), 0)?;
    }
    Ok(reader.assembly.soup)
}

/// Returns the validated structure, and the content of the first buffer if the file contains it.
fn parse(bytes: &[u8]) -> Result<(Document, Option<Vec<u8>>), Fault> {
    let fault = |error: gltf::Error| Fault::whole(error.to_string());
    let Gltf { document, blob } = Gltf::from_slice_without_validation(bytes).map_err(fault)?;
    let root = document.into_json();
    // The crate's validation uses the accessors of primitives without checking that they exist.
    let n_accessors = root.accessors.len();
    let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let used = primitives.flat_map(|primitive| primitive.attributes.values());
    if let Some(index) = used.map(gltf::json::Index::value).find(|index| *index >= n_accessors) {
        return Err(Fault::whole(format!("a primitive names accessor {index}, but there are {n_accessors}")));
    }
    Ok((Document::from_json(root).map_err(fault)?, blob))
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

fn name_left_out(document: &Document, left_out: &mut Vec<String>) {
    let counts = [("animation(s)", document.animations().len()), ("skin(s)", document.skins().len())];
    left_out.extend(counts.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!("{n} {what}")));
    let morphed = document.meshes().filter(|mesh| mesh.weights().is_some()).count();
    if morphed > 0 {
        left_out.push(format!("morph targets of {morphed} mesh(es)"));
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
    visited: Vec<bool>,
}

impl Reader {
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
            let soup = self.mesh(&mesh, &placement)?;
            self.assembly.append(&soup)?;
        }
        node.children().try_for_each(|child| self.node(&child, &placement, depth + 1))
    }

    fn mesh(&self, mesh: &Mesh<'_>, placement: &Affine) -> Result<Soup, Fault> {
        let mut assembly = Assembly::default();
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
        let positions = self.buffers.positions(&positions)?;
        for position in &positions {
            assembly.vertex(placement.point(position))?;
        }
        let indices: Vec<i64> = match primitive.indices() {
            Some(accessor) => {
                self.buffers.indices(&accessor)?.iter().map(|i| first + i64::from(*i)).collect()
            }
            None => (first..assembly.n_vertices() as i64).collect(),
        };
        let is_mirrored = placement.linear.determinant() < 0.0;
        faces(primitive.mode(), &indices).into_iter().try_for_each(|mut face| {
            if is_mirrored {
                face.reverse();
            }
            assembly.face(Location::File, &face)
        })
    }
}

/// Returns the triangles, edges or points that the indices describe.
///
/// Source: glTF 2.0 specification, §3.7.2.1: triangle i of a strip is (i, i+1+i%2, i+2−i%2), of a fan (i+1, i+2, 0).
fn faces(mode: Mode, v: &[i64]) -> Vec<Vec<i64>> {
    let pairs = || v.windows(2).map(<[i64]>::to_vec);
    match mode {
        Mode::Points => vec![],
        Mode::Lines => v.chunks_exact(2).map(<[i64]>::to_vec).collect(),
        Mode::LineStrip => pairs().collect(),
        Mode::LineLoop => {
            let closing = (v.len() > 2).then(|| vec![v[v.len() - 1], v[0]]);
            pairs().chain(closing).collect()
        }
        Mode::Triangles => v.chunks_exact(3).map(<[i64]>::to_vec).collect(),
        Mode::TriangleStrip => {
            let corners =
                |(i, t): (usize, &[i64])| if i % 2 == 0 { t.to_vec() } else { vec![t[0], t[2], t[1]] };
            v.windows(3).enumerate().map(corners).collect()
        }
        Mode::TriangleFan => (2..v.len()).map(|i| vec![v[i - 1], v[i], v[0]]).collect(),
    }
}

/// The contents of all buffers.
struct Buffers(Vec<Vec<u8>>);

impl Buffers {
    fn load(
        document: &Document,
        mut blob: Option<Vec<u8>>,
        path: &Path,
        files: &dyn Files,
    ) -> Result<Self, Fault> {
        let content = |buffer: buffer::Buffer<'_>| {
            let bytes = match buffer.source() {
                buffer::Source::Bin => blob
                    .take()
                    .ok_or_else(|| Fault::whole(format!("buffer {} has no content", buffer.index()))),
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
        document.buffers().map(content).collect::<Result<_, _>>().map(Self)
    }

    fn positions(&self, accessor: &Accessor<'_>) -> Result<Vec<Vec3>, Fault> {
        if (accessor.data_type(), accessor.dimensions()) != (DataType::F32, Dimensions::Vec3) {
            let found = (accessor.dimensions(), accessor.data_type());
            return Err(Fault::whole(format!("expected positions as vectors of three f32, found {found:?}")));
        }
        let elements = self.elements::<12>(accessor)?;
        let number = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        Ok(elements.iter().map(|e| wide([number(&e[..4]), number(&e[4..8]), number(&e[8..])])).collect())
    }

    fn indices(&self, accessor: &Accessor<'_>) -> Result<Vec<u32>, Fault> {
        match (accessor.data_type(), accessor.dimensions()) {
            (DataType::U8, Dimensions::Scalar) => {
                Ok(self.elements::<1>(accessor)?.iter().map(|e| e[0].into()).collect())
            }
            (DataType::U16, Dimensions::Scalar) => {
                Ok(self.elements::<2>(accessor)?.iter().map(|e| u16::from_le_bytes(*e).into()).collect())
            }
            (DataType::U32, Dimensions::Scalar) => {
                Ok(self.elements::<4>(accessor)?.iter().map(|e| u32::from_le_bytes(*e)).collect())
            }
            found => Err(Fault::whole(format!("expected indices as unsigned scalars, found {found:?}"))),
        }
    }

    /// Returns the elements of an accessor, each of `N` bytes.
    fn elements<const N: usize>(&self, accessor: &Accessor<'_>) -> Result<Vec<[u8; N]>, Fault> {
        let whose = |what: &str| Fault::whole(format!("accessor {}: {what}", accessor.index()));
        if accessor.sparse().is_some() {
            return Err(whose("sparse accessors are not supported"));
        }
        let view = accessor.view().ok_or_else(|| whose("expected a buffer view"))?;
        let stride = view.stride().unwrap_or(N);
        if stride < N {
            return Err(whose(&format!("elements of {N} bytes overlap at a stride of {stride}")));
        }
        let bytes = view
            .offset()
            .checked_add(view.length())
            .and_then(|end| self.0[view.buffer().index()].get(view.offset()..end))
            .and_then(|bytes| bytes.get(accessor.offset()..))
            .ok_or_else(|| whose("its buffer view reaches beyond the buffer"))?;
        let element = |i: usize| {
            let start = i.checked_mul(stride)?;
            bytes.get(start..start.checked_add(N)?)?.try_into().ok()
        };
        if accessor.count() > 0 && element(accessor.count() - 1).is_none() {
            return Err(whose(&format!("{} elements reach beyond the buffer view", accessor.count())));
        }
        Ok((0..accessor.count()).map_while(element).collect())
    }
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

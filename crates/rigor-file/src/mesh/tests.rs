use std::io;

use proptest::prelude::*;
use rigor_geometry::Surface;
use rigor_geometry::mesh::Dropped;
use rigor_math::Vec3;

use super::*;
use crate::Grade;

/// Files in memory: none, or one buffer.
struct Memory(Vec<(PathBuf, Vec<u8>)>);

impl Files for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let found = self.0.iter().find(|(name, _)| name == path);
        found.map(|(_, bytes)| bytes.clone()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn read_alone(name: &str, bytes: &[u8]) -> Result<MeshFile, MeshFileError> {
    read(Path::new(name), bytes, &Memory(vec![]))
}

fn message(name: &str, bytes: &[u8]) -> String {
    read_alone(name, bytes).unwrap_err().to_string()
}

/// The tetrahedron of the origin and the three unit points.
const CORNERS: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const TRIANGLES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

fn tetrahedron() -> Mesh {
    Mesh::new(CORNERS.map(Vec3::from).to_vec(), TRIANGLES.to_vec(), vec![]).unwrap()
}

fn stl_text() -> String {
    let mut text = "solid a # name\n".to_owned();
    for t in TRIANGLES {
        let corner = |v: u32| {
            let [x, y, z] = CORNERS[v as usize];
            format!("vertex {x} {y} {z}\n")
        };
        let corners: String = t.map(corner).concat();
        text += &format!(" facet normal nan 0 0\n outer loop\n{corners}endloop\n endfacet\n");
    }
    text + "endsolid a\n"
}

fn stl_binary() -> Vec<u8> {
    let mut bytes = b"solid but binary, as some exporters begin their header".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(4_u32.to_le_bytes());
    for t in TRIANGLES {
        bytes.extend([0; 12]);
        let coordinates = t.into_iter().flat_map(|v| CORNERS[v as usize]);
        bytes.extend(coordinates.flat_map(|c| (c as f32).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

const OFF: &str = "COFF # with colours\n4 4 6\n\n0 0 0 255 0 0\n1 0 0 0 0 0\n0 1 0 0 0 0\n0 0 1 0 0 0\n\
                   3 0 2 1\n3 0 1 3 0.5 0.5 0.5\n3 1 2 3\n3 0 3 2\n";

const PLY_TEXT: &str = "ply\nformat ascii 1.0\ncomment made here\nelement vertex 4\nproperty double x\n\
    property double y\nproperty double z\nproperty uchar red\nelement face 4\n\
    property list uchar int vertex_indices\nelement edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n\
    0 0 0 1\n1 0 0 2\n0 1 0 3\n0 0 1 4\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n0 1\n";

fn ply_binary() -> Vec<u8> {
    let mut bytes =
        b"ply\nformat binary_big_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        property float z\nelement face 4\nproperty list uchar uint vertex_index\nend_header\n"
            .to_vec();
    bytes.extend(CORNERS.iter().flatten().flat_map(|c| (*c as f32).to_be_bytes()));
    for t in TRIANGLES {
        bytes.push(3);
        bytes.extend(t.into_iter().flat_map(u32::to_be_bytes));
    }
    bytes
}

/// Positions, then indices as u16.
fn gltf_buffer() -> Vec<u8> {
    let mut bytes: Vec<u8> = CORNERS.iter().flatten().flat_map(|c| (*c as f32).to_le_bytes()).collect();
    bytes.extend(TRIANGLES.iter().flatten().flat_map(|v| (*v as u16).to_le_bytes()));
    bytes
}

/// A glTF file whose buffer table contains `buffer`, placed by a node with `transform`.
fn gltf(buffer: &str, transform: &str) -> String {
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [1]}}],
        "nodes": [{{"mesh": 0 {transform}}}, {{"children": [0], "scale": [2, 2, 2]}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
        "accessors": [
            {{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]}},
            {{"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 48}}, {{"buffer": 0, "byteOffset": 48, "byteLength": 24}}],
        "buffers": [{{"byteLength": 72 {buffer}}}]}}"#
    )
}

fn glb(transform: &str) -> Vec<u8> {
    let mut json = gltf("", transform).into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let buffer = gltf_buffer();
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((12 + 8 + json.len() as u32 + 8 + buffer.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &buffer)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

fn embedded(transform: &str) -> String {
    use base64::Engine;
    let data = base64::engine::general_purpose::STANDARD.encode(gltf_buffer());
    gltf(&format!(r#", "uri": "data:application/octet-stream;base64,{data}""#), transform)
}

/// The tetrahedron in every format.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("t.obj", write_obj(&tetrahedron()).into_bytes()),
        ("text.stl", stl_text().into_bytes()),
        ("binary.stl", stl_binary()),
        ("t.off", OFF.as_bytes().to_vec()),
        ("text.ply", PLY_TEXT.as_bytes().to_vec()),
        ("binary.ply", ply_binary()),
        ("t.gltf", embedded(r#", "scale": [0.5, 0.5, 0.5]"#).into_bytes()),
        ("t.glb", glb(r#", "scale": [0.5, 0.5, 0.5]"#)),
    ]
}

#[test]
fn every_format_gives_the_same_tetrahedron() {
    for (name, bytes) in samples() {
        let file = read_alone(name, &bytes).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(file.warnings, [], "{name}");
        assert!((file.mesh.signed_volume() - 1.0 / 6.0).abs() < 1e-16, "{name}");
        // STL has no list of vertices: they appear in the order in which the facets name them.
        if !name.ends_with(".stl") {
            assert_eq!(file.mesh, tetrahedron(), "{name}");
        }
        assert_eq!((file.mesh.vertices().len(), file.mesh.edges().len()), (4, 6), "{name}");
    }
}

#[test]
fn obj_reads_every_form_of_corner_and_keeps_free_vertices() {
    let text = "mtllib a.mtl\no name of it\nv 0 0 0 1.0\nv 1 0 0 0.2 0.4 0.6\r\nvt 0 0\nvn 0 0 1\nv 0 1 0\n\
                f 1 2//1 \\\n 3/1/1\nv 5 5 5\nv 6 6 6\nv 7 7 7\nl -2/1 -1/1 4\np 1\nf -6/1 -4 7\nv 0 0 9\n";
    let mesh = read_alone("a.obj", text.as_bytes()).unwrap().mesh;
    assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 6]], "an index may point to a later vertex");
    assert_eq!(mesh.wires(), [[4, 5], [3, 5]]);
    let free = read_alone("a.obj", b"v 0 0 0\nv 1 1 1").unwrap().mesh;
    assert_eq!(free.points(), [0, 1]);
}

#[test]
fn faces_of_fewer_than_three_corners_of_obj_are_told_and_left_out() {
    let faces = "f 1 3 2\nf 1 2\nf 1 2 4\nf 2 3 4\nf\nf 1 4 3\n";
    let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n{faces}");
    let file = read_alone("a.obj", text.as_bytes()).unwrap();
    assert_eq!((file.mesh.triangles().len(), file.mesh.wires().len()), (4, 0));
    let [note] = &file.warnings[..] else { panic!("{:?}", file.warnings) };
    assert_eq!(note.grade(), Grade::Physics);
    assert!(
        note.to_string().starts_with("2 statement(s) `f of fewer than three corners` (line 6)"),
        "{note}"
    );
}

#[test]
fn errors_say_where_and_what() {
    let cases = [
        ("a.obj", "v 0 0 0\nv 1 0\n", "a.obj: line 2: expected three coordinates, found 2"),
        ("a.obj", "v 0 0 0\nf 1 2 3\n", "a.obj: line 2: the face names vertex 1 (from 0), but there are 1"),
        ("a.obj", "v 0 0 0\n\nf -1 -2 -1", "a.obj: line 3: expected an index of at least -1, found `-2`"),
        ("a.obj", "v 0 0 0\nf 0 1 1", "a.obj: line 2: expected a vertex index, which starts at 1, found `0`"),
        ("a.obj", "v 0 0 0\nl 1", "a.obj: line 2: `l` needs at least 2 corners, found 1"),
        ("a.obj", "v 0 0 0\nf 1 1", "a.obj: line 2: `f` needs at least 3 corners, found 2"),
        ("a.obj", "curv 0 1 1 2", "a.obj: line 1: expected an OBJ statement of polygons"),
        ("a.obj", "", "a.obj: the mesh is empty: it has no vertices"),
        ("a.off", "OFF 2 1", "a.off: line 1: expected 2 vertices, but the file ends here"),
        ("a.off", "4OFF 2 1 0", "a.off: line 1: expected `OFF` (three coordinates, as text), found `4OFF`"),
        ("a.off", "OFF 1 1 0\n0 0 0\n3 0 0\n", "a.off: line 3: expected 3 corners on the line of the face"),
        (
            "a.off",
            "OFF 99999999999 0 0\n0 0 0\n",
            "a.off: line 3: expected 99999999999 vertices, but the file",
        ),
        (
            "a.stl",
            "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x",
            "a.stl: line 4: expected a finite number",
        ),
        ("a.stl", "solid\n", "a.stl: line 2: expected `facet` or `endsolid`, but the file ends here"),
        ("a.stl", "sol", "a.stl: byte 3: expected `solid` or a binary header of 84 bytes, found 3 bytes"),
        (
            "a.ply",
            "ply\nformat ascii 1.0\nelement vertex 4294967295\nproperty float x\nproperty float y\n\
            property float z\nend_header\n0 0 0\n",
            "a.ply: the header announces 4294967295 of element `vertex`",
        ),
        (
            "a.ply",
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0",
            "a.ply: expected property `y` of element `vertex`",
        ),
        (
            "a.ply",
            "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_index\nend_header\n1 2\n",
            "a.ply: line 6: the face names vertex 2 (from 0), but there are 0",
        ),
        ("a.ply", "ply\nformat tiff 1.0\n", "a.ply: line 2: Couldn't parse line"),
        ("a.step", "", "a.step: expected a mesh file (.obj, .stl, .ply, .gltf, .glb, .off, .dae or .msh)"),
        ("a.gltf", "{", "a.gltf: "),
    ];
    for (name, content, expected) in cases {
        let found = message(name, content.as_bytes());
        assert!(found.starts_with(expected), "{found}");
    }
}

#[test]
fn headers_that_lie_cost_nothing() {
    let mut bytes = stl_binary();
    bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    bytes[0] = b'X';
    let expected =
        "the header announces 4294967295 triangles, which take 214748364834 bytes, but the file has 284";
    assert!(message("a.stl", &bytes).ends_with(expected));
    let billions = embedded("").replace(r#""count": 4"#, r#""count": 4000000000"#);
    assert!(
        message("a.gltf", billions.as_bytes()).contains("4000000000 elements reach beyond the buffer view")
    );
}

#[test]
fn triangles_without_area_are_closed_up_or_left_out_and_counted() {
    // Vertex 5 coincides with 1 and is joined with it; 6 lies on a boundary and disappears too.
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nv 0 0 0\nv 0.5 0 0\nf 1 2 3\nf 1 5 3\nf 2 1 6\nf 2 2 3\nl 1 5\np 4\n";
    let file = read_alone("a.obj", text.as_bytes()).unwrap();
    assert_eq!(
        file.mesh.triangles(),
        [[5, 1, 2], [0, 5, 2]].map(|t: [u32; 3]| t.map(|v| if v == 5 { 4 } else { v }))
    );
    assert_eq!(file.mesh.points(), [3]);
    let wire = Dropped { triangles: 0, wires: 1, vertices: 0 };
    assert_eq!(
        file.warnings,
        [
            MeshWarning::Joined { vertices: 1, distance: 0.0, size: 75.0_f64.sqrt() },
            MeshWarning::ClosedUp { triangles: 3 },
            MeshWarning::Degenerate(wire),
            MeshWarning::Surface(Surface::Open { edges: 4 })
        ]
    );
    let lonely = read_alone("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\n").unwrap();
    let left_out = Dropped { triangles: 1, wires: 0, vertices: 1 };
    assert_eq!(lonely.warnings[0], MeshWarning::Degenerate(left_out));
}

#[test]
fn inverted_surfaces_are_turned() {
    let file = read_alone("a.obj", write_obj(&tetrahedron().flipped()).as_bytes()).unwrap();
    assert_eq!(file.warnings, [MeshWarning::Inverted { components: 1 }]);
    assert_eq!(file.mesh.surface(), Surface::Closed);
}

#[test]
fn gltf_nodes_place_their_meshes() {
    let turned = r#", "translation": [1, 2, 3], "rotation": [0, 0, 0.6, 0.8], "scale": [1, 1, -4]"#;
    let mesh = read_alone("a.gltf", embedded(turned).as_bytes()).unwrap().mesh;
    // cos = 0.8² − 0.6² = 0.28, sin = 2·0.6·0.8 = 0.96; the parent doubles everything.
    let expected = [[1.0, 2.0, 3.0], [1.28, 2.96, 3.0], [0.04, 2.28, 3.0], [1.0, 2.0, -1.0]];
    for (v, e) in mesh.vertices().iter().zip(expected) {
        assert!((v / 2.0 - Vec3::from(e)).norm() < 1e-7, "{v} {e:?}: f32 has 7 digits");
    }
    // The transform mirrors, so the triangles are reversed: the volume 8·4/6 stays positive.
    assert!((mesh.signed_volume() / (32.0 / 6.0) - 1.0).abs() < 1e-6);
    let matrix = r#", "matrix": [0, 0.5, 0, 0, -0.5, 0, 0, 0, 0, 0, 0.5, 0, 7, 8, 9, 1]"#;
    let mesh = read_alone("a.gltf", embedded(matrix).as_bytes()).unwrap().mesh;
    assert_eq!(mesh.vertices()[1], Vec3::new(14.0, 17.0, 18.0));
}

#[test]
fn gltf_buffers_come_from_files_beside_it() {
    let text = gltf(r#", "uri": "my%20mesh.bin""#, "");
    let files = Memory(vec![(PathBuf::from("dir/my mesh.bin"), gltf_buffer())]);
    let mesh = read(Path::new("dir/a.gltf"), text.as_bytes(), &files).unwrap().mesh;
    assert_eq!(mesh, tetrahedron().map_vertices(|v| v * 2.0));
    let missing = message("a.gltf", text.as_bytes());
    assert!(missing.contains("buffer `my%20mesh.bin`: my mesh.bin: entity not found"), "{missing}");
    let remote = gltf(r#", "uri": "https://example.org/a.bin""#, "");
    assert!(message("a.gltf", remote.as_bytes()).contains("only paths relative to the glTF file are read"));
}

#[test]
fn gltf_strips_fans_lines_and_cycles() {
    let with_mode = |mode: u32| embedded("").replace(r#""indices": 1"#, &format!(r#""mode": {mode}"#));
    let mesh = |mode| read_alone("a.gltf", with_mode(mode).as_bytes()).unwrap().mesh;
    assert_eq!((mesh(0).points().len(), mesh(1).wires().len()), (4, 2));
    assert_eq!((mesh(2).wires().len(), mesh(3).wires().len()), (4, 3));
    assert_eq!(mesh(5).triangles(), [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(mesh(6).triangles(), [[1, 2, 0], [2, 3, 0]]);
    let nowhere = embedded("").replace(r#""POSITION": 0"#, r#""POSITION": 7"#);
    assert!(message("a.gltf", nowhere.as_bytes()).ends_with("a primitive names accessor 7, but there are 2"));
    let cycle = embedded("").replace(r#""mesh": 0"#, r#""mesh": 0, "children": [1]"#);
    assert!(message("a.gltf", cycle.as_bytes()).contains("reached twice"));
}

fn vertex() -> impl Strategy<Value = [f64; 3]> {
    let number = || prop_oneof![any::<f64>().prop_filter("finite", |x| x.is_finite()), -1.0..1.0f64];
    [number(), number(), number()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn obj_round_trip_is_bit_identical(
        corners in prop::collection::vec(vertex(), 4..20),
        faces in prop::collection::vec([0..4u32, 0..4u32, 0..4u32], 0..6),
        wires in prop::collection::vec([0..4u32, 0..4u32], 0..6),
    ) {
        let soup = Soup { vertices: corners.into_iter().map(Vec3::from).collect(), triangles: faces, wires };
        let mesh = soup.drop_degenerate().unwrap().0.into_mesh();
        prop_assume!(mesh.is_ok(), "every face lost its extent, and all vertices with it");
        let mesh = mesh.unwrap();
        // The first reading may join and turn.
        let mesh = read_alone("a.obj", write_obj(&mesh).as_bytes()).unwrap().mesh;
        let again = read_alone("a.obj", write_obj(&mesh).as_bytes()).unwrap().mesh;
        prop_assert_eq!(&again, &mesh);
        let bits = |mesh: &Mesh| mesh.vertices().iter().flat_map(|v| [v.x, v.y, v.z]).map(f64::to_bits).collect::<Vec<_>>();
        prop_assert_eq!(bits(&again), bits(&mesh), "the sign of zero too");
    }

    #[test]
    fn obj_agrees_with_tobj(corners in prop::collection::vec([-9.0..9.0f64, -9.0..9.0, -9.0..9.0], 3..20)) {
        let n = corners.len() as u32;
        let triangles: Vec<[u32; 3]> = (2..n).map(|i| [0, i - 1, i]).collect();
        let mesh = Mesh::new(corners.into_iter().map(Vec3::from).collect(), triangles, vec![]).unwrap();
        let text = write_obj(&mesh);
        let no_materials = |_: &Path| unreachable!();
        let (models, _) = tobj::load_obj_buf(&mut text.as_bytes(), &tobj::LoadOptions::default(), no_materials).unwrap();
        let positions: Vec<f64> = mesh.vertices().iter().flat_map(|v| [v.x, v.y, v.z]).collect();
        prop_assert_eq!(&models[0].mesh.positions, &positions);
        prop_assert_eq!(&models[0].mesh.indices, &mesh.triangles().concat());
        prop_assert_eq!(read_alone("a.obj", text.as_bytes()).unwrap().mesh, mesh);
    }

    #[test]
    fn stl_agrees_with_stl_io(corners in prop::collection::vec([-2..2i8, -2..2i8, -2..2i8], 3..30)) {
        let corner = |c: &[i8; 3]| stl_io::Vertex::new(c.map(|x| f32::from(x) / 3.0));
        let triangles: Vec<stl_io::Triangle> = corners
            .chunks_exact(3)
            .map(|t| stl_io::Triangle { normal: stl_io::Normal::new([0.0; 3]), vertices: [corner(&t[0]), corner(&t[1]), corner(&t[2])] })
            .collect();
        let mut bytes = Vec::new();
        stl_io::write_stl(&mut bytes, triangles.iter()).unwrap();
        let theirs = stl_io::read_stl(&mut io::Cursor::new(&bytes)).unwrap();
        let ours = stl::read(&bytes).unwrap().soup;
        prop_assert_eq!(ours.vertices, theirs.vertices.iter().map(|v| Vec3::from(v.0.map(f64::from))).collect::<Vec<_>>());
        prop_assert_eq!(ours.triangles, theirs.faces.iter().map(|f| f.vertices.map(|v| v as u32)).collect::<Vec<_>>());
    }

    #[test]
    fn no_damage_to_a_file_panics(
        which in 0..8usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
        repeat in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>())),
    ) {
        let (name, mut bytes) = samples().swap_remove(which);
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some((from, to)) = repeat {
            let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
            bytes.extend_from_within(from.min(to)..from.max(to));
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(file) = read_alone(name, &bytes) {
            prop_assert!(!file.mesh.vertices().is_empty());
        }
    }
}

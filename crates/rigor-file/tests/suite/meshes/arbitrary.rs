//! Arbitrary content: bytes, and structure with damage. `PROPTEST_CASES` sets the number of cases.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::sample::{Index, select};
use rigor_file::mesh::{self, Nested, write_obj};
use rigor_geometry::Mesh;
use rigor_math::Vec3;

use super::read;

/// Numbers that are seldom right.
const NUMBERS: [&str; 22] = [
    "0",
    "-1",
    "1",
    "2",
    "3",
    "-2",
    "255",
    "256",
    "65536",
    "4294967295",
    "4294967296",
    "1000000000",
    "-9223372036854775808",
    "18446744073709551616",
    "1e308",
    "-1e308",
    "1e-308",
    "5e-324",
    "nan",
    "inf",
    "1e999",
    "",
];
/// Words of all formats.
const WORDS: [&str; 40] = [
    "v",
    "f",
    "l",
    "p",
    "vt",
    "vn",
    "#",
    "\\",
    "/",
    "//",
    "solid",
    "endsolid",
    "facet",
    "outer",
    "loop",
    "endloop",
    "endfacet",
    "vertex",
    "normal",
    "OFF",
    "COFF",
    "BINARY",
    "ply",
    "format",
    "ascii",
    "element",
    "property",
    "list",
    "uchar",
    "int",
    "float",
    "face",
    "tristrips",
    "vertex_indices",
    "end_header",
    "\"sparse\"",
    "\"mode\"",
    "null",
    "[]",
    "{}",
];

const NAMES: [&str; 7] = ["a.obj", "a.stl", "a.ply", "a.off", "a.gltf", "a.dae", "a.msh"];

/// A surface as corners on a small lattice and polygons, so that corners coincide, sides are flat, and polygons cross themselves.
#[derive(Debug, Clone)]
struct Drawn {
    vertices: Vec<[i8; 3]>,
    faces: Vec<Vec<u8>>,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let vertices = prop::collection::vec([-2..3i8, -2..3i8, -2..3i8], 3..24);
    let faces = prop::collection::vec(prop::collection::vec(any::<u8>(), 3..7), 1..24);
    (vertices, faces).prop_map(|(vertices, mut faces)| {
        let n = vertices.len() as u8;
        faces.iter_mut().flatten().for_each(|v| *v %= n);
        Drawn { vertices, faces }
    })
}

impl Drawn {
    fn obj(&self) -> String {
        let vertices = self.vertices.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n"));
        let row = |face: &Vec<u8>| face.iter().map(|v| format!(" {}", v + 1)).collect::<String>();
        vertices.chain(self.faces.iter().map(|face| format!("f{}\n", row(face)))).collect()
    }

    /// Rows of vertices and faces, as PLY and OFF have them.
    fn rows(&self) -> String {
        let vertices = self.vertices.iter().map(|[x, y, z]| format!("{x} {y} {z}\n"));
        let row = |face: &Vec<u8>| face.iter().map(|v| format!(" {v}")).collect::<String>();
        vertices.chain(self.faces.iter().map(|face| format!("{}{}\n", face.len(), row(face)))).collect()
    }

    fn off(&self) -> String {
        format!("OFF\n{} {} 0\n{}", self.vertices.len(), self.faces.len(), self.rows())
    }

    fn ply(&self) -> String {
        format!(
            "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
             element face {}\nproperty list uchar int vertex_indices\nend_header\n{}",
            self.vertices.len(),
            self.faces.len(),
            self.rows()
        )
    }

    fn triangles(&self) -> impl Iterator<Item = [[i8; 3]; 3]> + '_ {
        let corner = |v: u8| self.vertices[v as usize];
        self.faces.iter().map(move |face| [corner(face[0]), corner(face[1]), corner(face[2])])
    }

    fn stl(&self) -> String {
        let facet = |corners: [[i8; 3]; 3]| {
            let rows: String = corners.iter().map(|[x, y, z]| format!("vertex {x} {y} {z}\n")).collect();
            format!("facet normal 0 0 0\nouter loop\n{rows}endloop\nendfacet\n")
        };
        format!("solid a\n{}endsolid a\n", self.triangles().map(facet).collect::<String>())
    }

    fn gltf(&self) -> String {
        use base64::Engine;
        let bytes: Vec<u8> =
            self.triangles().flatten().flatten().flat_map(|x| f32::from(x).to_le_bytes()).collect();
        let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
        let (length, count) = (bytes.len(), bytes.len() / 12);
        format!(
            r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":{count},"type":"VEC3","min":[0,0,0],"max":[0,0,0]}}],
            "bufferViews":[{{"buffer":0,"byteLength":{length}}}],"buffers":[{{"byteLength":{length},"uri":"data:;base64,{data}"}}]}}"#
        )
    }

    fn dae(&self) -> String {
        let join = |words: Vec<String>| words.join(" ");
        let positions = join(self.vertices.iter().flatten().map(i8::to_string).collect());
        let counts = join(self.faces.iter().map(|face| face.len().to_string()).collect());
        let corners = join(self.faces.iter().flatten().map(u8::to_string).collect());
        let (n, m) = (self.vertices.len(), self.faces.len());
        format!(
            r##"<?xml version="1.0"?><!DOCTYPE COLLADA SYSTEM "a.dtd"><COLLADA version="1.4.1"><asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
            <library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="{}">{positions}</float_array>
            <technique_common><accessor source="#a" count="{n}" stride="3"/></technique_common></source>
            <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
            <polylist count="{m}"><input semantic="VERTEX" source="#v" offset="0"/><vcount>{counts}</vcount><p>{corners}</p></polylist>
            </mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node>
            </visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"##,
            3 * n
        )
    }

    fn msh(&self) -> Vec<u8> {
        let counts = [self.vertices.len() as i32, 0, 0, self.faces.len() as i32];
        let positions = self.vertices.iter().flatten().flat_map(|x| f32::from(*x).to_le_bytes());
        let corners = self.faces.iter().flat_map(|face| &face[..3]).flat_map(|v| i32::from(*v).to_le_bytes());
        counts.into_iter().flat_map(i32::to_le_bytes).chain(positions).chain(corners).collect()
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        match name {
            "a.obj" => self.obj().into(),
            "a.stl" => self.stl().into(),
            "a.ply" => self.ply().into(),
            "a.off" => self.off().into(),
            "a.dae" => self.dae().into(),
            "a.msh" => self.msh(),
            _ => self.gltf().into(),
        }
    }
}

/// A change of a word: its place, and what it becomes.
#[derive(Debug, Clone)]
enum Damage {
    Word(Index, &'static str),
    Gone(Index),
    Again(Index, Index),
    Byte(Index, u8),
    End(Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (any::<Index>(), select(&NUMBERS[..])).prop_map(|(at, word)| Damage::Word(at, word)),
        (any::<Index>(), select(&WORDS[..])).prop_map(|(at, word)| Damage::Word(at, word)),
        any::<Index>().prop_map(Damage::Gone),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Damage::Again(from, to)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Byte(at, byte)),
        any::<Index>().prop_map(Damage::End),
    ]
}

fn damaged(mut bytes: Vec<u8>, changes: &[Damage]) -> Vec<u8> {
    for change in changes {
        // Words end before whatever is no letter, digit, sign or point.
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || b"+-._\"".contains(b);
        let word = |at: &Index| {
            let at = at.index(bytes.len().max(1));
            let start = bytes[..at.min(bytes.len())].iter().rposition(|b| !is_word(b)).map_or(0, |at| at + 1);
            let end = bytes[start..].iter().position(|b| !is_word(b)).map_or(bytes.len(), |n| start + n);
            start..end
        };
        match change {
            Damage::Word(at, new) => {
                let range = word(at);
                bytes.splice(range, new.bytes());
            }
            Damage::Gone(at) => {
                let range = word(at);
                bytes.drain(range);
            }
            Damage::Again(from, to) => {
                let n = bytes.len().max(1);
                let (from, to) = (from.index(n), to.index(n).min(bytes.len()));
                let piece = bytes[from.min(to)..from.max(to)].to_vec();
                bytes.extend(piece);
            }
            Damage::Byte(at, byte) => {
                let at = at.index(bytes.len().max(1));
                if let Some(place) = bytes.get_mut(at) {
                    *place = *byte;
                }
            }
            Damage::End(at) => bytes.truncate(at.index(bytes.len().max(1))),
        }
    }
    bytes
}

/// Reads a file, and checks what must hold for every mesh that is read.
fn check(name: &str, bytes: &[u8]) -> Result<(), TestCaseError> {
    let started = Instant::now();
    if let Ok(file) = read(name, bytes) {
        prop_assert!(!file.mesh.vertices().is_empty());
        let written = write_obj(&file.mesh);
        let again = read("again.obj", &written).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(&again.mesh, &file.mesh, "changed by writing:\n{}", written);
        for rule in [Nested::Solid, Nested::Void] {
            let _ = mesh::resolve(&file.mesh, rule);
        }
        let _ = mesh::fill(&file.mesh);
    }
    prop_assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    Ok(())
}

/// Every triangle by its positions, in any order, from its smallest corner.
fn surface(mesh: &Mesh) -> Vec<[[i64; 3]; 3]> {
    let place = |v: u32| {
        let p: &Vec3 = &mesh.vertices()[v as usize];
        [p.x as i64, p.y as i64, p.z as i64]
    };
    let turned = |t: &[u32; 3]| {
        let [a, b, c] = t.map(place);
        [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap_or([a, b, c])
    };
    let mut all: Vec<_> = mesh.triangles().iter().map(turned).collect();
    all.sort_unstable();
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(192), ..ProptestConfig::default() })]

    #[test]
    fn bytes_are_read_or_refused(name in select(&NAMES[..]), bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(name, &bytes)?;
        check("a.glb", &[b"glTF\x02\0\0\0", &bytes[..]].concat())?;
        let counts = [bytes.len() as i32 % 24, 0, 0, (bytes.len() as i32 - bytes.len() as i32 % 24 * 12) / 12];
        check("a.msh", &[&counts.map(i32::to_le_bytes).concat()[..], &bytes].concat())?;
        check("a.stl", &[&[0; 80][..], &[bytes.len() as u8 / 50, 0, 0, 0], &bytes].concat())?;
    }

    #[test]
    fn damaged_files_are_read_or_refused(
        name in select(&NAMES[..]),
        drawn in drawn(),
        changes in prop::collection::vec(damage(), 0..8),
    ) {
        check(name, &damaged(drawn.bytes(name), &changes))?;
    }

    #[test]
    fn formats_with_polygons_agree(drawn in drawn()) {
        let [obj, off, ply, dae] = ["a.obj", "a.off", "a.ply", "a.dae"].map(|name| read(name, drawn.bytes(name)));
        if let Ok(obj) = obj {
            prop_assert_eq!(&obj, &off.unwrap());
            prop_assert_eq!(&obj, &ply.unwrap());
            prop_assert_eq!(obj.mesh.triangles().len(), dae.unwrap().mesh.triangles().len());
        } else {
            prop_assert!(off.is_err() && ply.is_err() && dae.is_err());
        }
    }

    #[test]
    fn formats_without_a_list_of_vertices_agree(drawn in drawn()) {
        let [stl, gltf, msh] = ["a.stl", "a.gltf", "a.msh"].map(|name| read(name, drawn.bytes(name)));
        if let (Ok(stl), Ok(gltf), Ok(msh)) = (&stl, &gltf, &msh) {
            prop_assert_eq!(surface(&stl.mesh), surface(&gltf.mesh));
            prop_assert_eq!(surface(&stl.mesh), surface(&msh.mesh));
        } else {
            prop_assert!(stl.is_err() && gltf.is_err() && msh.is_err());
        }
    }

    #[test]
    fn holes_are_always_filled(drawn in drawn()) {
        let Ok(file) = read("a.obj", drawn.obj()) else { return Ok(()) };
        let Ok(Some((filled, _))) = mesh::fill(&file.mesh) else { return Ok(()) };
        let topology = filled.topology();
        prop_assert!((0..filled.edges().len()).all(|e| topology.is_balanced(e)), "{}", filled.surface());
    }
}

#[test]
fn what_a_header_announces_costs_nothing() {
    let nested = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let cases = [
        ("a.ply", "ply\nformat ascii 1.0\nelement vertex 1000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n".to_owned()),
        ("a.ply", "ply\nformat binary_little_endian 1.0\nelement other 1000000000\nproperty list uchar int a\nend_header\n0".to_owned()),
        ("a.ply", "ply\nformat ascii 1.0\nelement face 1\nproperty list uint int vertex_index\nend_header\n1000000000 1\n".to_owned()),
        ("a.off", "OFF\n1000000000 1000000000 0\n0 0 0\n".to_owned()),
        ("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n1000000000 0 1 2\n".to_owned()),
        ("a.gltf", nested.clone()),
        ("a.gltf", format!(r#"{{"asset": {{"version": "2.0"}}, "extras": {nested}}}"#)),
        ("a.gltf", r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
            "accessors":[{"componentType":5126,"count":1000000000,"type":"VEC3","sparse":{"count":1,"indices":{"bufferView":0,"componentType":5121},"values":{"bufferView":0}}}],
            "bufferViews":[{"buffer":0,"byteLength":12}],"buffers":[{"byteLength":12,"uri":"data:;base64,AAAAAAAAAAAAAAAA"}]}"#.to_owned()),
    ];
    for (name, text) in cases {
        let started = Instant::now();
        assert!(read(name, &text).is_err(), "{}", text.chars().take(80).collect::<String>());
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}

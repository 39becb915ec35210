//! Every key of glTF 2.0, as its authors list it, is used or left out on purpose.
//!
//! `benchmarks/corpus/vocabulary.py` writes the list. One file has all of its keys; without one that is used it is read as something
//! else, or not at all.

use std::path::Path;

use base64::Engine;
use rigor_file::mesh;
use serde_json::{Value, json};

use super::Nothing;

/// What each line of the table says.
const TABLE: &str = include_str!("../../../src/mesh/gltf/vocabulary.tsv");
/// Objects that are left out as they are; what is in them has no line.
const WHOLE: [&str; 7] = ["animations", "skins", "cameras", "images", "materials", "samplers", "textures"];

/// A file with all keys: a tetrahedron as a list of triangles, and two triangles as a strip, whose accessors are sparse, normalised,
/// with offsets and strides, and in two buffers.
fn complete() -> Value {
    let corners = [0.0, 0.0, 0.0, 9.0, 1.0, 0.0, 0.0, 9.0, 0.0, 1.0, 0.0, 9.0, 0.0, 0.0, 1.0, 9.0_f32];
    // Four bytes ahead, then corners of 16 bytes each, then indices of the tetrahedron, of the strip, and of the sparse part.
    let mut bytes = vec![7_u8; 4];
    bytes.extend(corners.iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend([0_u16, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2].iter().flat_map(|i| i.to_le_bytes()));
    bytes.extend([0_u8, 1, 2, 3]);
    // A strip of normalised shares, and the corner that the sparse part moves.
    let other = [0_u8, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 255, 255, 0, 0, 9, 9, 9, 9, 9, 3, 255, 255, 255];
    let uri = |bytes: &[u8]| {
        let data = base64::engine::general_purpose::STANDARD.encode(bytes);
        format!("data:application/octet-stream;base64,{data}")
    };
    json!({
        "asset": {"version": "2.0", "minVersion": "2.0", "generator": "g", "copyright": "c"},
        "extensionsUsed": ["KHR_materials_unlit", "EXT_other"], "extensionsRequired": ["KHR_materials_unlit"],
        "scene": 1,
        "scenes": [{"nodes": []}, {"name": "s", "nodes": [0, 2, 3]}],
        "nodes": [
            {"name": "n", "mesh": 0, "children": [1], "translation": [1, 2, 3], "rotation": [0.6, 0, 0, 0.8], "scale": [1, 2, 3],
             "weights": [0.5], "skin": 0, "camera": 0},
            {"mesh": 1},
            {"mesh": 1, "matrix": [2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]},
            {"camera": 0},
        ],
        "meshes": [
            {"name": "m", "weights": [0.5], "primitives": [
                {"attributes": {"POSITION": 0, "NORMAL": 0, "TANGENT": 0, "TEXCOORD_0": 0, "COLOR_0": 0, "JOINTS_0": 0, "WEIGHTS_0": 0, "_OWN": 0},
                 "indices": 1, "material": 0, "targets": [{"POSITION": 0}]}]},
            {"primitives": [{"attributes": {"POSITION": 2}, "indices": 3, "mode": 5}]},
        ],
        "accessors": [
            {"name": "a", "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
            {"bufferView": 2, "componentType": 5121, "normalized": true, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0],
             "sparse": {"count": 1, "indices": {"bufferView": 3, "byteOffset": 5, "componentType": 5121},
                        "values": {"bufferView": 3, "byteOffset": 6}}},
            {"bufferView": 1, "byteOffset": 24, "componentType": 5121, "count": 4, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"name": "v", "buffer": 0, "byteOffset": 4, "byteLength": 64, "byteStride": 16, "target": 34962},
            {"buffer": 0, "byteOffset": 68, "byteLength": 28},
            {"buffer": 1, "byteLength": 16, "byteStride": 4},
            {"buffer": 1, "byteOffset": 16, "byteLength": 9},
        ],
        "buffers": [{"name": "b", "byteLength": bytes.len(), "uri": uri(&bytes)}, {"byteLength": other.len(), "uri": uri(&other)}],
        "animations": [], "skins": [{"joints": [0]}],
        "cameras": [{"type": "orthographic", "orthographic": {"xmag": 1, "ymag": 1, "zfar": 2, "znear": 1}}],
        "images": [{"uri": "a.png"}], "samplers": [{}], "textures": [{"source": 0, "sampler": 0}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "extras": {"anything": 1}, "extensions": {"EXT_undeclared": {}},
    })
}

/// What is read, with its notes; or the error.
fn read(file: &Value) -> Result<(mesh::MeshFile, Vec<String>), String> {
    let text = file.to_string();
    let read =
        mesh::read(Path::new("a.gltf"), text.as_bytes(), &Nothing).map_err(|error| error.to_string())?;
    let notes = read.warnings.iter().map(|note| format!("{}: {note}", note.grade().name())).collect();
    Ok((read, notes))
}

/// The values at a path, through arrays.
fn visit(value: &mut Value, path: &[&str], act: &mut dyn FnMut(&mut serde_json::Map<String, Value>, &str)) {
    match (value, path) {
        (Value::Array(values), _) => values.iter_mut().for_each(|value| visit(value, path, act)),
        (Value::Object(map), [key]) => act(map, key),
        (Value::Object(map), [key, rest @ ..]) => {
            if let Some(value) = map.get_mut(*key) {
                visit(value, rest, act);
            }
        }
        _ => {}
    }
}

#[test]
fn every_key_of_gltf_is_used_or_listed() {
    let whole = complete();
    let (_, notes) = read(&whole).unwrap();
    assert!(!notes.iter().any(|note| note.contains("not understood")), "{notes:?}");
    for told in [
        "changes the look: cameras, colours, images, materials, texture coordinates, textures left out",
        "extension EXT_undeclared",
        "node(s) with weights",
    ] {
        assert!(notes.iter().any(|note| note.contains(told)), "{told}: {notes:?}");
    }
    // The file has all keys that have a meaning of their own, and the table has a line for each.
    let has_line = |path: &str| TABLE.lines().any(|line| line.split('\t').next() == Some(path));
    for line in include_str!("../../vocabulary/gltf.txt").lines() {
        let mut words = line.split(' ');
        let object = words.next().unwrap().strip_prefix("glTF").unwrap().trim_start_matches('/');
        if WHOLE.iter().any(|whole| object.split('/').next() == Some(whole)) {
            continue;
        }
        for key in words.filter(|key| !["name", "extras", "extensions"].contains(key)) {
            let path = if object.is_empty() { key.to_owned() } else { format!("{object}/{key}") };
            assert!(has_line(&path), "{path} is neither used nor listed");
            let (mut found, mut copy) = (false, whole.clone());
            visit(&mut copy, &path.split('/').collect::<Vec<_>>(), &mut |map, key| {
                found |= map.contains_key(key);
            });
            assert!(found, "the file has no {path}");
        }
    }
}

#[test]
fn every_key_of_gltf_that_is_called_used_is() {
    let whole = complete();
    let mut idle = Vec::new();
    let before = read(&whole).map(|(file, notes)| (file.mesh, notes));
    for line in TABLE.lines().filter(|line| line.split('\t').nth(1) == Some("read")) {
        let path = line.split('\t').next().unwrap();
        let mut without = whole.clone();
        let replaced = match path {
            // Other values than these are refused.
            "asset/minVersion" => Some(json!("2.1")),
            // It is only compared with what is there.
            "buffers/byteLength" => Some(json!(1_000_000)),
            _ => None,
        };
        visit(&mut without, &path.split('/').collect::<Vec<_>>(), &mut |map, key| {
            match &replaced {
                Some(value) => map.insert(key.to_owned(), value.clone()),
                None => map.remove(key),
            };
        });
        let after = read(&without).map(|(file, notes)| (file.mesh, notes));
        if before == after {
            idle.push(path);
        }
    }
    assert!(idle.is_empty(), "these change nothing: {idle:?}");
}

#[test]
fn a_key_of_gltf_in_no_list_is_told() {
    let mut file = complete();
    file["nodes"][0]["colour"] = json!("red");
    file["meshes"][0]["primitives"][0]["attributes"]["NOISE_0"] = json!(0);
    let (_, notes) = read(&file).unwrap();
    let told =
        "changes the physics: meshes/primitives/attributes/NOISE_0, nodes/colour, not understood, left out";
    assert!(notes.iter().any(|note| note == told), "{notes:?}");
}

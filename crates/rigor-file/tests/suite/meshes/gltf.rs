//! glTF: extensions, sparse and quantised accessors, instances.

use super::{refusal, weighed};
use base64::Engine;

/// A tetrahedron: corners as `kind` with `positions` bytes each, then indices as u16; `rest` is put into the file.
struct File {
    bytes: Vec<u8>,
    views: Vec<(usize, usize)>,
    accessors: Vec<String>,
    node: String,
    primitive: String,
    rest: String,
}

impl File {
    fn new() -> Self {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0_f32]];
        let positions = corners.concat().into_iter().flat_map(f32::to_le_bytes).collect();
        let mut file = Self {
            bytes: vec![],
            views: vec![],
            accessors: vec![],
            node: String::new(),
            primitive: String::new(),
            rest: String::new(),
        };
        file.add(
            positions,
            r#""componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]"#,
        );
        let indices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2_u16];
        file.add(
            indices.into_iter().flat_map(u16::to_le_bytes).collect(),
            r#""componentType": 5123, "count": 12, "type": "SCALAR""#,
        );
        file
    }

    /// Adds content with an accessor, and returns the accessor.
    fn add(&mut self, content: Vec<u8>, accessor: &str) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push((self.bytes.len(), content.len()));
        self.bytes.extend(content);
        self.accessors.push(format!(r#"{{"bufferView": {}, {accessor}}}"#, self.views.len() - 1));
        self.accessors.len() - 1
    }

    fn text(&self) -> String {
        let data = base64::engine::general_purpose::STANDARD.encode(&self.bytes);
        let view = |(start, length): &(usize, usize)| {
            format!(r#"{{"buffer": 0, "byteOffset": {start}, "byteLength": {length}}}"#)
        };
        let views: Vec<String> = self.views.iter().map(view).collect();
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "nodes": [{{"mesh": 0 {node}}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1 {primitive}}}]}}],
            "accessors": [{accessors}], "bufferViews": [{views}],
            "buffers": [{{"byteLength": {length}, "uri": "data:application/octet-stream;base64,{data}"}}] {rest}}}"#,
            node = self.node,
            primitive = self.primitive,
            accessors = self.accessors.join(", "),
            views = views.join(", "),
            length = self.bytes.len(),
            rest = self.rest,
        )
    }
}

fn volume(file: &File) -> (f64, Vec<String>) {
    let (mass, notes) = weighed("a.gltf", file.text());
    (mass * 6.0 / 1000.0, notes)
}

fn requires(extension: &str) -> File {
    File {
        rest: format!(r#", "extensionsUsed": ["{extension}"], "extensionsRequired": ["{extension}"]"#),
        ..File::new()
    }
}

#[test]
fn extensions_of_appearance_are_told_and_others_refused_by_name() {
    for name in [
        "KHR_materials_unlit",
        "KHR_texture_transform",
        "KHR_texture_basisu",
        "EXT_texture_webp",
        "KHR_lights_punctual",
    ] {
        let (volume, notes) = volume(&requires(name));
        assert!((volume - 1.0).abs() < 1e-12);
        assert_eq!(notes, [format!("changes the look: extension {name} left out")]);
    }
    for name in ["KHR_draco_mesh_compression", "EXT_meshopt_compression"] {
        let message = refusal("a.gltf", requires(name).text());
        assert!(
            message
                .contains(&format!("compressed with {name}, which is not read: save it without compression")),
            "{message}"
        );
    }
    let message = refusal("a.gltf", requires("VENDOR_new_geometry").text());
    assert!(message.contains("requires the extension VENDOR_new_geometry"), "{message}");
    let draco =
        r#", "extensions": {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}"#;
    let file = File { primitive: draco.into(), ..File::new() };
    assert!((volume(&file).0 - 1.0).abs() < 1e-12, "the plain accessors are there, too");
    let without = file.text().replacen(r#""bufferView": 0, "componentType""#, r#""componentType""#, 1);
    assert!(refusal("a.gltf", without).contains("compressed with KHR_draco_mesh_compression"));
    let first = r#"{"asset": {"version": "1.0"}, "buffers": {"a": {"uri": "a.bin"}}}"#;
    assert!(refusal("a.gltf", first).contains("glTF 1, which is not read: convert it to glTF 2"));
}

#[test]
fn instances_are_made_with_their_turns_and_sizes() {
    let mut file = File::new();
    let places = [[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.0, 7.0, 0.0_f32]];
    let places = file.add(
        places.concat().into_iter().flat_map(f32::to_le_bytes).collect(),
        r#""componentType": 5126, "count": 3, "type": "VEC3""#,
    );
    // Quarter turns about z in whole parts of 127; the lengths of all quaternions are near 1.
    let turns: [[i8; 4]; 3] = [[0, 0, 0, 127], [0, 0, 90, 90], [0, 0, -90, 90]];
    let turns = file.add(
        turns.concat().into_iter().map(|x| x as u8).collect(),
        r#""componentType": 5120, "normalized": true, "count": 3, "type": "VEC4""#,
    );
    let sizes = [[1.0, 1.0, 1.0], [2.0, 1.0, 1.0], [1.0, -3.0, 1.0_f32]];
    let sizes = file.add(
        sizes.concat().into_iter().flat_map(f32::to_le_bytes).collect(),
        r#""componentType": 5126, "count": 3, "type": "VEC3""#,
    );
    file.node = format!(
        r#", "extensions": {{"EXT_mesh_gpu_instancing": {{"attributes": {{"TRANSLATION": {places}, "ROTATION": {turns}, "SCALE": {sizes}}}}}}}"#
    );
    let (found, notes) = volume(&file);
    assert!((found - 6.0).abs() < 1e-6 && notes.is_empty(), "1 + 2 + 3: {found}, {notes:?}");
    let mesh = super::read("a.gltf", file.text()).unwrap().mesh;
    // The corner (1, 0, 0) of the second one: twice as far, turned to y, moved to 5 m.
    assert!(mesh.vertices().iter().any(|v| (v - rigor_math::Vec3::new(5.0, 2.0, 0.0)).norm() < 1e-6));
    let uneven = file.text().replace(r#""count": 3, "type": "VEC4""#, r#""count": 2, "type": "VEC4""#);
    assert!(refusal("a.gltf", uneven).contains("attributes have different counts: [3, 2, 3]"));
    let nowhere = file.text().replace(&format!(r#""SCALE": {sizes}"#), r#""SCALE": 99"#);
    assert!(refusal("a.gltf", nowhere).contains("node 0, instances: `SCALE` names no accessor"));
}

#[test]
fn sparse_accessors_replace_elements() {
    let mut file = File::new();
    let indices = file.add(vec![3, 0], r#""componentType": 5121, "count": 1, "type": "SCALAR""#);
    let values = [0.0, 0.0, 4.0_f32].into_iter().flat_map(f32::to_le_bytes).collect();
    let values = file.add(values, r#""componentType": 5126, "count": 1, "type": "VEC3""#);
    let sparse = format!(
        r#", "sparse": {{"count": 1, "indices": {{"bufferView": {indices}, "componentType": 5121}}, "values": {{"bufferView": {values}}}}}}}"#
    );
    file.accessors[0] = file.accessors[0].replace('}', &sparse);
    let (found, notes) = volume(&file);
    assert!((found - 4.0).abs() < 1e-12 && notes.is_empty(), "{found} {notes:?}");
    file.bytes[file.views[indices].0] = 9;
    assert!(refusal("a.gltf", file.text()).contains("its sparse part names element 9"));
}

#[test]
fn quantised_positions_are_read_with_and_without_normalisation() {
    for (component, is_normalised, unit, size) in [
        (5120, true, 127, 1),
        (5121, true, 255, 1),
        (5122, true, 32767, 2),
        (5123, true, 65535, 2),
        (5122, false, 1, 2),
        (5121, false, 1, 1),
    ] {
        let mut file = requires("KHR_mesh_quantization");
        let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]].concat();
        let content: Vec<u8> =
            corners.iter().flat_map(|c| (c * unit as u32).to_le_bytes().into_iter().take(size)).collect();
        let quantised = file.add(
            content,
            &format!(
                r#""componentType": {component}, "normalized": {is_normalised}, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]"#
            ),
        );
        let text = file.text().replace(r#""POSITION": 0"#, &format!(r#""POSITION": {quantised}"#));
        let (mass, notes) = weighed("a.gltf", text);
        assert!((mass * 6.0 / 1000.0 - 1.0).abs() < 1e-12, "{component}: {mass} {notes:?}");
    }
}

#[test]
fn a_file_cannot_repeat_itself_without_end() {
    let mut file = File::new();
    let many = file.add(vec![0; 10_000 * 3], r#""componentType": 5121, "count": 10000, "type": "VEC3""#);
    file.node = format!(
        r#", "extensions": {{"EXT_mesh_gpu_instancing": {{"attributes": {{"TRANSLATION": {many}}}}}}}"#
    );
    let primitive = r#"{"attributes": {"POSITION": 0}, "indices": 1 }"#;
    let text = file.text();
    assert!(text.contains(primitive));
    let text = text.replace(primitive, &[primitive; 60].join(", "));
    // The joined mesh has four vertices, and 60 times its triangles.
    let message = refusal("a.gltf", text);
    assert!(message.contains("the mesh has more than 1078648 triangles and wires"), "{message}");
}

#[test]
fn what_the_scene_does_not_have_is_told() {
    // A second node with the mesh, in no scene or in another one, and a mesh without a node.
    let scenes = r#", "scenes": [{"nodes": [0]}, {"nodes": [1]}]"#;
    for (rest, told) in [(r#", "scenes": [{"nodes": [0]}]"#, 1), (scenes, 1), (r#", "scene": 1"#, 1), ("", 0)]
    {
        let rest = if rest.contains("\"scene\"") { format!("{scenes}{rest}") } else { rest.to_owned() };
        let file = File { rest, ..File::new() };
        let text =
            file.text().replacen("\"mesh\": 0 }", r#""mesh": 0 }, {"mesh": 0, "scale": [2, 2, 2]}"#, 1);
        let (mass, notes) = weighed("a.gltf", text);
        let left_out = "rule: 1 node(s) with a mesh, which the scene that is shown does not have, left out";
        assert_eq!(notes.iter().filter(|note| *note == left_out).count(), told, "{notes:?}");
        let expected =
            [1.0, 8.0, 9.0][if told == 0 { 2 } else { usize::from(file.rest.contains("\"scene\"")) }];
        assert!((mass * 6.0 / 1000.0 - expected).abs() < 1e-12, "{mass}: {notes:?}");
    }
    let twice = File::new().text().replacen(
        r#""meshes": [{"#,
        r#""meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}, {"#,
        1,
    );
    let (_, notes) = weighed("a.gltf", twice.replacen("\"mesh\": 0", "\"mesh\": 1", 1));
    assert_eq!(notes, ["unused: 1 mesh(es) that no node has left out"]);
}

#[test]
fn extensions_that_a_file_can_be_read_without_are_told() {
    for (name, grade) in [
        ("KHR_materials_unlit", "changes the look"),
        ("VENDOR_new_geometry", "rule"),
        ("KHR_physics_rigid_bodies", "changes the physics"),
    ] {
        let file = File { rest: format!(r#", "extensionsUsed": ["{name}"]"#), ..File::new() };
        let (volume, notes) = volume(&file);
        assert!((volume - 1.0).abs() < 1e-12);
        assert_eq!(notes, [format!("{grade}: extension {name} left out")]);
    }
}

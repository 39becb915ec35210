//! Meshes in scenes and robots: densities, holes, nested parts, units, and the account.

use std::path::Path;

use rigor_file::{LoadOptions, Loaded, SceneError, load, robot};

use super::OPEN;
use crate::scene_files::Memory;

/// A cube of 1 m, a cube of 0.5 m inside of it, and one beside it, all facing outwards.
fn cubes(places: &[(f64, f64)]) -> String {
    let mut text = String::new();
    for (k, (size, x)) in places.iter().enumerate() {
        for i in 0..8_u8 {
            let at = |bit: u8| if i >> bit & 1 == 1 { size / 2.0 } else { -size / 2.0 };
            text += &format!("v {} {} {}\n", at(0) + x, at(1), at(2));
        }
        for side in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
            let corners: Vec<String> = side.iter().map(|v| (v + 1 + 8 * k).to_string()).collect();
            text += &format!("f {}\n", corners.join(" "));
        }
    }
    text
}

/// Loads a body with these keys, whose mesh has the text `obj` and these keys.
fn body(keys: &str, obj: &str, mesh: &str) -> Result<Loaded, SceneError> {
    let scene = format!(
        "[[body]]\nname = \"part\"\n{keys}\n[[body.shape]]\nmesh = {{ file = \"part.obj\"{mesh} }}\n"
    );
    let files = Memory::new(&[("scene.toml", &scene), ("part.obj", obj)]);
    load(Path::new("scene.toml"), &files, &LoadOptions::default())
}

fn mass(loaded: &Loaded) -> f64 {
    loaded.scene.bodies[0].mass
}

fn told(loaded: &Loaded) -> Vec<String> {
    loaded.warnings.iter().map(|warning| warning.message.clone()).collect()
}

#[test]
fn open_surfaces_of_dynamic_bodies_ask_for_their_mass_or_are_filled() {
    for (name, bytes, _) in OPEN {
        let obj = std::str::from_utf8(bytes).unwrap();
        for keys in ["", "density = 800"] {
            let message = body(keys, obj, "").unwrap_err().to_string();
            assert!(
                message.contains("of open surface, whose mass a density in kg/m³ does not tell: set `mass` (kg), or `areal_density` \
                     (kg/m²), or `close = \"fill\"`"),
                "{name}: {message}"
            );
        }
        let filled = body("", obj, ", close = \"fill\"").unwrap();
        assert!((mass(&filled) - 1000.0).abs() < 1e-9, "{name}: {} kg", mass(&filled));
        assert!(
            told(&filled).iter().any(|note| note.contains("rule: part.obj: 1 hole(s) filled")),
            "{:?}",
            told(&filled)
        );
        assert!((mass(&body("mass = 3", obj, "").unwrap()) - 3.0).abs() < 1e-12);
        let shell = body("areal_density = 2", obj, "").unwrap();
        let area = shell.scene.bodies[0].mesh.area();
        assert!((mass(&shell) / (2.0 * area) - 1.0).abs() < 1e-12);
        assert!(body("role = \"static\"", obj, "").is_ok());
    }
}

#[test]
fn closed_parts_inside_of_others_are_matter_or_hollow_and_told() {
    let nested = cubes(&[(1.0, 0.0), (0.5, 0.1)]);
    for (keys, expected, words) in [
        ("", 1000.0, "taken as the same matter, counted once"),
        (", nested = \"solid\"", 1000.0, "taken as the same matter, counted once"),
        (", nested = \"void\"", 875.0, "taken as hollows"),
    ] {
        let loaded = body("", &nested, keys).unwrap();
        assert!((mass(&loaded) / expected - 1.0).abs() < 1e-12, "{keys}: {}", mass(&loaded));
        assert!(told(&loaded)[0].contains(words), "{:?}", told(&loaded));
    }
    let beside = body("", &cubes(&[(1.0, 0.0), (0.5, 2.0)]), "").unwrap();
    assert!((mass(&beside) / 1125.0 - 1.0).abs() < 1e-12 && told(&beside).is_empty());
    // Each part alone is a body, whatever it lies in.
    let part = body("", &nested, ", component = 1").unwrap();
    assert!((mass(&part) / 125.0 - 1.0).abs() < 1e-12);
    let written = load(
        Path::new("scene.toml"),
        &Memory::new(&[(
            "scene.toml",
            "[[body]]\nname = \"a\"\n[[body.shape]]\nmesh.vertices = [[0,0,0],[9,0,0],[0,9,0],[0,0,9],[1,1,1],[2,1,1],[1,2,1],[1,1,2]]\n\
             mesh.triangles = [[0,2,1],[0,1,3],[1,2,3],[0,3,2],[4,6,5],[4,5,7],[5,6,7],[4,7,6]]\nmesh.nested = \"void\"\n",
        )]),
        &LoadOptions::default(),
    );
    let written = written.unwrap();
    assert!((mass(&written) / (1000.0 * (729.0 - 1.0) / 6.0) - 1.0).abs() < 1e-12);
}

#[test]
fn parts_in_millimetres_are_hinted_at() {
    let part = |keys: &str, size: f64| told(&body(keys, &cubes(&[(size, 0.0)]), "").unwrap());
    let heavy = part("", 22.0);
    assert!(heavy[0].contains("weighs 1.065e7 kg at the default density"), "{heavy:?}");
    let hinted = body("", &cubes(&[(220.0, 0.0)]), "").unwrap();
    assert!(hinted.warnings[0].help.as_ref().is_some_and(|help| help.contains("`scale = 0.001`")));
    assert!(part("mass = 2", 220.0)[0].contains("is 381.051 m across"));
    for (keys, size) in
        [("mass = 2", 22.0), ("density = 8000", 22.0), ("", 0.22), ("role = \"static\"", 220.0)]
    {
        assert_eq!(part(keys, size), [""; 0], "{keys}");
    }
}

#[test]
fn a_scene_with_repaired_meshes_is_the_same_after_export() {
    let stray = include_str!("../../meshes/stray.obj");
    let hole = std::str::from_utf8(OPEN[0].1).unwrap();
    for (obj, keys) in [
        (stray, ""),
        (hole, ", close = \"fill\""),
        (&*cubes(&[(1.0, 0.0), (0.5, 0.1)]), ""),
        (&*cubes(&[(1.0, 0.0), (0.5, 0.1)]), ", nested = \"void\""),
    ] {
        let loaded = body("", obj, keys).unwrap();
        let exported = rigor_file::export(&loaded).unwrap();
        let mesh = String::from_utf8(exported.meshes[0].1.clone()).unwrap();
        let files = Memory::new(&[("new.toml", &exported.scene), (&exported.meshes[0].0, &mesh)]);
        let again = load(Path::new("new.toml"), &files, &LoadOptions::default()).unwrap();
        assert_eq!(again.scene.bodies, loaded.scene.bodies, "{keys}");
    }
}

#[test]
fn notes_about_the_meshes_of_a_robot_are_in_its_account() {
    let stray = include_str!("../../meshes/stray.obj");
    let urdf = "<robot name=\"r\"><link name=\"base\"><inertial><mass value=\"1\"/>\
        <inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\
        <collision><geometry><mesh filename=\"part.obj\"/></geometry></collision></link></robot>";
    let mjcf = "<mujoco><asset><mesh name=\"m\" file=\"part.obj\"/></asset><worldbody><body><freejoint/>\
        <geom type=\"mesh\" mesh=\"m\"/></body></worldbody></mujoco>";
    for (name, text) in [("r.urdf", urdf), ("r.xml", mjcf)] {
        let files = Memory::new(&[(name, text), ("part.obj", stray)]);
        let (loaded, dropped) =
            robot::load_robot(Path::new(name), &files, &LoadOptions::default(), robot::Options::default())
                .unwrap();
        let entries = robot::account(&dropped);
        let entry = entries.iter().find(|entry| entry.what == "<mesh part.obj>");
        let entry = entry.unwrap_or_else(|| panic!("{name}: {entries:?}"));
        assert_eq!(entry.grade, robot::Grade::Rule);
        assert!(
            entry
                .to_string()
                .starts_with("rule: <mesh part.obj>: 1 vertices that nothing uses left out (line 1")
        );
        assert!(
            loaded.warnings.iter().all(|w| !w.message.contains("nothing uses")),
            "told once: {:?}",
            loaded.warnings
        );
    }
}

#[test]
fn surfaces_without_a_volume_serve_bodies_whose_mass_is_given_or_has_no_meaning() {
    // A square with a front and a back that are split along different diagonals: closed and flat.
    let flat = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\nf 1 4 2\nf 2 4 3\n";
    let inertia = "mass = 2\ninertia = { moments = [1, 1, 2] }";
    for keys in ["role = \"static\"", "role = \"kinematic\"", inertia] {
        assert!(body(keys, flat, "").is_ok(), "{keys}");
    }
    for keys in ["", "mass = 2"] {
        let message = body(keys, flat, "").unwrap_err().to_string();
        assert!(
            message.contains("closed but flat") && message.contains("or give `inertia` with `mass`"),
            "{message}"
        );
    }
}

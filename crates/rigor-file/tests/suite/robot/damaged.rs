//! Damaged files of robots are read or refused. `PROPTEST_CASES` sets the number of cases; `crates/rigor-file/fuzz/storm` makes many more.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;

const ROBOTS: [(&str, &str); 3] = [
    ("m.urdf", include_str!("../../../fuzz/seeds/urdf/arm.urdf")),
    ("m.xml", include_str!("../../../fuzz/seeds/mjcf/robot.xml")),
    ("m.xml", include_str!("../../../fuzz/seeds/mjcf/composite.xml")),
];
/// Height fields.
const FIELDS: [(&str, &[u8]); 5] = [
    ("h.bin", include_bytes!("../../../fuzz/seeds/field/small.bin")),
    ("h.png", include_bytes!("../../../fuzz/seeds/png/gray.png")),
    ("h.png", include_bytes!("../../../fuzz/seeds/png/deep.png")),
    ("h.png", include_bytes!("../../../fuzz/seeds/png/colour.png")),
    ("h.png", include_bytes!("../../../fuzz/seeds/png/palette.png")),
];
const WORDS: [&str; 14] = [
    "0",
    "-1",
    "1e308",
    "nan",
    "1e999",
    "4294967296",
    "",
    "body",
    "joint",
    "geom",
    "ball",
    "fixed",
    "world",
    "mesh",
];

struct Text(String);

impl Files for Text {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let other =
            r#"<mujoco><worldbody><body name="part"><joint/><geom size="0.1"/></body></worldbody></mujoco>"#;
        match path.to_str().unwrap() {
            "m.urdf" | "m.xml" => Ok(self.0.clone().into_bytes()),
            "other.xml" => Ok(other.into()),
            name if name.ends_with("cube.obj") => {
                Ok(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n".into())
            }
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// A robot on a height field in this file.
fn on_field(name: &str, bytes: Vec<u8>) -> (Loaded, Vec<Dropped>) {
    let text = format!(
        r#"<mujoco><asset><hfield name="h" file="{name}" size="1 2 3 0.5"/></asset><worldbody><geom type="hfield" hfield="h"/>
        <body pos="0 0 9"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#
    );
    let files = Bytes(BTreeMap::from([("m.xml".into(), text.into_bytes()), (name.to_owned(), bytes)]));
    load_robot(Path::new("m.xml"), &files, &LoadOptions::default(), Options::default()).unwrap()
}

#[test]
fn the_seeds_are_read() {
    for (name, bytes) in FIELDS {
        assert_eq!(on_field(name, bytes.to_vec()).0.scene.bodies.len(), 2, "{name}");
    }

    for (name, text) in ROBOTS {
        for key in [None, Some("home".to_owned())] {
            let options = Options { key: key.filter(|_| text.contains("<keyframe>")), ..Options::default() };
            let read = load_robot(Path::new(name), &Text(text.into()), &LoadOptions::default(), options);
            read.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn joints_of_free_models_have_no_coordinate_to_damp() {
    // Joints of bodies without a joint are called like the one with `dampratio`.
    let text = r#"<mujoco><worldbody><body><joint name=""/><geom size="1"/></body><body name="a"><geom size="1"/></body></worldbody>
        <actuator><position joint="" dampratio="1" kp="1"/></actuator></mujoco>"#;
    assert!(read(&[("m.xml", text)]).is_ok());
}

proptest! {
    #[test]
    fn damaged_height_fields_are_read_or_told(
        field in select(&FIELDS[..]),
        damage in prop::collection::vec((any::<Index>(), any::<u8>()), 1..8),
        end in prop::option::of(any::<Index>()),
    ) {
        let (name, bytes) = field;
        let mut bytes = bytes.to_vec();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(end.map_or(bytes.len(), |end| end.index(bytes.len())));
        let (loaded, dropped) = on_field(name, bytes);
        let is_read = loaded.scene.bodies.len() == 2;
        prop_assert!(is_read || dropped.iter().any(|entry| entry.what == "<hfield h>"), "{dropped:?}");
    }

    #[test]
    fn damaged_robots_are_read_or_refused(
        robot in select(&ROBOTS[..]),
        damage in prop::collection::vec((any::<Index>(), 0_usize..30, select(&WORDS[..])), 1..8),
        has_key in any::<bool>(),
    ) {
        let (name, text) = robot;
        let mut text = text.to_owned();
        for (at, length, word) in damage {
            let at = at.index(text.len());
            let end = (at + length).min(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                text.replace_range(at..end, word);
            }
        }
        let options = Options { key: has_key.then(|| "0".to_owned()), ..Options::default() };
        let _ = load_robot(Path::new(name), &Text(text), &LoadOptions::default(), options);
    }
}

//! Trajectories of other programs in any state are read or refused. `PROPTEST_CASES` sets the number of cases.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::{self, Write};
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use rigor_file::{Files, LoadOptions, Loaded, load};
use rigor_run::foreign::{self, Foreign, ForeignError, Layout};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Two bodies that move.
struct Pair;

impl Files for Pair {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        let body = |name: &str, x: i32| {
            format!(
                "[[body]]\nname = \"{name}\"\nposition = [{x}, 0, 0]\nshape = [{{ box = {{ size = [1, 1, 1] }} }}]\n"
            )
        };
        Ok((body("a", 0) + &body("b", 3)).into_bytes())
    }
}

fn scene() -> Loaded {
    load(Path::new("pair.toml"), &Pair, &LoadOptions::default()).unwrap()
}

/// An array in the form of NumPy.
fn array(descr: &str, shape: &[u64], content: &[u8]) -> Vec<u8> {
    let sides: String = shape.iter().map(|side| format!("{side}, ")).collect();
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sides})}}");
    let text = format!("{text:<117}\n");
    [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes(), content].concat()
}

fn doubles(numbers: impl IntoIterator<Item = f64>) -> Vec<u8> {
    numbers.into_iter().flat_map(f64::to_le_bytes).collect()
}

fn zipped(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(io::Cursor::new(Vec::new()));
    for (name, content) in arrays {
        zip.start_file(format!("{name}.npy"), SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn read(bytes: &[u8]) -> Result<Foreign, ForeignError> {
    let file = tempfile::NamedTempFile::with_suffix(".npz").unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    foreign::read(file.path(), &scene().scene, &Layout::default())
}

/// A trajectory of two bodies at four times.
fn arrays() -> Vec<(&'static str, Vec<u8>)> {
    let names: Vec<u8> =
        ["a", "b"].iter().flat_map(|name| u32::from(name.as_bytes()[0]).to_le_bytes()).collect();
    vec![
        ("time", array("<f8", &[4], &doubles([0.0, 0.1, 0.2, 0.5]))),
        ("position", array("<f8", &[4, 2, 3], &doubles((0..24).map(f64::from)))),
        ("quaternion", array("<f8", &[4, 2, 4], &doubles((0..32).map(|k| f64::from(u8::from(k % 4 == 0)))))),
        ("v", array("<f4", &[4, 2, 3], &[0; 96])),
        ("w", array("<i4", &[4, 2, 3], &[0; 96])),
        ("names", array("<U1", &[2], &names)),
    ]
}

#[test]
fn a_trajectory_is_read() {
    let read = read(&zipped(&arrays())).unwrap();
    assert_eq!((read.states.len(), read.states[3].time, read.has_differences), (4, 0.5, false));
    assert_eq!(read.states[1].bodies[1].pose.position.x, 9.0);
}

/// What unpacks to a thousand times its length is refused by its first wrong number, or by its head.
#[test]
fn what_an_archive_claims_is_unpacked_no_further_than_it_is_right() {
    let zeros = vec![0; 64 << 20];
    let with = |name: &str, content: Vec<u8>| {
        let mut all = arrays();
        all.iter_mut().find(|(other, _)| *other == name).unwrap().1 = content;
        read(&zipped(&all)).unwrap_err()
    };
    let error = with("time", array("<f8", &[8 << 20], &zeros));
    assert!(matches!(error, ForeignError::Times { index: 1, .. }), "{error}");
    let error = with("names", array("<U1", &[16 << 20], &zeros));
    assert!(matches!(&error, ForeignError::Twice { body, .. } if body.is_empty()), "{error}");
    let error = with("names", array("<U8388608", &[2], &zeros));
    assert!(error.to_string().contains("its names have 8388608 characters"), "{error}");
    let error = with("position", array("<f8", &[4, 699_050, 3], &zeros));
    assert!(matches!(error, ForeignError::Shape { .. }), "{error}");
    let error = with("quaternion", array("<f8", &[4, 524_288, 4], &zeros));
    assert!(matches!(error, ForeignError::Shape { .. }), "{error}");
    // Without names, the scene says how many bodies there are.
    let mut all = arrays();
    all.pop();
    all[1].1 = array("<f8", &[4, 699_050, 3], &zeros);
    assert!(matches!(read(&zipped(&all)).unwrap_err(), ForeignError::Count { found: 699_050, .. }));
    // A head without an end.
    let error = with("time", [b"\x93NUMPY\x02\x00\xff\xff\xff\x7f", &zeros[..]].concat());
    assert!(error.to_string().contains("its head has no shape"), "{error}");
}

const WORDS: [&str; 12] = [
    "<f8",
    "<f4",
    ">f8",
    "<i8",
    "<U1",
    "<U999999999",
    "|O",
    "True",
    "4",
    "1000000000",
    "99999999999999999999",
    "",
];

proptest! {
    #[test]
    fn damaged_trajectories_are_read_or_refused(
        damage in prop::collection::vec((0..6_usize, any::<Index>(), any::<u8>(), prop::option::of(select(&WORDS[..]))), 1..6),
        outside in prop::collection::vec((any::<Index>(), any::<u8>()), 0..3),
        end in prop::option::weighted(0.1, any::<Index>()),
    ) {
        let mut all = arrays();
        for (which, at, byte, word) in damage {
            let bytes = &mut all[which].1;
            match word {
                // A word of the head in the place of another.
                Some(word) => {
                    let at = 10 + at.index(70.min(bytes.len() - 10));
                    let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'<';
                    let start = bytes[..at].iter().rposition(|b| !is_part(b)).map_or(0, |at| at + 1);
                    let end = bytes[start..].iter().position(|b| !is_part(b)).map_or(bytes.len(), |n| start + n);
                    bytes.splice(start..end, word.bytes());
                }
                None => {
                    let at = at.index(bytes.len());
                    bytes[at] = byte;
                }
            }
        }
        let mut bytes = zipped(&all);
        for (at, byte) in outside {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(end.map_or(bytes.len(), |end| end.index(bytes.len())));
        if let Ok(read) = read(&bytes) {
            prop_assert!(read.states.iter().all(|state| state.bodies.len() == 2));
        }
    }
}

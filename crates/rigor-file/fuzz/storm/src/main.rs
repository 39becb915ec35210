//! Feeds damaged files to the readers: none may panic, take 5 s, or allocate more than ten times the
//! file and 64 MiB (1 GiB for scenes and robots).
//!
//! `cargo run --release -- FORMAT COUNT [SEED]` in `crates/rigor-file/fuzz/storm`; formats are the folders of `seeds`. With the path of a
//! file in the place of COUNT, that file is read once.

use std::collections::BTreeMap;
use std::io;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fastrand::Rng;
use peak_alloc::PeakAlloc;
use rigor_file::{Files, LoadOptions, load, mesh, robot};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The longest time that an input may take.
const LONGEST: Duration = Duration::from_secs(5);
/// Bytes that an input may take in addition to ten times its length: scenes ask for shapes by their fineness, and robots for copies by
/// their number.
fn always(format: &str) -> usize {
    if format.contains("scene") || ["rigid_ipc", "urdf", "mjcf"].contains(&format) { 1 << 30 } else { 64 << 20 }
}

/// Numbers that are seldom right.
const NUMBERS: [&str; 24] = [
    "0", "-1", "1", "2", "3", "-2", "7", "255", "256", "65536", "100000", "4294967295", "4294967296", "1000000000",
    "-9223372036854775808", "18446744073709551616", "1e308", "-1e308", "1e-308", "5e-324", "nan", "inf", "1e999", "",
];

const CUBE: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n\
    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
const OTHER: &[u8] = b"<mujoco><worldbody><body name=\"part\"><joint/><geom size=\"0.1\"/></body></worldbody></mujoco>";
const COMMON: &[u8] =
    b"gravity = [0, -1, 0]\n[[body]]\nname = \"common\"\nshape = [{ box = { size = [1, 1, 1] } }]\n";

/// A robot on a height field in a file of its own.
const FIELD: &str = r#"<mujoco><asset><hfield name="h" file="FILE" size="1 2 3 0.5"/></asset><worldbody><geom type="hfield" hfield="h"/>
    <body pos="0 0 9"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#;
struct Memory {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Files for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.path {
            return Ok(self.bytes.clone());
        }
        match path.file_name().and_then(|name| name.to_str()) {
            Some("cube.obj") => Ok(CUBE.to_vec()),
            Some("other.xml") => Ok(OTHER.to_vec()),
            Some("common.toml") => Ok(COMMON.to_vec()),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// A robot with a second file.
struct Pair {
    robot: String,
    other: Memory,
}

impl Files for Pair {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == Path::new("robot.xml") { Ok(self.robot.clone().into_bytes()) } else { self.other.read(path) }
    }
}

/// Reads `bytes` as a file of this format. Returns whether it was accepted.
fn read(format: &str, bytes: &[u8]) -> bool {
    let files = |name: &str| Memory { path: name.into(), bytes: bytes.to_vec() };
    match format {
        "field" | "png" => {
            let name = format!("h.{format}");
            let files = Pair { robot: FIELD.replace("FILE", &name), other: files(&name) };
            let path = Path::new("robot.xml");
            let read = robot::load_robot(path, &files, &LoadOptions::default(), robot::Options::default());
            // A field that is not read is told, and the rest of the robot is there.
            read.expect("the robot").0.scene.bodies.len() == 2
        }
        "urdf" | "mjcf" => {
            let name = if format == "urdf" { "robot.urdf" } else { "robot.xml" };
            let key = (bytes.len() % 2 == 0).then(|| "home".to_owned());
            let options = robot::Options { base: robot::Base::ByMass, key };
            robot::load_robot(Path::new(name), &files(name), &LoadOptions::default(), options).is_ok()
        }
        "native_scene" | "json_scene" | "rigid_ipc" => {
            let name = if format == "native_scene" { "scene.toml" } else { "scene.json" };
            load(Path::new(name), &files(name), &LoadOptions::default()).is_ok()
        }
        mesh_format => {
            let name = match (mesh_format, bytes.starts_with(b"glTF")) {
                ("gltf", true) => "mesh.glb".to_owned(),
                _ => format!("mesh.{mesh_format}"),
            };
            mesh::read(Path::new(&name), bytes, &files("none")).is_ok()
        }
    }
}

/// Damages a file in up to eight places.
fn damage(bytes: &mut Vec<u8>, words: &[Vec<u8>], rng: &mut Rng) {
    for _ in 0..rng.usize(1..=8) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.usize(..bytes.len());
        let end = (at + rng.usize(1..=40)).min(bytes.len());
        match rng.u8(..10) {
            9 => {
                // An integer of four bytes.
                let at = at / 4 * 4;
                let number: u32 = [0, 1, 2, 3, 255, 65536, 1 << 20, 1 << 30, u32::MAX >> 1, u32::MAX][rng.usize(..10)];
                let bits = if rng.bool() { number.to_le_bytes() } else { number.to_be_bytes() };
                let end = (at + 4).min(bytes.len());
                drop(bytes.splice(at..end, bits));
            }
            0 => bytes[at] = rng.u8(..),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].to_vec();
                let n = rng.usize(1..=20);
                drop(bytes.splice(at..at, part.repeat(n)));
            }
            3 => {
                let part = bytes[at..end].to_vec();
                let to = rng.usize(..bytes.len());
                drop(bytes.splice(to..to, part));
            }
            4 | 5 => {
                // A number in the place of the next one.
                let is_part = |b: &u8| b.is_ascii_digit() || b"+-.eE".contains(b);
                let Some(from) = bytes[at..].iter().position(u8::is_ascii_digit).map(|i| at + i) else { continue };
                let to = bytes[from..].iter().position(|b| !is_part(b)).map_or(bytes.len(), |i| from + i);
                let number = NUMBERS[rng.usize(..NUMBERS.len())];
                drop(bytes.splice(from..to, number.bytes()));
            }
            6 | 7 => {
                // A word of the seeds in the place of the next one.
                let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
                let Some(from) = bytes[at..].iter().position(is_part).map(|i| at + i) else { continue };
                let to = bytes[from..].iter().position(|b| !is_part(b)).map_or(bytes.len(), |i| from + i);
                let word = words[rng.usize(..words.len())].clone();
                drop(bytes.splice(from..to, word));
            }
            _ => bytes.truncate(at),
        }
    }
}

/// Damages what is within a file of this format; checksums are right again.
fn damage_within(format: &str, bytes: &mut Vec<u8>, words: &[Vec<u8>], rng: &mut Rng) {
    damage(bytes, words, rng);
    if format != "png" {
        return;
    }
    let mut at = 8;
    while let Some(length) = bytes.get(at..at + 4).and_then(|b| <[u8; 4]>::try_from(b).ok()) {
        let end = at + 8 + u32::from_be_bytes(length) as usize;
        let Some(chunk) = bytes.get(at + 4..end) else { break };
        let sum = crc32fast::hash(chunk).to_be_bytes();
        if let Some(place) = bytes.get_mut(end..end + 4) {
            place.copy_from_slice(&sum);
        }
        at = end + 4;
    }
}

/// All words of the seeds.
fn words(seeds: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let split = |seed: &Vec<u8>| -> Vec<Vec<u8>> {
        seed.split(|b| !(b.is_ascii_alphanumeric() || *b == b'_')).map(<[u8]>::to_vec).collect()
    };
    let unique: BTreeMap<Vec<u8>, ()> =
        seeds.iter().flat_map(split).filter(|word| word.len() < 30).map(|word| (word, ())).collect();
    unique.into_keys().collect()
}

fn fail(what: &str, format: &str, input: &[u8]) -> ! {
    let path = format!("failed-{format}");
    let _ = std::fs::write(&path, input);
    println!("{format}: {what}: {path}");
    exit(1);
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let format = args[1].clone();
    let only = std::fs::read(&args[2]).ok();
    let count = if only.is_some() { 1 } else { args[2].parse::<u64>().expect("a number or a file") };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../seeds").join(&format);
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("seeds").map(|entry| entry.expect("a seed").path()).collect();
    names.sort();
    let seeds: Vec<Vec<u8>> = names.iter().map(|name| std::fs::read(name).expect("a seed")).collect();
    let (words, mut rng) = (words(&seeds), Rng::with_seed(args.get(3).map_or(1, |seed| seed.parse().expect("a number"))));
    let watched: Arc<Mutex<(Instant, Vec<u8>)>> = Arc::new(Mutex::new((Instant::now(), Vec::new())));
    let (watch, of) = (Arc::clone(&watched), format.clone());
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let now = watch.lock().expect("whole");
            if now.0.elapsed() > LONGEST {
                fail("took more than 5 s", &of, &now.1);
            }
        }
    });
    let (mut accepted, mut slowest, mut largest) = (0_u64, Duration::ZERO, 0.0_f64);
    for _ in 0..count {
        let mut input = seeds[rng.usize(..seeds.len())].clone();
        match &only {
            Some(only) => input.clone_from(only),
            None if rng.bool() => damage_within(&format, &mut input, &words, &mut rng),
            None => damage(&mut input, &words, &mut rng),
        }
        *watched.lock().expect("whole") = (Instant::now(), input.clone());
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let start = Instant::now();
        match catch_unwind(|| read(&format, &input)) {
            Ok(was_accepted) => accepted += u64::from(was_accepted),
            Err(_) => fail("panicked", &format, &input),
        }
        slowest = slowest.max(start.elapsed());
        let used = MEMORY.peak_usage().saturating_sub(before);
        largest = largest.max(used as f64 / f64::from(1 << 20));
        if used > 10 * input.len() + always(&format) {
            fail(&format!("took {used} bytes"), &format, &input);
        }
    }
    println!(
        "{format}: {count} inputs, {accepted} accepted, at most {:.3} s and {largest:.1} MiB",
        slowest.as_secs_f64()
    );
}

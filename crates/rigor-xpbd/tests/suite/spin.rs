//! Ropes, cloths and blocks that touch nothing keep their angular momentum.

use crate::strands::{momenta, record};
use rigor_file::{Files, LoadOptions, load};
use rigor_math::{Vec3, elementary};
use rigor_scene::{Scene, State};
use rigor_xpbd::Config;
use std::path::Path;

struct Text(&'static str);

impl Files for Text {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

const ROPE: &str = "[[rope]]\nname = \"r\"\nfrom = [0, 0, 0]\nto = [1, 0.3, 0]\nsegments = 10\nmass = 1\n";
const SPRINGS: &str = "[[rope]]\nname = \"r\"\nfrom = [0, 0, 0]\nto = [1, 0.3, 0]\nsegments = 10\nmass = 1\nstretch_compliance = 1e-3\n";
const CLOTH: &str = "[[cloth]]\nname = \"c\"\ncorner = [0, 1, 0]\nu = [1, 0, 0]\nv = [0, 0, 1]\nvertices = [5, 6]\nmass = 1\n";
const BLOCK: &str =
    "[[soft]]\nname = \"b\"\nsize = [1, 0.5, 0.3]\ncells = [2, 1, 1]\nmass = 2\nyoung = 1e4\n";
const SHAPE: &str = "[[soft]]\nname = \"b\"\nsize = [1, 0.5, 0.3]\ncells = [2, 1, 1]\nmass = 2\nlaw = \"shape\"\ncompliance = 1e-4\n";

/// The scene, with particles that turn, fly and shake.
fn thrown(text: &'static str, shaking: f64) -> Scene {
    let whole = format!("format = 1\nname = \"s\"\n[time]\ndt = 0.01\nduration = 1\n{text}");
    let text = Text(Box::leak(whole.into_boxed_str()));
    let mut scene = load(Path::new("s.toml"), &text, &LoadOptions::default()).expect("a valid scene").scene;
    for (k, particle) in scene.particles.iter_mut().enumerate() {
        let random = Vec3::from_fn(|a, _| elementary::sin(7.0 * k as f64 + 3.0 * a as f64));
        let turning = Vec3::new(1.0, 4.0, -5.0).cross(&particle.position);
        particle.velocity = turning + Vec3::new(0.3, 2.0, 0.1) + shaking * random;
    }
    scene
}

/// Angular momentum about the common centre of mass.
fn spin(scene: &Scene, state: &State) -> Vec3 {
    let (linear, angular) = momenta(scene, state);
    let mass: f64 = scene.particles.iter().map(|p| p.mass).sum();
    let pairs = scene.particles.iter().zip(&state.particles);
    let center = pairs.map(|(p, s)| p.mass * s.position).sum::<Vec3>() / mass;
    angular - center.cross(&linear)
}

/// The largest change of the angular momentum in 1 s, relative to it.
fn change(scene: &Scene, config: &Config) -> f64 {
    let run = record(scene, config.clone(), 0.01, 100);
    let frames = &run.trajectory.frames;
    let start = spin(scene, &frames[0]);
    frames.iter().map(|frame| (spin(scene, frame) - start).norm() / start.norm()).fold(0.0, f64::max)
}

#[test]
fn ropes_cloths_and_blocks_that_turn_freely_keep_their_angular_momentum() {
    for (name, text, printed) in [
        ("rope", ROPE, 0.03),
        ("springs", SPRINGS, 0.01),
        ("cloth", CLOTH, 0.01),
        ("block", BLOCK, 1e-3),
        ("shape", SHAPE, 1e-3),
    ] {
        for shaking in [0.0, 0.5] {
            let scene = thrown(text, shaking);
            for substeps in [1, 5, 20] {
                let config = Config { substeps, ..Config::default() };
                let kept = change(&scene, &config);
                assert!(kept < 1e-10, "{name}, {substeps} substeps, shaking {shaking}: {kept:e}");
            }
            let config = Config { substeps: 5, keep_angular_momentum: false, ..Config::default() };
            let lost = change(&scene, &config);
            assert!(lost > printed, "{name} as printed: {lost:e}");
        }
    }
}

/// What is pinned or lies on a floor is left as it was.
#[test]
fn what_is_held_or_touches_something_is_as_printed() {
    let floor = "[[body]]\nname = \"floor\"\nrole = \"static\"\nposition = [0, -0.35, 0]\nfriction = 0.5\n[[body.shape]]\nbox = { size = [9, 0.2, 9] }\n";
    let lying: &'static str = Box::leak(format!("{BLOCK}{floor}").into_boxed_str());
    let pinned: &'static str = Box::leak(format!("{ROPE}pinned = [\"first\"]\n").into_boxed_str());
    let mut still = thrown(lying, 0.0);
    still.particles.iter_mut().for_each(|p| p.velocity = Vec3::zeros());
    for scene in [thrown(pinned, 0.5), still] {
        let [kept, printed] = [true, false].map(|keep_angular_momentum| {
            let run = record(&scene, Config { keep_angular_momentum, ..Config::default() }, 0.01, 100);
            run.trajectory.frames.last().expect("a frame").particles.clone()
        });
        assert_eq!(kept, printed);
    }
}

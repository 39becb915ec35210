//! Invariance: what a method makes of a scene that is written down in another way.
//!
//! Physics does not know the author's frame of a body, the names and the order of bodies, the units, the place and the orientation of
//! the world, which body of a joint is called first, how a shape is put together, or a body far away. A [`Variation`] changes one of these, and
//! [`deviation`] measures by how much the motion then differs from that of the original, taken back.
//!
//! ```
//! use rigor_bench::invariance::{Case, Variation, deviation};
//! let found = deviation(Case::Flight, Variation::Turned, "free", &[])?;
//! assert!(found.is_below(1e-12), "{found:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use rigor_file::{Files, LoadOptions};
use rigor_math::{Pose, UnitQuaternion, Vec3, quaternion, rotation_vector};
use rigor_run::registry;
use rigor_scene::{Clock, Outcome, Run, Scene};

/// A scene of the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Two bricks that fly and turn, and do not meet.
    Flight,
    /// A box that slides with friction, and stops.
    Slide,
    /// Three boxes in a column that is put down a millimetre above the floor.
    Stack,
    /// Two rods on hinges that swing.
    Pendulum,
}

/// All scenes, in the order of the page.
pub const CASES: [Case; 4] = [Case::Flight, Case::Slide, Case::Stack, Case::Pendulum];

impl Case {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flight => "flight",
            Self::Slide => "slide",
            Self::Stack => "stack",
            Self::Pendulum => "pendulum",
        }
    }

    /// What happens in it.
    pub fn what(self) -> &'static str {
        match self {
            Self::Flight => "Two bricks fly and turn under gravity for half a second, and do not meet.",
            Self::Slide => {
                "A box of 0.4 m × 0.2 m × 0.3 m slides at 1 m/s over a floor with μ = 0.3, and stops after 0.34 s, of half a second."
            }
            Self::Stack => {
                "Three cubes of 0.2 m in a column fall a millimetre onto a floor and each other with μ = 0.5, for half a second."
            }
            Self::Pendulum => {
                "Two rods of half a metre hang from the world and each other by hinges, and swing for half a second from rest at a right angle."
            }
        }
    }
}

/// Another way to write a scene down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variation {
    /// The origin of every moving body's author's frame is elsewhere.
    Shifted,
    /// The axes of every moving body's author's frame are others.
    Tilted,
    /// Names are others, in another alphabetical order.
    Renamed,
    /// Bodies and joints stand in the file in the reverse order.
    Reordered,
    /// Lengths in centimetres and masses in grams.
    Rescaled,
    /// The world is moved by some metres.
    Moved,
    /// The world is turned, with gravity.
    Turned,
    /// The first and the second body of every joint change places.
    Swapped,
    /// Every box of a moving body is two halves.
    Split,
    /// A body far away falls beside them.
    Far,
}

/// All variations, in the order of the page.
pub const VARIATIONS: [Variation; 10] = [
    Variation::Shifted,
    Variation::Tilted,
    Variation::Renamed,
    Variation::Reordered,
    Variation::Rescaled,
    Variation::Moved,
    Variation::Turned,
    Variation::Swapped,
    Variation::Split,
    Variation::Far,
];

impl Variation {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shifted => "frame shifted",
            Self::Tilted => "frame turned",
            Self::Renamed => "renamed",
            Self::Reordered => "reordered",
            Self::Rescaled => "cm, g",
            Self::Moved => "world moved",
            Self::Turned => "world turned",
            Self::Swapped => "bodies swapped",
            Self::Split => "shape split",
            Self::Far => "far body",
        }
    }
}

/// The largest difference of two motions that should be one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Difference {
    /// Of a centre of mass, in parts of the size of its body.
    pub position: f64,
    /// Of a rotation (rad).
    pub rotation: f64,
}

impl Difference {
    /// Whether both are at most `bound`; a number that is none is not.
    pub fn is_below(&self, bound: f64) -> bool {
        self.position <= bound && self.rotation <= bound
    }

    /// The larger of both.
    pub fn largest(&self) -> f64 {
        if self.position.is_nan() || self.rotation.is_nan() {
            f64::NAN
        } else {
            self.position.max(self.rotation)
        }
    }
}

/// A box of a body, in its author's frame.
#[derive(Debug, Clone, Copy)]
struct Block {
    size: Vec3,
    at: Pose,
}

/// A body as its author writes it.
#[derive(Debug, Clone)]
struct Author {
    name: String,
    is_static: bool,
    place: Pose,
    velocity: Vec3,
    spin: Vec3,
    friction: f64,
    density: f64,
    blocks: Vec<Block>,
}

/// A hinge as its author writes it, in the world.
#[derive(Debug, Clone)]
struct Hinge {
    bodies: [Option<String>; 2],
    at: Vec3,
    axis: Vec3,
}

/// A scene as its author writes it.
#[derive(Debug, Clone)]
struct Sketch {
    gravity: Vec3,
    dt: f64,
    duration: f64,
    bodies: Vec<Author>,
    hinges: Vec<Hinge>,
}

/// A scene file in memory.
struct Text(String);

impl Files for Text {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

/// The size (m) to which differences of position are relative: that of the smallest edge in the scenes but for floors.
const SIZE: f64 = 0.2;
/// Density (kg/m³).
const DENSITY: f64 = 1000.0;
/// Centimetres in a metre, and grams in a kilogram.
const UNITS: [f64; 2] = [100.0, 1000.0];
/// By how much the world is moved (m).
const MOVE: [f64; 3] = [8.0, -4.0, 16.0];
/// By how much it is turned (rad).
const TURN: [f64; 3] = [0.3, -1.1, 0.7];

impl Case {
    fn sketch(self) -> Sketch {
        let block = |size: Vec3| vec![Block { size, at: Pose::identity() }];
        let body = |name: &str, position: Vec3, size: Vec3, friction: f64| Author {
            name: name.to_owned(),
            is_static: false,
            place: Pose::translation(position),
            velocity: Vec3::zeros(),
            spin: Vec3::zeros(),
            friction,
            density: DENSITY,
            blocks: block(size),
        };
        let floor = |friction: f64| Author {
            is_static: true,
            ..body("floor", Vec3::new(0.0, -0.5, 0.0), Vec3::new(8.0, 1.0, 8.0), friction)
        };
        let g = Vec3::new(0.0, -9.81, 0.0);
        let of =
            |bodies: Vec<Author>| Sketch { gravity: g, dt: 0.005, duration: 0.5, bodies, hinges: Vec::new() };
        match self {
            Self::Flight => {
                let one = body("one", Vec3::zeros(), Vec3::new(0.2, 0.4, 0.6), 0.0);
                let two = body("two", Vec3::new(3.0, 0.0, 0.0), Vec3::new(0.2, 0.3, 0.25), 0.0);
                of(vec![
                    Author { velocity: Vec3::new(1.0, 2.0, -0.5), spin: Vec3::new(0.1, 6.0, 0.2), ..one },
                    Author { velocity: Vec3::new(0.0, 1.0, 0.0), spin: Vec3::new(3.0, -2.0, 1.0), ..two },
                ])
            }
            Self::Slide => {
                let slider = body("slider", Vec3::new(-1.0, 0.1001, 0.0), Vec3::new(0.4, 0.2, 0.3), 0.3);
                of(vec![floor(0.3), Author { velocity: Vec3::x(), ..slider }])
            }
            Self::Stack => {
                let cube = |k: usize| {
                    let height = 0.1 + 0.001 + 0.201 * k as f64;
                    body(
                        &format!("cube-{k}"),
                        Vec3::new(0.01 * k as f64, height, 0.0),
                        Vec3::repeat(0.2),
                        0.5,
                    )
                };
                of(std::iter::once(floor(0.5)).chain((0..3).map(cube)).collect())
            }
            Self::Pendulum => {
                let rod =
                    |name: &str, x: f64| body(name, Vec3::new(x, 0.0, 0.0), Vec3::new(0.5, 0.05, 0.05), 0.0);
                let hinge = |a: &str, b: Option<&str>, x: f64| Hinge {
                    bodies: [Some(a.to_owned()), b.map(str::to_owned)],
                    at: Vec3::new(x, 0.0, 0.0),
                    axis: Vec3::z(),
                };
                let hinges = vec![hinge("upper", None, 0.0), hinge("lower", Some("upper"), 0.5)];
                Sketch { hinges, ..of(vec![rod("upper", 0.25), rod("lower", 0.75)]) }
            }
        }
    }
}

impl Sketch {
    /// Changes one thing that physics does not know; `None` if the scene does not have it.
    fn varied(&self, variation: Variation) -> Option<Self> {
        let mut new = self.clone();
        let moving = |new: &mut Self, change: &dyn Fn(&mut Author)| {
            new.bodies.iter_mut().filter(|body| !body.is_static).for_each(change);
        };
        match variation {
            Variation::Shifted => moving(&mut new, &|body| {
                body.reframe(&Pose::translation(Vec3::new(1.0, -0.5, 0.25)));
            }),
            Variation::Tilted => moving(&mut new, &|body| {
                body.reframe(&Pose::from_rotation_vector(Vec3::zeros(), &Vec3::new(0.4, 0.9, -0.6)));
            }),
            Variation::Renamed => {
                let n = new.bodies.len();
                let name = |k: usize| format!("{}-body", char::from(b'a' + (n - 1 - k) as u8));
                let old: Vec<String> = new.bodies.iter().map(|body| body.name.clone()).collect();
                for (k, body) in new.bodies.iter_mut().enumerate() {
                    body.name = name(k);
                }
                for of in new.hinges.iter_mut().flat_map(|hinge| &mut hinge.bodies).flatten() {
                    *of = old.iter().position(|other| other == of).map_or_else(String::new, name);
                }
            }
            Variation::Reordered => {
                new.bodies.reverse();
                new.hinges.reverse();
            }
            Variation::Rescaled => {
                let [length, mass] = UNITS;
                new.gravity *= length;
                for body in &mut new.bodies {
                    body.place.position *= length;
                    body.velocity *= length;
                    body.density *= mass / (length * length * length);
                    for block in &mut body.blocks {
                        block.size *= length;
                        block.at.position *= length;
                    }
                }
                new.hinges.iter_mut().for_each(|hinge| hinge.at *= length);
            }
            Variation::Moved => {
                new.carry(&Pose::translation(Vec3::from(MOVE)));
            }
            Variation::Turned => new.carry(&Pose::from_rotation_vector(Vec3::zeros(), &Vec3::from(TURN))),
            Variation::Swapped => {
                // The world can only be second.
                let both = new.hinges.iter_mut().filter(|hinge| hinge.bodies[1].is_some());
                if both.map(|hinge| hinge.bodies.swap(0, 1)).count() == 0 {
                    return None;
                }
            }
            Variation::Split => moving(&mut new, &Author::split),
            Variation::Far => {
                let far = Author {
                    name: "far".to_owned(),
                    place: Pose::translation(Vec3::new(1000.0, 500.0, 0.0)),
                    spin: Vec3::y(),
                    ..new.bodies.last()?.clone()
                };
                new.bodies.push(far);
            }
        }
        Some(new)
    }

    /// Carries the world along with `pose`.
    fn carry(&mut self, pose: &Pose) {
        self.gravity = pose.vector(&self.gravity);
        for body in &mut self.bodies {
            body.place = pose.compose(&body.place);
            body.velocity = pose.vector(&body.velocity);
            body.spin = pose.vector(&body.spin);
        }
        for hinge in &mut self.hinges {
            hinge.at = pose.point(&hinge.at);
            hinge.axis = pose.vector(&hinge.axis);
        }
    }

    /// The scene file.
    fn text(&self) -> String {
        let three = |v: &Vec3| format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z);
        let turn = |q: &UnitQuaternion| format!("{:?}", quaternion::to_wxyz(q));
        let mut text = format!(
            "format = 1\nname = \"invariance\"\ngravity = {}\n[time]\ndt = {:?}\nduration = {:?}\n",
            three(&self.gravity),
            self.dt,
            self.duration
        );
        for body in &self.bodies {
            let role = if body.is_static { "role = \"static\"\n" } else { "" };
            let _ = write!(
                text,
                "[[body]]\nname = {:?}\n{role}density = {:?}\nfriction = {:?}\nposition = {}\nquaternion = {}\n",
                body.name,
                body.density,
                body.friction,
                three(&body.place.position),
                turn(&body.place.rotation)
            );
            if !body.is_static {
                let (v, w) = (three(&body.velocity), three(&body.spin));
                let _ = write!(text, "linear_velocity = {v}\nangular_velocity = {w}\n");
            }
            for block in &body.blocks {
                let (size, at, q) = (three(&block.size), three(&block.at.position), turn(&block.at.rotation));
                let _ = write!(
                    text,
                    "[[body.shape]]\nbox = {{ size = {size} }}\nposition = {at}\nquaternion = {q}\n"
                );
            }
        }
        for (k, hinge) in self.hinges.iter().enumerate() {
            let (at, axis) = (three(&hinge.at), three(&hinge.axis));
            let _ = write!(
                text,
                "[[joint]]\nname = \"hinge-{k}\"\nkind = \"hinge\"\nposition = {at}\naxis = {axis}\n"
            );
            for (key, body) in ["body_a", "body_b"].into_iter().zip(&hinge.bodies) {
                if let Some(body) = body {
                    let _ = writeln!(text, "{key} = {body:?}");
                }
            }
        }
        text
    }
}

impl Author {
    /// Writes the body in another frame, which is `frame` in the present one.
    fn reframe(&mut self, frame: &Pose) {
        self.place = self.place.compose(frame);
        let back = frame.inverse();
        for block in &mut self.blocks {
            block.at = back.compose(&block.at);
        }
    }

    /// Writes every box as two halves along its x axis.
    fn split(&mut self) {
        let half = |block: &Block| {
            let size = Vec3::new(0.5 * block.size.x, block.size.y, block.size.z);
            let at =
                |side: f64| block.at.compose(&Pose::translation(Vec3::x() * (side * 0.25 * block.size.x)));
            [-1.0, 1.0].map(|side| Block { size, at: at(side) })
        };
        self.blocks = self.blocks.iter().flat_map(half).collect();
    }
}

/// A run of a sketch.
struct Made {
    scene: Scene,
    run: Run,
}

/// Runs a sketch under `method` with settings `KEY = VALUE` of it, as TOML.
fn made(sketch: &Sketch, method: &str, settings: &[String]) -> Result<Made, Box<dyn Error>> {
    let overrides = settings.iter().map(|line| format!("method.{method}.{line}")).collect();
    let options = LoadOptions { overrides, mesh_folders: Vec::new() };
    let scene = rigor_file::load(Path::new("invariance.toml"), &Text(sketch.text()), &options)?.scene;
    let settings = scene.methods.get(method).cloned().unwrap_or_default();
    let mut chosen = registry::find(method)?.make(&settings, Clock::default())?.method;
    chosen.supports(&scene)?;
    let run = Run::record(&scene, chosen.as_mut(), scene.time.dt, scene.time.steps());
    match &run.outcome {
        Outcome::Completed => Ok(Made { scene, run }),
        Outcome::Stopped { error, .. } => Err(error.to_string().into()),
        Outcome::Interrupted { .. } => Err("interrupted".into()),
    }
}

/// Returns by how much the motion of a case differs if it is written down in another way, over all frames and all bodies of the original.
///
/// `settings` are those of the method, such as `substeps=4`. The original differs from itself by 0: a method is deterministic.
///
/// # Errors
/// The method does not exist, does not support the scene, or stops; or the variation changes nothing in it.
pub fn deviation(
    case: Case,
    variation: Variation,
    method: &str,
    settings: &[String],
) -> Result<Difference, Box<dyn Error>> {
    let sketch = case.sketch();
    let varied = sketch.varied(variation).ok_or("the scene has nothing to vary")?;
    let first = made(&sketch, method, settings)?;
    let other = made(&varied, method, settings)?;
    // Where a body of the original is in the varied scene, and the transformation back.
    let place = |k: usize| match variation {
        Variation::Reordered => sketch.bodies.len() - 1 - k,
        Variation::Shifted
        | Variation::Tilted
        | Variation::Renamed
        | Variation::Rescaled
        | Variation::Moved
        | Variation::Turned
        | Variation::Swapped
        | Variation::Split
        | Variation::Far => k,
    };
    let back = match variation {
        Variation::Moved => Pose::translation(-Vec3::from(MOVE)),
        Variation::Turned => Pose::from_rotation_vector(Vec3::zeros(), &-Vec3::from(TURN)),
        Variation::Shifted
        | Variation::Tilted
        | Variation::Renamed
        | Variation::Reordered
        | Variation::Rescaled
        | Variation::Swapped
        | Variation::Split
        | Variation::Far => Pose::identity(),
    };
    let length = if variation == Variation::Rescaled { UNITS[0] } else { 1.0 };
    let mut found = Difference::default();
    for (a, b) in first.run.trajectory.frames.iter().zip(&other.run.trajectory.frames) {
        for (k, body) in sketch.bodies.iter().enumerate().filter(|(_, body)| !body.is_static) {
            debug_assert_eq!(first.scene.bodies[k].name, body.name);
            let j = place(k);
            let (here, there) = (&a.bodies[k].pose, &b.bodies[j].pose);
            let position = back.point(&(there.position / length));
            let turned = |made: &Made, pose: &Pose, i: usize| {
                pose.rotation * made.scene.bodies[i].initial.pose.rotation.inverse()
            };
            let turn = back.rotation * turned(&other, there, j) * back.rotation.inverse();
            let angle = rotation_vector::log(&(turn * turned(&first, here, k).inverse())).norm();
            found.position = worse(found.position, (position - here.position).norm() / SIZE);
            found.rotation = worse(found.rotation, angle);
        }
    }
    if first.run.trajectory.frames.len() != other.run.trajectory.frames.len() {
        return Err("the runs have different lengths".into());
    }
    Ok(found)
}

/// The larger of two numbers; NaN if either is NaN.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

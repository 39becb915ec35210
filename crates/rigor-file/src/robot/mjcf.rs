//! MJCF, the format of MuJoCo: bodies, geoms and joints, with defaults and included files.
//!
//! Rules of MuJoCo that decide the scene: sizes are halves; angles are in degrees unless the compiler says otherwise; a body
//! without `inertial` has the mass of its geoms at 1000 kg/m³; bodies without a joint are welded to their parent; a body does
//! not collide with its parent; two geoms collide if the `contype` of one shares a bit with the `conaffinity` of the other.

mod asset;
mod attach;
mod composite;
mod default;
mod field;
mod flex;
mod geom;
mod language;
mod pair;
mod pose;
mod ratio;
mod servo;
mod start;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rigor_math::{Mat3, Pose, Vec3, quaternion};

use super::Options;
use super::model::{Joint, Kind, Link, Mass, Model};
use super::xml::Element;
use crate::Files;
use crate::error::SceneError;
use geom::Geom;
use language::Languages;
use pose::Compiler;
use ratio::Ratio;
use servo::{Control, Servo};
use start::Start;

/// Maximum number of elements of a model after frames, copies and attachments are unfolded.
const MAX_PARTS: usize = 20_000;

/// Reads a model.
///
/// # Errors
/// A number is invalid, or there is no such key.
pub fn model<'a>(
    root: &Element<'a>,
    path: &'a Path,
    files: &'a dyn Files,
    options: &Options,
) -> Result<Model, SceneError> {
    let start = options.key.as_deref().map(|key| Start::of(root, key)).transpose()?;
    let mut switches = Switches::default();
    let mut model = Model {
        name: root.text("model").unwrap_or_default().to_owned(),
        gravity: [0.0, 0.0, -9.81],
        takes_larger_friction: true,
        ..Model::default()
    };
    let mut groups_off = BTreeSet::new();
    for option in root.all("option") {
        if let Some(gravity) = option.vector("gravity")? {
            model.gravity = gravity;
        }
        model.dt = option.number("timestep")?.filter(|dt| *dt > 0.0).or(model.dt);
        groups_off
            .extend(option.numbers("actuatorgroupdisable")?.unwrap_or_default().iter().map(|n| *n as i64));
        option.all("flag").for_each(|flag| switches.read(&flag));
    }
    model.dt = model.dt.or(Some(0.002));
    if switches.no_gravity {
        model.gravity = [0.0; 3];
    }
    model.is_one_group = switches.no_contact;
    let control = Control {
        is_off: switches.no_actuation,
        groups_off,
        given: start.as_ref().map_or_else(Vec::new, |start| start.control.clone()),
    };
    let mut reader = Reader {
        path,
        files,
        languages: Languages::of(root, path, files, &control)?,
        switches,
        start,
        ratios: Vec::new(),
        names: BTreeSet::new(),
        joint_names: BTreeSet::new(),
        shapes: BTreeMap::new(),
        held: BTreeSet::new(),
        n_parts: Cell::new(0),
        attached: vec![(0, String::new())].into(),
        model,
    };
    for world in root.all("worldbody") {
        reader.world(&world)?;
    }
    if let Some(start) = &reader.start {
        start.check()?;
    }
    reader.exclude();
    reader.pair()?;
    let Reader { languages, mut model, ratios, .. } = reader;
    languages.main().compiler.weigh(&mut model.links);
    ratio::resolve(&mut model, &ratios);
    Ok(model)
}

/// What flags of `option` switch off.
#[derive(Default)]
struct Switches {
    no_gravity: bool,
    no_contact: bool,
    no_actuation: bool,
    no_bounds: bool,
    no_springs: bool,
    no_dampers: bool,
    /// Whether a body may collide with its parent.
    parents_meet: bool,
}

impl Switches {
    /// Follows a flag.
    fn read(&mut self, flag: &Element<'_>) {
        let is_off = |name: &str| flag.text(name) == Some("disable");
        let (constraint, passive) = (is_off("constraint"), is_off("passive"));
        self.no_gravity |= is_off("gravity");
        self.no_contact |= is_off("contact") || constraint;
        self.no_actuation |= is_off("actuation");
        self.no_bounds |= is_off("limit") || constraint;
        self.no_springs |= is_off("spring") || passive;
        self.no_dampers |= is_off("damper") || passive;
        self.parents_meet |= is_off("filterparent");
    }
}

/// Where elements are: in frames within a body or the world, in a class, in a copy with these ends of its names, and in a model.
#[derive(Clone)]
struct Around<'a> {
    pose: Pose,
    class: &'a str,
    prefix: String,
    suffix: String,
    /// Number of the model among all that are attached to each other.
    language: usize,
    /// Number of attachments around.
    depth: usize,
}

struct Reader<'a> {
    /// The file of the model.
    path: &'a Path,
    files: &'a dyn Files,
    languages: Languages<'a>,
    switches: Switches,
    start: Option<Start>,
    /// Damping by a ratio.
    ratios: Vec<Ratio>,
    /// Names of links.
    names: BTreeSet<String>,
    /// Names of joints.
    joint_names: BTreeSet<String>,
    /// Links by the names of geoms.
    shapes: BTreeMap<String, usize>,
    /// Links that are fixed to the world.
    held: BTreeSet<usize>,
    /// Number of elements so far.
    n_parts: Cell<usize>,
    /// Models with what their names begin with.
    attached: std::cell::RefCell<Vec<(usize, String)>>,
    model: Model,
}

impl<'a> Reader<'a> {
    fn compiler(&self, around: &Around<'a>) -> &Compiler {
        &self.languages.all[around.language].compiler
    }

    /// Reads the geoms of the world as one static body, and its bodies.
    fn world(&mut self, world: &Element<'a>) -> Result<(), SceneError> {
        let main = Around {
            pose: Pose::identity(),
            class: "main",
            prefix: String::new(),
            suffix: String::new(),
            language: 0,
            depth: 0,
        };
        let parts = self.unfold(world, &main)?;
        let geoms = self.geoms(world, &parts)?;
        if geoms.iter().any(|geom| geom.shape.is_some()) {
            self.push("world".into(), Pose::identity(), Mass::NONE, geoms);
            if let Some(link) = self.model.links.last_mut() {
                link.is_static = true;
            }
            self.held.insert(self.model.links.len() - 1);
        }
        self.bodies(&parts, None, &Pose::identity())
    }

    /// Returns the elements of a body or of the world, those in frames and each copy of those in replicas with their places.
    fn unfold(
        &self,
        element: &Element<'a>,
        around: &Around<'a>,
    ) -> Result<Vec<(Element<'a>, Around<'a>)>, SceneError> {
        let mut parts = Vec::new();
        for child in element.children() {
            match child.name() {
                "frame" => {
                    let frame = child.read();
                    let own = self.compiler(around).pose(&frame, &|name| frame.text(name))?;
                    let class = frame.text("childclass").unwrap_or(around.class);
                    let pose = around.pose.compose(&own);
                    parts.extend(self.unfold(&frame, &Around { pose, class, ..around.clone() })?);
                }
                "replicate" => parts.extend(self.replicas(&child.read(), around)?),
                "attach" => parts.extend(self.attachment(&child.read(), around)?),
                _ => {
                    self.n_parts.set(self.n_parts.get() + 1);
                    if self.n_parts.get() > MAX_PARTS {
                        return Err(child.error(format!("the model has more than {MAX_PARTS} elements")));
                    }
                    parts.push((child, around.clone()));
                }
            }
        }
        Ok(parts)
    }

    /// Returns all copies of the elements in `replicate`: each is placed from the last by `offset` and `euler`.
    fn replicas(
        &self,
        element: &Element<'a>,
        around: &Around<'a>,
    ) -> Result<Vec<(Element<'a>, Around<'a>)>, SceneError> {
        /// Maximum number of copies.
        const MAX: f64 = 2e4;
        let n = element.number("count")?.unwrap_or(f64::NAN);
        if !((1.0..=MAX).contains(&n) && n == n.trunc()) {
            return Err(element.error(format!("count: expected a whole number from 1 to {MAX}")));
        }
        let step = self.compiler(around).pose(element, &|name| match name {
            "pos" => element.text("offset"),
            "euler" => element.text("euler"),
            _ => None,
        })?;
        let (separator, n) = (element.text("sep").unwrap_or_default(), n as usize);
        let digits = n.saturating_sub(1).to_string().len();
        let mut at = Pose::identity();
        let mut parts = Vec::new();
        for k in 0..n {
            let suffix = format!("{}{separator}{k:0digits$}", around.suffix);
            parts.extend(
                self.unfold(element, &Around { pose: around.pose.compose(&at), suffix, ..around.clone() })?,
            );
            at = at.compose(&step);
        }
        Ok(parts)
    }

    /// Reads the geoms of a body, which have one friction, and collide together.
    fn geoms(
        &self,
        body: &Element<'a>,
        parts: &[(Element<'a>, Around<'a>)],
    ) -> Result<Vec<Geom>, SceneError> {
        let mut geoms = Vec::new();
        for (element, around) in parts {
            match element.name() {
                "geom" => {
                    let language = &self.languages.all[around.language];
                    let geom = Geom::of(&element.read(), around.class, language)?;
                    geoms.push(geom.at(&around.pose).called(around));
                }
                "flexcomp" => geoms.extend(self.flexcomp(&element.read(), around)?),
                _ => {}
            }
        }
        let touching = || geoms.iter().filter(|geom| geom.shape.is_some());
        let Some(first) = touching().next() else { return Ok(geoms) };
        let frictions = || geoms.iter().filter(|geom| geom.collides()).map(|geom| geom.friction);
        let friction = frictions().fold(0.0, f64::max);
        if frictions().any(|other| other != friction) {
            let why = format!("all geoms of the body have its largest friction, {friction}");
            body.drop("<geom friction>", why);
        }
        if touching().any(|geom| geom.masks != first.masks) {
            body.drop("<geom contype>", "all geoms of the body collide with what one of them collides with");
        }
        Ok(geoms)
    }

    fn bodies(
        &mut self,
        parts: &[(Element<'a>, Around<'a>)],
        parent: Option<usize>,
        above: &Pose,
    ) -> Result<(), SceneError> {
        for (element, around) in parts {
            match element.name() {
                "body" => self.body(&element.read(), parent, above, around)?,
                "composite" => self.composite(&element.read(), parent, above, around)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds a link.
    fn push(&mut self, name: String, pose: Pose, mass: Mass, geoms: Vec<Geom>) {
        let colliding = || geoms.iter().filter(|geom| geom.collides());
        let friction = colliding().map(|geom| geom.friction).reduce(f64::max);
        let masks = colliding().map(|geom| geom.masks).collect();
        let own = self.model.links.len();
        self.shapes.extend(geoms.iter().filter_map(|geom| geom.name.clone()).map(|name| (name, own)));
        let shapes = geoms.into_iter().filter_map(|geom| geom.shape).collect();
        let link = Link::new(unique(&mut self.names, name), pose, mass);
        self.model.links.push(Link { shapes, friction, masks, ..link });
    }

    fn body(
        &mut self,
        body: &Element<'a>,
        parent: Option<usize>,
        above: &Pose,
        around: &Around<'a>,
    ) -> Result<(), SceneError> {
        let class = body.text("childclass").unwrap_or(around.class);
        let compiler = self.compiler(around);
        let own = compiler.pose(body, &|name| body.text(name))?;
        let mut pose = above.compose(&around.pose).compose(&own);
        let parts = self.unfold(body, &Around { pose: Pose::identity(), class, ..around.clone() })?;
        let geoms = self.geoms(body, &parts)?;
        let name =
            body.text("name").map_or_else(|| format!("body-{}", self.model.links.len()), str::to_owned);
        let compiler = self.compiler(around);
        let mass = match body.child("inertial").filter(|_| !compiler.from_geoms) {
            Some(inertial) => inertia(&inertial, compiler)?,
            None => {
                let counted = geoms.iter().filter(|geom| compiler.counts(geom.group));
                counted.fold(Mass::NONE, |whole, geom| whole.and(&geom.mass))
            }
        };
        let (mass, index) = (compiler.bounded(mass), self.model.links.len());
        self.push(format!("{}{name}{}", around.prefix, around.suffix), pose, mass, geoms);
        let (mut joints, mut poses) = (Vec::new(), Vec::new());
        let mut is_free = false;
        for (element, around) in &parts {
            let joint = match element.name() {
                "freejoint" => {
                    element.read();
                    None
                }
                "joint" => self.joint(&element.read(), around, index, &pose.compose(&around.pose))?,
                _ => continue,
            };
            match joint {
                Some((mut joint, zero)) => {
                    if let Some(start) = &mut self.start {
                        start.move_joint(&mut joint, zero, &mut pose);
                    }
                    joints.push(joint);
                    poses.push(pose);
                }
                None => {
                    is_free = true;
                    if let Some(start) = &mut self.start {
                        pose = start.free(element)?;
                    }
                }
            }
        }
        self.hold(index, parent, &pose, (!is_free).then_some((joints, poses)));
        self.bodies(&parts, Some(index), &pose)
    }

    /// Holds a link at this pose to its parent, by these joints with the poses after each of them; it is free without them.
    fn hold(
        &mut self,
        index: usize,
        parent: Option<usize>,
        pose: &Pose,
        joints: Option<(Vec<Joint>, Vec<Pose>)>,
    ) {
        self.model.links[index].pose = *pose;
        // A free body collides with its parent.
        let Some((mut joints, mut poses)) = joints else { return };
        if joints.is_empty() {
            // Without a joint, a body is part of its parent.
            joints.push(Joint::new(String::new(), Kind::Fixed, index, pose.position, Vec3::x()));
            poses.push(*pose);
            if parent.is_none_or(|parent| self.held.contains(&parent)) {
                self.held.insert(index);
            }
        }
        // Bodies that are fixed to the world collide with what they carry.
        if let Some(parent) =
            parent.filter(|parent| !self.switches.parents_meet && !self.held.contains(parent))
        {
            self.model.apart.insert((parent.min(index), parent.max(index)));
        }
        self.model.chain(index, parent, joints, &poses);
    }

    /// Reads a joint, with its coordinate in the posture of the file; `None` if it leaves the body free.
    fn joint(
        &mut self,
        element: &Element<'a>,
        around: &Around<'a>,
        child: usize,
        pose: &Pose,
    ) -> Result<Option<(Joint, f64)>, SceneError> {
        let class = around.class;
        let language = &self.languages.all[around.language];
        let (defaults, compiler) = (&language.defaults, &language.compiler);
        let get = |name: &str| defaults.text(element, class, name);
        let number = |name: &str, or: f64| defaults.number(element, class, name, or);
        let kind = match get("type").unwrap_or("hinge") {
            "hinge" => Kind::Hinge,
            "slide" => Kind::Slide,
            "ball" => Kind::Ball,
            "free" => {
                if number("damping", 0.0)? != 0.0 || number("stiffness", 0.0)? != 0.0 {
                    element.drop(
                        "<joint type=\"free\">",
                        "springs and dampers of free bodies are not simulated",
                    );
                }
                return Ok(None);
            }
            other => return Err(element.error(format!("there is no type {other:?} of joints"))),
        };
        let unit = if kind == Kind::Slide { 1.0 } else { compiler.angle };
        let axis = defaults.vector(element, class, "axis")?.unwrap_or([0.0, 0.0, 1.0]);
        let axis =
            Vec3::from(axis).try_normalize(0.0).ok_or_else(|| element.error("the axis has no direction"))?;
        let place = defaults.vector(element, class, "pos")?.unwrap_or_default();
        let zero = number("ref", 0.0)? * unit;
        let range = defaults.numbers(element, class, "range")?;
        let is_limited = match get("limited") {
            _ if self.switches.no_bounds => false,
            Some("true") => true,
            Some("false") => false,
            _ => compiler.auto_limits && range.is_some(),
        };
        let limits = match range.as_deref() {
            Some([lower, upper]) if is_limited && kind != Kind::Ball => {
                [Some(lower * unit - zero), Some(upper * unit - zero)]
            }
            _ => [None; 2],
        };
        if kind == Kind::Ball && is_limited {
            element.drop("<joint range>", "bounds of ball joints are not supported here");
        }
        let name = element.text("name").map_or_else(|| format!("joint-{}", element.line()), str::to_owned);
        let servos = language.servos.get(&name).map_or(&[][..], Vec::as_slice);
        let servo = servos.iter().fold(Servo::default(), |sum, one| sum.and(&one.pull));
        let (kp, kv) = (servo.stiffness, servo.damping);
        let on = |is_off: bool| if is_off { 0.0 } else { 1.0 };
        // An actuator and a spring pull together: they meet where their forces balance.
        let by_time = defaults.numbers(element, class, "springdamper")?;
        let by_time = by_time.as_deref().and_then(|numbers| <[f64; 2]>::try_from(numbers).ok());
        let by_time = by_time.filter(|numbers| numbers.iter().all(|x| *x > 0.0));
        let own = if by_time.is_some() { 0.0 } else { 1.0 };
        let spring = number("stiffness", 0.0)?.max(0.0) * own * on(self.switches.no_springs);
        let own_rest = number("springref", 0.0)? * unit - zero;
        let stiffness = spring + kp;
        if stiffness == 0.0 && servo.bias != 0.0 {
            element.drop("<joint>", "the constant pull of its actuators is not simulated");
        }
        let rest =
            if stiffness > 0.0 { (spring * own_rest - kp * zero + servo.bias) / stiffness } else { 0.0 };
        let damping = number("damping", 0.0)?.max(0.0) * own * on(self.switches.no_dampers) + kv;
        if kind == Kind::Ball && (stiffness > 0.0 || damping > 0.0) {
            element.drop("<joint type=\"ball\">", "springs and dampers of ball joints are not simulated");
        }
        let ratios = servos.iter().filter_map(|one| one.ratio);
        let name = unique(&mut self.joint_names, format!("{}{name}{}", around.prefix, around.suffix));
        self.ratios.extend(ratios.map(|[zeta, kp, gear]| Ratio::Servo {
            joint: name.clone(),
            zeta,
            kp,
            gear,
        }));
        if let Some([time, zeta]) = by_time {
            self.ratios.push(Ratio::Spring { joint: name.clone(), time, zeta, rest: own_rest });
        }
        let rotor = defaults.peek(element, class, "armature").max(0.0);
        let (position, axis) = (pose.point(&place.into()), pose.vector(&axis));
        let joint = Joint {
            limits,
            stiffness,
            damping,
            rest,
            rotor,
            ..Joint::new(name, kind, child, position, axis)
        };
        Ok(Some((joint, zero)))
    }
}

/// Returns a name that is not among these, and adds it: the name itself, or with a number at its end.
fn unique(names: &mut BTreeSet<String>, name: String) -> String {
    let mut own = name.clone();
    let mut k = 2;
    while !names.insert(own.clone()) {
        own = format!("{name}-{k}");
        k += 1;
    }
    own
}

/// Reads `inertial`.
fn inertia(inertial: &Element<'_>, compiler: &Compiler) -> Result<Mass, SceneError> {
    let pose = compiler.pose(inertial, &|name| inertial.text(name))?;
    let mass = inertial.number("mass")?.unwrap_or(0.0).max(0.0);
    let inertia = match (inertial.vector("diaginertia")?, inertial.numbers("fullinertia")?) {
        (_, Some(full)) if full.len() == 6 => {
            let [xx, yy, zz, xy, xz, yz] = [full[0], full[1], full[2], full[3], full[4], full[5]];
            Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        }
        (Some(diagonal), _) => Mat3::from_diagonal(&diagonal.into()),
        _ => Mat3::zeros(),
    };
    Ok(Mass { mass, center: Vec3::zeros(), inertia }.at(&pose))
}

/// A unit quaternion (w, x, y, z) of any length.
fn unit(wxyz: [f64; 4], element: &Element<'_>) -> Result<rigor_math::UnitQuaternion, SceneError> {
    quaternion::from_wxyz(wxyz).map_err(|error| element.error(error.to_string()))
}

//! MJCF, the format of MuJoCo: bodies, geoms and joints, with defaults and included files.
//!
//! Rules of MuJoCo that decide the scene: sizes are halves; angles are in degrees unless the compiler says otherwise; a body
//! without `inertial` has the mass of its geoms at 1000 kg/m³; bodies without a joint are welded to their parent; a body does
//! not collide with its parent; two geoms collide if the `contype` of one shares a bit with the `conaffinity` of the other.

mod default;
mod geom;
mod pose;
mod servo;

use std::collections::BTreeMap;
use std::path::Path;

use rigor_math::{Mat3, Pose, Vec3, quaternion};

use super::model::{Joint, Kind, Link, Mass, Model};
use super::xml::Element;
use crate::Files;
use crate::error::SceneError;
use default::Defaults;
use geom::{Asset, Geom};
use pose::Compiler;
use servo::Servo;

/// Reads a model.
///
/// # Errors
/// A number is invalid.
pub fn model(root: &Element<'_>, path: &Path, files: &dyn Files) -> Result<Model, SceneError> {
    let (compiler, defaults) = (Compiler::of(root)?, Defaults::of(root));
    let mut reader = Reader {
        assets: assets(root, &compiler, &defaults, path, files)?,
        servos: servo::of_joints(root, &compiler, &defaults)?,
        compiler,
        defaults,
        switches: Switches::default(),
        model: Model {
            name: root.text("model").unwrap_or_default().to_owned(),
            gravity: [0.0, 0.0, -9.81],
            takes_larger_friction: true,
            ..Model::default()
        },
    };
    for option in root.all("option") {
        if let Some(gravity) = option.vector("gravity")? {
            reader.model.gravity = gravity;
        }
        reader.model.dt = option.number("timestep")?.filter(|dt| *dt > 0.0).or(reader.model.dt);
        option.all("flag").for_each(|flag| reader.switch(&flag));
    }
    reader.model.dt = reader.model.dt.or(Some(0.002));
    for world in root.all("worldbody") {
        reader.world(&world)?;
    }
    reader.exclude(root);
    reader.compiler.weigh(&mut reader.model.links);
    Ok(reader.model)
}

/// The meshes of `asset`, by name.
fn assets<'a>(
    root: &Element<'a>,
    compiler: &Compiler,
    defaults: &Defaults<'a>,
    path: &Path,
    files: &dyn Files,
) -> Result<BTreeMap<String, Asset>, SceneError> {
    let mut assets = BTreeMap::new();
    for mesh in root.all("asset").flat_map(|asset| asset.all("mesh")) {
        let stem = mesh.text("file").and_then(|file| Path::new(file).file_stem());
        let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
        let name = mesh.text("name").map(str::to_owned).or(stem).unwrap_or_default();
        match Asset::of(&mesh, compiler, defaults, path, files)? {
            Ok(asset) => {
                assets.insert(name, asset);
            }
            Err(why) => mesh.drop(format!("<mesh {name}>"), why),
        }
    }
    Ok(assets)
}

/// Whether contact, bounds and springs are switched off by flags of `option`.
#[derive(Default)]
struct Switches {
    no_bounds: bool,
    no_springs: bool,
    no_dampers: bool,
    /// Whether a body may collide with its parent.
    parents_meet: bool,
}

/// Where elements are: in frames within a body or the world, in a class, and in a copy with this end of its names.
#[derive(Clone)]
struct Around<'a> {
    pose: Pose,
    class: &'a str,
    suffix: String,
}

struct Reader<'a> {
    compiler: Compiler,
    defaults: Defaults<'a>,
    assets: BTreeMap<String, Asset>,
    servos: BTreeMap<String, Servo>,
    switches: Switches,
    model: Model,
}

impl<'a> Reader<'a> {
    /// Follows a flag of `option`.
    fn switch(&mut self, flag: &Element<'a>) {
        let is = |name: &str, value: &str| flag.text(name) == Some(value);
        if is("gravity", "disable") {
            self.model.gravity = [0.0; 3];
        }
        if is("contact", "disable") || is("constraint", "disable") {
            self.model.is_one_group = true;
        }
        self.switches = Switches {
            no_bounds: is("limit", "disable") || is("constraint", "disable"),
            no_springs: is("spring", "disable") || is("passive", "disable"),
            no_dampers: is("damper", "disable") || is("passive", "disable"),
            parents_meet: is("filterparent", "disable"),
        };
    }

    /// Reads the geoms of the world as one static body, and its bodies.
    fn world(&mut self, world: &Element<'a>) -> Result<(), SceneError> {
        let main = Around { pose: Pose::identity(), class: "main", suffix: String::new() };
        let parts = self.unfold(world, &main)?;
        let geoms = self.geoms(&parts)?;
        if geoms.iter().any(|geom| geom.shape.is_some()) {
            self.push("world".into(), Pose::identity(), Mass::NONE, geoms);
            if let Some(link) = self.model.links.last_mut() {
                link.is_static = true;
            }
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
                    let pose = around.pose.compose(&self.compiler.pose(&frame, &|name| frame.text(name))?);
                    let class = frame.text("childclass").unwrap_or(around.class);
                    parts.extend(self.unfold(&frame, &Around { pose, class, ..around.clone() })?);
                }
                "replicate" => parts.extend(self.replicas(&child.read(), around)?),
                _ => parts.push((child, around.clone())),
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
        const MAX: f64 = 1e5;
        let n = element.number("count")?.unwrap_or(f64::NAN);
        if !((1.0..=MAX).contains(&n) && n == n.trunc()) {
            return Err(element.error(format!("count: expected a whole number from 1 to {MAX}")));
        }
        let step = self.compiler.pose(element, &|name| match name {
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

    fn geoms(&self, parts: &[(Element<'a>, Around<'a>)]) -> Result<Vec<Geom>, SceneError> {
        let read = |(geom, around): &(Element<'a>, Around<'a>)| {
            let geom = Geom::of(&geom.read(), around.class, &self.defaults, &self.compiler, &self.assets)?;
            Ok(geom.at(&around.pose))
        };
        parts.iter().filter(|(element, _)| element.name() == "geom").map(read).collect()
    }

    fn bodies(
        &mut self,
        parts: &[(Element<'a>, Around<'a>)],
        parent: Option<usize>,
        above: &Pose,
    ) -> Result<(), SceneError> {
        let mut bodies = parts.iter().filter(|(element, _)| element.name() == "body");
        bodies.try_for_each(|(body, around)| self.body(&body.read(), parent, above, around))
    }

    /// Adds a link.
    fn push(&mut self, name: String, pose: Pose, mass: Mass, geoms: Vec<Geom>) {
        let frictions = geoms.iter().filter(|geom| geom.shape.is_some()).map(|geom| geom.friction);
        let friction = frictions.reduce(f64::max);
        let masks = geoms.iter().filter(|geom| geom.shape.is_some()).map(|geom| geom.masks).collect();
        let shapes = geoms.into_iter().filter_map(|geom| geom.shape).collect();
        let mut unique = name.clone();
        for k in 2.. {
            if !self.model.links.iter().any(|link| link.name == unique) {
                break;
            }
            unique = format!("{name}-{k}");
        }
        self.model.links.push(Link { name: unique, pose, mass, shapes, friction, is_static: false, masks });
    }

    fn body(
        &mut self,
        body: &Element<'a>,
        parent: Option<usize>,
        above: &Pose,
        around: &Around<'a>,
    ) -> Result<(), SceneError> {
        let class = body.text("childclass").unwrap_or(around.class);
        let own = self.compiler.pose(body, &|name| body.text(name))?;
        let pose = above.compose(&around.pose).compose(&own);
        let suffix = around.suffix.clone();
        let parts = self.unfold(body, &Around { pose: Pose::identity(), class, suffix })?;
        let geoms = self.geoms(&parts)?;
        let name =
            body.text("name").map_or_else(|| format!("body-{}", self.model.links.len()), str::to_owned);
        let mass = match body.child("inertial").filter(|_| !self.compiler.from_geoms) {
            Some(inertial) => self.inertial(&inertial)?,
            None => {
                let counted = geoms.iter().filter(|geom| self.compiler.counts(geom.group));
                counted.fold(Mass::NONE, |whole, geom| whole.and(&geom.mass))
            }
        };
        let index = self.model.links.len();
        self.push(format!("{name}{}", around.suffix), pose, self.compiler.bounded(mass), geoms);
        let mut joints = Vec::new();
        let mut is_free = false;
        for (element, around) in &parts {
            match element.name() {
                "freejoint" => {
                    element.read();
                    is_free = true;
                }
                "joint" => match self.joint(&element.read(), around, index, &pose.compose(&around.pose))? {
                    Some(joint) => joints.push(joint),
                    None => is_free = true,
                },
                _ => {}
            }
        }
        if joints.is_empty() && !is_free {
            // Without a joint, a body is part of its parent.
            joints.push(fixed(index, &pose));
        }
        if let Some(parent) = parent.filter(|_| !is_free && !self.switches.parents_meet) {
            self.model.apart.insert((parent.min(index), parent.max(index)));
        }
        if !is_free {
            self.model.chain(index, parent, joints);
        }
        self.bodies(&parts, Some(index), &pose)
    }

    fn inertial(&self, inertial: &Element<'a>) -> Result<Mass, SceneError> {
        let pose = self.compiler.pose(inertial, &|name| inertial.text(name))?;
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

    /// Reads a joint; `None` if it leaves the body free.
    fn joint(
        &self,
        element: &Element<'a>,
        around: &Around<'a>,
        child: usize,
        pose: &Pose,
    ) -> Result<Option<Joint>, SceneError> {
        let class = around.class;
        let get = |name: &str| self.defaults.text(element, class, name);
        let number = |name: &str, or: f64| self.defaults.number(element, class, name, or);
        let kind = match get("type").unwrap_or("hinge") {
            "hinge" => Kind::Hinge,
            "slide" => Kind::Slide,
            "ball" => Kind::Ball,
            "free" => return Ok(None),
            other => return Err(element.error(format!("there is no type {other:?} of joints"))),
        };
        let unit = if kind == Kind::Slide { 1.0 } else { self.compiler.angle };
        let axis = self.defaults.vector(element, class, "axis")?.unwrap_or([0.0, 0.0, 1.0]);
        let axis =
            Vec3::from(axis).try_normalize(0.0).ok_or_else(|| element.error("the axis has no direction"))?;
        let place = self.defaults.vector(element, class, "pos")?.unwrap_or_default();
        let zero = number("ref", 0.0)? * unit;
        let range = self.defaults.numbers(element, class, "range")?;
        let is_limited = match get("limited") {
            _ if self.switches.no_bounds => false,
            Some("true") => true,
            Some("false") => false,
            _ => self.compiler.auto_limits && range.is_some(),
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
        let servo = self.servos.get(&name).copied().unwrap_or_default();
        let (kp, kv) = (servo.stiffness, servo.damping);
        let on = |is_off: bool| if is_off { 0.0 } else { 1.0 };
        // An actuator and a spring pull together: they meet where their forces balance.
        let spring = number("stiffness", 0.0)?.max(0.0) * on(self.switches.no_springs);
        let rest = number("springref", 0.0)? * unit - zero;
        let stiffness = spring + kp;
        if stiffness == 0.0 && servo.bias != 0.0 {
            element.drop("<joint>", "the constant pull of its actuators is not simulated");
        }
        let rest = if stiffness > 0.0 { (spring * rest - kp * zero + servo.bias) / stiffness } else { 0.0 };
        let damping = number("damping", 0.0)?.max(0.0) * on(self.switches.no_dampers) + kv;
        let name = format!("{name}{}", around.suffix);
        let (position, axis) = (pose.point(&place.into()), pose.vector(&axis));
        Ok(Some(Joint { name, kind, child, parent: None, position, axis, limits, stiffness, damping, rest }))
    }

    /// Finds the pairs of links that the file keeps apart by name.
    fn exclude(&mut self, root: &Element<'a>) {
        let find =
            |name: Option<&str>| self.model.links.iter().position(|link| Some(link.name.as_str()) == name);
        let excluded = root.all("contact").flat_map(|contact| contact.all("exclude"));
        let named: Vec<_> =
            excluded.filter_map(|e| Some((find(e.text("body1"))?, find(e.text("body2"))?))).collect();
        self.model.apart.extend(named.into_iter().map(|(a, b)| (a.min(b), a.max(b))));
    }
}

/// The joint of a body without joints.
fn fixed(child: usize, pose: &Pose) -> Joint {
    Joint {
        name: String::new(),
        kind: Kind::Fixed,
        child,
        parent: None,
        position: pose.position,
        axis: Vec3::x(),
        limits: [None; 2],
        stiffness: 0.0,
        damping: 0.0,
        rest: 0.0,
    }
}

/// A unit quaternion (w, x, y, z) of any length.
fn unit(wxyz: [f64; 4], element: &Element<'_>) -> Result<rigor_math::UnitQuaternion, SceneError> {
    quaternion::from_wxyz(wxyz).map_err(|error| element.error(error.to_string()))
}

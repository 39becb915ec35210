//! MJCF, the format of MuJoCo: bodies, geoms and joints, with defaults and included files.
//!
//! Rules of MuJoCo that decide the scene: sizes are halves; angles are in degrees unless the compiler says otherwise; a body
//! without `inertial` has the mass of its geoms at 1000 kg/m³; bodies without a joint are welded to their parent; a body does
//! not collide with its parent; two geoms collide if the `contype` of one shares a bit with the `conaffinity` of the other.

mod default;
mod geom;
mod pose;

use std::collections::BTreeMap;
use std::path::Path;

use rigor_math::{Mat3, Pose, Vec3, quaternion};

use super::geometry;
use super::model::{Joint, Kind, Link, Mass, Model};
use super::xml::Element;
use crate::Files;
use crate::error::SceneError;
use default::Defaults;
use geom::{Asset, Geom};
use pose::Compiler;

/// Reads a model.
///
/// # Errors
/// A number is invalid.
pub fn model(root: &Element<'_>, path: &Path, files: &dyn Files) -> Result<Model, SceneError> {
    let mut reader = Reader {
        compiler: Compiler::of(root)?,
        defaults: Defaults::of(root),
        assets: assets(root, path, files)?,
        springs: actuators(root)?,
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
    }
    reader.model.dt = reader.model.dt.or(Some(0.002));
    for world in root.all("worldbody") {
        reader.world(&world)?;
    }
    reader.exclude(root);
    Ok(reader.model)
}

/// The meshes of `asset`, by name.
fn assets(root: &Element<'_>, path: &Path, files: &dyn Files) -> Result<BTreeMap<String, Asset>, SceneError> {
    let compiler = Compiler::of(root)?;
    let mut assets = BTreeMap::new();
    for mesh in root.all("asset").flat_map(|asset| asset.all("mesh")) {
        let Some(file) = mesh.text("file") else {
            mesh.drop("<mesh>", "only meshes from files are supported");
            continue;
        };
        let stem = Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = mesh.text("name").map(str::to_owned).or(stem).unwrap_or_default();
        let scale = mesh.vector("scale")?.unwrap_or([1.0; 3]).into();
        let full =
            if compiler.folder.is_empty() { file.to_owned() } else { format!("{}/{file}", compiler.folder) };
        match geometry::find(&full, path, files) {
            Ok(found) => {
                assets.insert(name, Asset { file: found.name, scale, mass: found.mass });
            }
            Err(why) => mesh.drop(format!("<mesh {file}>"), why),
        }
    }
    Ok(assets)
}

/// Stiffness and damping of position actuators, by joint.
fn actuators(root: &Element<'_>) -> Result<BTreeMap<String, (f64, f64)>, SceneError> {
    let mut springs = BTreeMap::new();
    for actuator in root.all("actuator").flat_map(|actuator| actuator.all("position")) {
        let Some(joint) = actuator.text("joint") else { continue };
        actuator.drop("<position>", "a spring to the control 0");
        let (kp, kv) = (actuator.number("kp")?.unwrap_or(1.0), actuator.number("kv")?.unwrap_or(0.0));
        springs.insert(joint.to_owned(), (kp.max(0.0), kv.max(0.0)));
    }
    Ok(springs)
}

struct Reader<'a> {
    compiler: Compiler,
    defaults: Defaults<'a>,
    assets: BTreeMap<String, Asset>,
    springs: BTreeMap<String, (f64, f64)>,
    model: Model,
}

impl<'a> Reader<'a> {
    /// Reads the geoms of the world as one static body, and its bodies.
    fn world(&mut self, world: &Element<'a>) -> Result<(), SceneError> {
        let geoms = self.geoms(world, "main")?;
        if geoms.iter().any(|geom| geom.shape.is_some()) {
            self.push("world".into(), Pose::identity(), Mass::NONE, geoms);
            if let Some(link) = self.model.links.last_mut() {
                link.is_static = true;
            }
        }
        world.all("body").try_for_each(|body| self.body(&body, None, &Pose::identity(), "main"))
    }

    fn geoms(&self, element: &Element<'a>, class: &str) -> Result<Vec<Geom>, SceneError> {
        let read = |geom: Element<'a>| Geom::of(&geom, class, &self.defaults, &self.compiler, &self.assets);
        element.all("geom").map(read).collect()
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
        class: &str,
    ) -> Result<(), SceneError> {
        let class = body.text("childclass").unwrap_or(class);
        let pose = above.compose(&self.compiler.pose(body, &|name| body.text(name))?);
        let geoms = self.geoms(body, class)?;
        let name =
            body.text("name").map_or_else(|| format!("body-{}", self.model.links.len()), str::to_owned);
        let mass = match body.child("inertial").filter(|_| !self.compiler.from_geoms) {
            Some(inertial) => self.inertial(&inertial)?,
            None => geoms.iter().fold(Mass::NONE, |whole, geom| whole.and(&geom.mass)),
        };
        let index = self.model.links.len();
        self.push(name, pose, mass, geoms);
        let mut joints = Vec::new();
        let free = body.child("freejoint");
        let mut is_free = free.is_some();
        for element in body.all("joint") {
            match self.joint(&element, class, index, &pose)? {
                Some(joint) => joints.push(joint),
                None => is_free = true,
            }
        }
        if joints.is_empty() && !is_free {
            // Without a joint, a body is part of its parent.
            joints.push(fixed(index, &pose));
        }
        if let Some(parent) = parent.filter(|_| !is_free) {
            self.model.apart.insert((parent.min(index), parent.max(index)));
        }
        if !is_free {
            self.model.chain(index, parent, joints);
        }
        body.all("body").try_for_each(|child| self.body(&child, Some(index), &pose, class))
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
        class: &str,
        child: usize,
        pose: &Pose,
    ) -> Result<Option<Joint>, SceneError> {
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
        let (kp, kv) = self.springs.get(&name).copied().unwrap_or_default();
        // An actuator and a spring pull together: they meet where their forces balance.
        let (spring, rest) = (number("stiffness", 0.0)?.max(0.0), number("springref", 0.0)? * unit - zero);
        let stiffness = spring + kp;
        let rest = if stiffness > 0.0 { (spring * rest - kp * zero) / stiffness } else { 0.0 };
        let damping = number("damping", 0.0)?.max(0.0) + kv;
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

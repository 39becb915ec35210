//! Geoms: shapes with mass.

use rigor_math::{Pose, UnitQuaternion, Vec3, inertia};

use super::super::account::{MASS_ONLY, RULE};
use super::super::model::{Geometry, Mass, Shape};
use super::super::xml::Element;
use super::Around;
use super::asset::Asset;
use super::default::Defaults;
use super::language::Language;
use super::pose::standing;
use crate::error::SceneError;

/// Size (m) of a plane without end.
const ENDLESS: f64 = 20.0;

/// A geom: its shape for contact, if it has one, and its mass in the frame of its body.
pub struct Geom {
    pub shape: Option<Shape>,
    pub mass: Mass,
    pub friction: f64,
    /// `contype` and `conaffinity`.
    pub masks: (i64, i64),
    /// Number of its group.
    pub group: i64,
    /// Its name.
    pub name: Option<String>,
}

/// What a geom of a composite has not from its element.
#[derive(Clone, Copy)]
pub enum Part {
    /// It lies along x from the origin on; half of its length (m).
    Segment { half: f64 },
    /// It has no friction unless it says so.
    Particle,
}

impl Geom {
    /// Whether it collides without being named.
    pub fn collides(&self) -> bool {
        self.shape.is_some() && self.masks != (0, 0)
    }

    /// Gives it the name that it has in this place.
    pub fn called(self, around: &Around<'_>) -> Self {
        let name = self.name.map(|name| format!("{}{name}{}", around.prefix, around.suffix));
        Self { name, ..self }
    }

    /// Moves it from the frame at `pose`, in that of its body, to that of its body.
    pub fn at(self, pose: &Pose) -> Self {
        let shape = self.shape.map(|shape| Shape { pose: pose.compose(&shape.pose), ..shape });
        Self { shape, mass: self.mass.at(pose), ..self }
    }

    /// Reads a geom.
    ///
    /// # Errors
    /// A number is invalid.
    pub fn of<'a>(element: &Element<'a>, class: &str, language: &Language<'a>) -> Result<Self, SceneError> {
        Self::read(element, class, (language, &language.defaults), None)
    }

    /// Reads a geom of a composite, which no defaults change.
    ///
    /// # Errors
    /// A number is invalid.
    pub fn of_part<'a>(
        element: &Element<'a>,
        language: &Language<'a>,
        part: Part,
    ) -> Result<Self, SceneError> {
        Self::read(element, "main", (language, &Defaults::none()), Some(part))
    }

    fn read<'a>(
        element: &Element<'a>,
        class: &str,
        (language, defaults): (&Language<'a>, &Defaults<'a>),
        part: Option<Part>,
    ) -> Result<Self, SceneError> {
        let Language { compiler, assets, fields, paired, .. } = language;
        let get = |name: &str| defaults.text(element, class, name);
        let number = |name: &str, or: f64| defaults.number(element, class, name, or);
        let masks = (number("contype", 1.0)? as i64, number("conaffinity", 1.0)? as i64);
        let group = number("group", 0.0)? as i64;
        let mut friction = number("friction", 1.0)?.max(0.0);
        let condim = if matches!(part, Some(Part::Particle)) { 1.0 } else { 3.0 };
        if number("condim", condim)? == 1.0 && friction > 0.0 {
            friction = 0.0;
            element.drop(
                "<geom condim=\"1\">",
                format!("{RULE}no friction, but that of a body with friction it touches"),
            );
        }
        if number("priority", 0.0)? != 0.0 {
            element.drop("<geom priority>", "the friction of a pair is always the larger coefficient");
        }
        let name = element.text("name");
        let none =
            Self { shape: None, mass: Mass::NONE, friction, masks, group, name: name.map(str::to_owned) };
        let (ends, size) =
            (defaults.numbers(element, class, "fromto")?, defaults.numbers(element, class, "size")?);
        let mut size = size.unwrap_or_default();
        let mut pose = compiler.pose(element, &get)?;
        if let Some(&[a, b, c, d, e, f]) = ends.as_deref() {
            let (from, to) = (Vec3::new(a, b, c), Vec3::new(d, e, f));
            let way = to - from;
            let Some(along) = way.try_normalize(0.0) else {
                return Err(element.error("fromto has the length 0"));
            };
            pose = Pose::new((from + to) * 0.5, standing(&along));
            let is_flat = get("type") == Some("box") || get("type") == Some("ellipsoid");
            size.truncate(if is_flat { 2 } else { 1 });
            if is_flat && size.len() == 1 {
                size.push(size[0]);
            }
            size.push(0.5 * way.norm());
        }
        if let Some(Part::Segment { half }) = part {
            let is_box = get("type") == Some("box");
            if is_box && !size.is_empty() {
                size[0] = half;
            } else {
                size.truncate(1);
                size.push(half);
            }
            let turn = if is_box { UnitQuaternion::identity() } else { standing(&Vec3::x()) };
            pose = Pose::new(half * Vec3::x(), turn);
        }
        let mesh = get("mesh").and_then(|name| assets.get(name));
        let kind = get("type").unwrap_or(if get("mesh").is_some() { "mesh" } else { "sphere" });
        if let Some(asset) = mesh.filter(|_| kind != "mesh") {
            // A primitive with a mesh is fitted to it.
            let Some(fit) = Fit::of(asset) else {
                element
                    .drop(format!("<geom type={kind:?} mesh>"), "its mesh encloses no volume to fit it to");
                return Ok(none);
            };
            size = fit.sizes(kind);
            let scale = number("fitscale", 1.0)?;
            size.iter_mut().for_each(|size| *size *= scale);
            pose = pose.compose(&fit.pose);
        } else if let Some(asset) = mesh {
            pose = pose.compose(&asset.pose);
            if asset.mass.is_none() {
                element.drop("<geom type=\"mesh\">", "its mesh encloses no volume: it adds no mass");
            }
            if asset.is_hollowed && masks != (0, 0) {
                let why = "it collides as it is, and not as the convex hull of its mesh";
                element.drop("<geom type=\"mesh\">", why);
            }
        }
        let field = get("hfield").and_then(|name| fields.get(name)).filter(|_| kind == "hfield");
        let part = |i: usize| match size.get(i) {
            Some(x) if *x > 0.0 => Ok(*x),
            _ => Err(element.error(format!("a {kind} needs {} positive size(s)", i + 1))),
        };
        let geometry = match kind {
            "sphere" => Geometry::Sphere { radius: part(0)? },
            "box" => Geometry::Box { size: 2.0 * Vec3::new(part(0)?, part(1)?, part(2)?) },
            "ellipsoid" => Geometry::Ellipsoid { radii: Vec3::new(part(0)?, part(1)?, part(2)?) },
            "capsule" => Geometry::Capsule { radius: part(0)?, length: 2.0 * part(1)? },
            "cylinder" => Geometry::Cylinder { radius: part(0)?, length: 2.0 * part(1)? },
            "plane" => {
                // Its sizes say how much of it is drawn.
                let side = |i: usize| size.get(i).map_or(ENDLESS, |x| ENDLESS.max(2.0 * x));
                let (x, y) = (side(0), side(1));
                element.drop(
                    "<geom type=\"plane\">",
                    format!("{RULE}of the endless plane, {x} m by {y} m are there"),
                );
                Geometry::Plane { size: [x, y] }
            }
            "mesh" => match mesh {
                Some(asset) => asset.geometry.clone(),
                None => {
                    element.drop("<geom>", "its mesh is missing");
                    return Ok(none);
                }
            },
            "hfield" => match field {
                Some(field) => {
                    let why = format!("{RULE}its mass is that of a box, as MuJoCo counts it");
                    element.drop("<geom type=\"hfield\">", why);
                    field.geometry.clone()
                }
                None => {
                    element.drop("<geom>", "its height field is missing");
                    return Ok(none);
                }
            },
            other => {
                element.drop(format!("<geom type={other:?}>"), "this type is not supported");
                return Ok(none);
            }
        };
        let is_shell = get("shellinertia") == Some("true");
        let at_unit_density = match mesh.filter(|_| kind == "mesh") {
            Some(asset) if is_shell => asset.shell.unwrap_or(Mass::NONE),
            Some(asset) => asset.mass.unwrap_or(Mass::NONE),
            None if field.is_some() => field.map_or(Mass::NONE, |field| field.mass),
            None if is_shell => geometry.shell().unwrap_or_else(|| {
                element.drop("<geom shellinertia>", "the mass is that of a solid");
                geometry.mass(1.0, None)
            }),
            None => geometry.mass(1.0, None),
        };
        let mass = match defaults.numbers(element, class, "mass")?.and_then(|m| m.first().copied()) {
            Some(mass) if at_unit_density.mass > 0.0 => {
                at_unit_density.share(mass.max(0.0) / at_unit_density.mass)
            }
            Some(_) => Mass::NONE,
            None => at_unit_density.share(number("density", 1000.0)?.max(0.0)),
        };
        let is_for_contact = masks != (0, 0) || name.is_some_and(|name| paired.contains(name));
        if !is_for_contact {
            element.drop("<geom contype=\"0\" conaffinity=\"0\">", MASS_ONLY);
        }
        let shape = is_for_contact.then_some(Shape { geometry, pose });
        Ok(Self { shape, mass: mass.at(&pose), ..none })
    }
}

/// The box of a mesh's mass and moments, with its long side along z, to which primitives are fitted.
struct Fit {
    /// Half sides (m).
    half: Vec3,
    /// Its frame in that of the asset.
    pose: Pose,
}

impl Fit {
    fn of(asset: &Asset) -> Option<Self> {
        let mass = asset.mass?.at(&asset.pose);
        let principal = inertia::diagonalize(&mass.inertia);
        // The smallest moment, the first one, is about the longest side: (z, −y, x) has it last.
        let m = Vec3::new(principal.moments.z, principal.moments.y, principal.moments.x);
        let quarter = std::f64::consts::FRAC_1_SQRT_2;
        let swap = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(0.0, quarter, 0.0, quarter));
        let side_sq = |i: usize| 6.0 * (m.sum() - 2.0 * m[i]) / mass.mass;
        let half = Vec3::from_fn(|i, _| 0.5 * side_sq(i).max(0.0).sqrt());
        Some(Self { half, pose: Pose::new(mass.center, principal.axes * swap) })
    }

    /// The sizes of a primitive of this kind.
    fn sizes(&self, kind: &str) -> Vec<f64> {
        let (a, b, c) = (self.half.x, self.half.y, self.half.z);
        let radius = 0.5 * (a + b);
        match kind {
            "sphere" => vec![(a + b + c) / 3.0],
            "capsule" => vec![radius, (c - 0.5 * radius).max(0.0)],
            "cylinder" => vec![radius, c],
            _ => vec![a, b, c],
        }
    }
}

//! `composite`: chains and clouds of bodies, which MuJoCo made from one element before its version 4.

use std::f64::consts::PI;

use rigor_math::{Pose, UnitQuaternion, Vec3, elementary, quaternion};

use super::super::model::{Joint, Kind, Mass};
use super::super::xml::Element;
use super::geom::{Geom, Part};
use super::{Around, MAX_PARTS, Reader};
use crate::error::SceneError;

/// Sine of the angle below which two edges are in line.
const IN_LINE: f64 = 1e-6;

/// What holds the first body of a cable.
#[derive(Clone, Copy)]
enum First {
    Free,
    Ball,
    Fixed,
}

impl<'a> Reader<'a> {
    /// Makes the bodies of a composite: a cable, or particles. Defaults do not hold for them.
    pub(super) fn composite(
        &mut self,
        element: &Element<'a>,
        parent: Option<usize>,
        above: &Pose,
        around: &Around<'a>,
    ) -> Result<(), SceneError> {
        match element.text("type") {
            Some("cable") => self.cable(element, parent, above, around),
            Some("particle") => self.particles(element, parent, above, around),
            other => {
                let n: f64 = counts(element)?.iter().product();
                let what = format!("<composite type={:?}>", other.unwrap_or_default());
                element.drop_whole(what, format!("its bodies, {n} by its `count`, are not made"));
                Ok(())
            }
        }
    }

    /// Makes a chain: body k lies on the edge from vertex k to k + 1, along its own x, and a ball joint in vertex k holds it to the
    /// body before. The frame of the first has the first two edges in its plane x, y, each of the others is turned from that before
    /// on the shortest way. Neighbours do not collide.
    ///
    /// Source: MuJoCo 3.3, XML reference, `body/composite`; frames, masses and curves checked against MuJoCo 3.3.7, which does not
    /// follow `quat`.
    fn cable(
        &mut self,
        element: &Element<'a>,
        parent: Option<usize>,
        above: &Pose,
        around: &Around<'a>,
    ) -> Result<(), SceneError> {
        let vertices = vertices(element)?;
        let first = match element.text("initial") {
            Some("free") => First::Free,
            Some("ball") | None => First::Ball,
            Some("none") => First::Fixed,
            Some(other) => return Err(element.error(format!("there is no `initial` {other:?}"))),
        };
        if element.text("quat").is_some() {
            element.drop("<composite quat>", "rule: MuJoCo 3.3 does not follow it");
        }
        let prefix = element.text("prefix").unwrap_or_default();
        let offset: Vec3 = element.vector("offset")?.unwrap_or_default().into();
        let joint = element.all("joint").next();
        if let Some(joint) = &joint {
            for name in ["stiffness", "damping"] {
                if joint.numbers(name)?.unwrap_or_default().iter().any(|x| *x != 0.0) {
                    joint.drop(
                        format!("<joint {name}>"),
                        "springs and dampers of ball joints are not simulated",
                    );
                }
            }
            if !matches!(joint.text("kind"), Some("main") | None) {
                joint.drop("<joint kind>", "only the main joints of a cable are made");
            }
            if joint.text("range").is_some() && joint.text("limited") != Some("false") {
                joint.drop("<joint range>", "bounds of ball joints are not supported here");
            }
        }
        let last = vertices.len() - 2;
        let mut pose = above.compose(&around.pose).compose(&Pose::translation(vertices[0] + offset));
        // The frame of each body in the frame around it, before a key moves it.
        let mut rest = first_frame(&vertices);
        pose.rotation *= rest;
        let mut before = parent;
        for k in 0..=last {
            let way = vertices[k + 1] - vertices[k];
            let length = way.norm();
            if !(length.is_finite() && length > 1e-10) {
                return Err(element.error(format!("vertices {k} and {} are at the same place", k + 1)));
            }
            if k > 0 {
                let turn = shortest(&(rest.inverse() * (way / length)));
                rest *= turn;
                pose.rotation *= turn;
            }
            let part = Part::Segment { half: 0.5 * length };
            let name = match k {
                0 => "first".to_owned(),
                k if k == last => "last".to_owned(),
                k => k.to_string(),
            };
            let index = self.part(
                element,
                around,
                pose,
                part,
                [format!("{prefix}B_{name}"), format!("{prefix}G{k}")],
            )?;
            let is_held_by_ball = k > 0 || matches!(first, First::Ball);
            let joint = |index| {
                let name = format!("{}{prefix}J_{name}{}", around.prefix, around.suffix);
                Joint::new(name, Kind::Ball, index, pose.position, Vec3::x())
            };
            let joints = match first {
                _ if is_held_by_ball => Some(vec![joint(index)]),
                First::Free | First::Ball => None,
                First::Fixed => Some(Vec::new()),
            };
            self.place_part(element, index, before, &mut pose, joints)?;
            if let Some(before) = before.filter(|_| k > 0) {
                self.model.apart.insert((before.min(index), before.max(index)));
            }
            before = Some(index);
            pose.position = pose.point(&(length * Vec3::x()));
        }
        Ok(())
    }

    /// Makes a grid of bodies, each with slides along the axes of the parent, or free: of n along an axis, the first is n/2 spacings
    /// before `offset`.
    ///
    /// Source: MuJoCo 3.1.6, whose places, masses and joints it was found from.
    fn particles(
        &mut self,
        element: &Element<'a>,
        parent: Option<usize>,
        above: &Pose,
        around: &Around<'a>,
    ) -> Result<(), SceneError> {
        let n = counts(element)?;
        let spacing = element.number("spacing")?.unwrap_or(0.0);
        let prefix = element.text("prefix").unwrap_or_default();
        let offset: Vec3 = element.vector("offset")?.unwrap_or_default().into();
        let own: Vec<Element<'a>> = element.all("joint").collect();
        let is_free = own.iter().any(|joint| joint.text("type") == Some("free"));
        if own.len() > usize::from(is_free) {
            element.drop_whole(
                "<composite type=\"particle\">",
                "particles with joints of their own are not made",
            );
            return Ok(());
        }
        own.iter().for_each(|joint| {
            joint.text("kind");
        });
        if n[2] == 1.0 {
            element.drop("<composite type=\"particle\">", "the tendons of a flat grid are not simulated");
        }
        let frame = above.compose(&around.pose);
        for i in 0..n[0] as usize {
            for j in 0..n[1] as usize {
                for k in 0..n[2] as usize {
                    let at = [i, j, k].map(|i| i as f64);
                    let place = Vec3::from_fn(|axis, _| spacing * (at[axis] - 0.5 * n[axis]));
                    let mut pose = frame.compose(&Pose::translation(offset + place));
                    let names = [format!("{prefix}B{i}_{j}_{k}"), format!("{prefix}G{i}_{j}_{k}")];
                    let index = self.part(element, around, pose, Part::Particle, names)?;
                    let slide = |axis: usize| {
                        let name = format!("{}{prefix}J{axis}_{i}_{j}_{k}{}", around.prefix, around.suffix);
                        let direction = frame.vector(&Vec3::ith(axis, 1.0));
                        Joint::new(name, Kind::Slide, index, pose.position, direction)
                    };
                    let joints = (!is_free).then(|| (0..3).map(slide).collect());
                    self.place_part(element, index, parent, &mut pose, joints)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a body of a composite with its geom.
    fn part(
        &mut self,
        element: &Element<'a>,
        around: &Around<'a>,
        pose: Pose,
        part: Part,
        [body, geom]: [String; 2],
    ) -> Result<usize, SceneError> {
        // A body and its geom.
        self.n_parts.set(self.n_parts.get() + 2);
        if self.n_parts.get() > MAX_PARTS {
            return Err(element.error(format!("the model has more than {MAX_PARTS} elements")));
        }
        let language = &self.languages.all[around.language];
        let Some(own) = element.child("geom") else {
            return Err(element.error("a composite needs a `geom`"));
        };
        let own = Geom::of_part(&own, language, part)?;
        let mass = if language.compiler.counts(own.group) { own.mass } else { Mass::NONE };
        let (mass, index) = (language.compiler.bounded(mass), self.model.links.len());
        let own = Geom { name: Some(geom), ..own }.called(around);
        self.push(format!("{}{body}{}", around.prefix, around.suffix), pose, mass, vec![own]);
        Ok(index)
    }

    /// Holds a body of a composite by these joints; it is free without them.
    fn place_part(
        &mut self,
        element: &Element<'a>,
        index: usize,
        parent: Option<usize>,
        pose: &mut Pose,
        joints: Option<Vec<Joint>>,
    ) -> Result<(), SceneError> {
        self.n_parts.set(self.n_parts.get() + joints.as_ref().map_or(1, Vec::len));
        let mut poses = Vec::new();
        let mut joints = joints;
        match (&mut joints, &mut self.start) {
            (Some(joints), Some(start)) => {
                for joint in joints.iter_mut() {
                    start.move_joint(joint, 0.0, pose);
                    poses.push(*pose);
                }
            }
            (Some(joints), None) => poses = vec![*pose; joints.len()],
            (None, Some(start)) => *pose = start.free(element)?,
            (None, None) => {}
        }
        for joint in joints.iter_mut().flatten() {
            joint.name = super::unique(&mut self.joint_names, std::mem::take(&mut joint.name));
        }
        self.hold(index, parent, pose, joints.map(|joints| (joints, poses)));
        Ok(())
    }
}

/// The numbers of bodies along the axes, 1 where there is none.
fn counts(element: &Element<'_>) -> Result<[f64; 3], SceneError> {
    let given = element.numbers("count")?.unwrap_or_default();
    let is_right = |n: &f64| (1.0..=MAX_PARTS as f64).contains(n) && n.trunc() == *n;
    if given.is_empty() || given.len() > 3 || !given.iter().all(is_right) {
        return Err(
            element.error(format!("count: expected one to three whole numbers from 1 to {MAX_PARTS}"))
        );
    }
    Ok([0, 1, 2].map(|i| given.get(i).copied().unwrap_or(1.0)))
}

/// The vertices of a cable: those that it has, or those of its curve, with s from 0 to 1: `s` is ℓ s, and `cos(s)` and `sin(s)` are
/// r cos π w s and r sin π w s, with its sizes (ℓ, r, w).
///
/// Source: MuJoCo 3.3.7, which it was found from: its XML reference has 2 π.
fn vertices(element: &Element<'_>) -> Result<Vec<Vec3>, SceneError> {
    if let Some(given) = element.numbers("vertex")? {
        if given.len() % 3 != 0 || given.len() < 6 || given.len() / 3 > MAX_PARTS {
            return Err(element.error("vertex: expected three numbers for each of at least two vertices"));
        }
        return Ok(given.chunks_exact(3).map(|v| Vec3::new(v[0], v[1], v[2])).collect());
    }
    let curve: Vec<&str> = element.text("curve").unwrap_or_default().split_whitespace().collect();
    let [n, m, l] = counts(element)?;
    if curve.is_empty() || curve.len() > 3 || n < 2.0 || m * l != 1.0 {
        return Err(element.error("a cable needs `vertex`, or `curve` and a `count` of at least two along x"));
    }
    let size = element.numbers("size")?.unwrap_or_default();
    let [length, radius, speed] = [0, 1, 2].map(|i| size.get(i).copied().unwrap_or(0.0));
    let place = |i: usize| -> Result<Vec3, SceneError> {
        let s = i as f64 / (n - 1.0);
        let along = |word: &&str| match *word {
            "0" => Ok(0.0),
            "s" => Ok(length * s),
            "cos(s)" => Ok(radius * elementary::cos(PI * speed * s)),
            "sin(s)" => Ok(radius * elementary::sin(PI * speed * s)),
            other => Err(element.error(format!("curve: {other:?} is none of 0, s, cos(s) and sin(s)"))),
        };
        let mut place = Vec3::zeros();
        for (axis, word) in curve.iter().enumerate() {
            place[axis] = along(word)?;
        }
        Ok(place)
    };
    (0..n as usize).map(place).collect()
}

/// The frame of the first edge: x along it, the second edge in the plane x, y, on the side of y; x on the shortest way if they are in
/// line.
fn first_frame(vertices: &[Vec3]) -> UnitQuaternion {
    let edge = |k: usize| vertices.get(k + 1).and_then(|end| (end - vertices[k]).try_normalize(0.0));
    let x = edge(0).unwrap_or_else(Vec3::x);
    let normal = x.cross(&edge(1).unwrap_or(x));
    let Some(z) = normal.try_normalize(IN_LINE) else { return shortest(&x) };
    let matrix = rigor_math::Mat3::from_columns(&[x, z.cross(&x), z]);
    quaternion::from_matrix(&matrix, 1e-9).unwrap_or_else(|_| shortest(&x))
}

/// The shortest rotation from x to a direction; half a turn about z to −x.
fn shortest(to: &Vec3) -> UnitQuaternion {
    let (axis, real) = (Vec3::x().cross(to), 1.0 + to.x);
    if real < 1e-12 {
        return UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(0.0, 0.0, 0.0, 1.0));
    }
    UnitQuaternion::new_normalize(nalgebra::Quaternion::new(real, axis.x, axis.y, axis.z))
}

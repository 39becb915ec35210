//! `flexcomp`: deformable bodies, which are not made, and rigid ones, which are surfaces of their body.

use std::collections::BTreeMap;

use rigor_math::Vec3;

use super::super::geometry;
use super::super::model::{Geometry, Mass, Shape};
use super::super::xml::Element;
use super::geom::Geom;
use super::{Around, Reader};
use crate::error::SceneError;

impl<'a> Reader<'a> {
    /// Reads a rigid one, which has no mass, in the frame of its body; tells what others weigh.
    ///
    /// Source: MuJoCo, XML reference, `body/flexcomp`; places, masses and boundaries checked against MuJoCo 4.0.
    ///
    /// # Errors
    /// A number is invalid.
    pub(super) fn flexcomp(
        &self,
        element: &Element<'a>,
        around: &Around<'a>,
    ) -> Result<Option<Geom>, SceneError> {
        if element.text("rigid") != Some("true") {
            let mass = element.numbers("mass")?.and_then(|mass| mass.first().copied()).unwrap_or(1.0);
            let why = format!("the deformable body of {mass} kg, less what is pinned, is not made");
            element.drop_whole("<flexcomp>", why);
            return Ok(None);
        }
        let geometry = match self.surface(element, around)? {
            Ok(geometry) => geometry,
            Err(why) => {
                element.drop_whole(
                    "<flexcomp rigid=\"true\">",
                    format!("the surface that it adds to its body is not made: {why}"),
                );
                return Ok(None);
            }
        };
        let radius = element.number("radius")?.unwrap_or(0.005);
        if radius > 0.0 {
            let why = format!("its surface is not thickened by its radius, {radius} m");
            element.drop("<flexcomp radius>", why);
        }
        let contact = element.child("contact");
        let number = |name: &str, or: f64| -> Result<f64, SceneError> {
            let Some(contact) = &contact else { return Ok(or) };
            Ok(contact.numbers(name)?.and_then(|numbers| numbers.first().copied()).unwrap_or(or))
        };
        let masks = (number("contype", 1.0)? as i64, number("conaffinity", 1.0)? as i64);
        let is_smooth = number("condim", 3.0)? == 1.0;
        let friction = if is_smooth { 0.0 } else { number("friction", 1.0)?.max(0.0) };
        if number("priority", 0.0)? != 0.0 {
            element.drop("<contact priority>", "the friction of a pair is always the larger coefficient");
        }
        let pose = around.pose.compose(&self.compiler(around).pose(element, &|name| element.text(name))?);
        let shape = (masks != (0, 0)).then_some(Shape { geometry, pose });
        Ok(Some(Geom { shape, mass: Mass::NONE, friction, masks, group: 0, name: None }))
    }

    /// The surface of a rigid one; the inner error is the reason why it is not read.
    fn surface(
        &self,
        element: &Element<'a>,
        around: &Around<'a>,
    ) -> Result<Result<Geometry, String>, SceneError> {
        let scale: Vec3 = element.vector("scale")?.unwrap_or([1.0; 3]).into();
        let dim = element.number("dim")?.unwrap_or(2.0);
        if dim != 2.0 && dim != 3.0 {
            return Ok(Err(format!("elements of dimension {dim} have no surface")));
        }
        match element.text("type") {
            Some("mesh") => {
                let file = self.compiler(around).path_of(element.text("file").unwrap_or_default());
                Ok(geometry::find(&file, self.path, self.files).map(|found| {
                    found.notes.iter().for_each(|why| element.drop(format!("<flexcomp {file}>"), why));
                    Geometry::Mesh { file: found.name, scale }
                }))
            }
            Some("direct") => {
                let (point, corner) = (element.numbers("point")?, element.numbers("element")?);
                let (point, corner) = (point.unwrap_or_default(), corner.unwrap_or_default());
                let place = |v: &[f64]| Vec3::new(v[0], v[1], v[2]).component_mul(&scale);
                let vertices: Vec<Vec3> = point.chunks_exact(3).map(place).collect();
                let is_vertex = |x: &f64| *x >= 0.0 && *x < vertices.len() as f64 && *x == x.trunc();
                let size = dim as usize + 1;
                if point.len() % 3 != 0 || corner.len() % size != 0 || !corner.iter().all(is_vertex) {
                    let what = format!("points have three numbers, and elements {size} indices of points");
                    return Err(element.error(what));
                }
                let corner: Vec<u32> = corner.into_iter().map(|x| x as u32).collect();
                let triangles = match corner.as_chunks::<3>() {
                    (triangles, _) if size == 3 => triangles.to_vec(),
                    _ => boundary(&vertices, corner.as_chunks::<4>().0),
                };
                if triangles.is_empty() {
                    return Ok(Err("it has no elements".into()));
                }
                Ok(Ok(Geometry::Surface { vertices, triangles }))
            }
            other => Ok(Err(format!("the type {other:?} is not read", other = other.unwrap_or("grid")))),
        }
    }
}

/// The triangles that belong to one tetrahedron only, seen counterclockwise from outside, in the order of the tetrahedra.
fn boundary(vertices: &[Vec3], tetrahedra: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let faces: Vec<[u32; 3]> = tetrahedra
        .iter()
        .flat_map(|&[a, b, c, d]| {
            let at = |v: u32| vertices[v as usize];
            let volume = (at(b) - at(a)).cross(&(at(c) - at(a))).dot(&(at(d) - at(a)));
            let (b, c) = if volume < 0.0 { (c, b) } else { (b, c) };
            [[a, c, b], [a, b, d], [b, c, d], [c, a, d]]
        })
        .collect();
    let sorted = |face: &[u32; 3]| {
        let mut face = *face;
        face.sort_unstable();
        face
    };
    let mut count: BTreeMap<[u32; 3], usize> = BTreeMap::new();
    faces.iter().for_each(|face| *count.entry(sorted(face)).or_default() += 1);
    faces.into_iter().filter(|face| count.get(&sorted(face)) == Some(&1)).collect()
}

//! The linear constraints of Affine Body Dynamics: points that stay where they are, and points that stay together.

use rigor_math::Vec3;

use super::super::error::SceneError;
use super::draft::Draft;
use super::field::Field;

/// Points are off a line if their triangle is higher than this fraction of its longest side.
const FLAT: f64 = 1e-6;

/// A body as constraints refer to it.
pub struct Named<'a> {
    /// Name in the native scene.
    pub name: String,
    /// Stem of its mesh file, by which constraints call it.
    pub stem: String,
    /// Its entry.
    pub field: Field<'a>,
}

/// Points of a body that are held by the world, or by another body.
struct AttachedPoints<'a> {
    body: usize,
    /// The other body; `None` for the world.
    to: Option<usize>,
    /// Positions at time 0 (m, world).
    points: Vec<Vec3>,
    source: Field<'a>,
}

/// The constraints of a scene, gathered by pair of bodies.
pub struct Constraints<'a> {
    held: Vec<AttachedPoints<'a>>,
}

impl<'a> Constraints<'a> {
    /// Reads the `linear_constraints` of `problem` on `bodies`.
    ///
    /// # Errors
    /// A value of the wrong type, an unknown type, or a name that no body has.
    pub fn new(problem: &Field<'a>, bodies: &[Named<'a>]) -> Result<Self, SceneError> {
        let mut held: Vec<AttachedPoints<'a>> = Vec::new();
        for source in problem.items_or_none("linear_constraints")? {
            let (body, point, to) = match source.text_or("type", "")? {
                "pin_world" => ("body_name", "body_point", None),
                "pin_joint" => ("bodyA_name", "bodyA_point", Some("bodyB_name")),
                _ => {
                    let message = "expected `type`: `pin_world` or `pin_joint`";
                    return Err(source.get("type").unwrap_or(source).error(message));
                }
            };
            let body = find(&source, body, bodies)?;
            let to = to.map(|key| find(&source, key, bodies)).transpose()?;
            let origin = Vec3::from(bodies[body].field.vector_or_zero("position")?);
            let point = origin + Vec3::from(required(&source, point)?.vector()?);
            match held
                .iter_mut()
                .find(|h| (h.body, h.to) == (body, to) || (Some(h.body), h.to) == (to, Some(body)))
            {
                Some(same) => same.points.push(point),
                None => held.push(AttachedPoints { body, to, points: vec![point], source }),
            }
        }
        Ok(Self { held })
    }

    /// Whether the body of this index is held fast by the world: three of its points, off a line, stay where they are.
    pub fn is_fixed(&self, body: usize) -> bool {
        self.held.iter().any(|held| held.body == body && held.to.is_none() && !is_on_a_line(&held.points))
    }

    /// Returns the native joints, except those that make a body static: one point makes a ball joint, points on a line a
    /// hinge, others a fixed joint. The bodies can collide, as in the program.
    pub fn joints(&self, bodies: &[Named<'_>]) -> Vec<Draft> {
        let mut joints = Vec::new();
        for (i, held) in self.held.iter().enumerate() {
            if self.is_fixed(held.body) && held.to.is_none() {
                continue;
            }
            let first = held.points[0];
            let along = held.points.iter().map(|p| p - first).max_by(|a, b| a.norm().total_cmp(&b.norm()));
            let axis = along.unwrap_or_default();
            let kind = match (is_on_a_line(&held.points), axis == Vec3::zeros()) {
                (false, _) => "fixed",
                (true, false) => "hinge",
                (true, true) => "ball",
            };
            let mut joint = Draft::new(&held.source);
            joint.set("name", &*format!("pin-{i}"), None);
            joint.set("kind", kind, None);
            joint.set("body_a", &*bodies[held.body].name, None);
            if let Some(to) = held.to {
                joint.set("body_b", &*bodies[to].name, None);
            }
            let middle = first + 0.5 * axis;
            joint.set("position", [middle.x, middle.y, middle.z], None);
            if kind == "hinge" {
                joint.set("axis", [axis.x, axis.y, axis.z], None);
            }
            joint.set("contact", true, None);
            joints.push(joint);
        }
        joints
    }
}

fn required<'a>(source: &Field<'a>, key: &str) -> Result<Field<'a>, SceneError> {
    source.get(key).ok_or_else(|| source.error(format!("`{key}` is missing")))
}

/// Returns the index of the first body with the name under `key`.
fn find(source: &Field<'_>, key: &str, bodies: &[Named<'_>]) -> Result<usize, SceneError> {
    let name = required(source, key)?;
    let text = name.text()?;
    bodies.iter().position(|body| body.stem == text).ok_or_else(|| {
        let known: Vec<&str> = bodies.iter().map(|body| body.stem.as_str()).collect();
        name.error(format!("no body is called `{text}`: the bodies are {}", known.join(", ")))
    })
}

/// Whether the points lie on one line, or coincide.
fn is_on_a_line(points: &[Vec3]) -> bool {
    let first = points[0];
    let far =
        points.iter().map(|p| p - first).max_by(|a, b| a.norm().total_cmp(&b.norm())).unwrap_or_default();
    points.iter().all(|p| (p - first).cross(&far).norm() <= FLAT * far.norm_squared())
}

//! Translation of bodies.

use std::collections::BTreeMap;

use rigor_geometry::intersection::within_mesh;
use rigor_geometry::mass::MassModel;
use rigor_math::{Mat3, Vec3};

use super::super::at::At;
use super::super::document::{
    BodyEntry, Copies, Document, FrictionEntry, Group, InertiaEntry, RoleName, ShapeEntry,
};
use super::super::error::{SceneError, Warning};
use super::super::mesh;
use super::super::tree::shortened;
use super::known::Known;
use super::library::Library;
use super::{motion, placement, shape};
use rigor_scene::body::{Body, FixedAxes, Friction, Role};
use rigor_scene::build::{BodySpec, PlacedShape, Weight};
use rigor_scene::motion::{KinematicPath, Motion};

/// Maximum number of bodies in one scene.
const MAX_BODIES: usize = 100_000;
/// Maximum number of vertices and triangles of all bodies in a file, copies counted once.
const MAX_PRIMITIVES: usize = 1 << 25;
/// Warnings about bodies stop at this total number of warnings.
const MAX_WARNINGS: usize = 100;
/// Maximum number of pairs of triangles that are tested for crossing, in all meshes of a scene.
const MAX_CROSSING_TESTS: usize = 10_000_000;
/// Maximum number of such pairs per triangle of a mesh.
const TESTS_PER_TRIANGLE: usize = 100;

/// Builds the enabled bodies of `document`, copies included.
///
/// # Errors
/// The first entry that does not make a body.
pub fn bodies(
    document: &Document,
    at: &At<'_>,
    library: &mut Library<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Body>, SceneError> {
    let mut reader = Reader {
        dt: document.time.dt,
        library,
        warnings,
        groups: Groups::default(),
        known: Known::default(),
        n_primitives: 0,
        n_crossing_tests: MAX_CROSSING_TESTS,
    };
    let mut bodies = Vec::new();
    let mut first = BTreeMap::new();
    for (i, entry) in document.body.iter().enumerate().filter(|(_, entry)| entry.enabled) {
        let here = at.join("body").join(i);
        check_total(bodies.len().saturating_add(count(entry, &here)?), &here)?;
        let made = reader.bodies(entry, &here)?;
        check_total(bodies.len() + made.len(), &here)?;
        for body in made {
            if let Some(earlier) = first.insert(body.name.clone(), i) {
                let before = at.join("body").join(earlier).join("name").whereabouts();
                let message = format!("the body `{}` already exists, at {before}", shortened(&body.name));
                return Err(here.join("name").error(message));
            }
            bodies.push(body);
        }
    }
    Ok(bodies)
}

fn check_total(total: usize, at: &At<'_>) -> Result<(), SceneError> {
    if total > MAX_BODIES {
        let message = format!("the scene would have {total} bodies: at most {MAX_BODIES} are allowed");
        return Err(at.error(message));
    }
    Ok(())
}

/// Returns the number of bodies of an entry; for one with `split`, a lower bound.
fn count(entry: &BodyEntry, at: &At<'_>) -> Result<usize, SceneError> {
    let Some(copies) = &entry.copies else { return Ok(entry.places.len().max(1)) };
    let at = at.join("copies").join("count");
    if let Some(axis) = copies.count.iter().position(|n| *n == 0) {
        return Err(at.join(axis).error("expected at least 1, found 0"));
    }
    Ok(copies.count.iter().fold(1_usize, |product, n| product.saturating_mul(*n as usize)))
}

/// Returns a bit for each layer.
fn mask(layers: Option<&[u32]>, or: u32, at: &At<'_>) -> Result<u32, SceneError> {
    let Some(layers) = layers else { return Ok(or) };
    let bit = |(i, layer): (usize, &u32)| {
        1_u32
            .checked_shl(*layer)
            .ok_or_else(|| at.join(i).error(format!("expected a number from 0 to 31, found {layer}")))
    };
    layers.iter().enumerate().map(bit).try_fold(0, |mask, bit| Ok(mask | bit?))
}

/// Assigns numbers to groups, and a separate number to every body without one.
#[derive(Default)]
struct Groups {
    numbers: BTreeMap<Group, u32>,
    next: u32,
}

impl Groups {
    fn number(&mut self, group: Option<&Group>) -> u32 {
        let known = group.and_then(|group| self.numbers.get(group));
        known.copied().unwrap_or_else(|| {
            let number = self.next;
            self.next += 1;
            if let Some(group) = group {
                self.numbers.insert(group.clone(), number);
            }
            number
        })
    }
}

struct Reader<'a, 'f> {
    dt: f64,
    library: &'a mut Library<'f>,
    warnings: &'a mut Vec<Warning>,
    groups: Groups,
    known: Known,
    n_primitives: usize,
    /// Pairs of triangles that may still be tested for crossing.
    n_crossing_tests: usize,
}

impl Reader<'_, '_> {
    fn bodies(&mut self, entry: &BodyEntry, at: &At<'_>) -> Result<Vec<Body>, SceneError> {
        if entry.name.trim().is_empty() {
            return Err(at.join("name").error("expected a name, found an empty one"));
        }
        let spec = self.spec(entry, at)?;
        let (size, weight) = (size_of_files(entry, &spec), spec.weight);
        let made = self.made(entry, spec, at)?;
        let whole = if entry.split { &made[..] } else { &made[..made.len().min(1)] };
        self.hint_at_units(entry, (size, weight), whole, at);
        Ok(made)
    }

    /// Builds the bodies of an entry.
    fn made(&mut self, entry: &BodyEntry, spec: BodySpec, at: &At<'_>) -> Result<Vec<Body>, SceneError> {
        let ways = [
            ("split", entry.split),
            ("copies", entry.copies.is_some()),
            ("places", !entry.places.is_empty()),
        ];
        if let [(key, _), _, ..] = ways.iter().filter(|(_, is_used)| *is_used).collect::<Vec<_>>()[..] {
            return Err(at.join(*key).error("expected at most one of `split`, `copies` and `places`"));
        }
        if entry.split {
            return self.split(entry, spec, at);
        }
        if !entry.places.is_empty() {
            return self.places(entry, &spec, at);
        }
        let body = self.body(spec, at)?;
        Ok(match &entry.copies {
            None => vec![Body { group: self.groups.number(entry.group.as_ref()), ..body }],
            Some(copies) => self.copies(entry, copies, &body),
        })
    }

    fn body(&mut self, spec: BodySpec, at: &At<'_>) -> Result<Body, SceneError> {
        let body = self.known.build(spec).map_err(|error| at.error(error.to_string()))?;
        self.n_primitives += body.mesh.vertices().len() + body.mesh.triangles().len();
        if self.n_primitives > MAX_PRIMITIVES {
            let message = format!("the scene has more than {MAX_PRIMITIVES} vertices and triangles");
            return Err(at.error(message));
        }
        if !body.initial.is_finite() || !body.radius.is_finite() {
            return Err(at.error("the body is too large or too far away for floating-point numbers"));
        }
        if !rigor_scene::energy::kinetic(&body, &body.initial).is_finite() {
            return Err(
                at.error("the body is so fast that its kinetic energy is beyond floating-point numbers")
            );
        }
        Ok(body)
    }

    /// Builds one body for each connected component of each shape.
    fn split(&mut self, entry: &BodyEntry, spec: BodySpec, at: &At<'_>) -> Result<Vec<Body>, SceneError> {
        let components: Vec<PlacedShape> = spec.shapes.iter().flat_map(shape::components).collect();
        let spec = BodySpec { shapes: Vec::new(), ..spec };
        check_total(components.len(), at)?;
        let one = |(k, component)| {
            let name = format!("{}-{k}", entry.name);
            let spec = BodySpec { name, shapes: vec![component], ..spec.clone() };
            Ok(Body { group: self.groups.number(entry.group.as_ref()), ..self.body(spec, at)? })
        };
        components.into_iter().enumerate().map(one).collect()
    }

    fn copies(&mut self, entry: &BodyEntry, copies: &Copies, body: &Body) -> Vec<Body> {
        let [nx, ny, nz] = copies.count;
        let cells = (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| [i, j, k])));
        let copy = |cell: [u32; 3]| {
            let steps = cell.map(f64::from);
            let offset = Vec3::from(steps).component_mul(&Vec3::from(copies.spacing));
            let [i, j, k] = cell;
            Body {
                name: format!("{}-{i}-{j}-{k}", body.name),
                group: self.groups.number(entry.group.as_ref()),
                ..moved(body.clone(), &offset)
            }
        };
        cells.map(copy).collect()
    }

    /// Builds one body at each place.
    fn places(&mut self, entry: &BodyEntry, spec: &BodySpec, at: &At<'_>) -> Result<Vec<Body>, SceneError> {
        if entry.motion.is_some() {
            return Err(at.join("motion").error("a body with `places` cannot have a `motion`"));
        }
        let at = at.join("places");
        let mut made: Vec<Body> = Vec::with_capacity(entry.places.len());
        for (k, place) in entry.places.iter().enumerate() {
            let here = at.join(k);
            let pose = placement::pose(place, &here)?.compose(&spec.pose);
            let spec = BodySpec { name: format!("{}-{k}", entry.name), pose, ..spec.clone() };
            let body = self.body(spec, &here)?;
            made.push(Body { group: self.groups.number(entry.group.as_ref()), ..body });
        }
        Ok(made)
    }

    fn spec(&mut self, entry: &BodyEntry, at: &At<'_>) -> Result<BodySpec, SceneError> {
        if entry.shape.is_empty() {
            return Err(at.error("the body has no shape: add a `[[body.shape]]`"));
        }
        let shapes =
            entry.shape.iter().enumerate().map(|(i, shape)| {
                shape::placed(shape, &at.join("shape").join(i), self.library, self.warnings)
            });
        let shapes: Vec<PlacedShape> = shapes.collect::<Result<_, _>>()?;
        self.warn_of_crossings(entry, &shapes, at);
        self.warn_of_idle_keys(entry, at);
        Ok(BodySpec {
            role: self.role(entry, at)?,
            weight: weight(entry, at)?,
            friction: friction(&entry.friction, &at.join("friction"))?,
            restitution: at.join("restitution").fraction(entry.restitution)?,
            pose: placement::pose(&entry.placement(), at)?,
            linear_velocity: entry.linear_velocity.into(),
            angular_velocity: angular_velocity(entry, at)?,
            fixed: FixedAxes { translation: entry.fixed.translation, rotation: entry.fixed.rotation },
            force: entry.force.into(),
            torque: entry.torque.into(),
            layers: mask(entry.layers.as_deref(), 1, &at.join("layers"))?,
            meets: mask(entry.meets.as_deref(), u32::MAX, &at.join("meets"))?,
            ..BodySpec::new(&entry.name, shapes)
        })
    }

    fn role(&self, entry: &BodyEntry, at: &At<'_>) -> Result<Role, SceneError> {
        match (entry.role, &entry.motion) {
            (RoleName::Static, None) => Ok(Role::Static),
            (RoleName::Dynamic, None) => Ok(Role::Dynamic),
            (RoleName::Kinematic, None) => Ok(Role::Kinematic(Motion::constant_velocity())),
            (RoleName::Kinematic, Some(entry)) => {
                motion::motion(entry, self.dt, &at.join("motion")).map(Role::Kinematic)
            }
            (_, Some(_)) => {
                let finding = at.join("motion").finding("only kinematic bodies have a motion");
                Err(finding.with_help("set `role = \"kinematic\"`").into())
            }
        }
    }

    /// Warns about meshes whose triangles cross each other: inside and outside are then not what they seem.
    fn warn_of_crossings(&mut self, entry: &BodyEntry, shapes: &[PlacedShape], at: &At<'_>) {
        if self.warnings.len() >= MAX_WARNINGS || entry.shape.iter().all(|shape| shape.mesh.is_none()) {
            return;
        }
        let left = &mut self.n_crossing_tests;
        let mut crossing = |(shape, placed): (&ShapeEntry, &PlacedShape)| {
            shape.mesh.as_ref()?;
            let n_tests = placed.mesh.triangles().len().saturating_mul(TESTS_PER_TRIANGLE).min(*left);
            *left -= n_tests;
            if n_tests == 0 { None } else { within_mesh::crossing(&placed.mesh, n_tests) }
        };
        let find = || entry.shape.iter().zip(shapes).map(&mut crossing).collect();
        for (i, found) in self.known.crossings(shapes, find).into_iter().enumerate() {
            let Some([t, u]) = found.filter(|_| self.warnings.len() < MAX_WARNINGS) else { continue };
            let name = shortened(&entry.name);
            let message = format!("`{name}`: the mesh intersects itself: its triangles {t} and {u} cross");
            let finding = at.join("shape").join(i).join("mesh").finding(message);
            self.warnings.push(finding.with_help("triangles are counted from 0"));
        }
    }

    /// Warns about dynamic bodies of mesh files that look as if the file were in millimetres, and about masses that solids share
    /// with open surfaces, wires or points.
    fn hint_at_units(
        &mut self,
        entry: &BodyEntry,
        (size, weight): (f64, Weight),
        made: &[Body],
        at: &At<'_>,
    ) {
        let Some(place) = entry.shape.iter().position(|shape| shape.mesh.is_some()) else { return };
        if self.warnings.len() >= MAX_WARNINGS || entry.role != RoleName::Dynamic {
            return;
        }
        let name = shortened(&entry.name);
        let mass: f64 = made.iter().map(|body| body.mass).sum();
        let is_default = matches!(weight, Weight::Density(_)) && entry.density.is_none();
        if let Some(large) = mesh::large(size, is_default.then_some(mass)) {
            let finding = at.join("shape").join(place).join("mesh").finding(format!("`{name}` is {large}"));
            self.warnings.push(finding.with_help(mesh::IN_METRES));
        }
        let is_mixed = made.iter().any(|body| body.mass_model == MassModel::Mixed);
        if is_mixed && matches!(weight, Weight::Mass(_)) {
            let message = format!(
                "`{name}`: solids, open surfaces, wires and points share the mass as if 1 m³, 1 m², 1 m and 1 point weighed the same"
            );
            let help = "give `density`, `areal_density`, `line_density` and `point_mass` instead of `mass`, or `inertia` with it";
            self.warnings.push(at.join("mass").finding(message).with_help(help));
        }
    }

    /// Warns about keys that have no effect for the body's role.
    fn warn_of_idle_keys(&mut self, entry: &BodyEntry, at: &At<'_>) {
        if self.warnings.len() >= MAX_WARNINGS {
            return;
        }
        let moves = entry.linear_velocity != [0.0; 3]
            || entry.angular_velocity.or(entry.angular_velocity_deg).is_some_and(|w| w != [0.0; 3]);
        let pushed = entry.force != [0.0; 3] || entry.torque != [0.0; 3];
        let fixed = entry.fixed != super::super::document::Fixed::default();
        let idle = [
            (entry.role == RoleName::Static && moves, "a static body has no velocity: it is ignored"),
            (
                entry.role != RoleName::Dynamic && pushed,
                "forces act on dynamic bodies only: they are ignored",
            ),
            (
                entry.role != RoleName::Dynamic && fixed,
                "only dynamic bodies have `fixed` axes: they are ignored",
            ),
        ];
        for (_, message) in idle.into_iter().filter(|(is_idle, _)| *is_idle) {
            self.warnings.push(at.finding(format!("`{}`: {message}", shortened(&entry.name))));
        }
    }
}

/// Returns the largest diagonal (m) of the meshes from files.
fn size_of_files(entry: &BodyEntry, spec: &BodySpec) -> f64 {
    let is_of_file = |shape: &ShapeEntry| shape.mesh.as_ref().is_some_and(|mesh| mesh.file.is_some());
    let of_files = entry.shape.iter().zip(&spec.shapes).filter(|(shape, _)| is_of_file(shape));
    of_files.map(|(_, shape)| shape.mesh.bounds().diagonal()).fold(0.0, f64::max)
}

fn weight(entry: &BodyEntry, at: &At<'_>) -> Result<Weight, SceneError> {
    if let Some(inertia) = &entry.inertia {
        return given(entry, inertia, &at.join("inertia"));
    }
    let densities = [
        ("density", entry.density),
        ("areal_density", entry.areal_density),
        ("line_density", entry.line_density),
        ("point_mass", entry.point_mass),
    ];
    if let Some(mass) = entry.mass {
        return match densities.iter().find(|(_, value)| value.is_some()) {
            Some((key, _)) => Err(at.join("mass").error(format!("expected either `mass` or `{key}`"))),
            None => at.join("mass").positive(mass).map(Weight::Mass),
        };
    }
    let [volume, area, length, point] = densities;
    let positive =
        |(key, value): (&str, Option<f64>)| value.map(|value| at.join(key).positive(value)).transpose();
    let volume = positive(volume)?.unwrap_or(1000.0);
    Ok(match (positive(area)?, positive(length)?, positive(point)?) {
        (None, None, None) => Weight::Density(volume),
        (area, length, point) => Weight::Densities { volume, area, length, point },
    })
}

/// Converts `entry`, written at `at`, to coefficients.
///
/// # Errors
/// A negative coefficient.
pub fn friction(entry: &FrictionEntry, at: &At<'_>) -> Result<Friction, SceneError> {
    match entry {
        FrictionEntry::Uniform(mu) => at.non_negative(*mu).map(Friction::uniform),
        FrictionEntry::Pair(pair) => Ok(Friction {
            static_: at.join("static").non_negative(pair.static_)?,
            dynamic: at.join("dynamic").non_negative(pair.dynamic)?,
        }),
    }
}

fn angular_velocity(entry: &BodyEntry, at: &At<'_>) -> Result<Vec3, SceneError> {
    match (entry.angular_velocity, entry.angular_velocity_deg) {
        (Some(_), Some(_)) => {
            let message = "expected either `angular_velocity` or `angular_velocity_deg`";
            Err(at.join("angular_velocity_deg").error(message))
        }
        (Some(radians), None) => Ok(radians.into()),
        (None, Some(degrees)) => Ok(placement::radians(degrees)),
        (None, None) => Ok(Vec3::zeros()),
    }
}

/// Returns the body displaced by `offset` (m, world) for all times.
fn moved(mut body: Body, offset: &Vec3) -> Body {
    body.initial.pose.position += offset;
    if let Role::Kinematic(Motion { path: KinematicPath::Keyframes(keyframes), .. }) = &mut body.role {
        keyframes.iter_mut().for_each(|(_, pose)| pose.position += offset);
    }
    body
}

/// Mass, centre of mass and inertia as measured.
fn given(entry: &BodyEntry, inertia: &InertiaEntry, at: &At<'_>) -> Result<Weight, SceneError> {
    let Some(mass) = entry.mass.filter(|mass| *mass > 0.0) else {
        return Err(at.error("a given inertia needs a `mass` above 0"));
    };
    let densities = [entry.density, entry.areal_density, entry.line_density, entry.point_mass];
    if densities.iter().any(Option::is_some) || entry.split {
        return Err(at.error("a given inertia excludes densities and `split`"));
    }
    let ([xx, yy, zz], [xy, xz, yz]) = (inertia.moments, inertia.products);
    let tensor = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    Ok(Weight::Given { mass, center: inertia.center.into(), inertia: tensor })
}

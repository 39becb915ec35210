//! Small scenes and runs for the tests of the judges.

use std::sync::Arc;

use rigor_geometry::Mesh;
use rigor_geometry::mass::{MassModel, MassProperties};
use rigor_math::{Mat3, Pose, Vec3, rotation_vector};
use rigor_scene::{
    Body, BodyId, BodyState, FixedAxes, Friction, Part, PartKind, Role, Scene, Skeleton, State, StepReport,
    TimeSpan,
};
use rigor_shapes::{Capsule, Cuboid, Icosphere};

use crate::finding::Finding;
use crate::judge::{Frame, Judge};
use crate::surface_cache::SurfaceCache;

/// Creates a dynamic body with the surface `mesh`, given about its centre of mass, at rest at `position` (m).
///
/// A closed mesh is filled with 1 kg/m³ and must have its principal axes along x, y, z; any other body has 1
/// kg and moments of 1 kg m².
pub(crate) fn body(name: &str, mesh: Mesh, position: Vec3) -> Body {
    let radius = mesh.vertices().iter().map(Vec3::norm).fold(0.0, f64::max);
    let mesh = Arc::new(mesh);
    let filled = mesh.is_closed().then(|| MassProperties::of(&mesh, 1.0).unwrap());
    let (mass, inertia) = filled.map_or((1.0, Mat3::identity()), |m| (m.mass, m.inertia));
    Body {
        name: name.into(),
        role: Role::Dynamic,
        skeleton: Skeleton::plain(Arc::clone(&mesh)),
        mesh,
        parts: Vec::new(),
        frame: Pose::identity(),
        mass,
        inertia: inertia.diagonal(),
        mass_model: MassModel::Volume,
        friction: Friction::uniform(0.5),
        restitution: 0.0,
        initial: BodyState::at_rest(Pose::translation(position)),
        fixed: FixedAxes::default(),
        force: Vec3::zeros(),
        torque: Vec3::zeros(),
        group: 0,
        layers: 1,
        meets: u32::MAX,
        radius,
    }
}

/// Creates a dynamic box with these edges (m) and 1 kg/m³.
pub(crate) fn cuboid(name: &str, size: Vec3, position: Vec3) -> Body {
    body(name, Cuboid::new(size).mesh().unwrap(), position)
}

/// Creates a dynamic cube with edges of 2 m and 8 kg.
pub(crate) fn cube(name: &str, position: Vec3) -> Body {
    cuboid(name, Vec3::repeat(2.0), position)
}

/// Creates a dynamic body of these parts about its centre of mass. The meshes that show round parts are coarse, so that a judge of
/// them errs by several per cent of their radius.
pub(crate) fn compound(name: &str, kinds: &[(PartKind, Pose)]) -> Body {
    let (mut vertices, mut triangles, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for (kind, pose) in kinds {
        let mesh = match *kind {
            PartKind::Ball { radius } => Icosphere { radius, subdivisions: 1 }.mesh(),
            PartKind::Capsule { radius, half_length } => {
                Capsule { radius, length: 2.0 * half_length, segments: 6, rings: 1 }.mesh()
            }
            PartKind::Box { half_extents } => Cuboid::new(2.0 * half_extents).mesh(),
            PartKind::Convex | PartKind::Concave => panic!("a part of no known size"),
        };
        let (mesh, v, t) = (mesh.unwrap(), vertices.len(), triangles.len());
        vertices.extend(mesh.vertices().iter().map(|x| pose.point(x)));
        triangles.extend(mesh.triangles().iter().map(|corners| corners.map(|k| k + v as u32)));
        let (vertices, triangles) = (v..vertices.len(), t..triangles.len());
        parts.push(Part { kind: kind.clone(), pose: *pose, vertices, triangles });
    }
    let shown = body(name, Mesh::new(vertices, triangles, vec![]).unwrap(), Vec3::zeros());
    let skeleton = Skeleton::of(&shown.mesh, &parts).unwrap();
    Body { radius: skeleton.radius(), skeleton, parts, ..shown }
}

/// Creates a dynamic ball.
pub(crate) fn ball(name: &str, radius: f64) -> Body {
    compound(name, &[(PartKind::Ball { radius }, Pose::identity())])
}

/// Creates a dynamic capsule with its axis along y.
pub(crate) fn capsule(name: &str, radius: f64, half_length: f64) -> Body {
    compound(name, &[(PartKind::Capsule { radius, half_length }, Pose::identity())])
}

/// Creates a dynamic dumbbell along x: a ball of 0.5 m at −1.5 m, a rod of 0.2 m about the axis, and a cube with edges of 1 m
/// at 1.5 m.
pub(crate) fn dumbbell(name: &str) -> Body {
    let at = |x: f64| Pose::translation(Vec3::x() * x);
    let along_x = rotation_vector::exp(&(Vec3::z() * std::f64::consts::FRAC_PI_2));
    compound(
        name,
        &[
            (PartKind::Ball { radius: 0.5 }, at(-1.5)),
            (PartKind::Capsule { radius: 0.2, half_length: 1.0 }, Pose::new(Vec3::zeros(), along_x)),
            (PartKind::Box { half_extents: Vec3::repeat(0.5) }, at(1.5)),
        ],
    )
}

/// Returns the body that is what the mesh shows.
pub(crate) fn picture(body: &Body) -> Body {
    body.clone().with_mesh(Mesh::clone(&body.mesh))
}

/// Creates a static square sheet in y = 0 with edges of 2 `half` (m) that faces up.
pub(crate) fn sheet(half: f64) -> Body {
    let corners = [[-1., -1.], [-1., 1.], [1., 1.], [1., -1.]].map(|[x, z]| Vec3::new(x, 0.0, z) * half);
    let mesh = Mesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]], vec![]).unwrap();
    Body { role: Role::Static, ..body("sheet", mesh, Vec3::zeros()) }
}

/// Returns the scene's initial state with body `i` at `poses[i]`.
pub(crate) fn placed(scene: &Scene, poses: &[Pose]) -> State {
    let mut state = State::initial(scene);
    for (body, pose) in state.bodies.iter_mut().zip(poses) {
        body.pose = *pose;
    }
    state
}

/// Creates a scene of these bodies, each in its own group, under 10 m/s² along −y.
pub(crate) fn scene(bodies: Vec<Body>) -> Scene {
    let bodies = bodies.into_iter().zip(0..).map(|(body, group)| Body { group, ..body }).collect();
    Scene {
        name: "test".into(),
        gravity: Vec3::new(0.0, -10.0, 0.0),
        time: TimeSpan { dt: 0.01, duration: 1.0 },
        bodies,
        ..Scene::default()
    }
}

/// Returns the findings of `judge` on `frames`, numbered from 0.
pub(crate) fn judge(
    scene: &Scene,
    judge: &mut dyn Judge,
    frames: impl Iterator<Item = State>,
) -> Vec<Finding> {
    judge_reports(scene, judge, frames.map(|state| (state, None)))
}

/// Returns the findings of `judge` on `frames` with their reports, numbered from 0.
pub(crate) fn judge_reports(
    scene: &Scene,
    judge: &mut dyn Judge,
    frames: impl Iterator<Item = (State, Option<StepReport>)>,
) -> Vec<Finding> {
    let surface_cache = SurfaceCache::default();
    for (step, (state, report)) in (0..).zip(frames) {
        let time = if state.time > 0.0 { state.time } else { 0.01 * step as f64 };
        let state = State { step, time, ..state };
        judge.observe(&Frame::new(scene, &state, report.as_ref(), &surface_cache));
    }
    let findings = judge.findings(scene);
    assert!(findings.iter().all(|f| crate::Figure::named(f.figure).is_some_and(|g| g.unit == f.unit)));
    findings
}

/// Returns the value of the scene's finding.
pub(crate) fn value(findings: &[Finding], figure: &str) -> f64 {
    find(findings, figure, None).value
}

/// Returns the value of a body's finding.
pub(crate) fn value_of(findings: &[Finding], figure: &str, body: usize) -> f64 {
    find(findings, figure, Some(BodyId(body))).value
}

fn find<'a>(findings: &'a [Finding], figure: &str, body: Option<BodyId>) -> &'a Finding {
    let same = |f: &&Finding| f.figure == figure && f.body == body;
    findings.iter().find(same).unwrap_or_else(|| panic!("no {figure} of {body:?} in {findings:#?}"))
}

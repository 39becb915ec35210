//! A scene in the author's frame, as a request.

use rigor_geometry::Mesh;
use rigor_math::Vec3;
use rigor_scene::{Body, BodyState, Part, PartKind, Role, Scene};

use super::capabilities::Capabilities;
use super::coefficient::{Chosen, Rule, choose};
use super::config::Config;
use super::joint::joints;
use super::message::{Load, LoadedBody, LoadedPart, Row, Surface, wxyz};

/// Returns the request to load `scene` with the bodies in these states.
pub(super) fn load(
    scene: &Scene,
    bodies: &[BodyState],
    dt: f64,
    can: &Capabilities,
    config: &Config,
) -> Load {
    let friction = dynamic_friction(scene, can);
    let static_friction = static_friction(scene, can);
    let restitution = restitution(scene, can);
    let body = |(i, (body, now)): (usize, (&Body, &BodyState))| LoadedBody {
        name: body.name.clone(),
        role: match body.role {
            Role::Static => "static",
            Role::Dynamic => "dynamic",
            Role::Kinematic(_) => "kinematic",
        },
        mass: body.mass,
        com: body.frame.position.into(),
        axes: wxyz(&body.frame.rotation),
        inertia: body.inertia.into(),
        friction: friction.values[i],
        static_friction: static_friction.values[i],
        restitution: restitution.values[i],
        group: body.group,
        fixed_translation: body.fixed.translation,
        fixed_rotation: body.fixed.rotation,
        force: body.force.into(),
        torque: body.torque.into(),
        parts: body
            .parts
            .iter()
            .filter(|_| !body.is_out_of_contact())
            .map(|part| loaded_part(body, part, can))
            .collect(),
        state: row(body, now),
    };
    Load {
        dt,
        gravity: scene.gravity.into(),
        setting: config.setting,
        tuning: config.tuning.clone(),
        concave: config.concave,
        bodies: scene.bodies.iter().zip(bodies).enumerate().map(body).collect(),
        apart: scene.pairs_apart().iter().map(|(a, b)| [a.0, b.0]).collect(),
        joints: joints(scene),
    }
}

/// Chooses friction coefficients for sliding.
pub(super) fn dynamic_friction(scene: &Scene, can: &Capabilities) -> Chosen {
    choose(scene, can.friction, |body| body.friction.dynamic, |a, b| scene.friction_between(a, b).dynamic)
}

fn static_friction(scene: &Scene, can: &Capabilities) -> Chosen {
    choose(scene, can.friction, |body| body.friction.static_, |a, b| scene.friction_between(a, b).static_)
}

/// Chooses coefficients of restitution; those of the bodies for an engine that has none.
pub(super) fn restitution(scene: &Scene, can: &Capabilities) -> Chosen {
    let rule = can.restitution.unwrap_or(Rule::Average);
    choose(scene, rule, |body| body.restitution, |a, b| scene.restitution_between(a, b))
}

/// Returns the row of a body: its orientation is that of the author's frame.
pub(super) fn row(body: &Body, now: &BodyState) -> Row {
    let p = now.pose.position;
    let [w, x, y, z] = wxyz(&(now.pose.rotation * body.frame.rotation.inverse()));
    let (v, omega) = (now.linear_velocity, now.angular_velocity);
    [p.x, p.y, p.z, w, x, y, z, v.x, v.y, v.z, omega.x, omega.y, omega.z]
}

/// Returns whether a part has a boundary: an edge that does not belong to two triangles.
pub(super) fn is_open(body: &Body, part: &Part) -> bool {
    part.kind == PartKind::Concave
        && !Mesh::new(body.mesh.vertices()[part.vertices.clone()].to_vec(), triangles(body, part), Vec::new())
            .is_ok_and(|mesh| mesh.is_closed())
}

fn loaded_part(body: &Body, part: &Part, can: &Capabilities) -> LoadedPart {
    let pose = body.frame.compose(&part.pose);
    let (position, rotation) = (pose.position.into(), wxyz(&pose.rotation));
    match part.kind {
        PartKind::Box { half_extents } => {
            LoadedPart::Box { half_extents: half_extents.into(), position, rotation }
        }
        PartKind::Ball { radius } if can.has(&part.kind) => LoadedPart::Ball { radius, position },
        PartKind::Capsule { radius, half_length } if can.has(&part.kind) => {
            LoadedPart::Capsule { radius, half_length, position, rotation }
        }
        PartKind::Ball { .. } | PartKind::Capsule { .. } | PartKind::Convex => {
            LoadedPart::Convex(surface(body, part))
        }
        PartKind::Concave if is_open(body, part) => LoadedPart::Open(surface(body, part)),
        PartKind::Concave => LoadedPart::Concave(surface(body, part)),
    }
}

/// Returns the triangles of a part in the author's frame.
fn surface(body: &Body, part: &Part) -> Surface {
    let in_authors_frame = |v: &Vec3| body.frame.point(v).into();
    let vertices = body.mesh.vertices()[part.vertices.clone()].iter().map(in_authors_frame).collect();
    Surface { vertices, triangles: triangles(body, part) }
}

fn triangles(body: &Body, part: &Part) -> Vec<[u32; 3]> {
    let first = part.vertices.start as u32;
    body.mesh.triangles()[part.triangles.clone()].iter().map(|t| t.map(|v| v - first)).collect()
}

#[cfg(test)]
mod tests {
    use rigor_math::{Pose, rotation_vector};
    use rigor_scene::{BodySpec, PlacedShape, Scene, TimeSpan};
    use rigor_shapes::{Capsule, Cuboid, Icosphere};

    use super::*;
    use crate::engine::table;
    use crate::process::capabilities::RoundType;

    /// A floor, a ball that slides at 1 m/s, a capsule that stands and one that lies along x.
    fn scene() -> Scene {
        let (radius, half_length) = (0.1, 0.3);
        let floor = PlacedShape {
            mesh: Cuboid::new(Vec3::new(20.0, 1.0, 20.0)).mesh().expect("a box"),
            kind: PartKind::Box { half_extents: Vec3::new(10.0, 0.5, 10.0) },
            pose: Pose::translation(Vec3::y() * -0.5),
        };
        let ball = PlacedShape {
            mesh: Icosphere { radius, subdivisions: 1 }.mesh().expect("a ball"),
            kind: PartKind::Ball { radius },
            pose: Pose::translation(Vec3::new(0.0, radius, 0.0)),
        };
        let capsule = |pose: Pose| PlacedShape {
            mesh: Capsule { radius, length: 2.0 * half_length, segments: 6, rings: 1 }
                .mesh()
                .expect("a capsule"),
            kind: PartKind::Capsule { radius, half_length },
            pose,
        };
        let along_x = rotation_vector::exp(&(Vec3::z() * -std::f64::consts::FRAC_PI_2));
        let shapes = [
            floor,
            ball,
            capsule(Pose::translation(Vec3::new(1.0, radius + half_length, 0.0))),
            capsule(Pose::new(Vec3::new(3.0, radius, 0.0), along_x)),
        ];
        let body = |(group, shape): (u32, PlacedShape)| {
            let is_floor = group == 0;
            let spec = BodySpec {
                role: if is_floor { Role::Static } else { Role::Dynamic },
                friction: rigor_scene::Friction::uniform(0.5),
                linear_velocity: if group == 1 { Vec3::x() } else { Vec3::zeros() },
                group,
                ..BodySpec::new(format!("{group}"), vec![shape])
            };
            spec.build().expect("a body")
        };
        Scene {
            gravity: Vec3::y() * -10.0,
            time: TimeSpan { dt: 0.005, duration: 1.0 },
            bodies: (0..).zip(shapes).map(body).collect(),
            ..Scene::default()
        }
    }

    fn capabilities(round: Vec<RoundType>) -> Capabilities {
        let engine = table().iter().find(|engine| engine.name == "mujoco").expect("a row");
        Capabilities { round, ..engine.capabilities.clone().expect("it has an adapter") }
    }

    fn parts(round: Vec<RoundType>) -> Vec<LoadedPart> {
        let scene = scene();
        let states: Vec<BodyState> = scene.bodies.iter().map(|body| body.initial).collect();
        let loaded = load(&scene, &states, 0.01, &capabilities(round), &Config::default());
        loaded.bodies.into_iter().flat_map(|body| body.parts).collect()
    }

    #[test]
    fn an_engine_gets_balls_and_capsules_if_it_has_them() {
        let parts = parts(vec![RoundType::Ball, RoundType::Capsule]);
        let near = |x: [f64; 3], y: [f64; 3]| (Vec3::from(x) - Vec3::from(y)).norm() < 1e-15;
        let LoadedPart::Ball { radius, position } = parts[1] else { panic!("{:?}", parts[1]) };
        assert!(radius == 0.1 && near(position, [0.0, 0.1, 0.0]));
        // Whatever the principal axes are, the segment is along y of the part, which is x of the author here.
        let LoadedPart::Capsule { radius, half_length, position, rotation: [w, x, y, z] } = parts[3] else {
            panic!("{:?}", parts[3])
        };
        assert!((radius, half_length) == (0.1, 0.3) && near(position, [3.0, 0.1, 0.0]));
        let q = rigor_math::UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
        assert!(((q * Vec3::y()).x.abs() - 1.0).abs() < 1e-15);
        let json = serde_json::to_value(&parts[1]).expect("plain numbers");
        assert_eq!((&json["kind"], &json["radius"]), (&"ball".into(), &0.1.into()));
        assert_eq!(serde_json::to_value(&parts[3]).expect("plain numbers")["kind"], "capsule");
    }

    #[test]
    fn an_engine_without_them_gets_the_polyhedra_that_show_them_and_says_so() {
        let kinds = |round: Vec<RoundType>| -> Vec<&str> {
            let name = |part: &LoadedPart| match part {
                LoadedPart::Box { .. } => "box",
                LoadedPart::Ball { .. } => "ball",
                LoadedPart::Capsule { .. } => "capsule",
                LoadedPart::Convex(_) => "convex",
                LoadedPart::Concave(_) => "concave",
                LoadedPart::Open(_) => "open",
            };
            parts(round).iter().map(name).collect()
        };
        assert_eq!(kinds(vec![]), ["box", "convex", "convex", "convex"]);
        assert_eq!(kinds(vec![RoundType::Ball]), ["box", "ball", "convex", "convex"]);
        let told = |round: Vec<RoundType>| -> Vec<String> {
            let notices = super::super::notice::notices(&scene(), &capabilities(round), &Config::default());
            notices
                .iter()
                .map(|notice| format!("{notice:?}"))
                .filter(|told| told.contains("round surface"))
                .collect()
        };
        assert!(told(vec![RoundType::Ball, RoundType::Capsule]).is_empty());
        assert_eq!(told(vec![RoundType::Ball]).len(), 1);
        assert!(
            told(vec![RoundType::Ball])[0].contains("body \\\"2\\\"")
                && !told(vec![RoundType::Ball])[0].contains("body \\\"1\\\"")
        );
        assert!(told(vec![])[0].contains("convex polyhedron"));
    }

    /// What `hello` says of an engine that was written before there were such parts.
    #[test]
    fn an_engine_that_does_not_know_the_word_has_no_round_parts() {
        let mut json = serde_json::to_value(capabilities(vec![RoundType::Ball])).expect("plain words");
        assert_eq!(json["round"], serde_json::json!(["ball"]));
        json.as_object_mut().expect("an object").remove("round");
        let can: Capabilities = serde_json::from_value(json).expect("still complete");
        assert!(
            can.round.is_empty() && !can.has(&PartKind::Ball { radius: 1.0 }) && can.has(&PartKind::Convex)
        );
    }

    /// The ball begins to slide at 1 m/s and then rolls at 5/7 of that, whatever the friction; a polyhedron loses more.
    #[cfg(feature = "box3d")]
    #[test]
    fn balls_roll_and_capsules_lie_and_stand_as_what_they_are() {
        use crate::process::resident::InProcessEngine;

        let scene = scene();
        let states: Vec<BodyState> = scene.bodies.iter().map(|body| body.initial).collect();
        let mut engine = crate::box3d::Box3d::default();
        let can = engine.hello().capabilities;
        engine.load(&load(&scene, &states, 0.005, &can, &Config::default())).expect("it has all of it");
        let reply = engine.advance(200, &[], false).expect("a world is loaded");
        let rows = reply.bodies.rows::<13>().expect("rows");
        let last = &rows[rows.len() - 3..];
        for (row, body) in last.iter().zip(&scene.bodies[1..]) {
            let sunk = body.initial.pose.position.y - row[1];
            assert!(sunk.abs() < 6e-3, "{:?} {sunk}", body.name);
        }
        assert!((last[0][7] - 5.0 / 7.0).abs() < 1e-2, "{}", last[0][7]);
    }
}

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI};
use std::io;
use std::path::{Path, PathBuf};

use rigor_math::{UnitQuaternion, Vec3, rotation_vector};

use super::mesh_folders;
use crate::setting::to_json;
use crate::{Files, LoadOptions, Loaded, SceneError, export, load};
use rigor_scene::motion::KinematicPath;
use rigor_scene::{FixedAxes, JointKind, Role, Scene};

/// A box of 1 × 2 × 4 m with one corner at the origin, and, apart from it, a tetrahedron and a wire.
const BOX: &str = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 1 2 0\nv 0 0 4\nv 1 0 4\nv 0 2 4\nv 1 2 4\n\
    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
const TETRAHEDRON: &str = "v 9 0 0\nv 10 0 0\nv 9 1 0\nv 9 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
const FLAT: &str = "v 0 3 0\nv 2 3 0\nv 0 3 5\nv 2 3 5\nf 1 3 4 2\n";

struct Memory(BTreeMap<PathBuf, Vec<u8>>);

impl Files for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn load_json(json: &str) -> Result<Loaded, SceneError> {
    let both = format!("{BOX}{}l -1 -2\n", TETRAHEDRON.replace("f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n", ""));
    let both = both + "f -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -4 -1 -2\nv 8 8 8\nv 8 8 9\nl -1 -2\n";
    let files = [("meshes/box.obj", BOX), ("a/b/tetrahedron.obj", TETRAHEDRON), ("a/meshes/flat.obj", FLAT)];
    let mut files: BTreeMap<PathBuf, Vec<u8>> =
        files.iter().map(|(path, text)| (path.into(), text.as_bytes().to_vec())).collect();
    files.insert("elsewhere/both.obj".into(), both.into_bytes());
    files.insert("a/b/scene.json".into(), json.as_bytes().to_vec());
    let options = LoadOptions { mesh_folders: vec!["elsewhere".into()], ..LoadOptions::default() };
    load(Path::new("a/b/scene.json"), &Memory(files), &options)
}

fn loaded(json: &str) -> Loaded {
    load_json(json).unwrap_or_else(|error| panic!("{error}"))
}

/// Loads the scene of these bodies, which must cause no warning.
fn scene(bodies: &str) -> Scene {
    let loaded = loaded(&format!("{{\"rigid_body_problem\": {{\"rigid_bodies\": [{bodies}]}}}}"));
    assert_eq!(loaded.warnings, []);
    loaded.scene
}

fn messages(json: &str) -> Vec<String> {
    loaded(json).warnings.iter().map(ToString::to_string).collect()
}

fn error(bodies: &str) -> String {
    load_json(&format!("{{\"rigid_body_problem\": {{\"rigid_bodies\": [\n{bodies}]}}}}"))
        .unwrap_err()
        .to_string()
}

#[test]
fn the_mesh_is_stretched_turned_and_moved() {
    let scene = scene(
        r#"{"mesh": "box.obj", "scale": 2, "rotation": [90, 0, 90], "position": [10, 20, 30], "density": 5},
           {"mesh": "box.obj", "dimensions": [2, 3, 8]}"#,
    );
    let body = &scene.bodies[0];
    assert!((body.mass - 5.0 * 64.0).abs() < 1e-12);
    // A quarter turn about x moves the centre (1, 2, 4) to (1, −4, 2), and one about z then to (4, 1, 2).
    assert!((body.initial.pose.position - Vec3::new(14.0, 21.0, 32.0)).norm() < 1e-14);
    let far = body.authored_pose(&body.initial.pose).point(&Vec3::new(2.0, 4.0, 8.0));
    assert!((far - Vec3::new(18.0, 22.0, 34.0)).norm() < 1e-13);
    assert_eq!((body.name.as_str(), body.mass, scene.bodies[1].mass), ("box-0", body.mass, 1000.0 * 48.0));
}

#[test]
fn a_negative_scale_or_dimension_mirrors_the_mesh() {
    let scene = scene(
        r#"{"mesh": "box.obj", "scale": [2, 1, -1]}, {"mesh": "box.obj", "scale": -1}, {"mesh": "box.obj", "dimensions": [-1, 2, 4]}"#,
    );
    // In its file the box extends from the origin to (1, 2, 4).
    for (body, far) in scene.bodies.iter().zip([[2.0, 2.0, -4.0], [-1.0, -2.0, -4.0], [-1.0, 2.0, 4.0]]) {
        let far = Vec3::from(far);
        assert!((body.mass - 1000.0 * far.product().abs()).abs() < 1e-9, "{}: {}", body.name, body.mass);
        assert!(body.inertia.min() > 0.0 && body.mesh.is_closed());
        assert!((body.initial.pose.position - 0.5 * far).norm() < 1e-14, "{}", body.initial.pose.position);
    }
}

#[test]
fn a_flat_mesh_takes_its_dimension_as_a_factor() {
    let json = r#"{"rigid_body_problem": {"rigid_bodies": [{"mesh": "flat.obj", "dimensions": [1, 0, 10], "is_dof_fixed": true},
        {"mesh": "flat.obj", "dimensions": [1, 2, 10], "type": "static"}]}}"#;
    let scene = loaded(json).scene;
    // An extent of 0 counts as 1: y = 3 becomes 3·0 and 3·2.
    let center = |i: usize| scene.bodies[i].initial.pose.position;
    assert!((center(0) - Vec3::new(0.5, 0.0, 5.0)).norm() < 1e-14);
    assert!((center(1) - Vec3::new(0.5, 6.0, 5.0)).norm() < 1e-14);
}

#[test]
fn velocities_and_forces_lose_what_is_fixed() {
    let scene = scene(
        r#"{"mesh": "box.obj", "linear_velocity": [1, 2, 3], "angular_velocity": [90, 180, 360], "force": [4, 5, 6],
            "torque": [180, 90, 360], "is_dof_fixed": [true, false, false, true, false, true]},
           {"mesh": "box.obj", "linear_velocity": [1, 2, 3], "is_dof_fixed": true}"#,
    );
    let body = &scene.bodies[0];
    let expected = FixedAxes { translation: [true, false, false], rotation: [true, false, true] };
    assert_eq!(body.fixed, expected);
    assert_eq!(
        (body.initial.linear_velocity, body.force),
        (Vec3::new(0.0, 2.0, 3.0), Vec3::new(0.0, 5.0, 6.0))
    );
    assert!((body.initial.angular_velocity - Vec3::new(0.0, PI, 0.0)).norm() < 1e-15);
    assert!((body.torque - Vec3::new(0.0, FRAC_PI_2, 0.0)).norm() < 1e-15, "read like an angle");
    assert_eq!(scene.bodies[1].role, Role::Static);
    assert_eq!(scene.bodies[1].initial.linear_velocity, Vec3::zeros());
}

#[test]
fn one_fixed_rotation_is_warned_of_with_the_axis() {
    let found = messages(
        r#"{"rigid_body_problem": {"rigid_bodies": [
            {"mesh": "box.obj", "is_dof_fixed": [false, false, false, true, false, false]}]}}"#,
    );
    // A box of 1 × 2 × 4 m has its smallest moment about its longest side, z.
    assert!(
        found[0].starts_with("a/b/scene.json:2:49: rigid_body_problem.rigid_bodies[0].is_dof_fixed: "),
        "{found:?}"
    );
    let about_z = ["axis 0 is (0.000000, 0.000000, 1.000000)", "axis 0 is (0.000000, 0.000000, -1.000000)"];
    assert!(about_z.iter().any(|axis| found[0].replace("-0.000000", "0.000000").contains(axis)), "{found:?}");
}

#[test]
fn groups_join_what_shares_an_id_with_an_immobile_body() {
    let body = |keys: &str| format!(r#"{{"mesh": "box.obj"{keys}}}, "#);
    let bodies = [
        body(r#", "type": "static", "group_id": 4"#),
        body(r#", "group_id": 4"#),
        body(r#", "type": "kinematic""#),
        body(r#", "group_id": 7"#),
        body(r#", "group_id": 7"#),
        body(r#", "group_id": -1"#),
        body(r#", "group_id": 7, "enabled": false"#),
        body(""),
    ];
    let scene = scene(bodies.concat().trim_end_matches(", "));
    let id = |i| rigor_scene::BodyId(i);
    let apart: Vec<_> = (0..7)
        .flat_map(|a| (a + 1..7).map(move |b| (a, b)))
        .filter(|(a, b)| !scene.can_collide(id(*a), id(*b)))
        .collect();
    assert_eq!(apart, [(0, 1), (0, 2), (1, 2), (3, 4)]);
    assert_eq!(scene.bodies.len(), 7, "one is not enabled");
}

#[test]
fn components_become_bodies_without_wires() {
    let json = r#"{"rigid_body_problem": {"rigid_bodies": [
        {"mesh": "both.obj", "split_components": true, "position": [0, 0, 1], "scale": 2}]}}"#;
    let scene = loaded(json).scene;
    let found: Vec<_> = scene.bodies.iter().map(|b| (b.name.as_str(), b.mass)).collect();
    assert_eq!(found.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["both-0-part000", "both-0-part001"]);
    assert!((found[0].1 / 64e3 - 1.0).abs() < 1e-14 && (found[1].1 / (8e3 / 6.0) - 1.0).abs() < 1e-14);
    assert!((scene.bodies[0].initial.pose.position - Vec3::new(1.0, 2.0, 5.0)).norm() < 1e-14);
}

#[test]
fn written_out_meshes_may_repeat_the_edges_of_their_faces() {
    let tetrahedron =
        r#""vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "faces": [[0,2,1],[0,1,3],[1,2,3],[0,3,2]]"#;
    let scene = scene(&format!(
        r#"{{{tetrahedron}, "edges": [[0, 1], [1, 2]]}}, {{{tetrahedron}, "split_components": true}}"#
    ));
    assert_eq!((scene.bodies[0].mesh.wires().len(), scene.bodies[0].name.as_str()), (0, "body-0"));
    assert_eq!(scene.bodies[1].name, "body-1-part000");
    assert!(scene.bodies.iter().all(|body| (body.mass / (1000.0 / 6.0) - 1.0).abs() < 1e-14));
}

#[test]
fn kinematic_poses_are_of_the_principal_frame() {
    let json = r#"{"timestep": 0.5, "rigid_body_problem": {"rigid_bodies": [
        {"mesh": "box.obj", "type": "kinematic", "rotation": [0, 30, 0], "kinematic_max_time": 2.5,
         "linear_velocity": [1, 0, 0], "is_dof_fixed": [false, true, true, true, true, true],
         "kinematic_poses": [{"position": [1, 2, 3], "rotation": [0.1, 0.2, 0.3]}, {"position": [4, 5, 6]}]}]}}"#;
    let loaded = loaded(json);
    assert!(loaded.warnings[0].to_string().contains("these poses are of the principal frame"));
    let body = &loaded.scene.bodies[0];
    let Role::Kinematic(motion) = &body.role else { panic!("kinematic") };
    let KinematicPath::Keyframes(keyframes) = &motion.path else { panic!("keyframes") };
    assert_eq!((motion.stops_at, keyframes.len(), keyframes[0].0, keyframes[1].0), (2.5, 2, 0.5, 1.0));
    let expected = rotation_vector::exp(&Vec3::new(0.1, 0.2, 0.3));
    assert!((keyframes[0].1.position - Vec3::new(1.0, 2.0, 3.0)).norm() < 1e-14);
    assert!(difference(&keyframes[0].1.rotation, &expected) < 1e-15);
    assert!(difference(&keyframes[1].1.rotation, &UnitQuaternion::identity()) < 1e-15);
    assert_eq!(body.initial.linear_velocity, Vec3::x());
}

fn difference(a: &UnitQuaternion, b: &UnitQuaternion) -> f64 {
    (a.to_rotation_matrix().matrix() - b.to_rotation_matrix().matrix()).amax()
}

#[test]
fn time_friction_and_settings_have_the_defaults_of_the_program() {
    let with = |keys: &str| {
        loaded(&format!(r#"{{{keys} "rigid_body_problem": {{"coefficient_friction": 0.3, "rigid_bodies": [{{"mesh": "box.obj"}}]}}}}"#))
            .scene
    };
    let plain = with("");
    assert_eq!((plain.time.dt, plain.time.steps(), plain.gravity), (0.01, 1000, Vec3::zeros()));
    assert_eq!(
        plain.friction_between(rigor_scene::BodyId(0), rigor_scene::BodyId(0)),
        rigor_scene::Friction::uniform(0.3)
    );
    let ipc = serde_json::json!({"d_hat": 1e-3, "minimum_separation": 0.0,
        "eps_v": 1e-3, "friction_iterations": 1, "velocity_tolerance": 1e-2,
        "velocity_tolerance_is_absolute": false, "max_newton_iterations": 3000});
    assert_eq!(serde_json::Value::Object(to_json(&plain.methods["ipc"])), ipc);
    assert_eq!(with(r#""timestep": 0.1, "max_time": 0.75,"#).time.steps(), 8);
    assert_eq!(with(r#""timestep": 0.1, "max_time": -1, "max_iterations": 3,"#).time.steps(), 3);
    let settings = with(
        r#""newton_solver": {"max_iterations": 7, "velocity_conv_tol": 1}, "ipc_solver": {"velocity_conv_tol": 2},
           "distance_barrier_constraint": {"initial_barrier_activation_distance": 0.5, "trajectory_type": "rigid"},"#,
    );
    let found = |key: &str| to_json(&settings.methods["ipc"])[key].clone();
    assert_eq!((found("max_newton_iterations"), found("velocity_tolerance")), (7.into(), 2.0.into()));
    assert_eq!(found("d_hat"), 0.5);
}

#[test]
fn what_is_said_in_vain_is_warned_of() {
    let found = messages(
        r##"{"#comment": 1, "max_tme": 2, "solver": "homotopy_solver", "distance_barrier_constraints": {},
            "rigid_body_problem": {"coefficient_restitution": 0.5, "rigid_bodies": [
             {"mesh": "box.obj", "#density": 3, "densty": 4}]}}"##,
    );
    let expected = [
        "distance_barrier_constraints: unknown key `distance_barrier_constraints`: it is ignored \
         (did you mean `distance_barrier_constraint`?)",
        "max_tme: unknown key `max_tme`: it is ignored (did you mean `max_time`?)",
        "rigid_body_problem.rigid_bodies[0].densty: unknown key `densty`: it is ignored (did you mean `density`?)",
        "solver: this choice is ignored: the scene is read as with `ipc_solver`",
        "rigid_body_problem.coefficient_restitution: the restitution 0.5 is ignored, as in the reference program",
    ];
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(|(message, expected)| message.ends_with(expected)), "{found:#?}");
    assert!(found[1].starts_with("a/b/scene.json:1:17: "), "{}", found[1]);
    let none = messages(
        r#"{"rigid_body_problem": {"coefficient_restitution": -1, "rigid_bodies": [{"mesh": "box.obj"}]}}"#,
    );
    assert_eq!(none, [""; 0]);
}

#[test]
fn errors_have_their_place_in_the_foreign_file() {
    let cases = [
        (
            r#"{"mesh": 3}"#,
            "2:10: rigid_body_problem.rigid_bodies[0].mesh: expected a string, found a whole number",
        ),
        (
            r#"{"mesh": "box.obj", "position": [1, 2]}"#,
            "2:33: rigid_body_problem.rigid_bodies[0].position: expected 3 numbers, found 2: 2D scenes",
        ),
        (
            r#"{"mesh": "box.obj", "type": "fixed"}"#,
            "2:29: rigid_body_problem.rigid_bodies[0].type: expected `static`, `dynamic` or `kinematic`",
        ),
        (
            r#"{"mesh": "box.obj", "is_dof_fixed": [true]}"#,
            "2:37: rigid_body_problem.rigid_bodies[0].is_dof_fixed: expected true, false or 6",
        ),
        (
            r#"{"mesh": "box.obj", "density": 0}"#,
            "2:32: body[0].density: expected a positive number, found 0.0",
        ),
        (
            r#"{"mesh": "box.obj", "scale": [1, 0, 1]}"#,
            "2:30: body[0].shape[0].scale[1]: expected a number other than 0, found 0.0",
        ),
        (
            r#"{"vertices": [[0, 0, 0]], "faces": [[0, 1, -2]]}"#,
            "2:44: rigid_body_problem.rigid_bodies[0].faces[0][2]: expected a vertex index from 0, found -2",
        ),
        ("[]", "2:1: rigid_body_problem.rigid_bodies[0]: expected a table, found an array"),
        ("{]", "2:2: expected a key in quotes, found ']'"),
    ];
    for (body, expected) in cases {
        let found = error(body);
        assert!(found.starts_with(&format!("a/b/scene.json:{expected}")), "{found}");
    }
    let missing = error(r#"{"mesh": "nut.obj"}"#);
    let everywhere = "looked for a/b/nut.obj, nut.obj, a/b/meshes/nut.obj, a/meshes/nut.obj, meshes/nut.obj, elsewhere/nut.obj";
    assert!(
        missing.contains("rigid_bodies[0].mesh: there is no mesh file `nut.obj`")
            && missing.contains(everywhere),
        "{missing}"
    );
}

#[test]
fn meshes_are_looked_for_around_the_scene() {
    let folders = ["", "a/b/meshes", "a/meshes", "meshes"].map(PathBuf::from);
    assert_eq!(mesh_folders(Path::new("a/./b/c/../scene.json")), folders);
}

#[test]
fn overrides_speak_the_native_format_and_export_stands_alone() {
    let json = r#"{"rigid_body_problem": {"gravity": [0, -9.8, 0.1], "rigid_bodies": [
        {"mesh": "box.obj", "rotation": [1, 2, 3], "torque": [0.1, 0.2, 0.3], "group_id": 3},
        {"mesh": "both.obj", "split_components": true, "dimensions": [0.3, 0.7, 0.9]},
        {"mesh": "tetrahedron.obj", "type": "kinematic", "kinematic_max_time": 0.3}]}}"#;
    let loaded = loaded(json);
    let exported = export(&loaded).unwrap();
    let names: Vec<_> = exported.meshes.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, ["meshes/both.obj", "meshes/box.obj", "meshes/tetrahedron.obj"]);
    let mut files: BTreeMap<PathBuf, Vec<u8>> =
        exported.meshes.iter().map(|(path, bytes)| (Path::new("x").join(path), bytes.clone())).collect();
    files.insert("x/y.toml".into(), exported.scene.into_bytes());
    let files = Memory(files);
    let again = load(Path::new("x/y.toml"), &files, &LoadOptions::default()).unwrap();
    assert_eq!(again.scene, loaded.scene);
    let options = LoadOptions { overrides: vec!["body.box-0.density=1".into()], ..LoadOptions::default() };
    let changed = load(Path::new("x/y.toml"), &files, &options).unwrap();
    assert_eq!(changed.scene.bodies[0].mass, 8.0);
}

/// A scene of Affine Body Dynamics: two boxes, held by `constraints`.
fn affine(bodies: &str, constraints: &str) -> Result<Loaded, SceneError> {
    load_json(&format!(
        "{{\"rigid_body_problem\": {{\"rigid_bodies\": [{bodies}], \"linear_constraints\": [{constraints}]}}}}"
    ))
}

const TWO_BOXES: &str = r#"{"mesh": "..\\b\\tetrahedron.obj", "rotation": [0, 0, 1.5707963267948966], "angular_velocity": [0, 2, 0]},
    {"mesh": "box.obj", "position": [20, 0, 0]}"#;

#[test]
fn angles_of_affine_bodies_are_in_radians() {
    let scene = affine(TWO_BOXES, "").unwrap().scene;
    let corner =
        scene.bodies[0].authored_pose(&scene.bodies[0].initial.pose).point(&Vec3::new(9.0, 0.0, 0.0));
    assert!((corner - Vec3::new(0.0, 9.0, 0.0)).norm() < 1e-13);
    assert!((scene.bodies[0].initial.angular_velocity - Vec3::new(0.0, 2.0, 0.0)).norm() < 1e-15);
    assert_eq!(scene.bodies[0].name, "tetrahedron-0");
}

#[test]
fn points_of_affine_bodies_that_stay_make_static_bodies_and_joints() {
    let pin = |point: &str| format!(r#"{{"type": "pin_world", "body_name": "box", "body_point": {point}}}"#);
    let together = |point: &str| {
        format!(
            r#"{{"type": "pin_joint", "bodyA_name": "box", "bodyA_point": {point}, "bodyB_name": "tetrahedron"}}"#
        )
    };
    let held = |constraints: &[String]| affine(TWO_BOXES, &constraints.join(",")).unwrap().scene;

    let fixed = held(&[pin("[1, 0, 0]"), pin("[0, 1, 0]"), pin("[0, 0, 1]"), together("[0, 0, 0]")]);
    assert_eq!((&fixed.bodies[1].role, &fixed.bodies[0].role), (&Role::Static, &Role::Dynamic));
    let [ball] = &fixed.joints[..] else { panic!("{:?}", fixed.joints) };
    assert!(matches!(ball.kind, JointKind::Ball { .. }) && fixed.contact_free.is_empty());

    let line = held(&[pin("[0, 0, 1]"), pin("[0, 0, 2]"), pin("[0, 0, 4]")]);
    let [hinge] = &line.joints[..] else { panic!("{:?}", line.joints) };
    assert!(matches!(hinge.kind, JointKind::Hinge { .. }));
    assert_eq!(line.bodies[1].role, Role::Dynamic);
    let at = hinge.frame_b.position; // of the world
    assert!((at - Vec3::new(20.0, 0.0, 2.5)).norm() < 1e-12, "{at}");

    let welded = held(&[together("[1, 0, 0]"), together("[0, 1, 0]"), together("[0, 0, 1]")]);
    assert!(matches!(welded.joints[..], [ref joint] if matches!(joint.kind, JointKind::Fixed)));
}

#[test]
fn constraints_of_affine_bodies_name_what_they_cannot_find() {
    let error = affine(TWO_BOXES, r#"{"type": "pin_world", "body_name": "bax", "body_point": [0, 0, 0]}"#);
    let message = error.unwrap_err().to_string();
    assert!(message.contains("no body is called `bax`: the bodies are tetrahedron, box"), "{message}");
    for wrong in [r#"{"type": "pin"}"#, r#"{"type": "pin_world", "body_name": "box"}"#] {
        assert!(affine(TWO_BOXES, wrong).is_err());
    }
}

#[test]
fn torques_of_affine_bodies_are_in_principal_axes() {
    // The box is longest along z and shortest along x, so its moments ascend from z to x.
    let loaded = affine(r#"{"mesh": "box.obj", "torque": [3, 0, 0]}"#, "").unwrap();
    let torque = loaded.scene.bodies[0].torque;
    assert!((torque.z.abs() - 3.0).abs() < 1e-12 && torque.xy().norm() < 1e-12, "{torque}");
    assert!(
        loaded.warnings[0].to_string().contains("turns with the principal axes"),
        "{:?}",
        loaded.warnings
    );
}

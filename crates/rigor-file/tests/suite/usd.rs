//! USD physics.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::io;
use std::path::Path;

use rigor_file::robot::{Dropped, Options, load_robot};
use rigor_file::{Files, LoadOptions, Loaded, SceneError};
use rigor_math::{Mat3, Vec3, inertia};
use rigor_scene::{Body, Goal, JointKind, Role};

struct Memory(BTreeMap<&'static str, String>);

impl Files for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let text = path.to_str().and_then(|name| self.0.get(name)).ok_or(io::ErrorKind::NotFound)?;
        Ok(text.as_bytes().to_vec())
    }
}

fn read(files: &[(&'static str, String)]) -> Result<(Loaded, Vec<Dropped>), SceneError> {
    let memory = Memory(files.iter().cloned().collect());
    load_robot(Path::new(files[0].0), &memory, &LoadOptions::default(), Options::default())
}

fn scene(text: &str) -> (Loaded, Vec<String>) {
    let (loaded, dropped) =
        read(&[("scene.usda", text.to_owned())]).unwrap_or_else(|error| panic!("{error}"));
    (loaded, dropped.iter().map(|d| format!("{}: {}", d.place, d.what)).collect())
}

fn error(text: &str) -> String {
    read(&[("scene.usda", text.to_owned())]).expect_err("the file is wrong").to_string()
}

fn body<'a>(loaded: &'a Loaded, name: &str) -> &'a Body {
    &loaded.scene.bodies[loaded.scene.find_body(name).unwrap_or_else(|| panic!("{name}")).0]
}

/// Inertia tensor about the centre of mass in axes of the author's frame.
fn tensor(body: &Body) -> Mat3 {
    inertia::rotated(&Mat3::from_diagonal(&body.inertia), &body.frame.rotation)
}

/// A rod of 1 m × 0.1 m × 0.1 m that hangs from the world at one end, about the axis y; z points up.
const PENDULUM: &str = r#"#usda 1.0
(
    metersPerUnit = 1
    kilogramsPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene" {
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = 9.8
}
def Xform "World" {
    def Cube "rod" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]) {
        double size = 1
        float physics:mass = 2
        bool physics:startsAsleep = 0
        double3 xformOp:translate = (0, 0, 1.5)
        float3 xformOp:scale = (0.1, 0.1, 1)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    }
    def PhysicsRevoluteJoint "pin" (prepend apiSchemas = ["PhysicsDriveAPI:angular"]) {
        rel physics:body1 = </World/rod>
        point3f physics:localPos0 = (0, 0, 2)
        point3f physics:localPos1 = (0, 0, 0.5)
        uniform token physics:axis = "Y"
        float physics:lowerLimit = -90
        float physics:upperLimit = 45
        float drive:angular:physics:stiffness = 0.5
        float drive:angular:physics:damping = 0.25
        float drive:angular:physics:targetPosition = 30
        float drive:angular:physics:maxForce = 7
    }
    def Sphere "picture" { double radius = 3 }
    def Camera "eye" { float focalLength = 30 }
}
"#;

#[test]
fn a_pendulum_swings_about_its_pin() {
    let (loaded, told) = scene(PENDULUM);
    let scene = &loaded.scene;
    assert_eq!((scene.bodies.len(), scene.joints.len()), (1, 1));
    assert_eq!(scene.gravity, Vec3::new(0.0, 0.0, -9.8));
    let rod = body(&loaded, "rod");
    assert!((rod.mass - 2.0).abs() < 1e-12);
    // m/12 (b² + c²) about each axis.
    let expected = Mat3::from_diagonal(&Vec3::new(1.01, 1.01, 0.02)) * (2.0 / 12.0);
    assert!((tensor(rod) - expected).amax() < 1e-9, "{}", tensor(rod));
    let centre = rod.initial.pose.position;
    assert!((centre - Vec3::new(0.0, 0.0, 1.5)).norm() < 1e-12);
    // The pin is at the upper end of the rod (0.5 of its scaled axis) and at (0, 0, 2) in the world.
    let pin = &scene.joints[0];
    let frame = rod.initial.pose.compose(&pin.frame_a);
    assert!((frame.position - Vec3::new(0.0, 0.0, 2.0)).norm() < 1e-12);
    assert!((frame.vector(&Vec3::x()) - Vec3::y()).norm() < 1e-12);
    assert!((pin.frame_b.position - frame.position).norm() < 1e-12);
    // T = 2π √((I + m d²)/(m g d)) = 2π √(2 (1 + 0.01/4)/(3 g)) for a rod of 1 m with that section.
    let arm = (frame.position - centre).norm();
    let about_pin = tensor(rod)[(1, 1)] + rod.mass * arm * arm;
    let period = 2.0 * PI * (about_pin / (rod.mass * 9.8 * arm)).sqrt();
    assert!((period - 2.0 * PI * (2.0 * 1.0025 / (3.0 * 9.8_f64)).sqrt()).abs() < 1e-9, "{period}");
    let JointKind::Hinge { turn } = &pin.kind else { panic!("{:?}", pin.kind) };
    assert!((turn.range.min + PI / 2.0).abs() < 1e-12 && (turn.range.max - PI / 4.0).abs() < 1e-12);
    // The file gives the stiffness per degree.
    let drive = turn.drive.as_ref().expect("it is driven");
    assert!((drive.law.stiffness().unwrap() - 0.5 * 180.0 / PI).abs() < 1e-9, "{drive:?}");
    assert!((drive.damping - 0.25 * 180.0 / PI).abs() < 1e-9 && (drive.max_effort - 7.0).abs() < 1e-12);
    assert!(matches!(drive.goal, Goal::Position(angle) if (angle - PI / 6.0).abs() < 1e-12));
    for expected in ["/World/picture: <Sphere>", "/World/eye: <Camera>", "/World/rod: physics:startsAsleep"] {
        assert!(told.iter().any(|line| line == expected), "{expected} is not among {told:#?}");
    }
    assert_eq!(told.len(), 3, "{told:#?}");
}

/// The coordinate is that of the second body in the first: with the world as the second, it keeps its sign.
#[test]
fn the_order_of_bodies_changes_no_coordinate() {
    let text = PENDULUM
        .replace("rel physics:body1", "rel physics:body0")
        .replace("localPos0 = (0, 0, 2)", "localPos0 = (0, 0, 0.5)")
        .replace("localPos1 = (0, 0, 0.5)\n        uniform", "localPos1 = (0, 0, 2)\n        uniform");
    let (loaded, _) = scene(&text);
    let pin = &loaded.scene.joints[0];
    let frame = body(&loaded, "rod").initial.pose.compose(&pin.frame_a);
    assert!((frame.position - Vec3::new(0.0, 0.0, 2.0)).norm() < 1e-12);
    // Turning the rod about −y moves the world about +y as seen from the rod.
    assert!((frame.vector(&Vec3::x()) + Vec3::y()).norm() < 1e-12);
    let JointKind::Hinge { turn } = &pin.kind else { panic!("{:?}", pin.kind) };
    assert!((turn.range.min + PI / 2.0).abs() < 1e-12 && (turn.range.max - PI / 4.0).abs() < 1e-12);
}

/// In centimetres and grams, with z up, by default gravity, and with materials.
const BOX: &str = r#"#usda 1.0
(
    metersPerUnit = 0.01
    kilogramsPerUnit = 0.001
    upAxis = "Z"
)
def PhysicsScene "scene" {}
def Material "rubber" (prepend apiSchemas = ["PhysicsMaterialAPI"]) {
    float physics:staticFriction = 0.75
    float physics:dynamicFriction = 0.5
    float physics:restitution = 0.25
    float physics:density = 2
}
def Xform "ramp" {
    float xformOp:rotateY = 90
    uniform token[] xformOpOrder = ["xformOp:rotateY"]
    def Plane "floor" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]) {
        uniform token axis = "X"
        rel material:binding:physics = </rubber>
    }
}
def Xform "crate" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "MaterialBindingAPI"]) {
    vector3f physics:velocity = (100, 0, -50)
    vector3f physics:angularVelocity = (0, 0, 180)
    double3 xformOp:translate = (0, 0, 100)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    rel material:binding = </rubber>
    def Cube "shape" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {
        double size = 20
    }
    def Sphere "knob" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]) {
        double radius = 5
        float physics:mass = 500
        double3 xformOp:translate = (0, 0, 40)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
"#;

#[test]
fn units_materials_and_densities_are_those_of_the_file() {
    let (loaded, told) = scene(BOX);
    assert!(told.is_empty(), "{told:#?}");
    let scene = &loaded.scene;
    assert_eq!(scene.gravity, Vec3::new(0.0, 0.0, -9.81));
    let (crate_, floor) = (body(&loaded, "crate"), body(&loaded, "floor"));
    assert_eq!((&floor.role, &crate_.role), (&Role::Static, &Role::Dynamic));
    // 2 g/cm³ × (20 cm)³ = 16 kg, and a knob of 0.5 kg 0.4 m above.
    assert!((crate_.mass - 16.5).abs() < 1e-9, "{}", crate_.mass);
    let height = 0.4 * 0.5 / 16.5;
    let centre = crate_.initial.pose.position;
    assert!((centre - Vec3::new(0.0, 0.0, 1.0 + height)).norm() < 1e-9, "{centre}");
    // 16 a²/6 and 2/5 · 0.5 r² about the axis; the reduced mass at 0.4 m across it.
    let axial = 16.0 * 0.04 / 6.0 + 0.4 * 0.5 * 0.0025;
    let across = axial + 16.0 * 0.5 / 16.5 * 0.16;
    let expected = Mat3::from_diagonal(&Vec3::new(across, across, axial));
    assert!((tensor(crate_) - expected).amax() < 1e-9, "{}", tensor(crate_));
    assert!((crate_.initial.linear_velocity - Vec3::new(1.0, 0.0, -0.5)).norm() < 1e-12);
    assert!((crate_.initial.angular_velocity - Vec3::z() * PI).norm() < 1e-12);
    for body in [crate_, floor] {
        assert!((body.friction.static_ - 0.75).abs() < 1e-12 && (body.friction.dynamic - 0.5).abs() < 1e-12);
        assert!((body.restitution - 0.25).abs() < 1e-12);
    }
    // The normal x of the floor, turned by 90° about y, points along −z: its extent along z is none.
    let bounds = floor.mesh.bounds();
    let corners = [bounds.min, bounds.max].map(|corner| floor.initial.pose.vector(&corner));
    assert!((corners[1] - corners[0]).z.abs() < 1e-9, "{corners:?}");
    assert!(
        scene.can_collide(scene.find_body("crate").expect("crate"), scene.find_body("floor").expect("floor"))
    );
}

const HEAD: &str = "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n";

/// A rigid body of one shape with extra lines.
fn solid(kind: &str, name: &str, lines: &str) -> String {
    format!(
        "def {kind} \"{name}\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\", \"PhysicsMassAPI\"]) {{\n{lines}\n}}\n"
    )
}

#[test]
fn each_shape_has_the_mass_of_its_solid() {
    let tetrahedron = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n\
        int[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]";
    let mirror = "float3 xformOp:scale = (-2, 1, 1)\nuniform token[] xformOpOrder = [\"xformOp:scale\"]";
    let shapes = [
        ("Sphere", "ball", "double radius = 0.5".to_owned(), 4.0 / 3.0 * PI * 0.125),
        ("Cylinder", "can", "double radius = 0.5\ndouble height = 3".to_owned(), PI * 0.25 * 3.0),
        ("Capsule", "pill", "double radius = 0.5\ndouble height = 3".to_owned(), PI * (0.75 + 1.0 / 6.0)),
        ("Cone", "hat", "uniform token axis = \"X\"".to_owned(), 2.0 / 3.0 * PI),
        ("Mesh", "tetrahedron", tetrahedron.to_owned(), 1.0 / 6.0),
        ("Mesh", "mirrored", format!("{tetrahedron}\n{mirror}"), 2.0 / 6.0),
    ];
    let text =
        shapes.iter().fold(HEAD.to_owned(), |text, (kind, name, lines, _)| text + &solid(kind, name, lines));
    let (loaded, told) = scene(&text);
    assert!(told.is_empty(), "{told:#?}");
    for (_, name, _, volume) in &shapes {
        let mass = body(&loaded, name).mass;
        assert!((mass - 1000.0 * volume).abs() < 1e-6 * mass, "{name}: {mass}");
    }
    // The centre of a cone is a quarter of its height above the base; that of the mirrored tetrahedron is at −2/4.
    let centre = |name: &str| body(&loaded, name).initial.pose.position;
    assert!((centre("hat") + Vec3::x() * 0.5).norm() < 1e-9, "{}", centre("hat"));
    assert!((centre("mirrored") - Vec3::new(-0.5, 0.25, 0.25)).norm() < 1e-9);
    // 3/10 m r² about the axis and 3/20 m r² + 3/80 m h² across it.
    let hat = body(&loaded, "hat");
    let expected = Mat3::from_diagonal(&(Vec3::new(0.3, 0.3, 0.3) * hat.mass));
    assert!((tensor(hat) - expected).amax() < 1e-6 * hat.mass, "{}", tensor(hat));
}

#[test]
fn mass_properties_that_are_given_go_first() {
    let lines = "float physics:mass = 3\npoint3f physics:centerOfMass = (0.1, 0, 0)\n\
        float3 physics:diagonalInertia = (1, 2, 2.5)\nquatf physics:principalAxes = (0.70710678, 0, 0, 0.70710678)\n\
        bool physics:kinematicEnabled = 0";
    let (loaded, told) = scene(&format!("{HEAD}{}", solid("Cube", "block", lines)));
    let block = body(&loaded, "block");
    assert!(told.is_empty() && (block.mass - 3.0).abs() < 1e-12, "{told:#?}");
    // A quarter turn about z exchanges x and y.
    assert!((tensor(block) - Mat3::from_diagonal(&Vec3::new(2.0, 1.0, 2.5))).amax() < 1e-6);
    assert!((block.initial.pose.position - Vec3::x() * 0.1).norm() < 1e-12);
    let (loaded, _) = scene(&format!("{HEAD}{}", solid("Cube", "lift", "bool physics:kinematicEnabled = 1")));
    assert!(matches!(body(&loaded, "lift").role, Role::Kinematic(_)));
}

#[test]
fn joints_of_all_kinds_and_filters_are_read() {
    let cubes = ["a", "b", "c"].map(|name| solid("Cube", name, "")).concat();
    let joint = |kind: &str, lines: &str| {
        format!(
            "def Physics{kind}Joint \"{kind}\" {{\nrel physics:body0 = </a>\nrel physics:body1 = </b>\n{lines}\n}}\n"
        )
    };
    let text = [
        HEAD,
        &cubes,
        &joint("Fixed", "float physics:breakForce = 12"),
        &joint(
            "Prismatic",
            "uniform token physics:axis = \"Z\"\nfloat physics:lowerLimit = -1\nfloat physics:upperLimit = 2",
        ),
        &joint("Spherical", "float physics:coneAngle0Limit = 30\nfloat physics:coneAngle1Limit = 30"),
        &joint("Distance", "float physics:minDistance = -1\nfloat physics:maxDistance = 4"),
        "def PhysicsJoint \"loose\" {\nrel physics:body0 = </a>\n}\n",
        "def PhysicsCollisionGroup \"ones\" (prepend apiSchemas = [\"CollectionAPI:colliders\"]) {\n\
         rel collection:colliders:includes = [</a>]\nrel physics:filteredGroups = [</others>]\n}\n",
        "def PhysicsCollisionGroup \"others\" (prepend apiSchemas = [\"CollectionAPI:colliders\"]) {\n\
         rel collection:colliders:includes = [</c>]\n}\n",
    ]
    .concat();
    let (loaded, told) = scene(&text);
    assert_eq!(told, ["/loose: <PhysicsJoint>"]);
    let scene = &loaded.scene;
    let kinds: Vec<_> = scene.joints.iter().map(|joint| (joint.name.as_str(), &joint.kind)).collect();
    assert_eq!(kinds.len(), 4);
    for (name, kind) in kinds {
        let is_right = match name {
            "Fixed" => matches!(kind, JointKind::Fixed),
            "Prismatic" => {
                matches!(kind, JointKind::Prismatic { slide } if slide.range.min == -1.0 && slide.range.max == 2.0)
            }
            "Spherical" => matches!(kind, JointKind::Ball { .. }),
            _ => matches!(kind, JointKind::Distance { .. }),
        };
        assert!(is_right, "{name}: {kind:?}");
    }
    let find = |name: &str| scene.find_body(name).expect("a body");
    assert!(!scene.can_collide(find("a"), find("c")) && scene.can_collide(find("b"), find("c")));
    assert!(!scene.can_collide(find("a"), find("b")), "joined bodies do not collide");
    let pairs = solid("Cube", "a", "rel physics:filteredPairs = [</b>]")
        .replace("\"PhysicsMassAPI\"", "\"PhysicsFilteredPairsAPI\"");
    let (loaded, told) = self::scene(&[HEAD, &pairs, &solid("Cube", "b", "")].concat());
    let find = |name: &str| loaded.scene.find_body(name).expect("a body");
    assert!(told.is_empty() && !loaded.scene.can_collide(find("a"), find("b")), "{told:#?}");
}

#[test]
fn files_that_a_file_names_are_read() {
    let whole = format!(
        "{HEAD}def \"crate\" (references = @parts/box.usda@</box>) {{}}\ndef \"gone\" (references = @no.usda@) {{}}\n"
    );
    let part = format!("{HEAD}{}", solid("Cube", "box", "float physics:mass = 5"));
    let (loaded, dropped) =
        read(&[("scene.usda", whole), ("parts/box.usda", part)]).unwrap_or_else(|error| panic!("{error}"));
    assert!((body(&loaded, "crate").mass - 5.0).abs() < 1e-12);
    assert_eq!(dropped.len(), 1, "{dropped:#?}");
    assert!(dropped[0].what.contains("no.usda"));
}

#[test]
fn mistakes_are_errors_with_their_prim() {
    assert!(error("#usda 1.0\ndef {").contains("not USD"));
    assert!(error("").contains("not USD"));
    assert!(error("#usda 1.0\n(\n metersPerUnit = 0\n)\n").contains("metersPerUnit is 0"));
    assert!(error("#usda 1.0\n(\n upAxis = \"up\"\n)\n").contains("there is no axis \"up\""));
    let of = |kind: &str, lines: &str| error(&format!("{HEAD}{}", solid(kind, "b", lines)));
    assert!(of("Cube", "double size = -1").contains("/b: size is -1: it must be positive"));
    assert!(of("Cube", "float physics:mass = -1").contains("/b: physics:mass is -1"));
    assert!(of("Cube", "string physics:mass = \"big\"").contains("/b: physics:mass: expected a number"));
    assert!(of("Cube", "float3 physics:diagonalInertia = (1, 1, 3)").contains("exceeds the sum"));
    let flat = "float3 xformOp:scale = (1, 0, 1)\nuniform token[] xformOpOrder = [\"xformOp:scale\"]";
    assert!(of("Cube", flat).contains("/b: its axes are sheared, flat or not finite"));
    let order = "uniform token[] xformOpOrder = [\"xfo}mOp:scale\"]";
    assert!(of("Cube", order).contains("\"xfo}mOp:scale\" is not the name of a property"));
    let mesh = "point3f[] points = [(0, 0, 0)]\nint[] faceVertexCounts = [3]\nint[] faceVertexIndices = ";
    assert!(of("Mesh", &format!("{mesh}[0, 0]")).contains("faceVertexCounts does not fit"));
    assert!(of("Mesh", &format!("{mesh}[0, 0, 7]")).contains("names point 7, but there are 1"));
    let joint = "def PhysicsFixedJoint \"j\" { rel physics:body0 = </gone> }\n";
    assert!(error(&format!("{HEAD}{joint}")).contains("/j: physics:body0: there is no prim /gone"));
}

/// `openusd` 0.6 recurses for each block and does not end on names with braces.
#[test]
fn what_would_end_the_reader_is_an_error() {
    let cube = solid("Cube", "b", "double size = 1");
    let nested = |n: usize| format!("{HEAD}{cube}\n{}{}", "def \"a\" {".repeat(n), "}".repeat(n));
    let (_, told) = scene(&nested(100));
    assert!(told.is_empty(), "{told:#?}");
    let line = nested(1).lines().count();
    assert!(
        error(&nested(100_000)).contains(&format!("line {line} has more than 128 blocks within each other"))
    );
    // Brackets in strings, comments, names of files and paths are no blocks.
    let open = "(".repeat(1000);
    scene(&format!(
        "{HEAD}{cube}\n# {open}\ndef \"a\" ( doc = \"\"\"{open} \"\"\" ) {{ string b = \"{open} \\\" \" }}\n"
    ));
    let message = error("#usda 1.0\ndef \"Wo}ld\" {}\n");
    assert!(message.contains("\"Wo}ld\" in / is not a name"), "{message}");
    let message = error("#usda 1.0\ndef \"a\" { float b{c = 1 }\n");
    assert!(message.contains("not USD"), "{message}");
    let message = error(&format!("{HEAD}{cube}def \"a\" {{ rel b = </a {{>\n}}"));
    assert!(message.contains("</a {> is not a path"), "{message}");
    // So they are in a file that the first one names.
    let main = "#usda 1.0\ndef \"a\" (references = @part.usda@</b>) {}\n".to_owned();
    let part = "#usda 1.0\ndef \"b\" { def \"Wo}ld\" {} }\n".to_owned();
    let message =
        read(&[("scene.usda", main), ("part.usda", part)]).expect_err("a name is wrong").to_string();
    assert!(message.contains("part.usda") && message.contains("\"Wo}ld\" in /b"), "{message}");
}

/// A missing file is listed as left out; one that exists and cannot be read is an error.
#[test]
fn a_file_that_cannot_be_read_is_not_taken_for_a_missing_one() {
    struct Locked;
    impl Files for Locked {
        fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
            match path.to_str() {
                Some("scene.usda") => {
                    Ok(b"#usda 1.0\ndef \"a\" (references = @part.usda@</b>) {}\n".to_vec())
                }
                _ => Err(io::ErrorKind::PermissionDenied.into()),
            }
        }
    }
    let loaded = load_robot(Path::new("scene.usda"), &Locked, &LoadOptions::default(), Options::default());
    let message = loaded.expect_err("a file is locked").to_string();
    assert!(message.contains("part.usda") && message.contains("cannot be read"), "{message}");
}

#[test]
fn binary_files_are_translated_elsewhere() {
    let message = error("PXR-USDC and more");
    assert!(message.contains("it is binary"), "{message}");
    assert!(rigor_file::robot::usd_text(b"PXR-USDC and more").is_err());
    assert!(rigor_file::robot::usd_text(b"").is_err());
}

/// The text of a binary file gives the scene of the text from which it was made.
#[test]
fn binary_files_have_the_scene_of_their_text() {
    use openusd::usda;
    use openusd::usdc::CrateWriter;
    let data = usda::parse(PENDULUM).expect("it is USD");
    let mut binary = io::Cursor::new(Vec::new());
    CrateWriter::write(&data, &mut binary).expect("memory takes it");
    let text = rigor_file::robot::usd_text(binary.get_ref()).expect("it is not damaged");
    let ((expected, told), (found, also_told)) = (scene(PENDULUM), scene(&text));
    assert_eq!(found.scene, expected.scene);
    assert_eq!(also_told, told);
}

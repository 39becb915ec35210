//! Scenes read from valid files.

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use rigor_file::check::{Meeting, initial_intersections};
use rigor_math::{Vec3, rotation_vector};
use rigor_scene::{
    BodyId, Bound, CombineRule, Drive, ForceLaw, ForceTable, Freedom, Goal, JointDamping, JointKind,
    KinematicPath, PartKind, Range, Role, Strength,
};

use super::{cube, load};

#[test]
fn a_body_is_placed_by_its_own_frame() {
    let scene = load(
        "[[body]]\nname = \"plank\"\ndensity = 2\nposition = [1, 2, 3]\nrotation_deg = [0, 0, 90]\n\
         angular_velocity_deg = [0, 180, 0]\nfriction = { static = 0.6, dynamic = 0.5 }\n\
         [[body.shape]]\nbox = { size = [1, 1, 1] }\nposition = [2, 0, 0]\nscale = [2, 1, 1]\n",
    )
    .unwrap()
    .scene;
    let body = &scene.bodies[0];
    assert!((body.mass - 4.0).abs() < 1e-14);
    // The centre is 2 m along the plank's x axis, which the rotation maps to the world's y axis.
    assert!((body.initial.pose.position - Vec3::new(1.0, 4.0, 3.0)).norm() < 1e-15);
    assert!((body.initial.angular_velocity - Vec3::y() * PI).norm() < 1e-15);
    assert_eq!((body.friction.static_, body.friction.dynamic), (0.6, 0.5));
    assert_eq!(body.parts[0].kind, PartKind::Box { half_extents: Vec3::new(1.0, 0.5, 0.5) });
    let world: Vec<Vec3> = body.mesh.vertices().iter().map(|v| body.initial.pose.point(v)).collect();
    let highest = world.iter().map(|v| v.y).fold(f64::NEG_INFINITY, f64::max);
    assert!((highest - 5.0).abs() < 1e-14, "2 + 2 + half of 2");
}

/// A tetrahedron with different edges: no rotation maps it to its mirror image.
const CHIRAL: &str = "[[body.shape]]\nmesh = { vertices = [[0, 0, 0], [3, 0, 0], [0, 2, 0], [0, 0, 1]], \
                      triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }\n";

#[test]
fn negative_factors_mirror_a_shape_and_leave_it_facing_outwards() {
    let body = |scale: &str| {
        let text = format!("[[body]]\nname = \"chip\"\ndensity = 2\n{CHIRAL}scale = {scale}\n");
        load(&text).unwrap().scene.bodies[0].clone()
    };
    let whole = body("1");
    // Vertices in the author's frame, which is that of the world.
    let placed = |body: &rigor_scene::Body| -> Vec<Vec3> {
        body.mesh.vertices().iter().map(|v| body.initial.pose.point(v)).collect()
    };
    for (scale, factors) in [
        ("[-1, 1, 1]", [-1.0, 1.0, 1.0]),
        ("[1, -1, -1]", [1.0, -1.0, -1.0]),
        ("-1", [-1.0; 3]),
        ("[2, 1, -1]", [2.0, 1.0, -1.0]),
    ] {
        let (mirrored, factors) = (body(scale), Vec3::from(factors));
        let volume = factors.product().abs();
        assert!(mirrored.mesh.is_closed() && mirrored.mesh.is_convex(), "{scale}: it faces outwards");
        assert!((mirrored.mass - volume * whole.mass).abs() < 1e-14, "{scale}: {}", mirrored.mass);
        assert!(mirrored.inertia.min() > 0.0, "{scale}");
        if volume == 1.0 {
            assert!((mirrored.inertia - whole.inertia).norm() < 1e-14, "{scale}: {}", mirrored.inertia);
        }
        for (p, q) in placed(&mirrored).iter().zip(placed(&whole)) {
            assert!((p - q.component_mul(&factors)).norm() < 1e-14, "{scale}: {p} {q}");
        }
    }
}

#[test]
fn round_shapes_are_balls_and_capsules_of_their_own_mass() {
    let body = |shape: &str| {
        let text =
            format!("[[body]]\nname = \"round\"\ndensity = 3\nshape = [{{ {shape}, round = true }}]\n");
        load(&text).unwrap().scene.bodies[0].clone()
    };
    let ball = body("icosphere = { radius = 2, subdivisions = 0 }, scale = -0.5, position = [4, 0, 0]");
    assert_eq!(ball.parts[0].kind, PartKind::Ball { radius: 1.0 });
    assert!((ball.mass - 4.0 * PI).abs() < 1e-14 && (ball.inertia.x - 0.4 * ball.mass).abs() < 1e-14);
    assert_eq!((ball.initial.pose.position, ball.skeleton.offset(0)), (Vec3::x() * 4.0, 1.0));
    assert_eq!(body("sphere = { radius = 1 }").parts[0].kind, PartKind::Ball { radius: 1.0 });
    let rod = body("capsule = { radius = 1, length = 2 }, scale = 2, rotation_deg = [90, 0, 0]");
    assert_eq!(rod.parts[0].kind, PartKind::Capsule { radius: 2.0, half_length: 2.0 });
    assert!((rod.mass - 3.0 * 8.0 * (4.0 / 3.0 * PI + 2.0 * PI)).abs() < 1e-12);
    let ends: Vec<Vec3> = rod.skeleton.mesh.vertices().iter().map(|v| rod.initial.pose.point(v)).collect();
    assert!((ends[0] - Vec3::z() * -2.0).norm() < 1e-14 && (ends[1] - Vec3::z() * 2.0).norm() < 1e-14);
    let split = load(
        "[[body]]\nname = \"two\"\nsplit = true\nshape = [{ icosphere = { radius = 1 }, round = true }]\n",
    );
    assert_eq!(split.unwrap().scene.bodies[0].parts[0].kind, PartKind::Ball { radius: 1.0 });
}

/// Their pictures are octahedra and prisms, far inside of them.
#[test]
fn round_bodies_that_overlap_at_the_start_are_found() {
    let found = |other: &str| {
        let text = format!(
            "[[body]]\nname = \"a\"\nshape = [{{ sphere = {{ radius = 1, segments = 4, rings = 2 }}, round = true }}]\n\
             [[body]]\nname = \"b\"\nrole = \"static\"\nshape = [{{ {other} }}]\n"
        );
        let found = initial_intersections(&load(&text).unwrap().scene);
        found.into_iter().map(|one| (one.kind, one.depth)).next()
    };
    let ball = "sphere = { radius = 1, segments = 4, rings = 2 }, round = true, rotation_deg = [0, 45, 0]";
    let rod = "capsule = { radius = 1, length = 2, segments = 3, rings = 1 }, round = true, rotation_deg = [0, 0, 20]";
    for (other, due) in [
        (format!("{ball}, position = [1.2, 1.5, 0]"), Some(2.0 - 1.2_f64.hypot(1.5))),
        (format!("{ball}, position = [1.2, 1.7, 0]"), None),
        (format!("{ball}, position = [2, 0, 0]"), Some(0.0)),
        (
            format!("{rod}, position = [0.5, 0, 1.9]"),
            Some(2.0 - 1.9_f64.hypot(0.5 * (20_f64).to_radians().cos())),
        ),
        ("box = { size = [2, 2, 2] }, position = [1.7, 1.7, 0]".into(), Some(1.0 - 0.7_f64.hypot(0.7))),
        ("box = { size = [2, 2, 2] }, position = [1.8, 1.8, 0]".into(), None),
        ("plane = { size = [9, 9] }, position = [0, -0.9, 0]".into(), Some(0.1)),
    ] {
        let found = found(&other);
        let kind = |depth: f64| if depth > 0.0 { Meeting::Crossing } else { Meeting::Touching };
        assert_eq!(found.map(|one| one.0), due.map(kind), "{other}");
        assert!((found.map_or(0.0, |one| one.1) - due.unwrap_or(0.0)).abs() < 1e-12, "{other}: {found:?}");
    }
    let inside = found("box = { size = [9, 9, 9] }");
    assert_eq!(inside.map(|one| one.0), Some(Meeting::Inside));
}

#[test]
fn a_mirrored_box_is_still_known_as_a_box_and_a_mirrored_plane_faces_the_other_way() {
    let scene = load(&format!("{}scale = [-2, 1, 1]\n", cube(""))).unwrap().scene;
    assert_eq!(scene.bodies[0].parts[0].kind, PartKind::Box { half_extents: Vec3::new(1.0, 0.5, 0.5) });
    assert!(scene.bodies[0].mass > 0.0);
    for (scale, up) in [("[2, 1, 1]", 1.0), ("[2, 1, -1]", 1.0), ("[2, -1, 1]", -1.0)] {
        let text = format!(
            "[[body]]\nname = \"plane\"\nrole = \"static\"\n[[body.shape]]\nplane = {{ size = [1, 1] }}\nscale = {scale}\n"
        );
        let body = &load(&text).unwrap().scene.bodies[0];
        let [a, b, c] =
            body.mesh.triangles()[0].map(|v| body.initial.pose.point(&body.mesh.vertices()[v as usize]));
        assert_eq!((b - a).cross(&(c - a)).y.signum(), up, "{scale}");
    }
}

#[test]
fn three_ways_of_writing_a_rotation_agree() {
    let pose = |rotation: &str| load(&cube(rotation)).unwrap().scene.bodies[0].initial.pose;
    let quarter = pose("rotation_deg = [0, 90, 0]");
    for other in ["quaternion = [5, 0, 5, 0]", "rotation_vector_deg = [0, 90, 0]"] {
        let difference = rotation_vector::log(&(pose(other).rotation * quarter.rotation.inverse()));
        assert!(difference.norm() < 1e-15, "{other}");
    }
    // x first: z is mapped to −y, which the rotation about z maps to x.
    let z = pose("rotation_deg = [90, 0, 90]").vector(&pose("").inverse_vector(&Vec3::z()));
    assert!((z - Vec3::x()).norm() < 1e-15, "{z}");
}

#[test]
fn copies_stand_on_a_grid_and_share_their_mesh() {
    let text =
        cube("copies = { count = [2, 1, 3], spacing = [2, 9, -3] }\nposition = [0, 1, 0]\ngroup = \"a\"");
    let scene = load(&format!("{text}{}", cube("").replace("cube", "alone"))).unwrap().scene;
    let names: Vec<_> = scene.bodies.iter().map(|b| b.name.as_str()).collect();
    let expected =
        ["cube-0-0-0", "cube-0-0-1", "cube-0-0-2", "cube-1-0-0", "cube-1-0-1", "cube-1-0-2", "alone"];
    assert_eq!(names, expected);
    assert_eq!(scene.bodies[5].initial.pose.position, Vec3::new(2.0, 1.0, -6.0));
    assert!(Arc::ptr_eq(&scene.bodies[0].mesh, &scene.bodies[5].mesh));
    assert!(!scene.can_collide(BodyId(0), BodyId(5)) && scene.can_collide(BodyId(0), BodyId(6)));
}

#[test]
fn placed_bodies_stand_where_the_body_would_moved_as_a_whole() {
    let places = "places = [{ position = [5, 0, 0] }, { rotation_deg = [0, 90, 0], position = [0, 2, 0] }]";
    let scene = load(&cube(&format!("{places}\nposition = [1, 0, 0]"))).unwrap().scene;
    let names: Vec<_> = scene.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["cube-0", "cube-1"]);
    assert_eq!(scene.bodies[0].initial.pose.position, Vec3::new(6.0, 0.0, 0.0));
    let turned = scene.bodies[1].initial.pose.position; // x is mapped to −z
    assert!((turned - Vec3::new(0.0, 2.0, -1.0)).norm() < 1e-15, "{turned}");
    assert!(Arc::ptr_eq(&scene.bodies[0].mesh, &scene.bodies[1].mesh));
    assert!(scene.can_collide(BodyId(0), BodyId(1)));
}

#[test]
fn what_is_drawn_by_points_is_weighed_by_its_dimension() {
    let mass = |shape: &str| {
        let densities = "density = 2\nareal_density = 3\nline_density = 5\npoint_mass = 7";
        let text = format!("[[body]]\nname = \"a\"\n{densities}\nshape = [{{ {shape} }}]\n");
        load(&text).unwrap_or_else(|error| panic!("{error}")).scene.bodies[0].mass
    };
    let square = "outline = [[0, 0], [2, 0], [2, 2], [0, 2]]";
    let hole = "holes = [{ center = [1, 1], radius = 0.5, segments = 4 }]";
    let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-14, "{found}");
    near(mass(&format!("extrude = {{ {square}, depth = 3 }}")), 2.0 * 12.0);
    near(mass(&format!("extrude = {{ {square}, {hole}, depth = 3 }}")), 2.0 * 3.0 * 3.5);
    near(mass(&format!("extrude = {{ {square} }}")), 3.0 * 4.0);
    near(mass("revolve = { profile = [[0, 0], [1, 0], [1, 1], [0, 1]], segments = 4 }"), 2.0 * 2.0);
    near(mass("wire = { points = [[0, 0, 0], [3, 0, 0], [3, 4, 0]], closed = true }"), 5.0 * 12.0);
    near(mass("wire = { points = [[0, 0, 0], [3, 0, 0], [3, 4, 0]] }"), 5.0 * 7.0);
    near(mass("point_sphere = { radius = 1, count = 10 }"), 7.0 * 10.0);
}

#[test]
fn a_density_of_solids_is_none_of_surfaces_wires_and_points() {
    let body =
        |keys: &str, shape: &str| load(&format!("[[body]]\nname = \"a\"\n{keys}\nshape = [{{ {shape} }}]\n"));
    let open = [
        ("plane = { size = [2, 3] }", "6.0000e0 m² of open surface", "areal_density"),
        ("wire = { points = [[0, 0, 0], [3, 0, 0], [3, 4, 0]] }", "7.0000e0 m of wire", "line_density"),
        ("point_sphere = { radius = 1, count = 10 }", "10 points", "point_mass"),
        (
            "mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [5, 5, 5]], \
             triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]] }",
            "1 points",
            "point_mass",
        ),
    ];
    for (shape, what, key) in open {
        for keys in ["", "density = 2"] {
            let message = body(keys, shape).unwrap_err().to_string();
            assert!(message.contains(what) && message.contains(&format!("or `{key}` (kg")), "{message}");
        }
        assert!(body(&format!("{key} = 2"), shape).is_ok() && body("mass = 2", shape).is_ok(), "{shape}");
        assert!(
            body("role = \"static\"", shape).is_ok(),
            "the mass of what does not move has no meaning: {shape}"
        );
        let both = body(&format!("mass = 1\n{key} = 2"), shape).unwrap_err().to_string();
        assert!(both.contains(&format!("expected either `mass` or `{key}`")), "{both}");
    }
    // A mass that a solid and a point share says nothing about either.
    let shared = body("mass = 2", open[3].0).unwrap();
    assert!(shared.warnings[0].message.contains("as if 1 m³, 1 m², 1 m and 1 point weighed the same"));
}

#[test]
fn bodies_without_a_group_collide_with_all() {
    let text = format!(
        "{}{}{}{}",
        cube("group = 7"),
        cube("group = 7").replace("cube", "b"),
        cube("group = \"7\"").replace("cube", "c"),
        cube("").replace("cube", "d"),
    );
    let scene = load(&text).unwrap().scene;
    let collide = |a: usize, b: usize| scene.can_collide(BodyId(a), BodyId(b));
    assert!(!collide(0, 1) && collide(0, 2) && collide(0, 3) && collide(2, 3));
}

#[test]
fn disabled_bodies_are_left_out() {
    let text = format!("{}{}", cube("enabled = false\ndensity = -1"), cube("").replace("cube", "b"));
    let scene = load(&text).unwrap().scene;
    assert_eq!((scene.bodies.len(), scene.bodies[0].name.as_str()), (1, "b"));
}

#[test]
fn kinematic_bodies_follow_keyframes_of_their_own_frame() {
    let text = cube(
        "role = \"kinematic\"\nmotion = { stops_at = 9, keyframes = [{ time = 1, position = [1, 0, 0] }, \
         { time = 3, position = [5, 0, 0], rotation_deg = [0, 90, 0] }] }",
    )
    .replace("box", "position = [0, 2, 0]\nbox");
    let scene = load(&text).unwrap().scene;
    let body = &scene.bodies[0];
    let at = |time: f64| body.authored_pose(&body.prescribed(time).unwrap().pose).position.x;
    assert!((at(0.5) - 0.5).abs() < 1e-15 && (at(2.0) - 3.0).abs() < 1e-15);
    let Role::Kinematic(motion) = &body.role else { panic!("kinematic") };
    assert_eq!(motion.stops_at, 9.0);
    let even =
        cube("role = \"kinematic\"\nmotion = { interval = 0.5, poses = [{}, { position = [1, 0, 0] }] }");
    let scene = load(&even).unwrap().scene;
    let Role::Kinematic(motion) = &scene.bodies[0].role else { panic!("kinematic") };
    let KinematicPath::Keyframes(keyframes) = &motion.path else { panic!("keyframes") };
    assert_eq!(keyframes.iter().map(|(t, _)| *t).collect::<Vec<_>>(), [0.5, 1.0]);
}

#[test]
fn joints_hold_frames_that_coincide_at_the_start() {
    let two = format!(
        "{}{}",
        cube("position = [0, 3, 0]\nrotation_deg = [10, 20, 30]"),
        cube("position = [4, 0, 0]\nrotation_deg = [0, 50, 0]").replace("cube", "b")
    );
    let joints = "[[joint]]\nname = \"hinge\"\nkind = \"hinge\"\nbody_a = \"cube\"\nbody_b = \"b\"\n\
         position = [2, 1, 0]\naxis = [0, 0, -3]\n\
         [[joint]]\nname = \"back\"\nkind = \"hinge\"\nbody_a = \"cube\"\nposition = [2, 1, 0]\naxis = [-1, 0, 0]\n\
         [[joint]]\nname = \"rope\"\nkind = \"distance\"\nmax = 5\nbody_a = \"cube\"\nposition = [0, 3, 0]\n\
         to = [0, 8, 0]\n";
    let scene = load(&format!("{two}{joints}")).unwrap().scene;
    let world = |body: usize, frame| scene.bodies[body].initial.pose.compose(frame);
    let hinge = &scene.joints[0];
    let (a, b) = (world(0, &hinge.frame_a), world(1, &hinge.frame_b));
    assert!((a.position - Vec3::new(2.0, 1.0, 0.0)).norm() < 1e-14);
    assert!((a.position - b.position).norm() < 1e-14 && (a.vector(&Vec3::x()) + Vec3::z()).norm() < 1e-14);
    assert!(a.rotation.angle_to(&b.rotation) < 1e-7);
    assert!(
        (scene.joints[1].frame_b.vector(&Vec3::x()) + Vec3::x()).norm() < 1e-15,
        "to the world, straight back"
    );
    let rope = &scene.joints[2];
    assert_eq!((rope.kind.clone(), rope.body_b), (JointKind::distance(0.0, 5.0), None));
    assert_eq!(rope.frame_b.position, Vec3::new(0.0, 8.0, 0.0));
}

#[test]
fn joints_say_what_they_leave_free_and_bear() {
    let two = format!("{}{}", cube(""), cube("position = [4, 0, 0]").replace("cube", "b"));
    let joint = "[[joint]]\nname = \"j\"\nbody_a = \"cube\"\nbody_b = \"b\"\nposition = [2, 0, 0]\n";
    let read = |rest: &str| load(&format!("{two}{joint}{rest}\n")).unwrap().scene;
    let scene = read(
        "kind = \"cylindrical\"\nslide = { min = -1, compliance = 0.5, position = 2, max_force = 3 }\n\
         turn = { max_deg = 90, velocity_deg = 180, drive_compliance = 0.25, drive_damping = 2 }\n\
         compliance = 0.125\nangular_compliance = 4\nlinear_damping = 5\nangular_damping = 6\nbreak_force = 7",
    );
    let slide = Freedom {
        range: Range { min: -1.0, max: f64::INFINITY, compliance: 0.5 },
        drive: Some(Drive { max_effort: 3.0, ..Drive::new(Goal::Position(2.0)) }),
    };
    let turn = Freedom {
        range: Range::new(f64::NEG_INFINITY, FRAC_PI_2),
        drive: Some(Drive { damping: 2.0, ..Drive::spring(Goal::Velocity(PI), 0.25) }),
    };
    let read_joint = &scene.joints[0];
    assert_eq!(read_joint.kind, JointKind::Cylindrical { slide, turn });
    assert_eq!((read_joint.compliance, read_joint.angular_compliance), (0.125, 4.0));
    assert_eq!(read_joint.damping, JointDamping { linear: 5.0, angular: 6.0 });
    assert_eq!(read_joint.strength, Strength { force: 7.0, torque: f64::INFINITY });
    let ball = read("kind = \"ball\"\nswing = { max_deg = 90 }\nturn = { min_deg = -90, max_deg = 180 }")
        .joints[0]
        .kind
        .clone();
    let swing = Range::new(f64::NEG_INFINITY, FRAC_PI_2);
    assert_eq!(ball, JointKind::Ball { swing, twist: Range::new(-FRAC_PI_2, PI) });
    let rod = read("kind = \"distance\"\nmin = 1\nmax = 2").joints[0].kind.clone();
    assert_eq!(rod, JointKind::distance(1.0, 2.0));
    assert_eq!(read("kind = \"gear\"\nratio = -2").joints[0].kind, JointKind::Gear { ratio: -2.0 });
    let cardan = &read("kind = \"universal\"\naxis = [0, 0, 2]\nsecond_axis = [3, 0, 1]").joints[0];
    let axis = |v: Vec3| scene.bodies[0].initial.pose.vector(&cardan.frame_a.vector(&v));
    assert!((axis(Vec3::x()) - Vec3::z()).norm() < 1e-15 && (axis(Vec3::y()) - Vec3::x()).norm() < 1e-15);
}

#[test]
fn drives_have_the_force_law_that_their_keys_say() {
    let joint = "[[joint]]\nname = \"j\"\nbody_a = \"cube\"\nposition = [2, 0, 0]\n";
    let kind =
        |rest: &str| load(&format!("{}{joint}{rest}\n", cube(""))).unwrap().scene.joints[0].kind.clone();
    let drive = |rest: &str| kind(rest).drives().next().cloned().expect("a drive");
    let spring = drive(
        "kind = \"prismatic\"\nslide = { position = 1, drive_stiffness = [50, 10], drive_damping = 5 }",
    );
    let law = ForceLaw::polynomial(&[50.0, 10.0]);
    assert_eq!(spring, Drive { law: law.clone(), damping: 5.0, ..Drive::new(Goal::Position(1.0)) });
    // One coefficient is a compliance.
    let linear = drive("kind = \"prismatic\"\nslide = { position = 1, drive_stiffness = [50, 0] }");
    assert_eq!(linear, Drive::spring(Goal::Position(1.0), 0.02));
    let damper =
        drive("kind = \"prismatic\"\nslide = { velocity = 0, drive_stiffness = [0], drive_damping = 5 }");
    assert_eq!(damper, Drive { law: ForceLaw::NONE, damping: 5.0, ..Drive::new(Goal::Velocity(0.0)) });
    let table =
        drive("kind = \"hinge\"\nturn = { angle_deg = 0, drive_table_deg = [[-90, -3], [0, 0], [180, 1]] }");
    let points = ForceTable::new(vec![[-FRAC_PI_2, -3.0], [0.0, 0.0], [PI, 1.0]]).unwrap();
    assert_eq!(table.law, ForceLaw::Table(Arc::new(points)));
    let length = "kind = \"distance\"\nlength = { distance = 2, drive_stiffness = [50, 10], max_force = 3 }";
    let drive = Drive { law, max_effort: 3.0, ..Drive::new(Goal::Position(2.0)) };
    let free = JointKind::Distance { min: 0.0, max: f64::INFINITY, drive: Some(drive.clone()) };
    assert_eq!(kind(length), free);
    assert_eq!(
        kind(&format!("{length}\nmin = 1\nmax = 4")),
        JointKind::Distance { min: 1.0, max: 4.0, drive: Some(drive) }
    );
}

#[test]
fn a_damper_of_a_rigid_drive_is_told() {
    let joint = "[[joint]]\nname = \"j\"\nbody_a = \"cube\"\nposition = [0, 0, 0]\nkind = \"prismatic\"\n";
    let told = |slide: &str| {
        let loaded = load(&format!("{}{joint}slide = {{ {slide} }}\n", cube(""))).unwrap();
        loaded.warnings.iter().map(|warning| warning.message.clone()).collect::<Vec<_>>()
    };
    let idle = "a rigid drive has no damping: `drive_damping` does nothing";
    assert_eq!(told("position = 0, drive_damping = 5"), [idle]);
    assert_eq!(told("position = 0, drive_stiffness = [0], drive_damping = 5"), [""; 0]);
    assert_eq!(told("position = 0, drive_compliance = 1, drive_damping = 5"), [""; 0]);
}

#[test]
fn joined_bodies_touch_only_if_their_joint_says_so() {
    let two = format!("{}{}", cube(""), cube("position = [4, 0, 0]").replace("cube", "b"));
    let joint =
        "[[joint]]\nname = \"j\"\nkind = \"ball\"\nbody_a = \"b\"\nbody_b = \"cube\"\nposition = [2, 0, 0]\n";
    for (contact, collides) in [("", false), ("contact = false", false), ("contact = true", true)] {
        let scene = load(&format!("{two}{joint}{contact}\n")).unwrap().scene;
        assert_eq!(scene.can_collide(BodyId(0), BodyId(1)), collides, "{contact}");
    }
}

#[test]
fn the_rest_of_the_scene_is_carried_over() {
    let text = format!(
        "name = \"n\"\ndescription = \"d\"\nfriction_rule = \"geometric_mean\"\nrestitution_rule = \"max\"\n\
         gravity = [1, 2, 3]\n[source]\nkey = \"K\"\nplace = \"p\"\n[time]\ndt = 0.5\nduration = 2\n\
         [method.xpbd]\nsubsteps = 20\nflags = [true, \"x\", {{ y = 1.5 }}]\n{}\
         [[particle]]\npinned = true\nposition = [1, 0, 0]\n\
         [[expect]]\nfigure = \"motion.rise\"\nbody = \"cube\"\nnear = 1\ntolerance = 0.5\nmethods = [\"xpbd\"]\n",
        cube("")
    );
    let scene = load(&text).unwrap().scene;
    assert_eq!((scene.friction_rule, scene.restitution_rule), (CombineRule::GeometricMean, CombineRule::Max));
    assert_eq!((scene.gravity, scene.time.steps()), (Vec3::new(1.0, 2.0, 3.0), 4));
    assert_eq!(scene.source.unwrap().key, "K");
    let settings = serde_json::json!({ "substeps": 20, "flags": [true, "x", { "y": 1.5 }] });
    assert_eq!(serde_json::Value::Object(rigor_file::setting::to_json(&scene.methods["xpbd"])), settings);
    assert_eq!(scene.particles[0].mass, f64::INFINITY);
    assert_eq!(scene.expectations[0].bound, Bound::Near { target: 1.0, tolerance: 0.5 });
    assert_eq!(scene.expectations[0].body, Some(BodyId(0)));
}

#[test]
fn idle_keys_are_warned_of() {
    let loaded = load(&cube("role = \"static\"\nlinear_velocity = [1, 0, 0]\nforce = [0, 1, 0]")).unwrap();
    let warnings: Vec<_> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "a/scene.toml:1:1: body[0]: `cube`: a static body has no velocity: it is ignored",
            "a/scene.toml:1:1: body[0]: `cube`: forces act on dynamic bodies only: they are ignored",
        ]
    );
}

#[test]
fn bodies_that_meet_at_the_start_are_found() {
    let meet = |second: &str, shape: &str| {
        let text = format!("{}[[body]]\nname = \"b\"\n{second}\n[[body.shape]]\n{shape}\n", cube(""));
        let scene = load(&text).unwrap().scene;
        initial_intersections(&scene).first().map(|found| (found.kind, found.to_string()))
    };
    let unit = "box = { size = [1, 1, 1] }";
    assert_eq!(meet("position = [1.001, 0, 0]", unit), None);
    assert_eq!(
        meet("position = [1, 0.25, 0.125]", unit),
        Some((
            Meeting::Touching,
            "`cube` and `b` touch at the start, near (0.500000, 0.125000, 0.062500)".to_owned()
        ))
    );
    let told = "`cube` and `b` intersect at the start, near ";
    let (kind, message) = meet("position = [0.9, 0.8, 0.7]", unit).unwrap();
    assert!(
        kind == Meeting::Crossing
            && message.starts_with(told)
            && message.ends_with("1.000e-1 m deep or more"),
        "{message}"
    );
    // Equal boxes pushed into each other along an axis: their surfaces only touch.
    let (kind, message) = meet("position = [0, 0.75, 0]", unit).unwrap();
    assert!(kind == Meeting::Crossing && message.ends_with(", 2.500e-1 m deep or more"), "{message}");
    // Bodies of one group, and those that a joint keeps apart from contact, may overlap.
    let grouped = format!("{}[[body]]\nname = \"b\"\ngroup = 7\n[[body.shape]]\n{unit}\n", cube("group = 7"));
    assert!(initial_intersections(&load(&grouped).unwrap().scene).is_empty());
    assert_eq!(meet("", "box = { size = [0.5, 0.5, 0.5] }").unwrap().0, Meeting::Inside);
    assert_eq!(meet("", "box = { size = [2, 2, 2] }").unwrap().0, Meeting::Inside);
    let wire = "mesh = { vertices = [[-1, 0, 0.1], [1, 0, 0.2], [0, 5, 0]], edges = [[0, 1], [1, 2]] }";
    assert_eq!(meet("mass = 1", wire).unwrap().0, Meeting::Crossing);
    assert_eq!(meet("mass = 1\nposition = [0, 0, 1]", wire), None);
    assert_eq!(
        meet("role = \"static\"\ngroup = 1", "plane = { size = [3, 3] }").unwrap().0,
        Meeting::Crossing
    );
}

/// Every geometry, with its volume (m³) where that is simple; 0 for open sheets.
const GEOMETRIES: [(&str, Option<f64>); 24] = [
    ("box = { size = [1, 2, 3], segments = [2, 1, 1] }", Some(6.0)),
    ("sphere = { radius = 1 }", None),
    ("icosphere = { radius = 1 }", None),
    ("plane = { size = [2, 3] }", Some(0.0)),
    ("cylinder = { radius = 1, height = 2 }", None),
    ("capsule = { radius = 1, length = 2 }", None),
    ("cone = { radius = 1, height = 3 }", None),
    ("torus = { major_radius = 1, minor_radius = 0.25 }", None),
    ("chain_link = { straight = 1, bend_radius = 0.5, wire_radius = 0.1 }", None),
    ("tetrahedron = { corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 6]] }", Some(1.0)),
    ("wedge = { size = [1, 2, 3] }", Some(3.0)),
    ("spike = { size = [1, 2, 3] }", Some(2.0)),
    ("coin = { radius = 1, thickness = 0.1 }", None),
    ("card = { size = [2, 3], thickness = 0.5 }", Some(3.0)),
    ("card = { size = [2, 3] }", Some(0.0)),
    ("crack = { size = [2, 2, 2], width = 1, depth = 1 }", Some(7.0)),
    ("hole = { size = [2, 2, 2], opening = [1, 1] }", Some(6.0)),
    ("cliff = { size = [2, 2, 2], step = 1, drop = 1 }", Some(6.0)),
    (
        "arch_stone = { inner_radius = 1, outer_radius = 2, depth = 1, start_deg = 0, end_deg = 30 }",
        Some(0.75),
    ),
    ("gear = { teeth = 12, module = 0.1 }", None),
    ("bolt = { thread = { radius = 3, pitch = 1 }, length = 10, head_radius = 5.5, head_height = 4 }", None),
    ("nut = { thread = { radius = 3, pitch = 1 }, clearance = 0.05, height = 5, radius = 5.5 }", None),
    ("height_field = { size = [1, 2], heights = [[0, 0], [1, 1]], base = 1 }", Some(3.0)),
    ("height_field = { size = [1, 1], heights = [[0, 0, 0], [0, 1, 2]] }", Some(0.0)),
];

#[test]
fn every_geometry_has_the_volume_that_its_numbers_say() {
    for (shape, volume) in GEOMETRIES {
        let scene =
            load(&format!("[[body]]\nname = \"b\"\nmass = 1\n[[body.shape]]\n{shape}\n")).unwrap().scene;
        let mesh = &scene.bodies[0].mesh;
        match volume {
            Some(0.0) => assert!(!mesh.is_closed(), "{shape}"),
            Some(volume) => assert!((mesh.signed_volume() / volume - 1.0).abs() < 1e-13, "{shape}"),
            None => assert!(mesh.is_closed() && mesh.signed_volume() > 0.0, "{shape}"),
        }
    }
}

#[test]
fn split_bodies_are_the_components_each_in_its_place() {
    let arch = "[[body]]\nname = \"stone\"\nsplit = true\nposition = [0, 1, 0]\n[[body.shape]]\n\
         arch = { inner_radius = 1, outer_radius = 1.5, depth = 0.5, stones = 5, gap = 1e-3 }\n";
    let scene = load(arch).unwrap().scene;
    let names: Vec<_> = scene.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["stone-0", "stone-1", "stone-2", "stone-3", "stone-4"]);
    assert!(scene.bodies.iter().all(|b| b.parts[0].kind == PartKind::Convex && b.mesh.vertices().len() == 8));
    let x: Vec<f64> = scene.bodies.iter().map(|b| b.initial.pose.position.x).collect();
    assert!((x[0] + x[4]).abs() < 1e-14 && x[0] > 1.0 && x[2].abs() < 1e-14, "{x:?}");
    assert!(scene.bodies[2].initial.pose.position.y > 2.0);
    assert!(scene.can_collide(BodyId(0), BodyId(1)) && initial_intersections(&scene).is_empty());
    assert_eq!(scene, load(&arch.replace("arch =", "position = [0, 0, 0]\narch =")).unwrap().scene);
}

#[test]
fn a_mesh_that_intersects_itself_is_warned_of() {
    let two = |by: f64| {
        let corners = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
        let moved = corners.map(|[x, y, z]| [x + by, y + 0.1, z + 0.1]);
        let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let more = triangles.map(|t: [u32; 3]| t.map(|v| v + 4));
        let text = format!(
            "[[body]]\nname = \"pair\"\n[[body.shape]]\n\
             mesh = {{ vertices = {:?}, triangles = {:?} }}\n",
            [corners, moved].concat(),
            [triangles, more].concat()
        );
        load(&text).unwrap().warnings
    };
    assert_eq!(two(2.0), []);
    let warnings = two(0.25);
    assert_eq!(warnings.len(), 1);
    let place = warnings[0].place.expect("it is in the file");
    assert_eq!((place.line, warnings[0].key.as_str()), (4, "body[0].shape[0].mesh"));
    assert!(warnings[0].message.starts_with("`pair`: the mesh intersects itself: its triangles 2 and "));
}

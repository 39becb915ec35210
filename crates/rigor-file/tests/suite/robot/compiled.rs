//! MJCF means what the compiler of MuJoCo makes of it.

use rigor_scene::JointKind;

use super::*;

fn told(dropped: &[Dropped], grade: Grade) -> Vec<String> {
    account(dropped).into_iter().filter(|entry| entry.grade == grade).map(|entry| entry.to_string()).collect()
}

/// The stiffness and damping of a hinge, and its target (rad).
fn drive(loaded: &Loaded, name: &str) -> (f64, f64, f64) {
    let joint = loaded.scene.joints.iter().find(|joint| joint.name == name).unwrap();
    let JointKind::Hinge { turn } = &joint.kind else { panic!("a hinge") };
    let drive = turn.drive.as_ref().unwrap();
    let Goal::Position(goal) = &drive.goal else { panic!("a position") };
    (drive.law.stiffness().unwrap_or(0.0), drive.damping, *goal)
}

#[test]
fn meshes_weigh_what_their_inertia_asks_for() {
    // A cube of 1 m with a hollow of half its size: 7/8 m³; `legacy` counts the hollow as matter.
    let corners = |from: f64, to: f64| -> String {
        let at = |bit: usize| if bit == 0 { from } else { to };
        (0..8).map(|i: usize| format!("{} {} {} ", at(i & 1), at(i >> 1 & 1), at(i >> 2))).collect()
    };
    let faces = "0 2 3 0 3 1 4 5 7 4 7 6 0 1 5 0 5 4 2 6 7 2 7 3 0 4 6 0 6 2 1 3 7 1 7 5";
    let inner: Vec<String> = faces
        .split(' ')
        .map(|k| (k.parse::<usize>().unwrap() + 8).to_string())
        .collect::<Vec<_>>()
        .chunks(3)
        .map(|f| format!("{} {} {}", f[0], f[2], f[1]))
        .collect();
    let mesh = |inertia: &str| {
        let vertex = format!("{}{}", corners(0.0, 1.0), corners(0.25, 0.75));
        let text = format!(
            r#"<mujoco><asset><mesh name="m" vertex="{vertex}" face="{faces} {}" {inertia}/></asset>
            <worldbody><body name="b"><freejoint/><geom type="mesh" mesh="m" density="8"/></body></worldbody></mujoco>"#,
            inner.join(" ")
        );
        let (loaded, dropped) = robot("m.xml", text.leak());
        (body(&loaded, "b").mass, told(&dropped, Grade::Rule))
    };
    for (inertia, mass) in
        [("", 9.0), ("inertia=\"exact\"", 7.0), ("inertia=\"convex\"", 8.0), ("inertia=\"shell\"", 60.0)]
    {
        let (found, rules) = mesh(inertia);
        assert!((found - mass).abs() < 1e-9, "{inertia}: {found} kg");
        let is_told = rules.iter().any(|rule| rule.contains("it has 0.7778 of it"));
        assert_eq!(is_told, inertia.is_empty(), "{rules:?}");
    }
}

#[test]
fn vertices_without_faces_are_their_hull() {
    let text = r#"<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1 0.1 0.1 0.1"/></asset>
        <worldbody><body name="b"><freejoint/><geom type="mesh" mesh="m" density="600"/></body></worldbody></mujoco>"#;
    assert!((mass_of(text, "b") - 100.0).abs() < 1e-9);
}

#[test]
fn shells_of_primitives_have_their_area() {
    let pi = std::f64::consts::PI;
    // Area, and the moment about x by the mass.
    let cases = [
        (r#"size="2""#, 16.0 * pi, 2.0 / 3.0 * 4.0),
        (r#"type="box" size="1 1 1""#, 24.0, 10.0 / 9.0),
        (
            r#"type="cylinder" size="1 1""#,
            6.0 * pi,
            (2.0 / 3.0 * (0.5 + 1.0 / 3.0)) + 1.0 / 3.0 * (0.25 + 1.0),
        ),
        (
            r#"type="capsule" size="1 1""#,
            8.0 * pi,
            0.5 * (0.5 + 1.0 / 3.0) + 0.5 * (1.0 / 3.0 + 1.0 + 1.0 + 1.0 / 3.0),
        ),
    ];
    for (shape, area, by_mass) in cases {
        let text = format!(
            r#"<mujoco><worldbody><body name="b"><freejoint/><geom {shape} density="1" shellinertia="true"/></body></worldbody></mujoco>"#
        );
        let (loaded, _) = robot("m.xml", text.leak());
        let b = body(&loaded, "b");
        assert!((b.mass - area).abs() < 1e-9, "{shape}: {} kg", b.mass);
        let moment = tensor(b)[(0, 0)] / b.mass;
        assert!((moment - by_mass).abs() < 1e-9, "{shape}: {moment} for {by_mass}");
    }
}

const ARM: &str = r#"<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody><body name="arm">
    <joint name="j" axis="0 1 0" AXIS/><inertial pos="0.5 0 0" mass="4" diaginertia="1 1 1"/></body></worldbody>
    <actuator>ACTUATOR</actuator></mujoco>"#;

#[test]
fn damping_by_a_ratio_is_that_of_the_mass_that_moves() {
    // 1 + 4·0.5² = 2 kg m² about the hinge, and 0.5 of its rotor.
    let arm = |axis: &str, actuator: &str| {
        let text = ARM.replace("AXIS", axis).replace("ACTUATOR", actuator);
        drive(&robot("m.xml", text.leak()).0, "j")
    };
    let (stiffness, damping, _) = arm("", r#"<position joint="j" kp="8" dampratio="0.5"/>"#);
    assert!((stiffness - 8.0).abs() < 1e-12 && (damping - 4.0).abs() < 1e-12, "{damping}");
    let (stiffness, damping, _) =
        arm(r#"armature="0.5""#, r#"<position joint="j" gear="2" kp="10" dampratio="1"/>"#);
    assert!((stiffness - 40.0).abs() < 1e-12 && (damping - 20.0).abs() < 1e-12, "{damping}");
    // A spring of 0.1 s and the ratio 2: 2/(0.1·2)² N m/rad and 2·2/0.1 N m s.
    let (stiffness, damping, rest) =
        arm(r#"springdamper="0.1 2" springref="0.3" stiffness="9" damping="9""#, "");
    assert!((stiffness - 50.0).abs() < 1e-9 && (damping - 40.0).abs() < 1e-9, "{stiffness} {damping}");
    assert!((rest - 0.3).abs() < 1e-12);
}

#[test]
fn a_class_that_comes_again_goes_on() {
    let text = r#"<mujoco><default><joint damping="2"/></default><default><joint stiffness="3"/></default>
        <worldbody><body><joint name="j"/><geom size="1"/></body></worldbody></mujoco>"#;
    let (stiffness, damping, _) = drive(&robot("m.xml", text).0, "j");
    assert!((stiffness - 3.0).abs() < 1e-12 && (damping - 2.0).abs() < 1e-12);
}

const LEG: &str = r#"<mujoco model="leg"><compiler angle="radian" meshdir="parts"/><default><geom density="500"/></default>
    <asset><mesh name="m" file="tet.obj" inertia="exact"/></asset>
    <worldbody><body name="thigh" pos="0 0 1"><joint name="hip" damping="1"/><geom type="mesh" mesh="m"/>
    <body name="shin"><joint name="knee" range="0 1"/><geom size="0.1"/></body></body></worldbody>
    <contact><exclude body1="thigh" body2="shin"/></contact>
    <actuator><position joint="hip" kp="7"/></actuator></mujoco>"#;
const TET: &str = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn models_are_attached_with_what_they_bring() {
    let text = r#"<mujoco><asset><model name="leg" file="legs/leg.xml"/></asset><worldbody><body name="torso"><freejoint/>
        <geom size="0.5"/><frame pos="1 0 0"><attach model="leg" body="thigh" prefix="left-"/></frame>
        <attach model="leg" body="thigh" prefix="right-"/></body></worldbody></mujoco>"#;
    let (loaded, dropped) =
        read(&[("m.xml", text), ("legs/leg.xml", LEG), ("legs/parts/tet.obj", TET)]).unwrap();
    let names: Vec<&str> = loaded.scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["torso", "left-thigh", "left-shin", "right-thigh", "right-shin"]);
    assert!((body(&loaded, "left-thigh").mass - 500.0).abs() < 1e-9, "{dropped:?}");
    assert!((body(&loaded, "right-shin").initial.pose.position - Vec3::z()).norm() < 1e-12);
    assert!((body(&loaded, "left-shin").initial.pose.position - Vec3::new(1.0, 0.0, 1.0)).norm() < 1e-12);
    let (stiffness, damping, _) = drive(&loaded, "left-hip");
    assert!((stiffness - 7.0).abs() < 1e-12 && (damping - 1.0).abs() < 1e-12);
    // Angles are in radians in the leg alone.
    let knee = loaded.scene.joints.iter().find(|joint| joint.name == "right-knee").unwrap();
    assert!(matches!(&knee.kind, JointKind::Hinge { turn } if (turn.range.max - 1.0).abs() < 1e-12));
    assert!(!dropped.iter().any(|entry| entry.why.contains("understood")), "{dropped:?}");
    // A model that attaches itself without end is an error.
    for circle in [
        r#"<mujoco><worldbody><body name="a"><geom size="1"/><attach body="a" prefix="x"/></body></worldbody></mujoco>"#,
        r#"<mujoco><asset><model name="m" file="m.xml"/></asset><worldbody><attach model="m" prefix="x"/></worldbody></mujoco>"#,
    ] {
        let error = read(&[("m.xml", circle)]).unwrap_err().to_string();
        assert!(error.contains("attach each other") || error.contains("within each other"), "{error}");
    }
}

#[test]
fn a_key_is_a_start() {
    let text = r#"<mujoco><compiler angle="radian"/><worldbody><body name="ball"><freejoint/><geom size="0.1"/></body>
        <body name="upper" pos="0 0 1"><joint name="a" axis="0 1 0" pos="0 0 0" range="-1 2" stiffness="1"/><geom size="0.1" pos="1 0 0"/>
        <body name="lower" pos="1 0 0"><joint name="b" type="slide" axis="1 0 0" ref="0.25"/><geom size="0.1"/></body></body></worldbody>
        <actuator><position joint="a" kp="3"/></actuator>
        <keyframe><key name="home"/><key name="bent" qpos="5 6 7 2 0 0 0 1.5707963267948966 0.75" ctrl="0.5"/></keyframe></mujoco>"#;
    let memory = Memory([("m.xml", text)].into());
    let start = |key: &str| {
        let options = Options { key: Some(key.into()), ..Options::default() };
        load_robot(Path::new("m.xml"), &memory, &LoadOptions::default(), options)
    };
    for key in ["bent", "1"] {
        let (loaded, _) = start(key).unwrap();
        let at = |name: &str| body(&loaded, name).initial.pose.position;
        assert!((at("ball") - Vec3::new(5.0, 6.0, 7.0)).norm() < 1e-12);
        // A quarter turn about y points x down; the slide moved by 0.5 m.
        assert!((at("upper") - Vec3::zeros()).norm() < 1e-12, "{}", at("upper"));
        assert!((at("lower") - Vec3::new(0.0, 0.0, -0.5)).norm() < 1e-12, "{}", at("lower"));
        let joint = &loaded.scene.joints[0];
        let JointKind::Hinge { turn } = &joint.kind else { panic!("a hinge") };
        let quarter = std::f64::consts::FRAC_PI_2;
        assert!(
            (turn.range.min + 1.0 + quarter).abs() < 1e-12 && (turn.range.max - 2.0 + quarter).abs() < 1e-12
        );
        // 1 N m/rad towards 0 and 3 N m/rad towards the control 0.5.
        let (stiffness, _, rest) = drive(&loaded, "a");
        assert!((stiffness - 4.0).abs() < 1e-12 && (rest - (0.375 - quarter)).abs() < 1e-9, "{rest}");
    }
    let error = start("no").unwrap_err().to_string();
    assert!(error.contains("there is no key \"no\": the file has [\"home\", \"bent\"]"), "{error}");
}

#[test]
fn bodies_collide_as_their_masks_say_and_pairs_are_few() {
    let ball = |k: usize, masks: &str| {
        format!(r#"<body name="b{k}" pos="{k} 0 0"><freejoint/><geom size="0.1" {masks}/></body>"#)
    };
    let masks = [
        r#"contype="1" conaffinity="0""#,
        r#"contype="2" conaffinity="5""#,
        "",
        r#"contype="0" conaffinity="0" mass="1""#,
    ];
    let balls: String = (0..400).map(|k| ball(k, masks[k % 4])).collect();
    let text = format!("<mujoco><worldbody>{balls}</worldbody></mujoco>");
    let (loaded, _) = robot("m.xml", text.leak());
    let can = |a: &str, b: &str| {
        let find = |name: &str| loaded.scene.find_body(name).unwrap();
        loaded.scene.can_collide(find(a), find(b))
    };
    // Layer 0 meets nothing, layer 1 meets 0 and 2, and the default meets 0.
    assert!(!can("b0", "b4") && can("b0", "b1") && can("b0", "b2"));
    assert!(!can("b1", "b5") && can("b1", "b2") && can("b2", "b6"));
    assert!((0..3).all(|k| !can("b3", &format!("b{k}"))));
    assert!(loaded.document.contact_free.is_empty() && loaded.scene.contact_free.is_empty());
}

#[test]
fn joints_without_a_name_on_one_line_have_two() {
    let text = r#"<mujoco><worldbody><body><joint type="slide"/><joint/><joint/><geom size="1"/></body></worldbody></mujoco>"#;
    let (loaded, _) = robot("m.xml", text);
    let names: Vec<&str> = loaded.scene.joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["joint-1", "joint-1-2", "joint-1-3"]);
}

#[test]
fn a_robot_of_1600_bodies_is_a_short_scene() {
    let text = r#"<mujoco><worldbody><replicate count="40" offset="0 1 0"><replicate count="40" offset="1 0 0"><body name="b"><joint/>
        <geom size="0.1" contype="2" conaffinity="1"/></body></replicate></replicate></worldbody></mujoco>"#;
    let memory = Memory([("m.xml", text)].into());
    let robot = rigor_file::robot::import(Path::new("m.xml"), &memory, Options::default()).unwrap();
    assert_eq!(robot.document.body.len(), 1600);
    assert!(robot.document.contact_free.is_empty());
}

#[test]
fn what_the_world_holds_collides_with_what_it_carries() {
    let text = r#"<mujoco>FLAG<worldbody><body name="base"><geom size="0.1"/><body name="arm" pos="1 0 0"><joint/><geom size="0.1"/>
        <body name="hand" pos="1 0 0"><joint/><geom size="0.1"/></body></body></body></worldbody></mujoco>"#;
    for (flag, hand) in [("", false), (r#"<option><flag filterparent="disable"/></option>"#, true)] {
        let (loaded, _) = robot("m.xml", text.replace("FLAG", flag).leak());
        let find = |name: &str| loaded.scene.find_body(name).unwrap();
        assert!(loaded.scene.can_collide(find("base"), find("arm")));
        assert_eq!(loaded.scene.can_collide(find("arm"), find("hand")), hand);
    }
}

#[test]
fn what_a_body_cannot_have_is_told() {
    let cases = [
        (r#"<geom size="1" friction="0.2"/><geom size="1" friction="0.7"/>"#, "its largest friction, 0.7"),
        (r#"<geom size="1"/><geom size="1" contype="4"/>"#, "collide with what one of them collides with"),
        (r#"<geom size="1"/><joint type="ball" damping="3"/>"#, "of ball joints are not simulated"),
        (r#"<geom size="1"/><joint type="free" damping="3"/>"#, "of free bodies are not simulated"),
        (r#"<geom size="1"/><joint damping="3" armature="0.1"/>"#, "inertia of rotors is not simulated"),
        (r#"<geom size="1" surfacevel="1 0 0 0 0 0"/>"#, "surfaces that move are not simulated"),
    ];
    for (content, why) in cases {
        let text = format!("<mujoco><worldbody><body>{content}</body></worldbody></mujoco>");
        let (_, dropped) = robot("m.xml", text.leak());
        let told = told(&dropped, Grade::Physics);
        assert!(told.len() == 1 && told[0].contains(why), "{content}: {told:?}");
    }
    // A zero of what is not simulated changes nothing, nor does a default that nothing uses.
    let text = r#"<mujoco><default><joint armature="0" frictionloss="0" range="1 2"/></default><worldbody><body><freejoint/>
        <geom size="1" margin="0"/></body></worldbody></mujoco>"#;
    let (_, dropped) = robot("m.xml", text);
    assert!(told(&dropped, Grade::Physics).is_empty(), "{dropped:?}");
}

#[test]
fn planes_have_no_end() {
    let text = r#"<mujoco><worldbody><geom type="plane" size="1 30 1"/></worldbody></mujoco>"#;
    let (loaded, dropped) = robot("m.xml", text);
    assert!((body(&loaded, "world").radius - 10.0_f64.hypot(30.0)).abs() < 1e-9);
    assert_eq!(told(&dropped, Grade::Rule).len(), 1, "{dropped:?}");
}

#[test]
fn large_and_deep_files_end_soon() {
    let deep = format!(
        "<mujoco><worldbody>{}{}</worldbody></mujoco>",
        "<frame>".repeat(50_000),
        "</frame>".repeat(50_000)
    );
    let many = "<mujoco><worldbody>R<geom size=\"1\"/>E</worldbody></mujoco>"
        .replace('R', &"<replicate count=\"1000\">".repeat(9))
        .replace('E', &"</replicate>".repeat(9));
    for (text, why) in [(deep, "within each other"), (many, "more than 20000 elements")] {
        let error = read(&[("m.xml", text.leak())]).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    let link = |k: usize| {
        format!(
            r#"<link name="l{k}"/><joint name="j{k}" type="fixed"><parent link="l{}"/><child link="l{k}"/></joint>"#,
            k - 1
        )
    };
    let links: String = (1..20_000).map(link).collect();
    let text = format!(
        r#"<robot><link name="l0"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>{links}</robot>"#
    );
    let (loaded, _) = robot("m.urdf", text.leak());
    assert_eq!(loaded.scene.bodies.len(), 1);
}

//! Robots in URDF and MJCF.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use rigor_file::robot::{Base, Dropped, Grade, Options, account, load_robot};
use rigor_file::{Files, LoadOptions, Loaded, SceneError};
use rigor_math::{Mat3, Vec3, inertia};
use rigor_scene::{Body, Goal, JointKind, Role};

mod compiled;
mod composite;
mod damaged;
mod fields;
mod flex;
mod pairs;

struct Memory(BTreeMap<&'static str, &'static str>);

impl Files for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let text = self.0.get(path.to_str().unwrap()).ok_or(io::ErrorKind::NotFound)?;
        Ok(text.as_bytes().to_vec())
    }
}

/// Files of any content.
struct Bytes(BTreeMap<String, Vec<u8>>);

impl Files for Bytes {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.get(path.to_str().unwrap()).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn read(files: &[(&'static str, &'static str)]) -> Result<(Loaded, Vec<Dropped>), SceneError> {
    let memory = Memory(files.iter().copied().collect());
    load_robot(Path::new(files[0].0), &memory, &LoadOptions::default(), Options::default())
}

fn robot(name: &'static str, text: &'static str) -> (Loaded, Vec<Dropped>) {
    read(&[(name, text)]).unwrap_or_else(|error| panic!("{error}"))
}

fn body<'a>(loaded: &'a Loaded, name: &str) -> &'a Body {
    &loaded.scene.bodies[loaded.scene.find_body(name).unwrap_or_else(|| panic!("{name}")).0]
}

/// Inertia tensor about the centre of mass in axes of the author's frame.
fn tensor(body: &Body) -> Mat3 {
    inertia::rotated(&Mat3::from_diagonal(&body.inertia), &body.frame.rotation)
}

const ARM: &str = r#"<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 -0.5"/><geometry><cylinder radius="0.05" length="1"/></geometry></collision>
    <visual><geometry><mesh filename="nice.dae"/></geometry></visual>
  </link>
  <link name="hand">
    <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="package://arm/gone.stl"/></geometry></collision>
  </link>
  <link name="slider">
    <inertial><mass value="3"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><parent link="base"/><child link="upper"/><axis xyz="0 2 0"/>
    <limit lower="-1" upper="0.5" effort="3" velocity="1"/><dynamics damping="0.25" friction="1"/>
  </joint>
  <joint name="wrist" type="fixed"><origin xyz="0 0 -1"/><parent link="upper"/><child link="hand"/></joint>
  <joint name="rail" type="prismatic"><parent link="upper"/><child link="slider"/><axis xyz="1 0 0"/><limit lower="0" upper="0.2"/></joint>
</robot>"#;

#[test]
fn urdf_becomes_bodies_and_joints_in_place() {
    let (loaded, dropped) = robot("arm.urdf", ARM);
    let scene = &loaded.scene;
    assert_eq!((scene.name.as_str(), scene.bodies.len(), scene.joints.len()), ("arm", 3, 2));
    assert_eq!(body(&loaded, "base").role, Role::Static);
    // The hand is welded to the upper arm: masses add, and the centre is the mean.
    let upper = body(&loaded, "upper");
    assert!((upper.mass - 3.0).abs() < 1e-12);
    assert!((upper.frame.position - Vec3::new(0.0, 0.0, -2.0 / 3.0)).norm() < 1e-12);
    // I = I₁ + I₂ + m₁ d₁² + m₂ d₂² across the arm, with d₁ = 1/6 m and d₂ = 1/3 m.
    let across = 0.2 + 0.01 + 2.0 / 36.0 + 1.0 / 9.0;
    let expected = Mat3::from_diagonal(&Vec3::new(across, across, 0.02));
    assert!((tensor(upper) - expected).amax() < 1e-9, "{}", tensor(upper));
    let centre = upper.initial.pose.position;
    assert!((centre - Vec3::new(0.0, 0.0, 1.0 / 3.0)).norm() < 1e-12);
    // The axis y of the shoulder points along −x, after a quarter turn about z.
    let shoulder = &scene.joints[0];
    let frame = upper.initial.pose.compose(&shoulder.frame_a);
    assert!((frame.vector(&Vec3::x()) + Vec3::x()).norm() < 1e-12);
    assert!((frame.position - Vec3::z()).norm() < 1e-12);
    let JointKind::Hinge { turn } = &shoulder.kind else { panic!("{:?}", shoulder.kind) };
    assert!((turn.range.min + 1.0).abs() < 1e-12 && (turn.range.max - 0.5).abs() < 1e-12);
    assert!((turn.drive.as_ref().unwrap().damping - 0.25).abs() < 1e-15);
    assert!(matches!(&scene.joints[1].kind, JointKind::Prismatic { slide } if slide.range.max == 0.2));
    // Links of a URDF robot do not collide.
    assert!(scene.body_ids().all(|a| scene.body_ids().all(|b| !scene.can_collide(a, b))));
    let told: Vec<String> = dropped.iter().map(|d| format!("{}: {}", d.place, d.what)).collect();
    assert_eq!(told.len(), 6, "{told:#?}");
    for expected in [
        "line 1: base fixed: base, 0.0000 kg",
        "line 6: <visual>",
        "line 10: <mesh package://arm/gone.stl>",
        "line 18: <limit effort>",
        "line 18: <limit velocity>",
        "line 18: <dynamics friction>",
    ] {
        assert!(told.iter().any(|line| line == expected), "{expected} is not among {told:#?}");
    }
}

#[test]
fn bounds_beyond_half_a_turn_are_kept() {
    let bounds = [("-3.4906585", "0.785398"), ("-6.2831853", "6.2831853"), ("0", "4.71238898"), ("3.5", "5")];
    let arms: String = bounds
        .iter()
        .enumerate()
        .map(|(i, (lower, upper))| {
            format!(
                r#"<link name="l{i}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j{i}" type="revolute"><parent link="base"/><child link="l{i}"/><axis xyz="0 1 0"/><limit lower="{lower}" upper="{upper}"/></joint>"#
            )
        })
        .collect();
    let text = format!(r#"<robot name="wide"><link name="base"/>{arms}</robot>"#);
    let (loaded, dropped) = robot("wide.urdf", text.leak());
    assert!(dropped.iter().all(|entry| entry.grade() == Grade::Rule), "{dropped:?}");
    for (joint, (lower, upper)) in loaded.scene.joints.iter().zip(bounds) {
        let JointKind::Hinge { turn } = &joint.kind else { panic!("{:?}", joint.kind) };
        let [lower, upper] = [lower, upper].map(|bound| bound.parse::<f64>().unwrap());
        assert!((turn.range.min - lower).abs() < 1e-12 && (turn.range.max - upper).abs() < 1e-12, "{turn:?}");
    }
    // 0 is 200.5° below 3.5 rad, and 360° is 73.5° above 5 rad: the joint is told to start there.
    let told: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].contains("joint \"j3\" starts with its turn 73.5211° outside of its bound at 286.4789°"),
        "{told:?}"
    );
    let text = r#"<mujoco><worldbody><body><joint range="-270 400" limited="true"/><geom size="0.1"/></body></worldbody></mujoco>"#;
    let (loaded, _) = read(&[("m.xml", text)]).unwrap();
    let JointKind::Hinge { turn } = &loaded.scene.joints[0].kind else { panic!("a hinge") };
    let [lower, upper] = [-270.0_f64, 400.0].map(f64::to_radians);
    assert!((turn.range.min - lower).abs() < 1e-12 && (turn.range.max - upper).abs() < 1e-12, "{turn:?}");
}

const MODEL: &str = r#"<mujoco model="hopper">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.004" gravity="0 0 -10" integrator="RK4"/>
  <default>
    <geom density="500" friction="0.8 0.1 0.1"/>
    <default class="leg"><joint damping="0.5" range="-1 1"/><geom type="capsule" size="0.05"/></default>
  </default>
  <include file="floor.xml"/>
  <worldbody>
    <body name="torso" pos="0 0 1">
      <joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
      <joint name="y" axis="0 1 0"/>
      <geom name="trunk" type="box" size="0.1 0.2 0.3"/>
      <geom type="sphere" size="0.1" contype="0" conaffinity="0" mass="0"/>
      <body name="thigh" pos="0 0 -0.3" childclass="leg">
        <joint name="hip" axis="0 1 0" stiffness="4" springref="0.25"/>
        <geom fromto="0 0 0 0 0 -0.4"/>
        <body name="foot" pos="0 0 -0.4"><geom type="sphere" size="0.08" class="main"/></body>
      </body>
    </body>
    <body name="ball" pos="2 0 1"><freejoint/><geom size="0.1" density="1000"/></body>
  </worldbody>
  <actuator><motor joint="hip"/><position joint="y" kp="7"/></actuator>
</mujoco>"#;

const FLOOR: &str = r#"<mujoco><worldbody><geom type="plane" size="0 0 1"/></worldbody></mujoco>"#;

#[test]
fn mjcf_has_defaults_includes_and_rows_of_joints() {
    let (loaded, dropped) = read(&[("m.xml", MODEL), ("floor.xml", FLOOR)]).unwrap();
    let scene = &loaded.scene;
    assert_eq!(scene.gravity, Vec3::new(0.0, 0.0, -10.0));
    assert_eq!(scene.time.dt.to_bits(), 0.004_f64.to_bits());
    // World, torso with two bodies between its three joints, thigh with its foot, ball.
    let names: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["world", "torso", "torso:x", "torso:z", "thigh", "ball"]);
    assert_eq!(scene.joints.len(), 4);
    // The torso with the bodies between its joints has the mass of its box: 0.2·0.4·0.6 m³ at 500 kg/m³.
    let torso: f64 = ["torso", "torso:x", "torso:z"].iter().map(|name| body(&loaded, name).mass).sum();
    assert!((torso - 24.0).abs() < 1e-9);
    let capsule = std::f64::consts::PI * (0.05_f64.powi(2) * 0.4 + 4.0 / 3.0 * 0.05_f64.powi(3));
    let sphere = 4.0 / 3.0 * std::f64::consts::PI * 0.08_f64.powi(3);
    assert!((body(&loaded, "thigh").mass - 500.0 * (capsule + sphere)).abs() < 1e-9);
    let ball = body(&loaded, "ball");
    assert!((ball.inertia - Vec3::repeat(0.4 * ball.mass * 0.01)).norm() < 1e-12);
    assert!((ball.friction.static_ - 0.8).abs() < 1e-15);
    let hip = scene.joints.iter().find(|joint| joint.name == "hip").unwrap();
    let JointKind::Hinge { turn } = &hip.kind else { panic!("{:?}", hip.kind) };
    let drive = turn.drive.as_ref().unwrap();
    assert!((drive.law.stiffness().unwrap() - 4.0).abs() < 1e-14 && (drive.damping - 0.5).abs() < 1e-15);
    assert!((turn.range.min + 1.0).abs() < 1e-12);
    // Parents and children do not collide, others do; bodies between joints never.
    let find = |name: &str| scene.find_body(name).unwrap();
    assert!(!scene.can_collide(find("torso"), find("thigh")));
    for other in ["torso", "thigh", "ball"] {
        assert!(scene.can_collide(find("world"), find(other)), "{other}");
    }
    assert!(!scene.can_collide(find("torso:x"), find("ball")));
    let told: Vec<String> = dropped.iter().map(|d| format!("{}: {}", d.place, d.what)).collect();
    for expected in [
        "line 3: <option integrator>",
        "line 14: <geom contype=\"0\" conaffinity=\"0\">",
        "line 23: <motor>",
        "line 23: <position>",
    ] {
        assert!(told.iter().any(|line| line == expected), "{expected} is not among {told:#?}");
    }
}

#[test]
fn orientations_of_mjcf_agree() {
    let of = |attribute: &str| {
        let text = format!(
            "<mujoco><worldbody><body name=\"b\" {attribute}><freejoint/><geom type=\"box\" size=\"0.1 0.2 0.3\"/></body></worldbody></mujoco>"
        );
        let (loaded, _) = robot("o.xml", Box::leak(text.into_boxed_str()));
        let body = body(&loaded, "b");
        body.authored_pose(&body.initial.pose).rotation
    };
    // A quarter turn about z: x → y.
    let quarter = of("axisangle=\"0 0 2 90\"");
    for other in ["quat=\"2 0 0 2\"", "euler=\"0 0 90\"", "xyaxes=\"0 1 0 -1 0 0\""] {
        assert!(quarter.angle_to(&of(other)) < 1e-12, "{other}");
    }
    assert!((quarter * Vec3::x() - Vec3::y()).norm() < 1e-12);
    // Intrinsic: first about x, then about the new y.
    let two = of("euler=\"90 90 0\"");
    assert!((two * Vec3::z() - Vec3::x()).norm() < 1e-12, "{}", two * Vec3::z());
    assert!((of("zaxis=\"0 3 4\"") * Vec3::z() - Vec3::new(0.0, 0.6, 0.8)).norm() < 1e-12);
}

/// As in files of Drake; a fixed joint of PyBullet's Panda has the axis 0.
#[test]
fn a_link_world_needs_no_element_and_a_fixed_joint_no_axis() {
    const MASS: &str = "<inertial><mass value=\"2\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
    let text = |axis: &str| -> &'static str {
        let text = format!(
            "<robot name=\"p\"><link name=\"arm\">{MASS}</link><link name=\"tip\"/>\
             <joint name=\"pin\" type=\"continuous\"><parent link=\"world\"/><child link=\"arm\"/><axis xyz=\"{axis}\"/></joint>\
             <joint name=\"end\" type=\"fixed\"><parent link=\"arm\"/><child link=\"tip\"/><axis xyz=\"0 0 0\"/></joint></robot>"
        );
        Box::leak(text.into_boxed_str())
    };
    let (loaded, _) = robot("p.urdf", text("0 1 0"));
    assert_eq!(loaded.scene.joints.len(), 1);
    assert!(matches!(loaded.scene.joints[0].kind, JointKind::Hinge { .. }));
    assert_eq!((&body(&loaded, "arm").role, body(&loaded, "arm").mass), (&Role::Dynamic, 2.0));
    let error = read(&[("p.urdf", text("0 0 0"))]).unwrap_err().to_string();
    assert!(error.contains("the axis has no direction"), "{error}");
}

#[test]
fn mistakes_have_a_place() {
    let error = |name: &'static str, text: &'static str| read(&[(name, text)]).unwrap_err().to_string();
    assert!(error("a.xml", "<mujoco><worldbody>").contains("not XML"));
    assert!(error("a.xml", "<sdf/>").contains("expected the root element"));
    let text = "<mujoco><worldbody><body><freejoint/>\n<geom size=\"big\"/></body></worldbody></mujoco>";
    assert!(error("a.xml", text).starts_with("a.xml:2:1: <geom>: size=\"big\": expected finite numbers"));
    let text = "<robot><link name=\"a\"/><joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>";
    assert!(error("a.urdf", text).contains("there is no link \"b\""));
    assert!(error("a.urdf", "<robot/>").contains("has no link"));
    let circle = "<robot><link name=\"a\"/><link name=\"b\"/>\
        <joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\
        <joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint></robot>";
    assert!(error("a.urdf", circle).contains("circle"));
    let global = "<mujoco><compiler coordinate=\"global\"/><worldbody/></mujoco>";
    assert!(
        error("a.xml", global).starts_with("a.xml:1:9: <compiler>: global coordinates are not supported")
    );
}

#[test]
fn given_inertia_is_checked() {
    struct One(&'static str);
    impl Files for One {
        fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
            Ok(self.0.into())
        }
    }
    let load =
        |text: &'static str| rigor_file::load(Path::new("s.toml"), &One(text), &LoadOptions::default());
    let text = "[[body]]\nname = \"b\"\nmass = 2\ninertia = { center = [1, 0, 0], moments = [1, 2, 2.5], products = [0.1, 0, 0] }\n\
                [[body.shape]]\nbox = { size = [1, 1, 1] }\n";
    let loaded = load(text).unwrap();
    let body = &loaded.scene.bodies[0];
    assert!((body.mass - 2.0).abs() < 1e-15 && (body.frame.position - Vec3::x()).norm() < 1e-15);
    let expected = Mat3::new(1.0, 0.1, 0.0, 0.1, 2.0, 0.0, 0.0, 0.0, 2.5);
    assert!((tensor(body) - expected).amax() < 1e-12);
    let bad = load(
        "[[body]]\nname = \"b\"\nmass = 2\ninertia = { moments = [1, 1, 3] }\n[[body.shape]]\nbox = { size = [1, 1, 1] }\n",
    );
    assert!(bad.unwrap_err().to_string().contains("exceeds the sum"));
    let bare = load(
        "[[body]]\nname = \"b\"\ninertia = { moments = [1, 1, 1] }\n[[body.shape]]\nbox = { size = [1, 1, 1] }\n",
    );
    assert!(bare.unwrap_err().to_string().contains("needs a `mass`"));
}

/// Where the program was built without USD, the error says which build reads it.
#[cfg(not(feature = "usd"))]
#[test]
fn usd_needs_its_build() {
    for name in ["a.usd", "a.usda", "a.USDC"] {
        let error = read(&[(name, "#usda 1.0\n")]).unwrap_err().to_string();
        assert!(error.contains("`--features usd`"), "{error}");
    }
}

/// The entries of the account that change the physics.
fn physics(dropped: &[Dropped]) -> Vec<String> {
    account(dropped).iter().filter(|e| e.grade == Grade::Physics).map(ToString::to_string).collect()
}

fn mass_of(text: &'static str, name: &str) -> f64 {
    body(&robot("robot.xml", text).0, name).mass
}

#[test]
fn a_template_of_xacro_is_named() {
    let space = r#"xmlns:xacro="http://www.ros.org/wiki/xacro""#;
    let inertia = r#"<inertia ixx="1" iyy="1" izz="1"/>"#;
    let macros = format!(
        r#"<robot {space} name="x"><xacro:macro name="w" params="p"><link name="l"/></xacro:macro><xacro:w p="1"/></robot>"#
    );
    let value = format!(
        r#"<robot name="x"><link name="a"><inertial><mass value="${{m}}"/>{inertia}</inertial></link></robot>"#
    );
    for text in [macros, value] {
        let error = read(&[("x.urdf", text.leak())]).unwrap_err();
        assert!(error.help.as_deref().unwrap().contains("a template of xacro: expand it with"), "{error}");
    }
    // The prefix alone, which expanded files keep, says nothing; an instruction that is left is told.
    let link = format!(r#"<link name="a"><inertial><mass value="2"/>{inertia}</inertial></link>"#);
    let (_, dropped) = robot("x.urdf", format!(r#"<robot {space} name="x">{link}</robot>"#).leak());
    assert!(account(&dropped).iter().all(|entry| entry.grade != Grade::Physics), "{dropped:?}");
    let left = format!(r#"<robot {space} name="x">{link}<xacro:include filename="b.xacro"/></robot>"#);
    let (_, dropped) = robot("x.urdf", left.leak());
    let told = account(&dropped).into_iter().find(|entry| entry.grade == Grade::Physics).unwrap().to_string();
    assert!(told.contains("<xacro:include>: an instruction, which is not followed"), "{told}");
}

#[test]
fn a_massless_root_moves_with_what_is_fixed_to_it() {
    let text = r#"<robot name="cart"><link name="base_footprint"/>
      <link name="base_link"><inertial><mass value="10"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
      <joint name="f" type="fixed"><parent link="base_footprint"/><child link="base_link"/></joint></robot>"#;
    let (loaded, dropped) = robot("cart.urdf", text);
    assert_eq!(body(&loaded, "base_footprint").role, Role::Dynamic);
    let told = account(&dropped).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(told[0].starts_with("rule: base free: base_footprint, 10.0000 kg"), "{told:?}");
    for (base, role) in [(Base::Fixed, Role::Static), (Base::Free, Role::Dynamic)] {
        let memory = Memory([("cart.urdf", text)].into());
        let read = load_robot(
            Path::new("cart.urdf"),
            &memory,
            &LoadOptions::default(),
            Options { base, ..Options::default() },
        );
        assert_eq!(read.unwrap().0.scene.bodies[0].role, role);
    }
}

#[test]
fn links_that_move_without_mass_are_told() {
    let text = r#"<robot name="m"><link name="a"/><link name="b"><inertial><mass value="-2"/></inertial></link>
      <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"#;
    let told = physics(&robot("m.urdf", text).1);
    assert!(told.iter().any(|line| line.contains("<mass>: -2 kg")), "{told:?}");
    assert!(told.iter().any(|line| line.contains("1 link(s), \"b\": no mass or moments")), "{told:?}");
}

#[test]
fn a_limit_without_bounds_is_zero() {
    let text = r#"<robot name="z"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
      <joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit effort="1" velocity="1"/></joint></robot>"#;
    let (loaded, _) = robot("z.urdf", text);
    let range = loaded.scene.joints[0].kind.turn_range();
    assert_eq!((range.min, range.max), (0.0, 0.0));
}

#[test]
fn xml_that_others_read_is_read() {
    let a_ball = r#"<mujoco model="two"><worldbody><body name="a" pos="0 0 1"><freejoint/><geom type="sphere" size=".1"/></body></worldbody></mujoco>"#;
    let plain = robot("a.xml", a_ball).0.scene;
    let trailing = format!("{a_ball}\n</mujoco>\n");
    let declared_late = format!("\n  <?xml version=\"1.0\"?>\n{a_ball}");
    let prefixed = a_ball.replace("<worldbody>", "<x:y/><worldbody>");
    let typed = format!("<?xml version=\"1.0\"?>\n<!DOCTYPE mujoco SYSTEM \"/etc/passwd\">\n{a_ball}");
    for text in [trailing, declared_late, format!("\u{feff}{a_ball}"), prefixed, typed] {
        let (loaded, dropped) = robot("a.xml", text.leak());
        assert_eq!(loaded.scene.bodies, plain.bodies, "{dropped:?}");
    }
    assert!(read(&[("a.xml", "<mujoco><worldbody></mujoco>")]).is_err());
    let bomb = format!("<!DOCTYPE a [<!ENTITY b \"{}\">]>{a_ball}", "c".repeat(1000));
    let error = read(&[("a.xml", bomb.leak())]).unwrap_err().to_string();
    assert!(error.contains("its document type declares entities or default values"), "{error}");
    let two_roots = format!("{a_ball}<mujoco><worldbody/></mujoco>");
    assert!(read(&[("a.xml", two_roots.leak())]).is_err(), "a second root is not left out");
}

#[test]
fn actuators_have_defaults_gears_and_affine_biases() {
    let text = r#"<mujoco><compiler angle="radian"/>
      <default><position kp="200" kv="3"/><default class="servo"><position kp="500" kv="5"/></default></default>
      <worldbody><body name="a"><joint name="ja"/><joint name="jb" axis="0 1 0"/><joint name="jc" axis="1 0 0"/>
        <joint name="jd" axis="1 1 0" damping="0.5"/><geom size="0.1"/></body></worldbody>
      <actuator><position joint="ja"/><position joint="jb" class="servo"/>
        <general joint="jc" biastype="affine" biasprm="10 -50 -2" gear="2"/><velocity joint="jd" kv="4"/></actuator></mujoco>"#;
    let (loaded, _) = robot("a.xml", text);
    let drive = |name: &str| {
        let joint = loaded.scene.joints.iter().find(|joint| joint.name == name).unwrap();
        joint.kind.turn_drive().unwrap().clone()
    };
    let near = |x: f64, y: f64| (x - y).abs() < 1e-12 * y.abs();
    assert!(near(drive("ja").law.stiffness().unwrap(), 200.0) && near(drive("ja").damping, 3.0));
    assert!(near(drive("jb").law.stiffness().unwrap(), 500.0) && near(drive("jb").damping, 5.0));
    // g = 2: stiffness 4 · 50, damping 4 · 2, rest at 2 · 10/200.
    assert!(near(drive("jc").law.stiffness().unwrap(), 200.0) && near(drive("jc").damping, 8.0));
    let Goal::Position(rest) = drive("jc").goal else { panic!("a spring") };
    assert!(near(rest, 0.1));
    assert!(near(drive("jd").damping, 4.5));
}

#[test]
fn actuators_hold_the_control_that_is_nearest_to_0_and_share_defaults() {
    let of = |defaults: &str, actuator: &str| {
        let text = format!(
            r#"<mujoco><compiler angle="radian"/><default>{defaults}</default><worldbody><body name="a"><joint name="j"/><geom size="0.1"/></body></worldbody>
               <tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon><actuator>{actuator}</actuator></mujoco>"#
        );
        let (loaded, dropped) = robot("a.xml", text.leak());
        let drive = loaded.scene.joints[0].kind.turn_drive();
        let told = physics(&dropped).into_iter().filter(|line| !line.contains("tendon>")).count();
        let rest = drive.map(|drive| match drive.goal {
            Goal::Position(rest) => rest,
            Goal::Velocity(rate) => rate,
        });
        (drive.map(|drive| (drive.law.stiffness().unwrap(), drive.damping)), rest, told)
    };
    let near =
        |found: (Option<(f64, f64)>, Option<f64>, usize), (stiffness, damping): (f64, f64), rest: f64| {
            let (of_drive, at, told) = found;
            let (k, d) = of_drive.expect("it has a drive");
            assert!(
                (k - stiffness).abs() <= 1e-12 * stiffness && (d - damping).abs() < 1e-12 && told == 0,
                "{found:?}"
            );
            assert!((at.unwrap() - rest).abs() < 1e-12, "{found:?}");
        };
    // Gains, biases and gears of MuJoCo 3: what it compiles from the same defaults.
    let range = r#"<position joint="j" kp="5" kv="1" ctrlrange="0.25 2"/>"#;
    near(of("", range), (5.0, 1.0), 0.25);
    near(of("", &range.replace("kv", "ctrllimited=\"false\" kv")), (5.0, 1.0), 0.0);
    near(
        of(r#"<general gainprm="998" gear="3" ctrlrange="1 2"/>"#, r#"<position joint="j"/>"#),
        (8982.0, 0.0),
        1.0 / 3.0,
    );
    near(
        of(r#"<general biasprm="0 -3 -4" biastype="affine"/>"#, r#"<position joint="j" kp="5"/>"#),
        (5.0, 4.0),
        0.0,
    );
    near(of(r#"<motor gear="9"/>"#, r#"<position joint="j" kp="5"/>"#), (405.0, 0.0), 0.0);
    // The account lists actuators that pull on no joint, or with a constant force.
    assert_eq!(of("", r#"<position tendon="t" kp="5"/>"#), (None, None, 1));
    assert_eq!(of("", r#"<general tendon="t" biastype="affine" biasprm="0 -3"/>"#), (None, None, 1));
    assert_eq!(of("", r#"<motor joint="j" ctrlrange="1 2"/>"#), (None, None, 1));
    assert_eq!(of("", r#"<motor joint="j" ctrlrange="-2 2"/>"#), (None, None, 0));
}

#[test]
fn frames_and_replicas_are_unfolded() {
    let text = r#"<mujoco><worldbody>
      <frame pos="1 0 0" euler="0 0 90"><body name="framed" pos="0.2 0 1"><freejoint/><geom size=".1"/></body></frame>
      <body name="two" pos="0 2 1"><freejoint/><geom size=".1"/><frame pos="0.3 0 0"><geom type="box" size=".1 .1 .1"/></frame></body>
      <replicate count="12" euler="0 0 90" offset="1 0 0" sep="-"><body name="copy" pos="0 0 3"><freejoint/><geom size=".1"/></body></replicate>
    </worldbody></mujoco>"#;
    let (loaded, dropped) = robot("a.xml", text);
    let place = |name: &str| body(&loaded, name).initial.pose.position;
    let near = |x: Vec3, y: [f64; 3]| (x - Vec3::from(y)).norm() < 1e-12;
    assert!(near(place("framed"), [1.0, 0.2, 1.0]));
    let (ball, cube) = (4.0 / 3.0 * std::f64::consts::PI * 1e-3 * 1000.0, 8.0);
    let two = body(&loaded, "two");
    assert!(
        (two.mass - ball - cube).abs() < 1e-9 && (place("two").x - 0.3 * cube / (ball + cube)).abs() < 1e-9
    );
    assert!(near(place("copy-00"), [0.0, 0.0, 3.0]) && near(place("copy-01"), [1.0, 0.0, 3.0]));
    assert!(near(place("copy-02"), [1.0, 1.0, 3.0]) && near(place("copy-03"), [0.0, 1.0, 3.0]));
    assert_eq!(loaded.scene.bodies.len(), 14);
    let uncounted = text.replace("count=\"12\" ", "");
    assert!(read(&[("a.xml", uncounted.leak())]).is_err());
    assert_eq!(physics(&dropped), Vec::<String>::new());
}

#[test]
fn masses_are_those_that_the_compiler_of_mujoco_makes() {
    let total = r#"<mujoco><compiler settotalmass="5"/><worldbody><body name="a"><joint/><geom type="box" size=".1 .2 .3"/></body></worldbody></mujoco>"#;
    assert!((mass_of(total, "a") - 5.0).abs() < 1e-12);
    let groups = r#"<mujoco><compiler inertiagrouprange="3 4"/><worldbody><body name="a"><joint/>
      <geom type="box" size=".1 .2 .3" group="3"/><geom size=".5" group="0"/></body></worldbody></mujoco>"#;
    assert!((mass_of(groups, "a") - 48.0).abs() < 1e-12);
    let balanced = r#"<mujoco><compiler balanceinertia="true"/><worldbody><body name="a"><joint/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.5"/></body></worldbody></mujoco>"#;
    let (loaded, _) = robot("a.xml", balanced);
    assert!((body(&loaded, "a").inertia - Vec3::repeat(0.7 / 3.0)).norm() < 1e-12);
    let bounded = r#"<mujoco><compiler boundmass="2" boundinertia="0.5"/><worldbody><body name="a"><joint/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"#;
    let (loaded, _) = robot("a.xml", bounded);
    assert_eq!((body(&loaded, "a").mass, body(&loaded, "a").inertia), (2.0, Vec3::repeat(0.5)));
}

#[test]
fn flags_of_the_physics_are_followed() {
    let text = |flag: &str| -> &'static str {
        format!(r#"<mujoco><option><flag {flag}="disable"/></option><worldbody><body name="a"><joint range="-10 10" stiffness="2" damping="1"/><geom size=".1"/></body>
          <body name="b" pos="0 0 0.1"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"#).leak()
    };
    assert_eq!(robot("a.xml", text("gravity")).0.scene.gravity, Vec3::zeros());
    let turn = |flag: &str| robot("a.xml", text(flag)).0.scene.joints[0].kind.turn().cloned().unwrap();
    assert!(!turn("limit").range.is_bounded() && turn("contact").range.is_bounded());
    assert!(turn("passive").drive.is_none() && turn("limit").drive.is_some());
    let scene = robot("a.xml", text("contact")).0.scene;
    assert!(!scene.can_collide(rigor_scene::BodyId(0), rigor_scene::BodyId(1)));
}

#[test]
fn boxes_between_two_points_and_fitted_to_meshes_are_read() {
    let text = r#"<mujoco><asset><mesh name="m" vertex="-1 -2 -3 1 -2 -3 1 2 -3 -1 2 -3 -1 -2 3 1 -2 3 1 2 3 -1 2 3" scale="0.1 0.1 0.1"
        face="0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7"/></asset>
      <worldbody><body name="rod"><freejoint/><geom type="box" fromto="0 0 0 .3 .4 0" size=".05"/></body>
      <body name="fit" pos="3 0 1"><freejoint/><geom type="box" mesh="m"/></body>
      <body name="own" pos="6 0 1"><freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"#;
    let (loaded, _) = robot("a.xml", text);
    assert!((body(&loaded, "rod").mass - 5.0).abs() < 1e-12);
    assert!((body(&loaded, "own").mass - 48.0).abs() < 1e-9);
    // The box with the same moments as a box is that box.
    assert!((body(&loaded, "fit").mass - 48.0).abs() < 1e-9);
    assert!((tensor(body(&loaded, "fit")) - tensor(body(&loaded, "own"))).norm() < 1e-9);
}

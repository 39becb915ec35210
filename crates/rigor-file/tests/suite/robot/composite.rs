//! Composites are made as MuJoCo made them before its version 4.

use rigor_scene::JointKind;

use super::*;

/// Place of the centre of mass, mass, and inertia (xx, xy, xz, yy, yz, zz, axes of the world).
type Known = (&'static str, [f64; 3], f64, [f64; 6]);

fn check(text: &str, known: &[Known], tolerance: f64) -> (Loaded, Vec<Dropped>) {
    let (loaded, dropped) = robot("a.xml", text.to_owned().leak());
    for (name, centre, mass, inertia) in known {
        let body = body(&loaded, name);
        let pose = &body.initial.pose;
        let turned = inertia::rotated(&Mat3::from_diagonal(&body.inertia), &pose.rotation);
        let [xx, xy, xz, yy, yz, zz] = *inertia;
        let expected = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        assert!((pose.position - Vec3::from(*centre)).norm() < tolerance, "{name}: {}", pose.position);
        assert!((body.mass - mass).abs() < tolerance * mass, "{name}: {} kg", body.mass);
        assert!((turned - expected).amax() < tolerance * expected.amax(), "{name}: {turned}");
    }
    (loaded, dropped)
}

/// The numbers of MuJoCo 3.3.7, which keeps vertices in single precision.
#[test]
fn a_cable_is_a_chain_of_bodies_with_ball_joints() {
    let helix = r#"<mujoco><default><geom density="5"/></default><worldbody><composite prefix="c" type="cable" curve="cos(s) sin(s) s" count="6 1 1"
        size="1 .1 2" initial="free"><joint kind="main" damping=".01"/><geom type="box" size=".02 .01 .03"/></composite></worldbody></mujoco>"#;
    let known = [
        (
            "cB_first",
            [0.065450850874, 0.04755282402, 0.1],
            0.27838877748,
            [0.001167375676, 0.000169116788, 0.000290838248, 0.001118022871, -0.000429095786, 0.000397325563],
        ),
        (
            "cB_2",
            [-0.080901697278, 0.0, 0.5],
            0.278388793,
            [0.001258706952, 0.000006853567, 0.000004028425, 0.001013222095, 0.000541012673, 0.000410795502],
        ),
        (
            "cB_last",
            [0.065450850874, -0.04755282402, 0.9],
            0.278388762,
            [
                0.001158181099,
                -0.000157291058,
                -0.000293285092,
                0.001123247365,
                -0.000435665905,
                0.000401295222,
            ],
        ),
    ];
    let (loaded, dropped) = check(helix, &known, 1e-6);
    assert_eq!((loaded.scene.bodies.len(), loaded.scene.joints.len()), (5, 4));
    assert!(loaded.scene.joints.iter().all(|joint| matches!(joint.kind, JointKind::Ball { .. })));
    assert_eq!(loaded.scene.joints[0].name, "cJ_1");
    let told = physics(&dropped);
    assert!(
        told.len() == 1 && told[0].contains("<joint damping>: springs and dampers of ball joints"),
        "{told:?}"
    );
}

#[test]
fn a_cable_is_placed_in_frames_and_bodies() {
    let text = r#"<mujoco><worldbody><frame pos="0 0 5" euler="0 0 90"><composite prefix="f" type="cable" vertex="0 0 0  0 0 1  0 1 1  1 1 1"
          offset="0 0 1" initial="ball"><geom type="cylinder" size=".02"/></composite></frame>
        <body name="h" pos="1 2 3" euler="90 0 0"><geom size=".1"/><composite prefix="b" type="cable" curve="0 s 0" count="4 1 1" size="3 0 0"
          offset="0 0 .5" initial="none"><geom size=".02" type="capsule" mass="3"/></composite></body></worldbody>
        <keyframe><key name="bent" qpos="1 0 0 0  0.70710678118654752 0 0 0.70710678118654752  1 0 0 0  1 0 0 0  1 0 0 0"/></keyframe></mujoco>"#;
    let rod = 1.2566370614359175;
    let (along, across) = (0.000251327412, 0.104845418826);
    let known = [
        ("fB_first", [0.0, 0.0, 6.5], rod, [across, 0.0, 0.0, across, 0.0, along]),
        ("fB_1", [-0.5, 0.0, 7.0], rod, [along, 0.0, 0.0, across, 0.0, across]),
        ("fB_last", [-1.0, 0.5, 7.0], rod, [across, 0.0, 0.0, along, 0.0, across]),
        ("bB_1", [1.0, 1.5, 4.5], 3.0, [0.263876103896, 0.0, 0.0, 0.263876103896, 0.0, 0.000596883117]),
        ("bB_last", [1.0, 1.5, 5.5], 3.0, [0.263876103896, 0.0, 0.0, 0.263876103896, 0.0, 0.000596883117]),
    ];
    let (loaded, dropped) = check(text, &known, 1e-9);
    assert_eq!(physics(&dropped), Vec::<String>::new());
    // The first body of the second cable is part of the body that carries it, and of the world.
    assert!(loaded.scene.find_body("bB_first").is_none());
    let of = |name: &str| loaded.scene.find_body(name).unwrap();
    assert!(
        !loaded.scene.can_collide(of("fB_first"), of("fB_1"))
            && loaded.scene.can_collide(of("fB_first"), of("fB_last"))
    );
    // A key turns the second body, and all after it with it.
    let memory = Memory([("a.xml", text)].into());
    let options = Options { key: Some("bent".into()), ..Options::default() };
    let (bent, _) = load_robot(Path::new("a.xml"), &memory, &LoadOptions::default(), options).unwrap();
    // The quaternion turns the edge, which is along −x of the world, about z of its body, −y of the world, to −z or z.
    let place = body(&bent, "fB_1").initial.pose.position;
    assert!(
        (place - Vec3::new(0.0, 0.0, 7.5)).norm() < 1e-9 || (place - Vec3::new(0.0, 0.0, 6.5)).norm() < 1e-9,
        "{place}"
    );
}

/// The numbers of MuJoCo 3.1.6.
#[test]
fn particles_are_a_grid_of_bodies_with_slides() {
    let text = r#"<mujoco><worldbody><composite prefix="p" type="particle" count="2 2 3" spacing="0.07" offset="0 0 1"><geom size=".025"/></composite></worldbody></mujoco>"#;
    let mass = 0.06544984694978737;
    let (loaded, dropped) = robot("a.xml", text);
    for (name, place) in [("pB0_0_0", [-0.07, -0.07, 0.895]), ("pB1_0_2", [0.0, -0.07, 1.035])] {
        let body = body(&loaded, name);
        assert!((body.initial.pose.position - Vec3::from(place)).norm() < 1e-12);
        assert!(
            (body.mass - 0.98 * mass).abs() < 1e-12 && body.friction.dynamic == 0.0,
            "{:?}",
            body.friction
        );
    }
    assert_eq!((loaded.scene.bodies.len(), loaded.scene.joints.len()), (36, 36));
    assert_eq!(physics(&dropped), Vec::<String>::new());
    let free = text.replace("</composite>", r#"<joint kind="particle" type="free"/></composite>"#);
    let (loaded, _) = robot("a.xml", free.leak());
    assert_eq!((loaded.scene.bodies.len(), loaded.scene.joints.len()), (12, 0));
    assert!((body(&loaded, "pB1_1_2").mass - mass).abs() < 1e-12);
}

#[test]
fn other_composites_are_told_with_their_number_of_bodies() {
    let text = r#"<mujoco><worldbody><body name="b"><freejoint/><geom size="1"/></body>
        <composite type="cloth" count="9 7" spacing="0.05"><geom size="0.02"/></composite></worldbody></mujoco>"#;
    let told = physics(&robot("a.xml", text).1);
    assert!(
        told[0].contains("<composite type=\"cloth\">: its bodies, 63 by its `count`, are not made"),
        "{told:?}"
    );
    let text = r#"<mujoco><worldbody><body name="b"><freejoint/><geom size="1"/></body>
        <flexcomp name="f" type="grid" count="3 3 1" mass="2.5" spacing=".1 .1 .1"><pin id="0"/></flexcomp></worldbody></mujoco>"#;
    let flex = physics(&robot("a.xml", text).1);
    assert!(
        flex == [
            "changes the physics: <flexcomp>: the deformable body of 2.5 kg, less what is pinned, is not made (line 2)"
        ],
        "{flex:?}"
    );
    let text = r#"<mujoco><worldbody><body name="b"><freejoint/><geom size="1"/></body>
        <composite type="cloth" count="9 7" spacing="0.05"><geom size="0.02"/></composite></worldbody></mujoco>"#;
    for wrong in ["count=\"0\"", "count=\"1e9\"", "count=\"2 2 2 2\"", ""] {
        let text = text.replace("count=\"9 7\"", wrong).replace("cloth", "particle");
        assert!(read(&[("a.xml", text.leak())]).is_err(), "{wrong}");
    }
}

#[test]
fn a_composite_counts_as_the_elements_that_it_stands_for() {
    // A body, a geom and three joints each: 4001 of them are more than 20 000 elements.
    let text = r#"<mujoco><worldbody><composite type="particle" count="4001 1 1" spacing="1"><geom size="0.1"/></composite></worldbody></mujoco>"#;
    let error = read(&[("m.xml", text)]).unwrap_err();
    assert!(error.message.contains("more than 20000 elements"), "{error}");
}

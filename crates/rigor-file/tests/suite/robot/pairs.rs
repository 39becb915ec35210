//! Geoms that `contact` names meet, as in MuJoCo.

use rigor_scene::BodyId;

use super::*;

/// A ball on the world, `a` that is free above it, and `b` on a hinge of `a`.
fn three(geoms: [&str; 3], contact: &str) -> (Loaded, Vec<Dropped>) {
    let [w, a, b] = geoms;
    let text = format!(
        r#"<mujoco><worldbody><geom name="w" size=".1" {w}/><body name="a" pos="0 0 1"><freejoint/><geom name="a" size=".1" {a}/>
        <body name="b" pos="0 0 1"><joint/><geom name="b" size=".1" {b}/></body></body>
        <body name="c" pos="5 0 1"><freejoint/><geom name="c" size=".1" contype="2" conaffinity="2"/></body></worldbody><contact>{contact}</contact></mujoco>"#
    );
    robot("a.xml", text.leak())
}

fn meets(loaded: &Loaded, a: &str, b: &str) -> bool {
    let of = |name: &str| -> BodyId { loaded.scene.find_body(name).unwrap() };
    loaded.scene.can_collide(of(a), of(b))
}

/// The friction of two bodies.
fn friction(loaded: &Loaded, a: &str, b: &str) -> f64 {
    body(loaded, a).friction.dynamic.max(body(loaded, b).friction.dynamic)
}

const OFF: &str = r#"contype="0" conaffinity="0""#;

#[test]
fn geoms_meet_by_name_alone() {
    let (loaded, dropped) = three(
        [OFF, OFF, OFF],
        r#"<pair geom1="w" geom2="a" friction="0.6 0.6"/><pair geom1="b" geom2="a" friction="0.6 0.6"/>"#,
    );
    assert_eq!(physics(&dropped), Vec::<String>::new());
    let bodies = ["world", "a", "b", "c"];
    let met: Vec<(&str, &str)> = bodies
        .iter()
        .enumerate()
        .flat_map(|(i, a)| bodies[i + 1..].iter().map(move |b| (*a, *b)))
        .filter(|(a, b)| meets(&loaded, a, b))
        .collect();
    // Also b and its parent a, which else do not meet.
    assert_eq!(met, [("world", "a"), ("a", "b")]);
    assert_eq!((friction(&loaded, "world", "a"), friction(&loaded, "a", "b")), (0.6, 0.6));
    let (loaded, _) = three([OFF, OFF, OFF], "");
    assert!(!meets(&loaded, "a", "b"));
}

#[test]
fn a_pair_has_its_own_friction_or_is_told() {
    // The default of a pair is 1, whatever its geoms say.
    let (loaded, dropped) =
        three([OFF, r#"contype="0" conaffinity="0" friction="0.2""#, OFF], r#"<pair geom1="w" geom2="a"/>"#);
    assert_eq!((friction(&loaded, "world", "a"), physics(&dropped)), (1.0, Vec::new()));
    // Bodies that meet others keep theirs.
    let (loaded, dropped) =
        three(["", r#"friction="0.2""#, ""], r#"<pair geom1="w" geom2="a" friction="0.3 0.3"/>"#);
    assert_eq!(friction(&loaded, "world", "a"), 1.0);
    let told = physics(&dropped);
    assert!(told.len() == 1 && told[0].contains("its friction is 0.3, and that of its bodies 1"), "{told:?}");
    // Without friction, by the number of dimensions or by a class.
    let smooth = r#"<pair geom1="w" geom2="a" condim="1"/>"#;
    assert_eq!(friction(&three([OFF, OFF, OFF], smooth).0, "world", "a"), 0.0);
    let (_, dropped) =
        three([OFF, OFF, OFF], r#"<pair geom1="w" geom2="a" friction="0.5 0.7" margin="0.1"/>"#);
    let told = physics(&dropped);
    assert!(
        told.iter().any(|line| line.contains("<pair friction>: the friction is 0.7 in all directions")),
        "{told:?}"
    );
    assert!(told.iter().any(|line| line.contains("<pair margin>")), "{told:?}");
}

#[test]
fn what_a_pair_adds_besides_itself_is_told() {
    let more = r#"<geom name="more" size=".2"/>"#;
    let text = format!(
        r#"<mujoco><worldbody><geom name="w" size=".1" {OFF}/><body name="a" pos="0 0 1"><freejoint/><geom name="a" size=".1" {OFF}/>{more}</body></worldbody>
        <contact><pair geom1="w" geom2="a"/><pair geom1="a" geom2="more"/><pair geom1="a" geom2="gone"/></contact></mujoco>"#
    );
    let (loaded, dropped) = robot("a.xml", text.leak());
    assert!(meets(&loaded, "world", "a"));
    let told = physics(&dropped);
    assert!(
        told.iter().any(|line| line.contains("all geoms of their bodies meet, 2 pairs instead of 1")),
        "{told:?}"
    );
    assert!(told.iter().any(|line| line.contains("there are no two geoms of these names")), "{told:?}");
    assert!(!told.iter().any(|line| line.contains("more\"")), "{told:?}");
    // `exclude` and a mask that lets them meet do not hold against a pair; the flag `contact` does.
    let both = r#"<exclude body1="a" body2="b"/><pair geom1="b" geom2="a"/>"#;
    assert!(meets(&three(["", "", ""], both).0, "a", "b"));
    let off = r#"<mujoco><option><flag contact="disable"/></option><worldbody><body name="a"><freejoint/><geom name="a" size=".1"/></body>
        <body name="b"><freejoint/><geom name="b" size=".1"/></body></worldbody><contact><pair geom1="a" geom2="b"/></contact></mujoco>"#;
    assert!(!meets(&robot("a.xml", off).0, "a", "b"));
}

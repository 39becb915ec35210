//! Rigid `flexcomp`: surfaces without mass.

use super::*;

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// A body of 2 kg with a `flexcomp`.
fn with(attributes: &str, inner: &str) -> (Loaded, Vec<Dropped>) {
    let text = format!(
        r#"<mujoco><worldbody><body name="a" pos="0 0 5"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
        <flexcomp {attributes}>{inner}</flexcomp></body></worldbody></mujoco>"#
    );
    read(&[("m.xml", text.leak()), ("t.obj", TETRAHEDRON)]).unwrap_or_else(|error| panic!("{error}"))
}

/// The vertices of the body in the frame of its author, sorted.
fn vertices(loaded: &Loaded) -> Vec<[f64; 3]> {
    let body = body(loaded, "a");
    let mut all: Vec<[f64; 3]> = body
        .mesh
        .vertices()
        .iter()
        .map(|v| body.frame.point(v).map(|x| (x * 1e9).round() * 1e-9).into())
        .collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    all
}

/// The numbers of MuJoCo 4.0: `body_mass`, `flex_vert`, `flex_friction`.
#[test]
fn a_rigid_flexcomp_is_a_surface_of_its_body_without_mass() {
    let points = r#"rigid="true" type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1" mass="5""#;
    let placed = r#"pos="1 2 3" euler="0 0 90" scale="2 3 4""#;
    // Of two tetrahedra that share a face, one inside out.
    let two = r#"rigid="true" type="direct" dim="3" point="0 0 0 1 0 0 0 1 0 0 0 1 1 1 1" element="0 1 2 3 1 3 2 4""#;
    for (attributes, n_triangles) in [
        (format!(r#"{points} dim="3" element="0 1 2 3" {placed}"#), 4),
        (format!(r#"{points} dim="3" element="0 2 1 3" {placed}"#), 4),
        (format!(r#"{points} element="0 2 1 0 1 3 0 3 2 1 2 3" {placed}"#), 4),
        (format!(r#"rigid="true" type="mesh" file="t.obj" {placed}"#), 4),
        (two.to_owned(), 6),
    ] {
        let (loaded, dropped) = with(&attributes, "");
        let body = body(&loaded, "a");
        assert_eq!((body.mass, body.mesh.triangles().len()), (2.0, n_triangles), "{attributes}: {dropped:?}");
        assert!(body.mesh.is_closed(), "{attributes}");
        if n_triangles == 4 {
            let known = [[-2.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 7.0], [1.0, 4.0, 3.0]];
            assert_eq!(vertices(&loaded), known, "{attributes}");
        }
        let is_told = dropped.iter().any(|entry| entry.why.contains("not thickened by its radius, 0.005 m"));
        assert!(is_told && body.friction.dynamic == 1.0, "{dropped:?}");
    }
}

#[test]
fn a_rigid_flexcomp_has_friction_and_masks_of_its_own() {
    let points = r#"rigid="true" type="direct" radius="0" point="0 0 0 1 0 0 0 1 0" element="0 1 2""#;
    for (contact, friction, n_triangles) in [
        (r#"<contact friction="0.7"/>"#, 0.7, 1),
        (r#"<contact condim="1"/>"#, 0.0, 1),
        (r#"<contact contype="0" conaffinity="0"/>"#, 0.5, 0),
    ] {
        let (loaded, dropped) = with(points, contact);
        let body = body(&loaded, "a");
        assert_eq!(
            (body.friction.dynamic, body.mesh.triangles().len()),
            (friction, n_triangles),
            "{contact}: {dropped:?}"
        );
        assert!(dropped.iter().all(|entry| !entry.what.starts_with("<flexcomp")), "{contact}: {dropped:?}");
    }
}

#[test]
fn what_a_flexcomp_leaves_out_changes_the_physics() {
    for (attributes, why) in [
        (r#"mass="3" count="3 3 1""#, "the deformable body of 3 kg, less what is pinned, is not made"),
        (r#"rigid="true" count="3 3 1""#, "is not made: the type \"grid\" is not read"),
        (
            r#"rigid="true" type="direct" dim="1" point="0 0 0 1 0 0" element="0 1""#,
            "of dimension 1 have no surface",
        ),
        (r#"rigid="true" type="mesh" file="gone.obj""#, "there is no file \"gone.obj\""),
    ] {
        let (_, dropped) = with(attributes, "");
        let told = account(&dropped).into_iter().filter(|entry| entry.grade == Grade::Physics);
        let told: Vec<String> = told.map(|entry| entry.to_string()).collect();
        assert!(told.iter().any(|entry| entry.contains(why)), "{attributes}: {told:?}");
    }
}

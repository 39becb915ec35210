//! Rows of identical joints.

use rigor_math::Vec3;
use rigor_scene::BodyId;

use super::load;

const ROW: &str = r#"
format = 1
[[body]]
name = "link"
position = [0.5, 0, 0]
copies = { count = [4, 1, 1], spacing = [1, 0, 0] }
[[body.shape]]
box = { size = [0.8, 0.1, 0.1] }
[[joint]]
name = "pin"
kind = "ball"
body_a = "link-1-0-0"
body_b = "link-0-0-0"
position = [1, 0, 0]
copies = { count = 3, spacing = [1, 0, 0] }
"#;

#[test]
fn copies_of_a_joint_join_the_bodies_that_follow() {
    let scene = load(ROW).unwrap().scene;
    let row: Vec<_> = scene.joints.iter().map(|j| (j.name.as_str(), j.body_a, j.body_b)).collect();
    let expected = [("pin-0", 1, 0), ("pin-1", 2, 1), ("pin-2", 3, 2)];
    assert_eq!(row, expected.map(|(name, a, b)| (name, BodyId(a), Some(BodyId(b)))));
    for (k, joint) in scene.joints.iter().enumerate() {
        for (body, frame) in [(joint.body_a, &joint.frame_a), (joint.body_b.unwrap(), &joint.frame_b)] {
            let at = scene.bodies[body.0].initial.pose.point(&frame.position);
            assert!((at - Vec3::x() * (1.0 + k as f64)).norm() < 1e-14, "{k}: {at:?}");
        }
    }
    assert_eq!(scene.contact_free.len(), 3);
}

#[test]
fn more_joints_than_bodies_or_none_are_refused() {
    for count in ["0", "4", "4294967295"] {
        let error = load(&ROW.replace("count = 3", &format!("count = {count}"))).unwrap_err().to_string();
        assert!(error.contains("expected 1 to 3") && error.contains("joint[0].copies.count"), "{error}");
    }
}

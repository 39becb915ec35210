//! Bodies rest, slide, bounce and stay apart as they should.

mod scenes;

use rigor_math::rotation_vector;
use rigor_scene::{BodySpec, Friction, Outcome};
use rigor_xpbd::Config;
use scenes::{cuboid, floor, record, scene};

#[test]
fn box_at_rest_keeps_still() {
    let scene = scene(vec![floor(0.5), BodySpec { friction: Friction::uniform(0.5), ..cuboid("box", [1.0; 3], [0.0, 0.5, 0.0]) }]);
    let run = record(&scene, Config::default(), 1e-2, 1000);
    assert_eq!(run.outcome, Outcome::Completed);
    let (start, end) = (&run.trajectory.frames[0].bodies[1], &run.last().bodies[1]);
    let moved = end.pose.position - start.pose.position;
    let turned = rotation_vector::log(&(end.pose.rotation * start.pose.rotation.inverse()));
    println!("moved {moved:?} turned {turned:?} v {:?}", end.linear_velocity);
    assert!(moved.norm() < 1e-5 && turned.norm() < 1e-5);
}

#[test]
fn stack_of_ten_stands() {
    let mut bodies = vec![floor(0.5)];
    for i in 0..10 {
        bodies.push(BodySpec { friction: Friction::uniform(0.5), ..cuboid(&format!("box {i}"), [1.0; 3], [0.0, 0.5 + f64::from(i), 0.0]) });
    }
    let scene = scene(bodies);
    let run = record(&scene, Config::default(), 1e-2, 1000);
    assert_eq!(run.outcome, Outcome::Completed);
    for i in 1..=10 {
        let (start, end) = (&run.trajectory.frames[0].bodies[i], &run.last().bodies[i]);
        let moved = end.pose.position - start.pose.position;
        println!("{i} moved {moved:?} v {:?} w {:?}", end.linear_velocity, end.angular_velocity);
    }
}

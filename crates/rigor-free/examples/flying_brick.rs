//! A thrown brick that spins about its middle axis: the error of the method for several time steps.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use rigor_free::{Config, Free};
use rigor_math::{Pose, Vec3};
use rigor_scene::trajectory::Run;
use rigor_scene::{BodySpec, BodyState, Clock, PartKind, PlacedShape, Scene};
use rigor_shapes::Cuboid;

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = Cuboid::new(Vec3::new(0.1, 0.2, 0.3)).mesh()?;
    let shape = PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() };
    let brick = BodySpec {
        linear_velocity: Vec3::new(3.0, 5.0, 0.0),
        angular_velocity: Vec3::new(0.01, 6.0, 0.0),
        ..BodySpec::new("brick", vec![shape])
    };
    let scene = Scene { gravity: -9.81 * Vec3::y(), bodies: vec![brick.build()?], ..Scene::default() };

    let reference = end(&scene, 4096)?;
    println!("steps   error of position [m]   error of rotation [rad]");
    for steps in [32, 64, 128, 256, 512] {
        let found = end(&scene, steps)?;
        let position = (found.pose.position - reference.pose.position).norm();
        let rotation = found.pose.rotation.angle_to(&reference.pose.rotation);
        println!("{steps:5}   {position:21.1e}   {rotation:23.1e}");
    }
    Ok(())
}

/// Returns the state of the brick after one second in `steps` steps.
fn end(scene: &Scene, steps: u32) -> Result<BodyState, Box<dyn Error>> {
    let mut method = Free::new(Config::default(), Clock::default())?;
    let run = Run::record(scene, &mut method, 1.0 / f64::from(steps), u64::from(steps));
    Ok(run.last().bodies[0])
}

//! One step of the engine Rapier on a cube that lies on a floor, with the forces at its contacts.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use rigor_math::{Pose, Vec3};
use rigor_peers::rapier::{Config, Rapier, VERSION};
use rigor_scene::{BodySpec, Clock, Method, PartKind, PlacedShape, Role, Scene, State};
use rigor_shapes::Cuboid;

fn main() -> Result<(), Box<dyn Error>> {
    let floor = cuboid("floor", Vec3::new(4.0, 1.0, 4.0), -0.5)?;
    let cube = cuboid("cube", Vec3::repeat(1.0), 0.5)?;
    // Bodies of the same group never collide.
    let bodies = vec![BodySpec { role: Role::Static, group: 1, ..floor }.build()?, cube.build()?];
    let scene = Scene { gravity: -9.81 * Vec3::y(), bodies, ..Scene::default() };

    let mut method = Rapier::new(Config::default(), Clock::default());
    for notice in method.notices(&scene, 0.01) {
        println!("notice: {notice}");
    }
    let mut state = State::initial(&scene);
    let report = method.step(&scene, &mut state, 0.01)?;

    println!("Rapier {VERSION}: the cube weighs {:.0} N", 9.81 * scene.bodies[1].mass);
    println!("height of its centre after a step: {:.6} m", state.bodies[1].pose.position.y);
    for contact in &report.contacts {
        let at = contact.point_world;
        println!("contact at ({:5.2}, {:5.2}, {:5.2}) m: {:.0} N", at.x, at.y, at.z, contact.normal_force);
    }
    Ok(())
}

/// A box of this `size` (m) whose centre is `height` (m) above the origin.
fn cuboid(name: &str, size: Vec3, height: f64) -> Result<BodySpec, Box<dyn Error>> {
    let kind = PartKind::Box { half_extents: 0.5 * size };
    let shape = PlacedShape { mesh: Cuboid::new(size).mesh()?, kind, pose: Pose::identity() };
    Ok(BodySpec { pose: Pose::translation(height * Vec3::y()), ..BodySpec::new(name, vec![shape]) })
}

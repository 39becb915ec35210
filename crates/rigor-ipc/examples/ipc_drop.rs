//! Drops a box on a floor and prints its height and energy.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use rigor_ipc::{Config, Ipc};
use rigor_math::{Pose, Vec3, inertia};
use rigor_scene::trajectory::Run;
use rigor_scene::{Body, BodySpec, BodyState, Clock, PartKind, PlacedShape, Role, Scene};
use rigor_shapes::Cuboid;

const GRAVITY: f64 = 9.81;

fn main() -> Result<(), Box<dyn Error>> {
    let floor = cuboid("floor", Vec3::new(4.0, 1.0, 4.0), -0.5)?;
    let bodies = vec![
        // Bodies of the same group never collide.
        BodySpec { role: Role::Static, group: 1, ..floor }.build()?,
        cuboid("box", Vec3::repeat(0.5), 1.0)?.build()?,
    ];
    let scene = Scene { gravity: -GRAVITY * Vec3::y(), bodies, ..Scene::default() };
    let mut method = Ipc::new(Config::default(), Clock::default())?;
    let run = Run::record(&scene, &mut method, 0.01, 100);

    println!("outcome: {:?}", run.outcome);
    println!("t [s]   height of the lower face [mm]   energy [J]   contacts");
    for (frame, report) in run.trajectory.frames[1..].iter().zip(&run.reports).skip(9).step_by(10) {
        let falling = &frame.bodies[1];
        let height = 1e3 * (falling.pose.position.y - 0.25);
        let energy = energy(&scene.bodies[1], falling);
        println!("{:5.2}   {height:29.4}   {energy:10.3}   {:8}", frame.time, report.contacts.len());
    }
    Ok(())
}

/// A box of this `size` (m) whose centre is `height` (m) above the origin.
fn cuboid(name: &str, size: Vec3, height: f64) -> Result<BodySpec, Box<dyn Error>> {
    let kind = PartKind::Box { half_extents: 0.5 * size };
    let shape = PlacedShape { mesh: Cuboid::new(size).mesh()?, kind, pose: Pose::identity() };
    Ok(BodySpec { pose: Pose::translation(height * Vec3::y()), ..BodySpec::new(name, vec![shape]) })
}

/// Kinetic energy and m g y (J).
fn energy(body: &Body, at: &BodyState) -> f64 {
    let (v, omega) = (&at.linear_velocity, &at.angular_velocity);
    let kinetic = inertia::kinetic_energy(body.mass, v, &body.inertia, &at.pose.rotation, omega);
    kinetic + body.mass * GRAVITY * at.pose.position.y
}

//! A block that slides on a floor under each law of contact: how high it rises, and how far it comes.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use rigor_math::{Pose, Vec3};
use rigor_moreau::{Config, ContactLaw, Nonsmooth};
use rigor_scene::{BodySpec, Clock, Friction, PartKind, PlacedShape, Role, Run, Scene};
use rigor_shapes::Cuboid;

fn main() -> Result<(), Box<dyn Error>> {
    let body = |name: &str, size: Vec3, y: f64| -> Result<BodySpec, Box<dyn Error>> {
        let mesh = Cuboid::new(size).mesh()?;
        let shape = PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() };
        let pose = Pose::translation(Vec3::y() * y);
        Ok(BodySpec { pose, friction: Friction::uniform(0.5), ..BodySpec::new(name, vec![shape]) })
    };
    let floor = BodySpec { role: Role::Static, ..body("floor", Vec3::new(20.0, 1.0, 20.0), -0.5)? };
    let block = body("block", Vec3::new(0.5, 0.2, 0.5), 0.1)?;
    let block = BodySpec { linear_velocity: Vec3::x() * 2.0, group: 1, ..block };
    let scene = Scene {
        gravity: Vec3::y() * -9.81,
        bodies: vec![floor.build()?, block.build()?],
        ..Scene::default()
    };
    println!("law          rises by [mm]   comes to [mm]   exact: 0 and v²/2μg = 407.7");
    for law in [ContactLaw::Coulomb, ContactLaw::Convex, ContactLaw::Pyramid, ContactLaw::Regularised] {
        let mut method = Nonsmooth::new(Config { law, ..Config::default() }, Clock::default())?;
        let run = Run::record(&scene, &mut method, 0.01, 100);
        let of = |state: &rigor_scene::State| state.bodies[1].pose.position;
        let rise = run.trajectory.frames.iter().map(|state| of(state).y - 0.1).fold(0.0, f64::max);
        println!("{:12} {:13.3} {:15.1}", format!("{law:?}"), 1e3 * rise, 1e3 * of(run.last()).x);
    }
    Ok(())
}

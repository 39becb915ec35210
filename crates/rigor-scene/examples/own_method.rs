//! A scene built in code, and a method of ten lines that moves it: balls fall and bounce off the plane y = 0.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use rigor_math::{Pose, Vec3};
use rigor_scene::trajectory::Run;
use rigor_scene::{
    BodySpec, Method, PartKind, PlacedShape, Scene, State, StepError, StepReport, Unsupported,
};
use rigor_shapes::Icosphere;

/// Symplectic Euler; velocities that point into the ground are reversed.
struct Bouncer;

impl Method for Bouncer {
    fn name(&self) -> &str {
        "bouncer"
    }

    fn supports(&self, _scene: &Scene) -> Result<(), Unsupported> {
        Ok(())
    }

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        for (body, at) in scene.bodies.iter().zip(&mut state.bodies) {
            at.linear_velocity += dt * scene.gravity;
            if at.pose.position.y < body.radius && at.linear_velocity.y < 0.0 {
                at.linear_velocity.y *= -body.restitution;
            }
            at.pose.position += dt * at.linear_velocity;
        }
        Ok(StepReport::default())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let bodies = [1.0, 0.8, 0.5].into_iter().map(ball).collect::<Result<_, _>>()?;
    let scene = Scene { gravity: -9.81 * Vec3::y(), bodies, ..Scene::default() };
    let run = Run::record(&scene, &mut Bouncer, 0.001, 2000);

    println!("outcome: {:?}", run.outcome);
    println!("t [s]   height [m] for e = 1, 0.8, 0.5");
    for frame in run.trajectory.frames.iter().step_by(200) {
        let heights = frame.bodies.iter().map(|body| format!("{:6.3}", body.pose.position.y));
        println!("{:5.2}   {}", frame.time, heights.collect::<Vec<_>>().join("  "));
    }
    Ok(())
}

/// A ball of 0.1 m radius, 1 m above the ground.
fn ball(restitution: f64) -> Result<rigor_scene::Body, Box<dyn Error>> {
    let mesh = Icosphere { radius: 0.1, subdivisions: 2 }.mesh()?;
    let shape = PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() };
    let pose = Pose::translation(Vec3::y());
    let name = format!("ball with e = {restitution}");
    Ok(BodySpec { restitution, pose, ..BodySpec::new(name, vec![shape]) }.build()?)
}

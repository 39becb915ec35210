//! A chain of ten links with a heavy end: how far its joints are apart after some sweeps per step.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use rigor_avbd::{Avbd, Config};
use rigor_math::{Pose, Vec3};
use rigor_scene::{BodyId, BodySpec, Clock, Joint, JointKind, PartKind, PlacedShape, Run, Scene};
use rigor_shapes::Cuboid;

fn main() -> Result<(), Box<dyn Error>> {
    println!("heavy end   sweeps   largest gap of a joint in 1 s [mm]");
    for heavy in [1.0, 100.0] {
        let (mut bodies, mut joints) = (Vec::new(), Vec::new());
        for i in 0..10_usize {
            let mesh = Cuboid::new(Vec3::new(0.2, 0.05, 0.05)).mesh()?;
            let shape = PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() };
            let pose = Pose::translation(Vec3::x() * (0.1 + 0.2 * i as f64));
            let spec = BodySpec { pose, ..BodySpec::new(format!("link {i}"), vec![shape]) };
            let mut body = spec.build()?;
            if i == 9 {
                body.mass *= heavy;
                body.inertia *= heavy;
            }
            let end = Pose::translation(Vec3::x() * -0.1);
            let other = i.checked_sub(1).map(BodyId);
            let at = Pose::translation(Vec3::x() * if i == 0 { 0.0 } else { 0.1 });
            joints.push(Joint::new(format!("pin {i}"), JointKind::BALL, (BodyId(i), end), (other, at)));
            bodies.push(body);
        }
        let scene = Scene { gravity: Vec3::y() * -9.81, bodies, joints, ..Scene::default() };
        for iterations in [4, 10, 100] {
            let mut method = Avbd::new(Config { iterations, ..Config::default() }, Clock::default())?;
            let run = Run::record(&scene, &mut method, 1.0 / 60.0, 60);
            let joints = run.reports.iter().flat_map(|report| &report.joints);
            let apart = joints.map(|joint| joint.position_error).fold(0.0, f64::max);
            println!("{heavy:9} {iterations:8} {:10.3}", 1e3 * apart);
        }
    }
    Ok(())
}

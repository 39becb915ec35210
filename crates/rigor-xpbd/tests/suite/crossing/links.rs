//! Chain links stay linked.

use rigor_geometry::Mesh;
use rigor_math::{Pose, UnitQuaternion, Vec3, rotation_vector};
use rigor_scene::{BodySpec, Outcome, Role, Scene, Weight};
use rigor_shapes::{ChainLink, Torus};
use rigor_xpbd::Config;

use super::{motion, places};
use crate::scenes::{record, scene, shape};

const MAJOR: f64 = 0.5;
const MINOR: f64 = 0.1;

fn torus(segments: u32, sides: u32) -> Mesh {
    Torus { major_radius: MAJOR, minor_radius: MINOR, segments, sides }.mesh().expect("a valid torus")
}

/// A quarter turn about x, after a rotation about the ring's own axis.
fn quarter(turn: f64) -> UnitQuaternion {
    let about = |axis: Vec3, angle: f64| rotation_vector::exp(&(axis * angle));
    about(Vec3::x(), std::f64::consts::FRAC_PI_2) * about(Vec3::y(), turn)
}

/// Two linked rings, pulled apart by 200 N each; the first may be `held`.
fn linked(segments: u32, sides: u32, turn: f64, held: bool) -> Scene {
    let ring = |name: &str, x: f64, rotation, pull: f64| BodySpec {
        pose: Pose::new(Vec3::x() * x, rotation),
        force: Vec3::x() * pull,
        ..BodySpec::new(name, vec![shape(torus(segments, sides))])
    };
    let role = if held { Role::Static } else { Role::Dynamic };
    let first = BodySpec { role, ..ring("first", 0.0, UnitQuaternion::identity(), -200.0) };
    let second = ring("second", 0.7, quarter(turn), 200.0);
    Scene { gravity: Vec3::zeros(), ..scene(vec![first, second]) }
}

/// Maximum distance (m) between the centres of two linked rings: the size of the holes, widened by the
/// corners of their polygons.
fn reach(segments: u32) -> f64 {
    2.0 * (MAJOR - MINOR) / (std::f64::consts::PI / f64::from(segments)).cos()
}

#[test]
fn rings_that_are_pulled_apart_stay_linked() {
    for (segments, sides) in [(9, 5), (12, 6), (16, 8), (17, 9), (24, 12), (48, 24)] {
        for (turn, held) in [(0.0, true), (0.1, true), (0.0, false), (0.37, false)] {
            let run = record(&linked(segments, sides, turn, held), Config::default(), 1e-2, 300);
            assert_eq!(run.outcome, Outcome::Completed);
            let apart: Vec<f64> = run
                .trajectory
                .frames
                .iter()
                .map(|f| {
                    let [a, b] = [0, 1].map(|i| f.bodies[i].pose.position);
                    (b - a).norm()
                })
                .collect();
            let most = apart.iter().copied().fold(0.0, f64::max);
            let name = format!("{segments} × {sides}, turned by {turn}, held {held}");
            assert!(most < reach(segments) + 4e-3, "{name}: {most} m apart");
            // The rings meet and hang from each other.
            assert!(most > 0.75, "{name}: {most} m apart at most");
            let holds =
                run.reports.last().expect("a step").contacts.iter().map(|c| c.normal_force).sum::<f64>();
            assert!(holds > 0.0 || apart[300] < reach(segments), "{name}: nothing holds");
        }
    }
}

#[test]
fn a_chain_of_ten_links_hangs() {
    let link = ChainLink { straight: 0.04, bend_radius: 0.03, wire_radius: 0.009, segments: 6, sides: 6 };
    let pitch = link.pitch() - 1e-3;
    let mesh = link.mesh().expect("a valid link");
    let links = (0..10).map(|i| {
        let turn = if i % 2 == 0 { 0.0 } else { std::f64::consts::FRAC_PI_2 };
        let position = Vec3::new(1e-4 * f64::from(i % 3), -pitch * f64::from(i), 0.0);
        BodySpec {
            pose: Pose::new(position, rotation_vector::exp(&(Vec3::y() * turn))),
            role: if i == 0 { Role::Static } else { Role::Dynamic },
            weight: Weight::Density(7800.0),
            ..BodySpec::new(format!("link {i}"), vec![shape(mesh.clone())])
        }
    });
    let scene = scene(links.collect());
    let run = record(&scene, Config::default(), 1e-2, 300);
    assert_eq!(run.outcome, Outcome::Completed);
    // Corners of the openings are farther out than their sides.
    let longest = link.pitch() + 2.0 * (link.bend_radius - link.wire_radius) * (1.0 / 0.96 - 1.0) + 2e-3;
    for (k, frame) in run.trajectory.frames.iter().enumerate() {
        for pair in frame.bodies.windows(2) {
            let apart = (pair[1].pose.position - pair[0].pose.position).norm();
            assert!(
                apart < longest,
                "neighbours are {apart} m apart in frame {k}: the opening has {longest} m"
            );
        }
    }
    let lowest = places(&run, 9)[300].y;
    assert!((lowest + 9.0 * pitch).abs() < 0.03, "the last link hangs at {lowest} m");
    // The energy gained by falling through the gaps is gone.
    let energy: Vec<f64> = run.trajectory.frames.iter().map(|f| motion(&scene, f).1).collect();
    let (most, end) = (energy.iter().copied().fold(0.0, f64::max), energy[250..].iter().sum::<f64>() / 51.0);
    assert!(end < 0.5 * most, "kinetic energy {most} J at most, {end} J in the last half second");
}

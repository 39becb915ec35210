//! Edges that pass between vertices.

use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::{BodySpec, Role, Scene};
use rigor_shapes::{Extrusion, Outline, Plane};
use rigor_xpbd::Config;

use super::places;
use crate::scenes::{cuboid, record, scene, shape};

/// `body` rotated by `turn` (rad) and placed at `position` (m).
fn placed(body: BodySpec, position: Vec3, turn: Vec3) -> BodySpec {
    BodySpec { pose: Pose::new(position, rotation_vector::exp(&turn)), ..body }
}

const EIGHTH: f64 = std::f64::consts::FRAC_PI_4;

#[test]
fn a_box_comes_to_stand_with_its_edge_across_the_edge_of_another() {
    let half = 0.5 * 2.0_f64.sqrt();
    let below = BodySpec { role: Role::Static, ..cuboid("below", [1.0; 3], [0.0; 3]) };
    let below = placed(below, Vec3::zeros(), Vec3::x() * EIGHTH);
    let above =
        placed(cuboid("above", [1.0; 3], [0.0; 3]), Vec3::y() * (2.0 * half + 0.05), Vec3::z() * EIGHTH);
    let run = record(&scene(vec![below, above]), Config::default(), 1e-2, 100);
    let lowest = places(&run, 1).iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    assert!(lowest > 2.0 * half - 2e-3, "it sinks to {lowest} m");
}

/// A base with thin upright fins, extruded along z.
fn comb() -> BodySpec {
    let mut rim = vec![[-0.5, -0.1], [0.5, -0.1]];
    for x in [0.4, 0.2, 0.0, -0.2, -0.4] {
        rim.extend([[x + 0.01, 0.0], [x + 0.01, 0.3], [x - 0.01, 0.3], [x - 0.01, 0.0]]);
    }
    let comb = Extrusion { outline: Outline::Polygon(rim), holes: Vec::new(), depth: Some(1.0) };
    BodySpec { role: Role::Static, ..BodySpec::new("comb", vec![shape(comb.mesh().expect("a valid comb"))]) }
}

#[test]
fn an_edge_that_is_lowered_across_fins_rests_on_their_ridges() {
    for along in [0.0, 0.13] {
        for gap in [0.0005, 0.2] {
            let half = 0.05 * 2.0_f64.sqrt();
            let rod = cuboid("rod", [0.7, 0.1, 0.1], [0.0; 3]);
            let turn =
                rotation_vector::exp(&(Vec3::y() * along)) * rotation_vector::exp(&(Vec3::x() * EIGHTH));
            let rod = BodySpec { pose: Pose::new(Vec3::y() * (0.3 + half + gap), turn), ..rod };
            let base = comb();
            let centre = base.clone().build().expect("a valid comb").initial.pose.position;
            let run = record(&scene(vec![base, rod]), Config::default(), 1e-2, 30);
            let lowest = places(&run, 1).iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            assert!(centre.y < 0.1);
            assert!(lowest > 0.3 + half - 1e-3, "turned by {along}, from {gap} m: down to {lowest} m");
        }
    }
}

/// Two crossed blades of `thickness` (m), edge to edge, at `speed` (m/s).
fn blades(thickness: f64, speed: f64, shift: f64) -> Scene {
    let below = BodySpec { role: Role::Static, ..cuboid("below", [1.0, 0.2, thickness], [0.0; 3]) };
    let above = BodySpec {
        linear_velocity: Vec3::y() * -speed,
        ..cuboid("above", [thickness, 0.2, 1.0], [shift, 0.35, 0.0])
    };
    Scene { gravity: Vec3::zeros(), ..scene(vec![below, above]) }
}

#[test]
fn thin_blades_do_not_pass_through_each_other_at_high_speed() {
    for (thickness, speed) in [(0.01, 5.0), (0.004, 40.0), (0.001, 100.0)] {
        for shift in [0.0, 0.003, 0.0171] {
            let run = record(&blades(thickness, speed, shift), Config::default(), 1e-2, 10);
            let lowest = places(&run, 1).iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            // Overlap of the substep in which they meet, which is removed at once.
            assert!(lowest > 0.19, "{thickness} m thick at {speed} m/s, {shift} m aside: down to {lowest} m");
        }
    }
}

/// A sheet of 1 m × 1 m with few triangles.
fn sheet(name: &str) -> BodySpec {
    let mesh = Plane::new([1.0, 1.0]).mesh().expect("a valid sheet");
    let weight = rigor_scene::Weight::Mass(1000.0);
    BodySpec { weight, ..BodySpec::new(name, vec![shape(mesh)]) }
}

#[test]
fn a_sheet_lies_on_the_edge_of_a_box() {
    let half = 0.05 * 2.0_f64.sqrt();
    for gap in [1e-4, 0.1] {
        for flip in [0.0, std::f64::consts::PI] {
            let ridge = BodySpec { role: Role::Static, ..cuboid("ridge", [2.0, 0.1, 0.1], [0.0; 3]) };
            let ridge = placed(ridge, Vec3::zeros(), Vec3::x() * EIGHTH);
            let sheet = placed(sheet("sheet"), Vec3::y() * (half + gap), Vec3::x() * flip);
            let run = record(&scene(vec![ridge, sheet]), Config::default(), 1e-2, 50);
            let lowest = places(&run, 1).iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            assert!(lowest > half - 1e-3, "from {gap} m, turned by {flip}: down to {lowest} m");
        }
    }
}

#[test]
fn a_fast_box_does_not_pass_a_sheet_with_an_edge_ahead() {
    for speed in [1.0, 20.0, 100.0] {
        for tilt in [0.0, EIGHTH, 0.3] {
            let sheet = BodySpec { role: Role::Static, ..sheet("sheet") };
            let block = BodySpec {
                linear_velocity: Vec3::y() * -speed,
                ..placed(cuboid("box", [0.1; 3], [0.0; 3]), Vec3::new(0.03, 0.3, 0.02), Vec3::z() * tilt)
            };
            let scene = Scene { gravity: Vec3::zeros(), ..scene(vec![sheet, block]) };
            let run = record(&scene, Config::default(), 1e-2, 60);
            let lowest = places(&run, 1).iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            assert!(lowest > 0.045, "{speed} m/s, tilted by {tilt}: down to {lowest} m");
        }
    }
}

/// In one substep, the box moves by 75 mm from above the plate to below: at neither pose do they overlap.
/// Without features that cross in between, it falls 7.4 m below the plate.
#[test]
fn a_small_box_that_leaps_over_a_thin_plate_in_a_substep_is_caught() {
    for height in [0.1, 0.11, 0.12] {
        let plate = BodySpec { role: Role::Static, ..cuboid("plate", [1.0, 1e-3, 1.0], [0.0; 3]) };
        let block = placed(
            cuboid("box", [0.02; 3], [0.0; 3]),
            Vec3::new(0.03, height, 0.02),
            Vec3::new(0.3, 0.2, 0.5),
        );
        let block = BodySpec { linear_velocity: Vec3::y() * -150.0, ..block };
        let scene = Scene { gravity: Vec3::zeros(), ..scene(vec![plate, block]) };
        let run = record(&scene, Config::default(), 1e-2, 5);
        let lowest = places(&run, 1).iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        assert!(lowest > -0.03, "from {height} m: down to {lowest} m");
    }
}

use proptest::prelude::*;
use rigor_geometry::Mesh;
use rigor_math::{Mat3, Pose, rotation_vector};
use rigor_scene::{Body, Role, State};
use rigor_shapes::{ChainLink, Cuboid, Cylinder, Icosphere, Torus};

use super::*;
use crate::testing::{
    ball, body, capsule, cube, cuboid, dumbbell, judge, placed, scene, sheet, value, value_of,
};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(Vec3::new(x, y, z))
}

/// Returns the findings when bodies move from one list of poses to the next.
fn moves(bodies: Vec<Body>, frames: &[&[Pose]]) -> Vec<Finding> {
    let scene = scene(bodies);
    let frames: Vec<State> = frames.iter().map(|poses| placed(&scene, poses)).collect();
    judge(&scene, &mut Tunnelling::default(), frames.into_iter())
}

fn wall() -> Body {
    Body { role: Role::Static, ..cuboid("wall", Vec3::new(0.1, 10.0, 10.0), Vec3::zeros()) }
}

#[test]
fn a_shot_through_a_wall_is_seen_though_no_frame_intersects() {
    let (from, to) = (at(-3.0, 0.2, 0.1), at(3.0, 0.2, 0.1));
    let found =
        moves(vec![wall(), cube("shot", Vec3::zeros())], &[&[at(0., 0., 0.), from], &[at(0., 0., 0.), to]]);
    assert_eq!(value(&found, "tunnelling.centre_crossings"), 1.0);
    assert_eq!(value_of(&found, "tunnelling.passes", 1), 1.0);
    // A detour of the size of the body does not lead around a wall of 10 m.
    assert!(value(&found, "tunnelling.detour") > 1.0);
}

#[test]
fn a_shot_that_stops_before_or_flies_past_the_wall_is_clean() {
    let bodies = || vec![wall(), cube("shot", Vec3::zeros())];
    let rest = at(0., 0., 0.);
    for (from, to) in [(at(-9.0, 0.2, 0.1), at(-1.05, 0.2, 0.1)), (at(-3.0, 6.1, 0.0), at(3.0, 6.1, 0.0))] {
        let found = moves(bodies(), &[&[rest, from], &[rest, to], &[rest, to]]);
        for figure in FIGURES {
            assert_eq!(value(&found, figure.name), 0.0, "{figure:?}");
        }
    }
}

#[test]
fn a_fall_through_a_sheet_is_seen_once_even_on_the_diagonal_between_its_triangles() {
    for (x, z) in [(0.0, 0.0), (0.3, -0.2)] {
        let path = [3.0, 1.0, -1.0, -3.0].map(|y| [Pose::identity(), at(x, y, z)]);
        let frames: Vec<&[Pose]> = path.iter().map(<[Pose; 2]>::as_slice).collect();
        let found = moves(vec![sheet(5.0), cube("a", Vec3::zeros())], &frames);
        assert_eq!(value(&found, "tunnelling.centre_crossings"), 1.0, "{x} {z}");
        // Landing exactly on the sheet and then going on is also one crossing.
        let path = [3.0, 0.0, -3.0].map(|y| [Pose::identity(), at(x, y, z)]);
        let frames: Vec<&[Pose]> = path.iter().map(<[Pose; 2]>::as_slice).collect();
        let found = moves(vec![sheet(5.0), cube("a", Vec3::zeros())], &frames);
        assert_eq!(value(&found, "tunnelling.centre_crossings"), 1.0, "{x} {z}");
    }
}

#[test]
fn two_moving_bodies_that_swap_places_went_through_each_other() {
    let bodies = vec![cube("a", Vec3::zeros()), cube("b", Vec3::zeros())];
    let found = moves(bodies, &[&[at(-4., 0., 0.), at(4., 0.3, 0.2)], &[at(4., 0., 0.), at(-4., 0.3, 0.2)]]);
    assert_eq!(value(&found, "tunnelling.centre_crossings"), 1.0);
    assert_eq!(value(&found, "tunnelling.passes"), 1.0);
    assert!(value(&found, "tunnelling.detour") > 0.3);
}

#[test]
fn bodies_that_move_together_do_not_cross_however_far_they_go() {
    let bodies = vec![cube("a", Vec3::zeros()), cube("b", Vec3::zeros())];
    let turn = rotation_vector::exp(&Vec3::new(0.0, 0.0, 1.0));
    let carrier = Pose::new(Vec3::new(50.0, 3.0, 1.0), turn);
    let (a, b) = (at(0.0, 0.0, 0.0), at(0.0, 2.001, 0.0));
    let found = moves(bodies, &[&[a, b], &[carrier.compose(&a), carrier.compose(&b)]]);
    for figure in FIGURES {
        assert_eq!(value(&found, figure.name), 0.0, "{figure:?}");
    }
}

#[test]
fn the_centre_of_a_ring_may_be_crossed() {
    // A small cube flies through a flat square ring.
    let ring = || {
        let outer = [[-2., -2.], [2., -2.], [2., 2.], [-2., 2.]];
        let corner = |scale: f64, y: f64| outer.map(|[x, z]| Vec3::new(x * scale, y, z * scale));
        let vertices = [corner(1.0, -0.1), corner(0.5, -0.1), corner(1.0, 0.1), corner(0.5, 0.1)].concat();
        let quad = |a: u32, b: u32, c: u32, d: u32| [[a, b, c], [a, c, d]];
        let around = (0..4u32).flat_map(|i| {
            let j = (i + 1) % 4;
            let sides = [
                quad(i, j, j + 4, i + 4),
                quad(i + 8, i + 12, j + 12, j + 8),
                quad(i, i + 8, j + 8, j),
                quad(i + 4, j + 4, j + 12, i + 12),
            ];
            sides.concat()
        });
        body("ring", Mesh::new(vertices, around.collect(), vec![]).unwrap(), Vec3::zeros())
    };
    assert!(ring().mesh.is_closed());
    let dart = || cuboid("dart", Vec3::repeat(0.2), Vec3::zeros());
    let found =
        moves(vec![ring(), dart()], &[&[at(0., 0., 0.), at(0., 2., 0.)], &[at(0., 0., 0.), at(0., -2., 0.)]]);
    assert_eq!(value(&found, "tunnelling.centre_crossings"), 0.0);
    let found = moves(
        vec![ring(), dart()],
        &[&[at(0., 0., 0.), at(1.5, 2., 0.)], &[at(0., 0., 0.), at(1.5, -2., 0.)]],
    );
    assert_eq!(value(&found, "tunnelling.centre_crossings"), 1.0);
    assert_eq!(value(&found, "tunnelling.passes"), 1.0);
}

#[test]
fn what_is_thrown_around_a_tip_has_not_gone_through_it() {
    // A bead that slides down one side of a rod of 0.1 m is thrown to its other side. Judged by the ends of
    // its own path, it went straight through.
    let rod = || cuboid("rod", Vec3::new(0.1, 0.1, 10.0), Vec3::zeros());
    let bead = || cuboid("bead", Vec3::repeat(0.02), Vec3::zeros());
    let passes = |then: Vec3, now: Vec3| {
        let scene = scene(vec![rod(), bead()]);
        let frame = |x: f64, velocity: Vec3| {
            let mut state = placed(&scene, &[at(0.0, 0.0, 0.0), at(x, 0.01, 0.0)]);
            state.bodies[1].linear_velocity = velocity;
            state
        };
        let frames = [frame(-0.08, then), frame(0.08, now)].into_iter();
        value(&judge(&scene, &mut Tunnelling::default(), frames), "tunnelling.passes")
    };
    let uniform = Vec3::new(16.0, 0.0, 0.0);
    assert_eq!(passes(uniform, uniform), 1.0);
    // The frames are 10 ms apart: moving up, over the tip and down again takes 40 m/s, changes the velocity
    // by 80 m/s, and deviates 0.2 m from the straight line.
    assert_eq!(passes(uniform + Vec3::y() * 40.0, uniform - Vec3::y() * 40.0), 0.0);
    // A change that allows a deviation of 0.025 m does not explain a passage up to 0.05 m deep.
    assert_eq!(passes(uniform, uniform - Vec3::x() * 10.0), 1.0);
}

#[test]
fn what_slides_off_over_an_edge_has_not_gone_through_the_corner() {
    // A bead of 2 cm lies on a table of 2 m, 10 cm from its edge, and after the step beside the table.
    let bead = || cuboid("bead", Vec3::repeat(0.02), Vec3::zeros());
    let goes = |from: Pose, to: Pose| {
        let found = moves(
            vec![cube("table", Vec3::zeros()), bead()],
            &[&[at(0., 0., 0.), from], &[at(0., 0., 0.), to]],
        );
        value(&found, "tunnelling.passes")
    };
    assert_eq!(goes(at(0.9, 1.0101, 0.0), at(1.03, 0.9, 0.0)), 0.0);
    // The same motion near the edge, without touching the table before or after, cuts through its corner.
    assert_eq!(goes(at(0.85, 1.05, 0.0), at(1.05, 0.85, 0.0)), 1.0);
    // Pressed through the wall on which it lay.
    let found = moves(
        vec![wall(), bead()],
        &[&[at(0., 0., 0.), at(-0.0601, 0., 0.)], &[at(0., 0., 0.), at(0.0601, 0., 0.)]],
    );
    assert_eq!(value(&found, "tunnelling.passes"), 1.0);
}

#[test]
fn the_centre_of_a_cloud_may_be_crossed_but_not_that_of_a_plate() {
    let cloud = || {
        let around = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
        body("cloud", Mesh::new(around.to_vec(), vec![], vec![]).unwrap(), Vec3::zeros())
    };
    let plate = || Body { role: Role::Dynamic, ..sheet(0.3) };
    for (other, crossings) in [(cloud(), 0.0), (plate(), 1.0)] {
        let frames = [0.4, -0.4].map(|y| [Pose::identity(), at(0.05, y, 0.02)]);
        let found = moves(vec![sheet(0.5), other], &[&frames[0], &frames[1]]);
        assert_eq!(value(&found, "tunnelling.centre_crossings"), crossings);
    }
}

#[test]
fn a_wheel_that_spins_beside_a_body_does_not_pass_through_it() {
    // Relative to the wheel, the cube moves 1 rad around it at 1.06 to 1.08 m; straight lines would cut
    // through the wheel.
    let wheel =
        || body("wheel", Cylinder { radius: 1.0, height: 0.3, segments: 64 }.mesh().unwrap(), Vec3::zeros());
    let cube = || cuboid("cube", Vec3::repeat(0.02), Vec3::zeros());
    let spun = |angle: f64| Pose::new(Vec3::zeros(), rotation_vector::exp(&(Vec3::y() * angle)));
    let beside = at(1.07, 0.0, 0.0);
    let found =
        moves(vec![wheel(), cube()], &[&[spun(0.0), beside], &[spun(1.0), beside], &[spun(2.0), beside]]);
    for figure in FIGURES {
        assert_eq!(value(&found, figure.name), 0.0, "{figure:?}");
    }
    // A cube that does fly through the spinning wheel is detected.
    let found =
        moves(vec![wheel(), cube()], &[&[spun(0.0), at(2.0, 0.0, 0.1)], &[spun(0.3), at(-2.0, 0.0, 0.1)]]);
    assert_eq!(value(&found, "tunnelling.centre_crossings"), 1.0);
}

fn ring(name: &str) -> Body {
    let ring = Torus { major_radius: 1.0, minor_radius: 0.1, segments: 24, sides: 8 };
    body(name, ring.mesh().unwrap(), Vec3::zeros())
}

/// A ring about y at the origin, and one about z whose wire crosses the plane y = 0 at `x` and `x` − 2 from
/// the first one's axis.
fn rings_at(x: f64) -> [Pose; 2] {
    let turned = rotation_vector::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_2));
    [Pose::identity(), Pose::new(Vec3::new(x - 1.0, 0.0, 0.0), turned)]
}

fn link(name: &str) -> Body {
    let link = ChainLink { straight: 0.6, bend_radius: 0.4, wire_radius: 0.1, segments: 8, sides: 8 };
    body(name, link.mesh().unwrap(), Vec3::zeros())
}

fn passes_of(found: &[Finding]) -> [f64; 2] {
    ["tunnelling.passes", "tunnelling.unlinked"].map(|figure| value(found, figure))
}

/// Returns the findings when the two bodies move from one list of poses to the next.
fn pair_moves(make: impl Fn(&str) -> Body, frames: &[[Pose; 2]]) -> Vec<Finding> {
    let frames: Vec<&[Pose]> = frames.iter().map(<[Pose; 2]>::as_slice).collect();
    moves(vec![make("a"), make("b")], &frames)
}

#[test]
fn linked_rings_that_come_apart_in_one_step_have_passed_through_each_other() {
    // They are linked if one wire of the second ring is less than 1 m from the axis of the first and the
    // other is not.
    let found = pair_moves(ring, &[rings_at(0.5), rings_at(-0.5)]);
    assert_eq!(passes_of(&found), [0.0, 0.0]);
    let found = pair_moves(ring, &[rings_at(0.5), rings_at(1.5)]);
    assert_eq!(passes_of(&found), [1.0, 1.0], "linked the other way round");
    let found = pair_moves(ring, &[rings_at(0.5), rings_at(3.5)]);
    assert_eq!(passes_of(&found), [1.0, 1.0]);
    let found = pair_moves(ring, &[rings_at(3.5), rings_at(0.5)]);
    assert_eq!(passes_of(&found), [1.0, 1.0], "and back");
    let found = pair_moves(ring, &[rings_at(3.5), rings_at(4.5), rings_at(3.5)]);
    assert_eq!(passes_of(&found), [0.0, 0.0]);
}

#[test]
fn linked_rings_that_come_apart_over_several_frames_that_intersect_have_passed_too() {
    let path: Vec<[Pose; 2]> = (0..20).map(|k| rings_at(0.5 + 0.05 * f64::from(k))).collect();
    assert_eq!(passes_of(&pair_moves(ring, &path)), [1.0, 1.0]);
    // They move into each other and back.
    let there = path.iter().take(11);
    let back: Vec<[Pose; 2]> = there.clone().chain(there.rev()).copied().collect();
    assert_eq!(passes_of(&pair_moves(ring, &back)), [0.0, 0.0]);
    // If they intersect at the start, nothing is known.
    assert_eq!(passes_of(&pair_moves(ring, &path[9..])), [0.0, 0.0]);
}

#[test]
fn linked_rings_that_move_within_each_other_or_turn_together_have_not_passed() {
    let path: Vec<[Pose; 2]> = [0.0, 0.5, -0.5, 0.7].map(rings_at).to_vec();
    assert_eq!(passes_of(&pair_moves(ring, &path)), [0.0, 0.0]);
    let spun = |angle: f64| {
        let carrier =
            Pose::new(Vec3::y() * (10.0 * angle), rotation_vector::exp(&(Vec3::new(0.3, 1.0, 0.2) * angle)));
        rings_at(0.6).map(|pose| carrier.compose(&pose))
    };
    let path: Vec<[Pose; 2]> = (0..6).map(|k| spun(0.9 * f64::from(k))).collect();
    assert_eq!(passes_of(&pair_moves(ring, &path)), [0.0, 0.0]);
}

#[test]
fn links_of_a_chain_that_let_go_are_found_and_links_under_tension_not() {
    let turned = rotation_vector::exp(&(Vec3::y() * std::f64::consts::FRAC_PI_2));
    // Inner length 1.2 m: the links overlap by 0 to 0.4 m.
    let hung = |y: f64| [Pose::identity(), Pose::new(Vec3::new(0.0, y, 0.0), turned)];
    let pulled: Vec<[Pose; 2]> = [0.8, 1.0, 1.15, 1.19, 1.199, 1.15].map(hung).to_vec();
    assert_eq!(passes_of(&pair_moves(link, &pulled)), [0.0, 0.0]);
    let broken: Vec<[Pose; 2]> = [1.0, 1.19, 1.65].map(hung).to_vec();
    assert_eq!(passes_of(&pair_moves(link, &broken)), [1.0, 1.0]);
    let slowly: Vec<[Pose; 2]> = (0..30).map(|k| hung(1.1 + 0.02 * f64::from(k))).collect();
    assert_eq!(passes_of(&pair_moves(link, &slowly)), [1.0, 1.0]);
}

#[test]
fn rods_that_cross_are_found_though_no_place_on_them_meets_the_other() {
    let rod = |name: &str| cuboid(name, Vec3::new(0.02, 0.02, 1.0), Vec3::zeros());
    let across = rotation_vector::exp(&(Vec3::y() * std::f64::consts::FRAC_PI_2));
    let over = |y: f64, along: f64| [Pose::identity(), Pose::new(Vec3::new(0.1, y, along), across)];
    assert_eq!(passes_of(&pair_moves(rod, &[over(0.1, 0.2), over(-0.1, 0.2)])), [1.0, 0.0]);
    let slowly: Vec<[Pose; 2]> = (0..21).map(|k| over(0.1 - 0.01 * f64::from(k), 0.2)).collect();
    assert_eq!(passes_of(&pair_moves(rod, &slowly)), [1.0, 0.0]);
    // Past its end; then down to the rod and up again with a small overlap.
    assert_eq!(passes_of(&pair_moves(rod, &[over(0.1, 0.52), over(-0.1, 0.52)])), [0.0, 0.0]);
    let bounce: Vec<[Pose; 2]> = [0.1, 0.05, 0.015, 0.05, 0.1].map(|y| over(y, 0.2)).to_vec();
    assert_eq!(passes_of(&pair_moves(rod, &bounce)), [0.0, 0.0]);
}

#[test]
fn a_thin_plate_stops_no_fast_ball_unseen() {
    let plate = || cuboid("plate", Vec3::new(2.0, 1e-3, 2.0), Vec3::zeros());
    let shown = body("ball", Icosphere { radius: 0.05, subdivisions: 2 }.mesh().unwrap(), Vec3::zeros());
    let along_x = rotation_vector::exp(&(Vec3::z() * std::f64::consts::FRAC_PI_2));
    for (ball, rotation) in
        [(shown, along_x), (ball("ball", 0.05), along_x), (capsule("rod", 0.05, 0.01), along_x)]
    {
        let flies = |heights: &[f64], x: f64| {
            let place = |y: &f64| [Pose::identity(), Pose::new(Vec3::new(x, *y, 0.1), rotation)];
            let path: Vec<[Pose; 2]> = heights.iter().map(place).collect();
            let frames: Vec<&[Pose]> = path.iter().map(<[Pose; 2]>::as_slice).collect();
            passes_of(&moves(vec![plate(), ball.clone()], &frames))
        };
        assert_eq!(flies(&[0.4, -0.3], 0.3), [1.0, 0.0]);
        assert_eq!(flies(&[0.4, 0.03, -0.01, -0.3], 0.3), [1.0, 0.0], "through frames that intersect");
        assert_eq!(flies(&[0.4, 0.049, 0.4], 0.3), [0.0, 0.0], "it dips into the plate and bounces");
        assert_eq!(flies(&[0.4, 0.051, 0.4], 0.3), [0.0, 0.0], "it bounces");
        assert_eq!(flies(&[0.4, -0.3], 1.07), [0.0, 0.0], "past the rim");
    }
}

/// At rest on it, in it by rounding, by less than a graze, or a little above it; in steps of a small turn or of several radians.
#[test]
fn a_round_body_that_rolls_has_not_passed() {
    let floors = [
        Body { role: Role::Static, ..cuboid("floor", Vec3::new(40.0, 1.0, 40.0), -0.5 * Vec3::y()) },
        sheet(20.0),
    ];
    let along_z = rotation_vector::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_2));
    for (floor, body) in
        floors.iter().flat_map(|floor| [(floor, ball("b", 0.5)), (floor, capsule("b", 0.5, 1.0))])
    {
        for (gap, step) in
            [(0.0, 0.01), (0.0, 1.0), (0.0, 2.0), (1e-6, 0.3), (-1e-6, 0.3), (-1e-3, 0.05), (-1e-17, 0.3)]
        {
            let scene = scene(vec![floor.clone(), body.clone()]);
            let frame = |k: i32| {
                let turn = f64::from(k) * step;
                let rolled = rotation_vector::exp(&(Vec3::z() * -turn)) * along_z;
                let x = Vec3::new(0.5 * turn - 5.0, 0.5 + gap, 0.1);
                let mut state = placed(&scene, &[scene.bodies[0].initial.pose, Pose::new(x, rolled)]);
                state.bodies[1].linear_velocity = Vec3::x() * (50.0 * step);
                state.bodies[1].angular_velocity = Vec3::z() * (-100.0 * step);
                state
            };
            let found = judge(&scene, &mut Tunnelling::default(), (0..12).map(frame));
            for figure in FIGURES {
                assert_eq!(value(&found, figure.name), 0.0, "{figure:?} at {gap} and {step} rad");
            }
        }
    }
}

/// As a ball on the corner of a box, so that no face holds it; and as a ball around another.
#[test]
fn a_ball_that_rolls_over_a_corner_or_over_a_ball_has_not_passed() {
    let mound = [cube("box", Vec3::zeros()), ball("mound", 1.0), dumbbell("dumbbell")];
    let tops = [Vec3::repeat(1.0), Vec3::zeros(), Vec3::x() * -1.5];
    let radii = [0.5, 1.5, 1.0];
    for ((mound, top), r) in mound.into_iter().zip(tops).zip(radii) {
        let scene = scene(vec![Body { role: Role::Static, ..mound }, ball("b", 0.5)]);
        for step in [0.01, 0.2, 0.5] {
            let frame = |k: i32| {
                let turn = f64::from(k) * step - 0.5;
                let around = rotation_vector::exp(&(Vec3::new(-1.0, 1.0, 0.0).normalize() * turn));
                let x = top + around * Vec3::repeat(1.0).normalize() * r;
                placed(&scene, &[Pose::identity(), Pose::new(x, rotation_vector::exp(&(Vec3::z() * turn)))])
            };
            let n = (1.0 / step) as i32;
            let found = judge(&scene, &mut Tunnelling::default(), (0..=n).map(frame));
            for figure in [&PASSES, &CENTRE_CROSSINGS, &UNKNOWN_TURNS] {
                assert_eq!(
                    value(&found, figure.name),
                    0.0,
                    "{figure:?} on {} at {step} rad",
                    scene.bodies[0].name
                );
            }
        }
    }
}

/// Angular velocities that contradict each other leave the turn of a rod unknown; a ball looks the same after any.
#[test]
fn it_does_not_matter_how_a_ball_turned() {
    let near = at(1.2, 1.2, 0.0);
    let turns = |body: Body| {
        let bodies = vec![cube("a", Vec3::zeros()), body];
        value(&spins(bodies, near, [Vec3::y() * 100.0, Vec3::y() * 900.0]), "tunnelling.unknown_turns")
    };
    assert_eq!((turns(ball("b", 0.25)), turns(capsule("b", 0.2, 0.05))), (0.0, 1.0));
}

/// Balls of 5 cm that fly past each other, nearer than 5 cm by 2 % of their radius, and by 20 %.
#[test]
fn balls_that_graze_have_not_passed_and_balls_that_meet_have() {
    let (v, still) = (Vec3::x() * 30.0, (Vec3::zeros(), Vec3::zeros()));
    let flies = |y: f64| {
        let at = |x: f64| (Vec3::new(x, y, 0.0), v);
        let bodies = || vec![ball("a", 0.025), ball("b", 0.025)];
        passes_between(bodies(), [at(-0.15), still], [at(0.15), still])
    };
    assert_eq!((flies(0.0495), flies(0.045)), (0.0, 1.0));
}

#[test]
fn a_centre_that_goes_into_a_ball_and_out_again_is_counted() {
    let still = Pose::identity();
    let path = [2.0, 0.9, 0.3, -0.3, -0.9, -2.0].map(|x| [still, at(x, 0.1, 0.0)]);
    let frames: Vec<&[Pose]> = path.iter().map(<[Pose; 2]>::as_slice).collect();
    let found = moves(vec![ball("a", 0.5), ball("b", 0.5)], &frames);
    assert_eq!(value(&found, "tunnelling.centre_crossings"), 2.0, "in, and out");
    assert_eq!(value(&found, "tunnelling.passes"), 1.0);
    let grazes = [2.0, 0.9, 0.3, 0.9, 2.0].map(|x| [still, at(x, 0.8, 0.0)]);
    let frames: Vec<&[Pose]> = grazes.iter().map(<[Pose; 2]>::as_slice).collect();
    let found = moves(vec![ball("a", 0.5), ball("b", 0.5)], &frames);
    assert_eq!(value(&found, "tunnelling.centre_crossings"), 0.0);
}

#[test]
fn sheets_that_pass_through_each_other_are_found() {
    let card = |name: &str| Body { role: Role::Dynamic, name: name.into(), ..sheet(0.3) };
    let over = |y: f64| {
        let tilted = rotation_vector::exp(&Vec3::new(0.2, 0.5, 0.0));
        [Pose::identity(), Pose::new(Vec3::new(0.05, y, 0.02), tilted)]
    };
    assert_eq!(passes_of(&pair_moves(card, &[over(0.4), over(-0.4)])), [1.0, 0.0]);
    assert_eq!(passes_of(&pair_moves(card, &[over(0.4), over(0.1), over(0.0), over(-0.4)])), [1.0, 0.0]);
    assert_eq!(passes_of(&pair_moves(card, &[over(0.4), over(0.11), over(0.4)])), [0.0, 0.0]);
}

#[test]
fn what_lies_deep_for_long_and_then_slides_off_has_not_passed() {
    // A box sinks slightly into a table, lies there, slides to its edge and falls off.
    let still = Pose::identity();
    let bead = || cuboid("bead", Vec3::repeat(0.2), Vec3::zeros());
    let mut path = vec![[still, at(0.0, 1.2, 0.0)]];
    path.extend((0..200).map(|k| [still, at(0.005 * f64::from(k), 1.095, 0.0)]));
    path.extend([[still, at(1.05, 1.08, 0.0)], [still, at(1.12, 0.9, 0.0)], [still, at(1.2, 0.5, 0.0)]]);
    let frames: Vec<&[Pose]> = path.iter().map(<[Pose; 2]>::as_slice).collect();
    let found = moves(vec![cube("table", Vec3::zeros()), bead()], &frames);
    assert_eq!(passes_of(&found), [0.0, 0.0]);
    // Pressing it slowly through the table top is a pass.
    let path: Vec<[Pose; 2]> = (0..60).map(|k| [still, at(0.3, 1.2 - 0.05 * f64::from(k), 0.1)]).collect();
    let frames: Vec<&[Pose]> = path.iter().map(<[Pose; 2]>::as_slice).collect();
    let found = moves(vec![cube("table", Vec3::zeros()), bead()], &frames);
    assert_eq!(passes_of(&found), [1.0, 0.0]);
}

/// The track is no plane, and the wheel turns by more than a half turn while it is in it.
#[test]
fn a_wheel_that_rolls_in_a_track_by_a_hair_has_not_passed() {
    let block = |size: Vec3, at: Vec3| {
        let mesh = Cuboid::new(size).mesh().unwrap();
        (mesh.vertices().iter().map(|v| v + at).collect::<Vec<_>>(), mesh.triangles().to_vec())
    };
    let (mut vertices, mut triangles) = block(Vec3::new(16.0, 0.3, 4.0), Vec3::y() * -0.15);
    let (more, others) = block(Vec3::new(0.2, 0.1, 4.0), Vec3::new(5.0, 0.05, 0.0));
    triangles.extend(others.iter().map(|corners| corners.map(|k| k + vertices.len() as u32)));
    vertices.extend(more);
    let mesh = Mesh::new(vertices, triangles, vec![]).unwrap();
    let track = || body("track", mesh.clone(), Vec3::zeros());
    let wheel = Cylinder { radius: 0.35, height: 0.2, segments: 64 }.mesh().unwrap();
    let wheel = || body("wheel", wheel.clone(), Vec3::zeros());
    let lying = rotation_vector::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_2));
    let passes = |n: usize, rate: f64, height: &dyn Fn(usize) -> f64, is_first: bool| {
        let path = |k: usize| {
            let turn = rotation_vector::exp(&(Vec3::z() * (-rate * k as f64 / 0.35)));
            let moved = Pose::new(Vec3::new(rate * k as f64, 0.35 + height(k), 0.0), turn * lying);
            let still = Pose::identity();
            if is_first { [moved, still] } else { [still, moved] }
        };
        let path: Vec<[Pose; 2]> = (0..n).map(path).collect();
        let frames: Vec<&[Pose]> = path.iter().map(<[Pose; 2]>::as_slice).collect();
        let bodies = if is_first { vec![wheel(), track()] } else { vec![track(), wheel()] };
        passes_of(&moves(bodies, &frames))
    };
    for is_first in [false, true] {
        for n in [60, 78, 85, 92, 120] {
            let rolls = |k: usize| if k == 0 || k + 1 == n { 1e-3 } else { -1e-3 };
            assert_eq!(passes(n, 0.015, &rolls, is_first), [0.0, 0.0], "{n}");
        }
        let sinks = |k: usize| 1e-3 - 0.025 * k as f64;
        assert_eq!(passes(60, 0.0, &sinks, is_first), [1.0, 0.0]);
    }
}

/// In both frames that intersect, a graze parts the cube and the sheet: above it, and below.
#[test]
fn what_jumps_through_a_sheet_by_its_edges_has_passed() {
    let path = [1.2, 0.95, -0.95, -1.2].map(|y| [Pose::identity(), at(0.1, y, 0.2)]);
    let frames: Vec<&[Pose]> = path.iter().map(<[Pose; 2]>::as_slice).collect();
    let found = moves(vec![sheet(5.0), cube("a", Vec3::zeros())], &frames);
    assert_eq!(passes_of(&found), [1.0, 0.0]);
}

/// The bodies end 2.95 m apart, after a path of 5.06 m. If half of the path were compared with that, the pass would be missed.
#[test]
fn a_distance_that_another_judge_has_measured_does_not_hide_a_pass() {
    let scene = scene(vec![wall(), cube("shot", Vec3::zeros())]);
    let mut panel = crate::Panel::new().with(crate::distance::Distance::default(), 1);
    panel = panel.with(Tunnelling::default(), 1);
    for (step, x) in [-1.06, 4.0].into_iter().enumerate() {
        let state = placed(&scene, &[at(0., 0., 0.), at(x, 0., 0.)]);
        panel.observe(&scene, &State { step: step as u64, time: step as f64, ..state }, None);
    }
    assert_eq!(value(&panel.findings(&scene), "tunnelling.passes"), 1.0);
}

#[test]
fn bodies_that_slide_on_each_other_faster_than_any_detour_are_clean() {
    let bodies = vec![cuboid("floor", Vec3::new(50.0, 1.0, 50.0), Vec3::zeros()), cube("box", Vec3::zeros())];
    let frames = [0.0, 3.0, 6.0, 9.0].map(|x| [at(0., 0., 0.), at(x, 1.5, 0.)]);
    let found = moves(bodies, &frames.each_ref().map(<[Pose; 2]>::as_slice));
    for figure in FIGURES {
        assert_eq!(value(&found, figure.name), 0.0, "{figure:?}");
    }
}

/// The findings of two frames in which body 1 turns at constant angular velocities (rad/s) for 0.01 s, from `from` by `mean` · 0.01 s.
fn spins(bodies: Vec<Body>, from: Pose, omegas: [Vec3; 2]) -> Vec<Finding> {
    let scene = scene(bodies);
    let turn = rotation_vector::exp(&(0.005 * (omegas[0] + omegas[1])));
    let to = Pose::new(from.position, turn * from.rotation);
    let frame = |pose: Pose, omega: Vec3| {
        let mut state = placed(&scene, &[Pose::identity(), pose]);
        state.bodies[1].angular_velocity = omega;
        state
    };
    let frames = [frame(from, omegas[0]), frame(to, omegas[1])];
    judge(&scene, &mut Tunnelling::default(), frames.into_iter())
}

/// A post of 5 cm at the distance `x` from the axis of a rod of 4 m that turns about y.
fn post_and_rod(x: f64) -> Vec<Body> {
    let post = Body { role: Role::Static, ..cuboid("post", Vec3::new(0.05, 1.0, 0.05), Vec3::zeros()) };
    let mesh = post.mesh.map_vertices(|v| v + Vec3::x() * x);
    vec![post.with_mesh(mesh), cuboid("rod", Vec3::new(4.0, 0.05, 0.05), Vec3::zeros())]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// At any turn per step, 2π and its multiples included: a rod that turns by half a turn or more hits every post in its disc, and
    /// none beside it.
    #[test]
    fn a_rod_passes_through_a_post_in_its_disc_at_any_turn(
        turns in prop_oneof![Just(1.0), Just(2.0), Just(0.9), 0.6..20.0_f64], start in 0.4..2.7_f64, x in 0.5..1.9_f64, sign in any::<bool>(),
    ) {
        let omega = Vec3::y() * (turns * std::f64::consts::TAU * if sign { 100.0 } else { -100.0 });
        let from = Pose::new(Vec3::zeros(), rotation_vector::exp(&(Vec3::y() * start)));
        let found = spins(post_and_rod(x), from, [omega; 2]);
        let end = (start + omega.y * 0.01).rem_euclid(std::f64::consts::PI);
        // Where the rod lies in the post at the end it has not passed.
        prop_assume!((0.4..2.7).contains(&end));
        prop_assert_eq!(value(&found, "tunnelling.passes"), 1.0);
        prop_assert_eq!(value(&found, "tunnelling.unknown_turns"), 0.0);
        let beside = spins(post_and_rod(2.1), from, [omega; 2]);
        for figure in FIGURES {
            prop_assert_eq!(value(&beside, figure.name), 0.0, "{:?}", figure);
        }
    }
}

#[test]
fn a_turn_that_its_frames_do_not_tell_is_counted() {
    let from = Pose::new(Vec3::zeros(), rotation_vector::exp(&Vec3::y()));
    let unknown = |omegas: [f64; 2]| {
        let found = spins(post_and_rod(1.0), from, omegas.map(|omega| Vec3::y() * omega));
        value(&found, "tunnelling.unknown_turns")
    };
    // Turns of 0.01 ω rad.
    assert_eq!(unknown([0.0, 300.0]), 0.0);
    assert_eq!(unknown([600.0, 700.0]), 0.0);
    assert_eq!(unknown([600.0, 800.0]), 1.0);
    assert_eq!(unknown([-400.0, 400.0]), 1.0);
    assert_eq!(unknown([2e5, 2e5]), 1.0);
}

/// Gears, a wheel on its axle and a body that goes around with another are not passages, however fast.
#[test]
fn bodies_that_turn_fast_and_stay_clear_are_clean() {
    let wheel = |name: &str| {
        body(name, Cylinder { radius: 1.0, height: 0.3, segments: 32 }.mesh().unwrap(), Vec3::zeros())
    };
    for turn in [0.9, 2.0, 4.0, std::f64::consts::TAU, 40.0] {
        let scene = scene(vec![wheel("a"), wheel("b")]);
        let frame = |angle: f64| {
            let about = |s: f64| rotation_vector::exp(&(Vec3::y() * (s * angle)));
            let mut state = placed(
                &scene,
                &[Pose::new(Vec3::zeros(), about(1.0)), Pose::new(Vec3::x() * 2.001, about(-1.0))],
            );
            state.bodies[0].angular_velocity = Vec3::y() * (100.0 * turn);
            state.bodies[1].angular_velocity = -Vec3::y() * (100.0 * turn);
            state
        };
        let found = judge(&scene, &mut Tunnelling::default(), [0.0, turn, 2.0 * turn].map(frame).into_iter());
        for figure in FIGURES {
            assert_eq!(value(&found, figure.name), 0.0, "{figure:?} at {turn} rad");
        }
    }
}

/// Two balls of 5 cm, as in frames of a step of 0.01 s: as meshes and as what they are, with the same result.
fn balls_pass(then: [(Vec3, Vec3); 2], now: [(Vec3, Vec3); 2]) -> f64 {
    let shown =
        |name: &str| body(name, Icosphere { radius: 0.025, subdivisions: 2 }.mesh().unwrap(), Vec3::zeros());
    let passes = [vec![shown("a"), shown("b")], vec![ball("a", 0.025), ball("b", 0.025)]]
        .map(|bodies| passes_between(bodies, then, now));
    assert_eq!(passes[0], passes[1]);
    passes[0]
}

fn passes_between(bodies: Vec<Body>, then: [(Vec3, Vec3); 2], now: [(Vec3, Vec3); 2]) -> f64 {
    let scene = scene(bodies);
    let frame = |of: [(Vec3, Vec3); 2]| {
        let mut state = placed(&scene, &of.map(|(x, _)| Pose::translation(x)));
        for (body, (_, v)) in state.bodies.iter_mut().zip(of) {
            body.linear_velocity = v;
        }
        state
    };
    let found = judge(&scene, &mut Tunnelling::default(), [then, now].map(frame).into_iter());
    value(&found, "tunnelling.passes")
}

/// Whatever part of their speed they keep: who meets head-on and flies on, went through the other or round it.
#[test]
fn balls_that_exchange_their_places_and_fly_on_have_passed() {
    for (kept, deflected) in [(1.0, 0.0), (0.97, 0.3), (0.8, 0.5), (0.55, 1.0)] {
        for speed in [10.0, 15.0, 50.0] {
            // They meet in the middle of the step.
            let (v, off) = (Vec3::x() * speed, Vec3::new(0.0, 0.005, 0.001));
            let far = Vec3::x() * (0.005 * speed);
            let (x, after) = (far * kept, Vec3::new(kept * speed, -deflected, 0.0));
            let passes = balls_pass([(-far, v), (far + off, -v)], [(x, after), (off - x, -after)]);
            assert_eq!(passes, 1.0, "{kept} of {speed} m/s");
        }
    }
}

/// A turn, however fast, makes no way for cubes that meet head-on and fly on.
#[test]
fn cubes_that_exchange_their_places_and_turn_have_passed() {
    for spin in [0.0, 50.0, 200.0, 1000.0] {
        let scene =
            scene(["left", "right"].map(|name| cuboid(name, Vec3::repeat(0.1), Vec3::zeros())).to_vec());
        let frame = |time: f64, side: f64, speed: f64, spin: f64| {
            let mut state = State::initial(&scene);
            state.time = time;
            for (body, sign) in state.bodies.iter_mut().zip([1.0, -1.0]) {
                body.pose.position = Vec3::x() * (side * sign);
                body.linear_velocity = Vec3::new(speed * sign, 0.7 * sign, 0.7 * sign);
                body.angular_velocity = Vec3::new(0.0, spin, -0.25 * spin * sign);
                let turned = body.angular_velocity * (0.005 * if time > 0.0 { 1.0 } else { 0.0 });
                body.pose.rotation = rotation_vector::exp(&turned);
            }
            state
        };
        let frames = [frame(0.0, -0.25, 50.0, 0.0), frame(0.01, 0.175, 42.0, spin)];
        let found = judge(&scene, &mut Tunnelling::default(), frames.into_iter());
        assert_eq!(value(&found, "tunnelling.passes"), 1.0, "{spin} rad/s");
    }
}

/// A ball that flies through the middle of a ring, wherever it slows down: the centre of the ring is in no part of it.
#[test]
fn a_ball_that_flies_through_a_ring_has_not_passed() {
    let ball = Icosphere { radius: 0.2, subdivisions: 1 }.mesh().unwrap();
    let scene = scene(vec![ring("ring"), body("ball", ball, Vec3::zeros())]);
    for (before, after) in [(300.0, 300.0), (300.0, 200.0), (100.0, 100.0)] {
        let frame = |time: f64, x: f64, speed: f64| {
            let mut state = State { time, ..State::initial(&scene) };
            state.bodies[1].pose.position = Vec3::y() * x;
            state.bodies[1].linear_velocity = Vec3::y() * speed;
            state
        };
        let way = 0.005 * (before + after);
        let frames = [frame(0.0, -0.5 * way, before), frame(0.01, 0.5 * way, after)];
        let findings = judge(&scene, &mut Tunnelling::default(), frames.into_iter());
        assert_eq!(value(&findings, "tunnelling.passes"), 0.0, "{before} and {after} m/s");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Two balls that collide by the law of impact, with any restitution, at any impact parameter and at any time of the step, are not
    /// reported, whether they bounce back or glance off and pass.
    #[test]
    fn balls_that_collide_have_not_passed(
        speed in 1.0..100.0_f64, angle in 0.0..1.57_f64, e in 0.0..1.0_f64, part in prop_oneof![0.0..1.0_f64, 0.0..0.01_f64, 0.99..1.0_f64],
    ) {
        // At the impact the first is at −m R from the second, which rests; equal masses.
        let (sin, cos) = rigor_math::elementary::sin_cos(angle);
        let m = Vec3::new(cos, sin, 0.0);
        let v = Vec3::x() * speed;
        let impulse = m * (0.5 * (1.0 + e) * v.dot(&m));
        let (a, b) = (v - impulse, impulse);
        let touch = -m * 0.050_000_1;
        let (before, after) = (0.01 * part, 0.01 * (1.0 - part));
        let passes = balls_pass(
            [(touch - v * before, v), (Vec3::zeros(), Vec3::zeros())],
            [(touch + a * after, a), (b * after, b)],
        );
        prop_assert_eq!(passes, 0.0);
    }

    /// Balls that miss each other, by however little, have not passed.
    #[test]
    fn balls_that_miss_have_not_passed(speed in 1.0..500.0_f64, y in 0.0501..0.3_f64, part in 0.0..1.0_f64) {
        let (v, still) = (Vec3::x() * speed, (Vec3::zeros(), Vec3::zeros()));
        let at = |t: f64| (Vec3::new(speed * 0.01 * (t - part), y, 0.0), v);
        prop_assert_eq!(balls_pass([at(0.0), still], [at(1.0), still]), 0.0);
    }
}

/// As [`moves`], with this strain of every body in every frame, and its change from frame to frame.
fn strained_moves(bodies: Vec<Body>, frames: &[&[Pose]], strain: Mat3, change: Mat3) -> Vec<Finding> {
    let scene = scene(bodies);
    let state = |(k, poses): (usize, &&[Pose])| {
        let strains = vec![strain + change * k as f64; scene.bodies.len()];
        State { strains, ..placed(&scene, poses) }
    };
    judge(&scene, &mut Tunnelling::default(), frames.iter().enumerate().map(state))
}

#[test]
fn strained_bodies_are_followed_by_their_surfaces() {
    let flat = Mat3::from_diagonal(&Vec3::new(0.0, -0.1, 0.0));
    let cubes = || vec![cube("a", Vec3::zeros()), cube("b", Vec3::zeros())];
    // By their poses they overlap by 0.2 − 1e-3 m, and one slides on the other; then they get flatter, or thicker, by a little less
    // than their gap.
    let slides = [0.0, 0.3, 0.9, 0.2].map(|x| [Pose::identity(), at(x, 1.801, 0.1)]);
    let frames: Vec<&[Pose]> = slides.iter().map(<[Pose; 2]>::as_slice).collect();
    for change in [0.0, -1e-3, 1e-4] {
        let change = Mat3::from_diagonal(&Vec3::new(0.0, change, 0.0));
        let found = strained_moves(cubes(), &frames, flat, change);
        for figure in FIGURES {
            assert_eq!(value(&found, figure.name), 0.0, "{figure:?} {change}");
        }
    }
    // It rises as fast as both get thicker: in the later shapes they would overlap in the earlier frame.
    let rises = [0.0, 1.0, 2.0].map(|k| [Pose::identity(), at(0.3 * k, 1.801 + 8e-3 * k, 0.1)]);
    let frames: Vec<&[Pose]> = rises.iter().map(<[Pose; 2]>::as_slice).collect();
    let found = strained_moves(cubes(), &frames, flat, Mat3::from_diagonal(&Vec3::new(0.0, 4e-3, 0.0)));
    assert_eq!(value(&found, "tunnelling.passes"), 0.0);
    // From side to side through each other.
    let through = [[at(-4., 0., 0.), at(4., 0.3, 0.2)], [at(4., 0., 0.), at(-4., 0.3, 0.2)]];
    let frames: Vec<&[Pose]> = through.iter().map(<[Pose; 2]>::as_slice).collect();
    for change in [Mat3::zeros(), flat] {
        assert_eq!(value(&strained_moves(cubes(), &frames, flat, change), "tunnelling.passes"), 1.0);
    }
}

/// A ring goes through a wall, for which the judge has to search, and a cube falls above it, which a plane settles.
#[test]
fn what_is_not_known_within_the_effort_of_a_frame_is_told() {
    let found = |per_frame: Option<u64>| {
        let torus = Torus { major_radius: 0.5, minor_radius: 0.1, segments: 24, sides: 12 };
        let ring = body("ring", torus.mesh().unwrap(), Vec3::zeros());
        let scene = scene(vec![wall(), ring, cube("above", Vec3::zeros())]);
        let frame =
            |x: f64, y: f64| placed(&scene, &[at(0., 0., 0.), at(x, 0.2, 0.1), at(0.0, 6.0 + y, 0.0)]);
        let frames = [frame(-1.0, 0.6), frame(1.0, 0.5)];
        judge(&scene, &mut Tunnelling { bound: per_frame, ..Tunnelling::default() }, frames.into_iter())
    };
    let of =
        |found: &[Finding]| ["passes", "undecided"].map(|name| value(found, &format!("tunnelling.{name}")));
    assert_eq!(of(&found(None)), [1.0, 0.0]);
    assert_eq!(of(&found(Some(1000))), [0.0, 1.0]);
}

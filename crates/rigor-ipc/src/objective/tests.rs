use nalgebra::Vector6;
use rigor_ccd::broad_phase::{Shape, proximity};
use rigor_geometry::Mesh;
use rigor_math::{Pose, UnitQuaternion, rotation_vector};
use rigor_shapes::Cuboid;

use super::*;
use crate::placement::Coordinates;
use crate::slip::{Movement, Movements};
use crate::target::Target;

/// Two tetrahedra, a corner of one near a face of the other.
fn shapes() -> Vec<Shape> {
    let corners = vec![
        Vec3::new(0.0, -0.5, 0.0),
        Vec3::new(1.0, 0.5, 0.0),
        Vec3::new(-0.5, 0.5, 0.8),
        Vec3::new(-0.5, 0.5, -0.8),
    ];
    let mesh =
        Mesh::new(corners, vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]], vec![]).expect("a tetrahedron");
    vec![Shape::new(mesh.clone()), Shape::new(mesh)]
}

fn placed(coordinates: Coordinates) -> Vec<Placement> {
    let pose = |y, turn| Pose::new(Vec3::new(0.01, y, 0.02), rotation_vector::exp(&turn));
    [pose(0.0, Vec3::new(0.02, 0.3, -0.01)), pose(1.05, Vec3::new(0.1, -0.2, 0.05))]
        .map(|pose| Placement::new(&pose, coordinates))
        .to_vec()
}

/// One barrier for all pairs, with d_min = 0.
fn common(d_hat: f64) -> Barriers {
    Barriers::new(d_hat, 0.0, &[])
}

fn with(drives: Vec<Drive>, barriers: Barriers, kappa: f64) -> Objective {
    let (friction, joints) = (PairMap::default(), JointTerms::default());
    Objective { drives, barriers, kappa, friction, joints, stretch: Vec::new() }
}

/// Returns f of two bodies and these contacts.
fn value_of(objective: &Objective, places: &[Placement], contacts: &[PrimitivePair]) -> f64 {
    let own: f64 = (0..2).map(|body| objective.value_of(body, places)).sum();
    own + objective.value_between(contacts, objective.friction_between([0, 1]), places)
}

/// Returns the derivatives of both bodies, which are one group.
fn derivatives(objective: &Objective, places: &[Placement], contacts: &[PrimitivePair]) -> Derivatives<6> {
    let groups = Groups::of(vec![vec![0, 1]], 2);
    let near = ContactSet::new(vec![contacts.to_vec()], places, f64::INFINITY);
    let of_group = || objective.derivatives(places, &near, &groups, 0, false).0;
    let value = value_of(objective, places, contacts);
    assert!((objective.value(&of_group().slope(places), places, &near) - value).abs() <= 1e-12 * value.abs());
    of_group()
}

fn problem(coordinates: Coordinates) -> (Objective, Vec<Placement>, Vec<PrimitivePair>) {
    let (shapes, places) = (shapes(), placed(coordinates));
    let bodies: Vec<(&Shape, Pose)> = shapes.iter().zip(places.iter().map(Placement::pose)).collect();
    let found = proximity(&bodies, 0.3, |_, _| true).expect("numbers are finite");
    let contacts: Vec<PrimitivePair> =
        found.iter().map(|c| PrimitivePair::among(c, &shapes).mollified()).collect();
    let end = Pose::new(Vec3::new(0.1, 0.2, 0.3), UnitQuaternion::identity());
    let drive =
        |place: &Placement| Drive::Target(Target::new(2.0, &Vec3::new(0.2, 0.3, 0.4), &place.pose(), &end));
    let drives = places.iter().map(drive).collect();
    let mut objective = with(drives, common(0.3), 50.0);
    let start = placed(coordinates).iter().map(|p| p.moved(&Vector6::repeat(0.003))).collect::<Vec<_>>();
    let movements = led_from(&start);
    let friction = contacts
        .iter()
        .filter_map(|c| {
            FrictionContact::new(c, objective.barriers.between([0, 1]), 50.0, 0.4, 0.02, &places, &movements)
        })
        .collect();
    objective.friction.insert([0, 1], friction);
    (objective, places, contacts)
}

/// Bodies that are led from `start`, for friction.
fn led_from(start: &[Placement]) -> Movements {
    Movements { all: start.iter().map(|place| Movement::Led(*place, None)).collect(), h: 1.0 }
}

fn moved(places: &[Placement], body: usize, k: usize, by: f64) -> Vec<Placement> {
    let mut step = Vector6::zeros();
    step[k] = by;
    let mut places = places.to_vec();
    places[body] = places[body].moved(&step);
    places
}

/// Checks the gradient against first differences of the value.
fn check_gradient(objective: &Objective, places: &[Placement], contacts: &[PrimitivePair]) {
    let derivatives = derivatives(objective, places, contacts);
    for (body, k) in (0..2).flat_map(|body| (0..6).map(move |k| (body, k))) {
        let h = 1e-5;
        let value = |by| value_of(objective, &moved(places, body, k, by), contacts);
        let slope = (value(h) - value(-h)) / (2.0 * h);
        let given = derivatives.gradient[body][k];
        assert!((slope - given).abs() < 1e-6 * (1.0 + given.abs()), "{body} {k}: {slope} {given}");
    }
}

#[test]
fn gradient_is_that_of_the_value_in_both_coordinates() {
    for coordinates in [Coordinates::Local, Coordinates::RotationVector] {
        let (objective, places, contacts) = problem(coordinates);
        assert!(!objective.friction.is_empty() && contacts.len() > 4);
        check_gradient(&objective, &places, &contacts);
    }
}

#[test]
fn matrix_is_positive_and_near_the_hessian() {
    let (mut objective, places, contacts) = problem(Coordinates::Local);
    objective.kappa = 1e-3;
    objective.friction = PairMap::default();
    let derivatives = derivatives(&objective, &places, &contacts);
    let (hessian, _) = objective.hessian(&places, &derivatives, true);
    // With so weak a barrier the bodies' own part dominates, and the repair is as small as the barrier.
    for (body, k) in (0..2).flat_map(|body| (0..6).map(move |k| (body, k))) {
        let h = 1e-4;
        let value = |by| value_of(&objective, &moved(&places, body, k, by), &contacts);
        let bend = (value(h) - 2.0 * value(0.0) + value(-h)) / (h * h);
        let given = hessian.diagonal[body][(k, k)];
        assert!((bend - given).abs() < 1e-3 * given, "{body} {k}: {bend} {given}");
    }
}

/// Checks the matrix against second differences of the value, within and between both bodies.
fn check_hessian(objective: &Objective, places: &[Placement], contacts: &[PrimitivePair]) {
    let derivatives = derivatives(objective, places, contacts);
    let (hessian, _) = objective.hessian(places, &derivatives, false);
    let ((0, 1), between) = hessian.lower[0] else { panic!("one pair of bodies") };
    let h = 1e-4;
    let agrees = |found: f64, given: f64| (found - given).abs() < 1e-4 * (1.0 + given.abs());
    for (body, k) in (0..2).flat_map(|body| (0..6).map(move |k| (body, k))) {
        // Along one coordinate of each body only, as rotations do not commute.
        let value = |by| value_of(objective, &moved(places, body, k, by), contacts);
        let bend = (value(h) - 2.0 * value(0.0) + value(-h)) / (h * h);
        let given = hessian.diagonal[body][(k, k)];
        assert!(agrees(bend, given), "{body} {k}: {bend} {given}");
        let other = 1 - body;
        for l in 0..6 {
            let at = |a, b| moved(&moved(places, body, k, a), other, l, b);
            let value = |a, b| value_of(objective, &at(a, b), contacts);
            let mixed = (value(h, h) - value(h, -h) - value(-h, h) + value(-h, -h)) / (4.0 * h * h);
            let given = if body == 1 { between[(k, l)] } else { between[(l, k)] };
            assert!(agrees(mixed, given), "{body} {k} {l}: {mixed} {given}");
        }
    }
}

#[test]
fn hessian_is_that_of_the_value_within_and_between_bodies() {
    // Without friction, which is smoothed over less than the step of the differences.
    for coordinates in [Coordinates::Local, Coordinates::RotationVector] {
        let (mut objective, places, contacts) = problem(coordinates);
        objective.friction = PairMap::default();
        check_hessian(&objective, &places, &contacts);
    }
}

#[test]
fn hessian_holds_for_edges_nearly_parallel_and_for_friction() {
    let block = |size: [f64; 3]| Cuboid { size: Vec3::from(size), segments: [1; 3] }.mesh().expect("a block");
    let shapes = [[1.0, 0.5, 1.0], [0.6, 0.4, 1.4]].map(|size| Shape::new(block(size)));
    let pose =
        |at: [f64; 3], turn: [f64; 3]| Pose::new(Vec3::from(at), rotation_vector::exp(&Vec3::from(turn)));
    let poses = [pose([0.0; 3], [0.0, 0.1, 0.0]), pose([0.33, 0.5, 0.1], [0.01, 0.11, -0.02])];
    for coordinates in [Coordinates::Local, Coordinates::RotationVector] {
        let places = poses.map(|pose| Placement::new(&pose, coordinates)).to_vec();
        let bodies: Vec<(&Shape, Pose)> = shapes.iter().zip(poses).collect();
        let found = proximity(&bodies, 0.1, |_, _| true).expect("numbers are finite");
        let contacts: Vec<PrimitivePair> =
            found.iter().map(|c| PrimitivePair::among(c, &shapes).mollified()).collect();
        let is_faded = |c: &PrimitivePair| {
            c.fade_derivatives(&points(c, &places)).is_some() && c.distance(&places) < 0.1
        };
        assert!(contacts.iter().any(is_faded));
        assert!([[0, 1], [1, 0]].iter().all(|bodies| contacts.iter().any(|c| c.bodies == *bodies)));
        let drive = |place: &Placement| {
            Drive::Target(Target::new(2.0, &Vec3::new(0.2, 0.3, 0.4), &place.pose(), &Pose::identity()))
        };
        let drives = places.iter().map(drive).collect();
        let mut objective = with(drives, common(0.1), 1e4);
        let start = [places[0], places[1].moved(&Vector6::new(0.05, 0.01, 0.03, 0.01, 0.02, -0.01))];
        let movements = led_from(&start);
        let rubs = contacts.iter().filter_map(|c| {
            FrictionContact::new(c, objective.barriers.between([0, 1]), 1e4, 0.4, 0.2, &places, &movements)
        });
        let rubs = rubs.collect();
        objective.friction.insert([0, 1], rubs);
        assert!(objective.friction_between([0, 1]).len() > 4);
        check_hessian(&objective, &places, &contacts);
    }
}

#[test]
fn hessian_holds_where_ends_of_edges_are_taken_off() {
    let block = Cuboid { size: Vec3::new(1.0, 0.5, 1.0), segments: [1; 3] }.mesh().expect("a block");
    let shapes = [Shape::new(block.clone()), Shape::new(block)];
    let pose =
        |at: [f64; 3], turn: [f64; 3]| Pose::new(Vec3::from(at), rotation_vector::exp(&Vec3::from(turn)));
    let barriers = common(0.2);
    let mut felt = [0; 5];
    for by in [[0.957, 0.56, 0.913], [0.41, 0.55, 0.937], [0.923, 0.57, -0.91]] {
        let poses = [pose([0.0; 3], [0.0, 0.1, 0.0]), pose(by, [0.01, 0.4, -0.02])];
        let places = poses.map(|pose| Placement::new(&pose, Coordinates::Local)).to_vec();
        let bodies: Vec<(&Shape, Pose)> = shapes.iter().zip(poses).collect();
        let found = proximity(&bodies, 0.2, |_, _| true).expect("numbers are finite");
        let contacts =
            found.iter().map(|c| PrimitivePair::among(c, &shapes).crossing([[1.0, 0.5], [0.5, 1.0]]));
        let contacts: Vec<PrimitivePair> = contacts.collect();
        for contact in &contacts {
            if let Some(crossing) = contact.felt(barriers.between([0, 1]), &points(contact, &places)) {
                felt[crossing.n - 1] += 1;
            }
        }
        let drive = |place: &Placement| {
            Drive::Target(Target::new(2.0, &Vec3::new(0.2, 0.3, 0.4), &place.pose(), &Pose::identity()))
        };
        let objective = with(places.iter().map(drive).collect(), common(0.2), 1e3);
        check_hessian(&objective, &places, &contacts);
    }
    // Contacts with no, one and two ends within reach all occur.
    assert!(felt[..3].iter().all(|n| *n > 0), "{felt:?}");
}

/// Balls, capsules and blocks, pressed together along random directions until a gap of half of d̂ is left.
#[test]
fn derivatives_hold_for_round_parts() {
    let points = |x: &[[f64; 3]]| x.iter().map(|x| Vec3::from(*x)).collect::<Vec<_>>();
    let block =
        || Shape::new(Cuboid { size: Vec3::new(1.0, 0.5, 1.2), segments: [1; 3] }.mesh().expect("a block"));
    let ball = || {
        let mesh = Mesh::new(points(&[[0.1, -0.2, 0.05]]), vec![], vec![]).expect("a point");
        Shape::rounded(mesh, vec![0.4])
    };
    let rod = || {
        let mesh =
            Mesh::new(points(&[[-0.5, 0.1, 0.0], [0.6, 0.0, 0.1]]), vec![], vec![[0, 1]]).expect("a wire");
        Shape::rounded(mesh, vec![0.2; 2])
    };
    let d_hat = 0.1;
    let mut kinds = std::collections::BTreeSet::new();
    for (number, shapes) in
        [[block(), ball()], [block(), rod()], [rod(), rod()], [rod(), ball()], [ball(), ball()]]
            .iter()
            .enumerate()
    {
        for k in 0..6 {
            let seed = f64::from(k) + 10.0 * number as f64;
            let part = |i: f64| (12.9898 * (seed + i)).sin();
            let turn =
                |i: f64| rotation_vector::exp(&(Vec3::new(part(i), part(i + 1.0), part(i + 2.0)) * 2.0));
            let direction = Vec3::new(part(6.0), part(7.0), part(8.0)).normalize();
            let rotations = [turn(0.0), turn(3.0)];
            let poses =
                |s: f64| [Pose::new(Vec3::zeros(), rotations[0]), Pose::new(direction * s, rotations[1])];
            let contacts = |poses: [Pose; 2]| -> Vec<PrimitivePair> {
                let bodies: Vec<(&Shape, Pose)> = shapes.iter().zip(poses).collect();
                let found = proximity(&bodies, 10.0, |_, _| true).expect("numbers are finite");
                found.iter().map(|c| PrimitivePair::among(c, shapes).mollified()).collect()
            };
            let gap = |poses: [Pose; 2]| {
                let places = poses.map(|pose| Placement::new(&pose, Coordinates::Local));
                contacts(poses).iter().map(|c| c.distance(&places)).fold(f64::INFINITY, f64::min)
            };
            let (mut near, mut far) = (0.0, 4.0);
            for _ in 0..50 {
                let middle = 0.5 * (near + far);
                if gap(poses(middle)) < 0.5 * d_hat { near = middle } else { far = middle }
            }
            let poses = poses(far);
            let contacts = contacts(poses);
            for coordinates in [Coordinates::Local, Coordinates::RotationVector] {
                let places = poses.map(|pose| Placement::new(&pose, coordinates)).to_vec();
                let felt = contacts.iter().filter(|c| c.distance(&places) < d_hat);
                kinds.extend(felt.map(|c| c.kind as u32));
                let drive = |place: &Placement| {
                    Drive::Target(Target::new(
                        2.0,
                        &Vec3::new(0.2, 0.3, 0.4),
                        &place.pose(),
                        &Pose::identity(),
                    ))
                };
                let drives = places.iter().map(drive).collect();
                let mut objective = with(drives, common(d_hat), 1e3);
                let start = [places[0], places[1].moved(&Vector6::new(0.05, 0.01, 0.03, 0.01, 0.02, -0.01))];
                let movements = led_from(&start);
                let rubs = contacts.iter().filter_map(|c| {
                    FrictionContact::new(
                        c,
                        objective.barriers.between([0, 1]),
                        1e3,
                        0.4,
                        0.2,
                        &places,
                        &movements,
                    )
                });
                let rubs: Vec<FrictionContact> = rubs.collect();
                // The points that rub are on the surfaces.
                for (rub, c) in rubs.iter().flat_map(|rub| contacts.iter().map(move |c| (rub, c))) {
                    if rub.at == c.identity() {
                        let [a, b] = [0, 1].map(|k| places[c.bodies[k]].point(&rub.points_local[k]));
                        assert!(((a - b).norm() - c.distance(&places)).abs() < 1e-12);
                    }
                }
                objective.friction.insert([0, 1], rubs);
                check_gradient(&objective, &places, &contacts);
                check_hessian(&objective, &places, &contacts);
            }
        }
    }
    assert_eq!(kinds.len(), 4, "{kinds:?}");
}

/// All bodies moved by the same way, which changes no distance: f differs by the rounding of points alone.
#[test]
fn the_rounding_of_placements_changes_the_value_by_no_more_than_its_bound() {
    for coordinates in [Coordinates::Local, Coordinates::RotationVector] {
        let (mut objective, near, contacts) = problem(coordinates);
        objective.friction = PairMap::default();
        (objective.drives, objective.kappa) = (vec![Drive::Still; 2], 1e6);
        let value = |places: &[Placement]| value_of(&objective, places, &contacts);
        for size in [1e2, 1e4, 1e6] {
            let mut largest = 0.0_f64;
            for k in 1..=20 {
                // A multiple of 2⁻²⁰ m, and positions rounded to it: the sum is exact.
                let grid = |x: f64| (x * 2.0_f64.powi(20)).round() / 2.0_f64.powi(20);
                let by = Vec3::new(0.37, -0.81, 0.23) * (size * f64::from(k));
                let mut places = near.clone();
                places.iter_mut().for_each(|place| place.position = place.position.map(grid));
                let exact = value(&places);
                places.iter_mut().for_each(|place| place.position += by.map(grid));
                let change = (value(&places) - exact).abs() / exact;
                let bound = derivatives(&objective, &places, &contacts).rounding(&places) / exact;
                assert!(change <= bound, "{coordinates:?}, {by}: {change} > {bound}");
                largest = largest.max(change / bound);
            }
            assert!(largest > 1e-3, "the bound is not idle: {largest}");
        }
    }
}

/// Returns two affine bodies, stretched, and the contacts and the friction between them.
fn affine_problem() -> (Objective, Vec<Placement>, Vec<PrimitivePair>) {
    let (mut objective, rigid, contacts) = problem(Coordinates::Local);
    let strain = Mat3::new(1.01, 0.002, -0.003, 0.001, 0.99, 0.004, -0.002, 0.003, 1.02);
    let places = rigid.iter().map(|place| Placement::affine(&place.pose(), place.matrix * strain)).collect();
    objective.stretch = vec![Stretch::new(0.3, 20.0, 0.5); 2];
    (objective, places, contacts)
}

fn affine_moved(places: &[Placement], body: usize, k: usize, by: f64) -> Vec<Placement> {
    let mut step = Step::<12>::zeros();
    step[k] = by;
    let mut places = places.to_vec();
    places[body] = places[body].moved(&step);
    places
}

fn affine_derivatives(
    objective: &Objective,
    places: &[Placement],
    contacts: &[PrimitivePair],
) -> Derivatives<12> {
    let groups = Groups::of(vec![vec![0, 1]], 2);
    let near = ContactSet::new(vec![contacts.to_vec()], places, f64::INFINITY);
    objective.derivatives(places, &near, &groups, 0, false).0
}

#[test]
fn derivatives_of_affine_bodies_are_those_of_the_value() {
    let (objective, places, contacts) = affine_problem();
    let derivatives = affine_derivatives(&objective, &places, &contacts);
    let (hessian, _) = objective.hessian(&places, &derivatives, false);
    let h = 1e-5;
    let size = hessian.diagonal[0].norm();
    for (body, k) in (0..2).flat_map(|body| (0..12).map(move |k| (body, k))) {
        let at = |by| affine_moved(&places, body, k, by);
        let slope =
            (value_of(&objective, &at(h), &contacts) - value_of(&objective, &at(-h), &contacts)) / (2.0 * h);
        let given = derivatives.gradient[body][k];
        assert!((slope - given).abs() < 1e-6 * (1.0 + given.abs()), "{body} {k}: {slope} {given}");
        let gradient = |by| affine_derivatives(&objective, &at(by), &contacts).gradient;
        let (more, less) = (gradient(h), gradient(-h));
        for other in 0..2 {
            let column = (more[other] - less[other]) / (2.0 * h);
            let block = match (other, body) {
                (0, 0) | (1, 1) => hessian.diagonal[body],
                (1, 0) => hessian.lower[0].1,
                _ => hessian.lower[0].1.transpose(),
            };
            let error = (column - block.column(k)).norm();
            assert!(error < 1e-6 * size, "{other} {body} {k}: {error} of {size}");
        }
    }
}

#[test]
fn the_repaired_matrix_of_affine_bodies_is_positive() {
    let (objective, places, contacts) = affine_problem();
    let derivatives = affine_derivatives(&objective, &places, &contacts);
    let (hessian, _) = objective.hessian(&places, &derivatives, true);
    let mut whole = nalgebra::DMatrix::zeros(24, 24);
    for (body, block) in hessian.diagonal.iter().enumerate() {
        whole.view_mut((12 * body, 12 * body), (12, 12)).copy_from(block);
    }
    whole.view_mut((12, 0), (12, 12)).copy_from(&hessian.lower[0].1);
    assert!(whole.cholesky().is_some());
}

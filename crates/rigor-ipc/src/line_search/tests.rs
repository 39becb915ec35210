use nalgebra::Vector6;
use proptest::prelude::*;
use rigor_ccd::Kind;
use rigor_geometry::Mesh;
use rigor_math::Pose;

use super::*;

/// A body with these vertices (m, body frame): a point, an edge or a triangle.
fn body(vertices: &[Vec3]) -> Shape {
    let (triangles, wires) = match vertices.len() {
        3 => (vec![[0, 1, 2]], vec![]),
        2 => (vec![], vec![[0, 1]]),
        _ => (vec![], vec![]),
    };
    Shape::new(Mesh::new(vertices.to_vec(), triangles, wires).expect("no degenerate primitive"))
}

fn at(position: Vec3) -> Placement {
    Placement::new(&Pose::translation(position), Coordinates::Local)
}

fn step(by: [f64; 3], turn: [f64; 3]) -> Vector6<f64> {
    Vector6::new(by[0], by[1], by[2], turn[0], turn[1], turn[2])
}

/// Returns the contact of the first primitives of bodies 0 and 1.
fn contact(kind: Kind, shapes: &[Shape]) -> PrimitivePair {
    PrimitivePair::among(&Candidate { kind, body_a: 0, body_b: 1, index_a: 0, index_b: 0 }, shapes)
}

/// Returns d and the bound of the approach (m) for a reach that excludes nothing.
fn bounds_of(
    contact: &PrimitivePair,
    shapes: &[Shape],
    places: &[Placement],
    step: &[Vector6<f64>],
) -> (f64, f64) {
    Course { shapes, skins: &[], reach: 1e9, d_min: 0.0, places, steps: Steps::all(step) }.bounds_of(contact)
}

/// Returns the distance (m) at the fraction t of the step.
fn distance_at(contact: &PrimitivePair, places: &[Placement], step: &[Vector6<f64>], t: f64) -> f64 {
    let x = std::array::from_fn(|i| {
        let body = contact.bodies[contact.side(i)];
        places[body].motion(&step[body]).point(t, &contact.points_local[i])
    });
    contact.distance_sq(&x).sqrt()
}

/// Returns the free fraction of the step.
fn free(shapes: &[Shape], places: &[Placement], step: &[Vector6<f64>]) -> f64 {
    free_by(CcdMethod::default(), shapes, places, step)
}

fn free_by(ccd: CcdMethod, shapes: &[Shape], places: &[Placement], step: &[Vector6<f64>]) -> f64 {
    let skins: Vec<Arc<Skin>> = shapes.iter().map(|shape| Arc::new(Skin::plain(shape.mesh()))).collect();
    let bounds: Vec<Aabb> = shapes.iter().map(|shape| shape.mesh().bounds()).collect();
    let (may_collide, nearby) = (|_, _| true, &mut CandidateCache::default());
    let mut surroundings = StepContext {
        shapes,
        skins: &skins,
        bounds: &bounds,
        reach: 0.01,
        d_min: 0.0,
        may_collide: &may_collide,
        nearby,
        ccd,
        broad_phase: BroadPhase::default(),
    };
    surroundings.free_fraction(places, Steps::all(step)).expect("the bodies are apart")
}

/// An edge along z, 1 m above the centre of its body, and one across it, 0.1 m below, that rests.
///
/// Turned by ½ rad about z, the upper edge moves along the lower one at first, so that no point approaches.
/// It sinks by 1 − cos ½ = 0.122 m, and meets the lower edge at cos φ = 0.9, t = 0.902.
fn crossed() -> ([Shape; 2], [Placement; 2], [Vector6<f64>; 2]) {
    let turning = body(&[Vec3::new(0.0, 1.0, -0.1), Vec3::new(0.0, 1.0, 0.1)]);
    let resting = body(&[Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)]);
    let places = [at(Vec3::zeros()), at(Vec3::new(0.0, 0.9, 0.0))];
    ([turning, resting], places, [step([0.0; 3], [0.0, 0.0, 0.5]), Vector6::zeros()])
}

#[test]
fn edges_that_meet_only_because_one_turns_are_not_skipped() {
    let (mut shapes, mut places, mut step) = crossed();
    for turning in [0, 1] {
        let contact = contact(Kind::EdgeEdge, &shapes);
        let (d, approach) = bounds_of(&contact, &shapes, &places, &step);
        // ½ r ‖Δθ‖² with r² = 1.01: without a linear part.
        assert!((d - 0.1).abs() < 1e-15 && (approach - 0.125 * 1.01_f64.sqrt()).abs() < 1e-9);
        let alpha = free(&shapes, &places, &step);
        assert!((0.5..0.902).contains(&alpha), "body {turning} turns: {alpha}");
        assert!(distance_at(&contact, &places, &step, alpha) > 0.0);
        shapes.swap(0, 1);
        places.swap(0, 1);
        step.swap(0, 1);
    }
}

/// A gap of 10⁻⁸ m, a hundredth of the tolerance of algorithm 1, between edges that cross, askew to all axes.
#[test]
fn algorithm_1_frees_a_part_of_a_step_within_its_tolerance() {
    let askew = Vec3::new(0.3, 0.5, 0.7);
    let upper = body(&[Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)]);
    let lower = body(&[Vec3::new(-1.0, 0.0, -1.0), Vec3::new(0.7, 0.0, 0.7)]);
    let up = rigor_math::rotation_vector::exp(&askew) * Vec3::y();
    let place = |x: Vec3| Placement::new(&Pose::from_rotation_vector(x, &askew), Coordinates::Local);
    let (shapes, places) = ([upper, lower], [place(up * 1e-8), place(Vec3::zeros())]);
    let steps = [step((up * -1e-3).into(), [0.1, 0.2, 0.1]), Vector6::zeros()];
    let alpha = free_by(CcdMethod::PiecewiseLinearInterval, &shapes, &places, &steps);
    let kept = distance_at(&contact(Kind::EdgeEdge, &shapes), &places, &steps, alpha);
    assert!(alpha > 0.0 && kept > 0.2e-8, "{alpha} {kept}");
    assert!(alpha < free(&shapes, &places, &steps));
}

/// Both turn by as much: each contributes half of the approach, and neither alone closes the gap.
#[test]
fn the_turns_of_both_bodies_count() {
    let ([turning, _], [place, _], [turn, _]) = crossed();
    let below = body(&[Vec3::new(-0.1, -1.0, 0.0), Vec3::new(0.1, -1.0, 0.0)]);
    let shapes = [turning, below];
    // The lower edge, below the centre of its body, rises as it turns about x.
    let places = [place, at(Vec3::new(0.0, 1.8, 0.0))];
    let step = [turn, step([0.0; 3], [0.5, 0.0, 0.0])];
    let contact = contact(Kind::EdgeEdge, &shapes);
    let (d, approach) = bounds_of(&contact, &shapes, &places, &step);
    assert!((d - 0.2).abs() < 1e-15 && (approach - 0.25 * 1.01_f64.sqrt()).abs() < 1e-9, "{d} {approach}");
}

/// Bodies within reach at the start are in contact there, however fast they part.
#[test]
fn bodies_that_part_come_no_closer_than_they_are() {
    let ([a, b], places, _) = crossed();
    let shapes = [a, b];
    let step = [step([0.0, 1.0, 0.0], [0.0; 3]), Vector6::zeros()];
    let (d, approach) = bounds_of(&contact(Kind::EdgeEdge, &shapes), &shapes, &places, &step);
    assert!((0.0..1e-9).contains(&approach) && d - approach <= 0.1, "{approach}");
}

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

fn triangle() -> impl Strategy<Value = [Vec3; 3]> {
    let of = |(center, a, b): (Vec3, Vec3, Vec3)| [center, center + a, center + b];
    let is_wide = |[a, b, c]: &[Vec3; 3]| (b - a).cross(&(c - a)).norm() > 1e-3;
    (vector(1.0), vector(0.3), vector(0.3)).prop_map(of).prop_filter("a triangle", is_wide)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    /// Steps are made of turns and of what turns leave over: with a displacement that cancels the velocity of
    /// one point, the linear part is small and the turning part decides.
    #[test]
    fn no_pair_comes_closer_than_the_bound_says(
        corners in (triangle(), triangle()),
        apart in vector(2.0),
        turns in (vector(1.5), vector(1.5)),
        rest in vector(0.1),
    ) {
        let [a, b] = [corners.0, corners.1];
        let shapes = [body(&a), body(&b)];
        let places = [at(apart), at(Vec3::zeros())];
        let cancels = turns.1.cross(&b[0]) - turns.0.cross(&a[0]) + rest;
        let step = [step(cancels.into(), turns.0.into()), step([0.0; 3], turns.1.into())];
        for kind in [Kind::PointPoint, Kind::PointEdge, Kind::PointTriangle, Kind::EdgeEdge] {
            let contact = contact(kind, &shapes);
            let (d, approach) = bounds_of(&contact, &shapes, &places, &step);
            let distances = (0..=64).map(|i| distance_at(&contact, &places, &step, f64::from(i) / 64.0));
            let nearest = distances.fold(f64::INFINITY, f64::min);
            prop_assert!(nearest >= d - approach, "{kind:?}: {nearest} m, not {d} m - {approach} m");
        }
    }
}

/// Points 2²⁰ m from the origin, where coordinates are multiples of g = 2⁻³² m: that of A is rounded up by
/// 0.4 g and that of B down by 0.2 g, so the distance found exceeds the exact one, 2 m + 0.4 g, by 0.6 g.
#[test]
fn the_bound_includes_what_rounding_adds_to_a_distance() {
    let (far, g) = (Vec3::x() * 2.0_f64.powi(20), 2.0_f64.powi(-32));
    let shapes = [body(&[Vec3::x() * (2.0 + 0.6 * g)]), body(&[Vec3::x() * (0.2 * g)])];
    let places = [at(far), at(far)];
    let contact = contact(Kind::PointPoint, &shapes);
    // At rest, by the bound of speeds; and sideways, by that of the motion along the normal.
    for by in [0.0, 1.0] {
        let step = [step([0.0, by, 0.0], [0.0; 3]), Vector6::zeros()];
        let (d, approach) = bounds_of(&contact, &shapes, &places, &step);
        assert_eq!(d, 2.0 + g);
        assert!(d - approach <= 2.0 + 0.4 * g && approach < 1e-6, "{by}: {approach}");
    }
}

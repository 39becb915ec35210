//! Checks contacts against linear programming in rational arithmetic, and containment against known geometry.

use proptest::prelude::*;
use rigor_math::Vec3;

use super::containment::{Containment, containment, winding, winding_number};
use super::{Relation, edge_edge, edge_triangle, point_edge, point_point, point_triangle, triangle_triangle};
use crate::oracle;

/// Coordinates on a small grid, so that points coincide, line up and share planes; then scaled, exactly or
/// not, and in half of the samples each coordinate moved by up to one unit in the last place.
fn points<const N: usize>() -> impl Strategy<Value = [Vec3; N]> {
    let grid = proptest::array::uniform(proptest::array::uniform3(-1..=2i32));
    let flat = prop::sample::select(vec![false, false, true]);
    let sizes = vec![1.0, 1.0, 0.1, 1.0 / 3.0, 1e-8, 1e8, 2f64.powi(-290), 2f64.powi(330)];
    let nudges = proptest::array::uniform(proptest::array::uniform3(-1..=1i32));
    let nudged = prop::sample::select(vec![false, true]);
    (grid, flat, prop::sample::select(sizes), nudges, nudged).prop_map(
        |(grid, flat, size, nudges, nudged): ([[i32; 3]; N], _, f64, [[i32; 3]; N], _)| {
            std::array::from_fn(|i| {
                Vec3::from_fn(|k, _| {
                    let x = if flat && k == 2 { size } else { f64::from(grid[i][k]) * size };
                    match nudges[i][k] {
                        // The neighbours of 0 are far out of range.
                        _ if !nudged || x == 0.0 => x,
                        -1 => x.next_down(),
                        1 => x.next_up(),
                        _ => x,
                    }
                })
            })
        },
    )
}

/// Two triangles, the second placed at a point of the first: they meet often, and in few points.
fn hinged_triangles() -> impl Strategy<Value = [[Vec3; 3]; 2]> {
    (points::<6>(), prop::sample::select(vec![0.0, 0.5, 1.0]), prop::sample::select(vec![0.0, 0.5, 1.0]))
        .prop_map(|([a, b, c, d, e, f], s, t)| {
            let shift = a + (b - a) * s + (c - a) * (t * (1.0 - s)) - d;
            [[a, b, c], [d + shift, e + shift, f + shift]]
        })
}

fn split<const N: usize, const M: usize>(all: &[Vec3]) -> ([Vec3; N], [Vec3; M]) {
    (std::array::from_fn(|i| all[i]), std::array::from_fn(|i| all[N + i]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn points_meet_points_and_edges(x in points::<3>()) {
        let [p, a, b] = x;
        prop_assert_eq!(point_point::contact(&p, &a), oracle::contact(&[p], &[a]));
        prop_assert_eq!(point_edge::contact(&p, &[a, b]), oracle::contact(&[p], &[a, b]));
    }

    #[test]
    fn edges_meet_edges_and_points_meet_triangles(x in points::<4>()) {
        let (a, b) = split::<2, 2>(&x);
        prop_assert_eq!(edge_edge::contact(&a, &b), oracle::contact(&a, &b));
        let ([p], t) = split::<1, 3>(&x);
        prop_assert_eq!(point_triangle::contact(&p, &t), oracle::contact(&[p], &t));
    }

    #[test]
    fn edges_meet_triangles(x in points::<5>()) {
        let (a, b) = split::<2, 3>(&x);
        prop_assert_eq!(edge_triangle::contact(&a, &b), oracle::contact(&a, &b));
    }

    #[test]
    fn triangles_meet_triangles(x in points::<6>()) {
        let (a, b) = split::<3, 3>(&x);
        prop_assert_eq!(triangle_triangle::contact(&a, &b), oracle::contact(&a, &b));
        prop_assert_eq!(triangle_triangle::contact(&b, &a), triangle_triangle::contact(&a, &b));
    }

    #[test]
    fn hinged_triangles_meet([a, b] in hinged_triangles()) {
        prop_assert_eq!(triangle_triangle::contact(&a, &b), oracle::contact(&a, &b));
        let edge = [b[0], b[1]];
        prop_assert_eq!(edge_triangle::contact(&edge, &a), oracle::contact(&edge, &a));
        prop_assert_eq!(point_triangle::contact(&b[0], &a), oracle::contact(&[b[0]], &a));
    }
}

#[test]
fn the_generators_meet_every_contact() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let mut counts = [0; 3];
    for _ in 0..1000 {
        let [a, b] = hinged_triangles().new_tree(&mut runner).unwrap().current();
        counts[triangle_triangle::contact(&a, &b) as usize] += 1;
    }
    assert!(counts.iter().all(|&n| n > 50), "{counts:?}");
}

#[test]
fn one_unit_in_the_last_place_decides() {
    let t = [[0.0, 0.0, 0.1], [1.0, 0.0, 0.1], [0.0, 1.0, 0.1]].map(Vec3::from);
    let spike = |z: f64| [[0.3, 0.3, z], [0.3, 0.4, 1.0], [0.4, 0.3, 1.0]].map(Vec3::from);
    assert_eq!(triangle_triangle::contact(&t, &spike(0.1_f64.next_up())), Relation::Disjoint);
    assert_eq!(triangle_triangle::contact(&t, &spike(0.1)), Relation::Touching);
    assert_eq!(triangle_triangle::contact(&t, &spike(0.1_f64.next_down())), Relation::Crossing);
}

#[test]
fn triangles_that_cross_from_edge_to_edge_cross() {
    // The common segment runs from −x to x, where the triangles have an edge or a corner: no edge meets the
    // inside of a triangle, and yet no small motion separates them, even if they share a corner.
    let a = [[-1.0, 0.0, -1.0], [-1.0, 0.0, 1.0], [1.0, 0.0, 0.0]].map(Vec3::from);
    let b = [[-1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [1.0, 0.0, 0.0]].map(Vec3::from);
    let c = b.map(|p| Vec3::new(-p.x, p.y, p.z));
    for other in [b, c] {
        assert_eq!(triangle_triangle::contact(&a, &other), Relation::Crossing);
        assert_eq!(oracle::contact(&a, &other), Relation::Crossing);
    }
}

/// A cube [0, 1]³ of 12 triangles.
fn cube() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let vertices =
        (0..8).map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    (vertices, quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

#[test]
fn a_cube_contains_its_inside() {
    let (vertices, triangles) = cube();
    // Many of these 7³ points lie under edges and vertices, in planes of faces, or on faces, edges and
    // vertices.
    let ticks = [-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5];
    for p in ticks.iter().flat_map(|&x| ticks.iter().flat_map(move |&y| ticks.map(|z| Vec3::new(x, y, z)))) {
        let (is_closed, is_open) =
            (p.iter().all(|x| (0.0..=1.0).contains(x)), p.iter().all(|x| 0.0 < *x && *x < 1.0));
        let (expected, turns) = match (is_closed, is_open) {
            (false, _) => (Containment::Outside, Some(0)),
            (true, false) => (Containment::On, None),
            (true, true) => (Containment::Inside, Some(1)),
        };
        assert_eq!(containment(&p, &vertices, &triangles), expected, "{p}");
        assert_eq!(winding(&p, &vertices, &triangles), turns, "{p}");
        if let Some(turns) = turns {
            assert!((winding_number(&p, &vertices, &triangles) - f64::from(turns)).abs() < 1e-14);
        }
    }
}

#[test]
fn one_unit_in_the_last_place_decides_containment() {
    let (vertices, triangles) = cube();
    for (x, expected) in [
        (1f64.next_down(), Containment::Inside),
        (1.0, Containment::On),
        (1f64.next_up(), Containment::Outside),
        (1e-90, Containment::Inside),
        (-1e-90, Containment::Outside),
    ] {
        for axis in 0..3 {
            let mut p = Vec3::new(0.25, 0.5, 0.75);
            p[axis] = x;
            assert_eq!(containment(&p, &vertices, &triangles), expected, "axis {axis}, {x:e}");
        }
    }
}

#[test]
fn winding_tells_overlap_and_inversion() {
    let (mut vertices, mut triangles) = cube();
    vertices.extend((0..8).map(|i| vertices[i] + Vec3::new(0.5, 0.5, 0.5)).collect::<Vec<_>>());
    triangles.extend((0..12).map(|i| triangles[i].map(|v| v + 8)).collect::<Vec<_>>());
    let (overlap, first) = (Vec3::new(0.75, 0.75, 0.75), Vec3::new(0.25, 0.25, 0.25));
    assert_eq!(winding(&overlap, &vertices, &triangles), Some(2));
    assert_eq!(winding(&first, &vertices, &triangles), Some(1));
    let inverted: Vec<_> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert_eq!(winding(&overlap, &vertices, &inverted), Some(-2));
    assert_eq!(containment(&first, &vertices, &inverted), Containment::Inside);
}

#[test]
fn an_open_box_winds_by_the_solid_angle_it_covers() {
    let (vertices, triangles) = cube();
    let without_top: Vec<_> =
        triangles.iter().enumerate().filter(|(i, _)| i / 2 != 1).map(|(_, t)| *t).collect();
    // From the centre every face covers a sixth of the sphere.
    let number = winding_number(&Vec3::new(0.5, 0.5, 0.5), &vertices, &without_top);
    assert!((number - 5.0 / 6.0).abs() < 1e-15);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// A tetrahedron contains p if p is on the same side of all faces; they often share coordinates.
    #[test]
    fn a_tetrahedron_contains_what_its_faces_enclose(x in points::<5>()) {
        let [p, a, b, c, d] = x;
        let volumes = [[a, b, c, d], [p, b, c, d], [a, p, c, d], [a, b, p, d], [a, b, c, p]]
            .map(|[a, b, c, d]| oracle::volume(&a, &b, &c, &d));
        let zero = oracle::rational(0.0);
        // A flat tetrahedron has no inside, and its closed surface covers its hull.
        if volumes[0] == zero {
            let on = oracle::contact(&[p], &[a, b, c, d]) == Relation::Touching;
            let expected = if on { Containment::On } else { Containment::Outside };
            prop_assert_eq!(containment(&p, &[a, b, c, d], &[[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]), expected);
            return Ok(());
        }
        let parts = volumes[1..].iter().map(|v| v * &volumes[0]);
        let expected = match parts.min().unwrap() {
            least if least > zero => Containment::Inside,
            least if least == zero => Containment::On,
            _ => Containment::Outside,
        };
        let faces = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
        prop_assert_eq!(containment(&p, &[a, b, c, d], &faces), expected);
        let outward = if volumes[0] < zero { 1 } else { -1 };
        let turns = match expected {
            Containment::Inside => Some(outward),
            Containment::On => None,
            Containment::Outside => Some(0),
        };
        prop_assert_eq!(winding(&p, &[a, b, c, d], &faces), turns);
    }
}

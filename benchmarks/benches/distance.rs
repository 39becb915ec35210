//! Distances with derivatives, the mollifier, and exact tests: time for 1000 inputs that cover every region.

use divan::{Bencher, black_box, counter::ItemsCount};
use rigor_geometry::distance::{edge_edge, point_edge, point_triangle};
use rigor_geometry::intersection::{containment, edge_triangle, triangle_triangle};
use rigor_geometry::mollifier;
use rigor_math::Vec3;

fn main() {
    divan::main();
}

/// Inputs per measurement, so that displayed microseconds are nanoseconds per call.
const N: usize = 1000;

/// Points in [−1, 1]³ from a linear congruential sequence, identical in every run.
fn points(n: usize) -> Vec<Vec3> {
    let mut state: u64 = 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..n).map(|_| Vec3::new(next(), next(), next())).collect()
}

fn quadruples() -> Vec<[Vec3; 4]> {
    points(4 * N).as_chunks().0.to_vec()
}

/// Inputs in the region with the highest cost, repeated as often as necessary.
fn in_region(keep: impl Fn(&[Vec3; 4]) -> bool) -> Vec<[Vec3; 4]> {
    let found: Vec<_> = quadruples().into_iter().filter(keep).collect();
    found.iter().cycle().take(N).copied().collect()
}

/// Measures the time per item of `f` over `inputs`.
fn each<I, O>(bencher: Bencher, inputs: &[I], f: impl Fn(&I) -> O) {
    bencher.counter(ItemsCount::new(inputs.len())).bench_local(|| {
        for input in black_box(inputs) {
            black_box(f(input));
        }
    });
}

macro_rules! distance_benches {
    ($name:ident, $module:ident, $inputs:expr) => {
        mod $name {
            use super::*;

            #[divan::bench]
            fn closest(bencher: Bencher) {
                each(bencher, &$inputs, |[a, b, c, d]| $module::closest(a, b, c, d));
            }

            #[divan::bench]
            fn region(bencher: Bencher) {
                each(bencher, &$inputs, |[a, b, c, d]| $module::region(a, b, c, d));
            }

            #[divan::bench]
            fn value(bencher: Bencher) {
                each(bencher, &$inputs, |[a, b, c, d]| $module::distance_sq(a, b, c, d));
            }

            #[divan::bench]
            fn gradient(bencher: Bencher) {
                each(bencher, &$inputs, |[a, b, c, d]| $module::distance_sq_gradient(a, b, c, d));
            }

            #[divan::bench]
            fn hessian(bencher: Bencher) {
                each(bencher, &$inputs, |[a, b, c, d]| $module::distance_sq_hessian(a, b, c, d));
            }
        }
    };
}

distance_benches!(point_triangle_any_region, point_triangle, quadruples());
distance_benches!(
    point_triangle_face,
    point_triangle,
    in_region(|[p, a, b, c]| point_triangle::region(p, a, b, c) == point_triangle::Region::Face)
);
distance_benches!(edge_edge_any_region, edge_edge, quadruples());
distance_benches!(
    edge_edge_interior,
    edge_edge,
    in_region(|[a0, a1, b0, b1]| edge_edge::region(a0, a1, b0, b1) == edge_edge::Region::EdgeAEdgeB)
);

mod point_edge_any_region {
    use super::*;

    #[divan::bench]
    fn value(bencher: Bencher) {
        each(bencher, &quadruples(), |[p, a, b, _]| point_edge::distance_sq(p, a, b));
    }

    #[divan::bench]
    fn gradient(bencher: Bencher) {
        each(bencher, &quadruples(), |[p, a, b, _]| point_edge::distance_sq_gradient(p, a, b));
    }

    #[divan::bench]
    fn hessian(bencher: Bencher) {
        each(bencher, &quadruples(), |[p, a, b, _]| point_edge::distance_sq_hessian(p, a, b));
    }
}

mod mollifier_below_threshold {
    use super::*;

    const E_X: f64 = 100.0;

    #[divan::bench]
    fn value(bencher: Bencher) {
        each(bencher, &quadruples(), |[a0, a1, b0, b1]| mollifier::value(a0, a1, b0, b1, E_X));
    }

    #[divan::bench]
    fn gradient(bencher: Bencher) {
        each(bencher, &quadruples(), |[a0, a1, b0, b1]| mollifier::gradient(a0, a1, b0, b1, E_X));
    }

    #[divan::bench]
    fn hessian(bencher: Bencher) {
        each(bencher, &quadruples(), |[a0, a1, b0, b1]| mollifier::hessian(a0, a1, b0, b1, E_X));
    }
}

mod exact_triangle_triangle {
    use super::*;

    /// Pairs of triangles in [−1, 1]³, coplanar up to rounding if `flat`, the second scaled by `size` about a
    /// corner.
    fn pairs(flat: bool, size: f64) -> Vec<[[Vec3; 3]; 2]> {
        let all: Vec<[Vec3; 6]> = points(6 * N).as_chunks().0.to_vec();
        let pair = |[a, b, c, d, e, f]: &[Vec3; 6]| {
            let place = |p: &Vec3| if flat { a + (b - a) * p.x + (c - a) * p.y } else { *p };
            let [d, e, f] = [d, e, f].map(place);
            [[*a, *b, *c], [d, d + (e - d) * size, d + (f - d) * size]]
        };
        all.iter().map(pair).collect()
    }

    #[divan::bench]
    fn any(bencher: Bencher) {
        each(bencher, &pairs(false, 1.0), |[a, b]| triangle_triangle::contact(a, b));
    }

    #[divan::bench]
    fn crossing(bencher: Bencher) {
        let crossing = |[a, b]: &[[Vec3; 3]; 2]| {
            triangle_triangle::contact(a, b) == rigor_geometry::intersection::Relation::Crossing
        };
        let found: Vec<_> = pairs(false, 1.0).into_iter().filter(crossing).collect();
        each(bencher, &found, |[a, b]| triangle_triangle::contact(a, b));
    }

    #[divan::bench]
    fn small_against_large(bencher: Bencher) {
        each(bencher, &pairs(false, 0.1), |[a, b]| triangle_triangle::contact(a, b));
    }

    #[divan::bench]
    fn nearly_coplanar(bencher: Bencher) {
        each(bencher, &pairs(true, 1.0), |[a, b]| triangle_triangle::contact(a, b));
    }

    #[divan::bench]
    fn coplanar(bencher: Bencher) {
        let flat = |t: [Vec3; 3]| t.map(|p| Vec3::new(p.x, p.y, 0.0));
        let pairs: Vec<_> = pairs(false, 1.0).into_iter().map(|pair| pair.map(flat)).collect();
        each(bencher, &pairs, |[a, b]| triangle_triangle::contact(a, b));
    }

    #[divan::bench]
    fn edge_against_triangle(bencher: Bencher) {
        each(bencher, &pairs(false, 1.0), |[a, b]| edge_triangle::contact(&[a[0], a[1]], b));
    }
}

mod exact_containment {
    use super::*;

    /// Per triangle: a point against a mesh of 1000 triangles.
    #[divan::bench]
    fn per_triangle(bencher: Bencher) {
        let vertices = points(3 * N);
        let triangles: Vec<[u32; 3]> = (0..N as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let p = Vec3::new(0.1, 0.2, -0.3);
        bencher.counter(ItemsCount::new(N)).bench_local(|| {
            containment::containment(black_box(&p), black_box(&vertices), black_box(&triangles))
        });
    }
}

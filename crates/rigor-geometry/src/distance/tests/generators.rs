//! Points in awkward positions: coplanar, collinear or nearly so; tiny or huge.

use proptest::prelude::*;
use rigor_math::Vec3;

pub fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![2 => -1.0..1.0, 1 => (-2..=2).prop_map(|i| f64::from(i) / 2.0)]
}

pub fn point() -> impl Strategy<Value = Vec3> {
    [coordinate(), coordinate(), coordinate()].prop_map(Vec3::from)
}

/// Decades from `least` up to the size of everything else; also exactly 0 if `least` is 0.
fn deviation(least: f64) -> impl Strategy<Value = f64> {
    let all = [0.0, 1e-16, 1e-12, 1e-8, 1e-4, 3e-3, 1e-2, 1e-1, 1.0];
    prop::sample::select(all.into_iter().filter(|d| *d >= least).collect::<Vec<_>>())
}

pub fn size() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![1e-8, 1.0, 1e8])
}

/// p and a triangle: c is off the line ab by at least `least`, p off the plane by any deviation.
pub fn point_and_triangle(least: f64) -> impl Strategy<Value = [Vec3; 4]> {
    let numbers = ([coordinate(), coordinate(), coordinate()], deviation(least), deviation(0.0));
    ([point(), point(), point(), point()], numbers, size(), 0..3usize).prop_map(
        |([p, a, b, c], ([r, s, t], needle, height), size, turn)| {
            let c = if needle == 1.0 { c } else { a + (b - a) * (2.0 * r) + c * needle };
            let foot = a + (b - a) * (1.5 * s) + (c - a) * (1.5 * t);
            let p = if height == 1.0 { p } else { foot + p * height };
            let mut corners = [a, b, c];
            corners.rotate_left(turn);
            [p, corners[0], corners[1], corners[2]].map(|x| x * size)
        },
    )
}

/// Two edges: B deviates from parallel to A by at least `least`; their lines are any deviation apart.
pub fn two_edges(least: f64) -> impl Strategy<Value = [Vec3; 4]> {
    let numbers = ([coordinate(), coordinate(), coordinate()], deviation(least), deviation(0.0));
    ([point(), point(), point(), point()], numbers, size()).prop_map(
        |([a0, a1, b0, d], ([r, s, t], tilt, gap), size)| {
            let u = a1 - a0;
            let v = if tilt == 1.0 { d } else { u * (2.0 * t) + d * tilt };
            let b0 = if gap == 1.0 { b0 } else { a0 + u * (1.5 * r) - v * s + b0 * gap };
            [a0, a1, b0, b0 + v].map(|x| x * size)
        },
    )
}

/// The longest difference between any two of the points.
pub fn extent(points: &[Vec3]) -> f64 {
    points.iter().flat_map(|p| points.iter().map(move |q| (p - q).norm())).fold(0.0, f64::max)
}

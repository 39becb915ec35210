//! A plane between two bodies in two frames.

use std::sync::Arc;

use rigor_math::{Pose, Vec3};

use crate::displacement;
use crate::surface::shape::{Shape, corners};

/// More than the roundings of a placed vertex and of a product, as a fraction of the coordinates.
const ROUNDINGS: f64 = 256.0 * f64::EPSILON;

/// What is allowed for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowance {
    /// Maximum detour (m).
    pub(super) detour: f64,
    /// Distance (m) of the centres of mass from the world's origin, both together: poses are as precise as that is large.
    pub(super) remoteness: f64,
}

/// Returns whether the first body, moved by an allowed detour along `normal` (in the frame of the second), gets from its first
/// pose relative to the second to the others, in order, without touching it.
///
/// Let n be a unit vector with a gap g = min n·x over the first body − max n·y over the second, in the first pose, and a gap of
/// at least 0 in the last. If no point of the first body ever gets farther than δ from its place in the first pose
/// ([`displacement::bound`]), the body, shifted by d ≥ δ − g along n, stays on its side of the plane all the way, and so it
/// does on the way to its shift and back. The detour is d = max(δ − g, 0).
pub(super) fn is_passable(
    shapes: [&Arc<Shape>; 2],
    poses: &[Pose],
    normal: &Vec3,
    allowed: Allowance,
) -> bool {
    let (Some(first), Some(last)) = (poses.first(), poses.last()) else { return false };
    let Some(n) = normal.try_normalize(0.0) else { return false };
    let radius = shapes[0].radius;
    let way = poses.iter().map(|pose| displacement::bound(first, pose, radius)).fold(0.0, f64::max);
    let least = way - allowed.detour;
    let end = farthest(shapes[1], &Pose::identity(), &n);
    let gap = |pose: &Pose| -farthest(shapes[0], pose, &-n) - end - noise(shapes, pose, allowed.remoteness);
    gap(first) >= least.max(0.0) && gap(last) >= 0.0
}

/// Returns max n · x (m) over the vertices of a body.
fn farthest(shape: &Shape, pose: &Pose, n: &Vec3) -> f64 {
    let local = pose.inverse_vector(n);
    let mut most = f64::NEG_INFINITY;
    shape.tree.extreme(&local, most, &mut |index| {
        for v in corners(&shape.mesh, index as usize) {
            most = most.max(local.dot(&shape.mesh.vertices()[*v as usize]));
        }
        most
    });
    most + n.dot(&pose.position)
}

/// Returns an upper bound on the rounding error (m) of a gap.
fn noise(shapes: [&Arc<Shape>; 2], pose: &Pose, remoteness: f64) -> f64 {
    let stretch = (pose.rotation.coords.norm_squared() - 1.0).abs();
    (ROUNDINGS + 8.0 * stretch) * (remoteness + pose.position.norm() + shapes[0].radius + shapes[1].radius)
}

#[cfg(test)]
mod tests {
    use rigor_math::rotation_vector;
    use rigor_shapes::Cuboid;

    use super::*;

    fn cube() -> Arc<Shape> {
        Arc::new(Shape::new(&Arc::new(Cuboid::new(Vec3::repeat(2.0)).mesh().expect("a box"))))
    }

    fn passes(shapes: [&Arc<Shape>; 2], poses: &[Pose], normal: Vec3, detour: f64) -> bool {
        is_passable(shapes, poses, &normal, Allowance { detour, remoteness: 0.0 })
    }

    fn at(x: f64, y: f64) -> Pose {
        Pose::translation(Vec3::new(x, y, 0.0))
    }

    #[test]
    fn a_cube_that_slides_on_another_stays_on_its_side() {
        let (lower, upper) = (cube(), cube());
        let is_passable = |poses: &[Pose], normal, detour| passes([&upper, &lower], poses, normal, detour);
        let slide = [at(0.0, 2.0 + 1e-9), at(0.05, 2.0 + 1e-9)];
        assert!(is_passable(&slide, Vec3::y(), 0.06));
        assert!(!is_passable(&slide, Vec3::y(), 0.04), "the detour does not suffice");
        assert!(!is_passable(&slide, Vec3::x(), 0.06), "no such plane");
        assert!(!is_passable(&slide, Vec3::zeros(), 0.06));
    }

    #[test]
    fn sinking_in_between_is_allowed_and_ending_on_the_other_side_is_not() {
        let (lower, upper) = (cube(), cube());
        let shapes = [&upper, &lower];
        let dip = [at(0.0, 2.01), at(0.0, 1.97), at(0.0, 2.01)];
        assert!(passes(shapes, &dip, Vec3::y(), 0.05));
        assert!(!passes(shapes, &dip[..2], Vec3::y(), 0.05));
        let through = [at(0.0, 2.01), at(0.0, -2.01)];
        assert!(!passes(shapes, &through, Vec3::y(), 5.0));
    }

    #[test]
    fn a_turned_body_is_measured_by_its_corners() {
        let (lower, upper) = (cube(), cube());
        let turn = rotation_vector::exp(&(Vec3::z() * std::f64::consts::FRAC_PI_4));
        let on_edge = |y: f64| Pose::new(Vec3::y() * y, turn);
        let shapes = [&upper, &lower];
        let low = [on_edge(2.41), on_edge(2.41)];
        let high = [on_edge(2.42), on_edge(2.42)];
        assert!(!passes(shapes, &low, Vec3::y(), 1.0), "1 + √2 is more than 2.41");
        assert!(passes(shapes, &high, Vec3::y(), 0.0));
    }
}

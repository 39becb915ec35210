//! Where bodies are in a substep, and how fast.

use rayon::prelude::*;
use rigor_geometry::Aabb;
use rigor_math::{Pose, Vec3};

use crate::feature::{FeatureCache, Features};
use crate::frame::Frame;

/// Minimum number of bodies to place in parallel.
const PARALLEL: usize = 128;

/// A body that moves from one pose to another within a substep.
pub trait Moving {
    /// The pose at which contacts are searched: the one that the body would reach without them.
    fn pose(&self) -> &Pose;

    /// The pose before the substep.
    fn pose_prev(&self) -> &Pose;

    /// v (m/s, world).
    fn linear_velocity(&self) -> &Vec3;

    /// ω (rad/s, world).
    fn angular_velocity(&self) -> &Vec3;

    /// Whether the body stays where it was at the last search.
    fn rests(&self) -> bool {
        false
    }
}

/// A body with nothing but its motion in a substep.
#[derive(Debug, Clone, Copy)]
pub struct Motion {
    /// The pose before the substep.
    pub before: Pose,
    /// The pose that it would reach without contacts.
    pub now: Pose,
    /// v (m/s, world).
    pub linear_velocity: Vec3,
    /// ω (rad/s, world).
    pub angular_velocity: Vec3,
}

impl Motion {
    /// A body that stays at `pose`.
    pub fn still(pose: Pose) -> Self {
        Self { before: pose, now: pose, linear_velocity: Vec3::zeros(), angular_velocity: Vec3::zeros() }
    }
}

impl Moving for Motion {
    fn pose(&self) -> &Pose {
        &self.now
    }

    fn pose_prev(&self) -> &Pose {
        &self.before
    }

    fn linear_velocity(&self) -> &Vec3 {
        &self.linear_velocity
    }

    fn angular_velocity(&self) -> &Vec3 {
        &self.angular_velocity
    }
}

/// A body's frames at the predicted pose and before the substep, and its bounding box (world) at the former.
#[derive(Debug)]
pub struct Place {
    /// At the predicted pose.
    pub now: Frame,
    /// Before the substep.
    pub before: Frame,
    bounds: Aabb,
}

impl Default for Place {
    fn default() -> Self {
        Self { now: Frame::default(), before: Frame::default(), bounds: Aabb::EMPTY }
    }
}

impl Place {
    /// Places a body with these `features`.
    pub fn new(body: &impl Moving, features: &Features) -> Self {
        let bounds = features.bounds.transformed(body.pose());
        Self { now: Frame::of(body.pose()), before: Frame::of(body.pose_prev()), bounds }
    }

    /// Places anew the `bodies` that do not rest.
    pub fn update<B: Moving + Sync>(places: &mut Vec<Self>, bodies: &[B], features: &FeatureCache) {
        let place = |(i, (place, body)): (usize, (&mut Self, &B))| {
            if !body.rests() {
                *place = Self::new(body, features.of(i));
            }
        };
        places.resize_with(bodies.len(), Self::default);
        if bodies.len() < PARALLEL {
            places.iter_mut().zip(bodies).enumerate().for_each(place);
        } else {
            places.par_iter_mut().zip(bodies).enumerate().with_min_len(PARALLEL / 2).for_each(place);
        }
    }

    /// Returns whether the boxes of the two bodies, the first grown by `far` (m), do not overlap.
    pub(crate) fn is_apart(&self, other: &Self, far: f64) -> bool {
        !self.bounds.grow(far).overlaps(&other.bounds)
    }
}

/// A body with its features.
#[derive(Debug)]
pub struct Placed<'a, B> {
    /// The body.
    pub body: &'a B,
    /// The features of its mesh.
    pub features: &'a Features,
}

impl<B> Clone for Placed<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Placed<'_, B> {}

/// Returns an upper bound on the speed (m/s) of any point of the smaller body in the frame of the larger one.
pub fn relative_speed<B: Moving>(a: Placed<'_, B>, b: Placed<'_, B>) -> f64 {
    let (small, large) = if a.features.radius <= b.features.radius { (a, b) } else { (b, a) };
    let radius = small.features.radius;
    let (small, large) = (small.body, large.body);
    let turning = (small.angular_velocity() - large.angular_velocity()).norm();
    let arm = small.pose().position - large.pose().position;
    let carried = large.linear_velocity() + large.angular_velocity().cross(&arm);
    (small.linear_velocity() - carried).norm() + radius * turning
}

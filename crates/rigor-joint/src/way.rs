//! Velocities of joined bodies that their joints do not let go where these lead.

use rigor_math::disjoint_sets::DisjointSets;
use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::{Joint, Role, Scene};

use crate::axis::Velocity;
use crate::flying::FlyingBody;
use crate::rows::Joints;

/// Error at the end of a substep, over the radius of the smaller body or in rad, up to which joints are closed.
pub const CLOSED: f64 = 1e-11;

/// Part of the kinetic energy of a set that the way must take, for velocities to follow it: less is an error of the substep.
const NOTABLE: f64 = 0.05;

/// Lets the velocities of joined bodies be those of the way that they went in a substep of `h` (s), where joints turned them back or could not close.
/// `thrown` returns whether something else may turn a body back, `projected` are the poses before a projection that had to close joints.
///
/// Of a chain that is straight between two pins every link may move sideways as far as velocities tell, J v = 0, and none may as far as places tell.
/// The kick that brings it back to where it was turns its velocities round, v⁺ = −v, and its weight speeds it up from substep to substep. So where
/// joints alone turn the motion u, that of the flight without any kick, back, uᵀ M v < 0, and where a projection moves bodies by δ since no kick
/// closes their joints,
///
/// ```text
/// v ← v + s w, s = −vᵀ M w/wᵀ M w in [0, 1], w = Δx/h − v or δ/h
/// ```
///
/// for each set of bodies that joints tie, if it takes more than a twentieth of vᵀ M v. s gives the least energy, so that none is made. A pendulum does not turn back but by its weight, which u has.
pub fn follow_the_way(
    scene: &Scene,
    joints: &Joints,
    bodies: &mut [FlyingBody],
    (thrown, projected): (impl Fn(usize) -> bool, Option<&[Pose]>),
    h: f64,
) {
    if scene.joints.is_empty() {
        return;
    }
    let sets = Sets::new(scene, joints, thrown);
    let mut turned = vec![0.0; bodies.len()];
    for b in sets.bodies() {
        let (body, FlyingBody { end, free, .. }) = (&scene.bodies[b], &bodies[b]);
        let spin = body.inertia_world(&end.pose) * end.angular_velocity;
        turned[sets.of_body[b]] +=
            body.mass * free.linear_velocity.dot(&end.linear_velocity) + free.angular_velocity.dot(&spin);
    }
    let way = |from: &Pose, to: &Pose| Velocity {
        linear: (to.position - from.position) / h,
        angular: rotation_vector::log(&(to.rotation * from.rotation.inverse())) / h,
    };
    let back = |b: usize| {
        let FlyingBody { start, end, .. } = &bodies[b];
        if turned[sets.of_body[b]] < 0.0 {
            let way = way(&start.pose, &end.pose);
            let (linear, angular) = (way.linear - end.linear_velocity, way.angular - end.angular_velocity);
            return Velocity { linear, angular };
        }
        projected.map_or_else(Velocity::default, |poses| way(&poses[b], &end.pose))
    };
    let backs: Vec<(usize, Velocity)> = sets.bodies().map(|b| (b, back(b))).collect();
    // vᵀ M w, wᵀ M w and vᵀ M v of each set.
    let mut sums = vec![[0.0; 3]; bodies.len()];
    for (b, back) in &backs {
        let (body, end) = (&scene.bodies[*b], &bodies[*b].end);
        let momentum = body.mass * back.linear;
        let spin = body.inertia_world(&end.pose) * back.angular;
        let sum = &mut sums[sets.of_body[*b]];
        sum[0] += momentum.dot(&end.linear_velocity) + spin.dot(&end.angular_velocity);
        sum[1] += momentum.dot(&back.linear) + spin.dot(&back.angular);
        let spin = body.inertia_world(&end.pose) * end.angular_velocity;
        sum[2] += body.mass * end.linear_velocity.norm_squared() + spin.dot(&end.angular_velocity);
    }
    for (b, back) in backs {
        let [along, square, kinetic] = sums[sets.of_body[b]];
        let share = if square > 0.0 { (-along / square).clamp(0.0, 1.0) } else { 0.0 };
        let taken = -share * (2.0 * along + share * square);
        if taken > NOTABLE * kinetic {
            bodies[b].end.linear_velocity += share * back.linear;
            bodies[b].end.angular_velocity += share * back.angular;
        }
    }
}

/// Whether a joint may turn a motion back by a drive or a spring.
fn is_springy(joint: &Joint) -> bool {
    let kind = &joint.kind;
    let ranges = [kind.turn_range(), kind.swing_range(), kind.length_range()];
    let is_soft = joint.compliance > 0.0 || joint.angular_compliance > 0.0;
    is_soft || kind.drives().next().is_some() || ranges.iter().any(|range| range.compliance > 0.0)
}

/// Sets of bodies that nothing but joints turns back: no drive, spring, prescribed motion or rebound.
struct Sets {
    /// The set of each body, by its first one.
    of_body: Vec<usize>,
    counts: Vec<bool>,
}

impl Sets {
    fn new(scene: &Scene, joints: &Joints, thrown: impl Fn(usize) -> bool) -> Self {
        let n = scene.bodies.len();
        let mut sets = DisjointSets::new(n);
        let (mut is_joined, mut is_driven) = (vec![false; n], vec![false; n]);
        for (joint, _) in scene.joints.iter().zip(&joints.list).filter(|(_, at)| !at.broken) {
            let ends = || std::iter::once(joint.body_a).chain(joint.body_b).map(|body| body.0);
            let is_led = ends().any(|b| matches!(scene.bodies[b].role, Role::Kinematic(_)));
            let moving: Vec<usize> = ends().filter(|&b| scene.bodies[b].is_dynamic()).collect();
            for &b in &moving {
                is_joined[b] = true;
                is_driven[b] |= is_led || is_springy(joint);
            }
            if let [a, b] = moving[..] {
                sets.join(a, b);
            }
        }
        let of_body: Vec<usize> = (0..n).map(|b| sets.first(b)).collect();
        let mut counts = vec![true; n];
        for b in 0..n {
            let is_alone = is_joined[b] && !is_driven[b] && !thrown(b);
            counts[of_body[b]] &= is_alone && scene.bodies[b].torque == Vec3::zeros();
        }
        Self { of_body, counts }
    }

    fn bodies(&self) -> impl Iterator<Item = usize> {
        (0..self.of_body.len()).filter(|&b| self.counts[self.of_body[b]])
    }
}

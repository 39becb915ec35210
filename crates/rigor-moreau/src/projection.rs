//! Poses moved to where joints hold and contacts do not overlap, without a change of velocities.

use rigor_contact::Frame;
use rigor_joint::{Axis, Bound, Ends, Equality, FlyingBody, Joints, Velocity};
use rigor_math::Vec3;
use rigor_math::disjoint_sets::DisjointSets;
use rigor_nonsmooth::Cone;
use rigor_nonsmooth::solver::Goal;
use rigor_scene::{Body, BodyId, Scene};

use crate::config::{Config, ContactLaw, ContactSolver};
use crate::mechanics::Mechanics;
use crate::pair::Pairs;
use crate::row::Block;

/// Maximum number of projections; each solves the linearised problem.
const ROUNDS: usize = 4;

/// Error (m, over the radius of the body; or rad) up to which nothing is done.
const CLOSED: f64 = 1e-11;

/// Part of an old overlap that a projection removes.
const BACK: f64 = 0.2;

/// Distance (m or rad) up to which a bound is met: rounding decides on which side of it a projection ends.
const MET: f64 = 1e-9;

/// Overlap in slops, of 10⁻⁴ radii, up to which contacts are left alone.
const SHALLOW: f64 = 1e-3;

/// Moves the poses at the end of a substep: the least ½ δᵀ M δ with which joints hold and gaps are not negative, linearised.
///
/// Contacts that part are not pushed, only kept from being deeper: they come out by themselves. Returns whether anything has moved.
///
/// Source: the projection of \[Acary2013\].
pub(crate) fn project(
    scene: &Scene,
    (bodies, purses): (&mut [FlyingBody], &mut [f64]),
    (pairs, joints): (&Pairs, &mut Joints),
    config: &Config,
    h: f64,
) -> bool {
    // Without friction any law and solver of Coulomb's will do.
    let config = Config { law: ContactLaw::Coulomb, solver: ContactSolver::Automatic, ..config.clone() };
    let goal = Goal { tolerance: 1e-7, iterations: 100, ..Goal::default() };
    let mut budget = Budget::new(scene, bodies, purses, pairs);
    budget.store(scene, purses);
    for round in 0..ROUNDS {
        let pose = |body: usize| bodies[body].end.pose;
        let (equalities, _, bounds) = joints.errors(scene, pose);
        let mut blocks: Vec<Block> = bounds.iter().map(Block::of_bound).collect();
        let size =
            |ends: &Ends| ends.bodies().map(|end| scene.bodies[end.0].radius).fold(f64::INFINITY, f64::min);
        let is_open = |error: f64, axis: &Axis, ends: &Ends| {
            let length = if axis.linear == Vec3::zeros() { 1.0 } else { size(ends) };
            error.abs() > CLOSED * length
        };
        let mut waiting = Vec::new();
        let mut needed = equalities.iter().any(|row| is_open(row.target, &row.axis, &row.ends))
            || blocks.iter().any(|block| is_open(block.target.x, &block.axes[0], &block.ends));
        for (pair, contact) in pairs.contacts() {
            let (a, b) = (&bodies[pair.a.0], &bodies[pair.b.0]);
            let touch = contact.found.touch(&Frame::of(&a.end.pose), &Frame::of(&b.end.pose));
            let levers = [a, b].map(|body| touch.point - body.end.pose.position);
            let axis = Axis::at(touch.normal, levers);
            let ends = Ends { a: pair.a.0, b: Some(pair.b.0) };
            let parting = ends.velocity(&axis, |body| bodies[body].end_velocity());
            let shallow = SHALLOW * pair.detection.margins.slop;
            let is_resting = touch.gap + h * parting < 0.0;
            // An overlap that was there before waits for energy that was spent.
            let old = contact.gap_start.min(0.0).max(touch.gap.min(0.0));
            let target = if is_resting { old - touch.gap } else { -touch.gap.max(0.0) };
            if is_resting && touch.gap < -shallow {
                needed = true;
                waiting.push((blocks.len(), -BACK * old));
            }
            let target = Vec3::x() * target;
            let none = Axis::default();
            let cone = Cone::Friction(0.0);
            blocks.push(Block { ends, axes: [axis, none, none], cone, target, softness: 0.0 });
        }
        if !needed {
            return round > 0;
        }
        let mobilities = FlyingBody::mobilities_at_end(scene, bodies);
        let free = vec![Velocity::default(); bodies.len()];
        let start = vec![Vec3::zeros(); blocks.len()];
        let solve = |blocks: &[Block]| {
            Mechanics { mobilities: &mobilities, free: &free, equalities: &equalities, blocks }
                .solve(&start, &config, &goal)
        };
        let with = |share: f64| {
            let mut blocks = blocks.clone();
            for &(i, depth) in &waiting {
                blocks[i].target.x = share * (blocks[i].target.x + depth);
            }
            solve(&blocks)
        };
        let mut found = with(1.0);
        if let Some(share) = budget.share(scene, &found.kicks) {
            found = with(share);
        }
        budget.spend(scene, purses, &found.kicks);
        for (body, shift) in bodies.iter_mut().zip(&found.kicks) {
            body.shift(shift);
        }
        let pose = |body: usize| bodies[body].end.pose;
        joints.settle(scene, |body| found.kicks[body], pose);
    }
    true
}

/// The energy that bodies may be lifted with out of old overlaps: what impulses took from their motion, and not more than [`PURSE`] allows.
///
/// Without it bodies that are wedged, whose overlap no motion removes, would climb out of what holds them.
struct Budget {
    /// The group of each body.
    group: Vec<usize>,
    /// What each group has left (J).
    left: Vec<f64>,
    /// What each group may have (J).
    most: Vec<f64>,
}

/// Part of its radius by which a body may be lifted in any substep.
const LIFT: f64 = 1e-6;

/// Part of its radius by which a body may be lifted out of an old overlap without having lost energy before.
const PURSE: f64 = 0.1;

impl Budget {
    fn new(scene: &Scene, bodies: &[FlyingBody], purses: &[f64], pairs: &Pairs) -> Self {
        let mut sets = DisjointSets::new(bodies.len());
        let is_dynamic = |id: &BodyId| scene.bodies[id.0].is_dynamic();
        for (pair, _) in pairs.contacts() {
            if is_dynamic(&pair.a) && is_dynamic(&pair.b) {
                sets.join(pair.a.0, pair.b.0);
            }
        }
        for joint in &scene.joints {
            let ends = std::iter::once(joint.body_a).chain(joint.body_b).filter(is_dynamic);
            if let [a, b] = ends.collect::<Vec<_>>()[..] {
                sets.join(a.0, b.0);
            }
        }
        let group: Vec<usize> = (0..bodies.len()).map(|i| sets.first(i)).collect();
        let (mut left, mut most) = (vec![0.0; bodies.len()], vec![0.0; bodies.len()]);
        for (i, (body, flying)) in scene.bodies.iter().zip(bodies).enumerate() {
            if body.is_dynamic() {
                let size = weight(scene, body) * body.radius;
                left[group[i]] += purses[i] + flying.spent + LIFT * size;
                most[group[i]] += PURSE * size;
            }
        }
        left.iter_mut().zip(&most).for_each(|(left, most)| *left = left.clamp(0.0, *most));
        Self { group, left, most }
    }

    /// Gives each body its part of what is left.
    fn store(&self, scene: &Scene, purses: &mut [f64]) {
        for (i, (body, purse)) in scene.bodies.iter().zip(purses).enumerate() {
            let (left, most) = (self.left[self.group[i]], self.most[self.group[i]]);
            let share = PURSE * weight(scene, body) * body.radius / most.max(f64::MIN_POSITIVE);
            *purse = if body.is_dynamic() { left * share } else { 0.0 };
        }
    }

    /// What a shift of the bodies lifts each group by (J).
    fn rises(&self, scene: &Scene, shifts: &[Velocity]) -> Vec<f64> {
        let mut rises = vec![0.0; self.left.len()];
        for (i, (body, shift)) in scene.bodies.iter().zip(shifts).enumerate() {
            if body.is_dynamic() {
                rises[self.group[i]] -= (body.mass * scene.gravity + body.force).dot(&shift.linear);
            }
        }
        rises
    }

    /// The share of a shift that all groups can pay for, if it is not all.
    fn share(&self, scene: &Scene, shifts: &[Velocity]) -> Option<f64> {
        let rises = self.rises(scene, shifts);
        let part =
            |(rise, left): (&f64, &f64)| if *rise > 0.0 && rise > left { left.max(0.0) / rise } else { 1.0 };
        let least = rises.iter().zip(&self.left).map(part).fold(1.0, f64::min);
        (least < 1.0).then_some(least)
    }

    fn spend(&mut self, scene: &Scene, purses: &mut [f64], shifts: &[Velocity]) {
        let rises = self.rises(scene, shifts);
        self.left.iter_mut().zip(rises).for_each(|(left, rise)| *left = (*left - rise.max(0.0)).max(0.0));
        self.store(scene, purses);
    }
}

/// ‖m g + f‖ (N).
fn weight(scene: &Scene, body: &Body) -> f64 {
    (body.mass * scene.gravity + body.force).norm()
}

/// What made velocities tangent.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// The equations of joints with their impulses (N s or N m s).
    pub equalities: Vec<(Equality, f64)>,
    /// The bounds that were met with their impulses (N s or N m s).
    pub bounds: Vec<(Bound, f64)>,
    /// The impulses of all contacts (N s).
    pub contacts: Vec<Vec3>,
}

/// Makes the velocities at the end of a substep tangent to what joints hold there, with bounds that are met and contacts that are closed.
///
/// Source: the second half of RATTLE \[Andersen1983\].
pub(crate) fn hold_velocities(
    scene: &Scene,
    bodies: &mut [FlyingBody],
    (pairs, joints): (&Pairs, &Joints),
    config: &Config,
) -> Held {
    let n_contacts = pairs.contacts().count();
    let pose = |body: usize| bodies[body].end.pose;
    let (mut equalities, rates, _) = joints.errors(scene, pose);
    equalities.iter_mut().zip(rates).for_each(|(row, rate)| row.target = rate);
    let bounds = joints.closed_bounds(scene, pose, MET);
    let mut blocks: Vec<Block> =
        bounds.iter().map(|bound| Block { target: Vec3::zeros(), ..Block::of_bound(bound) }).collect();
    let mut places = Vec::new();
    for (i, (pair, contact)) in pairs.contacts().enumerate() {
        let (a, b) = (&bodies[pair.a.0], &bodies[pair.b.0]);
        let touch = contact.found.touch(&Frame::of(&a.end.pose), &Frame::of(&b.end.pose));
        if touch.gap > SHALLOW * pair.detection.margins.slop {
            continue;
        }
        let levers = [a, b].map(|body| touch.point - body.end.pose.position);
        let axes = [touch.normal, contact.tangents[0], contact.tangents[1]].map(|n| Axis::at(n, levers));
        let ends = Ends { a: pair.a.0, b: Some(pair.b.0) };
        let cone = Cone::Friction(pair.friction.dynamic);
        blocks.push(Block { ends, axes, cone, target: Vec3::zeros(), softness: 0.0 });
        places.push(i);
    }
    let mobilities = FlyingBody::mobilities_at_end(scene, bodies);
    let free: Vec<Velocity> = bodies.iter().map(FlyingBody::end_velocity).collect();
    let goal =
        Goal { tolerance: config.tolerance, iterations: u64::from(config.iterations), ..Goal::default() };
    let mechanics =
        Mechanics { mobilities: &mobilities, free: &free, equalities: &equalities, blocks: &blocks };
    let found = mechanics.solve(&vec![Vec3::zeros(); blocks.len()], config, &goal);
    for (body, kick) in bodies.iter_mut().zip(&found.kicks) {
        body.end.linear_velocity += kick.linear;
        body.end.angular_velocity += kick.angular;
    }
    let (of_bounds, of_contacts) = found.blocks.split_at(bounds.len());
    let mut contacts = vec![Vec3::zeros(); n_contacts];
    places.iter().zip(of_contacts).for_each(|(&i, r)| contacts[i] = *r);
    Held {
        equalities: equalities.into_iter().zip(found.equalities).collect(),
        bounds: bounds.into_iter().zip(of_bounds.iter().map(|r| r.x)).collect(),
        contacts,
    }
}

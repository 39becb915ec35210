//! The terms of all joints, found from bodies and pairs of bodies.

use nalgebra::Matrix6;
use rigor_joint::Joints;
use rigor_math::Pose;

use crate::ends::{JoinedPush, Push};
use crate::joint_forces::JointForces;
use crate::joint_term::JointTerm;

use crate::pair_map::{PairIndex, PairMap};
use crate::placement::Placement;

/// What the joints of a span add to f.
#[derive(Debug, Clone, Default)]
pub(crate) struct JointTerms {
    all: Vec<JointTerm>,
    /// The terms between each pair of bodies.
    between: PairMap<Vec<usize>>,
    /// Bodies with terms that tie them to the world, ascending, and these terms.
    alone: Vec<(usize, Vec<usize>)>,
    /// Joined bodies, ascending, with the longest arm (m) at which their joints hold them.
    arms: Vec<(usize, f64)>,
}

impl JointTerms {
    pub fn new(all: Vec<JointTerm>) -> Self {
        let mut terms = Self { all, ..Self::default() };
        for (i, term) in terms.all.iter().enumerate() {
            match term.bodies() {
                [Some(a), Some(b)] => match terms.between.spot([a, b]) {
                    Some(spot) => terms.between.at_mut(spot).into_iter().for_each(|all| all.push(i)),
                    None => terms.between.insert([a, b], vec![i]),
                },
                [Some(a), None] | [None, Some(a)] => match terms.alone.iter_mut().find(|one| one.0 == a) {
                    Some((_, all)) => all.push(i),
                    None => terms.alone.push((a, vec![i])),
                },
                [None, None] => {}
            }
        }
        terms.alone.sort_unstable_by_key(|one| one.0);
        let mut arms: Vec<(usize, f64)> = terms.all.iter().flat_map(JointTerm::arms).collect();
        arms.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        arms.dedup_by_key(|one| one.0);
        terms.arms = arms;
        terms
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the bodies that are joined to this one, in ascending order.
    pub fn others(&self, body: usize) -> impl Iterator<Item = usize> {
        self.between.others(body)
    }

    /// Returns the longest arm (m) at which joints hold a body; `None` if it has none.
    pub fn arm(&self, body: usize) -> Option<f64> {
        let place = self.arms.binary_search_by_key(&body, |one| one.0).ok()?;
        Some(self.arms[place].1)
    }

    /// Returns whether any joint ties this body to another, or to the world.
    pub fn ties(&self, body: usize) -> bool {
        self.arm(body).is_some()
    }

    /// Returns the joined pairs of these bodies, with each other and with others, in ascending order.
    pub fn of<'a>(
        &self,
        bodies: impl Iterator<Item = &'a usize>,
        is_among: impl Fn(usize) -> bool,
    ) -> Vec<PairIndex> {
        self.between.of(bodies, is_among)
    }

    /// Returns all joined pairs in ascending order.
    pub fn pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        self.between.all().map(|spot| spot.bodies)
    }

    fn alone(&self, body: usize) -> impl Iterator<Item = &JointTerm> {
        let place = self.alone.binary_search_by_key(&body, |one| one.0).ok();
        place.into_iter().flat_map(|i| &self.alone[i].1).map(|&i| &self.all[i])
    }

    fn between(&self, bodies: [usize; 2]) -> impl Iterator<Item = &JointTerm> {
        self.between.get(bodies).into_iter().flatten().map(|&i| &self.all[i])
    }

    /// Returns what ties a body to the world adds to f (J s²).
    pub fn value_alone(&self, body: usize, places: &[Placement]) -> f64 {
        self.alone(body).map(|term| term.value(places)).sum()
    }

    /// Returns what joints between two bodies, given with the smaller index first, add to f (J s²).
    pub fn value_between(&self, bodies: [usize; 2], places: &[Placement]) -> f64 {
        self.between(bodies).map(|term| term.value(places)).sum()
    }

    /// Returns what ties a body to the world adds to ∂f/∂q and ∂f/∂Q, and a positive semidefinite part of the Hessian, in world axes;
    /// [`JointTerm::derivatives`] tells what `majorizes` means.
    pub fn pushed_alone(
        &self,
        body: usize,
        places: &[Placement],
        majorizes: bool,
    ) -> Option<(Push, Matrix6<f64>)> {
        let pushed = sum(self.alone(body), places, majorizes)?;
        Some((pushed.pushes[0], pushed.hessian.fixed_view::<6, 6>(0, 0).into_owned()))
    }

    /// Returns what joints between two bodies, given with the smaller index first, add to the derivatives, in world axes.
    pub fn pushed_between(
        &self,
        bodies: [usize; 2],
        places: &[Placement],
        majorizes: bool,
    ) -> Option<JoinedPush> {
        sum(self.between(bodies), places, majorizes)
    }

    /// Returns whether any of the joints of these bodies pushes, or would where they fly.
    pub fn is_loaded(&self, bodies: &[usize], flown: &dyn Fn(usize) -> Pose) -> bool {
        let is_among = |body: usize| bodies.binary_search(&body).is_ok();
        let of_bodies = |term: &&JointTerm| term.bodies().into_iter().flatten().any(is_among);
        self.all.iter().filter(of_bodies).any(|term| term.is_loaded(flown))
    }

    /// Returns the bodies of joints that push.
    pub fn loaded(&self) -> impl Iterator<Item = usize> {
        let loaded = self.all.iter().filter(|term| term.has_multiplier());
        loaded.flat_map(|term| term.bodies().into_iter().flatten())
    }

    /// Updates the multipliers; returns the bodies of joints that were off, the largest error over the allowed one, and its joint.
    pub fn update(&mut self, places: &[Placement]) -> (Vec<usize>, Option<(usize, f64)>) {
        let (mut bodies, mut worst) = (Vec::new(), None);
        for term in &mut self.all {
            let error = term.update(places);
            if error > 1.0 {
                bodies.extend(term.bodies().into_iter().flatten());
                if worst.is_none_or(|(_, most)| error > most) {
                    worst = Some((term.joint, error));
                }
            }
        }
        bodies.sort_unstable();
        bodies.dedup();
        (bodies, worst)
    }

    /// Lets the multipliers of joints with a touched body begin with these forces, over a span of `h` (s); those of others with nothing.
    pub fn begin(&mut self, forces: &JointForces, h: f64, is_touched: impl Fn(usize) -> bool) {
        for term in &mut self.all {
            let pushes = term.bodies().into_iter().flatten().any(&is_touched);
            let known = forces.of_joint(term.joint);
            for (i, multiplier) in term.multipliers().enumerate() {
                *multiplier = known.get(i).filter(|_| pushes).map_or(0.0, |force| force * h * h);
            }
        }
    }

    /// Returns the multipliers of all joints.
    pub fn multipliers(&mut self) -> Vec<f64> {
        self.all.iter_mut().flat_map(JointTerm::multipliers).map(|multiplier| *multiplier).collect()
    }

    /// Goes on from multipliers that all joints had before, as softly as at the start of a step.
    pub fn return_to(&mut self, multipliers: &[f64]) {
        let all = self.all.iter_mut().flat_map(JointTerm::multipliers);
        all.zip(multipliers).for_each(|(multiplier, before)| *multiplier = *before);
        self.all.iter_mut().for_each(JointTerm::soften);
    }

    /// Notes the forces of all multipliers.
    pub fn forces(&mut self, forces: &mut JointForces, h: f64) {
        for term in &mut self.all {
            let all = term.multipliers().map(|multiplier| *multiplier / (h * h)).collect();
            forces.set(term.joint, all);
        }
    }

    /// Takes what the joints remember to where the bodies ended, with the impulses of a span of `h` (s).
    pub fn record(&self, joints: &mut Joints, places: &[Placement], h: f64) {
        for term in &self.all {
            term.record(&mut joints.list[term.joint], places, h);
        }
    }
}

fn sum<'a>(
    terms: impl Iterator<Item = &'a JointTerm>,
    places: &[Placement],
    majorizes: bool,
) -> Option<JoinedPush> {
    terms.map(|term| term.derivatives(places, majorizes)).reduce(|mut sum, more| {
        for (sum, more) in sum.pushes.iter_mut().zip(&more.pushes) {
            sum.0 += more.0;
            sum.1 += more.1;
        }
        sum.hessian += more.hessian;
        sum
    })
}

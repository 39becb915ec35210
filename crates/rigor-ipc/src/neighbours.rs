//! Pairs of bodies that may come near each other, kept while bodies stay within boxes of their own.
//!
//! The box of a body contains the body with all that is within half of the reach of it, in every motion that has
//! been looked at since the box was made. Bodies whose boxes have no common point stay out of each other's reach. Only
//! a body that would leave its box gets a new one, and only its pairs are looked for again: what moves a little costs
//! nothing, and what moves far costs nothing for others.
//!
//! In a step (Δq, Δθ) from q, a point x̂ of the body is at q + tΔq + R(t) x̂, and R(t) x̂ is within ‖Δθ‖ r of where it
//! was, and within r of 0, where r is the radius of the body. So the body stays in the box around its boxes at q and
//! q + Δq, enlarged by ‖Δθ‖ r, and in the box around the balls of radius r there.

use rayon::prelude::*;
use rigor_ccd::RigidMotion;
use rigor_ccd::broad_phase::{BroadPhaseError, Shape, is_moderate};
use rigor_geometry::{Aabb, Bvh};

use crate::body_slots::{Step, Steps};
use crate::config::BroadPhase;
use crate::pair_map::PairMap;
use crate::placement::Placement;

/// Maximum motion of a body in a step, relative to its radius, for which its box has room for more.
const MAX_ROOMY_MOTION: f64 = 0.05;
/// Minimum room, and the motion in a step with which it is compared, relative to the reach.
const MIN_ROOM: f64 = 0.25;
/// A box is too wide if it has room for this many steps.
const MAX_ROOM: f64 = 16.0;
/// Maximum number of bodies whose boxes differ from those in the tree.
const MAX_LOOSE: usize = 64;
/// Maximum distance (m) of a point of an affine body from where the rigid one is: that of lengths in the broad phase.
const MAX_DEVIATION: f64 = 1e100;
/// Minimum bodies per rayon task.
const GRAIN: usize = 256;

/// The steps of bodies, and what decides which bodies are near each other in them.
#[derive(Clone, Copy)]
pub(crate) struct BodyMotions<'a, const N: usize> {
    pub shapes: &'a [Shape],
    /// The bounding box of each body, in its own frame (m).
    pub bounds: &'a [Aabb],
    pub places: &'a [Placement],
    pub steps: Steps<'a, N>,
    /// Distance (m) from which bodies do not act on each other.
    pub reach: f64,
    pub may_collide: &'a (dyn Fn(usize, usize) -> bool + Sync),
    /// How pairs of primitives are found.
    pub broad_phase: BroadPhase,
}

/// The bodies that are looked at.
#[derive(Clone, Copy)]
pub(crate) struct BodySelection<'a> {
    /// In ascending order.
    pub bodies: &'a [usize],
    /// Whether a body is one of them.
    pub has: &'a (dyn Fn(usize) -> bool + Sync),
}

impl<'a, const N: usize> BodyMotions<'a, N> {
    /// Returns the shape and motion of a body; of an affine one that of the rotation nearest to it, from which it deviates.
    pub fn motion(&self, body: usize) -> (&'a Shape, RigidMotion) {
        (&self.shapes[body], self.places[body].motion(&self.steps.step(body)))
    }

    /// Returns how far (m) a point of the body may be from where [`Self::motion`] has it.
    pub fn deviation(&self, body: usize) -> f64 {
        self.places[body].deviation(&self.steps.step(body)) * self.shapes[body].radius()
    }

    /// Returns ‖Δθ‖ r or ‖ΔA‖ r (m), a bound of how far a point of the body moves without that of its centre.
    pub fn turn(&self, body: usize, step: &Step<N>) -> f64 {
        self.places[body].turning(step) * self.shapes[body].radius()
    }

    /// Returns a box that contains all that comes within half of the reach of the body in its step (m, world), and
    /// an upper bound (m) of how far its points move.
    fn swept(&self, body: usize) -> (Aabb, f64) {
        let (place, step, shape) = (&self.places[body], self.steps.step(body), &self.shapes[body]);
        let strain = place.strain() * shape.radius();
        let widest = place.max_strain(&step) * shape.radius();
        let radius = shape.radius() + widest + shape.max_offset();
        let (by, turn) = (step.fixed_rows::<3>(0).into_owned(), self.turn(body, &step));
        let (from, to) = (place.position, place.position + by);
        let rest = self.bounds[body].transformed(&place.pose()).grow(strain);
        let boxes = rest.union(&Aabb { min: rest.min + by, max: rest.max + by }).grow(turn);
        let ball = Aabb { min: from.inf(&to), max: from.sup(&to) }.grow(radius);
        let both = Aabb { min: boxes.min.sup(&ball.min), max: boxes.max.inf(&ball.max) };
        let rounding = 1e-13 * (from.norm() + by.norm() + radius);
        (both.grow(0.5 * self.reach + rounding), by.norm() + turn)
    }
}

/// The boxes of bodies, and a value for each pair of bodies whose boxes overlap.
#[derive(Debug)]
pub(crate) struct Neighbours<T> {
    pub pairs: PairMap<T>,
    reach: f64,
    boxes: Vec<Aabb>,
    /// Over the boxes, except that those of loose bodies have changed since.
    tree: Option<Bvh>,
    loose: Vec<usize>,
    is_loose: Vec<bool>,
}

impl<T> Default for Neighbours<T> {
    fn default() -> Self {
        Self {
            pairs: PairMap::default(),
            reach: 0.0,
            boxes: Vec::new(),
            tree: None,
            loose: Vec::new(),
            is_loose: Vec::new(),
        }
    }
}

impl<T: Default> Neighbours<T> {
    /// Makes the pairs complete for these steps of the bodies that are looked at. The others must be where they were
    /// in the last look, or where the steps led that were looked at then.
    ///
    /// # Errors
    /// [`BroadPhaseError`] when a coordinate is too large or not finite.
    pub fn update<const N: usize>(
        &mut self,
        motions: &BodyMotions<N>,
        look: BodySelection,
    ) -> Result<(), BroadPhaseError> {
        let is_large = |&body: &usize| {
            let (shape, motion) = motions.motion(body);
            let deviation = motions.deviation(body);
            !is_moderate(shape, &motion) || !deviation.is_finite() || deviation > MAX_DEVIATION
        };
        if let Some(at) = look.bodies.par_iter().with_min_len(GRAIN).position_first(is_large) {
            return Err(BroadPhaseError::Body { body: look.bodies[at] });
        }
        let Some(tree) = self.tree.take().filter(|_| self.is_of(motions)) else {
            self.begin(motions);
            return Ok(());
        };
        let boxes = &self.boxes;
        let renewed = |&body: &usize| renewed(motions, body, &boxes[body]);
        let renewed: Vec<Option<Aabb>> = look.bodies.par_iter().with_min_len(GRAIN).map(renewed).collect();
        let mut changed = Vec::new();
        for (&body, own) in look.bodies.iter().zip(renewed) {
            let Some(own) = own else { continue };
            self.boxes[body] = own;
            changed.push(body);
            if !std::mem::replace(&mut self.is_loose[body], true) {
                self.loose.push(body);
            }
        }
        self.tree = Some(if self.loose.len() > MAX_LOOSE { self.tightened(tree) } else { tree });
        changed.into_iter().for_each(|body| self.find(motions, body));
        Ok(())
    }

    fn is_of<const N: usize>(&self, motions: &BodyMotions<N>) -> bool {
        self.boxes.len() == motions.shapes.len() && self.reach == motions.reach
    }

    /// Computes all boxes.
    fn begin<const N: usize>(&mut self, motions: &BodyMotions<N>) {
        *self = Self { reach: motions.reach, ..Self::default() };
        self.boxes =
            (0..motions.shapes.len()).map(|body| roomy(motions, motions.swept(body), body)).collect();
        self.is_loose = vec![false; self.boxes.len()];
        // Moderate numbers make finite boxes.
        self.tree = Bvh::new(&self.boxes).ok();
        for pair in self.tree.iter().flat_map(Bvh::overlapping_pairs) {
            let [a, b] = pair.map(|body| body as usize);
            if (motions.may_collide)(a, b) {
                self.pairs.insert([a, b], T::default());
            }
        }
    }

    /// Returns the tree with all boxes as they are.
    fn tightened(&mut self, mut tree: Bvh) -> Bvh {
        self.loose.drain(..).for_each(|body| self.is_loose[body] = false);
        // Moderate numbers make finite boxes, so there is no error.
        let _ = tree.refit(&self.boxes);
        tree
    }

    /// Finds the bodies whose boxes overlap that of `body`.
    fn find<const N: usize>(&mut self, motions: &BodyMotions<N>, body: usize) {
        let own = self.boxes[body];
        let in_tree = self.tree.iter().flat_map(|tree| tree.overlapping(&own));
        let in_tree = in_tree.map(|other| other as usize).filter(|&other| !self.is_loose[other]);
        let loose = self.loose.iter().copied().filter(|&other| self.boxes[other].overlaps(&own));
        let pair = |other: usize| [body.min(other), body.max(other)];
        let may_collide = |other: &usize| {
            let [a, b] = pair(*other);
            a != b && (motions.may_collide)(a, b)
        };
        let mut found: Vec<usize> = in_tree.chain(loose).filter(may_collide).collect();
        found.sort_unstable();
        let lost: Vec<usize> =
            self.pairs.others(body).filter(|other| found.binary_search(other).is_err()).collect();
        for other in lost {
            if let Some(spot) = self.pairs.spot(pair(other)) {
                self.pairs.remove(spot);
            }
        }
        for other in found {
            if self.pairs.spot(pair(other)).is_none() {
                self.pairs.insert(pair(other), T::default());
            }
        }
    }
}

/// Returns a new box for a body that would leave the `known` one, or for which that is too wide.
fn renewed<const N: usize>(motions: &BodyMotions<N>, body: usize, known: &Aabb) -> Option<Aabb> {
    let (swept, length) = motions.swept(body);
    let widest = || swept.grow(MAX_ROOM * length.max(MIN_ROOM * motions.reach));
    let is_good = known.contains(&swept) && (length == 0.0 || widest().contains(known));
    (!is_good).then(|| roomy(motions, (swept, length), body))
}

/// Returns the box with room for as much motion again, unless the body is fast.
fn roomy<const N: usize>(motions: &BodyMotions<N>, (swept, length): (Aabb, f64), body: usize) -> Aabb {
    let is_fast = length > MAX_ROOMY_MOTION * motions.shapes[body].radius();
    if is_fast { swept } else { swept.grow(length.max(MIN_ROOM * motions.reach)) }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector6;
    use proptest::prelude::*;
    use rigor_math::{Pose, Vec3};
    use rigor_shapes::Cuboid;

    use super::*;
    use crate::placement::Coordinates;

    const REACH: f64 = 0.02;

    fn shapes(n: usize) -> (Vec<Shape>, Vec<Aabb>) {
        let mesh = |i: usize| {
            let size = Vec3::new(0.6 + 0.1 * (i % 3) as f64, 0.8, 1.0);
            Cuboid { size, segments: [1; 3] }.mesh().unwrap()
        };
        let shapes: Vec<Shape> = (0..n).map(|i| Shape::new(mesh(i))).collect();
        let bounds = shapes.iter().map(|shape| shape.mesh().bounds()).collect();
        (shapes, bounds)
    }

    fn place(position: Vec3, turn: Vec3, coordinates: Coordinates) -> Placement {
        Placement::new(&Pose::from_rotation_vector(position, &turn), coordinates)
    }

    fn step(by: Vec3, turn: Vec3) -> Vector6<f64> {
        Vector6::new(by.x, by.y, by.z, turn.x, turn.y, turn.z)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Also fails if the room for the rotation, or that for the reach, is halved.
        #[test]
        fn a_box_holds_its_body_with_half_of_the_reach_all_along_the_step(
            by in prop::array::uniform3(-2.0..2.0f64), turn in prop::array::uniform3(-1.5..1.5f64),
            from in prop::array::uniform3(-2.0..2.0f64), is_local in any::<bool>(), is_slow in any::<bool>(),
        ) {
            let coordinates = if is_local { Coordinates::Local } else { Coordinates::RotationVector };
            let (shapes, bounds) = shapes(1);
            let places = [place(Vec3::from(by) * 3.0, Vec3::from(from), coordinates)];
            let steps = [step(Vec3::from(by), Vec3::from(turn) * if is_slow { 1e-3 } else { 1.0 })];
            let motions = BodyMotions {
                shapes: &shapes, bounds: &bounds, places: &places, steps: Steps::all(&steps), reach: REACH,
                may_collide: &|_, _| true, broad_phase: BroadPhase::default(),
            };
            let (swept, length) = motions.swept(0);
            for (t, x) in (0..=20).flat_map(|k| shapes[0].mesh().vertices().iter().map(move |x| (0.05 * f64::from(k), x))) {
                let at = |t: f64| places[0].motion(&steps[0]).point(t, x);
                let all = Aabb { min: at(t), max: at(t) }.grow(0.5 * REACH);
                prop_assert!(swept.contains(&all), "{t}: {swept:?} {all:?}");
                prop_assert!((at(t) - at(0.0)).norm() <= length * (1.0 + 1e-9));
            }
        }

        /// In each round some bodies move, and only these are looked at. The pairs found contain all pairs of freshly
        /// computed boxes.
        #[test]
        fn no_pair_is_missed_where_only_some_bodies_are_looked_at(
            rounds in prop::collection::vec(
                (-4.0..0.0f64, prop::array::uniform16(prop::array::uniform6(-1.0..1.0f64)), any::<u16>()), 10
            )
        ) {
            let (shapes, bounds) = shapes(16);
            let may_collide = |a: usize, b: usize| (a, b) != (2, 3);
            let at = |i: usize| Vec3::new((i & 3) as f64, (i >> 2) as f64, 0.3 * (i % 5) as f64) * 1.1;
            let mut places: Vec<Placement> =
                (0..16).map(|i| place(at(i), Vec3::zeros(), Coordinates::Local)).collect();
            let mut kept = Neighbours::<()>::default();
            let everyone: Vec<usize> = (0..16).collect();
            for (size, motions, who) in rounds {
                let moves = |body: usize| who >> body & 1 == 1;
                let size = 10f64.powf(size);
                let step = |body: usize| {
                    let step = Vector6::from_column_slice(&motions[body]) * size;
                    if moves(body) { step } else { Vector6::zeros() }
                };
                let steps: Vec<Vector6<f64>> = (0..16).map(step).collect();
                let motions = BodyMotions {
                    shapes: &shapes, bounds: &bounds, places: &places, steps: Steps::all(&steps), reach: REACH,
                    may_collide: &may_collide, broad_phase: BroadPhase::default(),
                };
                let bodies: Vec<usize> = (0..16).filter(|&body| moves(body)).collect();
                let is_first = kept.boxes.is_empty();
                let look = if is_first { BodySelection { bodies: &everyone, has: &|_| true } } else { BodySelection { bodies: &bodies, has: &moves } };
                kept.update(&motions, look).unwrap();
                for (a, b) in (0..16).flat_map(|b| (0..b).map(move |a| (a, b))) {
                    let is_near = motions.swept(a).0.overlaps(&motions.swept(b).0);
                    let is_known = kept.pairs.spot([a, b]).is_some();
                    prop_assert!(is_known || !is_near || !may_collide(a, b), "{a} {b}");
                    prop_assert!(!is_known || kept.boxes[a].overlaps(&kept.boxes[b]) && may_collide(a, b));
                }
                // Some go a part of their step.
                for (body, place) in places.iter_mut().enumerate() {
                    *place = place.moved(&(steps[body] * if body % 2 == 0 { 1.0 } else { 0.3 }));
                }
            }
        }
    }

    #[test]
    fn a_body_that_slows_down_loses_its_wide_box() {
        let (shapes, bounds) = shapes(2);
        let places = [0.0, 3.0].map(|x| place(Vec3::x() * x, Vec3::zeros(), Coordinates::Local));
        let mut kept = Neighbours::<()>::default();
        let mut boxes = Vec::new();
        for by in [0.03, 1e-4] {
            let steps = [step(Vec3::x() * by, Vec3::zeros()), Vector6::zeros()];
            let motions = BodyMotions {
                shapes: &shapes,
                bounds: &bounds,
                places: &places,
                steps: Steps::all(&steps),
                reach: 1e-4,
                may_collide: &|_, _| true,
                broad_phase: BroadPhase::default(),
            };
            kept.update(&motions, BodySelection { bodies: &[0], has: &|body| body == 0 }).unwrap();
            boxes.push(kept.boxes[0]);
        }
        assert!(boxes[0].max.x > boxes[1].max.x + 0.05 && boxes[1].max.x < 0.31);
    }
}

//! Candidates for contact, cached from iteration to iteration.
//!
//! Most pairs of bodies hardly move relative to each other in an iteration. For them all pairs of primitives
//! within the reach plus some slack are found once, each with its distance d₀, in the pose of one body as
//! seen from the other, (R, c) = (R_bᵀ R_a, R_bᵀ(q_a − q_b)). A point of A, at most r_a from the centre of A,
//! moves by at most
//!
//! m = ‖c′ − c‖ + r_a ‖R′ − R‖, ‖R′ − R‖ = ‖R′ − R‖_F/√2,
//!
//! to another such pose. So while m plus the motion in the step is less than the slack, no pair is missing,
//! and those with d₀ − m beyond the reach and the step can be skipped. ‖·‖_F/√2 is the spectral norm of a
//! difference of rotations: its singular values are s, s and 0.
//!
//! Extra candidates do not change the results: each pair is judged by its own distance and speed. So results
//! do not depend on the cache, as a run resumed from a saved state requires.

use nalgebra::Vector6;
use rayon::prelude::*;
use rigor_ccd::RigidMotion;
use rigor_ccd::broad_phase::{
    BroadPhaseError, Candidate, Shape, candidates_between, near_bodies, proximity_between,
};
use rigor_math::{Mat3, Vec3};

use crate::contact::PrimitivePair;
use crate::placement::Placement;

/// Maximum approach, relative to the mean size of the primitives, for which the cache is used; longer steps
/// are better swept.
const SHORT: f64 = 0.02;
/// Slack, in multiples of the approach in the current step.
const SLACK: f64 = 2.0;

/// Maximum motion of a body, relative to the radius of the smallest one, for which pairs of bodies are
/// cached; beyond it they are swept.
const NARROW: f64 = 0.1;
/// A slack is too wide if it exceeds the longest motion by this factor.
const WIDE: f64 = 16.0;
/// Minimum body pairs per rayon task.
const GRAIN: usize = 2;

/// The pairs of nearby primitives for each pair of nearby bodies.
#[derive(Debug, Default)]
pub(crate) struct Nearby {
    /// In ascending order. Boxes, because every iteration moves all of them.
    pairs: Vec<([usize; 2], Box<Known>)>,
    neighbours: Option<Neighbours>,
}

/// The pairs of bodies that may be near each other while no point of any body has moved farther than the
/// slack.
#[derive(Debug)]
struct Neighbours {
    places: Vec<Placement>,
    /// Maximum motion of a point (m) for which `pairs` is complete within `reach` (m).
    slack: f64,
    reach: f64,
    pairs: Vec<[usize; 2]>,
}

/// Cached candidates of two bodies.
#[derive(Debug)]
struct Known {
    /// Each with d₀ (m).
    candidates: Vec<(f64, Candidate)>,
    seen: Seen,
    /// Distance (m) up to which all pairs in that pose are in `candidates`.
    margin: f64,
}

/// The pose of one body as seen from the other: R, c (m).
#[derive(Debug, Clone, Copy)]
struct Seen {
    rotation: Mat3,
    center: Vec3,
    /// r_a (m).
    radius: f64,
    /// Upper bound (m) of the rounding error of a distance.
    rounding: f64,
}

impl Seen {
    /// Returns the pose of the smaller body as seen from the larger one.
    fn of(places: &[Placement], bodies: &[(&Shape, RigidMotion)], [i, j]: [usize; 2]) -> Self {
        let shapes = |k: usize| bodies[k].0;
        let (a, b) = if shapes(i).radius() <= shapes(j).radius() { (i, j) } else { (j, i) };
        let to_b = places[b].matrix.transpose();
        let size = |k: usize| places[k].position.norm() + shapes(k).radius();
        Self {
            rotation: to_b * places[a].matrix,
            center: to_b * (places[a].position - places[b].position),
            radius: shapes(a).radius(),
            rounding: 1e-13 * (size(a) + size(b)),
        }
    }

    /// Returns m (m), including the rounding of m and of distances in either pose.
    fn moved(&self, then: &Self) -> f64 {
        let turn = (self.rotation - then.rotation).norm() * std::f64::consts::FRAC_1_SQRT_2;
        (self.center - then.center).norm() + self.radius * turn + self.rounding + then.rounding
    }
}

impl Nearby {
    /// Returns `of_pair` for each pair of nearby bodies that `is_asked`, called with all pairs of primitives
    /// that come within `reach` (m) of each other in the step from `places`, and possibly others. Both the
    /// candidates and the results are in the order of [`candidates`](rigor_ccd::broad_phase::candidates).
    ///
    /// # Errors
    /// [`BroadPhaseError`] when a coordinate is too large or not finite.
    pub fn each_pair<T: Send>(
        &mut self,
        bodies: &[(&Shape, RigidMotion)],
        places: &[Placement],
        step: &[Vector6<f64>],
        reach: f64,
        is_asked: impl Fn([usize; 2]) -> bool + Sync,
        of_pair: impl Fn(&[Candidate]) -> T + Sync,
    ) -> Result<Vec<([usize; 2], T)>, BroadPhaseError> {
        let pairs = self.neighbours(bodies, places, step, reach)?;
        let mut known = std::mem::take(&mut self.pairs).into_iter().peekable();
        let kept: Vec<Option<Box<Known>>> = pairs
            .iter()
            .map(|pair| {
                while known.next_if(|(known, _)| known < pair).is_some() {}
                known.next_if(|(known, _)| known == pair).map(|(_, known)| known)
            })
            .collect();
        // Pairs of which nobody asks keep what is known of them.
        let (asked, others): (Vec<_>, Vec<_>) =
            pairs.into_iter().zip(kept).partition(|(pair, _)| is_asked(*pair));
        let others = others.into_iter().filter_map(|(pair, kept)| kept.map(|kept| (pair, kept)));
        self.pairs.extend(others);
        let n_others = self.pairs.len();
        let found: Vec<_> = asked
            .into_par_iter()
            .with_min_len(GRAIN)
            .map(|(pair, kept)| {
                let approach = approach(bodies, step, pair);
                let grain = bodies[pair[0]].0.grain().min(bodies[pair[1]].0.grain());
                if approach > reach.max(SHORT * grain) {
                    return Ok((pair, of_pair(&candidates_between(bodies, pair, 1.0, reach)?), None));
                }
                let seen = Seen::of(places, bodies, pair);
                let is_enough = |known: &Known| known.seen.moved(&seen) + approach + reach <= known.margin;
                let known = match kept {
                    Some(known) if is_enough(&known) => known,
                    _ => {
                        let margin = reach + SLACK * approach.max(0.25 * reach);
                        Box::new(Known::new(bodies, places, pair, seen, margin)?)
                    }
                };
                let within = known.seen.moved(&seen) + approach + reach;
                let near: Vec<Candidate> =
                    known.candidates.iter().filter(|(d, _)| *d <= within).map(|(_, near)| *near).collect();
                Ok((pair, of_pair(&near), Some(known)))
            })
            .collect::<Result<_, _>>()?;
        let mut answers = Vec::with_capacity(found.len());
        for (pair, answer, known) in found {
            self.pairs.extend(known.map(|known| (pair, known)));
            answers.push((pair, answer));
        }
        if n_others > 0 {
            self.pairs.sort_by_key(|(pair, _)| *pair);
        }
        Ok(answers)
    }

    /// Returns the pairs of bodies that may come within `reach` (m) of each other in the step, and possibly
    /// others.
    fn neighbours(
        &mut self,
        bodies: &[(&Shape, RigidMotion)],
        places: &[Placement],
        step: &[Vector6<f64>],
        reach: f64,
    ) -> Result<Vec<[usize; 2]>, BroadPhaseError> {
        let lengths: Vec<f64> = (0..places.len()).map(|body| length(bodies, step, body)).collect();
        let sizes = bodies.iter().map(|(shape, _)| shape.radius()).filter(|radius| *radius > 0.0);
        let least = sizes.fold(f64::INFINITY, f64::min);
        // A NaN is not short; the sweep rejects it.
        if !lengths.iter().all(|length| SLACK * length <= NARROW * least) {
            return near_bodies(bodies, 1.0, reach, |_, _| true);
        }
        let known = match self.neighbours.take() {
            Some(known) if known.holds(bodies, places, &lengths, reach) => known,
            _ => Neighbours::new(bodies, places, &lengths, reach)?,
        };
        let pairs = known.pairs.clone();
        self.neighbours = Some(known);
        Ok(pairs)
    }
}

impl Neighbours {
    fn new(
        bodies: &[(&Shape, RigidMotion)],
        places: &[Placement],
        lengths: &[f64],
        reach: f64,
    ) -> Result<Self, BroadPhaseError> {
        let slack = SLACK * lengths.iter().copied().fold(0.25 * reach, f64::max);
        let at_rest = |place: &Placement| RigidMotion::at_rest(place.position, place.rotation);
        let still: Vec<_> =
            bodies.iter().zip(places).map(|((shape, _), place)| (*shape, at_rest(place))).collect();
        let pairs = near_bodies(&still, 1.0, reach + 2.0 * slack, |_, _| true)?;
        Ok(Self { places: places.to_vec(), slack, reach, pairs })
    }

    /// Returns whether the cache contains all pairs that come within `reach` in motions of these `lengths`
    /// (m), and not too many others.
    fn holds(
        &self,
        bodies: &[(&Shape, RigidMotion)],
        places: &[Placement],
        lengths: &[f64],
        reach: f64,
    ) -> bool {
        let far = |body: usize| {
            let (then, now, radius) = (&self.places[body], &places[body], bodies[body].0.radius());
            let turn = (now.matrix - then.matrix).norm() * std::f64::consts::FRAC_1_SQRT_2;
            let rounding = 1e-13 * (now.position.norm() + then.position.norm() + radius);
            (now.position - then.position).norm() + radius * turn + lengths[body] + rounding
        };
        let longest = lengths.iter().copied().fold(0.25 * reach, f64::max);
        self.places.len() == places.len()
            && self.reach == reach
            && self.slack <= WIDE * longest
            && (0..places.len()).all(|body| far(body) <= self.slack)
    }
}

/// Returns an upper bound of how far (m) a point of a body moves in the step.
fn length(bodies: &[(&Shape, RigidMotion)], step: &[Vector6<f64>], body: usize) -> f64 {
    let turn = step[body].fixed_rows::<3>(3).norm() * bodies[body].0.radius();
    (step[body].fixed_rows::<3>(0).norm() + turn) * (1.0 + 1e-12)
}

/// Returns an upper bound of how much closer (m) points of two bodies come in the step.
fn approach(bodies: &[(&Shape, RigidMotion)], step: &[Vector6<f64>], [a, b]: [usize; 2]) -> f64 {
    let turn = |body: usize| step[body].fixed_rows::<3>(3).norm() * bodies[body].0.radius();
    ((step[a] - step[b]).fixed_rows::<3>(0).norm() + turn(a) + turn(b)) * (1.0 + 1e-12)
}

impl Known {
    fn new(
        bodies: &[(&Shape, RigidMotion)],
        places: &[Placement],
        pair: [usize; 2],
        seen: Seen,
        margin: f64,
    ) -> Result<Self, BroadPhaseError> {
        let shape = |body: usize| bodies[body].0;
        let found = proximity_between(pair.map(|body| (shape(body), places[body].pose())), margin)?;
        let of = |candidate: Candidate| {
            let ids = [candidate.body_a, candidate.body_b].map(|k| pair[k as usize] as u32);
            let candidate = Candidate { body_a: ids[0], body_b: ids[1], ..candidate };
            let contact = PrimitivePair::new(&candidate, ids.map(|body| shape(body as usize)));
            (contact.distance(places), candidate)
        };
        let candidates = found.into_iter().map(of).filter(|(d, _)| *d <= margin).collect();
        Ok(Self { candidates, seen, margin })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rigor_math::Pose;
    use rigor_shapes::Cuboid;

    use super::*;
    use crate::config::Coordinates;
    use crate::line_search::Surroundings;
    use crate::near::Near;
    use crate::skin::Skin;

    /// Returns `of` the surroundings of these shapes.
    fn surrounded<T>(
        shapes: &[Shape],
        reach: f64,
        may_collide: &(dyn Fn(usize, usize) -> bool + Sync),
        nearby: &mut Nearby,
        of: impl FnOnce(&mut Surroundings) -> T,
    ) -> T {
        let skins: Vec<Skin> = shapes.iter().map(|shape| Skin::of(shape.mesh())).collect();
        let bounds: Vec<_> = shapes.iter().map(|shape| shape.mesh().bounds()).collect();
        of(&mut Surroundings {
            shapes,
            skins: &skins,
            bounds: &bounds,
            reach,
            d_min: 0.0,
            may_collide,
            nearby,
        })
    }

    fn all(near: &Near) -> Vec<PrimitivePair> {
        near.contacts().copied().collect()
    }

    /// The contacts along a step, the free part of it, and the number of queries.
    #[derive(Debug, PartialEq)]
    struct Way {
        contacts: Vec<Vec<PrimitivePair>>,
        alpha: f64,
        queries: u64,
    }

    fn way(shapes: &[Shape], places: &[Placement], step: &[Vector6<f64>], nearby: &mut Nearby) -> Way {
        let may_collide = |a: usize, b: usize| (a, b) != (0, 1);
        surrounded(shapes, 0.02, &may_collide, nearby, |around| {
            let meetings = around.meetings(places, step, |_| true).expect("numbers are moderate");
            let (alpha, queries) = around.free(places, step, meetings.iter()).expect("blocks are apart");
            let contacts = meetings.into_iter().map(|meeting| meeting.contacts).collect();
            Way { contacts, alpha, queries }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn what_is_kept_changes_nothing(
            steps in prop::collection::vec(
                (-5.0..0.0f64, prop::array::uniform8(prop::array::uniform6(-1.0..1.0f64))), 12
            )
        ) {
            let block = Cuboid { size: Vec3::repeat(1.0), segments: [1; 3] }.mesh().unwrap();
            let shapes = vec![Shape::new(block); 8];
            let at = |i: usize| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64) * 1.01;
            let place = |i| Placement::new(&Pose::translation(at(i)), Coordinates::Local);
            let mut places: Vec<Placement> = (0..8).map(place).collect();
            let mut kept = Nearby::default();
            for (size, step) in steps {
                let size = 0.3 * 10f64.powf(size);
                let step: Vec<_> = step.iter().map(|step| Vector6::from_column_slice(step) * size).collect();
                let [known, fresh] =
                    [&mut kept, &mut Nearby::default()].map(|nearby| way(&shapes, &places, &step, nearby));
                prop_assert_eq!(&known, &fresh);
                let moved = |(place, step): (&Placement, &Vector6<f64>)| place.moved(&(step * fresh.alpha));
                places = places.iter().zip(&step).map(moved).collect();
                // The contacts at the end of a way equal those of a new search there.
                let at_end = all(&Near::default().renewed(|_| true, fresh.contacts, &places, 0.02));
                let found = surrounded(&shapes, 0.02, &|a, b| (a, b) != (0, 1), &mut Nearby::default(), |around| {
                    all(&around.near(&places).expect("blocks are apart"))
                });
                prop_assert_eq!(at_end, found);
            }
        }
    }

    /// Cubes that move together far away: the gap found between them depends on where they are, as coordinates
    /// below 2²⁰ m are rounded more finely. It exceeds the reach where pairs are first kept, but not later.
    #[test]
    fn what_is_kept_allows_for_rounding() {
        let g = 2.0_f64.powi(-32);
        let block = Cuboid { size: Vec3::repeat(1.0 + 0.6 * g), segments: [1; 3] }.mesh().unwrap();
        let shapes = vec![Shape::new(block); 2];
        let places = |x: f64| {
            let place = |x: f64| Placement::new(&Pose::translation(Vec3::x() * x), Coordinates::Local);
            [place(x), place(x + 1.0 + 2.0_f64.powi(-6))]
        };
        let far = 2.0_f64.powi(20);
        let [there, here] = [places(far + 8.0), places(far - 8.0)];
        let contacts = |places: &[Placement], nearby: &mut Nearby, reach: f64| {
            surrounded(&shapes, reach, &|_, _| true, nearby, |around| {
                around.near(places).map(|near| all(&near))
            })
            .unwrap()
        };
        let reach = 2.0_f64.powi(-6) - 0.5 * g;
        let mut kept = Nearby::default();
        assert!(contacts(&there, &mut kept, reach).is_empty());
        let found = contacts(&here, &mut Nearby::default(), reach);
        assert!(!found.is_empty());
        assert_eq!(contacts(&here, &mut kept, reach), found);
    }
}

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
//! difference of rotations: its singular values are s, s and 0. Of affine bodies m has r_a ‖M_a′ − M_a‖ + r_b ‖M_b′ − M_b‖ in
//! place of r_a ‖R′ − R‖, with M = R_bᵀ A and R_b the rotation nearest to A_b.
//!
//! With [`BroadPhase::Interval`] nothing is kept: \[Ferguson2021\] evaluates its boxes in each iteration.
//!
//! Extra candidates do not change the motion: each pair is judged by its own distance and speed. So results
//! do not depend on the cache, as a run resumed from a saved state requires.

use rayon::prelude::*;
use rigor_ccd::broad_phase::{
    BroadPhaseError, Candidate, Shape, candidates_between, interval_candidates_between, proximity_between,
};
use rigor_math::{Mat3, Vec3};

use crate::config::BroadPhase;
use crate::contact::PrimitivePair;
use crate::neighbours::{BodyMotions, BodySelection, Neighbours};
use crate::placement::Placement;
use crate::stretch::spectral_bound;

/// Maximum approach, relative to the mean size of the primitives, for which the cache is used; longer steps
/// are better swept.
const SHORT: f64 = 0.02;
/// Slack, in multiples of the approach in the current step.
const SLACK: f64 = 2.0;
/// Minimum body pairs per rayon task.
const GRAIN: usize = 2;

/// The pairs of nearby primitives for each pair of nearby bodies.
#[derive(Debug, Default)]
pub(crate) struct CandidateCache {
    neighbours: Neighbours<Option<Box<Known>>>,
}

/// Cached candidates of two bodies.
#[derive(Debug)]
struct Known {
    candidates: Vec<Candidate>,
    /// d₀ (m) of each.
    distances: Vec<f64>,
    seen: RelativePose,
    /// Distance (m) up to which all pairs in that pose are in `candidates`.
    margin: f64,
}

/// The pose of one body as seen from the other: R, c (m).
#[derive(Debug, Clone, Copy)]
struct RelativePose {
    /// M_a = R_bᵀ A_a.
    rotation: Mat3,
    /// M_b = R_bᵀ A_b of affine bodies.
    own: Option<(Mat3, f64)>,
    center: Vec3,
    /// r_a (m).
    radius: f64,
    /// Upper bound (m) of the rounding error of a distance.
    rounding: f64,
}

impl RelativePose {
    /// Returns the pose of the smaller body as seen from the larger one.
    fn of(places: &[Placement], shapes: &[Shape], [i, j]: [usize; 2]) -> Self {
        let (a, b) = if shapes[i].radius() <= shapes[j].radius() { (i, j) } else { (j, i) };
        let to_b = places[b].rotation_matrix().transpose();
        let size = |k: usize| places[k].position.norm() + shapes[k].radius() + shapes[k].max_offset();
        Self {
            rotation: to_b * places[a].matrix,
            own: places[b].is_affine().then(|| (to_b * places[b].matrix, shapes[b].radius())),
            center: to_b * (places[a].position - places[b].position),
            radius: shapes[a].radius(),
            rounding: 1e-13 * (size(a) + size(b)),
        }
    }

    /// Returns m (m), including the rounding of m and of distances in either pose.
    fn moved(&self, then: &Self) -> f64 {
        let by = self.rotation - then.rotation;
        let turn = match (&self.own, &then.own) {
            (Some((own, radius)), Some((own_then, _))) => {
                self.radius * spectral_bound(&by) + radius * spectral_bound(&(own - own_then))
            }
            _ => self.radius * (by.norm() * std::f64::consts::FRAC_1_SQRT_2),
        };
        (self.center - then.center).norm() + turn + self.rounding + then.rounding
    }
}

impl CandidateCache {
    /// Returns `of_pair` for each pair of nearby bodies of which at least one is looked at and that `is_asked`, called
    /// with all pairs of primitives that come within the reach of each other in the steps, and possibly others, and with
    /// what the last call on the same thread has left, from which no result may depend. Both the
    /// candidates and the results are in the order of [`candidates`](rigor_ccd::broad_phase::candidates). Bodies that
    /// are not looked at must be where [`Neighbours::update`] requires.
    ///
    /// # Errors
    /// [`BroadPhaseError`] when a coordinate is too large or not finite.
    pub fn each_pair<const N: usize, S: Default, T: Send>(
        &mut self,
        motions: &BodyMotions<N>,
        look: BodySelection,
        is_asked: impl Fn([usize; 2]) -> bool + Sync,
        of_pair: impl Fn(&[Candidate], &mut S) -> T + Sync,
    ) -> Result<Vec<([usize; 2], T)>, BroadPhaseError> {
        self.look(motions, look)?;
        let pairs = &mut self.neighbours.pairs;
        let mut asked = Vec::new();
        for spot in pairs.of(look.bodies.iter(), look.has) {
            if is_asked(spot.bodies) {
                asked.push((spot, pairs.at_mut(spot).and_then(Option::take)));
            }
        }
        let found: Vec<_> = asked
            .into_par_iter()
            .with_min_len(GRAIN)
            .map_init(<(Vec<Candidate>, S)>::default, |(near, scratch), (spot, kept)| {
                let known = nearby(motions, spot.bodies, kept, near)?;
                Ok((spot, of_pair(near, scratch), known))
            })
            .collect::<Result<_, _>>()?;
        let mut answers = Vec::with_capacity(found.len());
        for (spot, answer, known) in found {
            if let (Some(kept), Some(known)) = (pairs.at_mut(spot), known) {
                *kept = Some(known);
            }
            answers.push((spot.bodies, answer));
        }
        Ok(answers)
    }

    /// Looks at the motion of bodies, so that later looks may leave them out while they stay.
    ///
    /// # Errors
    /// [`BroadPhaseError`] when a coordinate is too large or not finite.
    pub fn look<const N: usize>(
        &mut self,
        motions: &BodyMotions<N>,
        look: BodySelection,
    ) -> Result<(), BroadPhaseError> {
        self.neighbours.update(motions, look)
    }
}

/// Puts the pairs of primitives of two bodies that come within the reach of each other in their steps, and possibly
/// others, in `near`; returns what is to be kept.
fn nearby<const N: usize>(
    motions: &BodyMotions<N>,
    pair: [usize; 2],
    kept: Option<Box<Known>>,
    near: &mut Vec<Candidate>,
) -> Result<Option<Box<Known>>, BroadPhaseError> {
    match motions.broad_phase {
        BroadPhase::ClosedForm => nearby_kept(motions, pair, kept, near),
        BroadPhase::Interval => {
            let bodies = pair.map(|body| motions.motion(body));
            let margin = motions.reach + deviations(motions, pair);
            *near = named(interval_candidates_between(&bodies, [0, 1], 1.0, margin), pair)?;
            Ok(None)
        }
    }
}

/// Does the same with the pairs that were kept, or with boxes in pieces of the step.
fn nearby_kept<const N: usize>(
    motions: &BodyMotions<N>,
    pair: [usize; 2],
    kept: Option<Box<Known>>,
    near: &mut Vec<Candidate>,
) -> Result<Option<Box<Known>>, BroadPhaseError> {
    let approach = approach(motions, pair);
    let grain = motions.shapes[pair[0]].grain().min(motions.shapes[pair[1]].grain());
    if approach > motions.reach.max(SHORT * grain) {
        let margin = motions.reach + deviations(motions, pair);
        let found = candidates_between(&pair.map(|body| motions.motion(body)), [0, 1], 1.0, margin);
        *near = named(found, pair)?;
        return Ok(None);
    }
    let seen = RelativePose::of(motions.places, motions.shapes, pair);
    let is_enough = |known: &Known| known.seen.moved(&seen) + approach + motions.reach <= known.margin;
    let known = match kept {
        Some(known) if is_enough(&known) => known,
        _ => {
            let margin = motions.reach + SLACK * approach.max(0.25 * motions.reach);
            Box::new(Known::new(motions, pair, seen, margin)?)
        }
    };
    let within = known.seen.moved(&seen) + approach + motions.reach;
    let all = known.distances.iter().zip(&known.candidates);
    near.clear();
    near.extend(all.filter(|(d, _)| **d <= within).map(|(_, near)| *near));
    Ok(Some(known))
}

/// Returns how far (m) points of two bodies may be, together, from where rigid motions have them.
fn deviations<const N: usize>(motions: &BodyMotions<N>, pair: [usize; 2]) -> f64 {
    pair.map(|body| motions.deviation(body)).iter().sum()
}

/// Returns an upper bound of how much closer (m) points of two bodies come in the step.
fn approach<const N: usize>(motions: &BodyMotions<N>, pair: [usize; 2]) -> f64 {
    let [a, b] = pair.map(|body| motions.steps.step(body));
    ((a - b).fixed_rows::<3>(0).norm() + motions.turn(pair[0], &a) + motions.turn(pair[1], &b))
        * (1.0 + 1e-12)
}

/// Returns the candidates of two bodies that the broad phase knows as 0 and 1, or its error, with their numbers.
#[expect(clippy::wildcard_enum_match_arm, reason = "other errors name no body")]
fn named(
    found: Result<Vec<Candidate>, BroadPhaseError>,
    pair: [usize; 2],
) -> Result<Vec<Candidate>, BroadPhaseError> {
    let mut found = found.map_err(|error| match error {
        BroadPhaseError::Body { body } => BroadPhaseError::Body { body: pair[body] },
        other => other,
    })?;
    for candidate in &mut found {
        let bodies = [&mut candidate.body_a, &mut candidate.body_b];
        bodies.into_iter().for_each(|body| *body = pair[*body as usize] as u32);
    }
    Ok(found)
}

impl Known {
    fn new<const N: usize>(
        motions: &BodyMotions<N>,
        pair: [usize; 2],
        seen: RelativePose,
        margin: f64,
    ) -> Result<Self, BroadPhaseError> {
        let bodies = pair.map(|body| (&motions.shapes[body], motions.places[body].pose()));
        let mut known = Self { candidates: Vec::new(), distances: Vec::new(), seen, margin };
        // An affine body is within its strain of the rigid one.
        let strained: f64 =
            pair.map(|b| motions.places[b].strain() * motions.shapes[b].radius()).iter().sum();
        for candidate in named(proximity_between(bodies, margin + strained), pair)? {
            let d = PrimitivePair::among(&candidate, motions.shapes).distance(motions.places);
            if d <= margin {
                known.candidates.push(candidate);
                known.distances.push(d);
            }
        }
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nalgebra::Vector6;
    use proptest::prelude::*;
    use rigor_math::Pose;
    use rigor_shapes::Cuboid;

    use super::*;
    use crate::body_slots::Steps;
    use crate::config::CcdMethod;
    use crate::contact_set::ContactSet;
    use crate::line_search::StepContext;
    use crate::placement::Coordinates;
    use crate::skin::Skin;

    /// Returns `of` the surroundings of these shapes.
    fn surrounded<T>(
        shapes: &[Shape],
        reach: f64,
        may_collide: &(dyn Fn(usize, usize) -> bool + Sync),
        nearby: &mut CandidateCache,
        of: impl FnOnce(&mut StepContext) -> T,
    ) -> T {
        let skins: Vec<Arc<Skin>> = shapes.iter().map(|shape| Arc::new(Skin::of(shape.mesh()))).collect();
        let bounds: Vec<_> = shapes.iter().map(|shape| shape.mesh().bounds()).collect();
        of(&mut StepContext {
            shapes,
            skins: &skins,
            bounds: &bounds,
            reach,
            d_min: 0.0,
            may_collide,
            nearby,
            ccd: CcdMethod::default(),
            broad_phase: BroadPhase::default(),
        })
    }

    fn all(near: &ContactSet) -> Vec<PrimitivePair> {
        near.pairs.values().flat_map(|pair| &pair.terms).copied().collect()
    }

    /// The contacts along a step, the free part of it, and the number of queries.
    #[derive(Debug, PartialEq)]
    struct BodyMotions {
        contacts: Vec<Vec<PrimitivePair>>,
        alpha: f64,
        queries: u64,
    }

    fn motions(
        shapes: &[Shape],
        places: &[Placement],
        step: &[Vector6<f64>],
        nearby: &mut CandidateCache,
    ) -> BodyMotions {
        let may_collide = |a: usize, b: usize| (a, b) != (0, 1);
        surrounded(shapes, 0.02, &may_collide, nearby, |around| {
            let step = Steps::all(step);
            let meetings = around.all_meetings(places, step).expect("numbers are moderate");
            let (alpha, queries) = around.free(places, step, meetings.iter()).expect("blocks are apart");
            let contacts = meetings.into_iter().map(|meeting| meeting.contacts).collect();
            BodyMotions { contacts, alpha, queries }
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
            let mut kept = CandidateCache::default();
            for (size, step) in steps {
                let size = 0.3 * 10f64.powf(size);
                let step: Vec<_> = step.iter().map(|step| Vector6::from_column_slice(step) * size).collect();
                let [known, fresh] =
                    [&mut kept, &mut CandidateCache::default()].map(|nearby| motions(&shapes, &places, &step, nearby));
                prop_assert_eq!(&known, &fresh);
                let moved = |(place, step): (&Placement, &Vector6<f64>)| place.moved(&(step * fresh.alpha));
                places = places.iter().zip(&step).map(moved).collect();
                // The contacts at the end of a motion equal those of a new search there.
                let at_end = all(&ContactSet::new(fresh.contacts, &places, 0.02));
                let found = surrounded(&shapes, 0.02, &|a, b| (a, b) != (0, 1), &mut CandidateCache::default(), |around| {
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
        let contacts = |places: &[Placement], nearby: &mut CandidateCache, reach: f64| {
            surrounded(&shapes, reach, &|_, _| true, nearby, |around| {
                around.near(places).map(|near| all(&near))
            })
            .unwrap()
        };
        let reach = 2.0_f64.powi(-6) - 0.5 * g;
        let mut kept = CandidateCache::default();
        assert!(contacts(&there, &mut kept, reach).is_empty());
        let found = contacts(&here, &mut CandidateCache::default(), reach);
        assert!(!found.is_empty());
        assert_eq!(contacts(&here, &mut kept, reach), found);
    }
}

//! The largest part of a Newton step without contact.

use std::sync::Arc;

use rayon::prelude::*;
use rigor_ccd::broad_phase::{BroadPhaseError, Candidate, Shape};
use rigor_ccd::curved::{ChordBound, piecewise_linear};
use rigor_ccd::{
    Answer, Ccd, Impact, InvalidAmong, Length, Limits, LinearMethod, LinearQuery, RigidMethod, RigidMotion,
    RigidQuery, earliest,
};
use rigor_geometry::Aabb;
use rigor_math::Vec3;
use rigor_scene::{BodyId, StepError};

use crate::body_slots::Steps;
use crate::candidate_cache::CandidateCache;
use crate::config::{BroadPhase, CcdMethod, Config};
use crate::contact::{PrimitivePair, points};
use crate::contact_set::ContactSet;
use crate::neighbours::{BodyMotions, BodySelection};
use crate::placement::{Coordinates, Placement};
use crate::shapes::ShapeCache;
use crate::skin::Skin;
use crate::terms::Terms;

/// No body moves, of whatever coordinates.
const AT_REST: Steps<12> = Steps::NONE;

/// Fraction of its distance beyond d_min, counted up to the reach, that a pair of primitives keeps in one
/// step, so that the barrier stays finite.
const KEPT: f64 = 0.2;

/// Factor of the reach within which contacts are gathered before they are selected by distance.
const ABOUT: f64 = 1.0 + 1e-9;

/// Rounding error of a point A x̂ + q, in ulps of its parts: three products, three sums, and those of a partial step.
const STRAIGHT_ROUNDING: f64 = 16.0;

/// Minimum candidates of one pair of bodies per rayon task.
const GRAIN: usize = 128;

/// What may happen between two bodies in a step.
pub(crate) struct Meeting {
    /// The smaller index first.
    pub bodies: [usize; 2],
    /// The contacts that may act along the step.
    pub contacts: Vec<PrimitivePair>,
    asked: Vec<PairQuery>,
}

impl Meeting {
    /// Returns whether the bodies may come within reach of each other, at some time of the step.
    pub fn is_felt(&self) -> bool {
        !self.contacts.is_empty() || !self.asked.is_empty()
    }
}

/// The data that all Newton steps of a time step share.
pub(crate) struct StepContext<'a> {
    pub shapes: &'a [Shape],
    pub skins: &'a [Arc<Skin>],
    /// The bounding box of each body, in its own frame (m).
    pub bounds: &'a [Aabb],
    /// Distance (m) from which primitives do not act on each other.
    pub reach: f64,
    /// Minimum distance (m) between surfaces.
    pub d_min: f64,
    pub may_collide: &'a (dyn Fn(usize, usize) -> bool + Sync),
    pub nearby: &'a mut CandidateCache,
    pub ccd: CcdMethod,
    pub broad_phase: BroadPhase,
}

impl<'a> StepContext<'a> {
    /// The surroundings of the bodies of `shapes`, with the distance `reach` (m) from which primitives do not act on
    /// each other.
    pub fn new(
        shapes: &'a mut ShapeCache,
        config: &Config,
        reach: f64,
        may_collide: &'a (dyn Fn(usize, usize) -> bool + Sync),
    ) -> Self {
        let &Config { minimum_separation: d_min, ccd, broad_phase, .. } = config;
        let (shapes, skins, bounds, nearby) = shapes.parts();
        Self { shapes, skins, bounds, reach, d_min, may_collide, nearby, ccd, broad_phase }
    }
}

impl StepContext<'_> {
    /// Returns α ∈ (0, 1], the part of the steps from `places` that is free if all bodies move together.
    ///
    /// # Errors
    /// Those of [`StepContext::meetings`] and [`StepContext::free`].
    pub fn free_fraction<const N: usize>(
        &mut self,
        places: &[Placement],
        steps: Steps<N>,
    ) -> Result<f64, StepError> {
        let meetings = self.all_meetings(places, steps)?;
        Ok(self.free(places, steps, meetings.iter())?.0)
    }

    /// Returns the meetings of all bodies.
    ///
    /// # Errors
    /// Those of [`StepContext::meetings`].
    pub fn all_meetings<const N: usize>(
        &mut self,
        places: &[Placement],
        steps: Steps<N>,
    ) -> Result<Vec<Meeting>, StepError> {
        let bodies: Vec<usize> = (0..places.len()).collect();
        self.meetings(places, steps, BodySelection { bodies: &bodies, has: &|_| true }, |_| true)
    }

    /// Looks at all bodies where they are, so that later looks may leave out those that stay.
    ///
    /// # Errors
    /// [`StepError::TooLarge`] when a coordinate is too large or not finite.
    pub fn settle(&mut self, places: &[Placement]) -> Result<(), StepError> {
        let bodies: Vec<usize> = (0..places.len()).collect();
        let motions = self.along(places, AT_REST);
        let found = self.nearby.look(&motions, BodySelection { bodies: &bodies, has: &|_| true });
        found.map_err(|error| refused(error, |body| motions.motion(body)))
    }

    /// Returns the meetings, in the order of the bodies, of the pairs of bodies that `is_asked` and of which at least one
    /// is looked at. Those of them that are not in the list stay out of each other's reach. Bodies that are not
    /// looked at must be where [`CandidateCache::each_pair`] requires.
    ///
    /// # Errors
    /// [`StepError::TooLarge`] when a coordinate is too large or not finite.
    pub fn meetings<const N: usize>(
        &mut self,
        places: &[Placement],
        steps: Steps<N>,
        look: BodySelection,
        is_asked: impl Fn([usize; 2]) -> bool + Sync,
    ) -> Result<Vec<Meeting>, StepError> {
        let (course, motions) = (self.course(places, steps), self.along(places, steps));
        let of_pair = |candidates: &[Candidate], scratch: &mut Scratch| course.of_pair(candidates, scratch);
        let found = self.nearby.each_pair(&motions, look, is_asked, of_pair);
        let found = found.map_err(|error| refused(error, |body| motions.motion(body)))?;
        let meeting = |(bodies, (contacts, asked))| Meeting { bodies, contacts, asked };
        Ok(found.into_iter().map(meeting).filter(Meeting::is_felt).collect())
    }

    /// Returns α ∈ (0, 1], the part of `step` that is free in these meetings, and the number of queries: on all
    /// of [0, α] each pair of primitives provably keeps at least its part `KEPT` of the distance.
    ///
    /// # Errors
    /// [`StepError::NoFreeMotion`] when two primitives are so close that no part of the step can be proven
    /// free.
    pub fn free<'m, const N: usize>(
        &self,
        places: &[Placement],
        steps: Steps<N>,
        meetings: impl Iterator<Item = &'m Meeting>,
    ) -> Result<(f64, u64), StepError> {
        self.free_of(places, steps, meetings.flat_map(|meeting| &meeting.asked).cloned().collect())
    }

    /// Returns whether the two bodies of a meeting would collide, to a hundredth of the distance that [`Self::free`] keeps.
    pub fn collide<const N: usize>(&self, places: &[Placement], steps: Steps<N>, meeting: &Meeting) -> bool {
        let nearer = |query: &PairQuery| PairQuery {
            kept: self.d_min + 0.01 * (query.kept - self.d_min),
            ..query.clone()
        };
        // Where nothing can be proven free they collide.
        self.free_of(places, steps, meeting.asked.iter().map(nearer).collect())
            .map_or(true, |(free, _)| free < 1.0)
    }

    fn free_of<const N: usize>(
        &self,
        places: &[Placement],
        steps: Steps<N>,
        mut asked: Vec<PairQuery>,
    ) -> Result<(f64, u64), StepError> {
        if asked.is_empty() {
            return Ok((1.0, 0));
        }
        let motions = self.along(places, steps);
        let motion = |body: usize| motions.motion(body);
        let straight = |asked: &PairQuery| self.straight(places, steps, asked);
        let is_affine = places.iter().any(Placement::is_affine);
        let straight: Option<&Straight> = if is_affine { Some(&straight) } else { None };
        // Nearest first, as these are likely to collide first.
        asked.sort_by(|a, b| a.d.total_cmp(&b.d));
        let first = earliest(&asked, &PairCcd { motion: &motion, straight, method: self.ccd }, 1.0)
            .map_err(|error| invalid(&asked, &error))?;
        if first.t_safe > 0.0 {
            return Ok((first.t_safe, asked.len() as u64));
        }
        let hit = first.first.map_or(0, |(i, _)| i);
        let contact = PrimitivePair::among(&asked[hit].candidate, self.shapes);
        let (bodies, distance) = (contact.bodies.map(BodyId), contact.distance(places));
        Err(StepError::NoFreeMotion { bodies, distance })
    }

    /// Returns the query of two primitives of affine bodies, whose points move on straight lines. The distance that it asks for has the
    /// rounding of the points where they start and end in addition.
    fn straight<const N: usize>(
        &self,
        places: &[Placement],
        steps: Steps<N>,
        asked: &PairQuery,
    ) -> LinearQuery {
        let contact = PrimitivePair::among(&asked.candidate, self.shapes);
        let to: [Placement; 2] = contact.bodies.map(|body| places[body].moved(&steps.step(body)));
        let n = contact.kind.n_points();
        let end = std::array::from_fn(|i| match i < n {
            true => to[contact.side(i)].point(&contact.points_local[i]),
            false => Vec3::zeros(),
        });
        let start = points(&contact, places);
        let size = start.iter().chain(&end).map(Vec3::norm).fold(0.0, f64::max);
        let extent = contact.points_local.iter().map(Vec3::norm).fold(0.0, f64::max);
        let rounding = STRAIGHT_ROUNDING * f64::EPSILON * (size + extent);
        LinearQuery::new(contact.kind, start, end, asked.kept + contact.offset() + rounding)
    }

    /// Returns the contacts at `places`.
    ///
    /// # Errors
    /// [`StepError::TooLarge`] when a coordinate is too large or not finite.
    pub fn near(&mut self, places: &[Placement]) -> Result<ContactSet, StepError> {
        let bodies: Vec<usize> = (0..places.len()).collect();
        let (course, motions) = (self.course(places, AT_REST), self.along(places, AT_REST));
        let of_pair =
            |candidates: &[Candidate], scratch: &mut Scratch| course.about_within_reach(candidates, scratch);
        let look = BodySelection { bodies: &bodies, has: &|_| true };
        let found = self.nearby.each_pair(&motions, look, |_| true, of_pair);
        let found = found.map_err(|error| refused(error, |body| motions.motion(body)))?;
        let contacts = found.into_iter().map(|(_, contacts)| contacts).collect();
        Ok(ContactSet::new(contacts, places, self.reach))
    }

    fn course<'a, const N: usize>(&self, places: &'a [Placement], steps: Steps<'a, N>) -> Course<'a, N>
    where
        Self: 'a,
    {
        let Self { shapes, skins, reach, d_min, .. } = *self;
        Course { shapes, skins, reach, d_min, places, steps }
    }

    fn along<'a, const N: usize>(&self, places: &'a [Placement], steps: Steps<'a, N>) -> BodyMotions<'a, N>
    where
        Self: 'a,
    {
        let Self { shapes, bounds, reach, may_collide, broad_phase, .. } = *self;
        BodyMotions { shapes, bounds, places, steps, reach, may_collide, broad_phase }
    }
}

/// Room in which lists grow before they are copied to as much memory as they need: pair after pair, lists that grow
/// where they stay take more time and more memory.
#[derive(Default)]
struct Scratch {
    found: Vec<PrimitivePair>,
    asked: Vec<PairQuery>,
}

/// One Newton step and its surroundings.
struct Course<'a, const N: usize> {
    shapes: &'a [Shape],
    skins: &'a [Arc<Skin>],
    reach: f64,
    d_min: f64,
    places: &'a [Placement],
    steps: Steps<'a, N>,
}

impl<const N: usize> Course<'_, N> {
    /// Returns the contacts that may act between one pair of bodies, and the candidates that need collision
    /// detection.
    fn of_pair(
        &self,
        candidates: &[Candidate],
        scratch: &mut Scratch,
    ) -> (Vec<PrimitivePair>, Vec<PairQuery>) {
        let is_felt = |(d, approach): (f64, f64)| d - approach < self.reach;
        let is_term = |contact: &PrimitivePair| is_felt(self.bounds_of(contact));
        let bounds_of = |candidate| self.bounds_of(&PrimitivePair::among(candidate, self.shapes));
        // Few candidates are not worth a list of their bounds.
        let is_many = candidates.len() >= 2 * GRAIN;
        let bounds: Vec<_> = match is_many {
            true => candidates.par_iter().with_min_len(GRAIN).map(bounds_of).collect(),
            false => Vec::new(),
        };
        let Scratch { found, asked } = scratch;
        let mut terms = Terms::new(self.shapes, self.skins, self.reach, &is_term, found);
        asked.clear();
        for (index, candidate) in candidates.iter().enumerate() {
            let (d, approach) = bounds.get(index).copied().unwrap_or_else(|| bounds_of(candidate));
            if is_felt((d, approach)) {
                terms.push(candidate);
            }
            let kept = self.d_min + KEPT * (d - self.d_min).min(self.reach - self.d_min).max(0.0);
            let asks = PairQuery { candidate: *candidate, d, approach, kept };
            if !asks.is_apart(1.0) {
                asked.push(asks);
            }
        }
        (terms.finish(), asked.clone())
    }

    /// Returns the contacts that act between one pair of bodies where they are, and possibly others: rounding
    /// must not drop a triangle whose edge is within reach.
    fn about_within_reach(&self, candidates: &[Candidate], scratch: &mut Scratch) -> Vec<PrimitivePair> {
        let is_felt = |contact: &PrimitivePair| contact.distance(self.places) < self.reach * ABOUT;
        let mut terms = Terms::new(self.shapes, self.skins, self.reach, &is_felt, &mut scratch.found);
        for candidate in candidates.iter().filter(|c| is_felt(&PrimitivePair::among(c, self.shapes))) {
            terms.push(candidate);
        }
        terms.finish()
    }

    /// Returns d (m), that of their surfaces, and an upper bound (m) of how much closer two primitives come in the step, rounding of
    /// the distance included. The bound uses speeds and, if that is not small enough, the motion along the
    /// direction between the primitives.
    fn bounds_of(&self, contact: &PrimitivePair) -> (f64, f64) {
        let x = points(contact, self.places);
        let (_, separation) = contact.nearest(&x);
        let (between, offset) = (separation.norm(), contact.offset());
        let d = between - offset;
        let [a, b] = contact.bodies;
        let size = |body: usize| self.places[body].position.norm() + self.shapes[body].radius() + offset;
        let rounding = 1e-13 * (size(a) + size(b));
        let radii = radii(contact);
        let speed = by_speed(contact, radii, self.places, self.steps) * (1.0 + 1e-12) + rounding;
        let is_straight =
            [a, b].iter().all(|&body| self.places[body].coordinates != Coordinates::RotationVector);
        if d - speed >= self.reach || between == 0.0 || !is_straight {
            return (d, speed);
        }
        let along = along_normal(contact, radii, self.places, self.steps, &x, &(separation / between));
        (d, speed.min(along * (1.0 + 1e-12) + 2.0 * rounding))
    }
}

/// Returns ‖Δq_a − Δq_b‖ + r_a ‖Δθ_a‖ + r_b ‖Δθ_b‖, lemma 1 of `docs/methods/ccd.md`; with ‖ΔA‖ for ‖Δθ‖ of affine bodies.
fn by_speed<const N: usize>(
    contact: &PrimitivePair,
    [r_a, r_b]: [f64; 2],
    places: &[Placement],
    steps: Steps<N>,
) -> f64 {
    let [a, b] = contact.bodies.map(|body| steps.step(body));
    let [angle_a, angle_b] = contact.bodies.map(|body| places[body].turning(&steps.step(body)));
    (a - b).fixed_rows::<3>(0).norm() + angle_a * r_a + angle_b * r_b
}

/// Returns maxᵢⱼ −n·(uᵢ − uⱼ) + ½ (r_a ‖Δθ_a‖² + r_b ‖Δθ_b‖²), where the maximum is at least 0 and
/// u = Δq + Δθ × r are the initial velocities.
///
/// A plane normal to n between the primitives has distances to them that sum to d. It keeps them apart by d
/// minus what the points of A lose relative to the points of B along n. A point on a circle deviates from its
/// tangent by at most half its acceleration.
fn along_normal<const N: usize>(
    contact: &PrimitivePair,
    [r_a, r_b]: [f64; 2],
    places: &[Placement],
    steps: Steps<N>,
    x: &[Vec3; 4],
    normal: &Vec3,
) -> f64 {
    let motions = contact.bodies.map(|body| (&places[body], steps.step(body)));
    let speed = |i: usize| {
        let (place, step) = &motions[contact.side(i)];
        normal.dot(&place.velocity(step, &contact.points_local[i], &x[i]))
    };
    let (n_a, n) = (contact.kind.sizes().0, contact.kind.n_points());
    let slowest_a = (0..n_a).map(speed).fold(f64::INFINITY, f64::min);
    let fastest_b = (n_a..n).map(speed).fold(f64::NEG_INFINITY, f64::max);
    let bend = motions.map(|(place, step)| place.bend(&step));
    (fastest_b - slowest_a).max(0.0) + 0.5 * (r_a * bend[0] + r_b * bend[1])
}

/// Returns the maximum distances (m) of the points of A and B from the centres of their bodies.
fn radii(contact: &PrimitivePair) -> [f64; 2] {
    let (n_a, n) = (contact.kind.sizes().0, contact.kind.n_points());
    let radius = |points: &[Vec3]| points.iter().map(Vec3::norm_squared).fold(0.0, f64::max).sqrt();
    [radius(&contact.points_local[..n_a]), radius(&contact.points_local[n_a..n])]
}

/// Maximum length (m) and angle (rad) of the broad phase.
const LARGEST: f64 = 1e100;

/// Converts the error of the broad phase, which rejects numbers that are too large or not finite, and
/// orientations that are not of unit length.
pub(crate) fn refused<'a>(
    error: BroadPhaseError,
    motion: impl Fn(usize) -> (&'a Shape, RigidMotion),
) -> StepError {
    match error {
        BroadPhaseError::Body { body, .. } => refused_body(body, motion(body)),
        BroadPhaseError::Margin { margin, .. } => {
            StepError::ContactDistance { distance: margin, limit: LARGEST }
        }
        // Not for motions that are asked about until their ends.
        other => StepError::Failed { what: other.to_string(), bodies: Vec::new() },
    }
}

fn refused_body(body: usize, (shape, motion): (&Shape, RigidMotion)) -> StepError {
    let vectors = [motion.position_t0, motion.position_t1, motion.theta_t0, motion.theta_t1];
    let numbers = vectors.iter().flatten().copied().chain([shape.radius()]);
    let value = numbers.map(f64::abs).max_by(f64::total_cmp).unwrap_or(0.0);
    let (body, norm) = (BodyId(body), motion.orientation.as_vector().norm());
    if value <= LARGEST {
        StepError::Orientation { body, norm }
    } else {
        StepError::TooLarge { body, value, limit: LARGEST }
    }
}

/// Converts the error of a query, such as a minimum distance that is not finite.
fn invalid(asked: &[PairQuery], error: &InvalidAmong) -> StepError {
    let [a, b] = asked[error.index].candidate.bodies();
    let bodies = vec![BodyId(a as usize), BodyId(b as usize)];
    StepError::Failed { what: format!("a query for contact is invalid: {}", error.source), bodies }
}

/// Two primitives that may come too close.
#[derive(Clone)]
struct PairQuery {
    candidate: Candidate,
    /// Their distance (m).
    d: f64,
    /// Upper bound (m) of how much closer they come in the whole step.
    approach: f64,
    /// Distance (m) that they must keep.
    kept: f64,
}

impl PairQuery {
    /// Returns whether the bound on their approach proves that they stay apart up to `horizon`; a NaN proves
    /// nothing.
    fn is_apart(&self, horizon: f64) -> bool {
        self.d - horizon * self.approach > self.kept
    }
}

/// Tolerance of the linear method of algorithm 1, relative to the margin d − d_min, where nothing can be proven with
/// that of [`piecewise_linear::LIMITS`], which is a length.
const FINER: f64 = 0.01;

/// The query of two primitives that move on straight lines.
type Straight<'a> = dyn Fn(&PairQuery) -> LinearQuery + Sync + 'a;

/// Continuous collision detection for pairs that the bounds do not prove apart.
struct PairCcd<'a> {
    motion: &'a (dyn Fn(usize) -> (&'a Shape, RigidMotion) + Sync),
    /// The query of affine bodies.
    straight: Option<&'a Straight<'a>>,
    method: CcdMethod,
}

impl Ccd<PairQuery> for PairCcd<'_> {
    fn impact(&self, asked: &PairQuery, horizon: f64) -> Answer {
        if asked.is_apart(horizon) && self.method == CcdMethod::SeparatingPlane {
            return Ok(Impact::Free);
        }
        if let Some(straight) = self.straight {
            return LinearMethod::SeparatingPlane.impact(&straight(asked), horizon);
        }
        let Candidate { kind, body_a, body_b, .. } = asked.candidate;
        let query = || {
            let [(a, motion_a), (b, motion_b)] = [body_a, body_b].map(|body| (self.motion)(body as usize));
            let points_local = asked.candidate.points_local(a, b);
            let [rho_a, rho_b] = asked.candidate.offsets(a, b);
            RigidQuery::new(kind, [motion_a, motion_b], points_local, asked.kept + (rho_a + rho_b))
        };
        match self.method {
            CcdMethod::SeparatingPlane => RigidMethod::SeparatingPlane.impact(&query(), horizon),
            CcdMethod::PiecewiseLinearInterval => {
                let piecewise =
                    |limits| piecewise_linear::impact(&query(), horizon, limits, ChordBound::Interval);
                let answer = piecewise(&piecewise_linear::LIMITS)?;
                let margin = asked.d - asked.kept;
                let tolerance = Length(FINER * margin);
                if answer.t_safe(horizon) > 0.0 || tolerance >= piecewise_linear::LIMITS.tolerance {
                    return Ok(answer);
                }
                piecewise(&Limits { tolerance, ..piecewise_linear::LIMITS })
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! How far a Newton step may go without contact.

use nalgebra::Vector6;
use rigor_ccd::broad_phase::{BroadPhaseError, Candidate, Shape};
use rigor_ccd::{Ccd, Impact, RigidMethod, RigidMotion, earliest};
use rigor_math::Vec3;
use rigor_scene::{BodyId, StepError};

use crate::config::Coordinates;
use crate::contact::Contact;
use crate::nearby::Nearby;
use crate::objective::points;
use crate::placement::Placement;
use crate::skin::Skin;
use crate::terms::Terms;

/// What part of its distance a pair of primitives keeps in one step; so that the barrier stays finite.
const KEPT: f64 = 0.2;

/// The way of one Newton step: which primitives may come near each other on it, and how far it is free.
pub(crate) struct Way {
    pub contacts: Vec<Contact>,
    /// The largest α ∈ (0, 1] for which no pair comes nearer than a part of its distance, on all of [0, α].
    pub alpha: f64,
    pub queries: u64,
}

/// The constant part of all ways of a step.
pub(crate) struct Surroundings<'a> {
    pub shapes: &'a [Shape],
    pub skins: &'a [Skin],
    /// Primitives farther apart than this (m) do not feel each other.
    pub reach: f64,
    /// Distance (m) that all surfaces keep.
    pub d_min: f64,
    pub may_collide: &'a (dyn Fn(usize, usize) -> bool + Sync),
    pub nearby: &'a mut Nearby,
}

impl Surroundings<'_> {
    /// The way of `step` from `places`.
    ///
    /// # Errors
    /// [`StepError::Failed`] when bodies are too far away for numbers, or when two primitives are so near that no step can
    /// be proven free.
    pub fn way(&mut self, places: &[Placement], step: &[Vector6<f64>]) -> Result<Way, StepError> {
        let found = self.candidates(places, step)?;
        let way_of = |contact: &Contact| self.way_of(contact, places, step);
        let is_felt = |contact: &Contact| {
            let (d, approach) = way_of(contact);
            d - approach < self.reach
        };
        let mut terms = Terms::new(self.shapes, self.skins, &is_felt);
        let mut asked = Vec::new();
        for candidate in &found {
            let contact = Contact::new(candidate, self.shapes);
            let (d, approach) = way_of(&contact);
            if d - approach < self.reach {
                terms.push(candidate, contact);
            }
            let kept = self.d_min + KEPT * (d - self.d_min).min(self.reach - self.d_min).max(0.0);
            let asks = Asked { candidate: *candidate, d, approach, kept };
            if !asks.is_apart(1.0) {
                asked.push(asks);
            }
        }
        let motions = places.iter().zip(step).map(|(p, s)| p.motion(s));
        let bodies: Vec<(&Shape, RigidMotion)> = self.shapes.iter().zip(motions).collect();
        // The nearest first: they are likely to be the first to meet.
        asked.sort_by(|a, b| a.d.total_cmp(&b.d));
        let first = earliest(&asked, &Asking { bodies: &bodies }, 1.0);
        if first.t_safe > 0.0 {
            return Ok(Way { contacts: terms.finish(), alpha: first.t_safe, queries: asked.len() as u64 });
        }
        let contact = first.first.map(|(i, _)| Contact::new(&asked[i].candidate, self.shapes));
        let bodies = contact.map(|c| c.bodies.map(BodyId).to_vec()).unwrap_or_default();
        let d = contact.map_or(0.0, |c| c.distance(places));
        let what =
            format!("two primitives are {d:e} m apart, too near for any motion to be proven free of contact");
        Err(StepError::Failed { what, bodies })
    }

    /// All pairs of primitives within reach at `places`.
    ///
    /// # Errors
    /// [`StepError::Failed`] when bodies are too far away for numbers.
    pub fn contacts(&mut self, places: &[Placement]) -> Result<Vec<Contact>, StepError> {
        let found = self.candidates(places, &vec![Vector6::zeros(); places.len()])?;
        let is_felt = |contact: &Contact| contact.distance(places) < self.reach;
        let mut terms = Terms::new(self.shapes, self.skins, &is_felt);
        for candidate in &found {
            let contact = Contact::new(candidate, self.shapes);
            if is_felt(&contact) {
                terms.push(candidate, contact);
            }
        }
        Ok(terms.finish())
    }

    fn candidates(
        &mut self,
        places: &[Placement],
        step: &[Vector6<f64>],
    ) -> Result<Vec<Candidate>, StepError> {
        self.nearby.candidates(self.shapes, places, step, self.reach, self.may_collide).map_err(too_far)
    }

    /// d (m), and by how much (m) two primitives may come nearer to each other in `step`, rounding of their distance included: no
    /// more than is known by speeds, and, where that is not little enough, along the direction between them.
    fn way_of(&self, contact: &Contact, places: &[Placement], step: &[Vector6<f64>]) -> (f64, f64) {
        let x = points(contact, places);
        let d = contact.distance_sq(&x).sqrt();
        let [a, b] = contact.bodies;
        let size = |body: usize| places[body].position.norm() + self.shapes[body].radius();
        let rounding = 1e-13 * (size(a) + size(b));
        let speed = by_speed(contact, step) * (1.0 + 1e-12) + rounding;
        let is_straight = [a, b].iter().all(|&body| places[body].coordinates == Coordinates::Local);
        if d - speed >= self.reach || !is_straight {
            return (d, speed);
        }
        (d, speed.min(along_normal(contact, places, step, &x) * (1.0 + 1e-12) + 2.0 * rounding))
    }
}

/// ‖Δq_a − Δq_b‖ + r_a ‖Δθ_a‖ + r_b ‖Δθ_b‖, lemma 1 of `docs/methods/ccd.md`.
fn by_speed(contact: &Contact, step: &[Vector6<f64>]) -> f64 {
    let [a, b] = contact.bodies;
    let [angle_a, angle_b] = [a, b].map(|body| step[body].fixed_rows::<3>(3).norm());
    let [r_a, r_b] = radii(contact);
    (step[a] - step[b]).fixed_rows::<3>(0).norm() + angle_a * r_a + angle_b * r_b
}

/// maxᵢⱼ −n·(uᵢ − uⱼ) + ½ (r_a ‖Δθ_a‖² + r_b ‖Δθ_b‖²), at least 0, with the speeds u = Δq + Δθ × r at the start.
///
/// A plane across n is as far from either primitive as they are apart, shared out; it keeps them apart by d less what points of A lose against
/// points of B along n. A point on its circle is off its tangent by no more than half its acceleration.
fn along_normal(contact: &Contact, places: &[Placement], step: &[Vector6<f64>], x: &[Vec3; 4]) -> f64 {
    let (_, separation) = contact.nearest(x);
    let Some(normal) = separation.try_normalize(0.0) else { return f64::INFINITY };
    let turn = |body: usize| step[body].fixed_rows::<3>(3).into_owned();
    let speed = |i: usize| {
        let body = contact.bodies[contact.side(i)];
        let by = step[body].fixed_rows::<3>(0) + turn(body).cross(&(x[i] - places[body].position));
        normal.dot(&by)
    };
    let (n_a, n) = (contact.kind.sizes().0, contact.kind.n_points());
    let slowest_a = (0..n_a).map(speed).fold(f64::INFINITY, f64::min);
    let fastest_b = (n_a..n).map(speed).fold(f64::NEG_INFINITY, f64::max);
    let bend = contact.bodies.map(|body| turn(body).norm_squared());
    let [r_a, r_b] = radii(contact);
    (fastest_b - slowest_a).max(0.0) + 0.5 * (r_a * bend[0] + r_b * bend[1])
}

/// How far (m) the points of A and B are from the centres of their bodies.
fn radii(contact: &Contact) -> [f64; 2] {
    let (n_a, n) = (contact.kind.sizes().0, contact.kind.n_points());
    let radius = |points: &[Vec3]| points.iter().map(Vec3::norm_squared).fold(0.0, f64::max).sqrt();
    [radius(&contact.points_local[..n_a]), radius(&contact.points_local[n_a..n])]
}

/// Bodies are too far away for numbers.
pub(crate) fn too_far(error: BroadPhaseError) -> StepError {
    StepError::Failed { what: error.to_string(), bodies: Vec::new() }
}

/// Two primitives that may come too near each other.
struct Asked {
    candidate: Candidate,
    /// How far apart they are (m).
    d: f64,
    /// By how much (m) they may come nearer in the whole step.
    approach: f64,
    /// How far apart they must stay (m).
    kept: f64,
}

impl Asked {
    /// Whether speeds alone prove that they stay apart up to `horizon`. What is not a number is not.
    fn is_apart(&self, horizon: f64) -> bool {
        self.d - horizon * self.approach > self.kept
    }
}

/// Curved continuous collision detection of those that speeds alone do not keep apart.
struct Asking<'a> {
    bodies: &'a [(&'a Shape, RigidMotion)],
}

impl Ccd<Asked> for Asking<'_> {
    fn impact(&self, asked: &Asked, horizon: f64) -> Impact {
        if asked.is_apart(horizon) {
            return Impact::Free;
        }
        RigidMethod::default().impact(&asked.candidate.query(self.bodies, asked.kept), horizon)
    }
}

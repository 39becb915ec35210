//! Examines a path, piece by piece.

use std::collections::BTreeMap;
use std::sync::Arc;

use rigor_geometry::{Aabb, Bvh};
use rigor_math::{Mat3, Pose, Vec3};
use rigor_scene::{Body, BodyId, BodyState, PathPiece, Scene, State, Travel, Turn};

use super::course::{Course, UNIT_TOLERANCE};
use super::encounter::{Encounter, UnprovenSpan};
use super::interval::{minus, norm, points};
use super::placement::Placement;
use super::shape::PrimitiveTree;
use super::stand::{Stand, affine_joint};
use super::{Certificate, Flaw};
use crate::effort::Effort;
use crate::meeting::Meeting;
use crate::surface::shape::{Key, key};
use crate::surface_cache::SurfaceCache;

/// Distances are reported up to this fraction of the radius of the smallest dynamic body.
const REACH: f64 = 0.01;
/// The end of a piece and the start of the next may differ by this fraction of the coordinates.
const JOINT: f64 = 1e-10;
/// Maximum number of time intervals examined per pair of bodies and piece.
const MAX_SPANS: u64 = 1 << 16;

/// Follows a path from the first state and proves that bodies that may collide never touch.
///
/// It takes the initial state, then each [`PathPiece`] in order and, in between, the saved states. Its memory
/// does not grow with the length of the path.
pub struct Certifier<'a> {
    scene: &'a Scene,
    shapes: Vec<Arc<PrimitiveTree>>,
    /// Where each body is now.
    standing: Vec<Stand>,
    courses: Vec<Course>,
    boxes: Vec<Aabb>,
    tree: Bvh,
    /// The last direction that separated each pair of bodies.
    directions: BTreeMap<(usize, usize), Vec3>,
    reach: f64,
    /// The current piece.
    place: PieceIndex,
    certificate: Certificate,
}

/// The index of a piece and of its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PieceIndex {
    /// The number of steps taken once this step is complete: 1 for the first step, 0 for the start.
    pub step: u64,
    /// The index of the piece within the step, from 0.
    pub piece: u64,
}

impl<'a> Certifier<'a> {
    /// Starts at `state`, in which bodies that may collide must not touch or lie inside each other.
    ///
    /// # Errors
    /// [`Flaw`] when they do, or when the proof fails.
    pub fn new(scene: &'a Scene, state: &State) -> Result<Self, Flaw> {
        for (b, body) in state.bodies.iter().enumerate() {
            check_pose(&body.pose).and_then(|()| check_strain(state, b)).map_err(|what| Flaw::Malformed {
                at: PieceIndex::default(),
                body: BodyId(b),
                what,
            })?;
        }
        let stand = |(b, body): (usize, &BodyState)| {
            Stand::new(&body.pose, state.strains.get(b), &state.matrix(BodyId(b)))
        };
        let standing: Vec<Stand> = state.bodies.iter().enumerate().map(stand).collect();
        // Equal bodies share their skeleton.
        let mut trees: BTreeMap<Key, Arc<PrimitiveTree>> = BTreeMap::new();
        let tree = |body: &Body| {
            let new = || Arc::new(PrimitiveTree::new(&body.skeleton));
            Arc::clone(trees.entry(key(&body.skeleton)).or_insert_with(new))
        };
        let shapes: Vec<Arc<PrimitiveTree>> = scene.bodies.iter().map(tree).collect();
        let rounded =
            |(stand, shape): (&Stand, &Arc<PrimitiveTree>)| stand.course(shape.arm).rounded(shape.radius);
        let courses: Vec<Course> = standing.iter().zip(&shapes).map(rounded).collect();
        let boxes: Vec<Aabb> =
            courses.iter().zip(&shapes).map(|(course, shape)| course.bounds_at(shape, 0.0)).collect();
        let tree = Bvh::new(&boxes).map_err(|e| Flaw::Malformed {
            at: PieceIndex::default(),
            body: BodyId(e.index),
            what: "is beyond the range of floating-point numbers",
        })?;
        let sizes =
            scene.bodies.iter().zip(&shapes).filter(|(body, _)| body.is_dynamic()).map(|(_, s)| s.radius);
        let smallest = sizes.filter(|r| *r > 0.0).fold(f64::INFINITY, f64::min);
        let reach = if smallest.is_finite() { REACH * smallest } else { REACH };
        let certificate =
            Certificate { steps: state.step, pieces: 0, encounters: 0, planes: 0, nearest: reach };
        let directions = BTreeMap::new();
        let place = PieceIndex { step: state.step, piece: 0 };
        let mut certifier =
            Self { scene, shapes, standing, courses, boxes, tree, directions, reach, place, certificate };
        certifier.start(state)?;
        Ok(certifier)
    }

    /// Proves all pairs apart: by the exact test for the vertices as rounded, and by planes for the exact
    /// vertices.
    fn start(&mut self, state: &State) -> Result<(), Flaw> {
        let surface_cache = SurfaceCache::default();
        let surfaces = surface_cache.look(self.scene, state);
        for &(a, b) in surfaces.close_pairs() {
            let found = surfaces.meeting(a, b);
            if found != Meeting::Apart {
                return Err(Flaw::Start { bodies: [BodyId(a), BodyId(b)], meeting: found });
            }
        }
        self.examine(|_, _| true)?;
        for ((course, stand), shape) in self.courses.iter_mut().zip(&self.standing).zip(&self.shapes) {
            *course = stand.course(shape.arm);
        }
        Ok(())
    }

    /// Examines the next piece, which belongs to step number `step`.
    ///
    /// # Errors
    /// [`Flaw`] when the piece does not continue the path, or when its bodies are not proven apart.
    pub fn piece(&mut self, step: u64, piece: &PathPiece) -> Result<(), Flaw> {
        let is_first = step != self.place.step;
        self.place = PieceIndex { step, piece: if is_first { 0 } else { self.place.piece + 1 } };
        self.certificate.pieces += 1;
        self.certificate.steps = self.certificate.steps.max(step);
        let at = self.place;
        for travel in &piece.travels {
            let body = travel.body;
            self.check(travel).map_err(|what| Flaw::Malformed { at, body, what })?;
            if !self.goes_on(travel) {
                let distance = (self.standing[body.0].position() - travel.from.position).norm();
                return Err(Flaw::Broken { at, body, distance });
            }
            let what = "does not end where its motion leads";
            self.courses[body.0] = self.course(travel).ok_or(Flaw::Malformed { at, body, what })?;
        }
        self.examine(|a, b| a.is_moving() || b.is_moving())?;
        for travel in &piece.travels {
            let b = travel.body.0;
            self.standing[b] = match travel.turn {
                Turn::About(_) | Turn::Straight { .. } => Stand::Rigid(travel.to),
                Turn::Affine { .. } => Stand::at_the_end(&self.courses[b], travel.to.position),
            };
            self.courses[b] = self.standing[b].course(self.shapes[b].arm);
        }
        Ok(())
    }

    /// Returns whether a travel starts where its body stands: to the bit if it is rigid, else up to rounding.
    fn goes_on(&self, travel: &Travel) -> bool {
        let stood = &self.standing[travel.body.0];
        match (travel.turn, stood) {
            (Turn::About(_) | Turn::Straight { .. }, Stand::Rigid(pose)) => *pose == travel.from,
            // No state says to the bit that the strain is gone.
            (Turn::About(_) | Turn::Straight { .. }, Stand::Affine { .. }) => false,
            (Turn::Affine { .. }, Stand::Rigid(_) | Stand::Affine { .. }) => {
                let radius = self.shapes[travel.body.0].arm;
                let start = Placement::during(travel, 0.0);
                let joint = affine_joint(radius, &[stood.position()]);
                *stood.position() == travel.from.position && stood.place().difference(&start, radius) <= joint
            }
        }
    }

    /// Returns the course of a travel; `None` if it does not end where it says.
    fn course(&self, travel: &Travel) -> Option<Course> {
        let radius = self.shapes[travel.body.0].arm;
        match &travel.turn {
            Turn::About(_) | Turn::Straight { .. } => {
                let course = Course::new(travel, radius);
                (course.joint <= self.rounding(travel)).then_some(course)
            }
            Turn::Affine { from, by } => {
                // What is left at either end between this piece and the next or a state.
                let (start, end) = (&travel.from.position, &travel.to.position);
                let joint = affine_joint(radius, &[start, end]);
                let missed = norm(&minus(&Placement::during(travel, 1.0).position, &points(end))).hi;
                let course = || Course::affine(travel, [from, by], radius, 2.0 * joint);
                (missed <= joint).then(course)
            }
        }
    }

    /// Checks a saved state: the path must lead to it.
    ///
    /// # Errors
    /// [`Flaw::Astray`] when a body is elsewhere.
    pub fn frame(&mut self, state: &State) -> Result<(), Flaw> {
        self.certificate.steps = self.certificate.steps.max(state.step);
        for (b, (stood, saved)) in self.standing.iter().zip(&state.bodies).enumerate() {
            let radius = self.shapes[b].arm;
            if !(check_strain(state, b).is_ok() && stood.is_at(&saved.pose, &state.strain(BodyId(b)), radius))
            {
                let distance = (stood.position() - saved.pose.position).norm();
                let at = PieceIndex { step: state.step, piece: 0 };
                return Err(Flaw::Astray { at, body: BodyId(b), distance });
            }
        }
        Ok(())
    }

    /// Returns what has been proven so far.
    pub fn certificate(&self) -> Certificate {
        self.certificate
    }

    /// Returns the maximum error (m) of the stored ends of a travel, with a margin over their rounding.
    fn rounding(&self, travel: &Travel) -> f64 {
        JOINT * (self.shapes[travel.body.0].radius + travel.from.position.norm() + travel.to.position.norm())
    }

    fn check(&self, travel: &Travel) -> Result<(), &'static str> {
        let Some(course) = self.courses.get(travel.body.0) else { return Err("does not exist") };
        if course.is_moving() {
            return Err("is listed twice");
        }
        let is_finite = |v: &Vec3| v.iter().copied().all(f64::is_finite);
        let turns = match travel.turn {
            Turn::About(turn) => [turn, Vec3::zeros()],
            Turn::Straight { theta, by } => [theta, by],
            Turn::Affine { from, by } => {
                let numbers = from.iter().chain(by.iter()).chain(travel.by.iter());
                if !numbers.copied().all(f64::is_finite) {
                    return Err("moves by a matrix that is not finite");
                }
                let is_placed = is_finite(&travel.from.position) && is_finite(&travel.to.position);
                return if is_placed { Ok(()) } else { Err("has a pose that is not finite") };
            }
        };
        if !(turns.iter().all(is_finite) && is_finite(&travel.by)) {
            return Err("moves by a distance or angle that is not finite");
        }
        check_pose(&travel.from).and_then(|()| check_pose(&travel.to))
    }

    /// Proves apart all pairs of nearby bodies that may collide and for which `is_due`.
    fn examine(&mut self, is_due: impl Fn(&Course, &Course) -> bool) -> Result<(), Flaw> {
        let at = self.place;
        let malformed = |body| Flaw::Malformed {
            at,
            body: BodyId(body),
            what: "is beyond the range of floating-point numbers",
        };
        for (bounds, (course, shape)) in self.boxes.iter_mut().zip(self.courses.iter().zip(&self.shapes)) {
            *bounds = swept(course, shape).grow(self.reach);
        }
        self.tree.refit(&self.boxes).map_err(|e| malformed(e.index))?;
        for [a, b] in self.tree.overlapping_pairs() {
            let (a, b) = (a as usize, b as usize);
            let may_meet = self.scene.can_collide(BodyId(a), BodyId(b));
            if may_meet && is_due(&self.courses[a], &self.courses[b]) {
                self.meet(a, b).map_err(|doubt| flaw(at, [BodyId(a), BodyId(b)], doubt))?;
            }
        }
        Ok(())
    }

    fn meet(&mut self, a: usize, b: usize) -> Result<(), UnprovenSpan> {
        let direction = self.directions.get(&(a, b)).copied().unwrap_or_else(Vec3::zeros);
        let mut encounter = Encounter {
            shapes: [&self.shapes[a], &self.shapes[b]],
            courses: [&self.courses[a], &self.courses[b]],
            reach: self.reach,
            nearest: self.certificate.nearest,
            direction,
            hint: direction,
            planes: 0,
            spans: 0,
            max_spans: MAX_SPANS,
            effort: Effort::UNLIMITED,
            halvings: 0,
        };
        let proof = encounter.prove();
        let Encounter { nearest, direction, planes, .. } = encounter;
        proof?;
        self.directions.insert((a, b), direction);
        self.certificate.nearest = nearest;
        self.certificate.planes += planes;
        self.certificate.encounters += 1;
        Ok(())
    }
}

fn flaw(at: PieceIndex, bodies: [BodyId; 2], doubt: UnprovenSpan) -> Flaw {
    let UnprovenSpan { span, bound, touches } = doubt;
    if touches {
        Flaw::Touches { at, bodies, t: 0.5 * (span[0] + span[1]) }
    } else {
        Flaw::Unproven { at, bodies, span, bound }
    }
}

/// A box (m, world) that contains the body during the whole piece.
fn swept(course: &Course, shape: &PrimitiveTree) -> Aabb {
    let [start, end] = [0.0, 1.0].map(|t| course.bounds_at(shape, t));
    let stray = (course.bow(1.0) + course.joint).next_up();
    start.union(&end).grow(stray)
}

fn check_pose(pose: &Pose) -> Result<(), &'static str> {
    if !pose.is_finite() {
        return Err("has a pose that is not finite");
    }
    let length_sq = pose.rotation.coords.norm_squared();
    if (length_sq - 1.0).abs() > UNIT_TOLERANCE {
        return Err("has a quaternion whose length is not 1");
    }
    Ok(())
}

fn check_strain(state: &State, body: usize) -> Result<(), &'static str> {
    if state.strains.is_empty() {
        return Ok(());
    }
    let Some(strain) = state.strains.get(body) else { return Err("has no strain, unlike others") };
    let is_strain = |strain: &Mat3| strain.iter().all(|c| c.is_finite()) && *strain == strain.transpose();
    if is_strain(strain) { Ok(()) } else { Err("has a strain that is not finite or not symmetric") }
}

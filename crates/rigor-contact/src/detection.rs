//! Which features of two bodies touch in a substep.

use rigor_math::{Pose, Vec3};

use crate::ball::{self, BallView};
use crate::candidate::FeatureCandidates;
use crate::corner_face::{self, CornerView, Overlap};
use crate::crossing::{self, Course, Crossings};
use crate::edge_edge::{self, EdgeView};
use crate::feature::Features;
use crate::found::{ContactKey, Footing, Found, NormalFeature};
use crate::frame::Frame;
use crate::motion::{Moving, Place, Placed, relative_speed};
use crate::sighting::{DetectionInput, Findings};
use crate::tolerance::INSIDE;
use crate::window::Window;

/// Overlap that stays uncorrected, as a fraction of the smaller body's radius: far below visible, far above
/// the second-order error of a free impact.
const SLOP: f64 = 1e-4;

/// Distance below which points count as one contact, as a fraction of the smaller body's radius.
const SAME: f64 = 1e-3;

/// Relative motion up to which contacts are kept, as a fraction of the smaller body's radius: a tenth of the
/// overlap that stays uncorrected.
const STILL: f64 = 1e-5;

/// Allowed overlap in substeps of motion: a contact that one substep missed is still seen in the next.
const SUBSTEPS_DEEP: f64 = 2.0;

/// Length tolerances (m).
#[derive(Debug, Clone, Default)]
pub struct Margins {
    /// Radius of the smaller body.
    pub radius: f64,
    /// Overlap that stays uncorrected.
    pub slop: f64,
    /// Distance below which two points count as one contact.
    pub same: f64,
    /// Relative motion of the bodies up to which their contacts are kept.
    pub still: f64,
    /// Maximum overlap that is still pushed apart, beyond the motion of a substep.
    pub overlap: f64,
}

/// How far bodies may move in a substep.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// k ≥ 1: bodies may move k times as far as their velocities say.
    pub safety: f64,
    /// Number of substeps of the step.
    pub substeps: u32,
    /// Length of the substep (s).
    pub h: f64,
    /// How far (m) the bodies may move in the substep when another one strikes them: contacts are looked for as far. 0 if none may.
    pub struck: f64,
}

/// Contact detection between two bodies a and b: what it found, and what it keeps from substep to substep.
#[derive(Debug, Clone, Default)]
pub struct Detection {
    /// Whether the boxes of the bodies overlap in this step.
    pub is_near: bool,
    /// Length tolerances of the pair.
    pub margins: Margins,
    /// a's frame in b's at the start of the step.
    pub start: Frame,
    /// Features that can touch.
    candidates: FeatureCandidates,
    /// Contacts found at the last sighting.
    findings: Findings,
    /// Features that cross in the current substep.
    crossings: Crossings,
    /// Scratch memory.
    overlaps: Vec<Overlap>,
}

impl Detection {
    /// Begins a step, with the pose of a in b's frame and the `radius` (m) of the smaller body; overlaps up to `overlap` radii are
    /// contacts, besides those that come of the motion in a substep.
    pub fn prepare(&mut self, a_in_b: &Pose, radius: f64, overlap: f64) {
        self.margins = Margins {
            radius,
            slop: SLOP * radius,
            same: SAME * radius,
            still: STILL * radius,
            overlap: overlap * radius,
        };
        self.start = Frame::of(a_in_b);
    }

    /// Finds the contacts of a substep, at the predicted poses, and calls `each` with them.
    ///
    /// `past` are the contacts that pushed in the substep before.
    pub fn detect<B: Moving>(
        &mut self,
        (a, place_a): (Placed<'_, B>, &Place),
        (b, place_b): (Placed<'_, B>, &Place),
        pace: &Pace,
        past: impl Iterator<Item = ContactKey> + Clone,
        mut each: impl FnMut(&Found),
    ) {
        let (features_a, features_b) = (a.features, b.features);
        let travel = pace.safety * pace.h * relative_speed(a, b);
        let travel = travel.min(features_a.radius.min(features_b.radius));
        let window = Window {
            depth: SUBSTEPS_DEEP * travel + self.margins.overlap,
            reach: travel.max(pace.struck) + self.margins.overlap / f64::from(pace.substeps),
        };
        if self.findings.are_none()
            && !crossing::are_possible(features_a, features_b, travel)
            && are_apart((place_a, features_a), (place_b, features_b), window.far() + self.margins.same)
        {
            self.findings.found.clear();
            self.crossings.forget();
            return;
        }
        let a_in_b = place_b.now.inverse().compose(&place_a.now);
        let radii = (features_a.radius, features_b.radius);
        let missing = self.findings.missing(&a_in_b, &self.start, radii, &window, self.margins.still);
        if let Some(sighting) = missing {
            let DetectionInput { frames, window, .. } = &sighting;
            if !self.candidates.are_good_for(features_a, features_b, frames, window) {
                let a_in_b = a.body.pose().relative_to(b.body.pose());
                self.candidates.find(features_a, features_b, &a_in_b, window, travel);
            }
            self.find(features_a, features_b, &sighting);
            self.findings.settle();
        }
        let others = &self.findings.found;
        self.crossings.forget();
        if crossing::are_possible(features_a, features_b, travel) {
            let course = Course::new(a, b, a_in_b, self.margins.slop, self.margins.same);
            let a_in_b = || a.body.pose().relative_to(b.body.pose());
            self.crossings.find(&course, a_in_b, others, past.clone(), &window);
        }
        // A sheet has no thickness, and no face that is behind another.
        let is_thin = features_a.thickness.min(features_b.thickness) > 0.0;
        let is_thin = is_thin && crossing::exceeds_thickness(features_a, features_b, travel);
        let deep = crossing::SLOPS * self.margins.slop;
        let others = others.iter().filter(|found| !self.crossings.overrule(found));
        let is_new = |found: &Found| past.clone().all(|past| past != found.key);
        let before = [&place_a.before, &place_b.before];
        let others = others.filter(|found| !(is_thin && is_new(found) && found.was_behind(before, deep)));
        others.chain(&self.crossings.found).for_each(&mut each);
    }

    /// Finds the contacts of features of fast bodies that still cross on the way to the current poses, those of a
    /// solution. Returns `None` if there are none.
    ///
    /// A contact keeps its features apart, not the bodies: the push at the first corner of a box that strikes a
    /// plate turns the box, and may take other corners through.
    pub fn complete<B: Moving>(
        &mut self,
        a: Placed<'_, B>,
        b: Placed<'_, B>,
        pace: &Pace,
    ) -> Option<Completion<'_>> {
        let travel = pace.safety * pace.h * relative_speed(a, b);
        if !crossing::are_fast(a.features, b.features, travel) {
            return None;
        }
        let frames = [a, b].map(|of| Frame::of(of.body.pose()));
        let b_from_world = frames[1].inverse();
        let a_in_b = b_from_world.compose(&frames[0]);
        let course = Course::new(a, b, a_in_b, self.margins.slop, self.margins.same);
        let n_known = self.crossings.found.len();
        let is_any = self.crossings.find_more(&course, || a.body.pose().relative_to(b.body.pose()));
        is_any.then_some(Completion { frames, b_from_world, crossings: &self.crossings, n_known })
    }

    /// Restores the sighting with these `numbers` from a state's memory, or none. Known contacts stay known if the
    /// sighting is the same.
    pub fn restore(&mut self, numbers: Option<&[f64]>) {
        self.findings.restore(numbers);
    }

    /// Appends the sighting, if there is one, in the form of the state's memory after the numbers `of`.
    pub fn write(&self, of: &[f64], numbers: &mut Vec<f64>) {
        self.findings.write(of, numbers);
    }

    /// Finds the contacts in a `sighting` of two bodies.
    fn find(&mut self, features_a: &Features, features_b: &Features, sighting: &DetectionInput) {
        let Self { candidates, overlaps, findings, margins: Margins { slop, same, .. }, .. } = self;
        let found = &mut findings.found;
        found.clear();
        if candidates.are_none() {
            return;
        }
        let DetectionInput { frames: [a_in_b, b_in_a], start, window, .. } = sighting;
        let from_a = CornerView { frame: *a_in_b, start: *start, slop: *slop, window: *window };
        corner_face::find(features_a, features_b, &from_a, &candidates.corners_a, overlaps, |met| {
            if !found.iter().any(|f| f.is_at(&met.foot, &met.normal, *same)) {
                found.push(Found {
                    key: [0, met.candidate.corner, met.candidate.face],
                    point_a_local: met.corner,
                    point_b_local: met.foot,
                    feature: NormalFeature::FaceOfB(met.normal),
                    normal_b_local: met.normal,
                    footing: met.circle.map_or(Footing::Midpoint, Footing::CircleOfA),
                });
            }
        });
        let from_b = CornerView { frame: *b_in_a, start: start.inverse(), slop: *slop, window: *window };
        corner_face::find(features_b, features_a, &from_b, &candidates.corners_b, overlaps, |met| {
            let normal = -a_in_b.vector(&met.normal);
            if !found.iter().any(|f| f.is_at(&met.corner, &normal, *same)) {
                found.push(Found {
                    key: [1, met.candidate.corner, met.candidate.face],
                    point_a_local: met.foot,
                    point_b_local: met.corner,
                    feature: NormalFeature::FaceOfA(met.normal),
                    normal_b_local: normal,
                    footing: met.circle.map_or(Footing::Midpoint, Footing::CircleOfB),
                });
            }
        });
        let from_a =
            EdgeView { a_in_b, start, window, a: features_a, b: features_b, slop: *slop, same: *same };
        edge_edge::find(features_a, features_b, &from_a, &candidates.edges, found);
        let [of_a, of_b] = &candidates.balls;
        let from_a = BallView { frame: a_in_b, start, window, slop: *slop, of_a: true };
        ball::find(features_a, features_b, &from_a, of_a, *same, found);
        let from_b = BallView { frame: b_in_a, start: &start.inverse(), window, slop: *slop, of_a: false };
        ball::find(features_b, features_a, &from_b, of_b, *same, found);
    }
}

/// Contacts that a solution needs in addition.
#[derive(Debug)]
pub struct Completion<'a> {
    /// Frames of a and b in the world, at the solution.
    pub frames: [Frame; 2],
    b_from_world: Frame,
    crossings: &'a Crossings,
    n_known: usize,
}

impl Completion<'_> {
    /// Returns whether features that crossed near the point of b (m, its frame) came from the side opposite to the `normal` (world) there.
    pub fn opposes(&self, point_b_local: &Vec3, normal: &Vec3) -> bool {
        self.crossings.oppose(point_b_local, &self.b_from_world.vector(normal))
    }

    /// Returns the contacts to add.
    pub fn added(&self) -> &[Found] {
        &self.crossings.found[self.n_known..]
    }
}

/// Returns whether the boxes of two convex bodies are so far apart that no contact is within `far` (m).
///
/// A corner past the rim of a face, or of points past the ends of edges, are at most a fraction [`INSIDE`] of
/// their lengths past them, and no length exceeds twice the radius of its body.
fn are_apart((a, features_a): (&Place, &Features), (b, features_b): (&Place, &Features), far: f64) -> bool {
    let past = 2.0 * INSIDE * (features_a.radius + features_b.radius);
    a.is_apart(b, far + past)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

    use rigor_math::{Pose, Vec3};
    use rigor_shapes::Cuboid;

    use super::*;
    use crate::motion::Motion;

    #[test]
    fn boxes_are_apart_only_beyond_the_distance_at_which_they_may_touch() {
        let features = Features::of(&Cuboid::new(Vec3::repeat(1.0)).mesh().expect("positive sizes"));
        let at = |height: f64, turn: f64| {
            let pose = Pose::from_rotation_vector(Vec3::y() * height, &(Vec3::z() * turn));
            Place::new(&Motion::still(pose), &features)
        };
        let below = at(0.0, 0.0);
        for gap in [1e-4, 1e-2, 0.3] {
            // On a face, and on an edge.
            for (height, turn) in [(1.0, 0.0), (0.5 + FRAC_1_SQRT_2, FRAC_PI_4)] {
                let above = at(height + gap, turn);
                let apart = |far: f64| are_apart((&above, &features), (&below, &features), far);
                assert!(!apart(gap) && apart(0.5 * gap), "gap {gap}, turned by {turn}");
            }
        }
    }
}

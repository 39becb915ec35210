//! The reported contact forces: whether they push, act only at contact, and explain the motion.

use rigor_scene::{BodyId, BodyState, ContactReport, Scene, State, StepReport};

use crate::figure::Figure;
use crate::finding::{Finding, Moment};
use crate::judge::{Frame, Judge};
use crate::peak::{Peak, Peaks};

const COUNT_MAX: Figure =
    Figure::new("contact.count_max", "1", "largest number of reported contacts in a step");
const PULL: Figure =
    Figure::new("contact.pull", "N", "largest normal force that pulls, −f_n; 0: contacts only push");
const FORCE_AT_GAP: Figure = Figure::new(
    "contact.force_at_gap",
    "J",
    "largest f_n · max(gap, 0): complementarity; 0: force only at contact",
);
const BALANCE: Figure = Figure::new(
    "contact.balance",
    "N",
    "largest ‖m Δv/Δt − m g − F − Σ contact forces‖ of a body without joints; 0: the forces explain the motion",
);

pub(crate) const FIGURES: &[Figure] = &[COUNT_MAX, PULL, FORCE_AT_GAP, BALANCE];

/// Judges the contacts that a method reports. Without reports it has no findings.
///
/// `contact.balance` needs consecutive frames. It leaves out bodies with joints, whose forces are not
/// reported, and the directions of fixed axes. It also checks what supports a body at rest: there Δv = 0, and
/// the contact forces must add up to the weight.
#[derive(Debug, Default)]
pub struct ContactForces {
    prev: Option<(Moment, Vec<BodyState>)>,
    count: Option<Peak>,
    pull: Peaks,
    force_at_gap: Peaks,
    balance: Peaks,
}

impl Judge for ContactForces {
    fn name(&self) -> &'static str {
        "contact"
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        let at = frame.moment();
        if let Some(report) = frame.report {
            Peak::raise(&mut self.count, report.contacts.len() as f64, at, String::new);
            for contact in &report.contacts {
                self.measure_contact(frame.scene, contact, at);
            }
            self.measure_balance(frame, report);
        }
        self.prev = Some((at, frame.state.bodies.clone()));
    }

    fn needs_reports(&self) -> bool {
        true
    }

    fn resume(&mut self, findings: &[Finding], last: &State) {
        let count = findings.iter().find(|finding| finding.figure == COUNT_MAX.name);
        if let Some((finding, at)) = count.and_then(|finding| Some((finding, finding.at?))) {
            Peak::raise(&mut self.count, finding.value, at, String::new);
        }
        self.pull.resume(&PULL, findings);
        self.force_at_gap.resume(&FORCE_AT_GAP, findings);
        self.balance.resume(&BALANCE, findings);
        self.prev = Some((Moment::of(last), last.bodies.clone()));
    }

    fn findings(&self, _scene: &Scene) -> Vec<Finding> {
        let count = self.count.iter().map(|peak| peak.finding(&COUNT_MAX, None));
        let peaks = [(&PULL, &self.pull), (&FORCE_AT_GAP, &self.force_at_gap), (&BALANCE, &self.balance)];
        count.chain(peaks.into_iter().flat_map(|(figure, peaks)| peaks.findings(figure))).collect()
    }
}

impl ContactForces {
    fn measure_contact(&mut self, scene: &Scene, contact: &ContactReport, at: Moment) {
        let pair = || names(scene, contact);
        for body in [contact.body_a, contact.body_b] {
            self.pull.raise(body, (-contact.normal_force).max(0.0), at, pair);
            self.force_at_gap.raise(
                body,
                contact.normal_force.max(0.0) * contact.distance.max(0.0),
                at,
                pair,
            );
        }
    }

    fn measure_balance(&mut self, frame: &Frame<'_>, report: &StepReport) {
        let Some((prev_at, prev)) = &self.prev else { return };
        let (at, scene) = (frame.moment(), frame.scene);
        if prev_at.step + 1 != at.step {
            return;
        }
        // Contacts with other bodies, grains and fluids.
        let forces = report.body_forces(scene.bodies.len());
        let mut is_free: Vec<bool> = scene.bodies.iter().map(rigor_scene::Body::is_dynamic).collect();
        for joint in &scene.joints {
            for body in std::iter::once(joint.body_a).chain(joint.body_b) {
                is_free[body.0] = false;
            }
        }
        let dt = at.time - prev_at.time;
        for (i, body) in scene.bodies.iter().enumerate().filter(|(i, _)| is_free[*i]) {
            let change = frame.state.bodies[i].linear_velocity - prev[i].linear_velocity;
            let mut rest = change * (body.mass / dt) - scene.gravity * body.mass - body.force;
            rest -= forces[i].contact + forces[i].friction;
            for k in (0..3).filter(|k| body.fixed.translation[*k]) {
                rest[k] = 0.0;
            }
            self.balance.raise(BodyId(i), rest.norm(), at, || body.name.clone());
        }
    }
}

/// Returns "a – b" with the names of the two bodies.
pub(crate) fn names(scene: &Scene, contact: &ContactReport) -> String {
    format!("{} – {}", scene.bodies[contact.body_a.0].name, scene.bodies[contact.body_b.0].name)
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;

    use super::*;
    use crate::testing::{cube, judge_reports, scene, value, value_of};

    /// Returns the findings on a cube of 80 N that rests on a static one, with contacts that report
    /// `normal_force` N at `distance` m and a friction force of 3 N.
    fn rest(normal_force: f64, distance: f64) -> Vec<Finding> {
        let mut scene = scene(vec![cube("upper", Vec3::y() * 2.0), cube("lower", Vec3::zeros())]);
        scene.bodies[1].role = rigor_scene::Role::Static;
        scene.bodies[0].force = Vec3::x() * 3.0;
        let contact = ContactReport {
            body_a: BodyId(1),
            body_b: BodyId(0),
            point_world: Vec3::y(),
            normal_world: -Vec3::y(),
            distance,
            normal_force,
            friction_force_world: Vec3::x() * 3.0,
            slip_velocity_world: Vec3::zeros(),
            friction: (0.5, 0.5),
        };
        let report = StepReport { contacts: vec![contact], ..StepReport::default() };
        let frames = [None, Some(report.clone()), Some(report)];
        let run = frames.into_iter().map(|report| (State::initial(&scene), report));
        judge_reports(&scene, &mut ContactForces::default(), run)
    }

    #[test]
    fn the_weight_of_a_resting_body_is_explained_by_its_contact() {
        let found = rest(80.0, 0.0);
        assert_eq!(value(&found, "contact.count_max"), 1.0);
        for figure in ["contact.pull", "contact.force_at_gap", "contact.balance"] {
            assert!(value(&found, figure) < 1e-12, "{figure}");
        }
    }

    #[test]
    fn a_resumed_judge_finds_what_one_that_saw_all_frames_finds() {
        let mut scene = scene(vec![cube("upper", Vec3::y() * 2.0), cube("lower", Vec3::zeros())]);
        scene.bodies[1].role = rigor_scene::Role::Static;
        let contact = |normal_force| ContactReport {
            body_a: BodyId(1),
            body_b: BodyId(0),
            point_world: Vec3::y(),
            normal_world: -Vec3::y(),
            distance: 0.1,
            normal_force,
            friction_force_world: Vec3::zeros(),
            slip_velocity_world: Vec3::zeros(),
            friction: (0.5, 0.5),
        };
        let surface_cache = crate::surface_cache::SurfaceCache::default();
        let show = |judge: &mut ContactForces, steps: std::ops::Range<u64>| {
            for step in steps {
                // The worst comes before the interruption.
                let contacts = vec![contact(if step == 1 { 200.0 } else { 90.0 - step as f64 })];
                let report = StepReport { contacts, ..StepReport::default() };
                let time = 0.01 * step as f64;
                let state = State { step, time, ..State::initial(&scene) };
                judge.observe(&Frame::new(
                    &scene,
                    &state,
                    Some(&report).filter(|_| step > 0),
                    &surface_cache,
                ));
            }
        };
        let (mut whole, mut before, mut after) =
            (ContactForces::default(), ContactForces::default(), ContactForces::default());
        show(&mut whole, 0..6);
        show(&mut before, 0..3);
        let last = State { step: 2, time: 0.02, ..State::initial(&scene) };
        after.resume(&before.findings(&scene), &last);
        show(&mut after, 3..6);
        assert_eq!(after.findings(&scene), whole.findings(&scene));
        assert!(value(&after.findings(&scene), "contact.balance") > 100.0);
    }

    #[test]
    fn unexplained_rest_force_at_a_gap_and_pull_are_found() {
        assert_eq!(value_of(&rest(50.0, 0.0), "contact.balance", 0), 30.0);
        assert_eq!(value(&rest(80.0, 0.25), "contact.force_at_gap"), 20.0);
        assert_eq!(value(&rest(80.0, -0.25), "contact.force_at_gap"), 0.0);
        assert_eq!(value(&rest(-8.0, 0.0), "contact.pull"), 8.0);
    }
}

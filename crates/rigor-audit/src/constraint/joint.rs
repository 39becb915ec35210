//! The errors of joints.

use rigor_scene::{Joint, JointError};

use crate::figure::Figure;
use crate::finding::Finding;
use crate::judge::Frame;
use crate::peak::Peaks;
use crate::turns::Turns;

const POSITION: Figure = Figure::new(
    "constraint.joint_position",
    "m",
    "largest distance by which a rigid joint is apart; 0: kept",
);
const ANGLE: Figure =
    Figure::new("constraint.joint_angle", "rad", "largest angle by which a rigid joint is twisted; 0: kept");
const STRETCH: Figure =
    Figure::new("constraint.joint_stretch", "m", "largest distance by which a compliant joint is apart");
const BEND: Figure =
    Figure::new("constraint.joint_bend", "rad", "largest angle by which a compliant joint is twisted");
const LIMIT_POSITION: Figure = Figure::new(
    "constraint.joint_limit_position",
    "m",
    "largest distance of a slide beyond its bounds; 0: kept",
);
const LIMIT_ANGLE: Figure = Figure::new(
    "constraint.joint_limit_angle",
    "rad",
    "largest angle of a turn or a swing beyond its bounds; 0: kept",
);
const DRIVE_POSITION: Figure = Figure::new(
    "constraint.joint_drive_position",
    "m",
    "distance of a driven slide or length from its goal, at the end",
);
const DRIVE_ANGLE: Figure =
    Figure::new("constraint.joint_drive_angle", "rad", "angle of a driven turn from its goal, at the end");
const BROKEN: Figure = Figure::new(
    "constraint.joints_broken",
    "1",
    "joints that are broken at the end; they are in no other figure",
);

pub(super) const FIGURES: [Figure; 9] =
    [POSITION, ANGLE, STRETCH, BEND, LIMIT_POSITION, LIMIT_ANGLE, DRIVE_POSITION, DRIVE_ANGLE, BROKEN];

/// The largest errors of all joints.
#[derive(Debug, Default)]
pub(super) struct Joints {
    position: Peaks,
    angle: Peaks,
    stretch: Peaks,
    bend: Peaks,
    limit_position: Peaks,
    limit_angle: Peaks,
    drive_position: Peaks,
    drive_angle: Peaks,
    broken: Option<f64>,
    /// Whether nothing told of some joint whether it was broken.
    is_untold: bool,
    turns: Turns,
}

impl Joints {
    pub(super) fn observe(&mut self, frame: &Frame<'_>) {
        self.turns.follow(frame.scene, frame.state);
        self.drive_position = Peaks::default();
        self.drive_angle = Peaks::default();
        self.broken = (!frame.scene.joints.is_empty()).then_some(0.0);
        for (i, joint) in frame.scene.joints.iter().enumerate() {
            match frame.is_broken(i) {
                Some(true) => self.broken = self.broken.map(|n| n + 1.0),
                Some(false) => self.measure(frame, joint, self.turns.of(i)),
                None => self.is_untold = true,
            }
        }
    }

    fn measure(&mut self, frame: &Frame<'_>, joint: &Joint, turn: f64) {
        let error = JointError::at_turn(joint, frame.state, turn);
        let (at, name) = (frame.moment(), || joint.name.clone());
        let position = if joint.compliance == 0.0 { &mut self.position } else { &mut self.stretch };
        let angle = if joint.angular_compliance == 0.0 { &mut self.angle } else { &mut self.bend };
        let found = [
            (position, error.position),
            (angle, error.angle),
            (&mut self.limit_position, error.slide_excess),
            (&mut self.limit_angle, larger(error.turn_excess, error.swing_excess)),
            (&mut self.drive_position, error.length_miss.map(f64::abs)),
            (&mut self.drive_angle, error.turn_miss.map(f64::abs)),
        ];
        for (peaks, value) in found {
            for body in std::iter::once(joint.body_a).chain(joint.body_b) {
                if let Some(value) = value {
                    peaks.raise(body, value, at, name);
                }
            }
        }
    }

    /// The findings; none where some joint may have been measured that was broken, or left out that was whole.
    pub(super) fn findings(&self) -> Vec<Finding> {
        if self.is_untold {
            return Vec::new();
        }
        let peaks = [
            &self.position,
            &self.angle,
            &self.stretch,
            &self.bend,
            &self.limit_position,
            &self.limit_angle,
            &self.drive_position,
            &self.drive_angle,
        ];
        let found = FIGURES.iter().zip(peaks).flat_map(|(figure, peaks)| peaks.findings(figure));
        found.chain(self.broken.map(|n| Finding::of_scene(&BROKEN, n))).collect()
    }
}

fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b > a || b.is_nan() { b } else { a }),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::{Pose, Vec3};
    use rigor_scene::{BodyId, JointKind, JointReport, State, StepReport, Strength};

    use super::*;
    use crate::constraint::Constraint;
    use crate::judge::Judge;
    use crate::panel::Panel;
    use crate::surface_cache::SurfaceCache;
    use crate::testing::{cube, judge, scene, value, value_of};

    fn joint(kind: JointKind) -> Joint {
        let frame = |x: f64| Pose::translation(Vec3::x() * x);
        Joint::new("joint", kind, (BodyId(0), frame(1.0)), (Some(BodyId(1)), frame(-1.0)))
    }

    #[test]
    fn a_joint_to_the_world_is_measured_for_its_body() {
        let mut scene = scene(vec![cube("a", Vec3::zeros())]);
        let frame_b = Pose::translation(Vec3::new(1.0, 0.0, 0.5));
        scene.joints.push(Joint { body_b: None, frame_b, ..joint(JointKind::BALL) });
        let soft = Joint { name: "soft".into(), compliance: 1e-3, ..scene.joints[0].clone() };
        scene.joints.push(soft);
        let start = State::initial(&scene);
        let found = judge(&scene, &mut Constraint::default(), [start].into_iter());
        assert_eq!(value_of(&found, "constraint.joint_position", 0), 0.5);
        assert_eq!(value(&found, "constraint.joint_stretch"), 0.5);
        assert!(!found.iter().any(|f| f.figure == "constraint.joint_angle"));
    }

    #[test]
    fn broken_joints_are_counted_and_left_out() {
        let mut scene = scene(vec![cube("a", Vec3::zeros())]);
        scene.joints.push(Joint { body_b: None, ..joint(JointKind::BALL) });
        let report = JointReport {
            joint: 0,
            force_world: Vec3::zeros(),
            torque_world: Vec3::zeros(),
            position_error: 0.0,
            angle_error: 0.0,
            turn: None,
            broken: true,
        };
        let report = StepReport { joints: vec![report], ..StepReport::default() };
        let mut constraint = Constraint::default();
        constraint.observe(&Frame::new(
            &scene,
            &State::initial(&scene),
            Some(&report),
            &SurfaceCache::default(),
        ));
        let found = constraint.findings(&scene);
        assert_eq!(value(&found, "constraint.joints_broken"), 1.0);
        assert!(!found.iter().any(|f| f.figure == "constraint.joint_position"));
    }

    #[test]
    fn a_record_of_breaks_stands_for_reports_and_without_either_nothing_is_said() {
        let mut scene = scene(vec![cube("a", Vec3::zeros())]);
        let strength = Strength { force: 1.0, ..Strength::default() };
        let weak = Joint { body_b: None, strength, ..joint(JointKind::BALL) };
        scene.joints.push(Joint { compliance: 1e-3, ..weak.clone() });
        scene.joints.push(weak);
        let findings = |breaks: Option<[Option<u64>; 2]>| {
            let mut panel =
                Panel::new().with(Constraint::default(), 1).with(crate::energy::Energy::default(), 1);
            breaks.into_iter().for_each(|breaks| panel.tell_breaks(breaks.to_vec()));
            for step in 0..3 {
                let mut state = State { step, time: step as f64, ..State::initial(&scene) };
                state.bodies[0].pose.position.y = step as f64;
                panel.observe(&scene, &state, None);
            }
            panel.findings(&scene)
        };
        let [start, far] = [2.0, 8.0_f64.sqrt()];
        for (breaks, n, position, stretch) in [
            ([None, None], 0.0, far, far),
            ([None, Some(2)], 1.0, 5.0_f64.sqrt(), far),
            ([Some(1), Some(1)], 2.0, start, start),
        ] {
            let found = findings(Some(breaks));
            assert_eq!(value(&found, "constraint.joints_broken"), n);
            assert!((value(&found, "constraint.joint_position") - position).abs() < 1e-12);
            assert!((value(&found, "constraint.joint_stretch") - stretch).abs() < 1e-12);
            // Of 8 m², with 1 kN/m.
            assert_eq!(value(&found, "energy.end") > 4000.0, breaks[0].is_none());
        }
        let found = findings(None);
        let is_said = |figure: &str| found.iter().any(|f| f.figure == figure);
        for figure in [
            "constraint.joints_broken",
            "constraint.joint_position",
            "constraint.joint_stretch",
            "energy.end",
        ] {
            assert!(!is_said(figure), "{figure}");
        }
    }
}

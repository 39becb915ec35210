use std::sync::Arc;

use rigor_math::Vec3;
use rigor_scene::{BodyId, Bound};

use super::*;
use crate::register::figures;
use crate::testing::{cube, scene, sheet, value};

/// Lowers a cube from 1.5 m by 0.1 m per frame through a sheet at 0, with empty reports.
fn sink(panel: &mut Panel, n_frames: u64) -> Scene {
    let mut scene = scene(vec![sheet(5.0), cube("cube", Vec3::y() * 1.5)]);
    let expect = |figure: &str, body, bound, methods: &[&str]| Expectation {
        figure: figure.into(),
        body,
        bound,
        methods: methods.iter().map(|m| (*m).into()).collect(),
        methods_because: String::new(),
        because: String::new(),
    };
    scene.expectations = vec![
        expect("penetration.deepest", None, Bound::AtMost(1e-3), &[]),
        expect(
            "motion.displacement",
            Some(BodyId(1)),
            Bound::Near { target: 1.0, tolerance: 1e-9 },
            &["fast"],
        ),
        expect("compare.position_max", None, Bound::AtMost(1.0), &["fast", "slow"]),
        expect("energy.drift", None, Bound::AtMost(0.0), &["slow"]),
    ];
    let mut state = State::initial(&scene);
    for step in 0..n_frames {
        (state.step, state.time) = (step, 0.01 * step as f64);
        state.bodies[1].pose.position.y = 1.5 - 0.1 * step as f64;
        let report = (step > 0).then(StepReport::default);
        panel.observe(&scene, &state, report.as_ref());
    }
    scene
}

#[test]
fn verdicts_tell_held_from_failed_from_not_measured() {
    let mut panel = Panel::full(1);
    let scene = sink(&mut panel, 11);
    let verdicts = panel.verdicts(&scene);
    assert_eq!(verdicts.len(), 4);
    assert!(matches!(&verdicts[0].1, Verdict::Failed(f) if (f.value - 0.5).abs() < 1e-12));
    assert!(matches!(&verdicts[1].1, Verdict::Held(f) if f.body == Some(BodyId(1))));
    assert_eq!(verdicts[2].1, Verdict::NotMeasured);
    let claims = |method: &str| verdicts.iter().filter(|(e, _)| e.is_claimed_by(method)).count();
    assert_eq!((claims("fast"), claims("slow")), (3, 3));
}

#[test]
fn a_judge_sees_only_the_frames_of_its_interval() {
    let mut panel = Panel::full(4);
    let scene = sink(&mut panel, 10);
    let found = panel.findings(&scene);
    assert_eq!(value(&found, "intersection.observed"), 3.0); // steps 0, 4 and 8
    assert!((value(&found, "penetration.deepest") - 0.3).abs() < 1e-12); // at step 8
    assert!((value(&found, "motion.displacement") - 0.9).abs() < 1e-12); // at step 9
}

#[test]
fn every_finding_is_of_a_registered_figure_of_its_judge() {
    let mut panel = Panel::full(1);
    let scene = sink(&mut panel, 20);
    for seat in &panel.seats {
        let findings = seat.judge.findings(&scene);
        for finding in &findings {
            let figure = figures().find(|f| f.name == finding.figure).unwrap();
            assert_eq!(figure.unit, finding.unit);
            assert_eq!(figure.name.split('.').next(), Some(seat.judge.name()));
        }
    }
}

#[test]
fn a_panel_without_frames_finds_nothing() {
    let panel = Panel::full(1);
    assert!(panel.findings(&scene(vec![cube("a", Vec3::zeros())])).is_empty());
    assert!(panel.series().iter().all(|series| series.points.is_empty()));
}

#[test]
fn a_body_with_a_pose_that_is_not_finite_does_not_stop_the_judges() {
    let scene = scene(vec![sheet(5.0), cube("lost", Vec3::y()), cube("kept", Vec3::y() * 4.0)]);
    let mut panel = Panel::full(1);
    let mut state = State::initial(&scene);
    panel.observe(&scene, &state, None);
    state.step = 1;
    state.bodies[1].pose.position.x = f64::NAN;
    panel.observe(&scene, &state, None);
    let found = panel.findings(&scene);
    assert!(value(&found, "motion.displacement_max").is_nan());
    assert!(value(&found, "energy.drift").is_nan());
    assert_eq!(value(&found, "intersection.frames"), 0.0);
}

#[test]
fn judges_and_series_come_in_a_fixed_order_and_can_be_picked() {
    let panel = Panel::full(1).retain(|name| name == "distance" || name == "energy");
    assert_eq!(panel.names().collect::<Vec<_>>(), ["energy", "distance"]);
    let names: Vec<_> = panel.series().iter().map(|series| &*series.name).collect();
    assert_eq!(names, ["energy.total", "energy.kinetic", "distance.smallest"]);
}

/// Raises a flag when it sees frame number 2.
struct Bell(Arc<AtomicBool>);

impl Judge for Bell {
    fn name(&self) -> &'static str {
        "bell"
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        self.0.store(frame.state.step >= 2, std::sync::atomic::Ordering::Relaxed);
    }

    fn findings(&self, _: &Scene) -> Vec<Finding> {
        Vec::new()
    }
}

#[test]
fn a_stop_within_a_frame_leaves_out_the_judges_that_did_not_see_it() {
    let flag = Arc::new(AtomicBool::new(false));
    let mut panel = Panel::new()
        .with(Intersection::default(), 1)
        .with(Bell(Arc::clone(&flag)), 1)
        .with(Distance::default(), 1)
        .with(Penetration::default(), 1)
        .with(Tunnelling::default(), 1)
        .with(Energy::default(), 1);
    let mut seen = Panel::new();
    let scene = sink(&mut seen, 0);
    let show = |panel: &mut Panel, step| {
        panel.observe_until(&scene, &State { step, ..State::initial(&scene) }, None, &flag);
    };
    show(&mut panel, 0);
    show(&mut panel, 1);
    let judges = |panel: &Panel| -> std::collections::BTreeSet<String> {
        let of = |f: &Finding| f.figure.split('.').next().map(str::to_owned);
        panel.findings(&scene).iter().filter_map(of).collect()
    };
    assert_eq!(judges(&panel).len(), 5);
    show(&mut panel, 2);
    assert_eq!(judges(&panel).into_iter().collect::<Vec<_>>(), ["energy", "intersection"]);
    assert_eq!(panel.verdicts(&scene)[0].1, Verdict::NotMeasured);
}

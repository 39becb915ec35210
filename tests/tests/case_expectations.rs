//! What the cases of the library expect can be measured, and holds.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic and speak")]

use std::path::Path;

use rigor_audit::{Figure, Panel, Verdict};
use rigor_free::Free;
use rigor_ipc::Ipc;
use rigor_scene::file::{LoadOptions, load};
use rigor_scene::{
    Bound, Clock, Expectation, Method, Observer, Outcome, Scene, State, StepReport, cases, roll_out,
};
use rigor_xpbd::{Pbd, Xpbd};
use serde::de::DeserializeOwned;

/// Methods that a case may name.
const METHODS: [&str; 5] = ["free", "xpbd", "pbd", "ipc", "rapier"];

/// Cases with an analytic answer that are quick enough to run to their end at every test.
const PHYSICS: [(&str, &str); 54] = [
    ("xpbd", "friction/incline-mu-0.49"),
    ("xpbd", "friction/incline-mu-0.5"),
    ("xpbd", "friction/stopping-distance"),
    ("xpbd", "bouncing/ball"),
    ("xpbd", "newtons-cradle"),
    ("xpbd", "free/dzhanibekov"),
    ("free", "free/dzhanibekov"),
    ("xpbd", "free/symmetric-top"),
    ("free", "free/symmetric-top"),
    ("xpbd", "stacks/10"),
    ("xpbd", "rolling/ball"),
    ("xpbd", "erleben/cliff-edges"),
    ("xpbd", "erleben/sliding-spike"),
    ("xpbd", "erleben/sliding-wedge"),
    ("xpbd", "xpbd/three-link-pendulum"),
    ("xpbd", "joints/ball-swing"),
    ("xpbd", "joints/breaking"),
    ("xpbd", "joints/cylindrical"),
    ("xpbd", "joints/damped-wheel"),
    ("xpbd", "joints/fixed"),
    ("xpbd", "joints/gear"),
    ("xpbd", "joints/hinge-drive"),
    ("xpbd", "joints/hinge-limit"),
    ("xpbd", "joints/hinge-motor"),
    ("xpbd", "joints/prismatic-drive"),
    ("xpbd", "joints/rope"),
    ("xpbd", "joints/springs"),
    ("xpbd", "joints/universal"),
    ("xpbd", "soft/box-on-block"),
    ("xpbd", "soft/box-on-rope"),
    ("xpbd", "soft/block-on-floor"),
    ("xpbd", "soft/cantilever"),
    ("xpbd", "soft/chain"),
    ("xpbd", "soft/hanging-rope"),
    ("xpbd", "soft/marbles"),
    ("xpbd", "soft/oscillator"),
    ("xpbd", "mueller2020/06-mass-ratio"),
    ("xpbd", "mueller2020/13-overlap"),
    ("xpbd", "mueller2020/15-coin"),
    ("xpbd", "mueller2020/17-inverse-kinematics"),
    ("xpbd", "mueller2020/18-rope-twist"),
    ("xpbd", "mueller2020/boxes-3"),
    ("xpbd", "mueller2020/boxes-7"),
    ("xpbd", "mueller2020/chain-100"),
    ("xpbd", "mueller2020/pendulum-balls"),
    ("xpbd", "mueller2020/pendulum-hinges"),
    ("xpbd", "mueller2020/pendulum-long"),
    ("xpbd", "mueller2020/robot"),
    ("xpbd", "macklin2016/chain"),
    ("xpbd", "macklin2016/sagging-cloth"),
    ("pbd", "mueller2007/bodies-and-cloths"),
    ("pbd", "mueller2007/flying-cloth"),
    ("pbd", "mueller2007/free-fall"),
    ("pbd", "mueller2007/spring"),
];

/// What `xpbd` is known not to meet: the method's limits, not the expectations'.
const XPBD_FAILS: [(&str, &str); 3] = [
    // The small cube does not hold up a thousand times its weight.
    ("unit-tests/large-mass-ratio", "motion.drop"),
    ("unit-tests/large-mass-ratio", "penetration.deepest"),
    ("unit-tests/large-mass-ratio", "energy.rise_relative"),
];

/// Cases that take `ipc` more than some seconds in the profile of tests.
const IPC_IS_SLOW_ON: [&str; 14] = [
    "ferguson2021/02-bike-chain",
    "ferguson2021/06-chain-net",
    "ferguson2021/07-coin",
    "ferguson2021/08-wrecking-ball",
    "ferguson2021/09-anchor",
    "ferguson2021/10-card-house-blocks",
    "ferguson2021/11-arch-101",
    "ferguson2021/14-packing",
    "stacks/10",
    "stacks/20",
    "stacks/50",
    "stacks/pyramid",
    "stacks/wall",
    "xpbd/boxes",
];

/// What `ipc` is known not to meet.
const IPC_FAILS: [(&str, &str); 1] = [
    // The ball rolls from facet to facet, and each gives back what the barrier has stored.
    ("rolling/ball", "energy.rise_relative"),
];

fn scene(name: &str) -> Scene {
    let path = cases::find(name).unwrap_or_else(|| panic!("there is no case {name}"));
    load(Path::new(path), &cases::files(), &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}")).scene
}

/// The settings of `method` in the scene; without any, the method's own.
fn settings<T: DeserializeOwned>(scene: &Scene, method: &str) -> T {
    let map = scene.methods.get(method).cloned().unwrap_or_default();
    serde_json::from_value(map.into()).unwrap_or_else(|e| panic!("{}: method.{method}: {e}", scene.name))
}

fn method(name: &str, scene: &Scene) -> Box<dyn Method> {
    match name {
        "free" => Box::new(Free::new(settings(scene, name), Clock::default()).unwrap()),
        "ipc" => Box::new(Ipc::new(settings(scene, name), Clock::default()).unwrap()),
        "pbd" => Box::new(Pbd::new(settings(scene, name), Clock::default()).unwrap()),
        "xpbd" => Box::new(Xpbd::new(settings(scene, name), Clock::default()).unwrap()),
        _ => panic!("{name} is not run here"),
    }
}

/// A figure for which a bound does not hold, and the story.
struct Complaint {
    figure: String,
    what: String,
}

/// Runs the case, lets the judges of its expectations look at every frame, and tells what does not hold.
fn complaints(name: &str, scene: &Scene) -> Vec<Complaint> {
    let mut method = method(name, scene);
    let expected = |judge: &str| scene.expectations.iter().any(|e| e.figure.split('.').next() == Some(judge));
    let mut panel = Panel::full(1).retain(expected);
    let mut state = State::initial(scene);
    let outcome = roll_out(scene, method.as_mut(), &mut state, scene.time.dt, scene.time.steps(), &mut panel);
    let mut complaints = Vec::new();
    if outcome != Outcome::Completed {
        let what = format!("{name} on {}: {outcome:?}", scene.name);
        complaints.push(Complaint { figure: String::new(), what });
    }
    for (expectation, verdict) in panel.verdicts(scene, name) {
        let body = expectation.body.map_or("", |id| &scene.bodies[id.0].name);
        let what = format!("{name} on {}: {} {body} {}", scene.name, expectation.figure, expectation.bound);
        let mut complain = |what| complaints.push(Complaint { figure: expectation.figure.clone(), what });
        match verdict {
            Verdict::Held(finding) => println!("{what}: {:e}", finding.value),
            Verdict::Failed(finding) => complain(format!("{what}: {:e}", finding.value)),
            Verdict::NotMeasured => complain(format!("{what}: not measured")),
        }
    }
    complaints
}

#[test]
fn expectations_name_figures_and_methods_that_exist() {
    for name in cases::names() {
        for expectation in scene(name).expectations {
            assert!(Figure::named(&expectation.figure).is_some(), "{name}: {}", expectation.figure);
            let unknown = expectation.methods.iter().find(|m| !METHODS.contains(&m.as_str()));
            assert!(unknown.is_none(), "{name}: there is no method {unknown:?}");
        }
    }
}

/// Bonds that sweeps have not met hold energy that is not the scene's: with enough sweeps nothing of it is left.
#[test]
fn stiff_bonds_give_no_energy_once_sweeps_meet_them() {
    for (name, iterations) in [("soft/cantilever", 60), ("soft/chain", 1000)] {
        let mut scene = scene(name);
        let settings = scene.methods.get_mut("xpbd").expect("the case has settings");
        settings.insert("iterations".into(), iterations.into());
        let because = "Implicit Euler gives no energy.".into();
        let figure = "energy.rise_relative".to_owned();
        let bound = Bound::AtMost(1e-9);
        scene.expectations = vec![Expectation { figure, body: None, bound, methods: vec![], because }];
        let found: Vec<_> = complaints("xpbd", &scene).into_iter().map(|complaint| complaint.what).collect();
        assert!(found.is_empty(), "\n{}", found.join("\n"));
    }
}

/// Whether a case is of a paper: large, and about one method, which `rigor reproduce` runs.
fn is_of_a_paper(name: &str) -> bool {
    ["ferguson2021/", "mueller2020/", "macklin2016/", "mueller2007/"]
        .iter()
        .any(|group| name.starts_with(group))
}

struct Blind;

impl Observer for Blind {
    fn step(&mut self, _: &Scene, _: &State, _: &StepReport) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Continue(())
    }
}

#[test]
fn xpbd_takes_twenty_steps_of_every_case() {
    for name in cases::names().filter(|name| !is_of_a_paper(name)) {
        let scene = scene(name);
        let mut xpbd = method("xpbd", &scene);
        if let Err(unsupported) = xpbd.supports(&scene) {
            println!("{name}: {unsupported}");
            continue;
        }
        let mut state = State::initial(&scene);
        let outcome = roll_out(&scene, xpbd.as_mut(), &mut state, scene.time.dt, 20, &mut Blind);
        assert_eq!(outcome, Outcome::Completed, "{name}");
    }
}

#[test]
fn physics_is_as_expected() {
    let found = PHYSICS.iter().flat_map(|(method, name)| complaints(method, &scene(name)));
    let found: Vec<String> = found.map(|complaint| complaint.what).collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// What is not as `known`: an unexpected pass is an error like an unexpected failure.
fn surprises<'a>(
    method_name: &str,
    names: impl Iterator<Item = &'a str>,
    known: &[(&str, &str)],
) -> Vec<String> {
    let mut errors = Vec::new();
    for name in names {
        let scene = scene(name);
        if method(method_name, &scene).supports(&scene).is_err() {
            continue;
        }
        let known: Vec<&str> = known.iter().filter(|(case, _)| *case == name).map(|(_, f)| *f).collect();
        let found = complaints(method_name, &scene);
        let passes = known.iter().filter(|figure| !found.iter().any(|c| c.figure == **figure));
        errors.extend(passes.map(|figure| format!("{name}: {figure} holds: take it off the list")));
        let unexpected = found.into_iter().filter(|c| !known.contains(&c.figure.as_str()));
        errors.extend(unexpected.map(|complaint| complaint.what));
    }
    errors
}

#[test]
fn xpbd_meets_every_expectation_of_every_case_but_those_known() {
    let names = cases::names().filter(|name| !is_of_a_paper(name));
    let errors = surprises("xpbd", names, &XPBD_FAILS);
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

/// What the papers on position-based dynamics claim of their examples, by the method of each.
#[test]
fn cases_of_papers_on_position_based_dynamics_meet_every_expectation() {
    let of = |paper: &'static str| cases::names().filter(move |name| name.starts_with(paper));
    let mut errors = surprises("xpbd", of("mueller2020/").chain(of("macklin2016/")), &[]);
    errors.extend(surprises("pbd", of("mueller2007/"), &[]));
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

#[test]
fn ipc_meets_every_expectation_of_the_quick_cases_but_those_known() {
    // Of papers on other methods nothing is expected of `ipc`.
    let is_about_it = |name: &&str| !is_of_a_paper(name) || name.starts_with("ferguson2021/");
    let names = cases::names().filter(is_about_it).filter(|name| !IPC_IS_SLOW_ON.contains(name));
    let errors = surprises("ipc", names, &IPC_FAILS);
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

/// `cargo test --release -p rigor-tests --test case_expectations -- --ignored --nocapture`
#[test]
#[ignore = "takes many minutes"]
fn ipc_meets_every_expectation_of_the_slow_cases_but_those_known() {
    let errors = surprises("ipc", IPC_IS_SLOW_ON.into_iter(), &IPC_FAILS);
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

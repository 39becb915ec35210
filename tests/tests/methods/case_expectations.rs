//! The expectations of the case library can be measured, and hold.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic and speak")]

use rigor_audit::{Figure, Panel, Verdict};
use rigor_file::cases;
use rigor_run::registry;
use rigor_scene::{Bound, Expectation, Outcome, Scene, State, roll_out};
use rigor_tests::roster;
use rigor_tests::scenes::case;

/// Expectations that `xpbd` is known to fail, because of limits of the method.
const XPBD_FAILS: [(&str, &str); 1] = [
    // The blow of the large cube leaves the small one some centimetres per second, with which it slides out from under.
    ("unit-tests/large-mass-ratio", "motion.drop"),
];

/// Cases that take `ipc` more than some seconds in the test profile.
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

/// An expectation that does not hold, and the details.
struct Complaint {
    figure: String,
    what: String,
}

/// Runs the case with the judges of its expectations on every frame, and returns those that do not hold.
fn complaints(name: &str, scene: &Scene) -> Vec<Complaint> {
    let mut method = roster::method(registry::find(name).unwrap(), scene);
    let expected = |judge: &str| scene.expectations.iter().any(|e| e.figure.split('.').next() == Some(judge));
    let mut panel = Panel::full(1).retain(expected);
    let mut state = State::initial(scene);
    let outcome = roll_out(scene, method.as_mut(), &mut state, scene.time.dt, scene.time.steps(), &mut panel);
    let mut complaints = Vec::new();
    if outcome != Outcome::Completed {
        let what = format!("{name} on {}: {outcome:?}", scene.name);
        complaints.push(Complaint { figure: String::new(), what });
    }
    let claims = panel.verdicts(scene).into_iter().filter(|(expectation, _)| expectation.is_claimed_by(name));
    for (expectation, verdict) in claims {
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
        for expectation in case(name).expectations {
            assert!(Figure::named(&expectation.figure).is_some(), "{name}: {}", expectation.figure);
            let unknown = expectation.methods.iter().find(|method| registry::find(method).is_err());
            assert!(unknown.is_none(), "{name}: there is no method {unknown:?}");
        }
    }
}

/// Bonds that the sweeps have not satisfied store spurious energy, which vanishes with enough sweeps.
#[test]
fn stiff_bonds_give_no_energy_once_sweeps_meet_them() {
    for (name, iterations) in [("soft/cantilever", 60), ("soft/chain", 1000)] {
        let mut scene = case(name);
        let settings = scene.methods.get_mut("xpbd").expect("the case has settings");
        settings.insert("iterations".into(), iterations.into());
        let because = "Implicit Euler gives no energy.".into();
        let figure = "energy.rise_relative".to_owned();
        let bound = Bound::AtMost(1e-9);
        scene.expectations = vec![Expectation {
            figure,
            body: None,
            bound,
            methods: vec![],
            methods_because: String::new(),
            because,
        }];
        let found: Vec<_> = complaints("xpbd", &scene).into_iter().map(|complaint| complaint.what).collect();
        assert!(found.is_empty(), "\n{}", found.join("\n"));
    }
}

/// Returns whether a case belongs to a paper: large, about one method, and run by `rigor reproduce`.
fn is_of_a_paper(name: &str) -> bool {
    ["ferguson2021/", "mueller2020/", "macklin2016/", "mueller2007/", "harada2007/"]
        .iter()
        .any(|group| name.starts_with(group))
}

/// Returns the deviations from `known`: an unexpected pass is an error like an unexpected failure.
fn surprises<'a>(method: &str, names: impl Iterator<Item = &'a str>, known: &[(&str, &str)]) -> Vec<String> {
    let mut errors = Vec::new();
    for name in names {
        let scene = case(name);
        if roster::method(registry::find(method).unwrap(), &scene).supports(&scene).is_err() {
            continue;
        }
        let known: Vec<&str> = known.iter().filter(|(case, _)| *case == name).map(|(_, f)| *f).collect();
        let found = complaints(method, &scene);
        let passes = known.iter().filter(|figure| !found.iter().any(|c| c.figure == **figure));
        errors.extend(passes.map(|figure| format!("{name}: {figure} holds: take it off the list")));
        let unexpected = found.into_iter().filter(|c| !known.contains(&c.figure.as_str()));
        errors.extend(unexpected.map(|complaint| complaint.what));
    }
    errors
}

#[test]
fn free_meets_every_expectation_of_free_flight() {
    let names = cases::names().filter(|name| name.starts_with("free/"));
    let errors = surprises("free", names, &[]);
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

#[test]
fn xpbd_meets_every_expectation_of_every_case_but_those_known() {
    let names = cases::names().filter(|name| !is_of_a_paper(name));
    let errors = surprises("xpbd", names, &XPBD_FAILS);
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

/// The claims of the papers on position-based dynamics about their examples, by the method of each.
#[test]
fn cases_of_papers_on_position_based_dynamics_meet_every_expectation() {
    let of = |paper: &'static str| cases::names().filter(move |name| name.starts_with(paper));
    let mut errors = surprises("xpbd", of("mueller2020/").chain(of("macklin2016/")), &[]);
    errors.extend(surprises("pbd", of("mueller2007/"), &[]));
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

/// Returns the deviations of `particles` in its cases, of which at most `duration` (s) is simulated.
fn surprises_of_particles(duration: f64) -> Vec<String> {
    let cut = |name| {
        let mut scene = case(name);
        if duration < scene.time.duration {
            scene.time.duration = duration;
            // What a whole run adds up to.
            scene.expectations.retain(|expectation| !expectation.figure.starts_with("momentum.linear_drift"));
        }
        scene
    };
    let names = cases::names().filter(|name| name.starts_with("harada2007/"));
    let found = names.flat_map(|name| complaints("particles", &cut(name)));
    found.map(|complaint| complaint.what).collect()
}

#[test]
fn particles_meet_every_expectation_in_the_first_second_of_their_cases() {
    let errors = surprises_of_particles(1.0);
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

#[test]
#[ignore = "takes a minute"]
fn particles_meet_every_expectation_of_their_cases() {
    let errors = surprises_of_particles(f64::INFINITY);
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

#[test]
fn ipc_meets_every_expectation_of_the_quick_cases() {
    // Papers on other methods have no expectations of `ipc`.
    let is_about_it = |name: &&str| !is_of_a_paper(name) || name.starts_with("ferguson2021/");
    let names = cases::names().filter(is_about_it).filter(|name| !IPC_IS_SLOW_ON.contains(name));
    let errors = surprises("ipc", names, &[]);
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

/// `cargo test --release -p rigor-tests --test methods case_expectations -- --ignored --nocapture`
#[test]
#[ignore = "takes many minutes"]
fn ipc_meets_every_expectation_of_the_slow_cases() {
    let errors = surprises("ipc", IPC_IS_SLOW_ON.into_iter(), &[]);
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

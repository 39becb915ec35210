//! Faults of an engine are outcomes with its last words.

use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use rigor_math::Vec3;
use rigor_peers::process::peer::TRANSPORT;
use rigor_peers::process::{Config, Peer};
use rigor_scene::{Clock, CombineRule, Friction, Method, Outcome, Run, Scene, State};

use crate::{case, fake};

/// Every fault, with what the outcome must say, and the number of steps before it.
const FAULTS: [(&str, u64, &[&str]); 19] = [
    ("stillborn", 0, &["peer at \"hello\"", "ended without a reply", "3", "no licence"]),
    ("version", 0, &["version 99 of the protocol, this program version 2"]),
    ("mass", 0, &["error of its adapter", "the mass of \"cube\""]),
    ("dies", 0, &["peer at \"advance\"", "ended without a reply", "first words | assertion failed"]),
    ("hangs", 0, &["did not reply within 2 s and was killed"]),
    ("half", 0, &["ended in the middle of a line", "{\\\"cpu\\\":[0.0],\\\"bod"]),
    ("babbles", 0, &["not what the protocol prescribes", "Hello from the engine!"]),
    ("noise", 0, &["not what the protocol prescribes", "noise 0"]),
    ("literal_nan", 0, &["not what the protocol prescribes", "NaN"]),
    ("nan", 0, &["velocity of \"cube\" (body 1) is not a finite number"]),
    ("short", 0, &["the bodies in its reply are not rows of 13 numbers"]),
    ("count", 0, &["2 bodies instead of 1"]),
    ("stranger", 0, &["a contact names body 5 of 2"]),
    ("timeless", 0, &["it replied with 0 CPU times for 1 steps"]),
    ("miscounts", 0, &["it replied with 0 contacts, and its counts add up to 3"]),
    ("refuses_all", 0, &["peer at \"advance\": the solver gave up"]),
    ("dies_late", fake::LATE, &["ended without a reply", "assertion failed: step < 10"]),
    ("refuses_late", fake::LATE, &["peer at \"advance\": the solver gave up"]),
    ("nan_late", fake::LATE, &["pose of \"cube\" (body 1) is not a finite number"]),
];

/// The trials of this file.
pub fn trials() -> Vec<Trial> {
    let fault = |(fault, step, words): &'static (&str, u64, &[&str])| {
        Trial::test(format!("fault_{fault}"), move || {
            check(fault, *step, words);
            Ok(())
        })
    };
    let mut trials: Vec<Trial> = FAULTS.iter().map(fault).collect();
    let others: [(&str, fn()); 11] = [
        ("a_refusal_names_its_bodies", a_refusal_names_its_bodies),
        ("a_program_that_does_not_exist_is_named", a_program_that_does_not_exist_is_named),
        ("an_engine_that_does_not_read_is_killed", an_engine_that_does_not_read_is_killed),
        ("noise_on_standard_error_is_harmless", noise_on_standard_error_is_harmless),
        ("what_an_engine_lacks_is_a_notice_or_a_skip", what_an_engine_lacks),
        ("numbers_arrive_exactly", numbers_arrive_exactly),
        ("a_state_that_is_changed_is_where_the_engine_goes_on", a_changed_state),
        ("a_run_is_resumed_with_the_same_bits", a_run_is_resumed_with_the_same_bits),
        ("an_engine_that_does_not_repeat_itself_is_not_resumed", drifting_is_not_resumed),
        ("the_time_of_transport_is_that_of_the_process_without_its_steps", the_time_of_transport),
        ("contacts_that_nobody_wants_are_not_asked_for", unwanted_contacts),
    ];
    trials.extend(others.map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    }));
    trials
}

fn peer(fault: &str) -> Peer {
    let program = std::env::current_exe().unwrap().to_string_lossy().into_owned();
    let command = vec![program, fake::FLAG.to_owned(), fault.to_owned()];
    let config = Config { command, step_timeout: 2.0, start_timeout: 20.0, ..Config::default() };
    Peer::new("peer", config, Clock::default(), Err("a command is given".to_owned()), None).unwrap()
}

fn outcome(scene: &Scene, fault: &str) -> Outcome {
    Run::record(scene, &mut peer(fault), scene.time.dt, 13).outcome
}

fn check(fault: &str, at: u64, words: &[&str]) {
    let started = Instant::now();
    let outcome = outcome(&case::drop(1.0, 0.0, 0.01), fault);
    let Outcome::Stopped { step, error } = outcome else { panic!("{outcome:?}") };
    assert_eq!(step, at);
    let text = error.to_string();
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
}

fn a_refusal_names_its_bodies() {
    let outcome = outcome(&case::drop(1.0, 0.0, 0.01), "refuses");
    let Outcome::Stopped { error, .. } = outcome else { panic!("{outcome:?}") };
    assert!(error.to_string().contains("the solver gave up"), "{error}");
    assert_eq!(error.bodies()[0].0, 1);
}

fn a_program_that_does_not_exist_is_named() {
    let config = Config { command: vec!["rigor-no-such-engine".to_owned()], ..Config::default() };
    let launch = Err("a command is given".to_owned());
    let peer = Peer::new("peer", config, Clock::default(), launch, None).unwrap();
    let error = peer.supports(&case::drop(1.0, 0.0, 0.01)).unwrap_err().to_string();
    assert!(error.contains("\"rigor-no-such-engine\" cannot be started"), "{error}");
}

/// The request to load is longer than the pipe's buffer.
fn an_engine_that_does_not_read_is_killed() {
    let mut scene = case::drop(1.0, 0.0, 0.01);
    let cube = scene.bodies[1].clone();
    scene.bodies.extend(std::iter::repeat_n(cube, 2000));
    let program = std::env::current_exe().unwrap().to_string_lossy().into_owned();
    let command = vec![program, fake::FLAG.to_owned(), "deaf".to_owned()];
    let config = Config { command, start_timeout: 3.0, ..Config::default() };
    let mut peer = Peer::new("peer", config, Clock::default(), Err(String::new()), None).unwrap();
    let error = peer.step(&scene, &mut State::initial(&scene), 0.01).unwrap_err().to_string();
    assert!(error.contains("peer at \"load\": it did not reply within 3 s"), "{error}");
}

fn noise_on_standard_error_is_harmless() {
    let program = std::env::current_exe().unwrap().to_string_lossy().into_owned();
    let command = vec![program, fake::FLAG.to_owned(), "muttering".to_owned()];
    let config = Config { command, ..Config::default() };
    let mut peer = Peer::new("peer", config, Clock::default(), Err(String::new()), None).unwrap();
    let scene = case::drop(1.0, 0.0, 0.01);
    assert_eq!(Run::record(&scene, &mut peer, 0.01, 1).outcome, Outcome::Completed);
}

/// Friction of 0.5 on 0.1 is 0.3 by the fake engine's average, and 0.1 by the minimum that the scene asks for.
fn what_an_engine_lacks() {
    let mut scene = case::scene(vec![case::floor(true), case::boomerang()], 0.5, 0.2, Vec3::y(), 0.01);
    scene.friction_rule = CombineRule::Min;
    assert!(peer("lacking").supports(&scene).is_ok());
    let told = |scene: &Scene| -> Vec<String> {
        let notices = peer("lacking").notices(scene, 0.01);
        notices.iter().map(ToString::to_string).collect()
    };
    let same = told(&scene);
    assert!(
        same.iter().any(|notice| notice.starts_with("restitution 0.2 of body \"floor\" and 1 more")),
        "{same:?}"
    );
    assert!(
        same.iter().any(|notice| notice.starts_with("gyroscopic torque of body \"boomerang\"")),
        "{same:?}"
    );
    assert!(!same.iter().any(|notice| notice.starts_with("friction")), "one value gives 0.5: {same:?}");
    let mut third = case::cube(1.0);
    third.group = 2;
    scene.bodies.push(third.build().unwrap());
    scene.bodies[2].friction = Friction { static_: 0.1, dynamic: 0.1 };
    let mixed = told(&scene);
    let expected = "friction 0.1 of \"boomerang\" on \"cube\": the engine combines coefficients by the average, here 0.3";
    assert!(mixed.iter().any(|notice| notice == expected), "{mixed:?}");
    scene.bodies[1].fixed.rotation[0] = true;
    let error = peer("lacking").supports(&scene).unwrap_err().to_string();
    assert_eq!(error, "peer does not support locked degrees of freedom (in \"boomerang\")");
}

/// The fake engine's sums, made here, have the same bits.
fn numbers_arrive_exactly() {
    let dt = 0.013;
    let mut scene = case::drop(1.0 / 3.0, 0.0, dt);
    scene.gravity = Vec3::new(0.1, -9.81, 1e-17);
    let run = Run::record(&scene, &mut peer("none"), dt, 50);
    assert_eq!(run.outcome, Outcome::Completed);
    let (mut x, mut v) = (scene.bodies[1].initial.pose.position, Vec3::zeros());
    for frame in &run.trajectory.frames[1..] {
        v += dt * scene.gravity;
        x += dt * v;
        assert_eq!((frame.bodies[1].pose.position, frame.bodies[1].linear_velocity), (x, v));
    }
}

/// The engine has taken steps ahead when the caller stops the cube in its flight.
fn a_changed_state() {
    let scene = case::drop(1.0, 0.0, 0.01);
    let (mut method, mut state) = (peer("none"), State::initial(&scene));
    let mut roll_out = |state: &mut State, steps| {
        let outcome = rigor_scene::roll_out(&scene, &mut method, state, 0.01, steps, &mut Watch);
        assert_eq!(outcome, Outcome::Completed);
    };
    roll_out(&mut state, 10);
    state.bodies[1].linear_velocity = Vec3::zeros();
    let height = state.bodies[1].pose.position.y;
    roll_out(&mut state, 11);
    let v = 0.01 * scene.gravity.y;
    let bodies = &state.bodies[1];
    assert_eq!((bodies.linear_velocity.y, bodies.pose.position.y), (v, height + 0.01 * v));
}

fn a_run_is_resumed_with_the_same_bits() {
    let scene = case::drop(1.0, 0.0, 0.01);
    let whole = Run::record(&scene, &mut peer("none"), 0.01, 20);
    let mut half = half_way(&scene, "none");
    let mut watch = Watch;
    let outcome = rigor_scene::roll_out(&scene, &mut peer("none"), &mut half, 0.01, 20, &mut watch);
    assert_eq!(outcome, Outcome::Completed);
    assert_eq!(&half.bodies, &whole.trajectory.frames[20].bodies);
    assert!(half.memory.images.is_empty(), "what was saved belongs to an earlier state");
}

fn drifting_is_not_resumed() {
    let scene = case::drop(1.0, 0.0, 0.01);
    let mut half = half_way(&scene, "drifts");
    let outcome = rigor_scene::roll_out(&scene, &mut peer("drifts"), &mut half, 0.01, 20, &mut Watch);
    let Outcome::Stopped { error, .. } = outcome else { panic!("{outcome:?}") };
    assert!(
        error.to_string().contains("the run cannot be resumed: after 10 steps again, \"cube\""),
        "{error}"
    );
}

/// Messages have 1, 2 and 4 steps; the first step of each bears its transport.
fn the_time_of_transport() {
    let transport = |fault: &str| -> Vec<f64> {
        let run = Run::record(&case::drop(1.0, 0.0, 0.01), &mut peer(fault), 0.01, 7);
        assert_eq!(run.outcome, Outcome::Completed);
        let quantities = run.reports.iter().flat_map(|report| &report.quantities);
        quantities.filter(|quantity| quantity.name == TRANSPORT).map(|quantity| quantity.value).collect()
    };
    let told = transport("timed");
    assert_eq!(told.len(), 7);
    for (step, seconds) in told.into_iter().enumerate() {
        let expected = if [0, 1, 3].contains(&step) { fake::MESSAGE } else { 0.0 };
        assert!((seconds - expected).abs() < 1e-12, "{seconds} s in step {step}");
    }
    assert!(transport("none").is_empty(), "it does not tell");
}

/// The engine would name a body that the scene lacks.
fn unwanted_contacts() {
    let program = std::env::current_exe().unwrap().to_string_lossy().into_owned();
    let command = vec![program, fake::FLAG.to_owned(), "stranger".to_owned()];
    let config = Config { command, contacts: false, ..Config::default() };
    let mut peer = Peer::new("peer", config, Clock::default(), Err(String::new()), None).unwrap();
    let scene = case::drop(1.0, 0.0, 0.01);
    assert_eq!(Run::record(&scene, &mut peer, 0.01, 3).outcome, Outcome::Completed);
    let notices = peer.notices(&scene, 0.01);
    assert!(notices.iter().any(|notice| notice.quantity == "contacts"), "{notices:?}");
}

/// The state after ten steps, as a checkpoint holds it.
fn half_way(scene: &Scene, fault: &str) -> State {
    let mut first = peer(fault);
    let mut state = State::initial(scene);
    let outcome = rigor_scene::roll_out(scene, &mut first, &mut state, 0.01, 10, &mut Watch);
    assert_eq!(outcome, Outcome::Completed);
    first.save(&mut state).unwrap();
    assert!(!state.memory.images.is_empty());
    state
}

struct Watch;

impl rigor_scene::Observer for Watch {
    fn step(&mut self, _: &Scene, _: &State, _: &rigor_scene::StepReport) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Continue(())
    }
}

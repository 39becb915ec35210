//! Robustness against scene files: joints, ropes, cloths, blocks, bonds and attachments with arbitrary
//! numbers are either refused with line and key, or make a scene in which every step ends in a finite state
//! or fails with a reason.
//!
//! The default cases are always the same; a nightly run takes more of them:
//!
//! ```text
//! PROPTEST_CASES=5000 cargo test -p rigor-tests --test methods hostile_scenes -- --nocapture
//! ```
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic and speak")]

mod known;
mod tape;

use std::io;
use std::path::Path;

use known::{BEYOND, BOXES, REFUSED, TAKEN};
use proptest::collection::vec;
use proptest::num::u16;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use rayon::ThreadPoolBuilder;
use rigor_file::{Files, LoadOptions, load};
use rigor_run::cpu;
use rigor_scene::{BodyState, Clock, Method, ParticleState, Scene, State};
use rigor_xpbd::{Pbd, Xpbd};
use tape::Tape;

/// Number of cases in a default test run.
const CASES: u32 = 150;
/// Numbers per tape: more than the largest scene uses.
const LENGTH: usize = 400;
/// Steps per run.
const STEPS: u64 = 20;
/// Limit of the processor time (s) of a run; one of some hundred particles takes milliseconds.
const PATIENCE: f64 = 20.0;

/// A single file in memory.
struct One(String);

impl Files for One {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

/// Returns the scene of a file, or the error message.
fn read(text: &str) -> Result<Scene, String> {
    match load(Path::new("hostile.toml"), &One(text.to_owned()), &LoadOptions::default()) {
        Ok(loaded) => Ok(loaded.scene),
        Err(error) => {
            assert!(error.place.is_some_and(|place| place.line > 0), "{error} has no line");
            assert!(!error.key.is_empty(), "{error} has no key");
            Err(format!("{}: {}", error.key, error.message))
        }
    }
}

fn is_finite(state: &State) -> bool {
    let is_whole = |p: &ParticleState| p.position.iter().chain(p.velocity.iter()).all(|c| c.is_finite());
    state.bodies.iter().all(BodyState::is_finite) && state.particles.iter().all(is_whole)
}

/// Takes `STEPS` steps, or none if the method does not support the scene; returns `Ok(true)` if all were
/// taken.
fn run(scene: &Scene, method: &mut dyn Method) -> Result<bool, String> {
    if let Err(unsupported) = method.supports(scene) {
        println!("{unsupported}");
        return Ok(false);
    }
    let mut state = State::initial(scene);
    let began = cpu::here();
    for step in 0..STEPS {
        let before = state.clone();
        match method.step(scene, &mut state, scene.time.dt) {
            Ok(report) => {
                let told = report.residual.into_iter().chain(report.quantities.iter().map(|q| q.value));
                let all_finite = told.into_iter().all(|value| !value.is_nan());
                if !is_finite(&state) || !all_finite {
                    return Err(format!("{}: step {step} is not finite: {report:?}", method.name()));
                }
            }
            Err(error) if state == before => {
                println!("{}: step {step}: {error}", method.name());
                return Ok(false);
            }
            Err(error) => return Err(format!("{}: {error}, but the state has changed", method.name())),
        }
        (state.step, state.time) = (step + 1, (step + 1) as f64 * scene.time.dt);
        let spent = cpu::here() - began;
        if spent > PATIENCE {
            return Err(format!("{}: {step} steps took {spent} s", method.name()));
        }
    }
    Ok(true)
}

/// Runs `xpbd` and `pbd` on one thread, whose processor time is counted.
fn survives(scene: &Scene) -> Result<bool, String> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
    pool.install(|| survives_here(scene))
}

/// Runs both with few substeps, so that errors are as large as possible.
fn survives_here(scene: &Scene) -> Result<bool, String> {
    let xpbd = rigor_xpbd::Config { substeps: 2, max_substeps: 100, iterations: 3, ..Default::default() };
    let pbd = rigor_xpbd::pbd::Config { iterations: 5, ..Default::default() };
    let xpbd = run(scene, &mut Xpbd::new(xpbd, Clock::default()).unwrap())?;
    let pbd = run(scene, &mut Pbd::new(pbd, Clock::default()).unwrap())?;
    Ok(xpbd && pbd)
}

#[derive(Debug, Default)]
struct Tally {
    refused: u32,
    completed: u32,
    stopped: u32,
}

/// Runs the requested number of cases with `wildness` percent of wild numbers.
fn try_many(wildness: u16) -> Tally {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES);
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(u64::from(wildness)),
        failure_persistence: None,
        ..Config::default()
    };
    let tally = std::cell::RefCell::new(Tally::default());
    let result = TestRunner::new(config).run(&vec(u16::ANY, 0..LENGTH), |numbers| {
        let text = Tape::new(&numbers, wildness).scene();
        let mut tally = tally.borrow_mut();
        match read(&text) {
            Err(why) => {
                println!("refused: {why}");
                tally.refused += 1;
            }
            Ok(scene) => match survives(&scene) {
                Ok(true) => tally.completed += 1,
                Ok(false) => tally.stopped += 1,
                Err(why) => return Err(TestCaseError::fail(format!("{why}\n{text}"))),
            },
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let tally = tally.into_inner();
    println!("{wildness} % wild numbers: {tally:?}");
    tally
}

#[test]
fn scenes_with_a_wild_number_now_and_then_are_refused_or_end_in_finite_states() {
    let tally = try_many(1);
    // Otherwise the test would prove nothing.
    assert!(tally.refused > CASES / 10 && tally.completed > CASES / 10, "{tally:?}");
}

#[test]
fn scenes_of_contradictory_parts_end_in_finite_states() {
    let tally = try_many(0);
    assert!(tally.completed + tally.stopped > CASES / 4, "{tally:?}");
}

#[test]
fn scenes_full_of_wild_numbers_are_refused() {
    let tally = try_many(30);
    assert!(tally.refused > 8 * CASES / 10, "{tally:?}");
}

#[test]
fn known_mistakes_are_blamed_on_their_key() {
    for (part, key) in REFUSED {
        let text = format!("{BOXES}{part}\n");
        let error = read(&text).expect_err(part);
        assert!(error.starts_with(key), "{part}\n{error}");
    }
}

#[test]
fn parts_that_contradict_each_other_end_in_finite_states() {
    let parts =
        TAKEN.into_iter().map(|part| (part, true)).chain(BEYOND.into_iter().map(|part| (part, false)));
    for (part, completes) in parts {
        let scene = read(&format!("{BOXES}{part}")).unwrap_or_else(|error| panic!("{error}\n{part}"));
        assert_eq!(survives(&scene), Ok(completes), "{part}");
    }
}

//! Results are reproducible bit for bit: when repeated, for any number of threads, and when interrupted and
//! resumed.

use std::ops::ControlFlow;

use rigor_audit::determinism::Determinism;
use rigor_run::registry::Entry;
use rigor_scene::{Method, Observer, Outcome, Run, Scene, State, StepReport, roll_out};
use rigor_tests::roster::{method, methods};
use rigor_tests::scenes;

const STEPS: u64 = 25;

/// Cases of the library, in addition to the scenes of this package.
const CASES: [&str; 7] = [
    "free/dzhanibekov",
    "unit-tests/5-cubes",
    "erleben/wedges",
    "newtons-cradle",
    "xpbd/boxes",
    "soft/box-on-rope",
    "joints/rope",
];

/// Returns every scene with every method that supports it.
fn pairs() -> impl Iterator<Item = (Scene, &'static Entry)> {
    let supported = |scene: &Scene, entry: &Entry| method(entry, scene).supports(scene).is_ok();
    let all = scenes::own().into_iter().chain(CASES.into_iter().map(scenes::case));
    all.flat_map(move |scene| {
        let able = methods().into_iter().filter(|entry| supported(&scene, entry)).collect::<Vec<_>>();
        able.into_iter().map(move |entry| (scene.clone(), entry))
    })
}

fn flight() -> Scene {
    scenes::case("free/symmetric-top")
}

fn record(scene: &Scene, method: &mut dyn Method) -> Run {
    let run = Run::record(scene, method, scene.time.dt, STEPS);
    assert_eq!(run.outcome, Outcome::Completed, "{} on {}", method.name(), scene.name);
    run
}

/// Hashes all bits of all frames; unlike `==`, the hash distinguishes 0 from −0.
fn hash(run: &Run) -> u64 {
    let mut judge = Determinism::default();
    run.trajectory.frames.iter().for_each(|frame| judge.add(frame));
    judge.hash()
}

#[track_caller]
fn assert_same_bits(a: &Run, b: &Run, what: &str) {
    assert_eq!(a.reports, b.reports, "{what}");
    assert_eq!(hash(a), hash(b), "{what}");
}

#[test]
fn every_method_has_scenes_that_it_supports() {
    for entry in methods() {
        let n_scenes = pairs().filter(|(_, other)| other.name == entry.name).count();
        assert!(n_scenes >= 3, "{} supports {n_scenes} scenes", entry.name);
        assert_eq!(method(entry, &flight()).name(), entry.name);
    }
}

#[test]
fn two_runs_have_the_same_bits() {
    for (scene, entry) in pairs() {
        let what = format!("{} on {}", entry.name, scene.name);
        let runs = [(); 2].map(|()| record(&scene, method(entry, &scene).as_mut()));
        assert_same_bits(&runs[0], &runs[1], &what);
    }
}

#[test]
fn scratch_memory_of_another_scene_changes_nothing() {
    for (scene, entry) in pairs() {
        let what = format!("{} on {}", entry.name, scene.name);
        let mut used = method(entry, &scene);
        record(&flight(), used.as_mut());
        record(&scene, used.as_mut());
        assert_same_bits(
            &record(&scene, used.as_mut()),
            &record(&scene, method(entry, &scene).as_mut()),
            &what,
        );
    }
}

/// Precondition of the next test.
#[test]
fn heap_has_enough_contacts_to_be_shared_among_threads() {
    let is_heap = |(scene, entry): &(Scene, &Entry)| scene.name == "heap" && entry.name == "xpbd";
    let (heap, xpbd) = pairs().find(is_heap).expect("xpbd supports the heap");
    let run = record(&heap, method(xpbd, &heap).as_mut());
    let n_contacts = run.reports.last().map_or(0, |report| report.contacts.len());
    assert!(n_contacts > 100, "{n_contacts}");
}

#[test]
fn one_thread_and_several_have_the_same_bits() {
    let on = |n: usize, scene: &Scene, entry: &Entry| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("threads can be started");
        pool.install(|| record(scene, method(entry, scene).as_mut()))
    };
    for (scene, entry) in pairs() {
        let what = format!("{} on {}", entry.name, scene.name);
        let alone = on(1, &scene, entry);
        for n in [2, 5] {
            assert_same_bits(&alone, &on(n, &scene, entry), &format!("{what}, {n} threads"));
        }
    }
}

/// An observer that keeps nothing.
struct Silent;

impl Observer for Silent {
    fn step(&mut self, _: &Scene, _: &State, _: &StepReport) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

#[test]
fn a_run_cut_in_two_is_the_whole_run() {
    for (scene, entry) in pairs() {
        let whole = record(&scene, method(entry, &scene).as_mut());
        for cut in [1, STEPS / 2] {
            let mut state = State::initial(&scene);
            for end in [cut, STEPS] {
                let mut method = method(entry, &scene);
                let outcome = roll_out(&scene, method.as_mut(), &mut state, scene.time.dt, end, &mut Silent);
                assert_eq!(outcome, Outcome::Completed);
                method.save(&mut state).expect("what ran can be saved");
            }
            // Only `save` writes an image, and the whole run did not call it.
            state.memory.images.clear();
            let mut last = whole.last().clone();
            last.memory.images.clear();
            assert_eq!(state, last, "{} on {}, cut after {cut} steps", entry.name, scene.name);
        }
    }
}

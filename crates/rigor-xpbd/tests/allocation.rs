//! A substep allocates nothing once its buffers exist. A separate program, because it counts the allocations
//! of all threads.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::alloc::System;
use std::path::Path;

use rigor_file::cases;
use rigor_file::{LoadOptions, load};
use rigor_scene::{Clock, Method, Scene, State};
use rigor_xpbd::{Config, JointSolver, Solver, Xpbd};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn case(name: &str) -> Scene {
    let path = cases::find(name).unwrap();
    load(Path::new(path), &cases::files(), &LoadOptions::default()).unwrap().scene
}

/// Allocations of a step with this number of substeps from `start`, by a method that has taken the same step
/// before.
fn allocations(scene: &Scene, start: &State, config: &Config, substeps: u32) -> usize {
    let config = Config { substeps, ..config.clone() };
    let mut method = Xpbd::new(config, Clock::default()).unwrap();
    let mut step = || {
        let mut state = start.clone();
        let before = ALLOCATOR.stats();
        method.step(scene, &mut state, scene.time.dt).unwrap();
        let after = ALLOCATOR.stats();
        after.allocations + after.reallocations - before.allocations - before.reallocations
    };
    step();
    step()
}

/// The state after this number of steps.
fn after(scene: &Scene, config: &Config, steps: usize) -> State {
    let mut state = State::initial(scene);
    let mut method = Xpbd::new(config.clone(), Clock::default()).unwrap();
    for step in 1..=steps {
        method.step(scene, &mut state, scene.time.dt).unwrap();
        state.step = step as u64;
        state.time = step as f64 * scene.time.dt;
    }
    state
}

#[test]
fn what_a_step_allocates_does_not_grow_with_its_substeps() {
    // On one thread, because rayon's queues between threads allocate a block for every few tasks.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(allocations_do_not_grow);
}

fn allocations_do_not_grow() {
    // Taken at moments without a new search for candidates within the step, which would build a tree.
    let scenes = [
        ("stacks/10", 20),
        ("stacks/pyramid", 20),
        ("joints/gear", 20),
        ("joints/ball-swing", 20),
        ("joints/rope", 20),
        ("joints/universal", 20),
        ("joints/prismatic-drive", 20),
        ("soft/hanging-cloth", 5),
        ("soft/cantilever", 5),
        ("soft/box-on-rope", 20),
        ("soft/box-on-block", 20),
        ("soft/cloth-on-sphere", 10),
        ("soft/marbles", 20),
    ];
    for (name, steps) in scenes {
        let scene = case(name);
        for (solver, joints) in [
            (Solver::GaussSeidel, JointSolver::Sweep),
            (Solver::Coloured, JointSolver::Direct),
            (Solver::Jacobi, JointSolver::Sweep),
        ] {
            let config = Config { solver, joints, ..Config::default() };
            let start = after(&scene, &config, steps);
            let [few, many] = [10, 40].map(|substeps| allocations(&scene, &start, &config, substeps));
            // Output vectors hold what has touched in any substep, and grow by doubling.
            assert!(many <= few + 2, "{name}, {solver:?}: {few}, then {many} with 30 substeps more");
        }
    }
}

//! Tests of all methods on shared scenes: one program, because each links all crates.

mod case_expectations;
mod conformance;
mod determinism;
mod energy_made;
mod flight;
mod hostile_scenes;
mod invariance;
mod random_scenes;
mod round;

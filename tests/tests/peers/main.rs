//! Engines in processes of their own: faults of the protocol, by a fake engine, and analytic cases for every
//! engine that is installed; tests of others are ignored, with the command that installs them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod case;
mod engine;
mod fake;
mod fault;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().position(|argument| argument == fake::FLAG) {
        Some(at) => fake::run(&arguments[at + 1]),
        None => rigor_tests::reference::run(fault::trials().into_iter().chain(engine::trials()).collect()),
    }
}

//! The way to an engine: the streams of a process, or calls in this process.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::PROTOCOL;
use super::channel::{Channel, Launch};
use super::fault::{Fault, FaultKind};
use super::message::{AdvanceReply, Goal, Hello, Load, Loaded, Refusal, Request};
use super::resident::InProcessEngine;

/// How an engine is started.
#[derive(Debug, Clone)]
pub enum Start {
    /// As a process.
    Process(Launch),
    /// In this process, by this function.
    Resident(fn() -> Box<dyn InProcessEngine>),
}

/// A started engine.
pub(super) enum Link {
    /// In a process of its own.
    Process(Channel),
    /// In this process.
    Resident {
        /// Its name.
        engine: String,
        /// The engine.
        resident: Box<dyn InProcessEngine>,
    },
}

impl Link {
    /// Starts `engine`.
    pub(super) fn start(engine: &str, start: &Start) -> Result<Self, Fault> {
        match start {
            Start::Process(launch) => Channel::start(engine, launch).map(Self::Process),
            Start::Resident(make) => Ok(Self::Resident { engine: engine.to_owned(), resident: make() }),
        }
    }

    /// Asks the engine to introduce itself; a process must reply within `seconds`.
    pub(super) fn hello(&mut self, seconds: f64) -> Result<Hello, Fault> {
        match self {
            Self::Process(channel) => channel.ask("hello", &Request::Hello { protocol: PROTOCOL }, seconds),
            Self::Resident { engine, resident } => call(engine, "hello", || Ok(resident.hello())),
        }
    }

    /// Asks for a world; a process must reply within `seconds`.
    pub(super) fn load(&mut self, scene: &Load, seconds: f64) -> Result<Loaded, Fault> {
        match self {
            Self::Process(channel) => channel.ask("load", &Request::Load(scene), seconds),
            Self::Resident { engine, resident } => call(engine, "load", || resident.load(scene)),
        }
    }

    /// Asks for `n` steps; a process must reply within `seconds`.
    pub(super) fn advance(
        &mut self,
        n: u64,
        goals: &[Goal],
        contacts: bool,
        seconds: f64,
    ) -> Result<AdvanceReply, Fault> {
        match self {
            Self::Process(channel) => {
                channel.ask("advance", &Request::Advance { n, goals, contacts }, seconds)
            }
            Self::Resident { engine, resident } => {
                call(engine, "advance", || resident.advance(n, goals, contacts))
            }
        }
    }

    /// Ends the engine, if it is a process, and returns the fault.
    pub(super) fn fault(&mut self, asked: &'static str, kind: FaultKind) -> Fault {
        match self {
            Self::Process(channel) => channel.fault(asked, kind),
            Self::Resident { engine, .. } => {
                Fault { engine: engine.clone(), asked, kind, last_words: Vec::new() }
            }
        }
    }

    /// Whether the engine is in this process, so that nothing is transported.
    pub(super) fn is_resident(&self) -> bool {
        matches!(self, Self::Resident { .. })
    }
}

/// Calls an engine in this process; a panic of it is a fault.
fn call<T>(engine: &str, asked: &'static str, ask: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Fault> {
    let kind = match catch_unwind(AssertUnwindSafe(ask)) {
        Ok(Ok(reply)) => return Ok(reply),
        Ok(Err(Refusal { error, bodies })) => FaultKind::Refused { why: error, bodies },
        Err(panic) => FaultKind::Panicked { message: message(&*panic) },
    };
    Err(Fault { engine: engine.to_owned(), asked, kind, last_words: Vec::new() })
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_and_panics_of_a_resident_are_faults() {
        let refused = || Err::<(), _>(Refusal { error: "no".to_owned(), bodies: vec![1] });
        let fault = call("it", "load", refused).expect_err("it refuses");
        assert_eq!(fault.kind, FaultKind::Refused { why: "no".to_owned(), bodies: vec![1] });
        let fault = call::<()>("it", "load", || panic!("at {}", 3)).expect_err("it panics");
        assert_eq!(fault.to_string(), "it at \"load\": it panicked: at 3");
    }
}

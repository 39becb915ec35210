//! How an engine or its adapter can fail.

use std::fmt;

/// Why an engine gave no usable reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The engine.
    pub engine: String,
    /// What it was asked.
    pub asked: &'static str,
    /// What happened.
    pub kind: FaultKind,
    /// The last lines of its standard error.
    pub last_words: Vec<String>,
}

/// What happened instead of a usable reply.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// The process could not be started.
    #[error("{program:?} cannot be started: {why}")]
    NotStarted {
        /// The program.
        program: String,
        /// The words of the system.
        why: String,
    },
    /// The process ended.
    #[error("it ended without a reply ({status})")]
    Dead {
        /// How it ended, in the words of the system.
        status: String,
    },
    /// The process ended in the middle of a line.
    #[error("it ended in the middle of a line ({status}): {start:?}")]
    HalfLine {
        /// The start of the line.
        start: String,
        /// How it ended, in the words of the system.
        status: String,
    },
    /// There was no reply in time, and the process was killed.
    #[error("it did not reply within {seconds} s and was killed")]
    Hung {
        /// The time limit (s).
        seconds: f64,
    },
    /// A line is not the reply that was asked for.
    #[error("its reply is not what the protocol prescribes: {why}: {start:?}")]
    Garbage {
        /// The start of the line.
        start: String,
        /// What is wrong with it.
        why: String,
    },
    /// A line is longer than any reply.
    #[error("its reply is longer than {limit} bytes")]
    TooLong {
        /// The maximum (bytes).
        limit: usize,
    },
    /// It speaks another version of the protocol.
    #[error("it speaks version {theirs} of the protocol, this program version {ours}")]
    Version {
        /// Its version.
        theirs: u32,
        /// Ours.
        ours: u32,
    },
    /// What it can do is not what the table of engines says.
    #[error("the capabilities in its hello are not those of the table of engines: {hello}, not {table}")]
    Capabilities {
        /// The capabilities in its hello.
        hello: String,
        /// Those of the table.
        table: String,
    },
    /// Its rows do not have the right number of numbers.
    #[error("the {what} in its reply are not rows of {expected} numbers")]
    Rows {
        /// Bodies or contacts.
        what: &'static str,
        /// The numbers in a row.
        expected: usize,
    },
    /// It replied with another number of bodies.
    #[error("it replied with {found} bodies instead of {expected}")]
    Count {
        /// The number in its reply.
        found: usize,
        /// The number asked for.
        expected: usize,
    },
    /// It did not reply with one number for each step.
    #[error("it replied with {found} {what} for {expected} steps")]
    Steps {
        /// CPU times or counts of contacts.
        what: &'static str,
        /// The numbers in its reply.
        found: usize,
        /// The number of steps.
        expected: usize,
    },
    /// The counts of contacts of the steps do not add up to the contacts that it sent.
    #[error("it replied with {found} contacts, and its counts add up to {told}")]
    Contacts {
        /// The sum of the counts.
        told: usize,
        /// The number in its reply.
        found: usize,
    },
    /// A contact names a body that the scene lacks.
    #[error("a contact names body {body} of {bodies}")]
    NoSuchBody {
        /// Its index.
        body: f64,
        /// The number of bodies.
        bodies: usize,
    },
    /// It refused, in its own words.
    #[error("{why}")]
    Refused {
        /// Its words.
        why: String,
        /// The bodies involved.
        bodies: Vec<usize>,
    },
    /// It uses other numbers than the scene has.
    #[error("it uses {used} for {quantity}, and the scene has {asked}: this is an error of its adapter")]
    ReadBack {
        /// The quantity, with its body.
        quantity: String,
        /// The number of the scene.
        asked: f64,
        /// The number of the engine.
        used: f64,
    },
    /// It panicked in this process.
    #[error("it panicked: {message}")]
    Panicked {
        /// The message of the panic.
        message: String,
    },
    /// It does not tell a number that it must tell.
    #[error("it does not tell {quantity}: this is an error of its adapter")]
    Untold {
        /// The quantity, with its body.
        quantity: String,
    },
    /// The run cannot be resumed.
    #[error("the run cannot be resumed: after {steps} steps again, {body:?} is elsewhere than before")]
    NotRepeated {
        /// The number of steps that were repeated.
        steps: u64,
        /// The first body that differs.
        body: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:?}: {}", self.engine, self.asked, self.kind)?;
        if !self.last_words.is_empty() {
            write!(f, "; its last words: {}", self.last_words.join(" | "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}

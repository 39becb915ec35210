//! Steps that an engine takes ahead of the run, so that one message carries several.
//!
//! A message has a cost of its own, most of it for waking the other process: 60 µs and more, where a step of ten bodies
//! takes some µs. The number of steps in a message depends on measured times, and results do not depend on it: an
//! engine that is not deterministic, and one whose bodies move as prescribed, takes one step at a time.

use std::collections::VecDeque;

use super::fault::FaultKind;
use super::message::{AdvanceReply, Row, SentContact};

/// Maximum number of steps in a message.
const LONGEST: u64 = 32;

/// CPU time (s) of the engine that the steps of a message should not exceed: more than a hundred messages' own cost. A run
/// that ends or is changed within a message wastes at most so much.
const BUDGET: f64 = 5e-2;

/// A step that the engine has taken.
pub(super) struct EngineStep {
    /// The dynamic bodies at its end.
    pub rows: Vec<Row>,
    /// The contacts at its end.
    pub contacts: Vec<SentContact>,
    /// CPU time of the engine (s).
    pub cpu: f64,
}

/// The steps that the engine has taken and the run has not.
pub(super) struct PendingSteps {
    taken: VecDeque<EngineStep>,
    next: u64,
    longest: u64,
}

impl PendingSteps {
    /// No steps yet; `is_allowed` is whether the engine may take more than one at a time.
    pub(super) fn new(is_allowed: bool) -> Self {
        Self { taken: VecDeque::new(), next: 1, longest: if is_allowed { LONGEST } else { 1 } }
    }

    /// Takes the next step out.
    pub(super) fn pop(&mut self) -> Option<EngineStep> {
        self.taken.pop_front()
    }

    /// Whether no step is left.
    pub(super) fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }

    /// The number of steps in the next message.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Stores the steps of a message. The next message has at most twice as many steps, and no more than fit into the
    /// budget if each takes as long as the longest of these.
    pub(super) fn fill(&mut self, steps: Vec<EngineStep>) {
        let slowest = steps.iter().map(|step| step.cpu).fold(0.0, f64::max);
        let affordable = (BUDGET / slowest) as u64;
        self.next = affordable.min(2 * steps.len() as u64).clamp(1, self.longest);
        self.taken = steps.into();
    }
}

/// Returns the `n` steps of a reply, each with the rows of `dynamic` bodies.
pub(super) fn steps(advanced: &AdvanceReply, n: u64, dynamic: usize) -> Result<Vec<EngineStep>, FaultKind> {
    let n = n as usize;
    let rows = advanced.bodies.rows().ok_or(FaultKind::Rows { what: "bodies", expected: 13 })?;
    let contacts = advanced.contacts.rows().ok_or(FaultKind::Rows { what: "contacts", expected: 14 })?;
    if rows.len() != n * dynamic {
        return Err(FaultKind::Count { found: rows.len(), expected: n * dynamic });
    }
    if advanced.cpu.len() != n {
        return Err(FaultKind::Steps { what: "CPU times", found: advanced.cpu.len(), expected: n });
    }
    let counts = match (&advanced.contact_counts[..], contacts.is_empty()) {
        ([], true) => vec![0; n],
        (counts, _) if counts.len() != n => {
            return Err(FaultKind::Steps { what: "counts of contacts", found: counts.len(), expected: n });
        }
        (counts, _) => counts.to_vec(),
    };
    let told = counts.iter().fold(0_usize, |sum, count| sum.saturating_add(*count));
    if told != contacts.len() {
        return Err(FaultKind::Contacts { told, found: contacts.len() });
    }
    let mut contacts = contacts.into_iter();
    let taken = (0..n).map(|i| EngineStep {
        rows: rows[i * dynamic..(i + 1) * dynamic].to_vec(),
        contacts: contacts.by_ref().take(counts[i]).collect(),
        cpu: advanced.cpu[i],
    });
    Ok(taken.collect())
}

#[cfg(test)]
mod tests {
    use super::super::message::Numbers;
    use super::*;

    fn taken(n: usize, cpu: f64) -> Vec<EngineStep> {
        (0..n).map(|_| EngineStep { rows: Vec::new(), contacts: Vec::new(), cpu }).collect()
    }

    /// Steps of 2.5 ms: 1, 2, 4, 8, 16, then 20, whose sum is the budget. Steps of 60 ms: one at a time.
    #[test]
    fn messages_grow_up_to_the_budget() {
        let mut ahead = PendingSteps::new(true);
        let mut sizes = Vec::new();
        for _ in 0..7 {
            sizes.push(ahead.next());
            ahead.fill(taken(ahead.next() as usize, 2.5005e-3));
        }
        assert_eq!(sizes, [1, 2, 4, 8, 16, 19, 19]);
        ahead.fill(taken(16, 60e-3));
        assert_eq!(ahead.next(), 1);
        ahead.fill(taken(32, 0.0));
        assert_eq!(ahead.next(), LONGEST);
        let mut alone = PendingSteps::new(false);
        alone.fill(taken(1, 0.0));
        assert_eq!(alone.next(), 1);
    }

    #[test]
    fn a_reply_is_split_into_its_steps() {
        let contact = |a: f64| [a, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let mut reply = AdvanceReply {
            cpu: vec![1.0, 2.0],
            memory: None,
            process: None,
            bodies: Numbers::Plain((0..26).map(f64::from).collect()),
            contacts: Numbers::Plain([contact(1.0), contact(2.0)].concat()),
            contact_counts: vec![0, 2],
        };
        let split = steps(&reply, 2, 1).expect("it is well formed");
        assert_eq!((split[0].rows[0][0], split[1].rows[0][0], split[1].cpu), (0.0, 13.0, 2.0));
        assert_eq!((split[0].contacts.len(), split[1].contacts[1][0]), (0, 2.0));
        reply.contact_counts = vec![0, 1];
        assert_eq!(steps(&reply, 2, 1).err(), Some(FaultKind::Contacts { told: 1, found: 2 }));
        reply.contact_counts = vec![2];
        let fault = FaultKind::Steps { what: "counts of contacts", found: 1, expected: 2 };
        assert_eq!(steps(&reply, 2, 1).err(), Some(fault));
        assert_eq!(steps(&reply, 1, 1).err(), Some(FaultKind::Count { found: 2, expected: 1 }));
        reply.cpu.pop();
        let fault = FaultKind::Steps { what: "CPU times", found: 1, expected: 2 };
        assert_eq!(steps(&reply, 2, 1).err(), Some(fault));
    }
}

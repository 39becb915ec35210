//! What the steps of a run cost and told: the part of its record that grows with them, and that each checkpoint keeps.

use rigor_scene::Quantity;
use serde::{Deserialize, Serialize};

use crate::folder::record::{Derived, Record};
use crate::kept_files::KeptFiles;
use crate::notice::{self, FlawCount};

/// Costs, counts and flaws of the steps of a run, from its first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Account {
    /// Wall time of each step (s).
    pub laps: Vec<f64>,
    /// Number of steps that did not fail.
    pub taken: u64,
    /// CPU time of all steps (s).
    pub cpu_seconds: f64,
    /// CPU time (s) of the transport to and from an engine in a process of its own, and the number of steps that it covers.
    pub transport: Option<(f64, u64)>,
    /// Iterations of all steps.
    pub iterations: u64,
    /// Contacts of all steps.
    pub contacts: u64,
    /// Flaws of the steps.
    #[serde(with = "flaws")]
    pub flaws: Vec<FlawCount>,
    /// Number of steps with a flaw of any kind.
    pub flawed_steps: u64,
    /// The first κ that the method reported.
    pub kappa: Option<Derived>,
    /// The last memory of its process that an engine reported.
    pub memory: Option<Derived>,
    /// Names and units of the quantities of each step, in the order of the columns of `steps.csv`.
    pub quantities: Vec<(String, String)>,
    /// Names of the phases of each step, in the order of the columns of `steps.csv`.
    pub phases: Vec<String>,
    /// The files that the run keeps.
    pub keeps: KeptFiles,
}

impl Account {
    /// Returns the account of these steps and of the `later` ones.
    ///
    /// ```
    /// use rigor_run::account::Account;
    /// let before = Account { laps: vec![0.5, 0.1], iterations: 7, ..Account::default() };
    /// let later = Account { laps: vec![0.2], iterations: 3, ..Account::default() };
    /// let all = before.with(later);
    /// assert_eq!((all.steps(), all.iterations, all.seconds_median()), (3, 10, Some(0.2)));
    /// ```
    #[must_use]
    pub fn with(&self, later: Self) -> Self {
        let transport = match (self.transport, later.transport) {
            (Some((a, m)), Some((b, n))) => Some((a + b, m + n)),
            (one, other) => one.or(other),
        };
        let taken = self.taken + later.taken;
        Self {
            laps: [&self.laps[..], &later.laps[..]].concat(),
            taken,
            cpu_seconds: self.cpu_seconds + later.cpu_seconds,
            transport,
            iterations: self.iterations + later.iterations,
            contacts: self.contacts + later.contacts,
            flaws: notice::added(&self.flaws, &later.flaws, taken),
            flawed_steps: self.flawed_steps + later.flawed_steps,
            kappa: self.kappa.clone().or(later.kappa),
            memory: later.memory.or_else(|| self.memory.clone()),
            quantities: if later.quantities.is_empty() { self.quantities.clone() } else { later.quantities },
            phases: if later.phases.is_empty() { self.phases.clone() } else { later.phases },
            keeps: later.keeps,
        }
    }

    /// Number of steps.
    pub fn steps(&self) -> u64 {
        self.laps.len() as u64
    }

    /// Wall time of all steps (s).
    pub fn seconds(&self) -> f64 {
        self.laps.iter().fold(0.0, |sum, lap| sum + lap)
    }

    /// Median wall time of a step (s); `None` before the first.
    pub fn seconds_median(&self) -> Option<f64> {
        median(&self.laps)
    }

    /// Enters the account into a record.
    pub(crate) fn enter(&self, record: &mut Record) {
        record.steps_timed = self.steps();
        record.seconds = self.seconds();
        record.cpu_seconds = self.cpu_seconds;
        record.seconds_median = self.seconds_median();
        record.iterations = self.iterations;
        record.contacts_mean =
            if self.laps.is_empty() { 0.0 } else { self.contacts as f64 / self.laps.len() as f64 };
        record.flaws.clone_from(&self.flaws);
        record.flawed_steps = self.flawed_steps;
        if let Some(kappa) = self.kappa.as_ref().filter(|_| record.settings["kappa"].is_null()) {
            record.derived.insert("kappa".into(), kappa.clone());
        }
        if let Some(memory) = &self.memory {
            record.derived.insert(rigor_peers::process::peer::MEMORY.into(), memory.clone());
        }
        if let Some((seconds, steps)) = self.transport {
            let transport = Quantity {
                name: rigor_peers::process::peer::TRANSPORT,
                unit: "s",
                value: seconds / steps as f64,
            };
            record.derived.insert(transport.name.into(), Derived::from(&transport));
        }
    }
}

/// Flaws in a form for formats that keep no names of keys, in which nothing may be left out.
mod flaws {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::notice::{FlawCount, WorstFlaw};

    type Worst = (f64, String, String, u64);
    type Stored = (String, String, u64, u64, Option<Worst>);

    pub(super) fn serialize<S: Serializer>(flaws: &[FlawCount], to: S) -> Result<S::Ok, S::Error> {
        let worst = |worst: &WorstFlaw| (worst.amount, worst.unit.clone(), worst.subject.clone(), worst.step);
        let stored = |flaw: &FlawCount| -> Stored {
            (flaw.name.clone(), flaw.what.clone(), flaw.steps, flaw.of, flaw.worst.as_ref().map(worst))
        };
        flaws.iter().map(stored).collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<FlawCount>, D::Error> {
        let worst = |(amount, unit, subject, step): Worst| WorstFlaw { amount, unit, subject, step };
        let flaw = |(name, what, steps, of, found): Stored| FlawCount {
            name,
            what,
            steps,
            of,
            worst: found.map(worst),
        };
        Ok(Vec::<Stored>::deserialize(from)?.into_iter().map(flaw).collect())
    }
}

/// Returns the upper median; `None` for no numbers.
pub(crate) fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

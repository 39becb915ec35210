//! `checkpoint.bin`: a complete state, including the method's memory, what the judges of contact forces had found, what the
//! steps had cost and told, and what the other files held at that moment.
//!
//! The file ends with the BLAKE3 hash of what stands before it.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use rigor_audit::{Figure, Finding, Moment};
use rigor_scene::{BodyId, Memory, State};
use serde::{Deserialize, Serialize};

use super::append::FileMark;
use super::frames::{body_numbers, body_of, particle_numbers, particle_of};
use super::strains::{strain_numbers, strain_of};
use super::write_whole;
use crate::account::Account;
use crate::error::{Fault, RunError};

/// Version of the format.
const FORMAT: u32 = 4;
/// Version of files with strains, which follow the account.
const WITH_STRAINS: u32 = 5;
/// Version of files without an account, of which the state can be read.
const WITHOUT_ACCOUNT: u32 = 3;

/// Lengths and hashes of the files that grow, by name.
pub type Marks = BTreeMap<String, FileMark>;

/// The content of a checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// The state, with the method's memory.
    pub state: State,
    /// What the files that grow held.
    pub marks: Marks,
    /// The findings of judges that cannot be measured again.
    pub findings: Vec<Finding>,
    /// What the steps had cost and told; `None` in a file of an earlier version.
    pub account: Option<Account>,
}

/// The part of the file that every version has; the account follows.
#[derive(Serialize, Deserialize)]
struct Stored {
    format: u32,
    step: u64,
    time: f64,
    bodies: Vec<Vec<f64>>,
    particles: Vec<Vec<f64>>,
    numbers: BTreeMap<String, Vec<f64>>,
    images: BTreeMap<String, Vec<u8>>,
    marks: Marks,
    findings: Vec<Found>,
}

/// A finding.
#[derive(Serialize, Deserialize)]
struct Found {
    figure: String,
    body: Option<usize>,
    value: f64,
    at: Option<(u64, f64)>,
    detail: String,
}

impl Found {
    fn of(finding: &Finding) -> Self {
        Self {
            figure: finding.figure.to_owned(),
            body: finding.body.map(|id| id.0),
            value: finding.value,
            at: finding.at.map(|at| (at.step, at.time)),
            detail: finding.detail.clone(),
        }
    }

    /// Converts back; `None` for a figure that does not exist.
    fn finding(self) -> Option<Finding> {
        let figure = Figure::named(&self.figure)?;
        Some(Finding {
            figure: figure.name,
            body: self.body.map(BodyId),
            value: self.value,
            unit: figure.unit,
            at: self.at.map(|(step, time)| Moment { step, time }),
            detail: self.detail,
        })
    }
}

/// Writes `state`, `marks`, the findings of judges that cannot be measured again, and the account of the steps, atomically.
///
/// # Errors
/// [`RunError`] when the file cannot be written.
pub fn write(
    path: &Path,
    state: &State,
    marks: &Marks,
    findings: &[Finding],
    account: &Account,
) -> Result<(), RunError> {
    let checkpoint = Stored {
        format: if state.strains.is_empty() { FORMAT } else { WITH_STRAINS },
        step: state.step,
        time: state.time,
        bodies: state.bodies.iter().map(|b| body_numbers(b).to_vec()).collect(),
        particles: state.particles.iter().map(|p| particle_numbers(p).to_vec()).collect(),
        numbers: state.memory.numbers.clone(),
        images: state.memory.images.clone(),
        marks: marks.clone(),
        findings: findings.iter().map(Found::of).collect(),
    };
    let mut bytes = postcard::to_stdvec(&checkpoint).map_err(|error| RunError::new(path, error))?;
    bytes.extend(postcard::to_stdvec(account).map_err(|error| RunError::new(path, error))?);
    if !state.strains.is_empty() {
        let strains: Vec<Vec<f64>> = state.strains.iter().map(|e| strain_numbers(e).to_vec()).collect();
        bytes.extend(postcard::to_stdvec(&strains).map_err(|error| RunError::new(path, error))?);
    }
    let hash = blake3::hash(&bytes);
    bytes.extend(hash.as_bytes());
    write_whole(path, &bytes)
}

/// Reads a checkpoint, bit for bit.
///
/// # Errors
/// [`RunError`] when the file is missing or damaged.
pub fn read(path: &Path) -> Result<Checkpoint, RunError> {
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => RunError::new(path, Fault::NoCheckpoint),
        _ => RunError::new(path, error),
    })?;
    let damaged = || RunError::new(path, Fault::DamagedCheckpoint);
    let (content, hash) = bytes.split_last_chunk::<32>().ok_or_else(damaged)?;
    if blake3::hash(content).as_bytes() != hash {
        return Err(damaged());
    }
    let (stored, rest): (Stored, &[u8]) = postcard::take_from_bytes(content).map_err(|_| damaged())?;
    let mut strains: Vec<Vec<f64>> = Vec::new();
    let account = match stored.format {
        FORMAT => Some(postcard::from_bytes(rest).map_err(|_| damaged())?),
        WITH_STRAINS => {
            let (account, rest) = postcard::take_from_bytes(rest).map_err(|_| damaged())?;
            strains = postcard::from_bytes(rest).map_err(|_| damaged())?;
            Some(account)
        }
        WITHOUT_ACCOUNT => None,
        _ => return Err(damaged()),
    };
    let whole = stored.bodies.iter().all(|n| n.len() == super::frames::BODY)
        && strains.iter().all(|n| n.len() == super::strains::STRAIN)
        && stored.particles.iter().all(|n| n.len() == super::frames::PARTICLE);
    if !whole {
        return Err(damaged());
    }
    let state = State {
        step: stored.step,
        time: stored.time,
        bodies: stored.bodies.iter().map(|n| body_of(n)).collect(),
        particles: stored.particles.iter().map(|n| particle_of(n)).collect(),
        strains: strains.iter().map(|n| strain_of(n)).collect(),
        memory: Memory { numbers: stored.numbers, images: stored.images },
    };
    state.check_strains().map_err(|_| damaged())?;
    let findings = stored.findings.into_iter().filter_map(Found::finding).collect();
    Ok(Checkpoint { state, marks: stored.marks, findings, account })
}

#[cfg(test)]
mod tests {
    use rigor_math::Mat3;
    use rigor_scene::BodyState;

    use super::*;

    #[test]
    fn strains_come_back_and_a_state_without_has_the_format_that_it_had() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint.bin");
        let mut state = State { step: 3, bodies: vec![BodyState::default(); 2], ..State::default() };
        let format_of = |state: &State| {
            write(&path, state, &Marks::new(), &[], &Account::default()).unwrap();
            let found = read(&path).unwrap();
            assert_eq!((&found.state, found.account), (state, Some(Account::default())));
            std::fs::read(&path).unwrap()
        };
        let rigid = format_of(&state);
        let e = |x: f64| Mat3::new(x, -0.0, 1e-300, -0.0, 2.0, x, 1e-300, x, -3.0);
        state.strains = vec![e(1e-4), e(-1e-4)];
        let strained = format_of(&state);
        // The first byte is the version. Without strains nothing else is added: 32 bytes of hash follow the account.
        assert_eq!((rigid[0], strained[0]), (4, 5));
        let account = rigid.len() - 32;
        assert_eq!(rigid[1..account], strained[1..account]);

        for bad in [vec![e(1.0)], vec![e(f64::NAN), e(1.0)]] {
            let state = State { strains: bad, ..state.clone() };
            write(&path, &state, &Marks::new(), &[], &Account::default()).unwrap();
            assert!(matches!(read(&path).unwrap_err().why, Fault::DamagedCheckpoint));
        }
    }
}

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
use super::write_whole;
use crate::account::Account;
use crate::error::{Fault, RunError};

/// Version of the format.
const FORMAT: u32 = 4;
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
        format: FORMAT,
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
    let account = match stored.format {
        FORMAT => Some(postcard::from_bytes(rest).map_err(|_| damaged())?),
        WITHOUT_ACCOUNT => None,
        _ => return Err(damaged()),
    };
    let whole = stored.bodies.iter().all(|n| n.len() == super::frames::BODY)
        && stored.particles.iter().all(|n| n.len() == super::frames::PARTICLE);
    if !whole {
        return Err(damaged());
    }
    let state = State {
        step: stored.step,
        time: stored.time,
        bodies: stored.bodies.iter().map(|n| body_of(n)).collect(),
        particles: stored.particles.iter().map(|n| particle_of(n)).collect(),
        memory: Memory { numbers: stored.numbers, images: stored.images },
    };
    let findings = stored.findings.into_iter().filter_map(Found::finding).collect();
    Ok(Checkpoint { state, marks: stored.marks, findings, account })
}

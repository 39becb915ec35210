//! `checkpoint.bin`: a complete state, including the method's memory, what the judges of contact forces had found, and what
//! the other files held at that moment.
//!
//! The file ends with the BLAKE3 hash of what stands before it.

use std::collections::BTreeMap;
use std::path::Path;

use rigor_audit::{Figure, Finding, Moment};
use rigor_scene::{BodyId, Memory, State};
use serde::{Deserialize, Serialize};

use super::append::FileMark;
use super::frames::{body_numbers, body_of, particle_numbers, particle_of};
use super::write_whole;
use crate::error::{Fault, RunError};

/// Version of the format.
const FORMAT: u32 = 3;

/// Lengths and hashes of the files that grow, by name.
pub type Marks = BTreeMap<String, FileMark>;

#[derive(Serialize, Deserialize)]
struct Checkpoint {
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

/// Writes `state`, `marks` and the findings of judges that cannot be measured again, atomically.
///
/// # Errors
/// [`RunError`] when the file cannot be written.
pub fn write(path: &Path, state: &State, marks: &Marks, findings: &[Finding]) -> Result<(), RunError> {
    let checkpoint = Checkpoint {
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
    let hash = blake3::hash(&bytes);
    bytes.extend(hash.as_bytes());
    write_whole(path, &bytes)
}

/// Reads state, marks and findings, bit for bit.
///
/// # Errors
/// [`RunError`] when the file is missing or damaged.
pub fn read(path: &Path) -> Result<(State, Marks, Vec<Finding>), RunError> {
    let bytes = std::fs::read(path).map_err(|error| RunError::new(path, error))?;
    let damaged = || RunError::new(path, Fault::DamagedCheckpoint);
    let (content, hash) = bytes.split_last_chunk::<32>().ok_or_else(damaged)?;
    if blake3::hash(content).as_bytes() != hash {
        return Err(damaged());
    }
    let checkpoint: Checkpoint = postcard::from_bytes(content).map_err(|_| damaged())?;
    let whole = checkpoint.format == FORMAT
        && checkpoint.bodies.iter().all(|n| n.len() == super::frames::BODY)
        && checkpoint.particles.iter().all(|n| n.len() == super::frames::PARTICLE);
    if !whole {
        return Err(damaged());
    }
    let state = State {
        step: checkpoint.step,
        time: checkpoint.time,
        bodies: checkpoint.bodies.iter().map(|n| body_of(n)).collect(),
        particles: checkpoint.particles.iter().map(|n| particle_of(n)).collect(),
        memory: Memory { numbers: checkpoint.numbers, images: checkpoint.images },
    };
    let findings = checkpoint.findings.into_iter().filter_map(Found::finding).collect();
    Ok((state, checkpoint.marks, findings))
}

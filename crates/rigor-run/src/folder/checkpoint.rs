//! `checkpoint.bin`: a complete state, including the method's memory.

use std::collections::BTreeMap;
use std::path::Path;

use rigor_scene::{Memory, State};
use serde::{Deserialize, Serialize};

use super::frames::{body_numbers, body_of, particle_numbers, particle_of};
use super::write_whole;
use crate::error::{Fault, RunError};

#[derive(Serialize, Deserialize)]
struct Checkpoint {
    format: u32,
    step: u64,
    time: f64,
    bodies: Vec<Vec<f64>>,
    particles: Vec<Vec<f64>>,
    numbers: BTreeMap<String, Vec<f64>>,
    images: BTreeMap<String, Vec<u8>>,
}

/// Writes `state` atomically.
///
/// # Errors
/// [`RunError`] when the file cannot be written.
pub fn write(path: &Path, state: &State) -> Result<(), RunError> {
    let checkpoint = Checkpoint {
        format: 1,
        step: state.step,
        time: state.time,
        bodies: state.bodies.iter().map(|b| body_numbers(b).to_vec()).collect(),
        particles: state.particles.iter().map(|p| particle_numbers(p).to_vec()).collect(),
        numbers: state.memory.numbers.clone(),
        images: state.memory.images.clone(),
    };
    let bytes = postcard::to_stdvec(&checkpoint).map_err(|error| RunError::new(path, error))?;
    write_whole(path, &bytes)
}

/// Reads the state, bit for bit.
///
/// # Errors
/// [`RunError`] when the file is missing or damaged.
pub fn read(path: &Path) -> Result<State, RunError> {
    let bytes = std::fs::read(path).map_err(|error| RunError::new(path, error))?;
    let damaged = || RunError::new(path, Fault::DamagedCheckpoint);
    let checkpoint: Checkpoint = postcard::from_bytes(&bytes).map_err(|_| damaged())?;
    let whole = checkpoint.format == 1
        && checkpoint.bodies.iter().all(|n| n.len() == super::frames::BODY)
        && checkpoint.particles.iter().all(|n| n.len() == super::frames::PARTICLE);
    if !whole {
        return Err(damaged());
    }
    Ok(State {
        step: checkpoint.step,
        time: checkpoint.time,
        bodies: checkpoint.bodies.iter().map(|n| body_of(n)).collect(),
        particles: checkpoint.particles.iter().map(|n| particle_of(n)).collect(),
        memory: Memory { numbers: checkpoint.numbers, images: checkpoint.images },
    })
}

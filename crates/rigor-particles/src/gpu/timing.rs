//! Times of kernels, by timestamps of the device.

use wgpu::{
    Buffer, BufferUsages, CommandEncoder, ComputePassTimestampWrites, QuerySet, QuerySetDescriptor, QueryType,
};

use crate::gpu::error::GpuError;
use crate::gpu::kernels::STAGES;
use crate::gpu::session::Session;

/// Timestamps of the stages of a number of substeps: two for each.
#[derive(Debug)]
pub(crate) struct Timing {
    queries: QuerySet,
    resolved: Buffer,
    staging: Buffer,
    /// Seconds per tick.
    tick: f64,
}

/// Bytes of the timestamps of a substep.
const SUBSTEP: u64 = 16 * STAGES.len() as u64;

impl Timing {
    /// Makes room for `n` substeps.
    pub fn new(session: &Session, n: u32) -> Result<Self, GpuError> {
        let count = n * 2 * STAGES.len() as u32;
        let queries = session.device.create_query_set(&QuerySetDescriptor {
            label: None,
            ty: QueryType::Timestamp,
            count,
        });
        let size = u64::from(n) * SUBSTEP;
        let resolved =
            session.buffer("timestamps", size, BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC)?;
        let staging = session.buffer("timestamps", size, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        let tick = 1e-9 * f64::from(session.queue.get_timestamp_period());
        Ok(Self { queries, resolved, staging, tick })
    }

    /// Where the pass of a stage writes its timestamps.
    pub fn writes(&self, substep: u32, stage: usize) -> ComputePassTimestampWrites<'_> {
        let first = 2 * (substep * STAGES.len() as u32 + stage as u32);
        ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        }
    }

    /// Adds the copy of the timestamps of `n` substeps.
    pub fn resolve(&self, encoder: &mut CommandEncoder, n: u32) {
        encoder.resolve_query_set(&self.queries, 0..n * 2 * STAGES.len() as u32, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.staging, 0, u64::from(n) * SUBSTEP);
    }

    /// Adds the seconds of `n` substeps to `sums`, by stage.
    pub fn add(&self, session: &Session, n: u32, sums: &mut [f64; STAGES.len()]) -> Result<(), GpuError> {
        let bytes = session.read(&self.staging, u64::from(n) * SUBSTEP)?;
        let stamp = |eight: &[u8]| eight.try_into().map_or(0, u64::from_le_bytes);
        for (k, pair) in bytes.chunks_exact(16).enumerate() {
            let (begin, end) = (stamp(&pair[..8]), stamp(&pair[8..]));
            sums[k % STAGES.len()] += end.saturating_sub(begin) as f64 * self.tick;
        }
        Ok(())
    }
}

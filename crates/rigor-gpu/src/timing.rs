//! Times of passes, by timestamps of the device.

use wgpu::{
    Buffer, BufferUsages, CommandEncoder, ComputePassTimestampWrites, QuerySet, QuerySetDescriptor, QueryType,
};

use crate::error::DeviceError;
use crate::session::Session;

/// Timestamps of a number of passes: two for each.
#[derive(Debug)]
pub struct Timing {
    queries: QuerySet,
    resolved: Buffer,
    staging: Buffer,
    /// Seconds per tick.
    tick: f64,
}

/// Bytes of the timestamps of a pass.
const PASS: u64 = 16;

impl Timing {
    /// Makes room for `n` passes, at most 2048.
    ///
    /// # Errors
    /// [`DeviceError::Lost`] if the device refuses it.
    pub fn new(session: &Session, n: u32) -> Result<Self, DeviceError> {
        let queries = session.device.create_query_set(&QuerySetDescriptor {
            label: None,
            ty: QueryType::Timestamp,
            count: 2 * n,
        });
        let size = u64::from(n) * PASS;
        let resolved =
            session.buffer("timestamps", size, BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC)?;
        let staging = session.buffer("timestamps", size, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        let tick = 1e-9 * f64::from(session.queue.get_timestamp_period());
        Ok(Self { queries, resolved, staging, tick })
    }

    /// Where pass number `pass` writes its timestamps.
    pub fn writes(&self, pass: u32) -> ComputePassTimestampWrites<'_> {
        ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * pass),
            end_of_pass_write_index: Some(2 * pass + 1),
        }
    }

    /// Adds the copy of the timestamps of the first `n` passes.
    pub fn resolve(&self, encoder: &mut CommandEncoder, n: u32) {
        encoder.resolve_query_set(&self.queries, 0..2 * n, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.staging, 0, u64::from(n) * PASS);
    }

    /// Returns the durations (s) of the first `n` passes, after the work is done.
    ///
    /// # Errors
    /// [`DeviceError::Lost`] if the device failed.
    pub fn read(&self, session: &Session, n: u32) -> Result<Vec<f64>, DeviceError> {
        let bytes = session.read(&self.staging, u64::from(n) * PASS)?;
        let stamp = |eight: &[u8]| eight.try_into().map_or(0, u64::from_le_bytes);
        let duration = |pair: &[u8]| {
            let (begin, end) = (stamp(&pair[..8]), stamp(&pair[8..]));
            end.saturating_sub(begin) as f64 * self.tick
        };
        Ok(bytes.chunks_exact(PASS as usize).map(duration).collect())
    }
}

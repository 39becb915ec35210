//! What is submitted to the device, and how long it took.

use rigor_gpu::wgpu::{CommandEncoder, ComputePass, ComputePassDescriptor};
use rigor_gpu::{DeviceError, Session, Timing};
use rigor_scene::Clock;

/// Maximum number of passes in a submission.
const MAX_PASSES: u32 = 256;
/// Maximum number of invocations in a submission, so that none lasts long enough for a driver to give up.
const WORK: u64 = 1 << 24;

/// Returns a timer of passes if the device has timestamps and `clock` runs; a clock that stands still asks for no times.
///
/// # Errors
/// Those of [`Timing::new`].
pub(crate) fn timing(session: &Session, clock: Clock) -> Result<Option<Timing>, DeviceError> {
    let is_timed = session.has_timestamps && (clock.0)() > 0.0;
    if is_timed { Timing::new(session, MAX_PASSES).map(Some) } else { Ok(None) }
}

/// Passes that are not submitted yet.
pub(crate) struct Passes<'a> {
    session: &'a Session,
    timing: Option<&'a Timing>,
    names: &'static [&'static str],
    encoder: CommandEncoder,
    /// The stage of each.
    stages: Vec<usize>,
    work: u64,
    /// Time (s) of each stage so far.
    pub seconds: Vec<f64>,
}

impl<'a> Passes<'a> {
    /// No passes; `names` are those of the stages.
    pub fn new(session: &'a Session, timing: Option<&'a Timing>, names: &'static [&'static str]) -> Self {
        let encoder = session.device.create_command_encoder(&Default::default());
        let seconds = vec![0.0; names.len()];
        Self { session, timing, names, encoder, stages: Vec::new(), work: 0, seconds }
    }

    /// Number of sweeps of so many invocations and dispatches in one pass.
    pub fn sweeps((work, dispatches): (u64, u64)) -> u32 {
        let most = (WORK / 4 / work.max(1)).min(2048 / dispatches.max(1));
        most.clamp(1, 100_000) as u32
    }

    /// Adds a pass of so many invocations to `stage`.
    pub fn add(
        &mut self,
        stage: usize,
        work: u64,
        record: impl FnOnce(&mut ComputePass<'_>),
    ) -> Result<(), DeviceError> {
        let number = self.stages.len() as u32;
        let mut pass = self.encoder.begin_compute_pass(&ComputePassDescriptor {
            label: Some(self.names[stage]),
            timestamp_writes: self.timing.map(|timing| timing.writes(number)),
        });
        record(&mut pass);
        drop(pass);
        self.stages.push(stage);
        self.work += work;
        if number + 1 == MAX_PASSES || self.work >= WORK { self.submit() } else { Ok(()) }
    }

    /// Submits what there is, and waits for it.
    pub fn submit(&mut self) -> Result<(), DeviceError> {
        let n = self.stages.len() as u32;
        if n == 0 {
            return Ok(());
        }
        let next = self.session.device.create_command_encoder(&Default::default());
        let mut encoder = std::mem::replace(&mut self.encoder, next);
        if let Some(timing) = self.timing {
            timing.resolve(&mut encoder, n);
        }
        self.session.queue.submit([encoder.finish()]);
        if let Some(timing) = self.timing {
            for (stage, time) in self.stages.iter().zip(timing.read(self.session, n)?) {
                self.seconds[*stage] += time;
            }
        } else {
            self.session.wait()?;
        }
        self.stages.clear();
        self.work = 0;
        Ok(())
    }
}

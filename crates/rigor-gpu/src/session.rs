//! An open device.

use std::sync::{Arc, Mutex, PoisonError};

use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, Device, DeviceDescriptor, Features, MapMode, PollType, Queue,
};

use crate::adapter;
use crate::error::DeviceError;

/// The first failure that the device told of.
type Fault = Arc<Mutex<Option<String>>>;

/// An open device, its queue, and what went wrong.
#[derive(Debug)]
pub struct Session {
    /// The name of its adapter.
    pub adapter: String,
    /// The device.
    pub device: Device,
    /// Its queue.
    pub queue: Queue,
    /// Whether passes can be timed.
    pub has_timestamps: bool,
    fault: Fault,
}

impl Session {
    /// Opens the adapter with `wanted` in its name, or the first one; `n_buffers` is the number of arrays that a kernel uses.
    ///
    /// # Errors
    /// [`DeviceError`] if there is none, if it has too few arrays per kernel, or gives no device.
    pub fn open(wanted: Option<&str>, n_buffers: u32) -> Result<Self, DeviceError> {
        let chosen = adapter::choose(wanted)?;
        let name = adapter::name(&chosen);
        let limits = chosen.limits();
        let found = limits.max_storage_buffers_per_shader_stage;
        if found < n_buffers {
            let (what, found, needed) = ("arrays per kernel", u64::from(found), u64::from(n_buffers));
            return Err(DeviceError::Lacks { adapter: name, what, found, needed });
        }
        let required_features = chosen.features() & Features::TIMESTAMP_QUERY;
        let opened = adapter::wait(chosen.request_device(&DeviceDescriptor {
            required_features,
            required_limits: limits,
            ..DeviceDescriptor::default()
        }));
        let (device, queue) =
            opened.map_err(|why| DeviceError::NotOpened { adapter: name.clone(), why: why.to_string() })?;
        let fault = Fault::default();
        let (of_loss, of_error) = (fault.clone(), fault.clone());
        device.set_device_lost_callback(move |reason, why| {
            note(&of_loss, format!("it was lost ({reason:?}): {why}"));
        });
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            note(&of_error, error.to_string());
        }));
        let has_timestamps = !required_features.is_empty();
        Ok(Self { adapter: name, device, queue, has_timestamps, fault })
    }

    /// Creates an array of `size` bytes, filled with zeros.
    ///
    /// # Errors
    /// [`DeviceError::TooLarge`] beyond the limits of the adapter, [`DeviceError::Lost`] if it failed.
    pub fn buffer(&self, what: &'static str, size: u64, usage: BufferUsages) -> Result<Buffer, DeviceError> {
        let limits = self.device.limits();
        let maximum = if usage.contains(BufferUsages::STORAGE) {
            limits.max_buffer_size.min(limits.max_storage_buffer_binding_size)
        } else {
            limits.max_buffer_size
        };
        if size > maximum {
            return Err(DeviceError::TooLarge { adapter: self.adapter.clone(), what, needed: size, maximum });
        }
        let buffer = self.device.create_buffer(&BufferDescriptor {
            label: Some(what),
            size,
            usage,
            mapped_at_creation: false,
        });
        self.check()?;
        Ok(buffer)
    }

    /// Waits for all work, and returns the first `size` bytes of a buffer for reading.
    ///
    /// # Errors
    /// [`DeviceError::Lost`] if the device failed.
    pub fn read(&self, buffer: &Buffer, size: u64) -> Result<Vec<u8>, DeviceError> {
        let slice = buffer.slice(..size);
        let fault = self.fault.clone();
        slice.map_async(MapMode::Read, move |outcome| {
            if let Err(why) = outcome {
                note(&fault, why.to_string());
            }
        });
        self.wait()?;
        let bytes = slice.get_mapped_range().map(|view| view.to_vec());
        buffer.unmap();
        bytes.map_err(|why| DeviceError::Lost { adapter: self.adapter.clone(), why: why.to_string() })
    }

    /// Waits for all work.
    ///
    /// # Errors
    /// [`DeviceError::Lost`] if the device failed.
    pub fn wait(&self) -> Result<(), DeviceError> {
        if let Err(why) = self.device.poll(PollType::wait_indefinitely()) {
            note(&self.fault, why.to_string());
        }
        self.check()
    }

    /// Checks that nothing has failed so far.
    ///
    /// # Errors
    /// [`DeviceError::Lost`] with the first failure.
    pub fn check(&self) -> Result<(), DeviceError> {
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        match &*fault {
            Some(why) => Err(DeviceError::Lost { adapter: self.adapter.clone(), why: why.clone() }),
            None => Ok(()),
        }
    }
}

fn note(fault: &Fault, why: String) {
    fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
}

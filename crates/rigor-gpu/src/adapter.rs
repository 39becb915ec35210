//! Adapters: what can compute on this machine, by name.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use wgpu::{Adapter, Backends, DeviceType, Instance, InstanceDescriptor, InstanceFlags};

use crate::error::DeviceError;

/// Names of all adapters of this machine, in the order of preference.
///
/// ```
/// // There may be none.
/// assert!(rigor_gpu::adapters().iter().all(|name| !name.is_empty()));
/// ```
pub fn adapters() -> Vec<String> {
    all().iter().map(name).collect()
}

/// The first adapter with `wanted` in its name, whatever the case; the first one of all without a wish.
pub(crate) fn choose(wanted: Option<&str>) -> Result<Adapter, DeviceError> {
    let all = all();
    if all.is_empty() {
        return Err(DeviceError::NoAdapter);
    }
    let known = all.iter().map(name).collect();
    let wanted = wanted.unwrap_or_default();
    let is_meant = |adapter: &Adapter| name(adapter).to_lowercase().contains(&wanted.to_lowercase());
    let found = all.into_iter().find(is_meant);
    found.ok_or_else(|| DeviceError::Unknown { name: wanted.to_owned(), known })
}

/// Checks that there is an adapter with `wanted` in its name, whatever the case, or any one without a wish.
///
/// # Errors
/// [`DeviceError::NoAdapter`], or [`DeviceError::Unknown`] with the names of all adapters.
pub fn find(wanted: Option<&str>) -> Result<(), DeviceError> {
    choose(wanted).map(|_| ())
}

/// The name of an adapter.
pub(crate) fn name(adapter: &Adapter) -> String {
    adapter.get_info().name
}

fn all() -> Vec<Adapter> {
    let instance = Instance::new(InstanceDescriptor {
        flags: InstanceFlags::empty(),
        ..InstanceDescriptor::new_without_display_handle()
    });
    let mut found = wait(instance.enumerate_adapters(Backends::PRIMARY));
    found.sort_by_key(|adapter| match adapter.get_info().device_type {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    });
    found
}

/// Waits for a future that another thread or the driver completes.
pub(crate) fn wait<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        std::thread::yield_now();
    }
}

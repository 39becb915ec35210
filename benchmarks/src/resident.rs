//! Memory of this process.

/// Returns the peak memory (bytes) of this process, `VmHWM`; `None` without `/proc`.
pub fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(1024 * kib)
}

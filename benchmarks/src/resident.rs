//! Memory of this process.

/// The most memory (bytes) that this process has ever held at once, `VmHWM`; `None` where there is no `/proc`.
pub fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(1024 * kib)
}

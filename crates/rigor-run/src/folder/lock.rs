//! The lock of a run's folder: one process writes it at a time.

use std::fs::{File, TryLockError};

use crate::error::{Fault, RunError};
use crate::folder::Folder;

/// The right to write a folder. The system returns it when the process ends, in whatever way.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks `folder`, and creates it where needed.
    ///
    /// # Errors
    /// [`RunError`] with [`Fault::Busy`] while another process holds the lock, or when the folder cannot be written.
    pub fn take(folder: &Folder) -> Result<Self, RunError> {
        let path = folder.lock();
        let fail = |error| RunError::new(&path, Fault::Unwritten { source: error });
        std::fs::create_dir_all(&folder.root).map_err(fail)?;
        let file = File::options().create(true).append(true).open(&path).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(RunError::new(&folder.root, Fault::Busy)),
            Err(TryLockError::Error(error)) => Err(fail(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_writer_at_a_time() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::new(root.path().join("run"));
        let lock = Lock::take(&folder).unwrap();
        assert!(matches!(Lock::take(&folder).unwrap_err().why, Fault::Busy));
        drop(lock);
        Lock::take(&folder).unwrap();
    }
}

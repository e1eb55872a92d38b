//! One process at a time changes a project.
//!
//! The lock belongs to the open file, so the system frees it when its holder dies.

use std::fs::{File, TryLockError};

use rustix::io::Errno;

use super::port::PortError;
use super::spot::Spot;

/// Proof that this process holds the project; dropping it lets go.
#[derive(Debug)]
#[must_use = "the project is free again as soon as this is dropped"]
pub struct Lock {
    file: Option<File>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing would free it too, but not before a child that another thread is just
        // starting has closed its copy.
        let _ = self.file.as_ref().map(File::unlock);
    }
}

impl Lock {
    /// A lock on something that only one process can see anyway, such as a model.
    pub fn unshared() -> Self {
        Self { file: None }
    }

    /// Waits until nobody else holds the file.
    pub(super) fn wait(file: File, at: &Spot) -> Result<Self, PortError> {
        match file.lock() {
            Ok(()) => Ok(Self { file: Some(file) }),
            Err(error) => Err(Self::system(&error, at)),
        }
    }

    fn system(error: &std::io::Error, at: &Spot) -> PortError {
        let errno = error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error);
        PortError::System { act: "lock", at: at.clone(), errno }
    }

    pub(super) fn take(file: File, at: &Spot) -> Result<Self, PortError> {
        match file.try_lock() {
            Ok(()) => Ok(Self { file: Some(file) }),
            Err(TryLockError::WouldBlock) => Err(PortError::Locked),
            Err(TryLockError::Error(error)) => Err(Self::system(&error, at)),
        }
    }
}

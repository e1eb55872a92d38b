//! One holder at a time changes a project.
//!
//! The lock of the file system belongs to the open file, so it keeps out other threads as
//! well as other processes, and the system frees it when its holder dies.

use std::fmt;
use std::fs::{File, TryLockError};

use rustix::io::Errno;

use super::port::PortError;
use super::spot::Spot;

/// Proof that this caller holds the project; dropping it releases the project.
#[must_use = "the project is free again as soon as this is dropped"]
pub struct Lock {
    _held: Box<dyn Send + Sync>,
}

impl fmt::Debug for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lock")
    }
}

impl Lock {
    /// A lock that is held as long as `held` lives; for implementations of the port.
    pub fn holding(held: impl Send + Sync + 'static) -> Self {
        Self { _held: Box::new(held) }
    }

    /// Takes the file if nobody else holds it.
    pub(super) fn take(file: File, at: &Spot) -> Result<Self, PortError> {
        match file.try_lock() {
            Ok(()) => Ok(Self::holding(HeldFile(file))),
            Err(TryLockError::WouldBlock) => Err(PortError::Locked),
            Err(TryLockError::Error(error)) => Err(failed(&error, at)),
        }
    }

    /// Whether somebody holds the file. Whoever else asks does not count as one.
    pub(super) fn is_taken(file: &File, at: &Spot) -> Result<bool, PortError> {
        match file.try_lock_shared() {
            Ok(()) => {
                let _ = file.unlock();
                Ok(false)
            }
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(failed(&error, at)),
        }
    }

    /// Waits until nobody else holds the file.
    pub(super) fn wait(file: File, at: &Spot) -> Result<Self, PortError> {
        file.lock().map_err(|error| failed(&error, at))?;
        Ok(Self::holding(HeldFile(file)))
    }
}

fn failed(error: &std::io::Error, at: &Spot) -> PortError {
    let errno = error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error);
    PortError::System { act: "lock", at: at.clone(), errno }
}

struct HeldFile(File);

impl Drop for HeldFile {
    fn drop(&mut self) {
        // Closing would free it too, but not before a child that another thread is just
        // starting has closed its copy.
        let _ = self.0.unlock();
    }
}

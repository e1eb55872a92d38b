//! The two locks of a project in memory. They keep out other threads, as those of the file
//! system keep out other processes.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use exacta_engine::workspace::{Lock, PortError};

/// One lock.
#[derive(Debug, Default)]
pub(super) struct Latch(Arc<(Mutex<bool>, Condvar)>);

impl Latch {
    /// Takes it if it is free.
    pub(super) fn take(&self) -> Result<Lock, PortError> {
        let mut held = is_held(&self.0);
        if *held {
            return Err(PortError::Locked);
        }
        *held = true;
        Ok(Lock::holding(Held(Arc::clone(&self.0))))
    }

    /// Waits until it is free, and takes it.
    pub(super) fn wait(&self) -> Lock {
        let mut held = is_held(&self.0);
        while *held {
            held = self.0.1.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        *held = true;
        Lock::holding(Held(Arc::clone(&self.0)))
    }
}

/// Frees the lock when it is dropped.
struct Held(Arc<(Mutex<bool>, Condvar)>);

impl Drop for Held {
    fn drop(&mut self) {
        *is_held(&self.0) = false;
        self.0.1.notify_one();
    }
}

/// Files that are held, by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Holds(Arc<Mutex<BTreeSet<String>>>);

impl Holds {
    /// Holds a file if nobody does.
    pub(super) fn take(&self, name: &str) -> Result<Lock, PortError> {
        if !self.names().insert(name.into()) {
            return Err(PortError::Locked);
        }
        Ok(Lock::holding(HeldName(self.clone(), name.into())))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names().contains(name)
    }

    fn names(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets the file go when it is dropped.
struct HeldName(Holds, String);

impl Drop for HeldName {
    fn drop(&mut self) {
        self.0.names().remove(&self.1);
    }
}

fn is_held(latch: &(Mutex<bool>, Condvar)) -> MutexGuard<'_, bool> {
    latch.0.lock().unwrap_or_else(PoisonError::into_inner)
}

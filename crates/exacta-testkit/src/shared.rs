//! A value that several threads may look at and change.
//!
//! What stands between the engine and a disk must be usable from any thread, so the counters
//! and lists of a test cannot be plain cells. This has the methods of one.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A shared value.
#[derive(Debug, Default)]
pub struct Shared<T>(RwLock<T>);

impl<T> Shared<T> {
    /// Shares a value.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self(RwLock::new(value))
    }

    /// The value, to look at.
    pub fn borrow(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value, to change.
    pub fn borrow_mut(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the value.
    pub fn set(&self, value: T) {
        *self.borrow_mut() = value;
    }

    /// Changes the value and returns the old one.
    pub fn replace(&self, value: T) -> T {
        std::mem::replace(&mut *self.borrow_mut(), value)
    }

    /// The value, without the wrapping.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Copy> Shared<T> {
    /// A copy of the value.
    #[must_use]
    pub fn get(&self) -> T {
        *self.borrow()
    }
}

impl<T: Default> Shared<T> {
    /// The value; its default takes its place.
    pub fn take(&self) -> T {
        self.replace(T::default())
    }
}

impl<T: Clone> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self::new(self.borrow().clone())
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

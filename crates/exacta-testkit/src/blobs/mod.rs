//! What every store of blobs promises, and one in memory that keeps it.
//!
//! [`PROMISES`] is the one suite: each implementation passes all of it, and each fault of
//! [`Fault`] fails it.

mod faulty;
mod memory;
mod promises;

pub use faulty::{Fault, Faulty};
pub use memory::MemoryBlobs;
pub use promises::{PROMISES, Promise, Subject};

//! What every store of a record promises, and a store in memory that keeps it.
//!
//! [`PROMISES`] is the one suite: each implementation passes all of it, and each fault of
//! [`Fault`] fails it.

mod faulty;
mod memory;
mod promises;

pub use faulty::{Fault, Faulty};
pub use memory::MemoryStore;
pub use promises::{PROMISES, Promise, Subject};

//! What stands in for a project's files in tests.
//!
//! [`MemoryWorkspace`] is the port in memory, on a disk that forgets what was not synced.
//! [`PROMISES`] is the one suite that every implementation of the port passes, each on a
//! [`Ground`] of its own; [`Flawed`] is a port with one fault, which the suite must notice.
//! `forward_to!` passes operations on, for whatever stands between the engine and a port.

mod disk;
mod flawed;
mod forward;
mod ground;
mod locking;
mod locks;
mod looking;
mod making;
mod memory;
mod moving;
mod port;
mod promises;

pub use flawed::{FLAWS, Flaw, Flawed};
pub use ground::{Ground, MemoryGround, Planted, RealGround, spot};
pub use memory::{FileSpec, MemoryWorkspace};
pub use promises::{PROMISES, Promise};

//! One project, held for as long as somebody works with it.
//!
//! Input: the ports of a project and what vouches for it. Output: [`Project`], an owned value
//! that many threads use at once, beside other processes; each caller takes a
//! [`Gate`](crate::gate::Gate) of its own. Errors: those of the gate. [`session`] says which
//! session plans belong to, and lets a long-lived process own one.

mod handle;
pub mod session;

pub use handle::{FindRoom, LoadPolicy, Mask, Parts, Project, StartTools};
pub use session::Session;

//! The project's files as the engine may touch them.
//!
//! Input: a folder a person named. Output: [`Root`], a handle below which every later
//! path is resolved without following a link or leaving the file system. Errors:
//! [`RootError`] when the folder cannot be opened, `TreeFault` for what lies at a path.

mod beneath;
mod look;
mod root;

pub use root::{DEFAULT_SIZE_LIMIT, Options, Resolver, Root, RootError};

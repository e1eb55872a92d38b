//! The built program, run as a user runs it.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

mod check;
mod formats;
mod gaming;
mod hostile;
mod policy;
mod project;
mod words;

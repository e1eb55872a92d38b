//! The built program, run as a user runs it.
#![expect(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

mod advice;
mod bound;
mod capture;
mod cedar;
mod check;
mod formats;
mod gaming;
mod gate;
mod hostile;
mod names;
mod policy;
mod project;
mod rename;
mod schema;
mod standing;
mod trouble;
mod words;

//! The built program, run as a user runs it.
#![expect(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

mod advice;
mod agent;
mod around;
mod bound;
mod capture;
mod cedar;
mod check;
mod checks;
mod connect;
mod draft;
mod everyday;
mod formats;
mod gaming;
mod gate;
mod gated;
mod hook;
mod hostile;
mod mcp;
mod merge;
mod names;
mod policy;
mod profile;
mod project;
mod recipe;
mod record;
mod rename;
mod schema;
mod standing;
mod telling;
mod trouble;
mod words;

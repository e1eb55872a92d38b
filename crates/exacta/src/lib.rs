//! The one binary and all its doors.
//!
//! A door decides nothing: it turns words into a question for the core and renders the
//! answer. `cli/` has one file per command, `wire/` the stable JSON shapes, `render/`
//! what people see, `reference` the documents generated from all of them.

mod cli;
mod exit;
mod inspector;
mod pages;
mod reader;
pub mod reference;
mod render;
mod review;
mod wire;

pub use cli::run;

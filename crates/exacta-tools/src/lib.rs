//! Runs the tool steps of a plan.
//!
//! [`executor`] walks the graph of a run and implements the engine's
//! [`ToolRunner`](exacta_engine::tools::ToolRunner). Each tool is a [`Primitive`], kept in
//! a [`Registry`]; [`guard`] refuses what it may not do, [`refs`] fills in what earlier
//! steps gave. The engine sees none of the asynchronous parts.

mod clock;
pub mod context;
pub mod error;
pub mod executor;
mod folder;
pub mod guard;
pub mod http;
#[cfg(any(test, feature = "kit"))]
pub mod kit;
pub mod mail;
mod memory;
pub mod net;
pub mod notice;
pub mod page;
pub mod planner;
pub mod primitive;
pub mod primitives;
pub mod refs;
pub mod registry;
pub mod remote;
pub mod schedule;
pub mod secrets;
#[cfg(test)]
mod tests;

pub use context::{ToolContext, World};
pub use error::{AfterEffect, ToolError};
pub use primitive::{Output, Primitive};
pub use registry::Registry;

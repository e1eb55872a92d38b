//! Runs the tool steps of a plan.
//!
//! [`executor`] walks the graph of a run and implements the engine's
//! [`ToolRunner`](exacta_engine::tools::ToolRunner). Each tool is a [`Primitive`], kept in
//! a [`Registry`]; [`guard`] refuses what it may not do, [`refs`] fills in what earlier
//! steps gave. The engine sees none of the asynchronous parts.

pub mod context;
pub mod error;
pub mod executor;
pub mod guard;
pub mod http;
pub mod install;
#[cfg(any(test, feature = "kit"))]
pub mod kit;
pub mod planner;
pub mod primitive;
pub mod refs;
pub mod registry;
pub mod secrets;

pub use context::{ToolContext, World};
pub use error::{AfterEffect, ToolError};
pub use install::{InstallFault, Installation, install};
pub use primitive::{Output, Primitive};
pub use registry::Registry;

//! The id of a run, safe to be part of a file name.

pub use exacta_core::model::id::{BadId as NotARunId, RunId};

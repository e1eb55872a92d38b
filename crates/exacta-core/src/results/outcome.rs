//! What an executor may say of a step, and what it may not.

use alloc::string::String;

use super::outline::Unrunnable;
use crate::read::parse::json::Json;

/// What the executor saw of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It did what it promised.
    Done {
        /// What it gave back.
        output: Option<Json>,
    },
    /// It failed for certain: no such tool, an error, a refused file.
    Failed {
        /// What went wrong.
        error: String,
    },
    /// The call went out and no answer came back.
    Unknown {
        /// What is known.
        error: Option<String>,
    },
    /// A person said no to it.
    Declined,
    /// A rule of the project holds it back for now.
    Suppressed,
    /// The run was stopped while it was the step's turn.
    Cancelled,
}

/// Why an outcome cannot be recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordFault {
    /// The plan has no such step.
    #[error("the plan has no step `{0}`")]
    NoSuchStep(String),
    /// The step has an outcome already.
    #[error("the step `{0}` has an outcome already")]
    Twice(String),
    /// Something that the step depends on is not done, so it cannot have run.
    #[error("the step `{0}` cannot have run before what it depends on")]
    TooEarly(String),
    /// Only what is done can be taken back.
    #[error("the step `{0}` is not done and cannot be taken back")]
    NotDone(String),
    /// No step of this plan can run.
    #[error("no step can run: {0}")]
    Unrunnable(#[from] Unrunnable),
}

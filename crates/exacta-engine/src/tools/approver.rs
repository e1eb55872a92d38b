//! Asking for one step when its turn comes.

use exacta_core::model::id::StepId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a person decides about: one step with its arguments as they would be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRequest {
    /// The step.
    pub step_id: StepId,
    /// The tool it calls.
    pub tool: String,
    /// The arguments with every reference filled in.
    pub args: Value,
    /// Where the arguments were filled in from earlier outputs, as JSON pointers.
    pub filled: Vec<String>,
    /// Why it is asked.
    pub why: String,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum StepDecision {
    /// The step may run with exactly these arguments.
    Approved,
    /// A person said no.
    Declined {
        /// Why, in their words.
        reason: String,
    },
    /// A rule holds the step back for now.
    Suppressed {
        /// Which.
        reason: String,
    },
    /// Nobody can answer now; the run pauses before this step.
    Waiting,
}

/// Somebody who can be asked. Called on a thread that may block for as long as it takes.
pub trait StepApprover: Send + Sync {
    /// Asks. An implementation that sees the run being cancelled gives
    /// [`StepDecision::Waiting`].
    fn ask(&self, request: &StepRequest) -> StepDecision;
}

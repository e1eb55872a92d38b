//! How a step ended.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a step ended, or where it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum StepOutcome {
    /// It did what it promised.
    Ok {
        /// What it gave back; null when nothing.
        output: Value,
    },
    /// It failed for certain and left nothing outside.
    Failed {
        /// A stable code.
        code: String,
        /// What went wrong.
        message: String,
    },
    /// The effect may have happened; only a person can find out.
    OutcomeUnknown {
        /// What is known.
        message: String,
    },
    /// A person said no to it.
    Declined {
        /// Why.
        reason: String,
    },
    /// A rule holds it back for now.
    Suppressed {
        /// Which.
        reason: String,
    },
    /// The run was stopped while it was the step's turn.
    Cancelled,
    /// It never had its turn.
    Skipped {
        /// Why.
        because: SkipCause,
    },
    /// A person has to decide before it can start.
    Waiting,
    /// The caller did not want it started yet.
    Held,
    /// It was done and has been taken back.
    RolledBack,
}

/// Why a step never had its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipCause {
    /// A step it depends on failed.
    DependencyFailed,
    /// A step it depends on was skipped.
    DependencySkipped,
    /// The run ended before.
    RunEnded,
    /// The dependencies of the plan cannot be resolved; nothing started.
    Blocked,
}

impl StepOutcome {
    /// Whether steps that depend on it may start.
    pub const fn is_ok(&self) -> bool {
        matches!(self, Self::Ok { .. })
    }

    /// Whether nothing more will come of this step in this run.
    pub const fn is_final(&self) -> bool {
        !matches!(self, Self::Waiting | Self::Held)
    }
}

//! What a person who watches a run sees. Nothing here is a promise; the record is.

use exacta_core::model::id::StepId;
use serde::Serialize;

use super::outcome::StepOutcome;

/// A sign of life.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "sign", rename_all = "snake_case")]
pub enum StepSign {
    /// The tool is called.
    Running {
        /// The step.
        step_id: StepId,
        /// Which attempt; from 1.
        attempt: u32,
    },
    /// A person is asked.
    Asking {
        /// The step.
        step_id: StepId,
    },
    /// An attempt failed and another one follows.
    Retrying {
        /// The step.
        step_id: StepId,
        /// What went wrong.
        message: String,
        /// Milliseconds until then.
        after_ms: u64,
    },
    /// The step is over.
    Over {
        /// The step.
        step_id: StepId,
        /// How.
        outcome: StepOutcome,
        /// Milliseconds it took.
        took_ms: u64,
    },
    /// What the step did is being taken back.
    TakingBack {
        /// The step.
        step_id: StepId,
    },
}

/// Somebody who watches. Must return at once.
pub trait StepProgress: Send + Sync {
    /// Something happened.
    fn report(&self, sign: &StepSign);
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl StepProgress for NoProgress {
    fn report(&self, _sign: &StepSign) {}
}

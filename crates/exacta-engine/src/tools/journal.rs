//! What a runner writes on the record while it runs.

use exacta_core::model::id::StepId;
use serde::{Deserialize, Serialize};

use super::approver::StepDecision;
use super::outcome::StepOutcome;
use super::spent::Spent;

/// One entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum StepEntry {
    /// The step begins. An outside effect has this entry right before its first byte
    /// leaves and not earlier; every other step before its tool is called.
    Started {
        /// The step.
        step_id: StepId,
        /// The same for every attempt of this step in this run.
        idempotency_key: String,
        /// Hash of the arguments as used.
        args_hash: String,
    },
    /// The step is over.
    Finished {
        /// The step.
        step_id: StepId,
        /// How.
        outcome: StepOutcome,
        /// What it spent.
        spent: Spent,
    },
    /// Somebody decided about the step.
    Decided {
        /// The step.
        step_id: StepId,
        /// What.
        decision: StepDecision,
        /// Hash of the arguments it was decided for.
        args_hash: String,
    },
    /// The effect may have happened and no answer came.
    Unknown {
        /// The step.
        step_id: StepId,
        /// What is known.
        message: String,
        /// What it spent.
        spent: Spent,
    },
    /// What the step did was taken back.
    RolledBack {
        /// The step.
        step_id: StepId,
    },
}

impl StepEntry {
    /// The step it is about.
    pub fn step_id(&self) -> &StepId {
        match self {
            Self::Started { step_id, .. }
            | Self::Finished { step_id, .. }
            | Self::Decided { step_id, .. }
            | Self::Unknown { step_id, .. }
            | Self::RolledBack { step_id } => step_id,
        }
    }
}

/// The record could not be written; the run stops where it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the record could not be written: {0}")]
pub struct JournalFault(pub String);

/// The record of one run.
pub trait StepJournal: Send + Sync {
    /// Writes the entries in this order, all or none. They and all before them are durable
    /// when it returns, so a runner hands in all it has at once; none makes durable what was
    /// only written. Called from one thread at a time.
    ///
    /// # Errors
    /// When they are not on the record.
    fn append(&self, entries: &[StepEntry]) -> Result<(), JournalFault>;

    /// Writes the entries in this order, all or none. They outlive this process when it
    /// returns, and a power loss after the next [`StepJournal::append`]: for what may be done
    /// again.
    ///
    /// # Errors
    /// As [`StepJournal::append`].
    fn write(&self, entries: &[StepEntry]) -> Result<(), JournalFault> {
        self.append(entries)
    }
}

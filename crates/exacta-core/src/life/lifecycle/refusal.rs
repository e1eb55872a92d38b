//! Why a verb is refused, in words a person can act on.

use alloc::string::String;
use core::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::state::Cause;
use crate::model::id::RunId;

/// Why nothing was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum Refusal {
    /// The plan still waits for a person.
    NotApproved,
    /// The plan was rejected and stays so.
    Rejected {
        /// Why.
        reason: String,
    },
    /// The plan expired.
    Expired {
        /// Why.
        cause: Cause,
    },
    /// The plan has an approval already.
    AlreadyApproved,
    /// The approval was spent on a run.
    Used {
        /// The run.
        run_id: RunId,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotApproved => f.write_str("the plan waits for a person"),
            Self::Rejected { reason } => write!(f, "the plan was rejected: {reason}"),
            Self::Expired { cause } => write!(f, "the plan expired: {cause}"),
            Self::AlreadyApproved => f.write_str("the plan is approved already"),
            Self::Used { run_id } => {
                write!(f, "the approval was spent on the run {run_id}; each is good for one run")
            }
        }
    }
}

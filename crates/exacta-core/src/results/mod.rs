//! The result contract: what an executor hands back after a run, and its check.
//!
//! In: the bytes of a result list from any executor, ours or a foreign one, and the
//! [`PlanOutline`] it ran. Out: every rule the list breaks, as [`Issue`]s with the
//! codes `RESULTS_*` and a stable rule name; no issue means the contract holds. This
//! is the last stage of a plan: nothing follows but the receipt.
//!
//! Two halves that share no derivation, so that each proves the other:
//! [`ResultList`] assembles a list that is right by construction; [`check`] believes
//! nothing it is given.
//!
//! [`Issue`]: crate::model::diagnostic::Issue

mod build;
mod check;
mod contract;
mod findings;
mod fit;
mod outcome;
mod outline;
mod read;
mod reason;
mod row;
mod rule;
mod shape;
mod summary;
#[cfg(test)]
mod tests;

pub use build::ResultList;
pub use check::{check, check_json};
pub use contract::{
    CONTRACT_VERSION, META_ID, MetaResult, Results, Stats, StepResult, TaskStatus, schema,
};
pub use outcome::{Outcome, RecordFault};
pub use outline::{OutlineFault, OutlineStep, PlanOutline, Unrunnable};
pub use read::MAX_BYTES;
pub use reason::Reason;
pub use rule::Rule;
